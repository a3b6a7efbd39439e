"""Reductions of a set: sum, extremes and "any" of a quantity over the interior points, without
those that the set's mask blanks.

Beside BoundSets. A quantity that is bound is reduced where it lies. Another one is made by kernels
from the arrays of the set, into memory of the bridge, and is nowhere else: on a GPU it does not
leave the device.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bridge.backends.base import (
    VALUE,
    Answer,
    Backend,
    Binding,
    Box,
    Measure,
    NativeCall,
    Partial,
    RepeatingReduction,
)
from bridge.backends.blocks import Blocks
from bridge.bound.components import count, runner_of
from bridge.bound.operations import BITS, Operation, bit
from bridge.bound.pointsets import PointSet
from bridge.bound.positions import Starts, position_bindings
from bridge.errors import ArgumentError
from bridge.memory.hostarrays import integer
from bridge.plan.inputs import ALIASES, MASK
from bridge.plan.plans import Plans
from bridge.prepared import Counting, Prepared, PreparedRun, Repeated
from bridge.resident.uses import Touched
from bridge.tvimpl import TVImpl

#: `component` for a result of each component.
EACH = "each"


@dataclass(frozen=True, eq=False)
class PreparedReduction(Repeated):
    """A reduction that is good until the arrays of the set change.

    binding: what is reduced; components: its numbers from 1; start: SptX, SptY, SptZ of places, or
    of each block's; mask: an integer of each point, which does not count where it is 0; run: of
    what makes the quantity, into `memory`; None where it is bound; touched: resident memory that
    is reduced; of: what it was prepared for; natives: by operation, values and places.
    """

    of: Prepared
    binding: Binding
    components: range
    start: Starts
    mask: Binding | None = None
    run: PreparedRun | None = None
    memory: Any = None
    touched: Touched | None = None
    natives: dict[Hashable, Counting] = field(default_factory=dict)

    def repeating(
        self, backend: Backend, operation: Operation, together: bool, place: int
    ) -> RepeatingReduction | None:
        """The reduction itself for callers that are no Python, where somebody else can do it and
        nobody has to look at it; place: how many integers each place has. Asked once it was
        done."""
        binding, looked_at = self.binding, self.touched is not None and not self.touched.quiet
        if looked_at or operation.bits or not binding.box.points:
            return None
        if place and binding.blocks is not None:
            return None
        x, y, z = self.start if place else (1, 1, 1)
        together = together and len(self.components) != 1
        answer = Answer(
            together, self.components[0], place, (x, y, z), operation.empty, operation.root
        )
        return backend.repeating_reduction(
            binding, operation.base, self.mask, operation.measure, answer
        )

    def runs(self) -> list[list[NativeCall]] | None:
        """What makes the quantity, in the same way; None where only Python can do it."""
        if self.run is None:
            return []
        return self.run.calls() or None


@dataclass(frozen=True)
class Reduced:
    """A result: the value, and i, j, k and the component of the first point that has it, 1-based
    positions as in the bounds of `bind`; None where no point has it, and for a sum; block: the
    number of its block, from 1, where the set has many; rank: that has the place, of a reduction
    over ranks."""

    value: float
    place: tuple[int, int, int, int] | None
    block: int | None = None
    rank: int | None = None

    @property
    def full_place(self) -> tuple[int, ...] | None:
        """The place, with its block behind the component."""
        if self.place is None or self.block is None:
            return self.place
        return (*self.place, self.block)


class Values:
    """A quantity at the points of a set, where it lies: good until the next call for the set.

    points: how many; together: whether the components have one result.
    """

    def __init__(
        self, impl: TVImpl, prepared: PreparedReduction, points: int, together: bool
    ) -> None:
        self._impl = impl
        self._prepared = prepared
        self.points = points
        self.together = together

    def partials(
        self, base: str, measure: Measure, index: int | None = None, factor: float = 1.0
    ) -> list[tuple[int, Partial]]:
        """Results of a backend, with the number of the component that each belongs to; index:
        from 0, of one component alone; factor: of all values."""
        binding, components = self._prepared.binding, self._prepared.components
        if not self.points:  # a rank without points may not know how many components others have
            numbers = components if index is None else range(index + 1, index + 2)
            return [(number, Partial(0.0, -1)) for number in numbers]
        if index is not None:
            components = components[index : index + 1]
            if binding.columns > 1:
                binding = binding.columns_from(index, 1)
        if factor != 1.0:
            binding = replace(binding, scale=binding.scale * factor)
        with self._impl.timers["reduce"]:
            found = self._impl.backend.reduce(binding, base, self._prepared.mask, measure)
        return list(zip(components, found, strict=True))

    def there(self, operation: Operation) -> Any:
        """The values of an operation, one of each component, where the quantity lies."""
        backend, prepared = self._impl.backend, self._prepared
        if self.points:
            with self._impl.timers["reduce"]:
                found = backend.reduce_there(
                    prepared.binding, operation.base, prepared.mask, operation.measure,
                    operation.empty, operation.root,
                )  # fmt: skip
            if found is not None:
                with backend.working():
                    return backend.ndarray(found).reshape(-1)
        return np.array([one.value for one in self.reduced(operation)])

    def reduced(self, operation: Operation) -> list[Reduced]:
        """The results of an operation: one, or one of each component."""
        if operation.bits:
            return self._bits()
        numbered = self.partials(operation.base, operation.measure)
        if self.together:
            numbered = [_together(numbered, operation.base)]
        where = self._prepared.binding, self._prepared.start
        return [_reduced(one, number, operation, *where) for number, one in numbered]

    def _bits(self) -> list[Reduced]:
        """How many values have each bit. The extremes say which there are: mostly none."""
        (_, low), (_, high) = (self.partials(base, VALUE)[0] for base in ("min", "max"))
        there = 0 if low.point < 0 else BITS if low.value < 0 else int(high.value).bit_length()
        counts = [self.partials("sum", bit(number))[0][1].value for number in range(there)]
        return [Reduced(count, None) for count in [*counts, *(BITS - there) * [0.0]]]


class Reductions:
    """Of all sets of a Frame; arguments as in `BoundSets`."""

    def __init__(self, impl: TVImpl, layout: tuple[str, ...], plans: Plans) -> None:
        self._impl = impl
        self._layout = layout
        self._plans = plans

    def refuse_bits(self, point_set: PointSet, quantity: str, component: int | str | None) -> None:
        """ArgumentError where values are no integers, or have several components of which none is
        named."""
        name = ALIASES.get(quantity, quantity)
        held, catalogue = point_set.held(name, self._layout, self._impl.ns), self._impl.catalogue
        if held is not None:
            dtype, columns = held.binding.dtype, held.binding.columns
        elif name in catalogue.quantities:
            known = catalogue.quantity(name)
            dtype = known.dtype
            several = known.per_component  # what is bound says how many
            columns = 2 if several else catalogue.columns(name, self._impl.ns)
        else:
            raise catalogue.unknown(name)
        if dtype != "int32":
            raise ArgumentError("quantity", f"'{name}' of {dtype}", "integers, as of 'status'")
        if columns > 1 and component in (None, EACH):
            raise ArgumentError("component", component, f"one of the components of '{name}'")

    def values(self, point_set: PointSet, quantity: str, component: int | str | None) -> Values:
        """A quantity at all points of a set, of all its components or of the one that is named;
        ArgumentError for names that are none and for a quantity that the set cannot give."""
        name = ALIASES.get(quantity, quantity)
        points = point_set.points()
        prepared = self.prepared(point_set, name, component)
        if prepared is None:
            prepared = self._prepare(point_set, name, component, points)
            point_set.prepared.of(PreparedReduction)[name, component] = prepared
        if not points:  # the address of an empty block may be anything
            pass
        elif prepared.run is not None:  # of which only this knows
            unchanged = point_set.take_unchanged(self._layout, self._impl.ns)
            prepared.run.run(unchanged)
            point_set.sound = True
        elif prepared.touched is not None:
            prepared.touched.before(_label(name, point_set))
        together = component != EACH and len(prepared.components) != 1
        return Values(self._impl, prepared, points, together)

    def prepared(
        self, point_set: PointSet, quantity: str, component: int | str | None
    ) -> PreparedReduction | None:
        """One that was done, if nothing has changed since."""
        key = ALIASES.get(quantity, quantity), component
        found = point_set.prepared.of(PreparedReduction).get(key)
        moved = found is not None and found.run and found.memory is not point_set.memory
        return None if moved else found

    def _prepare(
        self, point_set: PointSet, name: str, component: int | str | None, points: int
    ) -> PreparedReduction:
        catalogue, ns = self._impl.catalogue, self._impl.ns
        blank = point_set.mask()
        mask = replace(blank, scale=1.0) if blank is not None else None
        near = None if mask is None else self._impl.residency.located(mask, MASK)
        held = point_set.held(name, self._layout, ns)
        if held is not None:
            components = _components(name, component, held.binding.columns, points)
            binding = held.binding
            if points:
                binding = binding.columns_from(components[0] - 1, len(components))
            residency = self._impl.residency
            read = {name: binding} if mask is None else {name: binding, MASK: mask}
            return PreparedReduction(
                point_set.prepared, residency.located(binding, name), components, held.start, near,
                touched=residency.read(read),
            )  # fmt: skip
        if name not in catalogue.quantities:
            raise catalogue.unknown(name)
        columns = catalogue.columns(name, ns)
        inputs = point_set.given(self._layout, ns)
        inputs |= point_set.constants(self._impl.constants)
        plan = self._plans.quantity(name, inputs, point_set.name)
        if points:
            self._impl.need_given(plan, point_set.not_bound(plan))
        if catalogue.quantity(name).per_component:
            read = {quantity: inputs[quantity] for quantity in plan.inputs if quantity in inputs}
            columns = count(read, catalogue, f"a reduction of {name} on set '{point_set.name}'")
        components = _components(name, component, columns, points)
        arrays = point_set.arrays
        inputs |= position_bindings(plan.inputs, point_set.name, arrays, point_set.first)
        first = next(iter(point_set.arrays.values()))
        if not points:
            return PreparedReduction(point_set.prepared, first.binding, components, first.start)
        whole = self._room(point_set, columns, first.binding)
        launcher = runner_of(plan, {**inputs, name: whole}, self._impl, point_set.name)
        binding = whole.columns_from(components[0] - 1, len(components))
        label = _label(name, point_set)
        run = self._impl.prepared_run([launcher], name, label, point_set.prepared)
        return PreparedReduction(
            point_set.prepared, binding, components, first.start, near, run, point_set.memory
        )

    def _room(self, point_set: PointSet, columns: int, like: Binding) -> Binding:
        """Memory of the bridge for all points of a set, side by side; its own, because threads of
        the host may each reduce a set."""
        backend, points = self._impl.backend, like.box.points
        if point_set.memory is None or point_set.memory.shape[1] < columns * points:
            for one in point_set.prepared.of(PreparedReduction).values():
                if one.run is not None:
                    one.forget()
            point_set.memory = None
            point_set.memory = backend.allocate(1, columns * points, "float64")
        address = backend.address(point_set.memory)
        memory, group = point_set.memory, like.group
        if like.blocks is not None:
            nowhere = Box((0, 1, 1), (1, 0, 0), 0)
            whole = Binding(address, nowhere, columns, owner=memory, group=group)
            return whole.at(Blocks.flat(like.blocks.extent))
        ni, nj, _ = like.box.extent
        box = Box(like.box.extent, (1, ni, ni * nj), points)
        return Binding(address, box, columns, owner=memory, group=group)


def _label(name: str, point_set: PointSet) -> str:
    return f"reduction of {name} on set '{point_set.name}'"


def _components(name: str, component: int | str | None, columns: int, points: int) -> range:
    """Numbers, from 1, of the components that are reduced; without points an array may have none,
    where those of other ranks have some."""
    if component is None or component == EACH:
        return range(1, columns + 1)
    number = integer("component", component)
    if number < 1 or (number > columns and (columns or points)):
        raise ArgumentError("component", number, f"a component of '{name}', 1 to {columns}")
    return range(number, number + 1)


def _together(found: Sequence[tuple[int, Partial]], operation: str) -> tuple[int, Partial]:
    """One result of all components, with the number of the one that has it; in the order of the
    components, as the points are in the order of their numbers. Of none that of no point. C has
    the same for other callers (`chosen` of kernels/cpu/reduce.cpp)."""
    if operation == "sum":
        total = 0.0
        for _, one in found:
            total += one.value
        return 0, Partial(math.nan if math.isnan(total) else total, -1)
    sign = -1.0 if operation == "max" else 1.0

    def rank(numbered: tuple[int, Partial]) -> tuple[bool, bool, float, int]:
        value, point = numbered[1]
        nan = math.isnan(value)
        return point < 0, not nan, 0.0 if nan or operation == "any" else sign * value, point

    return min(found, key=rank, default=(0, Partial(0.0, -1)))


def _reduced(
    one: Partial, number: int, operation: Operation, binding: Binding, start: Starts
) -> Reduced:
    value = operation.result(one.value, one.point)
    if one.point < 0:
        return Reduced(value, None)
    blocks, point, block = binding.blocks, one.point, None
    ni, nj, _ = binding.box.extent
    first = np.asarray(start)
    if blocks is not None:
        at = int(np.searchsorted(blocks.first, point, side="right")) - 1
        point, block, first = point - int(blocks.first[at]), at + 1, first[at]
        ni, nj, _ = blocks.extent[at].tolist()
    row, i = divmod(point, ni)
    k, j = divmod(row, nj)
    x, y, z = first.tolist()
    return Reduced(value, (x + i, y + j, z + k, number), block)
