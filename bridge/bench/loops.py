"""`bridge bench loops`: a legacy code's own loops, in Fortran and through the bridge.

Pointwise functions, rates scaled and added in place, a flux of 22 inputs, Jacobians of 75 outputs,
differences of neighbours along one axis and along three, a sum, and a Jacobi iteration of real(4)
arrays; with fringes, component last and first, in cache and in memory, in rows of several lengths.
Rows hold the time of the Fortran, of `run` (frame_run of a compiled host, for the sum
frame_reduce_several) and of the `engine` (the calls of the kernel library in it).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from math import isqrt
from statistics import median
from typing import Any

from bridge.backends.host.library import choose
from bridge.bench import pictures
from bridge.bench.hosted import Host, hosted
from bridge.bench.loopblock import (
    LOOPS,
    ORDERS,
    ORIGINAL,
    PROMOTED,
    REDUCED,
    SINGLE,
    Extent,
    HostLoops,
    LoopBlock,
    LoopRun,
    bytes_per_point,
    flags,
    loops_pack,
    several_threads,
)
from bridge.bench.request import Request
from bridge.machine import cache_size
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report, Row, progress
from bridge.measuring.timing import Times, time_in_turns
from bridge.plan.catalogue import Catalogue
from bridge.progress import each, waiting

PLACES = ("L2", "memory")
#: Points of a row.
ROWS = (22, 64, 128)
#: Most bytes of the arrays in memory: there is a second set of them, the Fortran's.
MOST = 1 << 30
#: The empty run: arrays of so many points, and what it may cost.
EMPTY: Extent = (5, 5, 5)
EMPTY_LIMIT = 3.0

plot = pictures.loops


@dataclass(frozen=True)
class Case:
    """One loop on one block."""

    loop: str
    order: str
    place: str
    row: int


def cases(rows: Iterable[int], loops: Iterable[str] = LOOPS) -> list[Case]:
    """All that is timed, loop after loop."""
    return [
        Case(loop, order, place, row)
        for loop in loops
        for order in ORDERS
        for place in PLACES
        for row in rows
    ]


def measure(request: Request) -> Report:
    """Rows named by the loop, ns per point; `empty run`, microseconds. sizes: points of a row;
    points: of the block in memory."""
    from tabulate import tabulate

    folder, isa = sources(request.fortran_stub), choose(request.isa).isa
    native = " ".join(flags(request.isa))
    report = Report(f"Loops of a legacy code, gfortran {native}, ns per point")
    lines = []
    with loops_pack(folder, isa) as catalogue, hosted(isa) as host:
        lines += _compared(report, catalogue, host, LOOPS, PROMOTED, request)
        with waiting("an empty run"):
            empty = _empty(report, catalogue, host, isa, request)
    with loops_pack(folder, isa, ORIGINAL) as catalogue, hosted(isa) as host:
        lines += _compared(report, catalogue, host, SINGLE, ORIGINAL, request)
    report.summary = "\n\n".join((tabulate(lines, "keys"), medians(report), empty))
    return report


def _compared(
    report: Report, catalogue: Catalogue, host: Host, loops: Iterable[str], precision: str,
    request: Request,
) -> list[dict[str, object]]:  # fmt: skip
    """Add the rows of some loops, whose kernels compute in this precision; their lines of the
    table."""
    folder, isa = sources(request.fortran_stub), choose(request.isa).isa
    fortran, lines = HostLoops(folder, catalogue, request.isa), []
    for case in each(cases(request.sizes or ROWS, loops), "loop"):
        size = bytes_per_point(catalogue, case.loop)
        extent = block(case.place, case.row, size, request.points)
        one = LoopBlock(catalogue, case.loop, case.order, extent)
        with closing(LoopRun(one, host.tv)) as bridged:
            times = _times(fortran, host, one, bridged, request)
            params = _params(case, one) | {"precision": precision}
            lines.append(_rows(report, one, params, times, isa))
            if request.threads > 1 and case.place == "memory":
                lines[-1] |= _threaded(report, one, params, bridged, isa, request)
        if request.json is not None:
            report.write(request.json)
        progress("  ".join(f"{key} {value}" for key, value in lines[-1].items()))
    return lines


def _times(
    fortran: HostLoops, host: Host, one: LoopBlock, bridged: LoopRun, request: Request
) -> Times:
    """One thread of each."""
    legacy, run = fortran.call(one.loop, one.order, one.theirs), bridged.run(host)
    legacy()
    run()
    one.check()
    ways = {"fortran": legacy, "run": run, "engine": bridged.engine()}
    return time_in_turns(ways, seconds=request.seconds / 2)


def _params(case: Case, one: LoopBlock) -> dict[str, Any]:
    size = sum(array.nbytes for array in one.ours.values())
    return {
        "order": case.order, "place": case.place, "row": one.extent[0], "points": one.points,
        "kB": size >> 10, "threads": 1,
    }  # fmt: skip


def _rows(
    report: Report, one: LoopBlock, params: dict[str, Any], times: Times, isa: str
) -> dict[str, object]:
    """Add the rows of one comparison; returns its line of the table, ratios of times in it."""
    line: dict[str, object] = {
        "loop": one.loop, "precision": params["precision"], "component": params["order"],
        "in": params["place"], "row": params["row"],
    }  # fmt: skip
    for way in times.rounds:
        value = 1e9 * times.median(way) / one.points
        line[f"{way} ns"] = round(value, 2)
        if way == "fortran":
            report.rows.append(Row(one.loop, params | {"way": way}, value, "ns/point"))
            continue
        ratio = times.ratio(way, "fortran")
        mine = params | {"way": way, "isa": isa}
        report.rows.append(Row(one.loop, mine, value, "ns/point", "fortran", ratio))
    for way in ("run", "engine"):
        line[f"{way} / fortran"] = round(1.0 / times.ratio(way, "fortran"), 2)
    return line


def _threaded(
    report: Report, one: LoopBlock, params: dict[str, Any], bridged: LoopRun, isa: str,
    request: Request,
) -> dict[str, object]:  # fmt: skip
    """Add a row of one thread against several, both of a Python program; returns its cell."""
    many = LoopRun(one, several_threads(one, isa, request.threads))
    pair = {"one": bridged.run_of_python(), "many": many.run_of_python()}
    times = time_in_turns(pair, seconds=request.seconds / 10, clock=time.perf_counter)
    ratio = times.fastest("one") / times.fastest("many")
    value = 1e9 * times.fastest("many") / one.points
    mine = params | {"way": "run", "isa": isa, "threads": request.threads}
    report.rows.append(Row(one.loop, mine, value, "ns/point", "one thread", ratio))
    return {f"{request.threads} threads": f"{ratio:.2f}x"}


def medians(report: Report) -> str:
    """Medians and the largest of the times of runs over those of the Fortran."""
    apart = (*REDUCED, *SINGLE)
    found: dict[str, list[float]] = {}
    for row in report.rows:
        if row.reference != "fortran" or row.params["way"] != "run" or not row.ratio:
            continue
        words = row.name if row.name in apart else f"without {' and '.join(apart)}"
        if row.name in SINGLE:
            words += f" in {row.params['precision']} precision"
        found.setdefault(words, []).append(1.0 / row.ratio)
    told = (
        f"{words}: median {median(ratios):.2f}, largest {max(ratios):.2f}"
        for words, ratios in found.items()
    )
    return "run / fortran, " + "; ".join(told)


def _empty(report: Report, catalogue: Catalogue, host: Host, isa: str, request: Request) -> str:
    """A run that does next to nothing on many small arrays."""
    one = LoopBlock(catalogue, "empty", "last", EMPTY)
    with closing(LoopRun(one, host.tv)) as bridged:
        run = bridged.run(host)
        run()
        times = time_in_turns(
            {"run": run, "engine": bridged.engine()}, seconds=request.seconds / 3
        )
    params = {"isa": isa, "arrays": len(one.ours), "points": one.points, "threads": 1}
    words = []
    for way in times.rounds:
        value = 1e6 * times.median(way)
        limit = (f"{EMPTY_LIMIT} us", EMPTY_LIMIT / value) if way == "run" else (None, None)
        report.rows.append(Row("empty run", params | {"way": way}, value, "us", *limit))
        words.append(f"{value:.2f} us ({way})")
    return f"empty kernel over {len(one.ours)} arrays of {one.points} points: {', '.join(words)}"


# ---- where the data lie ----------------------------------------------------------------------


def block(place: str, row: int, bytes_per_point: int, points: int | None = None) -> Extent:
    """Interior of a block of such rows whose arrays fill half of a core's second-level cache, or
    lie in memory: twice what the last cache holds, or `points` of the caller's choice. Odd along y
    and z: components that lie a power of two apart in memory would fight for the same lines of a
    cache."""
    size = cache_size(2) // 2 if place == "L2" else min(2 * cache_size(3), MOST)
    wanted = size // bytes_per_point
    if place == "memory" and points is not None:
        wanted = points
    nx = min(row, wanted)
    rows = max(1, wanted // nx)
    ny = _odd(isqrt(rows))
    return nx, ny, _odd(rows // ny)


def _odd(n: int) -> int:
    return n - 1 + n % 2
