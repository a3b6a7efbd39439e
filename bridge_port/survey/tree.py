"""The Fortran files of a tree, and where its modules and procedures lie.

An index of names is made by the text of the files; a file is read when a procedure of it is asked
for, or one that uses its modules. Every process of a survey reads for itself: syntax trees take
longer from one process to another than from their text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from bridge.errors import ArgumentError
from bridge_port.program.firstsubscripts import elsewhere
from bridge_port.program.interfaces import complete
from bridge_port.program.messages import Output
from bridge_port.program.program import Program
from bridge_port.program.searching import MODULE, SUBMODULE
from bridge_port.program.stopping import stops_as_status
from bridge_port.program.symbols import Derived
from bridge_port.refusal import Refused
from bridge_port.semantic.intrinsics import OF_VALUES
from bridge_port.source.folders import HIDDEN
from bridge_port.source.lines import FIXED_SUFFIXES, FREE_SUFFIXES
from bridge_port.source.physical import included, text_of
from bridge_port.survey.processes import Clock
from bridge_port.syntax.parser import parse
from bridge_port.syntax.units import Unit, anew, every, submodule_key

SUFFIXES = frozenset((*FIXED_SUFFIXES, *FREE_SUFFIXES))
_PROCEDURE = re.compile(
    r"^(?![ \t]*(?:end|[!*c])\b)[^!'\"\n]*?\b(?:subroutine|function)[ \t]+(\w+)", re.I | re.M
)
_BLOCK_DATA = re.compile(r"^[ \t]*block[ \t]*data\b", re.I | re.M)
_EXTENDS = re.compile(r"^[ \t]*type\b[^:!\n]*\bextends[ \t]*\(", re.I | re.M)


def files_of(paths: Iterable[str | Path]) -> list[Path]:
    """Fortran files in their order; folders are searched."""
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        if not path.is_dir():
            found[path] = None
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not HIDDEN.match(name))
            for name in sorted(names):
                if Path(name).suffix.lower() in SUFFIXES and not name.startswith("."):
                    found[Path(folder, name)] = None
    return list(found)


def beside(folders: Iterable[str | Path], more: Iterable[str | Path]) -> list[Path]:
    """Sources that a tree may use: those in the folders and in folders inside, and single files;
    ArgumentError where one is not there."""
    found = []
    for file in map(Path, more):
        if not file.is_file():
            raise ArgumentError("--more", str(file), "a file that is there")
        found.append(file)
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise ArgumentError("-I", str(folder), "a folder that is there")
        found += [one for one in files_of([folder]) if one.is_file()]
    return found


def nearest(file: str, candidates: Sequence[str]) -> str:
    """The one that has most of the folders in common, then the fewest of its own."""
    parts = Path(file).parts

    def distance(other: str) -> tuple[int, int, str]:
        theirs = Path(other).parts
        common = 0
        for one, two in zip(parts, theirs, strict=False):
            if one != two:
                break
            common += 1
        return -common, len(theirs), other

    return min(candidates, key=distance)


class Index:
    """files: of the tree; modules, submodules, procedures: name -> files that may have it, those
    besides the tree (`others`) among them; unreadable: file -> why; wanted: names of files that
    are included; extending: files with types that extend others."""

    def __init__(self, files: Sequence[Path], others: Sequence[Path] = ()) -> None:
        self.files = [str(file) for file in files]
        known = {file.resolve() for file in files}
        more = dict.fromkeys(str(one) for one in others if one.resolve() not in known)
        self.modules: dict[str, list[str]] = {}
        self.submodules: dict[str, list[str]] = {}
        self.procedures: dict[str, list[str]] = {}
        self.block_data: list[str] = []
        self.extending: list[str] = []
        self.unreadable: dict[str, str] = {}
        #: Folders of included files that nobody named.
        self.discovered: frozenset[str] = frozenset()
        self.wanted: set[str] = set()
        self._includes: list[tuple[str, str]] = []
        for file in (*self.files, *more):
            try:
                text = text_of(Path(file))
            except OSError as error:
                self.unreadable[file] = error.strerror or str(error)
                continue
            if "\0" in text[:4096]:
                self.unreadable[file] = "it is no text"
                continue
            for kind, pattern in (("modules", MODULE), ("procedures", _PROCEDURE)):
                names: dict[str, list[str]] = getattr(self, kind)
                for match in pattern.finditer(text):
                    held = names.setdefault(match[1].lower(), [])
                    if file not in held:
                        held.append(file)
            for match in SUBMODULE.finditer(text):
                held = self.submodules.setdefault(f"{match[1]}:{match[2]}".lower(), [])
                if file not in held:
                    held.append(file)
            if _BLOCK_DATA.search(text):
                self.block_data.append(file)
            if _EXTENDS.search(text):
                self.extending.append(file)
            includes = included(text)
            self.wanted.update(Path(name).name for name in includes)
            self._includes += [(file, name) for name in includes]

    @property
    def twice(self) -> dict[str, list[str]]:
        """Modules of one name in several files."""
        return {name: files for name, files in self.modules.items() if len(files) > 1}

    def included(self) -> set[str]:
        """Files of the tree that another one of them names in an include line."""
        by_name: dict[str, list[str]] = {}
        for file in self.files:
            by_name.setdefault(Path(file).name, []).append(file)
        own, found = set(self.files), set()
        for file, name in self._includes:
            if file not in own:
                continue
            # As it is read: beside the file that names it, else in a folder of the tree.
            beside = [one for one in by_name.get(Path(name).name, ())
                      if Path(one).resolve() == (Path(file).parent / name).resolve()]  # fmt: skip
            parts = tuple(part for part in Path(name).parts if part != "..")
            tail = beside or [
                one for one in by_name.get(Path(name).name, ())
                if Path(one).parts[-len(parts) :] == parts
            ]  # fmt: skip
            if tail and (one := nearest(file, tail)) != file:
                found.add(one)
        return found

    def folders(self, roots: Iterable[str | Path], named: Container[str] = ()) -> list[str]:
        """Those of the tree that hold what is included by name, but for the named ones."""
        found: dict[str, None] = {}
        for root in map(Path, roots):
            if not root.is_dir():
                continue
            for folder, folders, names in os.walk(root):
                folders[:] = sorted(name for name in folders if not HIDDEN.match(name))
                if folder not in named and not self.wanted.isdisjoint(names):
                    found[folder] = None
        self.discovered = frozenset(found)
        return list(found)


class Tree:
    """Reads files of an index, each once. Programs are what the files of one folder see: where a
    name stands in several files, the one that is nearest."""

    def __init__(
        self, index: Index, folders: Sequence[str | Path] = (), defines: Sequence[str] = (),
        width: int = 72, fixed: bool | None = None, clock: Clock | None = None,
    ) -> None:  # fmt: skip
        self.index = index
        self.folders, self.defines = [str(folder) for folder in folders], tuple(defines)
        self.width, self.fixed, self.clock = width, fixed, clock or Clock()
        #: Whose units these are copies of.
        self.original: Tree | None = None
        self._units: dict[str, list[Unit]] = {}
        self._failed: dict[str, Exception] = {}
        self._programs: dict[tuple[str, ...], Near] = {}
        self._several = sorted(
            {
                tuple(files)
                for names in (index.modules, index.submodules, index.procedures)
                for files in names.values()
                if len(files) > 1
            }
        )

    def units(self, file: str) -> list[Unit]:
        if file in self._failed:
            raise self._failed[file]
        if file not in self._units and self.original is not None:
            self._units[file] = [anew(unit) for unit in self.original.units(file)]
        if file not in self._units:
            folder, found = Path(file).parent, self.index.discovered
            near = [one for one in self.folders if one not in found]  # as a compiler takes them
            near += sorted(
                (one for one in self.folders if one in found),
                key=lambda one: nearest_rank(folder, one),
            )
            try:
                with self.clock.stopped():
                    self._units[file] = parse(
                        file, fixed=self.fixed, width=self.width, folders=near,
                        defines=self.defines, functions=OF_VALUES,
                    )  # fmt: skip
            except Exception as error:
                self._failed[file] = error
                raise
            for unit in self._units[file]:
                if unit.kind == "submodule":
                    complete(self.program(file), unit)
        return self._units[file]

    def program(self, file: str) -> Near:
        """What a procedure of a file sees."""
        key = tuple(nearest(file, files) for files in self._several)
        if key not in self._programs:
            self._programs[key] = Near(self, file)
        return self._programs[key]

    @cached_property
    def firsts(self) -> dict[str, tuple[str, tuple[int | None, ...]]]:
        """Components whose arrays may begin at another subscript than 1."""
        return elsewhere(self.readable())

    @cached_property
    def silent(self) -> Tree:
        """Of the same files, with statements of their own: ends of the run are a status there."""
        made = Tree(self.index, self.folders, self.defines, self.width, self.fixed, self.clock)
        made.original = self
        with self.clock.stopped():
            sources = list(made.readable())
            stops_as_status(sources)
        return made

    @cached_property
    def output(self) -> Output:
        """What all files write."""
        with self.clock.stopped():
            return Output(list(self.readable()))

    def readable(self) -> Iterator[tuple[Program, list[Unit]]]:
        for file in self.index.files:
            try:
                yield self.program(file), self.units(file)
            except Exception:  # a line of the report, where the file is looked at
                continue


def nearest_rank(folder: Path, other: str) -> tuple[int, str]:
    common = os.path.commonpath([folder.absolute(), Path(other).absolute()])
    return -len(Path(common).parts), other


class Near(Program):
    """A program whose files are read when a name of theirs is asked for."""

    def __init__(self, tree: Tree, file: str) -> None:
        super().__init__(())
        self.tree = tree
        self.modules = Names(tree, file, tree.index.modules, ("module",))  # type: ignore[assignment]
        self.submodules = Names(  # type: ignore[assignment]
            tree, file, tree.index.submodules, ("submodule",)
        )
        self.procedures = Names(  # type: ignore[assignment]
            tree, file, tree.index.procedures, ("subroutine", "function")
        )
        self.units = Units(tree)  # type: ignore[assignment]

    @cached_property
    def _extending(self) -> tuple[Derived, ...]:
        found: list[Derived] = []
        for file in self.tree.index.extending:
            try:
                units = self.tree.units(file)
            except (Refused, OSError):
                continue
            for unit in every(units):
                types = unit.types.values()
                found += [self.derived(one, self.scope(unit)) for one in types]
        return tuple(found)

    def _keys(self) -> Iterable[str]:
        return self.tree.index.submodules

    def derived_types(self) -> tuple[Derived, ...]:
        """Those that may extend another one, in all files."""
        return self._extending

    def sources(self) -> Iterator[Unit]:
        """Of all files."""
        return (one for _, units in self.tree.readable() for one in every(units))

    def begins_elsewhere(self) -> dict[str, tuple[str, tuple[int | None, ...]]]:
        """What all files say."""
        return self.tree.firsts


class Units(Sequence[Unit]):
    """What values of COMMON are looked for in: units of files with BLOCK DATA."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def _all(self) -> list[Unit]:
        found = []
        for file in self.tree.index.block_data:
            try:
                found += self.tree.units(file)
            except (Refused, OSError):
                continue
        return found

    def __len__(self) -> int:
        return len(self._all())

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        return self._all()[at]


class Names(Mapping[str, Unit]):
    """Name -> unit of some kinds that stands on its own in a file."""

    def __init__(
        self, tree: Tree, file: str, where: Mapping[str, list[str]], kinds: tuple[str, ...]
    ) -> None:
        self.tree, self.file, self.where, self.kinds = tree, file, where, kinds
        self._known: dict[str, Unit | None] = {}

    def _find(self, name: str) -> Unit | None:
        if name not in self._known:
            self._known[name] = None  # of a file that asks for itself
            candidates = list(self.where.get(name, ()))
            while candidates and self._known[name] is None:
                file = nearest(self.file, candidates)
                candidates.remove(file)
                try:
                    units = self.tree.units(file)
                except (Refused, OSError):
                    continue
                for unit in units:
                    own = submodule_key(unit) if unit.kind == "submodule" else unit.name
                    if own == name and unit.kind in self.kinds:
                        self._known[name] = unit
                        break
        return self._known[name]

    def __getitem__(self, name: str) -> Unit:
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.where if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def procedures(units: Sequence[Unit]) -> list[Unit]:
    """Subroutines and functions, those inside others as well."""
    return [unit for unit in every(units) if unit.kind in ("subroutine", "function")]
