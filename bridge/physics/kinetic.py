"""Collision data of the species as the kinetic kernels read them: the option dilute = KINETIC.

Made by `shared` once per run. Equations: docs/physics/transport.md, section 11.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.errors import InconsistentError
from bridge.physics.species import SpeciesData

#: Coefficients of a fit: KINETIC_TERMS of kernels/shared.h.
TERMS = 8
#: Where the relaxation of rotation is given, K.
RELAXED = 298.0
#: Debye squared over kB and angstrom cubed, in K: (1e-18 esu cm)^2/(kB 1e-24 cm3).
DEBYE2 = 1e-36 / (1.380649e-16 * 1e-24)


def fields(species: SpeciesData, tables: dict[str, Any]) -> dict[str, Any]:
    """Members of `struct Shared`; collision data of all species are known."""
    data = present(species)
    depth, diameter, _, _, relaxation, rotation = data.T
    physical, neufeld = tables["physical"], tables["neufeld"]["omega22"]
    W, kB = species.W, physical["kB"]
    # eta = scale sqrt(T)/Omega22
    area = np.pi * (1e-10 * diameter) ** 2
    scale = 0.3125 * np.sqrt(np.pi * W / physical["NA"] * kB) / area
    root = np.sqrt(np.sqrt(W))
    records = np.stack([
        1.0 / depth, depth ** neufeld["B"], root / np.sqrt(scale), root * root, np.log(depth),
        rotation, relaxation * rotor(depth / RELAXED),
        delta(data, depth, diameter),
    ], axis=1)  # fmt: skip
    ratio = 1.0 / np.sqrt(8.0 * (1.0 + W[:, None] / W[None, :]))
    table = tables["monchickMason"]
    low, high = (float(np.log(table["range"][end])) for end in (0, 1))
    return {
        "kineticSpecies": np.ascontiguousarray(records),
        "kineticFits": fits(records[:, 7], table, tables["neufeld"]["omega22"]),
        "kineticRatio": ratio,
        "kineticPlace": np.array([0.5 * (high + low), 2.0 / (high - low)]),
        "kineticFloor": float(tables["chung"]["tStarMin"]) ** -neufeld["B"],
        "kineticInner": float(tables["masonSaxena"]),
    }


def present(species: SpeciesData) -> np.ndarray:
    """Collision data; InconsistentError that names the species without them."""
    known = species.collision
    if known is None:
        known = np.full((len(species.names), 6), np.nan)
    names = [name for name, row in zip(species.names, known, strict=True) if np.isnan(row).any()]
    if names:
        cause = f"'KINETIC' needs collision data, and none are known of {', '.join(names)}"
        remedy = "add lennardJones with its geometry to the species table, or take 'CHUNG'"
        raise InconsistentError("dilute", cause, remedy)
    return known


def rotor(inverse: np.ndarray) -> np.ndarray:
    """How the collisions per relaxation change with 1/T*. Source: Parker 1959, Brau 1967."""
    result: np.ndarray = (
        1.0
        + 0.5 * np.pi**1.5 * np.sqrt(inverse)
        + (0.25 * np.pi**2 + 2.0) * inverse
        + np.pi**1.5 * inverse**1.5
    )
    return result


def delta(data: np.ndarray, depth: np.ndarray, diameter: np.ndarray) -> np.ndarray:
    """Reduced dipole moments: mu^2/(2 eps sigma^3)."""
    result: np.ndarray = 0.5 * DEBYE2 * data[:, 2] ** 2 / (depth * diameter**3)
    return result


def pairs(species: SpeciesData) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """eps_ij K, sigma_ij angstrom and delta_ij^2, each (ns, ns): between a polar and a nonpolar
    molecule with the attraction of the dipole that one induces in the other. Source: Hirschfelder,
    Curtiss and Bird 1954."""
    depth, diameter, dipole, polarizability = present(species)[:, :4].T
    eps = np.sqrt(np.outer(depth, depth))
    sigma = 0.5 * np.add.outer(diameter, diameter)
    polar = dipole > 0.0
    induced = np.outer(
        DEBYE2 * dipole**2 / (depth * diameter**3) * np.sqrt(depth),
        polarizability / diameter**3 / np.sqrt(depth),
    )  # of (polar, nonpolar)
    xi = 1.0 + 0.25 * np.where(np.outer(polar, ~polar), induced, 0.0)
    xi *= xi.T
    eps, sigma = eps * xi**2, sigma * xi ** (-1.0 / 6.0)
    square = (0.5 * DEBYE2 * np.outer(dipole, dipole) / (eps * sigma**3)) ** 2
    return eps, sigma, square


def fits(reduced: np.ndarray, table: dict[str, Any], neufeld: dict[str, float]) -> np.ndarray:
    """(ns, 2, TERMS), highest power first, of the place of ln T* between the ends of the range:
    Omega22 over that without a dipole, and A*, from the tables of Monchick and Mason 1961."""
    Tstar = np.array(table["tStar"], dtype=float)
    columns = np.array(table["delta"], dtype=float)
    low, high = table["range"]
    used = (Tstar >= low) & (Tstar <= high)
    Tstar = Tstar[used]
    plain = neufeld["A"] * Tstar ** -neufeld["B"]
    for c, d in ("CD", "EF"):
        plain = plain + neufeld[c] * np.exp(-neufeld[d] * Tstar)
    known = np.minimum(reduced, columns[-1])
    across = np.vander(columns, 7)
    at = np.vander(known, 7) @ np.linalg.pinv(across)  # (ns, columns)
    at[known == 0.0] = np.eye(len(columns))[0]
    place = 2.0 * np.log(Tstar / low) / np.log(high / low) - 1.0
    along = np.linalg.pinv(np.vander(place, TERMS))
    made = []
    for name, over in (("omega22", plain), ("aStar", 1.0)):
        values = np.array(table[name], dtype=float)[used].T / over
        made.append(at @ values @ along.T)
    return np.stack(made, axis=1)
