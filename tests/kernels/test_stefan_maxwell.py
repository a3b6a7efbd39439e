"""The Fick matrix of Stefan-Maxwell diffusion against dense linear algebra and its limits."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from kernels.measure import gas, worst

import bridge
from bridge.physics.species import SpeciesData

NAMES = ["H2", "O2", "H2O", "CO2", "CH4", "C12H26"]
NS = len(NAMES)
TOL = 1e-11


def matrices(
    T: Any, P: Any, Y: Any, names: Any = NAMES, **options: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """F (n, ns, ns), pair coefficients D (n, ns, ns), X, W of the mixture, D_im."""
    outputs = ("D_fick", "D0_ij", "takahashi", "X", "W", "D_im")
    got = bridge.evaluate(names, T, np.atleast_1d(P), Y, outputs, options=options, backend="cpu")
    n, ns = got["X"].shape
    i, j = np.triu_indices(ns)
    D = np.empty((n, ns, ns))
    D[:, i, j] = D[:, j, i] = got["D0_ij"] * got["takahashi"][:, None]
    return got["D_fick"].reshape(n, ns, ns), D, got["X"], got["W"], got["D_im"]


@pytest.fixture(scope="module")
def states() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    T, P, Y = gas(60, NS, seed=4)
    Y[::3, 1] = 0.0  # exact zeros, among them neighbours in one vector of points
    Y[::7, 3:] = 0.0
    return T, P, Y / Y.sum(axis=1)[:, None]


def fluxes(D: np.ndarray, X: np.ndarray, W_i: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Molar fluxes over c from the equations as they stand, closed by no net mass flux."""
    ns = len(X)
    pairs = [(i, j) for i in range(ns) for j in range(ns) if i != j]
    system = np.zeros((ns, ns))
    for i, j in pairs:
        system[i, j] += X[i] / D[i, j]
        system[i, i] -= X[j] / D[i, j]
    # the equations add up to 0 = 0; the one of the most abundant species gives way
    last = int(np.argmax(X))
    system[last] = W_i / W_i.mean() / D.mean()
    right = gradient.copy()
    right[last] = 0.0
    return np.linalg.solve(system, right)


def test_fluxes_of_a_dense_solve(states: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    F, D, X, _, _ = matrices(*states)
    W_i = SpeciesData.load(NAMES).W
    random = np.random.default_rng(0)
    for k in range(len(X)):
        for gradient in random.normal(size=(3, NS)):
            gradient -= gradient.mean()
            expected = fluxes(D[k], X[k], W_i, gradient)
            size = np.abs(expected).max()
            assert worst(-F[k] @ gradient, expected, size) < TOL


def test_no_net_mass_flux_and_no_effect_of_a_common_part(
    states: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    F, _, X, W, _ = matrices(*states)
    W_i = SpeciesData.load(NAMES).W
    size = np.abs(F).max(axis=(1, 2))
    heaviest = W_i.max()
    assert np.abs(np.einsum("i,kij->kj", W_i, F) / (heaviest * size[:, None])).max() < 1e-13
    Y = X * W_i / W[:, None]
    assert np.abs(np.einsum("kij,kj->ki", F, Y) / size[:, None]).max() < 1e-13


def test_two_species() -> None:
    """F = (W2/W) D12 [[Y2, -Y1], ...], and on the diagonal the mixture-averaged coefficient."""
    T, P, Y = gas(40, 2, seed=5)
    names = ["H2", "C12H26"]
    F, D, _, W, D_im = matrices(T, P, Y, names)
    first, second = SpeciesData.load(names).W
    D12 = D[:, 0, 1]
    expected = np.empty_like(F)
    expected[:, 0, 0] = second / W * D12 * Y[:, 1]
    expected[:, 0, 1] = -second / W * D12 * Y[:, 0]
    expected[:, 1, 0] = -first / W * D12 * Y[:, 1]
    expected[:, 1, 1] = first / W * D12 * Y[:, 0]
    assert worst(F, expected, np.abs(expected).max(axis=(1, 2))[:, None, None]) < TOL
    assert worst(F[:, 0, 0] - F[:, 0, 1], D_im[:, 0]) < TOL
    assert worst(F[:, 1, 1] - F[:, 1, 0], D_im[:, 1]) < TOL


def test_a_trace_species_sees_its_mixture_averaged_coefficient(
    states: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    F, _, X, _, D_im = matrices(*states)
    absent = X == 0.0
    assert absent.any()
    diagonal = np.einsum("kii->ki", F)
    assert worst(diagonal[absent], D_im[absent]) < TOL
    rest = F[absent.nonzero()[0], absent.nonzero()[1]]
    # nothing else drives a species that is not there
    assert np.count_nonzero(rest) == len(rest)


def test_equal_coefficients_are_ficks_law() -> None:
    """Isotopes that differ in nothing: F = D (I - X 1^T) where all molar masses are equal."""
    nitrogen = SpeciesData.load(["N2"])
    isotopes: dict[str, Any] = {
        field.name: np.repeat(getattr(nitrogen, field.name), 3, axis=0)
        for field in dataclasses.fields(nitrogen)
        if isinstance(getattr(nitrogen, field.name), np.ndarray)
        and field.name not in ("kij", "atomsW")
    }
    isotopes["names"] = ["a", "b", "c"]
    T, P, Y = gas(9, 3, seed=6)
    F, D, X, _, _ = matrices(T, P, Y, isotopes)
    expected = D[:, :1, :1] * (np.eye(3) - X[:, :, None] * np.ones((1, 3)))
    assert worst(F, expected, D[:, :1, :1]) < TOL


def test_a_species_alone_does_not_diffuse() -> None:
    F, D, _, _, _ = matrices([300.0], [1e5], [1.0], ["N2"])
    assert abs(F[0, 0, 0]) < 1e-15 * D[0, 0, 0]
    F, D, _, _, _ = matrices([300.0], [1e5], [0.0, 1.0, 0.0], ["H2", "N2", "CO2"])
    assert np.isfinite(F).all() and abs(F[0, 1, 1]) < 1e-13 * D.max()


def test_factor_of_each_pair() -> None:
    """PAIRWISE and GLOBAL are the same for two species, and differ for more at high pressure."""
    T, P, Y = gas(20, 2, seed=7, T=(300.0, 600.0), P=(1e7, 3e7))
    one = matrices(T, P, Y, ["O2", "CH4"])[0]
    other = matrices(T, P, Y, ["O2", "CH4"], takaMode="PAIRWISE")[0]
    assert worst(other, one, np.abs(one).max()) < TOL
    T, P, Y = gas(20, 3, seed=8, T=(300.0, 600.0), P=(1e7, 3e7))
    names = ["O2", "CH4", "C12H26"]
    one, other = (matrices(T, P, Y, names, takaMode=mode)[0] for mode in ("GLOBAL", "PAIRWISE"))
    assert np.abs(other / one - 1.0).max() > 1e-3


def test_bad_points_are_nan() -> None:
    T, P, Y = gas(10, NS, seed=9)
    T[3], Y[6] = -1.0, 0.0
    F = matrices(T, P, Y)[0]
    bad = np.isnan(F).all(axis=(1, 2))
    assert bad.tolist() == [k in (3, 6) for k in range(10)]
