"""Procedures that do nothing: stubs, and what a preprocessor left empty."""

from __future__ import annotations

from bridge_port.syntax import statements as s
from bridge_port.syntax.units import Unit

_PLAIN = frozenset(("real", "integer", "logical", "character", "complex"))
_HELD = frozenset(("allocatable", "pointer"))


def does_nothing(unit: Unit) -> bool:
    """Whether its own lines show that a call of it changes nothing.

    That is a subroutine without a statement that does something. Some variables change by the
    call alone: an allocatable, a pointer or an object that is intent(out), and an object of its
    own where it has a final procedure. With one of these the answer is no.
    """
    if unit.kind != "subroutine" or unit.unread or "*" in unit.arguments:
        return False
    if not all(isinstance(one, s.Return | s.Continue) for one in unit.body):
        return False
    # A name may have several declarations: its type, its intent, its attributes.
    plain: set[str] = set()
    objects: set[str] = set()
    held: set[str] = set()
    out: set[str] = set()
    for one in unit.declarations:
        if one.type is not None:
            (plain if one.type.base in _PLAIN else objects).add(one.name)
        if not one.attributes.isdisjoint(_HELD):
            held.add(one.name)
        if one.intent == "out":
            out.add(one.name)
    return out <= plain - held and objects <= set(unit.arguments)
