"""Sets without points: an axis ends before it begins, anywhere, as a loop of no rounds does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks.arena import SIZES, Arena

import bridge
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

SHAPE = (12, 7, 6)
#: Start and end of an axis.
NOWHERE = [(13, 12), (5, 1), (1, -3), (90, 7), (-4, -5)]
INTERIOR: dict[str, Any] = dict(SptX=3, EptX=10, SptY=3, EptY=5, SptZ=3, EptZ=4)


def without(axis: str, start: int, end: int) -> dict[str, Any]:
    return INTERIOR | {f"Spt{axis}": start, f"Ept{axis}": end}


def field(columns: int = 1, seed: int = 1) -> np.ndarray:
    numbers = np.random.default_rng(seed).normal(size=(*SHAPE, columns))
    return np.asfortranarray(numbers[..., 0] if columns == 1 else numbers)


def bind(tv: TVProperties, arrays: dict[str, tuple[str, np.ndarray]], **bounds: Any) -> None:
    for name, (intent, array) in arrays.items():
        tv.bind_array("cells", name, intent, array, **bounds)


def stencils() -> dict[str, tuple[str, np.ndarray]]:
    return {
        "st_p": ("in", field()), "st_rhs": ("in", field(3)), "st_u": ("inout", field(3, 2)),
        "st_a": ("out", field(seed=3)), "st_lap": ("out", field(seed=4)),
        "st_c": ("out", field(seed=5)),
    }  # fmt: skip


@pytest.mark.parametrize("axis", "XYZ")
@pytest.mark.parametrize("start, end", NOWHERE)
def test_everything_does_nothing(
    tv: TVProperties, tmp_path: Path, axis: str, start: int, end: int
) -> None:
    arrays = stencils()
    before = {name: array.copy(order="F") for name, (_, array) in arrays.items()}
    bind(tv, arrays, **without(axis, start, end))
    for what in ("stRoot", "stLaplacian", "stSmoothed", "stUpdate"):
        assert tv.run("cells", what) == 0
        tv.run_begin("cells", what)
        assert tv.wait("cells") == 0
        for box in ((1, 0, 1, 3, 1, 2), (5, 2, 99, 99, -7, -7)):
            assert tv.run("cells", what, box=box) == 0
        tv.compare_begin("cells", what)
        assert tv.compare("cells", what) == 0.0
        tv.record("cells", what, str(tmp_path / what))
    runs = tv._bound.set_of("cells").runs.values()
    assert runs and not any(run.launchers for run in runs), "nothing was made to be launched"
    for reduce in (tv.reduce, tv.allreduce):
        assert reduce("cells", "st_u", "sum") == 0.0
        assert reduce("cells", "st_p", "l2") == 0.0 and reduce("cells", "st_p", "count") == 0
        assert reduce("cells", "st_p", "min") == np.inf
        assert reduce("cells", "st_u", "max", "each") == 3 * [-np.inf]
        assert reduce("cells", "st_p", "any") is False
    assert tv.reduce("cells", "st_p", "minloc") == (np.inf, None)
    for path in tv.record_write():
        with np.load(path) as kept:
            assert kept["points"] == 0 and kept["calls"] == 1
    for name, (_, array) in arrays.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize("start, end", NOWHERE)
def test_colours_and_sweeps(ordered: TVProperties, start: int, end: int) -> None:
    arrays = {name: ("inout", field()) for name in ("od_p", "od_r")} | {"od_f": ("in", field())}
    before = {name: array.copy(order="F") for name, (_, array) in arrays.items()}
    for axis in "XYZ":
        bind(ordered, arrays, **without(axis, start, end))
        for kernel in ("odRedBlack", "odPenta", "odClosed"):
            assert ordered.run("cells", kernel) == 0
        assert ordered.run("cells", "odRedBlack", colour=2) == 0
        assert ordered.run("cells", "odRedBlack", (3, 1, 1, 3, 1, 2), 1) == 0
        ordered.compare_begin_sets(["cells"], ["odPenta"], 0.5)
        assert ordered.compare("cells", "odPenta") == 0.0
    for name, (_, array) in arrays.items():
        np.testing.assert_array_equal(array, before[name])


def test_a_set_that_others_have_points_beside(tv: TVProperties) -> None:
    """One of several sets that follow each other, and one that reads another one's array."""
    arrays = stencils()
    p, u = arrays["st_p"][1], arrays["st_u"][1]
    tv.bind_array("all", "st_rhs", "in", arrays["st_rhs"][1])
    tv.bind_array("all", "st_u", "inout", u)
    bind(tv, arrays, **without("Y", 9, 2))
    expected = u + 0.125 * arrays["st_rhs"][1]
    tv.compare_begin_sets(["cells", "all"], ["stUpdate", "stUpdate"])
    u[...] = expected
    assert tv.compare("cells", "stUpdate") == 0.0 and tv.compare("all", "stUpdate") < 1e-14
    tv.bind_array("faces", "st_c", "out", arrays["st_c"][1], **without("X", 40, 2))
    tv.bind_from("faces", "st_p", "cells", (-30, 2, 90))
    assert tv.run("faces", "stSmoothed") == 0
    bind(tv, {"st_p": ("in", p), "st_a": ("out", arrays["st_a"][1])}, **INTERIOR)
    with pytest.raises(bridge.ArgumentError, match=r"an interior of \(8, 0, 2\) points"):
        tv.run("cells", "stRoot")


def test_blocks_of_which_some_have_no_points(tv: TVProperties) -> None:
    """Whose axes end anywhere before they begin; their components are not looked at either."""
    p, a = Arena(SIZES), Arena(SIZES, value=-7.0)
    every = a.bounds().astype(np.int64)
    for number, (start, end) in enumerate(NOWHERE):
        every[number, 3 + 2 * (number % 3) : 5 + 2 * (number % 3)] = start, end
    some = [n for n in range(len(NOWHERE), len(SIZES)) if min(SIZES[n]) > 0]
    for arena, name, intent in ((p, "st_p", "in"), (a, "st_a", "out")):
        tv.bind_blocks("blocks", name, intent, arena.memory, every, arena.offsets)
    tv.run("blocks", "stRoot")
    for number in range(len(SIZES)):
        values = a.at(number)
        wanted = np.sqrt(1.0 + p.at(number) ** 2) if number in some else np.full_like(values, -7.0)
        np.testing.assert_allclose(values, wanted, rtol=1e-15)
    sums = [p.at(number).sum() for number in some]
    assert tv.reduce("blocks", "st_p", "sum") == pytest.approx(sum(sums), rel=1e-12)


def test_nobody_asks_where_no_points_begin(tv: TVProperties) -> None:
    """Arrays that would begin at different positions: with points the run would be refused."""
    place = field()
    tv.bind_array("cells", "st_p", "in", field(), **without("X", 13, 12))
    tv.bind_array("cells", "st_place", "out", place, **without("X", 5, 1))
    assert tv.run("cells", "stPlace") == 0
    tv.bind_array("cells", "st_p", "in", field(), **without("X", 3, 3))
    tv.bind_array("cells", "st_place", "out", place, **without("X", 5, 5))
    with pytest.raises(bridge.StateError, match="position_i on set 'cells' is ambiguous"):
        tv.run("cells", "stPlace")


def test_arrays_that_stay_on_the_device(tv: TVProperties) -> None:
    """Bound without points for a while they are there as before, and boxes of them move."""
    p, a = field(), field(seed=3)
    bind(tv, {"st_p": ("in", p), "st_a": ("out", a)}, **INTERIOR)
    for name in ("st_p", "st_a"):
        tv.enter_data("cells", name, "copyin")
    tv.run("cells", "stRoot")
    bind(tv, {"st_p": ("in", p), "st_a": ("out", a)}, **without("X", 6, 1))
    tv.run("cells", "stRoot")
    buffer = np.full(4, -7.0)
    tv.pack("cells", "st_a", [[5, 1, 1, 1, 1, 1], [9, 2, -90, 90, 7, 7]], buffer)
    assert (buffer == -7.0).all()
    tv.update_device("cells", "st_p", [4, 2, 1, 1, 1, 1])
    tv.exit_data("cells", "st_a", "copyout")
    inside = (slice(2, 10), slice(2, 5), slice(2, 4))
    np.testing.assert_allclose(a[inside], np.sqrt(1.0 + p[inside] ** 2), rtol=1e-15)
    tv.exit_data("cells", "st_p", "delete")
    bind(tv, {"st_p": ("in", p), "st_a": ("out", a)}, **INTERIOR)
    for name in ("st_p", "st_a"):
        with pytest.raises(bridge.StateError, match="is not resident"):
            tv.update_host("cells", name)


def test_the_log_and_the_report_say_so(
    tv: TVProperties, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ends that are mixed up give no points as a loop of no rounds does: once for a set, and not
    of the usual ends of empty loops."""
    from bridge import report

    arrays = stencils()
    for start, end in ((5, 4), (5, 1), (6, 1)):
        bind(tv, arrays, **without("Z", start, end))
        tv.run("cells", "stRoot")
    told = [line for line in capsys.readouterr().out.splitlines() if "no points" in line]
    assert told == [
        "bridge: rank 0: 'st_p' of set 'cells' has SptZ = 5, EptZ = 1: no points, and runs do "
        "nothing there"
    ]
    part = report.of_rank(tv.impl.timers, tv)
    text = "\n".join(report.blocks([part, part], {}, tv, 1e-9))
    assert "runs without points: stRoot on set 'cells': 6" in text
