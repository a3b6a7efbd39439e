"""Species tables: YAML files of the form of data/species.yaml, and the numbers in their records.

Between a file and `species`, which makes a mixture of the records. Read once per file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bridge.errors import ArgumentError

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

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=loader)
    except (yaml.YAMLError, ValueError) as error:
        raise ArgumentError("species_file", path, f"a species table ({error})") from None
    return _checked(content, path)


def _checked(content: Any, path: str) -> tuple[Table, float, Pairs]:
    """Records by name, the default k_ij and the k_ij of single pairs of a species file."""
    _refuse_mechanism(content, path)
    try:
        records = list(content["species"])
        interaction = content.get("kij") or {}
        default = float(interaction.get("default", 0.0))
        listed = list(interaction.get("pairs") or ())
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ArgumentError("species_file", path, f"a species table ({error})") from None
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


def number(value: Any, what: str, problems: list[str]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        problems.append(f"{what} is {'missing' if value is None else repr(value)}")
        return 1.0
    return float(value)


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
