"""Pointers whose target is known where they are named: it stands in their place. Of objects, and
of numbers and arrays of numbers as wholes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.program.derivedtypes import at_end
from bridge_port.program.symbols import LOCAL, Scope, Symbol
from bridge_port.syntax.expressions import (
    Apply,
    Component,
    Expression,
    ImpliedDo,
    Name,
    Unary,
)
from bridge_port.syntax.rewriting import rebuilt, with_parts
from bridge_port.syntax.statements import (
    ArithmeticIf,
    ComputedGoto,
    Continue,
    Do,
    Goto,
    If,
    PointerAssignment,
    Statement,
    walk,
)
from bridge_port.translate.values import POINT_TYPES

Targets = dict[str, Expression]


def without_pointers(
    body: list[Statement], scope: Scope, absent: frozenset[str]
) -> list[Statement]:
    """The statements in their order; a pointer that is assigned elsewhere than among them, or
    under a condition that is no present(...), stays."""
    set_ = [one.target for one in walk(body) if isinstance(one, PointerAssignment)]
    if not set_ or any(Name(counter) in set_ for counter in _counters(body)):
        return body
    jumps = any(isinstance(one, Goto | ComputedGoto | ArithmeticIf) for one in walk(body))
    if jumps and len(set_) > len(set(set_)):
        return body  # a jump may leave out one of them
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


def _counters(body: Sequence[Statement]) -> Iterator[str]:
    """Variables of loops: these are names in statements, where no target can stand."""
    for one in walk(body):
        if isinstance(one, Do):
            yield one.variable
        for e in one.expressions():
            yield from (part.variable for part in e.walk() if isinstance(part, ImpliedDo))


def _assigned(
    body: Sequence[Statement], scope: Scope, absent: frozenset[str]
) -> list[tuple[str, Expression]] | None:
    """Pointers and targets, where the statements do nothing else."""
    found: list[tuple[str, Expression]] = []
    for one in body:
        if isinstance(one, PointerAssignment):
            pointer, target = _pointer(one.target, scope), _end(one.value, scope)
            if pointer is None or target is None or not _matches(pointer, target):
                return None
            found.append((pointer.name, one.value))
        elif isinstance(one, If):
            inner = _chosen(one, scope, absent)
            if inner is None:
                return None
            found += inner
        elif not isinstance(one, Continue) or len(body) == 1:
            return None
    return found


def _chosen(one: If, scope: Scope, absent: frozenset[str]) -> list[tuple[str, Expression]] | None:
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


def _present(e: Expression, scope: Scope, absent: frozenset[str]) -> bool | None:
    if isinstance(e, Unary) and e.operator in (".not.", "()"):
        inner = _present(e.operand, scope, absent)
        return inner if inner is None or e.operator == "()" else not inner
    if not isinstance(e, Apply) or e.base != Name("present") or len(e.arguments) != 1:
        return None
    argument = e.arguments[0]
    if not isinstance(argument, Name) or scope.find("present") is not None:
        return None
    return argument.id not in absent


def _pointer(e: Expression, scope: Scope) -> Symbol | None:
    """A local one."""
    symbol = scope.find(e.id) if isinstance(e, Name) else None
    if symbol is None or symbol.storage != LOCAL or symbol.scope is not scope:
        return None
    return symbol if "pointer" in symbol.attributes else None


def _end(e: Expression, scope: Scope) -> Symbol | None:
    """The variable, or the component, that a name without subscripts ends at."""
    names: list[str] = []
    while isinstance(e, Component):
        names.insert(0, e.name)
        e = e.base
    symbol = scope.find(e.id) if isinstance(e, Name) else None
    if symbol is None or not names:
        return symbol
    if symbol.type != "type" or symbol.dimensions is not None:
        return None
    # An object whose type is not known to the last component is one of a pointer to an object.
    return at_end(symbol, names)


def _matches(pointer: Symbol, target: Symbol) -> bool:
    """Whether one may stand in the place of the other: a number, or a whole array, which has the
    first subscripts of its target; objects, but no arrays of them."""
    if len(pointer.dimensions or ()) != len(target.dimensions or ()):
        return False
    if pointer.type == "type":
        return pointer.dimensions is None and target.type == "type"
    return pointer.type in POINT_TYPES and pointer.type == target.type


def _put(e: Expression, targets: Targets) -> Expression:
    if isinstance(e, Name):
        return targets.get(e.id, e)
    return with_parts(e, lambda part: _put(part, targets))
