"""Modules and procedures that a program uses, found in folders of sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from bridge.port.program.program import Program
from bridge.port.syntax.expressions import Apply, Name
from bridge.port.syntax.statements import Call, walk
from bridge.port.syntax.units import Unit, every

_SUFFIXES = (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08")


def load(
    program: Program, folders: Sequence[str], files: Sequence[str],
    read: Callable[[Path], list[Unit]],
) -> None:  # fmt: skip
    """Modules and procedures of the folders, where the program lacks them; found by a search for
    their statements, so that a folder may hold what is not read. files: that were read; read: the
    units of another one."""
    index = _index(folders, {Path(file).resolve() for file in files})
    taken: set[Path] = set()
    asked: set[str] = set()
    while True:
        wanted = _wanted(program) - asked
        asked |= wanted
        if not wanted:
            return
        for name in sorted(wanted):
            file = index.get(name)
            if file is None or file in taken:
                continue
            taken.add(file)
            program.add(read(file), str(file))


def _wanted(program: Program) -> set[str]:
    """Modules and names that may be procedures, which no file has."""
    names: set[str] = set()
    for unit in every(program.units):
        names |= {use.module for use in unit.uses} - program.modules.keys()
        if unit.kind == "submodule" and program.host(unit) is None:
            names.add(unit.host)
        calls: set[str] = set()
        for s in walk(unit.body):
            if isinstance(s, Call):
                if isinstance(s.procedure, Name):
                    calls.add(s.procedure.id)
            for e in s.expressions():
                for part in e.walk():
                    if isinstance(part, Apply) and isinstance(part.base, Name):
                        calls.add(part.base.id)
        names |= calls - program.procedures.keys()
    return names


_UNIT = re.compile(
    r"^[ \t]*(?:[a-z][\w \t*()=]*?[ \t])?(module|subroutine|function)[ \t]+([a-z]\w*)",
    re.IGNORECASE | re.MULTILINE,
)


#: submodule (module:submodule) name.
SUBMODULE = re.compile(
    r"^[ \t]*submodule[ \t]*\([ \t]*(\w+)[ \t]*(?::[ \t]*\w+[ \t]*)?\)[ \t]*(\w+)",
    re.IGNORECASE | re.MULTILINE,
)

_INTERFACE = re.compile(
    r"^[ \t]*(?:abstract[ \t]+)?interface\b.*?^[ \t]*end[ \t]*interface\b",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def _index(folders: Sequence[str], known: set[Path]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in folders:
        for file in sorted(Path(folder).iterdir()):
            if file.suffix.lower() not in _SUFFIXES or file.resolve() in known:
                continue
            text = _INTERFACE.sub("", file.read_text(errors="replace"))
            for match in _UNIT.finditer(text):
                found.setdefault(match[2].lower(), file)
            for match in SUBMODULE.finditer(text):
                found.setdefault(f"{match[1]}:{match[2]}".lower(), file)
    return found
