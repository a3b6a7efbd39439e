"""Blocks: where the interiors of many blocks lie, as arrays of boxes.

Beside Box of `base`, which is one. All questions are answered for all blocks at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bridge.plan.fringe import Fringe

Triple = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Interiors of n blocks in memory with one start, in elements, x fastest.

    extent, stride: (n, 3) along x, y, z; data_stride, offset: (n,); as of a `Box`, all int64.
    Blocks may be empty. Points are counted through all blocks, in their order.
    """

    extent: np.ndarray
    stride: np.ndarray
    data_stride: np.ndarray
    offset: np.ndarray

    @property
    def count(self) -> int:
        return len(self.offset)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Points of each block."""
        sizes: np.ndarray = self.extent[:, 0] * self.extent[:, 1] * self.extent[:, 2]
        return sizes

    @cached_property
    def first(self) -> np.ndarray:
        """Number of each block's first point, and behind these that of all points: (n + 1,)."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def points(self) -> int:
        return int(self.first[-1])

    @cached_property
    def rows(self) -> Blocks:
        """Those that have points."""
        some = self.sizes > 0
        if some.all():
            return self
        return Blocks(
            self.extent[some], self.stride[some], self.data_stride[some], self.offset[some]
        )

    @property
    def along(self) -> int:
        """Elements from a point to the next along x, which is one number for all blocks."""
        return int(self.stride[0, 0]) if self.count else 1

    @cached_property
    def table(self) -> np.ndarray:
        """`bridge_box` of each block: extent, stride, data_stride, offset, axis."""
        return self.with_axes(self.extent, self.stride)

    def box(self, number: int) -> tuple[Triple, Triple, int, int]:
        """Extent, stride, data_stride and offset of one of them."""
        nx, ny, nz = self.extent[number].tolist()
        x, y, z = self.stride[number].tolist()
        return (nx, ny, nz), (x, y, z), int(self.data_stride[number]), int(self.offset[number])

    def with_axes(self, extent: np.ndarray, stride: np.ndarray) -> np.ndarray:
        """`table` with other rows, of the same points."""
        columns = (extent, stride, self.data_stride[:, None], self.offset[:, None], self.stride)
        return np.ascontiguousarray(np.hstack(columns), dtype=np.int64)

    def same_points(self, other: Blocks) -> bool:
        return np.array_equal(self.extent, other.extent)

    def columns_from(self, first: int) -> Blocks:
        """Without the first components."""
        return replace(self, offset=self.offset + first * self.data_stride)

    def grown(self, by: Fringe) -> Blocks:
        """Each with so many layers around it. An empty block has points then, which lie nowhere:
        so it stays empty."""
        if not by:
            return self
        lower, upper = np.array(by.lower), np.array(by.upper)
        some = self.sizes[:, None] > 0
        extent = np.where(some, self.extent + lower + upper, self.extent)
        return replace(self, extent=extent, offset=self.offset - self.stride @ lower)

    def inner(self, by: Fringe) -> Blocks:
        """Each without so many layers at its ends: `grown` and back is the same."""
        lower, upper = np.array(by.lower), np.array(by.upper)
        some = self.sizes[:, None] > 0
        extent = np.where(some, self.extent - lower - upper, self.extent)
        return replace(self, extent=extent, offset=self.offset + self.stride @ lower)

    def still(self) -> Blocks:
        """The same points, of which all have the elements of a memory's start."""
        return replace(
            self,
            stride=np.zeros_like(self.stride),
            data_stride=np.ones_like(self.data_stride),
            offset=np.zeros_like(self.offset),
        )

    @classmethod
    def flat(cls, extent: np.ndarray) -> Blocks:
        """Memory with the points of all blocks side by side, components one behind the other."""
        extent = np.asarray(extent, np.int64)
        ni, nj = extent[:, 0], extent[:, 1]
        stride = np.stack([np.ones_like(ni), ni, ni * nj], axis=1)
        sizes = ni * nj * extent[:, 2]
        return cls(extent, stride, np.full(len(sizes), sizes.sum()), np.cumsum(sizes) - sizes)

    @property
    def is_flat(self) -> bool:
        """Whether all points follow one another in memory, each column behind the one before."""
        flat = Blocks.flat(self.extent)
        some = self.sizes > 0
        return bool(
            ((self.stride == flat.stride) | (self.extent == 1)).all(axis=1)[some].all()
            and (self.data_stride == self.data_stride[:1]).all()
            and (np.diff(self.offset - flat.offset) == 0).all()
        )

    def numbers(self) -> np.ndarray:
        """Of each point the number of its element of the first column, in the points' order."""
        first, points = self.first, np.arange(self.points)
        block = np.repeat(np.arange(self.count), self.sizes)
        row, i = np.divmod(points - first[block], self.extent[block, 0])
        k, j = np.divmod(row, self.extent[block, 1])
        steps = np.stack([i, j, k], axis=1) * self.stride[block]
        found: np.ndarray = self.offset[block] + steps.sum(axis=1)
        return found

    def positions(self, axis: int, first: np.ndarray) -> Blocks:
        """No memory: the elements of points are their positions along an axis; first: of each
        block's first point."""
        stride = np.zeros_like(self.stride)
        stride[:, axis] = 1
        return Blocks(self.extent, stride, np.zeros_like(self.offset), np.asarray(first, np.int64))

    def spans(self, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """First and last element of each block that has points, for strides of any sign."""
        known: dict[int, tuple[np.ndarray, np.ndarray]] = self.__dict__.setdefault("_spans", {})
        if columns not in known:
            along = self.stride * (self.extent - 1)
            steps = np.hstack([along, self.data_stride[:, None] * (columns - 1)])
            low = self.offset + np.minimum(steps, 0).sum(axis=1)
            high = self.offset + np.maximum(steps, 0).sum(axis=1)
            some = self.sizes > 0
            known[columns] = low[some], high[some]
        return known[columns]


def joined(all: list[Blocks]) -> list[np.ndarray]:
    """The tables of blocks with the same points, with neighbouring axes of a block joined where
    that is one row of it in each of these: an interior without fringes is one row."""
    extent = all[0].extent
    order = np.argsort(extent == 1, axis=1, kind="stable")
    n = np.take_along_axis(extent, order, axis=1)
    strides = [np.take_along_axis(one.stride, order, axis=1) for one in all]

    def follow(axis: int) -> np.ndarray:
        """Where the next axis runs on, in each array; one of extent 1 always does."""
        runs: np.ndarray = n[:, axis + 1] > 1
        for s in strides:
            runs = runs & (s[:, axis + 1] == s[:, axis] * n[:, axis])
        return runs

    xy, yz = follow(0), follow(1)
    one = np.ones_like(n[:, 0])
    rows = np.where(xy, n[:, 0] * n[:, 1] * np.where(yz, n[:, 2], 1), n[:, 0])
    others = np.where(xy, np.where(yz, one, n[:, 2]), np.where(yz, n[:, 1] * n[:, 2], n[:, 1]))
    last = np.where(xy | yz, one, n[:, 2])
    points = np.stack([rows, others, last], axis=1)
    tables = []
    for blocks, s in zip(all, strides, strict=True):
        across = np.where(xy, s[:, 2], s[:, 1])
        steps = np.stack([s[:, 0], across, s[:, 2]], axis=1)
        tables.append(blocks.with_axes(points, steps))
    return tables
