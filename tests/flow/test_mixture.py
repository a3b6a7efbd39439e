"""The mixture of NumPy against the package, and against itself where thermodynamics ties two of
its values together."""

from __future__ import annotations

import numpy as np
from flow.mixture import Mixture

import bridge

NAMES = ["O2", "CH4", "N2"]
VALUES = "rho u h s c cp eta lambda D_im h_Yi p_rhoi"


def states(n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Liquid-like, gas-like and in between, above the critical pressures of all species."""
    random = np.random.default_rng(3)
    T, P = random.uniform(140.0, 1500.0, n), np.exp(random.uniform(np.log(6e6), np.log(3e7), n))
    Y = random.dirichlet([0.6] * len(NAMES), n)
    T[0], P[0] = 250.0, 1e4
    return T, P, Y


def test_against_the_package() -> None:
    T, P, Y = states()
    mixture = Mixture(NAMES)
    got = bridge.evaluate(NAMES, T, P, Y, VALUES, stability="off")
    r = mixture.density(T, P, Y.T)
    rho, e = r.sum(axis=0), mixture.energy(T, r)
    eta, conductivity, D = mixture.transport(T, r)
    P_T, P_r = mixture.pressure_slopes(T, r)
    capacity, U_r = mixture.energy_slopes(T, r)
    mine = {
        "rho": rho, "u": e / rho, "h": (e + mixture.pressure(T, r)) / rho,
        "s": mixture.entropy(T, r) / rho, "c": mixture.sound_speed(T, r),
        "cp": mixture.heat_capacity(T, r), "eta": eta, "lambda": conductivity, "D_im": D.T,
        "h_Yi": mixture.species_enthalpies(T, r).T, "p_rhoi": (P_r - P_T / capacity * U_r).T,
    }  # fmt: skip
    np.testing.assert_allclose(mixture.pressure(T, r), P, rtol=1e-12)
    for name, value in mine.items():
        scale = np.abs(got[name]).max() if name in ("u", "h", "h_Yi", "p_rhoi") else 0.0
        np.testing.assert_allclose(value, got[name], rtol=1e-11, atol=1e-12 * scale, err_msg=name)


def test_entropy_gives_heat_capacity_pressure_and_energy() -> None:
    """T dS = dU - sum mu_i dr_i of a volume of one, and S, U, P of it by Euler's relation."""
    T, P, Y = states()
    mixture = Mixture(NAMES)
    r = mixture.density(T, P, Y.T + 1e-3)
    capacity, U_r = mixture.energy_slopes(T, r)
    P_T, P_r = mixture.pressure_slopes(T, r)
    dT = 1e-4 * T
    S_T = (mixture.entropy(T + dT, r) - mixture.entropy(T - dT, r)) / (2.0 * dT)
    U_T = (mixture.energy(T + dT, r) - mixture.energy(T - dT, r)) / (2.0 * dT)
    np.testing.assert_allclose(U_T, capacity, rtol=1e-6)
    np.testing.assert_allclose(T * S_T, capacity, rtol=1e-6)
    S_r, Ps_r, Us_r = (
        np.stack([(f(T, r * (1.0 + 1e-4 * one)) - f(T, r * (1.0 - 1e-4 * one))) / (2e-4 * r[i])
                  for i, one in enumerate(np.eye(len(NAMES))[:, :, None])])
        for f in (mixture.entropy, mixture.pressure, mixture.energy)
    )  # fmt: skip
    np.testing.assert_allclose(Us_r, U_r, rtol=1e-5, atol=1e-6 * np.abs(U_r).max())
    np.testing.assert_allclose(Ps_r, P_r, rtol=1e-5, atol=1e-6 * np.abs(P_r).max())
    # Maxwell: dS/dV at constant T and masses
    S_V = mixture.entropy(T, r) - (r * S_r).sum(axis=0)
    np.testing.assert_allclose(S_V, P_T, rtol=1e-6)
    U_V = mixture.energy(T, r) - (r * U_r).sum(axis=0)
    scale = np.abs(r * U_r).sum(axis=0)
    assert np.abs((U_V - T * P_T + P) / scale).max() < 1e-12
