"""Trees with parts replaced: expressions are made anew, statements are changed where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from bridge_port.syntax.expressions import Apply, Component, Expression, Name
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
    Statement,
    walk,
)

Replace = Callable[[Expression], Expression | None]


def replaced(expression: Expression, function: Replace) -> Expression:
    """What `function` gives for a node stands for it; None: its parts are looked at."""
    new = function(expression)
    if new is not None:
        return new
    changes: dict[str, object] = {}
    for name in _fields(type(expression)) if expression.parts() else ():
        value = getattr(expression, name)
        if isinstance(value, Expression):
            made = replaced(value, function)
            if made is not value:
                changes[name] = made
        elif isinstance(value, tuple):
            items = [replaced(item, function) for item in value]
            if any(new is not old for new, old in zip(items, value, strict=True)):
                changes[name] = tuple(items)
    return replace(expression, **changes) if changes else expression  # type: ignore[type-var]


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
            target = s.target
            while isinstance(target, Apply | Component):
                target = target.base
            if isinstance(target, Name):
                found.add(target.id)
        elif isinstance(s, Do) and s.variable:
            found.add(s.variable)
    return found
