"""How much faster the run through the bridge was than the run through the legacy Fortran.

    python compare.py fortran.timers bridge.timers

Reads the timer files of two runs of the solver on the same case, one JSON record per line.
"""

import json
import sys
from pathlib import Path
from typing import Any


def read_timers(path: str | Path) -> dict[str, dict[str, Any]]:
    """part -> its record; "run" describes the case."""
    records = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return {record["part"]: record for record in records}


def compare(fortran_file: str | Path, bridge_file: str | Path) -> str:
    """The two ratios, slowest rank against slowest rank, as text."""
    fortran, bridge = read_timers(fortran_file), read_timers(bridge_file)
    same = ("ranks", "cells", "steps")
    if any(fortran["run"][key] != bridge["run"][key] for key in same):
        raise SystemExit(f"{fortran_file} and {bridge_file} are not runs of the same case")
    rows = (
        ("properties", fortran["properties_fortran"], bridge["properties_bridge"]),
        ("whole time loop", fortran["time_loop"], bridge["time_loop"]),
    )
    run = fortran["run"]
    nx, ny, nz = run["cells"]
    lines = [
        f"{nx} x {ny} x {nz} cells, {run['steps']} steps, {run['ranks']} ranks (slowest rank)",
        f"{'':<18}{'fortran / s':>14}{'bridge / s':>14}{'ratio':>10}",
    ]
    for name, slow, fast in rows:
        ratio = slow["max"] / fast["max"]
        lines.append(f"{name:<18}{slow['max']:>14.3f}{fast['max']:>14.3f}{ratio:>9.1f}x")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    print(compare(sys.argv[1], sys.argv[2]))
