"""What a called procedure does to its arguments: from its intents, else from its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bridge_port.outline.setting import Setting
from bridge_port.program.captured import captured
from bridge_port.refusal import SOURCE, Place, Refused
from bridge_port.syntax.expressions import Keyword, Name
from bridge_port.syntax.statements import Assignment, Call, Do, Statement, Unread, walk
from bridge_port.syntax.units import Unit

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
