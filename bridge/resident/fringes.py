"""What has filled each element of a resident array, and when: fringes that are older than the
interior beside them.

Behind `uses` where BRIDGE_CHECK_RESIDENCY is "fringes". An element of a fringe is compared with
the nearest one of the interior, if no other component of its point was filled later. Edges and
corners of a fringe are not looked at: what a kernel reads around a point does not say whether it
reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bridge.backends.base import Binding
from bridge.resident.shadow import elements

#: A fill is the number of its call in so many bits, below its time.
_CALL_BITS = 20


class Older(NamedTuple):
    """Layers of a fringe that are older than the interior; block: of many, from 0, else None;
    side: the low and the high one of x, y and z, from 0; positions: first and last along i, j and
    k in the array, from 1; since: what changed the interior."""

    block: int | None
    side: int
    positions: tuple[tuple[int, int], ...]
    since: str


class Fills:
    """The latest fill of each element of a resident array; everything: all of them."""

    def __init__(self, everything: Binding) -> None:
        self._address = everything.address
        self._itemsize = everything.itemsize
        self._fills = np.zeros(everything.elements, np.int64)
        self._calls: dict[str, int] = {}
        self._time = 0
        self._call = ""
        self._takers: dict[int, object] = {}
        #: Runs that were told, as what they read the array, and of which blocks and sides.
        self.told: set[tuple[str, str, int | None, int]] = set()

    def fill(
        self, here: Binding, call: str, taker: object = None, mask: Binding | None = None
    ) -> None:
        """Elements have new values. call: for messages; taker: what fills, each time the same
        object; mask: of points that are 0 in it, nothing is new.

        Different takers of one call fill at one time: the boxes of a run, in any order.
        """
        if here.itemsize != self._itemsize:  # the same memory as another type
            return
        if call != self._call or id(taker) in self._takers:
            self._time, self._call = self._time + 1, call
            self._takers.clear()
        self._takers[id(taker)] = taker
        number = self._calls.setdefault(call, len(self._calls))
        fill = self._time << _CALL_BITS | number
        boxes = here.each()
        masks = [None] * len(boxes) if mask is None else mask.each()
        for box, blank in zip(boxes, masks, strict=True):
            own = self._at(self._fills, box)
            if blank is None:
                own[...] = fill
            else:
                own[np.broadcast_to(elements(blank) != 0, own.shape)] = fill

    def older(self, here: Binding, written: Sequence[Binding]) -> list[Older]:
        """Layers of the fringe in what is read that are older than the interior; written: by the
        same run, which need not find anything there."""
        found: list[Older] = []
        if here.itemsize != self._itemsize:
            return found
        blocks = here.blocks
        numbers = [None] if blocks is None else np.flatnonzero(blocks.sizes).tolist()
        for number, box in zip(numbers, here.each(), strict=True):
            for side, layers, beside in _sides(box):
                fills, interior = self._at(self._fills, layers), self._at(self._fills, beside)
                old = fills < interior
                if not old.any():
                    continue
                # a kernel need not use the components that a partial fill leaves out
                old &= (fills == fills.max(axis=0)) & ~self._marked(layers, written)
                if old.any():
                    latest = int(np.where(old, interior, 0).max())
                    since = [*self._calls][latest & (2**_CALL_BITS - 1)]
                    found.append(Older(number, side, _positions(layers, old), since))
        return found

    def _marked(self, layers: Binding, written: Sequence[Binding]) -> np.ndarray:
        """Which elements of the layers lie in what is written."""
        marks = np.zeros(len(self._fills), bool)
        for one in written:
            for box in one.each():
                self._at(marks, box)[...] = True
        return self._at(marks, layers)

    def _at(self, values: np.ndarray, here: Binding) -> np.ndarray:
        """Those of a box, one for each element of the array: (components, nk, nj, ni)."""
        box, size = here.box, values.itemsize
        first = (here.address - self._address) // self._itemsize + box.offset
        strides = tuple(size * step for step in (box.data_stride, *reversed(box.stride)))
        shape = (here.columns, *reversed(box.extent))
        return np.ndarray(shape, values.dtype, values, first * size, strides)


def _sides(box: Binding) -> Iterator[tuple[int, Binding, Binding]]:
    """For each side of the interior: its number, the layers of the fringe in a box, and the layer
    of the interior beside them."""
    extent = box.box.extent
    first = [a - b for a, b in zip(box.layers.lower, box.fringe.lower, strict=True)]
    last = [
        n - a + b
        for n, a, b in zip(extent, box.layers.upper, box.fringe.upper, strict=True)
    ]  # fmt: skip
    if any(a >= b for a, b in zip(first, last, strict=True)):
        return
    begin = [max(one, 0) for one in first]
    end = [min(one, n) for one, n in zip(last, extent, strict=True)]
    for axis in range(3):
        low = 0, min(first[axis], extent[axis]), first[axis]
        high = max(last[axis], 0), extent[axis], last[axis] - 1
        for side, (a, b, beside) in enumerate((low, high), 2 * axis):
            starts, ends = [*begin], [*end]
            starts[axis], ends[axis] = a, b
            if all(a < b for a, b in zip(starts, ends, strict=True)):
                layers = _part(box, starts, ends)
                starts[axis], ends[axis] = beside, beside + 1
                yield side, layers, _part(box, starts, ends)


def _part(box: Binding, starts: Sequence[int], ends: Sequence[int]) -> Binding:
    i, j, k = starts
    ni, nj, nk = (b - a for a, b in zip(starts, ends, strict=True))
    return box.part((i, j, k), (ni, nj, nk))


def _positions(layers: Binding, which: np.ndarray) -> tuple[tuple[int, int], ...]:
    """The smallest box that holds these elements of some layers, in the array."""
    found = []
    for axis, before in zip((3, 2, 1), layers.fringe.lower, strict=True):
        others = tuple(other for other in range(4) if other != axis)
        (places,) = np.nonzero(which.any(axis=others))
        found.append((before + int(places[0]) + 1, before + int(places[-1]) + 1))
    return tuple(found)
