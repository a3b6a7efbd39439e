"""Whole numbers that are sums: what bounds of loops and subscripts differ by.

`affine` takes an expression apart into terms with factors and a number. A term is an expression
that is not understood further: a name, an element, a product of names. Two bounds can be compared
where their difference has no terms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bridge_port.syntax.expressions import Binary, Expression, Name, Number, Unary

#: An integer that an expression is known to have, or None.
Known = Callable[[Expression], int | None]


def literal(expression: Expression) -> int | None:
    """Of an integer constant as written."""
    if isinstance(expression, Number):
        digits = expression.text.split("_")[0]
        return int(digits) if digits.isdigit() else None
    return None


@dataclass(frozen=True)
class Affine:
    """number + sum of factor * term."""

    number: int = 0
    terms: tuple[tuple[Expression, int], ...] = field(default=())

    def __add__(self, other: Affine) -> Affine:
        return self._joined(other, 1)

    def __sub__(self, other: Affine) -> Affine:
        return self._joined(other, -1)

    def _joined(self, other: Affine, sign: int) -> Affine:
        sums = dict(self.terms)
        for term, factor in other.terms:
            sums[term] = sums.get(term, 0) + sign * factor
        return _affine(self.number + sign * other.number, sums)

    def times(self, factor: int) -> Affine:
        return _affine(self.number * factor, {t: f * factor for t, f in self.terms})

    @property
    def constant(self) -> int | None:
        """The number, where there are no terms."""
        return None if self.terms else self.number

    def factor(self, name: str) -> int:
        """Of the name as a term."""
        return dict(self.terms).get(Name(name), 0)

    def mentions(self, name: str) -> bool:
        return any(name in term.names for term, _ in self.terms)

    def without(self, name: str) -> Affine:
        return _affine(self.number, {t: f for t, f in self.terms if t != Name(name)})

    @property
    def expression(self) -> Expression:
        """As Fortran."""
        sum_: Expression | None = None
        for term, factor in self.terms:
            sum_ = _plus(sum_, term, factor)
        if self.number or sum_ is None:
            number = Number(str(abs(self.number)))
            if sum_ is None:
                return number if self.number >= 0 else Unary("-", number)
            return Binary("+" if self.number > 0 else "-", sum_, number)
        return sum_


def _plus(before: Expression | None, term: Expression, factor: int) -> Expression:
    part = term if abs(factor) == 1 else Binary("*", Number(str(abs(factor))), term)
    if before is None:
        return part if factor > 0 else Unary("-", part)
    return Binary("+" if factor > 0 else "-", before, part)


def _affine(number: int, sums: dict[Expression, int]) -> Affine:
    terms = [(t, f) for t, f in sums.items() if f]
    if len(terms) > 1:
        terms.sort(key=lambda one: repr(one[0]))
    return Affine(number, tuple(terms))


def affine(expression: Expression, known: Known = literal) -> Affine:
    """Never fails: what is not a sum is one term."""
    value = literal(expression)
    if value is None:
        value = known(expression)
    if value is not None:
        return Affine(value)
    match expression:
        case Unary("()" | "+", operand):
            return affine(operand, known)
        case Unary("-", operand):
            return affine(operand, known).times(-1)
        case Binary("+", left, right):
            return affine(left, known) + affine(right, known)
        case Binary("-", left, right):
            return affine(left, known) - affine(right, known)
        case Binary("*", left, right):
            one, other = affine(left, known), affine(right, known)
            for a, b in ((one, other), (other, one)):
                if a.constant is not None:
                    return b.times(a.constant)
    return _affine(0, {expression: 1})
