"""How far Peng-Robinson and Chung are from real fluids: the tables of accuracy.md, the picture.

    python docs/accuracy.py            rewrite docs/accuracy.md and docs/pictures/accuracy.png
    python docs/accuracy.py --check    exit 1 where the tables of accuracy.md are out of date

The table of functions on the same page is of docs/functions.py.
Needs the installed package and CoolProp, whose multiparameter equations stand for the real fluid;
the picture needs matplotlib as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import bridge
from bridge.backends.cpu.single import run_plan
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue

DOCS = Path(__file__).resolve().parent
PAGE, PICTURE = DOCS / "accuracy.md", DOCS / "pictures" / "accuracy.png"

#: Species -> (name in CoolProp, temperatures in K); each at every pressure of PRESSURES.
FLUIDS = {
    "N2": ("Nitrogen", (80, 100, 120, 130, 150, 200, 300, 600, 1000)),
    "O2": ("Oxygen", (80, 100, 130, 150, 160, 200, 300, 600, 1000)),
    "CH4": ("Methane", (100, 130, 170, 195, 220, 300, 450, 600)),
    "CO2": ("CarbonDioxide", (230, 270, 300, 310, 350, 450, 700, 1000)),
    "C12H26": ("n-Dodecane", (300, 400, 500, 600, 680)),
}
PRESSURES = (1e5, 1e6, 5e6, 1e7, 2e7, 3e7)
QUANTITIES = ("rho", "cp", "c", "eta", "lambda")
#: Columns of the tables: the model as it runs, and Chung's part at the density of the real fluid.
COLUMNS = (*QUANTITIES, "eta at true rho", "lambda at true rho")
LOX = tuple((T, 1e7) for T in (80, 90, 100, 120, 140, 160, 200, 300))


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


def model(species: str, states: States) -> dict[str, np.ndarray]:
    """Values of COLUMNS, (n,) each, with default options."""
    T, P = states.T, states.P
    wanted = (*QUANTITIES, "cv_ideal", "W")
    got = bridge.evaluate(species, T, P, 1.0, wanted, backend="cpu")
    plan = Catalogue.shipped().plan(
        ("eta", "lambda"), ("T", "X", "v", "cv_ideal"), 1, status=False
    )
    inputs = {
        "T": T,
        "X": np.ones((len(T), 1)),
        "v": got["W"] / states.reference["rho"],
        "cv_ideal": got["cv_ideal"],
    }
    true = run_plan(plan, inputs, SharedData(SpeciesData.load([species])))
    values = {name: got[name] for name in QUANTITIES}
    return values | {f"{name} at true rho": true[name] for name in ("eta", "lambda")}


def ranges(species: str, states: States) -> dict[str, np.ndarray]:
    """Masks of the rows of a fluid."""
    data = SpeciesData.load([species])
    assert data.Vc is not None  # the shipped table has it of every species
    Tr = states.T / data.Tc[0]
    dense = states.reference["rho"] > 1.5 * data.W[0] / data.Vc[0]
    return {
        "liquid (Tr < 1, rho > 1.5 rho_c)": (Tr < 1.0) & dense,
        "0.95 < Tr < 1.3": (Tr > 0.95) & (Tr < 1.3),
        "Tr > 1.3": Tr > 1.3,
    }


def deviation_rows(species: str, states: States) -> list[list[str]]:
    """Rows of the first table: fluid, range, points, mean/max of each column in per cent."""
    values = model(species, states)
    rows = []
    for label, mask in ranges(species, states).items():
        if not mask.any():
            continue
        cells = []
        for column in COLUMNS:
            real = states.reference[column.split()[0]]
            error = 100.0 * np.abs(values[column] / real - 1.0)[mask]
            cells.append(f"{error.mean():.1f}/{error.max():.1f}")
        rows.append([f"{species}, {label}", str(mask.sum()), *cells])
    return rows


def lox_rows(states: States) -> list[list[str]]:
    """Rows of the second table: oxygen at 10 MPa, model/real and their ratio."""
    values = model("O2", states)
    rows = []
    for k, T in enumerate(states.T):
        cells = [f"{T:.0f}"]
        for name, scale, digits in (("rho", 1.0, 1), ("c", 1.0, 1), ("eta", 1e6, 1),
                                    ("lambda", 1e3, 1)):  # fmt: skip
            mine, real = scale * values[name][k], scale * states.reference[name][k]
            cells.append(f"{mine:.{digits}f} / {real:.{digits}f} = {mine / real:.2f}")
        rows.append(cells)
    return rows


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def tables(
    source: Callable[[str, list[tuple[float, float]]], States] = coolprop,
) -> dict[str, Any]:
    """Marker in accuracy.md -> table."""
    rows = []
    for species, (fluid, temperatures) in FLUIDS.items():
        grid = [(float(T), P) for T in temperatures for P in PRESSURES]
        rows += deviation_rows(species, source(fluid, grid))
    lox = lox_rows(source("Oxygen", list(LOX)))
    units = ["T, K", "rho, kg/m³", "c, m/s", "eta, µPa s", "lambda, mW/(m K)"]
    return {
        "deviations": table(["fluid, range", "n", *COLUMNS], rows),
        "lox": table(units, lox),
    }


def filled(page: str, parts: dict[str, str]) -> str:
    """The page with each table between its two markers."""
    for name, text in parts.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
    return page


def draw() -> None:
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
    figure, axes = plt.subplots(
        len(panels),
        len(FLUIDS),
        figsize=(13, 11.5),
        sharex="col",
        sharey="row",
        layout="constrained",
    )
    for column, (species, (fluid, _)) in enumerate(FLUIDS.items()):
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
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=110)


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    wanted = filled(page, tables())
    if "--check" in sys.argv[1:]:
        if page != wanted:
            print("docs/accuracy.md is out of date: run python docs/accuracy.py")
        return int(page != wanted)
    PAGE.write_text(wanted, encoding="utf-8")
    draw()
    print(f"wrote {PAGE.relative_to(DOCS.parent)} and {PICTURE.relative_to(DOCS.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
