"""A plan as a compiled kernel on a box of device memory, with its arguments.

Between `boxsource`, which writes it, and `boxprogram`, which launches it.
"""

from __future__ import annotations

import ctypes
import math
from array import array
from collections.abc import Collection, Mapping, Sequence

from bridge.backends.base import Binding
from bridge.backends.gpu import boxgrid
from bridge.backends.gpu.blockgrid import BlockGrid
from bridge.backends.gpu.boxorder import generate_ordered
from bridge.backends.gpu.boxsource import (
    BoxWriter,
    Form,
    Strides,
    generate_box,
    policy_of,
    shapes_of,
)
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import span
from bridge.backends.gpu.modules import DeviceShared
from bridge.backends.gpu.placement import Access
from bridge.plan.catalogue import Catalogue
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import POSITIONS
from bridge.plan.plan import Plan


class BoxLaunch:
    """The launch of a plan on these arrays of the device.

    bindings: inputs and outputs by name; constants: those of which every point reads the first
    element. Where arrays of the same form take their place, `set` says where they are.
    """

    writer: type[BoxWriter] = BoxWriter

    def __init__(
        self, device: Device, plan: Plan, shared: DeviceShared, bindings: Mapping[str, Binding],
        constants: Collection[str],
    ) -> None:  # fmt: skip
        catalogue, layout, walk = Catalogue.installed(), shared.layout, device.walk
        self._device = device
        self._plan = plan
        self._shared = shared
        self._constants = constants
        self._planes = walk.planes
        self.form = self._form(bindings)
        chosen = device.policy or device.table.policy(plan, layout, device.arch)
        policy = policy_of(plan, catalogue, chosen, walk)
        if plan.ordered:
            source = generate_ordered(
                plan, catalogue, layout, self.form, policy, walk, device.arch
            )
        else:
            source = generate_box(
                plan, catalogue, layout, self.form, policy, walk, device.arch, self.writer
            )
        self.entry = source.entry
        self._loaded, self._function = device.modules.load(
            source.text, source.headers, source.entry.name, source.entry.tile
        )
        self._tables = {name: device.host_data.table(name) for name in plan.tables}
        #: Blocks, their threads, parameters, memory of these.
        self._launches: list[tuple[int, int, int, object]] = []
        self.set(bindings)

    def _form(self, bindings: Mapping[str, Binding]) -> Form:
        return form_of(self._plan, bindings, self._constants, reach_of(self._plan))

    @property
    def parts(self) -> int:
        """Launches of a run."""
        return len(self._launches)

    def set(self, bindings: Mapping[str, Binding]) -> None:
        """Where the arrays lie, for the runs that follow."""
        extent = extent_of(bindings, self._constants)
        self._launches = []
        if not math.prod(extent):
            return
        entry, processors = self.entry, self._device.facts.processors
        for first, grid in boxgrid.grids(
            entry.over, extent, entry.threads, processors, self._planes
        ):
            self._add(grid, self._values(bindings, first))

    def _add(
        self, grid: boxgrid.Grid | BlockGrid, values: Mapping[tuple[str, str], float]
    ) -> None:
        """A launch with these arguments."""
        words = self.entry.pack(grid, values)
        addresses = [int(values["address", name]) for name in self.entry.arrays]
        addresses += [int(values["target", name]) for name in self.entry.targets]
        buffer = ctypes.create_string_buffer(words, len(words))
        pointers = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        places = [ctypes.addressof(buffer)]
        places += [ctypes.addressof(pointers) + 8 * n for n in range(len(addresses))]
        parameters = (ctypes.c_void_p * len(places))(*places)
        kept = (buffer, pointers, parameters)
        self._launches.append((grid.blocks, grid.threads, ctypes.addressof(parameters), kept))

    def _values(
        self, bindings: Mapping[str, Binding], first: tuple[int, int, int]
    ) -> dict[tuple[str, str], float]:
        """Of all members of the struct, for points from the first one on."""
        values: dict[tuple[str, str], float] = {
            ("address", name): address for name, address in self._tables.items()
        }
        strides: dict[str, Strides] = {}
        for name, binding in bindings.items():
            box, offset = binding.box, 0
            if name not in self._constants:
                strides[name] = binding.box.stride
                offset = box.offset
                offset += sum(i * step for i, step in zip(first, box.stride, strict=True))
            values["address", name] = binding.address + offset * binding.itemsize
            values["first", name] = offset
            values["stride", name] = box.data_stride
            values["scale", name] = binding.scale
        for name, reads in reach_of(self._plan).items():
            if reads.cells:
                values |= _ends(name, bindings[name].cells(reads), bindings)
        for shape, number in shapes_of(strides).items():
            for axis, step in zip("xyz", shape, strict=True):
                values[f"shape {axis}", str(number)] = step
        return values

    def launches(self) -> list[tuple[int, int, int, int, int]]:
        """What `Work.launch` takes."""
        function, tile = self._function, self.entry.tile
        return [(function, at, blocks, threads, tile) for blocks, threads, at, _ in self._launches]

    @property
    def installed(self) -> array[int]:
        """The number of the per-run data that lie in the module's constants."""
        return self._loaded.installed

    def make_ready(self) -> None:
        """See that the module's constants are those of the plan, before `go`."""
        if self._loaded.shared is not self._shared:
            self._device.modules.install(self._loaded, self._shared)

    def go(self, stream: int, events: Sequence[int] = ()) -> None:
        """The kernel on the whole box; events: that each of the launches waits for."""
        device = self._device
        launch, function = device.api.launch, self._function
        tile = self.entry.tile
        for number, (blocks, threads, parameters, _) in enumerate(self._launches):
            if events:
                device.api.stream_wait(stream, events[number])
            launch(function, blocks, threads, tile, stream, parameters)


def reach_of(plan: Plan) -> dict[str, Fringe]:
    """Inputs of a plan that kernels read at neighbours, and how far."""
    around = plan.around
    return {name: around[index] for name, index in plan.inputs.items() if index in around}


def _ends(
    name: str, fringe: Fringe, bindings: Mapping[str, Binding]
) -> dict[tuple[str, str], float]:
    """The lowest and the highest positions of an array's cells, so many layers around its box
    among them."""
    extent = bindings[name].box.extent
    values: dict[tuple[str, str], float] = {}
    for axis, position in enumerate(POSITIONS):
        first = bindings[position].box.offset
        values[f"low {'xyz'[axis]}", name] = first - fringe.lower[axis]
        values[f"high {'xyz'[axis]}", name] = first + extent[axis] - 1 + fringe.upper[axis]
    return values


def form_of(
    plan: Plan, bindings: Mapping[str, Binding], constants: Collection[str],
    reach: Mapping[str, Fringe],
) -> Form:  # fmt: skip
    """What the text of a launch on these arrays says of them."""
    read = {name: _span(bindings[name].grown(reach.get(name, Fringe()))) for name in plan.inputs
            if not bindings[name].position}  # fmt: skip
    written = {
        name: _span(bindings[name])
        for name, index in plan.outputs.items()
        if plan.inputs.get(name) != index
    }
    access: dict[str, Access] = {}
    strides: dict[str, Strides] = {}
    for name, binding in bindings.items():
        mine = [(read[name], written)] if name in read else []
        mine += [(written[name], read)] if name in written else []
        access[name] = Access(
            binding.dtype,
            binding.scale != 1.0,
            name in constants,
            binding.position,
            any(_overlap(one, other) for one, others in mine for other in others.values()),
        )
        if name not in constants:
            strides[name] = binding.box.stride
    return Form.of(access, strides)


def extent_of(bindings: Mapping[str, Binding], constants: Collection[str]) -> boxgrid.Extent:
    """Points of the box, which all arrays have; one point where there is none."""
    extents = (b.box.extent for name, b in bindings.items() if name not in constants)
    return next(extents, (1, 1, 1))


def _span(binding: Binding) -> tuple[int, int]:
    return span(binding.address, binding.box, binding.columns, binding.itemsize)


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]
