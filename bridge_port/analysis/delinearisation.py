"""Subscripts that count several loops at once: `offset + j + (k - 1)*n` with a loop `j = 1, n`.

No two points have one element where each factor is a multiple of that of the loop before times its
rounds, as the digits of a number. What is no sum and no product is not understood further.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

from bridge_port.analysis.affine import Known, literal
from bridge_port.analysis.setting import Setting
from bridge_port.syntax.expressions import Binary, Expression, Name, Unary
from bridge_port.syntax.statements import Do

#: Factors of a product, in the order of their text -> how many of it.
Polynomial = dict[tuple[Expression, ...], int]


def counts(setting: Setting, subscript: Expression, loops: Sequence[Do]) -> bool:
    """Whether all rounds of these loops together have subscripts of their own. Nothing else in the
    subscript changes in them."""
    place = polynomial(subscript, setting.known)
    names = {loop.variable for loop in loops}
    factors: dict[str, Polynomial] = {}
    rounds: dict[str, Polynomial] = {}
    for loop in loops:
        factor, count = _factor(place, loop.variable), _rounds(setting, loop)
        if factor is None or count is None or _mentions(factor, names) or _mentions(count, names):
            return False
        factors[loop.variable], rounds[loop.variable] = factor, count
    return any(_follow(order, factors, rounds) for order in permutations(factors))


def _follow(
    order: Sequence[str], factors: Mapping[str, Polynomial], rounds: Mapping[str, Polynomial]
) -> bool:
    """Whether each factor is a multiple of what the loops before it span. Where a loop has no
    round there is no point at all."""
    span: Polynomial = {(): 1}
    for variable in order:
        if not _multiple(factors[variable], span):
            return False
        span = _product(factors[variable], rounds[variable])
    return True


def _multiple(one: Polynomial, other: Polynomial) -> bool:
    """Whether it is the other one times a whole number that is not 0."""
    if not one or one.keys() != other.keys():
        return False
    ratios = {divmod(n, other[term]) for term, n in one.items()}
    return len(ratios) == 1 and next(iter(ratios))[1] == 0


def _rounds(setting: Setting, loop: Do) -> Polynomial | None:
    """None where its step is not 1 or -1."""
    step = 1 if loop.step is None else setting.affine(loop.step).constant
    if step not in (1, -1) or loop.first is None or loop.last is None:
        return None
    ends = [polynomial(e, setting.known) for e in (loop.first, loop.last)]
    low, high = ends if step > 0 else reversed(ends)
    return _sum(_sum(high, low, -1), {(): 1}, 1)


def _factor(place: Polynomial, variable: str) -> Polynomial | None:
    """Of a variable; None where it stands in a product with itself, or where it is not seen what
    its place in a term does."""
    found: Polynomial = {}
    for term, n in place.items():
        rest = tuple(e for e in term if e != Name(variable))
        if any(e == Name(variable) for one in rest for e in one.walk()):
            return None
        if len(rest) < len(term) - 1:
            return None
        if len(rest) < len(term):
            found[rest] = n
    return found


def _mentions(one: Polynomial, names: set[str]) -> bool:
    return any(
        isinstance(e, Name) and e.id in names
        for term in one for factor in term for e in factor.walk()
    )  # fmt: skip


def polynomial(e: Expression, known: Known = literal) -> Polynomial:
    """Never fails: what is no sum and no product is one factor."""
    value = literal(e)
    value = known(e) if value is None else value
    if value is not None:
        return {(): value} if value else {}
    match e:
        case Unary("()" | "+", operand):
            return polynomial(operand, known)
        case Unary("-", operand):
            return _sum({}, polynomial(operand, known), -1)
        case Binary("+" | "-" as sign, left, right):
            factor = 1 if sign == "+" else -1
            return _sum(polynomial(left, known), polynomial(right, known), factor)
        case Binary("*", left, right):
            return _product(polynomial(left, known), polynomial(right, known))
    return {(e,): 1}


def _sum(one: Polynomial, other: Polynomial, factor: int) -> Polynomial:
    found = dict(one)
    for term, n in other.items():
        found[term] = found.get(term, 0) + factor * n
    return {term: n for term, n in found.items() if n}


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for first, n in one.items():
        for second, m in other.items():
            term = tuple(sorted((*first, *second), key=repr))
            found[term] = found.get(term, 0) + n * m
    return {term: n for term, n in found.items() if n}
