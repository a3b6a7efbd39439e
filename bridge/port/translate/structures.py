"""Derived types: struct templates of the header, and what components stand for.

A variable of a derived type is a struct whose members are numbers, arrays of them, and structs. An
array of a type is one struct of arrays: each member has the dimensions of what holds it behind its
own, so that a(i)%x(j) is element (j, i) of a%x.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from bridge.port.program.derivedtypes import HELD, Derived
from bridge.port.program.symbols import DUMMY, MODULE, Symbol
from bridge.port.refusal import Refused
from bridge.port.syntax.expressions import Apply, Component, Expression, Name
from bridge.port.syntax.units import Declaration
from bridge.port.translate import arrays, constants, deferred
from bridge.port.translate.body import Array, Body, Dim, Given
from bridge.port.translate.names import Names
from bridge.port.translate.values import FLOATING, POINT_TYPES, ZEROS, Value, integer, real, truth

Path = tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A component. inner: of one that is of a derived type; dims: its own, then those of what
    holds it; start: its initial values, one for each element, None of none; held: "pointer" or
    "allocatable" of one that is; number: of an integer whose value is known."""

    name: str
    text: str
    type: str
    kind: int
    dims: tuple[Dim, ...]
    start: tuple[Value, ...] | None = None
    inner: Structure | None = None
    held: str = ""
    number: int | None = None

    @property
    def count(self) -> int:
        count = 1
        for dim in self.dims:
            assert dim.extent is not None and isinstance(dim.extent.number, int)
            count *= dim.extent.number
        return count


@dataclass
class Structure:
    """dims: of the array that it is; given: bounds of components that are pointers or allocatable;
    left: components that no kernel has -> why; a procedure may
    have the type as long as it names none of them; used: components that some procedure names."""

    text: str
    derived: Derived
    dims: tuple[Dim, ...]
    given: Given = ()
    parts: dict[str, Part] = field(default_factory=dict)
    left: dict[str, tuple[str, str]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def leaves(self) -> Iterator[tuple[Path, str, Part]]:
        """All that are numbers, at any depth: names, C++ text behind the variable."""
        for part in self.parts.values():
            if part.number is not None:
                continue
            if part.inner is None:
                yield (part.name,), part.text, part
                continue
            for path, text, leaf in part.inner.leaves():
                yield (part.name, *path), f"{part.text}.{text}", leaf

    def held(self, path: Path) -> str:
        """Whether a component, or one on the way to it, is "pointer" or "allocatable", which of
        them comes first."""
        s: Structure | None = self
        for name in path:
            assert s is not None
            if s.parts[name].held:
                return s.parts[name].held
            s = s.parts[name].inner
        return ""


@dataclass(frozen=True)
class Object:
    """What a designator of a derived type stands for. path: components from the variable to it;
    text: in C++; structure: None of the host's; exact: whether its type is known to be no
    extension of `derived`."""

    symbol: Symbol
    path: Path
    text: str
    derived: Derived
    exact: bool
    structure: Structure | None

    @property
    def spelled(self) -> str:
        return "%".join((self.symbol.name, *self.path))


# ---- Types


def structure(
    b: Body, derived: Derived, dims: tuple[Dim, ...] = (), given: Given = ()
) -> Structure:
    """given: also of components that the type has not, of an extension of it."""
    names = [c.name for one in derived.line for c in one.definition.components]
    given = deferred.among(given, names)
    key = (derived, tuple((number_of(d.lower), number_of(d.extent)) for d in dims), given)
    if key not in b.port.structures:
        b.port.building.append(derived)
        try:
            b.port.structures[key] = made(b, derived, dims, given)
        finally:
            b.port.building.pop()
    return b.port.structures[key]


def number_of(v: Value | None) -> int:
    assert v is not None and isinstance(v.number, int)
    return int(v.number)


def made(b: Body, derived: Derived, outer: tuple[Dim, ...], given: Given) -> Structure:
    names = Names()
    found = Structure("", derived, outer, given)
    for one in reversed(derived.line):
        unread = one.definition.unread
        found.left |= {f"{u.construct} in": (u.construct, u.why or u.text) for u in unread}
        for name in one.definition.pointers:
            why = "what it points to is known at run time alone"
            found.left[name] = f"procedure component {name}", why
        for c in one.definition.components:
            try:
                found.parts[c.name] = part_of(b, one.scope, c, names, outer, given)
            except Refused as refused:
                found.left[c.name] = refused.refusal.construct, refused.refusal.why
    if not derived.whole:
        last = derived.line[-1]
        why = f"type({last.definition.parent}) is not given"
        found.left["extension"] = f"type extension of {last.name}", why
    size = "x".join(str(number_of(d.extent)) for d in outer)
    stem = f"{derived.name}_{size}" if size else derived.name
    found.text = b.port.global_names.unique(stem, keep=True)
    return found


def part_of(
    b: Body, scope: Any, c: Declaration, names: Names, outer: tuple[Dim, ...], given: Given
) -> Part:
    """scope: of the type, where its expressions are to be read."""
    what = f"component {c.name}"
    if c.type is None:
        b.refuse(what, "components are real, integer or logical scalars and arrays")
    held = next(iter(c.attributes & HELD), "")
    if held:
        own = deferred.dims(dict(given).get((c.name,)), c)
        if own is None:
            b.refuse(what, "it is a pointer or allocatable, and its shape is not known")
        dims = own + outer
        c = replace(c, value=None)
    else:
        dims = fixed_dims(b, scope, c, what) + outer
    if c.type is not None and c.type.base == "type":
        derived = scope.derived(c.type.name, c.place)
        if held and derived in b.port.building:
            b.refuse(what, f"it is {held} to type({derived.name}), in which it stands itself")
        inner = structure(b, derived, dims, deferred.under(given, c.name))
        if c.value is not None:
            b.refuse(what, "its initial value is not a number")
        return Part(c.name, names.of(c.name), "type", 0, dims, None, inner, held)
    assert c.type is not None
    if c.type.base == "complex" and c.value is not None:
        b.refuse(what, "a complex component with an initial value")
    if c.type.base not in ZEROS:
        b.refuse(what, "components are real, integer or logical scalars and arrays")
    kind = c.type.kind
    if not isinstance(kind, int):
        kind = 4 if kind is None else scope.constant(kind)
    if not isinstance(kind, int):
        b.refuse("a kind that is not known", "", "give the file with its module")
    made = Part(c.name, names.of(c.name), c.type.base, kind, dims, held=held)
    number = dict(given).get((c.name,))
    if isinstance(number, int):
        return replace(made, number=number)
    if c.value is None:
        return made
    return replace(made, start=initial(b, scope, c, made, outer))


def fixed_dims(b: Body, scope: Any, c: Declaration, what: str) -> tuple[Dim, ...]:
    dims = []
    for d in c.dimensions or ():
        lower = integer(1) if d.lower is None else number(b, scope, d.lower, what)
        if d.upper is None:
            b.refuse(what, "its shape is not fixed")
        upper = number_of(number(b, scope, d.upper, what))
        dims.append(Dim(lower, integer(max(upper - number_of(lower) + 1, 0))))
    return tuple(dims)


def initial(
    b: Body, scope: Any, c: Declaration, part: Part, outer: tuple[Dim, ...]
) -> tuple[Value, ...]:
    """Values of all elements, those of one variable after those of another one."""
    one = scope.constant(c.value)
    own = replace(part, dims=part.dims[: len(part.dims) - len(outer)]).count
    values = [one] * own if one is not None else scope.table(c.value) if own > 1 else None
    if values is None or len(values) != own or part.count > 256:
        b.refuse(f"component {c.name}", "its initial value is not a number")
    word: Any = {"real": real, "integer": integer, "logical": truth}[part.type]
    single = part.type == "real" and part.kind == 4
    made = [word(constants.single(float(v)) if single else v) for v in values]
    return tuple(made * (part.count // max(own, 1)))


def number(b: Body, scope: Any, e: object, what: str) -> Value:
    found = e if isinstance(e, int) else scope.constant(e)
    if not isinstance(found, int):
        b.refuse(what, "its shape is not fixed")
    return integer(found)


def text(s: Structure) -> list[str]:
    """The struct, with what is used of it; without its namespace."""
    lines = ["template <class Real>", f"struct {s.text} {{"]
    for part in s.parts.values():
        if part.name not in s.used:
            continue
        word = f"{part.inner.text}<Real>" if part.inner is not None else POINT_TYPES[part.type]
        start = ", ".join(v.text for v in part.start) if part.start is not None else ""
        if part.inner is not None:
            lines.append(f"    {word} {part.text};")
        elif part.dims:
            lines.append(f"    {word} {part.text}[{part.count}]{f' = {{{start}}}' * bool(start)};")
        else:
            lines.append(f"    {word} {part.text} = {start or ZEROS[part.type]};")
    return [*lines, "};"]


# ---- Variables


def type_of(b: Body, symbol: Symbol) -> tuple[Derived, bool]:
    """The type of a variable, and whether it can be no extension of it."""
    if symbol.storage == DUMMY and symbol.scope is b.scope:
        for name, derived, exact in b.way.types:
            if name == symbol.name:
                return derived, exact
    if symbol.type_name == "*":
        b.refuse(f"class(*) {symbol.name}", "its type is known at run time alone")
    return symbol.scope.derived(symbol.type_name, b.place), "class" not in symbol.attributes


def known(b: Body, e: Expression) -> tuple[Derived, bool] | None:
    """The type of a designator of a derived type, None of anything else."""
    if isinstance(e, Apply):
        return known(b, e.base)
    if isinstance(e, Name):
        symbol = b.scope.find(e.id)
        return type_of(b, symbol) if symbol is not None and symbol.type == "type" else None
    if not isinstance(e, Component):
        return None
    base = known(b, e.base)
    found = base[0].component(e.name) if base is not None else None
    if found is None or found.type != "type":
        return None
    if found.type_name == "*":
        b.refuse(f"class(*) {found.name}", "its type is known at run time alone")
    return found.scope.derived(found.type_name, b.place), "class" not in found.attributes


def object_of(b: Body, e: Expression) -> Object | None:
    """The variable or component of a derived type that a designator without subscripts is; None
    of anything else."""
    if isinstance(e, Name):
        symbol = b.scope.find(e.id)
        if symbol is None or symbol.type != "type" or e.id in b.counters:
            return None
        return variable(b, symbol)
    if not isinstance(e, Component):
        return None
    base = object_of(b, e.base)
    found = base.derived.component(e.name) if base is not None else None
    if base is None or found is None or found.type != "type":
        return None
    derived = found.scope.derived(found.type_name, b.place)
    if "class" in found.attributes or (base.structure is None and found.attributes & HELD):
        b.refuse(f"component {e.name}", "of a class, a pointer or allocatable")
    if "parent" in found.attributes:
        return replace(base, derived=derived, exact=True)  # a parent has no memory of its own
    path = (*base.path, e.name)
    if base.structure is None:
        if found.dimensions is not None:
            b.refuse(f"{base.spelled}%{e.name}", "an array of a type in a module")
        return replace(base, path=path, derived=derived, exact=True)
    part = base.structure.parts.get(e.name)
    if part is None or part.inner is None:
        if found.attributes & HELD and found.dimensions is not None:
            deferred.unknown(b, base, found, e.name)
        b.refuse(*base.structure.left.get(e.name, (f"component {e.name}", "")))
    deferred.reached(b, base, part)
    base.structure.used.add(e.name)
    return Object(base.symbol, path, f"{base.text}.{part.text}", derived, True, part.inner)


def variable(b: Body, symbol: Symbol) -> Object:
    derived, exact = type_of(b, symbol)
    name = symbol.name
    if symbol.storage == MODULE:
        if symbol.dimensions is not None:
            b.refuse(f"array {name} of a type", f"it is data of module {symbol.owner}")
        return Object(symbol, (), "", derived, exact, None)
    if symbol.name in b.way.absent:
        b.refuse(f"argument {name}", "it is not given here")
    if symbol.storage not in ("local", "dummy", "result"):
        b.refuse(f"type {name}", "variables of derived types are local, arguments or of modules")
    if symbol.scope is not b.scope:
        b.refuse(f"{name} of {symbol.scope.unit.name}",
                 "a variable of the procedure around this one", "make it an argument")  # fmt: skip
    if symbol.attributes & {"pointer", "allocatable"}:
        b.refuse(f"argument {name}" if symbol.storage == DUMMY else f"type {name}",
                 "it is a pointer or allocatable")  # fmt: skip
    dims = arrays.dims_of(b, symbol) if symbol.dimensions is not None else ()
    if any(d.extent is None or d.extent.number is None or d.lower.number is None for d in dims):
        b.refuse(f"array {name} of a type", "its shape is not known when the kernel is built",
                 f"--shape {name}=N" if symbol.storage == DUMMY else "")  # fmt: skip
    s = structure(b, derived, dims, deferred.of_argument(b, symbol))
    if symbol.storage != DUMMY:
        if derived.finals:
            b.refuse(f"type {name}", "its final procedure would be called")
        b.locals.setdefault(name, symbol.storage)
    return Object(symbol, (), b.names.of(name), derived, exact, s)


# ---- Components


@dataclass(frozen=True)
class Leaf:
    """A component that is a number or an array of them. host: of the host, as a variable."""

    object: Object
    text: str
    part: Part
    host: Symbol | None = None


def leaf(b: Body, e: Component) -> Leaf | None:
    """None of a component of a derived type, and of a type-bound procedure."""
    if isinstance(e.base, Apply):
        b.refuse(f"component {e.name}", "of an array or a component of a derived type")
    base = object_of(b, e.base)
    if base is None:
        what = e.base.id if isinstance(e.base, Name) else getattr(e.base, "name", "")
        b.refuse(f"{what}%{e.name}", f"{what} is no variable of a derived type")
    found = base.derived.component(e.name)
    if found is None and base.derived.binding(e.name) is not None:
        return None
    if found is not None and found.type == "type":
        return None
    if base.structure is None:
        return of_host(b, base, e.name, found)
    part = base.structure.parts.get(e.name)
    if found is None or part is None:
        left = base.structure.left
        if (
            found is not None
            and found.attributes & HELD
            and (found.type in ZEROS and found.dimensions is not None)
        ):
            deferred.unknown(b, base, found, e.name)
        if e.name in left:
            b.refuse(*left[e.name])
        for name in ("extension", "type with parameters in"):
            if name in left:
                b.refuse(*left[name])
        b.refuse(f"component {e.name}", f"type({base.derived.name}) has none of this name")
    if part.type in FLOATING and part.kind == 4:
        b.port.uses_single = True
    deferred.reached(b, base, part)
    if part.number is None:
        touch(b, base, (e.name,))
    return Leaf(base, f"{base.text}.{part.text}", part)


def touch(b: Body, base: Object, path: Path) -> None:
    """A component is in the text."""
    if base.structure is not None:
        s: Structure | None = base.structure
        for name in path:
            assert s is not None
            s.used.add(name)
            s = s.parts[name].inner
    if base.symbol.storage == DUMMY:
        b.touched.setdefault(base.symbol.name, set()).add((*base.path, *path))


def of_host(b: Body, base: Object, name: str, found: Symbol | None) -> Leaf:
    """Of a variable of a module: a constant or a table of the pack."""
    if found is None:
        b.refuse(f"component {name}", f"type({base.derived.name}) has none of this name")
    what = f"{base.spelled}%{name}"
    if "private" in found.attributes:
        b.refuse(what, "the component is private: nothing outside can give its value")
    if found.type not in POINT_TYPES or found.type == "complex":
        b.refuse(f"{found.type} {what}", "data of the host are real, integer or logical")
    if found.dimensions is None and found.attributes & {"pointer", "allocatable"}:
        b.refuse(what, "a pointer or allocatable scalar")
    owner = base.symbol
    attributes = found.attributes
    if "pointer" in attributes:  # Its values are read as those of an allocatable array are.
        attributes = attributes - {"pointer"} | {"allocatable"}
    host = replace(
        found, name=what, attributes=attributes, storage=MODULE, owner=owner.owner, value=None
    )
    return Leaf(base, "", Part(name, "", found.type, found.kind, ()), host)


def member(b: Body, e: Component) -> Value:
    found = leaf(b, e)
    if found is None:
        b.refuse(f"component {e.name}", "one number is wanted here")
    if found.host is not None:
        v = constants.scalar(b, found.host)
        assert v is not None
        return v
    if found.part.number is not None:
        return replace(integer(found.part.number), kind=found.part.kind)
    return Value(found.text, found.part.type, True, kind=found.part.kind)


def array(b: Body, e: Name | Component) -> Array | None:
    """Of an array of a type only rank and shape are asked for."""
    found = leaf(b, e) if isinstance(e, Component) else None
    if found is None:
        held = object_of(b, e)
        if held is None or held.structure is None or not held.structure.dims:
            return None
        return Array(held.text, "type", 0, held.structure.dims, fixed="of a derived type")
    if found.host is not None:
        return arrays.of_symbol(b, found.host) if found.host.dimensions is not None else None
    if not found.part.dims:
        return None
    symbol = found.object.symbol
    fixed = "intent(in)" if symbol.intent == "in" else ""
    kept = symbol.storage == DUMMY
    part = found.part
    return Array(found.text, part.type, part.kind, part.dims, fixed=fixed, kept=kept)
