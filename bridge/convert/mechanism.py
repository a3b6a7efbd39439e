"""A Cantera YAML mechanism turned into a species table of the shipped form.

Behind `bridge species convert`; `species` reads the result. Everything is read as text and becomes
a number where a number is wanted: a bare NO stays a name, 1e5 is a number. Units are those of the
file, as Cantera takes them; `critical` finds the critical constants.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from bridge.arguments import distinct
from bridge.convert import critical
from bridge.convert.critical import PR_A, PR_UNIT, Node
from bridge.convert.mechanismfile import Entry, MechanismFile, load
from bridge.convert.units import PRESSURE, TEMPERATURE, UnitScope
from bridge.errors import ArgumentError, InconsistentError
from bridge.physics.limits import R, off_composition
from bridge.physics.species import SpeciesData
from bridge.physics.speciestable import Pairs, mass_of_atoms, pair_entries

REFERENCE_PRESSURE = 101325.0
#: Diffusion volumes of atoms, cm3/mol. Source: Fuller, Schettler and Giddings 1966.
FULLER = {"C": 15.9, "H": 2.31, "O": 6.11, "N": 4.54}

#: What is wrong, and the species it is wrong with.
Problems = dict[str, list[str]]


class Name(str):
    """Text that YAML output puts in quotes: YAML 1.1 readers take a bare NO for false."""


class Row(list[Any]):
    """A list that YAML output puts on one line."""


@dataclass
class Converted:
    """A species table as `species` reads it; data: what it means; notes: what is worth telling."""

    table: dict[str, Any]
    data: SpeciesData
    notes: list[str]

    def text(self) -> str:
        """The table as YAML."""
        import yaml

        return yaml.dump(self.table, Dumper=_dumper(), sort_keys=False, width=99)


def convert(
    file: str | os.PathLike[str],
    species: Sequence[str] | None = None,
    *,
    phase: str | None = None,
    kij: Pairs | Sequence[str] = (),
) -> Converted:
    """The species of a mechanism with the constants that Peng-Robinson and Chung need.

    species: names, None for all of the phase; phase: its name, None for the first of the file;
    kij: interaction coefficients by pair of names, or the words of `interaction_pairs`; they win
    over those of the file.

    Critical constants come from the file (a, b and acentric factor of a Peng-Robinson record, or
    critical-parameters), else, where measured, from the shipped table for the same name and
    composition, else from an estimate, marked so: a and b of a Redlich-Kwong record, the
    Lennard-Jones parameters, or the shipped table's own. Raises ArgumentError that names every
    species which lacks something or has thermodynamics other than NASA-7, and what it lacks.
    """
    source = MechanismFile(Path(file))
    entries = _subset(source.chosen(phase), species, source.path)
    problems: Problems = {}
    records = {name: _record(name, *entries[name], source, problems) for name in entries}
    pairs = _file_pairs(entries, records, problems)
    if problems:
        cause = "; ".join(f"{', '.join(names)}: {text}" for text, names in problems.items())
        remedy = f"give every species of {source.path.name} NASA-7 data and critical constants"
        raise InconsistentError("mechanism", cause, f"{remedy}, or name those to convert")
    given = kij if isinstance(kij, dict) else interaction_pairs(kij, records)
    for (first, second), value in given.items():
        if not {first, second} <= records.keys():
            wanted = f"species that are converted from {source.path.name}"
            raise ArgumentError("kij", f"{first}-{second}", wanted)
        pairs.pop((second, first), None)
        pairs[first, second] = value
    table = {
        "description": f"Species constants (SI) made from {source.path.name} by bridge species "
        "convert. Names are quoted on purpose: YAML 1.1 readers take a bare NO for false.",
        "gasConstant": R,
        "referencePressure": REFERENCE_PRESSURE,
        "kij": {
            "default": 0.0,
            "pairs": [
                {"pair": Row(map(Name, pair)), "kij": value} for pair, value in pairs.items()
            ],
        },
        "numSpecies": len(records),
        "species": list(records.values()),
    }
    data = SpeciesData.from_records(records, list(records), 0.0, pairs, "mechanism")
    return Converted(table, data, _notes(records, pairs))


def interaction_pairs(words: Sequence[str], names: Container[str]) -> Pairs:
    """k_ij from words: A:B=number, or a file for `read_pairs`; later ones win.

    Of a file, which may serve many mechanisms, only the pairs of `names` are taken.
    """
    pairs: Pairs = {}
    for word in words:
        pair, equals, value = word.rpartition("=")
        if equals:
            found = pair_entries([{"pair": pair.split(":"), "kij": value}], "--kij")
        else:
            found = {p: k for p, k in read_pairs(word).items() if p[0] in names and p[1] in names}
        for first, second in found:
            pairs.pop((second, first), None)
        pairs |= found
    return pairs


def read_pairs(file: str | os.PathLike[str]) -> Pairs:
    """k_ij of a YAML file: a list of {pair: [A, B], kij: number}, or a table that holds one."""
    content = load(Path(file), "kij")
    if isinstance(content, Mapping):
        inside = content.get("kij", content)
        if isinstance(inside, Mapping):
            content = inside.get("pairs") or inside.get("optional")
    if not isinstance(content, list):
        raise ArgumentError("kij", str(file), "a YAML list of {pair: [A, B], kij: number}")
    return pair_entries(content, str(file))


def _subset(
    entries: dict[str, Entry], names: Sequence[str] | None, path: Path
) -> dict[str, Entry]:
    if names is None:
        return entries
    distinct("species", names)
    for name in names:
        if name not in entries:
            close = get_close_matches(name, entries, 4, 0.5) or list(entries)
            wanted = f"a species of {path.name}, such as {', '.join(close)}"
            raise ArgumentError("species", repr(name), wanted)
    return {name: entries[name] for name in names}


# ---- one species ---------------------------------------------------------------------------


def _record(
    name: str, node: Node, units: UnitScope, source: MechanismFile, problems: Problems
) -> dict[str, Any]:
    """A record of the table; what is wrong with the species is added to `problems`."""

    def part(make: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
        try:
            return make(*arguments)
        except KeyError as error:
            problems.setdefault(f"no {error.args[0]}", []).append(name)
        except ValueError as error:
            problems.setdefault(str(error), []).append(name)
        except (TypeError, AttributeError, IndexError):
            told = f"{_READ[make]} of another shape than in Cantera's files"
            problems.setdefault(told, []).append(name)
        return {}

    record: dict[str, Any] = {"name": Name(name), **part(_substance, node, source.weights)}
    composition = record.get("composition", {})
    known = critical.shipped(name, composition)
    record |= part(critical.critical_constants, node, units, known)
    if molecule := part(critical.lennard_jones, node):
        record["lennardJones"] = molecule | part(critical.collision, node)
    if composition and composition.keys() <= FULLER.keys():
        volume = sum(FULLER[element] * n for element, n in composition.items())
        record["fullerVolume"] = known.get("fullerVolume", round(volume, 3))
    elif "fullerVolume" in known:
        record["fullerVolume"] = known["fullerVolume"]
    if known and all(record.get(key) == known[key] for key in ("Tc", "Pc", "omega")):
        fitted = ("cShift", "alphaSlope", "criticalViscosity")  # they go with these constants
        record |= {key: known[key] for key in fitted if key in known}
    record["nasa7"] = part(_nasa7, node, units)
    return record


def _substance(node: Node, weights: Mapping[str, float]) -> dict[str, Any]:
    """Composition and molar mass, kg/mol."""
    composition = {Name(element): float(n) for element, n in node["composition"].items()}
    unknown = [element for element in composition if element not in weights]
    if unknown or not composition:
        raise ValueError(f"no atomic weight of {', '.join(unknown) or 'nothing'}")
    mass = 1e-3 * sum(n * weights[element] for element, n in composition.items())
    atoms = {element: int(n) if n.is_integer() else n for element, n in composition.items()}
    record = {"composition": atoms, "molarMass": mass}
    if off_composition(mass, mass_of_atoms(record)):
        record["unchecked"] = True  # the file has atomic weights of its own
    return record


def _nasa7(node: Node, units: UnitScope) -> dict[str, Any]:
    """Ranges and coefficients, at the reference pressure of the table."""
    thermo = node["thermo"]
    if thermo["model"] != "NASA7":
        raise ValueError(f"thermo model {thermo['model']}, wanted NASA7")
    scope = units.within(thermo.get("units"))
    ranges = Row(scope.number(T, TEMPERATURE) for T in thermo["temperature-ranges"])
    data = [Row(map(float, row)) for row in thermo["data"]]
    if len(data) == 1 and len(ranges) == 2:  # one range: the same on both sides of its middle
        data.append(Row(data[0]))
        ranges.insert(1, 0.5 * (ranges[0] + ranges[1]))
    if len(data) != 2 or len(ranges) != 3 or any(len(row) != 7 for row in data):
        raise ValueError("NASA7 with other than one or two ranges of 7 coefficients")
    pressure = scope.number(thermo.get("reference-pressure", "1 atm"), PRESSURE)
    if pressure != REFERENCE_PRESSURE:
        for row in data:
            row[6] += math.log(pressure / REFERENCE_PRESSURE)
    return {"temperatureRanges": ranges, "low": data[0], "high": data[1]}


#: What a part of a record is made of.
_READ: dict[Callable[..., dict[str, Any]], str] = {
    _substance: "a composition",
    critical.critical_constants: "constants",
    critical.lennard_jones: "a transport",
    critical.collision: "a transport",
    _nasa7: "a thermo",
}


# ---- interaction coefficients ----------------------------------------------------------------


def _file_pairs(
    entries: Mapping[str, Entry], records: Mapping[str, Mapping[str, Any]], problems: Problems
) -> Pairs:
    """k_ij = 1 - a_ij/sqrt(a_i a_j) of the Peng-Robinson records' binary-a."""
    a = {n: PR_A * (R * r["Tc"]) ** 2 / r["Pc"] for n, r in records.items() if "Tc" in r}
    pairs: Pairs = {}
    for name, (node, units) in entries.items():
        if name not in a:  # which is told already
            continue
        for entry in critical.equations(node, "Peng-Robinson"):
            binary = entry.get("binary-a") or {}
            if not isinstance(binary, Mapping):
                problems.setdefault(f"binary-a: {binary}, wanted {{species: a}}", []).append(name)
                continue
            for other, value in binary.items():
                if other not in a:
                    continue
                try:
                    scope = units.within(entry.get("units"))
                    kij = 1.0 - scope.number(value, PR_UNIT) / math.sqrt(a[name] * a[other])
                except ValueError as error:
                    problems.setdefault(f"binary-a with {other}: {error}", []).append(name)
                    continue
                back = pairs.get((other, name))
                if back is None:
                    pairs[name, other] = kij
                elif abs(back - kij) > 1e-9:
                    problems.setdefault(f"binary-a with {other} is another one there", []).append(
                        name
                    )
    return pairs


# ---- the result ------------------------------------------------------------------------------


def _notes(records: Mapping[str, Mapping[str, Any]], pairs: Pairs) -> list[str]:
    estimated = [name for name, record in records.items() if record["status"] == "estimated"]
    notes = [f"{len(records)} species, {len(estimated)} of them with estimated critical constants"]
    if estimated:
        notes.append(f"estimated: {' '.join(estimated)}")
    return [*notes, f"{len(pairs)} interaction coefficients, the others are zero"]


@lru_cache(maxsize=1)
def _dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Names in quotes, rows on one line, no anchors."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def name(dumper: Any, value: Name) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", str(value), style='"')

    def row(dumper: Any, value: Row) -> Any:
        return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True)

    Dumper.add_representer(Name, name)
    Dumper.add_representer(Row, row)
    return Dumper
