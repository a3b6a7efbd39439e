"""The stages of the flow solver beside each other: where the time of a step goes in each.

    python compare.py none.timers properties.timers ...

Reads the timer files of runs of one case, one JSON record a line; the first is what the others are
compared with. Times are those of the slowest rank.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PARTS = ("properties", "flow", "exchange", "boundaries")


def read_timers(path: str | Path) -> dict[str, dict[str, Any]]:
    """part -> its record; "run" describes the case."""
    records = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return {record["part"]: record for record in records}


def compare(files: Sequence[str | Path]) -> str:
    """A line for each run: milliseconds a step, whole and in parts, and how much faster than the
    first the whole and its properties are."""
    runs = [read_timers(file) for file in files]
    first = runs[0]
    for file, run in zip(files, runs, strict=True):
        if any(first["run"][key] != run["run"][key] for key in ("ranks", "cells", "steps")):
            raise SystemExit(f"{files[0]} and {file} are not runs of the same case")

    def each(run: dict[str, dict[str, Any]], part: str) -> float:
        """Milliseconds a step."""
        return float(1e3 * run[part]["max"] / run["run"]["steps"]) if part in run else 0.0

    nx, ny, nz = first["run"]["cells"]
    lines = [
        f"{nx} x {ny} x {nz} cells, {first['run']['ranks']} ranks, "
        f"milliseconds a step, mean of {first['run']['steps']}",
        f"{'Offload':<12}{'step':>10}"
        + "".join(f"{part:>12}" for part in PARTS)
        + f"{'faster':>10}{'properties':>12}",
    ]
    for run in runs:
        whole, properties = each(run, "time_loop"), each(run, "properties")
        lines.append(
            f"{run['run']['offload']:<12}{whole:>10.3f}"
            + "".join(f"{each(run, part):>12.3f}" for part in PARTS)
            + f"{each(first, 'time_loop') / whole:>9.1f}x"
            + f"{each(first, 'properties') / properties:>11.1f}x"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    print(compare(sys.argv[1:]))
