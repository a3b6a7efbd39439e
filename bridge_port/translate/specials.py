"""Intrinsic functions of kernels/special.h: gamma and Bessel functions, parts of a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bridge_port.translate.body import Body
from bridge_port.translate.values import PRODUCT, Value, as_point, as_real

#: Of one real; names for one kind are Fortran's own of earlier times, and gfortran's.
_OF_ONE = {
    "gamma": "gammaFunction", "dgamma": "gammaFunction",
    "log_gamma": "logGamma", "lgamma": "logGamma", "algama": "logGamma", "dlgama": "logGamma",
    "erfc": "erfc", "derfc": "erfc", "erfc_scaled": "erfcScaled",
    "bessel_j0": "besselJ0", "besj0": "besselJ0", "dbesj0": "besselJ0",
    "bessel_j1": "besselJ1", "besj1": "besselJ1", "dbesj1": "besselJ1",
    "bessel_y0": "besselY0", "besy0": "besselY0", "dbesy0": "besselY0",
    "bessel_y1": "besselY1", "besy1": "besselY1", "dbesy1": "besselY1",
    "fraction": "fractionPart",
}  # fmt: skip
_OF_ORDER = {
    "bessel_jn": "besselJn", "besjn": "besselJn", "dbesjn": "besselJn",
    "bessel_yn": "besselYn", "besyn": "besselYn", "dbesyn": "besselYn",
}  # fmt: skip
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


def of_one(name: str, word: str) -> Callable[[Body, list[Value]], Value]:
    def made(b: Body, values: list[Value]) -> Value:
        (x,) = values
        _real(b, name, x)
        return Value(f"{word}({on_its_own(x)})", "real", x.vary, kind=x.kind)

    return made


def on_its_own(x: Value) -> str:
    """As an argument whose type tells the number type."""
    return f"double({x.text})" if not x.vary and x.number is not None else x.text


def of_order(name: str, word: str) -> Callable[[Body, list[Value]], Value]:
    def made(b: Body, values: list[Value]) -> Value:
        n, x = values
        _real(b, name, x)
        if n.type != "integer":
            b.refuse(
                f"{name} of an order that is no integer",
                "its order is a whole number",
                "give an integer",
            )
        if n.vary:
            b.refuse(f"{name} of an order that differs between points",
                     "it is the number of turns of a loop", "a constant order")  # fmt: skip
        return Value(f"{word}({n.text}, {on_its_own(x)})", "real", x.vary, kind=x.kind)

    return made


def exponent(b: Body, values: list[Value]) -> Value:
    (x,) = values
    _real(b, "exponent", x)
    return Value(f"exponentPart({on_its_own(x)})", "integer", x.vary, kind=4)


def of_model(name: str, word: str) -> Callable[[Body, list[Value]], Value]:
    """Of the digits that a number of its kind has."""

    def made(b: Body, values: list[Value]) -> Value:
        (x,) = values
        digits, least = _MODEL[_real(b, name, x).kind]
        model = f"{digits}, {least}" if word == "spacingOf" else f"{digits}"
        return Value(f"{word}({on_its_own(x)}, {model})", "real", x.vary, kind=x.kind)

    return made


def of_two(name: str, word: str) -> Callable[[Body, list[Value]], Value]:
    """The second one is an integer, or a real whose sign counts."""

    def made(b: Body, values: list[Value]) -> Value:
        x, y = values
        _real(b, name, x)
        if word == "nearestNumber":
            _real(b, name, y)
            if x.kind == 4:
                b.refuse("nearest of a real(4)", "kernels compute in double precision")
        elif y.type != "integer":
            b.refuse(
                f"{name} by something other than an integer",
                "it moves an exponent by a whole number",
                "give an integer, as in int(x)",
            )
        y = as_real(y)
        if x.vary or y.vary:
            x, y = as_point(x), as_point(y)
            return Value(f"{word}({x.text}, {y.text})", "real", True, kind=x.kind)
        text = f"{word}({on_its_own(x)}, {on_its_own(y)})"
        return Value(text, "real", False, kind=x.kind)

    return made


def scaled(b: Body, values: list[Value]) -> Value:
    """scale(x, n); a power of two that is a normal number is a factor."""
    x, by = values
    if isinstance(by.number, int) and abs(by.number) <= 1000 and x.type == "real":
        text = f"{x.within(PRODUCT)} * {2.0**by.number!r}"
        return Value(text, "real", x.vary, PRODUCT, kind=x.kind)
    return replace(of_two("scale", "scaleNumber")(b, values), kind=x.kind)


FUNCTIONS: dict[str, Callable[[Body, list[Value]], Value]] = {
    **{name: of_one(name, word) for name, word in _OF_ONE.items()},
    **{name: of_order(name, word) for name, word in _OF_ORDER.items()},
    "exponent": exponent,
    "spacing": of_model("spacing", "spacingOf"),
    "rrspacing": of_model("rrspacing", "inverseSpacing"),
    "set_exponent": of_two("set_exponent", "setExponent"),
    "nearest": of_two("nearest", "nearestNumber"),
    "scale": scaled,
}
ARGUMENTS = {
    **dict.fromkeys((*_OF_ONE, "exponent", "spacing", "rrspacing"), 1),
    **dict.fromkeys((*_OF_ORDER, "set_exponent", "nearest", "scale"), 2),
}
