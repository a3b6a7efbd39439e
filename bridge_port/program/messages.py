"""`--drop-output`: statements that only write, and texts that are made for nothing else.

A text is a message where nothing reads it but output, other messages, and arguments of procedures
that are messages there. Components are messages by their names, where nothing that an entry comes
to reads one of that name, and nothing gives it a text under no condition. Every line that is left
out is named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from bridge_port.program.passedback import Back, Calls, base_of, passed_back
from bridge_port.program.program import Program
from bridge_port.program.resolved import BoundCall, Call, component, resolve
from bridge_port.program.signatures import pairs
from bridge_port.program.stopping import bodies
from bridge_port.program.symbols import DUMMY, LOCAL, RESULT, Scope
from bridge_port.refusal import Place, Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Component, Expression, Name
from bridge_port.syntax.units import Unit, every

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
    texts, which they may write. entry: the procedure of a point."""
    return Output(sources).left_out(nest, lines, entry)


class Output:
    """What programs and units of them write; each entry may be asked for."""

    def __init__(self, sources: Iterable[tuple[Program, Sequence[Unit]]]) -> None:
        sources = list(sources)
        self.programs = [program for program, _ in sources]
        self.calls = Calls([(unit, p.scope(unit)) for p, some in sources for unit in every(some)])
        self._before: list[tuple[list[s.Statement], int, s.Statement]] = []

    def left_out(
        self, nest: Unit | None = None, lines: tuple[int, int] = (0, 0), entry: Unit | None = None
    ) -> Left:
        """As `without_output`."""
        units = self.calls.reached(entry or nest)
        messages = _Messages(units, passed_back(self.calls, units), entry is not None)
        found: list[tuple[Place, str]] = []
        for unit, scope in units:
            for body in bodies(unit.body):
                for at, one in enumerate(body):
                    if unit is nest and not lines[0] <= one.place.line <= lines[1]:
                        continue
                    label = one.label
                    message = unit is not nest and messages.made(unit, scope, one)
                    if message or _writes(scope, one):
                        found.append((one.place, _text(one)))
                    elif isinstance(one, s.Unread) and one.construct == "format":
                        label = ""
                    else:
                        continue
                    self._before.append((body, at, one))
                    body[at] = s.Continue(one.place, label, one.comments)
        self._reopen()
        return found

    def put_back(self) -> None:
        """All that was left out."""
        for body, at, one in self._before:
            body[at] = one
        self._before.clear()
        self._reopen()

    def _reopen(self) -> None:
        for program in self.programs:
            program.reopened()


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
    """Texts of all units that are messages. of: variables of a unit; components: of any type."""

    def __init__(
        self, units: Sequence[tuple[Unit, Scope]], backs: Sequence[Back], components: bool
    ) -> None:
        """backs: as `passed_back` finds them; components: whether these may be messages."""
        self.of = {id(unit): set(self._texts(unit, scope)) for unit, scope in units}
        self.components = {
            name for unit, scope in units if components for one in s.walk(unit.body)
            if (name := self._target(scope, one))[:1] == "%"
        }  # fmt: skip
        self.components -= {
            self._target(scope, one) for unit, scope in units
            for one in _always(unit.body) if isinstance(one, s.Assignment)
            if str(scope.constant(one.value)).strip()
        }  # fmt: skip
        again = True
        while again:  # what is read anywhere is none, nor what that was made of
            again = False
            for unit, scope in units:
                held = self.of[id(unit)]
                names = set(self._read(unit, scope)) if held or self.components else set()
                if read := held & names:
                    held -= read
                    again = True
                if read := self.components & names:
                    self.components -= read
                    again = True
            for unit_id, name, callee, dummy in backs:  # what the caller reads
                known = self.components if name[:1] == "%" else self.of[unit_id]
                if dummy in self.of.get(callee, ()) and name not in known:
                    self.of[callee].discard(dummy)
                    again = True

    def made(self, unit: Unit, scope: Scope, one: s.Statement) -> bool:
        """Whether a statement does nothing but give a message its text."""
        return self._target(scope, one) in self.of[id(unit)] | self.components

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

    @staticmethod
    def _target(scope: Scope, one: s.Statement) -> str:
        """The text that an assignment or a write into it makes; of a component %name."""
        if isinstance(one, s.Assignment) and not isinstance(one, s.PointerAssignment):
            whole = one.target.whole
            if isinstance(whole, Component):
                found = component(whole, scope)
                if found is None or found.type != "character" or "pointer" in found.attributes:
                    return ""
                return f"%{whole.name}"
            return base_of(one.target)
        if isinstance(one, s.Unread) and one.construct == "write":
            plain = _STRING.sub("''", one.text)
            match = _UNIT.match(plain)
            if match is not None and not _RESULTS.search(plain):
                return match[1]
        return ""

    def _read(self, unit: Unit, scope: Scope) -> Iterator[str]:
        messages = self.of[id(unit)] | self.components
        for inner in unit.units:  # which may see them
            for one in s.walk(inner.body):
                yield from self._words(one)
        for one in s.walk(unit.body):
            target = self._target(scope, one)
            if target in messages:
                if isinstance(one, s.Unread):
                    if _calls(scope, _STRING.sub("''", one.text)):
                        yield target
                elif any(_calls_of(scope, e) for e in one.expressions()):
                    yield target
                elif isinstance(one, s.Assignment) and target[:1] == "%":
                    # The object, and subscripts on the way.
                    yield from self._names(one.target.walk(), target)
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
                for name in re.findall(r"[a-z]\w*", text):
                    yield from (name, f"%{name}")
        for e in one.expressions():
            yield from _Messages._names(e.walk())

    @staticmethod
    def _names(parts: Iterable[Expression], but: str = "") -> Iterator[str]:
        for part in parts:
            if isinstance(part, Name):
                yield part.id
            elif isinstance(part, Component) and f"%{part.name}" != but:
                yield f"%{part.name}"

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
                yield from self._names(actual.walk())


def _always(body: Sequence[s.Statement]) -> Iterator[s.Statement]:
    """Statements under no condition: what they give a component is a result and no message, but
    for blanks."""
    for one in body:
        yield one
        if isinstance(one, s.Do):
            yield from _always(one.body)


def _calls_of(scope: Scope, e: Expression) -> bool:
    """Whether it calls a procedure of the program, or one that is bound to a type."""
    return any(
        isinstance(part, Apply) and isinstance(resolve(part, scope), Call | BoundCall)
        for part in e.walk()
    )
