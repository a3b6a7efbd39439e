"""Statements and expressions made anew with other parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from bridge_port.syntax.expressions import Expression
from bridge_port.syntax.statements import Arm, Case, Guard, Statement

Change = Callable[[Expression], Expression]


def rebuilt(
    one: Statement, change: Change, inner: Callable[[Statement], Statement] | None = None
) -> Statement:
    """A statement, and those inside, with other expressions; inner: of those inside, instead."""
    changes = {f.name: _value(getattr(one, f.name), change, inner) for f in fields(one)}
    return replace(one, **changes)


def with_parts(e: Expression, change: Change) -> Expression:
    """An expression with other parts."""
    changes = {f.name: _value(getattr(e, f.name), change) for f in fields(e)}  # type: ignore[arg-type]
    return replace(e, **changes)  # type: ignore[type-var]


def _value(
    value: Any, change: Change, inner: Callable[[Statement], Statement] | None = None
) -> Any:
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, Statement):
        return rebuilt(value, change) if inner is None else inner(value)
    if isinstance(value, Arm | Case | Guard):
        return replace(value, **{f.name: _value(getattr(value, f.name), change, inner)
                                 for f in fields(value)})  # fmt: skip
    if isinstance(value, list | tuple):
        return type(value)(_value(item, change, inner) for item in value)
    return value
