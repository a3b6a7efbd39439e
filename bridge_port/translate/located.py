"""maxloc, minloc, findloc: places of elements, counted from 1; 0 where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bridge_port.semantic.intrinsics import TABLE
from bridge_port.syntax.expressions import Binary, Expression, Keyword, Truth
from bridge_port.translate import arrays, elements, expressions, operators, transforms
from bridge_port.translate.body import Array, Body, Hoisted, aside
from bridge_port.translate.values import Value, choice, integer, moved, truth


@dataclass(frozen=True)
class Request:
    """sought: of findloc; dim: counted from 0."""

    array: Expression
    sought: Expression | None
    dim: int | None
    mask: Expression | None
    back: bool


def request(b: Body, name: str, arguments: Sequence[Expression]) -> Request:
    by = {a.name: a.value for a in arguments if isinstance(a, Keyword)}
    rest = [a for a in arguments if not isinstance(a, Keyword)]
    first = TABLE[name].required
    lacking = [word for word in first if word not in by]
    strange = set(by) - set(TABLE[name].dummies)
    if strange or not 0 <= len(rest) - len(lacking) <= 2:
        b.refuse(
            f"{name} with these arguments",
            "one of its arguments is lacking, unknown, or given twice",
            f"give {', '.join(first)}, dim, mask and back by their names",
        )
    for word in lacking:
        by[word] = rest.pop(0)
    for e in rest:
        by.setdefault("dim" if "dim" not in by and is_dimension(b, e) else "mask", e)
    if "kind" in by and b.scope.constant(by["kind"]) != 4:
        b.refuse(f"{name} of another kind", "integers of kernels have 32 bits")
    back = by.get("back", Truth(False))
    if not isinstance(back, Truth):
        b.refuse(f"{name} with back", "it is no constant")
    dim = None
    if "dim" in by:
        dim = expressions.dimension(b, name, by["dim"])
        if not 0 <= dim < arrays.rank(b, by["array"]):
            b.refuse(f"{name} along dimension {dim + 1}", "the array has not so many")
    mask = by.get("mask")
    if mask == Truth(True):
        mask = None
    return Request(by["array"], by.get("value"), dim, mask, back.value)


def is_dimension(b: Body, e: Expression) -> bool:
    """Whether an argument without a name is dim, and no mask, which may be a scalar as well."""
    return not arrays.rank(b, e) and expressions.value(b, e).type != "logical"


def rank(b: Body, name: str, arguments: Sequence[Expression]) -> int:
    given = request(b, name, arguments)
    of = arrays.rank(b, given.array)
    if not of:
        b.refuse(
            f"{name} of a value that is no array",
            "it looks for an element of an array",
            "use the value itself",
        )
    return 1 if given.dim is None else of - 1


def scalar(b: Body, name: str, arguments: Sequence[Expression]) -> Value:
    """Along the one dimension of an array."""
    given = prepared(b, request(b, name, arguments))
    extents = arrays.shape(b, given.array)
    if given.dim is None or len(extents) != 1:
        b.refuse(f"{name} without dim", "it is an array", "write it as a loop, or with dim=1")
    return search(b, name, given, extents, ())[0]


def array(b: Body, name: str, arguments: Sequence[Expression]) -> Array:
    given = prepared(b, request(b, name, arguments))
    extents = arrays.shape(b, given.array)
    if given.dim is None:
        found = search(b, name, given, extents, ())
        result = elements.temporary(b, "place", "integer", 4, (integer(len(extents)),), True)
        for n, place in enumerate(found):
            b.out.put(f"{result.text}[{n}] = {place.text};")
        return result
    dim = given.dim
    rest = extents[:dim] + extents[dim + 1 :]
    result = elements.temporary(b, "places", "integer", 4, rest, True)
    with elements.each(b, rest) as at:
        fixed = tuple((k if k < dim else k + 1, place) for k, place in enumerate(at))
        (place,) = search(b, name, given, (extents[dim],), fixed)
        b.out.put(f"{result.text}[{elements.offset(b, result, at).text}] = {place.text};")
    return result


def prepared(b: Body, given: Request) -> Request:
    def before(e: Expression | None) -> Expression | None:
        return None if e is None else transforms.prepared(b, e, "")

    array, mask = before(given.array), before(given.mask)
    assert array is not None
    if mask is not None and arrays.rank(b, mask):
        arrays.same_shape(b, [array, mask])
    return Request(array, before(given.sought), given.dim, mask, given.back)


def search(
    b: Body,
    name: str,
    given: Request,
    extents: tuple[Value, ...],
    fixed: tuple[tuple[int, Value], ...],
) -> list[Value]:
    """A subscript for each of these dimensions; fixed: (dimension, subscript) of others."""
    stems = [b.names.unique(name) for _ in extents]
    best = b.names.unique("best")
    if any(extent.number == 0 for extent in extents):
        return [integer(0) for _ in extents]
    # Without a mask the first element is the first guess, where it is known that there is one.
    plain = name != "findloc" and given.mask is None and not given.back and len(extents) == 1
    plain = plain and extents[0].number is not None
    with aside(b) as lines, elements.each(b, extents) as places:
        at = list(places)
        for dimension, subscript in fixed:
            at.insert(dimension, subscript)
        v = expressions.value(b, given.array, tuple(at))
        chosen = truth(True)
        if given.mask is not None:
            of_mask = tuple(at) if arrays.rank(b, given.mask) else ()
            chosen = expressions.value(b, given.mask, of_mask)
            if chosen.type != "logical":
                b.refuse(
                    f"{name} with a mask that is no logical",
                    "a mask is a logical",
                    "compare it, as in mask /= 0",
                )
        vary = v.vary or chosen.vary
        if name == "findloc":
            assert given.sought is not None
            sought = expressions.value(b, given.sought)
            vary = vary or sought.vary
        found = [Value(stem, "integer", vary, kind=4) for stem in stems]
        none = operators.compare("==", found[0], integer(0))
        so_far = Value(best, v.type, vary, kind=v.kind)
        if name == "findloc":
            op = ".eqv." if v.type == "logical" else "=="
            better = expressions.binary(b, Binary(op, Hoisted(v), Hoisted(sought)), ())
            if not given.back:
                better = operators.connective(b, ".and.", none, better)
        else:
            sign = (">" if name == "maxloc" else "<") + ("=" if given.back else "")
            better = operators.compare(sign, v, so_far)
            if not plain:
                better = operators.connective(b, ".or.", none, better)
            if v.type == "real":  # NaN is chosen only where there is nothing else
                numbers = Value(f"isnan({best})", "logical", vary, kind=4)
                real = Value(f"!isnan({v.text})", "logical", v.vary, kind=4)
                better = operators.connective(
                    b, ".or.", better, operators.connective(b, ".and.", numbers, real)
                )
        better = b.constant("better", operators.connective(b, ".and.", chosen, better))
        if name != "findloc":
            b.out.put(f"{best} = {choice(better, v, so_far).text};")
        for place, one in zip(places, found, strict=True):
            b.out.put(f"{one.text} = {choice(better, moved(place, 1), one).text};")
    sample = tuple(integer(0) for _ in range(len(extents) + len(fixed)))
    if name != "findloc":
        at = list(integer(0) for _ in extents)
        for dimension, subscript in fixed:
            at.insert(dimension, subscript)
        first = expressions.value(b, given.array, tuple(at) if plain else sample)
        b.out.put(f"{b.type_of(so_far)} {best} = {first.text};")
    for one in found:
        b.out.put(f"{b.type_of(one)} {one.text} = {1 if plain else 0};")
    b.out.lines += lines.lines
    return found
