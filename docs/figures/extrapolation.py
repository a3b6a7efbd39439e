"""Heat capacities outside their fits on accuracy.md: how far off, and whether T_EXTRAP says so."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from writing import prose, table

import bridge
from bridge.physics.species import SpeciesData

#: Species of the shipped table that CoolProp has, by their names there.
FLUIDS = {
    "H2": "Hydrogen",
    "O2": "Oxygen",
    "N2": "Nitrogen",
    "AR": "Argon",
    "H2O": "Water",
    "CO": "CarbonMonoxide",
    "CO2": "CarbonDioxide",
    "N2O": "NitrousOxide",
    "NH3": "Ammonia",
    "CH4": "Methane",
    "C2H4": "Ethylene",
    "C2H6": "Ethane",
    "C3H8": "n-Propane",
    "CH3OH": "Methanol",
    "C12H26": "n-Dodecane",
}
#: Temperatures below and above the fits, K.
COLD, HOT = np.arange(50.0, 300.0, 10.0), np.arange(3600.0, 6001.0, 100.0)
#: A heat capacity that is more than this off is what the bit should tell of.
HARM = 0.03


class Side(NamedTuple):
    """Temperatures outside the fit of a species (n,), cp over that of CoolProp, and the bit."""

    T: np.ndarray
    ratio: np.ndarray
    bit: np.ndarray


def side(species: str, T: np.ndarray) -> Side:
    """Of an ideal gas: cp0 of the model and of the reference equation."""
    from CoolProp.CoolProp import AbstractState, DmolarT_INPUTS, iphase_gas

    state = AbstractState("HEOS", FLUIDS[species])
    state.specify_phase(iphase_gas)
    real = np.empty(len(T))
    for k, value in enumerate(T):
        state.update(DmolarT_INPUTS, 1e-6, float(value))
        real[k] = state.cp0molar()
    got = bridge.evaluate(species, T, 1.0, 1.0, outputs="cp0_i", backend="cpu")
    bit = np.array(["T_EXTRAP" in words for words in got.status.words], dtype=bool)
    return Side(T, got["cp0_i"][:, 0] / real, bit)


def counted(name: str, sides: list[Side]) -> list[str]:
    harm = np.concatenate([np.abs(one.ratio - 1.0) > HARM for one in sides])
    bit = np.concatenate([one.bit for one in sides])
    numbers = (len(bit), harm.sum(), (bit & harm).sum(), (harm & ~bit).sum(), (bit & ~harm).sum())
    return [name, *(str(number) for number in numbers)]


def extrapolation() -> str:
    cold, hot = {}, {}
    for species in FLUIDS:
        low, _, high = SpeciesData.load([species]).nasa7[0, :3]
        cold[species] = side(species, COLD[COLD < low])
        hot[species] = side(species, HOT[HOT > high])
    worst = {
        name: one.ratio[np.argmax(np.abs(one.ratio - 1.0))] - 1.0 for name, one in cold.items()
    }
    harmless = [name for name, one in cold.items() if not one.bit.any()]
    rows = [counted("below", [*cold.values()]), counted("above", [*hot.values()])]
    missed = [
        abs(ratio - 1.0)
        for one in (*cold.values(), *hot.values())
        for ratio, bit in zip(one.ratio, one.bit, strict=True)
        if not bit and abs(ratio - 1.0) > HARM
    ]
    most_missed = max(missed)
    header = [
        "side",
        "states",
        "cp more than 3 % off",
        "with T_EXTRAP",
        "missed",
        "T_EXTRAP too much",
    ]
    off = ", ".join(
        f"{name} {100.0 * worst[name]:+.1f}" for name in FLUIDS if name not in harmless
    )
    most = max(abs(worst[name]) for name in harmless)
    return "\n\n".join(
        [
            prose(
                f"""Outside the fit of a species its ideal-gas heat capacity stays constant
                ([physics](physics/equation-of-state.md#4-ideal-gas-nasa-7)). The {len(FLUIDS)}
                species that CoolProp has too, from {COLD[0]:g} K to Tlow in steps of 10 K, and
                from Thigh to {HOT[-1]:g} K in steps of 100 K:"""
            ),
            table(header, rows),
            prose(
                f"""- **Cold gases whose fit ends flat** never have the bit: {", ".join(harmless)}.
                Their cp is at most {100.0 * most:.1f} % off, down to {COLD[0]:g} K.""",
                f"""- **The others** have it. The largest deviation of their cp in per cent:
                {off}.""",
                f"""- States that are missed are at most {100.0 * most_missed:.1f} % off.""",
            ),
        ]
    )
