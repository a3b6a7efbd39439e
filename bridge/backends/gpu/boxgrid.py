"""How the points of a box are spread over the threads of a launch: struct Grid of cuda/boxes.h.

A leaf. Pointwise launches take point after point; those that read neighbours take tiles; a colour
takes tiles of its own points, a sweep the lines of its axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

Extent = tuple[int, int, int]

#: Points of a launch at most: numbers of points and of threads are ints of 32 bits.
MOST_POINTS = 1 << 30
#: Planes that a tile has at most, and blocks that a multiprocessor is to have at least: some after
#: those that it works on at a time.
PLANES, BLOCKS = 8, 12
#: Logarithm of the fewest threads of a block.
WARP = 5
#: Doubles of a sector, which the caches of a GPU load at least.
SECTOR = 4
#: How points are taken: see `grids`; lines have the name of their axis.
POINTS, TILES, COLOUR = "points", "tiles", "colour"


@dataclass(frozen=True)
class Grid:
    """sizes: along x and y, of points or of tiles; bits: logarithms of a tile's points along x and
    y; planes: of a tile, or points of a line; blocks: of the launch; threads: of a block."""

    extent: Extent
    sizes: tuple[int, int]
    bits: tuple[int, int]
    planes: int
    blocks: int
    threads: int

    #: What it holds, as `struct` says it: a number for each of `words`.
    format = "6i IiIi 3i"

    @property
    def words(self) -> list[int]:
        """The struct's members in their order."""
        by = [word for size in self.sizes for word in divisor(size)]
        return [*self.extent, math.prod(self.extent), *self.sizes, *by, *self.bits, self.planes]


def divisor(by: int) -> tuple[int, int]:
    """Factor and shift by which n / by is found for 0 <= n < 2**31 (Granlund and Montgomery 1994:
    invariant integers)."""
    shift = max(by - 1, 0).bit_length()
    return ((1 << 32) * ((1 << shift) - by)) // by + 1, shift


def consecutive(extent: Extent, threads: int) -> Grid:
    """Point after point, x fastest."""
    points = math.prod(extent)
    return Grid(extent, (extent[0], extent[1]), (0, 0), 1, -(-points // threads), threads)


def tiled(extent: Extent, threads: int, processors: int, planes: int | None = None) -> Grid:
    """Tiles of at most `threads` points (a power of 2) of a plane; planes: of a tile, those that
    leave every multiprocessor blocks enough if None."""
    most = threads.bit_length() - 1
    powers = [(x, y) for x in range(most + 1) for y in range(most + 1 - x) if x + y >= WARP]
    x, y = min(powers, key=lambda bits: loads(*extent[:2], 1 << bits[0], 1 << bits[1]))
    sizes = -(-extent[0] // (1 << x)), -(-extent[1] // (1 << y))
    if planes is None:
        planes = PLANES
        while planes > 1 and sizes[0] * sizes[1] * -(-extent[2] // planes) < BLOCKS * processors:
            planes //= 2
    blocks = sizes[0] * sizes[1] * -(-extent[2] // planes)
    return Grid(extent, sizes, (x, y), planes, blocks, 1 << (x + y))


def coloured(extent: Extent, threads: int, processors: int, planes: int | None = None) -> Grid:
    """Tiles whose points along x are every other one of a row."""
    half = ((extent[0] + 1) // 2, extent[1], extent[2])
    return replace(tiled(half, threads, processors, planes), extent=extent)


def lines(extent: Extent, axis: int, threads: int) -> Grid:
    """Line after line along an axis, of which the extent of the grid has one point."""
    return replace(consecutive(_with(extent, axis, 1), threads), planes=extent[axis])


def grids(
    over: str, extent: Extent, threads: int, processors: int, planes: int | None = None
) -> Iterator[tuple[Extent, Grid]]:
    """(first point, grid) of launches that together take all points of a box; over: POINTS, TILES,
    COLOUR, or the axis of lines, which are never cut."""
    axis = "xyz".find(over)
    if axis >= 0:
        for first, part in parts(_with(extent, axis, 1)):
            yield first, lines(_with(part, axis, extent[axis]), axis, threads)
        return
    for first, part in parts(extent):
        if over == POINTS:
            yield first, consecutive(part, threads)
        else:
            take = tiled if over == TILES else coloured
            yield first, take(part, threads, processors, planes)


def _with(extent: Extent, axis: int, points: int) -> Extent:
    """Other points along an axis."""
    x, y, z = (points if number == axis else n for number, n in enumerate(extent))
    return x, y, z


def loads(nx: Any, ny: Any, x: int, y: int) -> Any:
    """What tiles of x by y points load of a plane of nx by ny with one neighbour on each side, in
    elements: whole tiles, whole sectors. nx, ny: numbers, or arrays of them."""
    tiles = -(-nx // x) * -(-ny // y)
    return tiles * (x + 2 * SECTOR) * (y + 2)


def parts(extent: Extent) -> Iterator[tuple[Extent, Extent]]:
    """(first point, extent) of boxes of at most MOST_POINTS points that together are the whole."""
    axis = max((2, 1, 0), key=lambda one: extent[one])
    n = extent[axis]
    if math.prod(extent) <= MOST_POINTS:
        yield (0, 0, 0), extent
        return
    for first, length in ((0, n // 2), (n // 2, n - n // 2)):
        half = (*extent[:axis], length, *extent[axis + 1 :])
        for start, size in parts((half[0], half[1], half[2])):
            moved = [*start]
            moved[axis] += first
            yield (moved[0], moved[1], moved[2]), size
