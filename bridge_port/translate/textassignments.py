"""Texts of variables: which one a variable has behind a statement."""

from __future__ import annotations

from bridge_port.program.symbols import DUMMY, LOCAL, PARAMETER, RESULT, Symbol
from bridge_port.refusal import Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax.expressions import Apply, Expression, Name, Section
from bridge_port.translate import expressions
from bridge_port.translate.body import Body
from bridge_port.translate.flow import LOOP, Flow


def assign(b: Body, target: Expression, e: Expression, flow: Flow) -> None:
    """To a variable of the procedure. What nobody reads needs no text that is known."""
    name = target.root
    symbol = changed(b, name)
    if not isinstance(target, Name):
        unknown(b, name)
        return
    try:
        v = expressions.value(b, e)
    except Refused:
        if not harmless(b, e):
            raise
        unknown(b, name)
        return
    if v.letters is None:
        b.refuse(f"an assignment to {name}", f"a {v.type} value is no text")
    keep(b, symbol, v.letters, flow)


def keep(b: Body, symbol: Symbol, letters: str, flow: Flow) -> None:
    if flow.level > 0 or b.out.depth != 1 or flow.mask not in ("", b.entry, b.regions.gate()):
        unknown(b, symbol.name)
        return
    length = length_of(b, symbol)
    if length is None and not isinstance(symbol.length, str):
        unknown(b, symbol.name)
        return
    b.texts[symbol.name] = letters if length is None else letters[:length].ljust(length)


def harmless(b: Body, e: Expression) -> bool:
    """Whether nothing happens where a text is not computed: it calls nothing of the program."""
    for part in e.walk():
        if isinstance(part, Apply):
            name = part.base.id if isinstance(part.base, Name) else ""
            symbol = b.scope.find(name) if name else None
            if symbol is not None and (
                symbol.dimensions is not None
                or (
                    symbol.type == "character"
                    and all(isinstance(a, Section) for a in part.arguments)
                )
            ):
                continue
            if symbol is not None or b.scope.procedure(name) or name not in intrinsics.NAMES:
                return False
    return True


def unknown(b: Body, name: str) -> None:
    b.texts.pop(name, None)
    if b.regions.find(LOOP) is not None:  # an earlier statement of a turn may read it
        b.learn("text", name)


def length_of(b: Body, symbol: Symbol) -> int | None:
    found: int | None = symbol.scope.length(symbol)
    if found is None and symbol.storage == DUMMY and symbol.length == "*":
        before = b.texts.get(symbol.name)
        return None if before is None else len(before)
    return found


def changed(b: Body, name: str) -> Symbol:
    """A variable that a statement gives another text."""
    symbol = b.symbol(name)
    if symbol.intent == "in" or symbol.storage == PARAMETER:
        b.refuse(f"an assignment to {name}", "it is constant")
    why = "a kernel gives numbers and logicals back"
    change = "return a status, and make the text of it outside of the loop over points"
    if b.port.unnumbered:
        why += f", and constant texts as numbers: {b.port.unnumbered}"
    if symbol.storage == RESULT and b.unit is b.port.entry:
        b.refuse(f"an assignment to character {name}", why, change)
    if symbol.storage not in (LOCAL, DUMMY):
        b.refuse(f"an assignment to character {name}", "it is no variable of the procedure")
    if symbol.storage == DUMMY and b.unit is b.port.entry:
        b.refuse(f"an assignment to character {name}", why, change)
    return symbol
