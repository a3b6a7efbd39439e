"""Kernels that read neighbours on arrays that stay on the device: their fringes count."""

from __future__ import annotations

import numpy as np
import pytest
from blocks.test_components import EXTENT, FRINGE, NC
from blocks.test_other_sets import CELLS, made

from bridge.tvproperties import TVProperties

SHAPE = tuple(n + 2 * FRINGE for n in EXTENT)
SPANS = {
    f"{what}{axis}": FRINGE + (1 if what == "Spt" else n)
    for axis, n in zip("XYZ", EXTENT, strict=True)
    for what in ("Spt", "Ept")
}
INNER = np.s_[2:-2, 2:-2, 2:-2]


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_CHECK_RESIDENCY", "1")


@pytest.fixture
def cells(checked: None, tv: TVProperties) -> TVProperties:
    """The Frame of the other tests, on the CPU with shadow copies."""
    return tv


def bound(tv: TVProperties, first: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both arrays as (nx, ny, nz, NC) whatever their order, and the result of a run."""
    values = np.random.default_rng(2).normal(size=(*SHAPE, NC))
    p = np.asfortranarray(np.moveaxis(values, 3, 0) if first else values)
    lap = np.full(p.shape, -7.0, order="F")
    tv.bind_array("cells", "st_p", "in", p, component_first=first, **SPANS)
    tv.bind_array("cells", "st_lap", "out", lap, component_first=first, **SPANS)
    tv.run("cells", "stLaplacian")
    if first:
        return np.moveaxis(p, 0, 3), np.moveaxis(lap, 0, 3), np.moveaxis(lap, 0, 3).copy()
    return p, lap, lap.copy()


@pytest.mark.parametrize("layout", ["host", "device"])
@pytest.mark.parametrize("first", [False, True])
def test_a_fringe_that_was_not_updated(
    cells: TVProperties, capsys: pytest.CaptureFixture[str], first: bool, layout: str
) -> None:
    tv = cells
    p, lap, expected = bound(tv, first)
    tv.enter_data("cells", "st_p", "copyin", layout)
    tv.enter_data("cells", "st_lap", "copyin", layout)
    tv.run("cells", "stLaplacian")
    assert np.isnan(lap[INNER]).all() and not np.isnan(lap).all()
    tv.update_host("cells", "st_lap")
    np.testing.assert_array_equal(lap, expected)
    assert "warning" not in capsys.readouterr().out
    p[0, 0, 0] += 1.0  # two layers away: no kernel reads it
    p[1, 3, 4, 1] += 1.0  # the neighbour of the first point of a row
    tv.run("cells", "stLaplacian")
    tv.update_host("cells", "st_lap")
    (line,) = [one for one in capsys.readouterr().out.splitlines() if "warning" in one]
    assert "run of stLaplacian on set 'cells' reads 'st_p'" in line
    assert "at i = 2..2, j = 4..4, k = 5..5 (" in line
    places = np.argwhere(np.isnan(lap))
    np.testing.assert_array_equal(places, [[2, 3, 4, 1]])
    tv.update_device("cells", "st_p", (0, 0, 1, EXTENT[1], 1, EXTENT[2]))
    tv.run("cells", "stLaplacian", [1, 1, 2, 2, 3, 3])
    tv.exit_data("cells", "st_lap", "copyout")
    different = np.argwhere(lap != expected)
    np.testing.assert_array_equal(different, [[2, 3, 4, 1]])
    np.testing.assert_allclose(lap[2, 3, 4, 1], expected[2, 3, 4, 1] + 1.0, rtol=1e-12)


def test_a_set_finds_resident_arrays_of_another_one(
    cells: TVProperties, capsys: pytest.CaptureFixture[str]
) -> None:
    """Faces read cells that have entered since their last run."""
    tv = cells
    p, faces = made()
    tv.bind_array("cells", "st_p", "in", p, **CELLS)
    tv.bind_array("faces", "st_ahead", "out", faces)
    tv.bind_from("faces", "st_p", "cells")
    tv.run("faces", "stAhead")
    expected = faces.copy()
    tv.enter_data("cells", "st_p", "copyin")
    tv.run("faces", "stAhead")
    np.testing.assert_array_equal(faces, expected)
    p[4, 1, 2] += 1.0
    tv.run("faces", "stAhead")
    assert "run of stAhead on set 'faces' reads 'st_p'" in capsys.readouterr().out
    np.testing.assert_array_equal(np.argwhere(np.isnan(faces)), [[3, 1, 2], [4, 1, 2]])
    tv.exit_data("cells", "st_p", "delete")
    tv.run("faces", "stAhead")
    np.testing.assert_array_equal(np.argwhere(faces != expected), [[3, 1, 2], [4, 1, 2]])
