"""What an expression is where it stands: names are resolved here, once, for all that ask.

The syntax has one form, name(arguments), for an element, a section, a substring, an object
of a type and the call of a function. `resolve` gives a node of its own for each: it knows
the symbol or the procedure that is meant, and the type and the rank of the value. A node refers to
the syntax that it was made of: passes change the syntax, and resolve what they have made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bridge_port.program.symbols import Derived, Scope, Symbol
from bridge_port.refusal import Refused
from bridge_port.semantic import intrinsics
from bridge_port.semantic.intrinsics import Intrinsic
from bridge_port.syntax.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    ComplexNumber,
    Component,
    Expression,
    ImpliedDo,
    Keyword,
    Name,
    Number,
    Section,
    Text,
    Truth,
    Unary,
    is_substring,
)
from bridge_port.syntax.units import Unit

Type = tuple[str, int]
#: From the narrowest to the widest.
_NUMBERS = ("integer", "real", "complex")
_RELATIONS = frozenset("== /= < <= > >= .and. .or. .eqv. .neqv. .not.".split())


@dataclass(frozen=True)
class Environment:
    """Where names are read: a scope, and symbols that come before its own."""

    scope: Scope
    before: Mapping[str, Symbol] = field(default_factory=dict)

    def find(self, name: str) -> Symbol | None:
        return self.before.get(name) or self.scope.find(name)


class Resolved:
    """Of an expression. Each kind says what it knows."""

    def __init__(self, syntax: Expression, environment: Environment) -> None:
        self.syntax, self.environment = syntax, environment

    @cached_property
    def type(self) -> Type | None:
        """With its bytes, of a complex number those of a part; None where it is not known."""
        return None

    @cached_property
    def rank(self) -> int | None:
        """0 of a scalar; None where it is not known."""
        return None

    @property
    def derived(self) -> Derived | None:
        """Of an object of a derived type which one."""
        return None

    @cached_property
    def parts(self) -> tuple[Resolved, ...]:
        """What stands directly below."""
        return tuple([self._of(one) for one in self.syntax.parts()])

    def _of(self, syntax: Expression) -> Resolved:
        return _resolved(syntax, self.environment)


class Constant(Resolved):
    """A literal."""

    @cached_property
    def type(self) -> Type | None:
        match self.syntax:
            case Number(text):
                plain, _, suffix = text.partition("_")
                base = "integer" if plain.isdigit() else "real"
                if not suffix:
                    return base, 8 if "d" in plain else 16 if "q" in plain else 4
                scope = self.environment.scope
                kind = int(suffix) if suffix.isdigit() else scope.constant(Name(suffix))
                return (base, kind) if isinstance(kind, int) else None
            case ComplexNumber():
                kinds = [one.type[1] for one in self.parts if one.type and one.type[0] == "real"]
                return "complex", max(kinds, default=4)
        return ("logical", 4) if isinstance(self.syntax, Truth) else ("character", 1)

    @cached_property
    def rank(self) -> int | None:
        return 0


class Variable(Resolved):
    """A whole variable or named constant, or a whole component. symbol: its own; around: what
    holds a component."""

    def __init__(
        self,
        syntax: Expression,
        environment: Environment,
        symbol: Symbol,
        around: Resolved | None = None,
    ) -> None:
        super().__init__(syntax, environment)
        self.symbol, self.around = symbol, around

    @cached_property
    def type(self) -> Type | None:
        return self.symbol.type, self.symbol.kind

    @cached_property
    def rank(self) -> int | None:
        outer = 0 if self.around is None else self.around.rank
        return None if outer is None else outer + len(self.symbol.dimensions or ())

    @property
    def derived(self) -> Derived | None:
        return _derived(self.symbol)


class Element(Variable):
    """Of an array, by subscripts; several where one of them is an array."""

    @cached_property
    def subscripts(self) -> tuple[Resolved, ...]:
        assert isinstance(self.syntax, Apply)
        return tuple([self._of(one) for one in self.syntax.arguments])

    @cached_property
    def rank(self) -> int | None:
        ranks = [0 if self.around is None else self.around.rank]
        ranks += [one.rank for one in self.subscripts]
        return None if None in ranks else sum(one or 0 for one in ranks)


class ArraySection(Element):
    """Elements from a first to a last one, along one dimension or more."""


class Triplet(Resolved):
    """first:last:step among subscripts."""

    @cached_property
    def rank(self) -> int | None:
        return 1


class Substring(Resolved):
    """Some letters of a text."""

    @cached_property
    def type(self) -> Type | None:
        return "character", 1

    @cached_property
    def rank(self) -> int | None:
        return self.parts[0].rank


class ComplexPart(Resolved):
    """z%re or z%im."""

    @cached_property
    def type(self) -> Type | None:
        whole = self.parts[0].type
        return ("real", whole[1]) if whole and whole[0] == "complex" else None

    @cached_property
    def rank(self) -> int | None:
        return self.parts[0].rank


class Reference(Resolved):
    """Of a function, or of one that is not known. symbol: of what is declared by this name."""

    def __init__(
        self, syntax: Apply, environment: Environment, symbol: Symbol | None = None
    ) -> None:
        super().__init__(syntax, environment)
        self.symbol = symbol
        self.arguments = syntax.arguments

    @cached_property
    def type(self) -> Type | None:
        """That of a function that is declared and not given."""
        symbol = self.symbol
        known = symbol is not None and "intrinsic" not in symbol.attributes
        return (symbol.type, symbol.kind) if symbol is not None and known else None

    @cached_property
    def parts(self) -> tuple[Resolved, ...]:
        return tuple([self._of(one) for one in self.arguments])

    @property
    def elemental(self) -> bool:
        """Whether the function is one of numbers, and done for each element of arrays."""
        return False

    def _joined(self) -> int | None:
        """The rank of a function of each element."""
        ranks = [one.rank for one in self.parts]
        return None if None in ranks else max((one or 0 for one in ranks), default=0)


class Call(Reference):
    """Of a function whose source is given. unit: as it stands in the source."""

    def __init__(
        self, syntax: Apply, environment: Environment, symbol: Symbol | None, unit: Unit
    ) -> None:
        super().__init__(syntax, environment, symbol)
        self.unit = unit

    @property
    def callee(self) -> Unit:
        """The same with plain calls alone (`closed`)."""
        return self.environment.scope.program.closed(self.unit)

    @cached_property
    def _result(self) -> Symbol | None:
        return result(self.unit, self.environment.scope)

    @cached_property
    def type(self) -> Type | None:
        found = super().type
        if found is None and self._result is not None:
            return self._result.type, self._result.kind
        return found

    @cached_property
    def rank(self) -> int | None:
        if self._result is None:
            return None
        return self._joined() if self.elemental else len(self._result.dimensions or ())

    @property
    def elemental(self) -> bool:
        return "elemental" in self.unit.prefixes

    @property
    def derived(self) -> Derived | None:
        return None if self._result is None else _derived(self._result)


class BoundCall(Reference):
    """Of a function that a type binds, or that a component points to."""

    @property
    def procedure(self) -> Component:
        """The object, and the name of the procedure."""
        assert isinstance(self.syntax, Apply) and isinstance(self.syntax.base, Component)
        return self.syntax.base


class StatementFunctionCall(Reference):
    """Of the unit's own."""

    @property
    def value(self) -> Expression:
        assert isinstance(self.syntax, Apply)
        return self.environment.scope.unit.statement_functions[self.syntax.base.root].value

    @cached_property
    def rank(self) -> int | None:
        return 0


class StructureConstructor(Reference):
    """An object of a derived type from the values of its components."""

    def __init__(self, syntax: Apply, environment: Environment, derived: Derived) -> None:
        super().__init__(syntax, environment)
        self._type = derived

    @cached_property
    def rank(self) -> int | None:
        return 0

    @property
    def derived(self) -> Derived | None:
        return self._type


class IntrinsicCall(Reference):
    """Of a function of the language. intrinsic: its row in the table."""

    def __init__(
        self, syntax: Apply, environment: Environment, symbol: Symbol | None, row: Intrinsic
    ) -> None:
        super().__init__(syntax, environment, symbol)
        self.intrinsic = row

    @cached_property
    def given(self) -> dict[str, Resolved]:
        """The arguments by the names that they have there; {} where they do not fit."""
        found = self.intrinsic.bound(self.arguments) or {}
        return {name: self._of(one) for name, one in found.items()}

    @cached_property
    def type(self) -> Type | None:
        return super().type or _intrinsic_type(self)

    @cached_property
    def rank(self) -> int | None:
        return _intrinsic_rank(self)

    @property
    def elemental(self) -> bool:
        return self.intrinsic.category == intrinsics.ELEMENTAL


class Operation(Resolved):
    """One or two operands, and what stands in parentheses."""

    @property
    def operator(self) -> str:
        assert isinstance(self.syntax, Unary | Binary)
        return self.syntax.operator

    @cached_property
    def type(self) -> Type | None:
        operator = self.operator
        if self.derived is not None and operator == "()":
            return self.parts[0].type
        if any(one.derived is not None for one in self.parts):
            return None  # what the program defines
        if operator in _RELATIONS:
            return "logical", 4
        if operator == "//":
            return "character", 1
        if len(self.parts) == 1:
            return self.parts[0].type if operator in ("()", "+", "-") else None
        return None if operator[0] == "." else widest([one.type for one in self.parts], _NUMBERS)

    @cached_property
    def rank(self) -> int | None:
        ranks = [one.rank for one in self.parts]
        return None if None in ranks else max(one or 0 for one in ranks)

    @property
    def derived(self) -> Derived | None:
        return self.parts[0].derived if self.operator == "()" else None


class Values(Resolved):
    """An array constructor, or an implied loop in one."""

    @cached_property
    def type(self) -> Type | None:
        return self.parts[0].type if self.parts else None

    @cached_property
    def rank(self) -> int | None:
        return 1

    @property
    def derived(self) -> Derived | None:
        return self.parts[0].derived if self.parts else None


class Unknown(Resolved):
    """A name that nothing is known of, or that of a procedure by itself."""


# ---- which node ---------------------------------------------------------------------------------


def resolve(e: Expression, scope: Scope, before: Mapping[str, Symbol] | None = None) -> Resolved:
    """An expression as it stands in a unit. before: symbols that come before the unit's own."""
    return _resolved(e, Environment(scope, before or {}))


def _resolved(e: Expression, environment: Environment) -> Resolved:
    match e:
        case Name(name):
            symbol = environment.find(name) or _implicit(name, environment.scope)
            return Unknown(e, environment) if symbol is None else Variable(e, environment, symbol)
        case Apply():
            return _applied(e, environment)
        case Component():
            symbol = component(e, environment.scope)
            if symbol is not None:
                return Variable(e, environment, symbol, _resolved(e.base, environment))
            return (
                ComplexPart(e, environment) if e.name in ("re", "im") else Unknown(e, environment)
            )
        case Unary() | Binary():
            return Operation(e, environment)
        case Keyword(_, value):
            return _resolved(value, environment)
        case ArrayConstructor() | ImpliedDo():
            return Values(e, environment)
        case Number() | Text() | Truth() | ComplexNumber():
            return Constant(e, environment)
        case Section():
            return Triplet(e, environment)
    return Unknown(e, environment)


def _implicit(name: str, scope: Scope) -> Symbol | None:
    """Of a name that nothing declares; none of a procedure, or of a name that cannot be known:
    what reads it is refused with its own place."""
    if scope.procedure(name) is not None:
        return None
    try:
        return scope.symbol(name, scope.unit.place, kept=False)
    except Refused:
        return None


def _applied(e: Apply, environment: Environment) -> Resolved:
    """The one place that tells elements, substrings and calls apart."""
    base, scope = e.base, environment.scope
    if isinstance(base, Component):
        symbol = component(base, scope)
        if symbol is None:
            return BoundCall(e, environment)
        return _subscripted(e, environment, symbol, _resolved(base.base, environment))
    if not isinstance(base, Name):
        return Substring(e, environment)
    name, unit = base.id, scope.unit
    symbol = environment.find(name)
    if symbol is not None and symbol.dimensions is not None:
        return _subscripted(e, environment, symbol, None)
    if name in unit.statement_functions:
        return StatementFunctionCall(e, environment, symbol)
    if symbol is not None and symbol.type == "character" and is_substring(e.arguments):
        return Substring(e, environment)
    if (callee := scope.as_written(name)) is not None:
        return Call(e, environment, symbol, callee)
    row = intrinsics.find(name)
    if name not in unit.language and (
        name in unit.interfaces or name in unit.external or scope.generic(name)
    ):
        row = None
    if row is not None and row.category != intrinsics.SUBROUTINE:
        return IntrinsicCall(e, environment, symbol, row)
    if symbol is None and (derived := scope.derived_if_given(name)) is not None:
        return StructureConstructor(e, environment, derived)
    return Reference(e, environment, symbol)


def _subscripted(
    e: Apply, environment: Environment, symbol: Symbol, around: Resolved | None
) -> Resolved:
    if symbol.dimensions is None:
        return Substring(e, environment) if symbol.type == "character" else Unknown(e, environment)
    several = any(isinstance(one, Section) for one in e.arguments)
    return (ArraySection if several else Element)(e, environment, symbol, around)


# ---- symbols and types --------------------------------------------------------------------------


def designated(e: Expression, scope: Scope) -> Symbol | None:
    """The variable or the component at the end of a designator."""
    if isinstance(e, Apply):
        return designated(e.base, scope)
    if isinstance(e, Component):
        return component(e, scope)
    return scope.find(e.id) if isinstance(e, Name) else None


def component(e: Component, scope: Scope) -> Symbol | None:
    """The component that base%name names."""
    base = designated(e.base, scope)
    if base is None or base.type != "type":
        return None
    return component_symbol(base.scope, base.type_name, e.name)


def component_symbol(scope: Scope, type_name: str, name: str) -> Symbol | None:
    """A component of a derived type that a scope knows, its own or inherited."""
    found = scope.derived_if_given(type_name)
    return None if found is None else found.component(name)


def result(unit: Unit, scope: Scope) -> Symbol | None:
    """The variable whose value a function gives; None where its type is not known."""
    if unit.kind != "function":
        return None
    try:
        return scope.program.scope(unit).symbol(unit.result or unit.name, unit.place)
    except Refused:
        return None


def _derived(symbol: Symbol) -> Derived | None:
    if symbol.type != "type":
        return None
    return symbol.scope.derived_if_given(symbol.type_name)


def widest(types: Sequence[Type | None], of: Sequence[str] = ()) -> Type | None:
    """Of numbers, that of their sum; of others that of the first. of: what they may be."""
    found = next(iter(types), None)
    for other in types:
        if other is None or found is None or (of and other[0] not in of):
            return None
        if other[0] == found[0]:
            found = found[0], max(found[1], other[1])
        elif found[0] in _NUMBERS and other[0] in _NUMBERS:
            high, low = sorted((found, other), key=lambda one: _NUMBERS.index(one[0]))[::-1]
            found = high[0], high[1] if low[0] == "integer" else max(high[1], low[1])
    return found


# ---- intrinsic functions, as the table says -----------------------------------------------------


def _intrinsic_type(one: IntrinsicCall) -> Type | None:
    row, given = one.intrinsic, one.given
    if row.fixed is not None:
        return row.fixed
    if row.gives == "wide":
        return widest([e.type for e in given.values()])
    like, _, named = row.gives.partition(":")
    first = given.get(named or next(iter(row.dummies), ""))
    found = None if first is None else first.type
    base: str | None = intrinsics.TYPES.get(like)
    if base is None and like in ("like", "part") and found is not None:
        base = "real" if like == "part" and found[0] == "complex" else found[0]
    if base is None:
        return None
    if "kind" in given:
        bytes_ = one.environment.scope.constant(given["kind"].syntax)
        return (base, bytes_) if isinstance(bytes_, int) else None
    if like in ("like", "part"):
        return None if found is None else (base, found[1])
    return base, found[1] if base == "real" and found and found[0] == "complex" else 4


def _intrinsic_rank(one: IntrinsicCall) -> int | None:
    given, rule = one.given, one.intrinsic.rank
    if rule.isdigit():
        return int(rule)
    along = given.get("dim")
    if along is not None and (along.type or ("",))[0] == "logical":
        along = None  # sum(a, mask)
    ranks = [e.rank for name, e in given.items() if name not in ("dim", "kind", "back")]
    first = ranks[0] if ranks else None
    match rule:
        case "each":
            if first is None or (one.intrinsic.form == "merge" and None in ranks):
                return None
            return max(rank or 0 for rank in ranks)  # what is not known is most likely a scalar
        case "bounds":
            return 0 if along is not None else 1
        case "reduced" if along is None:
            return 0
        case "located" if along is None:
            return 1
        case "reduced" | "located" | "first" | "more":
            more = {"first": 0, "more": 1}.get(rule, -1)
            return None if first is None else max(first + more, 0)
        case "matmul" if len(ranks) == 2 and None not in ranks:
            return sum(rank or 0 for rank in ranks) - 2
        case "mask":
            return given["mask"].rank if "mask" in given else None
        case "shape" if isinstance(shape := given.get("shape"), Values):
            return None if any(e.rank != 0 for e in shape.parts) else len(shape.parts)
    return None
