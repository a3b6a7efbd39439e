"""Procedures that a survey tries for arguments and components that are procedures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from bridge_port.program import agreement, interfaces
from bridge_port.program.captured import copied
from bridge_port.program.saidprocedures import component
from bridge_port.refusal import Refused
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Apply, Expression, Keyword, Name, Number
from bridge_port.syntax.units import Unit

#: Procedures of one argument that are tried.
MOST = 12


class PassedOn:
    """Of one program: what its statements pass to procedures, or let pointers point to."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.stand_ins: dict[tuple[int, str], tuple[Unit, ...]] = {}

    def fitting(self, unit: Unit, word: str) -> tuple[Unit, ...]:
        """Those that fit an argument, or a component of one, and stand in a module or alone."""
        return tuple(one for one in self.units if self._fits(unit, word, one))[:MOST]

    @cached_property
    def units(self) -> list[Unit]:
        return list({id(one): one for one in self._all()}.values())

    def standing_in(self, unit: Unit, word: str) -> tuple[Unit, ...]:
        """One that only shows what a procedure of the user's would do."""
        key = id(unit), word
        if key not in self.stand_ins:
            made = stand_in(self.program, unit, word)
            self.stand_ins[key] = () if made is None else (made,)
        return self.stand_ins[key]

    def _fits(self, unit: Unit, word: str, given: Unit) -> bool:
        if given is unit:
            return False
        try:
            if "%" not in word:
                return not agreement.passed(self.program, unit, word, given)
            owner, pointer = component(self.program, unit, word)
            wanted = interfaces.named(owner.scope, pointer.interface)
            return wanted is not None and not agreement.against(self.program, wanted, given)
        except Refused:
            return False

    def _all(self) -> Iterator[Unit]:
        for unit in self.program.sources():
            scope = self.program.scope(unit)
            for name in sorted(_names(unit)):
                try:
                    given = scope.as_written(name)
                except Refused:  # a declaration that is not understood
                    continue
                if given is not None and (given.parent is None or given.parent.kind == "module"):
                    yield given


def _names(unit: Unit) -> set[str]:
    """That stand alone as arguments, or as what a pointer gets."""
    found: list[Expression] = []
    for one in s.walk(unit.body):
        if isinstance(one, s.Call):
            found += one.arguments
        if isinstance(one, s.PointerAssignment):
            found.append(one.value)
        for e in one.expressions():
            found += [a for part in e.walk() if isinstance(part, Apply) for a in part.arguments]
    plain = (a.value if isinstance(a, Keyword) else a for a in found)
    return {a.id for a in plain if isinstance(a, Name)}


def stand_in(program: Any, unit: Unit, word: str) -> Unit | None:
    """A procedure of the interface that nobody has written: what it gives is 1."""
    try:
        if "%" in word:
            owner, pointer = component(program, unit, word)
            wanted = interfaces.named(owner.scope, pointer.interface)
        else:
            wanted = interfaces.of_argument(program.scope(unit), word)
        return None if wanted is None else _written(program, wanted)
    except Refused:
        return None


def _written(program: Any, wanted: Unit) -> Unit:
    scope = program.scope(wanted)
    results = [n for n in wanted.arguments if n != "*" and scope.symbol(n).intent != "in"]
    if wanted.kind == "function":
        results = [wanted.result or wanted.name]
    numbers = [n for n in results if scope.symbol(n).type in ("real", "integer", "complex")]
    around = wanted.parent
    while around is not None and around.kind != "module":
        around = around.parent
    return copied(
        wanted, parent=around,
        body=[s.Assignment(wanted.place, target=Name(n), value=Number("1")) for n in numbers],
    )  # fmt: skip
