"""What the names of a nest stand for: the scope of its unit, with values that the user gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from bridge_port.analysis.affine import Affine, affine, literal
from bridge_port.kernel import View
from bridge_port.program.resolved import Resolved, resolve
from bridge_port.program.symbols import PARAMETER, Scope, Symbol, Units
from bridge_port.program.unknownnames import make_implicit
from bridge_port.refusal import SOURCE, Place, Refused
from bridge_port.syntax.expressions import Apply, Expression, Name, Number
from bridge_port.syntax.rewriting import with_names
from bridge_port.syntax.units import TypeName, Unit


@dataclass
class Setting:
    """program, unit, scope: of the nest; constants: name -> value, of scalars that have one value
    for this port; touched: of arrays with points, and of their dimensions from 0, the first and
    the last component that the nest touches, where the declaration does not say them; lines: work
    arrays that keep a scalar for the next round of a loop, with its name; species: the variable
    with their number, as a user says it, "" of none."""

    program: Units
    unit: Unit
    scope: Scope
    constants: Mapping[str, int] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    touched: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)
    species: str = ""

    def __post_init__(self) -> None:
        make_implicit(self.scope)

    def find(self, name: str) -> Symbol | None:
        """Of a variable, a named constant or a view."""
        return self.symbols.get(name) or self.scope.find(name)

    def resolve(self, e: Expression) -> Resolved:
        """What an expression is in the nest."""
        return resolve(e, self.scope, self.symbols)

    def is_element(self, e: Expression) -> TypeGuard[Apply]:
        """Whether it is an element or a section of an array, and not of a component."""
        return isinstance(e, Apply) and e.reference != "" and self.is_array(e.reference)

    def arrays_of(self, names: set[str]) -> set[str]:
        """With the arrays that views among them are of."""
        return names | {self.views[name].array for name in names if name in self.views}

    def symbol(self, name: str, place: Place) -> Symbol | None:
        """Of a variable or a named constant; None of a procedure."""
        return self.scope.find(name)

    def variable(self, name: str, place: Place) -> Symbol:
        """Also of one whose type is implicit."""
        found = self.find(name) or self.scope.symbol(name, place)
        if found is None:
            raise Refused(place, name, "its declaration is not known", f"say {SOURCE}")
        return found

    def is_array(self, name: str) -> bool:
        found = self.find(name)
        return found is not None and found.dimensions is not None

    def callee(self, name: str) -> Unit | None:
        return self.scope.procedure(name)

    def known(self, expression: Expression) -> int | None:
        """The integer that an expression has in every run."""
        value = literal(expression)
        if value is not None:
            return value
        if isinstance(expression, Name):
            if expression.id in self.constants:
                return self.constants[expression.id]
            symbol = self.scope.find(expression.id)
            if symbol is None or symbol.storage != PARAMETER:
                return None
        return self.scope.integer(expression)

    def affine(self, expression: Expression) -> Affine:
        return affine(expression, self.known)

    def bounds(self, symbol: Symbol) -> list[tuple[Affine, Affine | None]]:
        """Lower and upper of each dimension; upper None where it is not declared."""
        result = []
        for one in symbol.dimensions or ():
            inner = symbol.scope

            def known(e: Expression, inner: Scope = inner) -> int | None:
                value = self.known(e) if inner is self.scope else literal(e)
                if value is None and inner is not None and inner is not self.scope:
                    if isinstance(e, Name) and e.id in self.constants:
                        return self.constants[e.id]
                    got = inner.constant(e)
                    value = got if isinstance(got, int) else None
                return value

            low = affine(one.lower, known) if one.lower is not None else Affine(1)
            high = affine(one.upper, known) if one.upper is not None else None
            result.append((low, high))
        return result

    def extents(self, symbol: Symbol) -> list[int | None]:
        """Of each dimension, None where it is not a constant."""
        return [
            None
            if high is None
            else difference.constant + 1
            if (difference := high - low).constant is not None
            else None
            for low, high in self.bounds(symbol)
        ]

    def of_species(self, place: Affine, scope: Scope | None = None) -> bool:
        """Whether the number of species is in it; scope: that it stands in, else that of the
        nest."""
        found = [(scope or self.scope).find(t.id) for t, _ in place.terms if isinstance(t, Name)]
        return any(one is not None and one.counts(self.species) for one in found)

    def type_name(self, symbol: Symbol, place: Place) -> TypeName:
        """For a declaration."""
        if symbol.type not in ("real", "integer", "logical"):
            what = f"type({symbol.type_name})" if symbol.type == "type" else symbol.type
            raise Refused(place, f"{what} {symbol.name}", "a kernel has numbers and logicals")
        return TypeName(symbol.type, symbol.kind)

    def type_of(self, expression: Expression) -> tuple[str, int] | None:
        """Type and bytes; None where they are not known. A view has the type of its array."""
        arrays: dict[str, Expression] = {n: Name(view.array) for n, view in self.views.items()}
        return self.scope.type_of(with_names(expression, arrays))

    def with_constants(self, expression: Expression) -> Expression:
        values = {n: Number(str(v)) for n, v in self.constants.items() if v >= 0}
        return with_names(expression, dict(values))
