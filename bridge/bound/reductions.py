"""Reductions of a set: sum, extremes and "any" of a quantity over the interior points, without
those that the set's mask blanks.

Beside BoundSets. A quantity that is bound is reduced where it lies. Others are made by kernels
from the arrays of the set (`made`), all of a call in one pass, and are in no array: on a GPU they
do not leave the device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bridge.backends.base import (
    VALUE,
    Answer,
    Binding,
    MadeReduction,
    Measure,
    NativeCall,
    Partial,
    ReducedValues,
    RepeatingReduction,
)
from bridge.bound.made import Made, Makers, Pass
from bridge.bound.operations import BITS, Operation, bit, checked_operation
from bridge.bound.pointsets import PointSet
from bridge.bound.positions import Starts
from bridge.bound.setarrays import BoundArray
from bridge.errors import ArgumentError
from bridge.memory.hostarrays import integer
from bridge.plan.inputs import ALIASES, MASK
from bridge.plan.plans import Plans
from bridge.prepared import Counting, Prepared, PreparedRun, Repeated
from bridge.resident.uses import Touched
from bridge.tvimpl import TVImpl

#: `component` for a result of each component.
EACH = "each"


class Asked(NamedTuple):
    """A reduction of a call. quantity: by its name, or with what makes it in front, "rhs:work";
    component: None for all together, `EACH`, or its number from 1."""

    quantity: str
    operation: str
    component: int | str | None = None

    @property
    def which(self) -> Operation:
        """ArgumentError for a name that is none."""
        return checked_operation(self.operation)

    @property
    def maker(self) -> str:
        """The composite or kernel that makes it, whatever the set binds; "" where nobody says.
        ArgumentError for nothing before the colon."""
        maker, colon, name = self.quantity.rpartition(":")
        if colon and not maker.strip():
            wanted = f"'{name}', or what makes it before the colon, as in 'rhs:work'"
            raise ArgumentError("quantity", f"'{self.quantity}'", wanted)
        return maker

    @property
    def name(self) -> str:
        """The catalogue's, of the quantity."""
        name = self.quantity.rpartition(":")[2]
        return ALIASES.get(name, name)


@dataclass(frozen=True)
class Source:
    """What is reduced. binding: where it lies, its components alone; components: their numbers
    from 1; start: SptX, SptY, SptZ of places, or of each block's; touched: resident memory that it
    is in; column: of the first component among all that are made, None where it is bound."""

    binding: Binding
    components: range
    start: Starts
    touched: Touched | None = None
    column: int | None = None

    def made(self, operation: Operation) -> MadeReduction:
        """A reduction of it while it is made."""
        assert self.column is not None, "it is bound"
        return MadeReduction(operation.base, operation.measure, self.column, len(self.components))


@dataclass(frozen=True)
class Repeatable:
    """Reductions that were done, for callers that are no Python. run: makes the quantities, by
    these calls, none where all are bound; each: the reductions, and how many values each has."""

    run: PreparedRun | None
    calls: list[list[NativeCall]]
    each: list[tuple[RepeatingReduction, int]]


@dataclass(frozen=True, eq=False)
class PreparedReduction(Repeated):
    """Quantities to reduce, which are good until the arrays of the set change.

    sources: where each lies; mask: an integer of each point, which does not count where it is 0;
    made: those of them that are not bound; of: what it was prepared for; natives: who does it
    without Python, by what was asked.
    """

    of: Prepared
    sources: Sequence[Source]
    mask: Binding | None = None
    made: Made | None = None
    natives: dict[Hashable, Counting] = field(default_factory=dict)

    def passing(self, impl: TVImpl, operations: Sequence[Operation]) -> Pass | None:
        """Makes the quantities and does these reductions of them at once; None where they are made
        whole, or bound."""
        if self.made is None or self.made.launcher is None:
            return None
        pairs = zip(self.sources, operations, strict=True)
        reductions = [one.made(which) for one, which in pairs if one.column is not None]
        return self.made.reducing(impl, self.mask, reductions, self.of)

    def repeatable(self, impl: TVImpl, asked: Sequence[Asked], place: int) -> Repeatable | None:
        """The reductions that were asked for, where nobody has to look at them; place: how many
        integers each place has. Asked once they were done."""
        making = self.making(impl, asked)
        if making is None:
            return None
        passing = self.passing(impl, [one.which for one in asked])
        each, number = making.each, 0
        for source, one in zip(self.sources, asked, strict=True):
            here = None if source.column is None else passing
            found = self._repeating(impl, source, one, place, here, number)
            number += source.column is not None
            if found is None:
                return None
            together = one.component != EACH or len(source.components) == 1
            each.append((found, 1 if together else len(source.components)))
        return making

    def making(self, impl: TVImpl, asked: Sequence[Asked]) -> Repeatable | None:
        """What makes the quantities that were asked for, without reductions of them."""
        passing = self.passing(impl, [one.which for one in asked])
        made = self.made
        run = passing.run if passing is not None else None if made is None else made.run
        calls = [] if run is None else run.calls()
        return Repeatable(run, calls, []) if calls or run is None else None

    def _repeating(
        self, impl: TVImpl, source: Source, asked: Asked, place: int, passing: Pass | None,
        number: int,
    ) -> RepeatingReduction | None:  # fmt: skip
        binding, operation = source.binding, asked.which
        looked_at = source.touched is not None and not source.touched.quiet
        if looked_at or operation.bits or not binding.box.points:
            return None
        if place and binding.blocks is not None:
            return None
        together = asked.component != EACH and len(source.components) != 1
        x, y, z = source.start if place else (1, 1, 1)
        answer = Answer(
            together, source.components[0], place, (x, y, z), operation.empty, operation.root
        )
        if passing is not None:
            return passing.program.repeating(number, binding, answer)
        return impl.backend.repeating_reduction(
            binding, operation.base, self.mask, operation.measure, answer
        )


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

    points: how many; together: whether the components have one result; found: the results of the
    one operation that was done while it was made, which is nowhere.
    """

    def __init__(
        self, impl: TVImpl, source: Source, mask: Binding | None, points: int, together: bool,
        found: Callable[[], list[Partial]] | None = None,
    ) -> None:  # fmt: skip
        self._impl = impl
        self._source, self._mask = source, mask
        self._found = found
        self.points = points
        self.together = together

    def partials(
        self, base: str, measure: Measure, index: int | None = None, factor: float = 1.0
    ) -> list[tuple[int, Partial]]:
        """Results of a backend, with the number of the component that each belongs to; index:
        from 0, of one component alone; factor: of all values."""
        binding, components = self._source.binding, self._source.components
        if not self.points:  # a rank without points may not know how many components others have
            numbers = components if index is None else range(index + 1, index + 2)
            return [(number, Partial(0.0, -1)) for number in numbers]
        if self._found is not None:
            with self._impl.timers["reduce"]:
                return list(zip(components, self._found(), strict=True))
        if index is not None:
            components = components[index : index + 1]
            if binding.columns > 1:
                binding = binding.columns_from(index, 1)
        if factor != 1.0:
            binding = replace(binding, scale=binding.scale * factor)
        with self._impl.timers["reduce"]:
            found = self._impl.backend.reduce(binding, base, self._mask, measure)
        return list(zip(components, found, strict=True))

    def there(self, operation: Operation) -> Any:
        """The values of an operation, one of each component, where the quantity lies."""
        backend = self._impl.backend
        if self.points and self._found is None:
            with self._impl.timers["reduce"]:
                found = backend.reduce_there(
                    self._source.binding, operation.base, self._mask, operation.measure,
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
        where = self._source.binding, self._source.start
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
        self._makers = Makers(impl, layout, plans)

    def refuse_bits(self, point_set: PointSet, asked: Asked) -> None:
        """ArgumentError where values are no integers, or have several components of which none is
        named."""
        name, component, catalogue = asked.name, asked.component, self._impl.catalogue
        held = self._held(point_set, asked)
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

    def values(
        self, point_set: PointSet, asked: Sequence[Asked], whole: bool = False
    ) -> list[Values]:
        """The quantities that are asked for at all points of a set, of all their components or of
        the one that is named, each for the operation of its own, or, where they are wanted whole,
        for any; ArgumentError for names that are none and for a quantity that the set cannot
        give."""
        points, whole = point_set.points(), _whole(asked, whole or self._looked_at)
        prepared = self._good(point_set, asked, whole)
        if prepared is None:
            prepared = self._prepare(point_set, asked, whole)
            point_set.prepared.of(PreparedReduction)[_key(asked, whole)] = prepared
        passing = None
        if points:  # the address of an empty block may be anything
            passing = self._make(point_set, prepared, [one.which for one in asked])
        values, number = [], 0
        for source, one in zip(prepared.sources, asked, strict=True):
            together = one.component != EACH and len(source.components) != 1
            found = None
            if passing is not None and source.column is not None:
                found, number = partial(passing.program.partials, number), number + 1
            elif points and source.touched is not None:
                source.touched.before(_label(one.quantity, point_set))
            values.append(Values(self._impl, source, prepared.mask, points, together, found))
        return values

    def _held(self, point_set: PointSet, asked: Asked) -> BoundArray | None:
        """What holds a quantity that no composite is said to make."""
        return None if asked.maker else point_set.held(asked.name, self._layout, self._impl.ns)

    def _make(
        self, point_set: PointSet, prepared: PreparedReduction, operations: Sequence[Operation]
    ) -> Pass | None:
        passing = prepared.passing(self._impl, operations)
        made = prepared.made
        run = passing.run if passing is not None else None if made is None else made.run
        if run is not None:  # of which only this knows
            unchanged = point_set.take_unchanged(self._layout, self._impl.ns)
            run.run(unchanged, self._impl.look_at(point_set))
            point_set.sound = True
        return passing

    def prepared(self, point_set: PointSet, asked: Sequence[Asked]) -> PreparedReduction | None:
        """One that was done, if nothing has changed since."""
        return self._good(point_set, asked, _whole(asked, False))

    def reduced_values(
        self, point_set: PointSet, asked: Asked, whole: bool
    ) -> tuple[PreparedReduction, ReducedValues | None]:
        """What `values` has made ready and done of one quantity, and its values where they lie;
        None of a set without points."""
        prepared = self._good(point_set, [asked], _whole([asked], whole or self._looked_at))
        assert prepared is not None, "its values were asked for"
        if not point_set.points():
            return prepared, None
        [source] = prepared.sources
        passing = prepared.passing(self._impl, [asked.which])
        if passing is None:
            return prepared, ReducedValues(source.binding, prepared.mask)
        return prepared, ReducedValues(source.binding, None, passing.program, 0)

    @property
    def _looked_at(self) -> bool:
        """What looks at runs finds what they make in memory."""
        return self._impl.watch is not None

    def _good(
        self, point_set: PointSet, asked: Sequence[Asked], whole: bool
    ) -> PreparedReduction | None:
        found = point_set.prepared.of(PreparedReduction).get(_key(asked, whole))
        made = None if found is None else found.made
        moved = made is not None and made.run and made.memory is not point_set.memory
        return None if moved else found

    def _prepare(
        self, point_set: PointSet, asked: Sequence[Asked], whole: bool
    ) -> PreparedReduction:
        points = point_set.points()
        blank, residency = point_set.mask(), self._impl.residency
        mask = replace(blank, scale=1.0) if blank is not None else None
        near = None if mask is None else residency.located(mask, MASK)
        held = {one.quantity: self._held(point_set, one) for one in asked}
        lacking = [one for one in asked if held[one.quantity] is None]
        for one in lacking:
            if one.name not in self._impl.catalogue.quantities:
                raise self._impl.catalogue.unknown(one.name)
        made = None
        if lacking:
            names = list(dict.fromkeys(one.name for one in lacking))
            maker, grows = _maker(lacking), partial(_forget, point_set)
            made = self._makers.make(point_set, names, maker, whole, grows)
        sources = []
        for one in asked:
            name, array = one.name, held[one.quantity]
            if array is None:
                assert made is not None
                sources.append(_source_made(made, name, one.component, point_set))
                continue
            binding = array.binding
            components = _components(name, one.component, binding.columns, points)
            if points:
                binding = binding.columns_from(components[0] - 1, len(components))
            read = {name: binding} if mask is None else {name: binding, MASK: mask}
            located = residency.located(binding, name)
            sources.append(Source(located, components, array.start, residency.read(read)))
        return PreparedReduction(point_set.prepared, sources, near, made)


def _maker(asked: Sequence[Asked]) -> str:
    """Of all quantities that are made in one pass."""
    makers = list(dict.fromkeys(one.maker for one in asked))
    if len(makers) > 1:
        got = ", ".join(f"'{one.quantity}'" for one in asked)
        raise ArgumentError("quantities", got, "one maker of all that no array holds")
    return makers[0]


def _whole(asked: Sequence[Asked], whole: bool) -> bool:
    """Whether quantities are read more than once."""
    return whole or any(one.which.bits for one in asked)


def _key(asked: Sequence[Asked], whole: bool) -> Hashable:
    pairs = [(one.maker, one.name, one.component) for one in asked]
    return whole, tuple(pairs)


def _forget(point_set: PointSet) -> None:
    """Nobody makes quantities in memory of the set any more."""
    for one in point_set.prepared.of(PreparedReduction).values():
        if one.made is not None and one.made.run is not None:
            one.forget()


def _source_made(
    made: Made, name: str, component: int | str | None, point_set: PointSet
) -> Source:
    """Of a quantity that kernels make; its places are those of the array that was bound first."""
    points, columns = point_set.points(), made.columns[name]
    components = _components(name, component, columns, points)
    first = next(iter(point_set.arrays.values()))
    if not points:
        return Source(first.binding, components, first.start)
    binding = made.bindings[name].columns_from(components[0] - 1, len(components))
    column = made.first(name) + components[0] - 1
    return Source(binding, components, first.start, column=column)


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
