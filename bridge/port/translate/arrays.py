"""Small arrays: what they are, their elements, ranks and shapes of expressions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from bridge.port.program.symbols import COMMON, DUMMY, MODULE, PARAMETER, RESULT, SAVED, Symbol
from bridge.port.syntax.expressions import (
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
from bridge.port.syntax.statements import Do
from bridge.port.translate import (
    bound,
    calls,
    complexes,
    constants,
    expressions,
    intrinsics,
    structures,
    transforms,
)
from bridge.port.translate.body import HOST, LOCAL, POINTED, TABLE, Array, Body, Dim, Hoisted
from bridge.port.translate.values import (
    AND,
    FLOATING,
    POINT_TYPES,
    PRIMARY,
    SHARED_TYPES,
    SUM,
    Value,
    integer,
    minus,
    moved,
    plus,
    times,
)

Shape = tuple[Value, ...]


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
        return b.port.host_table(b, symbol, dims)
    if b.foreign(symbol):
        b.uses_host = True
        return b.port.host_table(b, symbol, dims)
    if symbol.storage == SAVED and not private:
        if b.port.intents.changes(b.unit, symbol) or symbol.scope.initial(symbol) is None:
            b.port.outside.saved(symbol, b.place)
            b.uses_host = True
            return b.port.host_array(b, symbol, dims)
        return constants.table(b, symbol, dims)
    if symbol.storage == PARAMETER:
        return constants.table(b, symbol, dims)
    if private and symbol.storage in (MODULE, COMMON, SAVED):
        b.uses_host = True
        return b.port.host_array(b, symbol, dims)
    if "allocatable" in symbol.attributes:
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
    given = dict(b.way.shapes).get(symbol.name)
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
            b.refuse(f"array {symbol.name}", "its bounds are not known here", asked(e, b))
        v = integer(found)
    if v.type != "integer" or v.vary:
        b.place = symbol.place
        b.refuse(
            f"array {symbol.name}",
            "its shape is not known when the kernel is built",
            f"loops over points are ported by their lines{loops(b)}; else {asked(e, b)}",
        )
    return v


def asked(e: Expression, b: Body) -> str:
    """What to say of a bound, and of the other ones of the procedure that are not known."""
    names = list(integers_in(b, e))
    if not names:
        return "give its bounds as constants"
    lacking = {names[0]: None} | dict.fromkeys(in_bounds(b))
    values = " ".join(f"{name}=N" for name in lacking)
    return f"give the value with --value {values}"


def integers_in(b: Body, e: Expression) -> Iterator[str]:
    """Variables, and components under the name that they have in the kernel's arguments."""
    if isinstance(e, Name):
        yield e.id
    elif isinstance(e, Component):
        words = [e.name]
        base: Expression = e.base
        while isinstance(base, Component):
            words.insert(0, base.name)
            base = base.base
        if isinstance(base, Name):
            symbol = b.scope.find(base.id)
            origin = b.origin(symbol) if symbol is not None else ""
            yield "%".join((origin or base.id, *words))
    else:
        for part in e.parts():
            yield from integers_in(b, part)


def loops(b: Body) -> str:
    """The outermost loops of a kernel's procedure, as the command takes them."""
    if b.unit is not b.port.entry:
        return ""
    places = [one.place for one in b.unit.body if isinstance(one, Do)]
    found = [f"{place}-{place.last}" for place in places if place.last > place.line]
    more = ", ..." if len(found) > 3 else ""
    return f" ({', '.join(found[:3])}{more})" if found else ""


def in_bounds(b: Body) -> Iterator[str]:
    """Integers in bounds of the arrays of a kernel's procedure that have no value yet."""
    if b.unit is not b.port.entry:
        return
    for d in b.unit.declarations:
        for one in d.dimensions or ():
            for e in (one.lower, one.upper):
                for name in integers_in(b, e) if e is not None else ():
                    if "%" in name or _lacks(b, name):
                        yield name


def _lacks(b: Body, name: str) -> bool:
    symbol = b.scope.find(name)
    if symbol is None or symbol.type != "integer" or symbol.dimensions is not None:
        return False
    if b.port.is_species(symbol) or name in dict(b.way.known) or name in b.port.fixed:
        return False
    return b.scope.constant(Name(name)) is None


def extent(b: Body, dim: Dim, array: Array) -> Value:
    if dim.extent is None:
        b.refuse(f"array {array.text}", "its shape is not known here", "give it explicit bounds")
    return dim.extent


def size(b: Body, array: Array) -> Value:
    total = integer(1)
    for dim in array.dims:
        total = times(total, extent(b, dim, array))
    return total


# ---- One element


def lowest(b: Body, v: Value, depth: int = 4) -> int | None:
    """A constant that an integer is never below."""
    base, shift = v.linear
    if not base:
        return shift
    if base not in b.ranges or depth == 0:
        return None
    below = lowest(b, b.ranges[base][0], depth - 1)
    return None if below is None else below + shift


def highest(b: Body, v: Value, depth: int = 4) -> tuple[str, int]:
    """(base, shift) that it is never above."""
    base, shift = v.linear
    if base not in b.ranges or depth == 0:
        return base, shift
    above, by = highest(b, b.ranges[base][1], depth - 1)
    return above, by + shift


def held(b: Body, place: Value, dim: Dim, array: Array) -> Value:
    """A subscript that is inside whatever runs: points that are off compute it as well."""
    low = lowest(b, place)
    if not place.linear[0]:
        assert low is not None
        if low < 0 or (dim.extent is not None and dim.extent.number is not None
                       and low >= int(dim.extent.number)):  # fmt: skip
            b.refuse(f"{array.text} with a subscript out of its bounds")
    if dim.extent is None:
        if place.vary or low is None or low < 0:
            b.refuse(f"array {array.text}", "its shape is not known here")
        return place
    base, shift = highest(b, place)
    limit, last = dim.extent.linear
    if low is not None and low >= 0 and base == limit and shift < last:
        return place
    if low == 0 and not place.linear[0]:
        return place
    call = f"inside({expressions.as_bits(place).text if place.vary else place.text}, "
    return Value(f"{call}{dim.extent.text})", "integer", place.vary, kind=4)


def offset(b: Body, array: Array, places: Shape) -> Value:
    """The column of an element."""
    total, step = integer(0), integer(1)
    for place, dim in zip(places, array.dims, strict=True):
        total = plus(total, times(held(b, place, dim, array), step))
        if dim is not array.dims[-1]:
            step = times(step, extent(b, dim, array))
    return total


def element(b: Body, array: Array, places: Shape) -> Value:
    """The value of an element; subscripts count from 0."""
    if array.type not in POINT_TYPES:
        b.refuse(f"a value of {array.text}", "of a derived type", "name its components")
    if len(places) != len(array.dims):
        b.refuse(f"array {array.text}", "one value is wanted here")
    if array.where == HOST:
        text = ", ".join(place.text for place in places)
        if any(place.vary for place in places):
            found = Value(f"{array.text}({text})", "real", True)
        else:
            found = Value(f"{array.text}.entry({text})", "real", False)
        return of_table(found, array)
    column = offset(b, array, places)
    if array.where == TABLE and array.type == "complex":
        return complexes.of_table(array.text, column, array.kind)
    if array.where == TABLE:
        if column.vary:
            found = Value(f"lookup<0>({array.text}, {column.text})", "real", True)
        else:
            found = Value(f"{array.text}[{column.text}]", "real", False)
        return of_table(found, array)
    if column.vary:
        if not array.vary:
            b.makes_vary(array.origin)
        text = f"element<Real>({array.text}, {size(b, array).text}, {column.text})"
        return Value(text, array.type, True, kind=array.kind)
    return Value(f"{array.text}[{column.text}]", array.type, array.vary, kind=array.kind)


def of_table(v: Value, array: Array) -> Value:
    """Tables hold doubles."""
    if array.type == "integer":
        word = "Bits<Real>" if v.vary else "int"
        return Value(f"{word}({v.text})", "integer", v.vary, kind=array.kind)
    if array.type == "logical":
        return Value(f"({v.text} != 0.0)", "logical", v.vary, kind=array.kind)
    return replace(v, kind=array.kind)


# ---- Ranks and shapes


def rank(b: Body, e: Expression) -> int:
    if isinstance(e, (Name, Component, Hoisted)):
        if isinstance(e, Name) and e.id in b.counters:
            return 0
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
    if callee is not None and not calls.elemental(callee):
        result = b.port.program.scope(callee).find(callee.result or callee.name)
        return len(result.dimensions or ()) if result is not None else 0
    if not isinstance(e.base, Name) and callee is None:
        return 0
    if isinstance(e.base, Name) and callee is None and e.base.id not in b.unit.statement_functions:
        known = intrinsics.rank(b, e.base.id, e.arguments)
        if known is not None:
            return known
    return max((rank(b, a) for a in e.arguments), default=0)


def shape(b: Body, e: Expression) -> Shape:
    """Extents of an array expression."""
    if isinstance(e, (Name, Component, Hoisted)):
        array = find(b, e)
        return tuple(extent(b, dim, array) for dim in array.dims) if array else ()
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
        b.refuse("a section with a stride that is not constant")
    return v.number


def section_extent(b: Body, section: Section, dim: Dim, array: Array) -> Value:
    step = stride(b, section)
    first = expressions.value(b, section.lower) if section.lower is not None else None
    last = expressions.value(b, section.upper) if section.upper is not None else None
    upper = None if dim.extent is None else moved(plus(dim.lower, dim.extent), -1)
    # Also of a negative stride: a(::-1) has no elements.
    first, last = first or dim.lower, last or upper
    if first is None or last is None:
        b.refuse(f"a section of {array.text}", "its shape is not known here")
    span = minus(last, first)
    if first.vary or last.vary:
        if step != 1:
            b.refuse(f"a section of {array.text}", "its bounds differ between points")
        count = moved(span, 1)
        if not count.vary:
            return count
        b.most[count.text] = extent(b, dim, array)
        return count
    if isinstance(span.number, int):
        return integer(max(0, (span.number + step) // step))
    if step == 1:
        return moved(span, 1)
    text = f"max(({moved(span, step).text}) / {step}, 0)"
    return Value(text, "integer", False, kind=4)


# ---- Loops over elements


def conditions(b: Body, extents: Shape, at: Shape) -> Value | None:
    """Whether a point has this element, of an array whose extents differ between points."""
    texts = [
        f"({count.within(SUM)} > {place.text})"
        for count, place in zip(extents, at, strict=True)
        if count.vary
    ]
    if not texts:
        return None
    return Value(" & ".join(texts), "logical", True, PRIMARY if len(texts) == 1 else AND)


@contextmanager
def each(b: Body, extents: Shape, ragged: bool = False) -> Iterator[Shape]:
    """A loop over all elements; gives their subscripts, counted from 0. ragged: whether who asks
    looks at `conditions`."""
    places = []
    for extent_of in reversed(extents):
        count = extent_of
        if count.number == 1:
            places.append(integer(0))
            continue
        if count.vary:
            if not ragged or count.text not in b.most:
                b.refuse("a section", "its bounds differ between points", "write it as a loop")
            count = b.most[count.text]
        name = b.names.unique("e")
        b.out.put(f"for (int {name} = 0; {name} < {count.within(SUM)}; ++{name}) {{")
        b.out.depth += 1
        b.ranges[name] = (integer(0), moved(count, -1))
        places.append(Value(name, "integer", False, base=name, kind=4))
    yield tuple(reversed(places))
    for place in places:
        if place.base:
            b.out.depth -= 1
            b.out.put("}")


def temporary(b: Body, stem: str, type: str, kind: int, extents: Shape, vary: bool) -> Array:
    """A new array."""
    if any(count.vary for count in extents):
        b.refuse("a section", "its bounds differ between points", "write it as a loop")
    name = b.names.unique(stem)
    dims = tuple(Dim(integer(1), count) for count in extents)
    array = Array(name, type, kind, dims, LOCAL, vary)
    word = (POINT_TYPES if vary else SHARED_TYPES)[type]
    b.out.put(declaration(b, word, name, size(b, array)))
    return array


def declaration(b: Body, word: str, name: str, count: Value) -> str:
    if isinstance(count.number, int):
        if count.number > 4096:
            b.refuse(f"array {name} of {count.number} elements", "it is too large for a point")
        return f"{word} {name}[{max(count.number, 1)}] = {{}};"
    return f"BRIDGE_AUTOMATIC({word}, {name}, {count.text});"
