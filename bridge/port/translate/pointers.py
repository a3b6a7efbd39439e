"""Pointers to objects whose target is known where they are named: it stands in their place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.port.program.symbols import LOCAL
from bridge.port.syntax.expressions import Apply, Component, Expression, Name, Unary
from bridge.port.syntax.rebuilt import rebuilt, with_parts
from bridge.port.syntax.statements import Continue, If, PointerAssignment, Statement, walk

Targets = dict[str, Expression]


def without_pointers(body: list[Statement], scope: Any, absent: frozenset[str]) -> list[Statement]:
    """The statements in their order; a pointer that is assigned elsewhere than among them, or
    under a condition that is no present(...), stays."""
    if not any(isinstance(one, PointerAssignment) for one in walk(body)):
        return body
    targets: Targets = {}
    found: list[Statement] = []
    for one in body:
        assigned = _assigned([one], scope, absent)
        if assigned is not None:
            for pointer, value in assigned:
                targets[pointer] = _put(value, targets)
            found.append(Continue(one.place, one.label, one.comments))
            continue
        for inner in walk([one]):
            if isinstance(inner, PointerAssignment) and isinstance(inner.target, Name):
                targets.pop(inner.target.id, None)
        found.append(rebuilt(one, lambda e, now=dict(targets): _put(e, now)))  # type: ignore[misc]
    return found


def _assigned(
    body: Sequence[Statement], scope: Any, absent: frozenset[str]
) -> list[tuple[str, Expression]] | None:
    """Pointers and targets, where the statements do nothing else."""
    found: list[tuple[str, Expression]] = []
    for one in body:
        if isinstance(one, PointerAssignment):
            if not _is_pointer(one.target, scope) or not _is_object(one.value, scope):
                return None
            assert isinstance(one.target, Name)
            found.append((one.target.id, one.value))
        elif isinstance(one, If):
            inner = _chosen(one, scope, absent)
            if inner is None:
                return None
            found += inner
        elif not isinstance(one, Continue) or len(body) == 1:
            return None
    return found


def _chosen(one: If, scope: Any, absent: frozenset[str]) -> list[tuple[str, Expression]] | None:
    """Of the arm that is meant; all of them have to be of pointers alone."""
    arms = [_assigned(arm.body, scope, absent) for arm in one.arms]
    if any(arm is None for arm in arms):
        return None
    for arm, inner in zip(one.arms, arms, strict=True):
        given = True if arm.condition is None else _present(arm.condition, scope, absent)
        if given is None:
            return None
        if given:
            return inner
    return []


def _present(e: Expression, scope: Any, absent: frozenset[str]) -> bool | None:
    if isinstance(e, Unary) and e.operator in (".not.", "()"):
        inner = _present(e.operand, scope, absent)
        return inner if inner is None or e.operator == "()" else not inner
    if not isinstance(e, Apply) or e.base != Name("present") or len(e.arguments) != 1:
        return None
    argument = e.arguments[0]
    if not isinstance(argument, Name) or scope.find("present") is not None:
        return None
    return argument.id not in absent


def _is_pointer(e: Expression, scope: Any) -> bool:
    """A local scalar of a derived type."""
    symbol = scope.find(e.id) if isinstance(e, Name) else None
    return (
        symbol is not None and symbol.type == "type" and "pointer" in symbol.attributes
        and symbol.dimensions is None and symbol.storage == LOCAL and symbol.scope is scope
    )  # fmt: skip


def _is_object(e: Expression, scope: Any) -> bool:
    """A variable of a derived type, or a component of one, without subscripts."""
    while isinstance(e, Component):
        e = e.base
    symbol = scope.find(e.id) if isinstance(e, Name) else None
    return symbol is not None and symbol.type == "type" and symbol.dimensions is None


def _put(e: Expression, targets: Targets) -> Expression:
    if isinstance(e, Name):
        return targets.get(e.id, e)
    return with_parts(e, lambda part: _put(part, targets))
