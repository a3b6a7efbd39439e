"""States, blocks of cells with fringes, the loop over their stripes: for the tests of Frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.tvproperties import TVProperties

SPECIES = ("O2", "CH4", "H2O")


def random_states(n: int, ns: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T, P, Y of n states, supercritical to hot: one root, no warning bits but extrapolation."""
    rng = np.random.default_rng(seed)
    T = rng.uniform(250.0, 2500.0, n)
    P = rng.uniform(5e6, 2e7, n)
    Y = rng.dirichlet(np.ones(ns), n)
    return T, P, Y


FRINGES: dict[str, Any] = dict(SptX=3, EptX=7, SptY=2, EptY=5, SptZ=1, EptZ=3)
SHAPE = (9, 6, 4)
INTERIOR = np.s_[2:7, 1:5, 0:3]
POINTS = 5 * 4 * 3


def block(seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Q(nx, ny, nz, 5+NS) with valid states inside and NaN on the fringes."""
    T, P, Y = random_states(POINTS, len(SPECIES), seed)
    Q = np.full((*SHAPE, 5 + len(SPECIES)), np.nan, order="F")
    columns = np.column_stack([P, np.ones((POINTS, 3)), T, Y])
    Q[INTERIOR] = columns.reshape(5, 4, 3, -1, order="F")
    return Q, T, P, Y


def run_stripes(
    tv: TVProperties,
    Q: np.ndarray,
    names: dict[str, int],
    stripe: int,
    composite: str = "eosThermalAndViscousProperties",
) -> dict[str, np.ndarray]:
    """The loop of the talk."""
    results = {
        name: np.full((*SHAPE, columns), -1.0, order="F") for name, columns in names.items()
    }
    for start in range(1, POINTS + 1, stripe):
        end = min(start + stripe - 1, POINTS)
        tv.populate_input_stripe("Q", Q, **FRINGES, stripeStart=start, stripeEnd=end)
        tv.composite(composite, end - start + 1)
        for name, array in results.items():
            tv.extract_output_stripe(name, array, **FRINGES, stripeStart=start, stripeEnd=end)
    return results


NAMES = {"rho": 1, "h": 1, "c": 1, "eta": 1, "lambda": 1, "D_im": 3, "h_Yi": 3, "status": 1}
