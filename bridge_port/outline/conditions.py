"""What has been written where a condition held, for the next `if` that asks the same.

if (x < 0.1) then              y is written in any case where x < 0.1: the second if may read
  y = 2*x                      it, as long as nothing that the condition names has changed.
end if
if (x < 0.1) z = y
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bridge_port.outline.calls import Effects
from bridge_port.outline.cover import Cover, Values
from bridge_port.outline.setting import Setting
from bridge_port.program.symbols import DUMMY, LOCAL, PARAMETER
from bridge_port.syntax.expressions import Apply, Component, Expression, Name
from bridge_port.syntax.statements import (
    Assignment,
    Call,
    Continue,
    Cycle,
    Do,
    Exit,
    Goto,
    If,
    Return,
    Select,
    Statement,
    walk,
)

#: The conditions of an if up to one arm, None of else.
Arms = tuple[Expression | None, ...]
#: Functions that a condition may call.
FUNCTIONS = frozenset({"abs", "max", "min", "mod", "modulo", "real", "dble", "int", "nint"})
#: Statements of which all is known that they change.
FOLLOWED = (Assignment, If, Do, Select, Continue, Cycle, Exit, Goto, Return)


@dataclass
class Conditions:
    """known: of the arms of an if, what each end of them has written."""

    setting: Setting
    effects: Effects
    known: dict[Arms, Cover] = field(default_factory=dict)

    def begin(self, arms: Arms, cover: Cover, values: Values) -> Cover:
        """What is written at the beginning of such an arm."""
        before = self.known.get(arms)
        for piece in before.pieces if before is not None else ():
            cover = cover.plus(piece, values)
        return cover

    def end(self, arms: Arms, body: Sequence[Statement], cover: Cover) -> None:
        """Where the arm ends, which has not changed what its conditions name."""
        if cover.pieces and not cover.everything and self._stays(arms):
            names = {name for e in arms if e is not None for name in e.names}
            if not names & self.effects.written(body) and not self._calls(body):
                self.known[arms] = cover

    def forget(self, body: Sequence[Statement]) -> None:
        """What these statements may change."""
        if not self.known:
            return
        if self._calls(body) or not all(isinstance(s, FOLLOWED) for s in walk(body)):
            self.known.clear()
        written = self.effects.written(body)
        for arms in list(self.known):
            if any(e is not None and e.names & written for e in arms):
                del self.known[arms]

    def forget_asked(self, s: Statement) -> None:
        """What the expressions of a statement itself may change."""
        if self._has_function(s):
            self.known.clear()

    def _calls(self, body: Sequence[Statement]) -> bool:
        return any(isinstance(s, Call) or self._has_function(s) for s in walk(body))

    def _has_function(self, s: Statement) -> bool:
        return any(self._is_function(e) for x in s.expressions() for e in x.walk())

    def _is_function(self, e: Expression) -> bool:
        if not isinstance(e, Apply) or not isinstance(e.base, Name):
            return False
        name = e.base.id
        return not self.setting.is_array(name) and self.setting.callee(name) is not None

    def _stays(self, arms: Arms) -> bool:
        """Whether the conditions have the same value as long as nothing gives their names one."""
        shared = {
            name
            for group, _ in self.setting.unit.equivalences
            for member in group
            for name in member.names
        }
        return all(
            self._plain(part) and not part.names & shared
            for e in arms
            if e is not None
            for part in e.walk()
        )

    def _plain(self, e: Expression) -> bool:
        if isinstance(e, Component):
            return False
        if isinstance(e, Apply):
            return isinstance(e.base, Name) and (
                self.setting.is_array(e.base.id)
                or (e.base.id in FUNCTIONS and not self._is_function(e))
            )
        if not isinstance(e, Name) or e.id in FUNCTIONS:
            return True
        symbol = self.setting.find(e.id)
        return (
            symbol is not None
            and symbol.storage in (LOCAL, DUMMY, PARAMETER)
            and not symbol.attributes & {"pointer", "target", "volatile"}
        )
