"""Lists of points: `c = filter(fc)` and then `x(c, j) = x(c, j - 1) + dt*f(c)`.

An array that is written by a list is a view along the subscript of the list alone; its other
subscripts stay, so that the points of a column keep their order. Two places of the list may name
one element: then the order of the loop would count. So each run asks the list, and stops where
it names an element twice (`output/copies.py`).

Here is told what is no list of points. Where the loop has further arrays of its own, as in
`x(column(p)) = x(column(p)) + y(p)`, many points give to one element, and where nothing else goes
by the list it counts, `n(class(i)) = n(class(i)) + 1`: these are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.outline.accesses import Access
from bridge_port.outline.setting import Setting
from bridge_port.syntax.expressions import Apply, Expression, Name, Section
from bridge_port.syntax.statements import (
    Assignment,
    Cycle,
    Do,
    Exit,
    Goto,
    Return,
    Statement,
    walk,
)


def list_terms(setting: Setting, subscript: Expression, variables: set[str]) -> list[Apply]:
    """Elements of arrays in a subscript that loops of these variables choose."""
    if isinstance(subscript, Section):
        return []
    return [
        term
        for term, _ in setting.affine(subscript).terms
        if isinstance(term, Apply)
        and isinstance(term.base, Name)
        and setting.is_array(term.base.id)
        and any(isinstance(e, Name) and e.id in variables for e in term.walk())
    ]


def lists_points(
    terms: Sequence[Apply], loops: Sequence[Do], its: Sequence[Access], others: Sequence[Access]
) -> bool:
    """Whether what the loops write at these elements may be one place for each round. its: of the
    array that is written so; others: all places of other arrays."""
    if not any(access.reads for access in its) and _in_each_round(loops[0], its):
        return True
    if any(_alone(e, loop.variable, terms) for loop in loops for e in _expressions(loop)):
        return False
    around = {id(loop) for loop in loops}
    several = len({access.subscripts for access in its}) > 1
    return several or any(
        around <= {id(loop) for loop in other.loops}
        and any(e in terms for sub in other.subscripts or () for e in sub.walk())
        for other in others
    )


def _alone(e: Expression, variable: str, terms: Sequence[Apply]) -> bool:
    """Whether the variable stands outside of these terms."""
    if e in terms:
        return False
    return e == Name(variable) or any(_alone(part, variable, terms) for part in e.parts())


def _expressions(loop: Do) -> Iterator[Expression]:
    for s in walk(loop.body):
        yield from s.expressions()


def _in_each_round(loop: Do, its: Sequence[Access]) -> bool:
    """Whether assignments under no condition write all of these elements."""
    if any(isinstance(s, Cycle | Exit | Goto | Return) for s in walk(loop.body)):
        return False
    found: list[Expression] = []

    def look(body: Sequence[Statement]) -> None:
        for s in body:
            if isinstance(s, Do):
                look(s.body)
            elif isinstance(s, Assignment):
                found.append(s.target)

    look(loop.body)
    return all(access.node in found for access in its)
