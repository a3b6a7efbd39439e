"""eosFlashTP against teqp's fugacities: both phases in equilibrium, less Gibbs energy than the
feed, and one phase only where no composition would leave it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.measure import CUBICS
from kernels.statusbits import BAD_P, BAD_T, NO_CONV, STABILITY_OPEN, TWO_PHASE
from kernels.test_stability import Judge, mixture

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

MIXTURES, STATES = 30, 12
PHASES = ("rho_liquid", "rho_vapour", "h_liquid", "h_vapour")


def flash(names: Any, T: Any, P: Any, X: Any, **more: Any) -> Any:
    more.setdefault("stability", "off")
    return bridge.evaluate(list(names), T, P, X=X, composite="eosFlashTP", **more)


def states(random: np.random.Generator, ns: int, n: int) -> tuple[np.ndarray, ...]:
    T = random.uniform(150.0, 700.0, n)
    P = np.exp(random.uniform(np.log(1e5), np.log(2e7), n))
    return T, P, random.dirichlet(np.full(ns, 0.7), n)


def gibbs(judge: Judge, T: float, P: float, w: np.ndarray) -> np.ndarray:
    """ln(w phi) of each species, of teqp."""
    found: np.ndarray = np.log(w) + judge.ln_fugacity_coefficients(T, P, w)
    return found


@pytest.mark.parametrize("cubic", CUBICS)
def test_against_teqp(cubic: str) -> None:
    teqp = pytest.importorskip("teqp")
    random = np.random.default_rng(47)
    splits = further = judged = 0
    for _ in range(MIXTURES):
        names, kij = mixture(random)
        judge = Judge(teqp, names, kij, cubic)
        T, P, X = states(random, len(names), STATES)
        got = flash(names, T, P, X, kij=kij, options={"cubic": cubic})
        assert not (got["status"] & NO_CONV).any()
        for k in range(STATES):
            feed = gibbs(judge, T[k], P[k], X[k])
            if not got["status"][k] & TWO_PHASE:
                assert got["flash_iterations"][k] == 0
                if judged < 60:  # each costs many evaluations
                    judged += 1
                    assert judge.lowest(T[k], P[k], X[k], random) > -1e-6
                continue
            splits += 1
            further += bool(got["status"][k] & STABILITY_OPEN)
            x, y, beta = got["x_i"][k], got["y_i"][k], got["vapour_fraction"][k]
            assert 0.0 < beta < 1.0 and got["flash_iterations"][k] > 0
            np.testing.assert_allclose((1.0 - beta) * x + beta * y, X[k], rtol=1e-12, atol=1e-14)
            liquid, vapour = gibbs(judge, T[k], P[k], x), gibbs(judge, T[k], P[k], y)
            np.testing.assert_allclose(liquid, vapour, rtol=0.0, atol=1e-9)
            assert (1.0 - beta) * x @ liquid + beta * y @ vapour < X[k] @ feed
    assert splits > MIXTURES * STATES / 5 and judged > 50
    assert further < 0.5 * splits  # three phases, and water or dodecane beside cold gas


def test_a_further_phase_is_told() -> None:
    """A vapour over water and over dodecane: no two phases are stable; without water two are."""
    got = flash(["N2", "H2O", "C12H26"], 350.0, 2e6, [[0.4, 0.3, 0.3], [0.5, 0.0, 0.5]])
    np.testing.assert_array_equal((got["status"] & TWO_PHASE) != 0, True)
    np.testing.assert_array_equal((got["status"] & STABILITY_OPEN) != 0, [True, False])


@pytest.mark.parametrize("shift", ["NONE", "PENELOUX"])
def test_phases_and_both_together(shift: str) -> None:
    """Density and enthalpy of each phase are those of its composition; the sums are weighted."""
    random = np.random.default_rng(5)
    names = ["N2", "CO2", "C3H8", "C12H26"]
    kij = 0.03 * (1.0 - np.eye(4))
    T, P, X = states(random, 4, 200)
    more: dict[str, Any] = {"kij": kij, "options": {"volumeShift": shift}, "stability": "off"}
    got = flash(names, T, P, X, **more)
    two = (got["status"] & TWO_PHASE) != 0
    assert 40 < two.sum() < 160

    def values(where: Any, X: Any, outputs: str) -> Any:
        return bridge.evaluate(names, T[where], P[where], X=X, outputs=outputs, **more)

    W = SpeciesData.load(names).W
    beta = got["vapour_fraction"][two]
    for name, w in (("liquid", got["x_i"][two]), ("vapour", got["y_i"][two])):
        single = values(two, w, "rho h")
        np.testing.assert_allclose(got[f"rho_{name}"][two], single["rho"], rtol=1e-10)
        scale = 8.3145 * T[two] / (w @ W)
        assert (np.abs(got[f"h_{name}"][two] - single["h"]) < 1e-9 * scale).all()
    mass = beta * (got["y_i"][two] @ W) / (X[two] @ W)
    np.testing.assert_allclose(got["vapour_mass_fraction"][two], mass, rtol=1e-12)
    h = mass * got["h_vapour"][two] + (1.0 - mass) * got["h_liquid"][two]
    np.testing.assert_allclose(got["h_eq"][two], h, rtol=1e-12, atol=1e-9 * np.abs(h).max())
    volume = mass / got["rho_vapour"][two] + (1.0 - mass) / got["rho_liquid"][two]
    np.testing.assert_allclose(got["rho_eq"][two], 1.0 / volume, rtol=1e-11)
    one = values(~two, X[~two], "rho h v_pr b")
    for name in ("rho_eq", "rho_liquid", "rho_vapour"):
        np.testing.assert_allclose(got[name][~two], one["rho"], rtol=1e-12)
    scale = 8.3145 * T[~two] / (X[~two] @ W)
    for name in ("h_eq", "h_liquid", "h_vapour"):
        assert (np.abs(got[name][~two] - one["h"]) < 1e-11 * scale).all()
    label = np.where(one["v_pr"] > 3.951373 * one["b"], 1.0, 0.0)
    np.testing.assert_array_equal(got["vapour_fraction"][~two], label)
    np.testing.assert_array_equal(got["vapour_mass_fraction"][~two], label)
    for name in ("x_i", "y_i"):
        np.testing.assert_allclose(got[name][~two], X[~two], rtol=1e-14)
    x, y = (values(two, got[name][two], "v_pr b") for name in ("x_i", "y_i"))
    assert (y["v_pr"] / y["b"] > x["v_pr"] / x["b"]).all()
    plain = flash(names, T, P, X, kij=kij)
    for name in ("x_i", "y_i", "vapour_fraction"):  # the shift leaves equilibria as they are
        np.testing.assert_allclose(got[name], plain[name], rtol=1e-8, atol=1e-11)
    assert (got["rho_eq"] == plain["rho_eq"]).all() == (shift == "NONE")


def test_adiabatic_mixing() -> None:
    """N2 at 900 K and dodecane at 363 K, half and half by mass, 6 MPa: 506.2 K in equilibrium,
    468.6 K as one phase."""
    mix = bridge.Mixture("N2 C12H26", stability="off")
    h = mix.evaluate([900.0, 363.0], 6e6, Y=[[1.0, 0.0], [0.0, 1.0]], outputs="h")["h"].mean()
    one = mix.evaluate(h=h, P=6e6, Y=[0.5, 0.5], outputs="rho")
    assert float(one["T"]) == pytest.approx(468.6, abs=0.2)
    two = mix.evaluate([506.15, 506.25], 6e6, Y=[0.5, 0.5], composite="eosFlashTP")
    assert two["h_eq"][0] < h < two["h_eq"][1]


def test_species_that_are_not_there_and_their_order_change_nothing() -> None:
    random = np.random.default_rng(3)
    T, P, X = states(random, 3, 80)
    three = flash(["CO2", "N2", "H2O"], T, P, X)
    zeros = np.zeros(len(T))
    wider = np.column_stack([X[:, 0], zeros, X[:, 1], zeros, X[:, 2]])
    five = flash(["CO2", "C12H26", "N2", "H2", "H2O"], T, P, wider)
    turned = flash(["H2O", "N2", "CO2"], T, P, X[:, ::-1])
    for other in (five, turned):
        np.testing.assert_array_equal(other["status"] & (TWO_PHASE | NO_CONV),
                                      three["status"] & (TWO_PHASE | NO_CONV))  # fmt: skip
        for name in ("vapour_fraction", *PHASES[:2], "rho_eq"):
            np.testing.assert_allclose(other[name], three[name], rtol=1e-7, atol=1e-12)
    assert not five["x_i"][:, [1, 3]].any() and not five["y_i"][:, [1, 3]].any()
    assert 10 < ((three["status"] & TWO_PHASE) != 0).sum() < 75


def test_pure_species_and_bad_points() -> None:
    """A pure species is one phase. A fatal point has its bit and no numbers, its neighbours the
    bits that they have alone."""
    pure = flash(["CH4"], [150.0, 150.0, 300.0], [8e5, 1.3e6, 1e6], [[1.0]] * 3)
    np.testing.assert_array_equal(pure["vapour_fraction"], [1.0, 0.0, 1.0])
    names, X = ["N2", "C12H26"], [0.5, 0.5]
    got = flash(names, [450.0, np.nan, 450.0, 450.0], [6e6, 6e6, -1.0, 6e6], [X] * 4)
    np.testing.assert_array_equal(got["status"] & (BAD_T | BAD_P), [0, BAD_T, BAD_P, 0])
    alone = flash(names, 450.0, 6e6, X)
    for name in got:
        for k in (0, 3):
            np.testing.assert_array_equal(got[name][k], alone[name], name)
        if name not in ("status", "flash_iterations"):
            assert np.isnan(got[name][1:3]).all(), name


def test_near_a_critical_point() -> None:
    """Towards the end of the border of two phases the flash goes on to converge."""
    T = np.linspace(280.0, 330.0, 401)
    got = flash(["CH4", "C3H8"], T[:, None], np.linspace(5e6, 1.05e7, 56), [0.5, 0.5])
    two = (got["status"] & TWO_PHASE) != 0
    assert 0.1 < two.mean() < 0.9 and not (got["status"] & NO_CONV).any()
    assert not (got["status"][two] & STABILITY_OPEN).any()
    assert ((got["vapour_fraction"][two] > 0.0) & (got["vapour_fraction"][two] < 1.0)).all()
