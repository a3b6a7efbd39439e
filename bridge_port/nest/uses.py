"""How one leaf uses arrays of points: offsets, planes, what is written where, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bridge.plan.fringe import AXES, FARTHEST, Fringe
from bridge_port.analysis.accesses import Access, Accesses
from bridge_port.analysis.affine import Affine
from bridge_port.analysis.effects import Effects
from bridge_port.analysis.setting import Setting
from bridge_port.kernel import ArrayUse, Neighbour, Offset
from bridge_port.nest.nest import Nest
from bridge_port.nest.pointloops import Axes
from bridge_port.nest.views import Irregular
from bridge_port.program.symbols import Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name, Section
from bridge_port.syntax.rewriting import targets
from bridge_port.syntax.statements import (
    Arm,
    Assignment,
    Call,
    Cycle,
    Do,
    Exit,
    If,
    Return,
    Statement,
    walk,
)
from bridge_port.syntax.text import expression_text

# ---- Which order the points of a leaf need: a recurrence goes along one axis, one way -----------

Vector = tuple[int, int, int]


@dataclass
class Conflict:
    """An array that is written at the point and read at offset, there first by access."""

    array: str
    offset: Vector
    written: Place
    read: Place
    access: Access


class Recurrences:
    """Of one leaf. loops: over points, by their axes; conflicts: what is read around what is
    written."""

    def __init__(self, axes: Axes, loops: Mapping[int, Do], conflicts: Sequence[Conflict]) -> None:
        self.axes, self.loops, self.conflicts = axes, loops, conflicts

    def sweep(self, components: Sequence[Do], accesses: Sequence[Access]) -> str:
        """ "" or "x+" ... "z-", along which each point reads what those behind it have written."""
        found = ""
        for conflict in self.conflicts:
            one = self._sweep_of(conflict)
            if found and one != found:
                raise self._recurrence(conflict, f"another recurrence goes along {found}")
            found = one
            self._check_components(conflict, components, accesses)
        return found

    def _sweep_of(self, conflict: Conflict) -> str:
        along = [axis for axis in range(3) if conflict.offset[axis]]
        if len(along) > 1 or along[0] not in self.loops:
            raise self._recurrence(conflict, "the points of other lines are read too")
        axis = along[0]
        forwards = way(self.axes.setting, self.loops[axis]) > 0
        if (conflict.offset[axis] < 0) != forwards:
            raise self._recurrence(
                conflict,
                "old values ahead of the point are read",
                "read them from a copy of the array",
            )
        return AXES[axis] + ("+" if forwards else "-")

    def _recurrence(self, conflict: Conflict, why: str, change: str = "") -> Irregular:
        return Irregular(
            conflict.access,
            frozenset(self.axes.loops),
            f"array {conflict.array}",
            f"it is read at {spoken(conflict.offset)} here and written in line "
            f"{conflict.written.line}: {why}",
            change or "a recurrence goes along one axis, against points behind",
        )

    def _check_components(
        self, conflict: Conflict, components: Sequence[Do], accesses: Sequence[Access]
    ) -> None:
        """A loop over components around a recurrence may go inside of it where each component
        has a recurrence of its own."""
        its = [a for a in accesses if a.array == conflict.array and a.subscripts is not None]
        for loop in components:
            if not alike(loop.variable, its):
                raise self._recurrence(
                    conflict,
                    f"the loop over {loop.variable} around it mixes components",
                    "put it inside of the loops over points",
                )


def way(setting: Setting, loop: Do) -> int:
    """1 of a loop forwards, -1 backwards."""
    step = 1 if loop.step is None else setting.affine(loop.step).constant
    return -1 if step == -1 else 1


def alike(variable: str, accesses: Sequence[Access]) -> bool:
    """Whether all subscript one dimension by the variable alone: iterations share no element."""
    if not accesses:
        return True
    dims = [{n for n, e in enumerate(a.subscripts or ()) if e == Name(variable)} for a in accesses]
    return bool(set.intersection(*dims))


def spoken(vector: Vector) -> str:
    return f"({', '.join(map(str, vector))})"


# ---- How one leaf uses arrays of points: by which offset, at which plane, what is written where -
#
# From the accesses of a leaf come the uses of arrays (`ArrayUse`), a dummy for each offset, and
# the conflicts that give the order of the points (recurrences).


@dataclass
class _Places:
    writes: dict[Vector, Place] = field(default_factory=dict)
    reads: dict[Vector, Place] = field(default_factory=dict)


class Uses:
    """Of one leaf. dummies: (array, vector) -> dummy; arrays, neighbours: as PointProcedure has
    them; planes: axis -> the index of its single plane; conflicts: what is read around what is
    written."""

    def __init__(
        self,
        nest: Nest,
        accesses: Sequence[Access],
        points: Sequence[Do],
        body: Sequence[Statement],
        own: frozenset[str],
        names: set[str],
    ) -> None:
        """own: work arrays that a point has for itself; names: that are taken."""
        self.axes, self.points, self.body = nest.axes, points, body
        self.promoted, self.own, self.names = nest.promoted, own, names
        self.loops = {self.axes.loops[id(loop)]: loop for loop in points}
        self.planes: dict[int, Affine] = {}
        self.plane_places: dict[int, Place] = {}
        self.dummies: dict[tuple[str, Vector], str] = {}
        self.arrays: dict[str, ArrayUse] = {}
        self.neighbours: dict[str, Neighbour] = {}
        self.conflicts: list[Conflict] = []
        self._assigned = {
            s.target.id
            for s in walk(body)
            if isinstance(s, Assignment) and isinstance(s.target, Name)
        }
        self._assigned |= {s.variable for s in walk(body) if isinstance(s, Do)} | nest.changed
        mine = [a for a in accesses if a.array in self.axes.dimensions]
        self._first: dict[tuple[str, Vector], Access] = {}
        self._find_planes(mine)
        places: dict[str, _Places] = {}
        for access in mine:
            its = places.setdefault(access.array, _Places())
            self._check_layout(access)
            vector = self.vector(access)
            if access.writes:
                its.writes.setdefault(vector, access.place)
            if access.reads:
                its.reads.setdefault(vector, access.place)
                self._first.setdefault((access.array, vector), access)
        for array, its in places.items():
            self._array(array, its)

    def _check_layout(self, access: Access) -> None:
        """Arrays are bound with all their components before or behind the points, and spread
        along an axis that they lack where they have no components."""
        array = access.array
        if array in self.promoted or array in self.own or array in self.axes.setting.views:
            return
        dims = self.axes.dimensions[array]
        points = [n for n, axis in enumerate(dims) if axis is not None]
        lacking = [loop.variable for axis, loop in self.loops.items() if axis not in dims]
        why = ""
        if points[-1] - points[0] >= len(points):
            why = "components stand between its dimensions of points"
        elif points[0] and points[-1] + 1 != len(dims):
            why = "components stand before and behind its dimensions of points"
        elif lacking and len(points) < len(dims) and not access.writes:
            why = f"it has components, and the same values along {lacking[0]}"
        if why:
            loops = frozenset(self.axes.loops)
            raise Irregular(access, loops, f"array {array}", why, "give it another layout")

    # ---- places -------------------------------------------------------------------------------

    def _plane(self, n: int, subscript: Expression, access: Access) -> Affine:
        place = self.axes.setting.affine(subscript)
        for name in sorted(self._assigned):
            if place.mentions(name):
                wraps = any(
                    isinstance(s, Assignment)
                    and s.target == Name(name)
                    and any(
                        isinstance(e, Name) and e.id in ("mod", "modulo", "merge")
                        for e in s.value.walk()
                    )
                    for s in walk(self.body)
                )
                set_ = [
                    s
                    for s in walk(self.body)
                    if isinstance(s, Assignment) and s.target == Name(name)
                ]
                what = f"subscript {expression_text(subscript)} of {access.array}"
                if wraps or len(set_) > 1:
                    raise Refused(
                        access.place,
                        what,
                        f"the index {name} wraps around, or is set under a condition",
                        "fill a fringe before the loop and use var + c",
                    )
                change = "var, var + c and var - c are understood"
                if not set_ and "=N" in (values := self._values(access, n)):
                    change = f"{change}; {values}"  # of a loop: it may be one over components
                raise Refused(access.place, what, f"{name} is set in the nest", change)
        return place

    def _find_planes(self, accesses: Sequence[Access]) -> None:
        """The plane of what is written first, else of what is read first."""
        for access in sorted(accesses, key=lambda one: not one.writes):
            for n, axis in enumerate(self.axes.dimensions[access.array]):
                if axis is None or axis in self.loops or access.subscripts is None:
                    continue
                subscript = access.subscripts[n]
                if axis not in self.planes and not isinstance(subscript, Section):
                    self.planes[axis] = self._plane(n, subscript, access)
                    self.plane_places[axis] = access.place

    def vector(self, access: Access) -> Vector:
        """Where the element lies, from the point; 0 along axes that the array has not."""
        if access.subscripts is None:
            raise Refused(
                access.place,
                f"array {access.array} as a whole",
                "a point has one element of it",
                "write its subscripts",
            )
        result = [0, 0, 0]
        for n, axis in enumerate(self.axes.dimensions[access.array]):
            if axis is None:
                if self.axes.point(access.subscripts[n], access) is not None:
                    raise Refused(
                        access.place,
                        f"array {access.array}",
                        f"dimension {n + 1} is subscripted by a point and by a component",
                    )
                continue
            subscript = access.subscripts[n]
            if isinstance(subscript, Section):
                raise Refused(
                    access.place,
                    f"section {expression_text(access.node)}",
                    f"it goes along {AXES[axis]}, an axis of the points",
                    "write a loop over it",
                )
            at = self.axes.point(subscript, access)
            if at is not None:
                result[axis] = at[1]
                continue
            place = self._plane(n, subscript, access)
            if axis in self.loops:
                raise Irregular(
                    access,
                    frozenset(self.axes.loops),
                    f"subscript {expression_text(subscript)} of {access.array}",
                    f"one plane along {AXES[axis]} within the loop "
                    f"over {self.loops[axis].variable}",
                    "copy the plane to an array without this dimension",
                )
            distance = (place - self.planes[axis]).constant
            if distance is None:
                raise Irregular(
                    access,
                    frozenset(self.axes.loops),
                    f"planes {expression_text(subscript)} and "
                    f"{expression_text(self.planes[axis].expression)} along "
                    f"{AXES[axis]}",
                    "their distance is not a constant",
                    self._values(access, n),
                )
            result[axis] = distance
        return result[0], result[1], result[2]

    def _values(self, access: Access, n: int) -> str:
        """What to say where single indices of a dimension cannot be compared."""
        setting = self.axes.setting
        low, high = setting.bounds(setting.variable(access.array, access.place))[n]
        for term, _ in () if high is None else (high - low).terms:
            for e in term.walk():
                symbol = setting.find(e.id) if isinstance(e, Name) else None
                if symbol is not None and symbol.type == "integer" and not symbol.dimensions:
                    return (
                        "give the values with --value; if this dimension is one of components, "
                        f"give the number of components with --value {symbol.name}=N"
                    )
        return "give the values with --value"

    # ---- arrays -------------------------------------------------------------------------------

    def dimension_axes(self, array: str) -> tuple[int | None, ...]:
        """Of its dimensions, in front those that it is promoted by."""
        return self.promoted.get(array) or self.axes.dimensions[array]

    def _array(self, array: str, its: _Places) -> None:
        if array in self.own:
            for vector in {**its.reads, **its.writes}:
                self.dummies[array, vector] = array
            return
        if not its.writes:
            self._read_only(array, array, its.reads)
            return
        has = set(self.dimension_axes(array))
        place = next(iter(its.writes.values()))
        for axis, loop in self.loops.items():
            if axis not in has:
                raise Refused(
                    place,
                    f"array {array}",
                    f"it is written without the index {loop.variable} of the loops over points",
                    "every point would write the same element",
                )
        if len(its.writes) > 1:
            (one, first), (other, second) = list(its.writes.items())[:2]
            raise Refused(
                second,
                f"array {array}",
                f"it is written at {spoken(other)} here and at {spoken(one)} in line {first.line}",
                "write one element of a point in each nest",
            )
        written = next(iter(its.writes))
        near: dict[Vector, Place] = {}
        far: dict[Vector, Place] = {}
        for vector, where in its.reads.items():
            other_plane = any(vector[axis] != written[axis] for axis in self.planes)
            (far if other_plane else near)[vector] = where
        for vector, where in near.items():
            if vector != written:
                step = _minus(vector, written)
                access = self._first[array, vector]
                self.conflicts.append(Conflict(array, step, place, where, access))
        self._use(array, array, written, near, True)
        if far:
            self._read_only(array, self._name(f"{array}_inside"), far)

    def _read_only(self, array: str, dummy: str, reads: Mapping[Vector, Place]) -> None:
        shift = [0, 0, 0]
        for axis in range(3):
            steps = {vector[axis] for vector in reads}
            # Of planes the lowest one, so that what lies between the planes that are read and the
            # one that is written is not read around it.
            if len(steps) == 1 or axis in self.planes:
                shift[axis] = min(steps)
        self._use(array, dummy, (shift[0], shift[1], shift[2]), reads, False)

    def _use(
        self, array: str, dummy: str, shift: Offset, reads: Mapping[Vector, Place], written: bool
    ) -> None:
        around = Fringe()
        for vector, place in reads.items():
            step = _minus(vector, shift)
            if max(map(abs, step)) > FARTHEST:
                raise Refused(
                    place,
                    f"array {array}",
                    f"it is read {spoken(step)} of the point",
                    f"at most {FARTHEST} points away",
                )
            low, high = (tuple(max(s * n, 0) for n in step) for s in (-1, 1))
            around |= Fringe((low[0], low[1], low[2]), (high[0], high[1], high[2]))
            if any(step):
                name = self._name(
                    dummy
                    + "".join(
                        f"_{self._letter(axis)}{'p' if n > 0 else 'm'}{abs(n)}"
                        for axis, n in enumerate(step)
                        if n
                    )
                )
                self.dummies[array, vector] = name
                self.neighbours[name] = Neighbour(dummy, step)
            else:
                self.dummies[array, vector] = dummy
        if written:
            self.dummies[array, shift] = dummy
        read = shift in reads
        self.arrays[dummy] = ArrayUse(
            array, self.dimension_axes(array), shift, around, read, written
        )

    def _letter(self, axis: int) -> str:
        return self.loops[axis].variable if axis in self.loops else AXES[axis]

    def _name(self, wanted: str) -> str:
        while wanted in self.names:
            wanted += "_"
        self.names.add(wanted)
        return wanted


def _minus(one: Vector, other: Vector) -> Vector:
    return one[0] - other[0], one[1] - other[1], one[2] - other[2]


def components_of(node: Apply, dimensions: Sequence[int | None]) -> list[Expression]:
    """Subscripts of components."""
    return [e for e, axis in zip(node.arguments, dimensions, strict=True) if axis is None]


# ---- Arrays of assumed size, `x(*)`, in a nest: their end is where its loops end ----------------
#
# No declaration says how much memory there is, so what all points touch in any case is bound and
# no more. What a point touches under a condition has to lie within that.


def has_no_end(symbol: Symbol | None) -> bool:
    """Whether the last extent of an array is `*`."""
    last = symbol.dimensions[-1] if symbol is not None and symbol.dimensions else None
    return last is not None and last.upper is None and not last.deferred


def check_ends(
    setting: Setting,
    effects: Effects,
    uses: Uses,
    body: Sequence[Statement],
    points: tuple[Do, ...],
) -> None:
    """Of one leaf. Refused where memory behind the end of an array could be read."""
    for view in setting.views.values():
        if has_no_end(setting.scope.find(view.array)):
            raise _refused(body[0].place, view.array, "elements at no fixed distance are copied")
    for use in dict.fromkeys(one.name for one in uses.arrays.values()):
        if not has_no_end(setting.find(use)):
            continue
        axis = uses.axes.dimensions[use][-1]
        if axis is None:
            raise _refused(body[0].place, use, "it goes over components")
        if axis not in uses.loops:
            continue  # one plane, of which all is touched or nothing
        own = Accesses(setting, effects)
        surely = {
            uses.vector(access)[axis]
            for access in own.of(list(_always(setting, body)), points)
            if access.array == use
        }
        for access in own.of(list(body), points):
            if access.array == use:
                at = uses.vector(access)[axis]
                if not surely or not min(surely) <= at <= max(surely):
                    why = (
                        "an element that a point touches under a condition may lie behind its end"
                    )
                    raise _refused(access.place, use, why)


def _refused(place: Place, array: str, why: str) -> Refused:
    return Refused(
        place, f"array {array}", f"its last extent is not declared (*), and {why}", "declare it"
    )


def _always(setting: Setting, body: Sequence[Statement]) -> Iterator[Statement]:
    """Statements that every point runs, and conditions that every point asks for."""
    leaving = (Return, Cycle, Exit)
    if targets(body) or any(isinstance(s, leaving) for s in walk(body)):
        return
    for s in body:
        if isinstance(s, Do) and s.first is not None and s.last is not None:
            rounds = (setting.affine(s.last) - setting.affine(s.first)).constant
            if rounds is not None and rounds >= 0 and s.step is None:
                yield from _always(setting, s.body)
        elif isinstance(s, Assignment | Call):
            yield s
        elif isinstance(s, If) and s.arms[0].condition is not None:
            yield from _asked(s.place, s.arms[0].condition)


def _asked(place: Place, e: Expression) -> Iterator[Statement]:
    """A condition as a statement, without the right side of .and. and .or."""
    while isinstance(e, Binary) and e.operator in (".and.", ".or."):
        e = e.left
    yield If(place, arms=[Arm(e, [], place)])
