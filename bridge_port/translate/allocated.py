"""What is known of allocatable variables of a procedure: their shape, whether they have memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bridge_port.program.symbols import LOCAL, Symbol
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Expression, Name
from bridge_port.translate.body import Body, Dim
from bridge_port.translate.values import POINT_TYPES, Value, truth

#: What nothing but the statements of a procedure may change.
_PLAIN = frozenset(("allocatable",))


def local(b: Body, e: Expression) -> Symbol | None:
    """The allocatable array of the procedure that a name is."""
    symbol = b.scope.find(e.id) if isinstance(e, Name) else None
    if symbol is None or symbol.dimensions is None or symbol.storage != LOCAL:
        return None
    if symbol.scope is not b.scope or symbol.attributes - {"target"} != _PLAIN:
        return None
    return symbol if symbol.type in POINT_TYPES else None


def dims(b: Body, symbol: Symbol) -> tuple[Dim, ...] | None:
    """None of what is no such array."""
    if local(b, Name(symbol.name)) is None:
        return None
    if symbol.name not in b.allocated:
        b.refuse(f"allocatable {symbol.name}", "nothing above has given it a shape",
                 "give it a fixed shape")  # fmt: skip
    return b.allocated[symbol.name]


def is_there(b: Body, arguments: Sequence[Expression]) -> Value | None:
    """allocated(x), where that is known."""
    if len(arguments) != 1 or local(b, arguments[0]) is None:
        return None
    name = arguments[0].root
    if name in b.certain:
        return truth(True)
    if name not in b.allocated and not any(
        isinstance(one, s.Do) and any(gives(x, name) for x in s.walk(one.body))
        for one in s.walk(b.unit.body)
    ):
        return truth(False)
    return None


def present(b: Body, dummy: str, actual: Expression) -> None:
    """Of an optional dummy: an array without memory is not there."""
    if local(b, actual) is not None and actual.root not in b.certain:
        b.refuse(f"argument {dummy}", f"it is optional, and whether {actual.root} has "
                 "memory is known at run time alone")  # fmt: skip


def gives(one: s.Statement, name: str) -> bool:
    if isinstance(one, s.Assignment):
        return one.target == Name(name)
    return isinstance(one, s.Unread) and re.search(rf"\b{name}\b", one.text, re.I) is not None
