"""Lines of Fortran that gather elements into a field of the module, or scatter it.

A subscript that is out of its array's bounds is one of a point whose condition leaves the element
alone: it is passed over. Conditions stand in ifs of their own, inner ones last, because Fortran
may compute both sides of .and.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bridge.port.kernel import View
from bridge.port.outline.rewriting import replaced
from bridge.port.output.surroundings import Surroundings
from bridge.port.syntax.expressions import Apply, Binary, Expression, Name, Number
from bridge.port.syntax.text import expression_text


def names_in(view: View) -> list[str]:
    """What its subscripts read, but for the loops' variables."""
    names = {
        e.id: None
        for sub in view.subscripts
        if sub is not None
        for e in sub.walk()
        if isinstance(e, Name) and e.id not in view.variables
    }
    return list(names)


def arrays_in(view: View, around: Surroundings) -> list[str]:
    return [n for n in names_in(view) if _is_variable(n, around, True)]


def scalars_in(view: View, around: Surroundings) -> list[str]:
    return [n for n in names_in(view) if _is_variable(n, around, False)]


def _is_variable(name: str, around: Surroundings, array: bool) -> bool:
    symbol = around.scope.find(name)
    return symbol is not None and (symbol.dimensions is not None) == array


def head(number: int) -> str:
    """An index of the field; no name of the original."""
    return f"bridge_n{number}"


@dataclass
class Copy:
    """own: the field; heads: variable of a loop -> the index of the field that runs over it; rank:
    dimensions of points of the field; rests: dimension of the array -> the section of its
    components that is copied, where it is not all of them."""

    own: str
    view: View
    heads: Mapping[str, str]
    rank: int
    around: Surroundings
    rests: Mapping[int, str] = field(default_factory=dict)

    def gather(self) -> list[str]:
        return self._copied(f"{self._field()} = {self._element()}")

    def scatter(self) -> list[str]:
        return self._copied(f"{self._element()} = {self._field()}")

    def _field(self) -> str:
        words = [head(n) for n in range(1, self.rank + 1)]
        words += [":" for sub in self.view.subscripts if sub is None]
        return f"{self.own}({', '.join(words)})"

    def _element(self) -> str:
        words = [
            self.rests.get(n, ":") if sub is None else expression_text(self._put(sub))
            for n, sub in enumerate(self.view.subscripts, 1)
        ]
        return f"{self.view.array}_given({', '.join(words)})"

    def _put(self, e: Expression) -> Expression:
        def put(one: Expression) -> Expression | None:
            if not isinstance(one, Name):
                return None
            if one.id in self.heads:
                return Name(self.heads[one.id])
            symbol = self.around.scope.find(one.id)
            if symbol is not None and symbol.dimensions is not None:
                return Name(f"{one.id}_given")
            return None

        return replaced(e, put)

    def _copied(self, line: str) -> list[str]:
        heads = [head(n) for n in range(1, self.rank + 1)]
        opening = [
            f"do {head(n)} = lbound({self.own}, {n}), ubound({self.own}, {n})"
            for n in range(self.rank, 0, -1)
        ]
        conditions = list(dict.fromkeys(self._conditions()))
        opening += [f"if ({condition}) then" for condition in conditions]
        closing = ["end if"] * len(conditions) + ["end do"] * self.rank
        deepest = len(opening)
        return [
            "block",
            f"  integer :: {', '.join(heads)}",
            *("  " * depth + text for depth, text in enumerate(opening, 1)),
            "  " * (deepest + 1) + line,
            *("  " * (deepest - n) + text for n, text in enumerate(closing)),
            "end block",
        ]

    def _conditions(self) -> Iterator[str]:
        given = f"{self.view.array}_given"
        for n, sub in enumerate(self.view.subscripts, 1):
            if sub is not None:
                one = self._put(sub)
                yield from self._defined(one)
                yield _within(one, given, n)

    def _defined(self, e: Expression) -> Iterator[str]:
        """What has to hold for its value to exist."""
        for part in e.parts():
            if isinstance(part, Name) and isinstance(e, Apply) and part is e.base:
                continue
            yield from self._defined(part)
        if isinstance(e, Apply) and isinstance(e.base, Name) and e.base.id.endswith("_given"):
            for n, argument in enumerate(e.arguments, 1):
                yield _within(argument, e.base.id, n)
        elif isinstance(e, Apply) and e.base in (Name("mod"), Name("modulo")):
            if not isinstance(e.arguments[-1], Number):
                yield f"{expression_text(e.arguments[-1])} /= 0"
        elif isinstance(e, Binary) and e.operator == "/" and not isinstance(e.right, Number):
            yield f"{expression_text(e.right)} /= 0"


def _within(e: Expression, array: str, dimension: int) -> str:
    text = expression_text(e)
    low, high = (f"{end}bound({array}, {dimension})" for end in "lu")
    return f"{text} >= {low} .and. {text} <= {high}"
