"""`bridge.evaluate`: properties of NumPy arrays of states, without a Frame.

The same catalogue, plans and backend programs as the Fortran way; the caller's arrays are bound
in place as boxes, so nothing is copied twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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
from bridge.memory.tables import converted
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.declarations import Composite, Constant, Kernel
from bridge.plan.inputs import ALIASES, DEFAULTS, MASK, POSITIONS, begins_at_zero
from bridge.plan.plan import Plan
from bridge.plan.plans import Plans
from bridge.plan.selection import POINT_INPUTS, STATUS
from bridge.settings import resolve_threads

#: What a caller may call species.
Species = str | PathLike[str] | Sequence[str] | np.ndarray | Mapping[str, Any] | SpeciesData


def evaluate(
    species: Species | None = None,
    T: Any = None,
    P: Any = None,
    Y: Any = None,
    outputs: Iterable[str] | None = None,
    *,
    h: Any = None,
    T0: Any = None,
    velocity: Any = None,
    Vref: Any = None,
    kij: Any = None,
    inputs: Mapping[str, Any] | None = None,
    tables: Mapping[str, Any] | None = None,
    composite: str | None = None,
    options: Mapping[str, Any] | Options | None = None,
    backend: str = "auto",
    threads: int | None = None,
) -> dict[str, np.ndarray]:
    """Properties of n states.

    species: names of the shipped table ("O2 CH4" or a list), a path to a YAML of its form, or a
    mapping of arrays. T, K, and P, Pa: (n,) or scalars; Y: (n, NS) mass fractions, (NS,) for
    one composition everywhere, (n,) or scalar for one species. outputs: names of quantities of
    the catalogue, ("rho",) where neither they nor a composite are given. With h, J/kg, T is
    None: it is solved for from the guess T0 (default 300 K) and returned as "T" with
    "iterations". velocity: (n, 3), m/s; Vref: (n,), m/s; kij: (NS, NS) or None; inputs: other
    quantities of the catalogue by name, of kernel packs above all, their constants among them:
    (n,) or scalars, (n, columns) or (columns,); tables: arrays for the tables of kernel packs by
    name; options: physics options by name; backend: "auto", "cpu", "cuda"; threads of the CPU.

    composite: name of a composite or kernel, which then reads all that is given and nothing else,
    and gives its outputs (`outputs`: some of them); a quantity that it rewrites comes back with
    its new value. Without species, what kernel packs do that know none: T and P are quantities
    like all others, and Y, h, T0, kij and options have no meaning.

    A quantity with a unit (pint, astropy, unyt) is converted to the unit of its argument. A pandas
    table is read by the names of its columns, the species; its rows by their places. A masked
    element is refused.

    Returns name -> float64 or int32, (n,) or C-ordered (n, columns), in the catalogue's units,
    and "status", int32 (n,): bits of docs/physics.md section 3, of a composite where it is
    asked for, without species where a kernel that runs gives it. A bad point gets status
    bits and NaN and never raises; wrong shapes, names or options raise ArgumentError,
    backend="cuda" without a device raises DeviceError.
    """
    state = {"T": T, "P": P, "Y": Y, "h": h, "T0": T0, "velocity": velocity, "Vref": Vref}
    if species is None:
        _refuse_without_species(Y=Y, h=h, T0=T0, kij=kij, options=options)
        data = SpeciesData.none()
    else:
        data = SpeciesData.resolve(species, kij=kij)
        _refuse_two_compositions(inputs or {})
    chosen = options if isinstance(options, Options) else Options.parse(options)
    ns = len(data.names)
    catalogue = Catalogue.installed()
    which = None if composite is None else catalogue.runnable(composite)
    reader = _Reader(catalogue, data.names)
    given = _given if species is not None and which is None else _as_named
    arrays = given(reader, **state) | _others(reader, inputs or {}, words=which is not None)
    if which is not None and "T0" in which.inputs:
        arrays.setdefault("T0", np.array(DEFAULTS["T0"]))
    arrays = _one_length(arrays, {q for q in arrays if catalogue.quantity(q).columns != "1"})
    plan, names = _plan(catalogue, data, which, outputs, arrays)
    if plan.block_kernels:
        raise ArgumentError(
            "outputs" if which is None else "composite",
            f"{', '.join(plan.outputs)} by {', '.join(plan.block_kernels)}, which read neighbours",
            "kernels of single points; the others run on arrays of a set (TVProperties.run)",
        )
    n = len(next(iter(arrays.values()), (1,)))
    machine = _backend(backend, resolve_threads(threads, mpi.host_size()))
    shared = SharedData(data, chosen)
    filled = {t: converted(catalogue.table(t), values) for t, values in (tables or {}).items()}
    for name in catalogue.constants.keys() & {*plan.inputs, *plan.outputs} - arrays.keys():
        arrays[name] = _everywhere(catalogue.constants[name], n)
    for name in plan.tables:
        if name not in filled:
            got = f"no values of the table '{name}' of {catalogue.table(name).file}"
            raise ArgumentError("tables", got, f"tables={{'{name}': array}}")
    results = {
        # an input that is asked for too comes back as it was given
        name: arrays[name].copy() if name in arrays else _empty(catalogue, name, n, ns)
        for name in plan.outputs
    }
    bindings = {name: Binding.along(axis, (n, 1, 1), 1) for axis, name in enumerate(POSITIONS)} | {
        name: _binding(array) for name, array in arrays.items()
    }
    bindings |= {name: _binding(array) for name, array in results.items()}
    if n:
        with _one_at_a_time:  # another thread's species must not come between
            machine.set_shared(shared)
            for name, values in filled.items():
                machine.set_table(name, values)
            program = machine.program(plan, bindings)
            if filled:  # nor its tables
                program.run(0, n)
                machine.synchronize()
        if not filled:
            program.run(0, n)
            machine.synchronize()
    return {name: results[ALIASES.get(name, name)] for name in names}


_one_at_a_time = Lock()


@lru_cache(maxsize=8)
def _backend(name: str, threads: int) -> Backend:
    return open_backend(name, threads=threads)


def _plan(
    catalogue: Catalogue,
    data: SpeciesData,
    which: Composite | Kernel | None,
    outputs: Iterable[str] | None,
    arrays: Mapping[str, np.ndarray],
) -> tuple[Plan, list[str]]:
    """The plan of a composite or kernel, else of quantities by their names; what it returns."""
    ns = len(data.names)
    plans = Plans(catalogue, ns)
    if which is not None:
        plans.species = data
        plans.need_species(which)
        names = list(which.outputs if outputs is None else _names(outputs))
        wanted = [ALIASES.get(name, name) for name in names]
        known = {*catalogue.constants, *POSITIONS}
        _check_arguments(which, arrays, wanted, known)
        return plans.of(which, wanted, [*arrays, *known]), names
    if outputs is None and not ns:
        raise ArgumentError("outputs", None, "names of quantities, or a composite")
    names = list(_names(("rho",) if outputs is None else outputs))
    solved = "h_target" in arrays
    plan = catalogue.plan(_outputs(names, solved), list(arrays), ns, name="evaluate")
    if not ns:
        plans.need_constants(plan)
    kernels = (catalogue.kernel(name) for name in plan.kernels())
    if ns or any(STATUS in kernel.outputs for kernel in kernels):
        names.append(STATUS)
    return plan, list(dict.fromkeys([*names, *(("T", "iterations") if solved else ())]))


def _check_arguments(
    which: Composite | Kernel, given: Iterable[str], wanted: list[str], known: Collection[str]
) -> None:
    """What is given is what a composite or kernel reads; what is wanted, what it gives. known:
    constants, which need not be given."""
    for name in given:
        if name not in which.inputs and name not in known:
            reads = f"what {which.name} reads: {', '.join(which.inputs)}"
            raise ArgumentError("inputs", repr(name), reads)
    for name in which.inputs:
        if name not in given and name not in known and not begins_at_zero(name):
            raise ArgumentError("inputs", f"no {name!r}", f"it, as {which.name} reads it")
    for name in wanted:
        if name not in which.outputs:
            gives = f"outputs of {which.name}: {', '.join(which.outputs)}"
            raise ArgumentError("outputs", repr(name), gives)


#: Composition in other words: beside Y it would be a second one.
COMPOSITIONS = ("X", "Yc", "Y_leading")


def _refuse_two_compositions(inputs: Mapping[str, Any]) -> None:
    for name in COMPOSITIONS:
        if name in inputs:
            wanted = "the composition once, as Y: what X is given for, W and cp would not follow"
            raise ArgumentError("inputs", f"{name!r} beside Y", wanted)


def _refuse_without_species(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise ArgumentError("species", None, f"species, as {name} is given")


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


def _as_named(read: _Reader, h: Any, **arguments: Any) -> dict[str, np.ndarray]:
    """Those of the arguments that are given, under the catalogue's names."""
    arrays = {name: read(name, value) for name, value in arguments.items() if value is not None}
    return arrays if h is None else arrays | {"h_target": read("h_target", h, "h")}


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


def _others(read: _Reader, inputs: Mapping[str, Any], words: bool) -> dict[str, np.ndarray]:
    """What the caller gives by name, in the shapes that the catalogue says; words: integers of
    the package too, which else are results."""
    others: dict[str, np.ndarray] = {}
    for name, value in inputs.items():
        quantity = read.catalogue.quantity(name)
        word = quantity.dtype == "int32"
        given = words or name in (*POSITIONS, MASK)
        if name in POINT_INPUTS or (word and not given and quantity.file == shipped_file()):
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


def _everywhere(constant: Constant, n: int) -> np.ndarray:
    """The value of a constant that is not given, at n points."""
    if constant.value is None:
        got = f"no value of the constant '{constant.name}' of {constant.file}"
        raise ArgumentError("inputs", got, f"inputs={{'{constant.name}': value}}")
    value = constant.value[0] if constant.columns == "1" else constant.value
    return np.array(np.broadcast_to(value, (n, *np.shape(value))), dtype=constant.dtype)


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
