"""The check of a nest: its unit with the nest alone, compiled twice: with the original, and with
bind, run and unbind of the port's module in its place, linked with the bridge.

Both programs fill the same variables with the same numbers and write all of them, whole arrays,
before and behind the nest. What the original leaves as it is, the kernel has to leave.
"""

from __future__ import annotations

import random
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bridge.errors import BridgeError
from bridge.port.check import comparing
from bridge.port.check.compiling import compile_original, compiler, open_modules
from bridge.port.check.machines import environment, timed
from bridge.port.check.nestdriver import Driver
from bridge.port.check.nestmemory import EXTENTS
from bridge.port.check.nesttext import Nest
from bridge.port.check.procedures import VARIANT, Asked
from bridge.port.check.results import Machine, Result
from bridge.port.check.rounding import DIRECTIONS, WRAPPED, mathematics
from bridge.port.check.states import Recorded, range_of, recorded_ranges
from bridge.port.request import Ported, Request
from bridge.port.syntax.expressions import Name

Array = np.ndarray[Any, Any]
RUNTIME = Path(__file__).with_name("runtime.f90")
#: Values of variables, share of NaN and huge numbers in them.
FIELDS = ((0.5, 2.0, 0.0), (-2.5, 1.5, 0.0), (0.9, 1.1, 0.0), (0.5, 2.0, 0.01))
#: In the place of a seed of changed bits: directions of rounding.
TURNED = tuple(-direction for direction in DIRECTIONS)
#: Of values with which sizes are tried.
SEEDS = (1, 2, 3, 4)
#: Elements that a choice of sizes should change.
ENOUGH = 20
#: How many choices of sizes are tried.
TRIES = 400
_LOW = re.compile(r"(min|lo|low|start|beg|first|lb|st|l)\d?$|^[ijk][a-z]?s$|^[ijkl]{1,2}[sb]$")
_HIGH = re.compile(r"(max|hi|high|end|last|ub|u)\d?$|^[ijk][a-z]?e$")


@dataclass
class Dump:
    """Of one run: variables before and behind the nest, by number; ended: whether it did."""

    before: dict[int, Array]
    after: dict[int, Array]


class NestCheck:
    def __init__(self, asked: Asked, request: Request, ported: Ported, place: Path) -> None:
        self.asked, self.request, self.ported, self.place = asked, request, ported, place
        self.nest = Nest.of(ported, request.values)
        names = ", ".join(k.name for k in ported.kernels)
        self.result = Result(names, f"nest of {Path(ported.unit.place.file).name}:"
                             f"{ported.first}-{ported.last}")  # fmt: skip
        self.found: list[dict[str, int]] = []
        self.single = any(k.uses_single for k in ported.kernels)
        self.recorded = recorded_ranges(ported.kernels, asked.recorded)
        if asked.recorded:
            mine = [name for name in self.nest.variables if name in self.recorded]
            lacking = [name for name in self.nest.variables if name not in self.recorded]
            self.result.notes.append(f"ranges of the recordings: {', '.join(mine) or 'none'}")
            if mine and lacking:
                self.result.notes.append(f"not recorded: {', '.join(lacking)}")

    def run(self) -> Result:
        flags = self.asked.flags
        bounds = self.compiled("bounds", f"{flags} -O0 -g -fcheck=bounds")
        sizes = self.found = self.sizes(bounds)
        if not sizes:
            return self.result
        runs = []
        for n, field in enumerate(FIELDS, 1):
            for chosen in sizes:
                runs += [(chosen, n, bits, field) for bits in range(5)]
        base = self._dumps(self.compiled("base", flags), runs)
        variant = self._dumps(self.compiled("variant", f"{flags} {VARIANT}"),
                              [r for r in runs if not r[2]])  # fmt: skip
        self._kernels()
        plain = [n for n, r in enumerate(runs) if not r[2]]
        groups = [base[n : n + 5] for n in plain]
        turned = self._turned([runs[n] for n in plain])
        if not self._alike(groups, variant):
            return self.result
        tolerances = [
            self._tolerances(g, v, t) for g, v, t in zip(groups, variant, turned, strict=True)
        ]
        self.result.points = sum(sum(a.size for a in g[0].after.values()) for g in groups)
        self.result.outside = sum(t.outside for t in tolerances)
        self.result.jumps = sum(t.jumps for t in tolerances)
        for target in self.asked.targets:
            self.result.machines.append(
                self._machine(target, [runs[n] for n in plain], groups, tolerances)
            )
        return self.result

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

    # ---- programs -----------------------------------------------------------------------------

    def compiled(self, name: str, flags: str) -> Path:
        file, text, _ = self.nest.unit_text(kernel=False)
        return compile_original(
            self.place / name, self.ported.program, self.request,
            {"zz_mathematics.f90": mathematics(), "zz_runtime.f90": RUNTIME.read_text(),
             "zz_main.f90": Driver(self.nest).text(False)},
            flags, "nest", {file: text}, WRAPPED,
        )  # fmt: skip

    def _kernels(self) -> Path:
        """With the module that lies in the pack."""
        file, text, front = self.nest.unit_text(kernel=True)
        objects, libs = linked(self.asked.shared)
        place = self.place / "kernel"
        extra = {"zz_mathematics.f90": mathematics(), "zz_runtime.f90": RUNTIME.read_text(),
                 "zz_main.f90": Driver(self.nest).text(True)}  # fmt: skip
        behind = self.module_files(place, file, front)
        return compile_original(
            place, self.ported.program, self.request, extra, self.asked.flags, "nest",
            {file: text}, [f"-I{self.asked.shared}", *libs, *WRAPPED], first=objects,
            behind={file: behind},
        )  # fmt: skip

    def module_files(self, place: Path, file: str, front: str) -> list[str]:
        """Write the module that lies in the pack; what is compiled before the nest's own file.
        front: units of that file which the module uses."""
        place.mkdir(parents=True, exist_ok=True)
        module = (self.asked.folder / f"{self.ported.module[0]}.f90").read_text()
        (place / "zz_module.f90").write_text(module)
        if not front:
            return ["zz_module.f90"]
        fixed = self.request.fixed
        suffix = Path(file).suffix if fixed is None else ".f" if fixed else ".f90"
        (place / f"zz_front{suffix}").write_text(open_modules(front))
        return [f"zz_front{suffix}", "zz_module.f90"]

    # ---- runs ---------------------------------------------------------------------------------

    def write_input(self, place: Path, runs: Sequence[tuple[Any, ...]]) -> None:
        scope = self.nest.scope
        ranges, columns = [], 0
        for n, name in enumerate(self.nest.filled, 1):
            given = range_of(scope.symbol(name), self.asked.ranges)
            one = Recorded([given]) if given is not None else self.recorded.get(name)
            if one is not None:
                limits = " ".join(f"{low!r} {high!r}" for low, high in one.ranges)
                ranges.append(f"{n} {len(one.ranges)} {'T' if one.first else 'F'} {limits}")
                columns += len(one.ranges)
        lines = [f"{len(runs)} {len(self.nest.sizes)} {len(ranges)} {columns}", *ranges]
        for sizes, seed, bits, (low, high, odd) in runs:
            words = [*(str(sizes[name]) for name in self.nest.sizes), str(seed),
                     str(bits), repr(low), repr(high), repr(odd)]  # fmt: skip
            lines.append(" ".join(words))
        (place / "zz_in").write_text("\n".join(lines) + "\n")

    def _dumps(self, program: Path, runs: Sequence[tuple[Any, ...]]) -> list[Dump]:
        place = program.parent
        self.write_input(place, runs)
        status, said, _ = timed([str(program)], place, environment(self.asked.folder, "v2"),
                                self.asked.limit)  # fmt: skip
        if status is None:
            raise BridgeError(f"the original does not end within {self.asked.limit:g} s")
        if status:
            raise BridgeError(f"the original ends with status {status}: {_told(said)}")
        return read(place / "zz_out")

    def sizes(self, program: Path) -> list[dict[str, int]]:
        """Two choices with which the original stays within its arrays, and changes something;
        none where there are none, and the result says so."""
        place = program.parent
        found: list[dict[str, int]] = []
        few: list[tuple[int, dict[str, int]]] = []
        wanted = 2 if self.nest.sizes else 1
        said = ""
        for number, sizes in enumerate(self._tried()):
            if sizes in found or (number > TRIES // 4 and few):
                continue
            # A result of few values may be what it was: some other values as well.
            self.write_input(place, [(sizes, seed, 0, FIELDS[0]) for seed in SEEDS])
            try:
                done = subprocess.run([str(program)], cwd=place, capture_output=True, text=True,
                                      errors="replace", timeout=self.asked.limit)  # fmt: skip
            except subprocess.TimeoutExpired:
                said = f"no end within {self.asked.limit:g} s"
                continue
            if done.returncode:
                said = said or _told(done.stderr)
                continue
            dumps = read(place / "zz_out")
            arrays = [(dumps[0].before[k], a) for k, a in dumps[0].after.items()]
            changed = sum(int((~_same(*pair)).sum()) for pair in arrays)
            if not changed and not any(
                (~_same(d.before[k], a)).any() for d in dumps for k, a in d.after.items()
            ):
                said = said or "it changes nothing"
                continue
            if changed < ENOUGH and any(a.size >= ENOUGH and not _same(b, a).all()
                                        for b, a in arrays):  # fmt: skip
                few.append((changed, sizes))  # a corner of an array
                continue
            found.append(sizes)
            if len(found) == wanted:
                break
        few.sort(key=lambda one: -one[0])
        found += [sizes for _, sizes in few[: wanted - len(found)]]
        if not found:
            self.result.failure = (
                f"no sizes were found with which the original runs ({said}): say them, "
                f"--range NAME=N,N for {', '.join(self.nest.sizes) or 'its data'}"
            )
            return []
        self.result.notes.append("sizes: " + "; ".join(
            ", ".join(f"{name} = {n}" for name, n in one.items()) for one in found))  # fmt: skip
        return found

    def _tried(self) -> list[dict[str, int]]:
        names = self.nest.sizes
        scope = self.nest.scope
        given: dict[str, int] = {n: v for n, v in self.request.values.items() if n in names}
        for name in names:
            if known := range_of(scope.symbol(name), self.asked.ranges):
                given[name] = int(known[0])
        choices: list[dict[str, int]] = []
        if like := self._like_open(names):
            choices = [{n: like.get(n, 9 + k % 3) for k, n in enumerate(names)}]
        same = []
        for shift in (0, 1, -1, 2):
            same.append({n: 9 + shift + k % 3 for k, n in enumerate(names)})
            same.append({n: 9 + shift for n in names})
        if not any(_LOW.search(n) for n in names):
            choices += same
        for low, high in ((1, 9), (2, 11), (2, 8), (3, 8), (2, 7), (3, 7), (1, 7)):
            one = {}
            for k, n in enumerate(names):
                outer = bool(re.match(r"^[ijk][dm][se]$", n))
                mean = 9 + k % 3
                value = low if _LOW.search(n) else high if _HIGH.search(n) else mean
                if outer:
                    value = 1 if n.endswith("s") else 12
                one[n] = value
            choices.append(one)
            choices.append({n: (v if v != 9 + k % 3 else 2) for k, (n, v) in
                            enumerate(one.items())})  # fmt: skip
        choices += same
        numbers = random.Random(4)
        while len(choices) < TRIES:
            choices.append({n: numbers.choice((1, 1, 2, 3, 4, 6, 9, 11)) for n in names})
        return [one | given for one in choices]

    def _like_open(self, names: Sequence[str]) -> dict[str, int]:
        """Extents of declared dimensions, where arrays of assumed shape may have to have the
        same."""
        found: dict[str, int] = {}
        symbols = [self.nest.scope.symbol(name) for name in self.nest.variables]
        if not any(d.deferred for symbol in symbols for d in symbol.dimensions or ()):
            return {}
        for symbol in symbols:
            for d, extent in zip(symbol.dimensions or (), EXTENTS, strict=False):
                if isinstance(d.upper, Name) and d.upper.id in names:
                    found.setdefault(d.upper.id, extent)
        return found

    def _turned(self, runs: Sequence[tuple[Any, ...]]) -> list[list[Dump]]:
        """Of each run those with other directions of rounding; none where the original does not
        bear them."""
        some = [(r[0], r[1], bits, r[3]) for r in runs for bits in TURNED]
        try:
            dumps = self._dumps(self.place / "base" / "nest", some) if some else []
        except BridgeError:
            dumps = []
        if len(dumps) < len(some):
            return [[] for _ in runs]
        count = len(TURNED)
        return [dumps[n * count : (n + 1) * count] for n in range(len(runs))]

    # ---- comparison ---------------------------------------------------------------------------

    def _tolerances(
        self, group: Sequence[Dump], variant: Dump, turned: Sequence[Dump]
    ) -> comparing.Tolerances:
        def columns(dump: Dump) -> dict[str, Array]:
            return {self.nest.variables[k - 1]: a[:, None] for k, a in dump.after.items()}

        results = []
        for k, a in group[0].after.items():
            ran = np.ones(a.shape, bool)
            name = self.nest.variables[k - 1]
            one = comparing.tolerances(
                {name: columns(group[0])[name]},
                [{name: columns(d)[name]} for d in [*group[1:], variant]], ran, self.single,
                [{name: columns(d)[name]} for d in turned],
            )  # fmt: skip
            # What the original does not write has no tolerance.
            moved = np.zeros(a.shape, bool)
            for d in group:
                moved |= ~_same(d.before[k], d.after[k])
            one.usable[name] &= moved[:, None]
            results.append((one, moved))
        total = comparing.Tolerances({}, {}, {}, 0, 0)
        for one, moved in results:
            total.expected |= one.expected
            total.limit |= one.limit
            total.usable |= one.usable
            if moved.any():
                total.outside += one.outside
                total.jumps += one.jumps
        return total

    def _machine(
        self, target: str, runs: Sequence[tuple[Any, ...]], groups: Sequence[Sequence[Dump]],
        tolerances: Sequence[comparing.Tolerances],
    ) -> Machine:  # fmt: skip
        machine = Machine(target)
        place = self.place / "kernel"
        self.write_input(place, runs)
        around = environment(self.asked.folder, target)
        status, said, at = timed([str(place / "nest")], place, around, self.asked.limit)
        if status is None:
            run = runs[int(at or 1) - 1]
            low, high, odd = run[3]
            machine.failure = (
                f"{self.result.kernel} does not end in run {at}: sizes {run[0]}, values {low} to "
                f"{high}, {odd:.0%} extreme"
            )
            return machine
        if status:
            machine.failure = f"it ends with status {status}: {_told(said)}"
            return machine
        totals: dict[str, comparing.Output] = {}
        outside: dict[str, None] = {}
        for number, dump in enumerate(read(place / "zz_out")):
            group, t = groups[number], tolerances[number]
            for k, a in dump.before.items():
                if a.tobytes() != group[0].before[k].tobytes():
                    machine.failure = f"{self.nest.variables[k - 1]} is not filled alike"
                    return machine
            for k, a in dump.after.items():
                kept = np.ones(a.shape, bool)
                for d in group:
                    kept &= _same(d.before[k], d.after[k])
                if (kept & ~_same(dump.before[k], a) & ~_both_nan(dump.before[k], a)).any():
                    outside[self.nest.variables[k - 1]] = None
            found = {self.nest.variables[k - 1]: a[:, None] for k, a in dump.after.items()}
            t = self._left_open(found, t, group[0])
            for name in t.expected:
                part = comparing.compared(
                    {name: found[name]},
                    comparing.Tolerances({name: t.expected[name]}, {name: t.limit[name]},
                                         {name: t.usable[name]}, 0, 0),
                    np.ones(found[name].shape[0], bool),
                )[0]  # fmt: skip
                self._add(machine, totals, part, runs[number], number, group[0])
        machine.outputs = [one for one in totals.values() if one.compared or one.failing]
        if not machine.outputs:
            machine.failure = "nothing could be compared: give ranges (--range NAME=LOW,HIGH)"
        if outside:
            machine.failure = f"memory that the original leaves is written: {', '.join(outside)}"
        return machine

    def _left_open(
        self, found: Mapping[str, Array], t: comparing.Tolerances, dump: Dump
    ) -> comparing.Tolerances:
        """Fortran does not say what max and min make of NaN; a reduction of the bridge is NaN."""
        arrays = (*dump.before.values(), *dump.after.values())
        if all(a.dtype.kind != "f" or np.isfinite(a).all() for a in arrays):
            return t
        extremes = {r.variable for k in self.ported.kernels for r in k.procedure.reductions
                    if r.operation in ("max", "min")}  # fmt: skip
        usable = dict(t.usable)
        for name in extremes & found.keys() & usable.keys():
            if found[name].dtype.kind == "f":
                usable[name] = usable[name] & ~np.isnan(found[name])
        return replace(t, usable=usable)

    def _add(
        self, machine: Machine, totals: dict[str, comparing.Output], part: comparing.Output,
        run: tuple[Any, ...], number: int, dump: Dump,
    ) -> None:  # fmt: skip
        before = totals.setdefault(part.name, comparing.Output(part.name, 0, 0, 0.0, 0.0))
        before.compared += part.compared
        before.worst = max(before.worst, part.worst)
        before.difference = max(before.difference, part.difference)
        if part.failing and not before.failing:
            before.first, before.original, before.kernel = part.first, part.original, part.kernel
            if not machine.states:
                machine.states = {name: [float(n)] for name, n in run[0].items()}
                machine.states[f"element of {part.name}, counted from 1"] = [part.first + 1.0]
                for k, a in dump.before.items():
                    if a.size == 1:
                        machine.states[self.nest.filled[k - 1]] = [float(a[0])]
        before.failing += part.failing


def linked(shared: Path) -> tuple[list[str], list[str]]:
    """Objects of the bridge's Fortran modules, compiled there once, and what links the library."""

    def words(*options: str) -> list[str]:
        command = [sys.executable, "-P", "-m", "bridge.bridge_config", *options]
        return shlex.split(_done(command, shared))

    sources = [str(Path(word).resolve()) for word in words("--fsource")]
    objects = [str(shared / (Path(one).stem + ".o")) for one in sources]
    if not all(Path(one).is_file() for one in objects):
        flags = [w for w in words("--fflags") if not w.startswith("-ffixed")]
        _done([compiler(), "-O0", "-w", "-c", *sources, *flags], shared)
    return objects, words("--libs")


def _done(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise BridgeError(f"{shlex.join(command)}: {done.stderr.strip()}")
    return done.stdout


def read(file: Path) -> list[Dump]:
    """What runtime.f90 wrote."""
    data = file.read_bytes()
    at, dumps = 0, []
    into: dict[int, Array] = {}
    types: Mapping[int, Any] = {8: np.float64, 4: np.float32, 1: np.int32}
    while at + 12 <= len(data):
        id_, kind, n = np.frombuffer(data, np.int32, 3, at)
        at += 12
        if id_ == -1:
            dumps.append(Dump({}, {}))
            into = dumps[-1].before
        elif id_ == -2:
            into = dumps[-1].after
        else:
            dtype = np.dtype(types[int(kind)])
            values = np.frombuffer(data, dtype, int(n), at)
            at += int(n) * dtype.itemsize
            into[int(id_)] = values.astype(np.float64) if dtype == np.float32 else values
    return dumps


def _same(a: Array, b: Array) -> Array:
    whole = np.dtype(f"u{a.dtype.itemsize}")
    return np.asarray(a.view(whole) == b.view(whole))


def _both_nan(a: Array, b: Array) -> Array:
    """The sign of a NaN that a point computes from one depends on the order of the operands."""
    return np.asarray((a != a) & (b != b))


def _told(said: str) -> str:
    lines = [text.strip() for text in said.splitlines() if text.strip()]
    first = next((n for n, text in enumerate(lines) if "error" in text.lower()), 0)
    return " / ".join(lines[first : first + 2])  # the reason stands behind it
