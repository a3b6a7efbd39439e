"""Characters: a text is known when the kernel is built, or refused. No text is in a kernel.

A text comes from a constant, a data statement, a call or the user. A variable has one while its
assignments stand in statements that all points run, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from bridge_port.program.symbols import DUMMY, MODULE, PARAMETER, SAVED, Symbol
from bridge_port.semantic import values as arithmetic
from bridge_port.semantic.folding import call
from bridge_port.semantic.values import Value as Known
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Expression,
    Keyword,
    Name,
    Text,
)
from bridge_port.translate import constants
from bridge_port.translate.body import Body
from bridge_port.translate.designators import text_of
from bridge_port.translate.values import Value, integer, truth


def is_text(b: Body, e: Expression) -> bool:
    """Whether a designator is of a character variable."""
    name = e.root
    symbol = None if not name or name in b.unit.external else b.scope.find(name)
    return symbol is not None and symbol.type == "character"


def of_known(b: Body, known: Known) -> Value:
    """What was computed, as C++."""
    if known.type == "character":
        return text_of(str(known.plain))
    if known.type == "logical":
        return truth(bool(known.plain))
    if known.type == "integer":
        if not -2147483648 < known.plain <= 2147483647:
            b.refuse(f"integer {known.plain}", "integers of kernels have 32 bits")
        return integer(int(known.plain))
    if known.type == "real":
        return constants.real_constant(b, float(known.plain), known.kind)
    b.refuse(f"a {known.type} value", "it is not computed when the kernel is built")


def as_known(v: Value) -> Known | None:
    if v.letters is not None:
        return Known("character", 1, v.letters)
    if v.number is None:
        return None
    return Known(v.type, v.kind, v.number)


# ---- Reading


def own(b: Body, symbol: Symbol) -> bool:
    """Whether it is a scalar of the procedure itself."""
    if symbol.dimensions is not None:
        if symbol.storage in (PARAMETER, MODULE, SAVED):
            return False
        b.refuse(f"character array {symbol.name}", "its texts are not known")
    return symbol.storage not in (PARAMETER, MODULE, SAVED)


def variable(b: Body, name: str) -> str:
    symbol = b.symbol(name)
    if b.knows("text", name):
        b.refuse(
            f"character {name}",
            "its text is not known: a loop assigns it",
        )
    letters = b.texts.get(name)
    if letters is None and symbol.scope.unit is not b.unit:
        b.refuse(
            f"character {name} of {symbol.scope.unit.name}",
            "a text of the procedure around is not known when the kernel is built",
            "compare it there, before the loops, and read a logical in its place",
        )
    if letters is None and symbol.storage == DUMMY:
        if name in b.context.absent:
            b.refuse(
                f"character {name}",
                "it is optional and taken as not given",
                f"if it has one text in every run, say --value {name}='...'",
            )
        if b.unit is b.port.entry:
            b.refuse(
                f"character {name}",
                "its text is not known when the kernel is built",
                f"if it has one in every run, say --value {name}='...'",
            )
        origin, change = b.origin(symbol), "pass a constant"
        if origin:
            change = f"if it has one in every run, say --value {origin}='...'"
        elif not b.port.nest:
            change += ", or say --value for the argument that it comes from"
        b.refuse(f"character {name}", "no text that is known is passed for it", change)
    if letters is None:
        b.refuse(
            f"character {name}",
            "its text is not known: no statement that all points run assigned a constant before",
        )
    return letters


# ---- Operators and functions


def of_each(b: Body, e: Apply) -> Expression | None:
    """any(text == [texts]) and all(...) as comparisons with one text after the other."""
    compared = e.arguments[0] if len(e.arguments) == 1 else None
    if e.base not in (Name("any"), Name("all")) or not isinstance(compared, Binary):
        return None
    sides = compared.left, compared.right
    lists = [one for one in sides if isinstance(one, ArrayConstructor)]
    others = [one for one in sides if one not in lists]
    if compared.operator not in ("==", "/=") or len(lists) != 1 or not _is_one_text(b, others[0]):
        return None
    items = lists[0].items
    if not items or not all(_is_one_text(b, item) for item in items):
        return None
    word = ".or." if e.base == Name("any") else ".and."
    parts = [Binary(compared.operator, others[0], item) for item in items]
    return reduce(lambda left, right: Binary(word, left, right), parts)


def _is_one_text(b: Body, e: Expression) -> bool:
    return isinstance(e, Text) or (isinstance(e, Name) and is_text(b, e))


def binary(b: Body, op: str, x: Value, y: Value) -> Value:
    """One of both is a text."""
    one, other = as_known(x), as_known(y)
    found = None if one is None or other is None else arithmetic.binary(op, one, other)
    if found is None:
        b.refuse(
            f"{op} of a {x.type} and a {y.type}",
            "a text is compared and joined with texts alone, while the kernel is built",
            "say the text with --value NAME='text', or use an integer code",
        )
    return of_known(b, found)


def function(
    b: Body, name: str, arguments: Sequence[Expression], values: Sequence[Value]
) -> Value:
    """An intrinsic function with a text among its arguments."""
    known = [as_known(v) for v in values]
    if any(one is None for one in known):
        b.refuse(f"{name} of a text", "its other arguments are not known")
    if any(isinstance(a, Keyword) and a.name != "back" for a in arguments):
        b.refuse(f"{name} of a text", "with these keywords")
    found = call(name, [one for one in known if one is not None])
    if found is None:
        b.refuse(f"{name} of a text", "it is not computed when the kernel is built")
    return of_known(b, found)
