"""A program like a user's host, examined: it is started with libbridge.so, which finds its Python.

`bridge doctor` is a Python program, and libbridge.so would use that Python. What a solver gets is
seen in a process of C alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bridge import bridge_config, foreign
from bridge.doctor import process, python
from bridge.doctor.findings import Report, Section

#: Seconds that the start of Python may take.
LIMIT = 120
_BUILD_AGAIN = "pip install --force-reinstall --no-deps fortran-bridge, with a shared libpython"


def examined() -> tuple[Report | None, Section]:
    """What a process of C with libbridge.so says, None where it cannot; and whether it works."""
    found = Section("start from Fortran")
    try:
        program = bridge_config.entry_file("doctorhost")
        found.facts["library"] = str(bridge_config.entry_file("libbridge.so"))
    except (FileNotFoundError, ModuleNotFoundError):
        found.facts["library"] = "none: built without its entry, for Python alone"
        return None, found
    report, said = _report_of([str(program)])
    found.facts["works"] = "no" if report is None else "yes"
    if report is None:
        found.problem(said, remedy_of(said), stops=True)
    return report, found


def apart() -> Report:
    """What a process of Python alone says. It is another one than this, which must not die of
    what it looks at."""
    report, said = _report_of([sys.executable, "-P", "-m", "bridge.doctor.examination"])
    if report is None:
        found = python.section(process.mapped_files(), None)
        found.problem(f"the rest could not be looked at: {said}", remedy_of(said), stops=True)
        report = Report([found])
    return report


def _report_of(command: list[str]) -> tuple[Report | None, str]:
    """What a program writes into the file that it is given; None where it does not, and what it
    says then."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        try:
            done = subprocess.run(
                [*command, str(file)], capture_output=True, text=True, timeout=LIMIT,
                errors="replace",
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, f"{command[0]} does not run: {error}"
        if done.returncode == 0 and file.is_file():
            return Report.from_json(json.loads(file.read_text())), ""
    said = done.stdout.strip() or done.stderr.strip()
    return None, said or f"it ended with status {done.returncode}"


def remedy_of(said: str) -> str:
    """The line that mends what libbridge.so says of its start."""
    if (remedy := foreign.remedy(said)) is not None:
        return remedy
    if "ended with status" in said and os.environ.get("PYTHONPATH"):
        return "unset PYTHONPATH"
    if "does not run: " in said:
        return _BUILD_AGAIN
    if "$PYTHONHOME" in said:
        return "unset PYTHONHOME"
    if "$BRIDGE_PYTHON, " in said:
        return "unset BRIDGE_PYTHON, or name an interpreter whose environment has this package"
    if "ulimit -v" in said:
        return "ulimit -v unlimited"
    if "libpython" in said:
        return f"export LD_LIBRARY_PATH with the folder of libpython; or {_BUILD_AGAIN}"
    return "export BRIDGE_PYTHON=$(bridge-config --python)"
