"""Integers of a procedure that one statement gives a value, which is a number: it is that in all
that follows, as in calls whose arrays have their sizes from it.

`lr = n*(n + 1)/2` may stand under a condition, where only some points run it. Others have no value
in such a variable, and Fortran forbids that they read it.
"""

from __future__ import annotations

from collections.abc import Iterator

from bridge_port.program.symbols import LOCAL
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Expression, Name
from bridge_port.translate import arrays, expressions
from bridge_port.translate.body import Body
from bridge_port.translate.values import integer


def kept(b: Body, one: s.Assignment) -> None:
    """The variable has been assigned; what was read before stays as it is."""
    if isinstance(one, s.PointerAssignment) or not isinstance(one.target, Name):
        return
    name = one.target.id
    symbol = b.scope.find(name)
    if symbol is None or symbol.storage != LOCAL or symbol.scope is not b.scope:
        return
    if (symbol.type, symbol.kind) != ("integer", 4) or symbol.dimensions is not None:
        return
    if symbol.attributes or symbol.value is not None or b.unit.units or name in b.counters:
        return
    if not is_passed(b, name) or not alone(b, name) or arrays.rank(b, one.value):
        return
    if any(isinstance(part, Apply) for part in one.value.walk()):
        return
    v = expressions.scalar(b, one.value)
    if isinstance(v.number, int) and v.type == "integer":
        b.counters[name] = integer(v.number)


def alone(b: Body, name: str) -> bool:
    """Whether one statement alone gives the variable a value."""
    body = b.port.body_of(b.unit, b.way.absent)
    unread = [
        text for x in s.walk(body) if isinstance(x, s.Unread) for text in (x.text, *x.inside)
    ]
    if any(name in text.lower() for text in unread):
        return False
    return b.port.intents.how_often(b.unit, body, name) == 1


def is_passed(b: Body, name: str) -> bool:
    """Whether it stands in an argument of a call."""
    return any(part == Name(name) for argument in _arguments(b) for part in argument.walk())


def _arguments(b: Body) -> Iterator[Expression]:
    for statement in s.walk(b.port.body_of(b.unit, b.way.absent)):
        if isinstance(statement, s.Call):
            yield from statement.arguments
        for e in statement.expressions():
            for part in e.walk():
                if isinstance(part, Apply) and isinstance(part.base, Name):
                    if b.scope.procedure(part.base.id) is not None:
                        yield from part.arguments
