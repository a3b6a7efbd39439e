"""Arguments of a kernel that are variables of modules and COMMON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge_port.kernel import Quantity
from bridge_port.program.symbols import Symbol
from bridge_port.translate import parts
from bridge_port.translate.body import POINTED, Body
from bridge_port.translate.outside import owner
from bridge_port.translate.wrapper import OF_HOST, Argument


def pointed(b: Body, dummies: Mapping[str, Symbol], held: Sequence[Symbol]) -> None:
    """What a pointer of a module points to is read once for all points: no target is changed."""
    pointers = [one.name for one in held if POINTED in one.attributes]
    written = [d for d, one in dummies.items() if b.port.intents.writes(b.unit, d)
               and "target" in one.attributes]  # fmt: skip
    written += [one.name for one in held
                if "target" in one.attributes and b.port.outside.role(one)]  # fmt: skip
    if pointers and written:
        b.refuse(f"pointer {pointers[0]}", f"{written[0]} is a target and is written: they may be "
                 "one memory", "make it an array")  # fmt: skip


def of_host(b: Body, others: Sequence[Argument]) -> list[Argument]:
    """Variables of modules and COMMON that each point has for itself."""
    taken = {a.quantity.name for a in others} | {b.port.prefix.of(b.unit.name)}
    found = []
    for held in b.port.held.values():
        symbol = held.symbol
        if symbol is None or not held.role:
            continue
        stem = symbol.name.replace("%", "_")
        name = b.port.prefix.of(stem)
        if name in taken:
            name = b.port.prefix.of(f"{symbol.owner or 'common'}_{stem}")
        taken.add(name)
        shape = tuple(parts.number_of(dim.extent) for dim in held.dims)
        quantity = Quantity(
            name, symbol.name, symbol.type, symbol.kind, shape,
            about=f"{symbol.name} of {owner(symbol)}", owner=symbol.owner, storage=symbol.storage,
        )  # fmt: skip
        found.append(Argument(
            f"{symbol.owner or 'common'}_{stem}" if name != b.port.prefix.of(stem) else stem,
            symbol.type, symbol.kind, held.dims, held.role, quantity, None, OF_HOST, held.member,
        ))  # fmt: skip
    return found
