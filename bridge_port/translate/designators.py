"""What designators stand for: variables, components, arrays.

A derived type is a struct template of the header. A variable of it is a struct whose members are
numbers, arrays of them, and structs. An array of a type is one struct of arrays: each member has
the dimensions of what holds it behind its own, so that a(i)%x(j) is element (j, i) of a%x.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

from bridge_port.program.derivedtypes import HELD
from bridge_port.program.symbols import (
    COMMON,
    DUMMY,
    MODULE,
    PARAMETER,
    RESULT,
    SAVED,
    Derived,
    Symbol,
)
from bridge_port.semantic.intrinsics import REDUCTION, TRANSFORMATIONAL, is_a
from bridge_port.syntax.expressions import (
    Apply,
    Component,
    Expression,
    Name,
)
from bridge_port.translate import (
    allocated,
    complexes,
    constants,
    deferred,
    hostdata,
    lacking,
    unended,
)
from bridge_port.translate.body import (
    LOCAL,
    POINTED,
    Array,
    Body,
    Dim,
    Hoisted,
    Object,
    Part,
    Path,
    Structure,
)
from bridge_port.translate.parts import structure
from bridge_port.translate.values import (
    FLOATING,
    POINT_TYPES,
    ZEROS,
    Value,
    integer,
    minus,
    moved,
)

# ---- Arrays


def find(b: Body, e: Expression) -> Array | None:
    """The array that a name or a component is, or None."""
    if isinstance(e, Hoisted):
        return e.value if isinstance(e.value, Array) else None
    if isinstance(e, Component):
        return None if complexes.of_variable(b, e) else array(b, e)
    if not isinstance(e, Name):
        return None
    symbol = b.scope.find(e.id)
    if symbol is None or symbol.dimensions is None or symbol.type == "character":
        return None
    return array(b, e) if symbol.type == "type" else of_symbol(b, symbol)


def of_symbol(b: Body, symbol: Symbol) -> Array:
    name = symbol.name
    if symbol.type not in POINT_TYPES:
        b.refuse(f"{symbol.type} array {name}", "kernels have arrays of numbers and logicals")
    if symbol.attributes & {"pointer"}:
        if symbol.storage != MODULE:
            b.refuse(f"pointer {name}", "pointers are not followed", "make it an array")
        attributes = symbol.attributes - {"pointer"} | {"allocatable", POINTED}
        symbol = replace(symbol, attributes=attributes)
    dims = dims_of(b, symbol)
    b.precision(symbol.type, symbol.kind)
    private = b.port.is_of_points(symbol)
    if symbol.storage in (MODULE, COMMON) and not private:
        b.uses_host = True
        return hostdata.table(b, symbol, dims)
    if b.foreign(symbol):
        b.uses_host = True
        return hostdata.table(b, symbol, dims)
    if symbol.storage == SAVED and not private:
        if b.port.intents.changes(b.unit, symbol) or symbol.scope.initial(symbol) is None:
            b.port.outside.saved(symbol, b.place)
            b.uses_host = True
            return hostdata.array(b, symbol, dims)
        return constants.table(b, symbol, dims)
    if symbol.storage == PARAMETER:
        return constants.table(b, symbol, dims)
    if private and symbol.storage in (MODULE, COMMON, SAVED):
        b.uses_host = True
        return hostdata.array(b, symbol, dims)
    if "allocatable" in symbol.attributes and name not in b.allocated:
        b.refuse(f"allocatable {name}", "a kernel has no allocate", "give it a fixed shape")
    if symbol.type == "integer" and symbol.kind == 8:
        b.refuse(f"integer(8) array {name}", "integers of kernels have 32 bits")
    if name in b.context.absent:
        b.refuse(f"array {name}", "it is optional, and not given in this call")
    b.locals.setdefault(name, symbol.storage)
    fixed = "intent(in)" if symbol.intent == "in" else ""
    vary = symbol.type in FLOATING or symbol.storage == "dummy" or b.varies(name)
    kept = symbol.storage in (DUMMY, RESULT)
    return Array(b.names.of(name), symbol.type, symbol.kind, dims, LOCAL, vary, fixed, name, kept)


def dims_of(b: Body, symbol: Symbol) -> tuple[Dim, ...]:
    assert symbol.dimensions is not None
    if (known := allocated.dims(b, symbol)) is not None:
        return known
    given = dict(b.context.shapes).get(symbol.name) or hostdata.shape_of(b, symbol)
    dims = []
    for number, d in enumerate(symbol.dimensions):
        lower = integer(1)
        if d.lower is not None:
            lower = in_scope(b, symbol, d.lower)
        if d.upper is not None and is_open(b, symbol, d.upper):
            dims.append(Dim(lower, None))
        elif d.upper is not None:
            upper = in_scope(b, symbol, d.upper)
            dims.append(Dim(lower, moved(minus(upper, lower), 1)))
        elif d.deferred and given is not None:
            dims.append(Dim(lower, b.of_fixed(given[number])))
        else:
            dims.append(Dim(lower, None))
    if unended.is_open(symbol):
        # Of `x(1)`, where other elements are named, one element is not what is meant.
        dims[-1] = replace(dims[-1], extent=unended.last_extent(b, symbol, dims[:-1]))
    return tuple(dims)


def is_open(b: Body, symbol: Symbol, upper: Expression) -> bool:
    """Of a table that the unit of a nest holds, whose extent the run gives with it."""
    if symbol.scope is b.scope or symbol.storage in (MODULE, COMMON, PARAMETER):
        return False
    known = symbol.scope.constant(upper) is not None
    return not known and all(
        (other := symbol.scope.find(e.id)) is not None
        and not b.port.is_species(other)
        and other.name not in b.port.fixed
        for e in upper.walk()
        if isinstance(e, Name)
    )


def in_scope(b: Body, symbol: Symbol, e: Expression) -> Value:
    """A bound, read where the array is declared."""
    whole = any(is_a(name, REDUCTION, TRANSFORMATIONAL) for name in e.applied)
    if whole and isinstance(number := symbol.scope.constant(e), int):
        v = integer(number)  # no statement that computes it stands before the declaration
    elif symbol.scope is b.scope:
        v = b.value(e)
    else:
        found = symbol.scope.constant(e)
        if found is None and isinstance(e, Name):
            other = symbol.scope.find(e.id)
            if other is not None and b.port.is_species(other):
                return b.species()
            if other is not None and other.name in b.port.fixed:
                return constants.known(b, other)
        if not isinstance(found, int):
            b.refuse(f"array {symbol.name}", "its bounds are not known here", lacking.asked(e, b))
        v = integer(found)
    if v.type != "integer" or v.vary:
        b.place = symbol.place
        b.refuse(
            f"array {symbol.name}",
            "its shape is not known when the kernel is built",
            f"loops over points are ported by their lines{lacking.loops(b)}; else "
            f"{lacking.asked(e, b)}",
        )
    return v


# ---- Objects


def type_of(b: Body, symbol: Symbol) -> tuple[Derived, bool]:
    """The type of a variable, and whether it can be no extension of it."""
    if symbol.storage == DUMMY and symbol.scope is b.scope:
        for name, derived, exact in b.context.types:
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
    if "class" in found.attributes or (
        base.structure is None and found.attributes & HELD and found.dimensions is None
    ):
        b.refuse(f"component {e.name}", "of a class, a pointer or allocatable")
    if "parent" in found.attributes:
        return replace(base, derived=derived, exact=True)  # a parent has no memory of its own
    path = (*base.path, e.name)
    if base.structure is None:
        ranked = base.ranked
        if found.dimensions is not None:
            if ranked is not None:
                b.refuse(
                    f"{base.spelled}%{e.name}", "an array of a type within an array of a type"
                )
            ranked = found, len(path)
        return replace(base, path=path, derived=derived, exact=True, ranked=ranked)
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
        ranked = (symbol, 0) if symbol.dimensions is not None else None
        return Object(symbol, (), "", derived, exact, None, ranked)
    if symbol.name in b.context.absent:
        b.refuse(f"argument {name}", "it is not given here")
    if symbol.storage not in ("local", "dummy", "result"):
        b.refuse(f"type {name}", "variables of derived types are local, arguments or of modules")
    if symbol.scope is not b.scope:
        b.refuse(f"{name} of {symbol.scope.unit.name}",
                 "a variable of the procedure around this one", "make it an argument")  # fmt: skip
    if symbol.attributes & {"pointer", "allocatable"}:
        b.refuse(f"argument {name}" if symbol.storage == DUMMY else f"type {name}",
                 "it is a pointer or allocatable")  # fmt: skip
    dims = dims_of(b, symbol) if symbol.dimensions is not None else ()
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
    """None of a component of a derived type, of a type-bound procedure and of a procedure
    component."""
    if isinstance(e.base, Apply):
        b.refuse(f"component {e.name}", "of an array or a component of a derived type")
    base = object_of(b, e.base)
    if base is None:
        what = e.base.id if isinstance(e.base, Name) else getattr(e.base, "name", "")
        b.refuse(f"{what}%{e.name}", f"{what} is no variable of a derived type")
    found = base.derived.component(e.name)
    if found is None and (base.derived.binding(e.name) or base.derived.pointer(e.name)):
        return None
    if found is not None and found.type == "type":
        return None
    if base.structure is None:
        return of_host(b, base, e.name, found)
    part = base.structure.parts.get(e.name)
    if found is None or part is None:
        left = base.structure.left
        if found is not None and found.type == "character" and found.dimensions is None:
            no_text(b, base, e.name)
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
    b.precision(part.type, part.kind)
    deferred.reached(b, base, part)
    if not part.known:
        touch(b, base, (e.name,))
    return Leaf(base, f"{base.text}.{part.text}", part)


def no_text(b: Body, base: Object, name: str) -> NoReturn:
    """Refused: nobody has said the text that a component has."""
    origin = b.origin(base.symbol)
    change = "use an integer code for what differs between points"
    if origin:
        word = "%".join((origin, *base.path, name))
        change = f"if it has one in every run, say --value {word}='...'"
    b.refuse(f"character {base.spelled}%{name}",
             "its text is not known when the kernel is built", change)  # fmt: skip


def is_text(b: Body, e: Expression) -> bool:
    """Whether it is a component that is a text, an element or some letters of it."""
    while isinstance(e, Apply):
        e = e.base
    if not isinstance(e, Component):
        return False
    base = known(b, e.base)
    found = base[0].component(e.name) if base is not None else None
    return found is not None and found.type == "character"


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
    text = found.type == "character" and found.dimensions is None and base.ranked is None
    if not text and (found.type not in POINT_TYPES or found.type == "complex"):
        b.refuse(f"{found.type} {what}", "data of the host are real, integer or logical")
    if found.dimensions is None and found.attributes & {"pointer", "allocatable"}:
        b.refuse(what, "a pointer or allocatable scalar")
    owner = base.symbol
    array, dimensions = found, found.dimensions
    bounds_of = what
    if base.ranked is not None:
        if dimensions is not None:
            b.refuse(what, "an array in the elements of an array of a type")
        array, count = base.ranked
        dimensions = array.dimensions
        bounds_of = "%".join((owner.name, *base.path[:count]))
    attributes = array.attributes & {"allocatable", "pointer", "target"}
    if "pointer" in attributes:  # Its values are read as those of an allocatable array are.
        attributes = attributes - {"pointer"} | {"allocatable", POINTED}
    host = replace(
        found, name=what, attributes=attributes, storage=MODULE, owner=owner.owner, value=None,
        dimensions=dimensions, scope=array.scope,
    )  # fmt: skip
    b.port.bounds_of[what] = bounds_of
    return Leaf(base, "", Part(name, "", found.type, found.kind, ()), host)


def member(b: Body, e: Component) -> Value:
    found = leaf(b, e)
    if found is None:
        b.refuse(f"component {e.name}", "one number is wanted here")
    if found.host is not None and found.host.type == "character":
        kept = b.port.world.kept(found.host, b.place).scalar
        assert kept is not None
        return text_of(str(kept.plain))
    if found.part.letters is not None:
        return text_of(found.part.letters)
    if found.host is not None:
        v = constants.scalar(b, found.host)
        assert v is not None
        return v
    if found.part.number is not None:
        return replace(integer(found.part.number), kind=found.part.kind)
    return Value(found.text, found.part.type, True, kind=found.part.kind)


def text_of(letters: str) -> Value:
    return Value("", "character", False, letters=letters, kind=1)


def array(b: Body, e: Name | Component) -> Array | None:
    """Of an array of a type only rank and shape are asked for."""
    found = leaf(b, e) if isinstance(e, Component) else None
    if found is None:
        held = object_of(b, e)
        if held is None or held.structure is None or not held.structure.dims:
            return None
        return Array(held.text, "type", 0, held.structure.dims, fixed="of a derived type")
    if found.host is not None:
        return of_symbol(b, found.host) if found.host.dimensions is not None else None
    if not found.part.dims:
        return None
    symbol = found.object.symbol
    fixed = "intent(in)" if symbol.intent == "in" else ""
    kept = symbol.storage == DUMMY
    part = found.part
    return Array(found.text, part.type, part.kind, part.dims, fixed=fixed, kept=kept)
