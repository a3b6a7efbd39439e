"""Two leaves that loops are split between: what the later one must not find changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge_port.outline.accesses import Access
from bridge_port.outline.leaves import Leaf
from bridge_port.outline.nest import Nest
from bridge_port.outline.recurrences import alike
from bridge_port.refusal import Refused
from bridge_port.syntax.statements import Do


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
                # components alone: the rest was seen when it got them.
                if one.array not in self.nest.temporaries:
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
            distance: int | None = None
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
