"""What is refused before anything moves, and what the bookkeeping of copies says afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from resident.conftest import Cells
from unit.blocks import FRINGES, INTERIOR, SHAPE

from bridge.errors import ArgumentError
from bridge.resident import boxes as listing
from bridge.resident.shadow import ShadowCopies

pytestmark = pytest.mark.usefixtures("backend")

MakeCells = Callable[..., Cells]
SIX = "six integers i1, i2, j1, j2, k1, k2, or rows of them"


@pytest.mark.parametrize(
    ("boxes", "got"),
    [
        ([(1, 2, 1, 2, 1, 2), (1, 2)], r"\[\(1, 2, 1, 2, 1, 2\), \(1, 2\)\]"),
        (6, r"shape \(\) of int64"),
        (np.ones((1, 1, 6), int), r"shape \(1, 1, 6\) of int64"),
        ("1, 2", r"shape \(\) of <U4"),
        ((1.0, 2, 1, 2, 1, 2), r"shape \(6,\) of float64"),
    ],
)
def test_boxes_that_are_no_rows_of_six(make_cells: MakeCells, boxes: Any, got: str) -> None:
    cells = make_cells()
    buffer = np.full(1000, -5.0)
    with pytest.raises(ArgumentError, match=f"argument boxes: got {got}, wanted {SIX}"):
        cells.tv.pack("cells", "Q", boxes, buffer)
    assert (buffer == -5.0).all()


def test_positions_are_c_ints() -> None:
    for far in (2**31, -(2**31)):
        with pytest.raises(ArgumentError, match="boxes: got a position beyond 2147483647"):
            listing.listed((1, far, 1, 2, 1, 2))


def test_boxes_of_an_unpack_have_no_points_in_common(make_cells: MakeCells) -> None:
    cells = make_cells()
    tv, before, buffer = cells.tv, cells.rho.copy(), np.arange(200.0)
    boxes = [(1, 2, 1, 2, 1, 2), (5, 4, 1, 4, 1, 3), (3, 5, 1, 2, 1, 2), (2, 3, 2, 3, 2, 3)]
    wanted = "boxes: got boxes 1 and 4 of 'rho', which have points in common, wanted boxes without"
    for _ in range(2):  # the second time as the first
        with pytest.raises(ArgumentError, match=wanted):
            tv.unpack("cells", "rho", boxes, buffer)
    np.testing.assert_array_equal(cells.rho, before)
    assert tv.pack("cells", "rho", boxes, buffer) == 8 + 12 + 8, "a pack may read points twice"
    tv.unpack("cells", "rho", boxes[:3], buffer)


@pytest.mark.parametrize("seed", range(20))
def test_points_in_common_are_found(seed: int) -> None:
    """Against every pair, point by point."""
    random = np.random.default_rng(seed)
    first = random.integers(-2, 6, (6, 3))
    last = first + random.integers(-1, 2, (6, 3))
    points: list[set[tuple[int, ...]]] = []
    for low, high in zip(first, last, strict=True):
        sides = (range(a, b + 1) for a, b in zip(low, high, strict=True))
        i, j, k = np.meshgrid(*sides, indexing="ij")
        points.append({*zip(i.ravel(), j.ravel(), k.ravel(), strict=True)})
    disjoint = len(set().union(*points)) == sum(map(len, points))
    boxes = listing.listed(np.stack((first, last), axis=2).reshape(6, 6))
    try:
        listing.refuse_shared(boxes, "rho")
    except ArgumentError as error:
        assert not disjoint
        words = str(error).split()
        one, other = (int(words[words.index("boxes") + n]) - 1 for n in (1, 3))
        assert not points[one].isdisjoint(points[other])
    else:
        assert disjoint


def test_a_buffer_is_not_memory_of_its_boxes(make_cells: MakeCells) -> None:
    cells = make_cells()
    tv, before = cells.tv, cells.rho.copy()
    for move in (tv.pack, tv.unpack):
        with pytest.raises(
            ArgumentError, match="buffer: got memory of the boxes of 'rho' themselves, wanted mem"
        ):
            move("cells", "rho", (-1, 2, 0, 2, 1, 2), cells.rho)
    np.testing.assert_array_equal(cells.rho, before)
    # what lies between the boxes is not in them
    boxes = [(1, 1, 1, 4, 1, 1), (1, 1, 1, 4, 3, 3)]
    plane = cells.rho[:, :, 1]
    expected = np.concatenate([cells.rho[2, 1:5, 0], cells.rho[2, 1:5, 2]])
    tv.pack("cells", "rho", boxes, plane)
    np.testing.assert_array_equal(plane.ravel(order="F")[:8], expected)


def test_a_buffer_that_cannot_be_read(make_cells: MakeCells) -> None:
    cells = make_cells()
    fixed = np.full(SHAPE, 300.0, order="F")
    fixed.flags.writeable = False
    cells.tv.bind_array("fixed", "T", "in", fixed)
    with pytest.raises(ArgumentError, match="name: got 'T', a read-only array"):
        cells.tv.unpack("fixed", "T", (1, 1, 1, 1, 1, 1), np.zeros(1))
    assert (fixed == 300.0).all()


def test_the_same_memory_in_another_shape(make_cells: MakeCells) -> None:
    """A transposed copy has one shape; what does not fit it is refused and counts nothing."""
    cells = make_cells(True)
    tv, residents = cells.tv, cells.tv.impl.residency._residents
    tv.enter_data("cells", "Q", "copyin", "device")
    bytes_ = cells.Q.reshape(-1, order="F").view(np.uint8)
    moved = bytes_[4 : 4 + 8 * 8 * 9 * 6 * 3].view(np.float64)
    shapes: dict[str, tuple[np.ndarray, dict[str, int]]] = {
        "other records": (bytes_.view(np.float64).reshape((4, 18, 6, 4), order="F"), {}),
        "across records": (
            bytes_.view(np.float64).reshape((16, 9, 6, 2), order="F"),
            {"SptData": 7, "EptData": 9},
        ),
        "reals of four bytes": (bytes_.view(np.float32).reshape((16, 9, 6, 4), order="F"), {}),
        "between": (moved.reshape((8, 9, 6, 3), order="F"), {}),
        "columns": (
            bytes_.view(np.float64).reshape((8, 9, 6, 4), order="F"), {"SptX": 1, "EptX": 1},
        ),
    }  # fmt: skip
    for set, (array, bounds) in shapes.items():
        bounds = {"SptData": 1, "EptData": 3} | bounds
        tv.bind_array(set, "h_Yi", "in", array, component_first=set != "columns", **bounds)
        if cells.apart:
            with pytest.raises(
                ArgumentError, match="same memory in another shape, wanted the shape of 'Q'"
            ):
                tv.enter_data(set, "h_Yi", "copyin", "device")
            assert [one.count for one in residents] == [1], set
    tv.exit_data("cells", "Q", "delete")


def test_a_copy_that_is_not_filled_goes_again(
    make_checked: MakeCells, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = make_checked()
    tv, residency = cells.tv, cells.tv.impl.residency
    with monkeypatch.context() as broken:

        def fail(*_: object) -> None:
            raise MemoryError("no list of boxes")

        broken.setattr(ShadowCopies, "between", fail)
        with pytest.raises(MemoryError):
            tv.enter_data("cells", "Q", "copyin")
    assert not residency._residents
    assert residency._shadow is not None and not residency._shadow._shadows
    cells.run()
    np.testing.assert_allclose(cells.rho[INTERIOR], cells.expected("rho"), rtol=1e-13)


def test_a_section_has_neither_fringe_nor_end(make_cells: MakeCells) -> None:
    """Beyond its bounds lies other memory of the caller: it is neither moved nor asked for."""
    cells = make_cells()
    tv, before = cells.tv, cells.rho.copy()
    tv.enter_data("cells", "rho", "copyin")
    bounds = [9, 6, 2, 1, 4, 1, 3, 1, 2, 1, 1, 1]
    tv.bind("last", "rho", "out", cells.rho[1:, 1:, 2:].ctypes.data, bounds, section=True)
    values = np.arange(24.0)
    tv.unpack("last", "rho", None, values)
    cells.rho[...] = -2.0
    tv.update_host("last", "rho")
    if cells.apart:
        expected = np.full(SHAPE, -2.0)
        expected[1:5, 1:4, 2:4] = values.reshape((4, 3, 2), order="F")
        np.testing.assert_array_equal(cells.rho, expected)
    with pytest.raises(ArgumentError, match="i1 = 1, i2 = 5 of box 1 of 'rho', wanted .* 1 to 4"):
        tv.update_host("last", "rho", (1, 5, 1, 3, 1, 2))
    tv.exit_data("cells", "rho", "copyout")
    assert (cells.rho != before).any()


def test_boxes_of_an_empty_block_with_a_fringe(make_cells: MakeCells) -> None:
    tv, buffer = make_cells().tv, np.full(64, -5.0)
    tv.bind("none", "T", "in", 0, [4, 4, 4, 3, 2, 1, 4, 1, 4, 1, 1, 1])
    with pytest.raises(ArgumentError, match="boxes: got points of an empty block, wanted no poi"):
        tv.pack("none", "T", (0, 0, 1, 1, 1, 1), buffer)
    assert tv.pack("none", "T", None, buffer) == 0
    assert (buffer == -5.0).all()


def test_an_update_of_the_device_makes_both_the_same(
    make_cells: MakeCells, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither holds the only current values then; what is unpacked is on the device alone."""
    cells = make_cells()
    tv = cells.tv
    for name in ("rho", "h_Yi", "status"):
        tv.enter_data("cells", name, "copyin")
    cells.run()
    tv.update_host("cells", "h_Yi")
    tv.update_device("cells", "rho")
    tv.update_host("cells", "status")
    tv.unpack("cells", "status", (1, 1, 1, 1, 1, 1), np.ones(1, np.int32))
    newer = tv.impl.residency.newer()
    assert newer == (["'status' of set 'cells'"] if cells.apart else [])
    cells.frame.finalize()
    warned = [line for line in capsys.readouterr().out.splitlines() if "warning" in line]
    assert len(warned) == len(newer)


@pytest.mark.parametrize("scale", ["2", None, 1j])
def test_scales_that_are_no_numbers(make_cells: MakeCells, scale: Any) -> None:
    cells = make_cells()
    with pytest.raises(ArgumentError, match="argument scale: got .*, wanted a real number"):
        cells.tv.bind_array("cells", "T", "in", np.zeros(SHAPE, order="F"), scale=scale, **FRINGES)
    cells.run()
