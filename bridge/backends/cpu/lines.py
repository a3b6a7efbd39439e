"""A kernel with colours or a sweep and its memory on the CPU.

Beside `program`, whose points go in any order. Kernels read and write the arrays where they lie;
the executor (kernels/cpu/lines.cpp) shares lines out among threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box, NativeCall, bound
from bridge.backends.cpu.program import WIDEST
from bridge.backends.cpu.work import points_per_thread
from bridge.backends.host.library import Library
from bridge.backends.host.memory import fill_points
from bridge.backends.host.tables import HostTables
from bridge.errors import ArgumentError, OutOfMemoryError
from bridge.kernels.sharedstruct import SharedStruct
from bridge.plan.catalogue import Catalogue
from bridge.plan.fringe import Fringe
from bridge.plan.order import COLOURS, Order
from bridge.plan.plan import Plan, Step

#: Bytes of lines' private storage that leave room in a core's first-level cache, and the most
#: lines that go side by side: rows of memory that a processor foresees.
PRIVATE, LINES = 24 * 1024, 256


class LinesProgram:
    """What `CpuBackend.program` returns for a plan of one step with an order."""

    whole = True  # see RepeatingProgram

    def __init__(
        self,
        library: Library,
        plan: Plan,
        bindings: Mapping[str, Binding],
        shared: SharedStruct,
        threads: int,
        tables: HostTables | None = None,
    ) -> None:
        [step] = plan.steps
        assert isinstance(step, Step) and step.order is not None, f"{plan.name} has no order"
        self.plan = plan
        self._threads = threads
        self._ffi, self._library = library.ffi, library
        self._keep: list[Any] = [shared, dict(bindings), tables]
        used = bound(plan, bindings)
        by_slot = {plan.inputs[name]: used[name] for name in plan.inputs}
        by_slot |= {plan.outputs[name]: used[name] for name in plan.outputs}
        extent = next(iter(used.values())).box.extent
        arguments = [self._argument(plan, slot, by_slot, extent) for slot in step.slots]
        order: Any = self._ffi.new("bridge_order*")
        order.shared = shared.pointer
        order.kernel = library.kernel(step.kernel, len(step.slots) + len(step.tables), lines=True)
        order.arguments = self._points(arguments)
        if step.tables:
            assert tables is not None, f"{plan.name} is made without tables"
            numbers = [plan.tables.index(name) for name in step.tables]
            every = tables.of(plan)
            order.tables = self._kept(
                self._ffi.new("bridge_table*[]", [every[number] for number in numbers])
            )
        if plan.mask is not None:
            order.mask = self._points([by_slot[plan.mask]])
        order.extent[0:3] = extent
        order.outputs = sum(8 * WIDEST * each.columns for each in arguments[step.inputs :])
        order.share = points_per_thread(plan, shared.pointer.ns)
        order.sharing = self._kept(self._ffi.new("bridge_sharing*"))
        positions = [by_slot[slot].box.offset for slot in step.positions]
        self._walk(order, step.order, sum(positions), arguments, library.width)
        if step.order.sweep and plan.mask is None:
            self._tiles(order, plan, step, step.order, arguments)
        self._order = order
        self._run = library.lib.bridge_cpu_run_order
        self._all = extent[0] * extent[1] * extent[2]

    def _argument(
        self, plan: Plan, slot: int, given: Mapping[int, Binding], extent: tuple[int, int, int]
    ) -> Binding:
        """Memory of an argument; zero, of a status word that nobody starts."""
        if slot in given:
            return given[slot]
        kind = plan.slots[slot]
        assert kind.zero, f"{kind.name} of {plan.name} has no memory"
        zero = np.zeros(kind.columns, dtype=kind.dtype)
        box = Box(extent, (0, 0, 0), 1)
        return Binding(zero.ctypes.data, box, kind.columns, dtype=kind.dtype, owner=zero)

    def _walk(
        self, order: Any, how: Order, corner: int, arguments: list[Binding], width: int
    ) -> None:
        """Which axis lanes lie along, and lines; corner: i + j + k of the first point."""
        sweep = how.axis if how.sweep else -1
        axes = [axis for axis in range(3) if axis != sweep]
        # the first axis, x if it can be, unless its rows leave lanes idle that another one fills
        across = max(axes, key=lambda axis: min(order.extent[axis], width))
        order.across, order.along = across, sweep
        order.way = 1 if not how.sweep or how.ascending else -1
        order.parity = 0 if how.sweep else (COLOURS.index(how.colour) + corner) % 2
        order.line = 8 * width * how.private
        lines = min(LINES, PRIVATE // max(8 * how.private, 1)) // WIDEST * WIDEST
        rows = all(abs(each.box.stride[across]) <= 1 for each in arguments)
        order.together = max(lines, WIDEST) if rows else width
        order.tiled = not rows

    def _tiles(
        self, order: Any, plan: Plan, step: Step, how: Order, arguments: list[Binding]
    ) -> None:
        """What lines may be copied to: real numbers that are read at no other line."""
        kernel, axis = Catalogue.installed().kernel(step.kernel), how.axis
        found: dict[str, list[int]] = {}
        padded = True
        for number, name in enumerate((*kernel.inputs, *kernel.outputs)):
            slot, given = step.slots[number], number < len(kernel.inputs)
            if not given and name in found:
                found[name][1] = number  # in the tile of the input
                continue
            said = kernel.reads.get(name, Fringe()) if given else Fringe()
            if given and slot not in step.reads and not any(arguments[number].box.stride):
                continue  # one value for all points
            if plan.slots[slot].dtype == "int32" or how.across(said):
                padded = False
                continue
            there = step.reads.get(slot, Fringe()) if given else Fringe()
            layers = (said.lower, said.upper, there.lower, there.upper)
            found[name] = [number, -1, *(each[axis] for each in layers)]
            if not given:
                found[name][:2] = [-1, number]
        tiles = self._ffi.new("bridge_tile[]", len(found))
        for tile, numbers in zip(tiles, found.values(), strict=True):
            tile.input, tile.output = numbers[:2]
            tile.below, tile.above, tile.first, tile.last = numbers[2:]
        order.tiles, order.n_tiles = self._kept(tiles), len(found)
        order.n_arguments, order.padded = len(arguments), padded

    def run(self, first: int, n: int) -> None:
        """Evaluate all points: they depend on each other."""
        if (first, n) != (0, self._all):
            got = f"points {first} .. {first + n - 1} of {self.plan.name}"
            raise ArgumentError("n", got, f"all {self._all} points")
        self._again()

    def repeated(self, n: int) -> Callable[[], None]:
        """What evaluates all points as often as it is called."""
        assert n == self._all, f"{n} points of {self.plan.name}, which has {self._all}"
        return self._again

    def _again(self) -> None:
        if self._run(self._order, self._threads):
            raise self.no_memory()

    def native(self, n: int) -> NativeCall:
        """The same call for callers that are no Python."""
        order = int(self._ffi.cast("intptr_t", self._order))
        function = self._library.address("bridge_cpu_run_order")
        return NativeCall(function, order, n, self._threads, in_order=True)

    def no_memory(self) -> OutOfMemoryError:
        """Why such a call failed."""
        return OutOfMemoryError(f"{self.plan.name}: no memory for what lines keep")

    def _points(self, bindings: list[Binding]) -> Any:
        points = self._ffi.new("bridge_points[]", len(bindings))
        for struct, binding in zip(points, bindings, strict=True):
            fill_points(struct, self._ffi, binding)
        self._keep.append(list(bindings))
        return self._kept(points)

    def _kept(self, memory: Any) -> Any:
        self._keep.append(memory)
        return memory
