"""The status bit of diffusion that the correlation does not cover, docs/physics.md, section 12."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.statusbits import DIFF_RANGE, run

import bridge
from bridge.plan.catalogue import Catalogue
from bridge.plan.inputs import MASK, POSITIONS

pytestmark = pytest.mark.usefixtures("backend")

#: Molar mass in g/mol, of what is given by mole fractions here.
W = {"O2": 31.998, "CH4": 16.043, "N2": 28.014, "H2O": 18.015, "C12H26": 170.34, "H2": 2.016}


def bits(species: str, T: float, P: float, X: list[float], **options: Any) -> bool:
    masses = np.array([x * W[name] for name, x in zip(species.split(), X, strict=True)])
    got = run(T, P, [masses / masses.sum()], ("D_im", "rho"), species=species, options=options)
    assert np.isfinite(got["D_im"]).all()
    return bool(got["status"][0] & DIFF_RANGE)


@pytest.mark.parametrize("takaMode", ["GLOBAL", "PAIRWISE"])
@pytest.mark.parametrize(
    ("species", "T", "P", "X"),
    [
        ("O2 CH4", 100.0, 2e5, [0.5, 0.5]),
        ("O2 CH4", 100.0, 1e7, [0.9, 0.1]),  # compressed: D_im is some times too large
        ("O2 H2O", 300.0, 1e5, [1e-6, 1.0]),
        ("N2", 77.0, 2e5, [1.0]),
        ("C12H26 N2", 300.0, 1e5, [0.999, 0.001]),
        ("O2", 160.0, 3e7, [1.0]),  # Pr = 6
        ("N2 C12H26", 350.0, 6e6, [0.7, 0.3]),  # Tr = 1.23, Pr = 2.1 by Kay's rule
    ],
)
def test_liquids_have_it(species: str, T: float, P: float, X: list[float], takaMode: str) -> None:
    assert bits(species, T, P, X, takaMode=takaMode)


@pytest.mark.parametrize(
    ("species", "T", "P", "X"),
    [
        ("H2O N2 O2", 280.0, 1e5, [0.01, 0.78, 0.21]),
        ("H2O", 400.0, 1e5, [1.0]),  # steam: Tr = 0.62
        ("C12H26 N2", 400.0, 1e5, [0.01, 0.99]),
        ("C12H26", 600.0, 4e5, [1.0]),
        ("O2", 95.0, 1e5, [1.0]),
        ("N2 O2", 1500.0, 3e7, [0.5, 0.5]),  # Pr = 7, as thin as a gas
        ("H2 O2", 300.0, 2e7, [0.9, 0.1]),  # Pr = 11
        ("O2", 170.0, 7e6, [1.0]),  # dense, within the table
    ],
)
def test_gases_have_it_not(species: str, T: float, P: float, X: list[float]) -> None:
    assert not bits(species, T, P, X)


@pytest.mark.parametrize("species", ["O2 CH4", "N2 C12H26", "H2 O2 H2O"])
def test_it_follows_from_the_state(species: str) -> None:
    """Of any state, from its reduced state, factor and compressibility."""
    rng = np.random.default_rng(5)
    n, names = 4000, species.split()
    T, P = rng.uniform(70.0, 1200.0, n), 10.0 ** rng.uniform(4.0, 7.7, n)
    Y = rng.dirichlet(np.full(len(names), 0.5), n)
    got = run(T, P, Y, ("Tr", "Pr", "Z", "takahashi"), species=species)
    Tr, Pr, Z = got["Tr"], got["Pr"], got["Z"]
    density = 0.30740130869870386 * Pr / (Tr * Z)  # over that of the cubic's critical point
    wanted = ((Tr < 1.0) | (Pr > 5.0)) & (density > 1.0) | (got["takahashi"] / Z > 1.5)
    np.testing.assert_array_equal(got["status"] & DIFF_RANGE != 0, wanted)
    assert 0.05 < wanted.mean() < 0.5


def test_it_comes_with_every_diffusion_coefficient_and_with_nothing_else() -> None:
    """Whatever else is asked for; the binary ones of low pressure do not need it."""
    given = {"T", "P", "Y", "Y_leading", "velocity", "Vref", *POSITIONS, MASK}
    catalogue = Catalogue.shipped()
    for name in catalogue.quantities:
        if name in given or name in ("h_target", "T0"):
            continue
        try:
            plan = catalogue.plan([name, "status"], ["T", "P", "Y", "velocity", "Vref"], 2)
        except bridge.ArgumentError:  # of the temperature search
            continue
        has = "chungTakahashiFactor" in plan.kernels()
        assert has == (name in ("D_im", "D_fick", "takahashi")), name
