"""Work arrays that lack an axis of the points around them: of one element, or promoted.

Where one leaf writes an element and reads that alone it is a point's own. Where a leaf fills a
line that another one reads, the line gets the axes that it lacks, and is an array of all points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge_port.analysis.accesses import Access
from bridge_port.analysis.affine import Affine
from bridge_port.analysis.exposed import Definition, Range
from bridge_port.kernel import Temporary
from bridge_port.nest.leaves import Leaf
from bridge_port.nest.nest import Nest, check_bounds, components
from bridge_port.nest.pointloops import or_components
from bridge_port.program.symbols import LOCAL
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Apply, Expression, Name
from bridge_port.syntax.statements import Do


class WorkArrays:
    """Of the leaves that become procedures; accesses: by identity of the leaf."""

    def __init__(
        self, nest: Nest, leaves: Sequence[Leaf], accesses: Mapping[int, list[Access]]
    ) -> None:
        self.nest, self.leaves, self.accesses = nest, leaves, accesses
        self.axes = nest.axes

    def run(self) -> None:
        leaves = self.leaves
        for array, dims in self.axes.dimensions.items():
            users = [leaf for leaf in leaves if any(a.array == array for a in self._of(leaf))]
            its = {id(leaf): [a for a in self._of(leaf) if a.array == array] for leaf in users}
            writers = [leaf for leaf in users if any(a.writes for a in its[id(leaf)])]
            lacking = [
                loop
                for leaf in writers
                for loop in leaf.points
                if self.axes.loops[id(loop)] not in dims
            ]
            line = array in self.nest.setting.lines
            if not lacking and not line:
                continue
            if not line and len(users) == 1 and self._one_element(array, users[0]):
                self.nest.own[id(users[0])] = self.nest.own.get(id(users[0]), frozenset()) | {
                    array
                }
                continue
            self._promote(array, users, its)

    def _of(self, leaf: Leaf) -> list[Access]:
        return self.accesses[id(leaf)]

    def _one_element(self, array: str, leaf: Leaf) -> bool:
        """Whether a point writes an element, then reads that one alone."""
        kept = {
            tuple(
                e
                for e, axis in zip(a.subscripts, self.axes.dimensions[array], strict=True)
                if axis is not None
            )
            for a in self._of(leaf)
            if a.array == array and a.subscripts is not None
        }
        body = leaf.wrapped()
        followed = Definition(self.nest.setting, self.nest.effects, array, body)
        return len(kept) == 1 and followed.exposed is None

    def _promote(self, array: str, users: Sequence[Leaf], its: dict[int, list[Access]]) -> None:
        dims = self.axes.dimensions[array]
        place = next(a.place for leaf in users for a in its[id(leaf)] if a.writes)
        missing = [
            [loop for loop in leaf.points if self.axes.loops[id(loop)] not in dims]
            for leaf in users
        ]
        what = f"array {array}"
        if any(one != missing[0] for one in missing):
            other = next(n for n, one in enumerate(missing) if one != missing[0])
            raise Refused(
                users[other].place,
                what,
                f"it is written in line {place.line} without "
                "all indices of the loops over points, and used in another nest",
                or_components(
                    self.nest.setting, "take the loops as one nest", [*missing[0], *missing[other]]
                ),
            )
        symbol = self.nest.setting.variable(array, place)
        if symbol.storage != LOCAL and array not in self.nest.private:
            raise Refused(
                place,
                what,
                f"it is written without the index {missing[0][0].variable}, "
                "and its last values are seen outside",
                or_components(
                    self.nest.setting, f"say --private {array} if nobody reads them", missing[0]
                ),
            )
        if array in self.nest.seen_later and array not in self.nest.private:
            raise Refused(
                place,
                what,
                f"it is written without the index {missing[0][0].variable}, "
                "and its values are read after the loops",
                f"say --private {array} if those do not count",
            )
        if missing[0]:
            self._check_filled(array, users[0], missing[0][-1])
        order = sorted(
            {self.axes.loops[id(loop)] for leaf in users for loop in leaf.points}
            | {axis for axis in dims if axis is not None}
        )
        box = tuple(self._ends(array, axis, users, its) for axis in order)
        points = [n for n, axis in enumerate(dims) if axis is not None]
        rest = components(self.nest.setting, symbol, points, place) or ()
        kind = self.nest.setting.type_name(symbol, place)
        assert isinstance(kind.kind, int)
        self.nest.temporaries[array] = Temporary(
            array, kind.base, kind.kind, box, rest, place,
            self.nest.setting.lines.get(array, ""),
        )  # fmt: skip
        self.nest.promoted[array] = (*order, *(None for _ in rest))

    def _check_filled(self, array: str, leaf: Leaf, inner: Do) -> None:
        """Refused where a round of the loop reads what it has not written."""
        values = {}
        for loop in leaf.points:
            assert loop.first is not None and loop.last is not None
            ends = [self.nest.setting.affine(e) for e in (loop.first, loop.last)]
            values[loop.variable] = Range(ends[0], ends[1])
            if loop is inner:
                break
        followed = Definition(self.nest.setting, self.nest.effects, array, inner.body, values)
        # What the user names private is written before it is read, whatever the bounds say; a run
        # refuses reads outside of the box.
        if followed.exposed is not None and array not in self.nest.private:
            raise Refused(
                followed.exposed,
                f"array {array}",
                f"not all that is read here is written before it "
                f"in the same round of the loop over {inner.variable}",
                f"write it in one loop with bounds that can be compared, or say --private {array}",
            )

    def _ends(
        self, array: str, axis: int, users: Sequence[Leaf], its: dict[int, list[Access]]
    ) -> tuple[Expression, Expression]:
        """First and last point along an axis that is written."""
        lows: list[Affine] = []
        highs: list[Affine] = []
        affine = self.nest.setting.affine
        for leaf in users:
            loops = {self.axes.loops[id(loop)]: loop for loop in leaf.points}
            for loop in loops.values():
                check_bounds(self.nest.setting, loop, {one.variable for one in leaf.points})
            for access in its[id(leaf)]:
                if not access.writes:
                    continue
                offset = Affine(0)
                dims = self.axes.dimensions[array]
                subscripts = access.subscripts or ()
                if axis in dims:
                    e = subscripts[dims.index(axis)]
                    at = self.axes.point(e, access)
                    if at is None:
                        lows.append(affine(e))
                        highs.append(affine(e))
                        continue
                    offset = Affine(at[1])
                loop = loops[axis]
                assert loop.first is not None and loop.last is not None
                first, last = affine(loop.first), affine(loop.last)
                if loop.step is not None and affine(loop.step).constant == -1:
                    first, last = last, first
                lows.append(first + offset)
                highs.append(last + offset)
        return _extreme("min", lows), _extreme("max", highs)


def _extreme(function: str, values: Sequence[Affine]) -> Expression:
    kept = [values[0]]
    for value in values[1:]:
        for n, one in enumerate(kept):
            distance = (value - one).constant
            if distance is not None:
                if (distance < 0) == (function == "min") and distance:
                    kept[n] = value
                break
        else:
            kept.append(value)
    texts = tuple(one.expression for one in kept)
    return texts[0] if len(texts) == 1 else Apply(Name(function), texts)
