"""Which order the points of a leaf need: a recurrence goes along one axis, one way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridge.plan.fringe import AXES
from bridge_port.outline.accesses import Access
from bridge_port.outline.axes import Axes
from bridge_port.outline.setting import Setting
from bridge_port.outline.views import Irregular
from bridge_port.refusal import Place
from bridge_port.syntax.expressions import Name
from bridge_port.syntax.statements import Do

Vector = tuple[int, int, int]


@dataclass
class Conflict:
    """An array that is written at the point and read at offset, there first by access."""

    array: str
    offset: Vector
    written: Place
    read: Place
    access: Access


class Recurrences:
    """Of one leaf. loops: over points, by their axes; conflicts: what is read around what is
    written."""

    def __init__(self, axes: Axes, loops: Mapping[int, Do], conflicts: Sequence[Conflict]) -> None:
        self.axes, self.loops, self.conflicts = axes, loops, conflicts

    def sweep(self, components: Sequence[Do], accesses: Sequence[Access]) -> str:
        """ "" or "x+" ... "z-", along which each point reads what those behind it have written."""
        found = ""
        for conflict in self.conflicts:
            one = self._sweep_of(conflict)
            if found and one != found:
                raise self._recurrence(conflict, f"another recurrence goes along {found}")
            found = one
            self._check_components(conflict, components, accesses)
        return found

    def _sweep_of(self, conflict: Conflict) -> str:
        along = [axis for axis in range(3) if conflict.offset[axis]]
        if len(along) > 1 or along[0] not in self.loops:
            raise self._recurrence(conflict, "the points of other lines are read too")
        axis = along[0]
        forwards = way(self.axes.setting, self.loops[axis]) > 0
        if (conflict.offset[axis] < 0) != forwards:
            raise self._recurrence(
                conflict,
                "old values ahead of the point are read",
                "read them from a copy of the array",
            )
        return AXES[axis] + ("+" if forwards else "-")

    def _recurrence(self, conflict: Conflict, why: str, change: str = "") -> Irregular:
        return Irregular(
            conflict.access,
            frozenset(self.axes.loops),
            f"array {conflict.array}",
            f"it is read at {spoken(conflict.offset)} here and written in line "
            f"{conflict.written.line}: {why}",
            change or "a recurrence goes along one axis, against points behind",
        )

    def _check_components(
        self, conflict: Conflict, components: Sequence[Do], accesses: Sequence[Access]
    ) -> None:
        """A loop over components around a recurrence may go inside of it where each component
        has a recurrence of its own."""
        its = [a for a in accesses if a.array == conflict.array and a.subscripts is not None]
        for loop in components:
            if not alike(loop.variable, its):
                raise self._recurrence(
                    conflict,
                    f"the loop over {loop.variable} around it mixes components",
                    "put it inside of the loops over points",
                )


def way(setting: Setting, loop: Do) -> int:
    """1 of a loop forwards, -1 backwards."""
    step = 1 if loop.step is None else setting.affine(loop.step).constant
    return -1 if step == -1 else 1


def alike(variable: str, accesses: Sequence[Access]) -> bool:
    """Whether all subscript one dimension by the variable alone: iterations share no element."""
    if not accesses:
        return True
    dims = [{n for n, e in enumerate(a.subscripts or ()) if e == Name(variable)} for a in accesses]
    return bool(set.intersection(*dims))


def spoken(vector: Vector) -> str:
    return f"({', '.join(map(str, vector))})"
