"""Compiling kernel packs for the CPU: what `bridge packs build` does on a login node.

Behind the command alone; a run imports `packs` and finds what was built here. A library holds
the launch wrappers of the pack's kernels and their table, like the shipped ones without the
executor, one for each instruction set: the nodes of a job may have another CPU than this one.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bridge import caches, progress
from bridge.errors import ArgumentError, BridgeError, InconsistentError
from bridge.kernels.cpu import generate_launchers
from bridge.plan import nests, offsets, stages, statusbits, uniform
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.plan.packs import (
    LINK,
    SOURCES,
    TARGETS,
    Pack,
    debugging,
    flags_now,
    forget,
    found,
    kernels_folder,
)
from bridge.plan.plan import Plan

COMPILERS = ("c++", "g++", "clang++")
#: What helps where a template takes a product for its type.
_PRODUCT = (
    "\nA product that no sum has taken yet is a type of its own, Product<...>: a template of Real "
    "gets its type by name, helper<Real>(a * b), and a choice ? : gets Real(a * b)."
)
_NO_NESTS = (
    "kernel pack {}: its loop nests do not compile, so all runs go through the executor\n"
    "  {}\n"
    "  Give each argument with several columns a template parameter of its own, and make "
    "functions outside BRIDGE_NAMESPACE inline.\n"
)
#: Points of an interior: how far sweeps read around it is of no consequence here.
_ANY = (64, 64, 64)
#: Kernels, or plans with nests, of a source, of which several are compiled side by side.
PART = 4
_FAST = ("-Ofast", "-ffast-math", "-funsafe-math-optimizations")


@dataclass(frozen=True)
class Built:
    """One library: of which pack, for which instruction set, where, whether it is new, and whether
    it takes the place of a damaged one."""

    pack: Pack
    isa: str
    path: Path
    new: bool
    warnings: str = ""
    damaged: bool = False


def build(
    folders: Sequence[Path] = (),
    *,
    cxx: str | None = None,
    force: bool = False,
    isas: Collection[str] = tuple(TARGETS),
) -> Iterator[Built]:
    """Build packs, the found ones or those in `folders`, for some instruction sets (all).

    cxx: command of a C++17 compiler, None for $CXX or the system's; force: also what is built.
    ArgumentError for a pack that contradicts the shipped catalogue or another pack, and where
    there is no compiler; BridgeError with the compiler's words where it refuses.
    """
    forget()
    asked = {pack.folder: pack for pack in (Pack.read(f, "--folder") for f in folders)}
    every = {pack.folder: pack for pack in found()} | asked
    Catalogue.load([shipped_file(), *(pack.catalogue for pack in every.values())])
    command = compiler(cxx)
    libraries = sum(len(isas) for pack in (asked or every).values() if pack.kernels)
    number = 0
    for pack in (asked or every).values():
        # without the other packs: a library is made of the pack and the package alone
        own = Catalogue.load([shipped_file(), pack.catalogue])
        # the search for uniform kernels ends with an error of the checks
        with ThreadPoolExecutor(1) as threads, uniform.Processes() as processes:
            alike: Future[dict[str, int]] | None = None
            if force or any(pack.state(isa) != "built" for isa in isas if pack.kernels):
                kernels = [k for k in own.kernels.values() if k.file != shipped_file()]
                with progress.waiting(f"kernel pack {pack.name}: checking its kernels"):
                    if not debugging():  # beside the checks and the wrappers: nests alone need it
                        alike = threads.submit(uniform.columns, kernels, own, command, processes)
                    offsets.check(kernels, own, command)
                    statusbits.check(kernels, own, command)
            for isa in isas if pack.kernels else ():
                path = pack.library(isa)
                state = pack.state(isa)
                number += 1
                if not force and state == "built":
                    yield Built(pack, isa, path, new=False)
                else:
                    what = f"compiling kernel pack {pack.name} ({len(pack.kernels)} kernels)"
                    with progress.waiting(f"{what} for {isa}: library {number} of {libraries}"):
                        warnings = _compile(pack, own, alike, isa, command, path)
                    yield Built(pack, isa, path, True, warnings, state == "damaged")


def compiler(cxx: str | None = None) -> list[str]:
    """Words of the compiler's command: `cxx`, else $CXX, else what the system has."""
    given = cxx or os.environ.get("CXX")
    if not given:
        names = [name for name in COMPILERS if shutil.which(name)]
        if not names:
            cause = f"the PATH has no C++ compiler ({', '.join(COMPILERS)})"
            raise InconsistentError("--cxx", cause, "install g++, or name a compiler with --cxx")
        return [names[0]]
    argument, words = "--cxx" if cxx else "CXX", shlex.split(given)
    if not words or not shutil.which(words[0]):
        raise ArgumentError(argument, repr(given), "a C++17 compiler on the PATH")
    for word in words:
        if word in _FAST:
            # linked with one of these, a library sets flush-to-zero for the whole process
            raise ArgumentError(argument, repr(given), f"a compiler without {word}")
    return words


def _compile(
    pack: Pack, own: Catalogue, alike: Future[dict[str, int]] | None, isa: str,
    command: list[str], target: Path,
) -> str:  # fmt: skip
    """Make one library, complete or not at all; own: what the pack and the package declare; alike:
    its uniform kernels, see plan/uniform.py, None where it gets no nests; returns the compiler's
    warnings."""
    kernels = kernels_folder()
    with tempfile.TemporaryDirectory(prefix="bridge-pack-") as name:
        folder = Path(name)
        # Of the package: warnings are those of the pack alone.
        flags = [*flags_now(), *TARGETS[isa], f"-DBRIDGE_NAMESPACE=bridge_pack_{isa}"]
        flags += ["-isystem", str(kernels), "-isystem", str(kernels / "cpu")]
        plans = _plans(pack, own) if alike else []
        with ThreadPoolExecutor(_cores()) as threads:

            def started(source: Path, quiet: bool) -> Future[subprocess.CompletedProcess[str]]:
                return threads.submit(_object, command, flags, source, quiet)

            launchers = _launchers(pack, folder, _parts(len(pack.kernels)))
            objects = [started(source, False) for source in launchers]
            loops: list[Path] = []
            if alike and plans:
                loops = [folder / f"nests{part}.cpp" for part in range(_parts(len(plans)))]
                nests.write(loops, f"bridge_nests_{isa}", plans, own, alike.result())
                objects += [started(source, True) for source in loops]
            done = [one.result() for one in objects]
            told = [one.stderr for one in done[len(launchers) :]]
            del done[len(launchers) :]
            linked = _linked(command, flags, [*launchers, *loops])
            if linked.returncode and len(launchers) > 1:
                # A header may define what is defined once, or need another one before it.
                launchers = _launchers(pack, folder, 1)
                done = [started(launchers[0], False).result()]
                linked = _linked(command, flags, [*launchers, *loops])
        warnings = "".join(dict.fromkeys(one.stderr for one in done))
        if linked.returncode and loops:
            why = next(filter(None, told), linked.stderr)
            warnings += _NO_NESTS.format(pack.name, _first_error(why))
            loops = []
            linked = _linked(command, flags, launchers)
        if linked.returncode:
            # without the text that was generated: nothing is said of it, and it is gone
            said = "".join(one.stdout + one.stderr for one in done)
            said = said or linked.stdout + linked.stderr
            raise BridgeError(
                f"kernel pack {pack.name} does not compile for x86-64-{isa} with\n"
                f"{shlex.join([*command, *flags])}:\n{said}".rstrip()
                + (_PRODUCT if "Product<" in said else "")
            )
        sources = [*launchers, *loops]
        depends = [one.with_suffix(".d").read_text(encoding="utf-8") for one in sources]
        _check_includes(pack, depends, sources)
        _place(caches.seal((folder / "pack.so").read_bytes()), target)
    return warnings


def _launchers(pack: Pack, folder: Path, parts: int) -> list[Path]:
    """Write the wrappers of its kernels, in so many files."""
    sources = [folder / f"launchers{part}.cpp" for part in range(parts)]
    generate_launchers.main(sources, [shipped_file(), pack.catalogue], debugging())
    with sources[0].open("a", encoding="utf-8") as text:
        text.write('#include "table.cpp"\n')
    return sources


def _cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0))


def _parts(count: int) -> int:
    """In how many sources so many kernels or plans are compiled side by side."""
    return max(1, min(_cores(), -(-count // PART)))


def _object(
    command: list[str], flags: list[str], source: Path, quiet: bool
) -> subprocess.CompletedProcess[str]:
    """Compile a source; quiet: without warnings, which another one gives."""
    made = ["-MMD", "-MF", str(source.with_suffix(".d")), "-o", str(source.with_suffix(".o"))]
    line = [flag for flag in flags if flag != "-shared"] + ["-w"] * quiet
    return _ran([*command, *line, "-c", str(source), *made])


def _linked(
    command: list[str], flags: list[str], sources: list[Path]
) -> subprocess.CompletedProcess[str]:
    """Make pack.so beside the sources, of their objects."""
    objects = [str(one.with_suffix(".o")) for one in sources]
    return _ran([*command, *flags, *objects, "-o", str(sources[0].with_name("pack.so")), *LINK])


def _first_error(told: str) -> str:
    """The line of a compiler's or linker's words that says most."""
    lines = told.splitlines()
    return next((one for one in lines if "error:" in one or "multiple definition" in one), "")


def _ran(line: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line, capture_output=True, text=True, errors="replace")


def _plans(pack: Pack, own: Catalogue) -> list[Plan]:
    """The plans that have loop nests: of each kernel of a pack, and of each composite, or stage of
    one, that runs nothing but these."""
    found = [own.single(name, 1) for name in pack.kernels]
    for composite in own.composites.values():
        if composite.file != pack.catalogue:
            continue
        with contextlib.suppress(ArgumentError):  # of kernels of another pack
            whole = own.composite_plan(composite, 1)
            exact = [one for one in whole.outputs if own.quantity(one).dtype == "float64"]
            found += [whole, *(one.plan for one in stages.split(whole, exact, _ANY).stages)]
    kernels = {*pack.kernels}
    return [
        plan for plan in found if {*plan.kernels()} <= kernels and not nests.why_none(plan, own)
    ]


def _check_includes(pack: Pack, depends: Iterable[str], sources: Iterable[Path]) -> None:
    """Refuse headers whose changes would go unseen; depends: the compiler's make rules."""
    rules = [rule.partition(": ")[2].replace("\\\n", " ").replace("\\ ", "\0") for rule in depends]
    paths = {Path(word.replace("\0", " ")).resolve() for rule in rules for word in rule.split()}
    kernels = kernels_folder().resolve()
    for path in paths - {source.resolve() for source in sources}:
        own = path.is_relative_to(pack.folder) and path.suffix in SOURCES
        if not (own or path.is_relative_to(kernels)):
            raise InconsistentError(
                f"kernel pack {pack.name}",
                f"it includes {path}, whose changes would not be seen",
                f"put it into {pack.folder}, as one of {' '.join(SOURCES)}",
            )


def _place(contents: bytes, target: Path) -> None:
    """Write a file that others see whole or not at all."""
    draft = target.with_name(f".{target.name}.{os.uname().nodename}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        raise BridgeError(f"{target} cannot be written: {error}") from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
