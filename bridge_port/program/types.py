"""Types of expressions."""

from __future__ import annotations

from bridge_port.program import intrinsics
from bridge_port.program.symbols import Scope, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    ComplexNumber,
    Component,
    Expression,
    ImpliedDo,
    Keyword,
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
    if name in intrinsics.WITH_KIND:
        place = intrinsics.KIND_PLACE.get(name, 1)
        kind: Expression | None = arguments[place] if len(arguments) > place else None
        for argument in arguments:
            if isinstance(argument, Keyword):
                kind = argument.value if argument.name == "kind" else None
        base = intrinsics.OF_TYPE.get(name, ("real", 4))[0]
        if kind is not None:
            bytes_ = scope.constant(kind)
            return (base, bytes_) if isinstance(bytes_, int) else None
        if name == "real" and arguments:
            first = type_of(arguments[0], scope)
            return ("real", first[1]) if first and first[0] == "complex" else ("real", 4)
        if name not in ("aint", "anint"):
            return base, 4
    if name in intrinsics.OF_TYPE:
        return intrinsics.OF_TYPE[name]
    if name in intrinsics.LIKE_FIRST and arguments:
        given = arguments[0]
        found = type_of(given.value if isinstance(given, Keyword) else given, scope)
        if name in ("abs", "aimag", "imag") and found is not None and found[0] == "complex":
            return "real", found[1]
        if name in ("max", "min", "matmul", "dot_product") and found is not None:
            others = [type_of(one, scope) for one in arguments[1:]]
            for other in others:
                if other is None:
                    return None
                if other[0] == found[0]:
                    found = (found[0], max(found[1], other[1]))
                elif _RANK.get(other[0], 0) > _RANK.get(found[0], 0):
                    found = other
        return found
    return None
