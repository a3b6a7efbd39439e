"""One state by several pairs of quantities, and dP/d(rho_i) by differences: for tests of options
that change the equation of state."""

from __future__ import annotations

from typing import Any

import numpy as np

import bridge

SPECIES = ["O2", "CH4", "CO2"]


def check_searches(T: np.ndarray, P: np.ndarray, Y: np.ndarray, options: dict[str, str]) -> None:
    """Each pair finds T, and sum Y_i p_rhoi + h p_rhoe is c^2."""

    def evaluate(*states: Any, **named: Any) -> Any:
        return bridge.evaluate(SPECIES, *states, options=options, stability="off", **named)

    made = evaluate(T, P, Y, "rho u h s Pkappa")
    good = made["Pkappa"] < 100.0
    for named in (
        {"rho": made["rho"], "e": made["u"]},
        {"rho": made["rho"], "P": P},
        {"h": made["h"], "P": P, "T0": 1.1 * T},
        {"s": made["s"], "P": P, "T0": 1.1 * T},
    ):
        got = evaluate(Y=Y, outputs="rho h c p_rhoi p_rhoe", **named)
        np.testing.assert_allclose(got["T"][good], T[good], rtol=1e-9)
        np.testing.assert_allclose(got["rho"][good], made["rho"][good], rtol=1e-7)
        total = (Y * got["p_rhoi"]).sum(axis=1) + got["h"] * got["p_rhoe"]
        terms = abs(Y * got["p_rhoi"]).sum(axis=1) + abs(got["h"] * got["p_rhoe"])
        known = np.isfinite(got["c"])
        assert np.max((abs(total - got["c"] ** 2) / terms)[known]) < 1e-12


def check_pressure_derivatives(
    T: np.ndarray, P: np.ndarray, Y: np.ndarray, options: dict[str, str]
) -> None:
    """P does not change where the density of a species and the energy of the volume change
    together as p_rhoi and p_rhoe say."""
    made = bridge.evaluate(SPECIES, T, P, Y, "rho u cv", options=options, stability="off")
    energy, partial = made["rho"] * made["u"], made["rho"][:, None] * Y

    def pressure(rho_i: np.ndarray, rho_e: np.ndarray) -> Any:
        rho = rho_i.sum(axis=1)
        return bridge.evaluate(
            SPECIES, rho=rho, e=rho_e / rho, Y=rho_i, T0=T, outputs="P p_rhoi p_rhoe",
            options=options, stability="off",
        )  # fmt: skip

    got = pressure(partial, energy)
    np.testing.assert_allclose(got["P"], P, rtol=1e-8)
    for i in range(3):
        width = 1e-5 * made["rho"]
        step = width[:, None] * (np.arange(3) == i)
        own = -got["p_rhoi"][:, i] / got["p_rhoe"]
        high = pressure(partial + step, energy + own * width)["P"]
        low = pressure(partial - np.minimum(step, partial), energy - own * width)["P"]
        there = Y[:, i] > 1e-4
        scale = P + T * got["p_rhoe"] * made["rho"] * made["cv"]
        assert np.max((abs(high - low) / (2e-5 * scale))[there]) < 1e-4
