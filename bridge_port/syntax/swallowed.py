"""Constructs that no kernel has, or whose names mean something of their own: kept as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bridge_port.source.lines import Line
from bridge_port.syntax.statementparser import assignment_at
from bridge_port.syntax.statements import Unread
from bridge_port.syntax.tokens import closing, tokens
from bridge_port.syntax.unitstatement import end_of

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
