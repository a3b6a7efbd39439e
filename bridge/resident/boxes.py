"""Boxes of points as a caller numbers them, and the parts of an array that they are.

Points of a set are 1..n along each axis; numbers below 1 and above n lie in the array's fringe.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.errors import ArgumentError

#: i1, i2, j1, j2, k1, k2 of each box, as bytes of C ints; None: the whole array with its fringe.
Listed = bytes | None

_AXES = "ijk"


def listed(boxes: Any) -> Listed:
    """Boxes of a Python caller: None, six integers, or rows of six."""
    if boxes is None:
        return None
    wanted = "six integers i1, i2, j1, j2, k1, k2, or rows of them"
    try:
        array = np.asarray(boxes)
    except ValueError:  # rows of different lengths
        raise ArgumentError("boxes", repr(boxes), wanted) from None
    if array.size == 0:
        return b""
    if array.dtype.kind not in "iu" or array.ndim not in (1, 2) or array.shape[-1] != 6:
        raise ArgumentError("boxes", f"shape {array.shape} of {array.dtype}", wanted)
    if np.abs(array.astype(np.float64)).max() > np.iinfo(np.int32).max:
        raise ArgumentError("boxes", "a position beyond 2147483647", "positions of C ints")
    return np.ascontiguousarray(array, np.int32).tobytes()


def parts_of(boxes: Listed, binding: Binding, name: str) -> list[Binding]:
    """The boxes of an array as bindings of their own; ArgumentError for one outside of it. A box
    without points (i2 less than i1, wherever that is) has no part."""
    if boxes is None:
        return [binding.grown(binding.fringe)]
    numbers = np.frombuffer(boxes, np.int32).reshape(-1, 6).tolist()
    return [
        _part(binding, box, f"box {number} of '{name}'")
        for number, box in enumerate(numbers, start=1)
        if all(first <= last for first, last in zip(box[0::2], box[1::2], strict=True))
    ]


def refuse_shared(boxes: Listed, name: str) -> None:
    """ArgumentError where two boxes have points in common, for which a buffer has two values."""
    if boxes is None:
        return
    numbers = np.frombuffer(boxes, np.int32).reshape(-1, 3, 2)
    (which,) = np.nonzero((numbers[:, :, 0] <= numbers[:, :, 1]).all(axis=1))
    first, last = (numbers[which, :, side] for side in (0, 1))
    # along the axis on which they begin at most places, few come into question for each
    axis = max(range(3), key=lambda one: len(np.unique(first[:, one])))
    order = np.argsort(first[:, axis], kind="stable")
    first, last, which = first[order], last[order], which[order]
    ends = np.searchsorted(first[:, axis], last[:, axis], side="right")
    for at, end in enumerate(ends):
        near = slice(at + 1, end)
        both = ((first[near] <= last[at]) & (first[at] <= last[near])).all(axis=1)
        if both.any():
            pair = sorted((int(which[at]) + 1, int(which[near][both][0]) + 1))
            got = f"boxes {pair[0]} and {pair[1]} of '{name}', which have points in common"
            raise ArgumentError("boxes", got, "boxes without common points")


def _part(binding: Binding, box: Sequence[int], what: str) -> Binding:
    around = zip(_AXES, box[0::2], box[1::2], binding.box.extent, binding.fringe.lower,
                 binding.fringe.upper, strict=True)  # fmt: skip
    for axis, first, last, n, below, above in around:
        if first < 1 - below or last > n + above:
            got = f"{axis}1 = {first}, {axis}2 = {last} of {what}"
            wanted = f"positions from {1 - below} to {n + above}: 1..{n} and the fringe"
            raise ArgumentError("boxes", got, wanted)
    i, j, k = (first - 1 for first in box[0::2])
    ni, nj, nk = (last - first + 1 for first, last in zip(box[0::2], box[1::2], strict=True))
    return binding.part((i, j, k), (ni, nj, nk))


def pieces_of(arrays: Binding) -> list[Binding]:
    """Arrays of many blocks as boxes, as few as memory allows: arrays without holes are rows, and
    those that follow one another one row together. All have one address, in their memory."""
    arrays = arrays.inside()
    blocks = arrays.blocks
    assert blocks is not None
    low, high = blocks.spans(arrays.columns)
    if not ((high + 1 - low) == blocks.rows.sizes * arrays.columns).all():
        return arrays.each()
    order = np.argsort(low)
    begin, end = low[order], high[order] + 1
    breaks = np.flatnonzero(begin[1:] != end[:-1]) + 1
    ranges = zip(begin[[0, *breaks]], end[[*(breaks - 1), len(end) - 1]], strict=True)
    return [
        replace(arrays, columns=1, blocks=None, box=replace(Box.flat(b - a, b - a), offset=a))
        for a, b in ((int(first), int(last)) for first, last in ranges)
    ]


def contains(outer: Binding, inner: Binding) -> bool:
    """Whether all elements of a box, or of many blocks, belong to another one of the same array;
    False where their shapes do not tell."""
    if outer.blocks is not None or inner.blocks is not None:
        return _contains_blocks(outer, inner)
    strides = (*outer.box.stride, outer.box.data_stride)
    if strides != (*inner.box.stride, inner.box.data_stride) or outer.dtype != inner.dtype:
        return False
    distance, between = divmod(inner.address - outer.address, outer.itemsize)
    if between:
        return False
    distance += inner.box.offset - outer.box.offset
    axes = zip(strides, (*outer.box.extent, outer.columns), (*inner.box.extent, inner.columns),
               strict=True)  # fmt: skip
    for stride, n, mine in sorted(axes, key=operator.itemgetter(0), reverse=True):
        if n == 1 and mine == 1 or not stride:
            continue
        first, distance = divmod(distance, stride)
        if first < 0 or first + mine > n:
            return False
    return distance == 0


def _contains_blocks(outer: Binding, inner: Binding) -> bool:
    a, b = outer.blocks, inner.blocks
    if a is None or b is None or a.count != b.count or outer.dtype != inner.dtype:
        return False
    some = np.flatnonzero(b.sizes)
    if len(some) and not contains(outer.block(int(some[0])), inner.block(int(some[0]))):
        return False  # most often an answer, without a look at all of them
    strides = np.hstack([a.stride, a.data_stride[:, None]])
    if not np.array_equal(strides, np.hstack([b.stride, b.data_stride[:, None]])):
        return False
    n, m = (
        np.hstack([one.extent, np.full((one.count, 1), columns)])
        for one, columns in ((a, outer.columns), (b, inner.columns))
    )
    strides = np.where((n == 1) & (m == 1), 0, strides)  # an index that does not run
    order = np.argsort(-strides, axis=1, kind="stable")
    strides, n, m = (np.take_along_axis(one, order, axis=1) for one in (strides, n, m))
    distance = (inner.address - outer.address) // outer.itemsize + b.offset - a.offset
    inside = np.ones(a.count, dtype=bool)
    for axis in range(4):
        step = strides[:, axis]
        first = np.where(step > 0, distance // np.maximum(step, 1), 0)
        inside &= (step == 0) | ((first >= 0) & (first + m[:, axis] <= n[:, axis]))
        distance = distance - first * step
    return bool((inside & (distance == 0))[b.sizes > 0].all())
