"""Functions that change an argument: where a statement may have one.

Fortran leaves the order open in which the parts of an expression are worked out, and whether all
are. So a statement has one such function, whatever its order gives the same, or it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.program.resolved import BoundCall, Call, StatementFunctionCall, resolve
from bridge_port.program.signatures import pairs
from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Expression,
    Name,
    Unary,
)
from bridge_port.syntax.units import Unit
from bridge_port.translate import arrays, assigned, bound, designators
from bridge_port.translate.body import Body
from bridge_port.translate.intents import designator, meet

#: Of these the expressions are worked out once, before anything else is done.
ONCE = (s.If, s.Select, s.Assignment, s.Call)


def changed(b: Body, callee: Unit, arguments: Sequence[Expression]) -> list[str]:
    """Variables that a call gives another value, of an object the component that is passed; those
    of modules that each point has for itself among them."""
    names = [name for _, _, name in b.port.outside.changed(callee)]
    for dummy, actual in pairs(callee, arguments):
        name = actual.root if actual is not None else ""
        if not name or dummy == "*" or not b.port.intents.writes(callee, dummy):
            continue
        if b.scope.procedure(name) is None:
            assert actual is not None
            names.append(designator(b.scope, actual) or name)
    return names


def changed_names(b: Body, callee: Unit, arguments: Sequence[Expression]) -> set[str]:
    """Names in the arguments whose variables a call gives another value, those of modules too."""
    found = {name.partition("%")[0] for name in changed(b, callee, arguments)}
    writes = b.port.outside.assigned.of(callee).writes
    for part in (part for a in arguments for part in a.walk() if isinstance(part, Name)):
        symbol = b.scope.find(part.id)
        own = assigned.variable(symbol) if symbol is not None else None
        if own is not None and any(assigned.same(own, one) for one in writes):
            found.add(part.id)
    return found


def called(
    b: Body, e: Expression, inside: bool = False
) -> Iterator[tuple[Apply, Unit, Sequence[Expression], bool]]:
    """Functions of the program in an expression, with their arguments, the object of a type-bound
    one among them; whether .and. or .or. may leave them out."""
    inside = inside or (isinstance(e, Binary) and e.operator in (".and.", ".or."))
    one = resolve(e, b.scope) if isinstance(e, Apply) else None
    if isinstance(one, StatementFunctionCall):
        yield from called(b, one.value, True)
    elif isinstance(e, Apply) and isinstance(one, Call | BoundCall):
        try:
            found = bound.callee_of(b, e)
        except Refused:
            found = None  # refused where it is translated
        if found is not None and found[0].kind == "function":
            yield e, *found, inside
    for part in e.parts():
        yield from called(b, part, inside)


def changes(b: Body, e: Expression) -> bool:
    """Whether functions in an expression may change variables, those that each point has for
    itself among them: then it has to be computed once, by the points that run it."""
    own = b.port.private or b.port.outside.some
    return any(
        own or b.port.reach.may_stop(callee) or changed(b, callee, arguments)
        for _, callee, arguments, _ in called(b, e)
    )


def seen(b: Body, e: Expression, name: str) -> bool:
    """Whether a function in an expression may read any element of an array: as a variable of a
    module, or as an argument that is an array."""
    symbol = b.scope.find(name)
    own = assigned.variable(symbol) if symbol is not None else None
    for _, callee, arguments, _ in called(b, e):
        if own is not None and b.port.outside.assigned.of(callee).mentions(own):
            return True
        scope = b.port.program.scope(callee)
        for dummy, actual in pairs(callee, arguments):
            whole = dummy != "*" and scope.symbol(dummy).dimensions is not None
            if whole and actual is not None and name in actual.names:
                return True
    return False


def check(b: Body, statement: s.Statement) -> None:
    """Refused where the order could matter."""
    own = list(statement.expressions())
    stopping(b, statement, own)
    found = [
        (call, callee, inside, names)
        for e in own
        for call, callee, arguments, inside in called(b, e)
        if (names := changed(b, callee, arguments))
    ]
    if not found:
        return
    call, callee, inside, names = found[0]
    what = f"function {callee.name}"
    change = "make it a subroutine, or call it in a statement of its own"
    if len(found) > 1:
        b.refuse(what, "two functions that change their arguments, in one statement", change)
    if inside:
        b.refuse(
            what, "it changes its argument, and .and., .or. or a statement function may leave "
            "it out", change,
        )  # fmt: skip
    around = [p for e in own for p in e.walk() if any(q is call for q in p.walk())]
    if (
        not isinstance(statement, ONCE)
        or isinstance(statement, s.Where)
        or any(several(b, statement, p) for p in around)
    ):
        b.refuse(what, "it changes its argument, and would be called several times", change)
    if isinstance(statement, s.Assignment) and statement.target in around:
        b.refuse(what, "it changes its argument, in a subscript of what is assigned to", change)
    if isinstance(statement, s.If) and not any(
        p is call for p in (statement.arms[0].condition or call).walk()
    ):
        b.refuse(what, "it changes its argument, in an else if", change)
    outside(b, call, callee, own)
    there = [one for e in own for one in named(b, e)]
    for name in names:
        if sum(meet(name, one) for one in there) > 1:
            b.refuse(what, f"it changes {name}, which stands elsewhere in the statement", change)


def outside(b: Body, call: Apply, callee: Unit, own: Sequence[Expression]) -> None:
    """A variable of a module that a function changes stands nowhere else in the statement, nor in
    what another function reads."""
    for variable in b.port.outside.changed(callee):
        name, what = variable[2], f"function {callee.name}"
        for e in own:
            for part in e.walk():
                symbol = b.scope.find(part.id) if isinstance(part, Name) else None
                if symbol is not None and symbol.name == name.partition("%")[0]:
                    b.refuse(what, f"it changes {name}, which stands elsewhere in the statement",
                             "call it in a statement of its own")  # fmt: skip
            for other, one, _, _ in called(b, e):
                if other is not call and variable in b.port.outside.mentioned(one):
                    b.refuse(what, f"it changes {name}, which {one.name} reads as well",
                             "call it in a statement of its own")  # fmt: skip


def named(b: Body, e: Expression) -> Iterator[str]:
    """All variables and components in an expression, without subscripts: "m", "m%a"."""
    place = designator(b.scope, e)
    if place is None:
        for part in e.parts():
            yield from named(b, part)
        return
    yield place
    while not isinstance(e, Name):  # what stands in subscripts and arguments
        if isinstance(e, Apply):
            for part in e.arguments:
                yield from named(b, part)
        e = e.base  # type: ignore[attr-defined]


def stopping(b: Body, statement: s.Statement, own: Sequence[Expression]) -> None:
    """Functions that give a point a status: only points that come there may call them."""
    for e in own:
        for _, callee, _, inside in called(b, e):
            if not b.port.reach.may_stop(callee):
                continue
            what, change = f"function {callee.name}, which may stop", "call it before"
            if inside:
                b.refuse(what, ".and., .or. or a statement function may leave it out", change)
            if isinstance(statement, s.Where):
                b.refuse(what, "in where", change)
            if isinstance(statement, s.Do) and statement.condition is e:
                b.refuse(what, "in the condition of a loop", change)


def several(b: Body, statement: s.Statement, e: Expression) -> bool:
    """Whether what stands in an expression may be worked out more than once: for each element, or
    where an element comes back from a call."""
    if not isinstance(e, (Apply, ArrayConstructor, Binary, Unary)):
        return False
    if isinstance(statement, s.Assignment) and arrays.rank(b, statement.target):
        return True
    place = isinstance(e, Apply) and designators.find(b, e.base) is not None
    return arrays.rank(b, e) > 0 or (place and isinstance(statement, s.Call))
