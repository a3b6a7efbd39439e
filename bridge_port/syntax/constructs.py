"""The body of a unit: statements, and the constructs that they stand in; of select case and select
type heads, cases and guards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bridge_port.refusal import Place, Refused, one_statement
from bridge_port.source.lines import Line
from bridge_port.syntax.concurrent import (
    Locality,
    concurrent_loops,
    put_locality,
    read_locality,
)
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.expressions import Expression, Name
from bridge_port.syntax.folded import Folded, doubtful, exits_as_jumps, swallowed
from bridge_port.syntax.meant import Meant
from bridge_port.syntax.statementparser import assignment_at, simple
from bridge_port.syntax.statements import (
    Arm,
    Case,
    Continue,
    Do,
    Guard,
    If,
    Select,
    SelectType,
    Statement,
    Unread,
    Where,
    walk,
)
from bridge_port.syntax.tokens import closing, is_name, spread, tokens
from bridge_port.syntax.typeparser import TYPE_WORDS
from bridge_port.syntax.units import Unit

#: Words that begin a statement of a body.
BODY_WORDS = frozenset(
    ("call", "if", "do", "dowhile", "doconcurrent", "else", "elseif", "elsewhere", "where",
     "select", "selectcase", "selecttype", "case", "end", "enddo", "endif", "endselect",
     "endwhere", "return", "continue", "exit", "cycle", "go", "goto", "block", "associate",
     "critical", "forall", "change")
)  # fmt: skip
_NAMED = ("do", "if", "select", "selectcase", "where", "forall", "associate", "block", "critical")


@dataclass
class Construct:
    """An open one. body: where its next statement goes; kind: its first word."""

    kind: str
    node: Statement
    body: list[Statement]
    name: str = ""
    label: str = ""
    locality: Locality | None = None


class Constructs(Folded):
    """Statements of a unit in their order, put where they belong."""

    def __init__(self, unit: Unit, meant: Meant) -> None:
        super().__init__(unit, meant)
        self._open: list[Construct] = []
        self.begun = False

    # ---- what comes in ----------------------------------------------------------------------
    def statement(self, line: Line, found: list[str], lines: Sequence[Line], at: int) -> int:
        """Takes a statement; returns the index of the next line."""
        self.begun = True
        name = ""
        if found[1] == ":" and found[2] in _NAMED and assignment_at(found) < 0:
            name, found = found[0], found[2:]
        try:
            with one_statement(line.place):
                return self._statement(line, found, name, lines, at)
        except Refused as refused:
            if line.fixed:
                try:
                    with one_statement(line.place):
                        return self._statement(line, tokens(spread(line.text)), "", lines, at)
                except Refused:
                    pass
            self._unread(line, found, refused)
        return at

    def comment(self, comments: tuple[str, ...], place: Place) -> None:
        """Comments before an end statement."""
        if comments:
            self._body.append(Continue(place, "", comments))

    def empty(self, line: Line) -> None:
        """A line with a label or comments alone."""
        self.add(Continue(line.place, line.label, line.comments))

    def label(self, line: Line) -> None:
        """A label of an end statement."""
        self._body.append(Continue(line.place, line.label))

    def finish(self) -> None:
        """At the end of the unit: what is still open cannot be used."""
        for construct in self._open:
            keep_before_cases(self._unit, construct.node, construct.body)
            why = "it has no end" if not construct.label else f"no statement {construct.label}"
            self._unit.unread.append(
                Unread(
                    construct.node.place, text=construct.kind, construct=construct.kind, why=why
                )
            )
        self._open.clear()
        self._body = self._unit.body
        for label in doubtful(self._body):
            why = f"two statements have the label {label}"
            self._unit.unread.append(
                Unread(self._unit.place, text=label, construct="exit", why=why)
            )

    # ---- kinds of statements ----------------------------------------------------------------
    def _statement(
        self, line: Line, found: list[str], name: str, lines: Sequence[Line], at: int
    ) -> int:
        word = found[0]
        if assignment_at(found) < 0:
            if word == "do" or (word[:2] == "do" and word in ("dowhile", "doconcurrent")):
                self._do(line, found, name)
                return at
            if word == "if" and found[-2] == "then" and found[closing(found, 1) + 1] == "then":
                self._if(line, found, name)
                return at
            if word[:4] == "else" and word in ("else", "elseif", "elsewhere"):
                self._else(line, found)
                return at
            if word == "where" and not found[closing(found, 1) + 1]:
                self._where(line, found, name)
                return at
            if word in ("select", "selectcase", "selecttype", "selectrank"):
                return self._select(line, found, name, lines, at)
            if word in ("type", "class") and found[1] in ("is", "default") and self._in_types():
                self._guard(line, found)
                return at
            if word == "case":
                self._case(line, found)
                return at
            if word[:3] == "end" and self._end(line, found):
                return at
            if (opened := swallowed(found)) is not None:
                return self._swallow(line, opened, lines, at)
            if word == "forall" and found[1] == "(":
                self._forall(line, found)
                return at
        node = simple(found, line.place, line.label, line.comments)
        for one in walk([node]):
            if isinstance(one, Unread):
                one.text = line.text
        self.add(node)
        return at

    def add(self, node: Statement) -> None:
        self._body.append(node)
        if node.label:
            self._end_labelled(node.label, node.place)

    def _unread(self, line: Line, found: list[str], refused: Refused) -> None:
        word = found[0] if found[0].isidentifier() else "statement"
        construct = (
            word
            if word in ("do", "if", "select", "where", "case", "else", "forall")
            else "statement"
        )
        why = line.unread(refused.refusal.why or refused.refusal.construct)
        self.add(
            Unread(
                line.place, line.label, line.comments,
                text=line.text, construct=construct, why=why,
            )
        )  # fmt: skip

    def _push(self, construct: Construct) -> None:
        self._body.append(construct.node)
        self._open.append(construct)
        self._body = construct.body

    def _pop(self, place: Place) -> Construct:
        construct = self._open.pop()
        keep_before_cases(self._unit, construct.node, construct.body)
        construct.node.place = replace(construct.node.place, last=place.last)
        self._body = self._open[-1].body if self._open else self._unit.body
        if construct.locality is not None and construct.locality != Locality():
            assert isinstance(construct.node, Do)
            put_locality(self._unit, construct.node, construct.body, construct.locality)
        if construct.kind != "do":
            self._behind(exits_as_jumps([construct.node], construct.name, place), place)
        return construct

    def _end_labelled(self, label: str, place: Place) -> None:
        """A labelled statement ends all loops that name its label."""
        while self._open and self._open[-1].label == label:
            self._pop(place)

    # ---- constructs -------------------------------------------------------------------------
    def _do(self, line: Line, found: list[str], name: str) -> None:
        reader = ExpressionReader(found, line.place, 1)
        end_label = ""
        if found[1].isdigit():
            end_label = found[1].lstrip("0")
            reader.at = 2
            if found[2] == ",":
                reader.at = 3
        word = found[reader.at] if found[0] == "do" else found[0][2:]
        node = Do(line.place, line.label, line.comments, body=[], name=name, end_label=end_label)
        body, locality = node.body, None
        if word == "while" and (found[0] == "dowhile" or found[reader.at + 1] == "("):
            reader.at += found[0] == "do"
            reader.take("(")
            node.condition = reader.expression()
            reader.take(")")
        elif word == "concurrent" and (found[0] == "doconcurrent" or found[reader.at + 1] == "("):
            reader.at += found[0] == "do"
            locality = Locality()
            body = concurrent_loops(node, reader, line.place, locality)
            read_locality(reader, locality)
        elif word:
            node.variable = reader.name()
            reader.take("=")
            node.first = reader.expression()
            reader.take(",")
            node.last = reader.expression()
            if found[reader.at] == ",":
                reader.at += 1
                node.step = reader.expression()
        reader.end()
        self._push(Construct("do", node, body, name, end_label, locality))

    def _if(self, line: Line, found: list[str], name: str) -> None:
        reader = ExpressionReader(found, line.place, 1)
        condition = _condition(reader)
        reader.take("then")
        reader.end()
        arm = Arm(condition, [], line.place)
        node = If(line.place, line.label, line.comments, arms=[arm], name=name)
        self._push(Construct("if", node, arm.body, name))

    def _where(self, line: Line, found: list[str], name: str) -> None:
        reader = ExpressionReader(found, line.place, 1)
        arm = Arm(_condition(reader), [], line.place)
        reader.end()
        node = Where(line.place, line.label, line.comments, arms=[arm], name=name)
        self._push(Construct("where", node, arm.body, name))

    def _else(self, line: Line, found: list[str]) -> None:
        word, at = found[0], 1
        if word == "else" and found[1] in ("if", "where"):
            word, at = word + found[1], 2
        reader = ExpressionReader(found, line.place, at)
        kind = "where" if word == "elsewhere" else "if"
        construct = self._expect(kind, line)
        assert isinstance(construct.node, If)
        condition = None
        if found[at] == "(":
            condition = _condition(reader)
        elif word == "elseif":
            reader.refuse("'('")
        if word == "elseif":
            reader.take("then")
        if found[reader.at] == construct.name != "":
            reader.at += 1
        reader.end()
        arm = Arm(condition, [], line.place, line.comments)
        construct.node.arms.append(arm)
        construct.body = self._body = arm.body
        if line.label:
            arm.body.append(Continue(line.place, line.label))

    def _select(
        self, line: Line, found: list[str], name: str, lines: Sequence[Line], at: int
    ) -> int:
        word = found[0] + (found[1] if found[0] == "select" else "")
        if word == "selecttype" and self._select_type(line, found, name):
            return at
        if word != "selectcase":
            return self._swallow(line, word, lines, at)
        reader = ExpressionReader(found, line.place, 2 if found[0] == "select" else 1)
        subject = _condition(reader)
        reader.end()
        node = Select(line.place, line.label, line.comments, subject=subject, cases=[], name=name)
        self._push(Construct("select", node, [], name))
        return at

    def _select_type(self, line: Line, found: list[str], name: str) -> bool:
        node = select_type(line, found, name)
        if node is not None:
            self._push(Construct("select", node, [], name))
        return node is not None

    def _guard(self, line: Line, found: list[str]) -> None:
        construct = self._expect("select", line)
        assert isinstance(construct.node, SelectType)
        keep_before_cases(self._unit, construct.node, construct.body)
        guard = guard_of(line, found, construct.name)
        construct.node.guards.append(guard)
        construct.body = self._body = guard.body

    def _case(self, line: Line, found: list[str]) -> None:
        construct = self._expect("select", line)
        assert isinstance(construct.node, Select)
        case = case_of(line, found, construct.name)
        keep_before_cases(self._unit, construct.node, construct.body)
        construct.node.cases.append(case)
        construct.body = self._body = case.body

    def _in_types(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].node, SelectType)

    def _expect(self, kind: str, line: Line) -> Construct:
        if not self._open or self._open[-1].kind != kind:
            inside = f"in {self._open[-1].kind}" if self._open else "outside"
            raise Refused(line.place, "statement", f"it belongs to {kind} and stands {inside}")
        return self._open[-1]

    def _end(self, line: Line, found: list[str]) -> bool:
        """True of the end of a construct."""
        kind = found[1] if found[0] == "end" else found[0][3:]
        at = 2 if found[0] == "end" else 1
        if kind not in ("if", "do", "select", "where") or (found[at] and found[at + 1]):
            return False
        construct = self._expect(kind, line)
        if found[at] != construct.name and found[at]:
            raise Refused(
                line.place, "statement", f"it ends {found[at]!r}, which is not open here"
            )
        if construct.label and line.label != construct.label:
            raise Refused(
                line.place, "statement", f"the loop that is open ends at {construct.label}"
            )
        if line.comments or (line.label and kind != "if"):
            label = "" if kind == "if" else line.label
            self._body.append(Continue(line.place, label, line.comments))
        if kind == "if":
            assert isinstance(construct.node, If)
            construct.node.end_label = line.label
        elif isinstance(construct.node, Do) and line.label:
            construct.node.end_label = line.label
        self._pop(line.place)
        if line.label:
            self._end_labelled(line.label, line.place)
        return True


def _condition(reader: ExpressionReader) -> Expression:
    reader.take("(")
    condition = reader.expression()
    reader.take(")")
    return condition


def select_type(line: Line, found: list[str], name: str) -> SelectType | None:
    """Of a variable under its own name, None of anything else."""
    at = 2 if found[0] == "select" else 1
    if found[at] != "(" or not is_name(found[at + 1]) or found[at + 2 :] != [")", ""]:
        return None
    return SelectType(
        line.place, line.label, line.comments, text=line.text, construct="select type",
        subject=Name(found[at + 1]), guards=[],
    )  # fmt: skip


def guard_of(line: Line, found: list[str], construct: str) -> Guard:
    """type is (name), class is (name), class default; construct: its name."""
    word, what, at = found[0], "", 2
    if found[1] == "is":
        end = closing(found, 2)
        if found[2] != "(" or end < 0:
            raise Refused(line.place, "statement", "'(' wanted")
        what = "" if found[3] in TYPE_WORDS or end != 4 else found[3]
        at = end + 1
    else:
        word = "default"
    if found[at] not in ("", construct):
        raise Refused(line.place, "statement", f"{found[at]!r} found")
    return Guard(word, what, [], line.place, line.comments)


def case_of(line: Line, found: list[str], construct: str) -> Case:
    """case (values), case default."""
    reader = ExpressionReader(found, line.place, 1)
    values: tuple[Expression, ...] | None = None
    if found[1] == "default":
        reader.at += 1
    else:
        values = reader.arguments()
    if found[reader.at] == construct != "":
        reader.at += 1
    reader.end()
    return Case(values, [], line.place, line.comments)


def keep_before_cases(unit: Unit, node: Statement | None, body: list[Statement]) -> None:
    """Statements before the first case are an error, and kept."""
    if isinstance(node, SelectType) and not node.guards:
        if any(not isinstance(one, Continue) for one in body):
            node.guards.append(Guard("default", "", body, node.place))
            unit.unread.append(
                Unread(
                    node.place, text="select type", construct="select",
                    why="statements stand before the first guard",
                )
            )  # fmt: skip
    if isinstance(node, Select) and not node.cases and body:
        node.cases.append(Case((), body, node.place))
        unit.unread.append(
            Unread(
                node.place, text="select case", construct="select",
                why="statements stand before the first case",
            )
        )  # fmt: skip
