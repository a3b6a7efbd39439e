"""Viscosity by the friction theory on accuracy.md, beside Chung's method and CoolProp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from purefluids import PRESSURES
from writing import prose, span, table

import bridge
from bridge.physics.species import SpeciesData

FRICTION = {"viscosity": "FRICTION"}
#: Mole fractions of air: that which the correlation of Lemmon and Jacobsen 2004 is for.
AIR = {"N2": 0.7812, "O2": 0.2096, "AR": 0.0092}


@dataclass(frozen=True)
class Fluid:
    """coolprop: its name there; lowest: T/Tc."""

    coolprop: str
    lowest: float


#: Pure fluids by their species; O2 and AR have estimates.
FLUIDS = {
    "CH4": Fluid("Methane", 0.5),
    "C2H6": Fluid("Ethane", 0.4),
    "C3H8": Fluid("n-Propane", 0.45),
    "C12H26": Fluid("n-Dodecane", 0.45),
    "CO2": Fluid("CarbonDioxide", 0.72),
    "N2": Fluid("Nitrogen", 0.55),
    "O2": Fluid("Oxygen", 0.5),
    "AR": Fluid("Argon", 0.57),
}
ESTIMATED = ("O2", "AR")
MIXTURE = Fluid("Air", 0.6)
RANGES = {"liquid": (0.0, 1.0), "1 to 1.3 Tc": (1.0, 1.3), "1.3 to 3 Tc": (1.3, 3.01)}


def estimate(species: str) -> float:
    """Critical viscosity, Pa s."""
    data = SpeciesData.load([species])
    M, Pc, Tc = 1e3 * data.W[0], 1e-5 * data.Pc[0], data.Tc[0]
    return float(7.9483e-7 * np.sqrt(M) * Pc ** (2.0 / 3.0) / Tc ** (1.0 / 6.0))


def critical(species: list[str], estimated: tuple[str, ...] = ESTIMATED) -> dict[str, Any]:
    """Options: FRICTION with the values of the table, or estimates."""
    known = SpeciesData.load(species).criticalViscosity
    assert known is not None
    pairs = zip(species, known.tolist(), strict=True)
    return FRICTION | {
        "override": {"criticalViscosity": [estimate(s) if s in estimated else e for s, e in pairs]}
    }


def of_liquids_and_gases(fluid: Fluid, Tc: float, dense: float) -> tuple[np.ndarray, ...]:
    """T, P and eta of CoolProp; below Tc what is denser than `dense`, kg/m3, a liquid."""
    from CoolProp.CoolProp import PropsSI

    found = []
    for T in Tc * np.concatenate(
        [np.linspace(fluid.lowest, 0.98, 10), np.linspace(1.02, 3.0, 20)]
    ):
        for P in PRESSURES:
            try:
                eta = PropsSI("V", "T", T, "P", P, fluid.coolprop)
            except ValueError:  # frozen, or outside the range of the correlations
                continue
            if T > Tc or PropsSI("D", "T", T, "P", P, fluid.coolprop) > dense:
                found.append((T, P, eta))
    return tuple(np.array(found).T)


def row(
    parts: dict[str, float], fluid: Fluid, Tc: float, dense: float, options: dict[str, Any]
) -> dict[str, list[float]]:
    """By range: mean and largest deviation in per cent, with CHUNG, PENELOUX and FRICTION."""
    T, P, eta = of_liquids_and_gases(fluid, Tc, dense)
    species = list(parts)
    X = np.tile(np.array([*parts.values()]) / sum(parts.values()), (len(T), 1))
    found: dict[str, list[float]] = {name: [] for name in RANGES}
    for chosen in ({}, {"volumeShift": "PENELOUX"}, options):
        got = bridge.evaluate(
            species, T, P, X=X, outputs="eta", options=chosen, backend="cpu", stability="off"
        )
        off = 100.0 * np.abs(got["eta"] / eta - 1.0)
        for name, (low, high) in RANGES.items():
            some = off[(T / Tc > low) & (T / Tc < high)]
            found[name] += [float(some.mean()), float(some.max())]
    return found


def of_species(species: str, options: dict[str, Any]) -> dict[str, list[float]]:
    data = SpeciesData.load([species])
    assert data.Vc is not None  # the shipped table has it of every species
    Tc, dense = float(data.Tc[0]), float(1.5 * data.W[0] / data.Vc[0])
    return row({species: 1.0}, FLUIDS[species], Tc, dense, options)


def friction() -> str:
    rows, liquids = [], {}
    for species in FLUIDS:
        found = of_species(species, critical([species]))
        liquids[species] = found["liquid"][4]
        rows.append((f"{species}, estimate" if species in ESTIMATED else species, found))
    rows.append(("air, estimates", row(AIR, MIXTURE, 132.6, 500.0, critical([*AIR]))))
    cells = [
        [name, *(f"{f[k]:.1f}/{f[k + 1]:.1f}" for f in found.values() for k in (0, 2, 4))]
        for name, found in rows
    ]
    header = ["fluid"]
    header += [f"{name}: {how}" for name in RANGES for how in ("CHUNG", "PENELOUX", "FRICTION")]
    best = [name for name in liquids if name not in ("N2", *ESTIMATED)]
    hot = [[found["1.3 to 3 Tc"][2 * k] for _, found in rows] for k in range(3)]
    better = of_species("N2", critical(["N2"], ("N2",)))["liquid"][4]
    return "\n\n".join(
        [
            prose(
                """Deviation of the viscosity from CoolProp in per cent, mean/max, at 0.1 to 30
                MPa: Chung's method, the same with `volumeShift = PENELOUX`, and
                `viscosity = FRICTION` ([friction
                theory](physics/transport.md#friction-theory)), which the shift does not change.
                `estimate`: no critical viscosity is published, and `override` gives that of the
                formula there."""
            ),
            table(header, cells),
            prose(
                f"""- **Liquids** of {", ".join(best)} are
                {min(liquids[s] for s in best):.1f} to {max(liquids[s] for s in best):.1f} % off in
                the mean. That of N2 is {liquids["N2"]:.0f} % too low with the published critical
                viscosity, and {better:.0f} % off with the estimate, `override =
                criticalViscosity={estimate("N2"):.4g}`.""",
                f"""- **Above 1.3 Tc** the mean deviation is {span(hot[2])} %, with Chung's method
                {span(hot[0])} %.""",
                """- **Air** is the only mixture here that has a reference.""",
            ),
        ]
    )
