"""select case and select type: their heads, cases and guards."""

from __future__ import annotations

from bridge_port.refusal import Refused
from bridge_port.source.lines import Line
from bridge_port.syntax.expressionparser import ExpressionReader
from bridge_port.syntax.expressions import Expression, Name
from bridge_port.syntax.statements import (
    Case,
    Continue,
    Guard,
    Select,
    SelectType,
    Statement,
    Unread,
)
from bridge_port.syntax.tokens import closing, is_name
from bridge_port.syntax.typeparser import TYPE_WORDS
from bridge_port.syntax.units import Unit


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
