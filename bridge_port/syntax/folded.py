"""associate, block and forall as statements of what stands around them; an exit of a construct
that is no loop as a jump behind its end. Constructs that no kernel has, or whose names mean
something of their own, are kept as text."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bridge_port.refusal import Place, Refused
from bridge_port.source.lines import Line
from bridge_port.syntax.associated import (
    fixed_variables,
    new_names,
    put_names,
    put_variables,
    renamed,
    stand_ins,
)
from bridge_port.syntax.concurrent import forall_loops
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.meant import Meant
from bridge_port.syntax.specification import SPECIFICATIONS, Specification
from bridge_port.syntax.statementparser import assignment_at, simple
from bridge_port.syntax.statements import Continue, Exit, Goto, Statement, Unread, walk
from bridge_port.syntax.tokens import closing, tokens
from bridge_port.syntax.typeparser import TYPE_WORDS
from bridge_port.syntax.units import Unit
from bridge_port.syntax.unitstatement import end_of


class Folded:
    """What `Constructs` knows of these."""

    def __init__(self, unit: Unit, meant: Meant) -> None:
        """meant: what names of `associate` around stand for."""
        self._unit, self._meant = unit, meant
        self._body: list[Statement] = unit.body

    @abstractmethod
    def statement(self, line: Line, found: list[str], lines: Sequence[Line], at: int) -> int: ...

    @abstractmethod
    def empty(self, line: Line) -> None: ...

    @abstractmethod
    def add(self, node: Statement) -> None: ...

    @abstractmethod
    def finish(self) -> None: ...

    def _behind(self, label: str, place: Place) -> None:
        """Where an exit of a construct goes that is no loop."""
        if label:
            self._body.append(Continue(place, label))

    def _swallow(self, line: Line, kind: str, lines: Sequence[Line], at: int) -> int:
        node, end = swallow(line, kind, lines, at)
        put = {
            "associate": self._associate,
            "block": self._block,
            "forall": self._forall_block,
        }.get(kind)
        if put is not None and not node.why:
            try:
                put(line, node, lines[at : end - 1], lines[end - 1])
            except Refused as refused:
                node.why = ": ".join(filter(None, (refused.refusal.construct,
                                                   refused.refusal.why)))  # fmt: skip
            else:
                return end
        self.add(node)
        return end

    def _forall(self, line: Line, found: list[str]) -> None:
        """Of one assignment."""
        end = closing(found, 1)
        body = simple(found[end + 1 :], line.place, "", ())
        made = forall_loops(found, 1, [body], line.place)
        made[0].comments = line.comments
        if line.label:
            self.add(Continue(line.place, line.label))
        self._body += made

    def _forall_block(self, line: Line, node: Unread, lines: Sequence[Line], last: Line) -> None:
        found = tokens(line.text)
        inner = replace(self._unit, body=[], unread=[], enclosing=[])
        self._inside(inner, line, lines)
        at = 3 if found[1] == ":" else 1
        inner.body = forall_loops(found, at, inner.body, line.place)
        self._joined(inner, line, last, node.place)

    def _associate(self, line: Line, node: Unread, lines: Sequence[Line], last: Line) -> None:
        """Its statements, with what the names stand for; Refused where one cannot be put in."""
        found = tokens(line.text)
        name = found[0] if found[1] == ":" else ""
        reader = ExpressionReader(found, line.place, 4 if name else 2)
        pairs = []
        while True:
            one = reader.name()
            reader.take("=>")
            pairs.append((one, reader.expression()))
            if reader.tokens[reader.at] == ")":
                break
            reader.take(",")
        seen = self._unit.declarations + stand_ins(self._unit, pairs, line.place)
        known = len(seen)
        inner = replace(self._unit, body=[], unread=[], enclosing=[], declarations=seen)
        self._inside(inner, line, lines, self._meant.within(pairs, self._unit))
        self._unit.declarations += inner.declarations[known:]
        label = exits_as_jumps(inner.body, name, last.place)
        put_names(self._unit, pairs, inner.body, line.place, self._meant)
        self._joined(inner, line, last, node.place)
        self._behind(label, last.place)

    def _block(self, line: Line, node: Unread, lines: Sequence[Line], last: Line) -> None:
        """Its statements; its variables get names that the unit has not. Refused where it declares
        more than variables of fixed size."""
        name = tokens(line.text)[0] if tokens(line.text)[1] == ":" else ""
        own = Unit("block", "", line.place)
        specification = Specification(own)
        at = 0
        while at < len(lines):
            found = tokens(lines[at].text) if lines[at].text else [""]
            if found[0] and not (found[0] in TYPE_WORDS or found[0] in SPECIFICATIONS):
                break
            taken = (
                specification.statement(lines[at], found, lines, at + 1) if found[0] else at + 1
            )
            if taken is None:
                break
            at = taken
        fixed_variables(own, self._unit, line.place)
        hidden = {d.name for d in own.declarations}
        seen = [d for d in self._unit.declarations if d.name not in hidden] + own.declarations
        known = len(seen)
        inner = replace(self._unit, body=[], unread=[], enclosing=[], declarations=seen)
        self._inside(inner, line, lines[at:])
        declared = self._unit.declarations
        declared += inner.declarations[known:]
        names = new_names(hidden, {d.name for d in declared})
        label = exits_as_jumps(inner.body, name, last.place)
        put_variables(self._unit, names, inner.body, line.place)
        declared += renamed(self._unit, own.declarations, names, line.place)
        head = lines[at - 1] if at else line
        self._joined(inner, head, last, node.place, line)
        self._behind(label, last.place)

    def _inside(
        self, inner: Unit, line: Line, lines: Sequence[Line],
        meant: Meant | None = None,
    ) -> None:  # fmt: skip
        """Statements of a construct, into a unit of their own."""
        body = type(self)(inner, meant or self._meant)
        at = 0
        while at < len(lines):
            one = lines[at]
            at += 1
            if not one.text:
                body.empty(one)
            elif one.text.startswith(("#", "include")):
                raise Refused(line.place, "a line of the preprocessor", "in the construct")
            else:
                at = body.statement(one, tokens(one.text), lines, at)
        body.finish()
        if inner.unread:
            raise Refused(line.place, inner.unread[0].construct, inner.unread[0].why)

    def _joined(
        self, inner: Unit, head: Line, last: Line, place: Place, first: Line | None = None
    ) -> None:
        """In the place of the construct."""
        first = first or head
        if first.label or first.comments:
            self.add(Continue(first.place, first.label, first.comments))
        self._body += inner.body
        if last.comments or last.label:
            self.add(Continue(last.place, last.label, last.comments))
        end_of_head = max(head.place.line, head.place.last)
        self._unit.enclosing += [*inner.enclosing, (place.line, end_of_head, place.last)]


#: Constructs whose lines are kept as text, and the words that end them.
_SWALLOWED = {
    "associate": "endassociate", "block": "endblock", "critical": "endcritical",
    "forall": "endforall", "selecttype": "endselect", "selectrank": "endselect",
    "team": "endteam",
}  # fmt: skip


def swallowed(found: list[str]) -> str | None:
    """The kind of such a construct that a statement begins."""
    word = found[0]
    if word == "block" and not found[1]:
        return word
    if word == "critical" and found[1] in ("", "("):
        return word
    if word in ("associate", "forall") and found[1] == "(":
        end = closing(found, 1)
        return word if end > 0 and not found[end + 1] else None
    if word == "change" and found[1] == "team":
        return "team"
    return None


def swallow(line: Line, kind: str, lines: Sequence[Line], at: int) -> tuple[Unread, int]:
    """The construct that a line begins, and the index of the line behind its end."""
    end = _SWALLOWED[kind]
    begin = end[3:]
    depth, inside = 1, []
    node = Unread(line.place, line.label, line.comments, text=line.text, construct=kind)
    while at < len(lines):
        found = tokens(lines[at].text)
        if found[0][:3] == "end" and assignment_at(found) < 0 and end_of(found) is not None:
            node.why = "it has no end"
            break
        inside.append(lines[at].text)
        if found[1] == ":":
            found = found[2:]
        at += 1
        word = found[0] + (found[1] if found[0] == "end" else "")
        if word == end:
            depth -= 1
            if depth == 0:
                node.place = replace(node.place, last=lines[at - 1].place.last)
                break
        elif (
            found[0] == begin or (found[0] in ("selectcase", "selecttype") and begin == "select")
        ) and assignment_at(found) < 0:
            depth += begin != "forall" or not found[closing(found, 1) + 1]
    node.inside = tuple(inside)
    return node, at


#: Labels of the source are seldom as large; those that are both are refused.
_FIRST = 90000


def exits_as_jumps(statements: list[Statement], name: str, place: Place) -> str:
    """Changes the statements; the label that has to stand behind them, "" where none leaves."""
    if not name or not any(isinstance(s, Exit) and s.name == name for s in walk(statements)):
        return ""
    label = str(_FIRST + place.line % 10000)
    _change(statements, name, label)
    return label


def _change(statements: list[Statement], name: str, label: str) -> None:
    for n, one in enumerate(statements):
        if isinstance(one, Exit) and one.name == name:
            statements[n] = Goto(one.place, one.label, one.comments, target=label, leaves=name)
        for inner in one.bodies():
            _change(inner, name, label)


def doubtful(body: Sequence[Statement]) -> list[str]:
    """Such labels that two statements have."""
    count = Counter(s.label for s in walk(body) if len(s.label) == 5 and s.label[0] == "9")
    return [label for label, times in count.items() if times > 1]
