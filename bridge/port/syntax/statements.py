"""Nodes of executable statements.

place: its lines, of a construct up to its end line; label: of Fortran, "" where there is none;
comments: the lines of comment that stand before it, and behind it on its lines, as written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bridge.port.refusal import NOWHERE, Place
from bridge.port.syntax.expressions import Component, Expression


@dataclass
class Statement:
    place: Place = NOWHERE
    label: str = ""
    comments: tuple[str, ...] = ()

    def bodies(self) -> Iterator[list[Statement]]:
        """The lists of statements inside."""
        return iter(())

    def expressions(self) -> Iterator[Expression]:
        """Those of the statement itself, not of statements inside."""
        return iter(())


def walk(body: Sequence[Statement]) -> Iterator[Statement]:
    """All statements, those inside behind what holds them."""
    for statement in body:
        yield statement
        for inner in statement.bodies():
            yield from walk(inner)


@dataclass
class Assignment(Statement):
    target: Expression = field(kw_only=True)
    value: Expression = field(kw_only=True)

    def expressions(self) -> Iterator[Expression]:
        yield self.target
        yield self.value


@dataclass
class PointerAssignment(Assignment):
    """target => value."""


@dataclass
class Arm:
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

    def bodies(self) -> Iterator[list[Statement]]:
        yield from (arm.body for arm in self.arms)

    def expressions(self) -> Iterator[Expression]:
        yield from (arm.condition for arm in self.arms if arm.condition is not None)


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

    def bodies(self) -> Iterator[list[Statement]]:
        yield self.body

    def expressions(self) -> Iterator[Expression]:
        four = (self.first, self.last, self.step, self.condition)
        yield from (one for one in four if one is not None)


@dataclass
class Case:
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

    def bodies(self) -> Iterator[list[Statement]]:
        yield from (case.body for case in self.cases)

    def expressions(self) -> Iterator[Expression]:
        yield self.subject
        for case in self.cases:
            yield from case.values or ()


@dataclass
class Call(Statement):
    """call procedure(arguments); procedure: a Name, or a Component of a type."""

    procedure: Expression = field(kw_only=True)
    arguments: tuple[Expression, ...] = ()

    def expressions(self) -> Iterator[Expression]:
        """With the object of a type-bound procedure."""
        if isinstance(self.procedure, Component):
            yield self.procedure
        yield from self.arguments


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

    def expressions(self) -> Iterator[Expression]:
        yield self.subject


@dataclass
class ArithmeticIf(Statement):
    """if (subject) less, equal, greater."""

    subject: Expression = field(kw_only=True)
    targets: tuple[str, str, str] = field(kw_only=True)

    def expressions(self) -> Iterator[Expression]:
        yield self.subject


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
class Guard:
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

    def bodies(self) -> Iterator[list[Statement]]:
        yield from (guard.body for guard in self.guards)

    def expressions(self) -> Iterator[Expression]:
        yield self.subject
