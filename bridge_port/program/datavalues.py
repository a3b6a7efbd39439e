"""Initial values: of declarations, and of DATA statements."""

from __future__ import annotations

import math

from bridge_port.program.constants import evaluate
from bridge_port.program.storage import refuse_valued
from bridge_port.program.symbols import COMMON, Scope, Symbol
from bridge_port.refusal import Refused
from bridge_port.semantic.values import Constant, Value, convert, fitted
from bridge_port.syntax.expressions import Apply, Expression, ImpliedDo, Name, Section
from bridge_port.syntax.units import Data, Unit


def initial_values(symbol: Symbol) -> Constant | None:
    """None of a variable without any; elements that no DATA names are None."""
    scope: Scope = symbol.scope
    shape: tuple[int, ...] = ()
    if symbol.dimensions is not None:
        extents = scope.extents(symbol)
        if any(extent is None for extent in extents):
            return None
        shape = tuple(extent for extent in extents if extent is not None)
    if symbol.value is not None:
        found = evaluate(symbol.value, scope)
        return None if found is None else _assigned(found, symbol, shape)
    statements = [one for one in scope.unit.data if _names(one, symbol.name)]
    if not statements:
        return _of_block_data(symbol) if symbol.storage == COMMON else None
    values: list[Value | None] = [None] * math.prod(shape)
    for data in statements:
        for place, value in _DataReader(scope, data).of(symbol, shape):
            values[place] = _as(value, symbol)
    return Constant(shape, tuple(values))


def _of_block_data(symbol: Symbol) -> Constant | None:
    """A member of COMMON that a BLOCK DATA unit initialises, where it has the same place there,
    type and shape."""
    scope: Scope = symbol.scope
    for unit in scope.program.units:
        if unit.kind != "block data" or unit is scope.unit:
            continue
        for member in unit.commons:
            if (member.block, member.place_in_block) != (symbol.owner, symbol.place_in_block):
                continue
            refuse_valued(unit)
            other = scope.program.scope(unit)
            twin = other.symbol(member.name, unit.place)
            if (twin.type, twin.kind) == (symbol.type, symbol.kind) and (
                other.extents(twin) == scope.extents(symbol)
            ):
                return initial_values(twin)
    return None


def _assigned(found: Constant, symbol: Symbol, shape: tuple[int, ...]) -> Constant | None:
    values = found.values
    if shape and found.shape == ():
        values = values * math.prod(shape)
    elif found.shape != shape:
        return None
    converted = tuple(_as(one, symbol) for one in values)
    return None if None in converted else Constant(shape, converted)


def _as(value: Value | None, symbol: Symbol) -> Value | None:
    """Of the type of a variable; a text of its length."""
    found = value and convert(value, symbol.type, symbol.kind)
    if found is None or symbol.type != "character" or symbol.length == "*":
        return found
    length = symbol.scope.length(symbol)
    return None if length is None else fitted(found, length)


def _names(data: Data, name: str) -> bool:
    return any(
        isinstance(part, Name) and part.id == name
        for target in data.targets
        for part in target.walk()
    )


def data_names(unit: Unit) -> set[str]:
    """Variables that DATA statements initialise."""
    names: set[str] = set()
    for data in unit.data:
        for target in data.targets:
            names.update(_variables(target))
    return names


def _variables(target: Expression) -> set[str]:
    if isinstance(target, Name):
        return {target.id}
    if isinstance(target, Apply):
        return _variables(target.base)
    if isinstance(target, ImpliedDo):
        return set().union(*(_variables(item) for item in target.items))
    return set()


class _DataReader:
    """One slash list with its targets: elements in their order, values in theirs."""

    def __init__(self, scope: Scope, data: Data) -> None:
        self._scope = scope
        self._data = data

    def of(self, wanted: Symbol, shape: tuple[int, ...]) -> list[tuple[int, Value | None]]:
        """(place in array order, value) of one variable."""
        elements: list[tuple[str, int]] = []
        for target in self._data.targets:
            self._elements(target, {}, elements)
        values = self._values()
        if len(values) != len(elements):
            raise Refused(
                self._data.place, "data",
                f"{len(elements)} elements and {len(values)} values",
            )  # fmt: skip
        size = math.prod(shape)
        pairs = zip(elements, values, strict=True)
        mine = [(place, value) for (name, place), value in pairs if name == wanted.name]
        if any(not 0 <= place < size for place, _ in mine):
            raise Refused(self._data.place, "data", f"outside {wanted.name!r}")
        return mine

    def _values(self) -> list[Value | None]:
        values: list[Value | None] = []
        for repeat, expression in self._data.values:
            count: object = 1 if repeat is None else self._scope.constant(repeat)
            if not isinstance(count, int):
                raise Refused(self._data.place, "data", "a repeat count that is not constant")
            found = evaluate(expression, self._scope)
            values.extend([None if found is None else found.scalar] * count)
        return values

    def _elements(
        self, target: Expression, variables: dict[str, int], into: list[tuple[str, int]]
    ) -> None:
        if isinstance(target, ImpliedDo):
            bounds = [self._integer(bound, variables) for bound in target.bounds]
            step = bounds[2] if len(bounds) > 2 else 1
            last = bounds[1] + (1 if step > 0 else -1)
            for index in range(bounds[0], last, step):
                for item in target.items:
                    self._elements(item, {**variables, target.variable: index}, into)
            return
        if isinstance(target, Name):
            extents = self._extents(target.id)
            into.extend((target.id, place) for place in range(math.prod(extents)))
            return
        if isinstance(target, Apply) and target.reference:
            name = target.reference
            into.extend((name, place) for place in self._places(name, target, variables))
            return
        raise Refused(self._data.place, "data", "of this form is not read")

    def _places(self, name: str, target: Apply, variables: dict[str, int]) -> list[int]:
        symbol = self._scope.symbol(name, self._data.place)
        bounds, extents = self._scope.bounds(symbol), self._extents(name)
        if len(bounds) != len(target.arguments):
            raise Refused(self._data.place, "data", f"of {name!r} with another rank")
        places = [0]
        stride = 1
        for argument, (lower, _), extent in zip(target.arguments, bounds, extents, strict=True):
            lower = 1 if lower is None else lower
            if isinstance(argument, Section):
                first = self._integer(argument.lower, variables) if argument.lower else lower
                last = lower + extent - 1
                if argument.upper:
                    last = self._integer(argument.upper, variables)
                step = self._integer(argument.stride, variables) if argument.stride else 1
                chosen = range(first, last + (1 if step > 0 else -1), step)
            else:
                chosen = range(at := self._integer(argument, variables), at + 1)
            if any(not lower <= index < lower + extent for index in chosen):
                raise Refused(self._data.place, "data", f"outside {name!r}")
            places = [base + (index - lower) * stride for index in chosen for base in places]
            stride *= extent
        return places

    def _extents(self, name: str) -> tuple[int, ...]:
        symbol = self._scope.symbol(name, self._data.place)
        extents = self._scope.extents(symbol)
        if any(extent is None for extent in extents):
            raise Refused(self._data.place, "data", f"the shape of {name!r} is not known")
        return tuple(extent for extent in extents if extent is not None)

    def _integer(self, expression: Expression, variables: dict[str, int]) -> int:
        found = evaluate(expression, self._scope, variables)
        value = None if found is None else found.scalar
        if value is None or value.type != "integer":
            raise Refused(self._data.place, "data", "a subscript that is not constant")
        return int(value.plain)
