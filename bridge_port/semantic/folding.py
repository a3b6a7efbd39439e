"""Intrinsic functions of constants, by the names of the table of intrinsics."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any

from bridge_port.semantic import intrinsics
from bridge_port.semantic.values import (
    MODELS,
    Value,
    binary,
    complex_number,
    convert,
    integer,
    real,
)

#: Of the values of the arguments, and of the kind that is asked for; None where there is no value.
Fold = Callable[[Sequence[Value], int | None], Value | None]


def call(name: str, values: Sequence[Value], kind: int | None = None) -> Value | None:
    """An elemental function, or one of texts; None of one that is not computed here."""
    one = intrinsics.find(name)
    if one is None or one.generic not in FOLDS or len(values) < len(one.required):
        return None
    if values[0].type not in one.takes:
        return None
    if one.generic in _OF_ONE_TYPE and len({(v.type, v.kind) for v in values}) > 1:
        return None
    fixed = one.fixed
    try:
        found = FOLDS[one.generic](values, kind or (fixed[1] if fixed else None))
    except (ArithmeticError, ValueError, TypeError):  # no number, or of arguments that do not fit
        return None
    return found if found is None or fixed is None else convert(found, *fixed)


#: Functions whose arguments have one type and one kind.
_OF_ONE_TYPE = frozenset(
    "max min sign dim mod modulo atan2 hypot iand ior ieor merge_bits lge lgt lle llt".split()
)


def reduction(name: str, values: Sequence[Value]) -> Value | None:
    """Of all elements of an array; None of none, and of one that is not computed here."""
    if not values or name not in REDUCTIONS:
        return None
    if name == "count":
        return integer(sum(bool(one.plain) for one in values))
    if name in ("any", "all"):
        return Value("logical", 4, (any if name == "any" else all)(one.plain for one in values))
    result: Value | None = values[0]
    for one in values[1:]:
        if result is None:
            return None
        if name in ("sum", "product"):
            result = binary("+" if name == "sum" else "*", result, one)
        else:
            result = call("max" if name == "maxval" else "min", (result, one))
    return result


REDUCTIONS = frozenset(("sum", "product", "maxval", "minval", "any", "all", "count"))


def selected_real_kind(digits: int, exponent: int = 0) -> int:
    for kind, has, reaches in ((4, 6, 37), (8, 15, 307), (10, 18, 4931), (16, 33, 4931)):
        if digits <= has and exponent <= reaches:
            return kind
    return -1


def selected_int_kind(digits: int) -> int:
    for kind, has in ((1, 2), (2, 4), (4, 9), (8, 18), (16, 38)):
        if digits <= has:
            return kind
    return -1


# ---- Numbers


def _of_real(
    function: Callable[[float], float], of_complex: Callable[[complex], complex] | None = None
) -> Fold:
    def fold(values: Sequence[Value], kind: int | None) -> Value | None:
        x = values[0]
        if x.type == "complex":
            return complex_number(of_complex(x.plain), x.kind) if of_complex else None
        return real(float(function(x.plain)), x.kind) if x.type == "real" else None

    return fold


def _like(function: Callable[..., Any]) -> Fold:
    """Of numbers; the result has the type and the kind of the first one."""

    def fold(values: Sequence[Value], kind: int | None) -> Value | None:
        first = values[0]
        found = function(*(one.plain for one in values))
        return (
            real(float(found), first.kind) if first.type == "real" else integer(found, first.kind)
        )

    return fold


def _to_integer(function: Callable[[float], int]) -> Fold:
    def fold(values: Sequence[Value], kind: int | None) -> Value | None:
        plain = values[0].plain
        plain = plain.real if isinstance(plain, complex) else plain
        return integer(function(plain), kind or 4) if math.isfinite(plain) else None

    return fold


def nearest_integer(x: float) -> int:
    """Halves go away from 0."""
    whole = math.floor(abs(x))
    return int(math.copysign(whole + (abs(x) - whole >= 0.5), x))


def _absolute(values: Sequence[Value], kind: int | None) -> Value | None:
    (x,) = values
    return Value("real" if x.type == "complex" else x.type, x.kind, abs(x.plain))


def _real(values: Sequence[Value], kind: int | None) -> Value | None:
    (x,) = values
    part = x.kind if x.type == "complex" else 4
    return real(float(x.plain.real), kind or part)


def _sign(a: float, b: float) -> float:
    negative = math.copysign(1.0, b) < 0
    return -abs(a) if negative else abs(a)


def _remainder(toward: bool) -> Callable[..., Any]:
    """mod; toward: modulo, with the sign of the second argument."""

    def of(a: Any, b: Any) -> Any:
        if isinstance(a, int):
            result: Any = int(math.copysign(1, a)) * (abs(a) % abs(b))
        else:
            result = math.fmod(a, b)
        return result + b if toward and result and (result < 0) != (b < 0) else result

    return of


def _merge(values: Sequence[Value], kind: int | None) -> Value | None:
    return (values[0] if values[2].plain else values[1]) if values[2].type == "logical" else None


def _model(function: Callable[[float, int, int], float]) -> Fold:
    """Of a number, its digits and its least exponent."""

    def fold(values: Sequence[Value], kind: int | None) -> Value | None:
        (x,) = values
        return real(function(x.plain, *MODELS[x.kind][:2]), x.kind) if x.kind in MODELS else None

    return fold


def _spacing(x: float, digits: int, low: int) -> float:
    return max(math.ldexp(1.0, math.frexp(x)[1] - digits), math.ldexp(1.0, low - 1))


def _nearest(values: Sequence[Value], kind: int | None) -> Value | None:
    x, toward = values
    if x.kind != 8 or not toward.plain:
        return None
    return real(math.nextafter(x.plain, math.copysign(math.inf, toward.plain)), 8)


# ---- Bits


def _signed(bits: int, kind: int) -> int:
    """The integer that has them."""
    sign = 1 << (8 * kind - 1)
    return ((bits & (2 * sign - 1)) ^ sign) - sign


def _of_bits(function: Callable[..., int]) -> Fold:
    """function: of the bits of the first argument, the bits that it has, and the others."""

    def fold(values: Sequence[Value], kind: int | None) -> Value | None:
        if any(one.type != "integer" for one in values):
            return None
        (x, *rest), bits = values, 8 * values[0].kind
        found = function(x.plain & ((1 << bits) - 1), bits, *(one.plain for one in rest))
        return integer(_signed(found, x.kind), x.kind)

    return fold


def _rotated(x: int, bits: int, by: int, size: int | None = None) -> int:
    size = size or bits
    low, by = x & ((1 << size) - 1), by % size
    turned = (low << by | low >> (size - by)) & ((1 << size) - 1)
    return x >> size << size | turned


def _counted(function: Callable[[int, int], int]) -> Fold:
    def fold(values: Sequence[Value], kind: int | None) -> Value | None:
        bits = 8 * values[0].kind
        return integer(function(values[0].plain & ((1 << bits) - 1), bits))

    return fold


def _mask(high: bool) -> Fold:
    def fold(values: Sequence[Value], kind: int | None) -> Value | None:
        bits, ones = 8 * (kind or 4), (1 << values[0].plain) - 1
        found = ones << (bits - values[0].plain) if high else ones
        return integer(_signed(found, kind or 4), kind or 4)

    return fold


# ---- Texts


def _text(function: Callable[[str], str]) -> Fold:
    return lambda values, kind: Value("character", 1, function(values[0].plain))


def _found(name: str) -> Fold:
    """A place counted from 1, or 0."""

    def fold(values: Sequence[Value], kind: int | None) -> Value | None:
        text, what, back = values[0].plain, values[1], len(values) > 2 and bool(values[2].plain)
        if what.type != "character":
            return None
        if name == "index":
            at = (text.rfind(what.plain) if back else text.find(what.plain)) + 1
            return integer(at, kind or 4)
        of = [n for n, one in enumerate(text, 1) if (one in what.plain) == (name == "scan")]
        return integer(of[-1 if back else 0] if of else 0, kind or 4)

    return fold


def _code(values: Sequence[Value], kind: int | None) -> Value | None:
    return integer(ord(values[0].plain), kind or 4) if len(values[0].plain) == 1 else None


_OF_ONE = {
    name: _of_real(getattr(math, name), getattr(cmath, name, None))
    for name in """sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    erf erfc gamma cbrt exp2 expm1 log1p log2""".split()
    if hasattr(math, name)
}
FOLDS: dict[str, Fold] = {
    **_OF_ONE,
    "log_gamma": _of_real(math.lgamma),
    "fraction": _of_real(lambda x: math.frexp(x)[0]),
    "aint": _of_real(math.trunc),
    "anint": _of_real(nearest_integer),
    "int": _to_integer(int),
    "nint": _to_integer(nearest_integer),
    "floor": _to_integer(math.floor), "ceiling": _to_integer(math.ceil),
    "real": _real, "dble": _real, "abs": _absolute, "merge": _merge,
    "aimag": lambda values, kind: real(values[0].plain.imag, values[0].kind),
    "conjg": lambda values, kind: complex_number(values[0].plain.conjugate(), values[0].kind),
    "logical": lambda values, kind: Value("logical", kind or 4, values[0].plain),
    "max": _like(max), "min": _like(min),
    "sign": _like(_sign),
    "dim": _like(lambda a, b: a - b if a > b else 0),
    "mod": _like(_remainder(False)), "modulo": _like(_remainder(True)),
    "atan2": _like(math.atan2), "hypot": _like(math.hypot),
    "dprod": lambda values, kind: real(values[0].plain * values[1].plain, 8),
    "exponent": lambda values, kind: integer(math.frexp(values[0].plain)[1]),
    "scale": _like(math.ldexp),
    "set_exponent": _like(lambda x, n: math.ldexp(math.frexp(x)[0], n)),
    "spacing": _model(_spacing),
    "rrspacing": _model(lambda x, digits, _: math.ldexp(abs(math.frexp(x)[0]), digits)),
    "nearest": _nearest,
    "iand": _like(lambda a, b: a & b), "ior": _like(lambda a, b: a | b),
    "ieor": _like(lambda a, b: a ^ b), "not": _like(lambda a: ~a),
    "ishft": _of_bits(lambda x, bits, by: x << by if by >= 0 else x >> -by),
    "ishftc": _of_bits(_rotated),
    "shiftl": _of_bits(lambda x, bits, by: x << by),
    "shiftr": _of_bits(lambda x, bits, by: x >> by),
    "shifta": _like(lambda x, by: x >> by),
    "ibset": _of_bits(lambda x, bits, at: x | 1 << at),
    "ibclr": _of_bits(lambda x, bits, at: x & ~(1 << at)),
    "ibits": _of_bits(lambda x, bits, at, size: x >> at & ((1 << size) - 1)),
    "merge_bits": _like(lambda x, y, mask: x & mask | y & ~mask),
    "btest": lambda values, kind: Value(
        "logical", 4, bool(values[0].plain >> values[1].plain & 1)),
    "popcnt": _counted(lambda x, bits: x.bit_count()),
    "leadz": _counted(lambda x, bits: bits - x.bit_length()),
    "trailz": _counted(lambda x, bits: (x & -x).bit_length() - 1 if x else bits),
    "maskl": _mask(True), "maskr": _mask(False),
    **{name: _found(name) for name in ("index", "scan", "verify")},
    "ichar": _code, "iachar": _code,
    "char": lambda values, kind: Value("character", 1, chr(values[0].plain)),
    "achar": lambda values, kind: Value("character", 1, chr(values[0].plain)),
    "len": lambda values, kind: integer(len(values[0].plain), kind or 4),
    "len_trim": lambda values, kind: integer(len(values[0].plain.rstrip(" ")), kind or 4),
    "trim": _text(lambda x: x.rstrip(" ")),
    "adjustl": _text(lambda x: x.lstrip(" ").ljust(len(x))),
    "adjustr": _text(lambda x: x.rstrip(" ").rjust(len(x))),
    "repeat": lambda values, kind: Value(
        "character", 1, values[0].plain * max(values[1].plain, 0)),
    "lge": lambda values, kind: binary(">=", *values),
    "lgt": lambda values, kind: binary(">", *values),
    "lle": lambda values, kind: binary("<=", *values),
    "llt": lambda values, kind: binary("<", *values),
}  # fmt: skip
