"""Arrays of which a nest does not ask where they begin: dimensions along which they stand as a
whole alone, or with subscripts that count from the first one, `a(lbound(a, 1) + i - 1)`, as names
of associate do. In the nest they may begin anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.outline.affine import Affine
from bridge_port.outline.setting import Setting
from bridge_port.program.symbols import COMMON, MODULE
from bridge_port.syntax.expressions import Apply, Expression, Name, Number, Section
from bridge_port.syntax.rewriting import replaced, rewrite
from bridge_port.syntax.statements import Statement, walk

#: (array, dimension from 1).
Dimensions = frozenset[tuple[str, int]]
WHOLE = Section(None, None, None)


def free_dimensions(setting: Setting, statements: Sequence[Statement]) -> Dimensions:
    """Of arrays whose bounds only a run knows."""
    found = _Found(setting)
    for s in walk(statements):
        for e in s.expressions():
            found.look(e)
    return frozenset(found.wholes - found.others)


def put_first_subscripts(statements: Sequence[Statement], free: Dimensions) -> Dimensions:
    """1 stands for lbound(a, n) of these. Those that it stood for."""
    done = set()

    def one(e: Expression) -> Expression | None:
        key = _asked(e)
        if key not in free:
            return None
        done.add(key)
        return Number("1")

    rewrite(statements, lambda e, _: replaced(e, one))
    return frozenset(done)


def lower_bound(array: str, dimension: int) -> Expression:
    return Apply(Name("lbound"), (Name(array), Number(str(dimension))))


def _asked(e: Expression) -> tuple[str, int] | None:
    """(a, n) of lbound(a, n)."""
    match e:
        case Apply(Name("lbound"), (Name(array), Number(digits))) if digits.isdigit():
            return array, int(digits)
    return None


class _Found:
    """wholes: dimensions that nobody asks the bounds of; others: those of which somebody does."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.wholes: set[tuple[str, int]] = set()
        self.others: set[tuple[str, int]] = set()

    def look(self, e: Expression) -> None:
        parts: Sequence[Expression] = tuple(e.parts())
        if isinstance(e, Apply) and isinstance(e.base, Name) and self._rank(e.base.id):
            parts = [part for n, a in enumerate(e.arguments, 1)
                     for part in self._subscript(e.base.id, n, a)]  # fmt: skip
        elif isinstance(e, Apply) and e.base in (Name("lbound"), Name("ubound")):
            names = [part.id for a in e.arguments for part in a.walk() if isinstance(part, Name)]
            self.others |= {(name, n) for name in names for n in range(1, 16)}
            return
        elif isinstance(e, Name) and (rank := self._rank(e.id)):
            self.wholes |= {(e.id, n) for n in range(1, rank + 1)}
        for part in parts:
            self.look(part)

    def _subscript(self, array: str, n: int, a: Expression) -> Iterator[Expression]:
        """What is left to be looked at of a subscript."""
        if a == WHOLE:
            self.wholes.add((array, n))
            return
        bounds = (a.lower, a.upper) if isinstance(a, Section) else (a,)
        relative = [self._from_first(array, n, one) for one in bounds if one is not None]
        known = [one.expression for one in relative if one is not None]
        if len(known) == len(relative):
            self.wholes.add((array, n))
            yield from known
            if isinstance(a, Section) and a.stride is not None:
                yield a.stride
            return
        self.others.add((array, n))
        yield a

    def _from_first(self, array: str, n: int, e: Expression) -> Affine | None:
        """How far an element lies from the first one; None where that is not what it says."""
        first = lower_bound(array, n)
        place = self.setting.affine(e)
        if dict(place.terms).get(first) != 1:
            return None
        rest = place - Affine(0, ((first, 1),))
        inside = (part for term, _ in rest.terms for part in term.walk())
        return None if any(part == first for part in inside) else rest

    def _rank(self, name: str) -> int:
        """Of an array that the nest is given, and whose bounds only a run knows; else 0."""
        symbol = self.setting.find(name)
        if symbol is None or not symbol.attributes & {"pointer", "allocatable"}:
            return 0
        if symbol.storage == COMMON or (
            symbol.storage == MODULE and "target" in symbol.attributes
        ):
            return 0
        dimensions = symbol.dimensions or ()
        return len(dimensions) if all(d.upper is None for d in dimensions) else 0
