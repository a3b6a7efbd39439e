"""Elements that a point of the box would have outside of their array.

`if (i > 1) w = a(i - 1)` over i = 1, n asks first, and leaves a(0) alone. A kernel reads its
neighbours at all points of the box and chooses then. Where the bounds of a loop and those of the
array say that an element lies outside, the module gathers the elements that are there (`views`);
where it cannot, the nest is refused. What all points read is left to the fringe of the array,
which `bind_` asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.outline.accesses import Access, Accesses
from bridge_port.outline.cover import Range, least
from bridge_port.outline.nest import Nest
from bridge_port.outline.views import Irregular
from bridge_port.program.symbols import LOCAL
from bridge_port.syntax.rewriting import targets
from bridge_port.syntax.statements import (
    Assignment,
    Call,
    Cycle,
    Do,
    Exit,
    Return,
    Statement,
    walk,
)
from bridge_port.syntax.text import expression_text


def check_margins(nest: Nest, statements: Sequence[Statement], accesses: Sequence[Access]) -> None:
    """accesses: of the statements."""
    own = Accesses(nest.setting, nest.effects).of(list(_unasked(statements)))
    surely = {(access.array, access.subscripts) for access in own}
    for access in accesses:
        fields = access.array in nest.axes.dimensions and access.subscripts is not None
        if fields and (access.array, access.subscripts) not in surely:
            _check(nest, access)


def _unasked(body: Sequence[Statement]) -> Iterator[Statement]:
    """Assignments and calls under no condition."""
    if targets(body) or any(isinstance(s, Return | Cycle | Exit) for s in walk(body)):
        return
    for s in body:
        if isinstance(s, Do):
            yield from _unasked(s.body)
        elif isinstance(s, Assignment | Call):
            yield s


def _check(nest: Nest, access: Access) -> None:
    setting = nest.setting
    symbol = setting.variable(access.array, access.place)
    own = symbol.storage == LOCAL and access.array in nest.changed  # may be the point's alone
    if own or access.array in setting.views or symbol.attributes & {"pointer", "allocatable"}:
        return
    ranges = _ranges(nest, access.loops)
    bounds = setting.bounds(symbol)
    for subscript, (low, high) in zip(access.subscripts or (), bounds, strict=False):
        if nest.axes.point(subscript, access) is None:
            continue
        place = setting.affine(subscript)
        for left in (place - low, *([] if high is None else [high - place])):
            most = least(left, ranges)
            if most is not None and most < 0:
                raise Irregular(
                    access,
                    frozenset(nest.axes.loops),
                    f"subscript {expression_text(subscript)} of {access.array}",
                    "it lies outside of the array at some points of the box, and a kernel reads "
                    "its neighbours before it asks a condition",
                    "give these points a loop of their own, without that element",
                )


def _ranges(nest: Nest, loops: Sequence[Do]) -> dict[str, Range]:
    """Of variables whose loops go by one."""
    found: dict[str, Range] = {}
    for loop in loops:
        if loop.first is None or loop.last is None:
            continue
        step = 1 if loop.step is None else nest.setting.affine(loop.step).constant
        first, last = (nest.setting.affine(e) for e in (loop.first, loop.last))
        if step in (1, -1):
            found[loop.variable] = Range(first, last) if step == 1 else Range(last, first)
    return found
