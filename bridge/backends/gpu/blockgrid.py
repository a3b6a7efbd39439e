"""How the points of many blocks are spread over the threads of launches, and the table by which a
thread finds its block: struct Many of cuda/blocks.h and what it points to.

Beside `boxgrid`, which has one box. All blocks are looked at at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bridge.backends.base import Binding
from bridge.backends.blocks import Blocks
from bridge.backends.gpu import boxgrid
from bridge.errors import ArgumentError

#: Ranges of rows of the table, one for each launch.
Cuts = Sequence[tuple[int, int]]

#: Bytes at which parts of the table begin: a tile is loaded as one.
_ALIGNED = 16


class Shapes:
    """How arrays lie in the blocks that have points, each shape once.

    An array has a shape where it begins `column` columns and `shift` elements behind it in each
    block: so have components of one memory, and arrays that are alike. number: of its shape.
    """

    def __init__(self, bindings: Mapping[str, Binding]) -> None:
        """bindings: arrays with the same points, of many blocks each."""
        self.number: dict[str, int] = {}
        self.column: dict[str, int] = {}
        self.shift: dict[str, int] = {}
        self.extent = np.zeros((0, 3), np.int64)
        self._shapes: list[Blocks] = []
        self._spans: dict[str, tuple[int, int]] = {}
        for name, binding in bindings.items():
            blocks = binding.blocks
            assert blocks is not None
            some = blocks.rows
            self.extent = some.extent
            for number, shape in enumerate(self._shapes):
                found = None if binding.position else _behind(shape, some)
                if found is not None:
                    self.number[name] = number
                    self.column[name], self.shift[name] = found
                    break
            else:
                self.number[name] = len(self._shapes)
                self.column[name] = self.shift[name] = 0
                self._shapes.append(some)

    @property
    def known(self) -> list[tuple[int | None, int | None, int | None]]:
        """Of each shape, strides that are 0 or 1 in all blocks, None for others."""
        found = []
        for shape in self._shapes:
            x, y, z = (_same(shape.stride[:, axis]) for axis in range(3))
            found.append((x, y, z))
        return found

    @property
    def wide(self) -> bool:
        """Whether a stride needs 64 bits."""
        return any(bool((np.abs(shape.stride) >> 31).any()) for shape in self._shapes)

    @property
    def lies(self) -> np.ndarray:
        """`Lie` of each block and shape."""
        each = [
            np.hstack([s.offset[:, None], s.stride, s.data_stride[:, None]]) for s in self._shapes
        ]
        found: np.ndarray = np.stack(each, axis=1)
        return found

    def _span(self, name: str, binding: Binding) -> tuple[int, int]:
        if name not in self._spans:
            self._spans[name] = binding.grown(binding.fringe).span
        return self._spans[name]

    def share(self, a: tuple[str, Binding], b: tuple[str, Binding]) -> bool:
        """Whether two arrays may share elements. Known of columns of one memory; of others said
        where one does not end before the other one begins, fringes included."""
        (name, one), (other_name, other) = a, b
        (begin, end), (low, high) = (self._span(*each) for each in (a, b))
        if begin >= high or low >= end:
            return False
        number, item = self.number[name], one.itemsize
        if number != self.number[other_name] or item != other.itemsize:
            return True
        step = self._shapes[number].data_stride
        behind = self.column[name] - self.column[other_name]
        shift = self.shift[name] - self.shift[other_name] + (one.address - other.address) // item
        far = behind * step + shift
        columns = far // step
        known = (one.address - other.address) % item == 0 and (columns * step == far).all()
        return not known or bool(((-one.columns < columns) & (columns < other.columns)).any())


def _same(steps: np.ndarray) -> int | None:
    return next((n for n in (0, 1) if (steps == n).all()), None)


def _behind(shape: Blocks, other: Blocks) -> tuple[int, int] | None:
    """How many columns and elements behind a shape's an array begins in each block; None where it
    lies otherwise."""
    step = shape.data_stride
    if not (
        np.array_equal(shape.stride, other.stride) and np.array_equal(step, other.data_stride)
    ):
        return None
    far = other.offset - shape.offset
    if not len(far) or (far == far[0]).all():
        return 0, int(far[0]) if len(far) else 0
    differ = np.flatnonzero(step != step[0])
    if not len(differ):
        return None
    at = differ[0]
    column = int((far[at] - far[0]) // (step[at] - step[0]))
    shift = int(far[0] - column * step[0])
    return (
        (column, shift)
        if (column * step + shift == far).all() and column >> 31 in (0, -1)
        else None
    )


def cut(extent: np.ndarray, parts: int = 1) -> list[tuple[int, int]]:
    """Rows in so many parts of nearly as many points, none of more than a launch can have."""
    sizes = extent.prod(axis=1)
    if (sizes > boxgrid.MOST_POINTS).any():
        got = f"a block of {int(sizes.max())} points"
        raise ArgumentError("bounds", got, f"blocks of at most {boxgrid.MOST_POINTS} on a GPU")
    behind = np.cumsum(sizes)
    most = min(boxgrid.MOST_POINTS, -(-int(sizes.sum()) // parts))
    found, begin = [], 0
    while begin < len(sizes):
        before = int(behind[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(behind, before + most, side="right")))
        found.append((begin, end))
        begin = end
    return found


@dataclass(frozen=True)
class BlockGrid:
    """One launch: struct Many, once `at` says where its table is.

    offsets: of `Many`'s pointers from the table's beginning; the rest as of a `Grid`.
    """

    offsets: tuple[int, int, int, int]
    points: int
    bits: tuple[int, int]
    planes: int
    blocks: int
    threads: int
    at: int = 0

    #: What it holds, as `struct` says it: a number for each of `words`.
    format = "4P 4i"

    @property
    def words(self) -> list[int]:
        """The struct's members in their order."""
        places = [self.at + offset for offset in self.offsets]
        return [*places, self.points, *self.bits, self.planes]


def consecutive(extent: np.ndarray, lies: np.ndarray, cuts: Cuts, threads: int) -> Table:
    """Point after point."""
    table = Table()
    for begin, end in cuts:
        rows = _rows(extent[begin:end])
        points = int(extent[begin:end].prod(axis=1).sum())
        groups = -(-points // threads)
        at = np.searchsorted(rows["first"], threads * np.arange(groups), side="right") - 1
        starts = np.append(at, end - begin - 1).astype(np.int32)
        places = table.put(rows, lies[begin:end], starts)
        table.grids.append(BlockGrid(places, points, (0, 0), 1, groups, threads))
    return table


def tiled(
    extent: np.ndarray, lies: np.ndarray, cuts: Cuts, threads: int, processors: int,
    planes: int | None = None,
) -> Table:  # fmt: skip
    """Tiles of at most `threads` points (a power of 2) of a plane, of one shape in all blocks;
    planes: of a tile, see `boxgrid.tiled`."""
    table = Table()
    x, y = _bits(extent, threads)
    tiles = -(-extent // np.array([1 << x, 1 << y, 1]))
    if planes is None:
        planes = boxgrid.PLANES
        while planes > 1 and _groups(tiles, planes) < boxgrid.BLOCKS * processors:
            planes //= 2
    tiles[:, 2] = -(-tiles[:, 2] // planes)
    for begin, end in cuts:
        counts = tiles[begin:end].prod(axis=1)
        block = np.repeat(np.arange(end - begin), counts)
        number = np.arange(len(block)) - np.repeat(np.cumsum(counts) - counts, counts)
        row, i = np.divmod(number, tiles[begin:end][block, 0])
        k, j = np.divmod(row, tiles[begin:end][block, 1])
        found = np.stack([block, i << x, j << y, k * planes], axis=1).astype(np.int32)
        points = int(extent[begin:end].prod(axis=1).sum())
        rows = _rows(extent[begin:end])
        places = table.put(rows, lies[begin:end], found)
        grid = BlockGrid(places, points, (x, y), planes, len(found), 1 << (x + y))
        table.grids.append(grid)
    return table


def _groups(tiles: np.ndarray, planes: int) -> int:
    return int((tiles[:, 0] * tiles[:, 1] * -(-tiles[:, 2] // planes)).sum())


def _bits(extent: np.ndarray, threads: int) -> tuple[int, int]:
    """Of the tiles that load least of all blocks."""
    most = threads.bit_length() - 1
    powers = [
        (x, y) for x in range(most + 1) for y in range(most + 1 - x) if x + y >= boxgrid.WARP
    ]
    read = [
        int((boxgrid.loads(extent[:, 0], extent[:, 1], 1 << x, 1 << y) * extent[:, 2]).sum())
        for x, y in powers
    ]
    return powers[int(np.argmin(read))]


_ROW = np.dtype(
    [("first", "i4"), ("extent", "i4", 3), ("by", [("factor", "u4"), ("shift", "i4")], 2)]
)


def _rows(extent: np.ndarray) -> np.ndarray:
    """struct Block of each."""
    rows = np.zeros(len(extent), _ROW)
    sizes = extent.prod(axis=1)
    rows["first"] = np.cumsum(sizes) - sizes
    rows["extent"] = extent
    rows["by"]["factor"], rows["by"]["shift"] = divisors(extent[:, :2])
    return rows


def divisors(by: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`boxgrid.divisor` of each of many."""
    shift = np.frexp((by - 1).astype(float))[1].astype(np.int64)  # the number of bits
    return ((1 << 32) * ((1 << shift) - by)) // by + 1, shift


class Table:
    """What launches find on the device; grids: the launches."""

    def __init__(self) -> None:
        self._bytes: list[bytes] = []
        self._size = 0
        self.grids: list[BlockGrid] = []

    def put(
        self, rows: np.ndarray, lies: np.ndarray, order: np.ndarray
    ) -> tuple[int, int, int, int]:
        """`BlockGrid.offsets` of a launch; order: its starts, or its tiles."""
        blocks, where = self._put(rows), self._put(lies)
        which = self._put(order)
        return blocks, where, which, which

    def _put(self, values: np.ndarray) -> int:
        at, words = self._size, np.ascontiguousarray(values).tobytes()
        words += bytes(-len(words) % _ALIGNED)
        self._bytes.append(words)
        self._size += len(words)
        return at

    def grids_at(self, address: int) -> list[BlockGrid]:
        """The launches, once the table lies at an address of the device."""
        return [replace(grid, at=address) for grid in self.grids]

    @property
    def contents(self) -> np.ndarray:
        return np.frombuffer(b"".join(self._bytes), np.uint8)
