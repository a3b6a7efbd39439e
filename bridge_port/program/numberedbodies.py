"""Statements of a procedure whose characters are numbers of texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from bridge_port.program.signatures import pairs
from bridge_port.program.symbols import DUMMY
from bridge_port.refusal import Refused
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
from bridge_port.syntax.rebuilt import rebuilt, with_parts
from bridge_port.syntax.units import Unit

if TYPE_CHECKING:
    from bridge_port.program.numberedtexts import Numbering

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
        if isinstance(source, Apply) and isinstance(source.base, Name):
            callee = self.callee(source.base.id)
            if callee is not None and callee.kind == "function":
                self.all.add(callee, callee.result or callee.name, self.place)
                return replace(source, arguments=self.arguments(source.base.id, source.arguments))
        self.no("is no constant")

    def gives_number(self, e: Expression) -> bool:
        """Whether it calls a function whose result is a number."""
        if not isinstance(e, Apply) or not isinstance(e.base, Name):
            return False
        callee = self.callee(e.base.id)
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
        if isinstance(e, Apply) and isinstance(e.base, Name):
            if e.base.id == "present" and len(e.arguments) == 1:
                return e
            if self.gives_number(e):
                self.no("is read as a text")
            if self.callee(e.base.id) is not None:
                return replace(e, arguments=self.arguments(e.base.id, e.arguments))
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
        if isinstance(e, Apply) and isinstance(e.base, Name) and self.gives_number(e):
            return replace(e, arguments=self.arguments(e.base.id, e.arguments))
        return None

    def equal(self, subject: Expression, text: str, same: bool) -> Expression:
        if text in self.all.texts:
            return Binary("==" if same else "/=", subject, self.all.number(text))
        if not isinstance(subject, Name):  # it is called all the same
            return Binary("==" if same else "/=", subject, Number("0"))
        return Truth(not same)
