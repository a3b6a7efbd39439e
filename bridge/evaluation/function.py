"""`bridge.evaluate`: a mixture of species and options, kept from call to call, evaluated."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from inspect import signature
from threading import Lock
from typing import Any, Never

import numpy as np

from bridge import mpi
from bridge.evaluation.arguments import refuse_keywords
from bridge.evaluation.machines import machine
from bridge.evaluation.mixture import Mixture
from bridge.evaluation.result import Result
from bridge.evaluation.stability import mode_of
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
    s: Numbers | None = None,
    rho: Numbers | None = None,
    e: Numbers | None = None,
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
    stability: str | None = None,
    **others: Never,
) -> Result:
    """Compute properties of states: density, heat capacity, viscosity and other quantities.

    A state is T and P, h and P, s and P, rho and P, or rho and e. What of T and P is not given is
    computed and returned.

    These, T0 and Vref may be numbers or arrays. They broadcast as NumPy arrays do: equal shapes,
    scalars, or grids such as T[:, None] and P[None, :]. Dimensions of DataArrays (xarray) are
    matched by name; an array without names beside them has an axis for each dimension.

    A bad point gets status bits and NaN; it never raises. A composition is divided by its sum. A
    PointsWarning has the number of bad points, and of points with a sum that is not 1 or with a
    negative fraction. Points of several species that would split into two phases are told once;
    they have the bit TWO_PHASE where all points are tested, and results of one phase.

    A quantity with a unit (pint, astropy, unyt) is converted to the unit of its argument. Columns
    of a pandas table are matched to the species by name, rows by position. An array with a masked
    element is refused.

    Without species only kernel packs that need none can run. T and P are then ordinary quantities,
    and Y, X, h, s, rho, e, T0, kij and options must not be given.

    Species, options and plans are kept between calls; `Mixture` is for repeated work.

    Args:
        species: names of the shipped table, "O2 CH4" or a list (`bridge species list` prints
            them), a path to a YAML file of its form, or a mapping of arrays. Constants in other
            units than these take are refused, unless `unchecked` is true of a species.
        T: temperature, K. None if h, s or rho is given.
        P: pressure, Pa. None if rho and e are given.
        Y: mass fractions, (..., NS); (NS,) is one composition for all points. Or a mapping of
            names to numbers, {"O2": 0.7, "CH4": 0.3}; species that are not named are zero. One
            species needs no composition.
        outputs: names of quantities, "rho cp" or a list (`bridge quantities` lists them). Without
            outputs and composite: "rho".
        X: mole fractions instead of Y, in the same forms.
        h: specific enthalpy, J/kg. T is then computed, and returned as "T" with "iterations".
        s: specific entropy, J/(kg K), in place of h.
        rho: density, kg/m3, with P, or with e; T is then computed, and P with e.
        e: specific internal energy, J/kg, heats of formation included.
        T0: first guess of the temperature from h, s or e, K; 300 by default.
        velocity: m/s, (..., 3), for total enthalpy.
        Vref: least preconditioning velocity, m/s.
        kij: interaction coefficients, (NS, NS), or None for those of the table.
        inputs: other quantities of the catalogue by name, for example those and the constants of
            kernel packs. They broadcast; several columns of a quantity are the last axis. Of v,
            rho and Z one may be given: the others follow from it.
        tables: arrays for the tables of kernel packs, by name.
        composite: name of a composite or kernel to run. It reads only what is given, and returns
            its outputs, or those of them that `outputs` names. A quantity that it rewrites is
            returned with its new value.
        options: options of the physics by name.
        backend: "auto", "cpu" or "cuda".
        threads: number of CPU threads; None: OMP_NUM_THREADS, or all cores.
        stability: which points are tested for splitting: "off", "sampled" (all of a call of up to
            1000 points, 200 of a larger one) or "all". None: BRIDGE_STABILITY of the environment,
            or "sampled".

    Returns:
        A mapping of names to float64 or int32 arrays with the broadcast shape, or to numbers
            if all arguments are numbers. A quantity with several columns has them in one more
            axis, the last. Units are those of the catalogue. "status", int32, has the bits of
            docs/physics.md, section 3. A composite returns it if it is asked for; without
            species it is there if a kernel of the run computes it.

    Raises:
        ArgumentError: a shape, name or option is wrong, or a keyword is not known.
        DeviceError: backend is "cuda", and there is no usable device.
    """
    if others:
        own = [name for name in signature(evaluate).parameters if name != "others"]
        refuse_keywords(others, own, Catalogue.installed())
    mixture = _mixture(species, kij, options, backend, threads, stability)
    state = {"T": T, "P": P, "Y": Y, "X": X, "h": h, "s": s, "rho": rho, "e": e, "T0": T0,
             "velocity": velocity, "Vref": Vref}  # fmt: skip
    return mixture.run(state, outputs, inputs or {}, tables or {}, composite)


def forget() -> None:
    """Give up all mixtures and backends that are kept: for tests, and after a change of packs."""
    with _change:
        _kept.clear()
        machine.cache_clear()


def _mixture(
    species: Any, kij: Any, options: Any, backend: str, threads: int | None, stability: str | None
) -> Mixture:
    """The one that is kept for these arguments, or a new one. What decides a mixture beside them
    is part of the key: threads of the environment, and the kernel packs."""
    key: Any
    try:
        key = (
            _frozen(species), _frozen(kij), _frozen(options), backend,
            threads if threads is not None else resolve_threads(None, mpi.host_size()),
            Catalogue.installed(), packs.debugging(), mode_of(stability),
        )  # fmt: skip
        found = _kept.get(key)
    except TypeError:  # something that has no key: a table of names, a quantity with a unit
        key = found = None
    if found is not None:
        return found
    found = Mixture(
        species, kij=kij, options=options, backend=backend, threads=threads, stability=stability
    )
    if key is not None:
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
