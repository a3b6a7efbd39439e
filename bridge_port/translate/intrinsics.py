"""Intrinsic functions that give a value for each element. Those of whole arrays: reductions.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bridge_port.program.unknownnames import given_by
from bridge_port.syntax.expressions import Expression, Keyword, Name
from bridge_port.translate import (
    arrays,
    bits,
    complexes,
    elements,
    expressions,
    inquiries,
    operators,
    reductions,
    specials,
    texts,
)
from bridge_port.translate.body import Body
from bridge_port.translate.values import (
    PRIMARY,
    PRODUCT,
    SUM,
    UNARY,
    Value,
    as_bits,
    as_point,
    as_real,
    choice,
    integer,
    minus,
    real,
)

#: Of one real, by the names of point.h; d, a and other forms for one kind are names of Fortran 77.
OF_ONE_REAL = {
    **{
        name: name
        for name in """sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh erf aint anint
        log1p expm1 cbrt exp2 log2 asinh acosh atanh""".split()
    },
    **{
        "d" + name: name
        for name in """sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh
        atanh erf int""".split()
    },
    "dint": "aint",
    "dnint": "anint",
    "alog": "log",
    "alog10": "log10",
}
SAME = {
    "iabs": "abs", "dabs": "abs", "dsign": "sign", "isign": "sign", "dmod": "mod", "amod": "mod",
    "datan2": "atan2", "ddim": "dim", "idim": "dim", "idint": "int", "ifix": "int",
    "idnint": "nint", "dmax1": "max", "amax1": "max", "max0": "max", "dmin1": "min",
    "amin1": "min", "min0": "min", "float": "real", "dfloat": "dble", "sngl": "real",
    "isnan": "ieee_is_nan", "ishl": "ishft", "lshift": "shiftl",
    "rshift": "shifta", "and": "iand", "or": "ior",
    "xor": "ieor",
}  # fmt: skip
#: Functions of C that a code declares by an interface.
OF_C = frozenset("log1p expm1 cbrt exp2 log2".split())
#: Give an array that is computed as a whole.
WHOLE = frozenset(
    "matmul transpose spread reshape maxloc minloc findloc cshift eoshift pack shape".split()
)


def rank(b: Body, name: str, arguments: Sequence[Expression]) -> int | None:
    """Of the result; None where it is that of the arguments."""
    if name in inquiries.INQUIRIES:
        return 1 if inquiries.of_dimensions(b, name, arguments) else 0
    if name in reductions.SCALAR or name in WHOLE:
        return reductions.rank(b, name, arguments)
    return None


def whole(name: str) -> bool:
    """Whether an array that it gives has to be computed as a whole."""
    return name in WHOLE or name in reductions.SCALAR or name in ("lbound", "ubound")


def intrinsic(b: Body, name: str, arguments: Sequence[Expression], at: tuple[Value, ...]) -> Value:
    if name in b.unit.external or (b.port.overloaded(b.unit, name) and name not in OF_C):
        b.refuse(f"function {name}", "its source is not given", given_by(b.scope, name))
    if name in inquiries.INQUIRIES:
        if inquiries.of_dimensions(b, name, arguments):
            return elements.element(b, reductions.array(b, name, arguments), at)
        return inquiries.inquiry(b, name, arguments)
    if whole(name):
        if at:
            return elements.element(b, reductions.array(b, name, arguments), at)
        return reductions.scalar(b, name, arguments)
    if name in complexes.SAME or name in complexes.FUNCTIONS:
        found = of_complex(b, name, arguments, at)
        if found is not None:
            return found
    if name in CONVERSIONS_FIRST:
        return conversion(b, name, arguments, at)
    name = SAME.get(name, name)
    if name == "atan" and len(arguments) == 2:
        name = "atan2"
    arguments = reductions.in_order(b, name, arguments)
    if any(isinstance(a, Keyword) and a.name == "kind" for a in arguments) or name in CONVERSIONS:
        return conversion(b, name, arguments, at)
    values = [expressions.value(b, a, at if arrays.rank(b, a) else ()) for a in arguments]
    if any(v.letters is not None for v in values) or name in ("char", "achar"):
        return texts.function(b, name, arguments, values)
    if len(values) == 1 and values[0].type == "complex":
        return complexes.of_one(b, OF_ONE_REAL.get(name, name), values[0])
    if name in OF_ONE_REAL:
        return of_one_real(b, OF_ONE_REAL[name], values)
    function = FUNCTIONS.get(name)
    if function is None:
        b.refuse(
            f"function {name}",
            "it is neither an array, nor a function whose source is given, nor one that kernels "
            "have",
            given_by(b.scope, name),
        )
    wanted = ARGUMENTS.get(name)
    if wanted is not None and len(values) != wanted:
        b.refuse(
            f"{name} with {len(values)} arguments", f"it takes {wanted}", "give it these alone"
        )
    for v in values:
        if v.type in ("logical", "complex") and name != "merge":
            b.refuse(
                f"{name} of a {v.type}",
                "it takes reals and integers",
                "give it a number, as the real part of a complex one",
            )
    return function(b, values)


def of_complex(
    b: Body, name: str, arguments: Sequence[Expression], at: tuple[Value, ...]
) -> Value | None:
    """None where none of its arguments is complex, and it makes none of them."""
    name = complexes.SAME.get(name, name)
    if name in ("cmplx", "dcmplx"):
        return cmplx(b, name, arguments, at)
    if not arguments or isinstance(arguments[0], Keyword) or name == "merge":
        return None
    type = b.scope.type_of(arguments[0])
    if type is None or type[0] != "complex":
        return None
    if name in ("dble", "real", "int"):
        return conversion(b, name, arguments, at)
    if len(arguments) != 1:
        b.refuse(
            f"{name} of a complex number with {len(arguments)} arguments",
            "it takes one",
            "leave the others out",
        )
    x = expressions.value(b, arguments[0], at if arrays.rank(b, arguments[0]) else ())
    return complexes.of_one(b, name, x)


def cmplx(b: Body, name: str, arguments: Sequence[Expression], at: tuple[Value, ...]) -> Value:
    """cmplx(x, y, kind); of a complex x no y."""
    plain = [a for a in arguments if not isinstance(a, Keyword)]
    named = {a.name: a.value for a in arguments if isinstance(a, Keyword)}
    given = {**dict(zip(("x", "y", "kind"), plain, strict=False)), **named}
    if "x" not in given or set(given) - {"x", "y", "kind"} or len(plain) > 3:
        b.refuse(
            f"{name} with these arguments",
            "what it converts comes first, without a name",
            f"write {name}(x, kind)",
        )
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
            b.refuse(
                f"{name} of a {v.type}",
                "it takes reals and integers",
                "give it a number, as the real part of a complex one",
            )
        if kind == 4 and v.kind == 8 and v.type != "integer":
            b.port.uses_single = True
            b.port.note(f"{b.place}: {name} rounds to single precision, the kernel does not")
    if parts[0].type == "complex":
        if len(parts) > 1:
            b.refuse(
                f"{name} of a complex number and another",
                "a complex x has its imaginary part",
                "leave the second argument out",
            )
        return replace(parts[0], kind=kind)
    zero = Value("0.0", "real", False, PRIMARY, 0.0)
    if any(v.type == "complex" for v in parts):
        b.refuse(
            f"{name} with a complex imaginary part", "the second argument is a real", "use real(y)"
        )
    return complexes.of_parts(b, parts[0], parts[1] if len(parts) > 1 else zero, kind)


def of_one_real(b: Body, word: str, values: list[Value]) -> Value:
    if len(values) != 1 or values[0].type != "real":
        b.refuse(
            f"{word} of something other than one real",
            "it takes one real, and Fortran converts no argument",
            "convert the argument with dble or real",
        )
    (x,) = values
    return Value(f"{word}({x.text})", "real", x.vary, kind=x.kind)


# ---- Kinds and types

CONVERSIONS_FIRST = frozenset("ieee_value real int nint floor ceiling aint anint".split())
CONVERSIONS = frozenset("real dble int nint floor ceiling aint anint ieee_value logical".split())

#: By the class of ieee_value.
IEEE_VALUES = {
    "ieee_quiet_nan": "BRIDGE_NAN", "ieee_signaling_nan": "BRIDGE_NAN",
    "ieee_positive_inf": "BRIDGE_INFINITY", "ieee_negative_inf": "-BRIDGE_INFINITY",
}  # fmt: skip


def conversion(
    b: Body, name: str, arguments: Sequence[Expression], at: tuple[Value, ...]
) -> Value:
    name = SAME.get(name, name)
    if name == "ieee_value":
        what = arguments[1].id if len(arguments) == 2 and isinstance(arguments[1], Name) else ""
        if what not in IEEE_VALUES:
            b.refuse("ieee_value", "of a class that is neither a NaN nor an infinity",
                     "make it one of these, or a constant")  # fmt: skip
        return Value(IEEE_VALUES[what], "real", False, UNARY)
    if not arguments or isinstance(arguments[0], Keyword):
        b.refuse(
            f"{name} with these arguments",
            "what it converts comes first, without a name",
            f"write {name}(x, kind)",
        )
    x = expressions.value(b, arguments[0], at if arrays.rank(b, arguments[0]) else ())
    kind_of = inquiries.named(arguments).get("kind") or (
        arguments[1] if len(arguments) == 2 else None
    )
    if len(arguments) > 2:
        b.refuse(
            f"{name} with {len(arguments)} arguments",
            "it takes what it converts, and a kind",
            f"write {name}(x, kind)",
        )
    kind = 4
    if kind_of is not None:
        found = b.scope.constant(kind_of)
        if not isinstance(found, int):
            b.refuse(f"the kind of {name}", "it is not known")
        kind = found
    elif name == "dble":
        kind = 8
    elif name in ("aint", "anint"):
        kind = x.kind
    if x.type == "complex":
        if name not in ("real", "dble", "int"):
            b.refuse(f"{name} of a complex number", "it takes a real", "give it the real part")
        if name == "real" and kind_of is None:
            kind = x.kind
        x = complexes.part(x, "re")
    if name == "logical":
        return x
    if x.type == "logical":
        b.refuse(f"{name} of a logical", "it takes numbers", "use merge(1, 0, condition)")
    if name in ("real", "dble"):
        if kind not in (4, 8):
            b.refuse(f"real({kind})", "kernels compute in double precision")
        if kind == 4 and x.type == "real" and x.kind == 8:
            b.port.note(f"{b.place}: {name} rounds to single precision, the kernel does not")
        return replace(as_real(x), kind=kind)
    if name in ("aint", "anint"):
        return replace(of_one_real(b, name, [x]), kind=kind)
    if kind == 8 and x.type == "real":
        b.refuse(f"{name} to integer(8)", "integers of kernels have 32 bits")
    if x.type == "integer":
        return replace(x, kind=kind)
    if name == "int":
        return operators.converted(b, x, "integer")
    if name == "nint":
        return Value(f"nint({x.text})", "integer", x.vary, kind=4)
    word = "floor" if name == "floor" else "ceil"
    return Value(
        f"{'Bits<Real>' if x.vary else 'int'}({word}({x.text}))", "integer", x.vary, kind=4
    )


# ---- Of values


def common(values: list[Value]) -> list[Value]:
    if any(v.type == "real" for v in values):
        return [as_real(v) for v in values]
    return values


def call(word: str, values: list[Value], type: str = "") -> Value:
    text = f"{word}({', '.join(v.text for v in values)})"
    kind = max(v.kind for v in values)
    return Value(text, type or values[0].type, any(v.vary for v in values), kind=kind)


def extreme(word: str) -> Callable[[Body, list[Value]], Value]:
    def made(b: Body, values: list[Value]) -> Value:
        if len(values) < 2:
            b.refuse(
                f"{word} with {len(values)} arguments",
                "it takes two or more",
                "use the value itself",
            )
        values = common(values)
        result = values[0]
        for v in values[1:]:
            result = call(word, [result, v])
        return result

    return made


def of_both(word: str) -> Callable[[Body, list[Value]], Value]:
    return lambda b, values: call(word, common(values))


def remainder(word: str) -> Callable[[Body, list[Value]], Value]:
    def made(b: Body, values: list[Value]) -> Value:
        x, y = common(values)
        if x.type == "real" or isinstance(y.number, int) and y.number != 0:
            return call(word, [x, y])
        if y.number is not None:
            b.refuse(f"{word} by 0", "its second argument is the constant 0", "change the divisor")
        if x.vary or y.vary:
            x, y = as_bits(x), as_bits(y)
        return Value(f"{word}({x.text}, nonzero({y.text}))", "integer", x.vary or y.vary, kind=4)

    return made


def positive_difference(b: Body, values: list[Value]) -> Value:
    x, y = common(values)
    if x.type == "integer":
        return call("max", [minus(x, y), integer(0)])
    return call("max", [Value(f"{x.within(SUM)} - {y.within(PRODUCT)}", "real", x.vary or y.vary),
                        real(0.0)])  # fmt: skip


def merged(b: Body, values: list[Value]) -> Value:
    yes, no, mask = values
    if yes.type != no.type or mask.type != "logical":
        b.refuse(
            "merge of values of different types",
            "both values have one type, and the mask is a logical",
            "convert one of them",
        )
    return choice(mask, yes, no)


def product_of_both(b: Body, values: list[Value]) -> Value:
    """Of two real(4), in double precision."""
    x, y = values
    text = f"{x.within(PRODUCT)} * {y.within(PRIMARY)}"
    return Value(text, "real", x.vary or y.vary, PRODUCT, kind=8)


def asked(word: str) -> Callable[[Body, list[Value]], Value]:
    """A question about a real."""

    def made(b: Body, values: list[Value]) -> Value:
        return replace(call(word, values, "logical"), kind=4)

    return made


def diagonal(b: Body, values: list[Value]) -> Value:
    x, y = values
    if x.type != "real" or y.type != "real":
        b.refuse(
            "hypot of something other than reals",
            "it takes two reals",
            "convert the arguments with dble",
        )
    if x.vary != y.vary:
        x, y = as_point(x), as_point(y)
    return call("hypot", [x, y])


def of_kind(word: str, type: str) -> Callable[[Body, list[Value]], Value]:
    """amax0, max1 and their like: an extreme, as a number of another type."""

    def made(b: Body, values: list[Value]) -> Value:
        found = extreme(word)(b, values)
        return replace(operators.converted(b, found, type), kind=4)

    return made


FUNCTIONS: dict[str, Callable[[Body, list[Value]], Value]] = {
    "abs": lambda b, values: call("abs", values),
    "sign": of_both("sign"),
    "atan2": of_both("atan2"),
    "max": extreme("max"),
    "min": extreme("min"),
    "mod": remainder("mod"),
    "modulo": remainder("modulo"),
    "amax0": of_kind("max", "real"),
    "amin0": of_kind("min", "real"),
    "max1": of_kind("max", "integer"),
    "min1": of_kind("min", "integer"),
    "dim": positive_difference,
    "merge": merged,
    "hypot": diagonal,
    "dprod": product_of_both,
    **bits.FUNCTIONS,
    **specials.FUNCTIONS,
    "ieee_is_finite": asked("isfinite"),
    "ieee_is_nan": asked("isnan"),
}
ARGUMENTS = {
    "abs": 1, "sign": 2, "atan2": 2, "mod": 2, "modulo": 2, "dim": 2, "merge": 3, "iand": 2,
    "ior": 2, "ieor": 2, "not": 1, "ishft": 2, "btest": 2, "ibset": 2, "ibclr": 2, "hypot": 2,
    "dprod": 2, "ibits": 3, "shiftr": 2, "shifta": 2, "shiftl": 2, "maskl": 1, "maskr": 1,
    "popcnt": 1, "leadz": 1, "trailz": 1, "ieee_is_finite": 1, "ieee_is_nan": 1, "merge_bits": 3,
    **specials.ARGUMENTS,
}  # fmt: skip
