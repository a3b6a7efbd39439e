"""Texts that come back as numbers.

A character argument, or the result of a function, that gets constant texts alone is an integer of
the kernel: each text has a number, 0 says that the argument keeps what it had. So have characters
that it is copied from or to, in the procedure and in those that it calls: all of them become
integers in copies of these procedures. One use of them that is not understood, and none does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from bridge_port.program.captured import copied
from bridge_port.program.signatures import pairs
from bridge_port.program.storage import in_group
from bridge_port.program.symbols import DUMMY, LOCAL, RESULT, Symbol, Units
from bridge_port.program.unknownnames import mentioned_names
from bridge_port.refusal import Place, Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import (
    Apply,
    Binary,
    Expression,
    Keyword,
    Name,
    Number,
    Truth,
    Unary,
)
from bridge_port.syntax.rewriting import rebuilt, with_parts
from bridge_port.syntax.units import TypeName, Unit

INTEGER = TypeName("integer")
#: What a text may not be besides: its memory would be that of others.
_SHARED = frozenset(("pointer", "target", "allocatable", "volatile", "asynchronous"))


@dataclass(frozen=True)
class Numbered:
    """unit: the procedure with integers; texts: of the numbers from 1, without blanks at the end;
    names: of its arguments and its result that are numbers; why: what stands against it."""

    unit: Unit
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    why: str = ""


def numbered(program: Units, unit: Unit) -> Numbered:
    """The unit itself where it gives no text back, or one that is not known."""
    scope = program.scope(unit)
    names = []
    given = set(_given(unit))
    for name in (*unit.arguments, unit.result or unit.name):
        symbol = scope.find(name)
        if symbol is None or symbol.type != "character" or name not in given:
            continue
        if symbol.storage == RESULT or (
            symbol.storage == DUMMY and symbol.intent != "in" and not symbol.optional
        ):
            names.append(name)
    own = [name for name in _from_functions(unit) if name not in names
           and (found := scope.find(name)) is not None and found.storage == LOCAL
           and found.type == "character"]  # fmt: skip
    against = ""
    for some in (names + own, names, own) if names and own else (names or own,):
        if not some:
            continue
        try:
            return replace(Numbering(program, unit, some).run(),
                           names=tuple(name for name in some if name in names))  # fmt: skip
        except NotUnderstood as why:
            against = against or str(why)
    return Numbered(unit, why=against)


def _from_functions(unit: Unit) -> Iterator[str]:
    """Variables that get what a function gives, each once."""
    yield from dict.fromkeys(
        one.target.id for one in s.walk(unit.body)
        if isinstance(one, s.Assignment) and isinstance(one.target, Name)
        and isinstance(trimmed(one.value), Apply)
    )  # fmt: skip


def _given(unit: Unit) -> Iterator[str]:
    """Names that a statement may give a value."""
    for one in s.walk(unit.body):
        if isinstance(one, s.Assignment):
            yield from (part.id for part in one.target.walk() if isinstance(part, Name))
        elif isinstance(one, s.Call):
            yield from (part.id for e in one.arguments for part in e.walk()
                        if isinstance(part, Name))  # fmt: skip


class Numbering:
    """Until nothing is added: the copies of the last round stand."""

    def __init__(self, program: Units, unit: Unit, names: Sequence[str]) -> None:
        self.program, self.entry, self.names = program, unit, tuple(names)
        self.found: dict[int, Procedure] = {}
        self.texts: list[str] = []
        self.longest = 0
        self.flows = self.read = self.tested = self.compared = False
        for name in names:
            self.add(unit, name)

    def run(self) -> Numbered:
        before: tuple[int, int] | None = None
        while before != self.size():
            before = self.size()
            for one in list(self.found.values()):
                one.made = copied(one.unit)
            for one in list(self.found.values()):
                self.rewrite(one)
        self.agree()
        made = self.found[id(self.entry)].made
        assert made is not None
        scope = self.program.scope(self.entry)
        nothing = [
            s.Assignment(self.entry.place, target=Name(name), value=Number("0"))
            for name in self.names if scope.symbol(name).storage == DUMMY
        ]  # fmt: skip
        made.body = [*nothing, *made.body]
        return Numbered(made, tuple(self.texts), self.names)

    def size(self) -> tuple[int, int]:
        return sum(1 + len(one.names) for one in self.found.values()), len(self.texts)

    def agree(self) -> None:
        """What depends on all texts and all characters together."""
        lengths, free = [], False
        for one in self.found.values():
            scope = self.program.scope(one.unit)
            for name in one.names:
                length = scope.length(scope.symbol(name))
                lengths += [] if length is None else [length]
                free |= length is None and one.unit is self.entry
        if self.flows and lengths and self.longest > min(lengths):
            self.no(self.entry.place, "is cut where it is copied")
        if free and self.compared:
            self.no(self.entry.place, "may be cut to the caller's length, and is compared")
        if free and self.tested and any(text[:1] == " " for text in self.texts):
            self.no(self.entry.place, "begins with a blank, and the caller may cut it")
        entry = self.program.scope(self.entry)
        if self.read and any(
            entry.symbol(name).storage == DUMMY and entry.symbol(name).intent != "out"
            for name in self.names
        ):
            self.no(self.entry.place, "may be the caller's where it is read: intent(out) says no")

    def no(self, place: Place, why: str) -> NoReturn:
        raise NotUnderstood(f"its text {why} (line {place.line})")

    # ---- characters that are numbers ----------------------------------------------------------

    def add(self, unit: Unit, name: str, place: Place | None = None) -> None:
        one = self.found.setdefault(id(unit), Procedure(unit))
        if name in one.names:
            return
        place = place or unit.place
        symbol, scope = self.symbol(unit, name), self.program.scope(unit)
        if symbol is None:
            self.no(place, f"is in {name}, which is no character of {unit.name} alone")
        own = unit.entries or in_group(unit, name) or scope.specifics("assignment(=)")
        if own or not self.declared(unit, name):
            self.no(place, f"is in {name}, whose declaration is not understood")
        if symbol.length == "*" and symbol.storage != DUMMY:
            self.no(place, f"is in {name}, which has the length of its caller's")
        if symbol.length != "*" and scope.length(symbol) is None:
            self.no(place, f"is in {name}, whose length is no constant")
        inside = set().union(*(mentioned_names(inner) for inner in unit.units))
        words = {word for one in unit.unread for text in (one.text, *one.inside)
                 for word in re.findall(r"[a-z]\w*", text)}  # fmt: skip
        said = [one.value for one in unit.statement_functions.values()]
        said += [e for one in unit.declarations for e in one.expressions()]
        if name in inside | words or any(name in e.names for e in said):
            self.no(place, f"is in {name}, which stands in a declaration or an inner procedure")
        one.names.add(name)

    def symbol(self, unit: Unit, name: str) -> Symbol | None:
        """A character variable that the unit has for itself."""
        scope = self.program.scope(unit)
        symbol = scope.find(name)
        if (
            symbol is None or symbol.scope is not scope or symbol.type != "character"
            or symbol.dimensions is not None or symbol.attributes & _SHARED
            or symbol.storage not in (LOCAL, DUMMY, RESULT)
        ):  # fmt: skip
            return None
        return symbol

    @staticmethod
    def declared(unit: Unit, name: str) -> bool:
        """Whether one declaration says its type."""
        types = [d.type for d in unit.declarations if d.name == name and d.type is not None]
        if name == (unit.result or unit.name) and unit.result_type is not None:
            types.append(unit.result_type)
        return [one.base for one in types] == ["character"]

    def number(self, text: str) -> Expression:
        text = text.rstrip(" ")
        if text not in self.texts:
            self.texts.append(text)
        return Number(str(self.texts.index(text) + 1))

    # ---- procedures ---------------------------------------------------------------------------

    def rewrite(self, one: Procedure) -> None:
        made = one.made
        assert made is not None
        result = one.unit.result or one.unit.name
        made.declarations = [
            replace(d, type=INTEGER) if d.name in one.names and d.type is not None else d
            for d in one.unit.declarations
        ]
        if one.unit is self.entry:  # 0 stands for what the caller had, so that is no input
            made.declarations = [
                replace(d, intent="out") if d.name in self.names and d.intent else d
                for d in made.declarations
            ]
        if result in one.names and made.result_type is not None:
            made.result_type = INTEGER
        rewriting = Rewriting(self, one)
        made.body = rewriting.block(one.unit.body)


#: len_trim(text) OPERATOR number: whether the text has a letter, or has none.
_LETTERS = {
    (">", 0): True, ("/=", 0): True, (">=", 1): True,
    ("==", 0): False, ("<=", 0): False, ("<", 1): False,
}  # fmt: skip
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class NotUnderstood(Exception):
    """One use that is not understood."""


def plain(e: Expression) -> Expression:
    while isinstance(e, Unary) and e.operator == "()":
        e = e.operand
    return e


def trimmed(e: Expression) -> Expression:
    """Without trim, which changes blanks at the end alone."""
    e = plain(e)
    while isinstance(e, Apply) and e.base == Name("trim") and len(e.arguments) == 1:
        e = plain(e.arguments[0])
    return e


@dataclass
class Procedure:
    """A procedure. names: of its characters that are numbers."""

    unit: Unit
    names: set[str] = field(default_factory=set)
    made: Unit | None = None


class Rewriting:
    """Statements of one procedure."""

    def __init__(self, all_: Numbering, one: Procedure) -> None:
        self.all, self.one = all_, one
        self.scope = all_.program.scope(one.unit)
        self.place = one.unit.place

    def block(self, body: Sequence[s.Statement]) -> list[s.Statement]:
        return [self.statement(one) for one in body]

    def statement(self, one: s.Statement) -> s.Statement:
        self.place = one.place
        if isinstance(one, s.Unread):
            text = " ".join((one.text, *one.inside))
            if self.one.names & set(re.findall(r"[a-z]\w*", text.lower())):
                self.no(f"is used in a statement ({one.construct}) that no kernel can do")
        if isinstance(one, s.Assignment) and not isinstance(one, s.PointerAssignment):
            target, value = one.target, trimmed(one.value)
            numbers = isinstance(value, Name) and value.id in self.one.names
            if isinstance(target, Name) and (
                target.id in self.one.names or numbers or self.gives_number(value)
            ):
                self.add(target.id)
                return replace(one, value=self.code(target.id, one.value))
        if isinstance(one, s.Call) and isinstance(one.procedure, Name):
            return replace(one, arguments=self.arguments(one.procedure.id, one.arguments))
        return rebuilt(one, self.expression, self.statement)

    def no(self, why: str) -> NoReturn:
        self.all.no(self.place, why)

    def add(self, name: str) -> None:
        self.all.add(self.one.unit, name, self.place)

    # ---- values -------------------------------------------------------------------------------

    def code(self, target: str, e: Expression) -> Expression:
        """The number of the text that a character gets."""
        known = self.scope.constant(e)
        if isinstance(known, str):
            length = self.scope.length(self.scope.symbol(target))
            self.all.longest = max(self.all.longest, len(known.rstrip(" ")))
            return self.all.number(known if length is None else known[:length])
        self.all.flows = True
        source = trimmed(e)
        if isinstance(source, Name):
            self.add(source.id)
            self.all.read |= self.scope.symbol(source.id).storage == DUMMY
            return source
        if isinstance(source, Apply) and source.reference:
            callee = self.callee(source.reference)
            if callee is not None and callee.kind == "function":
                self.all.add(callee, callee.result or callee.name, self.place)
                return replace(
                    source, arguments=self.arguments(source.reference, source.arguments)
                )
        self.no("is no constant")

    def gives_number(self, e: Expression) -> bool:
        """Whether it calls a function whose result is a number."""
        callee = self.callee(e.reference) if e.reference else None
        held = None if callee is None else self.all.found.get(id(callee))
        return held is not None and (held.unit.result or held.unit.name) in held.names

    def callee(self, name: str) -> Unit | None:
        """A procedure by its own name, in no other one."""
        if self.scope.generic(name):
            return None
        unit = self.scope.as_written(name)
        around = None if unit is None else unit.parent
        return None if around is not None and around.kind not in ("module", "submodule") else unit

    def arguments(self, name: str, given: Sequence[Expression]) -> tuple[Expression, ...]:
        """Of a call; a procedure that gets or gives numbers is meant as its copy from here on."""
        own = self.one.names
        passed = {a.value.id if isinstance(a, Keyword) and isinstance(a.value, Name) else
                  a.id if isinstance(a, Name) else "" for a in given}  # fmt: skip
        callee = self.callee(name)
        held = None if callee is None else self.all.found.get(id(callee))
        if held is None and not passed & own:
            return tuple(self.expression(a) for a in given)
        if callee is None:
            self.no(f"is passed to {name}, whose source is not given or not plain")
        try:
            bound = list(pairs(callee, given))
        except Refused:
            self.no(f"is passed to {name}, with other arguments")
        for dummy, actual in bound:
            if isinstance(actual, Name) and actual.id in own:
                self.all.add(callee, dummy, self.place)
        held = self.all.found[id(callee)]
        numbers = {dummy: self.passed(callee, dummy, actual) for dummy, actual in bound
                   if actual is not None and dummy in held.names}  # fmt: skip
        if self.one.made is not None and held.made is not None:  # else in the next round
            self.one.made.aliases[name] = held.made
        dummies = callee.arguments
        made: list[Expression] = []
        for at, a in enumerate(given):
            dummy = a.name if isinstance(a, Keyword) else dummies[at]
            number = numbers.get(dummy)
            if number is None:
                made.append(self.expression(a))
            else:
                made.append(Keyword(dummy, number) if isinstance(a, Keyword) else number)
        return tuple(made)

    def passed(self, callee: Unit, dummy: str, actual: Expression) -> Expression:
        self.all.flows = True
        if isinstance(actual, Name) and self.all.symbol(self.one.unit, actual.id) is not None:
            self.add(actual.id)
            return actual
        known = self.scope.constant(actual)
        if not isinstance(known, str):
            self.no(f"is passed for {dummy} of {callee.name}, and is no constant")
        self.all.longest = max(self.all.longest, len(known.rstrip(" ")))
        return self.all.number(known)

    # ---- what is asked of them ----------------------------------------------------------------

    def expression(self, e: Expression) -> Expression:
        if isinstance(e, Binary) and (test := self.test(e)) is not None:
            return test
        if isinstance(e, Name) and e.id in self.one.names:
            self.no("is read as a text")
        if isinstance(e, Apply) and e.reference:
            if e.reference == "present" and len(e.arguments) == 1:
                return e
            if self.gives_number(e):
                self.no("is read as a text")
            if self.callee(e.reference) is not None:
                return replace(e, arguments=self.arguments(e.reference, e.arguments))
        return with_parts(e, self.expression)

    def test(self, e: Binary) -> Expression | None:
        """A comparison with a constant, as one of numbers."""
        for left, right, operator in (
            (e.left, e.right, e.operator),
            (e.right, e.left, _MIRRORED.get(e.operator, e.operator)),
        ):
            known = self.scope.constant(right)
            asked = plain(left)
            if isinstance(asked, Apply) and asked.base == Name("len_trim"):
                if len(asked.arguments) != 1 or not isinstance(known, int):
                    continue
                letters = _LETTERS.get((operator, known))
                subject = None if letters is None else self.subject(asked.arguments[0])
                if subject is not None:
                    self.all.tested = True
                    return self.equal(subject, "", not letters)
            elif operator in ("==", "/=") and isinstance(known, str):
                subject = self.subject(asked)
                if subject is not None:
                    text = known.rstrip(" ")
                    self.all.tested |= not text
                    self.all.compared |= bool(text)
                    return self.equal(subject, text, operator == "==")
        return None

    def subject(self, e: Expression) -> Expression | None:
        """A character that is a number, or a function that gives one."""
        e = trimmed(e)
        if isinstance(e, Name) and e.id in self.one.names:
            self.all.read |= self.scope.symbol(e.id).storage == DUMMY
            return e
        if isinstance(e, Apply) and self.gives_number(e):
            return replace(e, arguments=self.arguments(e.reference, e.arguments))
        return None

    def equal(self, subject: Expression, text: str, same: bool) -> Expression:
        if text in self.all.texts:
            return Binary("==" if same else "/=", subject, self.all.number(text))
        if not isinstance(subject, Name):  # it is called all the same
            return Binary("==" if same else "/=", subject, Number("0"))
        return Truth(not same)
