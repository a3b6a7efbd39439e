"""c_eq and p_rhoe_eq of liquid and vapour against finite differences along states in equilibrium,
found by a flash of NumPy; the phases' own densities and entropies are judged elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.flashstates import PengRobinson
from kernels.statusbits import STABILITY_OPEN, TWO_PHASE
from kernels.test_flash import flash, states

import bridge
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")


class Equilibrium:
    """Molar volume, entropy and enthalpy of feeds near states whose phases are known."""

    def __init__(self, names: list[str], X: np.ndarray, got: Any, **more: Any) -> None:
        self.names, self.X, self.more = names, X, more
        self.W = SpeciesData.load(names).W
        self.judge = PengRobinson(SpeciesData.load(names), more["kij"])
        self.lnK = np.log(got["y_i"] / got["x_i"])
        self.beta = np.asarray(got["vapour_fraction"])

    def split(self, T: np.ndarray, P: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        lnK, beta = self.lnK, self.beta[:, None]
        for _ in range(200):  # substitution from phases that are near
            k = np.expm1(lnK)
            for _ in range(6):
                part = self.X * k / (1.0 + beta * k)
                beta = beta + part.sum(1, keepdims=True) / (part**2 / self.X).sum(1, keepdims=True)
            x = self.X / (1.0 + beta * k)
            y = x * (1.0 + k)
            new = self.judge.ln_fugacity_coefficients(T, P, x)
            new = new - self.judge.ln_fugacity_coefficients(T, P, y)
            lnK, change = new, np.abs(new - lnK).max()
            if change < 1e-12:
                break
        assert change < 1e-9
        return x, y, beta[:, 0]

    def __call__(self, T: np.ndarray, P: np.ndarray) -> np.ndarray:
        x, y, beta = self.split(T, P)
        total = np.zeros((3, len(T)))
        for share, w in ((1.0 - beta, x), (beta, y)):
            got = bridge.evaluate(self.names, T, P, X=w, outputs="rho s h", **self.more)
            W = w @ self.W
            total += share * np.stack([W / got["rho"], W * got["s"], W * got["h"]])
        return total


@pytest.mark.parametrize(("shift", "k"), [("NONE", 0.0), ("PENELOUX", 0.03)])
def test_against_differences(shift: str, k: float) -> None:
    random = np.random.default_rng(11)
    names = ["N2", "CO2", "C3H8", "C12H26"]
    more: dict[str, Any] = {"kij": k * (1.0 - np.eye(4)), "stability": "off"}
    more["options"] = {"volumeShift": shift}
    T, P, X = states(random, 4, 150)
    X = X + 1e-6
    X /= X.sum(axis=1, keepdims=True)
    got = flash(names, T, P, X, **more)
    settled = (got["status"] & (TWO_PHASE | STABILITY_OPEN)) == TWO_PHASE
    beta = got["vapour_fraction"]
    settled &= (beta > 1e-3) & (beta < 1.0 - 1e-3)
    T, P, X = T[settled], P[settled], X[settled]
    assert len(T) > 50
    phases = {name: got[name][settled] for name in ("x_i", "y_i", "vapour_fraction")}
    both = Equilibrium(names, X, phases, **more)
    dT, dP = 1e-5 * T, 1e-5 * P
    v, _, _ = both(T, P)
    v_T, s_T, h_T = (both(T + dT, P) - both(T - dT, P)) / (2.0 * dT)
    v_P, s_P, h_P = (both(T, P + dP) - both(T, P - dP)) / (2.0 * dP)
    W = X @ both.W
    c = np.sqrt(-(v**2) / (W * (v_P - v_T * s_P / s_T)))
    np.testing.assert_allclose(got["c_eq"][settled], c, rtol=1e-6)
    # along constant v: dT = -v_P/v_T dP
    u_P, u_T = h_P - P * v_P - v, h_T - P * v_T
    p_rhoe = bridge.evaluate(names, T, P, X=X, outputs="p_rhoe_eq", **more)["p_rhoe_eq"]
    np.testing.assert_allclose(p_rhoe, v / (u_P - u_T * v_P / v_T), rtol=1e-5)


def test_one_phase_has_its_own_and_two_are_softer() -> None:
    random = np.random.default_rng(12)
    names = ["N2", "H2O", "C12H26", "CO2"]
    T, P, X = states(random, 4, 300)
    X[:, 2] = 0.0
    X /= X.sum(axis=1, keepdims=True)
    values = "c_eq p_rhoe_eq c p_rhoe vapour_fraction vapour_mass_fraction x_i y_i"
    values += " rho_liquid rho_vapour rho_eq"
    got = bridge.evaluate(names, T, P, X=X, outputs=values, stability="off")
    beta = got["vapour_fraction"]
    two = (beta > 0.0) & (beta < 1.0)
    assert 50 < two.sum() < 250
    for name in ("c", "p_rhoe"):
        np.testing.assert_array_equal(got[name + "_eq"][~two], got[name][~two])
    # Wood: volumes of both phases without exchange of species or heat
    compliance = 0.0
    mass = got["vapour_mass_fraction"]
    for share, of, w in ((1.0 - mass, "liquid", "x_i"), (mass, "vapour", "y_i")):
        rho = got[f"rho_{of}"][two]
        phase: dict[str, Any] = {"X": got[w][two], "outputs": "c", "stability": "off"}
        c = bridge.evaluate(names, T[two], P[two], **phase)["c"]
        compliance = compliance + share[two] / (rho * c) ** 2
    frozen = 1.0 / (got["rho_eq"][two] * np.sqrt(compliance))
    assert (got["c_eq"][two] < frozen).all()
    assert np.median(got["c_eq"][two] / frozen) < 0.95
    fewer = flash(["N2", "H2O", "CO2"], T, P, X[:, [0, 1, 3]])
    np.testing.assert_allclose(got["c_eq"], fewer["c_eq"], rtol=1e-9)


def test_the_first_drop_makes_it_softer_at_once() -> None:
    """However little of the second phase there is: c_eq jumps where it appears, and from there on
    changes slowly."""
    names, T = ["CH4", "C3H8"], 250.0
    P = np.linspace(1e5, 9e6, 4001)
    got = flash(names, T, P, [0.5, 0.5])
    beta, c = got["vapour_fraction"], got["c_eq"]
    two = np.flatnonzero((beta > 0.0) & (beta < 1.0))
    dew, bubble = two[0], two[-1]
    assert 10 < dew and bubble < 3990 and beta[bubble] < 1e-3 < 1.0 - beta[dew] < 0.01
    assert c[dew] < 0.99 * c[dew - 1] and c[bubble] < 0.2 * c[bubble + 1]
    assert (np.abs(np.diff(c[two])) < 0.005 * c[two][1:]).all()
