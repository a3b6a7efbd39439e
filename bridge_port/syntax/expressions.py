"""Nodes of expressions. Names are in lower case; nodes are values and can be compared.

Operators: + - * / ** // == /= < <= > >= .not. .and. .or. .eqv. .neqv., "()" around what stands in
parentheses (which Fortran evaluates first), and those that a program defines (.cross.).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any


class Expression:
    """Of a value, of an array, of a place that is assigned to. It never changes: statements and
    their copies share it."""

    def parts(self) -> tuple[Expression, ...]:
        """The nodes directly below, in the order of the fields."""
        return ()

    def walk(self) -> Iterator[Expression]:
        """This node and all below it."""
        waiting: list[Expression] = [self]
        while waiting:
            one = waiting.pop()
            yield one
            waiting.extend(one.parts()[::-1])

    @property
    def root(self) -> str:
        """The name of the variable that an element, a section or a component is a part of, or the
        variable is; of name=value that of the value; "" of all else."""
        return ""

    @property
    def whole(self) -> Expression:
        """The array of an element or a section, the function of a call; itself of all else."""
        return self

    @property
    def reference(self) -> str:
        """The name before the parentheses of name(...), of an array or of a function; "" of all
        else."""
        return ""

    @cached_property
    def names(self) -> frozenset[str]:
        """That stand anywhere in it: they are asked for again and again."""
        return frozenset([one.id for one in self.walk() if isinstance(one, Name)])

    @cached_property
    def applied(self) -> frozenset[str]:
        """Names that stand before parentheses: of arrays and of functions."""
        return frozenset([one.reference for one in self.walk() if one.reference])

    def __deepcopy__(self, known: dict[int, Any]) -> Expression:
        return self


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

    def parts(self) -> tuple[Expression, ...]:
        return self.real, self.imaginary


@dataclass(frozen=True)
class Name(Expression):
    id: str

    @property
    def root(self) -> str:
        return self.id


@dataclass(frozen=True)
class Apply(Expression):
    """base(arguments): an element, a section or a function; only names tell."""

    base: Expression
    arguments: tuple[Expression, ...]

    def parts(self) -> tuple[Expression, ...]:
        return self.base, *self.arguments

    @property
    def root(self) -> str:
        return self.base.root

    @property
    def whole(self) -> Expression:
        return self.base

    @property
    def reference(self) -> str:
        return self.base.id if isinstance(self.base, Name) else ""


@dataclass(frozen=True)
class Component(Expression):
    """base%name."""

    base: Expression
    name: str

    def parts(self) -> tuple[Expression, ...]:
        return (self.base,)

    @property
    def root(self) -> str:
        return self.base.root


@dataclass(frozen=True)
class Section(Expression):
    """lower:upper:stride as an argument; None: left out."""

    lower: Expression | None
    upper: Expression | None
    stride: Expression | None

    def parts(self) -> tuple[Expression, ...]:
        return tuple([e for e in (self.lower, self.upper, self.stride) if e is not None])


@dataclass(frozen=True)
class Keyword(Expression):
    """name=value as an argument."""

    name: str
    value: Expression

    def parts(self) -> tuple[Expression, ...]:
        return (self.value,)

    @property
    def root(self) -> str:
        return self.value.root


@dataclass(frozen=True)
class Unary(Expression):
    operator: str
    operand: Expression

    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression

    def parts(self) -> tuple[Expression, ...]:
        return self.left, self.right


@dataclass(frozen=True)
class ArrayConstructor(Expression):
    items: tuple[Expression, ...]

    def parts(self) -> tuple[Expression, ...]:
        return self.items


@dataclass(frozen=True)
class ImpliedDo(Expression):
    """(items, variable = first, last, step); bounds: two or three."""

    items: tuple[Expression, ...]
    variable: str
    bounds: tuple[Expression, ...]

    def parts(self) -> tuple[Expression, ...]:
        return *self.items, *self.bounds


def is_substring(arguments: Sequence[Expression]) -> bool:
    """Whether they choose letters of a text that is no array."""
    return len(arguments) == 1 and isinstance(arguments[0], Section)
