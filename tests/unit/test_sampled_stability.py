"""Mixtures that would split: told though nobody asked, by points of the 1st, 2nd, 4th ... run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from unit.blocks import FRINGES, INTERIOR, SHAPE

import bridge
from bridge import log
from bridge.bound import stability
from bridge.bound.stability import Looked, summary
from bridge.errors import ArgumentError
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend")

Make = Callable[..., Any]
COMPOSITE = "prEOSThermalProperties"
MIXTURE = ("N2", "C12H26")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(log, "say", lines.append)
    return lines


def states(n: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T, P, Y of nitrogen and dodecane: some split."""
    rng = np.random.default_rng(seed)
    Y = rng.uniform(0.05, 0.95, n)
    return rng.uniform(350, 900, n), rng.uniform(2e6, 8e6, n), np.column_stack([Y, 1 - Y])


def splits(T: Any, P: Any, Y: Any) -> np.ndarray:
    found = bridge.evaluate(
        list(MIXTURE), T, P, Y=Y, outputs=["tpd"], backend="cpu", stability="off"
    )
    return np.asarray(found["tpd"]) < -1e-9


def bound(make: Make, T: Any, P: Any, Y: Any, set: str = "cells", **settings: Any) -> TVProperties:
    tv: TVProperties = make(64, species=MIXTURE, **settings).tvproperties
    for name, array in (("T", T), ("P", P), ("Y", Y)):
        tv.bind_array(set, name, "in", np.asfortranarray(array))
    tv.bind_array(set, "rho", "out", np.zeros(T.shape, order="F"))
    return tv


def seen(tv: TVProperties, set: str = "cells", composite: str = COMPOSITE) -> Looked:
    return tv.stability()[set, composite]


def test_share_and_first_state(make_frame: Make, said: list[str]) -> None:
    T, P, Y = states(200)
    wanted = splits(T, P, Y)
    assert 10 < wanted.sum() < 190
    shape = (10, 5, 4)
    T, P = (one.reshape(shape, order="F") for one in (T, P))
    tv = bound(make_frame, T, P, Y.reshape((*shape, 2), order="F"))
    said.clear()
    for _ in range(9):
        tv.run("cells", COMPOSITE)
    [line] = said
    i, j, k = np.unravel_index(np.flatnonzero(wanted)[0], shape, order="F")
    assert line.startswith(f"rank 0: run 1 of {COMPOSITE} on set 'cells': of 200 points")
    assert f"{wanted.sum()} ({wanted.mean():.3g} of them) would split" in line
    state = f"i {i + 1}, j {j + 1}, k {k + 1}: T = {T[i, j, k]:.10g}, P = {P[i, j, k]:.10g}, Y = "
    assert state in line
    found = seen(tv)
    assert (found.runs, found.looks) == (9, 4)
    assert (found.points, found.split) == (800, 4 * wanted.sum())
    [line] = summary([tv.stability(), tv.stability()])
    assert f"18 runs, 8 of them looked at: of 1600 points {8 * wanted.sum()}" in line
    assert f"first of rank 0, run 1: {state}" in line


def test_powers_of_two(make_frame: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that are not looked at are repeated as they were."""
    T, P, Y = states(20)
    tv = bound(make_frame, T, P, Y)
    looks: list[int] = []
    look = stability.Stability._look

    def counted(self: Any, point_set: Any, composite: str, run: int, launchers: Any) -> None:
        looks.append(run)
        look(self, point_set, composite, run, launchers)

    monkeypatch.setattr(stability.Stability, "_look", counted)
    for number in range(40):
        tv.run("cells", COMPOSITE) if number % 3 else _begun(tv)
    assert looks == [1, 2, 4, 8, 16, 32]
    assert seen(tv).runs == 40
    assert tv._bound.set_of("cells").runs[COMPOSITE, None, None].valid()


def _begun(tv: TVProperties) -> None:
    tv.run_begin("cells", COMPOSITE)
    tv.wait("cells")


def test_some_points_or_all(make_frame: Make) -> None:
    T, P, Y = states(3000)
    wanted = splits(T, P, Y)
    tv = bound(make_frame, T, P, Y)
    tv.run("cells", COMPOSITE)
    some = seen(tv)
    assert 200 < some.points <= stability.POINTS
    assert some.split / some.points == pytest.approx(wanted.mean(), abs=0.1)
    tv = bound(make_frame, T.copy(), P.copy(), Y, stability="ALL")
    tv.run("cells", COMPOSITE)
    assert (seen(tv).points, seen(tv).split) == (3000, wanted.sum())


def test_off(make_frame: Make, said: list[str]) -> None:
    tv = bound(make_frame, *states(20), stability="off")
    said.clear()
    tv.run("cells", COMPOSITE)
    assert tv.stability() == {} and said == []
    with pytest.raises(ArgumentError, match="one of off, sampled, all for 'stability'"):
        make_frame(13, stability="on")


def test_blocks_and_mask(make_frame: Make) -> None:
    """A column of Q with a fringe of NaN, and points that do not count."""
    T, P, Y = states(60)
    wanted = splits(T, P, Y)
    Q = np.full((*SHAPE, 7), np.nan, order="F")
    Q[INTERIOR] = np.column_stack([P, np.ones((60, 3)), T, Y]).reshape(5, 4, 3, -1, order="F")
    iblank = np.zeros(SHAPE, np.int32, order="F")
    counts = np.arange(60) % 3 > 0
    iblank[INTERIOR] = counts.reshape(5, 4, 3, order="F")
    tv = make_frame(13, species=MIXTURE).tvproperties
    tv.bind_array("cells", "Q", "in", Q, **FRINGES)
    tv.bind_array("cells", "iblank", "in", iblank, **FRINGES)
    tv.bind_array("cells", "rho", "out", np.zeros(SHAPE, order="F"), **FRINGES)
    tv.run("cells", COMPOSITE)
    found = seen(tv)
    assert (found.points, found.split) == (40, (wanted & counts).sum())
    i, j, k = np.unravel_index(np.flatnonzero(wanted & counts)[0], (5, 4, 3), order="F")
    assert found.first is not None
    assert found.first.state.startswith(f"i {i + 3}, j {j + 2}, k {k + 1}: T = ")


def test_many_blocks_and_boxes(make_frame: Make) -> None:
    T, P, Y = states(24)
    wanted = splits(T, P, Y)
    tv = make_frame(64, species=MIXTURE).tvproperties
    bounds = [(nx, 1, 1, 1, nx, 1, 1, 1, 1, 1, 1, 1) for nx in (4, 20)]
    for name, array in (("T", T), ("P", P)):
        tv.bind_blocks("blocks", name, "in", array, bounds, [0, 4])
    each = [(*one[:10], 2, 2) for one in bounds]
    both = np.concatenate([Y[:4].ravel("F"), Y[4:].ravel("F")])
    tv.bind_blocks("blocks", "Y", "in", both, each, [0, 8])
    tv.bind_blocks("blocks", "rho", "out", np.zeros(24), bounds, [0, 4])
    first = int(np.flatnonzero(wanted)[0])
    block, i = (1, first) if first < 4 else (2, first - 4)
    tv.run("blocks", COMPOSITE)
    found = seen(tv, "blocks")
    assert (found.points, found.split) == (24, wanted.sum())
    assert found.first is not None
    assert found.first.state.startswith(
        f"i {i + 1}, j 1, k 1 of block {block}: T = {T[first]:.10g}"
    )
    tv = bound(make_frame, T.copy(), P.copy(), Y)
    tv.run("cells", COMPOSITE, box=(6, 24, 1, 1, 1, 1))
    found, first = seen(tv), 5 + int(np.flatnonzero(wanted[5:])[0])
    assert (found.points, found.split) == (19, wanted[5:].sum())
    assert found.first is not None
    assert found.first.state.startswith(f"i {first + 1}, j 1, k 1: T = {T[first]:.10g}")


def test_other_units_and_types(make_frame: Make) -> None:
    T, P, Y = states(50)
    tv = make_frame(64, species=MIXTURE).tvproperties
    tv.bind_array("cells", "T", "in", np.float32(T))
    tv.bind_array("cells", "P", "in", P / 1e5, scale=1e5)
    tv.bind_array("cells", "Y", "in", np.asfortranarray(Y))
    tv.bind_array("cells", "rho", "out", np.zeros(50))
    tv.run("cells", COMPOSITE)
    assert seen(tv).split == splits(np.float64(np.float32(T)), P, Y).sum()


def test_a_column_short_and_arrays_that_stay(make_frame: Make) -> None:
    """The last mass fraction is not there; arrays of a device."""
    T, P, Y = states(50)
    Q = np.asfortranarray(np.column_stack([P, np.ones((50, 3)), T, Y[:, :1]]))
    tv = make_frame(64, species=MIXTURE, nq=6, check_residency=True).tvproperties
    tv.bind_array("cells", "Q", "in", Q.reshape(50, 1, 1, 6, order="F"))
    tv.bind_array("cells", "rho", "out", np.zeros((50, 1, 1), order="F"))
    tv.enter_data("cells", "Q", "copyin")
    tv.run("cells", COMPOSITE)
    assert seen(tv).split == splits(T, P, Y).sum()
    first = seen(tv).first
    assert first is not None and f"Y_leading = {Y[splits(T, P, Y)][0, 0]:.10g}" in first.state


def test_temperature_from_enthalpy(make_frame: Make) -> None:
    """T is an output: what the run found is tested."""
    T, P, Y = states(50)
    h = bridge.evaluate(list(MIXTURE), T, P, Y=Y, outputs=["h"], backend="cpu", stability="off")[
        "h"
    ]
    tv = make_frame(64, species=MIXTURE).tvproperties
    found = np.full(50, 300.0)
    tv.bind_array("cells", "h_target", "in", np.asarray(h))
    tv.bind_array("cells", "P", "in", P)
    tv.bind_array("cells", "Y", "in", np.asfortranarray(Y))
    tv.bind_array("cells", "T", "inout", found)
    tv.run("cells", "prEOSCalcTFromHP")
    assert seen(tv, composite="prEOSCalcTFromHP").split == splits(found, P, Y).sum() > 0


def test_what_is_not_tested(make_frame: Make) -> None:
    """One species, and a run that asks itself."""
    T, P, Y = states(20)
    tv = bound(make_frame, T, P, Y)
    tv.bind_array("cells", "tpd", "out", np.zeros(20))
    tv.run("cells", "prEOSPhaseStability")
    assert tv.stability() == {}
    tv = make_frame(64, species=("N2",)).tvproperties
    for name, array in (("T", T), ("P", P), ("Y", np.ones((20, 1), order="F"))):
        tv.bind_array("cells", name, "in", array.copy())
    tv.bind_array("cells", "rho", "out", np.zeros(20))
    tv.run("cells", COMPOSITE)
    assert tv.stability() == {}


def test_a_test_that_fails(
    make_frame: Make, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told once, and runs go on."""

    def fails(*_: Any) -> None:
        raise ValueError("no memory")

    tv = bound(make_frame, *states(20))
    monkeypatch.setattr(stability.Stability, "_tested", fails)
    said.clear()
    for _ in range(4):
        assert tv.run("cells", COMPOSITE) == 1
    [line] = said
    assert line.startswith("rank 0: runs are not looked at any more") and "no memory" in line


def test_report_and_finalize(backend: str, said: list[str], capfd: Any) -> None:
    T, P, Y = states(20)
    with bridge.Frame(64, species=" ".join(MIXTURE), backend=backend) as frame:
        tv = frame.tvproperties
        for name, array in (("T", T), ("P", P), ("Y", np.asfortranarray(Y))):
            tv.bind_array("cells", name, "in", array)
        tv.bind_array("cells", "rho", "out", np.zeros(20))
        tv.run("cells", COMPOSITE)
        frame.report()
        said.clear()
    wanted = splits(T, P, Y).sum()
    line = f"stability of {COMPOSITE} on set 'cells': 1 runs, 1 of them looked at: of 20 points"
    assert f"{line} {wanted} (" in capfd.readouterr().out
    [last] = said
    assert last.startswith(f"rank 0: {line} {wanted} (")
