"""Status words of runs: counted by bit, bound or not, and what a policy does about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from unit.blocks import FRINGES, INTERIOR, POINTS, SHAPE, SPECIES, block

from bridge import log
from bridge.bound import statuscounts
from bridge.bound.statuscounts import BITS, names_of, summary
from bridge.errors import ArgumentError, PointsError, StateError
from bridge.frame import Frame
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

Make = Callable[..., Any]
COMPOSITE = "eosThermalProperties"
BAD_T, BAD_P, BAD_Y = 1, 2, 4


def bad_block() -> np.ndarray:
    """Q with two bad temperatures, a bad pressure, a point with three wrong inputs, and bad points
    in the fringe, which is NaN."""
    Q, *_ = block()
    inside = Q[INTERIOR]
    inside[1, 0, 0, 4] = -5.0
    inside[4, 3, 2, 4] = np.nan
    inside[2, 1, 1, 0] = -1.0
    inside[3, 1, 1, [0, 4, 5]] = np.nan
    return Q


WANTED = {"BAD_T": 3, "BAD_P": 2, "BAD_Y": 1}


def bound(make: Make, Q: np.ndarray, chunk: int = 13, **settings: Any) -> TVProperties:
    tv: TVProperties = make(chunk, stability="off", **settings).tvproperties
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "rho", "out", np.zeros(SHAPE, order="F"), **FRINGES)
    return tv


def fatal(counts: dict[str, int]) -> dict[str, int]:
    return {name: counts[name] for name in ("BAD_T", "BAD_P", "BAD_Y") if name in counts}


def test_words_that_are_bound(make_frame: Make) -> None:
    tv, status = bound(make_frame, bad_block()), np.zeros(SHAPE, np.int32, order="F")
    tv.bind_array("cells", "status", "out", status, **FRINGES)
    tv.run("cells", COMPOSITE)
    counts = tv.status_counts("cells")
    assert fatal(counts) == WANTED
    words = status[INTERIOR]
    assert tv.status_bits("cells").tolist() == [
        int((words.view(np.uint32) >> bit & 1).sum()) for bit in range(BITS)
    ]
    status[INTERIOR] = -1  # what lies there now
    assert tv.status_bits("cells").tolist() == [POINTS] * BITS


@pytest.mark.parametrize("chunk", [13, 100])
def test_words_that_are_not_bound(make_frame: Make, chunk: int) -> None:
    """In several chunks and in one, which is repeated without a new look."""
    Q = bad_block()
    tv = bound(make_frame, Q, chunk, status_counts="true")
    tv.run("cells", COMPOSITE)
    assert fatal(tv.status_counts("cells")) == WANTED
    Q[INTERIOR][1, 0, 0, 4] = 300.0
    for _ in range(2):  # a run that is made once more
        tv.run("cells", COMPOSITE)
        assert fatal(tv.status_counts("cells")) == {**WANTED, "BAD_T": 2}
    tv.run_begin("cells", COMPOSITE)
    with pytest.raises(StateError, match="frame_status_counts came while"):
        tv.status_counts("cells")
    tv.wait("cells")
    [total] = tv.met().values()
    assert (total.runs, total.points) == (4, 4 * POINTS)
    assert total.bits[:3].tolist() == [9, 8, 4]


def test_results_are_the_same_counted_or_not(make_frame: Make) -> None:
    results = []
    for counted in ("false", "true"):
        tv = bound(make_frame, bad_block(), status_counts=counted)
        rho = np.zeros(SHAPE, order="F")
        tv.bind_array("cells", "rho", "out", rho, **FRINGES)
        tv.run("cells", COMPOSITE)
        results.append(rho.tobytes())
        tv.unbind("cells", "*")
    assert results[0] == results[1]


def test_points_that_do_not_count(make_frame: Make) -> None:
    Q, mask = bad_block(), np.ones(SHAPE, np.int32, order="F")
    mask[INTERIOR][1, 0, 0] = mask[INTERIOR][2, 1, 1] = 0
    tv = bound(make_frame, Q, status_counts=True)
    tv.bind_array("cells", "iblank", "in", mask, **FRINGES)
    tv.run("cells", COMPOSITE)
    assert fatal(tv.status_counts("cells")) == {"BAD_T": 2, "BAD_P": 1, "BAD_Y": 1}
    [total] = tv.met().values()
    assert total.points == POINTS - 2
    assert all("j 2, k 1" not in line for line in tv.status_points("cells"))


def test_many_blocks(make_frame: Make) -> None:
    """Two blocks of 3 and 2 points in one memory."""
    tv = make_frame(13, status_counts="1").tvproperties
    ns = len(SPECIES)
    values = {"P": np.full(5, 1e7), "T": np.full(5, 300.0), "Y": np.full(5 * ns, 1.0 / ns)}
    values["T"][4] = -1.0
    for name, data in values.items():
        columns = ns if name == "Y" else 1
        bounds = [[n, 1, 1, 1, n, 1, 1, 1, 1, 1, columns, columns] for n in (3, 2)]
        tv.bind_blocks("cells", name, "in", data, bounds, [0, 3 * columns])
    bounds = [[n, 1, 1, 1, n, 1, 1, 1, 1, 1, 1, 1] for n in (3, 2)]
    tv.bind_blocks("cells", "rho", "out", np.zeros(5), bounds, [0, 3])
    tv.run("cells", COMPOSITE)
    assert fatal(tv.status_counts("cells")) == {"BAD_T": 1}
    [line] = tv.status_points("cells", BAD_T)
    assert line.startswith("i 2, j 1, k 1 of block 2: BAD_T") and "T = -1" in line


def test_an_empty_block(make_frame: Make) -> None:
    tv = make_frame(13, status_counts="1").tvproperties
    empty = dict(SptX=1, EptX=0)
    tv.bind_array("cells", "Q", "in", np.zeros((1, 1, 1, 8), order="F"), **empty)
    tv.bind_array("cells", "rho", "out", np.zeros((1, 1, 1), order="F"), **empty)
    tv.run("cells", COMPOSITE)
    assert tv.status_counts("cells") == {}


def test_the_first_points(make_frame: Make) -> None:
    tv = bound(make_frame, bad_block(), status_counts="1")
    tv.run("cells", COMPOSITE)
    lines = tv.status_points("cells")
    where = [line.partition(":")[0] for line in lines]
    assert where == [
        *("i 4, j 2, k 1", "i 5, j 3, k 2", "i 6, j 3, k 2", "i 7, j 5, k 3"),
    ]
    assert "BAD_T" in lines[0] and "T = -5" in lines[0] and "P = " in lines[0]
    assert "BAD_P" in lines[1] and "P = -1" in lines[1]
    assert len(tv.status_points("cells", most=2)) == 2
    assert len(tv.status_points("cells", BAD_Y)) == 1
    with pytest.raises(ArgumentError, match="most"):
        tv.status_points("cells", most=0)


def test_scales_are_in_what_is_shown(make_frame: Make) -> None:
    tv = bound(make_frame, bad_block())
    T = np.full(SHAPE, 0.3, order="F")
    T[INTERIOR][0, 0, 0] = -0.002
    tv.bind_array("cells", "T", "in", T, scale=1000.0, **FRINGES)
    tv.bind_array("cells", "status", "out", np.zeros(SHAPE, np.int32, order="F"), **FRINGES)
    tv.run("cells", COMPOSITE)
    assert "T = -2, " in f"{tv.status_points('cells', BAD_T)[0]}, "


def test_a_run_that_stops(make_frame: Make) -> None:
    Q = bad_block()
    tv = bound(make_frame, Q, status_policy="stop")
    rho = np.zeros(SHAPE, order="F")
    tv.bind_array("cells", "rho", "out", rho, **FRINGES)
    with pytest.raises(PointsError) as raised:
        tv.run("cells", COMPOSITE)
    told = str(raised.value)
    assert f"of {POINTS} points " in told and "3 BAD_T" in told
    assert "i 4, j 2, k 1: BAD_T" in told and "T = -5" in told
    assert np.isfinite(rho[INTERIOR]).sum() == POINTS - 4  # results are there
    tv.status_policy("continue")
    tv.run("cells", COMPOSITE)
    tv.status_policy("stop")
    with pytest.raises(PointsError):
        tv.run("cells", COMPOSITE)
    Q[INTERIOR] = block()[0][INTERIOR]
    tv.run("cells", COMPOSITE)


def test_bits_that_stop(make_frame: Make) -> None:
    Q, *_ = block()
    Q[INTERIOR][0, 0, 0, 5:] *= 1.5  # valid: Y_RENORM
    tv = bound(make_frame, Q, status_policy="stop")
    tv.run("cells", COMPOSITE)
    tv.unbind("cells", "*")  # a GPU locks the pages of an array once
    tv = bound(make_frame, Q, status_policy="stop", status_bits="BAD_T y_renorm")
    with pytest.raises(PointsError, match="1 Y_RENORM"):
        tv.run("cells", COMPOSITE)


def test_an_enthalpy_that_no_temperature_has_is_told_and_stops_where_it_is_named(
    make_frame: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An iteration of the host may pass there: `stop` alone lets it."""
    shape, ns, lines = (3, 1, 1), len(SPECIES), list[str]()
    monkeypatch.setattr(log, "say", lines.append)
    h = np.array([1e5, 1e9, -1e9]).reshape(shape, order="F")
    names = "BAD_T h_above"
    for settings in (
        {},
        {"status_policy": "stop"},
        {"status_policy": "stop", "status_bits": names},
    ):
        tv: TVProperties = make_frame(
            13, stability="off", status_counts="1", **settings
        ).tvproperties
        lines.clear()
        for name, value in {"P": np.full(shape, 1e7), "h_target": h}.items():
            tv.bind_array("cells", name, "in", value)
        tv.bind_array("cells", "Y", "in", np.full((*shape, ns), 1.0 / ns, order="F"))
        tv.bind_array("cells", "T", "out", np.zeros(shape, order="F"))
        if "status_bits" in settings:
            with pytest.raises(PointsError, match=r"1 H_ABOVE.*; i 2, j 1, k 1: .*H_ABOVE"):
                tv.run("cells", "prEOSCalcTFromHP")
        else:
            tv.run("cells", "prEOSCalcTFromHP")
            [line] = lines
            assert "of 3 points" in line and "1 H_BELOW, 1 H_ABOVE" in line
            assert [point[:3] for point in tv.status_points("cells")] == ["i 2", "i 3"]
        tv.unbind("cells", "*")  # a GPU locks the pages of an array once


def test_a_line_at_most_in_an_interval(make_frame: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    now, lines = 1000.0, list[str]()
    monkeypatch.setattr(statuscounts, "monotonic", lambda: now)
    monkeypatch.setattr(log, "say", lines.append)
    tv = bound(make_frame, bad_block(), status_counts="1", status_interval=10)
    lines.clear()
    for seconds in (0, 1, 2, 11):
        now = 1000.0 + seconds
        tv.run("cells", COMPOSITE)
    assert len(lines) == 2
    assert all(line.startswith(f"rank 0: run of {COMPOSITE} on set 'cells'") for line in lines)
    assert lines[1].endswith("(2 more runs since the last line)")
    lines.clear()
    tv._bound.status.close()
    [line] = lines
    assert f"4 runs, of {4 * POINTS} points" in line and "12 BAD_T" in line


def test_what_is_not_counted(make_frame: Make) -> None:
    tv = bound(make_frame, bad_block())
    tv.run("cells", COMPOSITE)
    assert tv._bound.status.totals == {}
    with pytest.raises(StateError, match="bind 'status', or"):
        tv.status_counts("cells")
    with pytest.raises(StateError, match="bind 'status', or"):
        tv.status_points("cells")
    with pytest.raises(ArgumentError, match="continue, stop"):
        tv.status_policy("halt")
    for key, value in (("status_bits", "BAD_X"), ("status_bits", "32"), ("status_interval", "-1")):
        with pytest.raises(ArgumentError, match=key):
            Frame().set(key, value)


def test_unbound_sets_are_forgotten(make_frame: Make) -> None:
    """A set of the same name with more points: memory of its own."""
    tv = bound(make_frame, bad_block(), status_counts="1")
    tv.run("cells", COMPOSITE)
    tv.unbind("cells", "*")
    whole = np.tile(block()[0][INTERIOR], (2, 2, 1, 1))
    tv.bind_array("cells", "Q", "in", np.asfortranarray(whole))
    tv.bind_array("cells", "rho", "out", np.zeros(whole.shape[:3], order="F"))
    tv.run("cells", COMPOSITE)
    assert fatal(tv.status_counts("cells")) == {}
    assert [total.points for total in tv.met().values()] == [5 * POINTS]


def test_names_and_sums() -> None:
    assert names_of(-1).split()[0] == "BAD_T" and names_of(-1).endswith("bit 31")
    one = statuscounts.Counted()
    one.add(10, np.eye(BITS, dtype=np.int64)[0] * 3)
    assert summary([{("cells", "a"): one}, {("cells", "a"): one}]) == [
        "status of a on set 'cells': 2 runs, of 20 points 6 BAD_T"
    ]
    assert summary([{}]) == []
