"""`bridge.evaluate`: a mixture of species and options, kept from call to call, evaluated."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from threading import Lock
from typing import Any

import numpy as np

from bridge import mpi
from bridge.evaluation.machines import machine
from bridge.evaluation.mixture import Mixture
from bridge.evaluation.result import Result
from bridge.evaluation.types import Composition, Numbers, Species
from bridge.physics.options import Options
from bridge.physics.species import SpeciesData
from bridge.plan import packs
from bridge.plan.catalogue import Catalogue
from bridge.settings import resolve_threads

#: Mixtures that are kept.
KEPT = 16
_kept: dict[Hashable, Mixture] = {}
_change = Lock()


def evaluate(
    species: Species | None = None,
    T: Numbers | None = None,
    P: Numbers | None = None,
    Y: Composition | None = None,
    outputs: str | Iterable[str] | None = None,
    *,
    X: Composition | None = None,
    h: Numbers | None = None,
    T0: Numbers | None = None,
    velocity: Numbers | None = None,
    Vref: Numbers | None = None,
    kij: Numbers | None = None,
    inputs: Mapping[str, object] | None = None,
    tables: Mapping[str, object] | None = None,
    composite: str | None = None,
    options: Mapping[str, object] | Options | None = None,
    backend: str = "auto",
    threads: int | None = None,
) -> Result:
    """Properties of states.

    species: names of the shipped table ("O2 CH4" or a list; `bridge species list` prints them), a
    path to a YAML of its form, or a mapping of arrays.

    T, K, and P, Pa: numbers or arrays that broadcast as NumPy's do: equal shapes, scalars, grids
    such as T[:, None] and P[None, :]. Y: mass fractions, (..., NS), of which (NS,) is one
    composition everywhere; or X: mole fractions of the same shapes; or either as a mapping of
    names to numbers, {"O2": 0.7, "CH4": 0.3}, in which species that are not named are zero. Of one
    species neither is needed, and the last axis may be left out.

    outputs: names of quantities of the catalogue, "rho cp" or a list (`bridge quantities` finds
    them), "rho" where neither they nor a composite are given.

    With h, J/kg, T is None: it is solved for from the guess T0 (default 300 K) and returned as
    "T" with "iterations". velocity: (..., 3), m/s; Vref: m/s; kij: (NS, NS) or None; inputs: other
    quantities of the catalogue by name, of kernel packs above all, their constants among them:
    arrays that broadcast, with an axis of columns behind where a quantity has several; tables:
    arrays for the tables of kernel packs by name; options: physics options by name; backend:
    "auto", "cpu", "cuda"; threads: of the CPU.

    composite: name of a composite or kernel, which then reads all that is given and nothing else,
    and gives its outputs (`outputs`: some of them); a quantity that it rewrites comes back with
    its new value. Without species, what kernel packs do that know none: T and P are quantities
    like all others, and Y, X, h, T0, kij and options have no meaning.

    A quantity with a unit (pint, astropy, unyt) is converted to the unit of its argument. A pandas
    table is read by the names of its columns, the species; its rows by their places. A masked
    element is refused.

    Returns a `Result`: a mapping of names to float64 or int32 arrays of the shape that the
    arguments broadcast to, numbers where all of them are; with one more axis, the last, for a
    quantity of several columns; in the catalogue's units; and "status", int32: bits of
    docs/physics.md section 3, of a composite where it is asked for, without species where a kernel
    that runs gives it.

    A bad point gets status bits and NaN and never raises. A composition is divided by its sum. A
    PointsWarning says how many points are bad, or had a sum that is not 1 or a negative fraction.
    Wrong shapes, names or options raise ArgumentError, backend="cuda" without a device raises
    DeviceError.

    What species and options have in common with earlier calls is kept: see `Mixture`.
    """
    mixture = _mixture(species, kij, options, backend, threads)
    state = {"T": T, "P": P, "Y": Y, "X": X, "h": h, "T0": T0, "velocity": velocity, "Vref": Vref}
    return mixture.run(state, outputs, inputs or {}, tables or {}, composite)


def forget() -> None:
    """Give up all mixtures and backends that are kept: for tests, and after a change of packs."""
    with _change:
        _kept.clear()
        machine.cache_clear()


def _mixture(species: Any, kij: Any, options: Any, backend: str, threads: int | None) -> Mixture:
    """The one that is kept for these arguments, or a new one. What decides a mixture beside them
    is part of the key: threads of the environment, and the kernel packs."""
    key: Any
    try:
        key = (
            _frozen(species), _frozen(kij), _frozen(options), backend,
            threads if threads is not None else resolve_threads(None, mpi.host_size()),
            Catalogue.installed(), packs.debugging(),
        )  # fmt: skip
        found = _kept.get(key)
    except TypeError:  # something that has no key: a table of names, a quantity with a unit
        return Mixture(species, kij=kij, options=options, backend=backend, threads=threads)
    if found is None:
        found = Mixture(species, kij=kij, options=options, backend=backend, threads=threads)
        with _change:
            if len(_kept) >= KEPT:
                del _kept[next(iter(_kept))]
            found = _kept.setdefault(key, found)
    return found


def _frozen(value: Any) -> Hashable:
    """A key that is equal where the value means the same; TypeError where there is none."""
    if isinstance(value, str):
        path = os.sep in value or value.strip().lower().endswith((".yaml", ".yml"))
        return _file(value) if path else value
    if value is None or isinstance(value, Options | int | float):
        return value
    kind = type(value)
    if kind is np.ndarray and value.dtype.kind in "fiubU":
        return kind, value.shape, value.dtype.str, value.tobytes()
    if kind in (list, tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, os.PathLike):
        return _file(os.fspath(value))
    if isinstance(value, SpeciesData):
        value, kind = vars(value), SpeciesData
    elif kind is not dict:
        raise TypeError(kind.__name__)
    return kind, tuple((name, _frozen(item)) for name, item in value.items())


def _file(path: str) -> Hashable:
    """A species file as it is now; TypeError where it cannot be read, which is told later."""
    try:
        now = os.stat(os.path.expanduser(path.strip()))
    except OSError as error:
        raise TypeError(str(error)) from None
    return path, now.st_dev, now.st_ino, now.st_mtime_ns, now.st_size
