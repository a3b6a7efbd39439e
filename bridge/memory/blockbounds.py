"""BlockBounds: the bounds of many blocks, checked and turned into `Blocks` all at once.

Beside `Bounds` of `marshal`, which is one array; a block that is wrong is told by its number, with
the message that the array alone would have got.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.blocks import Blocks
from bridge.errors import ArgumentError
from bridge.memory.marshal import ADDRESS_SPACE, LARGEST_INT, Bounds
from bridge.plan.fringe import Fringe

#: Of the twelve: SptData, EptData, nData.
_COMPONENTS = slice(9, 12)


@dataclass(frozen=True, eq=False)
class BlockBounds:
    """Twelve integers of each block, as those of `frame_bind_` (nb, 12), and the elements from the
    first one of the memory to each block's own array (nb,)."""

    twelve: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, bounds: Any, offsets: Any) -> BlockBounds:
        """From what a caller gives; ArgumentError where these are no integers of such shapes."""
        twelve, places = _integers("bounds", bounds), _integers("offsets", offsets)
        if twelve.size == 0:
            twelve = twelve.reshape(0, 12)
        if twelve.ndim != 2 or twelve.shape[1] != 12:
            raise ArgumentError("bounds", f"shape {twelve.shape}", "12 integers for each block")
        if places.shape != twelve.shape[:1]:
            wanted = f"an integer for each of {len(twelve)} blocks"
            raise ArgumentError("offsets", f"shape {places.shape}", wanted)
        return cls(twelve, places)

    @property
    def data_start(self) -> int:
        return int(self.twelve[0, 9]) if len(self.twelve) else 1

    @property
    def data_end(self) -> int:
        return int(self.twelve[0, 10]) if len(self.twelve) else 0

    @property
    def columns(self) -> int:
        return max(self.data_end - self.data_start + 1, 0)

    @property
    def is_empty(self) -> bool:
        """Whether no block has points."""
        return not self._some.any()

    @property
    def start(self) -> np.ndarray:
        """SptX, SptY, SptZ of each block."""
        return self.twelve[:, 3:9:2]

    @property
    def _end(self) -> np.ndarray:
        return self.twelve[:, 4:9:2]

    @property
    def _interior(self) -> np.ndarray:
        interior: np.ndarray = np.maximum(self._end - self.start + 1, 0)
        return interior

    @property
    def reversed(self) -> str:
        """Of the first block that has such an axis, see `Bounds`."""
        wide = (self._end < self.start - 1) & (self.twelve[:, 0:3] != 0)
        for number in np.flatnonzero(wide.any(axis=1)).tolist():
            one = Bounds.from_twelve(self.twelve[number].tolist())
            return f"{one.reversed} of block {number + 1}"
        return ""

    @property
    def _some(self) -> np.ndarray:
        """Which blocks have points."""
        some: np.ndarray = self._interior.prod(axis=1) > 0
        return some

    @property
    def fringe(self) -> Fringe:
        """The layers that every block has around its interior; an empty one needs none."""
        some = self._some
        if not some.any():
            return Fringe()
        low = (self.start - 1)[some].min(axis=0).tolist()
        high = (self.twelve[:, 0:3] - self._end)[some].min(axis=0).tolist()
        return Fringe((low[0], low[1], low[2]), (high[0], high[1], high[2]))

    def check(self, itemsize: int = 8) -> None:
        """ArgumentError with the number of a block whose integers contradict each other, or whose
        components are not those of the first block."""
        bounds, n = self.twelve, self.twelve[:, 0:3]
        if not len(bounds):
            return
        start, end = self.start, self._end
        empty = ~self._some
        axis = ((start >= 1) & (end <= n)) | (empty[:, None] & ((n == 0) | (end < start)))
        good = (axis & (n >= 0)).all(axis=1)
        good &= (np.abs(bounds) <= LARGEST_INT).all(axis=1)
        size = n.astype(float).prod(axis=1) * np.abs(bounds[:, 11]).astype(float) * itemsize
        good &= size <= ADDRESS_SPACE
        first, last, held = bounds[:, _COMPONENTS].T
        good &= empty | (last < first) | ((first >= 1) & (last <= np.abs(held)))
        for number in map(int, np.flatnonzero(~good)):
            try:
                Bounds.from_twelve(bounds[number].tolist()).check(itemsize)
            except ArgumentError as error:
                raise error.within(f"block {number + 1}") from None
            got = f"{bounds[number].tolist()} of block {number + 1}"
            raise ArgumentError("bounds", got, f"integers up to {LARGEST_INT}")
        differ = np.flatnonzero((bounds[:, _COMPONENTS] != bounds[0, _COMPONENTS]).any(axis=1))
        if len(differ):
            got, wanted = (", ".join(map(str, bounds[b, _COMPONENTS])) for b in (differ[0], 0))
            raise ArgumentError(
                "bounds",
                f"SptData, EptData, nData = {got} of block {differ[0] + 1}",
                f"those of block 1, {wanted}",
            )
        far = np.flatnonzero(np.abs(self.offsets) > ADDRESS_SPACE // itemsize)
        if len(far):
            wanted = "elements within the memory that a process can address"
            raise ArgumentError("offsets", f"{self.offsets[far[0]]} of block {far[0] + 1}", wanted)

    def check_within(self, elements: int) -> None:
        """ArgumentError where a block is not in an array of so many elements."""
        size = self.twelve[:, 0:3].prod(axis=1) * np.abs(self.twelve[:, 11])
        outside = (size > 0) & ((self.offsets < 0) | (self.offsets + size > elements))
        for number in np.flatnonzero(outside):
            got = f"{self.offsets[number]} of block {number + 1} of {size[number]} elements"
            raise ArgumentError("offsets", got, f"blocks within the {elements} elements of data")

    def place(self, address: int, columns: int) -> Binding:
        """The interiors of arrays that are checked."""
        nowhere = Box((0, 1, 1), (1, 0, 0), 0)
        return Binding(address, nowhere, columns, fringe=self.fringe).at(self._blocks())

    def arrays(self, address: int, columns: int) -> Binding:
        """All points of each block's own array, with its fringe."""
        nowhere, extent = Box((0, 1, 1), (1, 0, 0), 0), self.twelve[:, 0:3]
        blocks = self._blocks()
        offset = blocks.offset - ((self.start - 1) * blocks.stride).sum(axis=1)
        whole = Blocks(extent, blocks.stride, blocks.data_stride, offset)
        return Binding(address, nowhere, columns).at(whole)

    def memory(self) -> tuple[int, int]:
        """Elements from `data` to the first block's own array, and from there to the end of the
        last one's, all components of them."""
        size = self.twelve[:, 0:3].prod(axis=1) * np.abs(self.twelve[:, 11])
        some = size > 0
        if not some.any():
            return 0, 0
        begin = int(self.offsets[some].min())
        return begin, int((self.offsets + size)[some].max()) - begin

    def _blocks(self) -> Blocks:
        nx, ny, nz, n_data = self.twelve[:, [0, 1, 2, 11]].T
        first = n_data < 0
        point = np.where(first, -n_data, 1)
        stride = np.stack([point, point * nx, point * nx * ny], axis=1)
        data = np.where(first, 1, nx * ny * nz)
        offset = self.offsets + (self.data_start - 1) * data
        offset = offset + ((self.start - 1) * stride).sum(axis=1)
        return Blocks(self._interior, stride, data, offset)


def _integers(name: str, values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise ArgumentError(name, f"dtype {array.dtype}", "integers")
    return array.astype(np.int64)
