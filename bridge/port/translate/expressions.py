"""Expressions in C++. `at`: subscripts, counted from 0, of the element of an array expression."""

from __future__ import annotations

import re
from dataclasses import replace

from bridge.port.syntax.expressions import (
    Apply,
    Binary,
    ComplexNumber,
    Component,
    Expression,
    Keyword,
    Name,
    Number,
    Section,
    Text,
    Truth,
    Unary,
)
from bridge.port.translate import (
    arrays,
    bound,
    calls,
    complexes,
    constants,
    intrinsics,
    structures,
    texts,
    transforms,
)
from bridge.port.translate.body import ABSENT, Array, Body, Hoisted
from bridge.port.translate.values import (
    AND,
    BOTH,
    CHOICE,
    EITHER,
    EQUALITY,
    FLOATING,
    OR,
    ORDER,
    POINT_TYPES,
    PRIMARY,
    PRODUCT,
    SUM,
    UNARY,
    Value,
    integer,
    minus,
    plus,
    times,
    truth,
)

At = tuple[Value, ...]
COMPARISONS = {"==": "==", "/=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def value(b: Body, e: Expression, at: At = ()) -> Value:
    if isinstance(e, Hoisted):
        if isinstance(e.value, Value):
            return e.value
        return arrays.element(b, e.value, at)
    if isinstance(e, Number):
        return constants.literal(b, e)
    if isinstance(e, Truth):
        return truth(e.value)
    if isinstance(e, Text):
        return texts.value(e.value)
    if isinstance(e, (Name, Apply)) and texts.is_text(b, e):
        return texts.designator(b, e)
    if isinstance(e, ComplexNumber):
        return complexes.literal(b, e)
    if isinstance(e, Component) and (whole := complexes.of_variable(b, e)) is not None:
        return complexes.part(value(b, whole, at), e.name)
    if isinstance(e, (Name, Component)):
        array = arrays.find(b, e)
        if array is not None:
            return arrays.element(b, array, at)
        return structures.member(b, e) if isinstance(e, Component) else variable(b, e.id)
    if isinstance(e, Unary):
        return unary(b, e, at)
    if isinstance(e, (Binary, Apply)):
        v = constants.of_single(b, e)
        if v is None:
            v = binary(b, e, at) if isinstance(e, Binary) else apply(b, e, at)
        if v.number is None:
            b.precision(v.type, v.kind)
        return v
    if isinstance(e, Keyword):
        return value(b, e.value, at)
    if transforms.is_array_constructor(e):
        return arrays.element(b, transforms.hoisted(b, e), at)
    b.refuse(constants.construct(e), "no value of a kernel")


def scalar(b: Body, e: Expression) -> Value:
    """Of an expression that must not be an array."""
    if arrays.rank(b, e):
        b.refuse("an array", "one value is wanted here")
    return value(b, e)


def variable(b: Body, name: str) -> Value:
    """A scalar."""
    if name in b.counters:
        return b.counters[name]
    symbol = b.symbol(name)
    if symbol.type not in POINT_TYPES:
        b.refuse(f"{symbol.type} {name}", "kernels have numbers and logicals")
    known = dict(b.way.known).get(name)
    if known is not None and symbol.storage == "dummy":
        return known_dummy(b, name, b.of_fixed(known))
    found = constants.scalar(b, symbol)
    if found is not None:
        return found
    if symbol.type == "integer" and symbol.kind == 8 and symbol.storage == "dummy":
        b.refuse(f"integer(8) {name}", "integers of kernels have 32 bits", "make it integer(4)")
    b.precision(symbol.type, symbol.kind)
    b.locals.setdefault(name, ABSENT if name in b.way.absent else symbol.storage)
    text = b.names.of(name)
    vary = symbol.type in FLOATING or b.varies(name)
    shift = text if symbol.type == "integer" and not vary else ""
    return Value(text, symbol.type, vary, PRIMARY, None, shift, 0, symbol.kind)


def known_dummy(b: Body, name: str, v: Value) -> Value:
    """An argument whose value is known in this way of calling."""
    word = "constexpr" if v.number is not None else "const"
    b.constants.setdefault(name, f"{word} int {b.names.of(name)} = {v.text};")
    return v


def unary(b: Body, e: Unary, at: At) -> Value:
    v = value(b, e.operand, at)
    if e.operator == "()":
        return replace(v, text=f"({v.text})", strength=PRIMARY) if v.strength < UNARY else v
    if e.operator == ".not.":
        logical(b, v, ".not.")
        if v.number is not None:
            return truth(not v.number)
        return Value(f"!{v.within(UNARY)}", "logical", v.vary, UNARY, kind=v.kind)
    numeric(b, v, e.operator)
    if e.operator == "+":
        return v
    if v.number is not None:
        number = -v.number
        if v.type == "integer":
            return replace(integer(int(number)), kind=v.kind)
        return Value(f"-{v.within(PRIMARY)}", v.type, v.vary, UNARY, number, kind=v.kind)
    # -(-i) without parentheses would be a decrement.
    return Value(f"-{v.within(PRIMARY)}", v.type, v.vary, UNARY, kind=v.kind)


def binary(b: Body, e: Binary, at: At) -> Value:
    op = e.operator
    if op == "**":
        return power(b, value(b, e.left, at), value(b, e.right, at))
    x, y = value(b, e.left, at), value(b, e.right, at)
    if op in (".and.", ".or.", ".eqv.", ".neqv."):
        return connective(b, op, x, y)
    if "character" in (x.type, y.type) and op in ("//", *COMPARISONS):
        return texts.binary(b, op, x, y)
    if op not in COMPARISONS and op not in ("+", "-", "*", "/"):
        b.refuse(f"operator {op}", "only operators of numbers and logicals are translated")
    if "complex" in (x.type, y.type):
        return complexes.binary(b, op, x, y)
    numeric(b, x, op)
    numeric(b, y, op)
    if "real" in (x.type, y.type):
        kind = max(v.kind for v in (x, y) if v.type == "real")
        x, y = as_real(x), as_real(y)
    else:
        kind = max(x.kind, y.kind)
    vary = x.vary or y.vary
    if op in COMPARISONS:
        return compare(COMPARISONS[op], x, y)
    if x.type == "integer":
        return replace(of_integers(b, op, x, y), kind=kind)
    strength = SUM if op in "+-" else PRODUCT
    right = UNARY if strength == PRODUCT else PRODUCT
    text = f"{x.within(strength)} {op} {y.within(right)}"
    return Value(text, "real", vary, strength, kind=kind)


def compare(sign: str, x: Value, y: Value) -> Value:
    strength = EQUALITY if sign in ("==", "!=") else ORDER
    if x.number is not None and y.number is not None:
        a, c = x.number, y.number
        results = {"==": a == c, "!=": a != c, "<": a < c, "<=": a <= c, ">": a > c, ">=": a >= c}
        return truth(results[sign])
    text = f"{x.within(SUM)} {sign} {y.within(SUM)}"
    return Value(text, "logical", x.vary or y.vary, strength, kind=4)


def connective(b: Body, op: str, x: Value, y: Value) -> Value:
    logical(b, x, op)
    logical(b, y, op)
    vary = x.vary or y.vary
    for one, other in ((x, y), (y, x)):
        if one.number is not None and op in (".and.", ".or."):
            return other if bool(one.number) == (op == ".and.") else truth(op == ".or.")
    sign, strength = {
        ".and.": ("&", AND) if vary else ("&&", BOTH),
        ".or.": ("|", OR) if vary else ("||", EITHER),
        ".eqv.": ("==", EQUALITY),
        ".neqv.": ("!=", EQUALITY),
    }[op]
    # Compilers warn of comparisons beside & without parentheses, and readers stumble.
    inner = UNARY if vary else SUM if strength == EQUALITY else strength
    left = x.text if same_operator(x, sign, strength) else x.within(inner)
    if vary and left.startswith("!"):
        left = f"({left})"
    right = y.text if same_operator(y, sign, strength) else y.within(inner)
    if vary and strength == EQUALITY:
        left, right = as_mask(x).within(UNARY), as_mask(y).within(UNARY)
    return Value(f"{left} {sign} {right}", "logical", vary, strength, kind=4)


def same_operator(v: Value, sign: str, strength: int) -> bool:
    return v.strength == strength and sign in ("&", "|", "&&", "||")


def of_integers(b: Body, op: str, x: Value, y: Value) -> Value:
    wide = 8 in (x.kind, y.kind)
    if wide and not (small(x, op) or small(y, op)):
        b.refuse(f"{op} of integer(8)", "integers of kernels have 32 bits", "use integer(4)")
    if op == "+":
        return plus(x, y)
    if op == "-":
        return minus(x, y)
    if op == "*":
        return times(x, y)
    if y.number == 0:
        b.refuse("a division by 0")
    if isinstance(x.number, int) and isinstance(y.number, int):
        quotient = abs(x.number) // abs(y.number)
        return integer(quotient if (x.number < 0) == (y.number < 0) else -quotient)
    vary = x.vary or y.vary
    if y.number is not None:
        return Value(f"{x.within(PRODUCT)} / {y.within(UNARY)}", "integer", vary, PRODUCT)
    if vary:
        x, y = as_bits(x), as_bits(y)
    return Value(f"quotient({x.text}, {y.text})", "integer", vary)


def small(v: Value, op: str) -> bool:
    """Whether an operand is a number that takes few integers out of 32 bits."""
    limit = 1 << 16 if op in "+-" else 1 << 31
    return v.number is not None and abs(v.number) < limit


def power(b: Body, x: Value, y: Value) -> Value:
    numeric(b, x, "**")
    numeric(b, y, "**")
    if "complex" in (x.type, y.type):
        return complexes.power(b, x, y)
    vary = x.vary or y.vary
    if y.type == "integer":
        if x.type == "integer":
            if isinstance(x.number, int) and isinstance(y.number, int) and 0 <= y.number < 31:
                return integer(x.number**y.number)
            if y.number is not None and y.number >= 0:
                if y.number == 2 and re.fullmatch(r"\w+", x.text):
                    return times(x, x)
                return Value(f"pow({x.text}, {y.text})", "integer", vary, kind=4)
            if vary:
                x, y = as_bits(x), as_bits(y)
            return Value(f"power({x.text}, {y.text})", "integer", vary, kind=4)
        if y.number == 2 and re.fullmatch(r"[\w.]+", x.text):
            return Value(f"{x.text} * {x.text}", "real", vary, PRODUCT, kind=x.kind)
        if y.vary and not x.vary:
            x = replace(x, text=f"Real({x.text})", strength=PRIMARY)
        return Value(f"pow({x.text}, {y.text})", "real", vary, kind=x.kind)
    kind = max(x.kind if x.type == "real" else 4, y.kind)
    x = as_real(x)
    if y.number == 0.5:
        return Value(f"sqrt({x.text})", "real", vary, kind=kind)
    if y.number == 1.5 and re.fullmatch(r"[\w.]+", x.text):
        return Value(f"{x.text} * sqrt({x.text})", "real", vary, PRODUCT, kind=kind)
    if y.vary and not x.vary:
        x = replace(x, text=f"Real({x.text})", strength=PRIMARY)
    return Value(f"pow({x.text}, {y.text})", "real", vary, kind=kind)


# ---- Types


def numeric(b: Body, v: Value, op: str) -> None:
    if v.type in ("logical", "character"):
        b.refuse(f"{op} of a {v.type}", "it needs numbers")


def logical(b: Body, v: Value, op: str) -> None:
    if v.type != "logical":
        what = "text" if v.type == "character" else "number"
        b.refuse(f"{op} of a {what}", "it needs logicals")


def as_real(v: Value) -> Value:
    if v.type == "real":
        return v
    if v.number is not None and not v.base:
        return Value(f"{float(v.number)!r}", "real", False, v.strength, float(v.number), kind=4)
    word = "Real" if v.vary else "double"
    return Value(f"{word}({v.text})", "real", v.vary, kind=4)


def as_bits(v: Value) -> Value:
    return v if v.vary else replace(v, text=f"Bits<Real>({v.text})", vary=True, strength=PRIMARY)


def as_mask(v: Value) -> Value:
    return v if v.vary else replace(v, text=f"Mask<Real>({v.text})", vary=True, strength=PRIMARY)


def as_point(v: Value) -> Value:
    """As one value for each point, whatever C++ has to be told for that."""
    word = POINT_TYPES[v.type]
    return v if v.vary else replace(v, text=f"{word}({v.text})", vary=True, strength=PRIMARY)


def converted(b: Body, v: Value, type: str, kind: int = 8) -> Value:
    """As an assignment to a variable of the type does."""
    if v.type == type:
        return v
    if type == "complex" and v.type in ("real", "integer"):
        return complexes.as_complex(v)
    if type in ("real", "integer") and v.type == "complex":
        return converted(b, complexes.part(v, "re"), type, kind)
    if type == "real" and v.type == "integer":
        return as_real(v)
    if type == "integer" and v.type == "real":
        if v.number is not None:
            return integer(int(v.number))
        return Value(f"{'Bits<Real>' if v.vary else 'int'}({v.text})", "integer", v.vary, kind=4)
    b.refuse(f"a {v.type} value", f"a {type} value is wanted")


def choice(mask: Value, yes: Value, no: Value) -> Value:
    """Where the condition holds the one, else the other; both of one type."""
    if mask.number is not None:
        return yes if mask.number else no
    if not mask.vary and not yes.vary and not no.vary:
        text = f"{mask.within(EITHER)} ? {yes.within(EITHER)} : {no.within(CHOICE)}"
        return Value(text, yes.type, False, CHOICE, kind=yes.kind)
    if not yes.vary and not no.vary:
        yes = as_point(yes)
    if yes.type == "complex":
        yes, no = as_point(yes), as_point(no)
    text = f"select({as_mask(mask).text}, {yes.text}, {no.text})"
    return Value(text, yes.type, True, kind=max(yes.kind, no.kind))


# ---- base(arguments)


def apply(b: Body, e: Apply, at: At) -> Value:
    array = arrays.find(b, e.base)
    if array is not None:
        return arrays.element(b, array, subscripts(b, e, array, at))
    if not isinstance(e.base, Name):
        bound_to = bound.callee_of(b, e)
        if bound_to is None:
            b.refuse("a call of a component", "it is no type-bound procedure")
        if arrays.rank(b, e) and not calls.elemental(bound_to[0]):
            return arrays.element(b, transforms.hoisted(b, e), at)
        return calls.function(b, *bound_to, at)
    name = e.base.id
    function = b.unit.statement_functions.get(name)
    if function is not None:
        if len(function.arguments) != len(e.arguments):
            b.refuse(f"statement function {name}", "with another number of arguments")
        calls.check_statement_function(b, name, e.arguments)
        by: dict[str, Expression] = {
            a: Unary("()", x) for a, x in zip(function.arguments, e.arguments, strict=True)
        }
        found = value(b, Unary("()", transforms.substituted(function.value, by)), at)
        symbol = b.symbol(name)
        return replace(converted(b, found, symbol.type, symbol.kind), kind=symbol.kind)
    callee = b.scope.procedure(name)
    if callee is not None:
        if arrays.rank(b, e) and not calls.elemental(callee):
            return arrays.element(b, transforms.hoisted(b, e), at)
        return calls.function(b, callee, e.arguments, at)
    return intrinsics.intrinsic(b, name, e.arguments, at)


def subscripts(b: Body, e: Apply, array: Array, at: At) -> At:
    """Of the element, one for each dimension, counted from 0."""
    if len(e.arguments) != len(array.dims):
        b.refuse(f"{array.text} with {len(e.arguments)} subscripts", f"it has {len(array.dims)}")
    rest = list(at)
    places = []
    for argument, dim in zip(e.arguments, array.dims, strict=True):
        if isinstance(argument, Section):
            if not rest:
                b.refuse(f"a section of {array.text}", "one value is wanted here")
            place = rest.pop(0)
            stride = arrays.stride(b, argument)
            first = (
                minus(value(b, argument.lower), dim.lower)
                if argument.lower is not None
                else integer(0)
            )
            places.append(plus(first, times(place, integer(stride))))
            continue
        inner: At = ()
        if arrays.rank(b, argument):
            inner = (rest.pop(0),)
        subscript = value(b, argument, inner)
        if subscript.type != "integer":
            b.refuse(f"a {subscript.type} subscript of {array.text}", "it has to be an integer")
        places.append(minus(subscript, dim.lower))
    return tuple(places)
