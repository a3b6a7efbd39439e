"""What procedures do beside giving back what they compute: data of modules, files, the end of the
run. Statements that no kernel needs are left out of a nest; what they call must not do more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bridge_port.outline.setting import Setting
from bridge_port.program.derivedtypes import possible
from bridge_port.program.signatures import pairs
from bridge_port.program.symbols import (
    COMMON,
    DUMMY,
    LOCAL,
    MODULE,
    PARAMETER,
    RESULT,
    Scope,
    Units,
)
from bridge_port.refusal import Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Component,
    Expression,
    Name,
    Unary,
)
from bridge_port.syntax.statements import (
    Assignment,
    Call,
    Do,
    PointerAssignment,
    Statement,
    Stop,
    Unread,
    walk,
)
from bridge_port.syntax.units import Unit

#: A procedure, its source where it is given, and what it is called with.
_Called = tuple[str, Unit | None, Sequence[Expression]]


class Beside:
    """Of a program. but: variables whose values do not count."""

    def __init__(self, program: Units, but: frozenset[str] = frozenset()) -> None:
        self.program, self.but = program, but
        self._known: dict[int, str] = {}

    def check(self, setting: Setting, statements: Iterable[Statement]) -> None:
        """Of statements that are left out: refused where more than they compute would be lost."""
        for s in walk(list(statements)):
            for name, unit, _ in _calls(setting.scope, s):
                if name in setting.symbols:
                    continue  # a copy of elements
                if why := "its source is not given" if unit is None else self.of(unit):
                    raise Refused(
                        s.place, f"call of {name}",
                        f"no kernel needs what it computes, and {why}",
                        "leave it outside of the nest",
                    )  # fmt: skip

    def of(self, unit: Unit) -> str:
        """What a procedure does beside giving its arguments values, "" where it is nothing."""
        if id(unit) not in self._known:
            self._known[id(unit)] = ""  # of a recursion
            found = (self._statement(unit, s) for s in walk(unit.body))
            self._known[id(unit)] = next((why for why in found if why), "")
        return self._known[id(unit)]

    def _statement(self, unit: Unit, s: Statement) -> str:
        scope = self.program.scope(unit)
        if isinstance(s, Stop) or (isinstance(s, Unread) and s.construct != "format"):
            what = "stop" if isinstance(s, Stop) else s.construct
            return f"{unit.name} does more: {what} in line {s.place.line}"
        if isinstance(s, PointerAssignment):
            return f"{unit.name} sets the pointer {s.target.root}"
        if isinstance(s, Assignment) and (why := self._changes(scope, s.target.root)):
            return why
        if isinstance(s, Do) and s.variable and (why := self._changes(scope, s.variable)):
            return why
        for name, callee, arguments in _calls(scope, s):
            if callee is None:
                return f"{unit.name} calls {name}, whose source is not given"
            if why := self.of(callee) or self._gives(scope, callee, arguments):
                return why
        return ""

    def _gives(self, scope: Scope, callee: Unit, arguments: Sequence[Expression]) -> str:
        """Which variable that is seen elsewhere a call gives a value by its arguments."""
        try:
            bound = list(pairs(callee, arguments))
        except Refused:
            return f"what it gives {callee.name} is not understood"
        inner = self.program.scope(callee)
        for dummy, actual in bound:
            if actual is None or not (name := actual.root):
                continue
            symbol = inner.find(dummy)
            if symbol is not None and (symbol.intent == "in" or "value" in symbol.attributes):
                continue
            if not _gives_value(self.program, callee, dummy, set()):
                continue
            if why := self._changes(scope, name):
                return why
        return ""

    def _changes(self, scope: Scope, name: str) -> str:
        """Of a variable that gets a value: who sees it outside of one call."""
        symbol = scope.find(name)
        if symbol is None or name in self.but:
            return ""  # an implicit one
        own = symbol.scope is None or symbol.scope.unit is scope.unit
        if own and symbol.storage in (LOCAL, RESULT, DUMMY, PARAMETER):
            return f"it writes the target of {name}" if "pointer" in symbol.attributes else ""
        if symbol.storage in (MODULE, COMMON):
            where = f" of {'common ' if symbol.storage == COMMON else ''}{symbol.owner}"
        else:
            where = " that stays from call to call" if own else f" of {symbol.scope.unit.name}"
        return f"it gives {name}{where} a value"


def _gives_value(program: Units, unit: Unit, dummy: str, seen: set[tuple[int, str]]) -> bool:
    """Whether a procedure may give its argument a value."""
    if (id(unit), dummy) in seen:
        return False
    seen.add((id(unit), dummy))
    scope = program.scope(unit)
    for s in walk(unit.body):
        if isinstance(s, Unread) or (isinstance(s, Do) and s.variable == dummy):
            return True
        if isinstance(s, Assignment) and s.target.root == dummy:
            return True
        for _, callee, arguments in _calls(scope, s):
            try:
                bound = [] if callee is None else list(pairs(callee, arguments))
            except Refused:
                bound = []
            if not bound and any(a.root == dummy for a in arguments):
                return True
            for inner, actual in bound:
                if actual is not None and actual.root == dummy and callee is not None:
                    if _gives_value(program, callee, inner, seen):
                        return True
    return False


def _calls(scope: Scope, s: Statement) -> Iterator[_Called]:
    """All that a statement itself may call, but for functions of the language."""
    if isinstance(s, Call):
        yield from _named(scope, s.procedure, s.arguments, True)
    for e in s.expressions():
        for part in e.walk():
            if isinstance(part, Apply):
                yield from _named(scope, part.base, part.arguments, False)
            elif isinstance(part, Binary):
                operands: tuple[Expression, ...] = (part.left, part.right)
                yield from _generic(scope, f"operator({part.operator})", operands)
            elif isinstance(part, Unary):
                yield from _generic(scope, f"operator({part.operator})", (part.operand,))


def _generic(scope: Scope, name: str, arguments: Sequence[Expression]) -> Iterator[_Called]:
    for own, place in scope.specifics(name):
        yield own, place.as_written(own), arguments


def _named(
    scope: Scope, procedure: Expression, arguments: Sequence[Expression], is_call: bool
) -> Iterator[_Called]:
    if isinstance(procedure, Component):
        found = list(possible(scope, procedure, arguments))
        for one, given in found:
            yield one.name, one, given
        if is_call and not found:
            yield procedure.name, None, arguments
        return
    if not isinstance(procedure, Name):
        return
    name = procedure.id
    symbol = scope.find(name)
    if symbol is not None and (symbol.dimensions is not None or symbol.type == "character"):
        return
    if name in scope.unit.statement_functions:
        for e in scope.unit.statement_functions[name].value.walk():
            if isinstance(e, Apply):
                yield from _named(scope, e.base, e.arguments, False)
        return
    if generic := list(_generic(scope, name, arguments)):
        yield from generic
        return
    unit = scope.as_written(name)
    if unit is None and name in intrinsics.NAMES and not is_call:
        return
    if unit is None and scope.derived_if_given(name) is not None:
        return  # an object of a type
    yield name, unit, arguments


__all__ = ["Beside"]
