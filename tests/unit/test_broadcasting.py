"""bridge.evaluate on points of any shape: the same as a loop over the points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.blocks import SPECIES

import bridge
from bridge.evaluation import programs
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

OUTPUTS = ("rho", "cp", "D_im", "nRoots")
W = SpeciesData.load(SPECIES).W


@st.composite
def shapes(draw: Any) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """A shape of points, and four that broadcast to it, the first to all of it."""
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=4)))
    each = [shape]
    for _ in range(3):
        part = tuple(n if draw(st.booleans()) else 1 for n in shape)
        each.append(part[draw(st.integers(0, len(part))) :])
    return shape, draw(st.permutations(each))


def states(each: list[tuple[int, ...]], seed: int) -> dict[str, Any]:
    """T, P, Y, velocity of these shapes; what has no axis is a number."""
    rng = np.random.default_rng(seed)
    T, P, Y, velocity = each
    return {
        "T": rng.uniform(150.0, 900.0, T)[()],
        "P": rng.uniform(1e5, 2e7, P)[()],
        "Y": rng.dirichlet(np.ones(3), Y),
        "velocity": rng.normal(size=(*velocity, 3)),
    }


@given(shapes(), st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=40)
def test_any_shapes_are_a_loop_over_points(
    drawn: tuple[tuple[int, ...], list[tuple[int, ...]]], seed: int, in_place: bool
) -> None:
    shape, each = drawn
    state = states(each, seed)
    outputs = (*OUTPUTS, "h0")
    with pytest.MonkeyPatch.context() as patch:
        if in_place:  # as with many points
            patch.setattr(programs, "POINTS", 0)
            patch.setattr("bridge.evaluation.mixture.capacity", lambda _: 0)
        got = bridge.evaluate(SPECIES, **state, outputs=outputs)
    tails = {"D_im": (3,)}
    assert got.shape == shape
    for name in (*outputs, "status"):
        assert np.shape(got[name]) == shape + tails.get(name, ())
    spread = {
        name: np.broadcast_to(value, shape + ((3,) if name in ("Y", "velocity") else ()))
        for name, value in state.items()
    }
    for at in np.ndindex(shape):
        point: dict[str, Any] = {name: value[at] for name, value in spread.items()}
        one = bridge.evaluate(SPECIES, **point, outputs=outputs)
        for name in (*outputs, "status"):
            np.testing.assert_array_equal(got[name][at], one[name], err_msg=name)


def test_a_grid_of_strides_and_both_ways_of_running() -> None:
    T = np.linspace(900.0, 200.0, 80)[::-2][:, None]
    P = np.linspace(1e5, 2e7, 150)[None, ::3]
    Y = [0.2, 0.3, 0.5]
    got = bridge.evaluate(SPECIES, T, P, Y, OUTPUTS)
    assert got.shape == (40, 50)
    large = bridge.evaluate(SPECIES, T, np.repeat(P, 60, axis=1), Y, OUTPUTS)  # many points
    every, pressures = (x.ravel() for x in np.broadcast_arrays(T, P))
    flat = bridge.evaluate(SPECIES, every, pressures, Y, OUTPUTS)
    for name in (*OUTPUTS, "status"):
        np.testing.assert_array_equal(large[name][:, ::60], got[name], err_msg=name)
        np.testing.assert_array_equal(flat[name].reshape(got[name].shape), got[name])


def test_scalars_give_numbers() -> None:
    got = bridge.evaluate(SPECIES, 300.0, 1e7, [0.2, 0.3, 0.5], OUTPUTS)
    assert isinstance(got.rho, float) and isinstance(got["nRoots"], np.int32)
    assert got.shape == () and got.D_im.shape == (3,)
    solved = bridge.evaluate(SPECIES, None, 1e7, [0.2, 0.3, 0.5], "h", h=got.cp * 10.0)
    assert solved.h == pytest.approx(10.0 * got.cp) and np.ndim(solved["iterations"]) == 0


def test_no_points_of_a_grid() -> None:
    got = bridge.evaluate(SPECIES, np.empty((0, 1)), np.ones((1, 4)), np.ones(3) / 3, OUTPUTS)
    assert got["rho"].shape == (0, 4) and got["D_im"].shape == (0, 4, 3)


# ---- compositions -------------------------------------------------------------------------


def test_mole_fractions_are_mass_fractions() -> None:
    X = np.random.default_rng(1).dirichlet(np.ones(3), (5, 2))
    Y = X * W / (X * W).sum(axis=-1, keepdims=True)
    T = np.linspace(200.0, 500.0, 5)[:, None]
    outputs = ("rho", "X")
    got = bridge.evaluate(SPECIES, T, 1e7, X=X, outputs=outputs)
    want = bridge.evaluate(SPECIES, T, 1e7, Y, outputs)
    np.testing.assert_allclose(got["rho"], want["rho"], rtol=1e-13)
    np.testing.assert_allclose(got["X"], X, rtol=1e-12)


def test_mole_fractions_that_are_none_are_bad() -> None:
    """A sum that is not one is no composition in these words either."""
    for X in ([0.2, 0.3, np.nan], [0.0, 0.0, 0.0]):
        with pytest.warns(bridge.PointsWarning, match="BAD_Y 1"):
            assert bridge.evaluate(SPECIES, 300.0, 1e5, X=X)["status"] & 4
    for sum_ in (0.9, 1.0):
        shares: Any = sum_ * np.array([0.2, 0.3, 0.5])
        words = [
            bridge.evaluate(SPECIES, 500.0, 1e5, **{name: shares})["status"] for name in ("X", "Y")
        ]
        assert words[0] == words[1] == (0 if sum_ == 1.0 else 16)  # Y_RENORM


def test_compositions_by_name() -> None:
    T = np.linspace(200.0, 500.0, 4)
    share = np.linspace(0.1, 0.7, 4)
    got = bridge.evaluate(SPECIES, T, 1e7, {"H2O": 1.0 - share, "O2": share})
    Y = np.zeros((4, 3))
    Y[:, SPECIES.index("O2")], Y[:, SPECIES.index("H2O")] = share, 1.0 - share
    np.testing.assert_array_equal(got["rho"], bridge.evaluate(SPECIES, T, 1e7, Y)["rho"])
    named = bridge.evaluate(SPECIES, T, 1e7, X={"CH4": 1})
    np.testing.assert_array_equal(named["rho"], bridge.evaluate("CH4", T, 1e7)["rho"])


def test_one_species_needs_no_composition() -> None:
    T = np.linspace(200.0, 500.0, 6).reshape(2, 3)
    want = bridge.evaluate("N2", T, 1e6, np.ones((2, 3, 1)))
    for Y in (None, 1.0, [1.0], np.ones((2, 3)), {"N2": 1.0}):
        np.testing.assert_array_equal(bridge.evaluate("N2", T, 1e6, Y)["rho"], want["rho"])
    assert bridge.evaluate("N2", T, 1e6, composite="eosRhohFromTPprop")["rho"].shape == (2, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"Y": None},
            "argument Y: got None, wanted mass fractions, or mole fractions X, of",
        ),
        ({"X": [0.2, 0.3, 0.5]}, "argument X: Y gives the composition too"),
        ({"Y": {"O2": 0.5, "N2": 0.5}}, "argument Y: got 'N2', wanted names of species: O2, CH4"),
        ({"Y": {}}, "argument Y: got a mapping without a name"),
        ({"Y": {"O2": [0.5, 0.5], "CH4": [1, 2, 3]}}, r"argument Y\['CH4'\]: got points of shape"),
        ({"Y": {"O2": "much"}}, r"argument Y\['O2'\]: got str"),
        ({"Y": None, "X": np.ones((2, 2))}, r"argument X: got shape .2, 2., wanted .*3 values"),
        ({"T": np.ones((2, 3)), "P": np.ones((3, 2))}, "argument P: got points of shape .3, 2."),
        ({"velocity": np.ones(4), "outputs": "h0"}, "argument velocity: got shape"),
        ({"P": None}, "argument P: got None, wanted pressures, Pa"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    state: dict[str, Any] = {"T": 300.0, "P": 1e7, "Y": [0.2, 0.3, 0.5]} | change
    with pytest.raises(bridge.ArgumentError, match=message):
        bridge.evaluate(SPECIES, **state)
