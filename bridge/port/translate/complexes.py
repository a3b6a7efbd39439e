"""Complex numbers: scalars and local arrays, as `Complex` of kernels/complex.h."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge.port.program.symbols import Symbol
from bridge.port.syntax.expressions import ComplexNumber, Component, Expression, Keyword
from bridge.port.translate import arrays, expressions
from bridge.port.translate.body import Body
from bridge.port.translate.values import (
    EQUALITY,
    PRIMARY,
    PRODUCT,
    SUM,
    UNARY,
    Value,
)

#: Functions of one complex number; names for one kind are gfortran's.
SAME = {
    f"{letters}{name}": name
    for name in "sqrt exp log sin cos tan abs".split()
    for letters in ("c", "cd", "z")
} | {"dconjg": "conjg", "dimag": "aimag", "imag": "aimag", "dreal": "real"}
OF_ONE = frozenset("sqrt exp log sin cos tan sinh cosh tanh conjg".split())
#: All that may have one among its arguments; int and dble take its real part.
FUNCTIONS = OF_ONE | {"abs", "aimag", "real", "dble", "int", "cmplx", "dcmplx", "merge"}


def literal(b: Body, e: ComplexNumber) -> Value:
    re, im = expressions.value(b, e.real), expressions.value(b, e.imaginary)
    kind = max((v.kind for v in (re, im) if v.type == "real"), default=4)
    return of_parts(b, re, im, kind)


def of_parts(b: Body, re: Value, im: Value, kind: int) -> Value:
    if kind not in (4, 8):
        b.refuse(f"complex({kind})", "kernels compute in double precision")
    parts = [expressions.as_real(v) for v in (re, im)]
    if any(v.type != "real" for v in parts):
        b.refuse("a complex number of something other than numbers")
    vary = any(v.vary for v in parts)
    if kind == 4 and any(v.number is None for v in parts):
        b.port.uses_single = True
    word = "Complex<Real>" if vary else "Complex<double>"
    text = f"{word}({parts[0].text}, {parts[1].text})"
    return Value(text, "complex", vary, PRIMARY, kind=kind)


def constant(b: Body, symbol: Symbol, number: complex) -> Value:
    """A named constant, under its name."""
    name = b.names.of(symbol.name)
    text = f"{name}({number.real!r}, {number.imag!r})"
    b.constants.setdefault(symbol.name, f"constexpr Complex<double> {text};")
    return Value(name, "complex", False, PRIMARY, kind=symbol.kind)


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
    v = expressions.as_real(v)
    word = "Complex<Real>" if v.vary else "Complex<double>"
    return Value(f"{word}({v.text})", "complex", v.vary, PRIMARY, kind=v.kind)


def common(x: Value, y: Value) -> tuple[Value, Value, int]:
    kind = max((v.kind for v in (x, y) if v.type != "integer"), default=4)
    return as_complex(x), as_complex(y), kind


def binary(b: Body, op: str, x: Value, y: Value) -> Value:
    """One of both is complex."""
    expressions.numeric(b, x, op)
    expressions.numeric(b, y, op)
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
            x = expressions.as_point(x)
            return Value(f"powerOfEach({x.text}, {y.text})", "complex", True, kind=x.kind)
        return Value(f"pow({x.text}, {y.text})", "complex", x.vary, kind=x.kind)
    x, y, kind = common(x, y)
    if x.vary != y.vary:
        x, y = expressions.as_point(x), expressions.as_point(y)
    return Value(f"pow({x.text}, {y.text})", "complex", x.vary, kind=kind)


# ---- Intrinsic functions


def cmplx(b: Body, name: str, arguments: Sequence[Expression], at: tuple[Value, ...]) -> Value:
    """cmplx(x, y, kind); of a complex x no y."""
    plain = [a for a in arguments if not isinstance(a, Keyword)]
    named = {a.name: a.value for a in arguments if isinstance(a, Keyword)}
    given = {**dict(zip(("x", "y", "kind"), plain, strict=False)), **named}
    if "x" not in given or set(given) - {"x", "y", "kind"} or len(plain) > 3:
        b.refuse(f"{name} with these arguments")
    kind = 8 if name == "dcmplx" else 4
    if "kind" in given:
        found = b.scope.constant(given["kind"])
        if not isinstance(found, int):
            b.refuse(f"the kind of {name}", "it is not known")
        kind = found
    parts = [
        expressions.value(b, given[key], at if arrays.rank(b, given[key]) else ())
        for key in ("x", "y")
        if key in given
    ]
    for v in parts:
        if v.type not in ("real", "integer", "complex"):
            b.refuse(f"{name} of a {v.type}")
        if kind == 4 and v.kind == 8 and v.type != "integer":
            b.port.uses_single = True
            b.port.note(f"{b.place}: {name} rounds to single precision, the kernel does not")
    if parts[0].type == "complex":
        if len(parts) > 1:
            b.refuse(f"{name} of a complex number and another")
        return replace(parts[0], kind=kind)
    zero = Value("0.0", "real", False, PRIMARY, 0.0)
    if any(v.type == "complex" for v in parts):
        b.refuse(f"{name} with a complex imaginary part")
    return of_parts(b, parts[0], parts[1] if len(parts) > 1 else zero, kind)


def of_one(b: Body, name: str, x: Value) -> Value:
    if name == "abs":
        return Value(f"abs({x.text})", "real", x.vary, kind=x.kind)
    if name in ("real", "aimag"):
        return part(x, "re" if name == "real" else "im")
    if name not in OF_ONE:
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
