"""Procedures of known arguments, run while Fortran is read: what they give is known then.

They compute with their arguments, their own variables, and data of modules that keep their initial
values. Whatever else they do is refused at its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

from bridge_port.program.keeping import World
from bridge_port.program.memory import Memory
from bridge_port.program.storage import used_name
from bridge_port.program.symbols import MODULE, PARAMETER, SAVED
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.values import Constant, Value, binary, integer
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Expression, Keyword, Name, Section
from bridge_port.syntax.text import expression_text
from bridge_port.syntax.units import Unit

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
