"""Cantera as a candidate: the same states through its Python interface, point by point.

What it computes is not quite the same: its Peng-Robinson phase with the textbook cross term, its
own root, and instead of our derivatives the isothermal compressibility and the thermal
expansion; its transport (high-pressure-Chung) mixes by the published dense form, and its
mixture-averaged diffusion takes Takahashi's factor pair by pair. A state costs several calls
from Python, which count. No interaction coefficients. Rows say so ("through Python").
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.measuring.states import States
from bridge.physics.shared import SharedData

#: What a turn reads of each state, by set.
THERMAL = (
    "density",
    "enthalpy_mass",
    "cp_mass",
    "cv_mass",
    "isothermal_compressibility",
    "thermal_expansion_coeff",
    "sound_speed",
)
TRANSPORT = ("viscosity", "thermal_conductivity", "mix_diff_coeffs")

#: Geometry of a molecule by its number of atoms, which is guessed from its heat capacity.
_GEOMETRY = {1: "atom", 2: "linear", 3: "nonlinear"}


class CanteraLoop:
    """The first `n` states; `missing` says why where cantera cannot take part."""

    def __init__(self, states: States, n: int = 128) -> None:
        self.n = min(n, states.n)
        self._states = states
        self.missing = ""
        try:
            import cantera
        except ImportError:
            self.missing = "not installed"
            return
        cantera.suppress_thermo_warnings()
        self.version = cantera.__version__
        try:
            self._gas = cantera.Solution(yaml=_phase(states))
            self._gas.TPY = 1000.0, 1e7, states.Y[0]
            self._gas.viscosity  # noqa: B018
        except cantera.CanteraError as error:
            lines = [line for line in str(error).splitlines() if line.strip("* \t")]
            self.missing = lines[-1]

    def run_thermal(self) -> None:
        self._loop(THERMAL)

    def run_full(self) -> None:
        self._loop((*THERMAL, *TRANSPORT))

    def _loop(self, names: tuple[str, ...]) -> None:
        gas, states = self._gas, self._states
        for k in range(self.n):
            gas.TPY = states.T[k], states.P[k], states.Y[k]
            for name in names:
                getattr(gas, name)


def _phase(states: States) -> str:
    """A phase of our constants; each species is of an element of its own."""
    import yaml

    data = states.species
    fields: dict[str, Any] = SharedData(data).fields()
    assert data.Vc is not None and data.dipole is not None
    sigma = 0.809 * np.cbrt(1e6 * data.Vc)
    species, elements = [], []
    for k, name in enumerate(data.names):
        record = data.nasa7[k].tolist()
        heat = record[3] + record[4] * 300.0  # cp/R, roughly
        atoms = 1 if heat < 2.6 else 2 if heat < 3.9 else 3
        elements.append({"symbol": f"Z{k}", "atomic-weight": float(1e3 * data.W[k] / atoms)})
        species.append(
            {
                "name": name,
                "composition": {f"Z{k}": atoms},
                "thermo": {
                    "model": "NASA7",
                    "temperature-ranges": record[:3],
                    "data": [record[3:10], record[10:17]],
                },
                "equation-of-state": {
                    "model": "Peng-Robinson",
                    "a": 1e6 * float(fields["prQ"][k] ** 2),
                    "b": 1e3 * float(fields["prB"][k]),
                    "acentric-factor": float(data.omega[k]),
                },
                "critical-parameters": {
                    "critical-temperature": float(data.Tc[k]),
                    "critical-pressure": float(data.Pc[k]),
                    "acentric-factor": float(data.omega[k]),
                },
                "transport": {
                    "model": "gas",
                    "geometry": _GEOMETRY[atoms],
                    "diameter": float(sigma[k]),
                    "well-depth": float(data.Tc[k] / 1.2593),
                    "dipole": float(data.dipole[k]),
                    "acentric-factor": float(data.omega[k]),
                },
            }
        )
    phase = {
        "name": "gas",
        "thermo": "Peng-Robinson",
        "transport": "high-pressure-Chung",
        "elements": [element["symbol"] for element in elements],
        "species": list(data.names),
        "state": {"T": 1000.0, "P": 1e5},
    }
    return yaml.safe_dump({"phases": [phase], "species": species, "elements": elements})
