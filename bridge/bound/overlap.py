"""Whether two boxes of memory share elements: decided exactly, by arithmetic on their strides.

A leaf that PointSet asks before a run. Boxes of one array may lie between each other (ranges of
components, a fringe) and share nothing, so comparing their ends is not enough.
"""

from __future__ import annotations

from math import gcd

from bridge.backends.base import Binding

#: stride and count of one index of a box; a stride is above 0.
Term = tuple[int, int]


def same_elements(a: Binding, b: Binding) -> bool:
    """Whether every component of every point is the same element in both."""
    one, other = a.box, b.box
    if a.columns != b.columns or one.extent != other.extent or a.dtype != b.dtype:
        return False
    if a.address + a.itemsize * one.offset != b.address + b.itemsize * other.offset:
        return False
    axes = zip((*one.extent, a.columns), _strides(a), _strides(b), strict=True)
    return all(mine == yours for n, mine, yours in axes if n > 1)


def share_elements(a: Binding, b: Binding) -> bool:
    """Whether any byte of an element of one belongs to an element of the other."""
    first, terms, last = _span(a)
    other_first, other_terms, other_last = _span(b)
    if not (a.box.points * a.columns and b.box.points * b.columns):
        return False
    if last + a.itemsize <= other_first or other_last + b.itemsize <= first:
        return False
    # An element of a at x and one of b at y share bytes where -itemsize of b < y - x < that of a;
    # first + sum of mine = x, other_last - sum of theirs = y, and all strides are whole units.
    unit = gcd(a.itemsize, b.itemsize)
    both = [(stride // unit, n) for stride, n in (*terms, *other_terms)]
    distance = other_last - first
    least = distance - a.itemsize + 1
    return any(
        reachable(both, target // unit)
        for target in range(least + -least % unit, distance + b.itemsize, unit)
    )


def span_of(binding: Binding) -> tuple[int, int]:
    """First byte of the lowest element, one past the last byte of the highest one."""
    first, _, last = _span(binding)
    return first, last + binding.itemsize


def reachable(terms: list[Term], target: int) -> bool:
    """Whether target = sum of stride * index with 0 <= index < count for each term.

    From the largest stride down: the smaller ones reach no further than their sum, so boxes of
    arrays leave a few indices to try, and where the sums of the smaller ones have no gaps none.
    """
    counts: dict[int, int] = {}
    for stride, count in terms:
        counts[stride] = counts.get(stride, 1) + count - 1
    strides = sorted(stride for stride, count in counts.items() if count > 1)
    below = [_Sums(1, 0, True)]
    for stride in strides:
        below.append(below[-1].with_term(stride, counts[stride]))
    seen: set[tuple[int, int]] = set()

    def reach(level: int, rest: int) -> bool:
        """Whether the terms of the lowest `level` strides sum up to `rest`."""
        sums = below[level]
        if not 0 <= rest <= sums.largest or rest % sums.step:
            return False
        if sums.dense:
            return True
        if (level, rest) in seen:
            return False
        seen.add((level, rest))
        stride, lower = strides[level - 1], below[level - 1]
        least = max(-((lower.largest - rest) // stride), 0)
        most = min(rest // stride, counts[stride] - 1)
        period = lower.step // gcd(lower.step, stride)
        for index in range(least, min(least + period, most + 1)):
            if (rest - stride * index) % lower.step == 0:
                later = range(index, most + 1, period)
                return any(reach(level - 1, rest - stride * i) for i in later)
        return False

    return reach(len(strides), target)


class _Sums:
    """The sums of some terms: multiples of `step` up to `largest`, all of them where `dense`."""

    __slots__ = ("step", "largest", "dense")

    def __init__(self, step: int, largest: int, dense: bool) -> None:
        self.step = step
        self.largest = largest
        self.dense = dense

    def with_term(self, stride: int, count: int) -> _Sums:
        """One more term, of a larger stride."""
        largest = self.largest + stride * (count - 1)
        if self.largest == 0:
            return _Sums(stride, largest, True)
        follows = stride % self.step == 0 and stride <= self.largest + self.step
        return _Sums(gcd(self.step, stride), largest, self.dense and follows)


def _strides(binding: Binding) -> tuple[int, int, int, int]:
    return (*binding.box.stride, binding.box.data_stride)


def _span(binding: Binding) -> tuple[int, list[Term], int]:
    """First byte of the lowest element, the terms in bytes that lead from it to all others, first
    byte of the highest one."""
    box, item = binding.box, binding.itemsize
    low = binding.address + item * box.offset
    terms: list[Term] = []
    length = 0
    for stride, n in zip(_strides(binding), (*box.extent, binding.columns), strict=True):
        if n > 1 and stride:
            low += item * min(stride, 0) * (n - 1)
            length += item * abs(stride) * (n - 1)
            terms.append((item * abs(stride), n))
    return low, terms, low + length
