"""Write species.dat, the plain text the legacy Fortran reads, from species.yaml.

    python make_species_dat.py [species.yaml [species.dat]]

Every species of the YAML file is written, in its order, with the shortest decimals that read
back as the same double.
"""

import sys
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "bridge" / "data" / "species.yaml"
CONSTANTS = ("molarMass", "Tc", "Pc", "Vc", "omega", "dipole", "association")
HEADER = """\
# Species constants of the legacy physics, written by make_species_dat.py from species.yaml.
# First the number of species, then two records each:
#   name, W kg/mol, Tc K, Pc Pa, Vc m3/mol, omega, dipole debye, association factor
#   Tlow, Tmid, Thigh, a1..a7 of the low range, a1..a7 of the high range (NASA-7)
"""


def record(species: dict[str, Any]) -> str:
    constants = [float(species[key]) for key in CONSTANTS]
    fit = species["nasa7"]
    coefficients = [*fit["temperatureRanges"], *fit["low"], *fit["high"]]
    lines = [f"{species['name']:<10s} " + " ".join(repr(value) for value in constants)]
    for first, last in ((0, 3), (3, 10), (10, 17)):
        lines.append("  " + " ".join(repr(float(c)) for c in coefficients[first:last]))
    return "\n".join(lines)


def main(source: Path, target: Path) -> None:
    table = yaml.safe_load(source.read_text())["species"]
    records = [record(species) for species in table]
    target.write_text(HEADER + f"{len(records)}\n" + "\n".join(records) + "\n")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE,
        Path(sys.argv[2]) if len(sys.argv) > 2 else HERE / "species.dat",
    )
