"""Positions of a set's points: where the first one lies, and what kernels get for the others.

Beside PointSet. The first interior point is where the caller says, else where the arrays' own
bounds have it; kernels read positions without an array of anyone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from bridge.backends.base import Binding
from bridge.errors import ArgumentError, StateError
from bridge.memory.hostarrays import integer
from bridge.memory.marshal import LARGEST_INT
from bridge.plan.inputs import POSITIONS

First = tuple[int, int, int]


class Placed(Protocol):
    """A bound array; start: SptX, SptY and SptZ."""

    @property
    def binding(self) -> Binding: ...
    @property
    def start(self) -> First: ...


def first_position(*values: int) -> First:
    """The position of a set's first point as the caller gives it."""
    for name, value in zip("ijk", values, strict=True):
        if abs(integer(name, value)) >= LARGEST_INT:
            raise ArgumentError(name, value, f"a position less than {LARGEST_INT}")
    i, j, k = values
    return i, j, k


def position_bindings(
    wanted: Iterable[str], set: str, arrays: Mapping[str, Placed], first: First | None
) -> dict[str, Binding]:
    """What stands for those positions that are wanted; first: of the set's first point, None for
    that of its arrays. StateError where they begin at different ones."""
    found = {}
    for name in POSITIONS:
        if name in wanted:
            axis = POSITIONS.index(name)
            extent = next(iter(arrays.values())).binding.box.extent
            start = _common(name, set, arrays, axis) if first is None else first[axis]
            if start + extent[axis] - 1 > LARGEST_INT:
                raise ArgumentError("ijk"[axis], start, f"a last position up to {LARGEST_INT}")
            found[name] = Binding.along(axis, extent, start, set)
    return found


def _common(name: str, set: str, arrays: Mapping[str, Placed], axis: int) -> int:
    starts = {bound: array.start[axis] for bound, array in arrays.items()}
    own, start = next(iter(starts.items()))
    for other, theirs in starts.items():
        if theirs != start:
            raise StateError(
                f"{name} on set '{set}' has two meanings: the interior begins at Spt"
                f"{'XYZ'[axis]} = {start} of '{own}' and {theirs} of '{other}': call "
                f"frame_position('{set}', ...) with the position of the first interior point"
            )
    return start
