"""Pure fluids of accuracy.md: the model beside the multiparameter equations of CoolProp."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from writing import prose, span, table

import bridge
from bridge.physics.shared import shipped_tables
from bridge.physics.species import SpeciesData

#: Species -> (name in CoolProp, temperatures in K); each at every pressure of PRESSURES.
FLUIDS = {
    "N2": ("Nitrogen", (80, 100, 120, 130, 150, 200, 300, 600, 1000)),
    "O2": ("Oxygen", (80, 100, 130, 150, 160, 200, 300, 600, 1000)),
    "CH4": ("Methane", (100, 130, 170, 195, 220, 300, 450, 600)),
    "CO2": ("CarbonDioxide", (230, 270, 300, 310, 350, 450, 700, 1000)),
    "C12H26": ("n-Dodecane", (300, 400, 500, 600, 680)),
    "H2": ("Hydrogen", (25, 40, 80, 150, 300, 600, 1000)),
}
PRESSURES = (1e5, 1e6, 5e6, 1e7, 2e7, 3e7)
QUANTITIES = ("rho", "cp", "c", "eta", "lambda")
#: Columns of the tables: the model as it runs, and Chung's part at the density of the real fluid.
COLUMNS = (*QUANTITIES, "eta at true rho", "lambda at true rho")
LOX = tuple((T, 1e7) for T in (80, 100, 120, 140, 160, 200, 300))


#: A name of the shipped table, or constants.
Species = str | Mapping[str, Any]


@dataclass
class States:
    """T, P (n,) and the reference rho, cp, c, eta, lambda by name, (n,)."""

    T: np.ndarray
    P: np.ndarray
    reference: dict[str, np.ndarray]


def coolprop(fluid: str, states: list[tuple[float, float]]) -> States:
    """The states for which the reference equations have all quantities."""
    from CoolProp.CoolProp import PropsSI

    keys = {"rho": "D", "cp": "CPMASS", "c": "A", "eta": "V", "lambda": "L"}
    rows = []
    for T, P in states:
        try:
            rows.append([T, P, *(PropsSI(keys[q], "T", T, "P", P, fluid) for q in QUANTITIES)])
        except ValueError:  # frozen, or outside the range of the correlations
            continue
    columns = np.array(rows, dtype=float).T
    return States(columns[0], columns[1], dict(zip(QUANTITIES, columns[2:], strict=True)))


def model(
    species: Species, states: States, options: dict[str, Any] | None = None
) -> dict[str, np.ndarray]:
    """Values of COLUMNS, (n,) each."""
    asked: dict[str, Any] = {"options": options, "backend": "cpu"}
    got = bridge.evaluate(species, states.T, states.P, 1.0, QUANTITIES, **asked)
    rho = {"rho": states.reference["rho"]}
    true = bridge.evaluate(
        species, states.T, states.P, 1.0, ("eta", "lambda"), inputs=rho, **asked
    )
    values = {name: got[name] for name in QUANTITIES}
    return values | {f"{name} at true rho": true[name] for name in ("eta", "lambda")}


def ranges(species: str, states: States) -> dict[str, np.ndarray]:
    """Masks of the rows of a fluid."""
    data = SpeciesData.load([species])
    assert data.Vc is not None  # the shipped table has it of every species
    Tr = states.T / data.Tc[0]
    dense = states.reference["rho"] > 1.5 * data.W[0] / data.Vc[0]
    return {
        "liquid, Tr < 1": (Tr < 1.0) & dense,
        "0.95 < Tr < 1.3": (Tr > 0.95) & (Tr < 1.3),
        "Tr > 1.3": Tr > 1.3,
    }


def deviations_of(species: str, states: States) -> dict[str, tuple[int, np.ndarray]]:
    """By range: number of points; mean and maximum of COLUMNS in per cent, (columns, 2)."""
    values, found = model(species, states), {}
    for label, mask in ranges(species, states).items():
        if not mask.any():
            continue
        errors = [
            100.0 * np.abs(values[column] / states.reference[column.split()[0]] - 1.0)[mask]
            for column in COLUMNS
        ]
        found[label] = int(mask.sum()), np.array([[e.mean(), e.max()] for e in errors])
    return found


def deviation_rows(species: str, states: States) -> list[list[str]]:
    """Rows of the first table: fluid, range, points, mean/max of each column in per cent."""
    return [
        [f"{species}, {label}", str(n), *(f"{mean:.1f}/{most:.1f}" for mean, most in numbers)]
        for label, (n, numbers) in deviations_of(species, states).items()
    ]


def ratio_rows(species: Species, states: States, extra: Iterable[str] = ()) -> list[list[str]]:
    """Rows by temperature: model/real and their ratio; of `extra` columns the ratio alone."""
    values = model(species, states)
    rows = []
    for k, T in enumerate(states.T):
        cells = [f"{T:.0f}"]
        for name, scale in (("rho", 1.0), ("c", 1.0), ("eta", 1e6), ("lambda", 1e3)):
            mine, real = scale * values[name][k], scale * states.reference[name][k]
            cells.append(f"{mine:.1f} / {real:.1f} = {mine / real:.2f}")
        for name in extra:
            cells.append(f"{values[name][k] / states.reference[name.split()[0]][k]:.2f}")
        rows.append(cells)
    return rows


#: Header of such a table.
RATIOS = ["T, K", "rho, kg/m³", "c, m/s", "eta, µPa s", "lambda, mW/(m K)"]


Reference = Callable[[str, list[tuple[float, float]]], States]


def grid(species: str, reference: Reference) -> States:
    """A fluid of FLUIDS at its temperatures and every pressure."""
    fluid, temperatures = FLUIDS[species]
    return reference(fluid, [(float(T), P) for T in temperatures for P in PRESSURES])


def at(states: States, mask: np.ndarray) -> States:
    """Some of the states."""
    return States(
        states.T[mask], states.P[mask], {q: v[mask] for q, v in states.reference.items()}
    )


def ratios(species: Species, states: States) -> dict[str, np.ndarray]:
    """Model over real by column, (n,) each."""
    values = model(species, states)
    return {column: values[column] / states.reference[column.split()[0]] for column in COLUMNS}


LIQUID = "liquid, Tr < 1"


def deviations(reference: Reference = coolprop) -> str:
    fluids = {species: grid(species, reference) for species in FLUIDS}
    rows = [row for species, states in fluids.items() for row in deviation_rows(species, states)]
    of = {species: deviations_of(species, states) for species, states in fluids.items()}

    def most(name: str, species: Iterable[str]) -> float:
        """Of the liquids, in per cent."""
        return max(float(of[s][LIQUID][1][COLUMNS.index(name), 1]) for s in species)

    fuel = fluids["C12H26"]
    liquid = at(fuel, ranges("C12H26", fuel)[LIQUID])
    dodecane = ratios("C12H26", liquid)
    at300, warm = liquid.T == 300, (liquid.T >= 400) & (liquid.T <= 500)
    return "\n\n".join(
        [
            table(["fluid, range", "n", *COLUMNS], rows),
            prose(
                """- **Above 1.3 Tc** the worst points are the coldest ones at 20 and 30 MPa.""",
                """- **Around the pseudo-boiling line**, 0.95 to 1.3 Tc, Chung's conductivity has
                no critical enhancement.""",
                f"""- **Cryogenic liquids**: density is too high. The viscosity is up to
                {1 + most("eta", ("N2", "O2", "CH4")) / 100:.1f} times the real one, of H2 up to
                {1 + most("eta", ["H2"]) / 100:.1f} times. The model does not know para and ortho
                hydrogen.""",
                f"""- **C12H26**: liquid density is {span(100 * (1 - dodecane["rho"]), 0)} % too
                low. The viscosity is up to {1 / dodecane["eta"][at300].min():.1f} times too low at
                300 K and {span(100 * (1 - dodecane["eta"][warm]), 0)} % too low at 400 to 500
                K.""",
            ),
        ]
    )


def lox(reference: Reference = coolprop) -> str:
    states = reference("Oxygen", list(LOX))
    ratio, T = ratios("O2", states), states.T
    cold, liquid, rho = (T >= 80) & (T <= 100), T < 130, ratio["rho"]
    prandtl = (ratio["eta"] * ratio["cp"] / ratio["lambda"])[T == 80][0]
    low = {name: 100 * (1 - ratio[f"{name} at true rho"][cold]) for name in ("eta", "lambda")}
    return "\n\n".join(
        [
            "Oxygen at 10 MPa, as in a rocket injector: model / real = ratio.",
            table(RATIOS, ratio_rows("O2", states)),
            prose(
                f"""Both transport coefficients are too high because the density is: at the true
                density they are {span([*low["eta"], *low["lambda"]], 0)} % low at 80 to 100 K. The
                same holds for CH4 and N2 below their critical temperatures. For a simulation with
                liquid oxygen below about 130 K this means:""",
                f"""- For a given mass flow the injection velocity, and with it the momentum flux,
                is {span(100 * (1 - 1 / rho[liquid]), 0)} % too low. For a given velocity the mass
                flow is {span(100 * (rho[liquid] - 1), 0)} % too high.""",
                f"""- At equal mass flux the Reynolds number of the cold core is too low by the
                factor of the viscosity. At 80 K the Prandtl number is {prandtl:.1f} times the real
                one.""",
            ),
        ]
    )


def water(reference: Reference = coolprop) -> str:
    states = reference("Water", [(float(T), 2.5e7) for T in (300, 400, 500, 600, 650, 700, 1000)])
    steam = reference("Water", [(float(T), 1e5) for T in range(400, 1001, 100)])
    vapour = ratios("H2O", steam)
    return "\n\n".join(
        [
            """Water at 25 MPa: model / real = ratio. The columns "at true rho" are ratios.""",
            table(
                [*RATIOS, *COLUMNS[len(QUANTITIES) :]],
                ratio_rows("H2O", states, COLUMNS[len(QUANTITIES) :]),
            ),
            prose(
                f"""Supercritical water is as wrong where it is dense, as at 650 K. Steam at 0.1
                MPa and 400 to 1000 K has {span(vapour["eta"], 2)} of the viscosity and
                {span(vapour["lambda"], 2)} of the conductivity. Ranges of liquid water stand under
                [polar liquids](#polar-liquids)."""
            ),
        ]
    )


#: Species -> (name in CoolProp, temperatures in K) of polar liquids.
POLAR = {
    "H2O": ("Water", range(300, 601, 50)),
    "NH3": ("Ammonia", range(220, 381, 20)),
    "CH3OH": ("Methanol", range(220, 461, 40)),
}


def polar(reference: Reference = coolprop) -> str:
    rows = []
    own: dict[tuple[str, str], np.ndarray] = {}
    true: dict[tuple[str, str], np.ndarray] = {}
    for species, (fluid, temperatures) in POLAR.items():
        states = reference(fluid, [(float(T), P) for T in temperatures for P in PRESSURES])
        liquid = at(states, ranges(species, states)[LIQUID])
        ratio, cells = ratios(species, liquid), []
        for quantity in ("rho", "c", "lambda", "lambda at true rho"):
            cells.append(span(ratio[quantity], 2))
        for form in ("BOUNDED", "PUBLISHED"):
            values = model(species, liquid, {"chungDense": form})
            own[species, form], true[species, form] = (
                values[name] / liquid.reference["eta"] for name in ("eta", "eta at true rho")
            )
            cells += [span(own[species, form], 2), span(true[species, form], 2)]
        rows.append([f"{species}, {liquid.T[0]:.0f} to {liquid.T[-1]:.0f} K", *cells])
    header = ["liquid", "rho", "c", "lambda", "lambda at true rho"]
    for form in ("BOUNDED", "PUBLISHED"):
        header += [f"eta, {form}", f"eta at true rho, {form}"]

    def bounded_is_closer(found: dict[tuple[str, str], np.ndarray], wanted: bool) -> str:
        off = {key: np.abs(np.log(ratio)).mean() for key, ratio in found.items()}
        names = [
            name for name in POLAR if (off[name, "BOUNDED"] < off[name, "PUBLISHED"]) == wanted
        ]
        return " and ".join(names) or "none"

    pressures = f"{PRESSURES[0] / 1e6:g} to {PRESSURES[-1] / 1e6:g}"
    return "\n\n".join(
        [
            prose(f"Model / real, the smallest to the largest, at {pressures} MPa."),
            table(header, rows),
            prose(
                f"""At the model's own density BOUNDED gives the closer viscosity for
                {bounded_is_closer(own, True)}, at the true density PUBLISHED for
                {bounded_is_closer(true, False)}."""
            ),
        ]
    )


#: Helium is not in the shipped table: constants of CoolProp, cp = 5/2 R.
HELIUM: dict[str, Any] = {
    "names": "He",
    "W": [0.004002602],
    "Tc": [5.1953],
    "Pc": [228322.8],
    "Vc": [5.75211e-5],
    "omega": [-0.38354],
    "nasa7": [[20.0, 1000.0, 6000.0, *(2 * [2.5, 0.0, 0.0, 0.0, 0.0, -745.375, 0.928724])]],
}


def helium(reference: Reference = coolprop) -> str:
    states = reference("Helium", [(float(T), 1e7) for T in (50, 100, 200, 300, 600, 1000)])
    off = {name: 100.0 * (ratio - 1.0) for name, ratio in ratios(HELIUM, states).items()}
    low = [float(c) for c in shipped_tables()["pengRobinson"]["mLow"]]
    zero = max(root.real for root in np.roots(low[::-1]) if root.real < 0.0)
    return prose(
        f"""For a species with an acentric factor below {zero:.3f} the attraction of Peng-Robinson
        rises with T where it should fall. The shipped table has no such species; helium
        ({HELIUM["omega"][0]:.3f}) is the one that a user may bring. From {states.T[0]:.0f} to
        {states.T[-1]:.0f} K at 10 MPa its density is {span(off["rho"])} % too high, viscosity
        {span(-off["eta"], 0)} % and conductivity {span(-off["lambda"], 0)} % too low."""
    )


def draw(picture: Path) -> None:
    """Deviations along three supercritical isobars of each fluid."""
    import matplotlib
    from CoolProp.CoolProp import PropsSI

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    panels = (
        ("rho", "density"),
        ("cp", "heat capacity cp"),
        ("c", "speed of sound"),
        ("eta", "viscosity"),
        ("lambda", "conductivity"),
    )
    # at the scale of liquid hydrogen the others could not be read
    fluids = {species: fluid for species, (fluid, _) in FLUIDS.items() if species != "H2"}
    figure, axes = plt.subplots(
        len(panels),
        len(fluids),
        figsize=(13, 11.5),
        sharex="col",
        sharey="row",
        layout="constrained",
    )
    for column, (species, fluid) in enumerate(fluids.items()):
        data = SpeciesData.load([species])
        Tr = np.concatenate([np.linspace(0.45, 1.4, 96), np.linspace(1.42, 3.0, 40)])
        Tr = Tr[data.Tc[0] * Tr <= PropsSI("Tmax", fluid)]
        for Pr, colour in ((1.2, "tab:blue"), (2.0, "tab:orange"), (5.0, "tab:green")):
            states = coolprop(fluid, [(t * data.Tc[0], Pr * data.Pc[0]) for t in Tr])
            values = model(species, states)
            for row, (name, label) in enumerate(panels):
                axis = axes[row, column]
                x, real = states.T / data.Tc[0], states.reference[name]
                axis.plot(x, values[name] / real, color=colour, label=f"P = {Pr:g} Pc")
                if name in ("eta", "lambda"):
                    axis.plot(x, values[f"{name} at true rho"] / real, color=colour, linestyle=":")
                    axis.set_yscale("log")
                    axis.set_yticks([0.5, 0.7, 1, 1.5, 2, 3, 4], minor=False)
                    axis.set_yticklabels(["0.5", "0.7", "1", "1.5", "2", "3", "4"])
                    axis.minorticks_off()
                if column == 0:
                    axis.set_ylabel(f"{label}, model/real")
                axis.axhline(1.0, color="black", linewidth=0.6)
                axis.grid(alpha=0.3)
        axes[0, column].set_title(species)
        axes[-1, column].set_xlabel("T/Tc")
    axes[0, -1].legend(fontsize=8)
    figure.suptitle(
        "Peng-Robinson and Chung over the reference equations (dotted: Chung at the true density)"
    )
    figure.savefig(picture, dpi=110)
