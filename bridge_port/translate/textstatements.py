"""Texts of variables: which one a variable has behind an assignment or a call, what is passed, and
procedures that are run while the kernel is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from bridge_port.program import running
from bridge_port.program.resolved import Element, IntrinsicCall, Substring, resolve
from bridge_port.program.storage import names_in
from bridge_port.program.symbols import DUMMY, LOCAL, PARAMETER, RESULT, Symbol
from bridge_port.refusal import Refused
from bridge_port.semantic.values import Constant
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Component, Expression, Name, Text
from bridge_port.syntax.units import Unit
from bridge_port.translate import designators, effects, expressions, stores, texts
from bridge_port.translate.body import Body
from bridge_port.translate.flow import LOOP, Flow
from bridge_port.translate.values import Value


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
    return all(
        isinstance(resolve(part, b.scope), Element | Substring | IntrinsicCall)
        for part in e.walk()
        if isinstance(part, Apply)
    )


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


def passed(b: Body, callee: Unit, symbol: Symbol, actual: Expression) -> str | None:
    """The text that a dummy gets; None of one that is not known: it is refused where it is
    read."""
    if symbol.dimensions is not None:
        return None
    if b.port.intents.writes(callee, symbol.name):
        if designators.is_text(b, actual):
            no_component(b, callee, symbol.name)
        if texts.is_text(b, actual):
            changed(b, actual.root)
            unknown(b, actual.root)
        return None
    b.port.origins.pop((id(callee), symbol.name), None)
    try:
        v = expressions.value(b, actual)
    except Refused:
        if not harmless(b, actual):
            raise
        if origin := origin_of(b, actual):
            b.port.origins[id(callee), symbol.name] = origin
        return None
    if v.letters is None:
        b.refuse(f"argument {symbol.name} of {callee.name}", f"a {v.type} is passed for a text")
    length = symbol.scope.length(symbol)
    if length is None:
        return v.letters if symbol.length == "*" else None
    return v.letters[:length].ljust(length)


def origin_of(b: Body, actual: Expression) -> str:
    """What a text is of the kernel's own arguments; "" of what is none of them."""
    names: list[str] = []
    while isinstance(actual, Component):
        names.insert(0, actual.name)
        actual = actual.base
    symbol = b.scope.find(actual.id) if isinstance(actual, Name) else None
    origin = b.origin(symbol) if symbol is not None else ""
    return "%".join((origin, *names)) if origin else ""


def no_component(b: Body, callee: Unit, dummy: str) -> NoReturn:
    b.refuse(f"argument {dummy} of {callee.name}",
             "it is written, and a component that is a text is passed for it",
             "pass a character of the procedure, or return a status")  # fmt: skip


def mentions(b: Body, callee: Unit) -> bool:
    """Whether a procedure has characters."""
    if any(d.type is not None and d.type.base == "character" for d in callee.declarations):
        return True
    return any(
        isinstance(part, Text)
        for statement in s.walk(callee.body)
        for e in statement.expressions()
        for part in e.walk()
    )


def needs(b: Body, callee: Unit) -> bool:
    """Whether it cannot be anything but computed now: it names variables of type character that
    are no arguments, or has such a result. An included file declares many that nobody names."""
    scope = b.port.program.scope(callee)
    named = {callee.result, callee.name, *names_in(callee)}
    for d in callee.declarations:
        if d.type is not None and d.type.base == "character" and "parameter" not in d.attributes:
            if d.name in named and d.name not in callee.arguments:
                return True
            if d.name not in callee.arguments:
                continue
            if scope.symbol(d.name).intent in ("out", "inout"):
                return True
    return False


def known_arguments(
    b: Body, callee: Unit, arguments: Sequence[Expression]
) -> dict[str, Constant | None] | None:
    """Values of what is passed for the dummies; None where one is not known. A variable that only
    comes back has none."""
    scope = b.port.program.scope(callee)
    given: dict[str, Constant | None] = {}
    for dummy, actual in running.paired(callee, arguments, b.place):
        if actual is None or (isinstance(actual, Name) and actual.id in b.context.absent):
            continue
        if dummy in b.port.silent(callee) and not effects.changes(b, actual):
            given[dummy] = None  # nothing names it
            continue
        symbol = scope.symbol(dummy)
        if symbol.dimensions is not None or symbol.type == "type":
            return None
        if symbol.intent == "out":
            given[dummy] = None
            continue
        lines, place = len(b.out.lines), b.place
        try:
            known = texts.as_known(expressions.value(b, actual))
        except Refused:
            known = None
        b.place = place
        if known is None or len(b.out.lines) > lines:
            del b.out.lines[lines:]
            return None
        given[dummy] = Constant((), (known,))
    return given


def computed(b: Body, callee: Unit, arguments: Sequence[Expression]) -> Value | None:
    """A function of the program whose arguments are all known; None where it is translated."""
    if not mentions(b, callee) or effects.changed(b, callee, arguments):
        return None
    given = known_arguments(b, callee, arguments)
    if given is None:
        return None
    try:
        after = running.run(b.port.world, callee, given, b.place)
        found = after.get(callee.result or callee.name)
        if found is None or found.scalar is None:
            b.refuse(f"function {callee.name}", "it has no value")
        return texts.of_known(b, found.scalar)
    except Refused:
        if needs(b, callee):
            raise
        return None


def ran(b: Body, callee: Unit, arguments: Sequence[Expression], flow: Flow) -> bool:
    """A subroutine whose arguments are all known or come back; False where it is translated."""
    if not needs(b, callee):
        return False
    given = known_arguments(b, callee, arguments)
    if given is None:
        return False
    after = running.run(b.port.world, callee, given, b.place)
    b.port.places.setdefault(callee.place)
    for dummy, actual in running.paired(callee, arguments, b.place):
        if dummy not in given or actual is None or not b.port.intents.writes(callee, dummy):
            continue
        found = after.get(dummy)
        if found is None or found.scalar is None:
            b.refuse(f"argument {dummy} of {callee.name}", "it has no value")
        v = texts.of_known(b, found.scalar)
        if v.letters is None:
            stores.scalar(b, actual, v, flow)
        elif isinstance(actual, Name):
            keep(b, changed(b, actual.id), v.letters, flow)
        elif designators.is_text(b, actual):
            no_component(b, callee, dummy)
        elif isinstance(actual, Apply) and texts.is_text(b, actual):
            changed(b, actual.root)
            unknown(b, actual.root)
    return True
