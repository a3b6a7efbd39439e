"""Procedures with plain calls alone.

A call through a generic name or an operator of the program becomes one of the specific procedure.
A procedure that gets another one as an argument becomes a copy for that one. A procedure inside
another one gets the variables of that as arguments. A function of a derived type becomes a
subroutine, called before the statement. So nobody below has to know of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from bridge_port.program import captured
from bridge_port.program.calls import Calls
from bridge_port.program.scopes import Scope
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Binary, Expression, Keyword, Name, Unary
from bridge_port.syntax.rebuilt import rebuilt
from bridge_port.syntax.units import Unit

if TYPE_CHECKING:
    from bridge_port.program.program import Program


def closed(program: Program, unit: Unit) -> Unit:
    """The unit itself where nothing has to change."""
    held = captured.captured(program, unit) if unit.units else {}
    if not held and not wanted(program.scope(unit), unit):
        return unit
    made = captured.with_arguments(unit, held) if held else captured.copied(unit)
    made.body = Closing(program, made).block(unit.body)
    return made


def wanted(scope: Scope, unit: Unit) -> bool:
    """Whether a statement may have such a call."""
    called: set[str] = set()
    given: set[str] = set()
    operators: set[str] = set()
    for e in _expressions(unit.body):
        if isinstance(e, Apply):
            called |= {e.base.id} if isinstance(e.base, Name) else set()
            given |= _plain(e.arguments)
        elif isinstance(e, Binary | Unary):
            operators.add(e.operator)
    for one in s.walk(unit.body):
        if isinstance(one, s.Call):
            called |= {one.procedure.id} if isinstance(one.procedure, Name) else set()
            given |= _plain(one.arguments)
    return (
        any(_resolved(scope, name) for name in called)
        or any(scope.find(n) is None and scope.as_written(n) is not None for n in given)
        or any(_defined(scope, unit, f"operator({one})") for one in operators)
        or _defined(scope, unit, "assignment(=)")
    )


def _expressions(body: Sequence[s.Statement]) -> Iterator[Expression]:
    for statement in s.walk(body):
        for e in statement.expressions():
            yield from e.walk()


def _plain(arguments: Iterable[Expression]) -> set[str]:
    values = (a.value if isinstance(a, Keyword) else a for a in arguments)
    return {a.id for a in values if isinstance(a, Name)}


def _resolved(scope: Scope, name: str) -> bool:
    symbol = scope.find(name)
    if symbol is not None and "external" not in symbol.attributes:
        return False
    if scope.specifics(name):
        return True
    unit = scope.as_written(name)
    if unit is None:
        return scope.derived_if_given(name) is not None
    if unit.captured or name in scope.unit.captures:
        return True
    result = unit.result or unit.name
    types = [unit.result_type, *(d.type for d in unit.declarations if d.name == result)]
    return any(one is not None and one.base in ("type", "class") for one in types)


def _defined(scope: Scope, unit: Unit, name: str) -> bool:
    """Whether an interface or a type that the unit names gives it a meaning."""
    if scope.specifics(name):
        return True
    for one in unit.declarations:
        if one.type is not None and one.type.base in ("type", "class") and one.type.name != "*":
            derived = scope.derived_if_given(one.type.name)
            if derived is not None and derived.specifics(name):
                return True
    return False


class Closing:
    """Of a copy, whose statements are made anew."""

    def __init__(self, program: Program, unit: Unit) -> None:
        self.calls = Calls(program, unit)

    def block(self, body: Sequence[s.Statement]) -> list[s.Statement]:
        return [made for one in body for made in self.statement(one)]

    def statement(self, one: s.Statement) -> list[s.Statement]:
        """With what has to be called before it."""
        before: list[s.Statement] | None = []
        if isinstance(one, s.Where | s.SelectType) or (isinstance(one, s.Do) and one.condition):
            before = None  # worked out for each element, or anew in each turn
        made = self._made(one, before)
        if before and made.label:
            before.insert(0, s.Continue(made.place, made.label, made.comments))
            made.label, made.comments = "", ()
        elif before:
            before[0].comments, made.comments = made.comments, ()
        return [*(before or ()), made]

    def _made(self, one: s.Statement, before: list[s.Statement] | None) -> s.Statement:
        def change(e: Expression) -> Expression:
            return self.calls.expression(e, before, one.place)

        if isinstance(one, s.If) and not isinstance(one, s.Where):
            return self._if(one, before)
        if isinstance(one, s.Do):
            return s.Do(
                one.place, one.label, one.comments, body=self.block(one.body), name=one.name,
                variable=one.variable, concurrent=one.concurrent, end_label=one.end_label,
                first=_optional(one.first, change), last=_optional(one.last, change),
                step=_optional(one.step, change), condition=_optional(one.condition, change),
            )  # fmt: skip
        if isinstance(one, s.Select):
            cases = [
                s.Case(case.values, self.block(case.body), case.place, case.comments)
                for case in one.cases
            ]
            return s.Select(one.place, one.label, one.comments, subject=change(one.subject),
                            cases=cases, name=one.name)  # fmt: skip
        if isinstance(one, s.SelectType):
            guards = [
                s.Guard(g.of, g.name, self.block(g.body), g.place, g.comments) for g in one.guards
            ]
            return s.SelectType(
                one.place, one.label, one.comments, text=one.text, construct=one.construct,
                why=one.why, inside=one.inside, subject=one.subject, guards=guards,
            )  # fmt: skip
        if isinstance(one, s.Call):
            return self.calls.statement(one, before)
        if type(one) is s.Assignment:
            return self.calls.assignment(one, before)
        if isinstance(one, s.Unread):
            return one
        return rebuilt(one, change)

    def _if(self, one: s.If, before: list[s.Statement] | None) -> s.If:
        """What the condition of an else if needs stands in an else around the rest."""
        arms: list[s.Arm] = []
        for at, arm in enumerate(one.arms):
            own: list[s.Statement] | None = before if at == 0 else []
            condition = None
            if arm.condition is not None:
                condition = self.calls.expression(arm.condition, own, arm.place)
            if at and own:
                own.clear()
                rest = self._if(s.If(arm.place, arms=one.arms[at:]), own)
                arms.append(s.Arm(None, [*own, rest], arm.place, arm.comments))
                break
            arms.append(s.Arm(condition, self.block(arm.body), arm.place, arm.comments))
        return s.If(one.place, one.label, one.comments, arms=arms, name=one.name,
                    end_label=one.end_label)  # fmt: skip


def _optional(
    e: Expression | None, change: Callable[[Expression], Expression]
) -> Expression | None:
    return None if e is None else change(e)
