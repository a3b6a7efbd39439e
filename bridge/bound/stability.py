"""Stability: whether mixtures that runs met would split into two phases, though nobody asked.

Beside SetRuns, which counts runs and tells of the 1st, 2nd, 4th, 8th ... of a composite on a set.
The points' T, P and Y are copied after such a run, and tested by prEOSPhaseStability on the CPU,
whatever machine the run was on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from bridge import log
from bridge.bound.pointsets import PointSet
from bridge.launchers import Launcher
from bridge.physics.options import Options
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import STAND_INS
from bridge.plan.plan import Plan
from bridge.plan.plans import Plans
from bridge.prepared import Runs
from bridge.settings import status_bits
from bridge.tvimpl import TVImpl

if TYPE_CHECKING:
    from bridge.backends.cpu import CpuBackend
    from bridge.bound.pointsprogram import PointsProgram
    from bridge.bound.samplepoints import Sample

#: What tests a state; the kernel that takes a root of the cubic equation as if there were one
#: phase, and those that test whether there is.
COMPOSITE, TAKES_ROOT = "prEOSPhaseStability", "prEOSSelectRoot"
TEST = frozenset(("prEOSStability", "prEOSFlash", "prEOSFlashFrom"))
SPLITS, OPEN = status_bits("TWO_PHASE"), status_bits("STABILITY_OPEN")
#: Points of a run that are looked at where not all are; of a program at most.
POINTS, PIECE = 256, 4096


@dataclass(frozen=True)
class First:
    """The first state that would split: of which run, where, and what it is."""

    rank: int
    run: int
    state: str

    def __str__(self) -> str:
        return f"rank {self.rank}, run {self.run}: {self.state}"


@dataclass
class Looked:
    """Of one composite on one set: runs, those looked at, points of these, how many of them would
    split, or could not be decided; the first one."""

    runs: int = 0
    looks: int = 0
    points: int = 0
    split: int = 0
    open: int = 0
    first: First | None = None

    def add(self, other: Looked) -> None:
        self.runs += other.runs
        self.looks += other.looks
        self.points += other.points
        self.split += other.split
        self.open += other.open
        self.first = self.first or other.first

    def shares(self) -> str:
        told = f"of {self.points} points {self.split or 'none'}"
        told += f" ({self.split / self.points:.3g} of them)" if self.split else ""
        told += " would split into two phases"
        return told + (f", {self.open} could not be decided" if self.open else "")


#: By set and composite.
Seen = dict[tuple[str, str], Looked]


class Stability:
    """Of all sets of a Frame.

    impl: where programs are launched; plans: of the composites; options: of the physics; which:
    points that are looked at, a value of setting `stability`; rank: of this process.
    """

    def __init__(
        self, impl: TVImpl, plans: Plans, options: Options, which: str, rank: int
    ) -> None:
        self._impl, self._plans, self._options = impl, plans, options
        self._active = which != "off" and impl.ns > 1
        self._most = None if which == "all" else POINTS
        self._rank = rank
        self._lock = Lock()
        self._said = False
        self._runs: dict[tuple[str, str], Runs] = {}
        self._seen: Seen = {}
        self._backend: CpuBackend | None = None
        self._species: SpeciesData | None = None
        self._programs: dict[tuple[str, int], PointsProgram] = {}

    def runs(self, set: str, composite: str) -> Runs:
        """Counts the runs of a composite on a set, of the same name however often it is made."""
        key = set, composite
        return self._runs.get(key) or self._runs.setdefault(key, Runs(1 if self._active else 0))

    def look(
        self, point_set: PointSet, composite: str, runs: Runs, launchers: Sequence[Launcher]
    ) -> None:
        """A run has ended that is due: test points of it. It does not fail because a test does."""
        run = runs.number
        runs.left, runs.due = run, 2 * run
        if not self._active:
            return
        try:
            with self._lock, self._impl.timers["stability"]:
                self._look(point_set, composite, run, launchers)
        except Exception as error:
            self._active = False
            log.say(
                f"rank {self._rank}: runs are not looked at any more for mixtures that would "
                f"split: {error}"
            )

    def _look(
        self, point_set: PointSet, composite: str, run: int, launchers: Sequence[Launcher]
    ) -> None:
        found, total = Looked(looks=1), sum(one.points for one in launchers)
        for launcher in launchers:
            if launcher.points > 0 and _one_phase(launcher.plan):
                self._part(point_set, run, launcher, total, found)
        if not found.points:
            return
        seen = self._seen.setdefault((point_set.name, composite), Looked())
        seen.add(found)
        if seen.split and not self._said:
            self._said = True
            log.say(
                f"rank {self._rank}: run {run} of {composite} on set '{point_set.name}': "
                f"{found.shares()}, where the bridge computes one; the first at "
                f"{seen.first.state if seen.first else ''} (setting stability)"
            )

    def _part(
        self, point_set: PointSet, run: int, launcher: Launcher, total: int, found: Looked
    ) -> None:
        """One part of a run: of all points, or of a box."""
        from bridge.bound import samplepoints  # a start need not find it

        plan, backend, bindings = launcher.plan, self._impl.backend, launcher.bindings[0]
        y = _composition(plan)
        names = [name for name in ("T", "P", y) if name is not None]
        mask = next((n for n, slot in plan.inputs.items() if slot == plan.mask), None)
        used = {name: bindings[name] for name in (*names, *([mask] if mask else []))}
        wanted = launcher.points
        if self._most is not None:
            wanted = min(wanted, max(1, self._most * launcher.points // total))
        chosen = samplepoints.chosen(used, None, wanted, run, self._rank)
        for at in range(0, len(chosen), PIECE):
            sample = chosen.kept(np.s_[at : at + PIECE])
            with backend.working():
                if mask is not None:
                    held = samplepoints.taken(used[mask], Fringe(), sample, backend, True)
                    sample = sample.kept(np.flatnonzero(held[:, 0, 0]))
                values = {
                    name: samplepoints.taken(used[name], Fringe(), sample, backend, False)
                    for name in names
                }
            if len(sample):
                status = self._tested(values)
                found.points += len(sample)
                splits = np.flatnonzero(status & SPLITS)
                found.split += len(splits)
                found.open += int(np.count_nonzero(status & OPEN))
                if len(splits) and found.first is None:
                    state = _state(point_set, launcher, sample, values, int(splits[0]))
                    found.first = First(self._rank, run, state)

    def _tested(self, values: dict[str, np.ndarray]) -> np.ndarray:
        """Status words of states: (points, 1, columns) of each input."""
        from bridge.bound.pointsprogram import PointsProgram

        if self._plans.species is not self._species:
            self._programs.clear()
            if self._backend is None:
                from bridge.backends.cpu import CpuBackend

                own = self._impl.backend
                isa = own.target if own.name == "cpu" else None
                self._backend = CpuBackend(getattr(own, "threads", 1), isa)
            assert self._plans.species is not None
            self._backend.set_shared(SharedData(self._plans.species, self._options))
            self._species = self._plans.species
        assert self._backend is not None
        n = len(values["T"])
        *_, y = values
        capacity = min(PIECE, 1 << max(4, (n - 1).bit_length()))
        if (y, capacity) not in self._programs:
            catalogue = self._impl.catalogue
            plan = self._plans.of(catalogue.composite(COMPOSITE), ["tpd", "status"], [*values])
            # a name of its own: bits that it counts by itself are not those of the host's runs
            self._programs[y, capacity] = PointsProgram(
                replace(plan, name="stability"), self._backend, catalogue, capacity,
                {name: one.shape[2] for name, one in values.items()},
            )  # fmt: skip
        return self._programs[y, capacity].run(values)["status"][:, 0]

    def seen(self) -> Seen:
        """What was found so far, of this rank."""
        return {key: replace(one, runs=self._runs[key].number) for key, one in self._seen.items()}

    def close(self) -> None:
        """Give the memory back; what was seen stays."""
        self._active = False
        self._programs.clear()
        if self._backend is not None:
            self._backend.close()
            self._backend = None


def summary(ranks: Sequence[Seen], split: bool = False) -> list[str]:
    """A line for each set and composite, over ranks; split: only where a mixture would."""
    together: Seen = {}
    for seen in ranks:
        for key, one in seen.items():
            together.setdefault(key, Looked()).add(one)
    return [
        f"stability of {composite} on set '{set}': {one.runs} runs, {one.looks} of them looked "
        f"at: {one.shares()}" + (f"; first of {one.first}" if one.first else "")
        for (set, composite), one in together.items()
        if one.split or not split
    ]


def _composition(plan: Plan) -> str | None:
    """What a run holds mass fractions in."""
    known = {*plan.inputs, *plan.outputs}
    return next((name for name in ("Y", STAND_INS["Y"]) if name in known), None)


def _one_phase(plan: Plan) -> bool:
    """Whether a run computes one phase from T, P and Y that are in its arrays after it."""
    kernels, y = plan.kernels(), _composition(plan)
    if y is None or TAKES_ROOT not in kernels or not TEST.isdisjoint(kernels):
        return False
    known, rewritten = {*plan.inputs, *plan.outputs}, {*plan.inputs} & {*plan.outputs}
    return {"T", "P"} <= known and not rewritten & {"T", "P", y}


def _state(
    point_set: PointSet, launcher: Launcher, sample: Sample, values: dict[str, np.ndarray],
    row: int,
) -> str:  # fmt: skip
    place = (sample.ijk[row] + np.asarray(launcher.first)).tolist()
    shown = ", ".join(
        f"{name} = " + " ".join(f"{one:.10g}" for one in held[row, 0].tolist())
        for name, held in values.items()
    )
    return f"{point_set.where(int(sample.block[row]), *place)}: {shown}"
