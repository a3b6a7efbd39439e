"""Declarations that a generated module takes from the file that its unit includes.

With the line `include 'grid.inc'` bounds of COMMON blocks and parameters are those with which the
host is compiled, also where they have changed since the port. A file is included where it gives
the module just these: read as free form it says what the unit reads in it, it declares nothing but
parameters and blocks, and none of its names means something else in the module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bridge_port.program.symbols import COMMON, PARAMETER, Symbol
from bridge_port.refusal import Refused
from bridge_port.source.folders import Folders, Included
from bridge_port.source.lines import read
from bridge_port.syntax.parser import parse_lines
from bridge_port.syntax.units import Declaration, Unit
from bridge_port.syntax.unittext import implicit_lines

#: Names of the module's own: what its texts call, and its dummies.
_OWN = re.compile(
    r"(bridge|frame|c|compared|compare|bind|run|unbind|record)_\w+|bridge|worst|share|file|"
    r"abs|all|allocated|any|huge|is_contiguous|lbound|max|maxval|merge|min|nint|present|real|"
    r"reshape|shape|size|spacing|spread|sum|transfer|trim|ubound|int"
)
#: What a file of declarations has none of.
_OTHER = (
    "uses", "equivalences", "data", "statement_functions", "types", "interfaces", "bodies",
    "external", "shaped_as", "entries", "body", "units", "public", "private",
)  # fmt: skip


@dataclass(frozen=True)
class Inclusion:
    """name: of the file, as the source has it; blocks: that it declares; needs: names that have to
    be declared in front of it; implicit: lines that give its names their types."""

    name: str
    blocks: frozenset[str]
    names: frozenset[str]
    needs: tuple[str, ...]
    implicit: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        return [*self.implicit, f"include '{self.name}'"]


class Inclusions:
    """Of the units of a program."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self._known: dict[tuple[int, Included], Inclusion | None] = {}
        #: Lines that need nothing in front of them.
        self.alone: set[str] = set()

    def of(self, symbol: Symbol) -> Inclusion | None:
        """The file that declares a parameter, or the block of a variable; None of others."""
        unit = symbol.scope.unit
        line = self._line(unit, symbol.place.file)
        if line is None:
            return None
        key = id(unit), line
        if key not in self._known:
            self._known[key] = self._inclusion(unit, line)
        found = self._known[key]
        if found is None or (symbol.storage == COMMON and symbol.owner not in found.blocks):
            return None
        return found if symbol.name in found.names else None

    def _line(self, unit: Unit, file: str) -> Included | None:
        """The line of the unit that stands for a file, or for one that includes it."""
        own, seen = unit.place, set()
        folders: Folders = self.program.folders
        waiting = [] if file == own.file else [file]
        while waiting:
            file = waiting.pop()
            seen.add(file)
            for one in folders.included:
                if one.file == file and one.by == own.file and own.line <= one.line <= own.last:
                    return one
                if one.file == file and one.by not in seen:
                    waiting.append(one.by)
        return None

    def _inclusion(self, unit: Unit, line: Included) -> Inclusion | None:
        """None where the file cannot stand in the module."""
        try:
            units = parse_lines(read(line.file, fixed=False, folders=self.program.folders))
        except Refused:
            return None
        if len(units) != 1 or any(getattr(units[0], name) for name in _OTHER):
            return None
        own = units[0]
        if any(one.text for one in own.unread) or own.saves_all or own.hides_all:
            return None
        files = {one.place.file for one in own.declarations}
        files |= {place.file for _, _, place in own.parameters}
        if _said(own.declarations) != _said(d for d in unit.declarations if d.place.file in files):
            return None
        if [(n, e) for n, e, _ in own.parameters] != [
            (n, e) for n, e, place in unit.parameters if place.file in files
        ]:
            return None
        blocks = frozenset(member.block for member in own.commons)
        if [m for m in unit.commons if m.block in blocks] != own.commons:
            return None
        names = frozenset(d.name for d in own.declarations)
        names |= {n for n, _, _ in own.parameters} | {m.name for m in own.commons}
        scope = self.program.scope(unit)
        symbols = [scope.symbol(name, unit.place) for name in sorted(names)]
        if any(one.storage not in (PARAMETER, COMMON) or _OWN.fullmatch(one.name)
               for one in symbols):  # fmt: skip
            return None
        typed = {d.name for d in own.declarations if d.type is not None}
        implicit = own.implicit is None and names != typed
        needs = sorted(_mentioned(own) - names)
        if own.implicit is not None and needs:
            return None  # its IMPLICIT would have to stand in front of these
        if not needs:
            self.alone.add(f"include '{line.name}'")
        return Inclusion(
            line.name, blocks, names, tuple(needs),
            tuple(implicit_lines(_typing(unit))) if implicit else (),
        )  # fmt: skip


def _typing(unit: Unit) -> Unit:
    """The unit whose IMPLICIT holds."""
    while unit.implicit is None and unit.parent is not None:
        unit = unit.parent
    return unit


def _said(declarations: Iterable[Declaration]) -> list[tuple[Any, ...]]:
    return [(d.name, d.type, d.dimensions, d.attributes, d.value, d.place) for d in declarations]


def _mentioned(unit: Unit) -> set[str]:
    """Names in bounds, values, kinds and lengths."""
    found: set[str] = set()
    for d in unit.declarations:
        kinds = () if d.type is None else (d.type.kind, d.type.length)
        bounds = [e for one in d.dimensions or () for e in (one.lower, one.upper)]
        for e in (*kinds, *bounds, d.value):
            found |= getattr(e, "names", frozenset())
    for _, value, _ in unit.parameters:
        found |= value.names
    return found
