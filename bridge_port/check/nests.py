"""The check of a nest: what its original and its kernels write, compared array by array.

What the original leaves as it is, the kernel has to leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bridge.errors import BridgeError
from bridge_port.check import comparing, species
from bridge_port.check.comparing import is_rounding
from bridge_port.check.machines import environment, timed
from bridge_port.check.nestprograms import (
    Dump,
    NestPrograms,
    Run,
    Values,
    both_nan,
    read,
    same,
    told,
)
from bridge_port.check.nestsizes import OTHERS, VALUES, NestSizes
from bridge_port.check.nesttext import Nest
from bridge_port.check.procedures import (
    EXTRACTED,
    EXTREME,
    JOINED,
    OTHERS_PROMOTED,
    VARIANT,
    Asked,
    not_promoted,
)  # fmt: skip
from bridge_port.check.results import Machine, Result
from bridge_port.check.wrapped import DIRECTIONS
from bridge_port.request import Ported, Request

Array = np.ndarray[Any, Any]
#: Values of variables.
FIELDS = (VALUES, *OTHERS, Values(0.9, 1.1), Values(0.5, 2.0, 0.01))
#: Of values of one kind, before it is left out.
SEEDS = 3
#: In the place of a seed of changed bits: directions of rounding.
TURNED = tuple(-direction for direction in DIRECTIONS)


class NestCheck:
    def __init__(self, asked: Asked, request: Request, ported: Ported, place: Path) -> None:
        self.asked, self.request, self.ported, self.place = asked, request, ported, place
        self.nest = Nest.of(ported, request.values, request.species)
        self.nest.ns = species.number(request.species, asked.ranges) if request.species else 0
        names = ", ".join(k.name for k in ported.kernels)
        self.result = Result(names, f"nest of {Path(ported.unit.place.file).name}:"
                             f"{ported.first}-{ported.last}")  # fmt: skip
        self.found: list[dict[str, int]] = []
        self.nans: dict[str, int] = {}
        self.single = any(k.uses_single for k in ported.kernels)
        self.programs = NestPrograms(asked, request, ported, self.nest, place)
        if asked.recorded:
            recorded = self.programs.recorded
            mine = [name for name in self.nest.variables if name in recorded]
            lacking = [name for name in self.nest.variables if name not in recorded]
            self.result.notes.append(f"ranges of the recordings: {', '.join(mine) or 'none'}")
            if mine and lacking:
                self.result.notes.append(f"not recorded: {', '.join(lacking)}")

    def run(self) -> Result:
        flags = self.asked.flags
        sizes = self.found = self.sizes()
        if not sizes:
            return self.result
        runs = self._runs(sizes)
        if not runs:
            return self.result
        programs = self.programs
        base = programs.dumps(programs.original("base", flags), runs)
        variant = programs.dumps(programs.original("variant", f"{flags} {VARIANT}"),
                                 [r for r in runs if not r.bits])  # fmt: skip
        programs.kernels()
        plain = [n for n, r in enumerate(runs) if not r.bits]
        groups = [base[n : n + 5] for n in plain]
        turned = self._turned([runs[n] for n in plain])
        if not self._alike(groups, variant):
            return self.result
        parts = list(zip(groups, variant, turned, strict=True))
        tolerances = [self._tolerances(*part) for part in parts]
        promoted = self._promoted([runs[n] for n in plain], groups, tolerances)
        if promoted:
            tolerances = [self._tolerances(*one, more) for one, more in
                          zip(parts, promoted, strict=True)]  # fmt: skip
        self.result.points = sum(sum(a.size for a in g[0].after.values()) for g in groups)
        self.result.runs = len(groups)
        self.result.outside = sum(t.values("outside") for t in tolerances)
        self.result.jumps = sum(t.values("jumps") for t in tolerances)
        self._tell_what_is_left_out(tolerances)
        self.nans = dict.fromkeys(self.asked.targets, 0)
        for target in self.asked.targets:
            self.result.machines.append(
                self._machine(target, [runs[n] for n in plain], groups, tolerances)
            )
        self.result.nans = max(self.nans.values(), default=0)
        return self.result

    def sizes(self) -> list[dict[str, int]]:
        """Of the runs; none where none were found, and the result says why."""
        checked = self.programs.original("bounds", f"{self.asked.flags} -O0 -g -fcheck=bounds")
        if self.nest.extracted:
            self.result.notes.append(EXTRACTED)
        return NestSizes(self.programs, self.result).chosen(checked)

    def _runs(self, sizes: Sequence[dict[str, int]]) -> list[Run]:
        """Values of each kind with which the original stays within its arrays: an index may come
        from them."""
        checked = self.place / "bounds" / "nest"
        found: list[Run] = []
        lost, said = 0, ""
        for n, field in enumerate(FIELDS, 1):
            for chosen in sizes:
                for seed in range(n, n + SEEDS * len(FIELDS), len(FIELDS)):
                    runs = [Run(chosen, seed, bits, field) for bits in range(5)]
                    try:
                        self.programs.dumps(checked, runs)
                    except BridgeError as error:
                        said = str(error)
                        continue
                    found += runs
                    break
                else:
                    lost += 1
        if lost:
            self.result.notes.append(
                f"{lost} of {len(FIELDS) * len(sizes)} kinds of values are left out, with which "
                f"{said}"
            )
        if not found:
            self.result.failure = f"no values were found with which the original runs ({said})"
        return found

    def _alike(self, groups: Sequence[Sequence[Dump]], variant: Sequence[Dump]) -> bool:
        """Whether runs with the same sizes have arrays of the same sizes; else it says so."""
        for group, other in zip(groups, variant, strict=True):
            for dump in (*group, other):
                for k, a in dump.after.items():
                    if a.shape != group[0].after[k].shape:
                        self.result.failure = (
                            f"{self.nest.variables[k - 1]} has not the same size in each run of "
                            "the original: its bounds are no variable that the check can set"
                        )
        return not self.result.failure

    def _turned(self, runs: Sequence[Run]) -> list[list[Dump]]:
        """Of each run those with other directions of rounding; none where the original does not
        bear them."""
        some = [replace(r, bits=bits) for r in runs for bits in TURNED]
        count = len(TURNED)
        found: list[list[Dump]] = [[] for _ in runs]
        # Results that a compiler computes by itself do not turn: real(4) of a loop's first round.
        for name in ("base", "bounds") if self.single else ("base",):
            try:
                dumps = self.programs.dumps(self.place / name / "nest", some) if some else []
            except BridgeError:
                continue
            if len(dumps) == len(some):
                for n, own in enumerate(found):
                    own += dumps[n * count : (n + 1) * count]
        return found

    def _promoted(
        self, runs: Sequence[Run], groups: Sequence[Sequence[Dump]],
        tolerances: Sequence[comparing.Tolerances],
    ) -> list[Dump]:  # fmt: skip
        """Of each run that with real(8) for real(4), and a note; none where it says nothing."""
        if not self.single or self.ported.kernels[0].singles:
            return []
        try:
            program = self.programs.promoted()
        except BridgeError as error:
            self.result.notes.append(not_promoted(error))
            return []
        try:
            dumps = self.programs.dumps(program, runs)
        except BridgeError:
            dumps = []
        alike = len(dumps) == len(runs) and all(
            is_rounding(t.expected, self._columns(dump), t.usable)
            for t, dump in zip(tolerances, dumps, strict=True)
        )
        self.result.notes.append(JOINED if alike else OTHERS_PROMOTED)
        return dumps if alike else []

    def _columns(self, dump: Dump) -> dict[str, Array]:
        return {self.nest.variables[k - 1]: a[:, None] for k, a in dump.after.items()}

    def _tell_what_is_left_out(self, tolerances: Sequence[comparing.Tolerances]) -> None:
        """Variables that the kernels give and no run can compare."""
        variables = set(self.nest.variables)
        given: dict[str, None] = {}
        for one in (k.procedure for k in self.ported.kernels):
            reduced = {r.argument: r.variable for r in one.reductions}
            for d in one.unit.declarations:
                if d.intent in ("out", "inout"):
                    name = one.arrays[d.name].name if d.name in one.arrays else d.name
                    name = one.views[name].array if name in one.views else name
                    given[reduced.get(d.name, name)] = None
        for name in given:
            usable = [t.usable[name] for t in tolerances if name in t.usable]
            if name in variables and not any(u.any() for u in usable):
                self.result.notes.append(
                    f"{name} is not compared: in these runs the original leaves it as it is, or "
                    "gives no finite number, or one that the last bits of its inputs change much "
                    "(give --range NAME=LOW,HIGH)"
                )

    # ---- comparison ---------------------------------------------------------------------------

    def _tolerances(
        self, group: Sequence[Dump], variant: Dump, turned: Sequence[Dump],
        promoted: Dump | None = None,
    ) -> comparing.Tolerances:  # fmt: skip
        columns = self._columns
        results = []
        for k, a in group[0].after.items():
            ran = np.ones(a.shape, bool)
            name = self.nest.variables[k - 1]
            one = comparing.tolerances(
                {name: columns(group[0])[name]},
                [{name: columns(d)[name]} for d in [*group[1:], variant]], ran, self.single,
                [{name: columns(d)[name]} for d in turned],
                [{name: columns(promoted)[name]}] if promoted is not None else [],
            )  # fmt: skip
            # What the original does not write has no tolerance.
            moved = np.zeros(a.shape, bool)
            for d in group:
                moved |= ~same(d.before[k], d.after[k])
            if name in self.nest.kept_in_lines:
                one.leave(name, moved[:, None], "unread")
            one.leave(name, ~moved[:, None], "kept")
            results.append(one)
        total = comparing.Tolerances({}, {}, {})
        for one in results:
            total.expected |= one.expected
            total.limit |= one.limit
            total.why |= one.why
        return total

    def _machine(
        self, target: str, runs: Sequence[Run], groups: Sequence[Sequence[Dump]],
        tolerances: Sequence[comparing.Tolerances],
    ) -> Machine:  # fmt: skip
        machine = Machine(target)
        place = self.place / "kernel"
        self.programs.write_input(place, runs)
        around = environment(self.asked.folder, target)
        status, said, at = timed([str(place / "nest")], place, around, self.asked.limit)
        if status is None:
            run = runs[int(at or 1) - 1]
            low, high, odd = run.values
            machine.failure = (
                f"{self.result.kernel} does not end in run {at}: sizes {run.sizes}, values {low} "
                f"to {high}, {odd:.0%} extreme"
            )
            return machine
        if status:
            machine.failure = f"it ends with status {status}: {told(said)}"
            return machine
        totals: dict[str, comparing.Output] = {}
        outside: dict[str, None] = {}
        for number, dump in enumerate(read(place / "zz_out")):
            group, t = groups[number], tolerances[number]
            for k, a in dump.before.items():
                if a.tobytes() != group[0].before[k].tobytes():
                    machine.failure = f"{self.nest.variables[k - 1]} is not filled alike"
                    return machine
            open_, why = self._left_open(group[0]), {n: w.copy() for n, w in t.why.items()}
            for k, a in dump.after.items():
                name = self.nest.variables[k - 1]
                kept = np.ones(a.shape, bool)
                for d in group:
                    kept &= same(d.before[k], d.after[k])
                if name in open_ and a.dtype.kind == "f":
                    nan = np.isnan(a)
                    had = np.isnan(group[0].after[k])
                    seen = (why[name][:, 0] == 0) | kept
                    self.nans[target] += int((nan & ~had & seen).sum())
                    why[name][(nan & seen)[:, None]] = 1 + comparing.REASONS.index("nans")
                    kept &= ~nan
                if (kept & ~same(dump.before[k], a) & ~both_nan(dump.before[k], a)).any():
                    outside[name] = None
            found = {self.nest.variables[k - 1]: a[:, None] for k, a in dump.after.items()}
            for name in t.expected:
                one = comparing.Tolerances({name: t.expected[name]}, {name: t.limit[name]},
                                           {name: why[name]})  # fmt: skip
                all_ = np.ones(found[name].shape[0], bool)
                part = comparing.compared({name: found[name]}, one, all_)[0]
                self._add(machine, totals, part, runs[number], group[0])
                for reason, counts in one.left_out(all_)[0].items():
                    left = machine.left.setdefault(reason, {})
                    left[name] = left.get(name, 0) + counts[name]
        machine.outputs = [one for one in totals.values() if one.compared or one.failing]
        if not machine.outputs:
            machine.failure = "nothing could be compared: give ranges (--range NAME=LOW,HIGH)"
        if outside:
            machine.failure = f"memory that the original leaves is written: {', '.join(outside)}"
        return machine

    def _left_open(self, dump: Dump) -> set[str]:
        """Variables of which a kernel may have NaN where the original has none: Fortran does not
        say what max and min make of it, and those of the bridge keep it."""
        arrays = (*dump.before.values(), *dump.after.values())
        if not dump.invalid and all(a.dtype.kind != "f" or np.isfinite(a).all() for a in arrays):
            return set()
        if any(EXTREME.search(k.text) for k in self.ported.kernels):
            return set(self.nest.variables)
        return {r.variable for k in self.ported.kernels for r in k.procedure.reductions
                if r.operation in ("max", "min")}  # fmt: skip

    def _add(
        self, machine: Machine, totals: dict[str, comparing.Output], part: comparing.Output,
        run: Run, dump: Dump,
    ) -> None:  # fmt: skip
        before = totals.setdefault(part.name, comparing.Output(part.name, 0, 0, 0.0, 0.0))
        before.compared += part.compared
        before.worst = max(before.worst, part.worst)
        before.difference = max(before.difference, part.difference)
        if part.failing and not before.failing:
            before.first, before.original, before.kernel = part.first, part.original, part.kernel
            if not machine.states:
                machine.states = {name: [float(n)] for name, n in run.sizes.items()}
                machine.states[f"element of {part.name}, counted from 1"] = [part.first + 1.0]
                for k, a in dump.before.items():
                    if a.size == 1:
                        machine.states[self.nest.filled[k - 1]] = [float(a[0])]
        before.failing += part.failing
