"""Procedures of known arguments, run while Fortran is read: what they give is known then.

They compute with their arguments, their own variables, and data of modules that keep their initial
values. Whatever else they do is refused at its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from bridge_port.program.constants import Evaluator
from bridge_port.program.keeping import World
from bridge_port.program.storage import used_name
from bridge_port.program.symbols import (
    DUMMY,
    LOCAL,
    MODULE,
    PARAMETER,
    RESULT,
    SAVED,
    Scope,
    Symbol,
)
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.values import Constant, Value, binary, convert, fitted, integer
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Expression, Keyword, Name, Section
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Unit


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


#: Statements of one run, and calls inside of each other.
MOST_STEPS = 20_000
MOST_CALLS = 40


class _Returned(Exception):
    pass


class _Left(Exception):
    """exit or cycle of a loop; name: "" of the innermost one."""

    def __init__(self, cycle: bool, name: str) -> None:
        self.cycle, self.name = cycle, name


class _Jump(Exception):
    def __init__(self, label: str) -> None:
        self.label = label


class Running(Memory):
    """One procedure, or one expression of it."""

    # ---- names

    def _named(self, name: str) -> Constant | None:
        if name in self.memory:
            return self.memory[name]
        symbol = self._scope.find(name)
        if symbol is None or symbol.storage == PARAMETER:
            return self._scope.parameter(name)
        if symbol.storage in (MODULE, SAVED):
            return self.world.kept(symbol, self.place)
        return None

    def _apply(self, name: str, arguments: tuple[Expression, ...]) -> Constant | None:
        if name == "present" and len(arguments) == 1 and isinstance(arguments[0], Name):
            return Constant((), (Value("logical", 4, arguments[0].id not in self.absent),))
        return super()._apply(name, arguments)

    def _called(self, name: str, arguments: tuple[Expression, ...]) -> Constant | None:
        unit = self._scope.procedure(name)
        if unit is None or unit.kind != "function":
            return None
        after = self._run(unit, arguments)
        return after.get(unit.result or unit.name)

    def _run(
        self, unit: Unit, arguments: Sequence[Expression], outputs: Iterable[str] = ()
    ) -> dict[str, Constant | None]:
        values: dict[str, Constant | None] = {}
        for dummy, actual in paired(unit, arguments, self.place):
            if actual is None or (isinstance(actual, Name) and actual.id in self.absent):
                continue
            found = self.value(actual)
            if found is None and dummy not in outputs:
                self.refuse(
                    expression_text(actual), "its value is not known when the kernel is built"
                )
            values[dummy] = found
        return run(self.world, unit, values, self.place)

    # ---- statements

    def block(self, body: Sequence[s.Statement]) -> None:
        at = 0
        while at < len(body):
            try:
                self.one(body[at])
                at += 1
            except _Jump as jump:
                labels = [one.label for one in body]
                if jump.label not in labels:
                    raise
                at = labels.index(jump.label)

    def one(self, st: s.Statement) -> None:
        self.place = st.place
        self.world.steps += 1
        if self.world.steps > MOST_STEPS:
            self.endless()
        if isinstance(st, s.Continue):
            return
        if isinstance(st, s.Unread):
            self.refuse(st.construct, st.why or "it is not run when the kernel is built")
        if isinstance(st, s.Assignment) and not isinstance(st, s.PointerAssignment):
            self.assign(st.target, self.known(st.value, st.place))
        elif isinstance(st, s.If) and not isinstance(st, s.Where):
            for arm in st.arms:
                if arm.condition is None or self.truth(arm.condition):
                    self.block(arm.body)
                    break
        elif isinstance(st, s.Select):
            self.select(st)
        elif isinstance(st, s.Do):
            self.loop(st)
        elif isinstance(st, s.Call):
            self.call(st)
        elif isinstance(st, s.Return):
            raise _Returned
        elif isinstance(st, (s.Exit, s.Cycle)):
            raise _Left(isinstance(st, s.Cycle), st.name)
        elif isinstance(st, s.Goto):
            raise _Jump(st.target)
        else:
            self.refuse(type(st).__name__, "it is not run when the kernel is built")

    def endless(self) -> NoReturn:
        self.place = self._scope.unit.place
        self.refuse(self._scope.unit.name, f"it does not end in {MOST_STEPS} statements")

    def truth(self, e: Expression) -> bool:
        return bool(self.scalar_of(e, "logical"))

    def select(self, st: s.Select) -> None:
        subject = self.known(st.subject, st.place).scalar
        if subject is None:
            self.refuse("select case", "of an array")
        otherwise: list[s.Statement] = []
        for case in st.cases:
            if case.values is None:
                otherwise = case.body
                continue
            if any(self.matches(subject, e) for e in case.values):
                self.block(case.body)
                return
        self.block(otherwise)

    def matches(self, subject: Value, e: Expression) -> bool:
        ends = [("==", e)]
        if isinstance(e, Section):
            ends = [(op, end) for op, end in ((">=", e.lower), ("<=", e.upper)) if end is not None]
        return all(compared(op, subject, self.known(end, self.place).scalar) for op, end in ends)

    def loop(self, st: s.Do) -> None:
        if not st.variable:
            while st.condition is None or self.truth(st.condition):
                if self.turn(st):
                    return
            return
        if st.first is None or st.last is None:
            self.refuse("do", "without bounds")
        first, last = self.scalar_of(st.first, "integer"), self.scalar_of(st.last, "integer")
        step = 1 if st.step is None else self.scalar_of(st.step, "integer")
        if step == 0:
            self.refuse("do", "its step is 0")
        for number in range((last - first + step) // step):
            self.assign(Name(st.variable), Constant((), (integer(first + number * step),)))
            if self.turn(st):
                return
        end = first + max((last - first + step) // step, 0) * step
        self.assign(Name(st.variable), Constant((), (integer(end),)))

    def turn(self, st: s.Do) -> bool:
        """Whether the loop has been left."""
        self.world.steps += 1
        try:
            self.block(st.body)
        except _Left as left:
            if left.name not in ("", st.name):
                raise
            return not left.cycle
        if self.world.steps > MOST_STEPS:
            self.endless()
        return False

    def call(self, st: s.Call) -> None:
        name = st.procedure.id if isinstance(st.procedure, Name) else ""
        unit = self._scope.procedure(name)
        if unit is None or unit.kind != "subroutine":
            self.refuse(f"call of {expression_text(st.procedure)}", "its source is not given")
        bound = paired(unit, st.arguments, st.place)
        scope = self.world.program.scope(unit)
        outputs = [dummy for dummy, _ in bound if scope.symbol(dummy).intent != "in"]
        after = self._run(unit, st.arguments, outputs)
        for dummy, actual in bound:
            if dummy not in outputs or actual is None or dummy not in after:
                continue
            if isinstance(actual, (Name, Apply)) and after[dummy] is not None:
                value = after[dummy]
                before = self.value(actual)
                if value is not None and (before is None or before != value):
                    self.assign(actual, value)

    # ---- variables


def compared(operator: str, subject: Value, other: Value | None) -> bool:
    if other is None:
        return False
    if subject.type == "logical":
        return bool(subject.plain) == bool(other.plain)
    found = binary(operator, subject, other)
    return found is not None and bool(found.plain)


def paired(
    unit: Unit, arguments: Sequence[Expression], place: Place
) -> list[tuple[str, Expression | None]]:
    """Dummies with what is passed for them."""
    plain = [a for a in arguments if not isinstance(a, Keyword)]
    named = {a.name: a.value for a in arguments if isinstance(a, Keyword)}
    if len(plain) > len(unit.arguments) or set(named) - set(unit.arguments):
        raise Refused(place, f"call of {unit.name}", "its arguments are others")
    return [
        (dummy, plain[n] if n < len(plain) else named.get(dummy))
        for n, dummy in enumerate(unit.arguments)
    ]


def run(
    world: World, unit: Unit, given: Mapping[str, Constant | None], place: Place
) -> dict[str, Constant | None]:
    """The values of dummies and own variables at the end. given: of the dummies that are there,
    None of one that has no value yet. Or Refused."""
    scope = world.program.scope(unit)
    if unit.entries or used_name(unit) or unit.unread or "*" in unit.arguments:
        raise Refused(place, f"call of {unit.name}", "it is not run when the kernel is built")
    absent = [dummy for dummy in unit.arguments if dummy not in given]
    for dummy in absent:
        if not scope.symbol(dummy).optional:
            raise Refused(place, f"call of {unit.name}", f"no argument for {dummy}")
    running = Running(world, scope, {}, absent)
    world.depth += 1
    try:
        if world.depth > MOST_CALLS:
            raise Refused(place, f"call of {unit.name}", "it calls itself too often")
        for dummy, value in given.items():
            symbol = scope.symbol(dummy)
            if value is None or symbol.intent == "out":
                running.memory[dummy] = None
                continue
            one = value.scalar
            if one is None or one.type != symbol.type or symbol.dimensions is not None:
                raise Refused(place, f"argument {dummy} of {unit.name}", "of another type or rank")
            if one.kind != symbol.kind:
                raise Refused(place, f"argument {dummy} of {unit.name}", "of another kind")
            running.memory[dummy] = Constant((), (one,))
        for dummy in given:
            value = running.memory[dummy]
            if value is not None:
                running.memory[dummy] = running.whole(scope.symbol(dummy), value)
        try:
            running.block(unit.body)
        except _Returned:
            pass
        except (_Left, _Jump):
            raise Refused(place, f"call of {unit.name}", "a jump out of it") from None
    finally:
        world.depth -= 1
    return running.memory
