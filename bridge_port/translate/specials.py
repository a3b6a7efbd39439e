"""Intrinsic functions of kernels/special.h: gamma and Bessel functions, parts of a number."""

from __future__ import annotations

from dataclasses import replace

from bridge_port.semantic.intrinsics import Intrinsic
from bridge_port.translate.body import Body
from bridge_port.translate.values import PRODUCT, Value, as_point, as_real

#: By bytes: binary digits and the exponent of the smallest normal number.
_MODEL = {4: (24, -126), 8: (53, -1022)}


def _real(b: Body, name: str, x: Value) -> Value:
    if x.type != "real":
        b.refuse(
            f"{name} of something other than a real",
            "it takes a real",
            "convert the argument with dble",
        )
    return x


def of_one(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    (x,) = values
    _real(b, one.name, x)
    return Value(f"{one.word}({on_its_own(x)})", "real", x.vary, kind=x.kind)


def on_its_own(x: Value) -> str:
    """As an argument whose type tells the number type."""
    return f"double({x.text})" if not x.vary and x.number is not None else x.text


def of_order(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    n, x = values
    _real(b, one.name, x)
    if n.type != "integer":
        b.refuse(
            f"{one.name} of an order that is no integer",
            "its order is a whole number",
            "give an integer",
        )
    if n.vary:
        b.refuse(f"{one.name} of an order that differs between points",
                 "it is the number of turns of a loop", "a constant order")  # fmt: skip
    return Value(f"{one.word}({n.text}, {on_its_own(x)})", "real", x.vary, kind=x.kind)


def exponent(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    (x,) = values
    _real(b, one.name, x)
    return Value(f"{one.word}({on_its_own(x)})", "integer", x.vary, kind=4)


def of_model(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    """Of the digits that a number of its kind has."""
    (x,) = values
    digits, least = _MODEL[_real(b, one.name, x).kind]
    model = f"{digits}, {least}" if one.name == "spacing" else f"{digits}"
    return Value(f"{one.word}({on_its_own(x)}, {model})", "real", x.vary, kind=x.kind)


def of_two(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    """The second one is an integer, or a real whose sign counts."""
    x, y = values
    _real(b, one.name, x)
    if one.name == "nearest":
        _real(b, one.name, y)
        if x.kind == 4:
            b.refuse("nearest of a real(4)", "kernels compute in double precision")
    elif y.type != "integer":
        b.refuse(
            f"{one.name} by something other than an integer",
            "it moves an exponent by a whole number",
            "give an integer, as in int(x)",
        )
    y = as_real(y)
    if x.vary or y.vary:
        x, y = as_point(x), as_point(y)
        return Value(f"{one.word}({x.text}, {y.text})", "real", True, kind=x.kind)
    text = f"{one.word}({on_its_own(x)}, {on_its_own(y)})"
    return Value(text, "real", False, kind=x.kind)


def scaled(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    """scale(x, n); a power of two that is a normal number is a factor."""
    x, by = values
    if isinstance(by.number, int) and abs(by.number) <= 1000 and x.type == "real":
        text = f"{x.within(PRODUCT)} * {2.0**by.number!r}"
        return Value(text, "real", x.vary, PRODUCT, kind=x.kind)
    return replace(of_two(b, one, values), kind=x.kind)
