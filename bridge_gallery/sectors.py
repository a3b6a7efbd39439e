"""Bytes that threads use of each sector of 32 bytes which memory moves, hits of the first cache
and occupancy, by Nsight Compute.

`python -m bridge_gallery.sectors MODULE` launches every rung of a ladder once, at the full
size. The profiler (`ncu`) runs that process and counts; `counted` puts its figures beside the
rungs.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from bridge.errors import BridgeError
from bridge.measuring.report import Row
from bridge_gallery.rung import Ladder, Launch, Problem, Rung

#: Columns of the table: metrics of Nsight Compute.
METRICS = {
    "loads": "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
    "stores": "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",
    "local": "smsp__sass_average_data_bytes_per_sector_mem_local.ratio",
}
#: Shares in percent beside them: sectors found in the first cache; warps that are there of those
#: that a processor can have.
SHARES = {
    "hits, %": "l1tex__t_sector_hit_rate.pct",
    "occupancy, %": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
#: Seconds that the profiler may take.
LONGEST = 1800


@dataclass(frozen=True)
class Launched:
    """One launch of a rung: what the profiler counts in the same order."""

    problem: str
    rung: str
    kernel: str


@dataclass(frozen=True)
class Counted:
    """A launch with its figures, None where it has no such access."""

    launched: Launched
    figures: dict[str, float | None]


def counted_rungs(ladder: Ladder) -> Iterator[tuple[Problem, tuple[Rung, ...]]]:
    """What the process below runs. Steps on cells launch the same kernels again and again: of
    these one size, and the first launch of each kernel."""
    stepped = False
    for problem in ladder.full():
        if not problem.cells:
            yield problem, problem.rungs
        elif not stepped:
            stepped = True
            yield problem, tuple(_kernels_once(rung) for rung in problem.rungs)


def _kernels_once(rung: Rung) -> Rung:
    firsts: dict[str, Launch] = {}
    for one in rung.kernels:
        firsts.setdefault(one.kernel, one)
    return replace(rung, launches=tuple(firsts.values()), streams=1, graph=False)


def launches(ladder: Ladder) -> list[Launched]:
    """All that the process below launches, in its order."""
    return [
        Launched(problem.title, rung.name, launch.kernel)
        for problem, rungs in counted_rungs(ladder)
        for rung in rungs
        for launch in rung.kernels
    ]


def main(name: str) -> int:
    """Every rung once; what the profiler watches."""
    from bridge.backends.cuda import CudaBackend
    from bridge_gallery.graphicscard import GraphicsCard

    one = cast("Ladder", import_module(f"bridge_gallery.{name}"))
    card = GraphicsCard(CudaBackend())
    for problem, rungs in counted_rungs(one):
        card.load(problem, problem.arrays())
        for rung in rungs:
            if rung.launches:
                card.prepare(one.text(), rung)()
        card.clear()
    return 0


def profiler() -> str | None:
    """Nsight Compute: on the path, or where CUDA puts it."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("ncu") or shutil.which("ncu", path=f"{home}/bin")


def counted(ladder: Ladder) -> list[Counted] | str:
    """Figures of every launch, or one line that says why there are none."""
    ncu = profiler()
    if ncu is None:
        return "bytes per sector: Nsight Compute (ncu) is not on this machine"
    with TemporaryDirectory() as folder:
        target = Path(folder, "counted.csv")
        # by name, so that no launch of a library or of the driver is among them
        names = "|".join(sorted({one.kernel for one in launches(ladder)}))
        command = [
            ncu, "--csv", "--page", "raw", "--metrics", ",".join((METRICS | SHARES).values()),
            "--kernel-name-base", "function", "--kernel-name", f"regex:^({names})$",
            "--log-file", str(target), sys.executable, "-P", "-m", "bridge_gallery.sectors",
            ladder.__name__.rpartition(".")[2],  # type: ignore[attr-defined]
        ]  # fmt: skip
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST, check=False
        )
        text = target.read_text(encoding="utf-8") if target.exists() else ""
    if done.returncode or "ERR_NVGPUCTRPERM" in text:
        lines = [line for line in (text + done.stdout + done.stderr).splitlines() if line.strip()]
        said = next((line for line in lines if "ERROR" in line), lines[-1] if lines else "nothing")
        return f"bytes per sector: ncu ended with {done.returncode} and said: {said}"
    return read(text, launches(ladder))


def read(text: str, wanted: Sequence[Launched]) -> list[Counted]:
    """Figures of the profiler's table; BridgeError where it has other launches."""
    lines = text.splitlines()
    first = next((k for k, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    rows = [row for row in csv.DictReader(lines[first:]) if row["ID"]]  # a line of units has none
    found = [row["Kernel Name"].partition("(")[0] for row in rows]
    if found != [one.kernel for one in wanted]:
        pairs = zip(found, wanted, strict=False)
        other = next((f"{a} for {b.kernel}" for a, b in pairs if a != b.kernel), "another number")
        raise BridgeError(
            f"ncu counted {len(found)} launches, the ladder has {len(wanted)}: {other}"
        )
    return [
        Counted(one, {name: _number(row.get(by)) for name, by in (METRICS | SHARES).items()})
        for one, row in zip(wanted, rows, strict=True)
    ]


def _number(text: str | None) -> float | None:
    """A figure; 0 and n/a say that there was no access of this kind."""
    try:
        return float((text or "").replace(",", "")) or None
    except ValueError:
        return None


def table(found: list[Counted] | str) -> str:
    """Lines of the page."""
    from tabulate import tabulate

    if isinstance(found, str):
        return found
    before, lines = ("", ""), []
    for one in found:
        here = (one.launched.problem, one.launched.rung)
        shown = ("", "") if here == before else here
        figures = ("" if value is None else f"{value:.1f}" for value in one.figures.values())
        lines.append([*shown, one.launched.kernel, *figures])
        before = here
    headers = ["problem", "rung", "kernel", *METRICS, *SHARES]
    return "Bytes used of each sector of 32 bytes, shares:\n" + tabulate(lines, headers)


def rows(ladder: Ladder, found: list[Counted] | str) -> list[Row]:
    """Of the JSON file."""
    made = []
    for one in [] if isinstance(found, str) else found:
        for name, value in one.figures.items():
            if value is None:
                continue
            params: dict[str, Any] = {
                "ladder": ladder.NAME,
                "problem": one.launched.problem,
                "kernel": one.launched.kernel,
            }
            unit, whole = (name, 100.0) if name in SHARES else (f"B of a sector, {name}", 32.0)
            of = f"{whole:.0f}"
            made.append(Row(one.launched.rung, params, value, unit, of, value / whole))
    return made


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
