"""Intrinsic functions of the bits of integers, which have 32."""

from __future__ import annotations

from dataclasses import replace

from bridge_port.semantic.intrinsics import Intrinsic
from bridge_port.translate.body import Body
from bridge_port.translate.values import (
    AND,
    EQUALITY,
    OR,
    SHIFT,
    UNARY,
    XOR,
    Value,
    as_bits,
    integer,
)


def bitwise(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    """iand, ior, ieor."""
    x, y = integers(b, values)
    if isinstance(x.number, int) and isinstance(y.number, int):
        results = {"&": x.number & y.number, "|": x.number | y.number, "^": x.number ^ y.number}
        return integer(results[one.word])
    text = f"{x.within(UNARY)} {one.word} {y.within(UNARY)}"
    strength = {"&": AND, "|": OR, "^": XOR}[one.word]
    return Value(text, "integer", x.vary or y.vary, strength, kind=4)


def integers(b: Body, values: list[Value]) -> list[Value]:
    for v in values:
        if v.type != "integer" or v.kind == 8 and v.number is None:
            b.refuse(
                "bits of something other than an integer of 32 bits",
                "integers of kernels have 32 bits",
                "use integer(4)",
            )
    return values


def complement(b: Body, values: list[Value]) -> Value:
    (x,) = integers(b, values)
    return Value(f"~{x.within(UNARY)}", "integer", x.vary, UNARY, kind=4)


def pointwise(word: str, values: list[Value]) -> Value:
    """A function of integers that is called with all of them of each point, or with none."""
    vary = any(v.vary for v in values)
    texts = [as_bits(v).text if vary else v.text for v in values]
    return Value(f"{word}({', '.join(texts)})", "integer", vary, kind=4)


def shifted(b: Body, values: list[Value]) -> Value:
    x, by = integers(b, values)
    if not isinstance(by.number, int):
        return pointwise("shiftedEither", [x, by])
    if abs(by.number) > 32:
        b.refuse(
            "a shift by more than 32 bits",
            "integers have 32 bits, and Fortran leaves this open",
            "write 0 where all bits go out",
        )
    if by.number == 0:
        return x
    if abs(by.number) == 32:
        return integer(0)
    if by.number > 0:
        return Value(f"low32({x.within(SHIFT)} << {by.number})", "integer", x.vary, kind=4)
    kept = (1 << (32 + by.number)) - 1
    text = f"({x.within(SHIFT)} >> {-by.number}) & {kept}"
    return Value(text, "integer", x.vary, AND, kind=4)


def counted(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    """Of the bits of an integer."""
    (x,) = integers(b, values)
    if isinstance(x.number, int):
        x = replace(x, text=f"int({x.text})", number=None)
    return Value(f"{one.word}({x.text})", "integer", x.vary, kind=4)


def constant_of(b: Body, v: Value, low: int, high: int, what: str) -> int:
    if not isinstance(v.number, int) or not low <= v.number <= high:
        b.refuse(what, f"it has to be a constant from {low} to {high}")
    return v.number


def bits_of(b: Body, values: list[Value]) -> Value:
    """ibits(x, place, count)."""
    x, place, count = integers(b, values)
    if not isinstance(place.number, int) or not isinstance(count.number, int):
        low = pointwise("lowestBits", [count])
        part = pointwise("shiftedRight", [x, place])
        text = f"{part.text} & {low.text}"
        return Value(text, "integer", part.vary or low.vary, AND, kind=4)
    by = constant_of(b, place, 0, 31, "the place of ibits")
    size = constant_of(b, count, 0, 31, "the number of bits of ibits")
    if by + size > 32:
        b.refuse(
            "ibits beyond 32 bits",
            "integers have 32 bits, and Fortran leaves this open",
            "make position and length at most 32 together",
        )
    text = f"({x.within(SHIFT)} >> {by}) & {(1 << size) - 1}"
    return Value(text, "integer", x.vary, AND, kind=4)


def turned(b: Body, values: list[Value]) -> Value:
    """ishftc(x, by): bits that leave on one side come in on the other."""
    if len(values) != 2:
        b.refuse(
            "ishftc of a part of the bits",
            "all 32 bits are rotated in a kernel",
            "write the part with ibits, ishft and ior",
        )
    x, by = integers(b, values)
    left = constant_of(b, by, -31, 31, "the shift of ishftc") % 32
    if left == 0:
        return x
    low = f"(({x.within(SHIFT)} >> {32 - left}) & {(1 << left) - 1})"
    text = f"low32({x.within(SHIFT)} << {left}) | {low}"
    return Value(text, "integer", x.vary, OR, kind=4)


def left(b: Body, values: list[Value]) -> Value:
    """shiftl(x, by)."""
    x, by = integers(b, values)
    if by.number is None:
        return pointwise("shiftedLeft", [x, by])
    return shifted(b, [x, integer(constant_of(b, by, 0, 32, "the shift of shiftl"))])


def right(b: Body, values: list[Value]) -> Value:
    """shiftr(x, by)."""
    x, by = integers(b, values)
    if by.number is None:
        return pointwise("shiftedRight", [x, by])
    return shifted(b, [x, integer(-constant_of(b, by, 0, 32, "the shift of shiftr"))])


def right_with_sign(b: Body, values: list[Value]) -> Value:
    x, by = integers(b, values)
    if by.number is None:
        n = pointwise("placeOfBit", [by])
        if n.vary:
            x = as_bits(x)
        return Value(f"{x.within(SHIFT)} >> {n.text}", "integer", x.vary, SHIFT, kind=4)
    number = min(constant_of(b, by, 0, 32, "the shift of shifta"), 31)
    return Value(f"{x.within(SHIFT)} >> {number}", "integer", x.vary, SHIFT, kind=4)


def masked_low(b: Body, values: list[Value]) -> Value:
    """maskr(n): the n lowest bits."""
    n = constant_of(b, integers(b, values)[0], 0, 32, "the number of bits of maskr")
    return integer((1 << n) - 1 if n < 32 else -1)


def masked_high(b: Body, values: list[Value]) -> Value:
    """maskl(n): the n highest bits."""
    n = constant_of(b, integers(b, values)[0], 0, 32, "the number of bits of maskl")
    return integer(-(1 << (32 - n)) if n else 0)


def merged(b: Body, values: list[Value]) -> Value:
    """merge_bits(x, y, mask): of x where the mask has a bit."""
    x, y, mask = integers(b, values)
    text = (
        f"({x.within(UNARY)} & {mask.within(UNARY)}) | ({y.within(UNARY)} & ~{mask.within(UNARY)})"
    )
    return Value(text, "integer", any(v.vary for v in values), OR, kind=4)


def one_bit(b: Body, values: list[Value]) -> tuple[Value, str, bool]:
    """The integer, and the bit of it as an integer; whether one of both differs."""
    x, place = integers(b, values)
    if place.number is None:
        found = pointwise("shiftedLeft", [as_bits(integer(1)) if place.vary
                                          else integer(1), place])  # fmt: skip
        return x, found.text, x.vary or found.vary
    n = constant_of(b, place, 0, 31, "the number of a bit")
    return x, str(1 << n) if n < 31 else "(-2147483647 - 1)", x.vary


def tested(b: Body, values: list[Value]) -> Value:
    x, place = integers(b, values)
    if place.number is None:
        if place.vary:
            x, place = as_bits(x), as_bits(place)
        text = f"(({x.within(SHIFT)} >> inside({place.text}, 32)) & 1) != 0"
        return Value(text, "logical", x.vary, EQUALITY, kind=4)
    x, one, _ = one_bit(b, values)
    return Value(f"({x.within(UNARY)} & {one}) != 0", "logical", x.vary, EQUALITY, kind=4)


def bit_set(b: Body, values: list[Value]) -> Value:
    x, one, vary = one_bit(b, values)
    return Value(f"{x.within(UNARY)} | {one}", "integer", vary, OR, kind=4)


def bit_cleared(b: Body, values: list[Value]) -> Value:
    x, one, vary = one_bit(b, values)
    return Value(f"{x.within(UNARY)} & ~{one}", "integer", vary, AND, kind=4)
