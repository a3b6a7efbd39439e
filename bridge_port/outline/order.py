"""Whether elements that lie anywhere may be copied before or after the run of their leaf.

A read is copied before the run, a write after it, and leaves run one after the other. That gives
what the nest gives, where a place and another one of the same array have no element in common, or
have it in such rounds of the loops around both that the order stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from bridge_port.outline.accesses import Access
from bridge_port.outline.affine import Affine
from bridge_port.outline.setting import Setting
from bridge_port.syntax.expressions import Expression, Section
from bridge_port.syntax.statements import Do


@dataclass
class Order:
    """loops: of the region; changed: names that it gives a value; points: identities of the loops
    over points; numbers: of accesses by their identities, in the order of the text."""

    setting: Setting
    loops: Sequence[Do]
    changed: set[str]
    points: set[int]
    numbers: Mapping[int, int]

    def keeps(
        self, its: Sequence[Access], others: Sequence[Access],
        copied: Sequence[Expression | None],
    ) -> bool:  # fmt: skip
        """its: of one view; others: all other places of the same array; copied: subscripts of the
        view, None where all elements are copied."""
        return all(self._keeps(one, other, copied) for one in its for other in others)

    def _keeps(self, one: Access, other: Access, copied: Sequence[Expression | None]) -> bool:
        if not (one.writes or other.writes) or not self._shared(one, other):
            return True
        # What another place writes in the same run is not to be written over by the copy.
        both = one.writes and other.writes and self._points(one) == self._points(other)
        if self._never(one, other, copied if both else ()):
            return True
        if one.writes and other.writes:
            return self._in_other_run(one, other)
        writer, reader = (one, other) if one.writes else (other, one)
        return self._in_order(writer, reader)

    def _shared(self, one: Access, other: Access) -> list[Do]:
        others = {id(loop) for loop in other.loops}
        return [loop for loop in one.loops if id(loop) in others]

    def _number(self, access: Access) -> int:
        return self.numbers[id(access)]

    def _in_order(self, writer: Access, reader: Access) -> bool:
        """Whether a value that is read has been written in an earlier run, or will be in a later
        one, as the text has it."""
        later = False
        for loop in self._shared(writer, reader):
            steps = self._steps(loop, writer, reader)
            if steps is None or steps < 0:
                return False
            if steps > 0:
                later = True
                break
        before = self._number(reader) < self._number(writer)
        if before:
            return True
        return not later and self._points(writer) != self._points(reader)

    def _in_other_run(self, one: Access, other: Access) -> bool:
        """Whether only the same rounds of all loops around both have an element in common, and
        each place has a run of its own in them."""
        same = all(self._steps(loop, one, other) == 0 for loop in self._shared(one, other))
        return same and self._points(one) != self._points(other)

    def _points(self, access: Access) -> set[int]:
        """Loops over points around; where they differ, the places are in different runs."""
        return {id(loop) for loop in access.loops} & self.points

    def _steps(self, loop: Do, writer: Access, reader: Access) -> int | None:
        """How many rounds of the loop later than it is read an element is written, None where it
        is not known."""
        step = 1 if loop.step is None else self.setting.affine(loop.step).constant
        if step is None or not step or not loop.variable:
            return None
        for one, other in zip(writer.subscripts or (), reader.subscripts or (), strict=False):
            if isinstance(one, Section) or isinstance(other, Section):
                continue
            here, there = self.setting.affine(one), self.setting.affine(other)
            factor = here.factor(loop.variable)
            if not factor or there.factor(loop.variable) != factor:
                continue
            rest = here.without(loop.variable), there.without(loop.variable)
            if any(self._moves(r) for r in rest):
                continue
            distance = (rest[1] - rest[0]).constant
            if distance is not None and distance % factor == 0:
                return distance // factor * (1 if step > 0 else -1)
        return None

    def _moves(self, place: Affine) -> bool:
        """Whether it is not the same at all points."""
        names = self.changed | {loop.variable for loop in self.loops}
        return any(place.mentions(name) for name in names)

    def _never(self, one: Access, other: Access, copied: Sequence[Expression | None] = ()) -> bool:
        """Whether two places have no element in common, whatever those are of which all are
        copied."""
        if one.rank or other.rank:
            return False
        for n, (a, b) in enumerate(
            zip(one.subscripts or (), other.subscripts or (), strict=False)
        ):
            if n < len(copied) and copied[n] is None:
                continue
            if isinstance(a, Section) or isinstance(b, Section):
                continue
            if self._apart(a, b):
                return True
            first, second = self._ends(a, one), self._ends(b, other)
            if first is None or second is None:
                continue
            for low, high in ((first[0], second[1]), (second[0], first[1])):
                gap = (low - high).constant
                if gap is not None and gap > 0:
                    return True
        return False

    def _apart(self, one: Expression, other: Expression) -> bool:
        """Whether two subscripts differ for all values of the loops' variables, as 2*i and
        2*j - 1 do."""
        places = self.setting.affine(one), self.setting.affine(other)
        divisor = 0
        for loop in self.loops:
            for place in places:
                divisor = gcd(divisor, place.factor(loop.variable))
        rests = list(places)
        for loop in self.loops:
            rests = [rest.without(loop.variable) for rest in rests]
        if any(self._moves(rest) for rest in rests):
            return False
        gap = (rests[0] - rests[1]).constant
        return gap is not None and (gap % divisor != 0 if divisor else gap != 0)

    def _ends(self, e: Expression, access: Access) -> tuple[Affine, Affine] | None:
        """The least and the largest that a subscript is."""
        low = high = self.setting.affine(e)
        for loop in reversed(access.loops):
            if not (low.mentions(loop.variable) or high.mentions(loop.variable)):
                continue
            if loop.first is None or loop.last is None:
                return None
            step = 1 if loop.step is None else self.setting.affine(loop.step).constant
            if step not in (1, -1):
                return None
            first, last = self.setting.affine(loop.first), self.setting.affine(loop.last)
            if step < 0:
                first, last = last, first
            ends = []
            for value, down, up in ((low, first, last), (high, last, first)):
                factor = value.factor(loop.variable)
                rest = value.without(loop.variable)
                if rest.mentions(loop.variable):
                    return None
                ends.append(rest + (down if factor > 0 else up).times(factor))
            low, high = ends
        if self._moves(low) or self._moves(high):
            return None
        return low, high
