"""Build and run real Fortran hosts the way a user does: against the installed package.

Everything happens in temporary folders outside the source tree, through `bridge-config` of the
environment that runs the tests.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import sharing

#: Of any process that a test starts, in seconds. No measure: what hangs, hangs for ever, and a
#: busy machine takes its time.
TIME_LIMIT = 600
BROKEN = Path(__file__).parent / "failure" / "broken"
COUNTED = Path(__file__).parent / "fortran" / "counted"


def breaks(what: str, **more: str) -> dict[str, str | None]:
    """Environment in which the host's Python loses something: see failure/broken."""
    return {"PYTHONPATH": str(BROKEN), "TEST_BREAKS": what, **more}


def counting(standin: bool = False, **more: str) -> dict[str, str]:
    """Environment in which a report says how many calls have entered Python, see fortran/counted;
    standin: with a GPU that is none, for Frames that ask for one."""
    paths = [str(COUNTED), os.environ.get("PYTHONPATH", "")]
    found = {"PYTHONPATH": os.pathsep.join(path for path in paths if path), **more}
    return {"TEST_STANDIN": str(sharing.folder("standin")), **found} if standin else found


def run_counted(host: Host, kind: str, **more: str) -> Outcome:
    """A program whose calls into Python are counted; kind: cpu, gpu or stand-in."""
    more["BRIDGE_BACKEND"] = "cpu" if kind == "cpu" else "cuda"
    return host.run(environment=counting(kind == "stand-in", **more))


def bridge_config(*options: str, folder: Path, python: str = sys.executable) -> list[str]:
    """The words that `bridge-config` prints; run outside the source tree, once in a process for
    the package under test."""
    command = [python, "-P", "-m", "bridge.bridge_config", *options]
    if (words := _printed.get(options)) is not None and python == sys.executable:
        return [*words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    words = shlex.split(done.stdout)
    if python == sys.executable:
        _printed[options] = words
    return [*words]


_printed: dict[tuple[str, ...], list[str]] = {}


def bridge_objects(with_compiler: str, flags: tuple[str, ...] = ()) -> list[str]:
    """What a program is compiled and linked with in the place of `bridge-config --fsource`: the
    bridge's Fortran modules, compiled once for a compiler and its flags. How they are optimised
    makes no difference to a program; test_module_style compiles them in all ways."""
    kept = [flag for flag in flags if not flag.startswith("-O")]

    def make(place: Path) -> None:
        words = [compiler(with_compiler), *kept, "-O0", "-c"]
        words += bridge_config("--fsource", folder=place)
        compile_(words + bridge_config("--fflags", folder=place), place)

    key = hashlib.sha256(" ".join(kept).encode()).hexdigest()[:12]
    place = sharing.once(f"bridge-{with_compiler}-{key}", make)
    return [f"-I{place}", *map(str, sorted(place.glob("*.o")))]


#: What distributions call compilers, the latest first.
OF_LLVM = {
    "flang": ("flang-new-19", "flang-19", "flang-new", "flang"),
    "clang++": ("clang++", *(f"clang++-{number}" for number in range(21, 13, -1))),
}


def compiler(name: str) -> str:
    """Path of a compiler; `flang` and `clang++` are whichever the machine has. Skips where there
    is none."""
    for candidate in OF_LLVM.get(name, (name,)):
        if path := shutil.which(candidate):
            return path
    pytest.skip(f"no {name} on this machine")


@dataclass(frozen=True)
class Outcome:
    """What a run of a host gave."""

    status: int
    out: str
    err: str

    def words(self, label: str) -> list[str]:
        """The rest of the first output line that begins with `label`, in words."""
        for line in self.out.splitlines():
            if line.split(maxsplit=1)[:1] == [label]:
                return line.split()[1:]
        raise AssertionError(f"no line '{label}' in the output:\n{self.out}\n{self.err}")

    def counted(self) -> list[tuple[str, ...]]:
        """What setting `timers` says of each Frame, without times: calls of host and device by
        name, and the rows of the ledger."""
        calls = r"^bridge: (host|device) +(\S+(?: \S+)*) +(\d+) "
        row = r"^bridge: (\w+(?: \w+)*)" + 9 * r" +(\d+)" + "$"
        found = [one.groups() for one in re.finditer(f"{calls}|{row}", self.out, re.M)]
        return [tuple(word for word in words if word is not None) for words in found]


@dataclass(frozen=True)
class Host:
    """A compiled program."""

    program: Path

    def run(
        self,
        *arguments: str,
        launcher: tuple[str, ...] = (),
        environment: Mapping[str, str | None] | None = None,
    ) -> Outcome:
        """Run it, output into files, without what would activate an environment."""
        variables = {k: v for k, v in os.environ.items() if not k.startswith("BRIDGE_")}
        for name in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONHOME"):
            variables.pop(name, None)
        variables.setdefault("OMP_NUM_THREADS", "2")
        for name, value in (environment or {}).items():
            if value is None:
                variables.pop(name, None)
            else:
                variables[name] = value
        folder = self.program.parent
        # Of this process: several run programs that were built once.
        files = [folder / f"{name}-{os.getpid()}.txt" for name in ("stdout", "stderr")]
        with open(files[0], "wb") as out, open(files[1], "wb") as err:
            done = subprocess.run(
                [*launcher, str(self.program), *arguments],
                cwd=folder,
                env=variables,
                stdout=out,
                stderr=err,
                timeout=TIME_LIMIT,
            )
        return Outcome(done.returncode, files[0].read_text(), files[1].read_text())


def build(
    folder: Path,
    sources: list[Path],
    *,
    with_compiler: str = "gfortran",
    flags: tuple[str, ...] = (),
    module: str | None = "--fsource",
    link: bool = True,
    python: str = sys.executable,
    together: bool = False,
) -> Host:
    """Compile sources into `folder` with the user's line:

    gfortran $(bridge-config --fsource) solver.f90 $(bridge-config --fflags --libs)

    The bridge's modules are those of bridge_objects, unless together.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [compiler(with_compiler), *flags]
    if module == "--fsource" and not together:
        command += bridge_objects(with_compiler, flags)
    elif module:
        command += bridge_config(module, folder=folder, python=python)
    command += [str(source) for source in sources]
    options = ["--fflags", "--libs"] if link else ["--fflags"]
    command += bridge_config(*options, folder=folder, python=python)
    compile_([*command, "-o", "host"], folder)
    return Host(folder / "host")


def compile_(command: list[str], folder: Path) -> None:
    """CompileError where the compiler refuses."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise CompileError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")


class CompileError(Exception):
    """The compiler's words."""


def object_of(folder: Path, source: Path, *, with_compiler: str = "gcc") -> Path:
    """Compile one C helper."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{source.stem}.o"
    subprocess.run(
        [compiler(with_compiler), "-O1", "-c", str(source), "-o", str(target)], check=True
    )
    return target
