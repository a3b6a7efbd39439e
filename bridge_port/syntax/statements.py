"""Nodes of executable statements.

place: its lines, of a construct up to its end line; label: of Fortran, "" where there is none;
comments: the lines of comment that stand before it, and behind it on its lines, as written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from bridge_port.refusal import NOWHERE, Place
from bridge_port.syntax.expressions import Component, Expression


class Node:
    """A copy has lists of its own; all else in it never changes."""

    def __deepcopy__(self, known: dict[int, Any]) -> Node:
        made = object.__new__(type(self))
        known[id(self)] = made
        made.__dict__.update(self.__dict__)
        for name, value in self.__dict__.items():
            if isinstance(value, list):
                made.__dict__[name] = deepcopy(value, known)
        return made


@dataclass
class Statement(Node):
    place: Place = NOWHERE
    label: str = ""
    comments: tuple[str, ...] = ()

    def bodies(self) -> Iterable[list[Statement]]:
        """The lists of statements inside."""
        return ()

    def expressions(self) -> Iterable[Expression]:
        """Those of the statement itself, not of statements inside."""
        return ()


def walk(body: Sequence[Statement]) -> Iterator[Statement]:
    """All statements, those inside behind what holds them."""
    waiting: list[Iterator[Statement]] = [iter(body)]
    while waiting:
        for statement in waiting[-1]:
            yield statement
            if inner := statement.bodies():
                waiting.append(chain.from_iterable(inner))
                break
        else:
            waiting.pop()


@dataclass
class Assignment(Statement):
    target: Expression = field(kw_only=True)
    value: Expression = field(kw_only=True)

    def expressions(self) -> Iterable[Expression]:
        return self.target, self.value


@dataclass
class PointerAssignment(Assignment):
    """target => value."""


@dataclass
class Arm(Node):
    """condition: None of an else; comments: before the line that begins it."""

    condition: Expression | None
    body: list[Statement]
    place: Place = NOWHERE
    comments: tuple[str, ...] = ()


@dataclass
class If(Statement):
    """Also of one statement behind the condition; name: of the construct; end_label: of its end
    if."""

    arms: list[Arm] = field(kw_only=True)
    name: str = ""
    end_label: str = ""

    def bodies(self) -> Iterable[list[Statement]]:
        return [arm.body for arm in self.arms]

    def expressions(self) -> Iterable[Expression]:
        return [arm.condition for arm in self.arms if arm.condition is not None]


@dataclass
class Where(If):
    """Conditions are of arrays."""


@dataclass
class Do(Statement):
    """variable = first, last, step; or while condition; or, with neither, for ever. concurrent:
    do concurrent of one index. end_label: the label that the loop ends at, which a labelled last
    statement of the body carries as well."""

    body: list[Statement] = field(kw_only=True)
    name: str = ""
    variable: str = ""
    first: Expression | None = None
    last: Expression | None = None
    step: Expression | None = None
    condition: Expression | None = None
    concurrent: bool = False
    end_label: str = ""

    def bodies(self) -> Iterable[list[Statement]]:
        return (self.body,)

    def expressions(self) -> Iterable[Expression]:
        four = (self.first, self.last, self.step, self.condition)
        return [one for one in four if one is not None]


@dataclass
class Case(Node):
    """values: a Section for a range; None of case default; () of statements before the first case,
    which is an error."""

    values: tuple[Expression, ...] | None
    body: list[Statement]
    place: Place = NOWHERE
    comments: tuple[str, ...] = ()


@dataclass
class Select(Statement):
    subject: Expression = field(kw_only=True)
    cases: list[Case] = field(kw_only=True)
    name: str = ""

    def bodies(self) -> Iterable[list[Statement]]:
        return [case.body for case in self.cases]

    def expressions(self) -> Iterable[Expression]:
        return [self.subject, *(one for case in self.cases for one in case.values or ())]


@dataclass
class Call(Statement):
    """call procedure(arguments); procedure: a Name, or a Component of a type."""

    procedure: Expression = field(kw_only=True)
    arguments: tuple[Expression, ...] = ()

    def expressions(self) -> Iterable[Expression]:
        """With the object of a type-bound procedure."""
        if isinstance(self.procedure, Component):
            return self.procedure, *self.arguments
        return self.arguments


@dataclass
class Return(Statement):
    pass


@dataclass
class Exit(Statement):
    name: str = ""


@dataclass
class Cycle(Statement):
    name: str = ""


@dataclass
class Goto(Statement):
    """leaves: of an exit, the construct that it leaves."""

    target: str = field(kw_only=True)
    leaves: str = field(default="", kw_only=True)


@dataclass
class ComputedGoto(Statement):
    targets: tuple[str, ...] = field(kw_only=True)
    subject: Expression = field(kw_only=True)

    def expressions(self) -> Iterable[Expression]:
        return (self.subject,)


@dataclass
class ArithmeticIf(Statement):
    """if (subject) less, equal, greater."""

    subject: Expression = field(kw_only=True)
    targets: tuple[str, str, str] = field(kw_only=True)

    def expressions(self) -> Iterable[Expression]:
        return (self.subject,)


@dataclass
class Continue(Statement):
    """Also a comment at the end of a body."""


@dataclass
class Unread(Statement):
    """What is not understood, or no kernel may do; construct: its name ("write", "stop",
    "allocate", "statement"); text: as written, in lower case outside strings; why: "" or what
    could not be read; inside: the lines up to the end of a construct whose names may mean
    something else than outside it (associate, block)."""

    text: str = field(kw_only=True)
    construct: str = "statement"
    why: str = ""
    inside: tuple[str, ...] = ()


@dataclass
class Stop(Statement):
    """What ends the run, where a point gets a status for it instead; text: as written."""

    text: str = field(kw_only=True)


@dataclass
class Guard(Node):
    """of: type, class or default; name: of a derived type, "" of a type of the language."""

    of: str
    name: str
    body: list[Statement]
    place: Place = NOWHERE
    comments: tuple[str, ...] = ()


@dataclass
class SelectType(Unread):
    """Of a variable under its own name. No statement that a nest can have: which guard is meant is
    known where the type of the variable is."""

    subject: Expression = field(kw_only=True)
    guards: list[Guard] = field(kw_only=True)

    def bodies(self) -> Iterable[list[Statement]]:
        return [guard.body for guard in self.guards]

    def expressions(self) -> Iterable[Expression]:
        return (self.subject,)
