"""`bridge doctor`: what a run would use here, what is wrong with that, and what mends it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """The subcommand."""
    text = "what a run would use here, what is wrong, and the line that mends it"
    doctor = commands.add_parser("doctor", help=text, description=text)
    doctor.add_argument("--json", action="store_true", help="print JSON instead of text")
    doctor.add_argument("--program", metavar="FILE", help="your solver: which MPI it is linked to")
    doctor.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Status 1 where something would stop a run."""
    from bridge.doctor import host, mpisides
    from bridge.doctor.examination import examine
    from bridge.doctor.findings import Report, written
    from bridge.doctor.process import mapped_files

    program = Path(given.program) if given.program else None
    seen, start = host.examined()
    report = seen if seen is not None else examine()
    if program is not None:
        mpi = mpisides.section(mapped_files(), program)
        report = Report([mpi if one.name == mpi.name else one for one in report.sections])
    report.sections.insert(0, start)
    print(written([report], given.json), end="")
    return int(report.stops)
