"""Which blocks share elements: by arithmetic on all pairs, the same as box by box."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.blocks import Blocks
from bridge.bound import overlap
from bridge.bound.blockoverlap import same_elements, share_elements, shared_within


def tiles(cut: int, columns: int, offset: int) -> Binding:
    """Pieces of one array of 12**3 points with a component of each, as blocks."""
    first = np.array([(i, j, k) for k in range(2) for j in range(2) for i in range(2)]) * cut
    stride = np.tile([1, 12, 144], (8, 1))
    blocks = Blocks(
        np.full((8, 3), 6), stride, np.full(8, 12**3), (first * stride).sum(axis=1) + offset
    )
    return replace(Binding.along(0, (1, 1, 1), 0), columns=columns, dtype="float64").at(blocks)


def test_pieces_of_one_array_lie_between_each_other() -> None:
    """Their ends overlap, their elements do not."""
    assert shared_within(tiles(6, 1, 0)) is None
    assert shared_within(tiles(5, 1, 0)) == (1, 2)
    assert share_elements(tiles(6, 1, 0), tiles(6, 1, 3))
    assert not share_elements(tiles(6, 1, 0), tiles(6, 1, 12**3))
    assert share_elements(tiles(6, 2, 0), tiles(6, 1, 12**3))
    assert same_elements(tiles(6, 2, 0), tiles(6, 2, 0))
    assert not same_elements(tiles(6, 2, 0), tiles(6, 2, 1))


def test_the_same_elements_lie_at_the_same_strides() -> None:
    """Of axes that run, and of columns where there are several."""
    one = boxes([(3, 2, 1)], (1, 3, 6), [0])
    assert same_elements(one, boxes([(3, 2, 1)], (1, 3, 7), [0]))
    assert not same_elements(one, boxes([(3, 2, 1)], (1, 4, 6), [0]))
    assert not same_elements(one, boxes([(3, 2, 1)], (1, 3, 6), [0], "float32"))
    assert not same_elements(replace(one, columns=2), one)
    wide = boxes([(3, 2, 1)], (1, 3, 6), [0], across=7)
    assert same_elements(one, wide)
    assert not same_elements(replace(one, columns=2), replace(wide, columns=2))


def test_types_of_other_sizes_share_bytes() -> None:
    """Elements of 4 bytes lie in those of 8 at every other place."""
    wide = boxes([(2, 1, 1)], (2, 4, 8), [0])  # bytes 0 to 7 and 16 to 23
    for offset, shared in ((2, True), (6, False), (5, True)):
        assert share_elements(wide, boxes([(2, 1, 1)], (2, 4, 8), [offset], "float32")) == shared
    moved = boxes([(1, 1, 1)], (2, 4, 8), [0])
    assert share_elements(wide, replace(moved, address=4))
    assert not share_elements(wide, replace(moved, address=8))


def test_rows_that_reach_the_next_one() -> None:
    """The last point of a row lies where the next row but one begins."""
    long = boxes([(5, 2, 1)], (1, 4, 100), [0])
    assert share_elements(long, boxes([(1, 1, 1)], (1, 4, 100), [8]))
    assert not share_elements(long, boxes([(1, 1, 1)], (1, 4, 100), [9]))


def test_overlaps_are_those_of_single_boxes() -> None:
    """Random blocks of few elements: the same answer as box by box."""
    random = np.random.default_rng(11)
    shared = 0
    for _ in range(150):
        a, b = (few_blocks(random) for _ in range(2))
        pairs = [overlap.share_elements(x, y) for x in single(a) for y in single(b)]
        assert share_elements(a, b) == any(pairs)
        shared += any(pairs)
        mine = single(a)
        found = any(overlap.share_elements(x, y) for n, x in enumerate(mine) for y in mine[:n])
        assert (shared_within(a) is not None) == found
    assert 20 < shared < 130


def boxes(
    extent: list[tuple[int, int, int]], stride: tuple[int, int, int], offsets: list[int],
    dtype: str = "float64", across: int = 1000,
) -> Binding:  # fmt: skip
    """Blocks with one shape of memory."""
    n = len(extent)
    blocks = Blocks(
        np.array(extent), np.tile(stride, (n, 1)), np.full(n, across), np.array(offsets)
    )
    return replace(Binding.along(0, (1, 1, 1), 0), dtype=dtype).at(blocks)


def few_blocks(random: np.random.Generator) -> Binding:
    n = 4
    extent = random.integers(0, 4, (n, 3))
    point = random.integers(1, 3)
    nx, ny = random.integers(3, 5, n), random.integers(3, 5, n)
    stride = np.stack([np.full(n, point), point * nx, point * nx * ny], axis=1)
    across = np.ones(n, dtype=int) if point == 2 else nx * ny * 4
    blocks = Blocks(extent, stride, across, random.integers(0, 400, n))
    dtype = str(random.choice(["float64", "float32"]))
    columns = int(random.integers(1, 3))
    return replace(Binding.along(0, (1, 1, 1), 0), columns=columns, dtype=dtype).at(blocks)


def single(binding: Binding) -> list[Binding]:
    """Each block that has points as an array of its own."""
    blocks = binding.blocks
    assert blocks is not None
    found = []
    for n in np.flatnonzero(blocks.sizes):
        x, y, z = blocks.stride[n].tolist()
        i, j, k = blocks.extent[n].tolist()
        box = Box((i, j, k), (x, y, z), int(blocks.data_stride[n]), int(blocks.offset[n]))
        found.append(replace(binding, box=box, blocks=None))
    return found
