"""Components whose number only a run knows: those that the nest touches are those of the kernel.

    real(8), allocatable :: w(:, :, :, :)        p(i, j, k) = w(i, j, k, 5)*...

Nothing in the declaration says how many components w has. The subscripts of the nest do: where
each of them is a number, or runs over numbers, the array has these components in the kernel, from
the first to the last. `bind` asks whether they are there. Components that stand in front of the
points lie between two points in memory: there have to be as many as the kernel has.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.outline.accesses import Access
from bridge_port.outline.affine import Affine
from bridge_port.outline.setting import Setting
from bridge_port.syntax.expressions import Expression, Name, Section
from bridge_port.syntax.statements import Do

#: First and last subscript.
Range = tuple[int, int]


def touched(
    setting: Setting,
    accesses: Sequence[Access],
    dimensions: dict[str, tuple[int | None, ...]],
) -> dict[str, dict[int, Range]]:
    """Of arrays with points, the range of each dimension of components that is declared as `:`;
    none of one with a subscript that is not known. dimensions: as Axes has them."""
    found: dict[str, dict[int, Range]] = {}
    accesses = [one for one in accesses if not any(_is_empty(setting, d) for d in one.loops)]
    unknown: set[tuple[str, int]] = set()
    for access in accesses:
        symbol = setting.find(access.array)
        declared = symbol.dimensions if symbol is not None else None
        for n, axis in enumerate(dimensions.get(access.array, ())):
            if axis is not None or declared is None or not declared[n].deferred:
                continue
            one = _range(setting, access, n)
            if one is None:
                unknown.add((access.array, n))
                continue
            its = found.setdefault(access.array, {})
            low, high = its.get(n, one)
            its[n] = min(low, one[0]), max(high, one[1])
    for array, n in unknown:
        found.get(array, {}).pop(n, None)
    return found


def _is_empty(setting: Setting, loop: Do) -> bool:
    """Whether a loop has no rounds."""
    if loop.first is None or loop.last is None or loop.step is not None:
        return False
    rounds = (setting.affine(loop.last) - setting.affine(loop.first)).constant
    return rounds is not None and rounds < 0


def _range(setting: Setting, access: Access, n: int) -> Range | None:
    """Of one subscript. An element that is passed to an array is the first of a sequence, whose
    end it does not say."""
    if access.subscripts is None:
        return None
    subscript = access.subscripts[n]
    if isinstance(subscript, Section):
        if subscript.lower is None or subscript.upper is None or subscript.stride is not None:
            return None
        ends = [_values(setting, e, access.loops) for e in (subscript.lower, subscript.upper)]
        if ends[0] is None or ends[1] is None or ends[0][0] > ends[1][1]:
            return None
        return ends[0][0], ends[1][1]
    if access.rank and not any(isinstance(one, Section) for one in access.subscripts):
        return None
    return _values(setting, subscript, access.loops)


def _values(setting: Setting, e: Expression, loops: Sequence[Do]) -> Range | None:
    """The numbers that an expression of indices of loops may have."""
    place: Affine = setting.affine(e)
    low = high = place.number
    for term, factor in place.terms:
        around = [one for one in loops if term == Name(one.variable)]
        if not around:
            return None
        loop = around[-1]
        assert loop.first is not None and loop.last is not None
        first, last = setting.affine(loop.first).constant, setting.affine(loop.last).constant
        if first is None or last is None:
            return None
        low += min(factor * first, factor * last)
        high += max(factor * first, factor * last)
    return low, high
