"""Mixtures of accuracy.md: gases beside Cantera, dense gases beside CoolProp, the poles of Chung's
published form."""

from __future__ import annotations

from typing import Any

import numpy as np
from purefluids import FLUIDS
from writing import between, prose, span, table

import bridge

ATMOSPHERE = 101325.0
#: Gas -> (mole fractions, temperatures in K); with water no temperature where it condenses.
GASES: dict[str, tuple[dict[str, float], tuple[int, ...]]] = {
    "N2": ({"N2": 1.0}, (300, 1000, 2000)),
    "O2": ({"O2": 1.0}, (300, 1000, 2000)),
    "CH4": ({"CH4": 1.0}, (300, 1000, 2000)),
    "H2O": ({"H2O": 1.0}, (500, 1000, 2000)),
    "H2": ({"H2": 1.0}, (300, 1000, 2000)),
    "CH4/air, stoichiometric": ({"CH4": 1.0, "O2": 2.0, "N2": 7.52}, (300, 1000, 2000)),
    "its products": ({"CO2": 1.0, "H2O": 2.0, "N2": 7.52}, (500, 1000, 2000)),
    "CH4/O2, stoichiometric": ({"CH4": 1.0, "O2": 2.0}, (300, 1000, 2000)),
    "H2/air, stoichiometric": ({"H2": 2.0, "O2": 1.0, "N2": 3.76}, (300, 1000, 2000)),
    "H2/air, 0.7 H2": ({"H2": 0.7, "O2": 0.063, "N2": 0.237}, (300, 1000, 2000)),
    "H2/air, 0.9 H2": ({"H2": 0.9, "O2": 0.021, "N2": 0.079}, (300, 1000, 2000)),
    "products of H2/air": ({"H2O": 2.0, "N2": 3.76}, (500, 1000, 2000)),
    "H2/O2, stoichiometric": ({"H2": 2.0, "O2": 1.0}, (300, 1000, 2000)),
    "H2/H2O, half and half": ({"H2": 0.5, "H2O": 0.5}, (500, 1000, 2000)),
    "H2/H2O, 0.9 H2": ({"H2": 0.9, "H2O": 0.1}, (500, 1000, 2000)),
}


def of_cantera(species: list[str], X: np.ndarray, T: np.ndarray) -> dict[str, np.ndarray]:
    """eta, lambda and D_im of the mixture-averaged model, and the multicomponent "multi" lambda;
    GRI-Mech 3.0, 1 atm."""
    import cantera

    averaged, multi = (
        cantera.Solution("gri30.yaml", transport_model=name)
        for name in ("mixture-averaged", "multicomponent")
    )
    places = [averaged.species_index(name) for name in species]
    fractions = np.zeros(averaged.n_species)
    fractions[places] = X
    found: dict[str, list[Any]] = {"eta": [], "lambda": [], "D_im": [], "multi": []}
    for t in T:
        for gas in (averaged, multi):
            gas.TPX = t, ATMOSPHERE, fractions
        found["eta"].append(averaged.viscosity)
        found["lambda"].append(averaged.thermal_conductivity)
        found["D_im"].append(averaged.mix_diff_coeffs[places])
        found["multi"].append(multi.thermal_conductivity)
    return {name: np.array(values) for name, values in found.items()}


class Compared:
    """Ratios to Cantera by gas, of D_im by gas and species; many: of lambda to the multicomponent
    one, multi: of that one to the mixture-averaged one."""

    def __init__(self, **options: str) -> None:
        self.eta: dict[str, np.ndarray] = {}
        self.averaged: dict[str, np.ndarray] = {}
        self.many: dict[str, np.ndarray] = {}
        self.multi: dict[str, np.ndarray] = {}
        self.D: dict[tuple[str, str], np.ndarray] = {}
        for label, (parts, temperatures) in GASES.items():
            species, T = list(parts), np.array(temperatures, dtype=float)
            X = np.array(list(parts.values())) / sum(parts.values())
            theirs = of_cantera(species, X, T)
            mine = bridge.evaluate(
                species, T, ATMOSPHERE, X=X, outputs="eta lambda D_im", options=options,
                backend="cpu",
            )  # fmt: skip
            self.eta[label] = mine["eta"] / theirs["eta"]
            self.averaged[label] = mine["lambda"] / theirs["lambda"]
            self.many[label] = mine["lambda"] / theirs["multi"]
            self.multi[label] = theirs["multi"] / theirs["lambda"]
            if len(species) > 1:
                for k, name in enumerate(species):
                    self.D[label, name] = mine["D_im"][:, k] / theirs["D_im"][:, k]

    def rows(self, *columns: dict[str, np.ndarray]) -> list[list[str]]:
        """Of the gases: these columns, then D_im."""
        found = []
        for label in GASES:
            diffusion = [f"{k[1]} {between(self.D[k])[:-2]}" for k in self.D if k[0] == label]
            numbers = (between(column[label])[:-2] for column in columns)
            found.append([label, *numbers, "; ".join(diffusion) or "-"])
        return found


def gases() -> str:
    got = Compared()
    with_h2 = [label for label, (parts, _) in GASES.items() if "H2" in parts and len(parts) > 1]
    without = [label for label, (parts, _) in GASES.items() if "H2" not in parts]
    steam = [got.D[key] for key in got.D if key[1] == "H2O"]
    return "\n\n".join(
        [
            prose(
                """Deviation in per cent from Cantera's mixture-averaged model with the data of
                GRI-Mech 3.0, at 1 atm and 300, 1000 and 2000 K (500, 1000 and 2000 K with water),
                the lowest to the highest."""
            ),
            table(["gas", "eta", "lambda", "D_im"], got.rows(got.eta, got.averaged)),
            prose(
                f"""- **Without H2** the deviation is
                {between([got.eta[key] for key in without])} in viscosity and
                {between([got.averaged[key] for key in without])} in conductivity.""",
                f"""- **Mixtures with H2** have {between([got.eta[key] for key in with_h2])} in
                viscosity and {between([got.averaged[key] for key in with_h2])} in conductivity:
                Chung's method mixes the constants of the species, not their conductivities.
                Cantera's multicomponent conductivity differs from the mixture-averaged one by
                {between([got.multi[key] for key in with_h2])}.""",
                f"""- **Diffusion**: the coefficient of H2O has {between(steam)}, because with
                Chung's constants the molecule is larger.""",
                """- Mixtures at high pressure are not compared: no independent package has their
                transport.""",
            ),
        ]
    )


def kinetic() -> str:
    got = Compared(dilute="KINETIC")
    eta, many, multi = (np.concatenate(list(of.values())) for of in (got.eta, got.many, got.multi))
    return "\n\n".join(
        [
            prose(
                """With `dilute = KINETIC` ([kinetic
                theory](physics/transport.md#11-chung-viscosity-and-conductivity)) and the same
                data, at the same states; the conductivity also from Cantera's multicomponent
                model:"""
            ),
            table(
                ["gas", "eta", "lambda", "lambda, multicomponent", "D_im"],
                got.rows(got.eta, got.averaged, got.many),
            ),
            prose(
                f"""Viscosity is off by {between(eta)}, diffusion by
                {between(list(got.D.values()))}. Conductivity has {between(many)} from the
                multicomponent model, from which Cantera's mixture-averaged one has
                {between(1.0 / multi)}: the rules that mix the conductivities differ."""
            ),
        ]
    )


#: Mixture -> (mole fractions, temperatures in K) above every phase boundary, and those pressures.
DENSE: dict[str, tuple[dict[str, float], tuple[int, ...]]] = {
    "air": ({"N2": 0.79, "O2": 0.21}, (150, 200, 300, 600)),
    "CH4/O2": ({"CH4": 0.5, "O2": 0.5}, (200, 250, 300, 600)),
    "CH4/N2": ({"CH4": 0.5, "N2": 0.5}, (200, 250, 300, 600)),
    "CH4/CO2": ({"CH4": 0.5, "CO2": 0.5}, (290, 320, 350, 600)),
    "CO2/N2": ({"CO2": 0.5, "N2": 0.5}, (290, 320, 350, 600)),
    "CO2/H2O": ({"CO2": 0.5, "H2O": 0.5}, (700, 1000)),
    "N2/H2O": ({"N2": 0.5, "H2O": 0.5}, (700, 1000)),
    "H2/N2": ({"H2": 0.5, "N2": 0.5}, (150, 200, 300, 600)),
    "H2/O2": ({"H2": 0.5, "O2": 0.5}, (200, 250, 300, 600)),
    "H2/CH4": ({"H2": 0.5, "CH4": 0.5}, (200, 250, 300, 600)),
    "H2/H2O": ({"H2": 0.5, "H2O": 0.5}, (700, 1000)),
}
DENSE_PRESSURES = (1e6, 5e6, 1e7, 2e7, 3e7)


def of_coolprop(parts: dict[str, float], T: np.ndarray, P: np.ndarray) -> dict[str, np.ndarray]:
    """rho, cp and c of the multiparameter equation of the mixture."""
    from CoolProp import CoolProp

    names = {"H2O": "Water"} | {species: fluid for species, (fluid, _) in FLUIDS.items()}
    state = CoolProp.AbstractState("HEOS", "&".join(names[species] for species in parts))
    state.set_mole_fractions(list(parts.values()))
    state.specify_phase(CoolProp.iphase_supercritical_gas)
    rows = []
    for t, pressure in zip(T, P, strict=True):
        state.update(CoolProp.PT_INPUTS, pressure, t)
        rows.append([state.rhomass(), state.cpmass(), state.speed_sound()])
    return dict(zip(("rho", "cp", "c"), np.array(rows).T, strict=True))


def dense() -> str:
    rows = []
    for label, (parts, temperatures) in DENSE.items():
        points = [(float(t), pressure) for t in temperatures for pressure in DENSE_PRESSURES]
        T, P = np.array(points).T
        theirs = of_coolprop(parts, T, P)
        mine = bridge.evaluate(
            list(parts), T, P, X=list(parts.values()), outputs=list(theirs), backend="cpu"
        )
        off = {name: 100.0 * np.abs(mine[name] / theirs[name] - 1.0) for name in theirs}
        k = int(np.argmax(off["rho"]))
        rows.append(
            [
                label,
                *(f"{error.mean():.1f}/{error.max():.1f}" for error in off.values()),
                f"{temperatures[0]}",
                f"{T[k]:.0f} K, {P[k] / 1e6:.0f} MPa",
            ]
        )
    return "\n\n".join(
        [
            prose(
                f"""Deviation in per cent from the multiparameter equations of mixtures in
                CoolProp, mean/max, at {DENSE_PRESSURES[0] / 1e6:.0f} to
                {DENSE_PRESSURES[-1] / 1e6:.0f} MPa, from the lowest temperature of the table up
                to 600 K (1000 K with H2O), half and half by mole (air: 0.79 N2), all interaction
                coefficients zero. These equations are fitted to fewer
                measurements than those of pure fluids."""
            ),
            table(["mixture", "rho", "cp", "c", "lowest T, K", "worst density at"], rows),
        ]
    )


#: Mixtures (of two) and temperatures in K at which PUBLISHED and BOUNDED are compared.
POLES = (("H2", "O2", 300.0), ("H2", "N2", 300.0), ("H2", "CH4", 300.0), ("O2", "H2O", 700.0),
         ("H2", "H2O", 700.0))  # fmt: skip
CHUNG_SINGULAR = 4096


def published() -> str:
    fractions, P = np.linspace(0.0, 1.0, 4001), 1e7
    X = np.stack([fractions, 1.0 - fractions], axis=1)
    rows = []
    for first, second, T in POLES:
        eta, bit = {}, np.zeros(len(X), dtype=bool)
        for form in ("BOUNDED", "PUBLISHED"):
            options = {"chungDense": form}
            got = bridge.evaluate(
                [first, second], T, P, X=X, outputs="eta", options=options, backend="cpu"
            )
            eta[form], bit = got["eta"], (got["status"] & CHUNG_SINGULAR) != 0
        ratio = eta["PUBLISHED"] / eta["BOUNDED"]
        wrong = (ratio > 3.0) | (ratio < 1.0 / 3.0)
        silent = wrong & ~bit
        where = span(fractions[silent], 3) if silent.any() else "-"
        cells = [bit.sum(), wrong.sum(), silent.sum()]
        rows.append([f"{first}/{second}, {T:.0f} K", *map(str, cells), where])
    return "\n\n".join(
        [
            prose(
                f"""Chung's published form (`chungDense = PUBLISHED`) has poles in mixtures
                ([physics](physics/transport.md#11-chung-viscosity-and-conductivity));
                CHUNG_SINGULAR marks states close to one, but does not cover a whole pole. The
                number of states of {len(X)} mole fractions at {P / 1e6:.0f} MPa:"""
            ),
            table(
                [
                    "mixture",
                    "CHUNG_SINGULAR",
                    "eta off BOUNDED by more than 3 times",
                    "of these without the bit",
                    "mole fraction of the first there",
                ],
                rows,
            ),
        ]
    )
