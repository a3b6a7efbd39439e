"""`bridge species list` and `show`: the species of a table, and their constants."""

from __future__ import annotations

import argparse
from typing import Any

#: Constants of a species: their keys in a table. Numbers are in the units that tables take.
_COLUMNS = {
    "W": "molarMass",
    "Tc": "Tc",
    "Pc": "Pc",
    "Vc": "Vc",
    "omega": "omega",
    "dipole": "dipole",
    "kappa": "association",
}


def add(species: Any) -> None:
    """The two subcommands."""
    file = {"metavar": "FILE.yaml", "help": "of this table (default: the shipped one)"}
    text = "the species of a table, with their main constants"
    listing = species.add_parser("list", help=text, description=text)
    listing.add_argument("--file", **file)
    listing.set_defaults(action=list_all)
    text = "all constants of some species, and their interaction coefficients"
    showing = species.add_parser("show", help=text, description=text)
    showing.add_argument(
        "names", nargs="+", metavar="NAME", help="O2 CH4, or O2,CH4; oxygen methane"
    )
    showing.add_argument("--file", **file)
    showing.set_defaults(action=show)


def list_all(given: argparse.Namespace) -> int:
    """Print one line for each species."""
    from tabulate import tabulate

    from bridge.physics import commonnames
    from bridge.physics.species import SpeciesData

    data = SpeciesData.load(None, given.file)
    headers = [
        "species",
        *(f"{key} {_unit(key)}".strip() for key in _COLUMNS.values()),
        "name",
    ]
    rows = [
        [name, *(_value(data, field, k) for field in _COLUMNS), commonnames.called(name)]
        for k, name in enumerate(data.names)
    ]
    print(tabulate(rows, headers, floatfmt=".6g"))
    return 0


def show(given: argparse.Namespace) -> int:
    """Print a block for each species."""
    from bridge.physics import commonnames, speciestable
    from bridge.physics.species import SpeciesData

    names = commonnames.formulas(" ".join(given.names), speciestable.read(given.file)[0])
    data = SpeciesData.load(names, given.file)
    for k, name in enumerate(data.names):
        title = f"{name}  {commonnames.called(name)}".rstrip()
        print(title if k == 0 else f"\n{title}")
        for field, key in _COLUMNS.items():
            value = _value(data, field, k)
            shown = "-" if value is None else format(value, ".9g")
            print(f"  {key:<13} {shown} {_unit(key)}".rstrip())
        shift = 0.0 if data.cShift is None else data.cShift[k]
        print(f"  {'cShift':<13} {shift:.8g} m3/mol")
        if data.alphaSlope is not None and data.alphaSlope[k]:
            print(f"  {'alphaSlope':<13} {data.alphaSlope[k]:.8g}")
        if data.fullerVolume is not None:
            print(f"  {'fullerVolume':<13} {data.fullerVolume[k]:.8g} cm3/mol")
        if data.criticalViscosity is not None and data.criticalViscosity[k] > 0.0:
            print(f"  criticalViscosity {data.criticalViscosity[k]:.8g} Pa s")
        if data.collision is not None and data.collision[k, 0] > 0.0:
            numbers = " ".join(f"{one:.6g}" for one in data.collision[k])
            print(f"  {'collision':<13} {numbers}")
        low, middle, high, *coefficients = data.nasa7[k]
        for label, first, begin, end in (("low", 0, low, middle), ("high", 7, middle, high)):
            numbers = " ".join(f"{a:.9g}" for a in coefficients[first : first + 7])
            print(f"  {'nasa7 ' + label:<13} {begin:g} to {end:g} K: {numbers}")
        others = (
            f"{other} {data.kij[k, j]:g}"
            for j, other in enumerate(data.names)
            if j != k and data.kij[k, j]
        )
        if len(data.names) > 1:
            print(f"  {'kij':<13} {', '.join(others) or '0 with the others'}")
    return 0


def _value(data: Any, field: str, k: int) -> float | None:
    values = getattr(data, field)
    return None if values is None else float(values[k])


def _unit(key: str) -> str:
    from bridge.physics.speciestable import UNITS

    return "" if UNITS[key] == "1" else UNITS[key]
