"""A Peng-Robinson phase of cantera with the species constants of the package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import yaml

from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData


def phase(species: list[str]) -> Any:
    """Cantera is set to (T, rho), so that it chooses no root. Each species is its own element,
    which has the molar mass. Attractions multiply as in ABS."""
    ct = pytest.importorskip("cantera")
    ct.suppress_thermo_warnings()
    data = SpeciesData.load(species)
    fields = SharedData(data).fields()
    records, elements = [], []
    for k in range(len(species)):
        nasa = data.nasa7[k].tolist()
        elements.append({"symbol": f"E{k}", "atomic-weight": 1e3 * float(data.W[k])})
        records.append(
            {
                "name": f"S{k}",
                "composition": {f"E{k}": 1},
                "thermo": {
                    "model": "NASA7",
                    "reference-pressure": 101325.0,
                    "temperature-ranges": nasa[:3],
                    "data": [nasa[3:10], nasa[10:17]],
                },
                # kmol for cantera
                "equation-of-state": {
                    "model": "Peng-Robinson",
                    "a": 1e6 * float(fields["prQ"][k] ** 2),
                    "b": 1e3 * float(fields["prB"][k]),
                    "acentric-factor": _acentric(float(data.omega[k]), float(fields["prM"][k])),
                },
            }
        )
    gas = {"name": "gas", "thermo": "Peng-Robinson", "species": [r["name"] for r in records],
           "elements": [e["symbol"] for e in elements],
           "state": {"T": 300.0, "P": 1e5}}  # fmt: skip
    content = {"phases": [gas], "species": records, "elements": elements}
    return ct.Solution(yaml=yaml.safe_dump(content))


def _acentric(omega: float, m: float) -> float:
    """That for which cantera's slope of the attraction, which is another one above 0.491, is m."""
    if omega <= 0.491:
        return omega
    roots = np.roots([0.016666, -0.164423, 1.487503, 0.374642 - m])
    return float(next(r.real for r in roots if abs(r.imag) < 1e-12 and 0.49 < r.real < 2.0))
