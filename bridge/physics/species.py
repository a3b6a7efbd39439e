"""Species constants: from the shipped table, a YAML file of its form, or the host's arrays.

Read once, before the first launch; `shared` turns them into what the kernels read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bridge.arguments import distinct, real_numbers, row_order
from bridge.errors import ArgumentError, InconsistentError
from bridge.physics import limits, speciestable

_SCALARS = {  # field -> (key in a YAML record, must be positive)
    "W": ("molarMass", True),
    "Tc": ("Tc", True),
    "Pc": ("Pc", True),
    "Vc": ("Vc", True),
    "omega": ("omega", False),
    "dipole": ("dipole", False),
    "kappa": ("association", False),
    "cShift": ("cShift", False),
    "alphaSlope": ("alphaSlope", False),
}
#: Of one kind of model alone: a table may lack them.
_FEW = ("fullerVolume", "criticalViscosity")
_KEYS = {field: key for field, (key, _) in _SCALARS.items()} | {key: key for key in _FEW}
_UNITS = {field: speciestable.UNITS[key] for field, key in _KEYS.items()}
_OPTIONAL = ("Vc", "dipole", "kappa")  # the host may give them later
_ZERO = ("dipole", "kappa", "cShift", "alphaSlope")  # where a table says nothing


@dataclass(frozen=True, eq=False)
class SpeciesData:
    """Constants of ns species, float64, SI but for the dipole.

    names: (ns,); W kg/mol, Tc K, Pc Pa, omega: (ns,); nasa7: (ns, 17) = Tlow, Tmid, Thigh,
    low a1..a7, high a1..a7; kij: (ns, ns). For transport: Vc m3/mol, dipole debye, kappa: (ns,),
    or None while the host has not given them. fullerVolume cm3/mol, (ns,), or None. cShift m3/mol,
    of the volume, (ns,), or None: zero. alphaSlope: m of the alpha function with alpha = FITTED,
    (ns,), zero where it follows from omega, or None. criticalViscosity Pa s, of the friction
    theory, (ns,), NaN where it is not known, or None.
    collision: (ns, 6) = well depth eps/k K, diameter angstrom, dipole debye, polarizability
    angstrom3, collisions per rotational relaxation at 298 K, rotational heat capacity over R; a
    row of NaN where they are not known, or None.
    atomsW: molar masses of the compositions, (ns,), NaN where one is not known; unchecked: whether
    a constant may be outside the limits of `limits`, (ns,).
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
    cShift: np.ndarray | None = None
    alphaSlope: np.ndarray | None = None
    fullerVolume: np.ndarray | None = None
    criticalViscosity: np.ndarray | None = None
    collision: np.ndarray | None = None
    atomsW: np.ndarray | None = None
    unchecked: np.ndarray | None = None

    @property
    def has_transport(self) -> bool:
        """Whether Vc, dipole and kappa are known."""
        return self.Vc is not None and self.dipole is not None and self.kappa is not None

    # ---- where they come from -----------------------------------------------------------

    @classmethod
    def none(cls) -> SpeciesData:
        """No species: arrays of length 0, for kernels that read none of them."""
        empty = np.zeros(0)
        return cls((), empty, empty, empty, empty, np.zeros((0, 17)), np.zeros((0, 0)),
                   empty, empty, empty)  # fmt: skip

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
        table, default_kij, pairs = speciestable.read(file)
        where = "the shipped table" if file is None else str(file)
        chosen = list(table) if names is None else [str(name) for name in names]
        if not chosen:
            raise ArgumentError("species", "no name", f"names of {where}")
        distinct("species", chosen)
        for name in chosen:
            if name not in table:
                raise ArgumentError(
                    "species", repr(name), speciestable.closest(name, list(table), where)
                )
        argument = "species_file" if file else "species"
        return cls.from_records(table, chosen, default_kij, pairs, argument, where)

    @classmethod
    def named(cls, names: str | None, file: str | None) -> SpeciesData | None:
        """Of the settings: names with blanks or commas between them, and a file; None without
        either."""
        if names is None:
            return None if file is None else cls.load(None, file)
        return cls.load(names.replace(",", " ").split(), file)

    @classmethod
    def from_records(
        cls,
        table: Mapping[str, Mapping[str, Any]],
        names: Sequence[str],
        default_kij: float,
        pairs: Mapping[tuple[str, str], float],
        argument: str,
        where: str = "the table",
    ) -> SpeciesData:
        """The named records of a table of the shipped form; `argument` is what errors blame."""
        problems: list[str] = []
        values = {field: np.empty(len(names)) for field in _SCALARS}
        nasa7 = np.empty((len(names), 17))
        few = {key: np.full(len(names), np.nan) for key in _FEW}
        masses = np.full(len(names), np.nan)
        collision = np.empty((len(names), 6))
        unchecked = np.zeros(len(names), bool)
        for k, name in enumerate(names):
            record = table[name]
            for field, (key, _) in _SCALARS.items():
                missing_is_zero = field in _ZERO
                values[field][k] = speciestable.number(
                    record.get(key, 0.0 if missing_is_zero else None), f"{name}: {key}", problems,
                    speciestable.UNITS[key],
                )  # fmt: skip
            nasa7[k] = speciestable.nasa7(record.get("nasa7"), name, problems)
            for key in _FEW:
                if key in record:
                    few[key][k] = speciestable.number(
                        record[key], f"{name}: {key}", problems, speciestable.UNITS[key]
                    )
            collision[k] = speciestable.collision(record.get("lennardJones"), name, problems)
            masses[k] = speciestable.mass_of_atoms(record)
            unchecked[k] = speciestable.unchecked(
                record.get("unchecked", False), f"{name}: unchecked", problems
            )
        if problems:
            raise InconsistentError(argument, f"{where}: {'; '.join(problems)}")
        kij = np.full((len(names), len(names)), default_kij)
        np.fill_diagonal(kij, 0.0)
        place = {name: k for k, name in enumerate(names)}
        for (first, second), value in pairs.items():
            if first in place and second in place:
                i, j = place[first], place[second]
                kij[i, j] = kij[j, i] = value
        data = _checked(
            cls(
                names=tuple(names),
                nasa7=nasa7,
                kij=kij,
                fullerVolume=None if np.isnan(few["fullerVolume"]).any() else few["fullerVolume"],
                criticalViscosity=few["criticalViscosity"],
                collision=collision,
                atomsW=masses,
                unchecked=unchecked,
                **values,
            ),
            argument,
        )
        data.refuse_other_units(argument, _KEYS)
        return data

    @classmethod
    def from_mapping(cls, arrays: Mapping[str, Any]) -> SpeciesData:
        """From arrays by field name: W, Tc, Pc, Vc, omega, nasa7, and where known names, dipole,
        kappa, cShift, alphaSlope (zero otherwise), kij, fullerVolume, criticalViscosity,
        collision; unchecked: true for a pseudo-species.
        """
        known = ("names", *_SCALARS, "nasa7", "kij", *_FEW, "collision", "unchecked")
        for name in arrays:
            if name not in known:
                raise ArgumentError("species", repr(name), f"keys among {', '.join(known)}")
        for name in ("W", "Tc", "Pc", "Vc", "omega", "nasa7"):
            if name not in arrays:
                raise ArgumentError("species", f"a mapping without {name!r}", f"the key {name!r}")
        ns = np.size(arrays["W"])
        given = {**{name: np.zeros(ns) for name in _ZERO}, **arrays}
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
        kept = ("cShift", "alphaSlope", *_FEW, "collision", "atomsW", "unchecked")
        for name in (*_OPTIONAL, *kept):
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
        if "unchecked" in arrays:
            arrays["unchecked"] = _flags(arrays["unchecked"], ns)
        return _checked(replace(self, **arrays)) if arrays else self

    def refuse_other_units(
        self,
        argument: str = "species",
        keys: Mapping[str, str] | None = None,
        before: SpeciesData | None = None,
    ) -> None:
        """ArgumentError that names every species and constant outside of the limits, and its
        likely unit; keys: how the caller writes the constants; before: those that an override has
        changed."""
        keys = keys or {field: field for field in _KEYS}
        problems = limits.problems(self, keys)
        if problems:
            if before not in (None, self) and not limits.problems(before, keys):
                argument = "override"
            units = ", ".join(
                f"{keys[field]} {_UNITS[field]}" for field in ("W", "Tc", "Pc", "Vc")
            )
            pseudo = "unchecked: true in its table, or 'unchecked=1' in setting override"
            remedy = f"give {units}; a pseudo-species has {pseudo}"
            raise InconsistentError(argument, "; ".join(problems), remedy)

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
        for name in (*_SCALARS, *_FEW, "atomsW"):
            if given.get(name) is not None:
                arrays[name] = _array(name, given[name], (ns,), labels)
        if given.get("collision") is not None:
            arrays["collision"] = _array("collision", given["collision"], (ns, 6), labels)
        if given.get("unchecked") is not None:
            arrays["unchecked"] = _flags(given["unchecked"], ns)
        kij = given.get("kij")
        return _checked(
            cls(
                names=labels,
                nasa7=_array("nasa7", given["nasa7"], (ns, 17)),
                kij=np.zeros((ns, ns)) if kij is None else _checked_kij(kij, labels),
                **arrays,
            )
        )


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


def _flags(value: Any, ns: int) -> np.ndarray:
    """`unchecked` of each species, from one answer for all or one each."""
    found = real_numbers("unchecked", value)
    if found.shape not in ((), (ns,)) or not np.isin(found, (0.0, 1.0)).all():
        wanted = f"true or false (1 or 0), for all species or {ns}, one each"
        raise ArgumentError("unchecked", f"{value!r}", wanted)
    return np.array(np.broadcast_to(found != 0.0, ns))


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


def _of_collision(
    depth: float, diameter: float, dipole: float, polarizability: float, relaxation: float,
    rotation: float,
) -> Iterator[str]:  # fmt: skip
    """What cannot be; all of them NaN is nothing that is known."""
    if np.isnan([depth, diameter, dipole, polarizability, relaxation, rotation]).all():
        return
    if not 1.0 <= depth <= 5000.0:
        yield f"well depth {depth:g} K, wanted 1 to 5000"
    if not 1.0 <= diameter <= 20.0:
        yield f"diameter {diameter:g} angstrom, wanted 1 to 20"
    if not 0.0 <= dipole <= 20.0:
        yield f"dipole {dipole:g} debye, wanted 0 to 20"
    if not 0.0 <= polarizability <= 100.0:
        yield f"polarizability {polarizability:g} angstrom3, wanted 0 to 100"
    if not 0.0 <= relaxation <= 1e4:
        yield f"rotational relaxation {relaxation:g}, wanted 0 to 10000"
    if rotation not in (0.0, 1.0, 1.5):
        yield f"rotational heat capacity {rotation:g} R, wanted 0, 1 or 1.5"


def _checked(data: SpeciesData, argument: str = "species") -> SpeciesData:
    """`data`, or ArgumentError naming every species and constant that cannot be."""
    problems = []
    positives = {name: positive for name, (_, positive) in _SCALARS.items()}
    for name, positive in (positives | dict.fromkeys(_FEW, True)).items():
        values = getattr(data, name)
        if values is None:
            continue
        for label, value in zip(data.names, values, strict=True):
            if name == "criticalViscosity" and np.isnan(value):
                continue  # nobody knows it
            lowest = 0.0 if name in ("dipole", "kappa") else -np.inf
            if not np.isfinite(value) or value < lowest or (positive and value <= 0.0):
                celsius = name == "Tc" and -273.15 < value < 0.0
                unit = ": degrees Celsius instead of K?" if celsius else ""
                limit = "above 0" if positive else "0 or more" if lowest == 0.0 else "finite"
                problems.append(f"{label}: {name} = {value} is not {limit}{unit}")
    if data.collision is not None:
        for label, record in zip(data.names, data.collision, strict=True):
            problems += [f"{label}: collision {text}" for text in _of_collision(*record)]
    for label, record in zip(data.names, data.nasa7, strict=True):
        if not np.isfinite(record).all():
            problems.append(
                f"{label}: nasa7 holds {record[~np.isfinite(record)][0]}, which is not finite"
            )
        elif not 0.0 < record[0] < record[1] < record[2]:
            problems.append(f"{label}: nasa7 temperatures {record[:3].tolist()} do not rise")
    if problems:
        raise InconsistentError(argument, "; ".join(problems))
    return data
