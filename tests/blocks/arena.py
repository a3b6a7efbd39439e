"""Many blocks in one memory, and a NumPy array for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bridge.tvproperties import TVProperties

Extent = tuple[int, int, int]
#: Layers below and above along x, y, z.
Layers = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
NONE: Layers = ((0, 0), (0, 0), (0, 0))
SOME: Layers = ((2, 1), (1, 2), (1, 2))

#: Interiors of whole vectors and less, of single rows and points, and of no points.
SIZES: list[Extent] = [
    (8, 8, 8), (5, 3, 2), (0, 4, 4), (37, 4, 3), (1, 1, 1), (16, 2, 5), (1, 7, 4), (3, 0, 2),
    (9, 1, 6), (8, 8, 8), (600, 1, 1), (2, 2, 2),
]  # fmt: skip


class Arena:
    """Random numbers in one memory; the blocks lie in it backwards, with holes between them.

    extents: of the interiors; columns: components; first: component first; dtype: of the elements;
    value: in place of random numbers.
    """

    def __init__(
        self, extents: Sequence[Extent], columns: int = 1, layers: Layers = SOME,
        first: bool = False, dtype: str = "float64", value: float | None = None, seed: int = 1,
    ) -> None:  # fmt: skip
        self.extents, self.columns, self.layers, self.first = extents, columns, layers, first
        self.shapes = [
            tuple(n + a + b for n, (a, b) in zip(extent, layers, strict=True))
            for extent in extents
        ]
        sizes = [columns * int(np.prod(shape)) for shape in self.shapes]
        ends = np.cumsum([size + 3 for size in reversed(sizes)])[::-1]
        self.offsets = np.array([e - s for e, s in zip(ends, sizes, strict=True)], dtype=np.int64)
        total = int(ends.max(initial=0)) + 1
        if value is None:
            values = np.random.default_rng(seed).normal(size=total)
            self.memory = np.round(100 * values) if dtype == "int32" else values
            self.memory = self.memory.astype(dtype)
        else:
            self.memory = np.full(total, value, dtype=dtype)

    def bounds(self, first: int = 1, last: int | None = None) -> np.ndarray:
        """Twelve integers of each block, for some of its components."""
        rows = []
        for extent, shape in zip(self.extents, self.shapes, strict=True):
            spans = [
                one for n, (low, _) in zip(extent, self.layers, strict=True)
                for one in (low + 1, low + n)
            ]  # fmt: skip
            n_data = -self.columns if self.first else self.columns
            rows.append([*shape, *spans, first, last or self.columns, n_data])
        return np.array(rows, dtype=np.int32)

    def bind(
        self, tv: TVProperties, name: str, intent: str, first: int = 1, last: int | None = None,
        scale: float = 1.0, set: str = "blocks",
    ) -> None:  # fmt: skip
        tv.bind_blocks(
            set, name, intent, self.memory, self.bounds(first, last), self.offsets, scale
        )

    def arrays(self) -> list[np.ndarray]:
        """Each block with its fringe as (nx, ny, nz, columns), in place."""
        found = []
        for offset, shape in zip(self.offsets, self.shapes, strict=True):
            size = self.columns * int(np.prod(shape))
            whole = self.memory[offset : offset + size]
            if self.first:
                found.append(np.moveaxis(whole.reshape((self.columns, *shape), order="F"), 0, -1))
            else:
                found.append(whole.reshape((*shape, self.columns), order="F"))
        return found

    def at(self, block: int, *offset: int, grown: int = 0) -> np.ndarray:
        """The interior of a block, or its neighbours, as (nx, ny, nz, columns)."""
        where = tuple(
            slice(low + o - grown, low + o + n + grown)
            for n, (low, _), o in zip(
                self.extents[block], self.layers, offset or (0, 0, 0), strict=True
            )
        )
        return self.arrays()[block][where]

    def all(self, *offset: int) -> np.ndarray:
        """Interiors of all blocks in the order of their points, (points, columns)."""
        each = [
            self.at(block, *offset).reshape(-1, self.columns, order="F")
            for block in range(len(self.extents))
        ]
        return np.concatenate([*each, np.empty((0, self.columns), self.memory.dtype)])

    def outside(self) -> np.ndarray:
        """Everything in the memory that no interior has."""
        kept = Arena.__new__(Arena)
        kept.__dict__ |= self.__dict__
        kept.memory = np.ones(len(self.memory), dtype=bool)
        for block in range(len(self.extents)):
            kept.at(block)[...] = False
        found: np.ndarray = self.memory[kept.memory]
        return found


def bound(tv: TVProperties, extents: Sequence[Extent], **named: Any) -> tuple[Arena, Arena]:
    """Sets "blocks" with st_p and st_a = sqrt(1 + st_p**2)."""
    p, a = Arena(extents, **named), Arena(extents, value=-7.0)
    p.bind(tv, "st_p", "in")
    a.bind(tv, "st_a", "out")
    return p, a
