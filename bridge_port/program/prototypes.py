"""Interfaces of arguments that are procedures: names of their arguments, by which calls may name
what they pass. The procedure that is passed may have other names: places count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge_port.program import interfaces
from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Expression, Keyword, Name
from bridge_port.syntax.rebuilt import rebuilt, with_parts
from bridge_port.syntax.units import Unit

Given = dict[str, Unit]


def without_names(program: Any, unit: Unit, made: Unit, given: Given) -> None:
    """In a copy, calls of arguments that are procedures name what they pass as the procedures that
    are given do. Refused where that cannot be told."""
    if not any(_named(one, given) for one in _all(unit)):
        return
    _put(program, unit, made, given)


def _put(program: Any, unit: Unit, made: Unit, given: Given) -> None:
    """Also in the procedures inside, as far as none of them has such a name for itself."""
    names = _Names(program, unit, given)
    made.body = [names.statement(one) for one in made.body]
    for inner, copy in zip(unit.units, made.units, strict=True):
        own = {d.name for d in inner.declarations} | {*inner.arguments, *inner.interfaces}
        if own & given.keys() and any(_named(one, given) for one in _all(inner)):
            raise Refused(inner.place, f"{inner.kind} {inner.name}",
                          f"its {min(own & given.keys())} is another procedure than that of "
                          f"{unit.name}", "give one of them another name")  # fmt: skip
        _put(program, inner, copy, given)


def _all(unit: Unit) -> list[Unit]:
    return [unit, *(below for inner in unit.units for below in _all(inner))]


def _named(unit: Unit, given: Given) -> bool:
    """Whether a statement of it calls one of them with names."""
    for one in s.walk(unit.body):
        called = [part for e in one.expressions() for part in e.walk()]
        if isinstance(one, s.Call):
            called.append(Apply(one.procedure, one.arguments))
        for part in called:
            if isinstance(part, Apply) and isinstance(part.base, Name) and part.base.id in given:
                if any(isinstance(a, Keyword) for a in part.arguments):
                    return True
    return False


class _Names:
    """Of one unit."""

    def __init__(self, program: Any, unit: Unit, given: Given) -> None:
        self.scope, self.given = program.scope(unit), given
        self.place = unit.place

    def statement(self, one: s.Statement) -> s.Statement:
        self.place = one.place
        made = rebuilt(one, self.expression, self.statement)
        self.place = one.place
        if isinstance(made, s.Call) and isinstance(made.procedure, Name):
            made.arguments = self._arguments(made.procedure.id, made.arguments)
        return made

    def expression(self, e: Expression) -> Expression:
        made = with_parts(e, self.expression)
        if isinstance(made, Apply) and isinstance(made.base, Name):
            return Apply(made.base, self._arguments(made.base.id, made.arguments))
        return made

    def _arguments(self, name: str, arguments: Sequence[Expression]) -> tuple[Expression, ...]:
        if name not in self.given or not any(isinstance(a, Keyword) for a in arguments):
            return tuple(arguments)
        actual = self.given[name]
        theirs = [one for one in actual.arguments if one not in actual.captured.values()]
        ours = interface_arguments(self.scope, name)
        if ours is None or len(ours) != len(theirs) or "*" in (*ours, *theirs):
            why = "it names arguments as the interface of the argument does, which is not given"
            if ours is not None:
                why = f"{actual.name} has not the arguments of its interface"
            raise Refused(self.place, f"call of {name}", why, "leave the names out")
        names = dict(zip(ours, theirs, strict=True))
        return tuple(self._one(name, a, names) for a in arguments)

    def _one(self, name: str, a: Expression, names: dict[str, str]) -> Expression:
        if not isinstance(a, Keyword):
            return a
        if a.name not in names:
            raise Refused(self.place, f"call of {name}", f"its interface has no argument {a.name}")
        return Keyword(names[a.name], a.value)


def interface_arguments(scope: Any, name: str) -> list[str] | None:
    """Of a procedure that is an argument, as its interface names them; None where that is not
    known."""
    around: Any = scope
    while around is not None:
        found = interfaces.of_argument(around, name)
        if found is not None:
            return [one for one in found.arguments if one not in found.captured.values()]
        if name in around.unit.arguments:
            return None
        around = around.parent
    return None
