"""Lines of Fortran that gather elements into a field of the module, or scatter it.

A subscript that is out of its array's bounds is one of a point whose condition leaves the element
alone: it is passed over. Conditions stand in ifs of their own, inner ones last, because Fortran
may compute both sides of .and.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bridge_port.kernel import View
from bridge_port.output.surroundings import Surroundings
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name, Number
from bridge_port.syntax.rewriting import replaced
from bridge_port.syntax.text import expression_text


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
    dimensions of points of the field; others: what stands in the dimensions that the view leaves
    as they are, ":" or a section for components."""

    own: str
    view: View
    heads: Mapping[str, str]
    rank: int
    around: Surroundings
    others: Sequence[str]

    def gather(self) -> list[str]:
        return self._copied(f"{self._field()} = {self._element()}")

    def scatter(self) -> list[str]:
        return self._copied(f"{self._element()} = {self._field()}")

    def _field(self) -> str:
        words = [head(n) for n in range(1, self.rank + 1)]
        words += [":" for word in self.others if ":" in word]
        return f"{self.own}({', '.join(words)})"

    def _element(self) -> str:
        return f"{self.view.array}_given({', '.join(self._words())})"

    def _words(self) -> list[str]:
        others = iter(self.others)
        return [
            next(others) if sub is None else expression_text(self._put(sub))
            for sub in self.view.subscripts
        ]

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
        return where_points(self.own, [
            "block",
            f"  integer :: {', '.join(heads)}",
            *("  " * depth + text for depth, text in enumerate(opening, 1)),
            "  " * (deepest + 1) + line,
            *("  " * (deepest - n) + text for n, text in enumerate(closing)),
            "end block",
        ])  # fmt: skip

    def _conditions(self) -> Iterator[str]:
        given = f"{self.view.array}_given"
        for n, (sub, word) in enumerate(zip(self.view.subscripts, self._words(), strict=True), 1):
            if sub is not None:
                yield from self._defined(self._put(sub))
            if ":" not in word:
                yield _within(word, given, n)

    def check(self, run: str, text: str) -> list[str]:
        """Stops the run where two points have one element; text: of the view."""
        given = f"{self.view.array}_given"
        numbered = list(enumerate(self.view.subscripts, 1))
        kept = [(n, self._put(sub)) for n, sub in numbered if sub is not None]
        heads = list(self.heads.values())
        bounds = [f"lbound({given}, {n}):ubound({given}, {n})" for n, _ in kept]
        seen = f"bridge_seen({', '.join(expression_text(one) for _, one in kept)})"
        conditions = [
            condition
            for n, one in kept
            for condition in (*self._defined(one), _within(expression_text(one), given, n))
        ]
        opening = [
            f"do {one} = lbound({self.own}, {n}), ubound({self.own}, {n})"
            for n in range(self.rank, 0, -1)
            if (one := head(n)) in heads
        ]
        opening += [f"if ({condition}) then" for condition in dict.fromkeys(conditions)]
        closing = ["end if"] * len(dict.fromkeys(conditions)) + ["end do"] * len(heads)
        deepest = len(opening) + 1
        return where_points(self.own, [
            "block",
            f"  integer :: {', '.join(heads)}",
            f"  logical, allocatable :: bridge_seen({', '.join(':' * len(kept))})",
            f"  allocate (bridge_seen({', '.join(bounds)}), source=.false.)",
            *("  " * depth + line for depth, line in enumerate(opening, 1)),
            "  " * deepest
            + f"if ({seen}) error stop '{run}: two points are one element of {text}'",
            "  " * deepest + f"{seen} = .true.",
            *("  " * (deepest - n) + line for n, line in enumerate(closing, 1)),
            "end block",
        ])  # fmt: skip

    def _defined(self, e: Expression) -> Iterator[str]:
        """What has to hold for its value to exist."""
        for part in e.parts():
            if isinstance(part, Name) and isinstance(e, Apply) and part is e.base:
                continue
            yield from self._defined(part)
        if isinstance(e, Apply) and isinstance(e.base, Name) and e.base.id.endswith("_given"):
            for n, argument in enumerate(e.arguments, 1):
                yield _within(expression_text(argument), e.base.id, n)
        elif isinstance(e, Apply) and e.base in (Name("mod"), Name("modulo")):
            if not isinstance(e.arguments[-1], Number):
                yield f"{expression_text(e.arguments[-1])} /= 0"
        elif isinstance(e, Binary) and e.operator == "/" and not isinstance(e.right, Number):
            yield f"{expression_text(e.right)} /= 0"


def where_points(own: str, lines: list[str]) -> list[str]:
    """Nothing is read, nor looked at, for a field without points: the loops have no rounds."""
    return [f"if (size({own}) > 0) then", *lines, "end if"]


def _within(text: str, array: str, dimension: int) -> str:
    low, high = (f"{end}bound({array}, {dimension})" for end in "lu")
    return f"{text} >= {low} .and. {text} <= {high}"
