"""Scalars that a round of one loop leaves for the next one: kept in a line along that loop.

    s = 0                          do k = 0, 0
    do k = 1, n                      s_line(k) = 0
      s = 0.5*s + a(k)             end do
      b(k) = s              ->     do k = 1, n
    end do                           s = s_line(k - 1)
                                     s = 0.5*s + a(k)
                                     b(k) = s
                                     s_line(k) = s
                                   end do

The line is a work array: the loop becomes a sweep. This is tried where a nest is refused because
of the scalar, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bridge_port.analysis.affine import Affine
from bridge_port.analysis.effects import Effects
from bridge_port.analysis.exposed import Definition
from bridge_port.analysis.setting import Setting
from bridge_port.program.symbols import LOCAL, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Apply, Name
from bridge_port.syntax.rewriting import mentions, names_of
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Assignment,
    ComputedGoto,
    Cycle,
    Do,
    Exit,
    Goto,
    If,
    Return,
    Statement,
    Where,
    walk,
)
from bridge_port.syntax.units import Dimension


class Carried(Refused):
    """A scalar that carries a value from point to point. points: variables of the loops."""

    def __init__(
        self, place: Place, name: str, points: frozenset[str], why: str, change: str
    ) -> None:
        super().__init__(place, f"scalar {name}", why, change)
        self.name, self.points = name, points


@dataclass
class _Found:
    """body: that has the loop; at, first: where the loop and what sets the scalar before it stand
    in it, None of what is set before the nest."""

    body: list[Statement]
    at: int
    first: int | None

    @property
    def loop(self) -> Do:
        found = self.body[self.at]
        assert isinstance(found, Do)
        return found


def put_line(
    setting: Setting, effects: Effects, statements: list[Statement], carried: Carried,
    around: Sequence[Statement], taken: set[str],
) -> bool:  # fmt: skip
    """Whether the statements keep the scalar in a line now. around: what the nest stands in;
    taken: names that the line cannot have. What reads its last value is asked later."""
    name = carried.name
    symbol = setting.find(name)
    if symbol is None or symbol.storage != LOCAL or symbol.dimensions is not None:
        return False
    if symbol.type not in ("real", "integer", "logical"):
        return False
    if any(name in effects.hidden(s) for s in walk(statements)):
        return False
    found = _find(statements, name, True)
    if found is None or found.loop.variable not in carried.points:
        return False
    if found.first is None and _runs_on(setting, effects, name, around):
        return False
    loop = found.loop
    step = 1 if loop.step is None else setting.affine(loop.step).constant
    if step not in (1, -1) or not _whole(loop):
        return False
    assert loop.first is not None and loop.last is not None
    line = f"{name}_line"
    while line in taken:
        line += "_"
    taken.add(line)
    start = setting.affine(loop.first) - Affine(step)
    ends = [start.expression, loop.last]
    low, high = ends if step == 1 else reversed(ends)
    setting.symbols[line] = Symbol(
        line, symbol.type, symbol.kind, symbol.scope, symbol.place,
        dimensions=(Dimension(low, high),), storage=LOCAL,
    )  # fmt: skip
    setting.lines[line] = name
    _put(found, name, line, start, step)
    return True


def _put(found: _Found, name: str, line: str, start: Affine, step: int) -> None:
    loop = found.loop
    place, variable = loop.place, loop.variable
    here = Apply(Name(line), (Name(variable),))
    before = (Affine(0, ((Name(variable), 1),)) - Affine(step)).expression
    first = found.body[found.first] if found.first is not None else None
    value = first.value if isinstance(first, Assignment) else Name(name)
    set_at = place if first is None else first.place
    begin = Do(
        set_at,
        body=[Assignment(set_at, target=here, value=value)],
        variable=variable,
        first=start.expression,
        last=start.expression,
    )
    loop.body.insert(0, Assignment(place, target=Name(name), value=Apply(Name(line), (before,))))
    loop.body.append(Assignment(place, target=here, value=Name(name)))
    if found.first is None:
        found.body.insert(found.at, begin)
    else:
        found.body[found.first] = begin


def _find(body: list[Statement], name: str, top: bool) -> _Found | None:
    """The loop that has all of the scalar but for one assignment before it. top: what the scalar
    has before these statements it has from outside of the nest."""
    its = [n for n, s in enumerate(body) if _has(s, name)]
    if not its or len(its) > 2:
        return None
    last = body[its[-1]]
    if len(its) == 2:
        first = body[its[0]]
        if not isinstance(first, Assignment) or first.target != Name(name) or first.label:
            return None
        if not isinstance(last, Do) or any(
            mentions(first.value, own) for own in (name, last.variable)
        ):
            return None
        return _Found(body, its[-1], its[0])
    if isinstance(last, If) and not isinstance(last, Where):
        arms = [arm for arm in last.arms if any(_has(s, name) for s in arm.body)]
        return _find(arms[0].body, name, top) if len(arms) == 1 else None
    if not isinstance(last, Do):
        return None
    inside = _find(last.body, name, False)
    if inside is not None:
        return inside
    return _Found(body, its[-1], None) if top else None


def _runs_on(setting: Setting, effects: Effects, name: str, around: Sequence[Statement]) -> bool:
    """Whether the nest may have the value that it left when it ran before."""
    rounds = [one for one in around if isinstance(one, Do)]
    if not rounds:
        return False
    return Definition(setting, effects, name, rounds[-1].body).exposed is not None


def _has(s: Statement, name: str) -> bool:
    return any(name in names_of(one) for one in walk([s]))


def _whole(loop: Do) -> bool:
    """Whether each of its rounds runs to the end."""
    away = (Cycle, Exit, Goto, ComputedGoto, ArithmeticIf, Return)
    labels = loop.label or any(s.label for s in walk(loop.body))
    return not loop.concurrent and not labels and not any(
        isinstance(s, away) for s in walk(loop.body)
    )  # fmt: skip
