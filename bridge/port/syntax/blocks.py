"""Blocks among specifications: derived types, interfaces, enumerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridge.port.source.lines import Line
from bridge.port.syntax.statements import Unread
from bridge.port.syntax.tokens import is_name, tokens
from bridge.port.syntax.typeparser import TYPE_WORDS
from bridge.port.syntax.units import DerivedType, Unit
from bridge.port.syntax.unitstatement import unit_statement

if TYPE_CHECKING:
    from bridge.port.syntax.specification import Specification


def derived_type(
    specification: Specification, line: Line, found: list[str], lines: Sequence[Line], at: int
) -> int:
    """A type definition from its first line on; returns the index of the line behind it."""
    unit = specification.unit
    name = found[-2]
    made = DerivedType(name, line.place)
    if "::" in found:
        marks = found[1 : found.index("::")]
        if "extends" in marks or "abstract" in marks:
            made.unread.append(Unread(line.place, text=line.text, construct="type extension"))
        if "private" in marks:
            unit.private.add(name)
        if "public" in marks:
            unit.public.add(name)
    if found[-2] == ")":
        name = found[found.index("::") + 1] if "::" in found else found[1]
        made.name = name
        made.unread.append(Unread(line.place, text=line.text, construct="type with parameters"))
    unit.types[name] = made
    inner = type(specification)(Unit("type", name, line.place))
    while at < len(lines):
        line = lines[at]
        found = tokens(line.text)
        at += 1
        if found[0] == "endtype" or (found[0] == "end" and found[1] == "type"):
            break
        if found[0] == "end" and found[1] != "=":
            made.unread.append(Unread(line.place, text=line.text, construct="type without end"))
            break
        if found[0] in ("sequence", "private", "") and not found[1]:
            continue
        if found[0] in TYPE_WORDS:
            inner.statement(line, found, lines, at)
        else:
            made.unread.append(Unread(line.place, text=line.text, construct=found[0]))
    made.components = inner.unit.declarations
    made.unread.extend(inner.unit.unread)
    return at


def interface_block(
    specification: Specification, line: Line, found: list[str], lines: Sequence[Line], at: int
) -> int:
    """Of an interface block the names are kept."""
    unit = specification.unit
    word = "interface" if found[0] == "abstract" else found[0]
    generic = "".join(found[1:-1]) if found[0] == "interface" else ""
    specifics: list[str] = []
    inside: list[str] = []
    depth = 0  # Of procedures that the block declares.
    while at < len(lines):
        inner = lines[at]
        found = tokens(inner.text)
        inside.append(inner.text)
        at += 1
        if found[0] == "end" + word or (found[0] == "end" and found[1] == word):
            break
        declared = None if depth else unit_statement(found, inner.place)
        if declared is not None and declared.kind in ("subroutine", "function"):
            depth += 1
            specifics.append(declared.name)
            unit.interfaces.setdefault(declared.name, ())
        elif depth and (
            (found[0] == "end" and (not found[1] or found[1] in ("subroutine", "function")))
            or found[0] in ("endsubroutine", "endfunction")
        ):
            depth -= 1
        elif "procedure" in found[:2]:
            begin = found.index("procedure") + 1
            specifics.extend(token for token in found[begin:-1] if is_name(token))
    else:
        specification.unread(line, f"{word} without end")
    if generic and word == "interface":
        before = unit.interfaces.get(generic, ())
        unit.interfaces[generic] = (*before, *specifics)
    elif word != "interface":
        specification.unread(line, word)
        unit.unread[-1].inside = tuple(inside)
    return at
