"""Statements that are kept as text, read as expressions."""

from __future__ import annotations

import re

from bridge_port.refusal import Refused
from bridge_port.syntax.expressionparser import expression
from bridge_port.syntax.expressions import Apply
from bridge_port.syntax.statements import Unread


def memory_of(one: Unread) -> Apply | None:
    """allocate (...) or deallocate (...), as if it were a call; None where it cannot be read."""
    # The text of one behind a condition has the condition in it.
    begin = re.search(rf"\b{one.construct}\s*\(", one.text)
    if begin is None:
        return None
    try:
        whole = expression(one.text[begin.start() :], one.place)
    except Refused:
        return None
    return whole if isinstance(whole, Apply) else None
