"""What a called procedure does: to its arguments, and beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bridge_port.analysis.setting import Setting
from bridge_port.program.captured import captured
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
from bridge_port.refusal import SOURCE, Place, Refused
from bridge_port.semantic import intrinsics
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Component,
    Expression,
    Keyword,
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

# ---- What a called procedure does to its arguments: from its intents, else from its text --------

_STRING = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_GROUP = re.compile(r"/\s*(\w+)\s*/")


@dataclass(frozen=True)
class Effect:
    """On one actual argument. reads, writes: may do so; always_writes: all of it, in any case;
    elements: that are always written from the first one on, of a dummy a(*); rank: of the
    dummy."""

    reads: bool = True
    writes: bool = False
    always_writes: bool = False
    rank: int = 0
    elements: int = 0


class Followed(Protocol):
    """What `Definition` tells of a dummy in the body of its procedure."""

    exposed: Place | None

    @property
    def whole(self) -> bool: ...

    def first_elements(self) -> int: ...


#: Of a variable in statements.
Follow = Callable[[Setting, "Effects", str, Sequence[Statement]], Followed]


class Effects:
    """Of the calls of a nest. follow: what becomes of a variable in statements; it stands above,
    since it asks for the effects of calls in them."""

    def __init__(self, setting: Setting, follow: Follow) -> None:
        self.setting, self.follow = setting, follow
        self._hidden: dict[int, tuple[Statement, frozenset[str]]] = {}
        self._inside: dict[str, frozenset[str]] | None = None
        self._under_way: set[int] = set()

    def of(self, call: Call, number: int) -> Effect:
        """On argument `number`, counted from 0."""
        unit = self.callee(call)
        argument = call.arguments[number]
        if isinstance(argument, Keyword):
            dummy = argument.name
        elif number < len(unit.arguments):
            dummy = unit.arguments[number]
        else:
            raise Refused(call.place, f"call {unit.name}", "more arguments than it has dummies")
        return self.on(unit, dummy)

    def callee(self, call: Call) -> Unit:
        """Its source; Refused without it."""
        if not isinstance(call.procedure, Name):
            raise Refused(call.place, "call of a procedure of a type", "", "call it by its name")
        unit = self.setting.callee(call.procedure.id)
        if unit is None:
            raise Refused(
                call.place,
                f"call {call.procedure.id}",
                "its source is not given",
                f"say {SOURCE}; or leave the call outside",
            )
        return unit

    def on(self, unit: Unit, dummy: str) -> Effect:
        """On a dummy of a procedure."""
        known = self.setting.program.effects
        key = (id(unit), dummy)
        if key not in known:
            known[key] = unit, self._found(unit, dummy)
        return known[key][1]  # type: ignore[no-any-return]

    def _found(self, unit: Unit, dummy: str) -> Effect:
        inner = Setting(self.setting.program, unit, self.setting.program.scope(unit))
        symbol = inner.scope.find(dummy)
        rank = len(symbol.dimensions) if symbol is not None and symbol.dimensions else 0
        intent = symbol.intent if symbol is not None else ""
        if intent == "in":
            return Effect(rank=rank)
        if intent == "out":
            return Effect(False, True, True, rank)
        if id(unit) in self._under_way:
            raise Refused(unit.place, f"{unit.name} calls itself", "recursion")
        self._under_way.add(id(unit))
        effects = Effects(inner, self.follow)
        effects._under_way = self._under_way
        try:
            writes = any(effects.may_write(s, dummy) for s in walk(unit.body))
            reads, always, elements = True, False, 0
            if writes or intent == "inout":
                followed = self.follow(inner, effects, dummy, unit.body)
                reads, always = followed.exposed is not None, followed.whole
                if rank == 1 and not always:
                    elements = followed.first_elements()
        finally:
            self._under_way.discard(id(unit))
        # What is not used is passed all the same.
        return Effect(reads or not writes, writes, always, rank, elements)

    def written(self, body: Sequence[Statement]) -> set[str]:
        """Names of variables that assignments, loops and calls give a value."""
        found = set()
        for s in walk(body):
            if isinstance(s, Assignment):
                found.add(s.target.root)
            elif isinstance(s, Do) and s.variable:
                found.add(s.variable)
            elif isinstance(s, Call):
                found |= {
                    name
                    for number, argument in enumerate(s.arguments)
                    if (name := argument.root) and self.of(s, number).writes
                }
        return found

    def may_write(self, s: Statement, name: str) -> bool:
        """Whether the statement itself gives the variable a value."""
        if isinstance(s, Assignment):
            return s.target.root == name
        if isinstance(s, Do):
            return s.variable == name
        if isinstance(s, Call):
            return any(
                argument.root == name and self.of(s, number).writes
                for number, argument in enumerate(s.arguments)
            )
        # Nothing is known of what is not understood.
        return isinstance(s, Unread)

    # ---- what no expression names -------------------------------------------------------------

    def hidden(self, s: Statement) -> frozenset[str]:
        """Names that a statement may read although none of its expressions has them: those of a
        statement that is kept as text, and what procedures inside of the unit and statement
        functions name."""
        known = self._hidden.get(id(s))
        if known is None or known[0] is not s:
            known = self._hidden[id(s)] = (s, frozenset(self._hidden_in(s)))
        return known[1]

    def _hidden_in(self, s: Statement) -> Iterator[str]:
        if isinstance(s, Unread):
            texts = " ".join((s.text, *s.inside)).lower()
            words = set(re.findall(r"[a-z]\w*", _STRING.sub(" ", texts)))
            yield from words | set(self._in_groups(words))
        named = {e.id for x in s.expressions() for e in x.walk() if isinstance(e, Name)}
        if isinstance(s, Call) and isinstance(s.procedure, Name):
            named.add(s.procedure.id)
        functions = self.setting.unit.statement_functions
        waiting, seen = list(named & functions.keys()), set(named)
        while waiting:
            inside = {e.id for e in functions[waiting.pop()].value.walk() if isinstance(e, Name)}
            yield from inside
            waiting += (inside & functions.keys()) - seen
            seen |= inside
        for name in seen & self._captured().keys():
            yield from self._captured()[name]

    def _in_groups(self, words: set[str]) -> Iterator[str]:
        """Members of the namelists among the words of a statement."""
        for one in self.setting.unit.unread:
            if one.construct == "namelist" and words & set(_GROUP.findall(one.text.lower())):
                yield from re.findall(r"[a-z]\w*", one.text.lower())

    def _captured(self) -> Mapping[str, frozenset[str]]:
        """Procedures inside of the unit -> its variables that they, or what they call, name."""
        if self._inside is None:
            inside = self.setting.unit.units
            host = inside[0].parent if inside else None
            held = {} if host is None else captured(self.setting.program, host)
            self._inside = {name: frozenset(symbols) for name, symbols in held.items()}
        return self._inside


# ---- What procedures do beside giving back what they compute: data of modules, files, the end
# of the run. Statements that no kernel needs are left out of a nest; what they call must
# not do more

#: A procedure, its source where it is given, and what it is called with.
_Called = tuple[str, Unit | None, Sequence[Expression]]


class SideEffects:
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
