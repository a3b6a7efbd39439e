"""Sizes that a kernel lacks: what a refusal asks for, by the names of the kernel's arguments."""

from __future__ import annotations

from collections.abc import Iterator

from bridge_port.syntax.expressions import Component, Expression, Name
from bridge_port.syntax.statements import Assignment, Do, walk
from bridge_port.syntax.units import ends
from bridge_port.translate.body import Body


def asked(e: Expression, b: Body) -> str:
    """What to say of a bound, and of the other ones of the procedure that are not known."""
    names = list(integers_in(b, e))
    if not names:
        return "give its bounds as constants"
    lacking = {names[0]: None} | dict.fromkeys(in_bounds(b))
    values = " ".join(f"{name}=N" for name in lacking)
    return f"give the value with --value {values}"


def integers_in(b: Body, e: Expression, foreign: bool = True) -> Iterator[str]:
    """Variables, and components under the name that they have in the kernel's arguments."""
    if isinstance(e, Name | Component):
        if name := designator(b, e, foreign):
            yield name
    else:
        for part in e.parts():
            yield from integers_in(b, part, foreign)


def designator(b: Body, e: Expression, foreign: bool = True) -> str:
    """What a variable or a component is of the arguments of the kernel; foreign: of what is none
    of them its own name."""
    words: list[str] = []
    while isinstance(e, Component):
        words.insert(0, e.name)
        e = e.base
    if not isinstance(e, Name):
        return ""
    symbol = b.scope.find(e.id)
    origin = b.origin(symbol) if symbol is not None else ""
    return "%".join((origin or e.id, *words)) if origin or foreign else ""


def made_of(b: Body, e: Expression) -> list[str]:
    """Integers among the kernel's arguments that an integer has its value from and that have none
    yet; a variable of the procedure has that of the one statement that gives it one."""
    found = list(integers_in(b, e, False))
    if isinstance(e, Name) and not found:
        set_ = [one.value for one in walk(b.unit.body)
                if isinstance(one, Assignment) and one.target == e]  # fmt: skip
        found = list(integers_in(b, set_[0], False)) if len(set_) == 1 else []
    return [name for name in dict.fromkeys(found) if name not in b.port.fixed]


def loops(b: Body) -> str:
    """The outermost loops of a kernel's procedure, as the command takes them."""
    if b.unit is not b.port.entry:
        return ""
    places = [one.place for one in b.unit.body if isinstance(one, Do)]
    found = [f"{place}-{place.last}" for place in places if place.last > place.line]
    more = ", ..." if len(found) > 3 else ""
    return f" ({', '.join(found[:3])}{more})" if found else ""


def in_bounds(b: Body) -> Iterator[str]:
    """Integers in bounds of the arrays of a kernel's procedure that have no value yet."""
    if b.unit is not b.port.entry:
        return
    for d in b.unit.declarations:
        for name in (name for e in ends(d.dimensions) for name in integers_in(b, e)):
            if "%" in name or _lacks(b, name):
                yield name


def _lacks(b: Body, name: str) -> bool:
    symbol = b.scope.find(name)
    if symbol is None or symbol.type != "integer" or symbol.dimensions is not None:
        return False
    if b.port.is_species(symbol) or name in dict(b.context.known) or name in b.port.fixed:
        return False
    return b.scope.constant(Name(name)) is None
