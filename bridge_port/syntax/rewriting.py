"""Trees with other parts: expressions are made anew, statements made anew or changed where they
are. What is not changed stays the same object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from bridge_port.syntax.expressions import Expression, Name
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Arm,
    Assignment,
    Call,
    Case,
    ComputedGoto,
    Continue,
    Do,
    Goto,
    Guard,
    Statement,
    walk,
)

Change = Callable[[Expression], Expression]
Replace = Callable[[Expression], Expression | None]


def with_parts(expression: Expression, change: Change) -> Expression:
    """With what `change` gives for each of the parts directly below."""
    changes: dict[str, object] = {}
    for name in _fields(type(expression)) if expression.parts() else ():
        value = getattr(expression, name)
        if isinstance(value, Expression):
            made = change(value)
            if made is not value:
                changes[name] = made
        elif isinstance(value, tuple):
            items = [change(item) for item in value]
            if any(new is not old for new, old in zip(items, value, strict=True)):
                changes[name] = tuple(items)
    return replace(expression, **changes) if changes else expression  # type: ignore[type-var]


def replaced(expression: Expression, function: Replace) -> Expression:
    """What `function` gives for a node stands for it; None: its parts are looked at."""
    new = function(expression)
    return with_parts(expression, lambda part: replaced(part, function)) if new is None else new


#: Names of the fields of each kind of node: dataclasses look them up anew each time.
_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(kind: Any) -> tuple[str, ...]:
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple([one.name for one in fields(kind)])
    return _FIELDS[kind]


def with_names(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    """Names replaced by expressions."""

    def value(e: Expression) -> Expression | None:
        return values.get(e.id) if isinstance(e, Name) else None

    return replaced(expression, value) if values else expression


def rebuilt(
    one: Statement, change: Change, inner: Callable[[Statement], Statement] | None = None
) -> Statement:
    """A new statement with other expressions, and so those inside; inner: of these instead."""

    def made(value: Any) -> Any:
        if isinstance(value, Expression):
            return change(value)
        if isinstance(value, Statement):
            return rebuilt(value, change) if inner is None else inner(value)
        if isinstance(value, Arm | Case | Guard):
            return replace(value, **{n: made(getattr(value, n)) for n in _fields(type(value))})
        if isinstance(value, list | tuple):
            return type(value)(made(item) for item in value)
        return value

    return replace(one, **{name: made(getattr(one, name)) for name in _fields(type(one))})


def rewrite(
    body: Sequence[Statement], function: Callable[[Expression, Statement], Expression]
) -> None:
    """Every expression of the statements, those inside too, becomes what `function` gives."""
    for statement in walk(body):
        rewrite_own(statement, lambda e, s=statement: function(e, s))  # type: ignore[misc]


def rewrite_own(statement: Statement, function: Callable[[Expression], Expression]) -> None:
    """Expressions of the statement itself, not of statements inside."""
    for name in _fields(type(statement)):
        value = getattr(statement, name)
        if isinstance(value, Expression):
            if name == "procedure" and isinstance(statement, Call):
                continue
            setattr(statement, name, function(value))
        elif isinstance(value, tuple) and any(isinstance(item, Expression) for item in value):
            setattr(statement, name, tuple([function(item) for item in value]))
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, Arm) and item.condition is not None:
                    item.condition = function(item.condition)
                elif isinstance(item, Case) and item.values is not None:
                    item.values = tuple(function(one) for one in item.values)


def mentions(expression: Expression, name: str) -> bool:
    """Whether the name stands in it."""
    return name in expression.names


def names_of(statement: Statement) -> Iterator[str]:
    """Names in the statement itself, variables of loops among them, not of statements inside."""
    if isinstance(statement, Do) and statement.variable:
        yield statement.variable
    for expression in statement.expressions():
        yield from (e.id for e in expression.walk() if isinstance(e, Name))


def targets(body: Sequence[Statement]) -> set[str]:
    """Labels that a statement goes to."""
    found: set[str] = set()
    for statement in walk(body):
        if isinstance(statement, Goto):
            found.add(statement.target)
        elif isinstance(statement, ComputedGoto | ArithmeticIf):
            found.update(statement.targets)
    return found


def without_ends(body: Sequence[Statement], needed: set[str]) -> list[Statement]:
    """Without the continue that only ends a loop."""
    return [s for s in body if not isinstance(s, Continue) or s.label in needed or s.comments]


def assigned(body: Sequence[Statement]) -> set[str]:
    """Names of variables that assignments and loops give a value; calls are another matter."""
    found = set()
    for s in walk(body):
        if isinstance(s, Assignment):
            found.add(s.target.root)
        elif isinstance(s, Do) and s.variable:
            found.add(s.variable)
    return found
