"""`bridge doctor`: what a run would use here, what is wrong with that, and what mends it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge import foreign
from bridge.errors import spoken

if TYPE_CHECKING:
    from bridge.doctor.findings import Report


def add(commands: Any) -> None:
    """The subcommand."""
    text = "what a run would use here, what is wrong, and the line that mends it"
    doctor = commands.add_parser("doctor", help=text, description=text)
    doctor.add_argument("--json", action="store_true", help="print JSON instead of text")
    doctor.add_argument("--program", metavar="FILE", help="your solver: which MPI it is linked to")
    doctor.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Status 1 where something would stop a run."""
    from bridge.doctor.findings import written

    try:
        report = _report(given)
    except Exception as error:  # Python's own library, of another Python
        report = _least(error)
    print(written([report], given.json), end="")
    return int(report.stops)


def _report(given: argparse.Namespace) -> Report:
    from bridge.doctor import host, mpisides
    from bridge.doctor.findings import Report
    from bridge.doctor.process import mapped_files

    program = Path(given.program) if given.program else None
    seen, start = host.examined()
    report = seen if seen is not None else host.apart()
    if program is not None:
        mpi = mpisides.section(mapped_files(), program)
        report = Report([mpi if one.name == mpi.name else one for one in report.sections])
    report.sections.insert(0, start)
    return report


def _least(error: Exception) -> Report:
    """What is known without any other module."""
    from bridge.doctor.findings import Report, Section

    found = Section("Python", {"version": sys.version.split()[0], "prefix": sys.prefix})
    what = foreign.told_of_start(error) or f"nothing can be looked at: {spoken(error)}"
    found.problem(what, foreign.remedy(what) or "mend what it names", stops=True)
    return Report([found])
