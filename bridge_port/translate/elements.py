"""Elements of small arrays, loops over them, and arrays that hold what is computed before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from bridge_port.translate import complexes
from bridge_port.translate.body import HOST, LOCAL, TABLE, Array, Body, Dim
from bridge_port.translate.values import (
    AND,
    POINT_TYPES,
    PRIMARY,
    SHARED_TYPES,
    SUM,
    Total,
    Value,
    as_bits,
    integer,
    moved,
    plus,
    times,
)

Shape = tuple[Value, ...]


def extent(b: Body, dim: Dim, array: Array) -> Value:
    if dim.extent is None:
        b.refuse(f"array {array.spelled}", "its shape is not known here", shape_of(b, array))
    return dim.extent


def shape_of(b: Body, array: Array) -> str:
    """What to say of a table of a module, or of an argument of the kernel."""
    symbol = array.outside
    if symbol is None and array.where == LOCAL and (own := b.scope.find(array.origin)) is not None:
        name = b.origin(own)
    else:
        name = symbol.name if symbol is not None and array.where == HOST else ""
    if not name or "%" in name:
        return "give it explicit bounds"
    return f"say its shape, --shape {name}={','.join('N' for _ in array.dims)}"


def larger(b: Body, array: Array) -> str:
    """What to say of an element that is not there."""
    symbol = b.scope.find(array.origin)
    name = b.origin(symbol) if symbol is not None and array.where == LOCAL else ""
    if symbol is None or not name or symbol.name not in dict(b.context.rooms):
        return "change the subscript or the bounds"
    return f"say more elements, --shape {name}=N"


def size(b: Body, array: Array) -> Value:
    total = integer(1)
    for dim in array.dims:
        total = times(total, extent(b, dim, array))
    return total


#: Dimensions of a table.
RANK = 3

# ---- One element


def limit(b: Body, total: Total, above: bool, depth: int = 4) -> Total:
    """What an integer is never above, or never below: ends of loops for their variables."""
    found = Total((), total.constant)
    for text, factor in total.terms:
        last = (factor > 0) == above
        term = Total(((text, 1),))
        if text in b.ranges and depth:
            term = limit(b, b.ranges[text][last].total, last, depth - 1)
        found = found.plus(term, factor)
    return found


def least(b: Body, total: Total) -> int | None:
    """A constant that an integer is never below; there is a species at least."""
    found = limit(b, total, False)
    known = b.fixed_total(found)
    return known.a + known.b if known is not None and known.a >= 0 else None


def held(b: Body, place: Value, dim: Dim, array: Array) -> Value:
    """A subscript that is inside whatever runs: points that are off compute it as well."""
    low = least(b, place.total)
    if not place.linear[0]:
        assert low is not None
        if low < 0 or (dim.extent is not None and dim.extent.number is not None
                       and low >= int(dim.extent.number)):  # fmt: skip
            b.refuse(
                f"{array.spelled} with a subscript out of its bounds",
                "there is no such element",
                larger(b, array),
            )
    if dim.extent is None:
        if place.vary or low is None or low < 0:
            b.refuse(f"array {array.spelled}", "its shape is not known here", shape_of(b, array))
        return place
    room = least(b, dim.extent.total.plus(limit(b, place.total, True), -1))
    if low is not None and low >= 0 and room is not None and room > 0:
        return place
    if low == 0 and not place.linear[0]:
        return place
    call = f"inside({as_bits(place).text if place.vary else place.text}, "
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
        b.refuse(f"a value of {array.spelled}", "of a derived type", "name its components")
    if len(places) != len(array.dims):
        b.refuse(f"array {array.spelled}", "one value is wanted here")
    if array.where == HOST:
        places = _in_table(places, array)
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


def merged(dims: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """Of a table: the dimensions from the third on are one, in Fortran's order."""
    if len(dims) <= RANK:
        return dims
    total = integer(1)
    for dim in dims[RANK - 1 :]:
        total = times(total, dim.extent or integer(1))
    return (*dims[: RANK - 1], Dim(integer(1), total))


def _in_table(places: Shape, array: Array) -> Shape:
    """Subscripts of the dimensions that a table has."""
    if len(places) <= RANK:
        return places
    total, step = integer(0), integer(1)
    for place, dim in zip(places[RANK - 1 :], array.dims[RANK - 1 :], strict=True):
        total = plus(total, times(place, step))
        step = times(step, dim.extent or integer(1))
    return (*places[: RANK - 1], total)


def of_table(v: Value, array: Array) -> Value:
    """Tables hold doubles."""
    if array.type == "integer":
        word = "Bits<Real>" if v.vary else "int"
        return Value(f"{word}({v.text})", "integer", v.vary, kind=array.kind)
    if array.type == "logical":
        return Value(f"({v.text} != 0.0)", "logical", v.vary, kind=array.kind)
    return replace(v, kind=array.kind)


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


# ---- Arrays of the kernel alone


def temporary(b: Body, stem: str, type: str, kind: int, extents: Shape, vary: bool) -> Array:
    """A new array."""
    if any(count.vary for count in extents):
        b.refuse("a section", "its bounds differ between points", "write it as a loop")
    if type not in POINT_TYPES:
        b.refuse(f"an array of type {type}", "kernels have arrays of numbers and logicals",
                 "compare with one text after the other")  # fmt: skip
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
