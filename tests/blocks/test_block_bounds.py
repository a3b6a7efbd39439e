"""Bounds of many blocks: refused where those of one array would be, and where memory ends."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from bridge.errors import ArgumentError
from bridge.memory.blockbounds import BlockBounds
from bridge.memory.marshal import ADDRESS_SPACE, LARGEST_INT, Bounds
from bridge.plan.fringe import Fringe
from bridge.resident.boxes import contains

#: nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData, nData.
GOOD = [5, 4, 3, 2, 4, 1, 4, 1, 2, 1, 2, 3]


def said(check: object) -> str:
    """What is raised, "" for nothing."""
    try:
        check()  # type: ignore[operator]
    except ArgumentError as error:
        return error.argument
    return ""


def alone(row: list[int]) -> str:
    return said(lambda: Bounds.from_twelve(row).check())


def as_block(row: list[int]) -> str:
    return said(lambda: BlockBounds.of([GOOD[:9] + row[9:], row], [0, 0]).check())


def test_a_block_is_refused_as_an_array_alone_is() -> None:
    """Every number, and every pair of an axis's numbers, around its limits."""
    refused = 0
    pairs = [*itertools.combinations((0, 3, 4), 2), (1, 6), (2, 7), (9, 10), (10, 11), (9, 11)]
    for places in (*((n,) for n in range(12)), *pairs):
        for values in itertools.product((-4, -3, -1, 0, 1, 2, 3, 4, 5, 6), repeat=len(places)):
            row = list(GOOD)
            for place, value in zip(places, values, strict=True):
                row[place] = value
            wanted = alone(row)
            assert as_block(row) == wanted, row
            refused += bool(wanted)
    assert refused > 300


@pytest.mark.parametrize(
    "changes",
    [{0: LARGEST_INT + 1, 4: LARGEST_INT + 1}, {11: -LARGEST_INT - 1}, {0: 1 << 24, 1: 1 << 22}],
)
def test_numbers_that_no_int_and_no_memory_holds(changes: dict[int, int]) -> None:
    row = list(GOOD)
    for place, value in changes.items():
        row[place] = value
    assert as_block(row)


def test_offsets_within_memory() -> None:
    size = 5 * 4 * 3 * 3
    far = ADDRESS_SPACE // 8
    for offset, message in ((far, ""), (far + 1, "offsets"), (-far, ""), (-far - 1, "offsets")):
        assert said(lambda at=offset: BlockBounds.of([GOOD], [at]).check()) == message
    assert said(lambda: BlockBounds.of([GOOD], [2 * far]).check(4)) == ""
    for offset, message in ((0, ""), (10, ""), (11, "offsets"), (-1, "offsets")):
        within = BlockBounds.of([GOOD, GOOD], [0, offset])
        assert said(lambda one=within: one.check_within(size + 10)) == message
    empty = [0, 4, 3, 1, 0, *GOOD[5:]]
    assert said(lambda: BlockBounds.of([empty], [-7]).check_within(0)) == "", "it has no elements"


def test_the_fringe_is_that_of_every_block() -> None:
    """Empty blocks need none."""
    other = [9, 6, 6, 2, 6, 3, 4, 3, 5, 1, 2, 3]
    empty = [3, 3, 3, 1, 0, 1, 3, 1, 3, 1, 2, 3]
    assert BlockBounds.of([GOOD], [0]).fringe == Fringe((1, 0, 0), (1, 0, 1))
    assert BlockBounds.of([other, empty], [0, 0]).fringe == Fringe((1, 2, 2), (3, 2, 1))
    assert BlockBounds.of([GOOD, other, empty], [0] * 3).fringe == Fringe((1, 0, 0), (1, 0, 1))
    assert BlockBounds.of([empty], [0]).fringe == Fringe()


@pytest.mark.parametrize("sign", [1, -1])
def test_blocks_lie_where_arrays_alone_would(sign: int) -> None:
    rows = np.array([GOOD, [9, 6, 6, 2, 6, 3, 4, 3, 5, 1, 2, 3], [0, 4, 3, 1, 0, *GOOD[5:]]])
    rows[:, 11] *= sign
    bounds = BlockBounds.of(rows, [7, 500, 0])
    blocks = bounds.place(64, 2).blocks
    assert blocks is not None
    for number, row in enumerate(rows.tolist()):
        box = Bounds.from_twelve(row).box()
        extent, stride, across, offset = blocks.box(number)
        assert (extent, stride, across) == (box.extent, box.stride, box.data_stride)
        assert offset == box.offset + bounds.offsets[number]
    first, elements = bounds.memory()
    assert (first, first + elements) == (7, 500 + 9 * 6 * 6 * 3)
    whole = bounds.arrays(64, 2).blocks
    assert whole is not None and whole.extent.tolist() == rows[:, :3].tolist()
    assert whole.offset[:2].tolist() == [7, 500]


@pytest.mark.parametrize("sign", [1, -1])
def test_arrays_contain_their_interiors(sign: int) -> None:
    """What an update of whole arrays brings holds what a run wrote, and not the other way round; a
    column, or one block, that goes beyond is seen."""
    rows = np.array([GOOD, [9, 6, 6, 2, 6, 3, 4, 3, 5, 1, 2, 3], [0, 4, 3, 1, 0, *GOOD[5:]]])
    rows[:, 11] *= sign
    bounds = BlockBounds.of(rows, [7, 500, 0])
    arrays, interior = bounds.arrays(64, 2), bounds.place(64, 2)
    assert contains(arrays, interior) and contains(arrays, arrays)
    assert not contains(interior, arrays)
    assert contains(interior, interior.columns_from(1, 1))
    assert not contains(interior.columns_from(1, 1), interior)
    wider = rows.copy()
    wider[1, 3] -= 1  # SptX of the second block
    grown = BlockBounds.of(wider, [7, 500, 0]).place(64, 2)
    assert contains(grown, interior) and not contains(interior, grown)
    assert not contains(interior, replace(interior, dtype="float32"))
