"""Targets inside an enthalpy jump: the lever rule of docs/physics.md, section 9."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bridge
from bridge.backends.cpu.single import run_plan
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

pytestmark = pytest.mark.usefixtures("backend")

H_GAP = 256
ADDITIVE = ("rho", "v", "Z", "h", "u", "s", "g", "h0", "rhoh0")
ONE_SIDED = ("cp", "cv", "c", "rho_T", "h_p", "eta", "lambda", "h_Yi")
#: species, P, Y, and temperatures on both sides of the jump
STATES = [
    ("O2", 1e6, [1.0], 119.0, 120.0),
    ("O2 CH4", 1e6, [0.5, 0.5], 138.0, 141.0),
    ("CH4 C12H26", 1e6, [0.5, 0.5], 215.0, 218.0),
]
VELOCITY = (30.0, -4.0, 12.0)


def run(
    species: str,
    T: Any,
    P: float | np.ndarray,
    Y: Any,
    outputs: tuple[Any, ...],
    n: int = 1,
    **named: Any,
) -> dict[str, np.ndarray]:
    Y = np.broadcast_to(np.asarray(Y, float), (n, len(Y)))
    return bridge.evaluate(species, T, P, Y, outputs, **named)


def solve(
    species: str,
    P: float | np.ndarray,
    Y: Any,
    h: Any,
    T0: float | np.ndarray,
    outputs: tuple[Any, ...] = ADDITIVE,
    **named: Any,
) -> dict[str, np.ndarray]:
    h, T0 = np.broadcast_arrays(np.asarray(h, float), np.asarray(T0, float))
    return run(
        species,
        None,
        P,
        Y,
        outputs,
        h=h.copy(),
        T0=T0.copy(),
        n=len(h),
        velocity=VELOCITY,
        **named,
    )


def ends(
    species: str, P: Any, Y: Any, below: float, above: float, outputs: tuple[Any, ...]
) -> tuple[float, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """T of the jump, and both phases there: roots that an option picks, no search involved."""
    h = run(species, [below, above], P, Y, ("h",), n=2)["h"]
    T = solve(species, P, Y, [h.mean()], 300.0)["T"][0]
    return T, *(
        run(species, [T], P, Y, outputs, options={"rootPolicy": policy}, velocity=VELOCITY)
        for policy in ("SMALLEST", "LARGEST")
    )


@pytest.mark.parametrize("state", STATES, ids=lambda state: state[0])
def test_lever_rule_whatever_the_guess(
    state: tuple[str, float, list[float], float, float],
) -> None:
    species, P, Y, below, above = state
    names = (*ADDITIVE, *ONE_SIDED, "W")
    T, liquid, vapour = ends(species, P, Y, below, above, names)
    assert liquid["rho"][0] > 10.0 * vapour["rho"][0]
    for upper in (0.01, 0.3, 0.49, 0.51, 0.97):
        mixed = {q: (1 - upper) * liquid[q][0] + upper * vapour[q][0] for q in "hvsu"}
        got = solve(species, P, Y, [mixed["h"]], np.linspace(100.0, 300.0, 23), names)
        assert (got["status"] & H_GAP).all()
        np.testing.assert_allclose(got["T"], T, rtol=3e-12)
        assert (got["h"] == mixed["h"]).all()
        for name in ("v", "s", "u"):
            np.testing.assert_allclose(got[name], mixed[name], rtol=1e-9, err_msg=name)
        np.testing.assert_allclose(got["rho"], got["W"] / mixed["v"], rtol=1e-9)
        np.testing.assert_allclose(got["Z"], P * mixed["v"] / (8.31446261815324 * T), rtol=1e-9)
        np.testing.assert_allclose(got["g"], liquid["g"][0], rtol=1e-9)
        kinetic = 0.5 * np.dot(VELOCITY, VELOCITY)
        np.testing.assert_allclose(got["h0"], mixed["h"] + kinetic, rtol=1e-14)
        np.testing.assert_allclose(got["rhoh0"], got["rho"] * got["h0"], rtol=1e-14)
        nearer = liquid if upper < 0.5 else vapour
        for name in ONE_SIDED:
            want = np.broadcast_to(nearer[name], got[name].shape)
            np.testing.assert_allclose(got[name], want, rtol=1e-8, err_msg=f"{name} {upper}")


def test_density_of_oxygen() -> None:
    """By the lever rule 65.24 kg/m3, of 38.6 and 1071 on both sides of the jump."""
    got = solve("O2", 1e6, [1.0], [-250e3], np.linspace(100.0, 300.0, 201))
    assert np.ptp(got["rho"]) < 1e-9 * got["rho"][0]
    assert got["rho"][0] == pytest.approx(65.2391297, rel=1e-8)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state[0])
def test_density_is_a_continuous_function_of_enthalpy(
    state: tuple[str, float, list[float], float, float],
) -> None:
    """Through both ends of the jump; in it the specific volume is linear in h."""
    species, P, Y, below, above = state
    _, liquid, vapour = ends(species, P, Y, below, above, ("h", "v"))
    latent = vapour["h"][0] - liquid["h"][0]
    share = np.unique(
        np.concatenate(
            [
                np.linspace(-0.02, 1.02, 209),
                *(end + np.linspace(-1e-6, 1e-6, 41) for end in (0, 1)),
            ]
        )
    )
    got = solve(species, P, Y, liquid["h"] + share * latent, 250.0, (*ADDITIVE, "W"))
    inside = (share > 1e-8) & (share < 1 - 1e-8)
    assert (got["status"][inside] & H_GAP != 0).all()
    assert not (got["status"][(share < -1e-8) | (share > 1 + 1e-8)] & H_GAP).any()
    slope = np.diff(got["v"]) / np.diff(share) / (vapour["v"][0] - liquid["v"][0])
    assert (slope > -1e-3).all() and slope.max() < 3.0  # kinks at the ends, no jump
    line = liquid["v"] + share * (vapour["v"] - liquid["v"])
    np.testing.assert_allclose(got["v"][inside], line[inside], rtol=1e-9)
    np.testing.assert_allclose(got["rho"], got["W"] / got["v"], rtol=1e-14)


@pytest.mark.parametrize(("policy", "T"), [("LARGEST", 91.97), ("SMALLEST", 141.33)])
def test_jump_where_a_root_ends(policy: str, T: Any) -> None:
    """One root alone: h jumps at a spinodal, where the cubic has the other root on one side only.

    The root is double there, so that its digits are half as many.
    """
    options = {"rootPolicy": policy}
    sides = run("O2", [T - 0.5, T + 0.5], 1e6, [1.0], ("h", "rho"), n=2, options=options)
    guesses = np.linspace(90.0, 300.0, 40)
    got = solve("O2", 1e6, [1.0], [sides["h"].mean()], guesses, options=options)
    assert (got["status"] & H_GAP).all() and np.ptp(got["rho"]) < 1e-5 * got["rho"][0]
    assert sides["rho"][1] * 1.1 < got["rho"][0] < sides["rho"][0] * 0.9


def test_jump_without_a_second_root() -> None:
    """ABS: the kink of a species' attraction lets h jump, while the density hardly moves."""
    options, species, Y = {"prCross": "ABS"}, "N2 CO2 H2O", [0.3, 0.3, 0.4]
    T = np.linspace(1388.0, 1388.5, 2001)
    h, rho = (run(species, T, 3e7, Y, (q,), n=2001, options=options)[q] for q in ("h", "rho"))
    jump = int(np.argmax(np.diff(h)))
    target = h[jump : jump + 2].mean()
    got = solve(species, 3e7, Y, [target], np.linspace(300.0, 3000.0, 20), options=options)
    assert (got["status"] & H_GAP).all() and (got["h"] == target).all()
    assert (got["rho"] < rho[jump]).all() and (got["rho"] > rho[jump + 1]).all()
    assert np.ptp(got["rho"]) < 1e-10 * rho[jump]


def test_a_point_in_a_jump_has_the_same_bits_at_any_place() -> None:
    species, P, Y, below, above = STATES[1]
    sides = run(species, [below, above], P, Y, ("h",), n=2)["h"]
    n = 203
    rng = np.random.default_rng(6)
    h = rng.uniform(sides[0] - 3e5, sides[1] + 3e5, n)
    pressure = np.where(rng.random(n) < 0.1, np.nan, P)
    T0 = rng.uniform(90.0, 900.0, n)
    names = (*ADDITIVE, *ONE_SIDED)
    whole = solve(species, pressure, Y, h, T0, names)
    gap = whole["status"] & H_GAP != 0
    assert 20 < gap.sum() < 150 and np.isnan(whole["rho"][np.isnan(pressure)]).all()
    order = rng.permutation(n)
    mixed = solve(species, pressure[order], Y, h[order], T0[order], names)
    for name, values in whole.items():
        np.testing.assert_array_equal(mixed[name], values[order], err_msg=name)
    for k in (*np.flatnonzero(gap)[:5], *np.flatnonzero(~gap)[:5]):
        alone = solve(species, pressure[k : k + 1], Y, h[k : k + 1], T0[k : k + 1], names)
        for name, values in whole.items():
            np.testing.assert_array_equal(alone[name][0], values[k], err_msg=name)


@pytest.mark.parametrize("wanted", [*([name] for name in ADDITIVE[:7]), ["T", "Z", "cp"], ["c"]])
def test_any_choice_of_outputs(wanted: list[str]) -> None:
    """Also without a status word: what is not asked for changes nothing."""
    h, ns = np.array([-250e3, -100e3]), 1
    inputs = {"h_target": h, "P": np.full(2, 1e6), "Y": np.ones((2, 1)), "T0": np.full(2, 300.0)}
    plan = Catalogue.shipped().plan(wanted, list(inputs), ns)
    got = run_plan(plan, inputs, SharedData(SpeciesData.load(["O2"])))
    whole = solve("O2", 1e6, [1.0], h, 300.0, (*ADDITIVE, *ONE_SIDED))
    assert whole["status"][0] & H_GAP and not whole["status"][1] & H_GAP
    for name in wanted:
        np.testing.assert_allclose(got[name], whole[name], rtol=1e-12, err_msg=name)


def test_what_the_caller_gives_stays_as_given() -> None:
    got = solve("O2", 1e6, [1.0], [-250e3], 150.0, ("Z", "rho", "v", "W"), inputs={"Z": 0.5})
    assert got["Z"][0] == 0.5 and got["rho"][0] == pytest.approx(got["W"][0] / got["v"][0])
