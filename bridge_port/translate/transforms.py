"""Parts of an expression that are computed before its statement."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Component,
    Expression,
    ImpliedDo,
    Name,
    Section,
)
from bridge_port.syntax.rewriting import with_names, with_parts
from bridge_port.translate import (
    arrays,
    bound,
    elements,
    expressions,
)
from bridge_port.translate.body import Array, Body, Hoisted
from bridge_port.translate.values import Value, integer, minus, moved


def is_array_constructor(e: Expression) -> bool:
    return isinstance(e, ArrayConstructor)


# ---- Arrays that no loop over elements gives


def makes_array(b: Body, e: Expression) -> bool:
    """Whether a value of the expression has to be computed as a whole."""
    if isinstance(e, ArrayConstructor):
        return True
    if not isinstance(e, Apply) or arrays.find(b, e.base) is not None:
        return False
    if isinstance(e.base, Name) and e.base.id in b.unit.statement_functions:
        return False
    called = bound.callee_of(b, e)
    if called is not None:
        return not bound.elemental(called[0]) and arrays.rank(b, e) > 0
    if not isinstance(e.base, Name):
        return False
    return b.port.references.whole(e.base.id) and arrays.rank(b, e) > 0


def hoisted(b: Body, e: Expression) -> Array:
    """The array, computed now into memory of its own."""
    if isinstance(e, ArrayConstructor):
        return constructed(b, e)
    assert isinstance(e, Apply)
    called = bound.callee_of(b, e)
    if called is not None:
        return b.port.references.array_function(b, *called)
    assert isinstance(e.base, Name)
    return b.port.references.intrinsic_array(b, e.base.id, e.arguments)


def hoisted_node(b: Body, e: Expression) -> Hoisted:
    return Hoisted(hoisted(b, e))


def items(b: Body, e: ArrayConstructor) -> list[Expression]:
    """One for each element, or an array in its place; implied loops are written out."""
    found: list[Expression] = []
    for item in e.items:
        if isinstance(item, ImpliedDo):
            bounds = [expressions.value(b, bound).number for bound in item.bounds]
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
        extents = arrays.shape(b, item) if arrays.rank(b, item) else ()
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
        extents = arrays.shape(b, item) if arrays.rank(b, item) else ()
        places: list[tuple[Value, ...]] = [()]
        for extent in reversed(extents):
            if not isinstance(extent.number, int):
                b.refuse("an array constructor", "the number of its elements is not known")
            places = [(integer(n), *place) for place in places for n in range(extent.number)]
        values += [expressions.value(b, item, place) for place in places]
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


# ---- What must not change while elements are written


def prepared(b: Body, e: Expression, target: str) -> Expression:
    """The right side of an assignment to an array, to be evaluated element by element: what reads
    all of an array, or one element of the target, is computed before."""
    if not arrays.rank(b, e):
        plain = isinstance(e, (Name, Component)) or not any(
            isinstance(part, Apply) for part in e.walk()
        )
        if plain and not any(isinstance(p, Name) and p.id == target for p in e.walk()):
            return e
        v = expressions.value(b, e)
        if v.number is not None or v.text.isidentifier() and v.text != b.names.of(target):
            return Hoisted(v)
        return Hoisted(b.constant("t", v))
    if makes_array(b, e):
        return hoisted_node(b, e)
    if isinstance(e, Apply) and isinstance(e.base, Component) and e.base.root == target:
        if arrays.find(b, e.base) is None:
            b.refuse(f"a call of a procedure of {target}", "the assignment changes this object")
    if isinstance(e, Apply) and arrays.find(b, e.base) is not None:
        return e
    if isinstance(e, Component):
        return e

    def part(one: Expression) -> Expression:
        return one if one is e.whole or isinstance(one, Section) else prepared(b, one, target)

    return with_parts(e, part)


def settled(b: Body, target: Expression, changed: Set[str | None]) -> Expression:
    """A designator whose elements are written one after the other, or behind a call: subscripts
    and bounds that read what changes are computed before."""
    if not isinstance(target, Apply):
        return target

    def reads(e: Expression | None) -> bool:
        return e is not None and any(name and name in e.names for name in changed)

    def before(e: Expression) -> Expression:
        return Hoisted(b.constant("t", expressions.value(b, e))) if reads(e) else e

    def section(one: Section) -> Section:
        lower, upper = one.lower, one.upper
        if lower is not None and upper is not None and reads(lower):
            first, last = expressions.value(b, lower), expressions.value(b, upper)
            span, first = minus(last, first).number, b.constant("t", first)
            lower = Hoisted(first)
            if isinstance(span, int):  # a number of elements that is known stays so
                return replace(one, lower=lower, upper=Hoisted(moved(first, span)))
        return replace(one, lower=lower and before(lower), upper=upper and before(upper))

    found = tuple(section(a) if isinstance(a, Section) else before(a) for a in target.arguments)
    return target if found == target.arguments else replace(target, arguments=found)
