"""Intrinsic functions of the bits of integers, which have 32."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bridge.port.translate import expressions
from bridge.port.translate.body import Body
from bridge.port.translate.values import (
    AND,
    EQUALITY,
    OR,
    PRODUCT,
    SHIFT,
    UNARY,
    XOR,
    Value,
    integer,
)


def bitwise(sign: str, strength: int) -> Callable[[Body, list[Value]], Value]:
    def made(b: Body, values: list[Value]) -> Value:
        x, y = integers(b, values)
        if isinstance(x.number, int) and isinstance(y.number, int):
            results = {
                "&": x.number & y.number,
                "|": x.number | y.number,
                "^": x.number ^ y.number,
            }
            return integer(results[sign])
        text = f"{x.within(UNARY)} {sign} {y.within(UNARY)}"
        return Value(text, "integer", x.vary or y.vary, strength, kind=4)

    return made


def integers(b: Body, values: list[Value]) -> list[Value]:
    for v in values:
        if v.type != "integer" or v.kind == 8 and v.number is None:
            b.refuse("bits of something other than an integer of 32 bits")
    return values


def complement(b: Body, values: list[Value]) -> Value:
    (x,) = integers(b, values)
    return Value(f"~{x.within(UNARY)}", "integer", x.vary, UNARY, kind=4)


def shifted(b: Body, values: list[Value]) -> Value:
    x, by = integers(b, values)
    if not isinstance(by.number, int) or abs(by.number) > 31:
        b.refuse("a shift by a number that is not constant")
    if by.number == 0:
        return x
    if by.number > 0:
        return Value(f"low32({x.within(SHIFT)} << {by.number})", "integer", x.vary, kind=4)
    kept = (1 << (32 + by.number)) - 1
    text = f"({x.within(SHIFT)} >> {-by.number}) & {kept}"
    return Value(text, "integer", x.vary, AND, kind=4)


def counted(word: str) -> Callable[[Body, list[Value]], Value]:
    """Of the bits of an integer."""

    def made(b: Body, values: list[Value]) -> Value:
        (x,) = integers(b, values)
        if isinstance(x.number, int):
            x = replace(x, text=f"int({x.text})", number=None)
        return Value(f"{word}({x.text})", "integer", x.vary, kind=4)

    return made


def constant_of(b: Body, v: Value, low: int, high: int, what: str) -> int:
    if not isinstance(v.number, int) or not low <= v.number <= high:
        b.refuse(what, f"it has to be a constant from {low} to {high}")
    return v.number


def bits_of(b: Body, values: list[Value]) -> Value:
    """ibits(x, place, count)."""
    x, place, count = integers(b, values)
    by = constant_of(b, place, 0, 31, "the place of ibits")
    size = constant_of(b, count, 0, 31, "the number of bits of ibits")
    if by + size > 32:
        b.refuse("ibits beyond 32 bits")
    text = f"({x.within(SHIFT)} >> {by}) & {(1 << size) - 1}"
    return Value(text, "integer", x.vary, AND, kind=4)


def turned(b: Body, values: list[Value]) -> Value:
    """ishftc(x, by): bits that leave on one side come in on the other."""
    if len(values) != 2:
        b.refuse("ishftc of a part of the bits")
    x, by = integers(b, values)
    left = constant_of(b, by, -31, 31, "the shift of ishftc") % 32
    if left == 0:
        return x
    low = f"(({x.within(SHIFT)} >> {32 - left}) & {(1 << left) - 1})"
    text = f"low32({x.within(SHIFT)} << {left}) | {low}"
    return Value(text, "integer", x.vary, OR, kind=4)


def right(b: Body, values: list[Value]) -> Value:
    """shiftr(x, by)."""
    x, by = integers(b, values)
    n = constant_of(b, by, 0, 31, "the shift of shiftr")
    return shifted(b, [x, integer(-n)])


def right_with_sign(b: Body, values: list[Value]) -> Value:
    x, by = integers(b, values)
    n = constant_of(b, by, 0, 31, "the shift of shifta")
    return Value(f"{x.within(SHIFT)} >> {n}", "integer", x.vary, SHIFT, kind=4)


def scaled(b: Body, values: list[Value]) -> Value:
    """scale(x, n): a power of two that is a normal number."""
    x, by = values
    if x.type != "real" or by.type != "integer":
        b.refuse("scale of something other than a real and an integer")
    n = constant_of(b, by, -1000, 1000, "the exponent of scale")
    return Value(f"{x.within(PRODUCT)} * {2.0**n!r}", "real", x.vary, PRODUCT, kind=x.kind)


def bit(b: Body, values: list[Value]) -> tuple[Value, int]:
    x, place = integers(b, values)
    if not isinstance(place.number, int) or not 0 <= place.number <= 30:
        b.refuse("a bit whose number is not constant or is the sign")
    return x, 1 << place.number


def tested(b: Body, values: list[Value]) -> Value:
    x, place = integers(b, values)
    if place.number is None:
        if place.vary:
            x, place = expressions.as_bits(x), expressions.as_bits(place)
        text = f"(({x.within(SHIFT)} >> inside({place.text}, 32)) & 1) != 0"
        return Value(text, "logical", x.vary, EQUALITY, kind=4)
    x, one = bit(b, values)
    return Value(f"({x.within(UNARY)} & {one}) != 0", "logical", x.vary, EQUALITY, kind=4)


def bit_set(b: Body, values: list[Value]) -> Value:
    x, one = bit(b, values)
    return Value(f"{x.within(UNARY)} | {one}", "integer", x.vary, OR, kind=4)


def bit_cleared(b: Body, values: list[Value]) -> Value:
    x, one = bit(b, values)
    return Value(f"{x.within(UNARY)} & {~one}", "integer", x.vary, AND, kind=4)


FUNCTIONS: dict[str, Callable[[Body, list[Value]], Value]] = {
    "iand": bitwise("&", AND),
    "ior": bitwise("|", OR),
    "ieor": bitwise("^", XOR),
    "not": complement,
    "ishft": shifted,
    "btest": tested,
    "ibset": bit_set,
    "ibclr": bit_cleared,
    "ibits": bits_of,
    "ishftc": turned,
    "shiftr": right,
    "shifta": right_with_sign,
    "popcnt": counted("popcnt"),
    "leadz": counted("leadz"),
    "trailz": counted("trailz"),
    "scale": scaled,
}
