"""`--errors status`: statements that end the run give the point a status instead.

A point that comes to stop, error stop, or a call that ends the run, gets a status and leaves. What
stands before it in the same block and goes straight there (messages) has no effect on anything
that is kept.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from bridge_port.program.program import Program
from bridge_port.program.symbols import Scope
from bridge_port.syntax import statements as s
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.units import Unit, every

STOPS = ("stop", "error stop")
#: Subroutines of compilers that end the run.
EXITS = ("exit", "abort")
_LEAVES = (s.Return, s.Exit, s.Cycle, s.Goto, s.ComputedGoto, s.ArithmeticIf)


def stops_as_status(
    sources: Iterable[tuple[Program, Sequence[Unit]]], names: Collection[str] = ()
) -> None:
    """In the statements of programs and units of them. names: subroutines of a source that is not
    given, which end the run."""
    ending: set[int] = set()
    sources = list(sources)
    units = [(unit, p.scope(unit)) for p, some in sources for unit in every(some)]
    again = True
    while again:  # a procedure that always stops makes its callers' calls stops
        again = False
        for unit, scope in units:
            for body in bodies(unit.body):
                _stops(scope, body, ending, names)
            if id(unit) not in ending and always(unit):
                ending.add(id(unit))
                again = True
    for program, _ in sources:
        program.reopened()


def bodies(body: list[s.Statement]) -> Iterator[list[s.Statement]]:
    yield body
    for statement in body:
        for inner in statement.bodies():
            yield from bodies(inner)


def always(unit: Unit) -> bool:
    """Whether each call of a subroutine ends the run, as far as its stops are known."""
    if unit.kind != "subroutine":
        return False
    first = next((one for one in unit.body if not isinstance(one, s.Continue)), None)
    return isinstance(first, s.Stop)


def _stops(
    scope: Scope, body: list[s.Statement], ending: set[int], names: Collection[str]
) -> None:
    for at, statement in enumerate(body):
        text = _ends(scope, statement, ending, names)
        if text:
            body[at] = s.Stop(statement.place, statement.label, statement.comments, text=text)
            _straight(body, at)


def _ends(scope: Scope, one: s.Statement, ending: set[int], names: Collection[str]) -> str:
    """The text of a statement that ends the run, "" of another one."""
    if isinstance(one, s.Unread) and one.construct in STOPS:
        return re.sub(r"\s+", " ", one.text)
    if not isinstance(one, s.Call) or not isinstance(one.procedure, Name):
        return ""
    name = one.procedure.id
    unit = scope.as_written(name)
    if id(unit) in ending if unit is not None else name in (*EXITS, *names):
        return f"call {name}"
    return ""


def _straight(body: list[s.Statement], stop: int) -> None:
    """What comes to the stop at this place and nowhere else has nothing to do."""
    for at in range(stop - 1, -1, -1):
        one = body[at]
        inside = list(s.walk([one]))
        if any(isinstance(x, (*_LEAVES, s.Stop)) for x in inside):
            return
        body[at] = s.Continue(one.place, one.label, one.comments)
