"""Positions of a set's points: where the first one lies, and what kernels get for the others.

Beside PointSet. The first interior point is where the caller says, else where the arrays' own
bounds have it; kernels read positions without an array of anyone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from bridge.backends.base import Binding
from bridge.errors import ArgumentError, StateError
from bridge.memory.hostarrays import integer
from bridge.memory.marshal import LARGEST_INT
from bridge.plan.inputs import POSITIONS

First = tuple[int, int, int]
#: Of the first point of a set, or of that of each of its blocks, (n, 3).
Starts = First | np.ndarray


class Placed(Protocol):
    """A bound array; start: SptX, SptY and SptZ."""

    @property
    def binding(self) -> Binding: ...
    @property
    def start(self) -> Starts: ...


def first_position(*values: int) -> First:
    """The position of a set's first point as the caller gives it."""
    for name, value in zip("ijk", values, strict=True):
        if abs(integer(name, value)) >= LARGEST_INT:
            raise ArgumentError(name, value, f"a position less than {LARGEST_INT}")
    i, j, k = values
    return i, j, k


def first_positions(ijk: Any) -> np.ndarray:
    """The positions of the first points of many blocks as the caller gives them: (n, 3)."""
    values = np.asarray(ijk)
    if values.size == 0:
        return np.empty((0, 3), dtype=np.int64)
    if values.ndim != 2 or values.shape[1] != 3:
        raise ArgumentError("ijk", f"shape {values.shape}", "3 integers for each block")
    if values.dtype.kind not in "iu" or (np.abs(values.astype(np.int64)) >= LARGEST_INT).any():
        raise ArgumentError("ijk", values.tolist(), f"positions less than {LARGEST_INT}")
    return values.astype(np.int64)


def position_bindings(
    wanted: Iterable[str], set: str, arrays: Mapping[str, Placed], first: Starts | None
) -> dict[str, Binding]:
    """What stands for those positions that are wanted; first: of the set's first point, None for
    that of its arrays. StateError where they begin at different ones."""
    found = {}
    for name in POSITIONS:
        if name in wanted:
            axis = POSITIONS.index(name)
            like = next(iter(arrays.values())).binding
            if like.blocks is not None:
                found[name] = _of_blocks(name, set, arrays, first, like)
                continue
            extent = next(iter(arrays.values())).binding.box.extent
            start = 0
            if like.elements:  # of no points nobody asks for the first one
                start = _common(name, set, arrays, axis) if first is None else int(first[axis])
            if start + extent[axis] - 1 > LARGEST_INT:
                raise ArgumentError("ijk"[axis], start, f"a last position up to {LARGEST_INT}")
            found[name] = Binding.along(axis, extent, start, set)
    return found


def _of_blocks(
    name: str, set: str, arrays: Mapping[str, Placed], given: Starts | None, like: Binding
) -> Binding:
    """The positions of the points of many blocks."""
    axis, blocks = POSITIONS.index(name), like.blocks
    assert blocks is not None
    if given is None:
        (own, first), *others = ((n, np.asarray(array.start)) for n, array in arrays.items())
        for other, theirs in others:
            differ = np.flatnonzero((theirs[:, axis] != first[:, axis]) & (blocks.sizes > 0))
            if len(differ):
                block = int(differ[0])
                raise StateError(
                    f"{name} on set '{set}' is ambiguous: the interior of block {block + 1} "
                    f"begins at Spt{'XYZ'[axis]} = {first[block, axis]} of '{own}' and "
                    f"{theirs[block, axis]} of '{other}': call "
                    f"frame_position_blocks('{set}', ...) with the position of each block's first "
                    "interior point"
                )
    else:
        first = np.asarray(given)
    if len(first) != blocks.count:
        got = f"positions of {len(first)} blocks for set '{set}'"
        raise ArgumentError("ijk", got, f"those of its {blocks.count} blocks")
    last = first[:, axis] + blocks.extent[:, axis] - 1
    if (last > LARGEST_INT).any():
        raise ArgumentError("ijk"[axis], last.max(), f"a last position up to {LARGEST_INT}")
    numbers = Binding.along(axis, (0, 1, 1), 0, set)
    return numbers.at(blocks.positions(axis, first[:, axis]))


def _common(name: str, set: str, arrays: Mapping[str, Placed], axis: int) -> int:
    starts = {bound: int(array.start[axis]) for bound, array in arrays.items()}
    own, start = next(iter(starts.items()))
    for other, theirs in starts.items():
        if theirs != start:
            raise StateError(
                f"{name} on set '{set}' is ambiguous: the interior begins at Spt"
                f"{'XYZ'[axis]} = {start} of '{own}' and {theirs} of '{other}': call "
                f"frame_position('{set}', ...) with the position of the first interior point"
            )
    return start
