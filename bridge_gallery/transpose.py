"""Transposing a matrix: the steps of NVIDIA's course on the memory of GPUs (GTC 2015)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from bridge_gallery.rung import Arrays, Launch, Problem, Rung, ceil_div, source

NAME = "transpose"
TITLE = "Transposing a matrix (nothing is computed: every value is read once and written once)"
LESSON = (
    "What to learn: neighbouring threads must read and write neighbouring addresses, both ways; a "
    "tile in shared memory turns the one into the other, one column more keeps its columns out "
    "of each other's banks, and several values of each thread keep enough of them under way. In "
    "the bridge: component-first arrays, q(component, x, y, z), lie component last on the device, "
    "turned round once when they come, and a CPU transposes them in tiles of its vectors."
)
MISTAKES = (
    "its kernels assume a size that is a multiple of 32: here any rows and columns are right",
    "a barrier must be reached by all threads of a block: the test for the edge is around the "
    "loads and the stores, not around the barrier",
)
SIZE = 8192
#: Sizes at which tiles have edges; one row, one column.
SMALL = ((129, 70), (64, 128), (1, 77), (50, 1))
#: GB/s on a K40, float and double.
DOCUMENT = {
    "1: a thread for each column": ("step_1", 16.96, 33.94),
    "2: a thread for each value": ("step_2", 76.23, 137.88),
    "3: a tile in shared memory": ("step_3", 101.03, 127.86),
    "4: without bank conflicts": ("step_4", 171.82, 225.68),
    "5: 2 values a thread": ("step_5_of_2", 220.14, 240.16),
    "5: 4 values a thread": ("step_5_of_4", 237.42, 240.31),
    "5: 8 values a thread": ("step_5_of_8", 239.93, 246.65),
    "5: 16 values a thread": ("step_5_of_16", 225.02, 225.84),
}
#: Tile and threads of ours.
OURS = ((32, 256), (64, 512))


def text() -> str:
    """Of all kernels."""
    return source("transpose.cu")


def small() -> list[Problem]:
    """Sizes with edges."""
    return [_problem(*size, kind) for size in SMALL for kind in ("float", "double")]


def full() -> list[Problem]:
    """A square that no cache holds."""
    return [_problem(SIZE, SIZE, kind) for kind in ("float", "double")]


def _problem(rows: int, cols: int, kind: str) -> Problem:
    return Problem(
        f"{rows} x {cols} of {kind}",
        partial(_arrays, rows, cols, kind),
        lambda arrays: {"out": arrays["in"].T},
        tuple(_rungs(rows, cols, kind)),
        moved=2 * rows * cols * (4 if kind == "float" else 8),
        document="K40, GB/s",
        single_precision=kind == "float",
    )


def _arrays(rows: int, cols: int, kind: str) -> Arrays:
    dtype = np.dtype({"float": "f4", "double": "f8"}[kind])
    values = np.arange(rows * cols, dtype=dtype).reshape(rows, cols)
    return {"in": values, "out": np.broadcast_to(np.full(1, -1, dtype), (cols, rows))}


def _rungs(rows: int, cols: int, kind: str) -> list[Rung]:
    arguments = (np.int32(rows), np.int32(cols), "in", "out")
    definitions = {"REAL": kind}
    rungs = []
    tiles = (ceil_div(cols, 32), ceil_div(rows, 32), 1)
    for name, (kernel, *measured) in DOCUMENT.items():
        each = int(kernel.rpartition("_")[2]) if kernel.startswith("step_5") else 1
        grid, block = tiles, (32, 32 // each, 1)
        if kernel == "step_1":
            grid, block = (ceil_div(cols, 256), 1, 1), (256, 1, 1)
        launch = Launch(kernel, grid, block, arguments)
        document = f"{measured[kind == 'double']:.1f}"
        rungs.append(Rung(name, (launch,), definitions=definitions, document=document))
    for tile, threads in OURS:
        across, down = ceil_div(cols, tile), ceil_div(rows, tile)
        name = f"ours: tiles of {tile} x {tile}, {threads} threads, 16 bytes each"
        launch = Launch(f"wide_{tile}_{threads}", (across, down, 1), (threads, 1, 1), arguments)
        rungs.append(Rung(name, (launch,), definitions=definitions))
        launch = Launch(f"down_{tile}_{threads}", (down, across, 1), (threads, 1, 1), arguments)
        name = f"ours: tiles of {tile} x {tile}, one below the other, past the caches"
        rungs.append(Rung(name, (launch,), definitions=definitions))
    rungs.append(Rung("CuPy", library=_cupy))
    return rungs


def _cupy(arrays: Mapping[str, Any]) -> None:
    import cupy

    cupy.copyto(arrays["out"], arrays["in"].T)
