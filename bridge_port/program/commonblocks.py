"""COMMON blocks as units declare them: one name in two units may be two places in memory."""

from __future__ import annotations

from collections.abc import Iterable

from bridge_port.program.symbols import Symbol, Units
from bridge_port.syntax.units import Unit

#: Of each member its place, name, type, kind and extents.
Form = tuple[tuple[object, ...], ...]


def form(program: Units, unit: Unit, block: str) -> Form:
    """() of a unit that does not declare the block."""
    scope = program.scope(unit)
    found = []
    for member in unit.commons:
        if member.block == block:
            one = scope.symbol(member.name)
            extents = scope.extents(one) if one.dimensions is not None else ()
            found.append((member.place_in_block, one.name, one.type, one.kind, extents))
    return tuple(sorted(found))


def other_form(program: Units, symbol: Symbol, units: Iterable[Unit]) -> Unit | None:
    """A unit that declares the block of a variable otherwise, up to this variable."""
    if symbol.scope is None:
        return None
    most = symbol.place_in_block + 1
    own = form(program, symbol.scope.unit, symbol.owner)[:most]
    for unit in units:
        other = form(program, unit, symbol.owner)[:most]
        if other != own[: len(other)]:
            return unit
    return None


__all__ = ["Form", "form", "other_form"]
