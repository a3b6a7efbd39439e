"""What names stand for in a program unit: its own, those that it uses, its host's."""

from __future__ import annotations

from functools import cached_property

from bridge_port.program import languagemodules
from bridge_port.program.constants import evaluate
from bridge_port.program.datavalues import initial_values
from bridge_port.program.ownsymbols import OwnSymbols
from bridge_port.program.resolved import resolve
from bridge_port.program.symbols import (
    DUMMY,
    LOCAL,
    PARAMETER,
    RESULT,
    Derived,
    Scope,
    Symbol,
    Units,
)
from bridge_port.program.unknownnames import (
    given_by,
    implicit_host,
    mentioned_names,
    missing_module,
    refuse_unknown,
    remote_name,
    says_external,
)
from bridge_port.refusal import NOWHERE, Place, Refused
from bridge_port.semantic import intrinsics
from bridge_port.semantic.values import Constant, Plain
from bridge_port.syntax.expressions import Expression, Name, Number, Unary
from bridge_port.syntax.statements import Call, walk
from bridge_port.syntax.units import Declaration, DerivedType, Unit, Use, used_module


class ProgramScope(Scope):
    """Of one unit. Symbols are made when they are asked for."""

    def __init__(self, program: Units, unit: Unit) -> None:
        self.program = program
        self.unit = unit
        self._made: dict[str, Symbol] = {}
        self._parameters: dict[str, Constant | None] = {}
        self._constants: dict[Expression, Plain | None] = {}
        self._busy: set[str] = set()
        self._declared = OwnSymbols(self)
        self.implicit_made = False

    @cached_property
    def parent(self) -> ProgramScope | None:
        if self.unit.parent is not None:
            return self._scope(self.unit.parent)
        if self.unit.kind == "submodule" and (host := self.program.host(self.unit)):
            return self._scope(host)
        return None

    def _scope(self, unit: Unit) -> ProgramScope:
        found = self.program.scope(unit)
        assert isinstance(found, ProgramScope)
        return found

    # ---- names ------------------------------------------------------------------------------
    @property
    def symbols(self) -> dict[str, Symbol]:
        for name in self._declared.names:
            try:
                self._own(name)
            except Refused:
                continue
        return self._made

    def find(self, name: str) -> Symbol | None:
        found = self._find(name)
        return found if isinstance(found, Symbol) else None

    def procedure(self, name: str) -> Unit | None:
        found = self.as_written(name)
        return None if found is None else self.program.closed(found)

    def as_written(self, name: str) -> Unit | None:
        found = self._find(name)
        if isinstance(found, Unit):
            return found
        if isinstance(found, Symbol) and (
            found.dimensions is not None
            or (found.storage not in (LOCAL, RESULT) and "external" not in found.attributes)
            or found.storage == DUMMY
        ):
            return None
        if isinstance(found, Symbol) and found.storage == RESULT:
            return self.unit if self.unit.name == name else None
        external = self.program.procedures.get(name)
        kind = "subroutine" if name in self._called else "function"
        if external is not None and intrinsics.hides(name, kind):
            return external if says_external(self, name) else None
        return external

    def generic(self, name: str) -> tuple[str, ...]:
        return tuple(own for own, _ in self.specifics(name))

    def specifics(self, name: str) -> tuple[tuple[str, Scope], ...]:
        scope: ProgramScope | None = self
        while scope is not None:
            found = scope._generic(name, set())
            if found:
                return found
            if scope._here(name) is not None:
                return ()
            scope = scope.parent
        return ()

    def _generic(self, name: str, seen: set[int]) -> tuple[tuple[str, Scope], ...]:
        if id(self) in seen:
            return ()
        seen.add(id(self))
        own = self.unit.interfaces.get(name, ())
        found: tuple[tuple[str, Scope], ...] = tuple((one, self) for one in own)
        for use in self.unit.uses:
            remote = remote_name(use, name)
            module = self.program.modules.get(use.module)
            if remote is None or module is None:
                continue
            scope = self._scope(module)
            if scope.exports(remote):
                found = (*found, *scope._generic(remote, seen))
        return found

    def symbol(self, name: str, place: Place = NOWHERE, *, kept: bool = True) -> Symbol:
        found = self._find(name)
        if isinstance(found, Symbol):
            return found
        if isinstance(found, Unit):
            raise Refused(place, f"{name!r}", f"is a {found.kind}, not a variable")
        if self.generic(name):
            raise Refused(place, f"{name!r}", "is a generic name, not a variable")
        refuse_unknown(self, name, place)
        if (host := implicit_host(self, name)) is not None:
            return host.symbol(name, place, kept=kept)
        declared = self._declared.implicit_type(name)
        if declared is None:
            raise Refused(place, f"{name!r}", "is not declared, and typing is not implicit here")
        symbol = Symbol(name, declared.base, 0, self, place, declared=False)
        symbol.kind = self._declared.kind(declared, place)
        if kept:
            self._made[name] = symbol
        return symbol

    def derived(self, type_name: str, place: Place = NOWHERE) -> Derived:
        found = self.derived_if_given(type_name)
        if found is None:
            missing = missing_module(self, type_name)
            why = f"module {missing!r} is not given" if missing else "is not declared"
            change = given_by(self, missing) if missing else ""
            raise Refused(place, f"type {type_name!r}", why, change)
        return found

    def derived_if_given(self, type_name: str) -> Derived | None:
        found = self._derived(type_name, set())
        return None if found is None else self.program.derived(*found)

    def component(self, one: Declaration) -> Symbol | None:
        if one.type is None:
            return None
        attributes = one.attributes
        base = one.type.base
        if base == "class":
            base, attributes = "type", attributes | {"class"}
        return Symbol(
            one.name, base, self._declared.kind(one.type, one.place), self, one.place,
            type_name=one.type.name, dimensions=one.dimensions,
            attributes=attributes, value=one.value, length=one.type.length,
        )  # fmt: skip

    # ---- values -----------------------------------------------------------------------------
    def constant(self, expression: Expression) -> Plain | None:
        if expression in self._constants:
            return self._constants[expression]
        found = evaluate(expression, self)
        value = None if found is None or found.scalar is None else found.scalar.plain
        self._constants[expression] = value
        return value

    def integer(self, expression: Expression) -> int | None:
        value = self.constant(expression)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def table(self, expression: Expression) -> list[Plain] | None:
        found = evaluate(expression, self)
        if found is None or None in found.values:
            return None
        return [value.plain for value in found.values if value is not None]

    def parameter(self, name: str) -> Constant | None:
        if name in self._parameters:
            return self._parameters[name]
        symbol = self.find(name)
        if symbol is None or symbol.storage != PARAMETER:
            return None
        if symbol.scope is not self:
            return symbol.scope.parameter(symbol.name)
        if name in self._busy:
            raise Refused(symbol.place, f"parameter {name!r}", "is defined by itself")
        self._busy.add(name)
        try:
            found = initial_values(symbol)
        finally:
            self._busy.discard(name)
        self._parameters[name] = found
        return found

    def initial(self, symbol: Symbol) -> Plain | list[Plain | None] | None:
        found = self.initial_constant(symbol)
        if found is None:
            return None
        if found.shape == () and symbol.dimensions is None:
            return found.scalar.plain if found.scalar is not None else None
        return [None if value is None else value.plain for value in found.values]

    @staticmethod
    def initial_constant(symbol: Symbol) -> Constant | None:
        return initial_values(symbol)

    def type_of(self, expression: Expression) -> tuple[str, int] | None:
        return resolve(expression, self).type

    def kind_of(self, expression: Expression) -> int | None:
        found = self.type_of(expression)
        return None if found is None else found[1]

    def bounds(self, symbol: Symbol) -> tuple[tuple[int | None, int | None], ...]:
        found: list[tuple[int | None, int | None]] = []
        for one in symbol.dimensions or ():
            lower: int | None = 1
            if one.lower is not None:
                lower = symbol.scope.integer(one.lower)
            elif one.deferred and symbol.attributes & {"allocatable", "pointer"}:
                lower = None
            found.append((lower, None if one.upper is None else symbol.scope.integer(one.upper)))
        if symbol.storage == PARAMETER and any(upper is None for _, upper in found):
            return self._implied_shape(symbol, found)
        return tuple(found)

    def extents(self, symbol: Symbol) -> tuple[int | None, ...]:
        return tuple(
            None if lower is None or upper is None else max(upper - lower + 1, 0)
            for lower, upper in self.bounds(symbol)
        )

    def length(self, symbol: Symbol) -> int | None:
        if symbol.length is None:
            return 1
        if isinstance(symbol.length, str):
            return None
        found = symbol.scope.integer(symbol.length)
        return None if found is None else max(found, 0)

    def _implied_shape(
        self, symbol: Symbol, found: list[tuple[int | None, int | None]]
    ) -> tuple[tuple[int | None, int | None], ...]:
        """parameter :: a(*) = [...]: as its value."""
        value = None if symbol.value is None else evaluate(symbol.value, symbol.scope)
        if value is None or len(value.shape) != len(found):
            return tuple(found)
        return tuple(
            (lower, upper if upper is not None or lower is None else lower + extent - 1)
            for (lower, upper), extent in zip(found, value.shape, strict=True)
        )

    def declared_anew(self) -> None:
        self._declared = OwnSymbols(self)

    # ---- where names come from ----------------------------------------------------------------
    @cached_property
    def mentioned(self) -> set[str]:
        return mentioned_names(self.unit)

    @cached_property
    def _called(self) -> set[str]:
        """Subroutines that the body calls by their names."""
        calls = (one.procedure for one in walk(self.unit.body) if isinstance(one, Call))
        return {one.id for one in calls if isinstance(one, Name)}

    @cached_property
    def _units(self) -> dict[str, Unit]:
        return {unit.name: unit for unit in self.unit.units}

    def _own(self, name: str) -> Symbol | None:
        if name in self._made:
            return self._made[name]
        if name not in self._declared.names:
            return None
        symbol = self._declared.make(name)
        if symbol is not None:
            self._made[name] = symbol
        return symbol

    def _find(self, name: str) -> Symbol | Unit | None:
        found = self._here(name)
        if found is not None:
            return found
        for use in self.unit.uses:
            found = self._used(use, name)
            if found is not None:
                return found
        return None if self.parent is None else self.parent._find(name)

    def _here(self, name: str) -> Symbol | Unit | None:
        unit = self.unit.aliases.get(name) or self._units.get(name) or self._separate(name)
        if unit is not None:
            return unit
        return self._own(name)

    def _separate(self, name: str) -> Unit | None:
        """A procedure whose interface stands here, and all else in a submodule."""
        if name not in self.unit.bodies or self.unit.kind not in ("module", "submodule"):
            return None
        inside = (
            u for sub in self.program.submodules_of(used_module(self.unit)) for u in sub.units
        )
        kinds = ("subroutine", "function")
        return next((u for u in inside if u.name == name and u.kind in kinds), None)

    def _used(self, use: Use, name: str) -> Symbol | Unit | None:
        remote = remote_name(use, name)
        if remote is None:
            return None
        module = self.program.modules.get(use.module)
        if module is not None:
            return self._scope(module)._exported(remote)
        value = languagemodules.MODULES.get(use.module, {}).get(remote)
        if value is None:
            return None
        number: Expression = Number(str(abs(value)))
        return Symbol(
            name, "integer", 4, self, use.place,
            storage=PARAMETER, owner=use.module, attributes=frozenset(("parameter",)),
            value=number if value >= 0 else Unary("-", number),
        )  # fmt: skip

    def _exported(self, name: str) -> Symbol | Unit | None:
        """Of a module, to those that use it."""
        if not self.exports(name) or name in self._busy_uses:
            return None
        found = self._here(name)
        if found is not None:
            return found
        self._busy_uses.add(name)
        try:
            for use in self.unit.uses:
                found = self._used(use, name)
                if found is not None:
                    return found
        finally:
            self._busy_uses.discard(name)
        return None

    @cached_property
    def _busy_uses(self) -> set[str]:
        return set()

    def exports(self, name: str) -> bool:
        unit = self.unit
        marks = {
            mark for one in self._declared.declarations.get(name, ()) for mark in one.attributes
        }
        if name in unit.private or "private" in marks:
            return False
        return name in unit.public or "public" in marks or not unit.hides_all

    def _derived(self, name: str, seen: set[int]) -> tuple[DerivedType, Scope] | None:
        if id(self) in seen:
            return None
        seen.add(id(self))
        if name in self.unit.types:
            return self.unit.types[name], self
        for use in self.unit.uses:
            remote = remote_name(use, name)
            module = self.program.modules.get(use.module)
            if remote is None or module is None:
                continue
            scope = self._scope(module)
            if scope.exports(remote) and (found := scope._derived_used(remote, seen)):
                return found
        return None if self.parent is None else self.parent._derived(name, seen)

    def _derived_used(self, name: str, seen: set[int]) -> tuple[DerivedType, Scope] | None:
        return self._derived(name, seen - {id(self)})
