"""Labels that a statement goes back to."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_port.refusal import NOWHERE, Refused
from bridge_port.syntax.statements import ArithmeticIf, ComputedGoto, Goto, Statement, walk


def check_labels(body: Sequence[Statement]) -> None:
    """Refused where a statement goes backwards: nothing can be followed there."""
    seen: set[str] = set()
    for s in walk(body):
        if s.label:
            seen.add(s.label)
        labels = (
            (s.target,)
            if isinstance(s, Goto)
            else (s.targets if isinstance(s, ComputedGoto | ArithmeticIf) else ())
        )
        for label in labels:
            if label in seen:
                raise Refused(
                    s.place or NOWHERE, f"goto backwards to {label}", "", "write it as do while"
                )
