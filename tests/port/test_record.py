"""Recordings of inputs: ranges, samples with neighbours, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks.arena import Arena
from port.beside import EXTENT, Loops

import bridge
from bridge.bound.recordings import SAMPLES
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")


def recorded(tv: TVProperties) -> dict[str, Any]:
    [path] = tv.record_write()
    assert path.name == "states.0.npz"
    with np.load(path) as file:
        return dict(file)


def test_states_and_ranges(tv: TVProperties, tmp_path: Path) -> None:
    """Several calls: each sampled state is that of its call and place, its neighbours too."""
    loops = Loops()
    loops.mask[:, :2] = 0
    loops.u[7, 7, 2, 0] = np.nan
    loops.bind(tv, masked=True)
    seen: list[Loops] = []
    for _ in range(3):
        tv.record("cells", "bsStep", str(tmp_path / "states.npz"))
        seen.append(loops)
        held = Loops()
        held.u[...], held.q[...] = loops.u, loops.q
        seen[-1] = held
        loops.step()
        loops.u[...] *= 1.25
    found = recorded(tv)
    points = EXTENT[0] * (EXTENT[1] - 2) * EXTENT[2]
    assert (found["calls"], found["points"]) == (3, 3 * points)
    assert (found["composite"], found["set"]) == ("bsStep", "cells")
    assert {*found["outputs"]} == {"bs_q", "bs_r", "bs_flag"}
    inputs = {name for name in found if name.startswith("input/")}
    assert inputs == {"input/bs_u", "input/bs_q"}  # no mask, no constant
    assert found["constant/bs_dt"] == [0.25]
    offsets = [tuple(one) for one in found["offsets/bs_u"]]
    assert sorted(offsets) == sorted((i, j, 0) for i in (-1, 0, 1) for j in (0, 1))
    place, u, q = found["place"], found["input/bs_u"], found["input/bs_q"]
    assert place.shape == (SAMPLES, 5) and len({tuple(one) for one in place}) == SAMPLES
    assert u.shape == (SAMPLES, 6, 2) and q.shape == (SAMPLES, 1)
    for row, (call, i, j, k, block) in enumerate(place):
        then, x, y, z = seen[call - 1], i - 11, j - 1, k - 1
        assert block == 0 and y >= 2
        np.testing.assert_array_equal(q[row, 0], 1000.0 * then.q[x, y, z])
        for number, (a, b, _) in enumerate(offsets):
            np.testing.assert_array_equal(u[row, number], then.around(a, b)[x, y, z])
    for call in (1, 2, 3):
        assert 100 < (place[:, 0] == call).sum() < 250  # all calls as likely
    inside = np.stack([one.around(0, 0)[:, 2:] for one in seen])
    np.testing.assert_array_equal(found["range/bs_u"][:, 0], np.nanmin(inside, axis=(0, 1, 2, 3)))
    np.testing.assert_array_equal(found["range/bs_u"][:, 1], np.nanmax(inside, axis=(0, 1, 2, 3)))
    assert found["nan/bs_u"].tolist() == [3, 0]
    assert found["range/bs_q"].shape == (1, 2)
    nans = sum(int(np.isnan(one.q[:, 2:]).sum()) for one in seen)
    assert found["nan/bs_q"].tolist() == [nans] and nans > 0


def test_the_same_sample_in_parts(tv: TVProperties, tmp_path: Path) -> None:
    """As two ranks have it: the states of both together hold those of the whole."""
    loops = Loops((13, 40, 5))
    loops.bind(tv, "whole")
    tv.bind_array("low", "bs_q", "inout", loops.q, EptY=17, scale=1000.0)
    tv.bind_array("high", "bs_q", "inout", loops.q, SptY=18, scale=1000.0)
    for part, first, last in (("low", 1, 17), ("high", 18, 40)):
        tv.bind_array(part, "bs_u", "in", loops.u, 3, 15, first + 1, last + 1)
        tv.position(part, 11, first, 1)
    for part in ("whole", "low", "high"):
        tv.record(part, "bsStep", str(tmp_path / part))
    states: dict[str, set[tuple[float, ...]]] = {}
    for path in tv.record_write():
        with np.load(path) as file:
            name = path.name.partition(".")[0]
            states[name] = {tuple(one) for one in np.hstack([file["place"], file["input/bs_q"]])}
    assert len(states["whole"]) == SAMPLES
    assert states["whole"] <= states["low"] | states["high"]


def test_kernels_of_positions_stages_and_few_points(tv: TVProperties, tmp_path: Path) -> None:
    loops = Loops((3, 2, 1))
    loops.bind(tv)
    tv.record("cells", "bsForce", str(tmp_path / "states"))
    found = recorded(tv)
    assert found["input/position_i"].dtype == np.int32
    assert sorted(found["input/position_i"][:, 0]) == [11, 11, 12, 12, 13, 13]
    np.testing.assert_array_equal(found["input/position_i"][:, 0], found["place"][:, 1])
    assert found["offsets/bs_u"].tolist() == [[-1, 0, 0], [0, 0, 0]]
    assert found["range/position_i"].tolist() == [[11.0, 13.0]]
    tv.record("cells", "bsForce", str(tmp_path / "states"))
    assert recorded(tv)["place"].shape == (12, 5)


def test_blocks(stencils_tv: TVProperties, tmp_path: Path) -> None:
    tv = stencils_tv
    sizes = [(4, 3, 2), (0, 4, 4), (5, 1, 3)]
    p, lap = Arena(sizes), Arena(sizes, value=-7.0)
    p.bind(tv, "st_p", "in")
    lap.bind(tv, "st_lap", "out")
    tv.record("blocks", "stLaplacian", str(tmp_path / "states"))
    found = recorded(tv)
    assert found["points"] == 39 and {*found["place"][:, 4]} == {1, 3}
    own = found["offsets/st_p"].tolist().index([0, 0, 0])
    np.testing.assert_array_equal(np.sort(found["input/st_p"][:, own, 0]), np.sort(p.all()[:, 0]))


def test_files_are_written_at_the_end(frame: bridge.Frame, tmp_path: Path) -> None:
    frame.initialize(0, 64, 0, 5)
    tv, loops = frame.tvproperties, Loops()
    loops.bind(tv)
    file = tmp_path / "states.npz"
    tv.record("cells", "bsStep", str(file))
    assert not list(tmp_path.iterdir())
    frame.finalize()
    assert [one.name for one in tmp_path.iterdir()] == ["states.0.npz"]
    frame.initialize(0, 64, 0, 5)
    assert frame.tvproperties.record_write() == []


def test_a_file_that_cannot_be_written(
    frame: bridge.Frame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other recordings are written; at the end it is a warning."""
    frame.initialize(0, 64, 0, 5)
    tv = frame.tvproperties
    Loops().bind(tv)
    tv.record("cells", "bsStep", str(tmp_path / "full"))
    tv.record("cells", "bsForce", str(tmp_path / "states"))
    (tmp_path / "full.0.npz").symlink_to("/dev/full")
    why = "full.0.npz', wanted a place to write (No space left on device)"
    with pytest.raises(bridge.ArgumentError) as refused:
        tv.record_write()
    assert why in str(refused.value) and (tmp_path / "states.0.npz").is_file()
    frame.finalize()
    assert f"{why}; the recording is lost" in capsys.readouterr().out


def test_refusals(tv: TVProperties, tmp_path: Path) -> None:
    loops, file = Loops(), str(tmp_path / "states")
    loops.bind(tv)
    for wrong in ("", str(tmp_path / "missing" / "states")):
        with pytest.raises(bridge.ArgumentError, match="file: got .* a folder that exists"):
            tv.record("cells", "bsStep", wrong)
    tv.record("cells", "bsStep", file)
    with pytest.raises(bridge.ArgumentError, match="file.*holds bsStep of set 'cells'"):
        tv.record("cells", "bsForce", file)
    with pytest.raises(bridge.ArgumentError, match="'.*states2' for bsStep.*states' in the calls"):
        tv.record("cells", "bsStep", file + "2")
    tv.bind_array("cells", "bs_dt", "in", np.ones(EXTENT, order="F"))
    with pytest.raises(bridge.StateError, match="inputs are bs_u .2., bs_q .1., bs_dt .1. and"):
        tv.record("cells", "bsStep", file)
    tv.bind_array("bare", "bs_q", "inout", np.ones(EXTENT, order="F"))
    tv.bind_array("bare", "bs_u", "in", np.zeros((*EXTENT, 2), order="F"))
    with pytest.raises(bridge.ArgumentError, match="bs_u: got 0 layers of points below x"):
        tv.record("bare", "bsStep", str(tmp_path / "other"))
    assert [one.name for one in tv.record_write()] == ["states.0.npz"]
    tv.run_begin("cells", "bsUpdate")
    with pytest.raises(bridge.StateError, match="frame_record of bsStep came while"):
        tv.record("cells", "bsStep", file)
    tv.wait("cells")
