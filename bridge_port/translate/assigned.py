"""What calls do to variables of modules, of COMMON and to saved ones: which they read before they
have given them a value, which they may give one, and which have one at every return.

On a doubt a variable is read, and has no value: what is said here is never too good.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bridge_port.program.derivedtypes import possible
from bridge_port.program.resolved import (
    BoundCall,
    Call,
    StatementFunctionCall,
    designated,
    resolve,
)
from bridge_port.program.signatures import pairs
from bridge_port.program.symbols import COMMON, DUMMY, MODULE, SAVED, Symbol, Units
from bridge_port.refusal import Place, Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Component, Expression, Name, Section
from bridge_port.syntax.units import Unit
from bridge_port.translate.intents import path

#: (storage, owner, name): of a component "grid%dx"; the owner of a saved one and of an argument is
#: its unit, as a number.
Variable = tuple[str, str, str]
State = frozenset[Variable]


def variable(symbol: Symbol, name: str = "") -> Variable | None:
    """None of what belongs to one call alone. name: of a component, as a path."""
    name = name or symbol.name
    if symbol.storage in (MODULE, COMMON):
        return symbol.storage, symbol.owner, name
    if symbol.storage in (SAVED, DUMMY):
        return symbol.storage, str(id(symbol.scope.unit)), name
    return None


@dataclass
class Effects:
    """Of one procedure. reads, writes: with the first place; always: what has a value at every
    return; rough: whether a jump goes backwards, so that nothing has one."""

    reads: dict[Variable, Place] = field(default_factory=dict)
    writes: dict[Variable, Place] = field(default_factory=dict)
    always: State = frozenset()
    rough: bool = False

    def mentions(self, one: Variable) -> bool:
        return any(same(one, other) for other in (*self.reads, *self.writes))


def same(one: Variable, other: Variable) -> bool:
    """Whether two may share memory: a variable and a component of it do."""
    if one[:2] != other[:2]:
        return False
    a, b = one[2], other[2]
    return a == b or a.startswith(f"{b}%") or b.startswith(f"{a}%")


class Assigned:
    """Of all procedures of a program, found once for each."""

    def __init__(self, program: Units) -> None:
        self.program = program
        self.known: dict[int, Effects] = {}
        self._busy: set[int] = set()

    def of(self, unit: Unit) -> Effects:
        if id(unit) not in self.known:
            if id(unit) in self._busy:
                return Effects()  # of a recursion, which is refused elsewhere
            self._busy.add(id(unit))
            self.known[id(unit)] = _Walk(self, unit).effects()
            self._busy.discard(id(unit))
        return self.known[id(unit)]


class _Walk:
    """Over the statements of a unit in their order. A state holds what has a value; None is that
    of a statement that nothing reaches."""

    def __init__(self, assigned: Assigned, unit: Unit) -> None:
        self.assigned, self.unit = assigned, unit
        self.scope = assigned.program.scope(unit)
        self.found = Effects()
        self.returns: list[State] = []
        self.jumps: dict[str, list[State]] = {}
        self.passed: set[str] = set()
        self.loops: list[tuple[str, list[State]]] = []
        self.place = unit.place

    def effects(self) -> Effects:
        end = self.body(self.unit.body, frozenset())
        self.returns += [end] if end is not None else []
        self.found.rough |= bool(self.jumps)
        if self.returns and not self.found.rough:
            self.found.always = frozenset.intersection(*self.returns)
        if self.found.rough:
            for one in self.found.writes:
                self.found.reads.setdefault(one, self.found.writes[one])
        return self.found

    # ---- statements

    def body(self, statements: Sequence[s.Statement], have: State | None) -> State | None:
        for one in statements:
            if one.label:
                have = _meet([have, *self.jumps.pop(one.label, [])])
                self.passed.add(one.label)
            if have is None:
                # Nothing reaches it but by a label inside, which a jump cannot reach.
                continue
            self.place = one.place
            have = self.statement(one, have)
        return have

    def statement(self, one: s.Statement, have: State) -> State | None:
        if isinstance(one, s.Assignment):
            return self.assignment(one, have)
        if isinstance(one, s.Where):
            self.everything(one.expressions(), have)
            for inner in s.walk([body for arm in one.arms for body in arm.body]):
                for e in inner.expressions():
                    self.read(e, have) if not _is_target(inner, e) else self.place_of(e, have)
                if isinstance(inner, s.Assignment):
                    self.write(inner.target)
            return have
        if isinstance(one, s.If):
            states = []
            for arm in one.arms:
                if arm.condition is not None:
                    self.read(arm.condition, have)
                states.append(self.body(arm.body, have))
            states += [have] if one.arms[-1].condition is not None else []
            return _meet([*states, *self.jumps.pop(one.end_label, [])])
        if isinstance(one, s.Select):
            self.everything(one.expressions(), have)
            states = [self.body(case.body, have) for case in one.cases]
            default = any(case.values is None for case in one.cases)
            return _meet([*states, *([] if default else [have])])
        if isinstance(one, s.Do):
            return self.loop(one, have)
        if isinstance(one, s.Call):
            return self.call(one.procedure, one.arguments, have)
        if isinstance(one, s.Unread):
            return self.unread(one, have)
        self.everything(one.expressions(), have)
        if isinstance(one, s.Return):
            self.returns.append(have)
        elif isinstance(one, s.Exit):
            self.leave(one.name, have)
        elif isinstance(one, s.Goto):
            self.jump([one.target], have)
        elif isinstance(one, s.ArithmeticIf):
            self.jump(one.targets, have)
        elif isinstance(one, s.ComputedGoto):
            self.jump(one.targets, have)
            return have
        elif not isinstance(one, s.Cycle | s.Stop):
            return have
        return None

    def assignment(self, one: s.Assignment, have: State) -> State:
        self.read(one.value, have)
        self.place_of(one.target, have)
        self.write(one.target)
        if isinstance(one, s.PointerAssignment):
            self.write(one.value)  # which the pointer may change
            return have
        return self.given(one.target, have)

    def given(self, target: Expression, have: State) -> State:
        """With what has a value after all of it was written."""
        if isinstance(target, Apply) and all(
            one == Section(None, None, None) for one in target.arguments
        ):
            target = target.base
        held = self.named(target)
        whole = held is not None and not _subscripted(target)
        return have | {held} if whole and held is not None else have

    def loop(self, one: s.Do, have: State) -> State | None:
        self.everything(one.expressions(), have)
        if one.variable:
            self.write(Name(one.variable))
            have = self.given(Name(one.variable), have)
        self.loops.append((one.name, []))
        end = self.body(one.body, have)
        _, left = self.loops.pop()
        if not one.variable and one.condition is None:
            return _meet(list(left))
        if self.fills(one) and end is not None:
            filled = one.body[0]
            assert isinstance(filled, s.Assignment) and isinstance(filled.target, Apply)
            return self.given(filled.target.base, have)
        return have

    def fills(self, one: s.Do) -> bool:
        """Whether its only statement gives each element of an array a value."""
        body = [inner for inner in one.body if not isinstance(inner, s.Continue)]
        if len(body) != 1 or body[0] is not one.body[0] or one.step is not None:
            return False
        inner = body[0]
        if not isinstance(inner, s.Assignment) or not isinstance(inner.target, Apply):
            return False
        if inner.target.arguments != (Name(one.variable),) or not isinstance(
            inner.target.base, Name
        ):
            return False
        symbol = self.scope.find(inner.target.reference)
        if symbol is None or symbol.dimensions is None or one.first is None or one.last is None:
            return False
        ends = self.scope.constant(one.first), self.scope.constant(one.last)
        return None not in ends and symbol.scope.bounds(symbol) == (ends,)

    def leave(self, name: str, have: State) -> None:
        """An exit; of another construct than a loop nothing is kept."""
        for own, states in reversed(self.loops):
            if not name or own == name:
                states.append(have)
                return
        self.found.rough = True

    def jump(self, targets: Iterable[str], have: State) -> None:
        for target in targets:
            if target in self.passed:
                self.found.rough = True
            self.jumps.setdefault(target, []).append(have)

    def unread(self, one: s.Unread, have: State) -> State:
        if isinstance(one, s.SelectType):
            self.read(one.subject, have)
            for guard in one.guards:
                self.body(guard.body, have)
            return have
        words = set(re.findall(r"[a-z]\w*", " ".join((one.text, *one.inside)).lower()))
        for name in sorted(words):
            symbol = self.scope.find(name)
            if symbol is not None and (held := variable(symbol)) is not None:
                self.found.reads.setdefault(held, one.place)
                self.found.writes.setdefault(held, one.place)
        return have

    # ---- calls

    def call(self, procedure: Expression, arguments: Sequence[Expression], have: State) -> State:
        callees: list[tuple[Unit, Sequence[Expression]]] = []
        if isinstance(procedure, Name):
            callee = self.scope.procedure(procedure.id)
            callees += [(callee, arguments)] if callee is not None else []
        elif isinstance(procedure, Component):
            self.place_of(procedure, have)
            callees += possible(self.scope, procedure, arguments)
        if not callees:
            objects = [procedure.base] if isinstance(procedure, Component) else []
            for e in (*arguments, *objects):
                self.read(e, have)
                self.write(e)
            return have
        states = [self.called(callee, given, have) for callee, given in callees]
        return frozenset.intersection(*states)

    def called(self, callee: Unit, given: Sequence[Expression], have: State) -> State:
        effects, owner = self.assigned.of(callee), str(id(callee))
        after = have
        try:
            bound = list(pairs(callee, given))
        except Refused:
            bound = []
            for e in given:
                self.read(e, have)
                self.write(e)
        for dummy, actual in bound:
            if actual is None or dummy == "*":
                continue
            own = (DUMMY, owner, dummy)
            held = self.named(actual)
            self.place_of(actual, have)
            if held is None or any(same(own, one) for one in effects.reads):
                self.read(actual, have)
            if any(same(own, one) for one in effects.writes):
                self.write(actual)
            if own in effects.always and self.all_of(callee, dummy, actual):
                after = self.given(actual, after)
        for one in effects.reads:
            if one[0] != DUMMY and not self.valued(one, have):
                self.found.reads.setdefault(one, self.place)
        for one in effects.writes:
            if one[0] != DUMMY:
                self.found.writes.setdefault(one, self.place)
        return after | {one for one in effects.always if one[0] != DUMMY}

    def all_of(self, callee: Unit, dummy: str, actual: Expression) -> bool:
        """Whether the dummy is all of what is passed: an array may be passed for a shorter one."""
        symbol = designated(actual, self.scope)
        if symbol is None or symbol.dimensions is None:
            return True
        scope = self.assigned.program.scope(callee)
        own = scope.symbol(dummy)
        if own.dimensions is not None and all(
            d.deferred and d.upper is None for d in own.dimensions
        ):
            return True
        extents = scope.extents(own)
        return None not in extents and extents == symbol.scope.extents(symbol)

    # ---- expressions

    def everything(self, expressions: Iterable[Expression], have: State) -> None:
        for e in expressions:
            self.read(e, have)

    def read(self, e: Expression, have: State) -> None:
        held = self.named(e)
        if held is not None:
            if not self.valued(held, have):
                self.found.reads.setdefault(held, self.place)
            self.place_of(e, have)
            return
        match resolve(e, self.scope) if isinstance(e, Apply) else None:
            case StatementFunctionCall() as function:
                self.read(function.value, have)
            case Call() as call:
                self.called(call.callee, call.arguments, have)
                return
            case BoundCall() as call:
                found = list(possible(self.scope, call.procedure, call.arguments))
                for callee, given in found:
                    self.called(callee, given, have)
                if found:
                    return
        for part in e.parts():
            self.read(part, have)

    def place_of(self, e: Expression, have: State) -> None:
        """Subscripts of a designator."""
        while isinstance(e, Apply | Component):
            if isinstance(e, Apply):
                self.everything(e.arguments, have)
            e = e.base

    def write(self, e: Expression) -> None:
        held = self.named(e)
        if held is not None:
            self.found.writes.setdefault(held, self.place)

    def named(self, e: Expression) -> Variable | None:
        """The variable that a designator is, or is a part of."""
        symbol = self.scope.find(e.root)
        if symbol is None or e.root in self.unit.statement_functions:
            return None
        if isinstance(e, Apply) and e.reference and symbol.dimensions is None:
            if symbol.type != "character":
                return None  # a function
        if (
            isinstance(e, Apply)
            and isinstance(e.base, Component)
            and any(True for _ in possible(self.scope, e.base, e.arguments))
        ):
            return None
        spelled = path(e) or e.root
        tail = spelled.partition("%")[2]
        return variable(symbol, f"{symbol.name}%{tail}" if tail else "")

    @staticmethod
    def valued(one: Variable, have: State) -> bool:
        """All of it."""
        return any(
            one == other or (one[:2] == other[:2] and one[2].startswith(f"{other[2]}%"))
            for other in have
        )


def _is_target(statement: s.Statement, e: Expression) -> bool:
    return isinstance(statement, s.Assignment) and e is statement.target


def _subscripted(e: Expression) -> bool:
    while isinstance(e, Component):
        e = e.base
    return isinstance(e, Apply)


def _meet(states: Sequence[State | None]) -> State | None:
    there = [one for one in states if one is not None]
    return frozenset.intersection(*there) if there else None
