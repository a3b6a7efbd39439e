"""Omega11 by polynomials in ln T: as exact as promised where it holds, exact elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bridge
from bridge.backends.cpu.single import launch_kernel
from bridge.errors import ArgumentError
from bridge.physics import omega11fit
from bridge.physics.options import Options
from bridge.physics.shared import SharedData, shipped_tables
from bridge.physics.species import SpeciesData

SPECIES = SpeciesData.load(None)
NS = len(SPECIES.names)


def shared(omega11: str, **options: Any) -> SharedData:
    return SharedData(SPECIES, Options.parse({"omega11": omega11, **options}))


@pytest.fixture(scope="module")
def runs() -> dict[str, SharedData]:
    return {name: shared(name) for name in ("EXACT", "FITTED")}


def pairs(run: SharedData, T: np.ndarray) -> np.ndarray:
    return launch_kernel("chungBinaryDiffusion", {"T": T, "P": np.full(len(T), 1e7)}, run)["D0_ij"]


def test_error_of_every_pair_of_the_shipped_species(runs: dict[str, SharedData]) -> None:
    well_depth = 1.0 / runs["FITTED"].fields()["invEpsPair"]
    T = np.exp(np.random.default_rng(3).uniform(np.log(180.0), np.log(3200.0), 4000))
    exact, fitted = (pairs(run, T) for run in runs.values())
    error = np.abs(fitted / exact - 1.0)
    inside = T[:, None] >= np.maximum(180.0, 0.3 * well_depth)
    assert error[inside].max() <= 1e-7
    assert error[inside].max() > 1e-12, "nothing was fitted"


def test_outside_the_range_it_is_exact_to_the_last_bit(runs: dict[str, SharedData]) -> None:
    T = np.concatenate([np.geomspace(20.0, 179.9, 50), np.geomspace(3200.1, 20000.0, 50)])
    np.testing.assert_array_equal(pairs(runs["FITTED"], T), pairs(runs["EXACT"], T))
    X = np.random.default_rng(4).dirichlet(np.ones(NS), len(T))
    inputs = {"T": T, "P": np.full(len(T), 1e6), "X": X, "W": X @ SPECIES.W,
              "takahashi": np.ones(len(T))}  # fmt: skip
    name = "chungMixtureDiffusionFused"
    exact, fitted = (launch_kernel(name, inputs, run)["D_im"] for run in runs.values())
    np.testing.assert_array_equal(fitted, exact)


def test_a_point_does_not_see_whether_its_neighbours_fit() -> None:
    T = np.where(np.arange(64) % 3 == 0, 100.0, np.linspace(185.0, 3100.0, 64))
    Y = np.random.default_rng(5).dirichlet(np.ones(4), 64)
    names, options = ["O2", "CH4", "CO2", "H2O"], {"omega11": "FITTED"}

    def diffusion(rows: Any) -> np.ndarray:
        return bridge.evaluate(
            names, T[rows], 1e7, Y[rows], ("D_im",), options=options, backend="cpu"
        )["D_im"]

    together = diffusion(np.arange(64))
    for k in range(64):
        np.testing.assert_array_equal(diffusion([k])[0], together[k])


def test_mixture_coefficients_inherit_the_error() -> None:
    T = np.random.default_rng(6).uniform(200.0, 3000.0, 200)
    Y = np.random.default_rng(7).dirichlet(np.ones(NS), 200)
    exact, fitted = (
        bridge.evaluate(
            SPECIES, T, 1e7, Y, ("D_im", "eta"), options={"omega11": name}, backend="cpu"
        )
        for name in ("EXACT", "FITTED")
    )
    assert 1e-12 < np.abs(fitted["D_im"] / exact["D_im"] - 1.0).max() <= 1e-7
    np.testing.assert_array_equal(fitted["eta"], exact["eta"])


def test_fuller_takes_no_fit() -> None:
    names = ["O2", "CH4", "N2"]
    state = (names, 500.0, 1e6, [0.2, 0.3, 0.5], ("D_im",))
    exact, fitted = (
        bridge.evaluate(*state, options={"diffModel": "FULLER", "omega11": name}, backend="cpu")
        for name in ("EXACT", "FITTED")
    )
    np.testing.assert_array_equal(fitted["D_im"], exact["D_im"])


def neufeld() -> np.ndarray:
    table = shipped_tables()["neufeld"]["omega11"]
    return np.array([float(table[key]) for key in "ABCDEFGH"])


def test_a_fit_is_checked_where_it_was_not_made() -> None:
    eps = np.array([30.0, 150.0, 900.0])
    made = omega11fit.fit(neufeld(), eps, 0.3)
    assert made.low == 270.0 and made.high == 3200.0 and made.error <= 1e-7
    T = np.random.default_rng(8).uniform(made.low, made.high, 500)
    place = (np.log(T) - made.middle) * made.inverse
    assert np.abs(place).max() <= 1.0
    for well_depth, coefficients in zip(eps, made.coefficients, strict=True):
        exact = omega11fit.omega11(neufeld(), T / well_depth)
        assert np.abs(np.polyval(coefficients, place) / exact - 1.0).max() <= 1e-7


def test_a_fit_that_misses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(omega11fit, "TOLERANCE", 1e-10)
    with pytest.raises(ArgumentError, match=r"omega11.*'FITTED' has a relative error.*'EXACT'"):
        shared("FITTED")


def test_species_without_transport_constants_still_have_thermodynamics() -> None:
    arrays = {key: getattr(SPECIES, key)[:2] for key in ("W", "Tc", "Pc", "omega", "nasa7")}
    host = SpeciesData.from_host(None, **arrays)
    run = SharedData(host, Options.parse({"omega11": "FITTED"}))
    assert np.isfinite(run.fields()["prB"]).all()
