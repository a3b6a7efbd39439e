"""Components whose arrays may begin at another subscript than 1: what the source says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bridge_port.program.symbols import Scope
from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Component, Name
from bridge_port.syntax.tokens import is_name, tokens
from bridge_port.syntax.units import Unit, every

Firsts = tuple[int | None, ...]


def elsewhere(
    sources: Iterable[tuple[Any, Sequence[Unit]]],
) -> dict[str, tuple[str, Firsts]]:
    """Of pointers and allocatables: name of a component, of whatever type -> where a statement
    says so, and the first subscripts where all statements agree; None of one that is not known.
    sources: programs, and units of them."""
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

    for scope, unit in ((p.scope(unit), unit) for p, units in sources for unit in every(units)):
        for one in s.walk(unit.body):
            if isinstance(one, s.PointerAssignment):
                target = one.target.whole
                if isinstance(target, Component):
                    remapped = isinstance(one.target, Apply)
                    firsts = (None,) if remapped else _firsts(scope, unit, one.value)
                    if firsts:
                        say(target.name, firsts, one.place)
            elif isinstance(one, s.Unread):
                for text in (one.text, *one.inside):
                    for component, name, firsts in _allocated(text.lower()):
                        if component:
                            say(name, firsts, one.place)
    return {name: one for name, one in found.items() if set(one[1]) != {1}}


def _firsts(scope: Scope, unit: Unit, value: Any) -> Firsts:
    """Of what a pointer is set to; () of nothing, and of another component. A section and a
    function begin at 1, and say nothing of how many dimensions there are. Nor are those known of
    a name whose declaration is not understood: that statement alone is refused, not all others."""
    try:
        symbol = scope.find(value.id) if isinstance(value, Name) else None
        if symbol is None or symbol.dimensions is None:
            return ()
        known: Firsts = tuple(low for low, _ in symbol.scope.bounds(symbol))
    except Refused:
        return (None,)
    if None not in known or symbol.scope is not scope:
        return known
    found = {
        firsts
        for one in s.walk(unit.body)
        if isinstance(one, s.Unread)
        for component, name, firsts in _allocated(one.text.lower())
        if not component and name == symbol.name
    }
    return found.pop() if len(found) == 1 else known


def _allocated(text: str) -> Iterator[tuple[bool, str, Firsts]]:
    """What an allocate statement gives a shape: whether it is a component, its name."""
    found = tokens(text) if "allocate" in text else []
    begins = found.index("allocate") + 2 if "allocate" in found else len(found)
    for at, name in enumerate(found[:-1]):
        if at < begins or found[at + 1] != "(" or not is_name(name):
            continue
        depth, begin = 0, at + 2
        firsts: list[int | None] = []
        for n in range(at + 1, len(found)):
            depth += (found[n] == "(") - (found[n] == ")")
            if depth == 0 or (depth == 1 and found[n] == ","):
                part, begin = found[begin:n], n + 1
                first = "".join(part[: part.index(":")]) if ":" in part else "1"
                firsts.append(int(first) if first.lstrip("-").isdigit() else None)
            if depth == 0:
                break
        if found[n + 1 : n + 2] != ["%"]:  # an element on the way to a component
            yield found[at - 1] == "%", name, tuple(firsts)
