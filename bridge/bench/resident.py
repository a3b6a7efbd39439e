"""`bridge bench resident`: launches that read and write arrays of the device in place, beside a
copy of as many bytes within the device, in one run.

Pointwise functions, an update in place, a flux of 22 inputs and stencils of seven points, on
arrays with fringes, component last and first. A kernel's bytes are those that it cannot do
without: every element that is read, and every one that is written, once. An array that is entered
with `layout = 'device'` lies component last on the device, whatever the caller's is.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.cuda import CudaBackend
from bridge.backends.gpu.boxprogram import BoxProgram
from bridge.backends.gpu.policy import Walk
from bridge.backends.gpu.residentcopies import LINE, aligned
from bridge.bench import gpus
from bridge.bench.limits import Clock
from bridge.bench.request import Request
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report, Row, progress
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan import packs
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.fringe import Fringe

#: Kernels by the names of the rows.
KERNELS = {
    "one component": "stencilScale",
    "pointwise": "loopAuxiliaries",
    "update": "loopUpdate",
    "flux": "loopFlux",
    "stencil of one": "stencilSmooth",
    "stencil of five": "stencilDiffusion",
}
ORDERS = ("last", "first")
#: Points along an edge, layers around them.
BLOCK, FRINGE = 128, 2
#: Launches that are recorded as one graph: the device does not wait for the host between them.
TOGETHER = 20
#: The share of a copy's rate that is to be reached, percent, component last.
GOAL = 85.0
#: Other walks of stencils.
WALKS = [
    Walk(threads, planes, blocks, unroll)
    for threads in (128, 256, 512)
    for planes in (2, 4, 8, 32)
    for blocks, unroll in ((1, 1), (1536 // threads, 1), (2048 // threads, 1), (1, 2), (1, 4))
]
#: What a walk says of itself.
WALK = ("threads", "planes", "blocks", "unroll")
_PACKS = ("bench/loops", "bench/stencils")


def measure(request: Request) -> Report:
    """Rows of every kernel and order; points: of the block, rounded to a cube; policies: other
    ways through the tiles of stencils as well."""
    block = BLOCK if request.points is None else max(1, round(request.points ** (1 / 3)))
    backend = CudaBackend()
    try:
        return measure_on(backend, block, sources(request.fortran_stub), request.policies)
    finally:
        backend.close()


def measure_on(backend: CudaBackend, block: int, folder: Path, walks: bool = False) -> Report:
    """All rows."""
    from tabulate import tabulate

    report = Report("Launches on arrays of the device, against a copy of as many bytes")
    report.machine |= backend.describe() | gpus.facts()
    clock, lines = Clock(backend), []
    with resident_packs(folder) as catalogue:
        backend.set_shared(SharedData(SpeciesData.load(["N2"]), Options.parse({})))
        for name, kernel in KERNELS.items():
            stencil = bool(catalogue.kernel(kernel).reads)
            for order in ORDERS:
                tried = WALKS if walks and stencil and order == "last" else []
                for walk in (None, *tried):
                    line = _row(report, clock, catalogue, (name, kernel), order, block, walk)
                    lines.append(line)
                    progress("  ".join(f"{key} {value}" for key, value in line.items()))
    report.summary = tabulate(lines, "keys")
    return report


def _row(
    report: Report, clock: Clock, catalogue: Catalogue, which: tuple[str, str], order: str,
    block: int, walk: Walk | None,
) -> dict[str, object]:  # fmt: skip
    """Add the rows of one kernel; its line of the table."""
    (name, kernel), backend = which, clock.backend
    kept, backend.device.walk = backend.device.walk, walk or backend.device.walk
    try:
        arrays = ResidentArrays(backend, catalogue, kernel, order, (block,) * 3)
        seconds = clock.seconds(arrays.together())
        copy = clock.seconds(arrays.copies())
        called = arrays.called()
    finally:
        backend.device.walk = kept
    rate, limit = (1e-9 * TOGETHER * arrays.moved / each for each in (seconds, copy))
    params: dict[str, Any] = {"order": order, "block": block, "bytes": arrays.moved}
    if walk is not None:
        params |= {word: getattr(walk, word) for word in WALK}
    report.rows.append(Row(name, params, rate, "GB/s", "copy within the device", rate / limit))
    each = 1e9 * seconds / TOGETHER / arrays.points
    report.rows.append(Row(name, params, each, "ns/point"))
    report.rows.append(Row("... as called", params, 1e6 * called, "us"))
    percent = 100.0 * rate / limit
    goal = f" (goal {GOAL:.0f}%)" if order == "last" and walk is None else ""
    return {
        "kernel": name,
        "component": order,
        "walk": ""
        if walk is None
        else f"{walk.threads} x {walk.planes}, {walk.blocks}, {walk.unroll}",
        "GB/s": round(rate, 1),
        "of a copy": f"{percent:.1f}%{goal}",
        "copy GB/s": round(limit, 1),
        "ns/point": round(each, 4),
        "us, called": round(1e6 * called, 2),
    }


@contextmanager
def resident_packs(folder: Path) -> Iterator[Catalogue]:
    """The packs of these kernels, the only ones of BRIDGE_PACKS meanwhile."""
    found = [folder / pack for pack in _PACKS]
    for pack in found:
        if not (pack / packs.CATALOGUE).is_file():
            raise ArgumentError("fortran-stub", str(folder), f"a folder that holds {_PACKS}")
    before = os.environ.get("BRIDGE_PACKS")
    os.environ["BRIDGE_PACKS"] = ":".join(map(str, found))
    try:
        yield Catalogue.load([shipped_file(), *(pack / packs.CATALOGUE for pack in found)])
    finally:
        if before is None:
            del os.environ["BRIDGE_PACKS"]
        else:
            os.environ["BRIDGE_PACKS"] = before
        packs.forget()


class ResidentArrays:
    """Arrays of one kernel in device memory, with fringes, and its launch on them.

    order: of the components, "last" or "first"; moved: bytes that are read and written.
    """

    def __init__(
        self, backend: CudaBackend, catalogue: Catalogue, kernel: str, order: str,
        extent: tuple[int, int, int],
    ) -> None:  # fmt: skip
        self._backend = backend
        self.points = math.prod(extent)
        plan = catalogue.single(kernel, 1)
        full = [n + 2 * FRINGE for n in extent]
        self.bindings: dict[str, Binding] = {}
        for name in dict.fromkeys((*plan.inputs, *plan.outputs)):
            columns = catalogue.columns(name, 1)
            size = math.prod(full) * columns
            memory = backend.allocate(1, size + LINE // 8, "float64")
            stride, component = (1, full[0], full[0] * full[1]), math.prod(full)
            if order == "first":
                x, y, z = (columns * step for step in stride)
                stride, component = (x, y, z), 1
            box = Box(extent, stride, component, FRINGE * sum(stride))
            address = aligned(memory.address, 8 * box.offset)
            self.bindings[name] = Binding(
                address, box, columns, owner=memory, group="resident",
                fringe=Fringe((FRINGE,) * 3, (FRINGE,) * 3),
            )  # fmt: skip
        self._fill(full)
        self.moved = 8 * self.points * sum(
            self.bindings[name].columns for name in (*plan.inputs, *plan.outputs)
        )  # fmt: skip
        self.plan = plan
        program = backend.program(plan, self.bindings)
        if not isinstance(program, BoxProgram):
            raise BridgeError(f"{kernel}: no launch on a box")
        self._program = program

    def _fill(self, full: list[int]) -> None:
        """Positive numbers everywhere."""
        values = 1.0 + np.random.default_rng(1).random(math.prod(full))
        self._backend.synchronize()
        for binding in self.bindings.values():
            for column in range(binding.columns):
                at = binding.address + column * values.nbytes
                self._backend.device.allocator.put(at, values)

    def together(self) -> Callable[[], None]:
        """Launches one after another, as a graph."""
        self._program.run(0, self.points)  # compiled, and nothing left to set
        return self._recorded(self._program.issue)

    def copies(self) -> Callable[[], None]:
        """As many copies of half as many bytes, each of which is read and written."""
        api, stream, size = self._backend.device.api, self._backend.device.stream, self.moved // 2
        here, there = (self._backend.allocate(1, size // 8 + 1, "float64") for _ in range(2))
        self._backend.synchronize()

        def copy() -> None:
            api.copy_async(there.address, here.address, size, stream)

        return self._recorded(copy)

    def _recorded(self, work: Callable[[], None]) -> Callable[[], None]:
        device = self._backend.device
        device.api.begin_capture(device.stream)
        try:
            for _ in range(TOGETHER):
                work()
        finally:
            graph = device.api.end_capture(device.stream)

        def launch(keep: object = work) -> None:
            device.api.graph_launch(graph, device.stream)

        return launch

    def called(self) -> float:
        """Median seconds of a run as a host calls it, to the end on the device."""
        times = []
        for _ in range(20):
            start = perf_counter()
            self._program.run_box(self.points, self.points)
            times.append(perf_counter() - start)
        return median(times)
