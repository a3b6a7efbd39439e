"""Derived types with what they inherit: components, type-bound procedures, extensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.program.resolved import component_symbol, designated
from bridge_port.program.symbols import Derived, Scope, Symbol
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Component, Expression, Keyword
from bridge_port.syntax.units import Binding, Unit

#: Attributes of components whose memory is not in the object.
HELD = frozenset(("pointer", "allocatable"))


def extensions(derived: Derived) -> tuple[Derived, ...]:
    """All types of the program that extend it."""
    derived.scope.program.searched = True
    known = derived.scope.program.derived_types()
    return tuple(one for one in known if one is not derived and derived in one.line)


def target(binding: Binding, of: Derived) -> Unit | None:
    """The procedure; None of a deferred one, or where its source is not given."""
    return of.scope.procedure(binding.target) if binding.target else None


def with_object(
    callee: Unit, binding: Binding, passed: Expression, arguments: Sequence[Expression]
) -> tuple[Expression, ...]:
    """The arguments with the object at its place."""
    if binding.passed is None:
        return tuple(arguments)
    dummy = binding.passed or (callee.arguments[0] if callee.arguments else "")
    if dummy not in callee.arguments:
        raise Refused(binding.place, f"procedure {binding.name}", "its object is no argument")
    at = callee.arguments.index(dummy)
    plain = [a for a in arguments if not isinstance(a, Keyword)]
    if at <= len(plain):
        return (*arguments[:at], passed, *arguments[at:])
    return (*arguments, Keyword(dummy, passed))


def possible(
    scope: Scope, procedure: Component, arguments: Sequence[Expression]
) -> Iterator[tuple[Unit, tuple[Expression, ...]]]:
    """All procedures that a type-bound name may stand for, whatever the object's type is, or that
    a procedure component may point to, with their arguments; none of another component."""
    symbol = designated(procedure.base, scope)
    if symbol is None or symbol.type != "type":
        return
    try:
        base = symbol.scope.derived(symbol.type_name, symbol.place)
    except Refused:
        return
    if base.component(procedure.name) is not None:
        return
    if (pointer := base.pointer(procedure.name)) is not None:
        key = id(pointer[1].definition), procedure.name
        for given, binding in scope.program.pointed.get(key, ()):
            unit = scope.program.closed(given)
            yield unit, with_object(unit, binding, procedure.base, arguments)
        return
    seen: set[int] = set()
    for one in (base, *extensions(base)):
        for name in (procedure.name, *one.specifics(procedure.name)):
            found = one.binding(name)
            callee = target(*found) if found is not None else None
            if found is None or callee is None or id(callee) in seen:
                continue
            seen.add(id(callee))
            try:
                yield callee, with_object(callee, found[0], procedure.base, arguments)
            except Refused:
                continue


def at_end(symbol: Symbol | None, names: Sequence[str]) -> Symbol | None:
    """The component that a path from a variable leads to."""
    for name in names:
        symbol = None if symbol is None else inside(symbol, name)
    return symbol


def inside(symbol: Symbol, name: str) -> Symbol | None:
    """A component of a variable or a component."""
    if symbol.type != "type" or symbol.type_name == "*":
        return None
    return component_symbol(symbol.scope, symbol.type_name, name)
