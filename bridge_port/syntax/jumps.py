"""`exit` of a construct that is no loop: a jump behind its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bridge_port.refusal import Place
from bridge_port.syntax.statements import Exit, Goto, Statement, walk

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
