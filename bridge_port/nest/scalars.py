"""Scalars and work arrays that a point writes: its own, reductions, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bridge_port.analysis.effects import Effects
from bridge_port.analysis.setting import Setting
from bridge_port.kernel import ANY, MAXIMUM, MINIMUM, SUM
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import extreme
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name, Number, Truth, Unary
from bridge_port.syntax.rewriting import mentions, replaced
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Arm,
    Assignment,
    ComputedGoto,
    Do,
    Goto,
    If,
    Return,
    Statement,
    Where,
    walk,
)

_LARGEST = {4: "3.4028234663852886e38", 8: "1.7976931348623157d308"}
_GREATER, _LESS = (">", ">="), ("<", "<=")


@dataclass(frozen=True)
class Reducing:
    """A statement that reduces: target is the scalar or the element, value what a point adds.
    compared: it is `if (e > s) s = e`, which leaves a NaN out."""

    target: Expression
    operation: str
    value: Expression
    negated: bool
    place: Place
    compared: bool = False


def _bare(e: Expression) -> Expression:
    while isinstance(e, Unary) and e.operator == "()":
        e = e.operand
    return e


def reducing(s: Statement) -> Reducing | None:
    """s = s + e, s = max(s, e), if (e > s) s = e, flag = flag .or. e, and their like."""
    found = None
    if isinstance(s, Assignment):
        found = _assignment(s)
    elif isinstance(s, If) and not isinstance(s, Where) and len(s.arms) == 1:
        found = _comparison(s)
    if found is not None and isinstance(found.target, Apply):
        name = found.target.root
        if any(mentions(e, name) for e in found.target.arguments):
            return None
    return found


def _assignment(s: Assignment) -> Reducing | None:
    target, value = s.target, _bare(s.value)
    name = target.root
    if isinstance(value, Binary):
        left, right, operator = value.left, value.right, value.operator
        if operator in ("+", "-"):
            return _sum(s, target, value, name)
        if operator in (".or.", ".and."):
            for own, other in ((left, right), (right, left)):
                if _bare(own) == target and not mentions(other, name):
                    negated = operator == ".and."
                    other = Unary(".not.", Unary("()", other)) if negated else other
                    return Reducing(target, ANY, other, negated, s.place)
    if isinstance(value, Apply) and value.reference:
        function = value.reference
        operation = {"max": MAXIMUM, "min": MINIMUM}.get(extreme(function), "")
        others = [a for a in value.arguments if _bare(a) != target]
        if operation and len(others) + 1 == len(value.arguments) and others:
            if not any(mentions(a, name) for a in others):
                e = others[0] if len(others) == 1 else Apply(value.base, tuple(others))
                return Reducing(target, operation, e, False, s.place)
    return None


def _sum(s: Assignment, target: Expression, value: Expression, name: str) -> Reducing | None:
    """s + a + b - c: a sum whose first or only other terms do not have s."""
    terms: list[tuple[int, Expression]] = []

    def take(e: Expression, sign: int) -> None:
        if isinstance(e, Binary) and e.operator in ("+", "-"):
            take(e.left, sign)
            take(e.right, sign if e.operator == "+" else -sign)
        else:
            terms.append((sign, e))

    take(value, 1)
    own = [n for n, (sign, e) in enumerate(terms) if sign == 1 and _bare(e) == target]
    if len(own) != 1:
        return None
    del terms[own[0]]
    if not terms or any(mentions(e, name) for _, e in terms):
        return None
    sign, result = terms[0]
    if sign < 0:
        result = Unary("-", result)
    for sign, e in terms[1:]:
        result = Binary("+" if sign > 0 else "-", result, e)
    return Reducing(target, SUM, result, False, s.place)


def _comparison(s: If) -> Reducing | None:
    arm = s.arms[0]
    condition = _bare(arm.condition) if arm.condition is not None else None
    if len(arm.body) != 1 or not isinstance(arm.body[0], Assignment):
        return None
    inner = arm.body[0]
    target, value = inner.target, inner.value
    name = target.root
    if isinstance(value, Truth) and condition is not None and not mentions(condition, name):
        # if (e) flag = .true.
        return Reducing(target, ANY, condition, not value.value, s.place)
    if not isinstance(condition, Binary) or mentions(value, name):
        return None
    pair = _bare(condition.left), _bare(condition.right)
    if pair == (_bare(value), target):
        greater = condition.operator in _GREATER
    elif pair == (target, _bare(value)):
        greater = condition.operator in _LESS
    else:
        return None
    if condition.operator not in _GREATER + _LESS:
        return None
    operation = MAXIMUM if greater else MINIMUM
    return Reducing(target, operation, value, False, s.place, compared=True)


def reductions_of(body: Sequence[Statement], name: str) -> list[tuple[Statement, Reducing]] | None:
    """All statements that have the variable, where each of them reduces it and by one operation;
    None otherwise."""
    found: list[tuple[Statement, Reducing]] = []
    if not _collect(body, name, found):
        return None
    kinds = {(one.operation, one.negated) for _, one in found}
    return found if len(kinds) == 1 else None


def _collect(
    body: Sequence[Statement], name: str, found: list[tuple[Statement, Reducing]]
) -> bool:
    for s in body:
        one = reducing(s)
        if one is not None and one.target.root == name:
            found.append((s, one))
            continue
        if isinstance(s, Do) and s.variable == name:
            return False
        if any(mentions(e, name) for e in s.expressions()):
            return False
        if not all(_collect(inner, name, found) for inner in s.bodies()):
            return False
    return True


def check_integers(
    setting: Setting, name: str, found: Sequence[tuple[Statement, Reducing]]
) -> None:
    """An integer that reals are added to is truncated at each point."""
    for _, one in found:
        kind = setting.type_of(one.value)
        if one.operation == SUM and (kind is None or kind[0] != "integer"):
            raise Refused(
                one.place,
                f"scalar {name}",
                "its terms are not all integers, and each point truncates the sum",
                "sum up in a real, or truncate each term",
            )


def contribute(
    body: list[Statement],
    found: Sequence[tuple[Statement, Reducing]],
    name: str,
    argument: str,
    kind: tuple[str, int],
    whole: bool,
) -> None:
    """In `body` the statements become those of one point's contribution, `argument`. kind: type
    and bytes; whole: of an array, that is begun with the neutral element."""
    operation = found[0][1].operation
    own = Name(argument)

    def renamed(e: Expression) -> Expression | None:
        return own if isinstance(e, Name) and e.id == name else None

    # A point that leaves before the statement has to give the neutral element.
    leaves = any(isinstance(s, Return | Goto | ComputedGoto | ArithmeticIf) for s in walk(body))
    compared = any(one.compared for _, one in found)
    single = len(found) == 1 and found[0][0] in body and not whole and not leaves and not compared
    for statement, one in found:
        target = replaced(one.target, renamed)
        if one.compared:
            new: Statement = _comparing(target, one)
        elif single:
            new = Assignment(one.place, target=target, value=one.value)
        else:
            new = _contribution(target, one)
        new.label, new.comments = statement.label, statement.comments
        _put(body, statement, new)
    if not single:
        place = found[0][1].place
        start = Assignment(place, target=own, value=neutral(operation, *kind))
        body.insert(0, start)


def _comparing(target: Expression, one: Reducing) -> Statement:
    """The comparison as it stands: a maximum of a kernel would take a NaN, which this leaves."""
    condition = Binary(">" if one.operation == MAXIMUM else "<", one.value, target)
    arm = Arm(condition, [Assignment(one.place, target=target, value=one.value)], one.place)
    return If(one.place, arms=[arm])


def _contribution(target: Expression, one: Reducing) -> Statement:
    value: Expression
    if one.operation == SUM:
        value = Binary(
            "+", target, Unary("()", one.value) if isinstance(one.value, Unary) else one.value
        )
    elif one.operation == ANY:
        value = Binary(".or.", target, Unary("()", one.value))
    else:
        value = Apply(Name(one.operation), (target, one.value))
    return Assignment(one.place, target=target, value=value)


def neutral(operation: str, kind: str, size: int) -> Expression:
    """What changes nothing in a reduction."""
    if operation == ANY:
        return Truth(False)
    if kind == "integer":
        if operation == SUM:
            return Number("0")
        largest = Number("2147483647")
        least = Binary("-", Unary("-", largest), Number("1"))
        return largest if operation == MINIMUM else least
    if operation == SUM:
        return Number("0.0d0" if size == 8 else "0.0")
    end = "ieee_positive_inf" if operation == MINIMUM else "ieee_negative_inf"
    return Apply(Name("ieee_value"), (Number("0.0d0"), Name(end)))


def of_empty(operation: str, kind: str, size: int) -> Expression:
    """maxval and minval of an empty array, the other reductions of one."""
    if kind == "integer" or operation not in (MAXIMUM, MINIMUM):
        return neutral(operation, kind, size)
    largest = Number(_LARGEST[size])
    return largest if operation == MINIMUM else Unary("-", largest)


def _put(body: list[Statement], old: Statement, new: Statement) -> None:
    for number, s in enumerate(body):
        if s is old:
            body[number] = new
            return
        for inner in s.bodies():
            _put(inner, old, new)


def slice_of(body: Sequence[Statement], wanted: set[str], effects: Effects) -> list[Statement]:
    """Those statements of one list that the values of `wanted` come from, and no more."""
    chosen: list[Statement] = []
    wanted = set(wanted)
    for s in reversed(body):
        if not effects.written([s]) & wanted:
            continue
        chosen.append(s)
        for one in walk([s]):
            for e in one.expressions():
                wanted |= e.names
    chosen.reverse()
    return chosen
