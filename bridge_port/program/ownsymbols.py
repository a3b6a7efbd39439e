"""Symbols that the declarations of a program unit make."""

from __future__ import annotations

from functools import cached_property

from bridge_port.program.datavalues import data_names
from bridge_port.program.symbols import (
    COMMON,
    DUMMY,
    MODULE,
    PARAMETER,
    RESULT,
    SAVED,
    Scope,
    Symbol,
)
from bridge_port.program.unknownnames import given_by, missing_module, refuse_unread
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Expression, Name
from bridge_port.syntax.units import Declaration, Dimension, TypeName, Unit

_DEFAULT_KINDS = {"real": 4, "integer": 4, "logical": 4, "complex": 4, "character": 1}


class OwnSymbols:
    """Of a unit: what all its statements say of a name together."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.unit = scope.unit

    @cached_property
    def declarations(self) -> dict[str, list[Declaration]]:
        found: dict[str, list[Declaration]] = {}
        for one in self.unit.declarations:
            found.setdefault(one.name, []).append(one)
        return found

    @cached_property
    def names(self) -> dict[str, None]:
        unit = self.unit
        names = dict.fromkeys(name for name in unit.arguments if name != "*")
        if unit.result:
            names[unit.result] = None
        names.update(dict.fromkeys(self.declarations))
        names.update(dict.fromkeys(name for name, _, _ in unit.parameters))
        names.update(dict.fromkeys(member.name for member in unit.commons))
        names.update(dict.fromkeys(self._initialised))
        names.update(dict.fromkeys(unit.statement_functions))
        return names

    @cached_property
    def _initialised(self) -> set[str]:
        return data_names(self.unit)

    def make(self, name: str) -> Symbol | None:
        """None of a name that is a procedure's alone."""
        unit = self.unit
        declared: TypeName | None = None
        shape: tuple[Dimension, ...] | None = None
        attributes: set[str] = set()
        intent = ""
        value: Expression | None = None
        place = unit.place
        for one in self.declarations.get(name, ()):
            declared = one.type or declared
            shape = one.dimensions if one.dimensions is not None else shape
            attributes |= one.attributes
            intent = one.intent or intent
            value = one.value or value
            place = one.place
        for parameter, expression, where in unit.parameters:
            if parameter == name:
                attributes.add("parameter")
                value, place = expression, where
        if name == unit.result and declared is None:
            declared = unit.result_type
        if declared is None and attributes & {"external", "intrinsic"} and shape is None:
            if name not in unit.arguments:
                return None
        if name in unit.statement_functions and shape is None:
            attributes.add("statement function")
        implicit = declared is None
        if declared is None:
            refuse_unread(self.unit, name, place)
            declared = self.implicit_type(name)
        if declared is None and (name in unit.external or name in unit.interfaces):
            return None
        if declared is None:
            raise Refused(place, f"{name!r}", "has no type, and typing is not implicit here")
        symbol = Symbol(
            name, declared.base, 0, self._scope, place,
            type_name=declared.name, dimensions=shape, intent=intent,
            optional="optional" in attributes, attributes=frozenset(attributes), value=value,
            length=declared.length, declared=not implicit,
        )  # fmt: skip
        if symbol.type == "class":
            symbol.attributes |= {"class"}
            symbol.type = "type"
        symbol.kind = self.kind(declared, place)
        self._store(symbol)
        return symbol

    def _store(self, symbol: Symbol) -> None:
        """Where it is kept."""
        unit, name = self.unit, symbol.name
        common = next((member for member in unit.commons if member.name == name), None)
        if "parameter" in symbol.attributes:
            symbol.storage = PARAMETER
            if unit.kind in ("module", "submodule"):
                symbol.owner = unit.name
        elif common is not None:
            symbol.storage = COMMON
            symbol.owner, symbol.place_in_block = common.block, common.place_in_block
        elif name in unit.arguments:
            symbol.storage = DUMMY
        elif name == unit.result:
            symbol.storage = RESULT
        elif unit.kind in ("module", "submodule"):
            symbol.storage, symbol.owner = MODULE, unit.name
        elif (
            unit.saves_all or name in unit.saved or name in self._initialised
            or "save" in symbol.attributes
            or (symbol.value is not None and "pointer" not in symbol.attributes)
        ):  # fmt: skip
            symbol.storage = SAVED

    def kind(self, declared: TypeName, place: Place) -> int:
        if declared.base in ("type", "class"):
            return 0
        if declared.kind is None:
            return _DEFAULT_KINDS[declared.base]
        if isinstance(declared.kind, int):
            return declared.kind
        kind = self._scope.constant(declared.kind)
        if not isinstance(kind, int) or isinstance(kind, bool):
            names = [one.id for one in declared.kind.walk() if isinstance(one, Name)]
            missing = next((m for name in names if (m := missing_module(self._scope, name))), "")
            why = f"module {missing!r} is not given" if missing else "is not a known constant"
            change = given_by(self._scope, missing) if missing else ""
            raise Refused(place, f"kind of {declared.base}", why, change)
        return kind

    def implicit_type(self, name: str) -> TypeName | None:
        """By its first letter; None for what a list of names has nothing in place of."""
        if not name:
            return None
        unit: Unit | None = self.unit
        while unit is not None:
            if unit.implicit is not None:
                if not unit.implicit:
                    return None
                if name[0] in unit.implicit:
                    return unit.implicit[name[0]]
            unit = unit.parent
        return TypeName("integer" if name[0] in "ijklmn" else "real")
