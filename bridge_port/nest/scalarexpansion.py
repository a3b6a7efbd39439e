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

The line is a work array: the loop becomes a sweep. Where statements behind the loop have the
scalar, as after the sum of a row, the line has the indices of the loops around as well, and
`s = s_line(i, max(n, 0))` stands there: without a round that is the first value. This is tried
where a nest is refused because of the scalar, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bridge_port.analysis.affine import Affine
from bridge_port.analysis.effects import Effects
from bridge_port.analysis.exposed import Definition
from bridge_port.analysis.setting import Setting
from bridge_port.program.symbols import LOCAL, Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Apply, Expression, Name
from bridge_port.syntax.rewriting import mentions, names_of
from bridge_port.syntax.statements import (
    ArithmeticIf,
    Arm,
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
    in it, None of what is set before the nest; later: whether statements behind the loop have
    it; around: the loops around this one."""

    body: list[Statement]
    at: int
    first: int | None
    later: bool = False
    around: tuple[Do, ...] = ()

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
    every = [*_find(statements, name)] or [*_from_outside(statements, name)]
    found = next((one for one in every if one.loop.variable in carried.points), None)
    if found is None:
        return False
    if found.first is None and _runs_on(setting, effects, name, around):
        return False
    loop = found.loop
    step = 1 if loop.step is None else setting.affine(loop.step).constant
    if step not in (1, -1) or not _whole(loop):
        return False
    assert loop.first is not None and loop.last is not None
    line = f"{name}_line"
    while line in taken or line in setting.lines:
        line += "_"
    taken.add(line)
    start = setting.affine(loop.first) - Affine(step)
    ends = [start.expression, loop.last]
    low, high = ends if step == 1 else reversed(ends)
    points = [*found.around] if found.later else []
    if any(one.step is not None or one.first is None or one.last is None for one in points):
        return False
    sides = [(one.first, one.last) for one in points]
    setting.symbols[line] = Symbol(
        line, symbol.type, symbol.kind, symbol.scope, symbol.place,
        dimensions=tuple(Dimension(*pair) for pair in (*sides, (low, high))), storage=LOCAL,
    )  # fmt: skip
    setting.lines[line] = name
    _put(found, name, line, start, step)
    return True


def _put(found: _Found, name: str, line: str, start: Affine, step: int) -> None:
    loop = found.loop
    place, variable = loop.place, loop.variable
    own = tuple(Name(one.variable) for one in found.around) if found.later else ()

    def element(at: Expression) -> Apply:
        return Apply(Name(line), (*own, at))

    here = element(Name(variable))
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
    loop.body.insert(0, Assignment(place, target=Name(name), value=element(before)))
    loop.body.append(Assignment(place, target=here, value=Name(name)))
    if found.later:
        assert loop.last is not None
        ends = Apply(Name("max" if step == 1 else "min"), (loop.last, start.expression))
        end = element(ends)
        found.body.insert(found.at + 1, Assignment(place, target=Name(name), value=end))
    if found.first is None:
        found.body.insert(found.at, begin)
    else:
        found.body[found.first] = begin


def _find(
    body: list[Statement], name: str, around: tuple[Do, ...] = (), later: bool = False
) -> Iterator[_Found]:
    """Loops that have the scalar, each behind an assignment of it. later: whether statements
    outside of these have it as well."""
    its = [n for n, s in enumerate(body) if _has(s, name)]
    for n, at in pairwise(its):
        first, loop = body[n], body[at]
        if not isinstance(first, Assignment) or first.target != Name(name) or first.label:
            continue
        if isinstance(loop, Do) and not any(
            mentions(first.value, own) for own in (name, loop.variable)
        ):
            yield _Found(body, at, n, later or len(its) > 2, around)
    later = later or len(its) > 1
    for n in its:
        s = body[n]
        if isinstance(s, Do):
            yield from _find(s.body, name, (*around, s), later)
        for arm in _arms(s, name):
            yield from _find(arm.body, name, around, later or len(_arms(s, name)) > 1)


def _from_outside(body: list[Statement], name: str) -> Iterator[_Found]:
    """The loop that has all of a scalar, which has its first value from outside of the nest."""
    its = [n for n, s in enumerate(body) if _has(s, name)]
    if len(its) != 1:
        return
    if isinstance(body[its[0]], Do):
        yield _Found(body, its[0], None)
    arms = _arms(body[its[0]], name)
    if len(arms) == 1:
        yield from _from_outside(arms[0].body, name)


def _arms(s: Statement, name: str) -> list[Arm]:
    if not isinstance(s, If) or isinstance(s, Where):
        return []
    return [arm for arm in s.arms if any(_has(one, name) for one in arm.body)]


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
