"""What the friction theory knows of the species: the option viscosity = FRICTION.

Made by `shared` once per run. Equations: docs/physics/transport.md, section 11.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.errors import InconsistentError
from bridge.physics.species import SpeciesData


def fields(species: SpeciesData, tables: dict[str, Any], cubic: str) -> dict[str, Any]:
    """Members of `struct Shared`; critical viscosities of all species are known. cubic: the key of
    its constants."""
    eta, table = present(species), tables["frictionTheory"][cubic]
    psi = 1e6 * float(tables["physical"]["R"]) * species.Tc / species.Pc  # cm3/mol

    def linear(part: dict[str, Any]) -> list[np.ndarray]:
        """Coefficients of a friction of the first order, over eta/Pc."""
        polynomials = ([part["critical"]], [part["first"]], part["second"], part["third"])
        return [np.polyval(one[::-1], psi) for one in polynomials]

    square = table["squared"]
    over = eta / species.Pc
    records = [
        species.Tc,
        (1000.0 * species.W) ** -tables["frictionTheory"]["massPower"],
        *(over * one for one in linear(table["repulsive"])),
        *(over * one for one in linear(table["attractive"])),
        over / species.Pc * square["critical"],
        over / species.Pc * square["psi"] * psi,
    ]
    chung = tables["chung"]
    return {
        "frictionSpecies": np.ascontiguousarray(np.stack(records, axis=1)),
        "frictionMost": float(chung["epsFactor"] / chung["tStarMin"]),
    }


def present(species: SpeciesData) -> np.ndarray:
    """Critical viscosities; InconsistentError that names the species without one."""
    known = species.criticalViscosity
    if known is None:
        known = np.full(len(species.names), np.nan)
    names = [name for name, eta in zip(species.names, known, strict=True) if np.isnan(eta)]
    if names:
        cause = f"'FRICTION' needs criticalViscosity, and none is known of {', '.join(names)}"
        remedy = "add it to the species table or to 'override', or take 'CHUNG'"
        raise InconsistentError("viscosity", cause, remedy)
    return known
