"""Who reads what a nest leaves in a variable: statements behind it, or before it in loops around,
procedures inside of the unit, and the unit around for its variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.analysis.effects import Effect, Effects
from bridge_port.analysis.exposed import Definition
from bridge_port.analysis.region import Region
from bridge_port.analysis.setting import Setting
from bridge_port.program.symbols import LOCAL, RESULT
from bridge_port.refusal import Refused
from bridge_port.syntax.statements import ArithmeticIf, Call, ComputedGoto, Goto, Statement, walk


class _Behind(Effects):
    """Of calls behind the nest. Where their source is not known they read what they are given,
    and need not give it a value."""

    def of(self, call: Call, number: int) -> Effect:
        try:
            return super().of(call, number)
        except Refused:
            return Effect(reads=True, writes=True)


def read_afterwards(setting: Setting, effects: Effects, found: Region) -> set[str]:
    """Names that the nest gives a value and that are read before they get another one."""
    written = effects.written(found.statements)
    seen = {name for name in written if _is_of_host(setting, name)}
    behind = _Behind(setting, effects.follow)
    for statements in (found.later, *_jumped_to(setting.unit.body, found.statements)):
        for name in written & _mentioned(effects, statements) - seen:
            if Definition(setting, behind, name, statements).exposed is not None:
                seen.add(name)
    return seen


def _is_of_host(setting: Setting, name: str) -> bool:
    """Whether it is a variable of the procedure or the program around the unit."""
    symbol = setting.scope.find(name)
    if symbol is None or symbol.scope.unit is setting.scope.unit:
        return False
    return symbol.storage in (LOCAL, RESULT)


def _mentioned(effects: Effects, statements: Sequence[Statement]) -> set[str]:
    found: set[str] = set()
    for s in walk(statements):
        found |= {name for e in s.expressions() for name in e.names}
        found |= effects.hidden(s)
    return found


def _jumped_to(
    body: Sequence[Statement], nest: Sequence[Statement]
) -> Iterator[Sequence[Statement]]:
    """What follows each label in front of the nest, or on it, that a jump behind it goes to."""
    every = list(walk(body))
    start = next((n for n, s in enumerate(every) if s is nest[0]), 0)
    jumped = {label for s in every[start:] for label in _labels(s)}
    for at, s in enumerate(body):
        inside = {id(one) for one in walk([s])}
        labels = {one.label for one in every[: start + 1] if id(one) in inside and one.label}
        if labels & jumped:
            yield body[at:]


def _labels(s: Statement) -> Iterator[str]:
    if isinstance(s, Goto):
        yield s.target
    elif isinstance(s, ComputedGoto | ArithmeticIf):
        yield from s.targets
