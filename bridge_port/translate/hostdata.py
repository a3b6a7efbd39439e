"""Data of the host in a kernel: values and tables that a run gives, and what each point has of
modules, COMMON and SAVE."""

from __future__ import annotations

from dataclasses import replace

from bridge_port.kernel import HostValue
from bridge_port.program.storage import other_form
from bridge_port.program.symbols import COMMON, MODULE, Symbol
from bridge_port.translate import deferred
from bridge_port.translate.body import HOST, LOCAL, Array, Body, Dim, Fixed, Held
from bridge_port.translate.elements import RANK, merged
from bridge_port.translate.outside import IN, INOUT, OUT
from bridge_port.translate.values import Value


def _key(symbol: Symbol) -> tuple[object, ...]:
    if symbol.storage == COMMON:
        return COMMON, symbol.owner, symbol.place_in_block, symbol.name
    return symbol.storage, symbol.owner, id(symbol.scope), symbol.name


def hold(b: Body, symbol: Symbol, dims: tuple[Dim, ...], private: bool) -> Held:
    key = _key(symbol)
    if key not in b.port.held:
        if symbol.type not in ("real", "integer", "logical"):
            b.refuse(f"{symbol.type} {symbol.name}", "it is no number or logical")
        if symbol.type == "integer" and symbol.kind == 8:
            b.refuse(f"integer(8) {symbol.name}", "integers of kernels have 32 bits")
        if symbol.storage == COMMON and "%" not in symbol.name:
            other = other_form(b.port.program, symbol, b.port.outside.units)
            if other is not None:
                b.refuse(
                    f"{symbol.name} of common /{symbol.owner}/",
                    f"the block has another form in {other.name}",
                    "declare it in both as one include file does",
                )
        start = symbol.scope.initial(symbol)
        stem = symbol.name.replace("%", "_")  # a component of a variable
        value = None
        if not private:
            shape = tuple(0 if d.extent is None else int(d.extent.number or 0) for d in dims)
            known = start if isinstance(start, (int, float, bool)) else None
            name = b.port.prefix.of(stem)
            for before in b.port.held.values():
                if before.value is not None and before.value.name == name:
                    why = f"that of {before.value.owner} has the same name in the pack"
                    b.refuse(f"{symbol.name} of {symbol.owner}", why, "another name")
            value = HostValue(
                name, symbol.name, symbol.owner, symbol.storage,
                symbol.type, symbol.kind, shape, known, unit=symbol.scope.unit,
            )  # fmt: skip
        member = b.port.members.unique(stem, keep=True)
        role = b.port.outside.role(symbol) if private else ""
        role = role if role in (IN, OUT, INOUT) else ""
        b.port.held[key] = Held(member, symbol.type, dims, value, start, role, symbol)
    b.precision(symbol.type, symbol.kind)
    return b.port.held[key]


def scalar(b: Body, symbol: Symbol) -> Value:
    held = hold(b, symbol, (), b.port.is_of_points(symbol))
    return Value(f"host.{held.member}", symbol.type, True, kind=symbol.kind)


def table(b: Body, symbol: Symbol, dims: tuple[Dim, ...]) -> Array:
    if len(dims) > RANK and not _is_fixed(symbol, dims):
        b.refuse(
            f"array {symbol.name} of {len(dims)} dimensions",
            f"tables have at most {RANK}, where their extents are no constants of the source",
            "declare it with constant extents",
        )
    if symbol.attributes & {"allocatable"}:
        b.port.note(f"table {symbol.name}: its subscripts begin at 1, else a run is refused")
    held = hold(b, symbol, merged(dims), False)
    if len(dims) > RANK and held.value is not None:
        extents = tuple(int(d.extent.number or 0) for d in dims if d.extent is not None)
        held.value = replace(held.value, merged=extents)
    if symbol.attributes & {"allocatable"} and held.value is not None:
        bounds_of = b.port.bounds_of.get(symbol.name, symbol.name)
        held.value = replace(held.value, from_one=True, bounds_of=bounds_of)
    text = f"host.{held.member}"
    return Array(
        text, symbol.type, symbol.kind, dims, HOST, False, origin=symbol.name, outside=symbol
    )


def shape_of(b: Body, symbol: Symbol) -> tuple[Fixed, ...] | None:
    """Of an allocatable array of a module, where the user says it."""
    extents = b.port.shapes.get(symbol.name)
    if extents is None or symbol.storage != MODULE or "allocatable" not in symbol.attributes:
        return None
    owner = b.port.shapes_read.setdefault(symbol.name, symbol.owner)
    if owner != symbol.owner:
        both = f"modules {owner} and {symbol.owner} have an array of this name"
        b.refuse(f"shape {symbol.name}", both, "give one of them another name")
    deferred.check_rank(b.place, symbol.name, extents, symbol)
    return tuple(Fixed(0, extent) for extent in extents)


def array(b: Body, symbol: Symbol, dims: tuple[Dim, ...]) -> Array:
    held = hold(b, symbol, dims, True)
    text = f"host.{held.member}"
    return Array(text, symbol.type, symbol.kind, dims, LOCAL, True, kept=True, outside=symbol)


def _is_fixed(symbol: Symbol, dims: tuple[Dim, ...]) -> bool:
    """Whether the source says all extents of an array that is no component."""
    if symbol.attributes & {"allocatable", "pointer"} or "%" in symbol.name:
        return False
    return all(dim.extent is not None and isinstance(dim.extent.number, int) for dim in dims)
