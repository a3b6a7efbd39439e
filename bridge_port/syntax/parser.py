"""Program units from logical lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from bridge_port.source.lines import Line, read
from bridge_port.syntax.backwards import put_loops
from bridge_port.syntax.concurrent import own_indices
from bridge_port.syntax.constructs import BODY_WORDS, Constructs
from bridge_port.syntax.meant import Meant
from bridge_port.syntax.specification import SPECIFICATIONS, Specification
from bridge_port.syntax.statementparser import FORBIDDEN, assignment_at
from bridge_port.syntax.statements import Unread
from bridge_port.syntax.tokens import spread, tokens
from bridge_port.syntax.typeparser import TYPE_WORDS
from bridge_port.syntax.units import Unit
from bridge_port.syntax.unitstatement import end_of, unit_statement


def parse(
    path: str | Path,
    *,
    fixed: bool | None = None,
    width: int = 72,
    folders: Iterable[str | Path] = (),
    defines: Sequence[str] = (),
    functions: Set[str],
) -> list[Unit]:
    """The program units of a file. functions: of the language, whose results are made of their
    arguments alone; the other arguments are those of `read`."""
    lines = read(path, fixed=fixed, width=width, folders=folders, defines=defines)
    return parse_lines(lines, functions)


def parse_lines(lines: Sequence[Line], functions: Set[str] = frozenset()) -> list[Unit]:
    parser = _Parser(lines, functions)
    units: list[Unit] = []
    while parser.more():
        units.append(parser.unit(None))
    return units


@dataclass
class _Parser:
    lines: Sequence[Line]
    functions: Set[str]
    at: int = 0

    def more(self) -> bool:
        """A comment at the end of a file is no unit."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.text or line.label:
                return True
            self.at += 1
        return False

    def unit(self, parent: Unit | None) -> Unit:
        ahead = self._ahead()
        if self.at == len(self.lines):
            return Unit("program", "", ahead[0].place, unread=ahead)
        line = self.lines[self.at]
        unit = unit_statement(tokens(line.text), line.place)
        if unit is None and line.fixed:
            unit = unit_statement(tokens(spread(line.text)), line.place)
        if unit is None:
            unit = Unit("program", "", line.place)
        else:
            unit.comments = line.comments
            self.at += 1
        unit.parent = parent
        unit.unread.extend(ahead)
        specification = Specification(unit)
        body = Constructs(unit, Meant({}, self.functions))
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if self._statement(unit, specification, body, line):
                break
        else:
            body.finish()
            unit.unread.append(Unread(unit.place, text="", construct=f"{unit.kind} without end"))
        own_indices(unit)
        put_loops(unit)
        return unit

    def _ahead(self) -> list[Unread]:
        """Lines of the preprocessor and of includes before the statement of a unit."""
        found: list[Unread] = []
        while self.at < len(self.lines):
            unread = _outside_language(self.lines[self.at])
            if unread is None:
                break
            found.append(unread)
            self.at += 1
        return found

    def _statement(
        self, unit: Unit, specification: Specification, body: Constructs, line: Line
    ) -> bool:
        """True at the end of the unit."""
        if not line.text:
            self.at += 1
            body.empty(line)
            return False
        unread = _outside_language(line)
        if unread is not None:
            self.at += 1
            unit.unread.append(unread)
            if body.begun:
                body.add(unread)
            return False
        found = tokens(line.text)
        if (
            line.fixed and found[0] not in _WORDS and found[1] != ":" and assignment_at(found) < 0
        ):  # fmt: skip
            found = tokens(spread(line.text))
        word = found[0]
        if (word in ("subroutine", "function") or not line.fixed) and _begins(found, line):
            body.finish()
            unit.unread.append(Unread(unit.place, text="", construct=f"{unit.kind} without end"))
            return True
        if word[:3] == "end" and assignment_at(found) < 0:
            kind = end_of(found)
            if kind is not None:
                body.comment(line.comments, line.place)
                if line.label:
                    body.label(line)
                body.finish()
                unit.place = replace(unit.place, last=line.place.last)
                self.at += 1
                return True
        elif word == "contains" and not found[1]:
            body.comment(line.comments, line.place)
            body.finish()
            unit.contains = line.place.line
            self.at += 1
            return self._contained(unit)
        self.at += 1
        if (word in TYPE_WORDS or word in SPECIFICATIONS) and not (
            word == "format" and body.begun
        ):
            taken = specification.statement(line, found, self.lines, self.at)
            if taken is not None:
                self.at = taken
                return False
        elif not body.begun and specification.is_statement_function(found):
            specification.statement_function(line, found)
            return False
        self.at = body.statement(line, found, self.lines, self.at)
        return False

    def _contained(self, unit: Unit) -> bool:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            found = tokens(line.text)
            if found[0][:3] == "end" and end_of(found) is not None:
                unit.place = replace(unit.place, last=line.place.last)
                self.at += 1
                return True
            if not line.text:
                self.at += 1
                continue
            if unit_statement(found, line.place) is None and not (
                line.fixed and unit_statement(tokens(spread(line.text)), line.place)
            ):
                unit.unread.append(
                    Unread(line.place, text=line.text, construct="statement behind contains")
                )
                self.at += 1
                continue
            unit.units.append(self.unit(unit))
        unit.unread.append(Unread(unit.place, text="", construct=f"{unit.kind} without end"))
        return True


def _begins(found: list[str], line: Line) -> bool:
    """Whether a statement begins another unit, so that this one has lost its end. In fixed form
    `real function f(x)` may be an array `functionf`."""
    return unit_statement(found, line.place) is not None


#: Words that begin a statement as it should be written; others may have blanks in them.
_WORDS = (
    SPECIFICATIONS | TYPE_WORDS | FORBIDDEN.keys() | BODY_WORDS
    | {"contains", "end", "endsubroutine", "endfunction", "endprogram", "endmodule"}
)  # fmt: skip


def _outside_language(line: Line) -> Unread | None:
    """An include of a file that is not found, a line of the preprocessor."""
    text, why = line.text, ""
    if text[:1] == "#":
        construct = "#"
        why = f"{text!r} is a line of a preprocessor that is not understood; preprocess the file"
        if text[1:].lstrip().startswith("include"):
            why = f"{text!r}: there is no such file; give its folder by -I"
    elif text[:7] == "include" and text[7:].lstrip()[:1] in ("'", '"'):
        construct = "include"
    else:
        return None
    return Unread(line.place, line.label, line.comments, text=text, construct=construct, why=why)
