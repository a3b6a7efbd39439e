"""Small arrays: which one a designator is; ranks and shapes of expressions."""

from __future__ import annotations

from dataclasses import replace

from bridge_port.program.symbols import COMMON, DUMMY, MODULE, PARAMETER, RESULT, SAVED, Symbol
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Component,
    Expression,
    Keyword,
    Name,
    Section,
    Unary,
)
from bridge_port.translate import (
    allocated,
    bound,
    complexes,
    constants,
    elements,
    expressions,
    hostdata,
    lacking,
    structures,
    transforms,
    unended,
)
from bridge_port.translate.body import LOCAL, POINTED, Array, Body, Dim, Hoisted
from bridge_port.translate.elements import Shape
from bridge_port.translate.values import (
    FLOATING,
    POINT_TYPES,
    Value,
    integer,
    minus,
    moved,
    plus,
)

# ---- What a designator stands for


def find(b: Body, e: Expression) -> Array | None:
    """The array that a name or a component is, or None."""
    if isinstance(e, Hoisted):
        return e.value if isinstance(e.value, Array) else None
    if isinstance(e, Component):
        return None if complexes.of_variable(b, e) else structures.array(b, e)
    if not isinstance(e, Name):
        return None
    symbol = b.scope.find(e.id)
    if symbol is None or symbol.dimensions is None or symbol.type == "character":
        return None
    return structures.array(b, e) if symbol.type == "type" else of_symbol(b, symbol)


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
    if name in b.way.absent:
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
    given = dict(b.way.shapes).get(symbol.name) or hostdata.shape_of(b, symbol)
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
    if symbol.scope is b.scope:
        v = expressions.value(b, e)
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


# ---- Ranks and shapes


def rank(b: Body, e: Expression) -> int:
    if isinstance(e, (Name, Component, Hoisted)):
        if isinstance(e, Name) and e.id in b.counters:
            return 0
        if (symbol := allocated.local(b, e)) is not None:
            return len(symbol.dimensions or ())  # before it has a shape as well
        array = find(b, e)
        return len(array.dims) if array is not None else 0
    if isinstance(e, Unary):
        return rank(b, e.operand)
    if isinstance(e, Binary):
        return max(rank(b, e.left), rank(b, e.right))
    if isinstance(e, Keyword):
        return rank(b, e.value)
    if isinstance(e, ArrayConstructor):
        return 1
    if not isinstance(e, Apply):
        return 0
    array = find(b, e.base)
    if array is not None:
        return sum(1 for a in e.arguments if isinstance(a, Section) or rank(b, a))
    called = bound.callee_of(b, e)
    callee = None if called is None else called[0]
    if callee is not None and not bound.elemental(callee):
        result = b.port.program.scope(callee).find(callee.result or callee.name)
        return len(result.dimensions or ()) if result is not None else 0
    if not isinstance(e.base, Name) and callee is None:
        return 0
    if isinstance(e.base, Name) and callee is None and e.base.id not in b.unit.statement_functions:
        known = b.port.references.intrinsic_rank(b, e.base.id, e.arguments)
        if known is not None:
            return known
    return max((rank(b, a) for a in e.arguments), default=0)


def shape(b: Body, e: Expression) -> Shape:
    """Extents of an array expression."""
    if isinstance(e, (Name, Component, Hoisted)):
        array = find(b, e)
        return tuple(elements.extent(b, dim, array) for dim in array.dims) if array else ()
    if isinstance(e, Unary):
        return shape(b, e.operand)
    if isinstance(e, Keyword):
        return shape(b, e.value)
    if isinstance(e, Binary):
        return same_shape(b, [e.left, e.right])
    if isinstance(e, ArrayConstructor):
        return (integer(transforms.count(b, e)),)
    if not isinstance(e, Apply):
        return ()
    array = find(b, e.base)
    if array is not None:
        found: list[Value] = []
        for a, dim in zip(e.arguments, array.dims, strict=False):
            if isinstance(a, Section):
                found.append(section_extent(b, a, dim, array))
            elif rank(b, a):
                found += shape(b, a)
        return tuple(found)
    if transforms.makes_array(b, e):
        return shape(b, transforms.hoisted_node(b, e))
    return same_shape(b, list(e.arguments))


def same_shape(b: Body, parts: list[Expression]) -> Shape:
    """That of those parts that are arrays; they have to have one where it is known."""
    found: Shape = ()
    for part in parts:
        if not rank(b, part):
            continue
        this = shape(b, part)
        if not found:
            found = this
            continue
        if len(this) != len(found):
            b.refuse("an array expression", "of arrays of different ranks")
        for one, other in zip(this, found, strict=True):
            if one.number is not None and other.number is not None and one.number != other.number:
                b.refuse("an array expression", "of arrays of different shapes")
    return found


def stride(b: Body, section: Section) -> int:
    if section.stride is None:
        return 1
    v = expressions.value(b, section.stride)
    if not isinstance(v.number, int) or v.number == 0:
        b.refuse(
            "a section with a stride that is not constant",
            "which elements it has must be known when the kernel is built",
            "write a loop, or give the stride with --value",
        )
    return v.number


def section_extent(b: Body, section: Section, dim: Dim, array: Array) -> Value:
    step = stride(b, section)
    first = expressions.value(b, section.lower) if section.lower is not None else None
    last = expressions.value(b, section.upper) if section.upper is not None else None
    upper = None if dim.extent is None else moved(plus(dim.lower, dim.extent), -1)
    # Also of a negative stride: a(::-1) has no elements.
    first, last = first or dim.lower, last or upper
    if first is None or last is None:
        b.refuse(
            f"a section of {array.spelled}",
            "its shape is not known here",
            elements.shape_of(b, array),
        )
    span = minus(last, first)
    if first.vary or last.vary:
        if step != 1:
            b.refuse(f"a section of {array.spelled}", "its bounds differ between points")
        count = moved(span, 1)
        if not count.vary:
            return count
        b.most[count.text] = elements.extent(b, dim, array)
        return count
    if isinstance(span.number, int):
        return integer(max(0, (span.number + step) // step))
    if step == 1:
        return moved(span, 1)
    text = f"max(({moved(span, step).text}) / {step}, 0)"
    return Value(text, "integer", False, kind=4)
