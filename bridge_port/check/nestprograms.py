"""Programs of a nest under test, and their runs on given sizes and values.

Its unit with the nest alone is compiled twice: with the original, and with bind, run and unbind of
the port's module in its place, linked with the bridge. Both fill the same variables with the same
numbers and write all of them, before and behind the nest.
"""

from __future__ import annotations

import atexit
import hashlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bridge.errors import BridgeError
from bridge_port.check.compiling import OriginalSources, compiler, open_modules
from bridge_port.check.extract import extract
from bridge_port.check.machines import environment, timed
from bridge_port.check.nestdriver import Driver
from bridge_port.check.nestmemory import entries
from bridge_port.check.nesttext import Nest
from bridge_port.check.procedures import Asked
from bridge_port.check.states import Recorded, range_of, recorded_ranges
from bridge_port.check.wrapped import PROMOTED, WRAPPED, mathematics
from bridge_port.request import Ported, Request

Array = np.ndarray[Any, Any]


@dataclass
class Dump:
    """Of one run: variables before and behind the nest, by number; invalid: whether an operation
    of the nest gave NaN."""

    before: dict[int, Array]
    after: dict[int, Array]
    invalid: bool = False


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
            dumps[-1].invalid = n != 0
        else:
            dtype = np.dtype(types[int(kind)])
            values = np.frombuffer(data, dtype, int(n), at)
            at += int(n) * dtype.itemsize
            into[int(id_)] = values.astype(np.float64) if dtype == np.float32 else values
    return dumps


def same(a: Array, b: Array) -> Array:
    """Elements with the same bits."""
    whole = np.dtype(f"u{a.dtype.itemsize}")
    return np.asarray(a.view(whole) == b.view(whole))


def both_nan(a: Array, b: Array) -> Array:
    """The sign of a NaN that a point computes from one depends on the order of the operands."""
    return np.asarray((a != a) & (b != b))


def told(said: str) -> str:
    """The first error in what a program said, or its first lines."""
    lines = [text.strip() for text in said.splitlines() if text.strip()]
    first = next((n for n, text in enumerate(lines) if "error" in text.lower()), 0)
    return " / ".join(lines[first : first + 2])  # the reason stands behind it


class Values(NamedTuple):
    """Of variables: limits, and the share of NaN and huge numbers in them."""

    low: float
    high: float
    odd: float = 0.0


@dataclass(frozen=True)
class Run:
    """seed: of the values; bits: which of their last ones are changed, 0 none; below 0 a direction
    of rounding."""

    sizes: dict[str, int]
    seed: int
    bits: int
    values: Values


RUNTIME = Path(__file__).with_name("runtime.f90")


def runtime() -> str:
    """Fortran that the programs have beside them."""
    return RUNTIME.read_text() + entries("zz_")


class NestPrograms:
    """place: a folder, in which each program has one of its own."""

    def __init__(
        self, asked: Asked, request: Request, ported: Ported, nest: Nest, place: Path
    ) -> None:
        self.asked, self.request, self.ported = asked, request, ported
        self.nest, self.place = nest, place
        self.recorded = recorded_ranges(ported.kernels, asked.recorded)

    def original(self, name: str, flags: str) -> Path:
        """The program with the original, compiled with these flags; without procedures that the
        nest does not call, where their modules are not given."""
        try:
            return self._original(name, flags)
        except BridgeError:
            unit = self.ported.unit
            if self.nest.extracted or unit.kind == "program":
                raise
            beside = [Driver(self.nest).main(False), self.ported.module]
            self.nest.extracted = extract(self.ported.program, self.ported.kernels, self.request,
                                          unit, beside)  # fmt: skip
            return self._original(name, flags)

    def promoted(self) -> Path:
        """The original with real(8) for real(4)."""
        return self._original("promoted", self.asked.flags, PROMOTED)

    def _original(self, name: str, flags: str, promoted: str = "") -> Path:
        file, text, _ = self.nest.unit_text(kernel=False)
        replaced = {**self.nest.extracted, file: text}
        original = OriginalSources(
            self.ported.program, self.request, f"{flags} {promoted}", replaced
        )
        return original.compile_program(
            self.place / name, {"zz_main.f90": str(Driver(self.nest).main(False))}, WRAPPED,
            first=beside(self.asked.shared, flags, promoted),
        )  # fmt: skip

    def kernels(self) -> Path:
        """The program with the module that lies in the pack."""
        file, text, front = self.nest.unit_text(kernel=True)
        objects, libs = linked(self.asked.shared)
        place = self.place / "kernel"
        extra = {"zz_main.f90": str(Driver(self.nest).main(True))}
        objects += beside(self.asked.shared, self.asked.flags)
        behind = self.module_files(place, file, front)
        replaced = {**self.nest.extracted, file: text}
        original = OriginalSources(self.ported.program, self.request, self.asked.flags, replaced)
        options = [f"-I{self.asked.shared}", *libs, *WRAPPED]
        return original.compile_program(place, extra, options, objects, {file: behind})

    def module_files(self, place: Path, file: str, front: str) -> list[str]:
        """Write the module that lies in the pack; what is compiled before the nest's own file.
        front: units of that file which the module uses."""
        place.mkdir(parents=True, exist_ok=True)
        module = (self.asked.folder / f"{self.ported.module.name}.f90").read_text()
        (place / "zz_module.f90").write_text(module)
        if not front:
            return ["zz_module.f90"]
        fixed = self.request.fixed
        suffix = Path(file).suffix if fixed is None else ".f" if fixed else ".f90"
        (place / f"zz_front{suffix}").write_text(open_modules(front))
        return [f"zz_front{suffix}", "zz_module.f90"]

    # ---- runs ---------------------------------------------------------------------------------

    def write_input(self, place: Path, runs: Sequence[Run]) -> None:
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
        for run in runs:
            sizes = [run.sizes[name] for name in self.nest.sizes]
            lines.append(" ".join(map(repr, (*sizes, run.seed, run.bits, *run.values))))
        (place / "zz_in").write_text("\n".join(lines) + "\n")

    def dumps(self, program: Path, runs: Sequence[Run]) -> list[Dump]:
        """Of the original; BridgeError where it does not come to its end."""
        place = program.parent
        self.write_input(place, runs)
        status, said, _ = timed([str(program)], place, environment(self.asked.folder, "v2"),
                                self.asked.limit)  # fmt: skip
        if status is None:
            raise BridgeError(f"the original does not end within {self.asked.limit:g} s")
        if status:
            raise BridgeError(f"the original ends with status {status}: {told(said)}")
        return read(place / "zz_out")


def beside(shared: Path, flags: str, promoted: str = "") -> list[str]:
    """Objects of the runtime, compiled once for programs with the same flags: kinds of numbers may
    depend on them. promoted: flag of what fills variables, whose real(4) become real(8)."""
    key = hashlib.sha256(f"{flags} {promoted}".encode()).hexdigest()[:12]
    folder = shared / f"beside-{key}"
    sources = {"zz_mathematics.f90": mathematics(), "zz_runtime.f90": runtime()}
    if not folder.is_dir():
        made = Path(tempfile.mkdtemp(dir=shared))
        for name, text in sources.items():
            (made / name).write_text(text)
        for name in sources:
            more = shlex.split(promoted) if name == "zz_runtime.f90" else []
            _done([compiler(), *shlex.split(flags), *more, "-O1", "-fcheck=no-all", "-w", "-fPIC",
                   "-c", name], made)  # fmt: skip
        made.rename(folder)
    return [str(folder / Path(name).with_suffix(".o")) for name in sources]


def linked(shared: Path) -> tuple[list[str], list[str]]:
    """Objects of the bridge's Fortran modules, compiled once for a process, and what links the
    library."""
    sources = [Path(word).resolve() for word in _words("--fsource")]
    for file in _modules().iterdir():
        if not (shared / file.name).is_file():
            shutil.copy(file, shared)
    return [str(shared / f"{one.stem}.o") for one in sources], list(_words("--libs"))


@cache
def _words(option: str) -> tuple[str, ...]:
    command = [sys.executable, "-P", "-m", "bridge.bridge_config", option]
    return tuple(shlex.split(_done(command, Path.cwd())))


@cache
def _modules() -> Path:
    """A folder with objects and modules."""
    folder = Path(tempfile.mkdtemp(prefix="bridge-modules-"))
    atexit.register(shutil.rmtree, folder, True)
    flags = [w for w in _words("--fflags") if not w.startswith("-ffixed")]
    sources = [str(Path(word).resolve()) for word in _words("--fsource")]
    _done([compiler(), "-O0", "-w", "-c", *sources, *flags], folder)
    return folder


def _done(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise BridgeError(f"{shlex.join(command)}: {done.stderr.strip()}")
    return done.stdout
