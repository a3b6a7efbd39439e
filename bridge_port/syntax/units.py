"""Nodes of declarations and program units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

from bridge_port.refusal import NOWHERE, Place
from bridge_port.source.lines import Line
from bridge_port.syntax.expressions import Expression
from bridge_port.syntax.statements import Statement, Unread


@dataclass(frozen=True)
class TypeName:
    """base: real, integer, logical, character, complex, type or class; kind: an expression, a
    number of bytes, or None; name: of a derived type; length: of a character, an expression, "*",
    ":", or None of one letter. double precision is a real of 8 bytes."""

    base: str
    kind: Expression | int | None = None
    name: str = ""
    length: Expression | str | None = None


@dataclass(frozen=True)
class Dimension:
    """lower None: 1, unless upper is None and deferred is True (":", an assumed or deferred
    shape); upper None otherwise: "*", an assumed size."""

    lower: Expression | None
    upper: Expression | None
    deferred: bool = False


def ends(dimensions: Sequence[Dimension] | None) -> Iterator[Expression]:
    """Bounds of an array, as far as they are said."""
    for one in dimensions or ():
        yield from (e for e in (one.lower, one.upper) if e is not None)


@dataclass
class Declaration:
    """Of one name by one statement; type None: by dimension, intent, ... alone; attributes: in
    lower case, as "parameter", "save", "optional", "pointer", "allocatable", "target", "external";
    intent: in, out, inout or ""; value: an initial value or a parameter's; comments: of the
    statement, before and behind it."""

    place: Place
    name: str
    type: TypeName | None = None
    dimensions: tuple[Dimension, ...] | None = None
    attributes: frozenset[str] = frozenset()
    intent: str = ""
    value: Expression | None = None
    comments: tuple[str, ...] = ()

    def expressions(self) -> Iterator[Expression]:
        """Value, bounds, kind and length, as far as they are said."""
        told = () if self.type is None else (self.type.kind, self.type.length)
        for e in (self.value, *ends(self.dimensions), *told):
            if isinstance(e, Expression):
                yield e


@dataclass(frozen=True)
class Use:
    """names: local -> name in the module, those of an only list, or None for all; renames: local
    -> name in the module, beside an absent only list."""

    module: str
    names: dict[str, str] | None
    renames: dict[str, str]
    place: Place = NOWHERE


@dataclass(frozen=True)
class CommonMember:
    """block: "" for the blank one; place_in_block counts from 0 over all statements of a unit."""

    block: str
    name: str
    place_in_block: int


@dataclass(frozen=True)
class Data:
    """data targets / values /: a pair for each slash list. values: (how often, constant)."""

    targets: tuple[Expression, ...]
    values: tuple[tuple[Expression | None, Expression], ...]
    place: Place = NOWHERE


@dataclass(frozen=True)
class StatementFunction:
    arguments: tuple[str, ...]
    value: Expression
    place: Place = NOWHERE


@dataclass(frozen=True)
class Binding:
    """A type-bound procedure. target: its name in the scope of the type, "" of a deferred one;
    passed: the dummy that gets the object, "" the first one, None of nopass; specifics: of a
    generic one the bindings that it stands for; interface: of a deferred one."""

    name: str
    place: Place
    target: str = ""
    passed: str | None = ""
    private: bool = False
    specifics: tuple[str, ...] = ()
    interface: str = ""


@dataclass
class DerivedType:
    """parent: "" of a type that extends none; components, bindings in order, its own; pointers:
    its procedure components, their targets initial ones that are no null(); finals: its final
    procedures; unread: what is not understood."""

    name: str
    place: Place
    parent: str = ""
    abstract: bool = False
    components: list[Declaration] = field(default_factory=list)
    bindings: dict[str, Binding] = field(default_factory=dict)
    pointers: dict[str, Binding] = field(default_factory=dict)
    finals: tuple[str, ...] = ()
    unread: list[Unread] = field(default_factory=list)

    def component(self, name: str) -> Declaration | None:
        """One of its own."""
        return next((one for one in self.components if one.name == name), None)


@dataclass
class Unit:
    """kind: module, submodule, subroutine, function, program or block data. arguments: names of
    the dummies, "*" for an alternate return; prefixes: pure, elemental, recursive, ...;
    result_type: that of the function statement; implicit: None as Fortran has it or the parent's,
    {} none, else letter -> type (letters that are not in it as Fortran has it); interfaces: names
    that an interface block declares, bodies: lines of the procedures in it; external: of external
    statements, shaped_as: of procedure statements the interface, by the name that has it; unread:
    specification statements that are not understood; aliases: names that stand for a procedure in
    this unit alone; captured: variables of the procedure around this one -> the last
    arguments, which they have become; captures: of aliases the names that such variables have
    here; language: names that mean what the language says, whatever interfaces say; enclosing: of
    constructs whose statements stand in the body as if they were not there (associate), the
    lines: first and last of the head, last; overlaps: assignments to a name that read another one
    of the same variable; contains: the line of this statement, 0 without one; host: of a submodule
    its module, or module:submodule."""

    kind: str
    name: str
    place: Place
    arguments: list[str] = field(default_factory=list)
    result: str = ""
    result_type: TypeName | None = None
    prefixes: frozenset[str] = frozenset()
    comments: tuple[str, ...] = ()
    implicit: dict[str, TypeName] | None = None
    uses: list[Use] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    parameters: list[tuple[str, Expression, Place]] = field(default_factory=list)
    commons: list[CommonMember] = field(default_factory=list)
    equivalences: list[tuple[tuple[Expression, ...], Place]] = field(default_factory=list)
    data: list[Data] = field(default_factory=list)
    saved: set[str] = field(default_factory=set)
    saves_all: bool = False
    statement_functions: dict[str, StatementFunction] = field(default_factory=dict)
    types: dict[str, DerivedType] = field(default_factory=dict)
    interfaces: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bodies: dict[str, Sequence[Line]] = field(default_factory=dict, repr=False)
    external: set[str] = field(default_factory=set)
    shaped_as: dict[str, str] = field(default_factory=dict)
    entries: list[tuple[str, Place]] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)
    enclosing: list[tuple[int, int, int]] = field(default_factory=list)
    overlaps: list[tuple[Place, str, str]] = field(default_factory=list)
    contains: int = 0
    units: list[Unit] = field(default_factory=list)
    public: set[str] = field(default_factory=set)
    private: set[str] = field(default_factory=set)
    hides_all: bool = False
    host: str = ""
    aliases: dict[str, Unit] = field(default_factory=dict, repr=False)
    captured: dict[str, str] = field(default_factory=dict)
    captures: dict[str, dict[str, str]] = field(default_factory=dict)
    language: set[str] = field(default_factory=set)
    parent: Unit | None = field(default=None, repr=False)


def submodule_key(unit: Unit) -> str:
    """Of a submodule: submodules of two modules may have one name."""
    return f"{unit.host.partition(':')[0]}:{unit.name}"


def used_module(unit: Unit) -> str:
    """The module by which others use what stands in a module or a submodule."""
    return unit.host.partition(":")[0] or unit.name


def anew(unit: Unit, parent: Unit | None = None) -> Unit:
    """A copy, and copies of those inside, with statements of their own: what is declared never
    changes."""
    made = replace(unit, body=deepcopy(unit.body), parent=parent)
    made.units = [anew(inner, made) for inner in unit.units]
    return made


def every(units: Sequence[Unit]) -> Iterator[Unit]:
    """All of them, those inside behind what holds them."""
    for unit in units:
        yield unit
        yield from every(unit.units)
