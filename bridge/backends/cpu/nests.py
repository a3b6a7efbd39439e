"""A plan with its memory on the CPU as a loop nest: kernels of a pack on rows where they lie.

Beside `program`, whose executor takes everything else: memory decides which of them a run gets,
and no measurement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bridge.backends.base import Binding, bound
from bridge.backends.cpu import tallies
from bridge.backends.cpu.inplace import in_rows, written_directly
from bridge.backends.cpu.program import PointsProgram
from bridge.backends.cpu.work import points_per_thread
from bridge.backends.host.library import Library
from bridge.backends.host.memory import TYPES, Axes, joined_axes
from bridge.backends.host.tables import HostTables
from bridge.kernels.cpu.generate_launchers import HELD
from bridge.kernels.sharedstruct import SharedStruct
from bridge.plan.catalogue import Catalogue
from bridge.plan.nests import Argument, arguments_of, name_of, slots_of, why_none
from bridge.plan.plan import Plan

#: Layouts of kernels/cpu/interface.h.
ROWS, RECORDS = range(2)
#: What a report says of them.
LAYOUTS = ("in rows", "component first")


class NoNest(Exception):
    """Why the executor runs a plan."""


class Place(NamedTuple):
    """Where an argument lies: its memory, None for a value that stays in registers, and points and
    elements from one to the next along its rows, over rows, over planes."""

    argument: Argument
    binding: Binding | None
    axes: Axes


class NestProgram(PointsProgram):
    """What `CpuBackend.program` returns where a plan has a nest for its memory."""

    def __init__(
        self, library: Library, plan: Plan, kernel: Any, layout: int, places: Sequence[Place],
        shared: SharedStruct, threads: int, tables: HostTables,
    ) -> None:  # fmt: skip
        super().__init__(library, plan, threads)
        self.layout = layout
        self._keep += [shared, places, tables]
        extent = [n for n, _ in next(one.axes for one in places if one.binding is not None)]
        nest: Any = self._ffi.new("bridge_nest*")
        nest.shared, nest.kernel = shared.pointer, kernel
        nest.arrays = self._kept(self._ffi.new("bridge_nest_array[]", len(places)))
        for struct, place in zip(nest.arrays[0 : len(places)], places, strict=True):
            _fill(struct, self._ffi, place)
        if plan.tables:
            nest.tables = self._kept(self._ffi.new("bridge_table*[]", tables.of(plan)))
        nest.extent[0:2] = extent[:2]
        nest.plain = all(map(_plain, places))
        nest.share = points_per_thread(plan, shared.pointer.ns)
        nest.sharing = self._kept(self._ffi.new("bridge_sharing*"))
        self._calls("bridge_cpu_run_nest", nest, extent[0] * extent[1] * extent[2])


def nest_program(
    library: Library, plan: Plan, bindings: Mapping[str, Binding], shared: SharedStruct,
    threads: int, tables: HostTables,
) -> NestProgram:  # fmt: skip
    """The program of a plan of a pack's kernels; `NoNest` where the executor runs it."""
    catalogue, kernels = Catalogue.installed(), plan.kernels()
    if plan.mask is not None:
        raise NoNest(f"{plan.slots[plan.mask].name} says which points count")
    if tallies.place(plan):
        raise NoNest("it makes status words")
    if why := why_none(plan, catalogue):
        raise NoNest(why)
    name = name_of(plan)
    if library.nest(kernels, name, ROWS) is None:
        raise NoNest("its pack has no nest for just these kernels")
    used = bound(plan, bindings)
    places = _places(plan, used, catalogue)
    layout = _layout(places)
    kernel = library.nest(kernels, name, layout)
    if kernel is None:
        raise NoNest(f"it makes more than {HELD} components, {LAYOUTS[layout]}")
    if not {name for name in plan.outputs if name in used} <= written_directly(plan, used):
        raise NoNest("an output lies in the place of an input that is read later")
    row = next(one.axes for one in places if one.binding is not None)[0][0]
    if not plan.around and not in_rows(plan, row, library.lanes, shared.pointer.ns):
        raise NoNest(f"rows of {row} points are too short")
    return NestProgram(library, plan, kernel, layout, places, shared, threads, tables)


def _places(plan: Plan, used: Mapping[str, Binding], catalogue: Catalogue) -> list[Place]:
    """Where the arguments of a plan's nest lie."""
    names = {slot: name for name, slot in (*plan.inputs.items(), *plan.outputs.items())}
    arguments = arguments_of(plan, catalogue)
    arrays = [used.get(names.get(slot, "")) for slot in slots_of(plan)]
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
    return places


def _check(place: Place) -> None:
    """Whether an argument has memory that a nest reads and writes where it lies."""
    argument, array = place.argument, place.binding
    name = argument.quantity.name
    if array is None:
        if not (argument.made and argument.held):
            raise NoNest(f"{name} has no array")
        return
    if array.position:
        raise NoNest(f"{name} is a position")
    if array.scale != 1.0:
        raise NoNest(f"{name} is in another unit")
    if argument.word != (array.dtype == "int32"):
        raise NoNest(f"{name} is of another type")
    if argument.constant:
        if any(step for _, step in place.axes) or array.dtype == "float32":
            raise NoNest(f"the constant {name} is an array here")
    elif argument.made and not _step(place):
        raise NoNest(f"{name} has one value for many points")
    elif argument.made and not argument.held and array.dtype == "float32":
        # a kernel would read back what was rounded
        raise NoNest(f"{name} is real(4) with more than {HELD} components")


def _plain(place: Place) -> bool:
    """Whether an array of reals is one of doubles, and none has one value for a row, and others in
    other rows."""
    array = place.binding
    if array is None or place.argument.constant:
        return True
    return array.dtype != "float32" and _step(place) != 0


def _step(place: Place) -> int:
    """Elements from a point of a row to the next."""
    return place.axes[0][1]


def _layout(places: Sequence[Place]) -> int:
    """The one that all arrays have."""
    found: dict[int, str] = {}
    for place in places:
        argument, array = place.argument, place.binding
        if array is None or argument.constant:
            continue
        name, step = argument.quantity.name, _step(place)
        if argument.records and step == int(argument.columns) and array.box.data_stride == 1:
            if array.dtype == "float32":
                raise NoNest(f"{name} is real(4) with components first")
            found[RECORDS] = name
        elif step not in (0, 1):
            raise NoNest(f"{name} has points {step} elements apart")
        elif argument.records and step:
            found[ROWS] = name
    if len(found) > 1:
        raise NoNest(f"{found[RECORDS]} has components first, and {found[ROWS]} has not")
    return next(iter(found), ROWS)


def _fill(struct: Any, ffi: Any, place: Place) -> None:
    """Describe an argument in a `bridge_nest_array`."""
    array = place.binding
    if array is None:
        return
    box, item = array.box, array.itemsize
    struct.address = ffi.cast("char*", array.address + item * box.offset)
    struct.stride[0:3] = [item * step for _, step in place.axes]
    struct.column_stride = item * box.data_stride
    struct.axis[0:3] = [item * step for step in box.stride]
    struct.type = TYPES[array.dtype]
