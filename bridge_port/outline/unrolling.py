"""Loops over neighbours written out: `do n = j, j + 1` becomes its two rounds, and so does
`do s = 1, 4` around `q(i + s - 3)`."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from bridge_port.outline.affine import Affine
from bridge_port.outline.calls import Effects
from bridge_port.outline.setting import Setting
from bridge_port.syntax.expressions import Apply, Expression, Name
from bridge_port.syntax.rewriting import mentions, rewrite, with_names
from bridge_port.syntax.statements import (
    ArithmeticIf,
    ComputedGoto,
    Cycle,
    Do,
    Exit,
    Goto,
    Statement,
    walk,
)

#: Rounds of such a loop.
MOST = 8


def unroll(
    statements: list[Statement], setting: Setting, effects: Effects, seen_later: set[str]
) -> None:
    """Loops whose first and last round move with an index around them, a few rounds apart, or
    whose variable is added to such an index in a subscript. It is read nowhere else."""
    loops = [s for s in walk(statements) if isinstance(s, Do)]
    added = _added(statements, setting, ())
    for loop in reversed(loops):
        rounds = _rounds(loop, setting, id(loop) in added)
        if not rounds or loop.variable in seen_later or not _simple(loop, effects):
            continue
        alike = [one for one in walk(statements) if isinstance(one, Do)]
        alike = [one for one in alike if one.variable == loop.variable]
        inside = {id(s) for one in alike for s in walk(one.body)}
        others = [s for s in walk(statements) if id(s) not in inside]
        if any(_has(s, loop.variable) for s in others if s is not loop):
            continue
        _replace(statements, loop, [one for r in rounds for one in _round(loop, r)])


def _added(body: Sequence[Statement], setting: Setting, around: tuple[Do, ...]) -> set[int]:
    """Identities of loops whose variable stands in a subscript with that of a loop around."""
    found: set[int] = set()
    for s in body:
        for x in s.expressions():
            for e in x.walk():
                if not isinstance(e, Apply) or not isinstance(e.base, Name):
                    continue
                if setting.is_array(e.base.id):
                    for subscript in e.arguments:
                        found |= _together(setting.affine(subscript), around)
        inner = (*around, s) if isinstance(s, Do) and s.variable else around
        for one in s.bodies():
            found |= _added(one, setting, inner)
    return found


def _together(place: Affine, around: tuple[Do, ...]) -> set[int]:
    used = [loop for loop in around if abs(place.factor(loop.variable)) == 1]
    return {id(loop) for n, loop in enumerate(used) if n}


def _rounds(loop: Do, setting: Setting, added: bool) -> list[Expression]:
    """Values of the variable; [] of another loop."""
    if not loop.variable or loop.first is None or loop.last is None:
        return []
    if loop.step is not None and setting.affine(loop.step).constant != 1:
        return []
    first, last = setting.affine(loop.first), setting.affine(loop.last)
    number = (last - first).constant
    moves = first.constant is None or added
    if not moves or number is None or not 0 <= number < MOST:
        return []
    return [(first + Affine(n)).expression for n in range(number + 1)]


def _simple(loop: Do, effects: Effects) -> bool:
    moving = (Cycle, Exit, Goto, ComputedGoto, ArithmeticIf)
    if any(isinstance(s, moving) or s.label for s in walk(loop.body)):
        return False
    # What its bounds are made of stays as it is in all rounds.
    changed = effects.written(loop.body)
    bounds = [e for e in (loop.first, loop.last) if e is not None]
    return loop.variable not in changed and not any(
        mentions(e, name) for e in bounds for name in (*changed, loop.variable)
    )


def _has(s: Statement, name: str) -> bool:
    if isinstance(s, Do) and s.variable == name:
        return False  # a loop of its own
    return any(mentions(e, name) for e in s.expressions())


def _round(loop: Do, value: Expression) -> Sequence[Statement]:
    body = copy.deepcopy(loop.body)
    rewrite(body, lambda e, s: with_names(e, {loop.variable: value}))
    return body


def _replace(body: list[Statement], old: Statement, new: Sequence[Statement]) -> bool:
    for n, s in enumerate(body):
        if s is old:
            body[n : n + 1] = new
            return True
        if any(_replace(inner, old, new) for inner in s.bodies()):
            return True
    return False
