"""A program like a user's host, examined: it is started with libbridge.so, which finds its Python.

`bridge doctor` is a Python program, and libbridge.so would use that Python. What a solver gets is
seen in a process of C alone.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from bridge import bridge_config
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
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        try:
            done = subprocess.run(
                [str(program), str(file)], capture_output=True, text=True, timeout=LIMIT,
                errors="replace",
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            found.problem(f"{program} does not run: {error}", _BUILD_AGAIN, stops=True)
            return None, found
        if done.returncode == 0 and file.is_file():
            found.facts["works"] = "yes"
            return Report.from_json(json.loads(file.read_text())), found
    said = (done.stdout.strip() or done.stderr.strip()).strip()
    found.facts["works"] = "no"
    found.problem(said or f"it ended with status {done.returncode}", remedy_of(said), stops=True)
    return None, found


def remedy_of(said: str) -> str:
    """The line that mends what libbridge.so says of its start."""
    if "$PYTHONHOME" in said:
        return "unset PYTHONHOME"
    if "$BRIDGE_PYTHON, " in said:
        return "unset BRIDGE_PYTHON, or name an interpreter whose environment has this package"
    if "ulimit -v" in said:
        return "ulimit -v unlimited"
    if "libpython" in said:
        return f"export LD_LIBRARY_PATH with the folder of libpython; or {_BUILD_AGAIN}"
    return "export BRIDGE_PYTHON=$(bridge-config --python)"
