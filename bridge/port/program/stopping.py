"""Statements that end the run or write, where the user says what a kernel does instead.

`--errors status`: a point that comes to stop, error stop, or a call that ends the run, gets a
status and leaves. What stands before it in the same block and goes straight there (messages) has
no effect on anything that is kept. `--drop-output`: statements that only write are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.port.program.scopes import Scope
from bridge.port.refusal import Place
from bridge.port.syntax import statements as s
from bridge.port.syntax.expressions import Name
from bridge.port.syntax.units import Unit, every

if TYPE_CHECKING:
    from bridge.port.program.program import Program

STOPS = ("stop", "error stop")
#: Subroutines of compilers that end the run.
EXITS = ("exit", "abort")
WRITES = ("write", "print", "flush")
_LEAVES = (s.Return, s.Exit, s.Cycle, s.Goto, s.ComputedGoto, s.ArithmeticIf)


def stops_as_status(program: Program, names: Collection[str] = ()) -> None:
    """In the statements of a program. names: subroutines of a source that is not given, which end
    the run."""
    ending: set[int] = set()
    units = list(every(program.units))
    again = True
    while again:  # a procedure that always stops makes its callers' calls stops
        again = False
        for unit in units:
            scope = program.scope(unit)
            for body in bodies(unit.body):
                _stops(scope, body, ending, names)
            if id(unit) not in ending and _always(unit):
                ending.add(id(unit))
                again = True
    program.reopened()


def bodies(body: list[s.Statement]) -> Iterator[list[s.Statement]]:
    yield body
    for statement in body:
        for inner in statement.bodies():
            yield from bodies(inner)


def _always(unit: Unit) -> bool:
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
    unit = scope.procedure(name)
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


def without_output(program: Program) -> list[tuple[Place, str]]:
    """Lines that only write are taken out: which. One that gives a variable a value (a text, a
    status) or calls a function of the program stays, and is refused where it matters."""
    found: list[tuple[Place, str]] = []
    for unit in every(program.units):
        scope = program.scope(unit)
        dropped = False
        for body in bodies(unit.body):
            for at, one in enumerate(body):
                if (
                    isinstance(one, s.Unread)
                    and one.construct in WRITES
                    and _only(scope, one.text)
                ):
                    body[at] = s.Continue(one.place, one.label, one.comments)
                    found.append((one.place, re.sub(r"\s+", " ", one.text)))
                    dropped = True
        if dropped:
            _without_formats(unit)
    program.reopened()
    return found


def _without_formats(unit: Unit) -> None:
    for body in bodies(unit.body):
        for at, one in enumerate(body):
            if isinstance(one, s.Unread) and one.construct == "format":
                body[at] = s.Continue(one.place, "", one.comments)


def _only(scope: Scope, text: str) -> bool:
    """Whether a statement writes to a file or the terminal, and does nothing else."""
    plain = re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "''", text)
    if re.search(r"\b(iostat|iomsg|err|id|size|pos|rec|end|eor)\s*=", plain):
        return False
    unit = re.match(r"(?:write|flush)\s*\(?\s*(?:unit\s*=\s*)?([\w*]+)", plain)
    if unit is not None and unit[1].isidentifier():
        symbol = scope.find(unit[1])
        if symbol is None or symbol.type != "integer" or symbol.dimensions is not None:
            return unit[1] in ("output_unit", "error_unit")
    for name in re.findall(r"\b([a-z]\w*)\s*\(", plain):
        if scope.procedure(name) is not None:
            return False
    return "%" not in plain or not re.search(r"%\s*\w+\s*\(", plain)


def told(found: Iterable[tuple[Place, str]], files: Collection[str]) -> list[str]:
    """A note for each line of these files."""
    return [
        f"{Path(place.file).name}:{place.line} is left out: {text[:60]}"
        for place, text in found
        if place.file in files
    ]
