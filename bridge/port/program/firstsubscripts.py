"""Components whose arrays may begin at another subscript than 1: what the source says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bridge.port.syntax import statements as s
from bridge.port.syntax.expressions import Apply, Component, Name
from bridge.port.syntax.tokens import tokens
from bridge.port.syntax.units import Unit, every


def elsewhere(program: Any) -> dict[str, str]:
    """Of pointers and allocatables: name of a component, of whatever type -> where and how."""
    found: dict[str, str] = {}
    for unit in every(program.units):
        for one in s.walk(unit.body):
            where = f"{one.place.file}:{one.place.line}"
            if isinstance(one, s.PointerAssignment):
                target = one.target.base if isinstance(one.target, Apply) else one.target
                if isinstance(target, Component) and (
                    isinstance(one.target, Apply) or _other(program, unit, one.value)
                ):
                    found.setdefault(target.name, f"{where} may set it to another one than 1")
            elif isinstance(one, s.Unread):
                for text in (one.text, *one.inside):
                    for name in _allocated(text.lower()) if "allocate" in text.lower() else ():
                        found.setdefault(name, f"{where} allocates it with another one than 1")
    return found


def _other(program: Any, unit: Unit, value: Any) -> bool:
    """Of what a pointer is set to: a section and a function begin at 1."""
    symbol = program.scope(unit).find(value.id) if isinstance(value, Name) else None
    if symbol is None or symbol.dimensions is None:
        return False
    return any(low != 1 for low, _ in symbol.scope.bounds(symbol))


def _allocated(text: str) -> Iterator[str]:
    """Components that an allocate statement gives a first subscript that is not 1."""
    found = tokens(text)
    for at, one in enumerate(found[:-2]):
        if one != "%" or found[at + 2] != "(":
            continue
        depth, begin = 0, at + 3
        for n in range(at + 2, len(found)):
            depth += (found[n] == "(") - (found[n] == ")")
            if depth == 0 or (depth == 1 and found[n] == ","):
                part, begin = found[begin:n], n + 1
                if ":" in part and part[: part.index(":")] != ["1"]:
                    yield found[at + 1]
            if depth == 0:
                break
