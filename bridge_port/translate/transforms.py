"""Parts of an expression that are computed before its statement, so that they do not change while
elements are written."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from bridge_port.syntax.expressions import (
    Apply,
    Component,
    Expression,
    Name,
    Section,
)
from bridge_port.syntax.rewriting import with_parts
from bridge_port.translate import (
    arrays,
    designators,
    expressions,
)
from bridge_port.translate.body import Body, Hoisted
from bridge_port.translate.values import minus, moved


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
    if arrays.makes_array(b, e):
        return Hoisted(arrays.hoisted(b, e))
    if isinstance(e, Apply) and isinstance(e.base, Component) and e.base.root == target:
        if designators.find(b, e.base) is None:
            b.refuse(f"a call of a procedure of {target}", "the assignment changes this object")
    if isinstance(e, Apply) and designators.find(b, e.base) is not None:
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
