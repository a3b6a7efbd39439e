"""Which loops of a region are over points.

A loop is over points where its variable subscripts arrays along dimensions that are not small;
loops over components (few constant rounds, or a small dimension) stay in the body of a point.
Where no loop is, a table is filled: the outer loops along what it writes are over points then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bridge_port.outline.accesses import Access
from bridge_port.outline.setting import Setting
from bridge_port.syntax.expressions import Name, Section
from bridge_port.syntax.statements import Assignment, Continue, Do, If, Statement, walk

#: A dimension of at most so many elements, and a loop of at most so many rounds, is one of
#: components unless the user says otherwise.
COMPONENTS = 16
#: Axes of points.
MOST = 3


def point_loops(
    setting: Setting,
    accesses: Sequence[Access],
    every: Sequence[Do],
    given: Mapping[str, int] | None,
) -> list[Do]:
    """Of a region with these accesses and loops; given: variable -> axis, from the user."""
    if given is not None:
        return [loop for loop in every if loop.variable in given]
    seen: dict[int, bool] = {}
    for access in accesses:
        symbol = setting.variable(access.array, access.place)
        for loop, extent in _along(setting, access, setting.extents(symbol)):
            small = extent is not None and extent <= COMPONENTS
            seen[id(loop)] = seen.get(id(loop), False) or small
    found = []
    for loop in every:
        if not loop.variable or loop.first is None or loop.last is None or id(loop) not in seen:
            continue
        rounds = (setting.affine(loop.last) - setting.affine(loop.first)).constant
        if seen[id(loop)] or (rounds is not None and abs(rounds) < COMPONENTS):
            continue
        found.append(loop)
    found = found or _of_tables(setting, accesses, every)
    # A scalar is kept in a line where its loop was one over points.
    return [
        loop for loop in every if id(loop) in {*map(id, found)} | _along_lines(setting, accesses)
    ]


def _along_lines(setting: Setting, accesses: Sequence[Access]) -> set[int]:
    its = [access for access in accesses if access.array in setting.lines]
    return {id(loop) for access in its for loop, _ in _along(setting, access, [None])}


def _along(
    setting: Setting, access: Access, extents: Sequence[int | None]
) -> Iterator[tuple[Do, int | None]]:
    """The loops whose variables are in its subscripts, with the extents of these dimensions."""
    around = {loop.variable: loop for loop in access.loops}
    for subscript, extent in zip(access.subscripts or (), extents, strict=False):
        if isinstance(subscript, Section):
            continue
        for term, _ in setting.affine(subscript).terms:
            if isinstance(term, Name) and term.id in around:
                yield around[term.id], extent


def is_small(setting: Setting, loop: Statement) -> bool:
    """Whether loops of few known rounds hold assignments alone: that is the work of one
    point, as the statements beside it, and no nest."""
    for one in walk([loop]):
        if isinstance(one, Do):
            if not one.variable or one.first is None or one.last is None:
                return False
            rounds = (setting.affine(one.last) - setting.affine(one.first)).constant
            if rounds is None or abs(rounds) >= COMPONENTS:
                return False
        elif not isinstance(one, Assignment | If | Continue):
            return False
    return True


def _of_tables(setting: Setting, accesses: Sequence[Access], every: Sequence[Do]) -> list[Do]:
    """Of a nest whose arrays have small dimensions alone along its loops: the outermost loops
    along what is written, and those that stand alone in them along the same arrays. None where
    all of it is the work of one point."""
    written: dict[int, set[str]] = {}
    for access in accesses:
        if access.writes:
            symbol = setting.variable(access.array, access.place)
            for loop, _ in _along(setting, access, setting.extents(symbol)):
                written.setdefault(id(loop), set()).add(access.array)
    inside = {id(one) for loop in every for one in walk(loop.body)}
    if all(is_small(setting, loop) for loop in every if id(loop) not in inside):
        return []
    found: list[Do] = []
    taken: set[int] = set()
    for loop in every:
        if id(loop) in taken or not written.get(id(loop)) or not _counted(loop):
            continue
        taken |= {id(one) for one in walk([loop])}
        chosen, arrays = [loop], written[id(loop)]
        while len(chosen) < MOST and (inner := _alone(chosen[-1])) is not None:
            if not arrays <= written.get(id(inner), set()) or not _counted(inner):
                break
            chosen.append(inner)
        found += chosen
    return found


def _counted(loop: Do) -> bool:
    return bool(loop.variable) and loop.first is not None and loop.last is not None


def _alone(loop: Do) -> Do | None:
    """What is all of its body."""
    body = [s for s in loop.body if not isinstance(s, Continue)]
    return body[0] if len(body) == 1 and isinstance(body[0], Do) else None
