"""Intrinsics that give the elements of a small array in other places: transpose, spread, reshape,
cshift, eoshift, pack of all elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product as every

from bridge_port.semantic.intrinsics import TABLE
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Expression,
    Name,
    Truth,
)
from bridge_port.translate import arrays, elements, expressions, operators, transforms
from bridge_port.translate.body import Array, Body, Dim, Hoisted
from bridge_port.translate.values import ZEROS, Value, as_bits, choice, integer, moved, plus

#: Elements that are written one by one.
MOST = 256


def given(b: Body, name: str, arguments: Sequence[Expression]) -> dict[str, Expression]:
    by = TABLE[name].bound(arguments)
    if by is None:
        b.refuse(
            f"{name} with these arguments",
            "one of its arguments is lacking, unknown, or given twice",
            "give its arguments in their order, each once",
        )
    return by


def rank(b: Body, name: str, arguments: Sequence[Expression]) -> int:
    by = given(b, name, arguments)
    if name == "transpose":
        return 2
    if name == "pack":
        return 1
    if name == "spread":
        return arrays.rank(b, by["source"]) + 1
    if name == "reshape":
        return len(numbers(b, by["shape"], "the shape of reshape"))
    return arrays.rank(b, by["array"])


def array(b: Body, name: str, arguments: Sequence[Expression]) -> Array:
    """In memory of its own."""
    by = given(b, name, arguments)
    return {
        "transpose": transposed, "spread": spread, "reshape": reshaped, "cshift": turned,
        "eoshift": shifted, "pack": packed,
    }[name](b, by)  # fmt: skip


def before(b: Body, e: Expression) -> Expression:
    return transforms.prepared(b, e, "") if arrays.rank(b, e) else e


def filled(
    b: Body,
    stem: str,
    e: Expression,
    extents: tuple[Value, ...],
    where: Callable[[tuple[Value, ...]], tuple[Value, ...]],
) -> Array:
    """Of elements of another array."""
    sample = expressions.value(b, e, tuple(integer(0) for _ in range(arrays.rank(b, e))))
    result = elements.temporary(b, stem, sample.type, sample.kind, extents, True)
    with elements.each(b, extents) as at:
        v = expressions.value(b, e, where(at))
        b.out.put(f"{result.text}[{elements.offset(b, result, at).text}] = {v.text};")
    return result


def transposed(b: Body, by: dict[str, Expression]) -> Array:
    matrix = before(b, by["matrix"])
    rows, columns = arrays.shape(b, matrix)
    return filled(b, "transposed", matrix, (columns, rows), lambda at: (at[1], at[0]))


def spread(b: Body, by: dict[str, Expression]) -> Array:
    source = before(b, by["source"])
    place = expressions.dimension(b, "spread", by["dim"])
    extents = list(arrays.shape(b, source))
    extents.insert(place, expressions.value(b, by["ncopies"]))
    return filled(b, "copies", source, tuple(extents), lambda at: (*at[:place], *at[place + 1 :]))


def numbers(b: Body, e: Expression, what: str) -> list[int]:
    """The elements of a list of integers that are known."""
    found: Sequence[object] | None
    if isinstance(e, ArrayConstructor):
        found = [expressions.value(b, item).number for item in arrays.items(b, e)]
    elif isinstance(e, Apply) and e.base == Name("shape") and len(e.arguments) == 1:
        found = [extent.number for extent in arrays.shape(b, e.arguments[0])]
    else:
        found = b.scope.table(e)
    if found is None or not all(isinstance(n, int) for n in found):
        b.refuse(what, "it is no list of constants")
    return [int(n) for n in found if isinstance(n, int)]


def linear(b: Body, e: Expression) -> Array:
    """Its elements one behind the other."""
    e = before(b, e)
    if isinstance(e, Hoisted) and isinstance(e.value, Array):
        return e.value
    return filled(b, "reshaped", e, arrays.shape(b, e), lambda at: at)


def count(b: Body, a: Array, what: str) -> int:
    found = elements.size(b, a).number
    if not isinstance(found, int) or found > MOST:
        b.refuse(what, f"the number of its elements is not known, or above {MOST}")
    return found


def reshaped(b: Body, by: dict[str, Expression]) -> Array:
    if isinstance(by["shape"], ArrayConstructor):
        extents = [expressions.value(b, item) for item in arrays.items(b, by["shape"])]
    else:
        extents = [integer(n) for n in numbers(b, by["shape"], "reshape")]
    whole = linear(b, by["source"])
    if "pad" not in by and "order" not in by:
        return replace(whole, dims=tuple(Dim(integer(1), extent) for extent in extents))
    sizes = [extent.number for extent in extents]
    order = numbers(b, by["order"], "the order of reshape") if "order" in by else []
    order = order or list(range(1, len(sizes) + 1))
    if not all(isinstance(n, int) for n in sizes) or sorted(order) != [*range(1, len(sizes) + 1)]:
        b.refuse("reshape", "its shape and its order have to be constants")
    pad = linear(b, by["pad"]) if "pad" in by else None
    known, more = count(b, whole, "reshape"), count(b, pad, "reshape") if pad else 0
    result = elements.temporary(b, "reshaped", whole.type, whole.kind, tuple(extents), True)
    if count(b, result, "reshape") > known and not more:
        b.refuse("reshape", "its source has not so many elements")
    by_order = [range(int(sizes[n - 1] or 0)) for n in order]
    for number, turned in enumerate(every(*reversed(by_order))):
        at = dict(zip(order, reversed(turned), strict=True))
        places = tuple(integer(at[n]) for n in range(1, len(sizes) + 1))
        column = elements.offset(b, result, places).text
        from_pad = pad is not None and number >= known
        text = f"{pad.text}[{(number - known) % more}]" if from_pad and pad else ""
        b.out.put(f"{result.text}[{column}] = {text or f'{whole.text}[{number}]'};")
    return result


def packed(b: Body, by: dict[str, Expression]) -> Array:
    if by["mask"] != Truth(True) or "vector" in by:
        b.refuse("pack", "how many elements it has differs between points",
                 "sum, maxval and minval take the mask; else write it as a loop")  # fmt: skip
    whole = linear(b, by["array"])
    return replace(whole, dims=(Dim(integer(1), elements.size(b, whole)),))


# ---- Shifts along one dimension


def shift(b: Body, name: str, by: dict[str, Expression]) -> tuple[Expression, int, Value, Value]:
    """(array, dimension counted from 0, its extent, number of places)."""
    e = before(b, by["array"])
    dim = expressions.dimension(b, name, by["dim"]) if "dim" in by else 0
    extents = arrays.shape(b, e)
    if not 0 <= dim < len(extents):
        b.refuse(f"{name} along dimension {dim + 1}", f"there are {len(extents)}")
    if arrays.rank(b, by["shift"]):
        b.refuse(f"{name} by an array", "it is not translated", "write it as a loop")
    places = expressions.value(b, by["shift"])
    if places.type != "integer":
        b.refuse(
            f"{name} by something other than an integer",
            "it moves elements by a whole number",
            "give an integer, as in int(x)",
        )
    if places.number is None and not places.text.isidentifier():
        places = b.constant("shift", places)
    return e, dim, extents[dim], places


def turned(b: Body, by: dict[str, Expression]) -> Array:
    e, dim, extent, places = shift(b, "cshift", by)

    def where(at: tuple[Value, ...]) -> tuple[Value, ...]:
        place = plus(at[dim], places)
        if isinstance(place.number, int) and isinstance(extent.number, int):
            found = integer(place.number % extent.number)
        else:
            a, n = place, extent
            if a.vary:
                n = as_bits(n)
            found = Value(f"modulo({a.text}, {n.text})", "integer", a.vary, kind=4)
        return (*at[:dim], found, *at[dim + 1 :])

    return filled(b, "turned", e, arrays.shape(b, e), where)


def shifted(b: Body, by: dict[str, Expression]) -> Array:
    e, dim, extent, places = shift(b, "eoshift", by)
    extents = arrays.shape(b, e)
    sample = expressions.value(b, e, tuple(integer(0) for _ in extents))
    edge = Value(ZEROS[sample.type], sample.type, False)
    if "boundary" in by:
        if arrays.rank(b, by["boundary"]):
            b.refuse("eoshift with an array as boundary", "it is not translated")
        edge = operators.converted(b, expressions.value(b, by["boundary"]), sample.type)
    if sample.type == "complex":
        b.refuse("eoshift of complex numbers", "it is not translated", "write it as a loop")
    result = elements.temporary(b, "shifted", sample.type, sample.kind, extents, True)
    last = moved(extent, -1)
    with elements.each(b, extents) as at:
        place = plus(at[dim], places)
        column = elements.offset(b, result, at).text
        there = operators.connective(
            b, ".and.", operators.compare(">=", place, integer(0)),
            operators.compare("<=", place, last),
        )  # fmt: skip
        if there.number is not None and not there.number:
            v = edge
        else:
            if isinstance(place.number, int) and isinstance(extent.number, int):
                place = integer(place.number)
            v = expressions.value(b, e, (*at[:dim], place, *at[dim + 1 :]))
            v = choice(there, v, edge)
        b.out.put(f"{result.text}[{column}] = {v.text};")
    return result
