"""Storage that variables share. EQUIVALENCE: two names for one memory; a unit that uses no name of
a group is as it would be without the group, and one that uses a name is refused. COMMON: one name
in two units may be two places in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bridge_port.program.symbols import Symbol, Units
from bridge_port.program.unknownnames import mentioned_names
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Expression, ImpliedDo, Name
from bridge_port.syntax.statements import Call, Unread, walk
from bridge_port.syntax.units import Unit

#: Units whose variables procedures inside see under their names.
_AROUND = ("subroutine", "function", "program")


def check(unit: Unit) -> None:
    """Of a unit that is translated."""
    if (used := used_name(unit)) is not None:
        place, name = used
        raise Refused(
            place, f"equivalence of {name}", "two names for one memory",
            "declare variables of their own",
        )  # fmt: skip
    refuse_valued(unit)


def used_name(unit: Unit) -> tuple[Place, str] | None:
    """The first name of a group, of the unit or of a procedure around it, that stands anywhere in
    the unit: in its statements, in shapes and values of declarations, in procedures inside."""
    own = {one.name for one in unit.declarations} - set(unit.captured.values())
    groups = [(place, set(group)) for place, group in _groups(unit)]
    around = unit.parent
    while around is not None and around.kind in _AROUND:
        groups += [(place, set(group) - own) for place, group in _groups(around)]
        around = around.parent
    names = set(names_in(unit)) if groups else set()
    for place, group in groups:
        if found := sorted(group & names):
            return place, found[0]
    return None


def refuse_valued(unit: Unit) -> None:
    """No name that shares memory with COMMON has an initial value: the group may reach over
    several variables of the block, which then have values that nothing says of them."""
    members = {member.name for member in unit.commons}
    valued = {one.name for one in unit.declarations if one.value is not None}
    valued |= {base for data in unit.data for e in data.targets for base in _bases(e)}
    groups = [(place, set(group)) for place, group in _groups(unit)]
    for place, group in groups:
        joined, before = set(group), set[str]()
        while joined != before:  # groups with a name in common are one
            before = set(joined)
            joined = before.union(*(other for _, other in groups if other & before))
        if joined & members and (found := sorted(joined & valued)):
            raise Refused(
                place, f"equivalence of {found[0]}",
                "it shares memory with COMMON and has an initial value",
                "give the variables of the block their values",
            )  # fmt: skip


def in_group(unit: Unit, name: str) -> bool:
    return any(name in group for _, group in _groups(unit))


def names_in(unit: Unit) -> Iterator[str]:
    """All that stand in a unit, but for those of its groups, its DATA and its COMMON."""
    yield from mentioned_names(unit)
    for one in walk(unit.body):
        if isinstance(one, Call) and isinstance(one.procedure, Name):
            yield one.procedure.id
        if isinstance(one, Unread):
            yield from re.findall(r"[a-z]\w*", " ".join((one.text, *one.inside)).lower())
    for declared in unit.declarations:
        for e in declared.expressions():
            yield from e.names
    for function in unit.statement_functions.values():
        yield from function.value.names
    for inner in unit.units:
        yield from names_in(inner)


def _groups(unit: Unit) -> Iterator[tuple[Place, list[str]]]:
    for members, place in unit.equivalences:
        yield place, [name for e in members for name in _bases(e)]


def _bases(e: Expression) -> Iterator[str]:
    """The variable that a member of a group or a target of DATA is a part of."""
    if isinstance(e, ImpliedDo):
        for item in e.items:
            yield from _bases(item)
    elif e.root:
        yield e.root


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
