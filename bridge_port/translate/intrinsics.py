"""Intrinsic functions that give a value for each element. Those of whole arrays: reductions.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bridge_port.program.unknownnames import given_by
from bridge_port.semantic.intrinsics import TABLE, Intrinsic, find
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


def rank(b: Body, name: str, arguments: Sequence[Expression]) -> int | None:
    """Of the result; None where it is that of the arguments."""
    one = find(name)
    if one is None:
        return None
    if one.form in inquiries.FORMS:
        return 1 if inquiries.of_dimensions(b, name, arguments) else 0
    return reductions.rank(b, name, arguments) if _of_arrays(one) else None


def whole(name: str) -> bool:
    """Whether an array that it gives has to be computed as a whole."""
    one = find(name)
    return one is not None and (one.form == "bounds" and name != "size" or _of_arrays(one))


def _of_arrays(one: Intrinsic) -> bool:
    return one.form in ("reduced", "located", "rearranged", "product")


def intrinsic(b: Body, name: str, arguments: Sequence[Expression], at: tuple[Value, ...]) -> Value:
    one = find(name)
    of_c = one is not None and one.of_c
    if name in b.unit.external or (b.port.overloaded(b.unit, name) and not of_c):
        b.refuse(f"function {name}", "its source is not given", given_by(b.scope, name))
    if one is None or not one.form:
        values = _values(b, arguments, at)
        if any(v.letters is not None for v in values):
            return texts.function(b, name, arguments, values)
        b.refuse(
            f"function {name}",
            "it is neither an array, nor a function whose source is given, nor one that kernels "
            "have",
            given_by(b.scope, name),
        )
    if one.form in inquiries.FORMS:
        if inquiries.of_dimensions(b, name, arguments):
            return elements.element(b, reductions.array(b, name, arguments), at)
        return inquiries.inquiry(b, name, arguments)
    if _of_arrays(one):
        if at:
            return elements.element(b, reductions.array(b, name, arguments), at)
        return reductions.scalar(b, name, arguments)
    if one.form == "cmplx":
        return cmplx(b, one, arguments, at)
    arguments = reductions.in_order(b, name, arguments)
    if "complex" in one.takes and (found := of_complex(b, one, arguments, at)) is not None:
        return found
    if name == "atan" and len(arguments) == 2:
        one = TABLE["atan2"]
    if one.form == "conversion" or any(isinstance(a, Keyword) and a.name == "kind"
                                       for a in arguments):  # fmt: skip
        return conversion(b, one, arguments, at)
    values = _values(b, arguments, at)
    if any(v.letters is not None for v in values) or one.form == "text":
        return texts.function(b, name, arguments, values)
    if len(values) == 1 and values[0].type == "complex":
        return complexes.of_one(b, one, values[0])
    if one.form == "real":
        return of_one_real(b, one, values)
    _check(b, one, values)
    return FORMS[one.form](b, one, values)


def _values(b: Body, arguments: Sequence[Expression], at: tuple[Value, ...]) -> list[Value]:
    return [expressions.value(b, a, at if arrays.rank(b, a) else ()) for a in arguments]


def _check(b: Body, one: Intrinsic, values: list[Value]) -> None:
    """Whether they are as many as it takes, and of types that kernels take."""
    wanted = len(one.required)
    if len(values) != wanted and not one.more and not one.optional - {"kind"}:
        b.refuse(
            f"{one.generic} with {len(values)} arguments",
            f"it takes {wanted}",
            "give it these alone",
        )
    for v in values:
        if v.type in ("logical", "complex") and one.form != "merge":
            b.refuse(
                f"{one.generic} of a {v.type}",
                "it takes reals and integers",
                "give it a number, as the real part of a complex one",
            )


def of_complex(
    b: Body, one: Intrinsic, arguments: Sequence[Expression], at: tuple[Value, ...]
) -> Value | None:
    """None where none of its arguments is complex."""
    if not arguments or one.form == "merge":
        return None
    type = b.scope.type_of(arguments[0])
    if type is None or type[0] != "complex":
        return None
    if one.form == "conversion":
        return conversion(b, one, arguments, at)
    if len(arguments) != 1:
        b.refuse(
            f"{one.generic} of a complex number with {len(arguments)} arguments",
            "it takes one",
            "leave the others out",
        )
    x = expressions.value(b, arguments[0], at if arrays.rank(b, arguments[0]) else ())
    return complexes.of_one(b, one, x)


def cmplx(
    b: Body, one: Intrinsic, arguments: Sequence[Expression], at: tuple[Value, ...]
) -> Value:
    """cmplx(x, y, kind); of a complex x no y."""
    name, given = one.name, one.bound(arguments)
    if given is None:
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


def of_one_real(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    if len(values) != 1 or values[0].type != "real":
        b.refuse(
            f"{one.word} of something other than one real",
            "it takes one real, and Fortran converts no argument",
            "convert the argument with dble or real",
        )
    (x,) = values
    return Value(f"{one.word}({x.text})", "real", x.vary, kind=x.kind)


# ---- Kinds and types

#: By the class of ieee_value.
IEEE_VALUES = {
    "ieee_quiet_nan": "BRIDGE_NAN", "ieee_signaling_nan": "BRIDGE_NAN",
    "ieee_positive_inf": "BRIDGE_INFINITY", "ieee_negative_inf": "-BRIDGE_INFINITY",
}  # fmt: skip


def conversion(
    b: Body, one: Intrinsic, arguments: Sequence[Expression], at: tuple[Value, ...]
) -> Value:
    name = one.generic
    if name == "ieee_value":
        what = arguments[1].id if len(arguments) == 2 and isinstance(arguments[1], Name) else ""
        if what not in IEEE_VALUES:
            b.refuse("ieee_value", "of a class that is neither a NaN nor an infinity",
                     "make it one of these, or a constant")  # fmt: skip
        kind = b.scope.kind_of(arguments[0]) or 8
        return Value(IEEE_VALUES[what], "real", False, UNARY, kind=kind)
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
        return replace(of_one_real(b, one, [x]), kind=kind)
    if kind == 8 and x.type == "real":
        b.refuse(f"{name} to integer(8)", "integers of kernels have 32 bits")
    if x.type == "integer":
        return replace(x, kind=kind)
    if name == "int":
        return operators.converted(b, x, "integer")
    if name == "nint":
        return Value(f"nint({x.text})", "integer", x.vary, kind=4)
    return Value(
        f"{'Bits<Real>' if x.vary else 'int'}({one.word}({x.text}))", "integer", x.vary, kind=4
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


def extreme(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    if len(values) < 2:
        b.refuse(
            f"{one.word} with {len(values)} arguments",
            "it takes two or more",
            "use the value itself",
        )
    values = common(values)
    result = values[0]
    for v in values[1:]:
        result = call(one.word, [result, v])
    if one.fixed is None or one.fixed[0] == result.type:
        return result
    return replace(operators.converted(b, result, one.fixed[0]), kind=4)


def remainder(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    x, y = common(values)
    if x.type == "real" or isinstance(y.number, int) and y.number != 0:
        return call(one.word, [x, y])
    if y.number is not None:
        b.refuse(f"{one.word} by 0", "its second argument is the constant 0", "change the divisor")
    if x.vary or y.vary:
        x, y = as_bits(x), as_bits(y)
    return Value(f"{one.word}({x.text}, nonzero({y.text}))", "integer", x.vary or y.vary, kind=4)


def positive_difference(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    x, y = common(values)
    if x.type == "integer":
        return call("max", [minus(x, y), integer(0)])
    kind = max(x.kind, y.kind)
    difference = f"{x.within(SUM)} - {y.within(PRODUCT)}"
    apart = Value(difference, "real", x.vary or y.vary, kind=kind)
    return call("max", [apart, replace(real(0.0), kind=kind)])


def merged(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    yes, no, mask = values
    if yes.type != no.type or mask.type != "logical":
        b.refuse(
            "merge of values of different types",
            "both values have one type, and the mask is a logical",
            "convert one of them",
        )
    return choice(mask, yes, no)


def product_of_both(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    """Of two real(4), in double precision."""
    x, y = values
    text = f"{x.within(PRODUCT)} * {y.within(PRIMARY)}"
    return Value(text, "real", x.vary or y.vary, PRODUCT, kind=8)


def asked(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    """A question about a real."""
    return replace(call(one.word, values, "logical"), kind=4)


def diagonal(b: Body, one: Intrinsic, values: list[Value]) -> Value:
    x, y = values
    if x.type != "real" or y.type != "real":
        b.refuse(
            "hypot of something other than reals",
            "it takes two reals",
            "convert the arguments with dble",
        )
    if x.vary != y.vary:
        x, y = as_point(x), as_point(y)
    return call(one.word, [x, y])


Written = Callable[[Body, Intrinsic, list[Value]], Value]


def _plainly(write: Callable[[Body, list[Value]], Value]) -> Written:
    return lambda b, one, values: write(b, values)


#: How the table of intrinsics says that a function becomes C++.
FORMS: dict[str, Written] = {
    "call": lambda b, one, values: call(one.word, values),
    "both": lambda b, one, values: call(one.word, common(values)),
    "extreme": extreme,
    "remainder": remainder,
    "dim": positive_difference,
    "merge": merged,
    "hypot": diagonal,
    "dprod": product_of_both,
    "asked": asked,
    "special": specials.of_one,
    "order": specials.of_order,
    "exponent": specials.exponent,
    "model": specials.of_model,
    "two": specials.of_two,
    "scale": specials.scaled,
    "bitwise": bits.bitwise,
    "counted": bits.counted,
    "complement": _plainly(bits.complement),
    "ishft": _plainly(bits.shifted),
    "ishftc": _plainly(bits.turned),
    "shiftl": _plainly(bits.left),
    "shiftr": _plainly(bits.right),
    "shifta": _plainly(bits.right_with_sign),
    "btest": _plainly(bits.tested),
    "ibset": _plainly(bits.bit_set),
    "ibclr": _plainly(bits.bit_cleared),
    "ibits": _plainly(bits.bits_of),
    "maskl": _plainly(bits.masked_high),
    "maskr": _plainly(bits.masked_low),
    "merge_bits": _plainly(bits.merged),
}
