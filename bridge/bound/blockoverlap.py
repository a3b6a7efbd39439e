"""Whether bound arrays share elements where they are many blocks; one box each is `overlap`'s.

A leaf that PointSet asks before a run. Only blocks whose ends overlap can share elements. Of
these, pairs with the same strides (blocks of one shape, pieces of one array) are decided by
arithmetic on all pairs at once, the others one by one; both are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from bridge.backends.base import Binding
from bridge.backends.blocks import Blocks
from bridge.bound import overlap
from bridge.plan.fringe import Fringe

#: Pairs that are looked at together.
_AT_ONCE = 1 << 18


def same_elements(a: Binding, b: Binding) -> bool:
    """Whether every component of every point is the same element in both."""
    one, other = a.blocks, b.blocks
    if one is None or other is None:
        return overlap.same_elements(a, b)
    if one is other and a.address == b.address:
        return (a.columns, a.dtype) == (b.columns, b.dtype)
    if a.columns != b.columns or a.dtype != b.dtype or not one.same_points(other):
        return False
    n, some = one.extent, one.extent.prod(axis=1) > 0
    starts = a.address + a.itemsize * one.offset == b.address + b.itemsize * other.offset
    rows = ((one.stride == other.stride) | (n <= 1)).all(axis=1)
    columns = (one.data_stride == other.data_stride) | (a.columns <= 1)
    return bool((starts & rows & columns)[some].all())


def share_elements(a: Binding, b: Binding) -> bool:
    """Whether any byte of an element of one belongs to an element of the other."""
    if a.blocks is None or b.blocks is None:
        return overlap.share_elements(a, b)
    return _first_shared(a, b) is not None


def shared_within(a: Binding) -> tuple[int, int] | None:
    """Numbers from 1 of two blocks of one array that share elements, None where there are none."""
    if a.blocks is None:
        return None
    found = _first_shared(a, a)
    return None if found is None else (found[0] + 1, found[1] + 1)


def surroundings(binding: Binding, reads: Fringe) -> Iterator[tuple[str, Binding]]:
    """The elements around all points that a kernel reads: as "at (1, 0, 0)" for each offset, of
    many blocks all together; for one that reads any cell all elements of the array."""
    if reads.cells:
        yield "at any cell", binding.grown(reads)
        return
    if binding.blocks is not None:
        if reads:
            yield f"({reads})", binding.grown(reads)
        return
    for offset in reads.offsets():
        box = binding.box.part(offset, binding.box.extent)
        yield f"at {offset}", replace(binding, box=box)


def _first_shared(a: Binding, b: Binding) -> tuple[int, int] | None:
    """The first two blocks that share elements, of one array two different ones."""
    one, other = a.blocks, b.blocks
    assert one is not None and other is not None
    mine, theirs = np.flatnonzero(one.sizes), np.flatnonzero(other.sizes)
    if not (len(mine) and len(theirs) and a.columns and b.columns):
        return None
    low, high = _bytes(a, one)
    other_low, other_high = _bytes(b, other)
    for i, j in _candidates(low, high, other_low, other_high):
        if a is b:
            i, j = i[i < j], j[i < j]
        found = _exactly(a, b, mine[i], theirs[j])
        if found is not None:
            return found
    return None


def _bytes(binding: Binding, blocks: Blocks) -> tuple[np.ndarray, np.ndarray]:
    """First byte of each block and one past its last."""
    low, high = blocks.spans(binding.columns)
    size = binding.itemsize
    return binding.address + size * low, binding.address + size * (high + 1)


def _candidates(
    low: np.ndarray, high: np.ndarray, other_low: np.ndarray, other_high: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs of intervals that overlap, some at a time: of each interval those others that begin
    before its end, from the first on that may reach its start."""
    order = np.argsort(other_low, kind="stable")
    reach = np.maximum.accumulate(other_high[order])
    begin = np.searchsorted(reach, low, side="right")
    end = np.maximum(np.searchsorted(other_low[order], high, side="left"), begin)
    counts = end - begin
    done = 0
    while done < len(low):
        total = np.cumsum(counts[done:])
        last = done + max(1, int(np.searchsorted(total, _AT_ONCE)))
        n = counts[done:last]
        i = np.repeat(np.arange(done, done + len(n)), n)
        skipped = begin[done:last] - (np.cumsum(n) - n)
        j = order[np.arange(len(i)) + np.repeat(skipped, n)]
        real = other_high[j] > low[i]
        if real.any():
            yield i[real], j[real]
        done = last


def _exactly(a: Binding, b: Binding, i: np.ndarray, j: np.ndarray) -> tuple[int, int] | None:
    """The first pair of blocks i of a and j of b that share elements."""
    one, other = a.blocks, b.blocks
    assert one is not None and other is not None
    if not len(i):
        return None
    strides = np.hstack([one.stride, one.data_stride[:, None]])[i]
    same = (strides == np.hstack([other.stride, other.data_stride[:, None]])[j]).all(axis=1)
    n = np.hstack([one.extent, np.full((one.count, 1), a.columns)])[i]
    m = np.hstack([other.extent, np.full((other.count, 1), b.columns)])[j]
    distance = b.address - a.address + b.itemsize * (other.offset[j] - one.offset[i])
    whole = (distance % a.itemsize == 0) & (a.itemsize == b.itemsize)
    decided, shared = _on_one_lattice(strides, n, m, distance // a.itemsize)
    decided &= same & whole
    for pair in np.flatnonzero(~decided | shared):
        mine, theirs = int(i[pair]), int(j[pair])
        if decided[pair] or overlap.share_elements(a.block(mine), b.block(theirs)):
            return mine, theirs
    return None


def _on_one_lattice(
    strides: np.ndarray, n: np.ndarray, m: np.ndarray, distance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of boxes with the same strides, n and m points along them and so many elements between
    their starts: whether this decides it, and whether they share an element then.

    They do where distance = sum of stride * step with -m < step < n for each. It decides where the
    strides are an array's: from the largest one down, what the smaller ones reach is less than the
    stride, so that at most two steps of it are possible.
    """
    strides = np.where((n == 1) & (m == 1), 0, strides)  # an index that does not run
    order = np.argsort(-strides, axis=1, kind="stable")
    s, n, m = (np.take_along_axis(one, order, axis=1) for one in (strides, n, m))
    reached = s * (np.maximum(n, m) - 1)
    below = np.cumsum(reached[:, ::-1], axis=1)[:, ::-1] - reached
    decided = ((s >= 0) & ((s == 0) | (below < s))).all(axis=1)
    shared = np.zeros(len(distance), dtype=bool)
    for up in product((0, 1), repeat=s.shape[1]):
        rest, fits = distance.copy(), np.ones(len(distance), dtype=bool)
        for level, one in enumerate(up):
            step = np.where(s[:, level] > 0, rest // np.maximum(s[:, level], 1) + one, 0)
            fits &= (-m[:, level] < step) & (step < n[:, level])
            rest = rest - s[:, level] * step
        shared |= fits & (rest == 0)
    return decided, shared
