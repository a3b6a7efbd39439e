"""Intrinsics of whole small arrays: sums, extremes, products of matrices."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.semantic.intrinsics import TABLE, find
from bridge_port.syntax.expressions import Apply, Binary, Expression, Keyword, Name, Number
from bridge_port.translate import (
    arrays,
    complexes,
    designators,
    elements,
    expressions,
    located,
    operators,
    rearranged,
    transforms,
)
from bridge_port.translate.body import Array, Body, aside
from bridge_port.translate.values import (
    PRODUCT,
    ZEROS,
    Value,
    as_real,
    choice,
    integer,
    minus,
    moved,
    plus,
    truth,
)

#: What maxval and minval of no elements are, by type and bytes.
LIMITS = {
    "maxval": {
        ("integer", 4): "(-2147483647 - 1)", ("real", 4): "-3.4028234663852886e38",
        ("real", 8): "-1.7976931348623157e308",
    },
    "minval": {
        ("integer", 4): "2147483647", ("real", 4): "3.4028234663852886e38",
        ("real", 8): "1.7976931348623157e308",
    },
}  # fmt: skip
#: A factor of the elements of norm2 whose squares are beyond the largest number.
SMALL = 2.0**-600


def in_order(b: Body, name: str, arguments: Sequence[Expression]) -> list[Expression]:
    """Arguments with keywords in the places of their dummies; behind one that is left out they
    keep them."""
    one = find(name)
    if one is None or not any(isinstance(a, Keyword) for a in arguments):
        return list(arguments)
    by = one.bound(arguments)
    if by is None:
        words = one.dummies
        b.refuse(
            f"{name} with these arguments",
            "one of its arguments is unknown, or given twice",
            f"give {', '.join(words)}, each at most once",
        )
    names = sorted(by, key=one.place)
    return [by[n] if one.place(n) == k else Keyword(n, by[n]) for k, n in enumerate(names)]


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
        b.refuse(
            f"{name} without an array", "it reduces an array", "give the array first, or as array="
        )
    dim, mask = by.get("dim"), by.get("mask")
    for e in rest:
        if dim is None and located.is_dimension(b, e):
            dim = e
        else:
            mask = e
    of_logicals = TABLE[name].takes == {"logical"}
    if of_logicals:
        mask = None
    number = None if dim is None else expressions.dimension(b, name, dim)
    if number is None and mask is None and not of_logicals:
        array, mask = unpacked(array)
    return array, number, mask


def unpacked(e: Expression) -> tuple[Expression, Expression | None]:
    """pack(array, mask) as both."""
    if isinstance(e, Apply) and e.base == Name("pack") and len(e.arguments) == 2:
        by = dict(zip(("array", "mask"), e.arguments, strict=True))
        by |= {a.name: a.value for a in e.arguments if isinstance(a, Keyword)}
        if set(by) == {"array", "mask"}:
            return by["array"], by["mask"]
    return e, None


def rank(b: Body, name: str, arguments: Sequence[Expression]) -> int:
    arguments = in_order(b, name, arguments)
    if name == "dot_product":
        return 0
    if name == "matmul":
        return arrays.rank(b, arguments[0]) + arrays.rank(b, arguments[1]) - 2
    form = TABLE[name].form
    if form == "rearranged":
        return rearranged.rank(b, name, arguments)
    if form == "located":
        return located.rank(b, name, arguments)
    if form == "bounds":
        return 1
    if form == "reduced":
        array, dim, _ = parted(b, name, arguments)
        of = arrays.rank(b, array)
        if not of:
            b.refuse(
                f"{name} of a value that is no array",
                "it reduces an array",
                "use the value itself",
            )
        return of - 1 if dim is not None else 0
    b.refuse(f"{name} of an array", "it is not translated", "write it as a loop")


def scalar(b: Body, name: str, arguments: Sequence[Expression]) -> Value:
    """A reduction of all elements."""
    if name == "dot_product":
        x, y = (transforms.prepared(b, a, "") for a in in_order(b, name, arguments))
        extents = arrays.same_shape(b, [x, y])
        both = Binary("*", x, y)
        type = expressions.value(b, x, (integer(0),)).type
        if type == "complex":
            both = Binary("*", Apply(Name("conjg"), (x,)), y)
        if type == "logical":
            both = Binary(".and.", x, y)
            return reduced(b, "any", both, None, extents)
        return reduced(b, "sum", both, None, extents)
    if name == "norm2":
        x = transforms.prepared(b, arguments[0], "")
        return norm(b, x, arrays.shape(b, x))
    if TABLE[name].form == "located":
        return located.scalar(b, name, arguments)
    e, dim, mask = parted(b, name, arguments)
    if dim is not None and arrays.rank(b, e) > 1:
        b.refuse(f"{name} along a dimension", "one value is wanted here")
    e = transforms.prepared(b, e, "")
    mask = transforms.prepared(b, mask, "") if mask is not None else None
    extents = arrays.shape(b, e)
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
    with aside(b) as lines, elements.each(b, extents, ragged=True) as places:
        at = list(places)
        there = elements.conditions(b, extents, places)
        for dimension, subscript in fixed:
            at.insert(dimension, subscript)
        v = expressions.value(b, e, tuple(at) if arrays.rank(b, e) else ())
        chosen = None
        if mask is not None:
            chosen = expressions.value(b, mask, tuple(at) if arrays.rank(b, mask) else ())
        if v.type not in TABLE[name].takes - TABLE[name].refused:
            b.refuse(
                f"{name} of {v.type} values",
                "it does not take them",
                "give it values of the type that Fortran asks for",
            )
        if there is not None:
            chosen = there if chosen is None else operators.connective(b, ".and.", there, chosen)
        vary = v.vary or (chosen is not None and chosen.vary)
        start, step = one_step(b, name, total, v, vary)
        if chosen is not None:
            result = Value(total, step.type, vary)
            step = choice(chosen, step, result)
        b.out.put(f"{total} = {step.text};")
        # NaN is what elements that are all NaN have; no elements have the limit.
        some = None
        if name in LIMITS and v.type == "real" and (chosen is not None or not filled(extents)):
            some = Value(b.names.unique("some"), "logical", chosen is not None and chosen.vary)
            seen = truth(True) if chosen is None else operators.connective(
                b, ".or.", some, chosen)  # fmt: skip
            b.out.put(f"{some.text} = {seen.text};")
    result = Value(total, step.type, vary, kind=v.kind)
    b.out.put(f"{b.type_of(result)} {total} = {start};")
    if some is not None:
        b.out.put(f"{b.type_of(some)} {some.text} = {truth(False).text};")
    b.out.lines += lines.lines
    if some is not None:
        empty = Value(LIMITS[name][v.type, v.kind], v.type, False, kind=v.kind)
        b.out.put(f"{total} = {choice(some, result, empty).text};")
    return result


def filled(extents: tuple[Value, ...]) -> bool:
    """Whether there is known to be an element."""
    return all(isinstance(n := extent.number, int) and n > 0 for extent in extents)


def norm(
    b: Body, e: Expression, extents: tuple[Value, ...], fixed: tuple[tuple[int, Value], ...] = ()
) -> Value:
    """norm2. Where the squares are no numbers any more, those of the elements made small."""
    plain = reduced(b, "sum", Binary("*", e, e), None, extents, fixed)
    small = Binary("*", e, Number(f"{SMALL!r}_8"))
    root = b.names.unique("norm2_")
    b.out.put(f"{b.type_of(plain)} {root} = sqrt({plain.text});")
    beyond = f"!({plain.text} <= 1.7976931348623157e308)"
    b.out.put(f"if ({f'any({beyond})' if plain.vary else beyond}) {{")
    with b.out.indented():
        scaled = reduced(b, "sum", Binary("*", small, small), None, extents, fixed)
        whole = f"sqrt({scaled.text}) * {1 / SMALL!r}"
        b.out.put(f"{root} = select({beyond}, {whole}, {root});" if plain.vary
                  else f"{root} = {whole};")  # fmt: skip
    b.out.put("}")
    return Value(root, "real", plain.vary, kind=plain.kind)


def one_step(b: Body, name: str, total: str, v: Value, vary: bool) -> tuple[str, Value]:
    """(first value, new value)."""
    so_far = Value(total, v.type, vary, kind=v.kind)
    if name == "sum":
        return ZEROS[v.type], Value(f"{total} + {v.within(PRODUCT)}", v.type, vary, kind=v.kind)
    if name == "product":
        text = f"{total} * {v.within(PRODUCT + 1)}"
        one = {"real": "1.0", "complex": "{1.0, 0.0}"}.get(v.type, "1")
        return one, Value(text, v.type, vary, kind=v.kind)
    if name in ("maxval", "minval"):
        better = operators.compare(">" if name == "maxval" else "<", v, so_far)
        if v.type == "integer":
            return LIMITS[name][v.type, 4], choice(better, v, so_far)
        none = Value(f"isnan({total})", "logical", vary, kind=4)
        better = operators.connective(b, ".or.", better, none)
        return "BRIDGE_NAN", choice(better, v, so_far)
    if name == "count":
        counted = Value(total, "integer", vary, kind=4)
        return "0", choice(v, moved(counted, 1), counted)
    if TABLE[name].takes == {"integer"}:
        text = f"{total} {TABLE[name].word} {v.within(PRODUCT + 1)}"
        return "-1" if name == "iall" else "0", Value(text, "integer", vary, kind=4)
    if name == "parity":
        return "false", Value(f"{total} != {v.within(PRODUCT + 1)}", "logical", vary, kind=4)
    sign = ("|" if name == "any" else "&") * (1 if vary else 2)
    text = f"{total} {sign} {v.within(PRODUCT + 1)}"
    return truth(name == "all").text, Value(text, "logical", vary, kind=4)


# ---- Arrays as results


def array(b: Body, name: str, arguments: Sequence[Expression]) -> Array:
    """The result, in memory of its own."""
    arguments = in_order(b, name, arguments)
    form = TABLE[name].form
    if form == "rearranged":
        return rearranged.array(b, name, arguments)
    if form == "located":
        return located.array(b, name, arguments)
    if form == "bounds":
        return bounds(b, name, arguments)
    given = [transforms.prepared(b, a, "") if arrays.rank(b, a) else a for a in arguments]
    if name == "matmul":
        return product(b, given)
    if form == "reduced":
        e, dim, mask = parted(b, name, given)
        if dim is not None and arrays.rank(b, e) > 1:
            return along(b, name, e, dim, mask)
    b.refuse(f"{name} of an array", "it is not translated", "write it as a loop")


def bounds(b: Body, name: str, arguments: Sequence[Expression]) -> Array:
    """shape, lbound and ubound of all dimensions."""
    (e,) = arguments
    extents = arrays.shape(b, e)
    found = designators.find(b, e)
    values = []
    for n, extent in enumerate(extents):
        lower = found.dims[n].lower if found is not None else integer(1)
        last = minus(plus(lower, extent), integer(1))
        values.append({"shape": extent, "lbound": lower, "ubound": last}[name])
    result = elements.temporary(b, name, "integer", 4, (integer(len(values)),), False)
    for n, v in enumerate(values):
        b.out.put(f"{result.text}[{n}] = {v.text};")
    return result


def product(b: Body, given: list[Expression]) -> Array:
    left, right = given
    of, by = arrays.shape(b, left), arrays.shape(b, right)
    extents = (*of[:-1], *by[1:])
    kinds = [
        expressions.value(b, e, tuple(integer(0) for _ in s)) for e, s in ((left, of), (right, by))
    ]
    types = {v.type for v in kinds}
    type = next(t for t in ("logical", "complex", "real", "integer") if t in types)
    if type == "logical" and len(types) > 1:
        b.refuse(
            "matmul of logicals and numbers",
            "both factors are logicals, or both are numbers",
            "turn one into the other with merge",
        )
    result = elements.temporary(b, "product", type, max(v.kind for v in kinds), extents, True)
    with elements.each(b, extents) as at:
        column = elements.offset(b, result, at).text
        b.out.put(f"{result.text}[{column}] = {ZEROS[type]};")
        with elements.each(b, (of[-1],)) as inner:
            x = expressions.value(b, left, (*at[: len(of) - 1], *inner))
            y = expressions.value(b, right, (*inner, *at[len(of) - 1 :]))
            if type == "real":
                x, y = as_real(x), as_real(y)
            if type == "complex":
                x, y, _ = complexes.common(x, y)
            signs = "|&" if type == "logical" else "+*"
            term = f"{x.within(PRODUCT)} {signs[1]} {y.within(PRODUCT + 1)}"
            if type == "logical":
                term = f"({term})"
            b.out.put(f"{result.text}[{column}] = {result.text}[{column}] {signs[0]} {term};")
    return result


def along(b: Body, name: str, e: Expression, dim: int, mask: Expression | None) -> Array:
    """A reduction along one dimension."""
    extents = arrays.shape(b, e)
    if not 0 <= dim < len(extents):
        b.refuse(f"{name} along dimension {dim + 1}", f"there are {len(extents)}")
    rest = extents[:dim] + extents[dim + 1 :]
    sample = expressions.value(b, e, tuple(integer(0) for _ in extents))
    type = {"count": "integer"}.get(name, sample.type)
    result = elements.temporary(b, name, type, sample.kind, rest, True)
    with elements.each(b, rest) as at:
        fixed = [(k if k < dim else k + 1, place) for k, place in enumerate(at)]
        if name == "norm2":
            v = norm(b, e, (extents[dim],), tuple(fixed))
        else:
            v = reduced(b, name, e, mask, (extents[dim],), tuple(fixed))
        b.out.put(f"{result.text}[{elements.offset(b, result, at).text}] = {v.text};")
    return result
