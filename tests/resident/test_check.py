"""BRIDGE_CHECK_RESIDENCY: a shadow copy on the CPU finds updates that are missing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from resident.conftest import Cells
from unit.blocks import FRINGES, INTERIOR, SHAPE

WARNING = "which the host has changed without frame_update_device"


def warnings(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().out.splitlines() if "warning" in line]


def test_a_missing_update_of_the_host_is_seen_as_nan(
    make_checked: Callable[..., Cells],
) -> None:
    cells = make_checked()
    tv = cells.tv
    for name in ("Q", "rho", "status"):
        tv.enter_data("cells", name, "copyin")
    cells.run()
    assert np.isnan(cells.rho[INTERIOR]).all()
    assert (cells.status[INTERIOR] == np.iinfo(np.int32).min).all()
    assert np.count_nonzero(np.isnan(cells.rho)) == 60, "the fringe is as it was"
    assert not np.isnan(cells.h_Yi).any(), "it is not resident"
    tv.update_host("cells", "rho", (2, 3, 1, 4, 1, 3))
    inner = cells.rho[INTERIOR]
    np.testing.assert_allclose(inner[1:3], cells.expected("rho")[1:3], rtol=1e-13)
    assert np.isnan(inner[[0, 3, 4]]).all()
    tv.update_host("cells", "rho")
    np.testing.assert_allclose(inner, cells.expected("rho"), rtol=1e-13)
    # stale values that are sent to the device arrive as what they are
    cells.run()
    tv.update_device("cells", "rho")
    tv.update_host("cells", "rho")
    assert np.isnan(cells.rho[INTERIOR]).all()


@pytest.mark.parametrize("check", ["1", "fringes"])
@pytest.mark.parametrize("layout", ["host", "device"])
@pytest.mark.parametrize("first", [False, True])
def test_a_missing_update_of_the_device_is_named(
    make_checked: Callable[..., Cells],
    capsys: pytest.CaptureFixture[str],
    first: bool,
    layout: str,
    check: str,
) -> None:
    cells = make_checked(first, check_residency=check)
    tv = cells.tv
    tv.enter_data("cells", "Q", "copyin", layout)
    cells.run()
    assert not warnings(capsys)
    expected = cells.expected("rho")
    cells.whole[0, 0, 0, 4] = 1.0  # in the fringe, which no run reads
    cells.whole[3:5, 2, 1:3, 4] += 10.0
    cells.whole[4, 2, 1, 0] += 1e5
    cells.run()
    (line, other) = warnings(capsys)
    assert WARNING in line and WARNING in other
    assert (
        "run of eosThermalAndViscousProperties on set 'cells' reads 'T' in the memory of 'Q'"
        in line
    )
    assert "at i = 4..5, j = 3..3, k = 2..3 (positions as SptX counts them)" in line
    assert "reads 'P' in" in other and "at i = 5..5, j = 3..3, k = 2..2" in other
    found = np.isnan(cells.rho[INTERIOR])
    assert found[1:3, 1, 1:3].all() and np.count_nonzero(found) == 4
    np.testing.assert_allclose(cells.rho[INTERIOR][~found], expected[~found], rtol=1e-13)
    cells.run()
    assert not warnings(capsys), "each change is named once"
    tv.update_device("cells", "Q")
    cells.run()
    np.testing.assert_allclose(cells.rho[INTERIOR], cells.expected("rho"), rtol=1e-13)
    assert not warnings(capsys)


def test_packs_and_reductions_look_too(
    make_checked: Callable[..., Cells], capsys: pytest.CaptureFixture[str]
) -> None:
    cells = make_checked()
    tv = cells.tv
    tv.enter_data("cells", "Q", "copyin")
    buffer = np.zeros(2 * 4 * 3 * 8)
    cells.Q[0, 1, 0, 3] = 5.0
    tv.pack("cells", "Q", (6, 7, 1, 4, 1, 3), buffer)
    assert not warnings(capsys)
    tv.pack("cells", "Q", (-1, 0, 1, 4, 1, 3), buffer)
    (line,) = warnings(capsys)
    assert "frame_pack of 'Q' on set 'cells' reads 'Q'" in line and "i = 1..1, j = 2..2" in line
    assert np.isnan(buffer[3 * 24]), "x fastest, the component slowest"
    cells.Q[2, 1, 0, 4] += 1.0
    assert np.isnan(tv.reduce("cells", "T", "max"))
    assert "reduction of T on set 'cells' reads 'T'" in warnings(capsys)[0]
    tv.unpack("cells", "Q", (6, 7, 1, 4, 1, 3), np.ones(buffer.size))
    assert np.isnan(cells.Q[7:9, 1:5, 0:3]).all(), "what has been unpacked is on the device"


def test_what_was_updated_is_in_step(
    make_checked: Callable[..., Cells], capsys: pytest.CaptureFixture[str]
) -> None:
    """After an update in either way nothing is stale, until the host writes again."""
    cells = make_checked()
    tv, buffer = cells.tv, np.zeros(60)
    tv.enter_data("cells", "rho", "copyin")
    cells.run()
    tv.update_host("cells", "rho")
    tv.pack("cells", "rho", (1, 5, 1, 4, 1, 3), buffer)
    np.testing.assert_allclose(buffer, cells.expected("rho").ravel(order="F"), rtol=1e-13)
    cells.rho[2, 1, 0] = 7.0
    tv.update_device("cells", "rho", (1, 1, 1, 1, 1, 1))
    tv.pack("cells", "rho", (1, 5, 1, 4, 1, 3), buffer)
    assert buffer[0] == 7.0 and not np.isnan(buffer).any()
    assert not warnings(capsys)


def test_a_copy_without_values_has_none(make_checked: Callable[..., Cells]) -> None:
    cells = make_checked()
    cells.tv.enter_data("cells", "Q", "create")
    cells.run()
    assert np.isnan(cells.rho[INTERIOR]).all()
    cells.tv.update_device("cells", "Q")
    cells.run()
    np.testing.assert_allclose(cells.rho[INTERIOR], cells.expected("rho"), rtol=1e-13)


def test_masked_points_stay_as_they_are(make_checked: Callable[..., Cells]) -> None:
    cells = make_checked()
    tv = cells.tv
    active = np.zeros(SHAPE, np.int32, order="F")
    active[INTERIOR][::2] = 1
    tv.bind_array("cells", "iblank", "in", active, **FRINGES)
    for name in ("iblank", "rho"):
        tv.enter_data("cells", name, "copyin")
    before = cells.rho.copy()
    cells.run()
    stale = np.isnan(cells.rho)
    np.testing.assert_array_equal(stale, active != 0)
    np.testing.assert_array_equal(cells.rho[~stale], before[~stale])
    tv.update_host("cells", "rho")
    expected = np.where(active[INTERIOR] != 0, cells.expected("rho"), -1.0)
    np.testing.assert_allclose(cells.rho[INTERIOR], expected, rtol=1e-13)


def test_a_reduction_reads_the_mask_too(
    make_checked: Callable[..., Cells], capsys: pytest.CaptureFixture[str]
) -> None:
    cells = make_checked()
    tv = cells.tv
    active = np.ones(SHAPE, np.int32, order="F")
    tv.bind_array("cells", "iblank", "in", active, **FRINGES)
    for name in ("rho", "iblank"):
        tv.enter_data("cells", name, "copyin")
    cells.run()
    tv.reduce("cells", "rho", "max")
    assert not warnings(capsys)
    active[2, 1, 0] = 0
    tv.reduce("cells", "rho", "max")
    (line,) = warnings(capsys)
    assert "reduction of rho on set 'cells' reads 'iblank' in the memory of 'iblank'" in line
    tv.update_device("cells", "iblank")
    active[...] = 0  # of the host alone: the copy is what counts
    assert np.isfinite(tv.reduce("cells", "rho", "max"))


def test_the_setting(make_checked: Callable[..., Cells], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_CHECK_RESIDENCY", "0")
    cells = make_checked()
    cells.tv.enter_data("cells", "rho", "copyin")
    cells.run()
    np.testing.assert_allclose(cells.rho[INTERIOR], cells.expected("rho"), rtol=1e-13)
