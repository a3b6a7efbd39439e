"""Derived types of scalars and fixed arrays: struct templates of the header."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bridge.port.program.symbols import DUMMY
from bridge.port.refusal import Refused
from bridge.port.syntax.expressions import Component, Name
from bridge.port.syntax.units import Declaration, DerivedType
from bridge.port.translate.body import Array, Body, Dim
from bridge.port.translate.names import Names
from bridge.port.translate.values import FLOATING, POINT_TYPES, ZEROS, Value, integer, real, truth


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
    """left: components that no kernel has -> why; a procedure may have the type as long as it
    names none of them."""

    name: str
    text: str
    members: tuple[Member, ...]
    left: dict[str, tuple[str, str]] = field(default_factory=dict, compare=False)


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
    scope = b.scope.derived_scope(derived.name)
    names = Names()
    members = []
    left = {f"{one.construct} in": (one.construct, one.why or one.text) for one in derived.unread}
    for c in derived.components:
        try:
            members.append(member_of(b, scope, c, names))
        except Refused as refused:
            left[c.name] = refused.refusal.construct, refused.refusal.why
    if not members:
        what, why = next(iter(left.values()), (f"type({derived.name})", "it has no components"))
        b.refuse(what, why)
    text = b.port.global_names.unique(derived.name, keep=True)
    return Structure(derived.name, text, tuple(members), left)


def whole(b: Body, s: Structure, what: str) -> None:
    """Refused where not all components are known."""
    for construct, why in s.left.values():
        b.refuse(what, f"type({s.name}) has {construct}: {why}", "name the components")


def member_of(b: Body, scope: Any, c: Declaration, names: Names) -> Member:
    """scope: of the type, where its expressions are to be read."""
    what = f"component {c.name}"
    if c.type is None or c.type.base not in ZEROS or c.attributes & {"pointer", "allocatable"}:
        b.refuse(what, "components are real, integer or logical scalars and fixed arrays")
    dims = []
    for d in c.dimensions or ():
        lower = integer(1) if d.lower is None else number(b, scope, d.lower, what)
        if d.upper is None:
            b.refuse(what, "its shape is not fixed")
        extent = number(b, scope, d.upper, what).number
        assert isinstance(extent, int) and isinstance(lower.number, int)
        dims.append(Dim(lower, integer(extent - lower.number + 1)))
    default = None
    if c.value is not None:
        found = scope.constant(c.value)
        if found is None or dims:
            b.refuse(what, "its initial value is not a number")
        if c.type.base == "complex":
            b.refuse(what, "a complex component with an initial value")
        default = {"real": real, "integer": integer, "logical": truth}[c.type.base](found)
    kind = c.type.kind
    if not isinstance(kind, int):
        kind = 4 if kind is None else scope.constant(kind)
    if not isinstance(kind, int):
        b.refuse("a kind that is not known", "", "give the file with its module")
    if c.type.base in FLOATING and kind == 4:
        b.port.uses_single = True
    return Member(c.name, names.of(c.name), c.type.base, kind, tuple(dims), default)


def number(b: Body, scope: Any, e: object, what: str) -> Value:
    found = e if isinstance(e, int) else scope.constant(e)
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
    if e.name in s.left:
        b.refuse(*s.left[e.name])
    inherits = next((one for name, one in s.left.items() if "extension" in name), None)
    if inherits is not None:
        b.refuse(*inherits)
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
