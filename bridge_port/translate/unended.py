"""Dummy arrays without an end: `x(*)`, and `x(1)` of old codes.

How many elements such a dummy has, its room, is a number where it is known when the kernel is
built, and else an argument of the function.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bridge_port.program.symbols import DUMMY, Symbol
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Name, Number, Section
from bridge_port.syntax.units import Unit
from bridge_port.translate.body import Body, Dim, Fixed
from bridge_port.translate.values import PRIMARY, Value, integer, minus, plus, times


def is_open(symbol: Symbol) -> bool:
    """Whether a dummy has no end: `x(*)`, and `x(1)` of old codes, where elements behind the first
    one are named."""
    if symbol.storage != DUMMY or not symbol.dimensions:
        return False
    last = symbol.dimensions[-1]
    if last.deferred:
        return False
    one = last.lower is None and last.upper == Number("1")
    return last.upper is None or (one and _goes_on(symbol))


def _goes_on(symbol: Symbol) -> bool:
    """Whether elements behind the first one are named or passed, and never the array as a whole,
    which has one element alone."""
    whole, goes_on = Name(symbol.name), False
    for statement in s.walk(symbol.scope.unit.body):
        for e in statement.expressions():
            if e == whole and isinstance(statement, s.Call):
                goes_on = True
                continue
            single = 0
            for part in e.walk():
                if not isinstance(part, Apply):
                    continue
                if part.base == whole:
                    last = part.arguments[-1]
                    single += not isinstance(last, Section)
                    goes_on |= last != Number("1")
                elif part.reference and symbol.scope.procedure(part.reference):
                    single += part.arguments.count(whole)
                    goes_on |= whole in part.arguments
            if single < sum(part == whole for part in e.walk()):
                return False
    return goes_on


def said(
    unit: Unit, dummies: Mapping[str, Symbol], shapes: Mapping[str, Sequence[object]]
) -> dict[str, Fixed | None]:
    """The rooms of the arguments of a kernel, as the user says them."""
    found: dict[str, Fixed | None] = {}
    for name, extents in shapes.items():
        symbol = dummies.get(name.lower())
        if symbol is None or not is_open(symbol):
            continue
        numbers = tuple(n for n in extents if isinstance(n, int))
        if len(numbers) != len(symbol.dimensions or ()):
            continue  # refused where its declaration is read
        found[symbol.name] = Fixed(0, math.prod(numbers))
    return found


def last_extent(b: Body, symbol: Symbol, before: list[Dim]) -> Value | None:
    """Of the last dimension of a dummy that has no end; before: the other ones."""
    rooms = dict(b.context.rooms)
    if symbol.name not in rooms:
        return None
    known = rooms[symbol.name]
    room = b.of_fixed(known) if known is not None else room_of(b, symbol.name)
    column = integer(1)
    for dim in before:
        assert dim.extent is not None
        column = times(column, dim.extent)
    if column.number == 1:
        return room
    if isinstance(room.number, int) and isinstance(column.number, int):
        return integer(-(-room.number // max(column.number, 1)))
    # The last column may have some of its elements alone.
    text = f"quotient({plus(room, minus(column, integer(1))).text}, {column.text})"
    return Value(text, "integer", False, PRIMARY, kind=4)


def room_of(b: Body, dummy: str) -> Value:
    """The argument of the function with the room of one of its dummies."""
    if dummy not in b.rooms:
        b.rooms[dummy] = b.names.unique(f"room_of_{dummy}", keep=True)
    name = b.rooms[dummy]
    return Value(name, "integer", False, base=name, kind=4)
