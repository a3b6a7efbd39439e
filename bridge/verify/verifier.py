"""Verifier: what TVImpl tells of launches and runs where setting `verify` asks for it.

Before a launch it takes the inputs of sampled points, after it their outputs, and runs the points
by the reference: on a GPU the CPU's kernels, on a CPU those of another instruction set. Where the
host compares a loop of its own (`frame_compare`), that loop is the reference.

How many points: `fraction` of all, taken so many at once that looking costs little beside running.
Which ones follows from the number of the launch and from the rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np

from bridge import log
from bridge.backends.base import Backend, Binding
from bridge.backends.cpu import CpuBackend
from bridge.backends.host.library import available
from bridge.bound import samplepoints as samples
from bridge.bound.pointsets import PointSet
from bridge.bound.pointsprogram import PointsProgram, Values, centre, reads_of, together
from bridge.bound.samplepoints import Sample
from bridge.errors import BridgeError
from bridge.launchers import Launcher
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.plan import Plan
from bridge.settings import Verification
from bridge.tvproperties import TVProperties
from bridge.verify.measure import Apart, Near, apart, change_of, limits, scales
from bridge.verify.reporting import Case, Reporting
from bridge.verify.table import Told, of_set

#: Points of a look at least, but for the whole of a smaller launch at the first one; and of a
#: program of the reference at most.
LEAST = 1024
LOOP = "the host's loop"


@dataclass
class _Looked:
    """What is known of points before they run."""

    set: str
    what: str
    call: int
    plan: Plan
    bindings: Mapping[str, Binding]
    sample: Sample
    inputs: Values
    places: Callable[[int], str]


class Verifier:
    """Of one Frame; rank: of this process; fingerprint: text of the run."""

    def __init__(
        self, tv: TVProperties, wanted: Verification, rank: int, fingerprint: Callable[[], str]
    ) -> None:
        self._tv, self._impl = tv, tv.impl
        self._wanted = wanted
        self._rank = rank
        self._lock = Lock()
        self._calls: dict[tuple[str, str], int] = {}
        self._credit: dict[tuple[str, str], float] = {}
        self._reference = _other(self._impl.backend)
        self._species: SpeciesData | None = None
        self._tables: dict[str, np.ndarray] = {}
        self._programs: dict[tuple[int, bool, int, tuple[int, ...]], PointsProgram] = {}
        self._loops: dict[tuple[str, str], _Looked] = {}
        path = Path(wanted.file).absolute()
        self.reporting = Reporting(tv, path, wanted.limit, rank, fingerprint)

    @property
    def told(self) -> Told:
        return self.reporting.told

    # ---- what TVImpl and BoundSets call ------------------------------------------------------

    def before(
        self, launcher: Launcher, points: int, of: PointSet | None = None
    ) -> Callable[[], None] | None:
        """A launch on the first `points` points, or of a set, comes: what is returned belongs
        after it."""
        set, plan = "" if of is None else of.name, launcher.plan
        with self._lock:
            call, wanted = self._due((set, plan.name), points)
            if not wanted:
                return None
            if self._reference is None:
                self._skip(
                    set, plan, f"this machine runs x86-64-{self._impl.backend.target} alone"
                )
                return None
            if why := together(plan):
                self._skip(set, plan, why)
                return None
            bindings = launcher.bindings[(call - 1) % len(launcher.bindings)]
            looked = self._look(set, plan, bindings, None if of else points, wanted, call,
                                _places(of, launcher, bindings))  # fmt: skip
        if not len(looked.sample):
            return None
        return lambda: self._after(looked)

    def loop_begins(self, of: PointSet, plan: Plan, bindings: Mapping[str, Binding]) -> None:
        """A loop of the host comes, with which a run is compared."""
        with self._lock:
            call, wanted = self._due((of.name, f"{plan.name} {LOOP}"), of.points())
            if not wanted or together(plan):
                return
            looked = self._look(of.name, plan, bindings, None, wanted, call,
                                _places(of, None, bindings))  # fmt: skip
            self._loops[of.name, plan.name] = looked

    def loop_ended(self, of: PointSet, what: str) -> None:
        """It has left its results."""
        with self._lock:
            looked = self._loops.pop((of.name, what), None)
            if looked is None or not len(looked.sample):
                return
            try:
                reference = self._outputs(looked)
                kept = [name for name in reference if name not in of.skipped]
                if not kept:  # its loop leaves numbers, which `compare_numbers` has
                    return
                reference = {name: reference[name] for name in kept}

                def rerun(inputs: Values) -> Values:
                    return self._run(looked.plan, inputs, own=True)

                got = {name: one for name, one in rerun(looked.inputs).items() if name in kept}
                self._compare(looked, got, reference, rerun, LOOP)
            except BridgeError as error:
                self._skip(looked.set, looked.plan, str(error))

    # ---- a look ------------------------------------------------------------------------------

    def _due(self, key: tuple[str, str], points: int) -> tuple[int, int]:
        """The number of this launch, and how many points of it are looked at."""
        call = self._calls[key] = self._calls.get(key, 0) + 1
        if not points:
            return call, 0
        if self._wanted.fraction >= 1.0:
            return call, points
        credit = self._credit.get(key, float(LEAST)) + self._wanted.fraction * points
        if credit < LEAST:
            self._credit[key] = credit
            return call, 0
        wanted = int(min(credit, points))
        self._credit[key] = credit - max(wanted, LEAST)
        return call, wanted

    def _look(
        self, set: str, plan: Plan, bindings: Mapping[str, Binding], most: int | None,
        wanted: int, call: int, places: Callable[[int, Sample], str],
    ) -> _Looked:  # fmt: skip
        backend = self._impl.backend
        used = {name: bindings[name] for name in dict.fromkeys((*plan.inputs, *plan.outputs))}
        sample = samples.chosen(used, most, wanted, call, self._rank)
        reads = reads_of(plan)
        with self._impl.timers["verify"], backend.working():
            inputs = samples.inputs(plan, used, reads, sample, backend)
        if plan.mask is not None:
            name = next(n for n, slot in plan.inputs.items() if slot == plan.mask)
            counts = np.flatnonzero(inputs[name][:, centre(reads[name]), 0] != 0)
            sample = sample.kept(counts)
            inputs = {name: values[counts] for name, values in inputs.items()}
        return _Looked(set, plan.name, call, plan, used, sample, inputs,
                       lambda row: places(row, sample))  # fmt: skip

    def _outputs(self, looked: _Looked) -> Values:
        with self._impl.timers["verify"], self._impl.backend.working():
            return samples.outputs(looked.plan, looked.bindings, looked.sample, self._impl.backend)

    def _after(self, looked: _Looked) -> None:
        assert self._reference is not None
        with self._lock:
            try:
                got = self._outputs(looked)

                def rerun(inputs: Values) -> Values:
                    return self._run(looked.plan, inputs)

                against = f"cpu {self._reference.target}"
                self._compare(looked, got, rerun(looked.inputs), rerun, against)
            except BridgeError as error:  # of the reference: a pack that is not built for it
                self._skip(looked.set, looked.plan, str(error))

    def _compare(
        self, looked: _Looked, got: Values, reference: Values,
        rerun: Callable[[Values], Values], against: str,
    ) -> None:  # fmt: skip
        plan, reads = looked.plan, reads_of(looked.plan)
        with self._impl.timers["verify"]:
            own = {n: values[:, centre(reads[n])] for n, values in looked.inputs.items()}
            sizes = scales({**own, **reference}, self._impl.catalogue, self._tv.species)
            single = {
                n
                for n, values in got.items()
                if looked.bindings[n].dtype == "float32"
                or (plan.singles and values.dtype.kind == "f")
            }
            found: dict[str, Apart] = apart(
                got,
                reference,
                sizes,
                self._wanted.limit,
                single,
                Near(looked.inputs, rerun, change_of(plan.singles)),
            )
        case = Case(
            looked.set, looked.what, looked.call, against, plan, looked.inputs, own, got,
            reference, found, {n: limits(self._wanted.limit, n in single) for n in got}, single,
            looked.places,
        )  # fmt: skip
        self.reporting.add(case)

    def _skip(self, set: str, plan: Plan, why: str) -> None:
        if (set, plan.name) not in self.told.skipped:
            self.told.skipped[set, plan.name] = why
            where = of_set(set)
            log.say(f"rank {self._rank}: {plan.name} of {where} is not verified: {why}")

    # ---- the reference -------------------------------------------------------------------------

    def _run(self, plan: Plan, inputs: Values, own: bool = False) -> Values:
        """own: by the backend of the Frame instead."""
        backend = self._impl.backend if own else self._reference
        assert backend is not None
        self._prepare()
        n = len(next(iter(inputs.values())))
        capacity = min(LEAST, 1 << max(4, (n - 1).bit_length()))
        columns = {name: values.shape[2] for name, values in inputs.items()}
        key = (id(plan), own, capacity, tuple(columns.values()))
        with self._impl.timers["verify"]:
            if key not in self._programs:
                self._programs[key] = PointsProgram(
                    plan, backend, self._impl.catalogue, capacity, columns
                )
            program = self._programs[key]
            pieces = [
                program.run({name: v[at : at + capacity] for name, v in inputs.items()})
                for at in range(0, n, capacity)
            ]
        return {name: np.concatenate([one[name] for one in pieces]) for name in pieces[0]}

    def _prepare(self) -> None:
        """Give the reference species and tables as they are now."""
        if self._reference is None:
            return
        species = self._tv.species
        if species is not self._species or not self._programs:
            data = SpeciesData.none() if species is None else species
            options = None if species is None else self._tv.options
            self._reference.set_shared(SharedData(data, options))
            self._species = species
            self._programs.clear()
        for name, values in self._impl.tables.values().items():
            if self._tables.get(name) is not values:
                self._reference.set_table(name, values)
                self._tables[name] = values

    def close(self) -> None:
        """Give the reference's memory back."""
        self._programs.clear()
        self._loops.clear()
        if self._reference is not None:
            self._reference.close()


def _other(backend: Backend) -> CpuBackend | None:
    """What holds against a backend; None where this machine has nothing else."""
    isas = [isa for isa in reversed(available()) if backend.name != "cpu" or isa != backend.target]
    if not isas:
        return None
    return CpuBackend(1, isas[0] if backend.name == "cpu" else isas[-1])


def _places(
    of: PointSet | None, launcher: Launcher | None, bindings: Mapping[str, Binding]
) -> Callable[[int, Sample], str]:
    """What a point of a sample is called."""
    if of is None:
        return lambda row, sample: f"point {int(sample.ijk[row, 0]) + 1}"
    start = np.asarray(next(iter(of.arrays.values())).start).reshape(-1, 3)
    many, extent = of.of_blocks, of.extent() if not of.of_blocks else None
    first = (0, 0, 0) if launcher is None else launcher.first

    def place(row: int, sample: Sample) -> str:
        block = int(sample.block[row])
        i, j, k = sample.ijk[row].tolist()
        if extent is not None and launcher is not None and first == (0, 0, 0):
            # components that are points: of longer rows, or after the last plane
            like = next(b.box.extent for b in bindings.values())
            i = i // (like[0] // extent[0]) if like[0] > extent[0] else i
            k = k % extent[2] if like[2] > extent[2] else k
        x, y, z = (a + b + c for a, b, c in zip((i, j, k), start[block].tolist(), first,
                                                strict=True))  # fmt: skip
        return f"({x}, {y}, {z})" + (f" of block {block + 1}" if many else "")

    return place
