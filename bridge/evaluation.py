"""`bridge.evaluate`: properties of NumPy arrays of states, without a Frame.

The same catalogue, plans and backend programs as the Fortran way; the caller's arrays are bound
in place as boxes, so nothing is copied twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from os import PathLike
from threading import Lock
from typing import Any

import numpy as np

from bridge import mpi
from bridge.arguments import real_numbers
from bridge.backends import open_backend
from bridge.backends.base import Backend, Binding, Box
from bridge.errors import ArgumentError
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.inputs import ALIASES, DEFAULTS
from bridge.plan.selection import POINT_INPUTS
from bridge.settings import resolve_threads


def evaluate(
    species: str | PathLike[str] | Sequence[str] | np.ndarray | Mapping[str, Any] | SpeciesData,
    T: Any,
    P: Any,
    Y: Any,
    outputs: Iterable[str] = ("rho",),
    *,
    h: Any = None,
    T0: Any = None,
    velocity: Any = None,
    Vref: Any = None,
    kij: Any = None,
    inputs: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | Options | None = None,
    backend: str = "auto",
    threads: int | None = None,
) -> dict[str, np.ndarray]:
    """Properties of n states.

    species: names of the shipped table ("O2 CH4" or a list), a path to a YAML of its form, or a
    mapping of arrays. T, K, and P, Pa: (n,) or scalars; Y: (n, NS) mass fractions, (NS,) for
    one composition everywhere, (n,) or scalar for one species. outputs: names of quantities of
    the catalogue. With h, J/kg, T is None: it is solved for from the guess T0 (default 300 K)
    and returned as "T" with "iterations". velocity: (n, 3), m/s; Vref: (n,), m/s; kij: (NS, NS)
    or None; inputs: other quantities of the catalogue by name, of kernel packs above all, their
    constants among them: (n,) or scalars, (n, columns) or (columns,); options: physics options
    by name; backend: "auto", "cpu", "cuda"; threads of the CPU.

    A quantity with a unit (pint, astropy, unyt) is converted to the unit of its argument. A pandas
    table is read by the names of its columns, the species; its rows by their places. A masked
    element is refused.

    Returns name -> float64 (n,) or C-ordered (n, columns), in the catalogue's units, and
    always "status", int32 (n,): bits of docs/physics.md section 3. A bad point gets status
    bits and NaN and never raises; wrong shapes, names or options raise ArgumentError,
    backend="cuda" without a device raises DeviceError.
    """
    data = SpeciesData.resolve(species, kij=kij)
    _refuse_two_compositions(inputs or {})
    chosen = options if isinstance(options, Options) else Options.parse(options)
    ns = len(data.names)
    outputs = _names(outputs)
    catalogue = Catalogue.installed()
    reader = _Reader(catalogue, data.names)
    arrays = _given(reader, T=T, P=P, Y=Y, h=h, T0=T0, velocity=velocity, Vref=Vref)
    arrays |= _others(reader, inputs or {})
    arrays = _one_length(arrays, {q for q in arrays if catalogue.quantity(q).columns != "1"})
    wanted = _outputs(outputs, solved=h is not None)
    n = arrays["P"].shape[0]
    plan = catalogue.plan(wanted, list(arrays), ns, name="evaluate")
    machine = _backend(backend, resolve_threads(threads, mpi.host_size()))
    shared = SharedData(data, chosen)
    for name in catalogue.constants.keys() & {*plan.inputs, *plan.outputs}:
        arrays.setdefault(name, np.full(n, catalogue.constants[name]))
    results = {
        # an input that is asked for too comes back as it was given
        name: arrays[name].copy() if name in arrays else _empty(catalogue, name, n, ns)
        for name in plan.outputs
    }
    bindings = {name: _binding(array) for name, array in arrays.items()}
    bindings |= {name: _binding(array) for name, array in results.items()}
    if n:
        with _one_at_a_time:  # another thread's species must not come between
            machine.set_shared(shared)
            program = machine.program(plan, bindings)
        program.run(0, n)
        machine.synchronize()
    names = dict.fromkeys([*outputs, "status", *(("T", "iterations") if h is not None else ())])
    return {name: results[ALIASES.get(name, name)] for name in names}


_one_at_a_time = Lock()


@lru_cache(maxsize=8)
def _backend(name: str, threads: int) -> Backend:
    return open_backend(name, threads=threads)


#: Composition in other words: beside Y it would be a second one.
COMPOSITIONS = ("X", "Yc", "Y_leading")


def _refuse_two_compositions(inputs: Mapping[str, Any]) -> None:
    for name in COMPOSITIONS:
        if name in inputs:
            wanted = "the composition once, as Y: what X is given for, W and cp would not follow"
            raise ArgumentError("inputs", f"{name!r} beside Y", wanted)


class _Reader:
    """Arguments as arrays, each in the unit and shape that the catalogue says."""

    def __init__(self, catalogue: Catalogue, species: tuple[str, ...]) -> None:
        self.catalogue = catalogue
        self.species = species

    def __call__(self, quantity: str, value: Any, argument: str | None = None) -> np.ndarray:
        """(n,) or () float64; (n, columns) or (columns,) of a quantity with several."""
        argument = argument or quantity
        known = self.catalogue.quantity(quantity)
        labels = self.species if known.columns == "ns" else None
        array = real_numbers(argument, value, known.unit, labels)
        if known.columns == "1":
            if array.ndim > 1:
                raise ArgumentError(argument, f"shape {array.shape}", "(n,) or a scalar")
            return array
        columns = self.catalogue.columns(quantity, len(self.species))
        if quantity == "Y" and columns == 1 and array.ndim < 2:
            array = array.reshape(1) if array.size == 1 else array.reshape(-1, 1)
        if array.ndim not in (1, 2) or array.shape[-1] != columns:
            wanted = f"(n, {columns}) or ({columns},)"
            raise ArgumentError(argument, f"shape {array.shape}", wanted)
        return array


def _given(read: _Reader, *, T: Any, P: Any, Y: Any, **others: Any) -> dict[str, np.ndarray]:
    """The given quantities under the catalogue's names, each per point or one for all."""
    arrays: dict[str, np.ndarray] = {}
    if others["h"] is None:
        if T is None:
            raise ArgumentError("T", None, "temperatures, K, or h to solve for them")
        if others["T0"] is not None:
            raise ArgumentError("T0", "a guess", "None unless h is given")
        arrays["T"] = read("T", T)
    else:
        if T is not None:
            raise ArgumentError("T", "temperatures", "None where h is given: T is solved for")
        arrays["h_target"] = read("h_target", others["h"], "h")
        arrays["T0"] = read("T0", DEFAULTS["T0"] if others["T0"] is None else others["T0"])
    arrays["P"] = read("P", P)
    arrays["Y"] = read("Y", Y)
    for name in ("velocity", "Vref"):
        if others[name] is not None:
            arrays[name] = read(name, others[name])
    return arrays


def _others(read: _Reader, inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """What the caller gives by name, in the shapes that the catalogue says."""
    others: dict[str, np.ndarray] = {}
    for name, value in inputs.items():
        quantity = read.catalogue.quantity(name)
        word = quantity.dtype == "int32"
        if name in POINT_INPUTS or (word and quantity.file == shipped_file()):
            wanted = "quantities that have no argument of their own, of the package real ones"
            raise ArgumentError("inputs", repr(name), wanted)
        others[name] = _integers(name, read(name, value)) if word else read(name, value)
    return others


def _integers(name: str, array: np.ndarray) -> np.ndarray:
    """Numbers without a fraction as int32."""
    held = np.isfinite(array) & (np.abs(array) <= 2**31 - 1)
    wrong = array[~held | (array != np.rint(array))]
    if wrong.size:
        raise ArgumentError(name, f"{wrong.flat[0]:g}", "integers of 32 bits")
    return array.astype(np.int32)


def _one_length(arrays: Mapping[str, np.ndarray], wide: set[str]) -> dict[str, np.ndarray]:
    """Every array contiguous with one row per point, n of them; wide: with several columns.

    What has one value, or one row of columns, stands for all points.
    """
    single = {name for name, array in arrays.items() if array.ndim < (2 if name in wide else 1)}
    lengths = {name: len(array) for name, array in arrays.items() if name not in single}
    n = next(iter(lengths.values()), 1)
    for name, length in lengths.items():
        if length != n:
            name, first = ("h" if x == "h_target" else x for x in (name, next(iter(lengths))))
            raise ArgumentError(name, f"{length} points", f"{n}, as {first} has, or a scalar")
    return {
        name: np.ascontiguousarray(
            np.broadcast_to(array, (n, *array.shape)) if name in single else array
        )
        for name, array in arrays.items()
    }


def _names(outputs: Iterable[str]) -> tuple[str, ...]:
    """What the caller calls outputs, as a tuple of names."""
    if isinstance(outputs, str):
        raise ArgumentError("outputs", repr(outputs), f"a sequence of names, ({outputs!r},)")
    if not isinstance(outputs, Iterable):
        raise ArgumentError("outputs", repr(outputs), "a sequence of names")
    names = tuple(outputs)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError("outputs", repr(name), "names of quantities")
    return names


def _outputs(outputs: Sequence[str], solved: bool) -> list[str]:
    """Canonical names, each once; a temperature that is solved for comes along."""
    names = [ALIASES.get(name, name) for name in outputs]
    if solved:
        names += ["T", "iterations"]
    return list(dict.fromkeys([*names, "status"]))


def _empty(catalogue: Catalogue, name: str, n: int, ns: int) -> np.ndarray:
    columns = catalogue.columns(name, ns)
    quantity = catalogue.quantities[name]
    shape = (n,) if quantity.columns == "1" else (n, columns)
    return np.zeros(shape, dtype=quantity.dtype)


def _binding(array: np.ndarray) -> Binding:
    """A (n,) or C-ordered (n, columns) array as memory of a plan: component first."""
    n = array.shape[0]
    columns = 1 if array.ndim == 1 else array.shape[1]
    box = Box((n, 1, 1), (columns, n * columns, n * columns), 1)
    return Binding(array.ctypes.data, box, columns, dtype=str(array.dtype), owner=array)
