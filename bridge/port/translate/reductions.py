"""Intrinsics of whole small arrays: sums, extremes, products of matrices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from bridge.port.syntax.expressions import ArrayConstructor, Binary, Expression, Keyword
from bridge.port.translate import arrays, expressions, transforms
from bridge.port.translate.body import Array, Body, Dim, Hoisted
from bridge.port.translate.text import Lines
from bridge.port.translate.values import PRODUCT, ZEROS, Value, integer, moved, truth

SCALAR = frozenset("sum product maxval minval any all count dot_product norm2".split())
PLACES = frozenset(("maxloc", "minloc"))

#: Dummies of functions of several arguments, for those that are named.
DUMMIES = {
    "merge": "tsource fsource mask", "sign": "a b", "mod": "a p", "modulo": "a p",
    "atan2": "y x", "dim": "x y", "hypot": "x y", "ishft": "i shift", "btest": "i pos",
    "ibset": "i pos", "ibclr": "i pos", "ibits": "i pos len", "ishftc": "i shift size",
    "shiftr": "i shift", "shifta": "i shift", "scale": "x i", "matmul": "matrix_a matrix_b",
    "dot_product": "vector_a vector_b",
    "reshape": "source shape pad order",
}  # fmt: skip


def in_order(b: Body, name: str, arguments: Sequence[Expression]) -> list[Expression]:
    """Arguments with keywords in the places of their dummies."""
    if name not in DUMMIES or not any(isinstance(a, Keyword) for a in arguments):
        return list(arguments)
    words = DUMMIES[name].split()
    by = dict(zip(words, [a for a in arguments if not isinstance(a, Keyword)], strict=False))
    by |= {a.name: a.value for a in arguments if isinstance(a, Keyword)}
    if set(by) - set(words) or len(by) != len(arguments):
        b.refuse(f"{name} with these arguments")
    return [by[word] for word in words if word in by]


def parted(
    b: Body, name: str, arguments: Sequence[Expression]
) -> tuple[Expression, int | None, Expression | None]:
    """(array, dimension counted from 0, mask)."""
    by = {a.name: a.value for a in arguments if isinstance(a, Keyword)}
    rest = [a for a in arguments if not isinstance(a, Keyword)]
    for other in set(by) - {"array", "mask", "dim"}:
        b.refuse(f"{name} with {other}", "it is not translated", "write it as a loop")
    array = rest.pop(0) if rest else by.get("array") or by.get("mask")
    if array is None:
        b.refuse(f"{name} without an array")
    dim, mask = by.get("dim"), by.get("mask")
    for e in rest:
        if dim is None and not arrays.rank(b, e):
            dim = e
        else:
            mask = e
    if name in ("any", "all", "count"):
        mask = None
    number = None
    if dim is not None:
        found = expressions.value(b, dim).number
        if not isinstance(found, int):
            b.refuse(f"{name} along a dimension that is not constant")
        number = found - 1
    return array, number, mask


def rank(b: Body, name: str, arguments: Sequence[Expression]) -> int:
    arguments = in_order(b, name, arguments)
    if name == "dot_product":
        return 0
    if name == "matmul":
        return arrays.rank(b, arguments[0]) + arrays.rank(b, arguments[1]) - 2
    if name == "transpose":
        return 2
    if name == "spread":
        return arrays.rank(b, arguments[0]) + 1
    if name == "reshape":
        first = arguments[1].value if isinstance(arguments[1], Keyword) else arguments[1]
        (count,) = arrays.shape(b, first)
        return int(count.number or 0)
    if name in SCALAR or name in PLACES:
        array, dim, _ = parted(b, name, arguments)
        of = arrays.rank(b, array)
        if not of:
            b.refuse(f"{name} of a value that is no array")
        if name in PLACES and dim is None:
            return 1
        return of - 1 if dim is not None else 0
    b.refuse(f"{name} of an array", "it is not translated", "write it as a loop")


@contextmanager
def aside(b: Body) -> Iterator[Lines]:
    """What is written inside goes to lines of their own."""
    kept, b.out = b.out, Lines(b.out.depth)
    try:
        yield b.out
    finally:
        b.out = kept


def scalar(b: Body, name: str, arguments: Sequence[Expression]) -> Value:
    """A reduction of all elements."""
    if name == "dot_product":
        x, y = (transforms.prepared(b, a, "") for a in in_order(b, name, arguments))
        extents = arrays.same_shape(b, [x, y])
        both = Binary("*", x, y)
        type = expressions.value(b, x, (integer(0),)).type
        if type == "complex":
            b.refuse("dot_product of complex numbers", "kernels do not have it",
                     "sum(conjg(x)*y)")  # fmt: skip
        if type == "logical":
            both = Binary(".and.", x, y)
            return reduced(b, "any", both, None, extents)
        return reduced(b, "sum", both, None, extents)
    if name == "norm2":
        x = transforms.prepared(b, arguments[0], "")
        square = reduced(b, "sum", Binary("*", x, x), None, arrays.shape(b, x))
        return Value(f"sqrt({square.text})", "real", square.vary)
    e, dim, mask = parted(b, name, arguments)
    if dim is not None and arrays.rank(b, e) > 1:
        b.refuse(f"{name} along a dimension", "one value is wanted here")
    e = transforms.prepared(b, e, "")
    mask = transforms.prepared(b, mask, "") if mask is not None else None
    extents = arrays.shape(b, e)
    if name in PLACES:
        if dim is None or len(extents) != 1:
            b.refuse(f"{name} without dim", "it is an array", "write it as a loop, or with dim=1")
        return place_of(b, name, e, mask, extents[0])
    return reduced(b, name, e, mask, extents)


def reduced(
    b: Body,
    name: str,
    e: Expression,
    mask: Expression | None,
    extents: tuple[Value, ...],
    fixed: tuple[tuple[int, Value], ...] = (),
) -> Value:
    """Over a loop over all elements; fixed: (dimension, subscript) that stay."""
    total = b.names.unique(name if name in ("sum", "count") else f"{name}_")
    with aside(b) as lines, arrays.each(b, extents, ragged=True) as places:
        at = list(places)
        there = arrays.conditions(b, extents, places)
        for dimension, subscript in fixed:
            at.insert(dimension, subscript)
        v = expressions.value(b, e, tuple(at) if arrays.rank(b, e) else ())
        chosen = None
        if mask is not None:
            chosen = expressions.value(b, mask, tuple(at) if arrays.rank(b, mask) else ())
        logical = name in ("any", "all", "count")
        if logical != (v.type == "logical"):
            b.refuse(f"{name} of {v.type} values")
        if there is not None:
            chosen = there if chosen is None else expressions.connective(b, ".and.", there, chosen)
        vary = v.vary or (chosen is not None and chosen.vary)
        start, step = one_step(name, total, v, vary)
        if chosen is not None:
            result = Value(total, step.type, vary)
            step = expressions.choice(chosen, step, result)
        b.out.put(f"{total} = {step.text};")
    result = Value(total, step.type, vary, kind=v.kind)
    b.out.put(f"{b.type_of(result)} {total} = {start};")
    b.out.lines += lines.lines
    return result


def one_step(name: str, total: str, v: Value, vary: bool) -> tuple[str, Value]:
    """(first value, new value)."""
    so_far = Value(total, v.type, vary, kind=v.kind)
    if name == "sum":
        return ZEROS[v.type], Value(f"{total} + {v.within(PRODUCT)}", v.type, vary, kind=v.kind)
    if name == "product":
        text = f"{total} * {v.within(PRODUCT + 1)}"
        one = {"real": "1.0", "complex": "{1.0, 0.0}"}.get(v.type, "1")
        return one, Value(text, v.type, vary, kind=v.kind)
    if name in ("maxval", "minval"):
        sign, limits = (">", ("-1.7976931348623157e308", "-2147483647")) if name == "maxval" else (
            "<", ("1.7976931348623157e308", "2147483647")
        )  # fmt: skip
        better = expressions.compare(sign, v, so_far)
        return limits[v.type == "integer"], expressions.choice(better, v, so_far)
    if name == "count":
        counted = Value(total, "integer", vary, kind=4)
        return "0", expressions.choice(v, moved(counted, 1), counted)
    sign = ("|" if name == "any" else "&") * (1 if vary else 2)
    text = f"{total} {sign} {v.within(PRODUCT + 1)}"
    return truth(name == "all").text, Value(text, "logical", vary, kind=4)


def place_of(b: Body, name: str, e: Expression, mask: Expression | None, extent: Value) -> Value:
    """The first place of the extreme, counted from 1."""
    if mask is not None:
        b.refuse(f"{name} with a mask", "it is not translated", "write it as a loop")
    first = expressions.value(b, e, (integer(0),))
    best = b.names.unique("best")
    place = b.names.unique(name)
    with aside(b) as lines, arrays.each(b, (extent,)) as at:
        v = expressions.value(b, e, at)
        so_far = Value(best, v.type, v.vary, kind=v.kind)
        found = Value(place, "integer", v.vary, kind=4)
        better = b.constant(
            "better", expressions.compare(">" if name == "maxloc" else "<", v, so_far)
        )
        b.out.put(f"{best} = {expressions.choice(better, v, so_far).text};")
        here = moved(at[0], 1)
        b.out.put(f"{place} = {expressions.choice(better, here, found).text};")
    b.out.put(f"{b.type_of(so_far)} {best} = {first.text};")
    b.out.put(f"{b.type_of(found)} {place} = 1;")
    b.out.lines += lines.lines
    return found


# ---- Arrays as results


def array(b: Body, name: str, arguments: Sequence[Expression]) -> Array:
    """The result, in memory of its own."""
    arguments = in_order(b, name, arguments)
    if name == "reshape":
        return reshaped(b, arguments)
    given = [transforms.prepared(b, a, "") if arrays.rank(b, a) else a for a in arguments]
    if name == "matmul":
        return product(b, given)
    if name == "transpose":
        rows, columns = arrays.shape(b, given[0])
        return filled(b, "transposed", given[0], (columns, rows), lambda at: (at[1], at[0]))
    if name == "spread":
        by = dict(zip(("source", "dim", "ncopies"), given, strict=False))
        by |= {a.name: a.value for a in given if isinstance(a, Keyword)}
        place = expressions.value(b, by["dim"]).number
        if not isinstance(place, int):
            b.refuse("spread along a dimension that is not constant")
        source = by["source"]
        extents = list(arrays.shape(b, source))
        extents.insert(place - 1, expressions.value(b, by["ncopies"]))
        return filled(
            b, "copies", source, tuple(extents), lambda at: (*at[: place - 1], *at[place:])
        )
    if name in SCALAR:
        e, dim, mask = parted(b, name, given)
        if dim is not None and arrays.rank(b, e) > 1:
            return along(b, name, e, dim, mask)
    if name in PLACES:
        e, dim, mask = parted(b, name, given)
        if dim is None and arrays.rank(b, e) == 1:
            found = place_of(b, name, e, mask, arrays.shape(b, e)[0])
            result = arrays.temporary(b, "place", "integer", 4, (integer(1),), True)
            b.out.put(f"{result.text}[0] = {found.text};")
            return result
    b.refuse(f"{name} of an array", "it is not translated", "write it as a loop")


def filled(b: Body, stem: str, e: Expression, extents: tuple[Value, ...], where: object) -> Array:
    """Of elements of another array."""
    assert callable(where)
    sample = expressions.value(b, e, tuple(integer(0) for _ in range(arrays.rank(b, e))))
    result = arrays.temporary(b, stem, sample.type, sample.kind, extents, True)
    with arrays.each(b, extents) as at:
        v = expressions.value(b, e, where(at))
        b.out.put(f"{result.text}[{arrays.offset(b, result, at).text}] = {v.text};")
    return result


def product(b: Body, given: list[Expression]) -> Array:
    left, right = given
    of, by = arrays.shape(b, left), arrays.shape(b, right)
    extents = (*of[:-1], *by[1:])
    kinds = [
        expressions.value(b, e, tuple(integer(0) for _ in s)) for e, s in ((left, of), (right, by))
    ]
    if any(v.type == "logical" for v in kinds):
        b.refuse("matmul of logicals")
    if any(v.type == "complex" for v in kinds):
        b.refuse("matmul of complex numbers", "kernels do not have it", "write it as a loop")
    type = "real" if any(v.type == "real" for v in kinds) else "integer"
    result = arrays.temporary(b, "product", type, max(v.kind for v in kinds), extents, True)
    with arrays.each(b, extents) as at:
        column = arrays.offset(b, result, at).text
        b.out.put(f"{result.text}[{column}] = {ZEROS[type]};")
        with arrays.each(b, (of[-1],)) as inner:
            x = expressions.value(b, left, (*at[: len(of) - 1], *inner))
            y = expressions.value(b, right, (*inner, *at[len(of) - 1 :]))
            if type == "real":
                x, y = expressions.as_real(x), expressions.as_real(y)
            term = f"{x.within(PRODUCT)} * {y.within(PRODUCT + 1)}"
            b.out.put(f"{result.text}[{column}] = {result.text}[{column}] + {term};")
    return result


def reshaped(b: Body, arguments: Sequence[Expression]) -> Array:
    source, shape, *rest = (a.value if isinstance(a, Keyword) else a for a in arguments)
    if rest:
        b.refuse("reshape with pad or order")
    if not isinstance(shape, ArrayConstructor):
        b.refuse("reshape to a shape that is no list of constants")
    extents = [expressions.value(b, item) for item in transforms.items(b, shape)]
    source = transforms.prepared(b, source, "")
    if isinstance(source, Hoisted) and isinstance(source.value, Array):
        whole = source.value
    else:
        whole = filled(b, "reshaped", source, arrays.shape(b, source), lambda at: at)
    return replace(whole, dims=tuple(Dim(integer(1), extent) for extent in extents))


def along(b: Body, name: str, e: Expression, dim: int, mask: Expression | None) -> Array:
    """A reduction along one dimension."""
    extents = arrays.shape(b, e)
    if not 0 <= dim < len(extents):
        b.refuse(f"{name} along dimension {dim + 1}", f"there are {len(extents)}")
    rest = extents[:dim] + extents[dim + 1 :]
    sample = expressions.value(b, e, tuple(integer(0) for _ in extents))
    type = {"count": "integer"}.get(name, sample.type)
    result = arrays.temporary(b, name, type, sample.kind, rest, True)
    with arrays.each(b, rest) as at:
        fixed = [(k if k < dim else k + 1, place) for k, place in enumerate(at)]
        v = reduced(b, name, e, mask, (extents[dim],), tuple(fixed))
        b.out.put(f"{result.text}[{arrays.offset(b, result, at).text}] = {v.text};")
    return result
