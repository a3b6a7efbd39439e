"""Blocks among specifications: interfaces, enumerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridge_port.source.lines import Line
from bridge_port.syntax.tokens import is_name, tokens
from bridge_port.syntax.unitstatement import unit_statement

if TYPE_CHECKING:
    from bridge_port.syntax.specification import Specification


def interface_block(
    specification: Specification, line: Line, found: list[str], lines: Sequence[Line], at: int
) -> int:
    """Of an interface block the names are kept, and the lines of what it declares."""
    unit = specification.unit
    word = "interface" if found[0] == "abstract" else found[0]
    generic = "".join(found[1:-1]) if found[0] == "interface" else ""
    specifics: list[str] = []
    inside: list[str] = []
    depth = begin = 0  # Of procedures that the block declares.
    while at < len(lines):
        inner = lines[at]
        found = tokens(inner.text)
        inside.append(inner.text)
        at += 1
        if found[0] == "end" + word or (found[0] == "end" and found[1] == word):
            break
        declared = None if depth else unit_statement(found, inner.place)
        if declared is not None and declared.kind in ("subroutine", "function"):
            depth, begin = depth + 1, at - 1
            specifics.append(declared.name)
            unit.interfaces.setdefault(declared.name, ())
        elif depth and (
            (found[0] == "end" and (not found[1] or found[1] in ("subroutine", "function")))
            or found[0] in ("endsubroutine", "endfunction")
        ):
            depth -= 1
            if word == "interface":
                unit.bodies.setdefault(specifics[-1], tuple(lines[begin:at]))
        elif "procedure" in found[:2]:
            first = found.index("procedure") + 1
            specifics.extend(token for token in found[first:-1] if is_name(token))
    else:
        specification.unread(line, f"{word} without end")
    if generic and word == "interface":
        before = unit.interfaces.get(generic, ())
        unit.interfaces[generic] = (*before, *specifics)
    elif word != "interface":
        specification.unread(line, word)
        unit.unread[-1].inside = tuple(inside)
    return at
