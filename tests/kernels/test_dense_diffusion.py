"""Diffusion by the viscosity, `denseDiffusion = RIAZI_WHITSON`: its formula, its range, liquids
and dense gases beside what others found, and that the default runs what it ran."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels.measure import gas
from kernels.statusbits import DIFF_RANGE, run

import bridge
from bridge.physics.options import Options
from bridge.plan.catalogue import Catalogue

pytestmark = pytest.mark.usefixtures("backend")

DENSE = {"denseDiffusion": "RIAZI_WHITSON"}
FACTOR, NAME = "chungTakahashiFactor", "riaziWhitsonFactor"
R = 8.31446261815324
NAMES = "O2 CH4 CO2 H2O"
STATE = ("T", "P", "v", "eta", "eta0", "Pr", "omegam", "takahashi")


def states(n: int = 600) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    Y = random.dirichlet(np.full(4, 0.5), n)
    T = 10.0 ** random.uniform(2.0, 3.2, n)
    return T, 10.0 ** random.uniform(4.0, 8.0, n), Y


def published(got: dict[str, np.ndarray], amplitude: Any = 1.07) -> np.ndarray:
    """c D over c0 D0 as Riazi and Whitson 1993 have it."""
    b = -0.27 - 0.38 * got["omegam"]
    c = -0.05 + 0.1 * got["omegam"]
    factor: np.ndarray = amplitude * (got["eta"] / got["eta0"]) ** (b + c * got["Pr"])
    return factor


def test_the_formula_and_its_range() -> None:
    T, P, Y = states()
    got = run(T, P, Y, STATE, species=NAMES, options=DENSE)
    r = got["eta"] / got["eta0"]
    assert (r >= 1.0).all() and (r > 5.0).sum() > 30 and (r < 1.1).sum() > 100
    x = r - 1.0
    f = published(got, 1.0 + 0.07 * x**2 / (x**2 + 0.04))
    np.testing.assert_allclose(got["takahashi"], f * P * got["v"] / (R * T), rtol=1e-12)
    wanted = np.abs((-0.05 + 0.1 * got["omegam"]) * got["Pr"] * np.log(r)) > 0.35
    np.testing.assert_array_equal(got["status"] & DIFF_RANGE != 0, wanted)
    assert 0.02 < wanted.mean() < 0.5


def test_the_blend_ends_at_the_dilute_gas_and_at_the_published_amplitude() -> None:
    for pressure, limit in ((1.0, 2e-7), (1e3, 2e-4)):
        thin = run([300.0, 900.0], pressure, [[0.3, 0.3, 0.2, 0.2]], ("takahashi",),
                   species=NAMES, options=DENSE)  # fmt: skip
        assert np.abs(thin["takahashi"] - 1.0).max() < limit
    T, P, Y = states(3000)
    got = run(T, P, Y, STATE, species=NAMES, options=DENSE)
    dense = got["eta"] / got["eta0"] >= 1.5
    ratio = got["takahashi"] * R * T / (P * got["v"]) / published(got)
    assert dense.sum() > 100 and np.abs(ratio[dense] - 1.0).max() < 0.01
    # along an isotherm from gas to dense fluid: no kink and no step of the amplitude
    P = np.linspace(1e5, 4e7, 4000)
    got = run(200.0, P, [[1.0]], STATE, species="CH4", options=DENSE)
    a = got["takahashi"] * R * 200.0 / (P * got["v"]) / published(got, 1.0)
    assert 1.0 <= a.min() < 1.0001 and 1.069 < a.max() < 1.07
    assert (np.diff(a) > -1e-12).all() and np.diff(a).max() < 1e-3


@pytest.mark.parametrize("outputs", [("D_im",), ("D_im", "eta"), ("D_im", "D0_ij", "takahashi")])
def test_it_scales_all_diffusion_coefficients(outputs: tuple[str, ...]) -> None:
    """Fused and not, and the Fick matrix; what else is asked for does not matter."""
    T, P, Y = gas(200, 4, seed=8)
    P = P * 20.0
    mine = run(T, P, Y, (*outputs, "D_fick"), species=NAMES, options=DENSE)
    plain = run(T, P, Y, ("D_im", "D_fick", "takahashi"), species=NAMES)
    factor = run(T, P, Y, ("takahashi",), species=NAMES, options=DENSE)["takahashi"]
    scale = (factor / plain["takahashi"])[:, None]
    for name in ("D_im", "D_fick"):
        np.testing.assert_allclose(mine[name], plain[name] * scale, rtol=1e-11)
    alone = run(T, P, Y, ("D_im",), species=NAMES, options=DENSE)
    assert np.array_equal(alone["status"], mine["status"])
    if "D0_ij" not in outputs:
        np.testing.assert_allclose(alone["D_im"], mine["D_im"], rtol=1e-12)  # a GPU rounds anew


def test_a_fatal_point_and_its_neighbours() -> None:
    T = np.array([300.0, np.nan, 150.0])
    got = run(T, 1e6, [[0.3, 0.3, 0.2, 0.2]] * 3, ("D_im",), species=NAMES, options=DENSE)
    assert np.isnan(got["D_im"][1]).all() and np.isfinite(got["D_im"][[0, 2]]).all()
    one = run(T[2:], 1e6, [[0.3, 0.3, 0.2, 0.2]], ("D_im",), species=NAMES, options=DENSE)
    assert np.array_equal(one["D_im"][0], got["D_im"][2])


def test_composites_have_it() -> None:
    state: dict[str, Any] = {"T": 150.0, "P": 5e6, "Y": [0.2, 0.7, 0.05, 0.05]}
    state["stability"] = "off"
    want = bridge.evaluate(NAMES, **state, outputs="D_im", options=DENSE)["D_im"]
    assert (want < 0.9 * bridge.evaluate(NAMES, **state, outputs="D_im")["D_im"]).all()
    for composite in ("eosThermalAndViscousProperties", "prEOSViscousProperties"):
        got = bridge.evaluate(NAMES, **state, outputs="D_im", composite=composite, options=DENSE)
        np.testing.assert_allclose(got["D_im"], want, rtol=1e-12)


# ---- liquids and dense gases ----------------------------------------------------------------

#: Self-diffusion in liquids, m2/s; sources: docs/figures/liquids.py.
LIQUIDS = [
    ("CH4", 111.0, 2e5, 5.47e-9),  # Liu, Silva and Macedo 1998
    ("N2", 77.35, 2e5, 2.51e-9),  # Costigliola et al. 2019
    ("CO2", 223.15, 5e6, 4.43e-9),  # Schmitt, Hasse and Stephan 2024
    ("CO2", 298.15, 1e7, 18.5e-9),
    ("H2O", 298.15, 1e5, 1.635e-8 * (298.15 / 215.05 - 1.0) ** 2.063),  # Holz et al. 2000
    ("H2O", 348.15, 1e5, 1.635e-8 * (348.15 / 215.05 - 1.0) ** 2.063),
    ("C12H26", 298.15, 1e5, 0.889e-9),  # Schmitt et al. 2025
    ("C12H26", 363.15, 1e5, 2.35e-9),
]


@pytest.mark.parametrize(("species", "T", "P", "D"), LIQUIDS)
def test_self_diffusion_in_liquids_within_a_factor_of_two(
    species: str, T: float, P: float, D: float
) -> None:
    got = run(T, P, [[1.0]], ("D_im",), species=species, options=DENSE)
    assert 0.5 < got["D_im"].item() / D < 2.0
    assert not got["status"].item() & DIFF_RANGE
    assert run(T, P, [[1.0]], ("D_im",), species=species)["D_im"].item() > 1.7 * D


@pytest.mark.parametrize(
    ("species", "fluid", "eps", "sigma", "M", "temperatures"),
    [
        ("CH4", "Methane", 167.15, 3.58484, 16.043, [130.0, 155.0, 180.0, 220.0, 300.0, 600.0]),
        ("CO2", "CO2", 500.71, 3.26192, 44.01, [240.0, 273.0, 298.0, 320.0, 400.0, 1000.0]),
    ],
)
def test_gases_and_liquids_where_it_is_in_range(
    species: str, fluid: str, eps: float, sigma: float, M: float, temperatures: list[float]
) -> None:
    """Within a factor of two of the Lennard-Jones correlation of Liu, Silva and Macedo 1998, whose
    two constants are fitted to measured self-diffusion, at the density of CoolProp."""
    PropsSI = pytest.importorskip("CoolProp.CoolProp").PropsSI
    pressures = [1e5, 1e6, 1e7, 2e7, 4e7, 6e7, 1e8]
    T, P = (a.ravel() for a in np.meshgrid(temperatures, pressures))
    n = 6.02214076e23 * np.array(
        [PropsSI("Dmolar", "T", t, "P", p, fluid) for t, p in zip(T, P, strict=True)]
    )
    size = 2.0 ** (1.0 / 6.0) * 1e-10 * sigma * (1.0 + np.sqrt(1.3229 * T / eps)) ** (-1.0 / 6.0)
    packed = n * size**3
    D = 0.21157 / (n * size**2) * np.sqrt(1e3 * R * T / M)
    D *= np.exp(-0.75 * packed / (1.2588 - packed) - 0.27862 * eps / T)
    got = run(T, P, np.ones((len(T), 1)), ("D_im",), species=species, options=DENSE)
    ratio, told = got["D_im"][:, 0] / D, got["status"] & DIFF_RANGE != 0
    assert 0.5 < ratio[~told].min() < ratio[~told].max() < 1.2
    assert 0.1 < told.mean() < 0.6 and ratio[told].max() < 0.95 and ratio.min() < 0.3
    assert np.abs(ratio[P == 1e5] - 1.0).max() < 0.16


# ---- plans ------------------------------------------------------------------------------------


def test_the_default_runs_what_it_ran() -> None:
    catalogue = Catalogue.shipped()
    assert catalogue.with_options(Options()) is catalogue
    dense = catalogue.with_options(Options.parse(DENSE))
    for composite in catalogue.composites.values():
        kernels = catalogue.composite_plan(composite, 3).kernels()
        others = dense.composite_plan(composite, 3).kernels()
        assert NAME not in kernels and FACTOR not in others
        if "D_im" in composite.outputs:
            assert FACTOR in kernels and NAME in others and "eta0" not in composite.outputs
        else:
            assert others == kernels
    given = ["T", "P", "Y"]
    assert "chungViscosityConductivity" not in catalogue.plan(["D_im"], given, 3).kernels()
    assert "chungViscosityConductivity" in dense.plan(["D_im"], given, 3).kernels()


def test_a_factor_for_each_pair_is_refused_with_it() -> None:
    options = DENSE | {"takaMode": "PAIRWISE"}
    with pytest.raises(bridge.ArgumentError, match=r"takaMode.*denseDiffusion"):
        bridge.evaluate("N2", 300.0, 1e5, outputs="D_im", options=options)
