"""`bridge bench loops`: a legacy code's own loops, in Fortran and through the bridge.

Pointwise functions, updates in place, a flux of 22 inputs and Jacobians of 75 outputs, on arrays
with fringes, component last and first, in cache and in memory. Rows hold the time of the Fortran,
of `run` (frame_run) and of the `engine` (the C part of a run alone).
"""

from __future__ import annotations

import time
from math import isqrt
from typing import Any

from bridge.bench import pictures
from bridge.bench.loopblock import (
    LOOPS,
    ORDERS,
    Extent,
    HostLoops,
    LoopBlock,
    bytes_per_point,
    flags,
    loops_pack,
)
from bridge.bench.request import Request
from bridge.machine import cache_size
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report, Row, progress
from bridge.measuring.timing import Times, time_in_turns
from bridge.plan.catalogue import Catalogue
from bridge.progress import each, waiting

PLACES = ("L2", "memory")
#: Points of a row, and at least of the block in memory.
NX = 64
IN_MEMORY = 64**3
#: Most bytes of the arrays in memory: there is a second set of them, the Fortran's.
MOST = 1 << 30
#: The empty run: arrays of so many points, and what it may cost.
EMPTY: Extent = (5, 5, 5)
EMPTY_LIMIT = 3.0

plot = pictures.loops


def measure(request: Request) -> Report:
    """Rows named by the loop, ns per point; `empty run`, microseconds."""
    from tabulate import tabulate

    folder = sources(request.fortran_stub)
    native = " ".join(flags(request.isa))
    report = Report(f"Loops of a legacy code, gfortran {native}, ns per point")
    lines = []
    with loops_pack(folder) as catalogue:
        fortran = HostLoops(folder, catalogue, request.isa)
        for loop in each(LOOPS, "loop"):
            for order in each(ORDERS, "component"):
                for place in each(PLACES, "in"):
                    extent = block(place, bytes_per_point(catalogue, loop), request.points)
                    one = LoopBlock(catalogue, loop, order, extent, request.isa)
                    times, threaded = _times(fortran, one, request)
                    lines.append(_rows(report, one, place, times, threaded, request))
                    progress("  ".join(f"{key} {value}" for key, value in lines[-1].items()))
        with waiting("an empty run"):
            empty = _empty(report, catalogue, request)
    report.summary = f"{tabulate(lines, 'keys')}\n\n{empty}"
    return report


def _times(
    fortran: HostLoops, one: LoopBlock, request: Request
) -> tuple[Times, tuple[Times, float] | None]:
    """One thread of each; one thread against several."""
    host = fortran.call(one.loop, one.order, one.theirs)
    run = one.run()
    host()
    run()
    one.check()
    times = time_in_turns(
        {"fortran": host, "run": run, "engine": one.engine()}, seconds=request.seconds
    )
    if request.threads < 2:
        return times, None
    pair = {"one": run, "many": one.run(request.threads)}
    many = time_in_turns(pair, seconds=request.seconds / 3, clock=time.perf_counter)
    return times, (many, many.fastest("one") / many.fastest("many"))


def _rows(
    report: Report,
    one: LoopBlock,
    place: str,
    times: Times,
    threaded: tuple[Times, float] | None,
    request: Request,
) -> dict[str, object]:
    """Add the rows of one comparison; returns its line of the table, ratios of times in it."""
    size = sum(array.nbytes for array in one.ours.values())
    params: dict[str, Any] = {
        "order": one.order, "place": place, "points": one.points, "kB": size >> 10, "threads": 1,
    }  # fmt: skip
    line: dict[str, object] = {"loop": one.loop, "component": one.order, "in": place}
    for way in times.rounds:
        value = 1e9 * times.median(way) / one.points
        line[f"{way} ns"] = round(value, 2)
        if way == "fortran":
            report.rows.append(Row(one.loop, params | {"way": way}, value, "ns/point"))
            continue
        ratio = times.ratio(way, "fortran")
        mine = params | {"way": way, "isa": one.isa}
        report.rows.append(Row(one.loop, mine, value, "ns/point", "fortran", ratio))
    for way in ("run", "engine"):
        line[f"{way} / fortran"] = round(1.0 / times.ratio(way, "fortran"), 2)
    if threaded is not None:
        many, ratio = threaded
        value = 1e9 * many.fastest("many") / one.points
        mine = params | {"way": "run", "isa": one.isa, "threads": request.threads}
        report.rows.append(Row(one.loop, mine, value, "ns/point", "one thread", ratio))
        line[f"{request.threads} threads"] = f"{ratio:.2f}x"
    return line


def _empty(report: Report, catalogue: Catalogue, request: Request) -> str:
    """A run that does next to nothing on many small arrays."""
    one = LoopBlock(catalogue, "empty", "last", EMPTY, request.isa)
    pair = {"run": one.run(), "engine": one.engine()}
    times = time_in_turns(pair, seconds=request.seconds / 3)
    params = {"isa": one.isa, "arrays": len(one.ours), "points": one.points, "threads": 1}
    words = []
    for way in times.rounds:
        value = 1e6 * times.median(way)
        limit = (f"{EMPTY_LIMIT} us", EMPTY_LIMIT / value) if way == "run" else (None, None)
        report.rows.append(Row("empty run", params | {"way": way}, value, "us", *limit))
        words.append(f"{value:.2f} us ({way})")
    return f"empty kernel over {len(one.ours)} arrays of {one.points} points: {', '.join(words)}"


# ---- where the data lie ----------------------------------------------------------------------


def block(place: str, bytes_per_point: int, points: int | None = None) -> Extent:
    """Interior of a block whose arrays fill half of a core's second-level cache, or lie in memory:
    twice what the last cache holds, or `points` of the caller's choice."""
    if place == "L2":
        wanted = cache_size(2) // 2 // bytes_per_point
        rows = max(1, wanted // NX)
        ny = isqrt(rows)
        return NX, ny, rows // ny
    wanted = max(IN_MEMORY, min(2 * cache_size(3), MOST) // bytes_per_point)
    if points is not None:
        wanted = points
    nx = min(NX, wanted)
    rows = max(1, wanted // nx)
    ny = min(NX, isqrt(rows))
    return nx, ny, rows // ny
