"""A plan as a compiled kernel on many blocks, with its arguments and the table of the blocks.

Beside `boxlaunch`, which has one box.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping

import numpy as np

from bridge.backends.base import Binding
from bridge.backends.gpu import blockgrid, boxgrid
from bridge.backends.gpu.blockgrid import Cuts, Shapes
from bridge.backends.gpu.blocksource import BlockForm, BlockWriter
from bridge.backends.gpu.boxlaunch import BoxLaunch
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import Pool
from bridge.backends.gpu.modules import DeviceShared
from bridge.backends.gpu.placement import Access
from bridge.plan.plan import Plan


class BlockLaunch(BoxLaunch):
    """The launch of a plan on many blocks of arrays of the device, or of memory that it reaches.

    targets: addresses at which outputs are written that are inputs elsewhere; cuts: ranges of the
    blocks that have points, a launch for each; as few as there can be if None.
    """

    writer = BlockWriter

    def __init__(
        self, device: Device, plan: Plan, shared: DeviceShared, bindings: Mapping[str, Binding],
        constants: Collection[str], targets: Mapping[str, int], cuts: Cuts | None = None,
    ) -> None:  # fmt: skip
        self._pool = Pool(device.allocator, device.synchronize)
        self._free = weakref.finalize(self, self._pool.close)
        self._contents = np.zeros(0, np.uint8)
        self._targets = targets
        self._cuts = cuts
        super().__init__(device, plan, shared, bindings, constants)

    def place(
        self, bindings: Mapping[str, Binding], targets: Mapping[str, int], cuts: Cuts | None
    ) -> None:
        """Where arrays of the same form lie from now on."""
        self._targets, self._cuts = targets, cuts
        self.set(bindings)

    def _form(self, bindings: Mapping[str, Binding]) -> BlockForm:
        return form_of(self._plan, bindings, self._constants, self._targets)

    def set(self, bindings: Mapping[str, Binding]) -> None:
        """Where the arrays lie, for the runs that follow."""
        shapes = Shapes(_of_blocks(bindings, self._constants))
        self._launches = []
        if not len(shapes.extent):
            return
        table = self._table(shapes)
        address = self._upload(table.contents)
        values = self._arguments(bindings, shapes)
        for grid in table.grids_at(address):
            self._add(grid, values)

    def _table(self, shapes: Shapes) -> blockgrid.Table:
        extent, lies, threads = shapes.extent, shapes.lies, self.entry.threads
        cuts = self._cuts or blockgrid.cut(extent)
        if self.entry.over == boxgrid.POINTS:
            return blockgrid.consecutive(extent, lies, cuts, threads)
        processors = self._device.facts.processors
        return blockgrid.tiled(extent, lies, cuts, threads, processors, self._planes)

    def _upload(self, contents: np.ndarray) -> int:
        """Address of the table; one that is there already stays."""
        device = self._device
        address = self._pool.device(("blocks",), contents.nbytes, "table of blocks")
        if not np.array_equal(contents, self._contents):
            device.synchronize()  # a launch on any stream may read the one before
            device.allocator.put(address, contents)
            self._contents = contents
        return address

    def _arguments(
        self, bindings: Mapping[str, Binding], shapes: Shapes
    ) -> dict[tuple[str, str], float]:
        """Of all members of the struct."""
        values: dict[tuple[str, str], float] = {
            ("address", name): address for name, address in self._tables.items()
        }
        for name, binding in bindings.items():
            constant = name in self._constants
            shift = binding.box.offset if constant else shapes.shift[name]
            values["address", name] = binding.address + shift * binding.itemsize
            values["column", name] = 0 if constant else shapes.column[name]
            values["scale", name] = binding.scale
            if name in self._targets:
                values["target", name] = self._targets[name] + shift * binding.itemsize
        return values


def _of_blocks(bindings: Mapping[str, Binding], constants: Collection[str]) -> dict[str, Binding]:
    return {name: binding for name, binding in bindings.items() if name not in constants}


def form_of(
    plan: Plan, bindings: Mapping[str, Binding], constants: Collection[str],
    targets: Mapping[str, int],
) -> BlockForm:  # fmt: skip
    """What the text of a launch on these arrays says of them."""
    arrays = _of_blocks(bindings, constants)
    shapes = Shapes(arrays)
    memory = {name: b for name, b in arrays.items() if not b.position}
    read = {name: memory[name] for name in plan.inputs if name in memory}
    written = {
        name: replaced
        for name, index in plan.outputs.items()
        if plan.inputs.get(name) != index and (replaced := memory.get(name)) is not None
        and name not in targets
    }  # fmt: skip
    access = {}
    for name, binding in bindings.items():
        others = [*(written if name in read else ()), *(read if name in written else ())]
        access[name] = Access(
            binding.dtype,
            binding.scale != 1.0,
            name in constants,
            binding.position,
            any(shapes.share((name, binding), (other, memory[other])) for other in others),
        )
    shifted = frozenset(name for name, column in shapes.column.items() if column)
    return BlockForm(
        access, shapes.number, tuple(shapes.known), shapes.wide, shifted, frozenset(targets)
    )
