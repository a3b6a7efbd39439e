"""Elements of tables that an array of the points names: `slope(class(i, k) + 1)`.

A table has constant extents, and the nest does not write it. Where no copy of its elements can be
made before a run, as `class` gets its values in the nest, the place becomes a scalar of the point:

    place = class(i, k)
    ... slope(place + 1) ...

Then the table is one of the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bridge_port.outline.accesses import Access
from bridge_port.outline.calls import Effects
from bridge_port.outline.setting import Setting
from bridge_port.program.symbols import LOCAL, Symbol
from bridge_port.syntax.expressions import Apply, Binary, Expression, Name, Number, Unary
from bridge_port.syntax.rewriting import replaced
from bridge_port.syntax.statements import Assignment, If, Statement, Where

#: What is set before a statement.
_Places = dict[Expression, str]


@dataclass
class TableSubscripts:
    """names: that are taken; known: the scalar of each place."""

    setting: Setting
    effects: Effects
    names: set[str]
    known: _Places = field(default_factory=dict)

    def put(self, statements: list[Statement], access: Access) -> bool:
        """Whether the places of this table are scalars now."""
        array = access.array
        symbol = self.setting.scope.find(array)
        if symbol is None or array in self.effects.written(statements):
            return False
        if None in self.setting.extents(symbol):
            return False
        return self._in(statements, array) > 0

    def _in(self, body: list[Statement], array: str) -> int:
        """How many statements have one now."""
        found = 0
        for s in list(body):
            for inner in s.bodies():
                found += self._in(inner, array)
            places: _Places = {}
            if isinstance(s, Assignment) and not s.label:
                s.value = self._without(s.value, array, places)
            elif isinstance(s, If) and not isinstance(s, Where) and not s.label:
                condition = s.arms[0].condition
                if condition is not None:
                    s.arms[0].condition = self._without(condition, array, places)
            at = next(n for n, one in enumerate(body) if one is s)
            body[at:at] = [
                Assignment(s.place, target=Name(name), value=place)
                for place, name in places.items()
            ]
            found += bool(places)
        return found

    def _without(self, e: Expression, array: str, places: _Places) -> Expression:
        def element(one: Expression) -> Expression | None:
            if isinstance(one, Apply) and one.base == Name(array):
                subscripts = [replaced(sub, place) for sub in one.arguments]
                return Apply(one.base, tuple(subscripts))
            return None

        def place(one: Expression) -> Expression | None:
            if not isinstance(one, Apply) or not isinstance(one.base, Name):
                return None
            symbol = self.setting.find(one.base.id)
            plain = symbol is not None and symbol.type == "integer" and symbol.kind == 4
            if symbol is None or not plain or symbol.dimensions is None:
                return None
            if not all(self._simple(sub) for sub in one.arguments):
                return None
            places[one] = self._name(one, symbol)
            return Name(places[one])

        return replaced(e, element)

    def _simple(self, e: Expression) -> bool:
        """Sums and products of numbers and scalars."""
        return all(
            isinstance(part, Number | Unary | Binary)
            or (isinstance(part, Name) and not self.setting.is_array(part.id))
            for part in e.walk()
        )

    def _name(self, place: Expression, symbol: Symbol) -> str:
        if place not in self.known:
            name = f"{symbol.name}_place"
            while name in self.names:
                name += "_"
            self.names.add(name)
            self.known[place] = name
            self.setting.symbols[name] = Symbol(
                name, "integer", 4, symbol.scope, symbol.place, storage=LOCAL
            )
        return self.known[place]
