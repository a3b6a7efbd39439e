"""Against cantera at test time, at states the reference file does not hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels import canteraphase
from kernels.measure import TOLERANCES, R, worst

import bridge

pytestmark = pytest.mark.usefixtures("backend")

SPECIES = ["O2", "CH4", "CO2", "CO", "N2"]
TOL = TOLERANCES["property"]["cantera"]


@pytest.fixture(scope="module")
def library() -> Any:
    return canteraphase.phase(SPECIES)


def test_states(library: Any) -> None:
    """At our (T, rho, Y), away from sign changes of the attraction and inside the fits."""
    random = np.random.default_rng(11)
    n = 60
    T = random.uniform(320.0, 1250.0, n)
    P = np.exp(random.uniform(np.log(1e5), np.log(5e7), n))
    Y = random.dirichlet(np.ones(len(SPECIES)), n)
    names = ("rho", "h", "s", "cp", "cv", "W", "Pkappa", "mu_i")
    got = bridge.evaluate(SPECIES, T, P, Y, names)
    expected = {name: np.empty_like(got[name]) for name in ("h", "s", "cp", "cv", "W", "mu_i")}
    pressure = np.empty(n)
    for k in range(n):
        library.TDY = T[k], got["rho"][k], Y[k]
        pressure[k] = library.P
        expected["h"][k] = library.enthalpy_mass
        expected["s"][k] = library.entropy_mass
        expected["cp"][k] = library.cp_mass
        expected["cv"][k] = library.cv_mass
        expected["W"][k] = 1e-3 * library.mean_molecular_weight
        expected["mu_i"][k] = 1e-3 * library.chemical_potentials
    assert worst(P, pressure, condition=got["Pkappa"]) < TOL
    W = expected["W"]
    scales = {"h": R * T / W, "s": R / W, "mu_i": (R * T)[:, None]}
    for name in expected:
        error = worst(got[name], expected[name], scales.get(name, 0.0), got["Pkappa"])
        assert error < TOL, name
