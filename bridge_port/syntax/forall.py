"""forall as loops, where no element that an assignment reads is one that it writes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from bridge_port.refusal import Place, Refused
from bridge_port.syntax.concurrent import concurrent_loops
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name
from bridge_port.syntax.statements import (
    Assignment,
    Continue,
    Do,
    PointerAssignment,
    Statement,
    walk,
)


def forall_loops(
    found: list[str], at: int, body: Sequence[Statement], place: Place
) -> list[Statement]:
    """One nest of loops for each assignment: all its elements before those of the next one. The
    indices get names of their own where that counts, as those of do concurrent. at: of the
    parenthesis."""
    made: list[Statement] = []
    written = {s.target.root for s in body if isinstance(s, Assignment)}
    for s in body:
        if isinstance(s, Continue):
            made.append(s)
            continue
        if not isinstance(s, Assignment) or isinstance(s, PointerAssignment):
            raise Refused(place, "forall", "something other than an assignment is in it",
                          "write it as loops")  # fmt: skip
        node = Do(place, body=[])
        inner = concurrent_loops(node, ExpressionReader(found, place, at), place)
        inner.append(deepcopy(s))
        indices = {one.variable for one in walk([node]) if isinstance(one, Do)}
        for one in walk([node]):
            if isinstance(one, Assignment):
                continue
            parts = [part for e in one.expressions() for part in e.walk()]
            if written & {part.id for part in parts if isinstance(part, Name)}:
                raise Refused(place, "forall", "its bounds or its mask may change in it",
                              "write it as loops")  # fmt: skip
        _check(s, indices, place)
        made.append(node)
    return made


def _index(e: Expression, indices: set[str]) -> str:
    """The index that a subscript is, but for a number that is added, "" of none."""
    if isinstance(e, Name):
        return e.id if e.id in indices else ""
    if isinstance(e, Binary) and e.operator in ("+", "-"):
        for one, other in ((e.left, e.right), (e.right, e.left)):
            found = _index(one, indices)
            if found and not any(isinstance(n, Name) and n.id in indices for n in other.walk()):
                return found
    return ""


def _check(s: Assignment, indices: set[str], place: Place) -> None:
    """Elements that it writes are read at the same place alone, and each is written once."""
    root = s.target.root
    if not isinstance(s.target, Apply):
        raise Refused(place, "forall", f"{root} is no element")
    subscripts = {_index(a, indices) for a in s.target.arguments}
    if not indices <= subscripts:
        raise Refused(place, "forall", f"two assignments may be to one element of {root}",
                      "write it as loops")  # fmt: skip

    def reads(e: Expression) -> bool:
        if e == s.target:
            return False
        if isinstance(e, Name):
            return e.id == root
        return any(reads(part) for part in e.parts())

    if reads(s.value) or any(reads(a) for a in s.target.arguments):
        raise Refused(place, "forall", f"it reads other elements of {root} than it writes",
                      "write it as loops with a copy")  # fmt: skip
