"""The check of one procedure of a point: its states, the original on them, the kernel on them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bridge.errors import BridgeError
from bridge_port.check import comparing, species, states
from bridge_port.check.compiling import OriginalSources
from bridge_port.check.extract import extract, without_ends
from bridge_port.check.machines import environment, timed
from bridge_port.check.original import DIED, ENDLESS, RAN, SKIPPED, STOPPED, HostData, Original
from bridge_port.check.results import Machine, Result
from bridge_port.check.shim import CLEARED, MARKED, Shim, columns, quantities
from bridge_port.check.wrapped import (
    DIRECTIONS,
    PROMOTED,
    STOP_OPTIONS,
    WRAPPED,
    ends,
    guard,
    mathematics,
)
from bridge_port.kernel import Kernel
from bridge_port.request import Ported, Request

Array = np.ndarray[Any, Any]
#: In a header.
EXTREME = re.compile(r"\b(max|min)\(")
#: Of the order of operations: what a compiler may make of the same text.
VARIANT = "-O2 -march=native -ffp-contract=fast -fassociative-math -fno-signed-zeros " \
          "-fno-trapping-math -freciprocal-math"  # fmt: skip
EXTRACTED = (
    "the files do not compile as they are: the procedures of the kernel were compiled without the "
    "rest"
)
JOINED = (
    "the original was compiled once more with real(8) for its real(4): how far that moves its "
    "results is part of the tolerance"
)
OTHERS_PROMOTED = (
    "with real(8) for its real(4) the original gives other results, or does not run: the "
    "tolerance is without that"
)
#: Points of a batch of NaN alone, and of the batches before the large one.
ALONE, FIRST = 16, (1, 7)


@dataclass
class Asked:
    """folder: of the pack; shared: for what several checks need; flags: of the original;
    recorded: files of frame_record; setup: sources with bridge_setup."""

    folder: Path
    shared: Path
    points: int
    flags: str
    targets: tuple[str, ...]
    ranges: dict[str, states.Range] = field(default_factory=dict)
    recorded: tuple[str, ...] = ()
    limit: float = 20.0
    setup: tuple[str, ...] = ()


def not_promoted(error: BridgeError) -> str:
    said = [text.strip() for text in str(error).splitlines() if "rror:" in text]
    return (
        "the original does not compile with real(8) for its real(4) "
        f"({(said or ['no reason is given'])[0]}): the tolerance is without that"
    )


def went(state: Array) -> Array:
    """Points that the original came through, or at which it stopped."""
    found: Array = (state == RAN) | (state == STOPPED)
    return found


class Prepared(NamedTuple):
    """States that the original can run; batches: first and last of the points of each run."""

    inputs: dict[str, Array]
    batches: list[tuple[int, int]]
    tolerances: comparing.Tolerances


class ProcedureCheck:
    def __init__(self, asked: Asked, request: Request, ported: Ported, place: Path) -> None:
        self.asked, self.request, self.ported, self.place = asked, request, ported, place
        self.kernel: Kernel = ported.kernels[0]
        words = {w for q in quantities(self.kernel) for w in q.shape if isinstance(w, str)}
        some = bool(words or request.species)
        self.ns = species.number(request.species, asked.ranges) if some else 0
        self.shim = Shim(ported.program, ported.unit, self.kernel, self.ns, request.values,
                         request.species.lower(), request.types, texts=request.texts,
                         procedures=ported.procedures)  # fmt: skip
        self.result = Result(self.kernel.name, "procedure of a point")
        self.host: dict[str, HostData] = {}

    def run(self) -> Result:
        prepared = self.prepared()
        if prepared is None:
            return self.result
        inputs, batches, tolerances = prepared
        mixed, ordinary, extremes = self._mixed(inputs, batches)
        for target in self.asked.targets:
            machine = self._machine(target, mixed, ordinary, batches, tolerances, extremes, inputs)
            self.result.machines.append(machine)
        return self.result

    def prepared(self) -> Prepared | None:
        """The original is compiled, on states that it can run; None where it has said why not."""
        setup = [str(Path(file).resolve()) for file in self.asked.setup]
        filled = bool(setup)
        beside = {"zz_shim.f90": self.shim.text()}
        also: tuple[str, ...] = ()
        if self.kernel.status:
            beside["zz_stops.c"] = guard(self.kernel, len(quantities(self.kernel)))
            also = STOP_OPTIONS
        if self.request.ends:
            beside["zz_ends.f90"] = ends(self.request.ends)
        libraries = self._compiled(beside, setup, also)
        first = Original(libraries["base"], self.shim, {}, filled)
        values = states.host_values(self.kernel, first.values(), self.asked.ranges, 5, filled)
        self.originals = {
            name: Original(library, self.shim, values, filled)
            for name, library in libraries.items()
        }
        self.host = self.originals["base"].values()
        if "promoted" in self.originals:  # with the data that the kernel has
            own = {name: held.array for name, held in self.host.items()}
            self.originals["promoted"].host = own
        inputs, batches = self._states()
        self.result.points = next(iter(inputs.values())).shape[0] if inputs else 1
        tolerances = self._tolerances(inputs)
        if self.result.failure or tolerances is None:
            return None
        return Prepared(inputs, batches, tolerances)

    def _compiled(
        self, beside: Mapping[str, str], setup: list[str], also: tuple[str, ...]
    ) -> dict[str, Path]:
        """From the files as they are, or without what the kernel has nothing to do with."""
        around = self.shim.around
        replaced = None
        if around is not None:
            self.result.notes.append(
                f"nothing outside calls {self.ported.unit.name}: it was compiled as it stands, "
                f"with the declarations of {around.host.kind} {around.host.name}".rstrip()
            )
            replaced = around.placed(str(self.shim.procedure()))
        try:
            found = self._libraries(beside, setup, also, replaced)
        except BridgeError:
            own = self.shim.beside()
            replaced = extract(self.ported.program, [self.kernel], self.request, beside=own)
            if around is not None:
                replaced = around.placed(str(own[0]), replaced)
            found = self._libraries(beside, setup, also, replaced)
            self.result.notes.append(EXTRACTED)
        if self.kernel.uses_single and not self.kernel.singles:
            try:
                found["promoted"] = self._library(
                    "promoted", f"{self.asked.flags} {PROMOTED}", beside, setup, also, replaced
                )
            except BridgeError as error:
                self.result.notes.append(not_promoted(error))
        return found

    def _libraries(
        self, beside: Mapping[str, str], setup: list[str], also: tuple[str, ...],
        replaced: Mapping[str, str] | None,
    ) -> dict[str, Path]:  # fmt: skip
        """The original, as the user compiles it, with its bounds checked, and in another order of
        operations."""
        # A procedure that stopped is never left, as it seems to a check of recursion.
        checks = "bounds,pointer" if also else "bounds,pointer,recursion"
        open_ = without_ends(self.ported.program, self.kernel, replaced or {})
        flags = self.asked.flags
        moved = {**beside, "zz_mathematics.f90": mathematics()}
        strict = f"{flags} -O0 -g -finit-real=nan -fcheck={checks}"
        turns = (*WRAPPED, *also)
        return {
            "base": self._library("base", flags, moved, setup, turns, replaced),
            "bounds": self._library("bounds", strict, *(
                (moved, setup, turns) if self.kernel.uses_single else (beside, setup, also)
            ), open_),
            "variant": self._library("variant", f"{flags} {VARIANT}", beside, setup, also,
                                     replaced),
        }  # fmt: skip

    def _library(
        self, name: str, flags: str, beside: Mapping[str, str], setup: list[str],
        options: tuple[str, ...], replaced: Mapping[str, str] | None,
    ) -> Path:  # fmt: skip
        original = OriginalSources(self.ported.program, self.request, flags, replaced or {})
        return original.compile_library(
            self.place / name, self.asked.shared, beside, setup, options
        )

    # ---- states -------------------------------------------------------------------------------

    def _states(self) -> tuple[dict[str, Array], list[tuple[int, int]]]:
        asked, ranges = self.asked, dict(self.asked.ranges)
        recorded: dict[str, Array] = {}
        if asked.recorded:
            recorded, found, lacking = states.recorded(self.kernel, asked.recorded, self.ns)
            ranges = found | ranges
            if lacking:
                self.result.notes.append(f"not recorded: {', '.join(lacking)}")
        points = max(asked.points, sum(FIRST) + 1)
        inputs: dict[str, Array] = {}
        fewest = None
        choices = states.INTEGERS if any(q.type == "integer" for q in self.kernel.inputs) \
            else states.INTEGERS[:1]  # fmt: skip
        for integers in choices:
            tried = states.random_states(self.kernel, self.ns, points, ranges, integers, 1)
            some = {name: array[:64] for name, array in tried.items()}
            run = self.originals["bounds"].run(some, asked.limit, deaths=12)
            bad = int((~went(run.state)).sum())
            if fewest is None or bad < fewest:
                fewest, inputs = bad, tried
            if not bad:
                break
        edges = np.cumsum([0, *FIRST, points - sum(FIRST)])
        batches = [(int(a), int(b)) for a, b in zip(edges[:-1], edges[1:], strict=True)]
        if recorded:
            number = next(iter(recorded.values())).shape[0]
            inputs = {name: np.concatenate([array, recorded[name].astype(array.dtype)])
                      for name, array in inputs.items()}  # fmt: skip
            batches.append((points, points + number))
            self.result.notes.append(f"{number} of the states are recorded ones")
        return inputs, batches

    def _tolerances(self, inputs: dict[str, Array]) -> comparing.Tolerances | None:
        """What the original gives; `inputs` of points where it does not run become others."""
        result, limit = self.result, self.asked.limit
        strict = self.originals["bounds"].run(inputs, limit, mark=MARKED)
        result.died = int((strict.state == DIED).sum())
        result.endless = int((strict.state == ENDLESS).sum())
        ran = went(strict.state)
        if strict.said and result.died:
            result.notes.append(f"the original says: {strict.said}")
        if ran.mean() < 0.5:
            result.failure = (
                "the original runs on less than half of the random states: give the ranges of its "
                f"arguments (--range NAME=LOW,HIGH){': ' + strict.said if strict.said else ''}"
            )
            return None
        good = int(np.flatnonzero(ran)[0])
        for array in inputs.values():
            array[~ran] = array[good]
        single = self.kernel.uses_single
        base = self.originals["base"].run(inputs, limit)
        others = []
        for seed in range(4):
            moved = states.perturbed(self.kernel, inputs, 11 + seed, single)
            others.append(self.originals["base"].run(moved, limit))
        others.append(self.originals["variant"].run(inputs, limit))
        for other in (base, *others):
            ran &= went(other.state)
        # Results that a compiler computes by itself do not turn: real(4) of a loop's first round.
        rounded = [
            self.originals[name].run(inputs, limit, direction=direction)
            for name in (("base", "bounds") if single else ("base",))
            for direction in DIRECTIONS
        ]
        moved_by = [o.outputs for o in others]
        turned = [r.outputs for r in rounded if (r.state[ran] == base.state[ran]).all()]
        t = comparing.tolerances(base.outputs, moved_by, ran, single, turned)
        if "promoted" in self.originals:
            more = self.originals["promoted"].run(inputs, limit)
            if (more.state[ran] == base.state[ran]).all() and comparing.is_rounding(
                base.outputs, more.outputs, t.usable
            ):
                result.notes.append(JOINED)
                t = comparing.tolerances(
                    base.outputs, moved_by, ran, single, turned, [more.outputs]
                )
            else:
                result.notes.append(OTHERS_PROMOTED)
        # Nothing but what was there before says what these give.
        cleared = self.originals["bounds"].run(inputs, limit, mark=CLEARED)
        for name, usable in t.usable.items():
            marked, zero = strict.outputs[name], cleared.outputs[name]
            if marked.dtype.kind == "f":  # variables without a value are NaN there
                unset = ~((marked == zero) | (np.isnan(marked) & np.isnan(zero)))
                unset |= np.isnan(marked) & usable
            else:  # and have other bits
                unset = (marked != zero) | ((marked != base.outputs[name]) & usable)
            unset |= ((strict.state == RAN) & (cleared.state != RAN))[:, None]
            t.leave(name, unset & ran[:, None], "unset")
        stopped = base.state == STOPPED
        for one in others:
            stopped |= one.state == STOPPED
        for name in t.why:
            for state, reason in ((ENDLESS, "endless"), (SKIPPED, "skipped")):
                t.leave(name, strict.state == state, reason)
            if name != self.kernel.status:
                t.leave(name, ran & stopped, "stopped")
        result.unset, result.stopped = t.states("unset"), t.states("stopped")
        result.outside, result.jumps = t.states("outside"), t.states("jumps")
        for name, usable in t.usable.items():
            if usable.any(axis=1).mean() < comparing.ENOUGH:
                result.failure = (
                    f"of {name} less than {comparing.ENOUGH:.0%} of the states say something: "
                    "give the ranges of the arguments (--range NAME=LOW,HIGH), or record states"
                )
        return t

    def _mixed(
        self, inputs: Mapping[str, Array], batches: list[tuple[int, int]]
    ) -> tuple[dict[str, Array], Array, dict[str, Array]]:
        """Extreme states among the ordinary ones, and a batch of NaN; which are ordinary."""
        points = self.result.points
        ordinary = np.ones(points + ALONE, bool)
        ordinary[points:] = False
        mixed = {name: np.concatenate([a, np.resize(a, (ALONE, a.shape[1]))])
                 for name, a in inputs.items()}  # fmt: skip
        extremes = states.extreme_states(self.kernel, inputs, 24, 3)
        if not any(q.type == "real" for q in self.kernel.inputs):
            return mixed, ordinary, {}
        run = self.originals["bounds"].run(extremes, min(self.asked.limit, 1.0), deaths=8)
        ended = np.flatnonzero(went(run.state) | (run.state == ENDLESS))
        if endless := int((run.state == ENDLESS).sum()):
            first = int(np.flatnonzero(run.state == ENDLESS)[0])
            held = ", ".join(f"{name} = {a[first].ravel()[0]:g}" for name, a in extremes.items())
            self.result.notes.append(
                f"the original does not end on {endless} of {len(run.state)} extreme states "
                f"({held}); the kernel has to"
            )
        if not len(ended):
            return mixed, ordinary, {}
        random = np.random.default_rng(7)
        for first, last in batches[len(FIRST) :]:
            odd = first + np.flatnonzero(random.random(last - first) < 0.15)
            ordinary[odd] = False
            which = random.choice(ended, len(odd))
            for name, array in mixed.items():
                array[odd] = extremes[name][which]
        alone = ended[0]
        for name, array in mixed.items():
            array[points:] = extremes[name][alone]
        batches.append((points, points + ALONE))
        return mixed, ordinary, {name: a[ended] for name, a in extremes.items()}

    # ---- the kernel ---------------------------------------------------------------------------

    def _machine(
        self, target: str, mixed: dict[str, Array], ordinary: Array,
        batches: Sequence[tuple[int, int]], t: comparing.Tolerances, extremes: dict[str, Array],
        inputs: dict[str, Array],
    ) -> Machine:  # fmt: skip
        machine = Machine(target)
        place = self.place / target
        status, said, progress = self._kernel(place, target, mixed, batches, self.asked.limit)
        if status is None:
            machine.failure = self._hang(target, progress, extremes, inputs)
            return machine
        if status:
            last = [text for text in said.splitlines() if text.strip()][-3:]
            machine.failure = f"it ends with status {status}: {' / '.join(last)}"
            return machine
        with np.load(place / "outputs.npz") as data:
            found = {name: data[name] for name in data.files}
        points = self.result.points
        found = {name: a[:points] for name, a in found.items()}
        gone = self._gone(found, ordinary[:points], t)
        for name, expected in t.expected.items():
            if self._types()[name] == "logical" or name == self.kernel.status:
                found[name] = (found[name] != 0).astype(expected.dtype)
                t.expected[name] = (expected != 0).astype(expected.dtype)
        t = self._without_nan(found, t, ordinary[:points], inputs)
        machine.outputs = comparing.compared(found, t, ordinary[:points])
        machine.left, machine.partly = t.left_out(ordinary[:points])
        for one in machine.outputs:
            if one.failing and not machine.states:
                machine.states = {name: [float(x) for x in a[one.first]]
                                  for name, a in inputs.items()}  # fmt: skip
        if gone:
            machine.failure = f"results of points that stopped are no NaN: {', '.join(gone)}"
        touched = json.loads((place / "touched.json").read_text())
        if touched:
            machine.failure = f"memory outside the box is written: {', '.join(touched)}"
        return machine

    def _without_nan(
        self, given: Mapping[str, Array], t: comparing.Tolerances, ordinary: Array,
        inputs: Mapping[str, Array],
    ) -> comparing.Tolerances:  # fmt: skip
        """Fortran does not say what max and min make of NaN, and those of a kernel keep it: no
        NaN of a kernel that has them is a difference where the original makes one as well, if
        enough is left to compare."""
        kernel_nan = {name: np.isnan(a) & t.usable[name] & ordinary[:, None]
                      for name, a in given.items() if a.dtype.kind == "f"}  # fmt: skip
        odd = np.zeros(ordinary.shape, bool)
        for bad in kernel_nan.values():
            odd |= bad.any(axis=1)
        if not odd.any() or not EXTREME.search(self.kernel.text):
            return t
        points = np.flatnonzero(odd)
        made = self.originals["base"].makes_nan(inputs, points, self.asked.limit)
        odd[points] = made
        found = replace(t, why={name: why.copy() for name, why in t.why.items()})
        for name, bad in kernel_nan.items():
            found.leave(name, bad & odd[:, None], "nans")
            if found.usable[name].any(axis=1).mean() < comparing.ENOUGH:
                return t
        self.result.nans = max(self.result.nans, int(odd.sum()))
        return found

    def _gone(
        self, found: Mapping[str, Array], ordinary: Array, t: comparing.Tolerances
    ) -> list[str]:
        """Reals that points which stopped gave all the same."""
        if not self.kernel.status:
            return []
        stopped = ordinary & (t.expected[self.kernel.status][:, 0] != 0)
        stopped &= t.usable[self.kernel.status][:, 0]
        return [
            name
            for name, type_ in self._types().items()
            if name in found and type_ == "real" and not np.isnan(found[name][stopped]).all()
        ]

    def _types(self) -> dict[str, str]:
        return {q.name: q.type for q in quantities(self.kernel)}

    def job(self, inputs: Mapping[str, Array]) -> tuple[dict[str, Any], dict[str, Array]]:
        """What a process that runs the kernel has to know, and the arrays of it."""
        kernel = self.kernel
        constants: dict[str, Any] = {}
        for value in kernel.constants:
            number = float(self.host[value.name][0][0])
            kinds: dict[str, type] = {"integer": int, "logical": bool}
            constants[value.name] = kinds.get(value.type, float)(number)
        tables = {}
        arrays = dict(inputs)
        for value in kernel.tables:
            numbers, shape = self.host[value.name]
            arrays[f"table/{value.name}"] = numbers
            tables[value.name] = list(shape)
        job = {
            "kernel": kernel.name, "ns": self.ns,
            "species": " ".join(species.names(self.ns)), "constants": constants, "tables": tables,
            "quantities": {q.name: [columns(q, self.ns), q.type] for q in quantities(kernel)},
            "inputs": [q.name for q in kernel.inputs],
            "outputs": [q.name for q in kernel.outputs],
        }  # fmt: skip
        return job, arrays

    def _kernel(
        self, place: Path, target: str, inputs: Mapping[str, Array],
        batches: Sequence[tuple[int, int]], limit: float,
    ) -> tuple[int | None, str, str]:  # fmt: skip
        place.mkdir(parents=True, exist_ok=True)
        job, arrays = self.job(inputs)
        job["batches"] = [list(one) for one in batches]
        (place / "job.json").write_text(json.dumps(job))
        np.savez(place / "inputs.npz", allow_pickle=False, **arrays)
        command = [sys.executable, "-P", "-m", "bridge_port.check.kernelrun", str(place)]
        return timed(command, place, environment(self.asked.folder, target), limit)

    def _hang(
        self, target: str, progress: str, extremes: dict[str, Array], inputs: dict[str, Array]
    ) -> str:
        """Which state does not end: extreme ones alone, then halves of the ordinary ones."""
        limit = min(self.asked.limit, 5.0)
        place = self.place / f"{target}-hang"
        number = next(iter(extremes.values())).shape[0] if extremes else 0
        if number:
            batches = [(n, n + 1) for n in range(number)]
            status, _, at = self._kernel(place, target, extremes, batches, limit)
            if status is None and at:
                return self._named(extremes, int(at), "extreme")
        first, last = 0, self.result.points
        while last - first > 1:
            middle = (first + last) // 2
            status, _, _ = self._kernel(place, target, inputs, [(first, middle)], limit)
            first, last = (first, middle) if status is None else (middle, last)
        return self._named(inputs, first, "ordinary")

    def _named(self, arrays: Mapping[str, Array], n: int, kind: str) -> str:
        held = ", ".join(f"{name} = {a[n].tolist()}" for name, a in arrays.items())
        return f"{self.kernel.name} does not end on the {kind} state {held}"
