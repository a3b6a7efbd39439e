"""Constants with their type: arithmetic as Fortran does it."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Plain = int | float | bool | str | complex

#: Digits of the mantissa, smallest and largest exponent, decimal digits, decimal exponent.
MODELS = {4: (24, -125, 128, 6, 37), 8: (53, -1021, 1024, 15, 307)}


@dataclass(frozen=True)
class Value:
    """type: real, integer, logical, character, complex; kind: bytes, of a part of a complex
    number; plain: as Python has it."""

    type: str
    kind: int
    plain: Any


@dataclass(frozen=True)
class Constant:
    """shape: () of a scalar; values: in array order, None where one is not known."""

    shape: tuple[int, ...]
    values: tuple[Value | None, ...]

    @property
    def scalar(self) -> Value | None:
        return self.values[0] if self.shape == () else None


def single(number: float) -> float:
    """Rounded to four bytes."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def real(number: float, kind: int) -> Value | None:
    """None of a kind that Python has not, and of what is too large for it."""
    if kind not in (4, 8):
        return None
    rounded = single(number) if kind == 4 else number
    return Value("real", kind, rounded) if math.isfinite(rounded) else None


def complex_number(number: complex, kind: int) -> Value | None:
    parts = real(number.real, kind), real(number.imag, kind)
    if parts[0] is None or parts[1] is None:
        return None
    return Value("complex", kind, complex(parts[0].plain, parts[1].plain))


def integer(number: int, kind: int = 4) -> Value | None:
    """None where it does not fit."""
    if not -(1 << (8 * kind - 1)) <= number < 1 << (8 * kind - 1):
        return None
    return Value("integer", kind, number)


def convert(value: Value, type: str, kind: int) -> Value | None:
    """As an assignment does."""
    plain = value.plain
    if value.type == type == "character":
        return value
    if "character" in (value.type, type):
        return None
    if value.type == type == "logical":
        return Value(type, kind, plain)
    if isinstance(plain, bool | str) or type not in ("real", "integer", "complex"):
        return None
    if type == "complex":
        return complex_number(complex(plain), kind)
    if isinstance(plain, complex):
        plain = plain.real
    if type == "real":
        return real(float(plain), kind)
    if isinstance(plain, float) and not math.isfinite(plain):
        return None
    return integer(int(plain), kind)


def fitted(text: Value, length: int) -> Value:
    """With blanks behind it, or cut."""
    return Value("character", 1, str(text.plain)[:length].ljust(length))


def number(text: str, kind: int | None) -> Value | None:
    """Of its text without kind suffix; kind: that of the suffix, None of none."""
    if text.isdigit():
        return integer(int(text), kind or 4)
    kind = kind or (8 if "d" in text else 16 if "q" in text else 4)
    return real(float(text.replace("d", "e").replace("q", "e")), kind)


def _common(left: Value, right: Value) -> tuple[str, int]:
    if "complex" in (left.type, right.type):
        kinds = [one.kind for one in (left, right) if one.type != "integer"]
        return "complex", max(kinds)
    if left.type == right.type:
        return left.type, max(left.kind, right.kind)
    return "real", left.kind if left.type == "real" else right.kind


def unary(operator: str, value: Value) -> Value | None:
    if operator == "()":
        return value
    if operator == ".not." and value.type == "logical":
        return Value("logical", value.kind, not value.plain)
    if value.type in ("real", "integer", "complex") and operator in ("-", "+"):
        assert not isinstance(value.plain, str)
        plain = value.plain if operator == "+" else -value.plain
        return Value(value.type, value.kind, plain)
    return None


def binary(operator: str, left: Value, right: Value) -> Value | None:
    if operator in _LOGICAL:
        if left.type != "logical" or right.type != "logical":
            return None
        return Value("logical", 4, _LOGICAL[operator](bool(left.plain), bool(right.plain)))
    if operator == "//":
        if isinstance(left.plain, str) and isinstance(right.plain, str):
            return Value("character", 1, left.plain + right.plain)
        return None
    if left.type == right.type == "character":
        if operator not in _RELATIONS:
            return None
        width = max(len(str(left.plain)), len(str(right.plain)))
        padded = (str(left.plain).ljust(width), str(right.plain).ljust(width))
        return Value("logical", 4, _RELATIONS[operator](*padded))
    if {left.type, right.type} - {"real", "integer", "complex"}:
        return None
    if operator == "**" and right.type == "integer" and left.type == "real":
        return _power(left, right)
    type, kind = _common(left, right)
    one, other = convert(left, type, kind), convert(right, type, kind)
    if one is None or other is None:
        return None
    a, b = one.plain, other.plain
    assert not isinstance(a, str) and not isinstance(b, str)
    if isinstance(a, complex) or isinstance(b, complex):
        return _complexes(operator, complex(a), complex(b), kind)
    if operator in _RELATIONS:
        return Value("logical", 4, _RELATIONS[operator](a, b))
    if type == "integer":
        return _integers(operator, int(a), int(b), kind)
    return _reals(operator, float(a), float(b), kind)


def _integers(operator: str, a: int, b: int, kind: int) -> Value | None:
    if operator == "/":
        if b == 0:
            return None
        return integer(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1), kind)
    if operator == "**":
        if b >= 0:
            return integer(a**b, kind)
        if a == 0:
            return None
        return integer(0 if abs(a) > 1 else a ** (-b), kind)
    result = {"+": a + b, "-": a - b, "*": a * b}.get(operator)
    return None if result is None else integer(result, kind)


def _reals(operator: str, a: float, b: float, kind: int) -> Value | None:
    try:
        if operator == "+":
            return real(a + b, kind)
        if operator == "-":
            return real(a - b, kind)
        if operator == "*":
            return real(a * b, kind)
        if operator == "/":
            return None if b == 0 else real(a / b, kind)
        if operator == "**":
            return None if a < 0 else real(a**b, kind)
    except (OverflowError, ZeroDivisionError):
        return None
    return None


def _complexes(operator: str, a: complex, b: complex, kind: int) -> Value | None:
    if operator in ("==", "/="):
        return Value("logical", 4, (a == b) == (operator == "=="))
    if operator == "+":
        return complex_number(a + b, kind)
    if operator == "-":
        return complex_number(a - b, kind)
    if operator == "*":
        return complex_number(a * b, kind)
    if operator == "/" and b != 0:
        return complex_number(a / b, kind)
    return None


def _power(base: Value, exponent: Value) -> Value | None:
    try:
        return real(float(base.plain) ** int(exponent.plain), base.kind)
    except (OverflowError, ZeroDivisionError):
        return None


_LOGICAL: dict[str, Callable[[bool, bool], bool]] = {
    ".and.": lambda a, b: a and b,
    ".or.": lambda a, b: a or b,
    ".eqv.": lambda a, b: a == b,
    ".neqv.": lambda a, b: a != b,
}
_RELATIONS: dict[str, Callable[..., bool]] = {
    "==": lambda a, b: a == b,
    "/=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def inquiry(name: str, type: str, kind: int) -> Value | None:
    """huge(x), epsilon(x), ...: of a type alone."""
    if name == "kind":
        return integer(kind)
    if type == "character":
        return None
    if type == "integer":
        if name == "huge":
            return integer((1 << (8 * kind - 1)) - 1, kind)
        if name == "bit_size":
            return integer(8 * kind, kind)
        numbers = {"digits": 8 * kind - 1, "radix": 2, "range": {1: 2, 2: 4, 4: 9, 8: 18}[kind]}
        return integer(numbers[name]) if name in numbers else None
    if type != "real" or kind not in MODELS:
        return None
    digits, low, high, precision, exponent = MODELS[kind]
    if name == "epsilon":
        return Value("real", kind, 2.0 ** (1 - digits))
    if name == "tiny":
        return Value("real", kind, 2.0 ** (low - 1))
    if name == "huge":
        return Value("real", kind, math.ldexp(1.0 - 2.0**-digits, high))
    integers = {
        "digits": digits, "radix": 2, "minexponent": low, "maxexponent": high,
        "precision": precision, "range": exponent,
    }  # fmt: skip
    return integer(integers[name]) if name in integers else None
