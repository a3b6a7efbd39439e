"""A region taken apart into leaves: statements with the loops over points around them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bridge_port.analysis.accesses import Access, Accesses
from bridge_port.analysis.affine import Affine
from bridge_port.analysis.exposed import POINT
from bridge_port.nest.nest import Nest
from bridge_port.nest.pointloops import Axes, asked_of, or_components
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Binary, Expression, Section, Truth, Unary
from bridge_port.syntax.rewriting import targets, without_ends
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Arm,
    ComputedGoto,
    Cycle,
    Do,
    Exit,
    Goto,
    If,
    Return,
    Statement,
    Where,
    walk,
)


@dataclass(frozen=True)
class Guard:
    """A condition around loops over points."""

    condition: Expression
    place: Place
    source: int


@dataclass(eq=False)
class Leaf:
    """path: loops over points, loops over components and guards around it, outermost first; body:
    its own statements, those of the unit; sunk: statements of leaves before it, which set scalars
    that it reads."""

    path: tuple[Do | Guard, ...]
    body: list[Statement]
    points: tuple[Do, ...]
    sunk: list[Statement] = field(default_factory=list)

    @property
    def place(self) -> Place:
        return self.points[0].place if self.points else self.body[0].place

    @property
    def components(self) -> tuple[Do, ...]:
        """Loops over components around loops over points."""
        return tuple(one for one in self.path if isinstance(one, Do) and one not in self.points)

    def alone(self) -> list[Statement]:
        """Its own statements, in loops and guards; without those of leaves before it."""
        return replace(self, points=(), sunk=[]).wrapped()

    def wrapped(self) -> list[Statement]:
        """A copy of all that a point does, with loops over components and guards around it."""
        body = copy.deepcopy([*self.sunk, *self.body])
        for one in reversed(self.path):
            if isinstance(one, Guard):
                body = [If(one.place, arms=[Arm(one.condition, body, one.place)])]
            elif one not in self.points:
                body = [
                    Do(
                        one.place,
                        comments=one.comments,
                        body=body,
                        name=one.name,
                        variable=one.variable,
                        first=one.first,
                        last=one.last,
                        step=one.step,
                    )
                ]
        return body


def leaves_of(statements: Sequence[Statement], axes: Axes) -> list[Leaf]:
    """In the order of the text."""
    needed = targets(statements)
    found = _Finder(axes, needed)
    found.flatten(statements, ())
    for leaf in found.leaves:
        _check_control(leaf, found.leaves, axes)
    return found.leaves


def has_points(statement: Statement, axes: Axes) -> bool:
    return any(axes.is_point(s) for s in walk([statement]))


class _Finder:
    def __init__(self, axes: Axes, needed: set[str]) -> None:
        self.axes, self.needed, self.leaves = axes, needed, list[Leaf]()

    def flatten(self, body: Sequence[Statement], path: tuple[Do | Guard, ...]) -> None:
        run: list[Statement] = []
        for s in without_ends(body, self.needed):
            if not has_points(s, self.axes):
                run.append(s)
                continue
            self._end(run, path)
            run = []
            if isinstance(s, Do):
                self._loop(s, path)
            elif isinstance(s, If) and not isinstance(s, Where):
                before: list[Expression] = []
                for arm in s.arms:
                    parts = [Unary(".not.", Unary("()", one)) for one in before]
                    if arm.condition is not None:
                        parts.append(Unary("()", arm.condition))
                        before.append(arm.condition)
                    condition: Expression = parts[0] if parts else Truth(True)
                    for part in parts[1:]:
                        condition = Binary(".and.", condition, part)
                    place = arm.place if arm.place.line else s.place
                    self.flatten(arm.body, (*path, Guard(condition, place, id(s))))
            else:
                raise Refused(
                    s.place,
                    "a statement around loops over points",
                    "only loops and if may stand there",
                )
        self._end(run, path)

    def _end(self, run: list[Statement], path: tuple[Do | Guard, ...]) -> None:
        if run:
            points = tuple(one for one in path if isinstance(one, Do) and self.axes.is_point(one))
            self.leaves.append(Leaf(path, run, points))

    def _loop(self, s: Do, path: tuple[Do | Guard, ...]) -> None:
        if not s.variable:
            raise Refused(s.place, "do while", "it stands around loops over points")
        if self.axes.is_point(s):
            axis = self.axes.loops[id(s)]
            for one in path:
                if isinstance(one, Do) and self.axes.loops.get(id(one)) == axis:
                    raise Refused(
                        s.place,
                        f"loop over {s.variable}",
                        f"the loop over {one.variable} around it goes along the same axis",
                        f"if it goes over components, {asked_of(self.axes.setting, s)}",
                    )
        self.flatten(s.body, (*path, s))


def _check_control(leaf: Leaf, leaves: Sequence[Leaf], axes: Axes) -> None:
    """A leaf is left at its end alone; `cycle` of the loop around it, where that has no other
    statements, is the end too."""
    labels = {s.label for s in walk(leaf.body) if s.label}
    _control(leaf, leaf.body, [], labels, leaves, axes)


def _control(
    leaf: Leaf,
    body: Sequence[Statement],
    inner: list[Do],
    labels: set[str],
    leaves: Sequence[Leaf],
    axes: Axes,
) -> None:
    for s in body:
        if isinstance(s, Return):
            raise Refused(
                s.place, "return", "it ends the loops over points", "leave it outside of the nest"
            )
        wanted = (
            (s.target,)
            if isinstance(s, Goto)
            else (s.targets if isinstance(s, ComputedGoto | ArithmeticIf) else ())
        )
        for label in wanted:
            if label not in labels:
                exits = isinstance(s, Goto) and s.leaves
                raise Refused(s.place, f"exit {exits}" if exits else f"goto {label}",
                              "it leaves the statements of a point",
                              "leave it outside of the nest")  # fmt: skip
        if isinstance(s, Cycle | Exit):
            _check_leaving(leaf, s, inner, leaves, axes)
        for one in s.bodies():
            around = [*inner, s] if isinstance(s, Do) else inner
            _control(leaf, one, around, labels, leaves, axes)


def _check_leaving(
    leaf: Leaf, s: Cycle | Exit, inner: Sequence[Do], leaves: Sequence[Leaf], axes: Axes
) -> None:
    word = "cycle" if isinstance(s, Cycle) else "exit"
    around = [*(one for one in leaf.path if isinstance(one, Do)), *inner]
    loop = next((one for one in reversed(around) if not s.name or one.name == s.name), None)
    if s.name == POINT:
        return
    if loop is None:
        raise Refused(s.place, f"{word} {s.name}".rstrip(), "no loop of the nest has it")
    if loop not in leaf.points:
        if loop in inner or leaf.path[-1] is loop and _alone(leaf, loop, leaves):
            return
        change = or_components(axes.setting, "", leaf.points).removeprefix("; ")
        why = "it leaves loops over points"
        raise Refused(s.place, f"{word} {s.name}".rstrip(), why, change)
    if isinstance(s, Exit):
        raise Refused(
            s.place,
            "exit",
            f"it ends the loop over {loop.variable}, whose points are worked on together",
            or_components(axes.setting, "compute the range before", [loop]),
        )
    if leaf.path[-1] is not loop or not _alone(leaf, loop, leaves):
        raise Refused(
            s.place,
            "cycle",
            f"other statements of the loop over {loop.variable} depend on it",
            "write an if around them",
        )
    s.name = POINT


def _alone(leaf: Leaf, loop: Do, leaves: Sequence[Leaf]) -> bool:
    return all(other is leaf or loop not in other.path for other in leaves)


def leave_by_return(body: list[Statement]) -> None:
    """cycle of the innermost loop over points ends a procedure of one point."""
    for number, s in enumerate(body):
        if isinstance(s, Cycle) and s.name == POINT:
            body[number] = Return(s.place, s.label, s.comments)
        for one in s.bodies():
            leave_by_return(one)


# ---- A leaf that writes an array at several planes is several leaves ----------------------------


def planes(nest: Nest, leaf: Leaf) -> list[Leaf]:
    """Statements of one leaf that write an array at several planes, each plane by itself."""
    if any(s.label or isinstance(s, Goto | Return | Cycle) for s in walk(leaf.body)):
        return [leaf]
    groups: list[list[Statement]] = [[]]
    written: dict[str, tuple[Affine | None, ...]] = {}
    own = Accesses(nest.setting, nest.effects)
    for s in leaf.body:
        here = {
            access.array: _plane_of(nest, access)
            for access in own.of([s], leaf.points)
            if access.writes and nest.is_field(access.array)
        }
        if any(array in written and written[array] != at for array, at in here.items()):
            groups.append([])
            written = {}
        written |= here
        groups[-1].append(s)
    return [leaf] if len(groups) == 1 else [Leaf(leaf.path, g, leaf.points) for g in groups]


def _plane_of(nest: Nest, access: Access) -> tuple[Affine | None, ...]:
    """Of each dimension the single index, None where a loop over points subscripts it."""
    subscripts = access.subscripts or ()
    return tuple(
        None
        if axis is None or isinstance(e, Section) or nest.axes.point(e, access) is not None
        else nest.setting.affine(e)
        for e, axis in zip(subscripts, nest.axes.dimensions[access.array], strict=False)
    )
