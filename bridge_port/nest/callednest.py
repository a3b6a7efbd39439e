"""A nest that is a call: the loops of the procedure that it calls.

`call diffuse(tiles(t)%nx, tiles(t)%u)` in a loop over tiles is the nest of one tile. What is
translated is the whole body of `diffuse`, in its own unit; the call says what its arguments are
(`output/atcall.py`), and the loop over tiles stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridge_port.analysis.region import last_line, region
from bridge_port.analysis.setting import Setting
from bridge_port.nest.arraystatements import is_array_statement
from bridge_port.program.symbols import Units
from bridge_port.refusal import Refused
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.statements import (
    Assignment,
    Call,
    Continue,
    Do,
    If,
    Return,
    Statement,
    Where,
    walk,
)
from bridge_port.syntax.units import Unit


@dataclass(frozen=True)
class CalledNest:
    """caller: the unit that the call stands in; unit: what it calls; first, last: lines of the
    whole body of that."""

    caller: Unit
    call: Call
    unit: Unit
    first: int
    last: int

    @property
    def lines(self) -> tuple[int, int]:
        """Of the call."""
        return self.call.place.line, max(self.call.place.line, self.call.place.last)


def called_nest(program: Units, unit: Unit, first: int, last: int) -> CalledNest | None:
    """Of lines that hold one call of a procedure with loops, None of others. The condition of
    `if (...) call` stays where it is. Refused where they hold several such calls and no loop."""
    statements = [s for s in region(unit, first, last).statements if not isinstance(s, Continue)]
    one = statements[0] if len(statements) == 1 else None
    if isinstance(one, If) and len(one.arms) == 1 and len(one.arms[0].body) == 1:
        inner = one.arms[0].body[0]
        # An if without a body has no line of its own for what it governs.
        one = inner if inner.place.line == one.place.line else one
    if isinstance(one, Call):
        found = nest_of(program, unit, one)
        if found is not None and not _has_own_loops(program, found.unit):
            raise Refused(
                one.place,
                f"call {found.unit.name}",
                "its loops stand in what it calls",
                "port the calls in it",
            )
        return found
    if not any(is_nest(Setting(program, unit, program.scope(unit)), s) for s in walk(statements)):
        calls = [s for s in walk(statements) if isinstance(s, Call)]
        for s in calls:
            callee = procedure_of(program, unit, s)
            if callee is not None and has_loops(program, callee):
                raise Refused(
                    s.place,
                    f"call {callee.name}",
                    "the lines hold other statements as well, and the loops stand in what is "
                    "called",
                    "give the lines of one call alone",
                )
    return None


def nest_of(program: Units, unit: Unit, call: Call) -> CalledNest | None:
    """None of a call of a procedure without loops, or of one whose source is not given."""
    callee = procedure_of(program, unit, call)
    if callee is None or not has_loops(program, callee):
        return None
    body = list(callee.body)
    while isinstance(body[-1], Return | Continue) and not body[-1].label:
        body.pop()
    for s in walk(body):
        if s.place.file != callee.place.file:
            raise Refused(
                call.place,
                f"call {callee.name}",
                f"statements of it stand in another file, {s.place.file}",
                "port its loops where they stand",
            )
    return CalledNest(unit, call, callee, body[0].place.line, max(map(last_line, body)))


def procedure_of(program: Units, unit: Unit, call: Call) -> Unit | None:
    """The source of what is called by its own name, once for the call."""
    if not isinstance(call.procedure, Name):
        return None
    found: Unit | None = program.scope(unit).as_written(call.procedure.id)
    if found is None or found.kind != "subroutine" or "elemental" in found.prefixes:
        return None
    return found


def has_loops(program: Units, unit: Unit) -> bool:
    """Whether the procedure, or one that it calls, has a loop or an array statement."""
    return _has_loops(program, unit, set())


def _has_loops(program: Units, unit: Unit, seen: set[int]) -> bool:
    if id(unit) in seen:
        return False
    seen.add(id(unit))
    if _has_own_loops(program, unit):
        return True
    calls = (procedure_of(program, unit, s) for s in walk(unit.body) if isinstance(s, Call))
    return any(_has_loops(program, one, seen) for one in calls if one is not None)


def _has_own_loops(program: Units, unit: Unit) -> bool:
    known = program.loops
    if id(unit) not in known:
        setting = Setting(program, unit, program.scope(unit))
        known[id(unit)] = unit, any(is_nest(setting, s) for s in walk(unit.body))
    return known[id(unit)][1]


def is_nest(setting: Setting, one: Statement) -> bool:
    """A loop with a variable, or an array statement that is one."""
    if isinstance(one, Do):
        return bool(one.variable)
    if not isinstance(one, Assignment | Where):
        return False
    try:
        return is_array_statement(setting, one)
    except Refused:
        return False
