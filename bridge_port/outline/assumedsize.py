"""Arrays of assumed size, `x(*)`, in a nest: their end is where its loops end.

No declaration says how much memory there is, so what all points touch in any case is bound and no
more. What a point touches under a condition has to lie within that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge_port.outline.accesses import Accesses
from bridge_port.outline.calls import Effects
from bridge_port.outline.setting import Setting
from bridge_port.outline.uses import Uses
from bridge_port.program.symbols import Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.syntax.expressions import Binary, Expression
from bridge_port.syntax.rewriting import targets
from bridge_port.syntax.statements import (
    Arm,
    Assignment,
    Call,
    Cycle,
    Do,
    Exit,
    If,
    Return,
    Statement,
    walk,
)


def has_no_end(symbol: Symbol | None) -> bool:
    """Whether the last extent of an array is `*`."""
    last = symbol.dimensions[-1] if symbol is not None and symbol.dimensions else None
    return last is not None and last.upper is None and not last.deferred


def check_ends(
    setting: Setting,
    effects: Effects,
    uses: Uses,
    body: Sequence[Statement],
    points: tuple[Do, ...],
) -> None:
    """Of one leaf. Refused where memory behind the end of an array could be read."""
    for view in setting.views.values():
        if has_no_end(setting.scope.find(view.array)):
            raise _refused(body[0].place, view.array, "elements at no fixed distance are copied")
    for use in dict.fromkeys(one.name for one in uses.arrays.values()):
        if not has_no_end(setting.find(use)):
            continue
        axis = uses.axes.dimensions[use][-1]
        if axis is None:
            raise _refused(body[0].place, use, "it goes over components")
        if axis not in uses.loops:
            continue  # one plane, of which all is touched or nothing
        own = Accesses(setting, effects)
        surely = {
            uses.vector(access)[axis]
            for access in own.of(list(_always(setting, body)), points)
            if access.array == use
        }
        for access in own.of(list(body), points):
            if access.array == use:
                at = uses.vector(access)[axis]
                if not surely or not min(surely) <= at <= max(surely):
                    why = (
                        "an element that a point touches under a condition may lie behind its end"
                    )
                    raise _refused(access.place, use, why)


def _refused(place: Place, array: str, why: str) -> Refused:
    return Refused(
        place, f"array {array}", f"its last extent is not declared (*), and {why}", "declare it"
    )


def _always(setting: Setting, body: Sequence[Statement]) -> Iterator[Statement]:
    """Statements that every point runs, and conditions that every point asks for."""
    leaving = (Return, Cycle, Exit)
    if targets(body) or any(isinstance(s, leaving) for s in walk(body)):
        return
    for s in body:
        if isinstance(s, Do) and s.first is not None and s.last is not None:
            rounds = (setting.affine(s.last) - setting.affine(s.first)).constant
            if rounds is not None and rounds >= 0 and s.step is None:
                yield from _always(setting, s.body)
        elif isinstance(s, Assignment | Call):
            yield s
        elif isinstance(s, If) and s.arms[0].condition is not None:
            yield from _asked(s.place, s.arms[0].condition)


def _asked(place: Place, e: Expression) -> Iterator[Statement]:
    """A condition as a statement, without the right side of .and. and .or."""
    while isinstance(e, Binary) and e.operator in (".and.", ".or."):
        e = e.left
    yield If(place, arms=[Arm(e, [], place)])
