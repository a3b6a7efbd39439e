"""What variables of a procedure hold that is run while Fortran is read, and what assigns them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from bridge_port.program.constants import Evaluator
from bridge_port.program.keeping import World
from bridge_port.program.symbols import DUMMY, LOCAL, RESULT, Scope, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.values import Constant, Value, convert, fitted
from bridge_port.syntax.expressions import Apply, Expression, Name, Section
from bridge_port.syntax.text import expression_text


class Memory(Evaluator):
    """memory: values of dummies and own variables; absent: optional dummies that are not given."""

    def __init__(
        self,
        world: World,
        scope: Scope,
        memory: Mapping[str, Constant | None],
        absent: Iterable[str] = (),
    ) -> None:
        super().__init__(scope, {})
        self.world, self.memory, self.absent = world, dict(memory), frozenset(absent)
        self.place = scope.unit.place

    def known(self, e: Expression, place: Place) -> Constant:
        """The value of an expression, or Refused."""
        self.place = place
        found = self.value(e)
        if found is None or None in found.values:
            self.refuse(expression_text(e), "its value is not known when the kernel is built")
        return found

    def refuse(self, construct: str, why: str = "", change: str = "") -> NoReturn:
        raise Refused(self.place, construct, why, change)

    def scalar_of(self, e: Expression, type: str) -> Any:
        found = self.known(e, self.place).scalar
        if found is None or found.type != type:
            self.refuse(expression_text(e), f"no {type} that is known")
        return found.plain

    # ---- assignments

    def assign(self, target: Expression, value: Constant) -> None:
        base = target
        while isinstance(base, Apply):
            base = base.base
        if not isinstance(base, Name):
            self.refuse(expression_text(target), "it is no variable of the procedure")
        symbol = self._scope.symbol(base.id, self.place)
        if symbol.storage not in (LOCAL, DUMMY, RESULT) or symbol.intent == "in":
            self.refuse(f"an assignment to {base.id}", "it is no variable of the procedure")
        if base.id in self.absent:
            self.refuse(f"an assignment to {base.id}", "it is not given")
        if isinstance(target, Name):
            self.memory[base.id] = self.whole(symbol, value)
        else:
            self.memory[base.id] = self.part(symbol, target, value)

    def whole(self, symbol: Symbol, value: Constant) -> Constant:
        shape = self.shape_of(symbol)
        values = value.values * _size(shape) if value.shape == () else value.values
        if value.shape not in ((), shape):
            self.refuse(f"an assignment to {symbol.name}", "of another shape")
        return Constant(shape, tuple(self.fit(symbol, one) for one in values))

    def shape_of(self, symbol: Symbol) -> tuple[int, ...]:
        if symbol.dimensions is None:
            return ()
        extents = self._scope.extents(symbol)
        if any(one is None for one in extents):
            self.refuse(f"array {symbol.name}", "its shape is not constant")
        return tuple(one for one in extents if one is not None)

    def fit(self, symbol: Symbol, value: Value | None) -> Value:
        """As an assignment does."""
        found = None if value is None else convert(value, symbol.type, symbol.kind)
        if found is None:
            self.refuse(f"an assignment to {symbol.name}", "of a value that it does not hold")
        length = self.length_of(symbol)
        return found if length is None else fitted(found, length)

    def length_of(self, symbol: Symbol) -> int | None:
        """Of a character; None where it is that of its value."""
        if symbol.type != "character" or isinstance(symbol.length, str):
            return None
        if symbol.length is None:
            return 1
        length = symbol.scope.length(symbol)
        return int(self.scalar_of(symbol.length, "integer")) if length is None else length

    def part(self, symbol: Symbol, target: Expression, value: Constant) -> Constant:
        """With an element or some letters changed."""
        if not isinstance(target, Apply):
            self.refuse(expression_text(target), "it is no variable of the procedure")
        one = value.scalar
        if one is None:
            self.refuse(f"an assignment to a part of {symbol.name}", "of an array")
        letters: Section | None = None
        if len(target.arguments) == 1 and isinstance(target.arguments[0], Section):
            letters = target.arguments[0]
            if symbol.dimensions is not None and isinstance(target.base, Name):
                self.refuse(
                    f"a section of {symbol.name}", "it is not run when the kernel is built"
                )
            target = target.base
        shape = self.shape_of(symbol)
        old = self.memory.get(symbol.name)
        empty: list[Value | None] = [None] * _size(shape)
        values = empty if old is None else list(old.values)
        place = 0
        if isinstance(target, Apply):
            stride = 1
            bounds = self._scope.bounds(symbol)
            for subscript, (lower, _), extent in zip(target.arguments, bounds, shape, strict=True):
                at = self.scalar_of(subscript, "integer") - (1 if lower is None else lower)
                if not 0 <= at < extent:
                    self.refuse(expression_text(target), "outside of the array")
                place += at * stride
                stride *= extent
        if letters is None:
            values[place] = self.fit(symbol, one)
            return Constant(shape, tuple(values))
        before = values[place]
        if before is None or one.type != "character":
            self.refuse(f"an assignment to letters of {symbol.name}", "its value is not known")
        text = str(before.plain)
        first = 1 if letters.lower is None else self.scalar_of(letters.lower, "integer")
        last = len(text) if letters.upper is None else self.scalar_of(letters.upper, "integer")
        if first <= last:
            if first < 1 or last > len(text):
                self.refuse(f"an assignment to letters of {symbol.name}", "outside of it")
            middle = str(fitted(one, last - first + 1).plain)
            text = text[: first - 1] + middle + text[last:]
        values[place] = Value("character", 1, text)
        return Constant(shape, tuple(values))


def _size(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count
