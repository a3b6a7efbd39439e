"""Species constants: from the shipped table, a YAML file of its form, or the host's arrays.

Read once, before the first launch; `shared` turns them into what the kernels read.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from bridge.arguments import distinct, real_numbers, row_order
from bridge.errors import ArgumentError

_SCALARS = {  # field -> (key in a YAML record, must be positive)
    "W": ("molarMass", True),
    "Tc": ("Tc", True),
    "Pc": ("Pc", True),
    "Vc": ("Vc", True),
    "omega": ("omega", False),
    "dipole": ("dipole", False),
    "kappa": ("association", False),
}
_UNITS = {"W": "kg/mol", "Tc": "K", "Pc": "Pa", "Vc": "m3/mol", "dipole": "debye",
          "fullerVolume": "cm3/mol"}  # fmt: skip
_OPTIONAL = ("Vc", "dipole", "kappa")  # the host may give them later


@dataclass(frozen=True, eq=False)
class SpeciesData:
    """Constants of ns species, float64, SI but for the dipole.

    names: (ns,); W kg/mol, Tc K, Pc Pa, omega: (ns,); nasa7: (ns, 17) = Tlow, Tmid, Thigh,
    low a1..a7, high a1..a7; kij: (ns, ns). For transport: Vc m3/mol, dipole debye, kappa: (ns,),
    or None while the host has not given them. fullerVolume cm3/mol, (ns,), or None.
    """

    names: tuple[str, ...]
    W: np.ndarray
    Tc: np.ndarray
    Pc: np.ndarray
    omega: np.ndarray
    nasa7: np.ndarray
    kij: np.ndarray
    Vc: np.ndarray | None = None
    dipole: np.ndarray | None = None
    kappa: np.ndarray | None = None
    fullerVolume: np.ndarray | None = None

    @property
    def has_transport(self) -> bool:
        """Whether Vc, dipole and kappa are known."""
        return self.Vc is not None and self.dipole is not None and self.kappa is not None

    # ---- where they come from -----------------------------------------------------------

    @classmethod
    def resolve(cls, species: Any, kij: Any = None) -> SpeciesData:
        """Whatever a caller may call species: names, a file, a mapping of arrays, or this."""
        if isinstance(species, SpeciesData):
            data = species
        elif isinstance(species, Mapping):
            data = cls.from_mapping(species)
        elif isinstance(species, os.PathLike):
            data = cls.load(None, species)
        elif isinstance(species, str):
            text = species.strip()
            if os.sep in text or text.lower().endswith((".yaml", ".yml")):
                data = cls.load(None, text)
            else:
                data = cls.load(text.replace(",", " ").split())
        elif isinstance(species, Sequence | np.ndarray):
            data = cls.load([str(name) for name in species])
        else:
            raise ArgumentError(
                "species", type(species).__name__, "names, a YAML file or a mapping of arrays"
            )
        return data if kij is None else replace(data, kij=_checked_kij(kij, data.names))

    @classmethod
    def load(
        cls, names: Sequence[str] | None, file: str | os.PathLike[str] | None = None
    ) -> SpeciesData:
        """Species of the shipped table, or of a YAML file of its form; all of it without names.

        Raises ArgumentError for an unknown name (with the closest ones) and for records that
        lack something, species by species.
        """
        table, default_kij, pairs = _read(file)
        where = "the shipped table" if file is None else str(file)
        chosen = list(table) if names is None else [str(name) for name in names]
        if not chosen:
            raise ArgumentError("species", "no name", f"names of {where}")
        distinct("species", chosen)
        for name in chosen:
            if name not in table:
                raise ArgumentError("species", repr(name), _known(name, list(table), where))
        argument = "species_file" if file else "species"
        return cls.from_records(table, chosen, default_kij, pairs, argument, where)

    @classmethod
    def from_records(
        cls,
        table: Mapping[str, Mapping[str, Any]],
        names: Sequence[str],
        default_kij: float,
        pairs: Mapping[tuple[str, str], float],
        argument: str,
        where: str = "complete records",
    ) -> SpeciesData:
        """The named records of a table of the shipped form; `argument` is what errors blame."""
        problems: list[str] = []
        values = {field: np.empty(len(names)) for field in _SCALARS}
        nasa7 = np.empty((len(names), 17))
        volumes = np.full(len(names), np.nan)
        for k, name in enumerate(names):
            record = table[name]
            for field, (key, _) in _SCALARS.items():
                missing_is_zero = field in ("dipole", "kappa")
                values[field][k] = _entry(
                    record.get(key, 0.0 if missing_is_zero else None), f"{name}: {key}", problems
                )
            nasa7[k] = _nasa7(record.get("nasa7"), name, problems)
            if "fullerVolume" in record:
                volumes[k] = _entry(record["fullerVolume"], f"{name}: fullerVolume", problems)
        if problems:
            raise ArgumentError(argument, "; ".join(problems), where)
        kij = np.full((len(names), len(names)), default_kij)
        np.fill_diagonal(kij, 0.0)
        place = {name: k for k, name in enumerate(names)}
        for (first, second), value in pairs.items():
            if first in place and second in place:
                i, j = place[first], place[second]
                kij[i, j] = kij[j, i] = value
        return _checked(
            cls(
                names=tuple(names),
                nasa7=nasa7,
                kij=kij,
                fullerVolume=None if np.isnan(volumes).any() else volumes,
                **values,
            )
        )

    @classmethod
    def from_mapping(cls, arrays: Mapping[str, Any]) -> SpeciesData:
        """From arrays by field name: W, Tc, Pc, Vc, omega, nasa7, and where known names, dipole,
        kappa (zero otherwise), kij, fullerVolume.
        """
        known = ("names", *_SCALARS, "nasa7", "kij", "fullerVolume")
        for name in arrays:
            if name not in known:
                raise ArgumentError("species", repr(name), f"keys among {', '.join(known)}")
        for name in ("W", "Tc", "Pc", "Vc", "omega", "nasa7"):
            if name not in arrays:
                raise ArgumentError("species", f"a mapping without {name!r}", f"the key {name!r}")
        ns = np.size(arrays["W"])
        given = {**{"dipole": np.zeros(ns), "kappa": np.zeros(ns)}, **arrays}
        names = given.pop("names", None)
        if isinstance(names, str):
            names = names.split()
        return cls._of_arrays(names, ns, given)

    @classmethod
    def from_host(
        cls,
        before: SpeciesData | None,
        *,
        W: Any,
        Tc: Any,
        Pc: Any,
        omega: Any,
        nasa7: Any,
        kij: Any = None,
    ) -> SpeciesData:
        """The host's constants; names and transport constants stay those of `before`."""
        ns = np.size(W)
        given = {"W": W, "Tc": Tc, "Pc": Pc, "omega": omega, "nasa7": nasa7, "kij": kij}
        if before is None:
            return cls._of_arrays(None, ns, given)
        for name in (*_OPTIONAL, "fullerVolume"):
            given[name] = getattr(before, name)
        return cls._of_arrays(before.names, ns, given)

    def with_transport(self, *, Vc: Any, dipole: Any, kappa: Any) -> SpeciesData:
        """The same with these transport constants."""
        ns = len(self.names)
        return _checked(
            replace(
                self,
                Vc=_array("Vc", Vc, (ns,)),
                dipole=_array("dipole", dipole, (ns,)),
                kappa=_array("kappa", kappa, (ns,)),
            )
        )

    def overridden(self, changes: Iterable[tuple[str, Sequence[float]]]) -> SpeciesData:
        """The same with constants replaced: a name, and one value for all species or one each."""
        arrays: dict[str, Any] = {}
        ns = len(self.names)
        for name, values in changes:
            if len(values) not in (1, ns):
                wanted = f"one, or {ns}: one per species"
                raise ArgumentError("override", f"{len(values)} values of {name}", wanted)
            arrays[name] = np.array(np.broadcast_to(values, ns), dtype=np.float64)
        return _checked(replace(self, **arrays)) if arrays else self

    @classmethod
    def _of_arrays(
        cls, names: Sequence[str] | None, ns: int, given: Mapping[str, Any]
    ) -> SpeciesData:
        if ns < 1:
            raise ArgumentError("species", "arrays without an entry", "at least one species")
        labels = tuple(map(str, range(1, ns + 1) if names is None else names))
        if len(labels) != ns:
            raise ArgumentError("names", f"{len(labels)} names", f"{ns}, one per entry of W")
        distinct("names", labels)
        arrays: dict[str, Any] = {}
        for name in (*_SCALARS, "fullerVolume"):
            if given.get(name) is not None:
                arrays[name] = _array(name, given[name], (ns,), labels)
        kij = given.get("kij")
        return _checked(
            cls(
                names=labels,
                nasa7=_array("nasa7", given["nasa7"], (ns, 17)),
                kij=np.zeros((ns, ns)) if kij is None else _checked_kij(kij, labels),
                **arrays,
            )
        )


# ---- reading ------------------------------------------------------------------------------


Table = dict[str, dict[str, Any]]
Pairs = dict[tuple[str, str], float]


def _read(file: str | os.PathLike[str] | None) -> tuple[Table, float, Pairs]:
    if file is None:
        return _parse(str(resources.files("bridge") / "data" / "species.yaml"), 0)
    path = Path(file).expanduser()
    try:
        return _parse(str(path), path.stat().st_mtime_ns)
    except OSError as error:
        raise ArgumentError("species_file", str(file), f"a readable file ({error})") from None


@lru_cache(maxsize=4)
def _parse(path: str, _stamp: int) -> tuple[Table, float, Pairs]:
    """Records by name, the default k_ij and the k_ij of single pairs of a species file."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=loader)
    except (yaml.YAMLError, ValueError) as error:
        raise ArgumentError("species_file", path, f"a species table ({error})") from None
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
    table = f"{Path(path).stem}_species.yaml"
    command = shlex.join(["bridge", "species", "convert", path, "-o", table])
    got = f"{path}, a mechanism in Cantera's form"
    raise ArgumentError("species_file", got, f"a species table; `{command}` makes {table} of it")


def shipped_records() -> Table:
    """The records of the shipped table by name; not to be changed."""
    return _read(None)[0]


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


def _known(name: str, names: list[str], where: str) -> str:
    lower = {known.lower(): known for known in names}
    close = [lower[match] for match in get_close_matches(name.lower(), list(lower), 4, 0.5)]
    if close:
        return f"a name of {where}, such as {', '.join(close)}"
    return f"a name of {where}: {', '.join(names)}"


def _entry(value: Any, what: str, problems: list[str]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        problems.append(f"{what} is {'missing' if value is None else repr(value)}")
        return 1.0
    return float(value)


def _nasa7(record: Any, name: str, problems: list[str]) -> np.ndarray:
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


# ---- checking -----------------------------------------------------------------------------


def _array(
    name: str, value: Any, shape: tuple[int, ...], labels: Sequence[str] | None = None
) -> np.ndarray:
    """A copy of `value`, as numbers of this shape."""
    array = np.array(real_numbers(name, value, _UNITS.get(name, "1"), labels))
    if array.ndim == 0 and shape == (1,):
        array = array.reshape(1)
    if array.shape != shape:
        raise ArgumentError(name, f"shape {array.shape}", f"{shape}")
    return np.ascontiguousarray(array)


def _checked_kij(value: Any, names: Sequence[str]) -> np.ndarray:
    """`value`, or ArgumentError naming every pair that cannot be."""
    rows = row_order("kij", value, names)
    kij = _array("kij", value, (len(names), len(names)), names)
    kij = kij if rows is None else kij[rows]
    problems = [
        f"{kij[i, i]} for {names[i]} with itself" for i in np.flatnonzero(np.diag(kij)).tolist()
    ]
    wrong = np.triu(~np.isfinite(kij) | ~np.isfinite(kij.T) | (kij != kij.T), 1)
    for i, j in np.argwhere(wrong).tolist():
        problems.append(f"{kij[i, j]} for {names[i]}-{names[j]} and {kij[j, i]} back")
    if problems:
        wanted = "finite, symmetric, and zero for a species with itself"
        raise ArgumentError("kij", "; ".join(problems), wanted)
    return kij


def _checked(data: SpeciesData) -> SpeciesData:
    """`data`, or ArgumentError naming every species and constant that cannot be."""
    problems = []
    positives = {name: positive for name, (_, positive) in _SCALARS.items()}
    for name, positive in (positives | {"fullerVolume": True}).items():
        values = getattr(data, name)
        if values is None:
            continue
        for label, value in zip(data.names, values, strict=True):
            lowest = 0.0 if name in ("dipole", "kappa") else -np.inf
            if not np.isfinite(value) or value < lowest or (positive and value <= 0.0):
                problems.append(f"{label}: {name} = {value}")
    for label, record in zip(data.names, data.nasa7, strict=True):
        if not np.isfinite(record).all():
            problems.append(f"{label}: nasa7 holds {record[~np.isfinite(record)][0]}")
        elif not 0.0 < record[0] < record[1] < record[2]:
            problems.append(f"{label}: nasa7 temperatures {record[:3].tolist()} do not rise")
    if problems:
        raise ArgumentError("species", "; ".join(problems), "physical constants")
    return data
