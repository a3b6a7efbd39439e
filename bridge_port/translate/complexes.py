"""Complex numbers: scalars and local arrays, as `Complex` of kernels/complex.h."""

from __future__ import annotations

from bridge_port.semantic.intrinsics import Intrinsic
from bridge_port.syntax.expressions import Component, Expression
from bridge_port.translate.body import Body
from bridge_port.translate.values import (
    EQUALITY,
    PRIMARY,
    PRODUCT,
    SUM,
    UNARY,
    Value,
    as_point,
    as_real,
)


def of_numbers(b: Body, re: Value, im: Value) -> Value:
    """(re, im) of constants."""
    kind = max((v.kind for v in (re, im) if v.type == "real"), default=4)
    return of_parts(b, re, im, kind)


def of_parts(b: Body, re: Value, im: Value, kind: int) -> Value:
    if kind not in (4, 8):
        b.refuse(f"complex({kind})", "kernels compute in double precision")
    parts = [as_real(v) for v in (re, im)]
    if any(v.type != "real" for v in parts):
        b.refuse(
            "a complex number of something other than numbers",
            "its parts are reals or integers",
            "give two numbers",
        )
    vary = any(v.vary for v in parts)
    if kind == 4 and any(v.number is None for v in parts):
        b.port.uses_single = True
    word = "Complex<Real>" if vary else "Complex<double>"
    text = f"{word}({parts[0].text}, {parts[1].text})"
    return Value(text, "complex", vary, PRIMARY, kind=kind)


def constant(b: Body, kind: int, key: str, name: str, number: complex) -> Value:
    """A named constant, with its name."""
    text = f"{name}({number.real!r}, {number.imag!r})"
    b.constants.setdefault(key, f"constexpr Complex<double> {text};")
    return Value(name, "complex", False, PRIMARY, kind=kind)


def of_table(table: str, column: Value, kind: int) -> Value:
    """An element of a constant array, whose parts lie behind each other."""
    places = [f"2 * {column.within(PRODUCT)}", f"2 * {column.within(PRODUCT)} + 1"]
    if not column.vary:
        text = f"Complex<double>({table}[{places[0]}], {table}[{places[1]}])"
        return Value(text, "complex", False, PRIMARY, kind=kind)
    parts = [f"lookup<0>({table}, {place})" for place in places]
    return Value(f"Complex<Real>({', '.join(parts)})", "complex", True, PRIMARY, kind=kind)


def as_complex(v: Value) -> Value:
    """A real has an imaginary part of +0."""
    if v.type == "complex":
        return v
    v = as_real(v)
    word = "Complex<Real>" if v.vary else "Complex<double>"
    return Value(f"{word}({v.text})", "complex", v.vary, PRIMARY, kind=v.kind)


def common(x: Value, y: Value) -> tuple[Value, Value, int]:
    kind = max((v.kind for v in (x, y) if v.type != "integer"), default=4)
    return as_complex(x), as_complex(y), kind


def binary(b: Body, op: str, x: Value, y: Value) -> Value:
    """One of both is complex, both are numbers."""
    x, y, kind = common(x, y)
    vary = x.vary or y.vary
    if op in ("==", "/="):
        sign = "!=" if op == "/=" else "=="
        return Value(f"{x.within(SUM)} {sign} {y.within(SUM)}", "logical", vary, EQUALITY, kind=4)
    if op not in ("+", "-", "*", "/"):
        b.refuse(f"{op} of complex numbers", "they have no order")
    strength = SUM if op in "+-" else PRODUCT
    right = UNARY if strength == PRODUCT else PRODUCT
    return Value(
        f"{x.within(strength)} {op} {y.within(right)}", "complex", vary, strength, kind=kind
    )


def power(b: Body, x: Value, y: Value) -> Value:
    if x.type == "complex" and y.type == "integer":
        if y.number == 2 and x.text.isidentifier():
            return Value(f"{x.text} * {x.text}", "complex", x.vary, PRODUCT, kind=x.kind)
        if y.vary:
            x = as_point(x)
            return Value(f"powerOfEach({x.text}, {y.text})", "complex", True, kind=x.kind)
        return Value(f"pow({x.text}, {y.text})", "complex", x.vary, kind=x.kind)
    x, y, kind = common(x, y)
    if x.vary != y.vary:
        x, y = as_point(x), as_point(y)
    return Value(f"pow({x.text}, {y.text})", "complex", x.vary, kind=kind)


# ---- Intrinsic functions


def of_one(b: Body, one: Intrinsic, x: Value) -> Value:
    name = one.generic
    if name == "abs":
        return Value(f"abs({x.text})", "real", x.vary, kind=x.kind)
    if name == "aimag":
        return part(x, "im")
    if x.type not in one.takes - one.refused:
        b.refuse(f"{name} of a complex number", "kernels do not have it")
    return Value(f"{name}({x.text})", "complex", x.vary, kind=x.kind)


def part(x: Value, name: str) -> Value:
    return Value(f"{x.within(PRIMARY)}.{name}", "real", x.vary, PRIMARY, kind=x.kind)


def of_variable(b: Body, e: Component) -> Expression | None:
    """The complex variable that z%re and z%im are a part of."""
    if e.name not in ("re", "im"):
        return None
    found = b.scope.type_of(e.base)
    return e.base if found is not None and found[0] == "complex" else None
