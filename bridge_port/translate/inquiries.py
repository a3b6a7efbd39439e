"""Intrinsic functions that ask for what is known without a value: sizes, bounds, limits of
a kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge_port.program.resolved import designated
from bridge_port.semantic.intrinsics import TABLE
from bridge_port.semantic.values import inquiry as of_type
from bridge_port.syntax.expressions import Apply, Component, Expression, Keyword, Name
from bridge_port.translate import allocated, arrays, deferred, designators, expressions
from bridge_port.translate.body import Body
from bridge_port.translate.intents import path
from bridge_port.translate.values import Value, integer, minus, plus, real, times, truth

#: How the table of intrinsics calls what is known without a value.
FORMS = frozenset("bounds constant digits is_there kind limit present selected".split())


def plain(arguments: Sequence[Expression]) -> list[Expression]:
    return [a for a in arguments if not isinstance(a, Keyword)]


def named(arguments: Sequence[Expression]) -> dict[str, Expression]:
    return {a.name: a.value for a in arguments if isinstance(a, Keyword)}


def of_dimensions(b: Body, name: str, arguments: Sequence[Expression]) -> bool:
    """shape, and bounds of an array without the word which of them."""
    bounds = name in ("lbound", "ubound") and len(arguments) == 1
    return name == "shape" or (bounds and arrays.rank(b, arguments[0]) > 1)


def inquiry(b: Body, name: str, arguments: Sequence[Expression]) -> Value:
    if name == "present":
        (dummy,) = arguments
        assert isinstance(dummy, Name)
        return truth(dummy.id not in b.context.absent)
    one = TABLE[name]
    if one.form == "is_there":
        return is_there(b, name, arguments)
    if one.form == "bounds":
        return bounds(b, name, arguments)
    if one.of_type:
        x = typed(b, arguments[0])
        if name == "huge" and x.type == "integer" and x.kind > 4:
            b.refuse(f"huge of integer({x.kind})", "integers of kernels have 32 bits")
        known = of_type(name, x.type, x.kind)
        if known is not None:
            v = integer(known.plain) if known.type == "integer" else real(known.plain)
            return replace(v, kind=known.kind)
    found = b.scope.constant(Apply(Name(name), tuple(arguments)))
    if not isinstance(found, int):
        b.refuse(
            f"{name} of this",
            "its value is not known when the kernel is built",
            "ask it of a variable whose type and shape are declared, or write the number",
        )
    return integer(found)


def typed(b: Body, e: Expression) -> Value:
    """For its type alone."""
    places = tuple(integer(0) for _ in range(arrays.rank(b, e)))
    return expressions.value(b, e, places)


def bounds(b: Body, name: str, arguments: Sequence[Expression]) -> Value:
    e = plain(arguments)[0]
    rest = plain(arguments)[1:]
    by = named(arguments).get("dim") or (rest[0] if rest else None)
    place: int | None = None
    if by is not None:
        place = expressions.dimension(b, name, by)
    extents = arrays.shape(b, e)
    if place is None and (name != "size" and len(extents) != 1):
        b.refuse(f"{name} without a dimension", "it is an array", "name the dimension")
    if place is not None and not 0 <= place < len(extents):
        b.refuse(f"{name} along dimension {place + 1}", f"there are {len(extents)}")
    if name == "size":
        chosen = extents if place is None else (extents[place],)
        total = integer(1)
        for extent in chosen:
            total = times(total, extent)
        return total
    array = None if of_elements(b, e) else designators.find(b, e)
    dim = array.dims[place or 0] if array is not None else None
    lower = dim.lower if dim is not None else integer(1)
    if name == "lbound":
        return lower
    return minus(plus(lower, extents[place or 0]), integer(1))


def of_elements(b: Body, e: Expression) -> bool:
    """Whether it is a component of all elements of an array: that array has its own bounds, from
    1."""
    if not isinstance(e, Component):
        return False
    symbol = designated(e, b.scope)
    return symbol is not None and symbol.dimensions is None


def is_there(b: Body, name: str, arguments: Sequence[Expression]) -> Value:
    """allocated(x%a), associated(x%a): it is, where the user says its shape."""
    what = f"{name}({', '.join(path(one) or '...' for one in arguments)})"
    if name == "allocated" and (known := allocated.is_there(b, arguments)) is not None:
        return known
    if len(arguments) == 1 and isinstance(arguments[0], Component):
        component = arguments[0]
        designators.array(b, component)
        base = designators.object_of(b, component.base)
        part = None
        if base is not None and base.structure is not None:
            part = base.structure.parts.get(component.name)
        if base is not None and part is not None and part.held and part.dims:
            deferred.reached(b, base, part)
            return truth(True)
    b.refuse(what, "whether it is there is known at run time alone", "leave the question out")
