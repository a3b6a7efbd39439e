"""Which procedure of a generic name arguments fit: by type, kind and rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bridge_port.program.resolved import Call, Environment, Resolved, resolve
from bridge_port.program.symbols import Derived, Scope
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Apply, Expression, Keyword, Name
from bridge_port.syntax.units import Unit


@dataclass(frozen=True)
class Signature:
    """derived: of a derived type which one."""

    type: str
    kind: int
    rank: int
    derived: Derived | None = None


def pairs(
    callee: Unit, arguments: Sequence[Expression]
) -> Iterator[tuple[str, Expression | None]]:
    """Dummies with what is passed for them; too many arguments are refused."""
    plain = [a for a in arguments if not isinstance(a, Keyword)]
    named = {a.name: a.value for a in arguments if isinstance(a, Keyword)}
    dummies = callee.arguments
    if len(plain) > len(dummies) or set(named) - set(dummies):
        raise Refused(callee.place, f"call of {callee.name}", "its arguments are others")
    for number, dummy in enumerate(dummies):
        yield dummy, plain[number] if number < len(plain) else named.get(dummy)


def of(e: Expression, scope: Scope) -> Signature | None:
    """None where it is not known."""
    return _signature(resolve(e, scope))


def result_of(unit: Unit, arguments: Sequence[Expression], scope: Scope) -> Signature | None:
    """Of a function of the program with these arguments."""
    call = Apply(Name(unit.name), tuple(arguments))
    return _signature(Call(call, Environment(scope), None, unit))


def _signature(one: Resolved) -> Signature | None:
    if one.type is None or one.rank is None or (one.type[0] == "type" and one.derived is None):
        return None
    return Signature(*one.type, one.rank, one.derived)


def fits(unit: Unit, arguments: Sequence[Expression], scope: Scope) -> bool | None:
    """Whether a specific procedure takes the arguments; None where that is not known."""
    try:
        bound = list(pairs(unit, arguments))
    except Refused:
        return False
    inner = scope.program.scope(unit)
    known: bool | None = True
    for dummy, actual in bound:
        try:
            symbol = inner.symbol(dummy, unit.place)
        except Refused:
            symbol = None
        if actual is None:
            if symbol is not None and not symbol.optional:
                return False
            continue
        given = of(actual, scope)
        if symbol is None or given is None:
            known = None
            continue
        rank = len(symbol.dimensions or ())
        if symbol.type != given.type:
            return False
        if rank != given.rank and not ("elemental" in unit.prefixes and not rank):
            return False
        if symbol.type == "type":
            wanted = symbol.scope.derived_if_given(symbol.type_name)
            line = given.derived.line if given.derived is not None else ()
            if wanted is None:
                known = None
            elif wanted is not given.derived and not (
                "class" in symbol.attributes and wanted in line
            ):
                return False
        elif symbol.kind != given.kind and symbol.type != "character":
            return False
    return known


def chosen(
    candidates: Sequence[tuple[str, Scope]], arguments: Sequence[Expression], scope: Scope
) -> tuple[Unit | None, bool]:
    """(the specific procedure that the arguments fit, whether it is sure that no other does)."""
    possible: list[Unit] = []
    sure = True
    for name, where in candidates:
        unit = where.as_written(name)
        if unit is None:
            sure = False
            continue
        fit = fits(unit, arguments, scope)
        if fit:
            return unit, True
        if fit is None:
            possible.append(unit)
    distinct = {id(unit): unit for unit in possible}
    if sure and len(distinct) == 1:
        return next(iter(distinct.values())), False
    return None, sure and not distinct
