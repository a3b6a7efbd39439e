"""Declarations that a generated procedure needs of the unit that a nest stands in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.port.program.symbols import COMMON, MODULE, PARAMETER, Symbol
from bridge.port.refusal import Refused
from bridge.port.syntax.expressions import Expression, Name, Number
from bridge.port.syntax.text import expression_text
from bridge.port.syntax.units import Declaration, TypeName, Unit
from bridge.port.syntax.unittext import declaration_text


@dataclass
class Known:
    """arguments: of the procedure, in the order of the unit's; parameters and outside: names that
    are no arguments."""

    around: Surroundings
    arguments: list[str]
    parameters: list[str]
    outside: list[str]
    arrays: set[str]

    def declarations(self, targets: bool) -> list[str]:
        """Scalars first, because bounds need them."""
        lines = self.around.outside_lines(self.outside)
        for name in self.parameters:
            lines.append(self.around.parameter_text(name))
        ordered = sorted(
            self.arguments, key=lambda n: self.around.symbol(n).dimensions is not None
        )
        for name in ordered:
            lines.append(self.around.argument_text(name, targets and name in self.arrays))
        return lines


class Surroundings:
    """Of one unit."""

    def __init__(self, program: Any, unit: Unit) -> None:
        self.unit, self.scope = unit, program.scope(unit)

    def symbol(self, name: str) -> Symbol:
        return self.scope.symbol(name, self.unit.place)  # type: ignore[no-any-return]

    def size(self, name: str) -> int:
        """Elements of an array, 0 of a scalar."""
        symbol = self.symbol(name)
        if symbol.dimensions is None:
            return 0
        size = 1
        for extent in self.scope.extents(symbol):
            if extent is None:
                raise Refused(symbol.place, f"array {name}", "its extent is no constant")
            size *= extent
        return size

    def needed(self, names: Iterable[str], bounds: Sequence[Expression]) -> Known:
        """What these variables and expressions need, with what their declarations need."""
        arguments: dict[str, None] = {}
        parameters: dict[str, None] = {}
        outside: dict[str, None] = {}
        arrays = set(names)

        def take(name: str) -> None:
            symbol = self.scope.find(name)
            if symbol is None or name in arguments or name in parameters or name in outside:
                return
            if symbol.storage == PARAMETER:
                if symbol.scope is self.scope:
                    parameters[name] = None
                else:
                    outside[name] = None
                return
            for one in symbol.dimensions or ():
                for e in (one.lower, one.upper):
                    if e is not None and symbol.storage not in (MODULE, COMMON):
                        within(e)
            # An array of a module or of COMMON is bound where it is given.
            if symbol.storage in (MODULE, COMMON) and symbol.dimensions is None:
                outside[name] = None
            elif symbol.storage in (MODULE, COMMON):
                outside[name] = None
            else:
                arguments[name] = None

        def within(e: Expression) -> None:
            for part in e.walk():
                if isinstance(part, Name):
                    take(part.id)

        for name in dict.fromkeys(names):
            take(name)
        for e in bounds:
            within(e)
        order = {name: n for n, name in enumerate(self.unit.arguments)}
        ordered = sorted(arguments, key=lambda n: (order.get(n, len(order)), n))
        return Known(self, ordered, list(parameters), list(outside), arrays)

    def outside(self, name: str) -> None:
        """Refused where it is nowhere to be found."""
        self.symbol(name)

    def outside_lines(self, names: Iterable[str]) -> list[str]:
        """use statements, then COMMON blocks as the unit declares them."""
        uses: dict[str, set[str]] = {}
        blocks: dict[str, None] = {}
        for name in names:
            symbol = self.symbol(name)
            if symbol.storage == COMMON:
                blocks[symbol.owner] = None
            else:
                remote = symbol.name
                text = name if remote == name else f"{name} => {remote}"
                uses.setdefault(symbol.owner, set()).add(text)
        lines = [
            f"use {module}, only: {', '.join(sorted(names))}"
            for module, names in sorted(uses.items())
        ]
        for block in blocks:
            lines += self._common(block)
        return lines

    def _common(self, block: str) -> list[str]:
        members = sorted(
            (m for m in self.unit.commons if m.block == block), key=lambda m: m.place_in_block
        )
        if not members:
            raise Refused(
                self.unit.place, f"common {block}", f"{self.unit.name} does not declare it itself"
            )
        lines = []
        for member in members:
            symbol = self.symbol(member.name)
            for one in symbol.dimensions or ():
                for e in (one.lower, one.upper):
                    for part in e.walk() if e is not None else ():
                        if isinstance(part, Name) and (text := self.parameter_text(part.id)):
                            if text not in lines:
                                lines.append(text)
            lines.append(self._declared(symbol, frozenset({"target"}), ""))
        names = ", ".join(member.name for member in members)
        return [*lines, f"common /{block}/ {names}"]

    def parameter_text(self, name: str) -> str:
        symbol = self.symbol(name)
        value = self.scope.constant(Name(name))
        if value is None or isinstance(value, str):
            raise Refused(symbol.place, f"parameter {name}", "its value is not known")
        if isinstance(value, bool):
            text = ".true." if value else ".false."
        elif isinstance(value, int):
            text = str(value)
        else:
            text = repr(value) + ("_8" if symbol.kind == 8 else "")
        kind = TypeName(symbol.type, symbol.kind)
        return declaration_text(
            Declaration(
                symbol.place, name, kind, None, frozenset({"parameter"}), value=Number(text)
            )
        )

    def argument_text(self, name: str, target: bool) -> str:
        symbol = self.symbol(name)
        attributes = {"target"} if target else set()
        if target and any(one.upper is None for one in symbol.dimensions or ()):
            if all(one.deferred for one in symbol.dimensions or ()):
                attributes.add("contiguous")
            else:
                raise Refused(
                    symbol.place,
                    f"array {name}",
                    "its last extent is not declared (*)",
                    "declare it",
                )
        return self._declared(
            symbol,
            frozenset(attributes),
            "" if target else "inout" if symbol.intent != "in" else "in",
        )

    def _declared(self, symbol: Symbol, attributes: frozenset[str], intent: str) -> str:
        kind = TypeName(symbol.type, symbol.kind)
        return declaration_text(
            Declaration(symbol.place, symbol.name, kind, symbol.dimensions, attributes, intent)
        )


def subtracted(first: Expression, shift: int) -> str:
    """first + shift, as text."""
    text = expression_text(first)
    if not shift:
        return text
    return f"{text} {'+' if shift > 0 else '-'} {abs(shift)}"
