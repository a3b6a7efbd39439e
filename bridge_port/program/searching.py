"""Modules and procedures that a program uses, found in folders of sources."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bridge_port.program import languagemodules
from bridge_port.program.program import Program
from bridge_port.source.folders import Folders, nearest_of
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.statements import Call, walk
from bridge_port.syntax.units import Unit, every

_SUFFIXES = (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08")


def load(
    program: Program, folders: Folders, files: Sequence[str],
    read: Callable[[Path], list[Unit]],
) -> None:  # fmt: skip
    """Modules and procedures of the folders, where the program lacks them; found by a search for
    their statements, so that a folder may hold what is not read; folders inside where
    these have it not, and of modules what lies beside the last file. files: that were read;
    read: the units of another one."""
    known = {Path(file).resolve() for file in files}
    index = _index(((0, one) for folder in folders for one in sorted(folder.iterdir())), known)
    below: dict[str, list[tuple[int, Path]]] | None = None
    beside: dict[str, list[Path]] | None = None
    taken: set[Path] = set()
    asked: set[str] = set()
    while True:
        wanted = _wanted(program) - asked
        asked |= wanted
        if not wanted:
            return
        for name in sorted(wanted):
            file = index[name][0][1] if name in index else None
            if file is None:
                if below is None:  # read where the folders themselves do not have all
                    below = _index(folders.below, known)
                near = below.get(name, ())
                file = nearest_of(near)
                if file is None and near:
                    program.several[name] = [str(one) for _, one in near]
            if file is None and name not in program.several and name in _modules(program):
                if beside is None:
                    beside = _modules_beside(Path(files[-1]), known)
                found = beside.get(name, [])
                file = found[0] if len(found) == 1 else None
                program.several[name] = [str(one) for one in found]
            if file is None or file in taken:
                continue
            taken.add(file)
            program.add(read(file), str(file))


def _wanted(program: Program) -> set[str]:
    """Modules and names that may be procedures, which no file has."""
    names = _modules(program)
    for unit in every(program.units):
        if unit.kind == "submodule" and program.host(unit) is None:
            names.add(unit.host)
        names |= _called(unit) - program.procedures.keys()
    return names


def _modules(program: Program) -> set[str]:
    """Those that no file has, but for those of compilers."""
    names = {use.module for unit in every(program.units) for use in unit.uses}
    hosts = {unit.host for unit in program.units if unit.kind == "submodule"}
    names |= {host for host in hosts if ":" not in host}
    return names - program.modules.keys() - languagemodules.MODULES.keys()


def _called(unit: Unit) -> set[str]:
    """Names that may be those of procedures."""
    calls: set[str] = set()
    for s in walk(unit.body):
        if isinstance(s, Call):
            if isinstance(s.procedure, Name):
                calls.add(s.procedure.id)
        for e in s.expressions():
            calls |= e.applied
    return calls


def narrowed(program: Program, file: str) -> Program:
    """With that file, and those of what it uses and calls alone: what compiles it."""
    owner: dict[tuple[str, str], str] = {}
    below: dict[str, list[str]] = {}
    waiting = [file]
    for one, units in program._files.items():
        for unit in units:
            kind = "module" if unit.kind == "module" else "procedure"
            owner.setdefault((kind, unit.name), one)
            if unit.kind == "submodule":
                below.setdefault(unit.host.partition(":")[0], []).append(one)
            elif unit.kind == "block data":
                waiting.append(one)  # nobody names it
    found: dict[str, None] = {}
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found[one] = None
        for unit in every(program._files[one]):
            names = [("module", use.module) for use in unit.uses]
            names += [("procedure", name) for name in sorted(_called(unit))]
            if unit.kind == "submodule":
                names.append(("module", unit.host.partition(":")[0]))
            waiting += [owner[key] for key in names if key in owner]
            waiting += below.get(unit.name, ()) if unit.kind == "module" else ()
    narrow = copy.copy(program)
    narrow._files = {one: units for one, units in program._files.items() if one in found}
    return narrow


_UNIT = re.compile(
    r"^[ \t]*(?:[a-z][\w \t*()=]*?[ \t])?(module|subroutine|function)[ \t]+([a-z]\w*)",
    re.IGNORECASE | re.MULTILINE,
)


MODULE = re.compile(r"^[ \t]*module[ \t]+(\w+)[ \t]*(?:!.*)?$", re.IGNORECASE | re.MULTILINE)

#: submodule (module:submodule) name.
SUBMODULE = re.compile(
    r"^[ \t]*submodule[ \t]*\([ \t]*(\w+)[ \t]*(?::[ \t]*\w+[ \t]*)?\)[ \t]*(\w+)",
    re.IGNORECASE | re.MULTILINE,
)

_INTERFACE = re.compile(
    r"^[ \t]*(?:abstract[ \t]+)?interface\b.*?^[ \t]*end[ \t]*interface\b",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def _modules_beside(file: Path, known: set[Path]) -> dict[str, list[Path]]:
    """Names of modules in other files of the folder -> the files that have them."""
    found: dict[str, list[Path]] = {}
    for one in sorted(file.parent.iterdir()):
        if one.suffix.lower() not in _SUFFIXES or not one.is_file() or one.resolve() in known:
            continue
        names = [match[1].lower() for match in MODULE.finditer(one.read_text(errors="replace"))]
        for name in dict.fromkeys(names):
            found.setdefault(name, []).append(one)
    return found


def _index(
    files: Iterable[tuple[int, Path]], known: set[Path]
) -> dict[str, list[tuple[int, Path]]]:  # fmt: skip
    """Name of a unit, or module:submodule -> the files that have it, in their order."""
    found: dict[str, list[tuple[int, Path]]] = {}
    for depth, file in files:
        if file.suffix.lower() not in _SUFFIXES or not file.is_file() or file.resolve() in known:
            continue
        text = _INTERFACE.sub("", file.read_text(errors="replace"))
        names = [match[2].lower() for match in _UNIT.finditer(text)]
        names += [f"{match[1]}:{match[2]}".lower() for match in SUBMODULE.finditer(text)]
        for name in dict.fromkeys(names):
            found.setdefault(name, []).append((depth, file))
    return found
