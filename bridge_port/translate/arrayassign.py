"""Assignments to whole arrays and sections, where and elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Expression,
    Name,
    Section,
)
from bridge_port.translate import (
    arrays,
    designators,
    effects,
    elements,
    expressions,
    operators,
    rearranged,
    stores,
    transforms,
)
from bridge_port.translate.body import Array, Body, Hoisted
from bridge_port.translate.flow import Flow
from bridge_port.translate.intents import path
from bridge_port.translate.text import comment_lines
from bridge_port.translate.values import UNARY, Value, integer


@dataclass(frozen=True)
class Part:
    """An array or a section that is assigned to."""

    array: Array
    target: Expression
    extents: tuple[Value, ...]

    def places(self, b: Body, at: tuple[Value, ...]) -> tuple[Value, ...]:
        if isinstance(self.target, Apply):
            return expressions.subscripts(b, self.target, self.array, at)
        return at


def is_array(b: Body, target: Expression) -> bool:
    return arrays.rank(b, target) > 0


def part_of(b: Body, target: Expression) -> Part:
    base = target.whole
    array = designators.find(b, base)
    if array is None:
        b.refuse(
            "an assignment to something that is no array",
            "its left side is neither a variable nor a part of one",
            "assign to an array of this procedure",
        )
    if isinstance(target, Apply):
        for a in target.arguments:
            if not isinstance(a, Section) and arrays.rank(b, a):
                b.refuse(
                    "an assignment to elements by an array of subscripts",
                    "two of them may be one element, and the last one would count",
                    "write a loop over the subscripts",
                )
    target = transforms.settled(b, target, {target.root})
    return Part(array, target, arrays.shape(b, target))


def assign(b: Body, statement: s.Assignment, flow: Flow) -> None:
    target, e = statement.target, statement.value
    name = target.root
    part = part_of(b, target)
    if isinstance(e, ArrayConstructor) and direct(b, part, e, name):
        values = [expressions.value(b, item) for item in arrays.items(b, e)]
        check(b, part.extents, (integer(len(values)),))
        for number, v in enumerate(values):
            stores.element(b, part.array, part.places(b, (integer(number),)), v, flow)
        return
    e = transforms.prepared(b, e, name)
    if arrays.rank(b, e):
        check(b, part.extents, arrays.shape(b, e))
        if elsewhere(b, e, part, name) or effects.seen(b, e, name):
            e = Hoisted(rearranged.filled(b, "old", e, part.extents, lambda at: at))
    with elements.each(b, part.extents, ragged=True) as at:
        v = expressions.value(b, e, at if arrays.rank(b, e) else ())
        there = elements.conditions(b, part.extents, at)
        if there is not None:
            mask = f"{flow.mask} & {there.text}" if flow.mask else there.text
            flow_here = Flow(mask, b.regions.inner)
            stores.element(b, part.array, part.places(b, at), v, flow_here)
        else:
            stores.element(b, part.array, part.places(b, at), v, flow)


def direct(b: Body, part: Part, e: ArrayConstructor, name: str) -> bool:
    """Whether elements can be assigned one by one."""
    return len(part.extents) == 1 and not any(
        name in item.names or arrays.rank(b, item) or effects.seen(b, item, name)
        for item in arrays.items(b, e)
    )


def check(b: Body, extents: tuple[Value, ...], other: tuple[Value, ...]) -> None:
    if len(extents) != len(other):
        b.refuse("an assignment of an array", "of another rank")
    for one, two in zip(extents, other, strict=True):
        if one.number is not None and two.number is not None and one.number != two.number:
            b.refuse("an assignment of an array", f"of {two.number} elements to {one.number}")


def elsewhere(b: Body, e: Expression, part: Part, name: str) -> bool:
    """Whether the right side reads elements of the target that are not those assigned."""
    same = [part.target]
    if isinstance(part.target, Apply) and all(
        a == Section(None, None, None) for a in part.target.arguments
    ):
        same.append(part.target.base)

    def reads(x: Expression) -> bool:
        if x in same:
            return False
        if isinstance(x, Apply) and path(x) == path(part.target):
            return True
        if isinstance(x, Name):
            return x.id == name
        return any(reads(inner) for inner in x.parts())

    return reads(e)


# ---- where


def where(b: Body, statement: s.Where, flow: Flow, control: Array | None = None) -> None:
    """The masks are computed before, then each assignment is one of whole arrays. control: the
    elements that an arm around this one is for."""
    chosen: list[Array] = []
    for arm in statement.arms:
        for line in comment_lines(arm.comments):
            b.out.comment(line)
        mask = mask_of(b, arm.condition, chosen, control)
        if mask is None and (
            control is not None or any(isinstance(inner, s.Where) for inner in arm.body)
        ):
            mask = rest_of(b, chosen, control)
        elif mask is not None:
            chosen.append(mask)
        for inner in arm.body:
            b.place = inner.place
            for line in comment_lines(inner.comments):
                b.out.comment(line)
            if isinstance(inner, s.Continue):
                continue
            b.out.note = b.port.note_of(inner.place)
            if isinstance(inner, s.Where):
                where(b, inner, flow, mask)
                continue
            if not isinstance(inner, s.Assignment):
                b.refuse("in a where", "something other than an assignment", "write it as a loop")
            masked(b, inner, flow, mask, chosen)


def rest_of(b: Body, before: list[Array], control: Array | None) -> Array:
    """The elements that no arm before has."""
    sample = before[0]
    extents = tuple(dim.extent for dim in sample.dims if dim.extent is not None)
    result = elements.temporary(b, "others", "logical", 4, extents, True)
    with elements.each(b, extents) as at:
        texts = [f"!{elements.element(b, other, at).text}" for other in before]
        if control is not None:
            texts.append(elements.element(b, control, at).text)
        b.out.put(f"{result.text}[{elements.offset(b, result, at).text}] = {' & '.join(texts)};")
    return result


def mask_of(
    b: Body, condition: Expression | None, before: list[Array], control: Array | None
) -> Array | None:
    """The elements that an arm is for: those of its condition that no arm before has, and the
    arm around it has."""
    if condition is None:
        return None
    condition = transforms.prepared(b, condition, "")
    extents = arrays.shape(b, condition)
    if not extents:
        b.refuse("where", "its condition is no array")
    if control is not None:
        check(b, tuple(dim.extent for dim in control.dims if dim.extent is not None), extents)
    result = elements.temporary(b, "chosen", "logical", 4, extents, True)
    with elements.each(b, extents) as at:
        v = expressions.value(b, condition, at)
        if v.type != "logical":
            b.refuse("where", "its condition is no logical")
        for other in before:
            rest = Value(f"!{elements.element(b, other, at).text}", "logical", True, UNARY)
            v = operators.connective(b, ".and.", rest, v)
        if control is not None:
            v = operators.connective(b, ".and.", elements.element(b, control, at), v)
        b.out.put(f"{result.text}[{elements.offset(b, result, at).text}] = {v.text};")
    return result


def masked(
    b: Body, statement: s.Assignment, flow: Flow, mask: Array | None, before: list[Array]
) -> None:
    name = statement.target.root
    part = part_of(b, statement.target)
    e = transforms.prepared(b, statement.value, name)
    if arrays.rank(b, e):
        check(b, part.extents, arrays.shape(b, e))
        if effects.seen(b, e, name):
            b.refuse("where", f"a function reads all of {name}, which it assigns: what it finds "
                     "differs between compilers", "assign to another array")  # fmt: skip
        if elsewhere(b, e, part, name):
            e = Hoisted(rearranged.filled(b, "old", e, part.extents, lambda at: at))
    with elements.each(b, part.extents) as at:
        v = expressions.value(b, e, at if arrays.rank(b, e) else ())
        if mask is not None:
            condition = elements.element(b, mask, at).text
        else:
            condition = " & ".join(f"!{elements.element(b, m, at).text}" for m in before)
        if flow.mask:
            condition = f"{flow.mask} & {condition}"
        stores.element(b, part.array, part.places(b, at), v, Flow(condition, b.regions.inner))
