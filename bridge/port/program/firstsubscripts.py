"""Components whose arrays may begin at another subscript than 1: what the source says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bridge.port.syntax import statements as s
from bridge.port.syntax.expressions import Apply, Component, Name
from bridge.port.syntax.tokens import tokens
from bridge.port.syntax.units import every

Firsts = tuple[int | None, ...]


def elsewhere(program: Any) -> dict[str, tuple[str, Firsts]]:
    """Of pointers and allocatables: name of a component, of whatever type -> where a statement
    says so, and the first subscripts where all statements agree; None of one that is not known."""
    found: dict[str, tuple[str, Firsts]] = {}

    def say(name: str, firsts: Firsts, place: Any) -> None:
        where = f"{place.file}:{place.line} sets it"
        if name in found:
            known = found[name]
            if len(known[1]) != len(firsts):
                firsts = (None,)
            else:
                pairs = zip(known[1], firsts, strict=True)
                firsts = tuple(a if a == b else None for a, b in pairs)
            where = known[0] if None in known[1] else where
        found[name] = where, firsts

    for unit in every(program.units):
        scope = program.scope(unit)
        for one in s.walk(unit.body):
            if isinstance(one, s.PointerAssignment):
                target = one.target.base if isinstance(one.target, Apply) else one.target
                if isinstance(target, Component):
                    remapped = isinstance(one.target, Apply)
                    firsts = (None,) if remapped else _firsts(scope, one.value)
                    if firsts:
                        say(target.name, firsts, one.place)
            elif isinstance(one, s.Unread):
                for text in (one.text, *one.inside):
                    for name, firsts in _allocated(text.lower()) if "allocate" in text else ():
                        say(name, firsts, one.place)
    return {name: one for name, one in found.items() if set(one[1]) != {1}}


def _firsts(scope: Any, value: Any) -> Firsts:
    """Of what a pointer is set to; () of nothing, and of another component. A section and a
    function begin at 1, and say nothing of how many dimensions there are."""
    symbol = scope.find(value.id) if isinstance(value, Name) else None
    if symbol is None or symbol.dimensions is None:
        return ()
    return tuple(low for low, _ in symbol.scope.bounds(symbol))


def _allocated(text: str) -> Iterator[tuple[str, Firsts]]:
    """Components that an allocate statement gives a shape."""
    found = tokens(text)
    for at, one in enumerate(found[:-2]):
        if one != "%" or found[at + 2] != "(":
            continue
        depth, begin = 0, at + 3
        firsts: list[int | None] = []
        for n in range(at + 2, len(found)):
            depth += (found[n] == "(") - (found[n] == ")")
            if depth == 0 or (depth == 1 and found[n] == ","):
                part, begin = found[begin:n], n + 1
                first = "".join(part[: part.index(":")]) if ":" in part else "1"
                firsts.append(int(first) if first.lstrip("-").isdigit() else None)
            if depth == 0:
                break
        if found[n + 1 : n + 2] != ["%"]:  # an element on the way to a component
            yield found[at + 1], tuple(firsts)
