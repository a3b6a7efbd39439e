"""Combinations: boxes, stages, masks, sets that read other sets, reductions, states apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks.stencils import Block, bind

import bridge
from bridge.bound.setruns import MOST_BOXES
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")


def staged(tv: TVProperties) -> tuple[Block, np.ndarray, np.ndarray]:
    """Arrays of stStage, whose steps read u around their points before the last one rewrites it;
    u and what one run on all points makes of it."""
    block = Block((18, 5, 3))
    u = block.array(3)
    bind(tv, block, "st_p", "in", block.array())
    bind(tv, block, "st_u", "inout", u)
    before = u.copy(order="F")
    tv.run("cells", "stStage")
    after = u.copy(order="F")
    u[...] = before
    return block, u, after


def test_boxes_side_by_side_do_not_read_what_others_rewrote(tv: TVProperties) -> None:
    block, u, after = staged(tv)
    before = u.copy(order="F")
    with pytest.raises(bridge.ArgumentError) as refused:
        tv.run("cells", "stStage", box=[1, 6, 1, 5, 1, 3, 7, 18, 1, 5, 1, 3])
    text = str(refused.value)
    assert "stStage rewrites 'st_u' at i = 7 to 18" in text
    assert "further apart than its offsets (x = [-1, 1], y = [-1, 1])" in text
    np.testing.assert_array_equal(u, before)
    tv.run("cells", "stStage", box=[1, 6, 1, 5, 1, 3, 8, 18, 1, 5, 1, 3])
    wanted = block.at(after).copy()
    wanted[6] = block.at(before)[6]
    np.testing.assert_array_equal(block.at(u), wanted)


def test_boxes_beside_each_other_where_nothing_is_read_across(tv: TVProperties) -> None:
    """The steps read along x and y, and boxes that meet in z share nothing."""
    block, u, after = staged(tv)
    tv.run("cells", "stStage", box=[1, 18, 1, 5, 1, 1, 1, 18, 1, 5, 2, 3])
    np.testing.assert_array_equal(u, after)


def test_boxes_in_the_fringe_that_overlap_an_input(tv: TVProperties) -> None:
    """Interiors are apart, but the box reaches from the output's points into the input's."""
    block = Block((2, 5, 4), ((1, 20), (1, 1), (1, 1)))
    p = block.array()
    bind(tv, block, "st_p", "in", p)
    ahead = Block((2, 5, 4), ((5, 16), (1, 1), (1, 1)))
    bind(tv, ahead, "st_ahead", "out", p)
    before = p.copy(order="F")
    tv.run("cells", "stAhead")
    np.testing.assert_array_equal(ahead.at(p), block.at(before) - block.at(before, -1, 0, 0))
    p[...] = before
    with pytest.raises(bridge.ArgumentError, match="elements with 'st_p', which stAhead"):
        tv.run("cells", "stAhead", box=[1, 12, 1, 5, 1, 4])
    np.testing.assert_array_equal(p, before)


def test_boxes_in_the_fringe_of_no_points(tv: TVProperties) -> None:
    block = Block((0, 4, 3))
    bind(tv, block, "st_p", "in", block.array())
    bind(tv, block, "st_a", "out", block.array(value=-7.0))
    assert tv.run("cells", "stRoot", box=[1, 0, 1, 4, 1, 3]) == 0
    with pytest.raises(bridge.ArgumentError, match="no points, as the set has none"):
        tv.run("cells", "stRoot", box=[0, 0, 1, 4, 1, 3])


def test_boxes_that_move_do_not_pile_up(tv: TVProperties) -> None:
    block = Block((90, 4, 3))
    p, lap = block.array(), block.array(value=-7.0)
    bind(tv, block, "st_p", "in", p)
    bind(tv, block, "st_lap", "out", lap)
    tv.run("cells", "stLaplacian")
    whole = lap.copy(order="F")
    lap[...] = -7.0
    for i, j in np.ndindex(90, 4):
        tv.run("cells", "stLaplacian", box=[i + 1, i + 1, j + 1, j + 1, 1, 3])
    np.testing.assert_array_equal(lap, whole)
    kept = tv._bound.set_of("cells").runs
    assert len(kept) == MOST_BOXES + 1


@pytest.mark.parametrize("box", [[1.5, 2, 1, 5, 1, 3], True, "abcdef", [[1, 2], [1, 5, 3]]])
def test_boxes_that_are_no_integers(tv: TVProperties, box: Any) -> None:
    _, u, _ = staged(tv)
    before = u.copy(order="F")
    with pytest.raises(bridge.ArgumentError, match="i1, i2, j1, j2, k1, k2 of each box"):
        tv.run("cells", "stStage", box=box)
    np.testing.assert_array_equal(u, before)
    rows: Any = np.array([[1, 18, 1, 5, 1, 3]])
    tv.run("cells", "stStage", box=rows)
    assert (u != before).any()


def test_a_mask_of_another_set(tv: TVProperties) -> None:
    """It keeps points as they are, and those enter no reduction."""
    cells = Block((12, 4, 3))
    p, blank = cells.array(), np.ones(cells.shape, np.int32, order="F")
    blank[::3, 1::2] = 0
    bind(tv, cells, "st_p", "in", p)
    bind(tv, cells, "iblank", "in", blank)
    part = np.full((4, 4, 3), -7.0, order="F")
    tv.bind_array("part", "st_px", "out", part)
    tv.bind_from("part", "st_p", "cells", shift=[3, 0, 0])
    tv.run("part", "stGradient")
    wanted = 0.125 * (cells.at(p, 1, 0, 0) - cells.at(p, -1, 0, 0))[3:7]
    np.testing.assert_allclose(part, wanted, rtol=0, atol=1e-15)
    part[...] = -7.0
    tv.bind_from("part", "iblank", "cells", shift=[3, 0, 0])
    tv.run("part", "stGradient")
    open_points = cells.at(blank)[3:7] != 0
    np.testing.assert_allclose(part, np.where(open_points, wanted, -7.0), rtol=0, atol=1e-15)
    found = tv.reduce("part", "st_px", "sum")
    np.testing.assert_allclose(found, wanted[open_points].sum(), rtol=1e-13)


def test_positions_of_neighbours(tv: TVProperties) -> None:
    """Of a whole set, and of a box of it."""
    block = Block((19, 3, 4), dtype="int32")
    flag, found = block.array(value=1), block.array(value=-7)
    bind(tv, block, "st_flag", "in", flag)
    bind(tv, block, "st_next_place", "out", found)
    tv.position("cells", 5, 1, -3)
    if tv.impl.backend.name != "cpu":
        with pytest.raises(bridge.ArgumentError, match="position_i.* which stNextPlace reads"):
            tv.run("cells", "stNextPlace")
        return
    tv.run("cells", "stNextPlace")
    i, _, k = np.indices(block.extent)
    wanted = 1 + 100 * (i + 5 + 1) + (k - 3 - 1)
    np.testing.assert_array_equal(block.at(found), wanted)
    found[...] = -7
    tv.run("cells", "stNextPlace", box=[8, 11, 1, 3, 2, 3])
    np.testing.assert_array_equal(block.at(found)[7:11, :, 1:3], wanted[7:11, :, 1:3])


def test_a_reduction_of_what_another_set_holds(tv: TVProperties) -> None:
    cells = Block((12, 4, 3))
    p = cells.array()
    bind(tv, cells, "st_p", "in", p)
    tv.bind_array("part", "st_px", "out", np.zeros((4, 4, 3), order="F"))
    tv.bind_from("part", "st_p", "cells", shift=[3, 0, 0])
    assert tv.reduce("part", "st_p", "max") == cells.at(p)[3:7].max()
    value, (i, j, k, _) = tv.reduce("part", "st_p", "minloc")
    assert value == cells.at(p)[3:7].min() == cells.at(p)[3:7][i - 1, j - 1, k - 1]


@pytest.mark.parametrize(
    "asked", [{"composite": "stGradient"}, {"composite": "stSmoothed"}, {"outputs": ["st_lap"]}]
)
def test_states_have_no_neighbours(
    asked: dict[str, str], stencils_built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = stencils_built
    monkeypatch.setenv("BRIDGE_PACKS", str(folder))
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    with pytest.raises(bridge.ArgumentError, match=r"read neighbours \(st"):
        bridge.evaluate(inputs={"st_p": np.ones(4)}, **asked)  # type: ignore[arg-type]
