"""Procedures that read or write files or the terminal themselves."""

from __future__ import annotations

from bridge_port.syntax import statements as s
from bridge_port.syntax.units import Unit

#: Constructs of `Unread` that do.
IO = frozenset(
    "read write print open close inquire rewind backspace flush endfile namelist format".split()
)


def has_io(unit: Unit) -> bool:
    """Of its own statements."""
    return any(isinstance(one, s.Unread) and one.construct in IO for one in s.walk(unit.body))
