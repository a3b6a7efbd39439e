"""What a name stands for in a program unit, and what may be asked of the names of a unit.

Values and types of expressions need the names of their unit, and names need values and types: of
kinds, of bounds, of named constants. They know each other by `Scope` and `Units` alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from bridge_port.refusal import NOWHERE, Place, Refused
from bridge_port.semantic.values import Constant, Plain
from bridge_port.source.folders import Folders
from bridge_port.syntax.expressions import Expression
from bridge_port.syntax.units import Binding, Declaration, DerivedType, Dimension, Unit

#: Where a variable is kept.
LOCAL, DUMMY, RESULT, PARAMETER, MODULE, COMMON, SAVED = (
    "local", "dummy", "result", "parameter", "module", "common", "saved"
)  # fmt: skip


@dataclass
class Symbol:
    """A variable or a named constant.

    type: real, integer, logical, character, complex, type; kind: bytes, 0 of a derived type;
    type_name: of that; dimensions: None of a scalar; owner: name of the module or of the COMMON
    block; place_in_block: in it; value: of a parameter, or the initial one; length: of a
    character, as declared; scope: that declares it, where expressions in dimensions, length and
    value are to be read.
    """

    name: str
    type: str
    kind: int
    scope: Scope
    place: Place
    type_name: str = ""
    dimensions: tuple[Dimension, ...] | None = None
    storage: str = LOCAL
    intent: str = ""
    optional: bool = False
    attributes: frozenset[str] = frozenset()
    owner: str = ""
    place_in_block: int = 0
    value: Expression | None = None
    length: Expression | str | None = None
    declared: bool = True

    def counts(self, species: str) -> bool:
        """Whether it is the number of species, that a user says as NAME or MODULE::NAME, "" of
        none."""
        owner, _, name = species.lower().rpartition("::")
        return self.type == "integer" and self.name == name and owner in ("", self.owner)


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


class Scope(Protocol):
    """Names of one unit: those that it declares, those that it uses, those of its host."""

    program: Units
    unit: Unit
    #: Whether `make_implicit` was there.
    implicit_made: bool

    @property
    def parent(self) -> Scope | None:
        """Of the host."""

    # ---- Names

    @property
    def symbols(self) -> dict[str, Symbol]:
        """Those of the unit itself that can be made, implicit ones as far as they were asked
        for."""

    def find(self, name: str) -> Symbol | None:
        """A variable or a named constant that a declaration, a use, the host or COMMON gives."""

    def symbol(self, name: str, place: Place = NOWHERE, *, kept: bool = True) -> Symbol:
        """As `find`, or made by implicit typing. Refused where the unit has none of that, or where
        the name may come from a module whose source is not given. kept: `find` gives it from then
        on."""

    def procedure(self, name: str) -> Unit | None:
        """A procedure whose source is given: contained, of a module, of the host, external; with
        plain calls alone (`closed`)."""

    def as_written(self, name: str) -> Unit | None:
        """The same as it stands in the source."""

    def generic(self, name: str) -> tuple[str, ...]:
        """The procedures that a generic name stands for; () where it is none."""

    def specifics(self, name: str) -> tuple[tuple[str, Scope], ...]:
        """The same, each with the scope where its name is to be read."""

    def derived(self, type_name: str, place: Place = NOWHERE) -> Derived:
        """A derived type by its name."""

    def derived_if_given(self, type_name: str) -> Derived | None:
        """None of one that nothing declares, or whose module is not given."""

    def component(self, one: Declaration) -> Symbol | None:
        """Of a type that this unit declares."""

    def exports(self, name: str) -> bool:
        """Whether those that use the module see a name."""

    def declared_anew(self) -> None:
        """The unit has more declarations."""

    @property
    def mentioned(self) -> set[str]:
        """Names that stand in the body."""

    # ---- Values and types

    def constant(self, expression: Expression) -> Plain | None:
        """None where it is no constant, or no scalar."""

    def integer(self, expression: Expression) -> int | None:
        """None where it is no constant integer."""

    def table(self, expression: Expression) -> list[Plain] | None:
        """The values of a constant array, in array order; None where it is none."""

    def parameter(self, name: str) -> Constant | None:
        """The value of a named constant."""

    def initial(self, symbol: Symbol) -> Plain | list[Plain | None] | None:
        """The value that a variable has at the start, of an array a list in array order; None
        where none is known."""

    def initial_constant(self, symbol: Symbol) -> Constant | None:
        """The same with types."""

    def type_of(self, expression: Expression) -> tuple[str, int] | None:
        """Type and bytes of an expression; None where they are not known."""

    def kind_of(self, expression: Expression) -> int | None:
        """Its bytes."""

    def bounds(self, symbol: Symbol) -> tuple[tuple[int | None, int | None], ...]:
        """Lower and upper of each dimension, None where not constant; an assumed shape begins
        at 1."""

    def extents(self, symbol: Symbol) -> tuple[int | None, ...]:
        """None where not constant."""

    def length(self, symbol: Symbol) -> int | None:
        """Of a character; None where it is that of its value, or not constant."""


class Units(Protocol):
    """The program units of all files."""

    units: list[Unit]
    modules: dict[str, Unit]
    procedures: dict[str, Unit]
    several: dict[str, list[str]]
    bodies: dict[tuple[int, str], Unit]
    pointed: dict[tuple[int, str], list[tuple[Unit, Binding]]]
    searched: bool
    folders: Folders
    effects: dict[tuple[int, str], tuple[Unit, Any]]
    loops: dict[int, tuple[Unit, bool]]

    def scope(self, unit: Unit) -> Scope:
        """Its names."""

    def host(self, unit: Unit) -> Unit | None:
        """The module or the submodule that a submodule names; None where it is not given."""

    def submodules_of(self, module: str) -> list[Unit]:
        """All submodules of a module, those of its submodules among them."""

    def closed(self, unit: Unit) -> Unit:
        """A procedure whose calls are plain: a copy, or the unit itself."""

    def lifted(self, unit: Unit) -> Unit:
        """A procedure inside another one, with the variables of that as arguments."""

    def derived(self, definition: DerivedType, scope: Scope) -> Derived:
        """The one object of a derived type."""

    def derived_types(self) -> tuple[Derived, ...]:
        """All that units declare."""

    def begins_elsewhere(self) -> dict[str, tuple[str, tuple[int | None, ...]]]:
        """Components whose arrays may begin at another subscript than 1."""

    def specialised(
        self, unit: Unit, given: dict[str, Unit]
    ) -> tuple[Unit, dict[str, tuple[str, str]]]:
        """The one copy of a procedure that has these for arguments."""

    def procedure_arguments(self, unit: Unit) -> frozenset[str]:
        """Arguments of a unit that are procedures."""

    def subroutine(self, unit: Unit) -> Unit:
        """Of a function."""
