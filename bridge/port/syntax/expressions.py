"""Nodes of expressions. Names are in lower case; nodes are values and can be compared.

Operators: + - * / ** // == /= < <= > >= .not. .and. .or. .eqv. .neqv., "()" around what stands in
parentheses (which Fortran evaluates first), and those that a program defines (.cross.).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

#: Names of the fields of each kind of node.
_FIELDS: dict[type, tuple[str, ...]] = {}


class Expression:
    """Of a value, of an array, of a place that is assigned to."""

    def parts(self) -> Iterator[Expression]:
        """The nodes directly below."""
        names = _FIELDS.get(type(self))
        if names is None:
            # Asked for at every node of every walk: dataclasses look it up anew each time.
            found = fields(self)  # type: ignore[arg-type]
            names = _FIELDS[type(self)] = tuple(one.name for one in found)
        for name in names:
            value = getattr(self, name)
            if isinstance(value, Expression):
                yield value
            elif isinstance(value, tuple):
                yield from (item for item in value if isinstance(item, Expression))

    def walk(self) -> Iterator[Expression]:
        """This node and all below it."""
        yield self
        for part in self.parts():
            yield from part.walk()


@dataclass(frozen=True)
class Number(Expression):
    """text: as written, in lower case: 1, 1.5, 1.0d0, 2_8, 1.0_wp."""

    text: str


@dataclass(frozen=True)
class Text(Expression):
    """A character constant, without its quotes."""

    value: str


@dataclass(frozen=True)
class Truth(Expression):
    value: bool


@dataclass(frozen=True)
class ComplexNumber(Expression):
    real: Expression
    imaginary: Expression


@dataclass(frozen=True)
class Name(Expression):
    id: str


@dataclass(frozen=True)
class Apply(Expression):
    """base(arguments): an element, a section or a function; only names tell."""

    base: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Component(Expression):
    """base%name."""

    base: Expression
    name: str


@dataclass(frozen=True)
class Section(Expression):
    """lower:upper:stride as an argument; None: left out."""

    lower: Expression | None
    upper: Expression | None
    stride: Expression | None


@dataclass(frozen=True)
class Keyword(Expression):
    """name=value as an argument."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Unary(Expression):
    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class ArrayConstructor(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class ImpliedDo(Expression):
    """(items, variable = first, last, step); bounds: two or three."""

    items: tuple[Expression, ...]
    variable: str
    bounds: tuple[Expression, ...]
