"""The volume shift on accuracy.md: pure liquids without and with it, beside CoolProp."""

from __future__ import annotations

import numpy as np
from purefluids import PRESSURES, QUANTITIES, States, coolprop
from writing import prose, table

import bridge
from bridge.physics.species import SpeciesData

#: Species -> name in CoolProp, lowest T/Tc.
LIQUIDS = {
    "O2": ("Oxygen", 0.5),
    "N2": ("Nitrogen", 0.55),
    "CH4": ("Methane", 0.5),
    "CO2": ("CarbonDioxide", 0.72),
    "C12H26": ("n-Dodecane", 0.5),
    "H2O": ("Water", 0.5),
}
HEADER = ["liquid", "points", *QUANTITIES]


def states(species: str, low: float, high: float) -> States:
    """Ten temperatures between two reduced ones, at the pressures above saturation."""
    from CoolProp.CoolProp import PropsSI

    fluid, Tc = LIQUIDS[species][0], SpeciesData.load([species]).Tc[0]
    chosen = []
    for T in Tc * np.linspace(low, high, 10):
        saturation = PropsSI("P", "T", T, "Q", 0, fluid) if T < 0.999 * Tc else 0.0
        chosen += [(float(T), P) for P in PRESSURES if saturation * 1.001 < P]
    return coolprop(fluid, chosen)


def errors(species: str, at: States, shift: str) -> list[float]:
    """Mean deviations in per cent."""
    options = {"volumeShift": shift}
    got = bridge.evaluate(
        species, at.T, at.P, outputs=QUANTITIES, options=options, backend="cpu", stability="off"
    )
    return [100.0 * float(np.mean(abs(got[q] / at.reference[q] - 1.0))) for q in QUANTITIES]


def changes(species: str, at: States) -> list[str]:
    both = zip(errors(species, at, "NONE"), errors(species, at, "PENELOUX"), strict=True)
    return [f"{plain:.1f} → {shifted:.1f}" for plain, shifted in both]


def shift() -> str:
    rows = []
    for species, (_, low) in LIQUIDS.items():
        at = states(species, low, 0.95)
        rows.append([species, str(len(at.T)), *changes(species, at)])
    near = states("O2", 0.95, 1.15)
    rows.append(["O2, 0.95 < Tr < 1.15", str(len(near.T)), *changes("O2", near)])
    return "\n\n".join(
        [
            prose(
                """Mean deviations from CoolProp in per cent, without → with the option
                `volumeShift = PENELOUX`, of liquids below 0.95 Tc at 0.1 to 30 MPa."""
            ),
            table(HEADER, rows),
            prose(
                """- The shift mends the density, and with it the viscosity and conductivity of
                small molecules, which Chung's method takes at the density.""",
                """- It makes C12H26 and H2O denser, and Chung's viscosity and conductivity of them
                worse: at the true density the method is far off there. `override = cShift=...`
                sets the shift of each species, also to zero.""",
                """- The shift is one number for each species. It does not mend the density close
                to the critical point.""",
            ),
        ]
    )
