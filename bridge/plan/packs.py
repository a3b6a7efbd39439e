"""Kernel packs: folders of a user's own kernels, where they are and where their libraries lie.

A leaf of the package: `catalogue` reads the packs' catalogues after the shipped one, the CPU
backend loads their libraries. Building is `packbuild`'s: nothing that a run imports can start a
compiler. Packs are read once per process and value of BRIDGE_PACKS (`forget`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bridge import caches
from bridge.compiled.version import VERSION
from bridge.errors import ArgumentError, BridgeError, InconsistentError
from bridge.kernels import file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

CATALOGUE = "catalogue.toml"
#: What 'bridge port' says of a pack that it wrote (`verified`): no source of it.
PORTED = "port.toml"
ENTRY_POINTS = "bridge.packs"
#: Files whose contents decide what a pack computes.
SOURCES = (".h", ".hh", ".hpp", ".hxx", ".inc", ".toml")

#: How a library is compiled: as the shipped ones (kernels/meson.build), for each instruction set.
FLAGS = (
    *("-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"),
    *("-fno-exceptions", "-fno-rtti", "-mprfchw", "-fPIC", "-shared", "-fvisibility=hidden"),
    *("-Wall", "-Wextra"),
)
#: The same for a debugger (`debugging`): a kernel is called for one point at a time.
DEBUG_FLAGS = ("-DBRIDGE_DEBUG", "-g3", "-fno-omit-frame-pointer", "-Wno-unused-function")
LINK = ("-Wl,-z,defs", "-Wl,--as-needed", "-lmvec", "-lm")
TARGETS = {
    "v2": ("-march=x86-64-v2", "-DBRIDGE_LANES=2"),
    "v3": ("-march=x86-64-v3", "-DBRIDGE_LANES=4"),
    "v4": ("-march=x86-64-v4", "-mprefer-vector-width=512", "-DBRIDGE_LANES=8"),
}


@dataclass(frozen=True)
class Pack:
    """A pack as it was when it was read.

    name: of its folder; origin: what led to it; kernels: their names; digest: of its sources;
    precision: of its kernels, "double" or "original".
    """

    name: str
    folder: Path
    origin: str
    kernels: tuple[str, ...]
    digest: str
    precision: str = "double"

    @classmethod
    def read(cls, folder: Path, origin: str) -> Pack:
        """Raises ArgumentError, naming `origin`, where there is no readable catalogue."""
        folder = folder.expanduser().resolve()
        path = folder / CATALOGUE
        import tomllib

        try:
            catalogue = tomllib.loads(path.read_text(encoding="utf-8"))
            kernels = catalogue.get("kernel", [])
            names = tuple(str(kernel["name"]) for kernel in kernels)
            digest = _digest(sources(folder), folder)
        except (OSError, ValueError, KeyError, TypeError) as error:
            told = error.strerror if isinstance(error, OSError) else None
            why = told or f"{type(error).__name__}: {error}"
            got = f"{path} ({why})"
            raise ArgumentError(origin, got, f"a folder with a {CATALOGUE}") from None
        precision = str(catalogue.get("precision", "double"))
        return cls(folder.name, folder, origin, names, digest, precision)

    @property
    def catalogue(self) -> Path:
        return self.folder / CATALOGUE

    @property
    def command(self) -> str:
        """What builds it."""
        setting = "BRIDGE_PACKS_DEBUG=1 " if debugging() else ""
        return f"{setting}bridge packs build --folder {self.folder}"

    def library(self, isa: str) -> Path:
        """Where its library for an instruction set belongs, whether it is there or not."""
        flags = (*flags_now(), *TARGETS[isa], *LINK)
        seal = caches.MARK.hex()
        parts = (VERSION, shipped_digest(), self.digest, seal, *flags)
        key = caches.sha256("\n".join(parts).encode()).hex()
        return cache_folder() / f"{self._start(isa)}{key[:24]}.so"

    def _start(self, isa: str) -> str:
        """How the names of its libraries for an instruction set begin."""
        return f"{self.name}-{'debug-' if debugging() else ''}{isa}-"

    def state(self, isa: str) -> str:
        """ "built", "not built", "stale" (built from other sources or another package) or
        "damaged"."""
        return self._state(isa)[0]

    def _state(self, isa: str) -> tuple[str, str]:
        """The state's word, and what is wrong with a damaged library."""
        path = self.library(isa)
        try:
            caches.read(path)
        except FileNotFoundError:
            start = self._start(isa)
            others = path.parent.iterdir() if path.parent.is_dir() else iter(())
            stale = any(p.name.startswith(start) and p.suffix == ".so" for p in others)
            return "stale" if stale else "not built", ""
        except caches.DamagedError as error:
            return "damaged", str(error)
        except OSError as error:
            return "damaged", f"cannot be read: {error.strerror or error}"
        return "built", ""

    def require(self, isa: str) -> Path:
        """Its intact library; BridgeError that names the pack and what to run if there is none."""
        path = self.library(isa)
        state, why = self._state(isa)
        if state == "built":
            return path
        reason = {
            "not built": f"is not built for x86-64-{isa} (looked for {path})",
            "stale": f"or this package changed since the pack was built for x86-64-{isa}",
            "damaged": f"has a damaged library, {path}, which {why}",
        }[state]
        raise BridgeError(f"kernel pack {self.name} {reason}: run '{self.command}'")


def debugging() -> bool:
    """Whether packs are built and loaded for a debugger: BRIDGE_PACKS_DEBUG of the environment."""
    return os.environ.get("BRIDGE_PACKS_DEBUG", "0").lower() in ("1", "true")


def flags_now() -> tuple[str, ...]:
    """Of the compiler, for libraries that are built or loaded now."""
    if not debugging():
        return FLAGS
    return (*(("-O0" if flag == "-O3" else flag) for flag in FLAGS), *DEBUG_FLAGS)


def found() -> tuple[Pack, ...]:
    """The packs of BRIDGE_PACKS (folders separated by colons), then those of entry points."""
    return _found(os.environ.get("BRIDGE_PACKS", ""))


def forget() -> None:
    """Read the packs anew at the next look, in a session that edits and rebuilds them."""
    _found.cache_clear()


def owner(kernel: str) -> Pack | None:
    """The pack that has this kernel, None for a shipped one."""
    return next((pack for pack in found() if kernel in pack.kernels), None)


def cache_folder() -> Path:
    """Of built packs."""
    return caches.folder("packs")


def kernels_folder() -> Path:
    """The package's own kernels: what a pack's headers include."""
    return file("point.h").parent


@cache
def _found(folders: str) -> tuple[Pack, ...]:
    packs: dict[Path, Pack] = {}
    for folder in filter(None, folders.split(":")):
        pack = Pack.read(Path(folder), "BRIDGE_PACKS")
        packs.setdefault(pack.folder, pack)
    for point in _entry_points():
        origin = f"entry point {ENTRY_POINTS}: {point.name} = {point.value}"
        pack = Pack.read(_folder_of(point, origin), origin)
        packs.setdefault(pack.folder, pack)
    return tuple(packs.values())


def _entry_points() -> list[EntryPoint]:
    """Those of our group, by name. importlib.metadata, which takes as long to import as half the
    package and reads the metadata of every distribution, is asked where one of them has any."""
    if not any_entry_points():
        return []
    from importlib.metadata import entry_points

    return sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)


def any_entry_points() -> bool:
    """Whether a distribution on sys.path has entry points of our group. What is no folder (a zip
    file) may have some. An archive of `bridge bundle` knows it of its environment."""
    for finder in sys.meta_path:
        if (known := getattr(finder, "bridge_entry_points", None)) is not None:
            return bool(known)
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")
        except FileNotFoundError:
            continue
        except OSError:
            return True
        for name in names:
            if not name.endswith((".dist-info", ".egg-info")):
                continue
            try:
                with open(os.path.join(folder, name, "entry_points.txt"), "rb") as text:
                    if ENTRY_POINTS.encode() in text.read():
                        return True
            except OSError:
                continue
    return False


def _folder_of(point: EntryPoint, origin: str) -> Path:
    """Folder of the Python package that an entry point names, which is not imported."""
    from importlib import util

    try:
        spec = util.find_spec(point.module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise InconsistentError(origin, f"no package {point.module} can be imported", "install it")
    return Path(next(iter(spec.submodule_search_locations)))


def sources(folder: Path) -> list[Path]:
    found = (p for p in folder.rglob("*") if p.suffix in SOURCES and p.name != PORTED)
    return sorted(p for p in found if p.is_file())


def _digest(files: Iterable[Path], folder: Path | None = None) -> str:
    """Of names, below a folder if there is one, and contents."""
    lines = (
        f"{path.relative_to(folder) if folder else path.name} "
        f"{caches.sha256(path.read_bytes()).hex()}\n"
        for path in files
    )
    return caches.sha256("".join(lines).encode()).hex()


@cache
def shipped_digest() -> str:
    """Of everything of the package that a pack's library is compiled from."""
    folder = kernels_folder()
    names = ("generate_launchers.py", "generate_lines.py", "table.cpp")
    beside = (Path(__file__).with_name(name) for name in ("nests.py", "uniform.py"))
    return _digest([*sources(folder), *(folder / "cpu" / name for name in names), *beside])
