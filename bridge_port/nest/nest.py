"""What the parts of an outline share of one nest, and what they ask of its arrays and loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bridge_port.analysis.affine import Affine
from bridge_port.analysis.effects import Effects
from bridge_port.analysis.setting import Setting
from bridge_port.kernel import Temporary
from bridge_port.nest.pointloops import Axes
from bridge_port.program.resolved import Call
from bridge_port.program.symbols import Symbol
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import asks_array
from bridge_port.syntax.expressions import Apply, Expression, Name
from bridge_port.syntax.statements import Do
from bridge_port.syntax.units import Dimension


@dataclass
class Nest:
    """What the leaves of a region share. temporaries: work arrays that became arrays of all
    points; promoted: axes of the dimensions of work arrays that got further ones in front; own:
    work arrays of one element a point; initial: of reductions; seen_later: names whose values
    after the region are read; changed: names that the region gives a value."""

    setting: Setting
    effects: Effects
    axes: Axes
    private: frozenset[str]
    temporaries: dict[str, Temporary] = field(default_factory=dict)
    promoted: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    own: dict[int, frozenset[str]] = field(default_factory=dict)
    initial: dict[tuple[int, str], Expression] = field(default_factory=dict)
    seen_later: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)

    def anew(self) -> Nest:
        """With what is known before any leaf."""
        fresh = Nest(self.setting, self.effects, self.axes, self.private)
        fresh.seen_later, fresh.changed = self.seen_later, self.changed
        return fresh

    def is_field(self, name: str) -> bool:
        return name in self.axes.dimensions


def components(
    setting: Setting, symbol: Symbol, points: Sequence[int], place: Place
) -> tuple[Dimension, ...] | None:
    """Dimensions of an array but those of points, with numbers where they are known; None of a
    scalar."""
    result = []
    for n, (one, (low, high)) in enumerate(
        zip(symbol.dimensions or (), setting.bounds(symbol), strict=True)
    ):
        if n in points:
            continue
        if high is None and (ends := setting.touched.get(symbol.name, {}).get(n)):
            first, last = (Affine(end).expression for end in ends)
            result.append(Dimension(None if ends[0] == 1 else first, last))
            continue
        if high is None:
            raise Refused(
                place,
                f"array {symbol.name}",
                f"the extent of its dimension {n + 1} is not declared, and which of its elements "
                "a point touches is not known",
                "give the integers in its subscripts, and the bounds of the loops over them, with "
                "--value; or declare it with its bounds",
            )
        known = low.constant is not None and high.constant is not None
        if not known and symbol.scope is not setting.scope and symbol.owner:
            raise Refused(
                place,
                f"array {symbol.name}",
                f"the extent of its dimension {n + 1} is no constant of its module",
                f"give the value with --value {asked(high, low)}=N",
            )
        lower = None if low == Affine(1) else low.expression
        result.append(Dimension(lower, high.expression if known else one.upper))
    return tuple(result) or None


def asked(*bounds: Affine) -> str:
    """The first name that bounds are not known of."""
    names = (e.id for b in bounds for t, _ in b.terms for e in t.walk() if isinstance(e, Name))
    return next(names, "NAME")


def check_bounds(setting: Setting, loop: Do, changed: set[str]) -> None:
    """Of a loop over points: the box is known before the first point, and has no gaps."""
    step = 1 if loop.step is None else setting.affine(loop.step).constant
    if step not in (1, -1):
        raise Refused(
            loop.place,
            f"loop over {loop.variable}",
            "its step is not 1 or -1",
            "every second point is a kernel with colours, written by hand",
        )
    for bound in (loop.first, loop.last):
        assert bound is not None
        for e in bound.walk():
            if isinstance(e, Apply) and isinstance(setting.resolve(e), Call):
                raise Refused(
                    loop.place,
                    f"loop over {loop.variable}",
                    f"its bounds call {e.root}, which the generated module cannot",
                    "copy what it gives to a variable before the nest",
                )
        for name in sorted(values_of(bound) & changed):
            raise Refused(
                loop.place,
                f"loop over {loop.variable}",
                f"its bounds depend on {name}, which changes in the nest",
                "a box has the same bounds at every point",
            )


def values_of(e: Expression) -> set[str]:
    """Names whose values an expression has; the size of an array is none of its values."""
    if isinstance(e, Apply) and asks_array(e.reference):
        return {name for a in e.arguments[1:] for name in values_of(a)}
    if isinstance(e, Name):
        return {e.id}
    return {name for part in e.parts() for name in values_of(part)}
