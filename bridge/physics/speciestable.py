"""Species tables: YAML files of the form of data/species.yaml, and the numbers in their records.

Between a file and `species`, which makes a mixture of the records. Read once per file.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bridge.errors import ArgumentError, InconsistentError
from bridge.physics.options import number as number_of

#: What the numbers of a table are in, by the keys of a record.
UNITS = {
    "molarMass": "kg/mol", "Tc": "K", "Pc": "Pa", "Vc": "m3/mol", "omega": "1", "dipole": "debye",
    "association": "1", "fullerVolume": "cm3/mol", "cShift": "m3/mol",
    "alphaSlope": "1", "criticalViscosity": "Pa s",
}  # fmt: skip
#: What the coefficients of nasa7 are made with, and how far a number may be from it.
_MADE_WITH = {"gasConstant": (8.31446261815324, 1e-4), "referencePressure": (101325.0, 1e-9)}

Table = dict[str, dict[str, Any]]
Pairs = dict[tuple[str, str], float]


def read(file: str | os.PathLike[str] | None) -> tuple[Table, float, Pairs]:
    if file is None:
        return _shipped()
    path = Path(file).expanduser()
    try:
        return _parse(str(path), path.stat().st_mtime_ns)
    except OSError as error:
        raise ArgumentError("species_file", str(file), f"a readable file ({error})") from None


@lru_cache(maxsize=1)
def _shipped() -> tuple[Table, float, Pairs]:
    from bridge.compiled.species import CONTENT

    return _checked(CONTENT, "data/species.yaml")


@lru_cache(maxsize=4)
def _parse(path: str, _stamp: int) -> tuple[Table, float, Pairs]:
    import yaml

    from bridge import yamlfiles

    try:
        content = yamlfiles.load(Path(path).read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError) as error:
        raise InconsistentError("species_file", f"{path} cannot be read: {error}") from None
    return _checked(content, path)


def _checked(content: Any, path: str) -> tuple[Table, float, Pairs]:
    """Records by name, the default k_ij and the k_ij of single pairs of a species file."""
    _refuse_mechanism(content, path)
    _refuse_other_units(content, path)
    try:
        records = list(content["species"])
        interaction = content.get("kij") or {}
        default = float(interaction.get("default", 0.0))
        listed = list(interaction.get("pairs") or ())
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ArgumentError(
            "species_file", path, "a species table: a list species, and kij, of numbers, if any"
        ) from None
    table: Table = {}
    for record in records:
        name = record.get("name") if isinstance(record, dict) else None
        if not isinstance(name, str):
            raise ArgumentError(
                "species_file", f"name {name!r} in {path}", 'text; quote names such as "NO"'
            )
        if name in table:
            raise ArgumentError("species_file", f"{name!r} twice in {path}", "each name once")
        table[name] = record
    pairs = pair_entries(listed, path)
    for first, second in pairs:
        if not {first, second} <= table.keys():
            got = f"kij of {first}-{second} in {path}"
            raise ArgumentError("species_file", got, "pairs of species of the file")
    return table, default, pairs


def _refuse_mechanism(content: Any, path: str) -> None:
    """A Cantera file has species too, but not what Peng-Robinson and Chung need."""
    if not isinstance(content, dict):
        return
    records = content.get("species")
    first = records[0] if isinstance(records, list) and records else None
    if "phases" not in content and not (isinstance(first, dict) and "thermo" in first):
        return
    import shlex

    table = f"{Path(path).stem}_species.yaml"
    command = shlex.join(["bridge", "species", "convert", path, "-o", table])
    got = f"{path}, a mechanism in Cantera's form"
    raise ArgumentError("species_file", got, f"a species table; `{command}` makes {table} of it")


def _refuse_other_units(content: Any, path: str) -> None:
    """A table may say what its numbers are in; it cannot choose."""
    if not isinstance(content, dict):
        return
    units = content.get("units")
    for key, unit in UNITS.items():
        said = units.get(key, unit) if isinstance(units, dict) else unit
        if str(said).replace(" ", "") != unit.replace(" ", ""):
            got = f"units: {key}: {said} in {path}"
            raise ArgumentError(
                "species_file", got, f"{key} in {unit}: a table has no other units"
            )
    for key, (value, tolerance) in _MADE_WITH.items():
        said = content.get(key, value)
        problems: list[str] = []
        if abs(number(said, key, problems) / value - 1.0) > tolerance or problems:
            cause = "; ".join(problems) or f"{key} is {said}"
            remedy = f"nasa7 is read with {key} {value}: leave the line out, or make nasa7 with it"
            raise InconsistentError("species_file", f"{path}: {cause}", remedy)


def shipped_records() -> Table:
    """The records of the shipped table by name; not to be changed."""
    return read(None)[0]


def pair_entries(listed: Sequence[Any], where: str) -> Pairs:
    """k_ij by pair of names from a list of {pair: [A, B], kij: number}, each pair once."""
    pairs: Pairs = {}
    for entry in listed:
        try:
            first, second = (str(name) for name in entry["pair"])
            value = float(entry["kij"])
        except (KeyError, TypeError, ValueError):
            wanted = "{pair: [A, B], kij: number}"
            raise ArgumentError("kij", f"{entry!r} in {where}", wanted) from None
        if first == second or {(first, second), (second, first)} & pairs.keys():
            wanted = "pairs of two species, each pair once"
            raise ArgumentError("kij", f"{first}-{second} in {where}", wanted)
        pairs[first, second] = value
    return pairs


def closest(name: str, names: list[str], where: str) -> str:
    from difflib import get_close_matches

    from bridge.physics import commonnames

    if meant := commonnames.meant(name, names):
        formulas = ", ".join(f"{one!r} ({commonnames.called(one)})" for one in meant)
        return f"its formula, a name of {where}: {formulas}"
    lower = {known.lower(): known for known in names}
    close = [lower[match] for match in get_close_matches(name.lower(), list(lower), 4, 0.5)]
    if close:
        return f"a name of {where}, such as {', '.join(close)}"
    return f"a name of {where}: {', '.join(names)}"


def number(value: Any, what: str, problems: list[str], unit: str = "1") -> float:
    """`value`; unit: what it is in."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        if isinstance(value, str):
            problems.append(f"{what} is the text {value!r}: write {_written(value, unit)}")
        else:
            problems.append(f"{what} is {'missing' if value is None else repr(value)}")
        return 1.0
    return float(value)


def _written(text: str, unit: str) -> str:
    """A number as YAML 1.1 reads one: with a point, and with the sign of the exponent."""
    try:
        if not math.isfinite(number_of(text)):
            raise ValueError
    except ValueError:
        return "a number" if unit == "1" else f"a number, in {unit}"
    mantissa, _, exponent = re.sub("[dDqQ]", "e", text.strip().lower()).partition("e")
    mantissa += "" if "." in mantissa or not exponent else ".0"
    if exponent and exponent[0] not in "+-":
        exponent = f"+{exponent}"
    return f"{mantissa}e{exponent}" if exponent else f"{mantissa} without quotes"


def unchecked(value: Any, what: str, problems: list[str]) -> bool:
    """Of a record: whether it is of a pseudo-species, whose constants have no limits."""
    if not isinstance(value, bool):
        problems.append(f"{what} is {value!r}, neither true nor false")
    return value is True


def atomic_weights() -> dict[str, float]:
    """Of the elements, g/mol, by symbol."""
    from bridge.compiled.weights import CONTENT

    weights: dict[str, float] = CONTENT["weights"]
    return weights


def mass_of_atoms(record: Mapping[str, Any]) -> float:
    """Molar mass of a record's composition, kg/mol; NaN where nobody knows it."""
    if shipped_records().get(record.get("name", "")) is record:
        return float(record["molarMass"])  # it is that sum: a start reads no weights
    weights, composition = atomic_weights(), record.get("composition")
    try:
        atoms = {str(symbol): float(n) for symbol, n in dict(composition or {}).items()}
        found = [n * weights.get(one, weights.get(one.capitalize(), math.nan))
                 for one, n in atoms.items()]  # fmt: skip
    except (TypeError, ValueError):
        return math.nan
    return 1e-3 * sum(found) if found else math.nan


#: Rotational heat capacity over R, by the geometry of a molecule.
ROTATION = {"atom": 0.0, "linear": 1.0, "nonlinear": 1.5}
#: Collision data of a record's lennardJones, before the geometry.
COLLISION = ("epsOverK", "sigmaAngstrom", "dipole", "polarizability", "rotationalRelaxation")


def collision(record: Any, name: str, problems: list[str]) -> np.ndarray:
    """A row of `SpeciesData.collision` from lennardJones of one record, of NaN where there is
    none or it has no geometry: a well depth and a diameter alone are not all that is needed."""
    if not isinstance(record, Mapping) or "geometry" not in record:
        return np.full(6, np.nan)
    geometry = record["geometry"]
    if geometry not in ROTATION:
        known = " or ".join(ROTATION)
        problems.append(f"{name}: lennardJones geometry {geometry!r} is not {known}")
    values = [
        number(record.get(key, None if k < 2 else 0.0), f"{name}: lennardJones {key}", problems)
        for k, key in enumerate(COLLISION)
    ]
    return np.array([*values, ROTATION.get(geometry, 0.0)])


def nasa7(record: Any, name: str, problems: list[str]) -> np.ndarray:
    """Tlow, Tmid, Thigh, low a1..a7, high a1..a7 of one YAML record."""
    parts: list[float] = []
    for key, length in (("temperatureRanges", 3), ("low", 7), ("high", 7)):
        try:
            part = [float(x) for x in record[key]]
            if len(part) != length:
                raise ValueError
        except (KeyError, TypeError, ValueError):
            problems.append(f"{name}: nasa7 {key} is not {length} numbers")
            part = [1.0] * length
        parts += part
    return np.array(parts)
