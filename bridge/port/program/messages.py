"""`--drop-output`: statements that only write, and texts that are made for nothing else.

A text is a message where nothing reads it but output, other messages, and arguments of procedures
that are messages there. Every line that is left out is named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.port.program.passedback import base_of, passed_back
from bridge.port.program.scopes import Scope
from bridge.port.program.signatures import pairs
from bridge.port.program.stopping import bodies
from bridge.port.program.symbols import DUMMY, LOCAL, RESULT
from bridge.port.refusal import Place, Refused
from bridge.port.syntax import statements as s
from bridge.port.syntax.expressions import Apply, Expression, Name
from bridge.port.syntax.units import Unit, every

if TYPE_CHECKING:
    from bridge.port.program.program import Program

WRITES = ("write", "print", "flush")
Left = Sequence[tuple[Place, str]]
_STRING = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_UNIT = re.compile(r"(?:write|flush) ?\(? ?(?:unit ?= ?)?([\w*]+) ?[,)]?")
_RESULTS = re.compile(r"\b(iostat|iomsg|err|id|size|pos|rec|end|eor) ?=")
#: Units of iso_fortran_env, whose module need not be given.
_UNITS = ("output_unit", "error_unit")


def without_output(
    sources: Iterable[tuple[Program, Sequence[Unit]]],
    nest: Unit | None = None,
    lines: tuple[int, int] = (0, 0),
    entry: Unit | None = None,
) -> Left:
    """Lines of programs and units of them are taken out: which. A statement that gives another
    variable a value or calls a function of the program stays, and is refused where it matters.
    nest: the unit of one, whose other lines stay: they say what is read behind it; so do its
    texts, which they may write. entry: the procedure whose calls count, None of all."""
    sources = list(sources)
    units = [(unit, p.scope(unit)) for p, some in sources for unit in every(some)]
    messages = _Messages(units, passed_back(units, entry or nest))
    found: list[tuple[Place, str]] = []
    for unit, scope in units:
        for body in bodies(unit.body):
            for at, one in enumerate(body):
                if unit is nest and not lines[0] <= one.place.line <= lines[1]:
                    continue
                if (unit is not nest and messages.made(unit, one)) or _writes(scope, one):
                    body[at] = s.Continue(one.place, one.label, one.comments)
                    found.append((one.place, _text(one)))
                elif isinstance(one, s.Unread) and one.construct == "format":
                    body[at] = s.Continue(one.place, "", one.comments)
    for program, _ in sources:
        program.reopened()
    return found


def told(found: Iterable[tuple[Place, str]], places: Collection[Place]) -> list[str]:
    """A note for each line of these procedures."""
    return [
        f"{Path(place.file).name}:{place.line} is left out: {text[:60]}"
        for place, text in found
        if any(p.file == place.file and p.line <= place.line <= p.last for p in places)
    ]


def _text(one: s.Statement) -> str:
    if isinstance(one, s.Unread):
        return re.sub(r"\s+", " ", one.text)
    assert isinstance(one, s.Assignment)
    return f"{base_of(one.target)} = ..."


def _writes(scope: Scope, one: s.Statement) -> bool:
    """Whether a statement writes to a file or the terminal, and does nothing else."""
    if not isinstance(one, s.Unread) or one.construct not in WRITES:
        return False
    plain = _STRING.sub("''", one.text)
    if _RESULTS.search(plain) or _calls(scope, plain):
        return False
    unit = _UNIT.match(plain)
    if one.construct == "print" or (unit is not None and (unit[1] == "*" or unit[1].isdigit())):
        return True
    if unit is None:
        return False
    symbol = scope.find(unit[1])
    if symbol is None:
        return unit[1] in _UNITS
    return symbol.type == "integer" and symbol.dimensions is None


def _calls(scope: Scope, text: str) -> bool:
    """Whether a statement that is not read may call a procedure of the program."""
    names = re.findall(r"\b([a-z]\w*) ?\(", text)
    return re.search(r"% ?\w+ ?\(", text) is not None or any(
        scope.procedure(name) is not None for name in names
    )


class _Messages:
    """Texts of all units that are messages."""

    def __init__(
        self, units: Sequence[tuple[Unit, Scope]], backs: Sequence[tuple[int, str, int, str]]
    ) -> None:
        """backs: as `passed_back` finds them."""
        self.of = {id(unit): set(self._texts(unit, scope)) for unit, scope in units}
        again = True
        while again:  # what is read anywhere is none, nor what that was made of
            again = False
            for unit, scope in units:
                held = self.of[id(unit)]
                if held and (read := held & set(self._read(unit, scope))):
                    held -= read
                    again = True
            for unit_id, name, callee, dummy in backs:  # what the caller reads
                if dummy in self.of.get(callee, ()) and name not in self.of[unit_id]:
                    self.of[callee].discard(dummy)
                    again = True

    def made(self, unit: Unit, one: s.Statement) -> bool:
        """Whether a statement does nothing but give a message its text."""
        return self._target(unit, one) in self.of[id(unit)]

    @staticmethod
    def _texts(unit: Unit, scope: Scope) -> Iterator[str]:
        if unit.kind not in ("subroutine", "function"):
            return
        for d in unit.declarations:
            symbol = scope.find(d.name)
            if symbol is None or symbol.type != "character" or symbol.storage == RESULT:
                continue
            if symbol.storage in (LOCAL, DUMMY) and not symbol.attributes & {"pointer", "target"}:
                yield d.name

    def _target(self, unit: Unit, one: s.Statement) -> str:
        """The text that an assignment or a write into it makes."""
        if isinstance(one, s.Assignment) and not isinstance(one, s.PointerAssignment):
            return base_of(one.target)
        if isinstance(one, s.Unread) and one.construct == "write":
            plain = _STRING.sub("''", one.text)
            match = _UNIT.match(plain)
            if match is not None and not _RESULTS.search(plain):
                return match[1]
        return ""

    def _read(self, unit: Unit, scope: Scope) -> Iterator[str]:
        messages = self.of[id(unit)]
        for inner in unit.units:  # which may see them
            for one in s.walk(inner.body):
                yield from self._words(one)
        for one in s.walk(unit.body):
            target = self._target(unit, one)
            if target in messages:
                if isinstance(one, s.Unread):
                    if _calls(scope, _STRING.sub("''", one.text)):
                        yield target
                elif any(_calls_of(scope, e) for e in one.expressions()):
                    yield target
                continue
            if _writes(scope, one):
                continue
            if isinstance(one, s.Call) and isinstance(one.procedure, Name):
                yield from self._passed(scope.as_written(one.procedure.id), one)
                continue
            yield from self._words(one)

    @staticmethod
    def _words(one: s.Statement) -> Iterator[str]:
        if isinstance(one, s.Unread):
            for text in (one.text, *one.inside):
                yield from re.findall(r"[a-z]\w*", text)
        for e in one.expressions():
            yield from (part.id for part in e.walk() if isinstance(part, Name))

    def _passed(self, callee: Unit | None, call: s.Call) -> Iterator[str]:
        try:
            bound = list(pairs(callee, call.arguments)) if callee is not None else []
        except Refused:
            bound = []
        if not bound:
            yield from self._words(call)
            return
        assert callee is not None
        for dummy, actual in bound:
            if actual is not None and dummy not in self.of.get(id(callee), ()):
                yield from (part.id for part in actual.walk() if isinstance(part, Name))


def _calls_of(scope: Scope, e: Expression) -> bool:
    return any(
        isinstance(part, Apply)
        and isinstance(part.base, Name)
        and scope.procedure(part.base.id) is not None
        for part in e.walk()
    )
