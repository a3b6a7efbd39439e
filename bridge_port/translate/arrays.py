"""Ranks and shapes of array expressions, and arrays that are computed as a whole."""

from __future__ import annotations

from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Component,
    Expression,
    ImpliedDo,
    Keyword,
    Name,
    Section,
    Unary,
)
from bridge_port.syntax.rewriting import with_names
from bridge_port.translate import (
    allocated,
    bound,
    designators,
    elements,
)
from bridge_port.translate.body import Array, Body, Dim, Hoisted
from bridge_port.translate.elements import Shape
from bridge_port.translate.values import (
    Value,
    integer,
    minus,
    moved,
    plus,
)

# ---- Ranks and shapes


def rank(b: Body, e: Expression) -> int:
    """Of an expression as it is here: with values that were computed before, with components that
    have the subscripts of all objects around them in one list, and with procedures of types that
    the user says. `resolved` tells the rank of what stands in the source."""
    if isinstance(e, (Name, Component, Hoisted)):
        if isinstance(e, Name) and e.id in b.counters:
            return 0
        if (symbol := allocated.local(b, e)) is not None:
            return len(symbol.dimensions or ())  # before it has a shape as well
        array = designators.find(b, e)
        return len(array.dims) if array is not None else 0
    if isinstance(e, Unary):
        return rank(b, e.operand)
    if isinstance(e, Binary):
        return max(rank(b, e.left), rank(b, e.right))
    if isinstance(e, Keyword):
        return rank(b, e.value)
    if isinstance(e, ArrayConstructor):
        return 1
    if not isinstance(e, Apply):
        return 0
    array = designators.find(b, e.base)
    if array is not None:
        return sum(1 for a in e.arguments if isinstance(a, Section) or rank(b, a))
    called = bound.callee_of(b, e)
    callee = None if called is None else called[0]
    if callee is not None and not bound.elemental(callee):
        result = b.port.program.scope(callee).find(callee.result or callee.name)
        return len(result.dimensions or ()) if result is not None else 0
    if callee is None and e.reference not in b.unit.statement_functions:
        if not e.reference:
            return 0
        known = b.port.references.intrinsic_rank(b, e.reference, e.arguments)
        if known is not None:
            return known
    return max((rank(b, a) for a in e.arguments), default=0)


def shape(b: Body, e: Expression) -> Shape:
    """Extents of an array expression."""
    if isinstance(e, (Name, Component, Hoisted)):
        array = designators.find(b, e)
        return tuple(elements.extent(b, dim, array) for dim in array.dims) if array else ()
    if isinstance(e, Unary):
        return shape(b, e.operand)
    if isinstance(e, Keyword):
        return shape(b, e.value)
    if isinstance(e, Binary):
        return same_shape(b, [e.left, e.right])
    if isinstance(e, ArrayConstructor):
        return (integer(count(b, e)),)
    if not isinstance(e, Apply):
        return ()
    array = designators.find(b, e.base)
    if array is not None:
        found: list[Value] = []
        for a, dim in zip(e.arguments, array.dims, strict=False):
            if isinstance(a, Section):
                found.append(section_extent(b, a, dim, array))
            elif rank(b, a):
                found += shape(b, a)
        return tuple(found)
    if makes_array(b, e):
        return shape(b, Hoisted(hoisted(b, e)))
    return same_shape(b, list(e.arguments))


def same_shape(b: Body, parts: list[Expression]) -> Shape:
    """That of those parts that are arrays; they have to have one where it is known."""
    found: Shape = ()
    for part in parts:
        if not rank(b, part):
            continue
        this = shape(b, part)
        if not found:
            found = this
            continue
        if len(this) != len(found):
            b.refuse("an array expression", "of arrays of different ranks")
        for one, other in zip(this, found, strict=True):
            if one.number is not None and other.number is not None and one.number != other.number:
                b.refuse("an array expression", "of arrays of different shapes")
    return found


def stride(b: Body, section: Section) -> int:
    if section.stride is None:
        return 1
    v = b.value(section.stride)
    if not isinstance(v.number, int) or v.number == 0:
        b.refuse(
            "a section with a stride that is not constant",
            "which elements it has must be known when the kernel is built",
            "write a loop, or give the stride with --value",
        )
    return v.number


def section_extent(b: Body, section: Section, dim: Dim, array: Array) -> Value:
    step = stride(b, section)
    first = b.value(section.lower) if section.lower is not None else None
    last = b.value(section.upper) if section.upper is not None else None
    upper = None if dim.extent is None else moved(plus(dim.lower, dim.extent), -1)
    # Also of a negative stride: a(::-1) has no elements.
    first, last = first or dim.lower, last or upper
    if first is None or last is None:
        b.refuse(
            f"a section of {array.spelled}",
            "its shape is not known here",
            elements.shape_of(b, array),
        )
    span = minus(last, first)
    if first.vary or last.vary:
        if step != 1:
            b.refuse(f"a section of {array.spelled}", "its bounds differ between points")
        count = moved(span, 1)
        if not count.vary:
            return count
        b.most[count.text] = elements.extent(b, dim, array)
        return count
    if isinstance(span.number, int):
        return integer(max(0, (span.number + step) // step))
    if step == 1:
        return moved(span, 1)
    text = f"max(({moved(span, step).text}) / {step}, 0)"
    return Value(text, "integer", False, kind=4)


# ---- Arrays that no loop over elements gives


def makes_array(b: Body, e: Expression) -> bool:
    """Whether a value of the expression has to be computed as a whole."""
    if isinstance(e, ArrayConstructor):
        return True
    if not isinstance(e, Apply) or designators.find(b, e.base) is not None:
        return False
    if e.reference in b.unit.statement_functions:
        return False
    called = bound.callee_of(b, e)
    if called is not None:
        return not bound.elemental(called[0]) and rank(b, e) > 0
    return b.port.references.whole(e.reference) and rank(b, e) > 0


def hoisted(b: Body, e: Expression) -> Array:
    """The array, computed now into memory of its own."""
    if isinstance(e, ArrayConstructor):
        return constructed(b, e)
    assert isinstance(e, Apply)
    called = bound.callee_of(b, e)
    if called is not None:
        return b.port.references.array_function(b, *called)
    return b.port.references.intrinsic_array(b, e.reference, e.arguments)


def items(b: Body, e: ArrayConstructor) -> list[Expression]:
    """One for each element, or an array in its place; implied loops are written out."""
    found: list[Expression] = []
    for item in e.items:
        if isinstance(item, ImpliedDo):
            bounds = [b.value(bound).number for bound in item.bounds]
            if not all(isinstance(bound, int) for bound in bounds):
                b.refuse("an implied do", "its bounds are not constants")
            first, last, *rest = (int(bound) for bound in bounds if bound is not None)
            step = rest[0] if rest else 1
            for n in range(first, last + (1 if step > 0 else -1), step):
                by: dict[str, Expression] = {item.variable: Hoisted(integer(n))}
                inner = ArrayConstructor(tuple(with_names(x, by) for x in item.items))
                found += items(b, inner)
        elif isinstance(item, ArrayConstructor):
            found += items(b, item)
        else:
            found.append(item)
    return found


def count(b: Body, e: ArrayConstructor) -> int:
    total = 0
    for item in items(b, e):
        extents = shape(b, item) if rank(b, item) else ()
        number = 1
        for extent in extents:
            if not isinstance(extent.number, int):
                b.refuse("an array constructor", "the number of its elements is not known")
            number *= extent.number
        total += number
    return total


def constructed(b: Body, e: ArrayConstructor) -> Array:
    values: list[Value] = []
    for item in items(b, e):
        extents = shape(b, item) if rank(b, item) else ()
        places: list[tuple[Value, ...]] = [()]
        for extent in reversed(extents):
            if not isinstance(extent.number, int):
                b.refuse("an array constructor", "the number of its elements is not known")
            places = [(integer(n), *place) for place in places for n in range(extent.number)]
        values += [b.value(item, place) for place in places]
    if not values:
        b.refuse(
            "an array constructor without elements",
            "the type and the kind of its elements are not known",
            "leave out what it is assigned to, or give it elements",
        )
    type = values[0].type
    if any(v.type != type for v in values):
        b.refuse("an array constructor", "its elements are of several types",
                 "say the type in front, as [real(8) :: 1, x]")  # fmt: skip
    kind = max(v.kind for v in values)
    array = elements.temporary(b, "list", type, kind, (integer(len(values)),), True)
    for number, v in enumerate(values):
        b.out.put(f"{array.text}[{number}] = {v.text};")
    return array
