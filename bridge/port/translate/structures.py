"""Derived types of scalars and fixed arrays: struct templates of the header."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.port.program.symbols import DUMMY
from bridge.port.syntax.expressions import Component, Name
from bridge.port.syntax.units import Declaration, DerivedType
from bridge.port.translate.body import Array, Body, Dim
from bridge.port.translate.names import Names
from bridge.port.translate.values import POINT_TYPES, ZEROS, Value, integer, real, truth


@dataclass(frozen=True)
class Member:
    """default: its initial value, or None."""

    name: str
    text: str
    type: str
    kind: int
    dims: tuple[Dim, ...]
    default: Value | None

    @property
    def count(self) -> int:
        count = 1
        for dim in self.dims:
            assert dim.extent is not None and isinstance(dim.extent.number, int)
            count *= dim.extent.number
        return count


@dataclass(frozen=True)
class Structure:
    name: str
    text: str
    members: tuple[Member, ...]


def structure(b: Body, type_name: str) -> Structure:
    """Of a derived type that the procedure's scope sees."""
    found = b.scope.derived(type_name, b.place)
    if found is None:
        b.refuse(f"type({type_name})", "its source is not given", "give the file with its module")
    key = (found.place, found.name)
    if key not in b.port.structures:
        b.port.structures[key] = made(b, found)
    return b.port.structures[key]


def made(b: Body, derived: DerivedType) -> Structure:
    if derived.unread:
        first = derived.unread[0]
        b.refuse(f"{first.construct} in type({derived.name})", first.why or first.text)
    names = Names()
    members = tuple(member_of(b, c, names) for c in derived.components)
    return Structure(derived.name, b.port.global_names.unique(derived.name, keep=True), members)


def member_of(b: Body, c: Declaration, names: Names) -> Member:
    what = f"component {c.name}"
    if c.type is None or c.type.base not in ZEROS or c.attributes & {"pointer", "allocatable"}:
        b.refuse(what, "components are real, integer or logical scalars and fixed arrays")
    dims = []
    for d in c.dimensions or ():
        lower = integer(1) if d.lower is None else number(b, d.lower, what)
        if d.upper is None:
            b.refuse(what, "its shape is not fixed")
        extent = number(b, d.upper, what).number
        assert isinstance(extent, int) and isinstance(lower.number, int)
        dims.append(Dim(lower, integer(extent - lower.number + 1)))
    default = None
    if c.value is not None:
        found = b.scope.constant(c.value)
        if found is None or dims:
            b.refuse(what, "its initial value is not a number")
        default = {"real": real, "integer": integer, "logical": truth}[c.type.base](found)
    kind = b.port.kind_of(b, c.type)
    if c.type.base == "real" and kind == 4:
        b.port.uses_single = True
    return Member(c.name, names.of(c.name), c.type.base, kind, tuple(dims), default)


def number(b: Body, e: object, what: str) -> Value:
    found = e if isinstance(e, int) else b.scope.constant(e)
    if not isinstance(found, int):
        b.refuse(what, "its shape is not fixed")
    return integer(found)


def text(s: Structure) -> list[str]:
    """The struct, without its namespace."""
    lines = ["template <class Real>", f"struct {s.text} {{"]
    for m in s.members:
        if m.dims:
            lines.append(f"    {POINT_TYPES[m.type]} {m.text}[{m.count}];")
        else:
            start = m.default.text if m.default is not None else ZEROS[m.type]
            lines.append(f"    {POINT_TYPES[m.type]} {m.text} = {start};")
    return [*lines, "};"]


def owner(b: Body, e: Component) -> tuple[str, Structure]:
    """(C++ text, structure) of what the component belongs to."""
    if not isinstance(e.base, Name):
        b.refuse(f"component {e.name}", "of an array or a component of a derived type")
    symbol = b.symbol(e.base.id)
    if symbol.type != "type":
        b.refuse(f"{e.base.id}%{e.name}", f"{e.base.id} is no variable of a derived type")
    if symbol.dimensions is not None:
        b.refuse(f"{e.base.id}%{e.name}", "arrays of derived types are not translated")
    if symbol.storage not in ("local", "dummy", "result"):
        b.refuse(f"{e.base.id}%{e.name}", "variables of derived types are local or arguments")
    b.locals.setdefault(symbol.name, symbol.storage)
    return b.names.of(symbol.name), structure(b, symbol.type_name)


def find(b: Body, e: Component) -> tuple[str, Member]:
    base, s = owner(b, e)
    for m in s.members:
        if m.name == e.name:
            return f"{base}.{m.text}", m
    b.refuse(f"component {e.name}", f"type({s.name}) has none of this name")


def member(b: Body, e: Component) -> Value:
    place, m = find(b, e)
    return Value(place, m.type, True, kind=m.kind)


def array(b: Body, e: Component) -> Array | None:
    place, m = find(b, e)
    if not m.dims:
        return None
    assert isinstance(e.base, Name)
    symbol = b.symbol(e.base.id)
    fixed = "intent(in)" if symbol.intent == "in" else ""
    return Array(place, m.type, m.kind, m.dims, fixed=fixed, kept=symbol.storage == DUMMY)
