"""A plan with its memory on the CPU as a loop nest: kernels of a pack on rows where they lie.

Beside `program`, whose executor takes everything else: memory decides which of them a run gets,
and no measurement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from bridge.backends.base import Binding, bound
from bridge.backends.cpu import tallies
from bridge.backends.cpu.inplace import in_rows, may_overlap, sparse
from bridge.backends.cpu.program import PointsProgram
from bridge.backends.cpu.work import points_per_thread
from bridge.backends.host.library import Library
from bridge.backends.host.memory import TYPES, Axes, joined_axes
from bridge.backends.host.tables import HostTables
from bridge.kernels.sharedstruct import SharedStruct
from bridge.plan.catalogue import Catalogue
from bridge.plan.fringe import Fringe
from bridge.plan.nests import LAYOUTS, Argument, arguments_of, name_of, slots_of, why_none
from bridge.plan.plan import Plan

#: By their numbers in kernels/cpu/interface.h.
ROWS, RECORDS, FEW = range(len(LAYOUTS))
#: What a report says of the first two.
SAID = ("in rows", "component first")


class NoNest(Exception):
    """Why the executor runs a plan."""


class Place(NamedTuple):
    """Where an argument lies: its memory, None for a value that stays in registers, and points and
    elements from one to the next along its rows, over rows, over planes."""

    argument: Argument
    binding: Binding | None
    axes: Axes

    @property
    def step(self) -> int:
        """Elements from a point of a row to the next."""
        return self.axes[0][1]

    @property
    def records(self) -> bool:
        """Whether the components of a point follow each other."""
        array = self.binding
        return array is not None and array.columns > 1 and array.box.data_stride == 1

    def together(self, layout: int) -> int:
        """Components that a nest finds next to each other."""
        return int(self.argument.columns) if layout == RECORDS and self.argument.records else 1


class NestProgram(PointsProgram):
    """What `CpuBackend.program` returns where a plan has a nest for its memory.

    layout: ROWS or RECORDS; copied: places of which rows are copied for it; uses: its places and
    how far each is read around a point.
    """

    whole = True
    kind = "nest"
    _needs = "copies of rows"

    def __init__(
        self, library: Library, plan: Plan, places: Sequence[Place], layout: int, copied: set[int],
        mask: Place | None, shared: SharedStruct, threads: int, tables: HostTables,
    ) -> None:  # fmt: skip
        super().__init__(library, plan, threads)
        self.layout = layout
        self._keep += [shared, places, mask, tables]
        extent = [n for n, _ in next(one.axes for one in places if one.binding is not None)]
        nest: Any = self._ffi.new("bridge_nest*")
        kernels, name = plan.kernels(), name_of(plan)
        slots = slots_of(plan)
        made = plan.outputs.items()  # a status word that no kernel gives is none of them
        self.arrays = {name: slots.index(slot) for name, slot in made if slot in slots}
        nest.shared, nest.kernel = shared.pointer, library.nest(kernels, name, layout)
        nest.arrays = self._kept(self._ffi.new("bridge_nest_array[]", len(places)))
        around = [plan.around.get(slot, Fringe()) for slot in slots]
        self.uses = [
            *zip(places, around, strict=True),
            *((one, Fringe()) for one in (mask,) if one),
        ]
        for n, (place, fringe) in enumerate(zip(places, around, strict=True)):
            _fill(nest.arrays[n], self._ffi, place, fringe, place.together(layout), n in copied)
        if layout == ROWS and not copied:
            nest.few = library.nest(kernels, name, FEW)
        self.copied = list(dict.fromkeys(places[n].argument.quantity.name for n in copied))
        if mask is not None:
            nest.mask = self._kept(self._ffi.new("bridge_nest_array*"))
            _fill(nest.mask, self._ffi, mask, Fringe(), 1, False)
        if plan.tables:
            nest.tables = self._kept(self._ffi.new("bridge_table*[]", tables.of(plan)))
        nest.extent[0:2] = extent[:2]
        nest.n_arrays, nest.singles = len(places), plan.singles
        self.singles = plan.singles
        self.share = nest.share = points_per_thread(plan, shared.pointer.ns)
        nest.sharing = self._kept(self._ffi.new("bridge_sharing*"))
        self.points = extent[0] * extent[1] * extent[2]
        self._calls("bridge_cpu_run_nest", nest, self.points)

    @property
    def way(self) -> str:
        """What a report says of it."""
        copied = f", {', '.join(self.copied)} copied" if self.copied else ""
        precision = ", single precision" if self.singles else ""
        return f"loop nest, {SAID[self.layout]}{precision}{copied}"


def nest_program(
    library: Library, plan: Plan, bindings: Mapping[str, Binding], shared: SharedStruct,
    threads: int, tables: HostTables,
) -> NestProgram:  # fmt: skip
    """The program of a plan of a pack's kernels; `NoNest` where the executor runs it."""
    catalogue, kernels = Catalogue.installed(), plan.kernels()
    if tallies.place(plan):
        raise NoNest("it makes status words")
    if why := why_none(plan, catalogue):
        raise NoNest(why)
    if library.nest(kernels, name_of(plan), ROWS) is None:
        raise NoNest("its pack has no nest for just these kernels")
    used = bound(plan, bindings)
    places, mask = _places(plan, used, catalogue)
    if mask is not None:
        _check_mask(mask, places, sparse(plan, shared.pointer.ns))
    layout = _layout(places)
    real = "float32" if plan.singles else "float64"
    copied = _copied(places, layout, real, mask is not None)
    _check_order(places, copied)
    row = next(one.axes for one in places if one.binding is not None)[0][0]
    lanes = library.lanes * (2 if plan.singles else 1)
    if not plan.around and not in_rows(plan, row, lanes, shared.pointer.ns):
        raise NoNest(f"rows of {row} points are too short")
    return NestProgram(library, plan, places, layout, copied, mask, shared, threads, tables)


def _places(
    plan: Plan, used: Mapping[str, Binding], catalogue: Catalogue
) -> tuple[list[Place], Place | None]:
    """Where the arguments of a plan's nest lie; and its mask, if it has one."""
    names = {slot: name for name, slot in (*plan.inputs.items(), *plan.outputs.items())}
    arguments = arguments_of(plan, catalogue)
    arrays = [used.get(names.get(slot, "")) for slot in slots_of(plan)]
    if plan.mask is not None:
        name = names[plan.mask]
        arguments.append(Argument(len(arguments), catalogue.quantity(name)))
        arrays.append(used[name])
    given = [array for array in arrays if array is not None]
    if any(array.blocks is not None for array in given):
        raise NoNest("the set has many blocks")
    if len({array.box.extent for array in given}) != 1:
        raise NoNest("arrays have different points")
    axes = iter(joined_axes([array.box for array in given]))
    places = [
        Place(argument, array, next(axes) if array is not None else ())
        for argument, array in zip(arguments, arrays, strict=True)
    ]
    for place in places:
        _check(place)
    return places, None if plan.mask is None else places.pop()


def _check_mask(mask: Place, places: Sequence[Place], fewest: int) -> None:
    """fewest: see `sparse`."""
    name = mask.argument.quantity.name
    if any(place.argument.made and _may_meet(mask, place) for place in places):
        raise NoNest(f"{name} says which points count, and is written")
    if fewest:
        raise NoNest(f"{name} may leave so few points that these are worked on by themselves")


def _check_order(places: Sequence[Place], copied: set[int]) -> None:
    """Whether old values are read before new ones are written in their place. A nest writes what
    does not fit into registers at once; inputs in the place of another quantity are copied."""
    lying = [p for n, p in enumerate(places) if n not in copied and p.binding is not None]
    late = [place for place in lying if place.argument.made and not place.argument.held]
    for new, old in product(late, lying):
        name = new.argument.quantity.name
        same = old.argument.quantity.name == name or old.argument.constant
        if same and not old.argument.made and _may_meet(new, old):
            raise NoNest(f"{name} is written before all of its old values are read")


def _may_meet(one: Place, other: Place) -> bool:
    a, b = one.binding, other.binding
    return a is not None and b is not None and may_overlap(a, b)


def _check(place: Place) -> None:
    """Whether an argument has memory that a nest reads and writes, copied or not."""
    argument, array = place.argument, place.binding
    name = argument.quantity.name
    if array is None:
        if not (argument.made and argument.held):
            raise NoNest(f"{name} has no array")
        return
    if array.position:
        raise NoNest(f"{name} is a position")
    if argument.word != (array.dtype == "int32"):
        raise NoNest(f"{name} is of another type")
    if argument.constant:
        if array.scale != 1.0:
            raise NoNest(f"the constant {name} is in another unit")
        if array.dtype == "float32":
            raise NoNest(f"the constant {name} is real(4)")
        if any(step for _, step in place.axes):
            raise NoNest(f"the constant {name} is an array here")
    elif argument.made and not place.step:
        raise NoNest(f"{name} has one value for many points")


def _layout(places: Sequence[Place]) -> int:
    """The one that more of the components have which may be records."""
    lying = [0, 0]
    for place in places:
        if place.binding is not None and place.argument.records and place.step:
            lying[place.records] += place.binding.columns
    return RECORDS if lying[RECORDS] > lying[ROWS] else ROWS


def _copied(places: Sequence[Place], layout: int, real: str, masked: bool) -> set[int]:
    """Arguments that do not lie as a nest reads and writes them, inputs in whose place it writes
    something else, and outputs of which only some points are written; real: type of its reals."""
    made = [place for place in places if place.binding is not None and place.argument.made]
    lying = [_lies(p, layout, real, made) and not (masked and p.argument.made) for p in places]
    return {n for n, place in enumerate(places) if place.binding is not None and not lying[n]}


def _lies(place: Place, layout: int, real: str, made: Sequence[Place]) -> bool:
    argument, array = place.argument, place.binding
    if array is None or argument.constant:
        return True
    together = place.together(layout)
    wanted = "int32" if argument.word else real
    if array.dtype != wanted or array.scale != 1.0 or place.step != together:
        return False
    if together > 1 and not place.records:
        return False
    others = (p for p in made if p.argument.quantity.name != argument.quantity.name)
    return argument.made or not any(_may_meet(place, one) for one in others)


def _fill(
    struct: Any, ffi: Any, place: Place, around: Fringe, together: int, copied: bool
) -> None:
    """Describe an argument in a `bridge_nest_array`."""
    argument, array = place.argument, place.binding
    struct.constant = argument.constant
    if array is None:
        return
    box, item = array.box, array.itemsize
    struct.address = ffi.cast("char*", array.address + item * box.offset)
    struct.stride[0:3] = [item * step for _, step in place.axes]
    struct.column_stride = item * box.data_stride
    struct.axis[0:3] = [item * step for step in box.stride]
    struct.scale, struct.columns, struct.type = array.scale, array.columns, TYPES[array.dtype]
    struct.together, struct.copied = together, copied
    struct.input, struct.output = not argument.made, argument.made
    struct.low[0:3] = [-layers for layers in around.lower]
    struct.high[0:3] = around.upper
