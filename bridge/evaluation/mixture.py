"""`bridge.Mixture`: species with options on a machine, evaluated again and again.

What a call has in common with others is made once: the constants of the species, the plan of what
is asked for, programs on arrays that are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from math import prod
from typing import Any, Never
from warnings import warn

import numpy as np

from bridge import mpi
from bridge.errors import ArgumentError, InconsistentError, PointsWarning
from bridge.evaluation import arguments
from bridge.evaluation import stability as _stability
from bridge.evaluation.dimensions import ARGUMENTS, Dimensions
from bridge.evaluation.machines import machine
from bridge.evaluation.programs import KeptProgram, capacity, run_in_place
from bridge.evaluation.request import Request, names_of
from bridge.evaluation.result import Result
from bridge.evaluation.status import BAD, CHANGED, TOLD, Status
from bridge.evaluation.types import Composition, Numbers, Species
from bridge.memory.tables import converted
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.catalogue import Catalogue
from bridge.plan.inputs import DEFAULTS
from bridge.plan.selection import DENSITY, STATUS
from bridge.settings import resolve_threads

#: Requests of a mixture whose programs are kept.
KEPT = 16
#: Quantities that each say how dense a state is.
DENSITIES = ("v", "rho", "Z")
#: Arguments that a temperature is solved from, and their quantities.
TARGETS = {argument: quantity for quantity, argument in ARGUMENTS.items()}


class Mixture:
    """Species and options, prepared once for many evaluations.

    Several threads may use a Mixture at the same time.

    Args:
        species: names of the shipped table, "O2 CH4" or a list, a path to a YAML file of its form,
            or a mapping of arrays; None for kernel packs that need no species.
        kij: interaction coefficients, (NS, NS), or None for those of the table.
        options: options of the physics by name.
        backend: "auto", "cpu" or "cuda".
        threads: number of CPU threads; None: OMP_NUM_THREADS, or all cores.
        stability: which points are tested for splitting into two phases: "off", "sampled" or
            "all"; None: BRIDGE_STABILITY of the environment, or "sampled".

    Raises:
        ArgumentError: a species or option is unknown.
        DeviceError: backend is "cuda", and there is no usable device.
    """

    def __init__(
        self,
        species: Species | None = None,
        *,
        kij: Numbers | None = None,
        options: Mapping[str, object] | Options | None = None,
        backend: str = "auto",
        threads: int | None = None,
        stability: str | None = None,
    ) -> None:
        mode = _stability.mode_of(stability)
        if species is None:
            arguments.refuse_without_species(kij=kij, options=options)
        data = SpeciesData.none() if species is None else SpeciesData.resolve(species, kij=kij)
        self._options = Options.parse(options)
        self._catalogue = Catalogue.installed().with_options(self._options)
        self._machine = machine(backend, resolve_threads(threads, mpi.host_size()))
        self._shared = SharedData(data, self._options)
        self._data = self._shared.species
        self._stability = mode if len(self._data.names) > 1 else "off"
        self._told_of_splits = False
        self._read = arguments.Reader(self._catalogue, data.names)
        self._requests: dict[Any, tuple[Request, list[KeptProgram]]] = {}

    @property
    def species(self) -> tuple[str, ...]:
        """Names, in the order of the last axis of Y, X and quantities per species."""
        return self._data.names

    @property
    def options(self) -> Options:
        """Options of the physics."""
        return self._options

    def __repr__(self) -> str:
        names = " ".join(self.species) or None
        return f"bridge.Mixture({names!r}, backend={self._machine.backend.name!r})"

    def evaluate(
        self,
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
        inputs: Mapping[str, object] | None = None,
        tables: Mapping[str, object] | None = None,
        composite: str | None = None,
        **others: Never,
    ) -> Result:
        """Properties of states: as `bridge.evaluate`, which has the meaning of every argument.

        T K, P Pa, h and e J/kg, s J/(kg K), rho kg/m3, T0 K, Vref m/s: of any shapes that
        broadcast; Y, X: (..., NS); velocity m/s: (..., 3).
        """
        if others:
            own = [name for name in signature(self.evaluate).parameters if name != "others"]
            arguments.refuse_keywords(others, own, self._catalogue)
        state = {"T": T, "P": P, "Y": Y, "X": X, "h": h, "s": s, "rho": rho, "e": e, "T0": T0,
                 "velocity": velocity, "Vref": Vref}  # fmt: skip
        return self.run(state, outputs, inputs or {}, tables or {}, composite)

    def run(
        self,
        state: dict[str, Any],
        outputs: str | Iterable[str] | None,
        inputs: Mapping[str, Any],
        tables: Mapping[str, Any],
        composite: str | None,
        stacklevel: int = 3,
    ) -> Result:
        """state: the arguments of `evaluate` by name; stacklevel: of a warning, that of the
        caller's line."""
        arrays, dimensions = self._arrays(state, inputs, composite)
        columns = {name: self._read.facts(name).columns for name in arrays}
        shape = arguments.common_shape(
            {
                name: array.shape[:-1] if columns[name] else array.shape
                for name, array in arrays.items()
            }
        )
        n = prod(shape)
        if composite is None and self.species and inputs:
            self._one_density(arrays)
        names = names_of(outputs, self._catalogue)
        request, values = self._values(names, composite, arrays, shape, tables)
        result = Result(
            {name: values[quantity] for name, quantity in request.names.items()},
            request.told, shape, arrays, dimensions,
        )  # fmt: skip
        words = values.get(STATUS)
        if words is not None and n and int(np.bitwise_or.reduce(words, axis=None)) & TOLD:
            warn(_told(Status(words), STATUS in result), PointsWarning, stacklevel=stacklevel)
        asked = not set(_stability.OUTPUTS).isdisjoint(result)
        if self._stability != "off" and words is not None and n and not asked:
            told = self._test(result, _stability.state_of(arrays, values), n)
            if told and not self._told_of_splits:
                self._told_of_splits = True
                warn(told, PointsWarning, stacklevel=stacklevel)
        return result

    def _values(
        self, names: tuple[str, ...] | None, composite: str | None, arrays: Mapping[str, Any],
        shape: tuple[int, ...], tables: Mapping[str, Any],
    ) -> tuple[Request, dict[str, np.ndarray]]:  # fmt: skip
        """What runs, and its outputs by name."""
        n = prod(shape)
        key = (names, composite, *arrays)
        found = self._requests.get(key)
        if found is None:
            found = self._requested(key, names, composite, arrays)
        request, idle = found
        filled = self._tables(request, tables)
        if filled or not n or n > capacity(request):
            values = run_in_place(self._machine, request, self._shared, arrays, shape, filled)
        else:
            program = _taken(idle) or KeptProgram(self._machine, request, self._shared)
            values = program.run(arrays, shape, n)
            idle.append(program)
        return request, values

    def _test(self, result: Result, state: dict[str, Any] | None, n: int) -> str | None:
        """Test points for stability; the status words get the bits where all points are tested.
        Returns what is said."""
        if state is None:
            return None
        shape, whole = result.shape, self._stability == "all" or n <= _stability.TESTED
        if not whole:
            state = _stability.chosen(state, shape, n)
            shape = state["T"].shape
        _, values = self._values(_stability.OUTPUTS, None, state, shape, {})
        words = values[STATUS] & _stability.BITS
        if whole and STATUS in result:
            result[STATUS] = result[STATUS] | words
        return _stability.told(words, state, self.species, n)

    def _requested(
        self, key: Any, names: tuple[str, ...] | None, composite: str | None,
        arrays: Mapping[str, Any],
    ) -> tuple[Request, list[KeptProgram]]:  # fmt: skip
        which = None if composite is None else self._catalogue.runnable(composite)
        made = Request.make(self._catalogue, self._data, which, names, list(arrays))
        if len(self._requests) >= KEPT:
            self._requests.pop(next(iter(self._requests)), None)
        return self._requests.setdefault(key, (made, []))

    def _tables(self, request: Request, given: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Contents of the tables that are given; all that the plan looks up are."""
        filled = {
            name: converted(self._catalogue.table(name), values) for name, values in given.items()
        }
        for name in request.plan.tables:
            if name not in filled:
                cause = f"the table '{name}' of {self._catalogue.table(name).file} has no values"
                raise InconsistentError("tables", cause, f"give tables={{'{name}': array}}")
        return filled

    # ---- what is given -----------------------------------------------------------------------

    def _arrays(
        self, state: dict[str, Any], inputs: Mapping[str, Any], composite: str | None
    ) -> tuple[dict[str, Any], Dimensions | None]:
        """The given quantities under the catalogue's names, and the dimensions of their points
        where they have names."""
        which = None if composite is None else self._catalogue.runnable(composite)
        state = self._one_composition(state, which is None or "Y" in which.inputs)
        if self.species:
            if inputs:
                arguments.refuse_two_compositions(inputs)
            if which is None:
                _check_state(state)
        else:
            names = ("Y", "X", *TARGETS, "T0")
            arguments.refuse_without_species(**{name: state[name] for name in names})
        if inputs:
            arguments.check_names(self._catalogue, inputs, which is not None)
        given = {
            TARGETS.get(name, name): value for name, value in state.items() if value is not None
        }
        given.update(inputs)
        read, dimensions = self._read, self._read.dimensions(given)
        arrays = {name: read(name, value, dimensions) for name, value in given.items()}
        if "X" in given and "X" not in inputs:
            arrays["Y"] = arguments.mass_fractions(arrays.pop("X"), self._data.W)
        guessed = which is None and not {"h_target", "s_target", "e_target"}.isdisjoint(arrays)
        if (guessed or (which is not None and "T0" in which.inputs)) and "T0" not in arrays:
            arrays["T0"] = np.float64(DEFAULTS["T0"])
        return arrays, dimensions

    def _one_density(self, arrays: dict[str, Any]) -> None:
        """Where a volume or a density is given: the Z that is the same one, of which all else of
        the state is made."""
        given = [name for name in DENSITIES if name in arrays]
        if given and DENSITY in arrays:
            given.insert(0, ARGUMENTS[DENSITY])
        if len(given) > 1:
            cause = f"{' and '.join(map(repr, given))} each give the density"
            raise InconsistentError("inputs", cause, "give one of them")
        if not given:
            return
        fields = self._shared.fields()
        if given == ["Z"] and not fields["volumeShift"]:
            arrays["Z_pr"] = arrays["Z"]
            return
        for argument, target in TARGETS.items():
            if target in arrays:
                cause = (
                    f"{argument} is given, and T is solved for without the density {given[0]!r}"
                )
                remedy = "leave it out" if fields["volumeShift"] else "leave it out, or give Z"
                raise InconsistentError("inputs", cause, remedy)
        with np.errstate(all="ignore"):  # a bad point gets its bit
            molar = arrays["P"] / (fields["R"] * arrays["T"])
            if given != ["Z"]:
                volume = (
                    arrays["v"] if given == ["v"] else self._molar_mass(arrays) / arrays["rho"]
                )
                arrays["Z"] = np.asarray(molar * volume)[()]
            shift = molar * self._shift(arrays) if fields["volumeShift"] else 0.0
            arrays["Z_pr"] = np.asarray(arrays["Z"] - shift)[()]

    def _shift(self, arrays: Mapping[str, Any]) -> Any:
        """Of the molar volume of the mixture, m3/mol, as prEOSDensity makes it."""
        moles = np.maximum(arrays["Y"], 0.0) / self._data.W
        return (moles * self._shared.fields()["cShift"]).sum(axis=-1) / moles.sum(axis=-1)

    def _molar_mass(self, arrays: Mapping[str, Any]) -> Any:
        """Of the mixture, kg/mol, as prEOSMoleFractions makes it."""
        if "W" in arrays:
            return arrays["W"]
        Y = np.maximum(arrays["Y"], 0.0)
        return Y.sum(axis=-1) / (Y / self._data.W).sum(axis=-1)

    def _one_composition(self, state: dict[str, Any], needed: bool) -> dict[str, Any]:
        """The state with one of Y and X; of one species there is nothing to say."""
        if state["X"] is not None:
            if state["Y"] is not None:
                raise InconsistentError("X", "Y gives the composition too", "give X or Y")
        elif state["Y"] is None and needed and self.species:
            if len(self.species) > 1:
                of = " ".join(self.species)
                wanted = f"mass fractions, or mole fractions X, of {of}"
                raise ArgumentError("Y", None, wanted)
            return state | {"Y": 1.0}
        return state


def _taken(idle: list[KeptProgram]) -> KeptProgram | None:
    """One that no other thread uses, and will not; None where there is none. What fails where a
    new one is made then stands alone, and not below an IndexError."""
    try:
        return idle.pop()
    except IndexError:
        return None


def _check_state(state: Mapping[str, Any]) -> None:
    """Two of T, P, h, s, rho and e that decide the state."""
    given = [name for name in TARGETS if state[name] is not None]
    if state["T"] is not None:
        for name in given:
            raise InconsistentError(
                "T", f"{name} is given, and T is solved for", f"leave T or {name} out"
            )
    elif not given:
        raise ArgumentError("T", None, "temperatures, K, or h, s or rho to solve for them")
    if state["T0"] is not None and {"h", "s", "e"}.isdisjoint(given):
        cause = "it is the guess for T at a given h, s or e, and none of them is given"
        raise InconsistentError("T0", cause, "leave it out, or give h, s or e")
    if given == ["e"]:
        raise ArgumentError("rho", None, "densities, kg/m3, beside e")
    if given == ["rho", "e"]:
        if state["P"] is not None:
            cause = "rho and e are given, and P is solved for"
            raise InconsistentError("P", cause, "leave P or e out")
        return
    if len(given) > 1:
        cause = f"{' and '.join(given)} are given, and each decides the temperature"
        raise InconsistentError(given[-1], cause, "give one of them")
    if state["P"] is None:
        wanted = "pressures, Pa" + (", or e beside rho" if given == ["rho"] else "")
        raise ArgumentError("P", None, wanted)


def _told(status: Status, returned: bool) -> str:
    """How many points are bad, and how many others have a composition that was changed, each with
    the bits that say so; returned: whether the caller has the words."""
    changed = "have a composition that was changed: a sum is not 1, or a fraction is negative"
    words = np.asarray(status)
    said = []
    for some, bits, what in ((words, BAD, "are bad"), (words[status.ok], CHANGED, changed)):
        found = Status(some & bits)
        if points := int(np.count_nonzero(found)):
            counts = ", ".join(f"{name} {number}" for name, number in found.counts().items())
            said.append(f"{points} of {status.size} points {what} ({counts})")
    where = "see result.status" if returned else "the output 'status' says which"
    return f"{'; '.join(said)}: {where}"
