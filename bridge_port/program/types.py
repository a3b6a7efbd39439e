"""Types of expressions."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.program.symbols import Scope, Symbol
from bridge_port.refusal import Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    ComplexNumber,
    Component,
    Expression,
    ImpliedDo,
    Name,
    Number,
    Text,
    Truth,
    Unary,
)

Type = tuple[str, int]

_RANK = {"integer": 0, "real": 1, "complex": 2}
_LOGICAL = frozenset(
    ("==", "/=", "<", "<=", ">", ">=", ".and.", ".or.", ".eqv.", ".neqv.", ".not.")
)


def type_of(expression: Expression, scope: Scope) -> Type | None:
    """Type and bytes; None where they are not known."""
    if isinstance(expression, Number):
        return _number(expression.text, scope)
    if isinstance(expression, Truth):
        return "logical", 4
    if isinstance(expression, Text):
        return "character", 1
    if isinstance(expression, Name):
        return _symbol(scope.find(expression.id) or _implicit(expression.id, scope))
    if isinstance(expression, Component):
        found = _symbol(component(expression, scope))
        if found is None and expression.name in ("re", "im"):
            whole = type_of(expression.base, scope)
            return ("real", whole[1]) if whole and whole[0] == "complex" else None
        return found
    if isinstance(expression, Unary):
        if expression.operator == ".not.":
            return "logical", 4
        return type_of(expression.operand, scope) if expression.operator in "()+-" else None
    if isinstance(expression, Binary):
        return _binary(expression, scope)
    if isinstance(expression, ComplexNumber):
        parts = (type_of(expression.real, scope), type_of(expression.imaginary, scope))
        return "complex", max((one[1] for one in parts if one and one[0] == "real"), default=4)
    if isinstance(expression, ArrayConstructor | ImpliedDo):
        return type_of(expression.items[0], scope) if expression.items else None
    if isinstance(expression, Apply):
        return _apply(expression, scope)
    return None


def _implicit(name: str, scope: Scope) -> Symbol | None:
    """Of a name that nothing declares; none of a procedure, or of a name that cannot be known:
    what reads it is refused with its own place."""
    if scope.procedure(name) is not None:
        return None
    try:
        return scope.symbol(name, scope.unit.place)
    except Refused:
        return None


def _symbol(symbol: Symbol | None) -> Type | None:
    return None if symbol is None else (symbol.type, symbol.kind)


def _number(text: str, scope: Scope) -> Type | None:
    plain, _, suffix = text.partition("_")
    base = "integer" if plain.isdigit() else "real"
    if not suffix:
        return base, 8 if "d" in plain else 16 if "q" in plain else 4
    kind = int(suffix) if suffix.isdigit() else scope.constant(Name(suffix))
    return (base, kind) if isinstance(kind, int) else None


def _binary(expression: Binary, scope: Scope) -> Type | None:
    if expression.operator in _LOGICAL:
        return "logical", 4
    left, right = type_of(expression.left, scope), type_of(expression.right, scope)
    if expression.operator == "//":
        return "character", 1
    if expression.operator[0] == "." or left is None or right is None:
        return None
    if left[0] not in _RANK or right[0] not in _RANK:
        return None
    if left[0] == right[0]:
        return left[0], max(left[1], right[1])
    high, low = (left, right) if _RANK[left[0]] > _RANK[right[0]] else (right, left)
    return high[0], high[1] if low[0] == "integer" else max(high[1], low[1])


def component(expression: Component, scope: Scope) -> Symbol | None:
    """The component that base%name names."""
    base = type_symbol(expression.base, scope)
    if base is None or base.type != "type":
        return None
    return component_symbol(base.scope, base.type_name, expression.name)


def component_symbol(scope: Scope, type_name: str, name: str) -> Symbol | None:
    """A component of a derived type that a scope knows, its own or inherited."""
    found = scope.derived_if_given(type_name)
    return None if found is None else found.component(name)


def type_symbol(expression: Expression, scope: Scope) -> Symbol | None:
    """The variable or the component at the end of a designator."""
    if isinstance(expression, Apply):
        return type_symbol(expression.base, scope)
    if isinstance(expression, Component):
        return component(expression, scope)
    if isinstance(expression, Name):
        return scope.find(expression.id)
    return None


def _apply(expression: Apply, scope: Scope) -> Type | None:
    base = expression.base
    if not isinstance(base, Name):
        return type_of(base, scope)
    name = base.id
    symbol = scope.find(name)
    if symbol is not None and symbol.type == "character" and symbol.dimensions is None:
        return "character", symbol.kind
    if symbol is not None and "intrinsic" not in symbol.attributes:
        return symbol.type, symbol.kind
    unit = scope.procedure(name)
    if unit is not None:
        inner = scope.program.scope(unit)
        return _symbol(inner.symbol(unit.result, unit.place)) if unit.result else None
    if name in scope.unit.language:
        return intrinsic(name, expression.arguments, scope)
    if name in scope.unit.interfaces or name in scope.unit.external or scope.generic(name):
        return None
    return intrinsic(name, expression.arguments, scope)


def intrinsic(name: str, arguments: tuple[Expression, ...], scope: Scope) -> Type | None:
    """Of a call of an intrinsic function."""
    one = intrinsics.find(name)
    if one is None or one.category == intrinsics.SUBROUTINE:
        return None
    if one.fixed is not None:
        return one.fixed
    given = one.bound(arguments) or {}
    like, _, named = one.gives.partition(":")
    if one.gives == "wide":
        return _widest([type_of(e, scope) for e in given.values()])
    first = given.get(named or next(iter(one.dummies), ""))
    found = None if first is None else type_of(first, scope)
    base: str | None = intrinsics.TYPES.get(like)
    if base is None and like in ("like", "part") and found is not None:
        base = "real" if like == "part" and found[0] == "complex" else found[0]
    if base is None:
        return None
    if "kind" in given:
        bytes_ = scope.constant(given["kind"])
        return (base, bytes_) if isinstance(bytes_, int) else None
    if like in ("like", "part"):
        return None if found is None else (base, found[1])
    return base, found[1] if base == "real" and found and found[0] == "complex" else 4


def _widest(types: Sequence[Type | None]) -> Type | None:
    """Of numbers, that of their sum; of others that of the first."""
    result = next(iter(types), None)
    for other in types:
        if other is None or result is None:
            return None
        if other[0] == result[0]:
            result = (result[0], max(result[1], other[1]))
        elif _RANK.get(other[0], 0) > _RANK.get(result[0], 0):
            result = other
    return result
