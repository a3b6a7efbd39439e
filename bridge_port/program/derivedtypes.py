"""Derived types with what they inherit: components, type-bound procedures, extensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from bridge_port.program.symbols import Symbol
from bridge_port.program.types import type_symbol
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Component, Expression, Keyword
from bridge_port.syntax.units import Binding, DerivedType, Unit

if TYPE_CHECKING:
    from bridge_port.program.scopes import Scope

#: Attributes of components whose memory is not in the object.
HELD = frozenset(("pointer", "allocatable"))


class Derived:
    """A derived type; each has one object, so that objects may be compared. scope: where its
    definition is to be read."""

    def __init__(self, definition: DerivedType, scope: Scope) -> None:
        self.definition, self.scope = definition, scope
        self.name = definition.name

    @property
    def place(self) -> Place:
        return self.definition.place

    @cached_property
    def line(self) -> tuple[Derived, ...]:
        """The type and what it extends, itself first; up to a type whose source is not given."""
        found: list[Derived] = []
        one: Derived | None = self
        while one is not None and one not in found:
            found.append(one)
            parent = one.definition.parent
            one = one.scope.derived_if_given(parent) if parent else None
        return tuple(found)

    @property
    def parent(self) -> Derived | None:
        return self.line[1] if len(self.line) > 1 else None

    @property
    def whole(self) -> bool:
        """Whether all that it extends is given."""
        return not self.line[-1].definition.parent

    def component(self, name: str) -> Symbol | None:
        """A component, its own or inherited; a parent is a component with the name of the type."""
        for one in self.line:
            if (found := one.definition.component(name)) is not None:
                return one.scope.component(found)
            if one.definition.parent == name:
                return Symbol(
                    name, "type", 0, one.scope, one.place,
                    type_name=name, attributes=frozenset(("parent",)),
                )  # fmt: skip
        return None

    def pointer(self, name: str) -> tuple[Binding, Derived] | None:
        """A procedure component, and the type that has it."""
        for one in self.line:
            if name in one.definition.pointers:
                return one.definition.pointers[name], one
        return None

    def binding(self, name: str) -> tuple[Binding, Derived] | None:
        """A type-bound procedure, and the type that binds it. Refused where it is private and
        bound again in another module: then it is another one."""
        found = None
        for one in self.line:
            here = one.definition.bindings.get(name)
            if here is None:
                continue
            if found is None:
                found = here, one
            elif here.private and one.scope.unit is not found[1].scope.unit:
                raise Refused(here.place, f"procedure {name}", "is private, and bound again")
        return found

    def specifics(self, name: str) -> tuple[str, ...]:
        """Of a generic binding, those of the types that it extends among them."""
        names: dict[str, None] = {}
        for one in reversed(self.line):
            here = one.definition.bindings.get(name)
            names.update(dict.fromkeys(here.specifics if here is not None else ()))
        return tuple(names)

    @property
    def finals(self) -> bool:
        return any(bool(one.definition.finals) for one in self.line)


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
    symbol = type_symbol(procedure.base, scope)
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
