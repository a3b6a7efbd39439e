"""All refusals of a source that can be told in one go.

The statement that is refused first is taken out of the syntax tree, and the rest is tried again.
What is found so counts only where it has nothing to do with what was taken out: a statement that
names a variable to which an earlier one gave its value may be refused for its lack. Nothing of
such a trial is ever written.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

from bridge.errors import BridgeError
from bridge_port.program.program import Program
from bridge_port.refusal import Refusal, Refused
from bridge_port.syntax.expressions import Expression, Name
from bridge_port.syntax.statements import (
    Assignment,
    Continue,
    Do,
    If,
    Select,
    Statement,
    Unread,
    walk,
)
from bridge_port.syntax.units import every

#: Trials of one source, and seconds for all of them.
MOST, SECONDS = 24, 5.0
#: First words of refusals that no value decides.
_WHATEVER = frozenset("subscript function call subroutine complex".split())
#: Constructs that give no variable a value.
_QUIET = frozenset("write print stop close flush rewind backspace endfile format".split())

#: First words of refusals of what the user said.
_SAID = frozenset("as-inout as-input as-output private fixed value initial".split())
#: Constructs of refusals that say where a nest is.
_PLACES = ("lines ", "!$bridge")


def further(program: Program, attempt: Callable[[], object], first: Refusal) -> list[Refusal]:
    """Besides the first one that `attempt` gave. The program is as it was afterwards."""
    trial = _Trial(program)
    found: list[Refusal] = []
    until = time.process_time() + SECONDS
    refusal = first
    try:
        for _ in range(MOST):
            if not trial.without(refusal) or time.process_time() > until:
                break
            try:
                attempt()
                break
            except Refused as refused:
                refusal = refused.refusal
            except BridgeError:
                break
            if refusal.construct.startswith(_PLACES):
                break  # the statement that was taken out was all of the nest
            known = {_key(r) for r in (first, *found)}
            if trial.independent(refusal) and _key(refusal) not in known:
                found.append(refusal)
    finally:
        trial.undo()
    return sorted(found, key=lambda r: (r.place.file != first.place.file, r.place))


def _key(r: Refusal) -> tuple[object, ...]:
    """Of a variable that no kernel can have once is enough."""
    of_variable = r.construct.startswith(("character", "complex", "'"))
    return (r.place.file, r.construct) if of_variable else (r.place, r.construct)


class _Trial:
    """lost: names that may lack their value, because what gives it was taken out."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lost: set[str] = set()
        self._changed: list[tuple[list[Statement], list[Statement]]] = []

    def without(self, refusal: Refusal) -> bool:
        """Take the innermost statement of the refusal out, its own statements stay; False where
        there is none."""
        at = self._at(refusal)
        if at is None:
            return False
        body, n = at
        statement = body[n]
        if isinstance(statement, Do):
            return False  # all inside would mean something else
        self.lost |= _given(statement)
        self._changed.append((body, list(body)))
        inside = [s for part in statement.bodies() for s in part]
        body[n : n + 1] = [Continue(statement.place, statement.label), *inside]
        self.program.reopened()
        return True

    def independent(self, refusal: Refusal) -> bool:
        at = self._at(refusal)
        if refusal.construct.split()[0] in _SAID:
            return False  # what was taken out may have named it
        if at is None:
            return self.lost.isdisjoint(_words(refusal.construct + " " + refusal.why))
        statement = at[0][at[1]]
        if isinstance(statement, Unread) or refusal.construct.split()[0] in _WHATEVER:
            return True
        if isinstance(statement, Do):
            return not self.lost  # what a loop does depends on all inside
        # The construct as well: the refusal may be of the condition around the statement.
        return self.lost.isdisjoint(_named(statement) | _words(refusal.construct))

    def undo(self) -> None:
        for body, before in reversed(self._changed):
            body[:] = before
        self.program.reopened()

    def _at(self, refusal: Refusal) -> tuple[list[Statement], int] | None:
        found = None
        for body in self._bodies():
            for n, s in enumerate(body):
                if s.place.file != refusal.place.file or isinstance(s, Continue):
                    continue
                heads = [s.place.line, *(arm.place.line for arm in _arms(s))]
                if refusal.place.line in heads:
                    found = body, n  # what is inside comes later
        return found

    def _bodies(self) -> Iterator[list[Statement]]:
        for unit in every(self.program.units):
            yield unit.body
            for s in walk(unit.body):
                yield from s.bodies()


def _arms(s: Statement) -> list:  # type: ignore[type-arg]
    return [*s.arms] if isinstance(s, If) else [*s.cases] if isinstance(s, Select) else []


def _given(s: Statement) -> set[str]:
    """Names to which a statement may give a value; those inside of it stay."""
    if isinstance(s, Assignment):
        return _names(s.target)
    if isinstance(s, Unread):
        return set() if s.construct in _QUIET else _words(s.text)
    return set() if isinstance(s, If | Select) else _named(s)


def _named(s: Statement) -> set[str]:
    return {name for e in s.expressions() for name in _names(e)}


def _names(e: Expression) -> set[str]:
    return {part.id for part in e.walk() if isinstance(part, Name)}


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]\w*", text.lower()))
