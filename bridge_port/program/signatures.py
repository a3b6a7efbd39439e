"""Type, kind and rank of expressions, and which procedure of a generic name they fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bridge_port.program.symbols import Derived, Scope, Symbol
from bridge_port.program.types import type_symbol
from bridge_port.refusal import Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Component,
    Expression,
    Keyword,
    Name,
    Section,
    Unary,
)
from bridge_port.syntax.units import Unit

_TRUTH = frozenset("== /= < <= > >= .and. .or. .eqv. .neqv. .not.".split())


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
    if isinstance(e, Keyword):
        return of(e.value, scope)
    if isinstance(e, Name | Component):
        symbol = type_symbol(e, scope)
        if symbol is None and isinstance(e, Name) and scope.as_written(e.id) is None:
            symbol = _implicit(e.id, scope)
        around = _rank_before(e.base, scope) if isinstance(e, Component) else 0
        return None if around is None else _of_symbol(symbol, around)
    if isinstance(e, Unary):
        inner = of(e.operand, scope)
        return None if inner is None or (inner.derived and e.operator != "()") else inner
    if isinstance(e, Binary):
        return _binary(e, scope)
    if isinstance(e, ArrayConstructor):
        first = of(e.items[0], scope) if e.items else None
        return None if first is None else Signature(first.type, first.kind, 1, first.derived)
    if isinstance(e, Apply):
        return _apply(e, scope)
    known = scope.type_of(e)
    return None if known is None else Signature(known[0], known[1], 0)


def _implicit(name: str, scope: Scope) -> Symbol | None:
    try:
        return scope.symbol(name, scope.unit.place)
    except Refused:
        return None


def _of_symbol(
    symbol: Symbol | None, around: int = 0, rank: int | None = None
) -> Signature | None:
    if symbol is None:
        return None
    own = len(symbol.dimensions or ()) if rank is None else rank
    derived = None
    if symbol.type == "type":
        derived = symbol.scope.derived_if_given(symbol.type_name)
        if derived is None:
            return None
    return Signature(symbol.type, symbol.kind, own + around, derived)


def _rank_before(e: Expression, scope: Scope) -> int | None:
    """Of the part of a designator in front of a component."""
    found = of(e, scope)
    return None if found is None else found.rank


def _binary(e: Binary, scope: Scope) -> Signature | None:
    left, right = of(e.left, scope), of(e.right, scope)
    if left is None or right is None or left.derived or right.derived:
        return None
    rank = max(left.rank, right.rank)
    if e.operator in _TRUTH:
        return Signature("logical", 4, rank)
    known = scope.type_of(e)
    if known is None:
        order = {"integer": 0, "real": 1, "complex": 2}
        if left.type not in order or right.type not in order:
            return None
        high, low = (left, right) if order[left.type] >= order[right.type] else (right, left)
        kind = high.kind if low.type == "integer" != high.type else max(high.kind, low.kind)
        known = high.type, kind
    return Signature(known[0], known[1], rank)


def _apply(e: Apply, scope: Scope) -> Signature | None:
    symbol = type_symbol(e.base, scope)
    if symbol is not None and symbol.dimensions is not None:
        rank = 0
        for argument in e.arguments:
            if isinstance(argument, Section):
                rank += 1
                continue
            found = of(argument, scope)
            if found is None:
                return None
            rank += found.rank
        before = _rank_before(e.base.base, scope) if isinstance(e.base, Component) else 0
        return None if before is None else _of_symbol(symbol, before, rank)
    if not isinstance(e.base, Name):
        return None
    if symbol is not None and symbol.type == "character":
        return Signature("character", symbol.kind, 0)
    unit = scope.as_written(e.base.id)
    if unit is not None:
        return result_of(unit, e.arguments, scope)
    return _intrinsic(e, scope)


def result_of(unit: Unit, arguments: Sequence[Expression], scope: Scope) -> Signature | None:
    """Of a function of the program."""
    if unit.kind != "function":
        return None
    try:
        inner = scope.program.scope(unit).symbol(unit.result or unit.name, unit.place)
    except Refused:
        return None
    rank = None
    if "elemental" in unit.prefixes:
        given = [of(a, scope) for a in arguments]
        if any(one is None for one in given):
            return None
        rank = max((one.rank for one in given if one is not None), default=0)
    return _of_symbol(inner, rank=rank)


def _intrinsic(e: Apply, scope: Scope) -> Signature | None:
    assert isinstance(e.base, Name)
    one = intrinsics.find(e.base.id)
    known = scope.type_of(e) if one is not None and e.arguments else None
    rank = None if one is None or known is None else _rank(one, e.arguments, scope)
    return None if known is None or rank is None else Signature(*known, rank)


def _rank(one: intrinsics.Intrinsic, arguments: Sequence[Expression], scope: Scope) -> int | None:
    """Of the result; None where it is not known."""
    if one.rank == "0":
        return 0
    given = [of(a, scope) for a in arguments]
    first = given[0]
    if first is None:
        return None
    if one.rank == "reduced":
        dim = len(arguments) > 1 and not (
            (isinstance(arguments[1], Keyword) and arguments[1].name == "mask")
            or (given[1] is not None and given[1].type == "logical")
        )
        return first.rank - 1 if dim and first.rank else 0
    if one.rank == "matmul":
        return None if given[1] is None else first.rank + given[1].rank - 2
    if one.rank == "shape":
        shape = (one.bound(arguments) or {}).get("shape")
        return None if shape is None else _count(shape, scope)
    if one.rank == "each":
        if one.form == "merge" and None in given:
            return None
        return max(each.rank if each is not None else 0 for each in given)
    return {"first": first.rank, "more": first.rank + 1}.get(one.rank)


def _count(e: Expression, scope: Scope) -> int | None:
    """Elements of an array constructor that has one item for each."""
    if not isinstance(e, ArrayConstructor):
        return None
    items = [of(item, scope) for item in e.items]
    return None if any(one is None or one.rank for one in items) else len(items)


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
