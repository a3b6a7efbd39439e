"""`bridge bench marshal`: fringe arrays into views and back, against memcpy.

The reference copies equal contiguous stripes into the same reused buffer, or from it: what the
move would cost if the array had neither fringes nor the wrong order.
"""

from __future__ import annotations

from collections.abc import Callable

import cffi
import numpy as np

from bridge.backends.base import Binding
from bridge.backends.cpu.backend import CpuBackend
from bridge.bench.request import Request
from bridge.measuring.report import Report, Row
from bridge.measuring.timing import time_in_turns
from bridge.memory.marshal import Bounds
from bridge.progress import each

#: Interior points along x, y, z; components; points of a stripe. The arrays do not fit a cache.
EXTENT = (96, 64, 64)
FRINGE = 2
COLUMNS = 10
STRIPE = 16384


def measure(request: Request) -> Report:
    """Rows `pack` and `unpack`, GB/s of payload; the ratio is the share of memcpy's speed."""
    from tabulate import tabulate

    extent = EXTENT
    if request.points is not None:
        extent = (EXTENT[0], EXTENT[1], max(1, request.points // (EXTENT[0] * EXTENT[1])))
    report = Report(f"Marshal: {COLUMNS} components, stripes of {STRIPE} points")
    lines = []
    for order in each(("component last", "component first"), "arrays with"):
        times = time_in_turns(
            _candidates(extent, order, request.isa), seconds=request.seconds, turn=0.0
        )
        payload = 8e-9 * COLUMNS * float(np.prod(extent))
        for call, copy in (("pack", "memcpy in"), ("unpack", "memcpy out")):
            speed, ratio = payload / times.median(call), times.ratio(call, copy)
            params = {"order": order, "columns": COLUMNS, "backend": "cpu", "threads": 1}
            report.rows.append(Row(call, params, speed, "GB/s", "memcpy", ratio))
            best = payload / times.median(copy)
            lines.append((call, order, f"{speed:.1f}", f"{best:.1f}", f"{100 * ratio:.0f} %"))
    report.summary = tabulate(lines, ("", "array", "GB/s", "memcpy GB/s", "of memcpy"))
    return report


def _candidates(
    extent: tuple[int, int, int], order: str, isa: str | None
) -> dict[str, Callable[[], None]]:
    nx, ny, nz = (n + 2 * FRINGE for n in extent)
    points = int(np.prod(extent))
    first = order == "component first"
    backend = CpuBackend(1, isa)
    array = np.random.default_rng(1).random(COLUMNS * nx * ny * nz)
    start, end = (FRINGE + 1,) * 3, tuple(FRINGE + n for n in extent)
    bounds = Bounds.from_twelve(
        [
            nx,
            ny,
            nz,
            *(b for pair in zip(start, end, strict=True) for b in pair),
            1,
            COLUMNS,
            -COLUMNS if first else COLUMNS,
        ]
    )
    binding = Binding(array.ctypes.data, bounds.box(), COLUMNS, owner=array)
    view = backend.allocate(COLUMNS, STRIPE, "float64")
    plain = np.random.default_rng(2).random(COLUMNS * points)
    ffi = cffi.FFI()
    ffi.cdef("void* memcpy(void*, const void*, size_t);")
    copy = ffi.dlopen(None).memcpy  # type: ignore[attr-defined]
    buffer, source = ffi.cast("char*", view.address), ffi.from_buffer(plain.data)
    stripes = [(p, min(STRIPE, points - p)) for p in range(0, points, STRIPE)]
    size = 8 * COLUMNS

    def pack() -> None:
        for p, n in stripes:
            backend.pack(binding, p, n, view)

    def unpack() -> None:
        for p, n in stripes:
            backend.unpack(view, binding, p, n)

    def memcpy_in() -> None:
        for p, n in stripes:
            copy(buffer, source + p * size, n * size)

    def memcpy_out() -> None:
        for p, n in stripes:
            copy(source + p * size, buffer, n * size)

    return {"pack": pack, "memcpy in": memcpy_in, "unpack": unpack, "memcpy out": memcpy_out}
