"""Subscripts that are counted from the first one of their array: `u(lbound(u, 1) + i - 1)`.

A name of `associate` that stands for a section, `c => state%u(:, :)`, begins at 1, and so
`c(i, k)` is counted like that. Where all subscripts of a dimension are, they become `u(i)`, and
the array begins at 1 along it for the nest, whatever bounds it has.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridge.port.outline.affine import Affine
from bridge.port.outline.arrayelements import own_bounds
from bridge.port.outline.rewriting import replaced, rewrite
from bridge.port.outline.setting import Setting
from bridge.port.syntax.expressions import Apply, Expression, Name, Number, Section
from bridge.port.syntax.statements import Statement, walk

_WHOLE = Section(None, None, None)
Dimension = tuple[str, int]


def put_firsts(setting: Setting, statements: Sequence[Statement]) -> frozenset[Dimension]:
    """Arrays and dimensions, from 1, that begin at 1 in the statements then."""
    found = _Firsts(setting)
    for s in walk(statements):
        for e in s.expressions():
            found.sort(e)
    chosen = frozenset(found.counted - found.others)
    if chosen:
        rewrite(statements, lambda e, s: replaced(e, lambda one: found.put(one, chosen)))
    return chosen


class _Firsts:
    """counted: dimensions with subscripts from the first one on; others: with other ones, or
    whose bounds are asked for."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.counted: set[Dimension] = set()
        self.others: set[Dimension] = set()

    def sort(self, e: Expression) -> None:
        if isinstance(e, Apply) and isinstance(e.base, Name) and self._rank(e.base.id):
            for n, a in enumerate(e.arguments, 1):
                if a == _WHOLE:
                    continue
                rest = self._rest(a, e.base.id, n)
                (self.others if rest is None else self.counted).add((e.base.id, n))
                for part in [a] if rest is None else rest:
                    self.sort(part)
            return
        if isinstance(e, Apply) and e.base in (Name("lbound"), Name("ubound")):
            names = [part.id for a in e.arguments for part in a.walk() if isinstance(part, Name)]
            self.others |= {(name, n) for name in names for n in range(1, 16)}
            return
        for part in e.parts():
            self.sort(part)

    def _rank(self, name: str) -> int:
        return own_bounds(self.setting, name)

    def _rest(self, e: Expression, array: str, n: int) -> list[Expression] | None:
        """What a subscript has beside the first one of the dimension, None where it is not counted
        from that."""
        if isinstance(e, Section):
            if e.stride is not None:
                return None
            parts = [self._rest(end, array, n) for end in (e.lower, e.upper) if end is not None]
            return None if None in parts else [one for part in parts for one in part or ()]
        first = _first(array, n)
        place = self.setting.affine(e)
        if dict(place.terms).get(first) != 1:
            return None
        return [term for term, _ in place.terms if term != first]

    def put(self, e: Expression, chosen: frozenset[Dimension]) -> Expression | None:
        if not isinstance(e, Apply) or not isinstance(e.base, Name) or not self._rank(e.base.id):
            return None
        array = e.base.id

        def inside(one: Expression) -> Expression:
            return replaced(one, lambda part: self.put(part, chosen))

        def moved(one: Expression, n: int) -> Expression:
            place = self.setting.affine(one) - Affine(0, ((_first(array, n), 1),)) + Affine(1)
            return inside(place.expression)

        arguments = list(e.arguments)
        for n, a in enumerate(arguments, 1):
            if (array, n) not in chosen or a == _WHOLE:
                arguments[n - 1] = inside(a)
            elif isinstance(a, Section):
                ends = [None if end is None else moved(end, n) for end in (a.lower, a.upper)]
                arguments[n - 1] = Section(ends[0], ends[1], None)
            else:
                arguments[n - 1] = moved(a, n)
        return Apply(e.base, tuple(arguments))


def _first(array: str, n: int) -> Expression:
    return Apply(Name("lbound"), (Name(array), Number(str(n))))
