"""Against cantera at test time, at states the reference file does not hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import yaml
from kernels.measure import TOLERANCES, R, worst

import bridge
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.usefixtures("backend")

SPECIES = ["O2", "CH4", "CO2", "CO", "N2"]
TOL = TOLERANCES["property"]["cantera"]


@pytest.fixture(scope="module")
def library() -> Any:
    ct = pytest.importorskip("cantera")
    ct.suppress_thermo_warnings()
    data = SpeciesData.load(SPECIES)
    fields = SharedData(data).fields()
    species = []
    for k, name in enumerate(data.names):
        record = data.nasa7[k].tolist()
        atoms = {"O2": {"O": 2}, "CH4": {"C": 1, "H": 4}, "CO2": {"C": 1, "O": 2},
                 "CO": {"C": 1, "O": 1}, "N2": {"N": 2}}[name]  # fmt: skip
        species.append(
            {
                "name": name,
                "composition": atoms,
                "thermo": {
                    "model": "NASA7",
                    "reference-pressure": 101325.0,
                    "temperature-ranges": record[:3],
                    "data": [record[3:10], record[10:17]],
                },
                # kmol for cantera
                "equation-of-state": {
                    "model": "Peng-Robinson",
                    "a": 1e6 * float(fields["prQ"][k] ** 2),
                    "b": 1e3 * float(fields["prB"][k]),
                    "acentric-factor": float(data.omega[k]),
                },
            }
        )
    phase = {"name": "gas", "thermo": "Peng-Robinson", "species": list(data.names),
             "elements": ["O", "C", "H", "N"], "state": {"T": 300.0, "P": 1e5}}  # fmt: skip
    # atomic weights that add up to our molar masses
    W = dict(zip(data.names, 1e3 * data.W, strict=True))
    oxygen, nitrogen = W["O2"] / 2, W["N2"] / 2
    carbon = W["CO"] - oxygen
    weights = {"O": oxygen, "C": carbon, "H": (W["CH4"] - carbon) / 4, "N": nitrogen}
    elements = [
        {"symbol": symbol, "atomic-weight": float(weight)} for symbol, weight in weights.items()
    ]
    content = {"phases": [phase], "species": species, "elements": elements}
    return ct.Solution(yaml=yaml.safe_dump(content))


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
