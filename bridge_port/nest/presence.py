"""`present` of optional arguments in a nest: what is said of them, and what the statements around
say, stands in its place, and what never runs then goes away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bridge_port.analysis.region import Region
from bridge_port.program.captured import captured
from bridge_port.program.resolved import Element, IntrinsicCall, resolve
from bridge_port.program.signatures import pairs
from bridge_port.program.symbols import DUMMY, LOCAL, Scope, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import NAMES
from bridge_port.syntax.expressions import Apply, Binary, Expression, Keyword, Name, Truth, Unary
from bridge_port.syntax.rewriting import mentions, replaced, rewrite, with_names
from bridge_port.syntax.statements import (
    Assignment,
    Call,
    Continue,
    Do,
    Goto,
    If,
    Return,
    Statement,
    Unread,
    Where,
    walk,
)
from bridge_port.syntax.units import Unit

Presence = dict[str, bool]


def put_presence(
    scope: Scope, unit: Unit, statements: list[Statement], found: Region, said: Mapping[str, bool]
) -> Presence:
    """Changes the statements; what is known of the arguments that these ask for, or pass on.
    said: by the user. Refused where it has to be said."""
    around = _around(scope, unit, found)
    for name in sorted(said.keys() & around.keys()):
        if said[name] != around[name]:
            given = "is given" if around[name] else "is not given"
            word = "present" if said[name] else "absent"
            raise Refused(found.place, f"argument {name}", f"around the nest it {given}",
                          f"leave --{word} {name} out")  # fmt: skip
    known = around | dict(said)
    asked = list(_asked(scope, statements))
    lacking = sorted({name for name, _ in asked} - known.keys())
    if lacking:
        raise Refused(
            next(place for name, place in asked if name in lacking), f"present({lacking[0]})",
            "whether the caller gives it is known at run time alone, and each choice is a kernel "
            "of its own",
            f"say --present {lacking[0]} or --absent {lacking[0]}"
            + (f" ({' '.join(lacking)} are asked for)" if len(lacking) > 1 else "")
            + ", each with a --name; or choose the lines inside of the if",
        )  # fmt: skip
    rewrite(statements, lambda e, s: _put(scope, e, known))
    statements[:] = _taken(scope, statements)
    while _put_flag(scope, statements):
        statements[:] = _taken(scope, statements)
    if not any(isinstance(s, Assignment | Call | Unread) for s in walk(statements)):
        raise Refused(found.place, "nest", "nothing is left of it with these arguments")
    absent = {name for name, given in known.items() if not given}
    _left_out(scope, statements, absent)
    used = {name for name, _ in asked} | said.keys()
    return {name: given for name, given in known.items() if name in used}


def open_questions(scope: Scope, unit: Unit, found: Region) -> list[str]:
    """Optional arguments whose presence a nest asks for, or passes on, and that nothing around it
    decides."""
    names = dict.fromkeys(name for name, _ in _asked(scope, found.statements))
    return [name for name in names if name not in _around(scope, unit, found)]


def _optional(scope: Scope, e: Expression) -> Symbol | None:
    symbol = scope.find(e.id) if isinstance(e, Name) else None
    return symbol if symbol is not None and symbol.storage == DUMMY and symbol.optional else None


def _question(scope: Scope, e: Expression) -> str:
    """The argument of present(...), "" of another expression."""
    if not isinstance(e, Apply) or e.base != Name("present") or len(e.arguments) != 1:
        return ""
    if scope.find("present") is not None or scope.as_written("present") is not None:
        return ""
    argument = e.arguments[0]
    value = argument.value if isinstance(argument, Keyword) else argument
    return value.id if isinstance(value, Name) and _optional(scope, value) is not None else ""


def _asked(scope: Scope, statements: Sequence[Statement]) -> Iterator[tuple[str, Place]]:
    for s in walk(statements):
        calls = [part for e in s.expressions() for part in e.walk() if isinstance(part, Apply)]
        for one in calls:
            if name := _question(scope, one):
                yield name, s.place
        if isinstance(s, Call):
            calls.append(Apply(s.procedure, s.arguments))
        for one in calls:
            for name in _passed_on(scope, one):
                yield name, s.place


def _passed_on(scope: Scope, call: Apply) -> Iterator[str]:
    """Optional arguments that a call passes to optional ones, whose procedure may ask for them."""
    name = call.reference
    symbol = scope.find(name) if name else None
    if symbol is not None and symbol.dimensions is not None:
        return
    unit = scope.procedure(name) if name and not scope.specifics(name) else None
    if unit is None and name in NAMES and not scope.specifics(name):
        return
    yield from sorted(_seen_inside(scope, name))
    for dummy, actual in _bound(unit, call.arguments):
        if _optional(scope, actual) is not None and isinstance(actual, Name):
            inner = None if unit is None else scope.program.scope(unit).find(dummy)
            if inner is None or inner.optional:
                yield actual.id


def _bound(unit: Unit | None, arguments: Sequence[Expression]) -> Iterator[tuple[str, Expression]]:
    """Names of dummies, "" where they are not known, and arguments."""
    if unit is not None:
        try:
            yield from ((d, a) for d, a in pairs(unit, arguments) if a is not None)
            return
        except Refused:
            pass  # where it is translated
    yield from (("", a.value if isinstance(a, Keyword) else a) for a in arguments)


# ---- what stands around ------------------------------------------------------------------------


def _around(scope: Scope, unit: Unit, found: Region) -> Presence:
    """What conditions around the nest say, and those before it that return."""
    known: Presence = {}
    inner = [*found.around, found.statements[0]][1:]
    for holder, one in zip(found.around, inner, strict=True):
        if not isinstance(holder, If) or isinstance(holder, Where):
            continue
        for arm in holder.arms:
            if any(s is one for s in arm.body):
                _facts(scope, arm.condition, True, known)
                break
            _facts(scope, arm.condition, False, known)
    if any(isinstance(s, Goto) for s in walk(unit.body)):
        return known
    first = found.around[0] if found.around else found.statements[0]
    for s in unit.body:
        if s is first:
            break
        if isinstance(s, If) and len(s.arms) == 1 and s.arms[0].body:
            if isinstance(s.arms[0].body[-1], Return):
                _facts(scope, s.arms[0].condition, False, known)
    return known


def _facts(scope: Scope, e: Expression | None, truth: bool, known: Presence) -> None:
    """What follows where a condition is true, or false."""
    if isinstance(e, Unary) and e.operator in (".not.", "()"):
        _facts(scope, e.operand, truth == (e.operator == "()"), known)
    elif isinstance(e, Binary) and e.operator == (".and." if truth else ".or."):
        _facts(scope, e.left, truth, known)
        _facts(scope, e.right, truth, known)
    elif e is not None and (name := _question(scope, e)):
        known[name] = truth


# ---- what never runs ---------------------------------------------------------------------------


def _put(scope: Scope, e: Expression, known: Presence) -> Expression:
    def put(one: Expression) -> Expression | None:
        name = _question(scope, one)
        return Truth(known[name]) if name else None

    return replaced(e, put)


def _folded(scope: Scope, e: Expression) -> Expression:
    """A condition without what does not decide; what calls no function may go away."""
    if isinstance(e, Unary) and e.operator in ("()", ".not."):
        inner = _folded(scope, e.operand)
        if isinstance(inner, Truth):
            return inner if e.operator == "()" else Truth(not inner.value)
        return Unary(e.operator, inner)
    if not isinstance(e, Binary) or e.operator not in (".and.", ".or."):
        return e
    left, right = _folded(scope, e.left), _folded(scope, e.right)
    decides = e.operator == ".or."  # the value of one side that is the value of both
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Truth):
            if one.value != decides:
                return other
            if isinstance(other, Truth) or _quiet(scope, other):
                return one
    return Binary(e.operator, left, right)


def _quiet(scope: Scope, e: Expression) -> bool:
    """Whether nothing is lost that it may do: it calls none but functions of the language."""
    return all(
        isinstance(resolve(part, scope), Element | IntrinsicCall)
        for part in e.walk()
        if isinstance(part, Apply)
    )


def _taken(scope: Scope, statements: Sequence[Statement]) -> list[Statement]:
    """Without arms whose conditions are false; what an arm holds whose condition is true stands in
    the place of the if."""
    found: list[Statement] = []
    for s in statements:
        for inner in s.bodies():
            inner[:] = _taken(scope, inner)
        if not isinstance(s, If) or isinstance(s, Where):
            found.append(s)
            continue
        arms = []
        for arm in s.arms:
            condition = None if arm.condition is None else _folded(scope, arm.condition)
            if condition == Truth(False):
                continue
            arm.condition = None if condition == Truth(True) else condition
            arms.append(arm)
            if arm.condition is None:
                break
        if arms and arms[0].condition is not None:
            s.arms = arms
            found.append(s)
            continue
        if s.label:
            found.append(Continue(s.place, s.label))
        found += arms[0].body if arms else ()
        if s.end_label:
            found.append(Continue(s.place, s.end_label))
    return found


def _put_flag(scope: Scope, statements: Sequence[Statement]) -> bool:
    """Of a logical of the unit's own that gets one known value, before anything reads it, that
    value is put where it is read. Whether there was one."""
    if any(s.label for s in walk(statements)):
        return False
    for number, s in enumerate(statements):
        if not isinstance(s, Assignment) or not isinstance(s.target, Name):
            continue
        name, value = s.target.id, _folded(scope, s.value)
        symbol = scope.find(name)
        if not isinstance(value, Truth) or symbol is None or symbol.storage != LOCAL:
            continue
        own = symbol.type == "logical" and symbol.dimensions is None and not symbol.attributes
        later = statements[number + 1 :]
        read = _naming(later, name)
        if own and read and not _naming(statements[:number], name):
            if not any(_may_change(one, name) for one in read):
                rewrite(later, lambda e, s, put={name: value}: with_names(e, put))  # type: ignore[misc]
                return True
    return False


def _naming(statements: Sequence[Statement], name: str) -> list[Statement]:
    return [s for s in walk(statements) if any(mentions(e, name) for e in s.expressions())]


def _may_change(s: Statement, name: str) -> bool:
    if isinstance(s, Assignment) and mentions(s.target, name):
        return True
    if isinstance(s, Do) and s.variable == name:
        return True
    calls = [part for e in s.expressions() for part in e.walk() if isinstance(part, Apply)]
    passed = [a for one in calls for a in one.arguments]
    passed += s.arguments if isinstance(s, Call) else ()
    return any(mentions(a, name) for a in passed)


# ---- what is not there -------------------------------------------------------------------------


def _left_out(scope: Scope, statements: Sequence[Statement], absent: set[str]) -> None:
    """Arguments that are not given, out of the calls that pass them on; Refused where one is named
    otherwise."""
    if not absent:
        return
    for s in walk(statements):
        if isinstance(s, Call):
            s.arguments = _without(scope, Apply(s.procedure, s.arguments), absent)

    def put(one: Expression) -> Expression | None:
        if not isinstance(one, Apply):
            return None
        arguments = _without(scope, one, absent)
        if arguments == one.arguments:
            return None
        return Apply(one.base, tuple(replaced(a, put) for a in arguments))

    rewrite(statements, lambda e, s: replaced(e, put))
    for s in walk(statements):
        names = {name for e in s.expressions() for name in e.names}
        names |= {v for name in _called(s) for v in _seen_inside(scope, name)}
        if isinstance(s, Do):
            names.add(s.variable)
        if named := sorted(names & absent):
            raise Refused(s.place, f"argument {named[0]}", "it is said to be absent, and is named "
                          "here", "choose lines without it")  # fmt: skip


def _called(s: Statement) -> set[str]:
    """Names that a statement may call."""
    names = {name for e in s.expressions() for name in e.applied}
    if isinstance(s, Call) and isinstance(s.procedure, Name):
        names.add(s.procedure.id)
    return names


def _seen_inside(scope: Scope, name: str) -> set[str]:
    """Optional arguments that a procedure inside another one, or one that it calls, sees around
    it."""
    names = [own for own, _ in scope.specifics(name)] or [name]
    found: set[str] = set()
    for one in names if name else ():
        unit = scope.as_written(one)
        host = None if unit is None else unit.parent
        if unit is None or host is None or host.kind not in ("subroutine", "function"):
            continue
        held = captured(scope.program, host, unit).values()
        found |= {v for symbols in held for v in symbols if _optional(scope, Name(v)) is not None}
    return found


def _without(scope: Scope, call: Apply, absent: set[str]) -> tuple[Expression, ...]:
    """Arguments of a call but those that are not there; the rest keeps its dummies by name."""
    name = call.reference
    gone = [
        a for a in call.arguments
        if isinstance(value := a.value if isinstance(a, Keyword) else a, Name)
        and value.id in absent
    ]  # fmt: skip
    unit = scope.procedure(name) if name and gone and not scope.specifics(name) else None
    if unit is None:
        return call.arguments
    inner = scope.program.scope(unit)
    kept: list[Expression] = []
    named = False
    for dummy, actual in pairs(unit, call.arguments):
        if actual is None:
            named = True
            continue
        symbol = inner.find(dummy)
        if actual in gone and symbol is not None and symbol.optional:
            named = True
            continue
        kept.append(Keyword(dummy, actual) if named else actual)
    return tuple(kept)
