"""Which loops are over points, and the axis of each and of each dimension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bridge_port.outline.accesses import Access
from bridge_port.outline.affine import Affine
from bridge_port.outline.setting import Setting
from bridge_port.outline.views import FRINGE, GATHER, Irregular
from bridge_port.syntax.expressions import Apply, Name, Section
from bridge_port.syntax.statements import Do
from bridge_port.syntax.text import expression_text

#: Of one subscript: the loop over points and the offset.
Point = tuple[Do, int]


@dataclass
class Axes:
    """loops: axis by identity of the loop; dimensions: of each array that is subscripted by
    points, the axis of each dimension, None for components."""

    setting: Setting
    loops: dict[int, int] = field(default_factory=dict)
    dimensions: dict[str, tuple[int | None, ...]] = field(default_factory=dict)

    def is_point(self, loop: object) -> bool:
        return id(loop) in self.loops

    def point(self, subscript: object, access: Access) -> Point | None:
        """Of a subscript var + c. None where no loop over points is in it; Refused where one is
        in another way."""
        return point_of(self.setting, subscript, access, self.loops)


def point_of(
    setting: Setting, subscript: object, access: Access, loops: Mapping[int, object]
) -> Point | None:
    """See Axes.point."""
    around = {loop.variable: loop for loop in access.loops if id(loop) in loops}
    if isinstance(subscript, Section):
        for part in subscript.parts():
            for e in part.walk():
                if isinstance(e, Name) and e.id in around:
                    raise _refused(access, subscript, loops, f"a section with the index {e.id}")
        return None
    place: Affine = setting.affine(subscript)  # type: ignore[arg-type]
    used = [name for name in around if place.mentions(name)]
    if not used:
        return None
    indirect = [
        t for t, _ in place.terms if isinstance(t, Apply) and not t.names.isdisjoint(around)
    ]
    for term in indirect:
        base = term.base.id if isinstance(term, Apply) and isinstance(term.base, Name) else "?"
        if base in ("mod", "modulo", "merge"):
            raise _refused(
                access,
                subscript,
                loops,
                "an index that wraps around",
                FRINGE,
            )
        raise _refused(
            access,
            subscript,
            loops,
            f"an indirect subscript by {base}",
            GATHER,
        )
    if len(used) > 1:
        raise _refused(
            access,
            subscript,
            loops,
            f"the indices {' and '.join(sorted(used))} in one subscript",
            "declare the array with a dimension for each",
        )
    name = used[0]
    if place.factor(name) != 1:
        why = (
            f"{name} has the factor {place.factor(name)}"
            if place.factor(name)
            else f"{name} is not added"
        )
        raise _refused(access, subscript, loops, why, "var, var + c and var - c are understood")
    rest = place.without(name)
    if rest.constant is None:
        what = expression_text(rest.expression)
        raise _refused(
            access,
            subscript,
            loops,
            f"its distance {what} is not a constant",
            "give the value with --value",
        )
    return around[name], rest.number


def _refused(
    access: Access, subscript: object, loops: Mapping[int, object], why: str, change: str = ""
) -> Irregular:
    text = expression_text(subscript)  # type: ignore[arg-type]
    construct = f"subscript {text} of {access.array}"
    return Irregular(access, frozenset(loops), construct, why, change)
