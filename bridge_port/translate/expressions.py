"""Expressions in C++. `at`: subscripts, counted from 0, of the element of an array expression."""

from __future__ import annotations

from dataclasses import replace

from bridge_port.program import running
from bridge_port.semantic.values import Constant
from bridge_port.semantic.values import Value as Known
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
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
from bridge_port.syntax.rewriting import with_names
from bridge_port.translate import (
    arrays,
    bound,
    complexes,
    constants,
    designators,
    elements,
    operators,
    texts,
)
from bridge_port.translate.body import ABSENT, Array, Body, Hoisted
from bridge_port.translate.operators import COMPARISONS
from bridge_port.translate.values import (
    FLOATING,
    POINT_TYPES,
    PRIMARY,
    PRODUCT,
    SUM,
    UNARY,
    Value,
    as_real,
    integer,
    minus,
    plus,
    times,
    truth,
)

At = tuple[Value, ...]


def value(b: Body, e: Expression, at: At = ()) -> Value:
    if isinstance(e, Hoisted):
        if isinstance(e.value, Value):
            return e.value
        return elements.element(b, e.value, at)
    if isinstance(e, Number):
        return constants.literal(b, e)
    if isinstance(e, Truth):
        return truth(e.value)
    if isinstance(e, Text):
        return designators.text_of(e.value)
    if isinstance(e, (Name, Apply)) and texts.is_text(b, e):
        return text_value(b, e)
    if isinstance(e, Apply) and designators.is_text(b, e):
        held = e.base
        if not isinstance(held, Component):
            b.refuse("an element of an array of texts", "its texts are not known")
        letters = designators.member(b, held).letters
        assert letters is not None
        return text_value(b, replace(e, base=Text(letters)))
    if isinstance(e, ComplexNumber):
        return complexes.of_numbers(b, value(b, e.real), value(b, e.imaginary))
    if isinstance(e, Component) and (whole := complexes.of_variable(b, e)) is not None:
        return complexes.part(value(b, whole, at), e.name)
    if isinstance(e, (Name, Component)):
        array = designators.find(b, e)
        if array is not None:
            return elements.element(b, array, at)
        return designators.member(b, e) if isinstance(e, Component) else variable(b, e.id)
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
    if isinstance(e, ArrayConstructor):
        return elements.element(b, arrays.hoisted(b, e), at)
    b.refuse(constants.construct(e), "no value of a kernel")


def scalar(b: Body, e: Expression) -> Value:
    """Of an expression that must not be an array."""
    if arrays.rank(b, e):
        b.refuse("an array", "one value is wanted here")
    return value(b, e)


def dimension(b: Body, name: str, e: Expression) -> int:
    """The argument dim of an intrinsic function, counted from 0."""
    v = value(b, e)
    if v.type != "integer" or not isinstance(v.number, int):
        b.refuse(
            f"{name} along a dimension that is not constant",
            "which one it is has to be known when the kernel is built",
            "write dim as a number, or give it with --value",
        )
    return v.number - 1


def variable(b: Body, name: str) -> Value:
    """A scalar."""
    if name in b.counters:
        return b.counters[name]
    symbol = b.symbol(name)
    if symbol.type not in POINT_TYPES:
        b.refuse(f"{symbol.type} {name}", "kernels have numbers and logicals")
    known = dict(b.context.known).get(name)
    if known is not None and symbol.storage == "dummy":
        return known_dummy(b, name, b.of_fixed(known))
    found = constants.scalar(b, symbol)
    if found is not None:
        return found
    if symbol.type == "integer" and symbol.kind == 8 and symbol.storage == "dummy":
        b.refuse(f"integer(8) {name}", "integers of kernels have 32 bits", "make it integer(4)")
    b.precision(symbol.type, symbol.kind)
    b.locals.setdefault(name, ABSENT if name in b.context.absent else symbol.storage)
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
        operators.logical(b, v, ".not.")
        if v.number is not None:
            return truth(not v.number)
        return Value(f"!{v.within(UNARY)}", "logical", v.vary, UNARY, kind=v.kind)
    operators.numeric(b, v, e.operator)
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
        return operators.power(b, value(b, e.left, at), value(b, e.right, at))
    x, y = value(b, e.left, at), value(b, e.right, at)
    if op in (".and.", ".or.", ".eqv.", ".neqv."):
        return operators.connective(b, op, x, y)
    if "character" in (x.type, y.type) and op in ("//", *COMPARISONS):
        return texts.binary(b, op, x, y)
    if op not in COMPARISONS and op not in ("+", "-", "*", "/"):
        b.refuse(f"operator {op}", "only operators of numbers and logicals are translated")
    operators.numeric(b, x, op)
    operators.numeric(b, y, op)
    if "complex" in (x.type, y.type):
        return complexes.binary(b, op, x, y)
    if "real" in (x.type, y.type):
        kind = max(v.kind for v in (x, y) if v.type == "real")
        x, y = as_real(x), as_real(y)
    else:
        kind = max(x.kind, y.kind)
    vary = x.vary or y.vary
    if op in COMPARISONS:
        return operators.compare(COMPARISONS[op], x, y)
    if x.type == "integer":
        return replace(operators.of_integers(b, op, x, y), kind=kind)
    strength = SUM if op in "+-" else PRODUCT
    right = UNARY if strength == PRODUCT else PRODUCT
    text = f"{x.within(strength)} {op} {y.within(right)}"
    return Value(text, "real", vary, strength, kind=kind)


# ---- base(arguments)


def apply(b: Body, e: Apply, at: At) -> Value:
    array = designators.find(b, e.base)
    if array is not None:
        return elements.element(b, array, subscripts(b, e, array, at))
    if not e.reference:
        bound_to = bound.callee_of(b, e)
        if bound_to is None:
            b.refuse("a call of a component", "it is no type-bound procedure")
        if arrays.rank(b, e) and not bound.elemental(bound_to[0]):
            return elements.element(b, arrays.hoisted(b, e), at)
        return b.port.references.function(b, *bound_to, at)
    name = e.reference
    function = b.unit.statement_functions.get(name)
    if function is not None:
        if len(function.arguments) != len(e.arguments):
            b.refuse(f"statement function {name}", "with another number of arguments")
        b.port.references.check_statement_function(b, name, e.arguments)
        by: dict[str, Expression] = {
            a: Unary("()", x) for a, x in zip(function.arguments, e.arguments, strict=True)
        }
        found = value(b, Unary("()", with_names(function.value, by)), at)
        symbol = b.symbol(name)
        return replace(operators.converted(b, found, symbol.type, symbol.kind), kind=symbol.kind)
    callee = b.scope.procedure(name)
    if callee is not None:
        if arrays.rank(b, e) and not bound.elemental(callee):
            return elements.element(b, arrays.hoisted(b, e), at)
        return b.port.references.function(b, callee, e.arguments, at)
    if (compared := texts.of_each(b, e)) is not None:
        return value(b, compared)
    return b.port.references.intrinsic(b, name, e.arguments, at)


def subscripts(b: Body, e: Apply, array: Array, at: At) -> At:
    """Of the element, one for each dimension, counted from 0."""
    if len(e.arguments) != len(array.dims):
        what = f"{array.spelled} with {len(e.arguments)} subscripts"
        b.refuse(what, f"it has {len(array.dims)}")
    rest = list(at)
    places = []
    for argument, dim in zip(e.arguments, array.dims, strict=True):
        if isinstance(argument, Section):
            if not rest:
                b.refuse(f"a section of {array.spelled}", "one value is wanted here")
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
            b.refuse(f"a {subscript.type} subscript of {array.spelled}", "it has to be an integer")
        places.append(minus(subscript, dim.lower))
    return tuple(places)


def text_value(b: Body, e: Expression) -> Value:
    """Of a variable, an element, some letters of it."""
    name = e.root
    memory: dict[str, Constant | None] = {}
    if name and texts.own(b, b.symbol(name)):
        memory[name] = Constant((), (Known("character", 1, texts.variable(b, name)),))
    for part in e.walk():
        if isinstance(part, Name) and part.id != name:
            known = texts.as_known(value(b, part)) if is_integer(b, part.id) else None
            if known is not None:
                memory[part.id] = Constant((), (known,))
    world = b.port.world
    found = running.Running(world, b.scope, memory, b.context.absent).known(e, b.place)
    if found.scalar is None:
        b.refuse("an array of characters", "one text is wanted here")
    return texts.of_known(b, found.scalar)


def is_integer(b: Body, name: str) -> bool:
    """Whether a name is a scalar integer."""
    symbol = b.scope.find(name)
    return name in b.counters or (
        symbol is not None and symbol.type == "integer" and symbol.dimensions is None
    )
