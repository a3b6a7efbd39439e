"""Arguments of a nest's unit that are procedures. The nest calls none of them, so that in a check
they are external ones without an interface, which get a pointer to nothing."""

from __future__ import annotations

import re
from typing import Any

from bridge_port.refusal import Refused
from bridge_port.syntax.units import Unit

_INTERFACE = re.compile(r"(?i)[ \t]*interface[ \t]*(!.*)?$")
_END = re.compile(r"(?i)[ \t]*end[ \t]*interface\b")
_DECLARED = re.compile(r"(?i)[ \t]*(?:[^!'\"]*[ \t)])?(?:subroutine|function)[ \t]+(\w+)")
_PROCEDURE = re.compile(r"(?i)[ \t]*procedure[ \t]*\(")


def procedures(unit: Unit) -> list[str]:
    """Arguments that are declared to be procedures."""
    return [d for d in unit.arguments if d in unit.external or d in unit.interfaces]


def without_interfaces(unit: Unit, lines: list[str], end: int) -> None:
    """The lines of the unit up to an index: its interface blocks of arguments, and its procedure
    statements, become external statements."""
    given = set(procedures(unit))
    for d in unit.declarations:
        at = d.place.line - 1
        if d.name in given and d.place.file == unit.place.file and _PROCEDURE.match(lines[at]):
            same = [o for o in unit.declarations if o.place == d.place]
            _blank(lines, at, max(d.place.last, d.place.line))
            optional = [o.name for o in same if "optional" in o.attributes]
            lines[at] = _external([o.name for o in same], optional)
    at = unit.place.line
    while at < end:
        stop = at + 1
        if _INTERFACE.match(lines[at]):
            while stop < end and not _END.match(lines[stop - 1]):
                stop += 1
            found = [m[1].lower() for t in lines[at:stop] if (m := _DECLARED.match(t))]
            names = [n for n in dict.fromkeys(found) if n in given]
            if names:
                _blank(lines, at, stop)
                lines[at] = _external(names, [])
        at = stop


def _blank(lines: list[str], first: int, last: int) -> None:
    for n in range(first, last):
        if not lines[n].startswith("#"):
            lines[n] = ""


def _external(names: list[str], optional: list[str]) -> str:
    text = f"      external {', '.join(names)}"
    return text + (f"; optional {', '.join(optional)}" if optional else "")


def declaration(scope: Any, unit: Unit, name: str) -> str:
    """Of what is passed."""
    types = [d.type for d in unit.declarations if d.name == name and d.type is not None]
    word = ""
    if types:
        symbol = scope.symbol(name)
        if symbol.type in ("character", "type"):
            raise Refused(
                symbol.place, f"argument {name}",
                f"the check cannot give a function of type {symbol.type}",
                "move the nest to a procedure of its own",
            )  # fmt: skip
        word = f"{symbol.type}({symbol.kind})"
    return f"procedure({word}), pointer :: {name} => null()"
