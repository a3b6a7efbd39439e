"""Characters: a text is known when the kernel is built, or refused. No text is in a kernel.

A text comes from a constant, a data statement, a call or the user. A variable has one while its
assignments stand in statements that all points run, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridge.port.program import intrinsics, running
from bridge.port.program import values as arithmetic
from bridge.port.program.constantfunctions import call
from bridge.port.program.constants import Constant
from bridge.port.program.symbols import DUMMY, LOCAL, MODULE, PARAMETER, RESULT, SAVED, Symbol
from bridge.port.program.values import Value as Known
from bridge.port.refusal import Refused
from bridge.port.syntax import statements as s
from bridge.port.syntax.expressions import Apply, Expression, Keyword, Name, Section, Text
from bridge.port.syntax.units import Unit
from bridge.port.translate import constants, effects, expressions, stores
from bridge.port.translate.body import Body, base_name
from bridge.port.translate.flow import LOOP, Flow
from bridge.port.translate.values import Value, integer, truth


def value(letters: str) -> Value:
    return Value("", "character", False, letters=letters, kind=1)


def is_text(b: Body, e: Expression) -> bool:
    """Whether a designator is of a character variable."""
    name = base_name(e)
    symbol = None if name is None or name in b.unit.external else b.scope.find(name)
    return symbol is not None and symbol.type == "character"


def of_known(b: Body, known: Known) -> Value:
    """What was computed, as C++."""
    if known.type == "character":
        return value(str(known.plain))
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


def designator(b: Body, e: Expression) -> Value:
    """A variable, an element, some letters."""
    name = base_name(e)
    assert name is not None
    memory: dict[str, Constant | None] = {}
    if own(b, b.symbol(name)):
        memory[name] = Constant((), (Known("character", 1, variable(b, name)),))
    for part in e.walk():
        if isinstance(part, Name) and part.id != name:
            known = as_known(expressions.value(b, part)) if number(b, part.id) else None
            if known is not None:
                memory[part.id] = Constant((), (known,))
    world = b.port.world
    found = running.Running(world, b.scope, memory, b.way.absent).known(e, b.place)
    if found.scalar is None:
        b.refuse("an array of characters", "one text is wanted here")
    return of_known(b, found.scalar)


def number(b: Body, name: str) -> bool:
    symbol = b.scope.find(name)
    return name in b.counters or (
        symbol is not None and symbol.type == "integer" and symbol.dimensions is None
    )


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
    if letters is None and symbol.storage == DUMMY:
        if name in b.way.absent:
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
        b.refuse(
            f"character {name}",
            "no text that is known is passed for it",
            "pass a constant, or say --value for the argument that it comes from",
        )
    if letters is None:
        b.refuse(
            f"character {name}",
            "its text is not known: no statement that all points run assigned a constant before",
        )
    return letters


# ---- Operators and functions


def binary(b: Body, op: str, x: Value, y: Value) -> Value:
    """One of both is a text."""
    one, other = as_known(x), as_known(y)
    if one is None or other is None:
        b.refuse(f"{op} of a {x.type} and a {y.type}")
    found = arithmetic.binary(op, one, other)
    if found is None:
        b.refuse(f"{op} of a {x.type} and a {y.type}")
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
    found = call(name, tuple(one for one in known if one is not None), None)
    if found is None:
        b.refuse(f"{name} of a text", "it is not computed when the kernel is built")
    return of_known(b, found)


# ---- Assignments


def assign(b: Body, target: Expression, e: Expression, flow: Flow) -> None:
    """To a variable of the procedure. What nobody reads needs no text that is known."""
    name = base_name(target)
    assert name is not None
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


# ---- Calls


def passed(b: Body, callee: Unit, symbol: Symbol, actual: Expression) -> str | None:
    """The text that a dummy gets; None of one that is not known: it is refused where it is
    read."""
    if symbol.dimensions is not None:
        return None
    if b.port.intents.writes(callee, symbol.name):
        name = base_name(actual)
        if name is not None and is_text(b, actual):
            changed(b, name)
            unknown(b, name)
        return None
    try:
        v = expressions.value(b, actual)
    except Refused:
        if not harmless(b, actual):
            raise
        return None
    if v.letters is None:
        b.refuse(f"argument {symbol.name} of {callee.name}", f"a {v.type} is passed for a text")
    length = symbol.scope.length(symbol)
    if length is None:
        return v.letters if symbol.length == "*" else None
    return v.letters[:length].ljust(length)


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
    """Whether it cannot be anything but computed now: it has variables or a result of type
    character."""
    scope = b.port.program.scope(callee)
    for d in callee.declarations:
        if d.type is not None and d.type.base == "character" and "parameter" not in d.attributes:
            if d.name not in callee.arguments:
                return True
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
        if actual is None or (isinstance(actual, Name) and actual.id in b.way.absent):
            continue
        if dummy in b.port.silent(callee) and not effects.changes(b, actual):
            continue
        symbol = scope.symbol(dummy)
        if symbol.dimensions is not None or symbol.type == "type":
            return None
        if symbol.intent == "out":
            given[dummy] = None
            continue
        lines, place = len(b.out.lines), b.place
        try:
            known = as_known(expressions.value(b, actual))
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
        return of_known(b, found.scalar)
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
    for dummy, actual in running.paired(callee, arguments, b.place):
        if dummy not in given or actual is None or not b.port.intents.writes(callee, dummy):
            continue
        found = after.get(dummy)
        if found is None or found.scalar is None:
            b.refuse(f"argument {dummy} of {callee.name}", "it has no value")
        v = of_known(b, found.scalar)
        if v.letters is None:
            stores.scalar(b, actual, v, flow)
        elif isinstance(actual, Name):
            keep(b, changed(b, actual.id), v.letters, flow)
        elif isinstance(actual, Apply) and is_text(b, actual):
            name = base_name(actual)
            assert name is not None
            changed(b, name)
            unknown(b, name)
    return True
