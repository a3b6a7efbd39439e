"""Which leaves of a region may run one after the other, each over all points (loop fission)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from bridge_port.analysis.accesses import Access, Accesses, strided
from bridge_port.analysis.effects import SideEffects
from bridge_port.analysis.exposed import Definition
from bridge_port.nest.leaves import Guard, Leaf, planes
from bridge_port.nest.nest import Nest
from bridge_port.nest.pointloops import Axes, or_components
from bridge_port.nest.scalarexpansion import Carried
from bridge_port.nest.scalars import reductions_of, slice_of
from bridge_port.nest.uses import alike
from bridge_port.nest.workarrays import WorkArrays
from bridge_port.program.symbols import LOCAL
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Expression,
    Name,
    Number,
    Section,
    Truth,
    Unary,
)
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Assignment,
    ComputedGoto,
    Do,
    Goto,
    Statement,
    walk,
)
from bridge_port.syntax.text import expression_text

# ---- Two leaves that loops are split between: what the later one must not find changed ----------


def common_loops(one: Leaf, other: Leaf) -> list[Do]:
    """Loops over points around both, outermost first."""
    return [loop for loop in one.points if loop in other.points]


class Pairs:
    """accesses: of each leaf, by its id."""

    def __init__(self, nest: Nest, accesses: Mapping[int, Sequence[Access]]) -> None:
        self.nest, self.axes, self.accesses = nest, nest.axes, accesses

    def check(self, earlier: Leaf, later: Leaf) -> None:
        common = common_loops(earlier, later)
        inside = [loop for loop in earlier.components if loop in later.components]
        if not common and not inside:
            return
        for one in self.accesses[id(earlier)]:
            for other in self.accesses[id(later)]:
                if one.array != other.array or not (one.writes or other.writes):
                    continue
                if not self.nest.is_field(one.array):
                    continue
                # A work array that got the axes that it lacked is asked about loops over
                # components alone: the rest was seen when it got them. A line of a scalar is
                # asked: a leaf may read what a later leaf leaves for the next point.
                if one.array not in self.nest.temporaries or one.array in self.nest.setting.lines:
                    self._check_accesses(one, other, common)
                for loop in inside:
                    if not alike(loop.variable, [one, other]):
                        raise Refused(
                            other.place,
                            f"array {one.array}",
                            f"the loop over {loop.variable} stands around two loops over "
                            f"points, and line {one.place.line} has other components",
                            "take these loops one by one",
                        )

    def _check_accesses(self, one: Access, other: Access, common: Sequence[Do]) -> None:
        dims = self.axes.dimensions[one.array]
        for loop in common:
            axis = self.axes.loops[id(loop)]
            own = axis not in dims and axis in self.nest.promoted.get(one.array, ())
            distance: int | None = 0 if own else None
            if axis in dims and one.subscripts is not None and other.subscripts is not None:
                n = dims.index(axis)
                here = self.axes.point(one.subscripts[n], one)
                there = self.axes.point(other.subscripts[n], other)
                if here is not None and there is not None:
                    distance = there[1] - here[1]
            step = 1 if loop.step is None else self.nest.setting.affine(loop.step).constant
            if distance is not None and step == -1:
                distance = -distance
            if distance is None or distance > 0:
                raise Refused(
                    other.place,
                    f"array {one.array}",
                    f"the loop over {loop.variable} cannot be split: what is "
                    f"{'written' if other.writes else 'read'} here is "
                    f"{'written' if one.writes else 'read'} in line {one.place.line} at a later "
                    "point",
                    "a nest whose loops follow each other is ported",
                )
            if distance < 0:
                return


# ---- Which leaves of a region may run one after the other, each over all of its points ----------
#
# Loop distribution: the first leaf for all points, then the second one. It is the same as the
# text where no leaf needs, or destroys, what a leaf before it does at a later point (Allen and
# Kennedy 2001, chapter 6). Scalars that leaves hand down are computed again where they are read;
# work arrays of a line get the axes that they lack.


class Distribution:
    """Of the leaves of a region."""

    def __init__(self, nest: Nest, leaves: list[Leaf]) -> None:
        self.nest, self.leaves = nest, leaves
        self.axes: Axes = nest.axes
        self.accesses: dict[int, list[Access]] = {}
        self.beside = SideEffects(nest.setting.program, nest.private)

    def run(self) -> list[Leaf]:
        """Those that become procedures, each with all that it needs."""
        self.leaves[:] = [part for leaf in self.leaves for part in planes(self.nest, leaf)]
        for leaf in self.leaves:
            self._check_guards(leaf)
        for number in range(len(self.leaves)):
            self._hand_down(number)
        kept = [leaf for leaf in self.leaves if self._has_results(leaf)]
        for leaf in self.leaves:
            if leaf not in kept:
                self.beside.check(self.nest.setting, leaf.alone())
        for leaf in kept:
            self._drop_unread(leaf)
        for leaf in kept:
            found = Accesses(self.nest.setting, self.nest.effects)
            self.accesses[id(leaf)] = list(found.of(leaf.wrapped(), leaf.points))
        WorkArrays(self.nest, kept, self.accesses).run()
        pairs = Pairs(self.nest, self.accesses)
        for number, later in enumerate(kept):
            for earlier in kept[:number]:
                pairs.check(earlier, later)
        return kept

    # ---- scalars ------------------------------------------------------------------------------

    def _written(self, body: Sequence[Statement]) -> set[str]:
        return self.nest.effects.written(body)

    def _is_own(self, name: str) -> bool:
        return not self.nest.is_field(name)

    def _check_guards(self, leaf: Leaf) -> None:
        for guard in leaf.path:
            if not isinstance(guard, Guard):
                continue
            arrays_of = self.nest.setting.arrays_of
            names = arrays_of(set(guard.condition.names))
            for other in self.leaves:
                if any(isinstance(g, Guard) and g.source == guard.source for g in other.path):
                    changed = names & arrays_of(self._written(other.body))
                    if changed:
                        raise Refused(
                            guard.place,
                            "if around loops over points",
                            f"what it asks for, {sorted(changed)[0]}, changes inside",
                            "put the if into the innermost loop",
                        )

    def _hand_down(self, number: int) -> None:
        """Statements of earlier leaves that set what this one reads come in front of it."""
        leaf = self.leaves[number]
        if not leaf.points:
            self._check_outside(leaf)
            return
        missing = self._missing(number)
        for n in reversed(range(number)):
            names = missing & self._written(self.leaves[n].body)
            if names:
                self._take(number, n, names)
                missing = self._missing(number)
                if missing & names:
                    why = "it is not set in any case before this loop reads it"
                    raise self._carried(leaf, min(missing & names), self.leaves[n], why)
        for name in sorted(missing):
            raise self._carried(leaf, name, self.leaves[self._setters(number, name)[0]])

    def _setters(self, number: int, name: str) -> list[int]:
        others = (n for n in range(len(self.leaves)) if n != number)
        return [n for n in others if name in self._written(self.leaves[n].body)]

    def _missing(self, number: int) -> set[str]:
        """Scalars and work arrays that this leaf reads before it writes them, and that a leaf
        before it writes, or one in the same loops."""
        leaf = self.leaves[number]
        body = leaf.wrapped()
        used = {e.id for s in walk(body) for x in s.expressions() for e in x.walk()
                if isinstance(e, Name)}  # fmt: skip
        found = set()
        # An index of the points has its value, whatever loops before it leave in the variable.
        for name in used - {loop.variable for loop in leaf.points}:
            if not self._is_own(name) or (id(leaf), name) in self.nest.initial:
                continue
            setters = self._setters(number, name)
            near = [n for n in setters if n < number or common_loops(self.leaves[n], leaf)]
            if near and Definition(self.nest.setting, self.nest.effects, name, body).exposed:
                found.add(name)
        return found

    def _check_carried(self, leaf: Leaf, name: str, before: Leaf, setters: Sequence[int]) -> None:
        """Refused where a loop runs from what sets the name later, or from the leaf itself, to
        the leaf again, and `before` does not set it anew in each round."""
        later = [self.leaves[n] for n in setters if n > self.leaves.index(leaf)]
        own = name in self._written(leaf.body)
        if own and reductions_of(leaf.wrapped(), name) is None:
            later.append(leaf)
        for other in later:
            for loop in other.path:
                if isinstance(loop, Do) and loop in leaf.path and loop not in before.path:
                    raise self._carried(leaf, name, other)

    def _carried(self, leaf: Leaf, name: str, setter: Leaf, why: str = "") -> Carried:
        place = self._place(setter, name)
        why = why or "a value goes from loop to loop"
        return Carried(
            leaf.place,
            name,
            frozenset(loop.variable for loop in (*leaf.points, *setter.points)),
            f"it is set in line {place.line} and read in another loop: {why}",
            or_components(
                self.nest.setting,
                "make it an array of the points, or leave that loop to the body with --axis",
                setter.points or leaf.points,
            ),
        )

    def _place(self, setter: Leaf, name: str) -> Place:
        places = (s.place for s in walk(setter.body) if name in self._written([s]))
        return next(places, setter.place)

    def _take(self, number: int, before: int, names: set[str]) -> None:
        """Statements of a leaf before that set these names, all at once: one may be set from
        what another one is before it changes."""
        leaf, setter = self.leaves[number], self.leaves[before]
        for name in sorted(names):
            self._check_carried(leaf, name, setter, self._setters(number, name))
            if leaf.path[: len(setter.path)] != setter.path:
                raise self._carried(leaf, name, setter)
            if reductions_of(leaf.wrapped(), name) is not None:
                self._initial(leaf, setter, name)
                names = names - {name}
        if not names:
            return
        name = min(names)
        if any(isinstance(s, Goto | ComputedGoto | ArithmeticIf) for s in walk(setter.body)):
            raise Refused(
                self._place(setter, name),
                f"scalar {name}",
                "it is set among jumps, and read in another loop",
                "write the jumps as if",
            )
        for name in sorted(names):
            one = slice_of(setter.body, {name}, self.nest.effects)
            self._check_taken(number, setter, one, name)
        leaf.sunk[:0] = copy.deepcopy(slice_of(setter.body, names, self.nest.effects))

    def _initial(self, leaf: Leaf, setter: Leaf, name: str) -> None:
        values = [s for s in setter.body if name in self._written([s])]
        last = values[-1]
        value = last.value if isinstance(last, Assignment) else None
        if isinstance(last, Do):
            inner = [s for s in walk(last.body) if not isinstance(s, Do)]
            if len(inner) == 1 and isinstance(inner[0], Assignment):
                value = inner[0].value
        anew = [loop for loop in leaf.points if loop not in setter.points]
        if setter.points and anew:
            raise Carried(
                last.place,
                name,
                frozenset(loop.variable for loop in anew),
                f"the loop over {anew[-1].variable} reduces it anew at each point of the loop "
                f"over {setter.points[-1].variable}",
                or_components(self.nest.setting, "", anew).removeprefix("; ")
                or f"a point needs a known number of rounds of the loop over {anew[-1].variable}",
            )
        if setter.points or setter.path or not _constant(value):
            raise Refused(
                last.place,
                f"scalar {name}",
                "what the loops reduce begins with a value that is no constant",
                "leave this statement outside of the nest",
            )
        assert value is not None
        self.nest.initial[id(leaf), name] = value

    def _check_taken(
        self, number: int, setter: Leaf, taken: Sequence[Statement], name: str
    ) -> None:
        own = self._written(taken)
        bad = sorted(one for one in own if self.nest.is_field(one))
        place = taken[0].place
        if bad:
            raise Refused(
                place,
                f"scalar {name}",
                f"it is set together with array {bad[0]}",
                "set it in a statement of its own",
            )
        read = {
            e.id
            for s in walk(taken)
            for x in s.expressions()
            for e in x.walk()
            if isinstance(e, Name)
        } - own
        read = self.nest.setting.arrays_of(read)
        start = self.leaves.index(setter)
        # In the same loops the statements stand before those of the point, as in the text.
        end = number if self.leaves[number].path == setter.path else number + 1
        for other in self.leaves[start:end]:
            body = _staying(other.body, taken)
            changed = read & self.nest.setting.arrays_of(self._written(body))
            if changed:
                raise Refused(
                    place,
                    f"scalar {name}",
                    f"it is set from {sorted(changed)[0]}, which changes before it is read",
                    "make it an array of the points",
                )

    def _has_results(self, leaf: Leaf) -> bool:
        """Whether it writes arrays of points, reduces, or leaves what is read after the nest."""
        names = self._written(leaf.body)
        if any(self.nest.is_field(name) for name in names):
            return True
        for s in walk(leaf.body):
            for access in Accesses(self.nest.setting, self.nest.effects).of([s], leaf.points):
                if access.writes and self.nest.is_field(access.array):
                    return True
        if not leaf.points:
            return False
        body = leaf.wrapped()
        # `if (t > most) found = .true.` reads nothing of what it leaves.
        return any(
            (self._seen(name) and name not in self.nest.private)
            or Definition(self.nest.setting, self.nest.effects, name, body).exposed is not None
            for name in names
        )

    def _drop_unread(self, leaf: Leaf) -> None:
        """Scalars that are set for other leaves alone have gone there."""
        while True:
            read = {
                e.id
                for s in walk(leaf.wrapped())
                for x in ([s.value] if _sets_scalar(s) else s.expressions())
                for e in x.walk()
                if isinstance(e, Name)
            }
            dead = [s for s in leaf.body if _sets_scalar(s) and self._unread(s, read)]
            if not dead:
                return
            self.beside.check(self.nest.setting, dead)
            leaf.body = [s for s in leaf.body if s not in dead]

    def _unread(self, s: Statement, read: set[str]) -> bool:
        assert isinstance(s, Assignment) and isinstance(s.target, Name)
        name = s.target.id
        symbol = self.nest.setting.find(name)
        local = symbol is not None and symbol.storage == LOCAL and symbol.dimensions is None
        return local and not s.label and name not in read | self.nest.seen_later

    def _check_outside(self, leaf: Leaf) -> None:
        """Statements outside of all loops over points: only what sets scalars may stand there."""
        own = Accesses(self.nest.setting, self.nest.effects)
        for access in own.of(leaf.body):
            if access.writes and self.nest.is_field(access.array):
                what = strided(self.nest.setting, access)
                statement = what or any(isinstance(e, Section) for e in access.subscripts or ())
                raise Refused(
                    access.place,
                    f"section {expression_text(access.node)}" if statement
                    else f"array {access.array}",
                    f"{what or 'this array statement'} becomes no loop" if statement
                    else "one element is written outside of the loops over points",
                    "leave it outside of the nest",
                )  # fmt: skip
        for s in walk(leaf.body):
            if not isinstance(s, Assignment | Do) and any(True for _ in s.expressions()):
                if not self._written([s]):
                    raise Refused(
                        s.place,
                        type(s).__name__.lower(),
                        "it stands outside of the loops over points",
                        "leave it outside of the nest",
                    )
        for name in sorted(self._written(leaf.body)):
            for other in self.leaves:
                if (
                    other is not leaf
                    and name in self._written(other.body)
                    and self.leaves.index(other) < self.leaves.index(leaf)
                ):
                    place = next(s.place for s in walk(leaf.body) if name in self._written([s]))
                    raise Refused(
                        place,
                        f"scalar {name}",
                        "it is set again behind the loops over points",
                        "leave this statement outside of the nest",
                    )
            why = self._seen(name)
            if why and name not in self.nest.private and not self._reduced_later(leaf, name):
                symbol = self.nest.setting.find(name)
                is_array = symbol is not None and symbol.dimensions is not None
                raise Refused(
                    next(s.place for s in walk(leaf.body) if name in self._written([s])),
                    f"{'array' if is_array else 'scalar'} {name}",
                    why,
                    "leave this statement outside of the nest",
                )

    def _seen(self, name: str) -> str:
        """Who reads what the nest leaves in a variable, "" of nobody."""
        if name in self.nest.seen_later:
            return "its value is read after the nest"
        symbol = self.nest.setting.find(name)
        if symbol is None or symbol.storage == LOCAL:
            return ""
        return f"its last value is seen outside ({symbol.storage})"

    def _reduced_later(self, leaf: Leaf, name: str) -> bool:
        start = self.leaves.index(leaf)
        return any(reductions_of(other.wrapped(), name) for other in self.leaves[start + 1 :])


def _staying(body: Sequence[Statement], taken: Sequence[Statement]) -> list[Statement]:
    """Statements behind the first one that is taken; all of another list."""
    first = next((n for n, s in enumerate(body) if s is taken[0]), 0)
    return [s for s in body[first:] if not any(s is one for one in taken)]


def _sets_scalar(s: Statement) -> TypeGuard[Assignment]:
    return isinstance(s, Assignment) and isinstance(s.target, Name)


def _constant(e: Expression | None) -> bool:
    if isinstance(e, Unary):
        return _constant(e.operand)
    if isinstance(e, Binary):  # the least integer is -2147483647 - 1
        return _constant(e.left) and _constant(e.right)
    if isinstance(e, Apply) and e.base in (Name("huge"), Name("tiny")):
        return True
    return isinstance(e, Number | Truth)
