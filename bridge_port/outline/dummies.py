"""Dummies in the place of elements of arrays of points, in the body of a leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bridge_port.outline.accesses import Access
from bridge_port.outline.leaves import Leaf
from bridge_port.outline.nest import Nest
from bridge_port.outline.uses import Uses, components_of
from bridge_port.refusal import Place, Refused
from bridge_port.semantic.intrinsics import INQUIRY, is_a
from bridge_port.syntax.expressions import Apply, Expression, Keyword, Name, Section
from bridge_port.syntax.rewriting import replaced, rewrite_own
from bridge_port.syntax.statements import Call, Statement, walk


class Dummies:
    """variables: of the loops over points, and their axes; positions: those of them that the body
    reads."""

    def __init__(self, nest: Nest, leaf: Leaf, uses: Uses, variables: Mapping[str, int]) -> None:
        self.nest, self.uses, self.variables = nest, uses, variables
        self.setting, self.effects, self.axes = nest.setting, nest.effects, nest.axes
        self.points = leaf.points
        self.positions: dict[str, int] = {}

    def rewrite(self, body: Sequence[Statement]) -> None:
        for s in walk(body):
            if isinstance(s, Call):
                s.arguments = tuple(
                    self._passed(a, self.effects.of(s, n).rank, s.place)
                    if self._field(a)
                    else self._put(a, s.place)
                    for n, a in enumerate(s.arguments)
                )
            else:
                rewrite_own(s, lambda e, at=s.place: self._put(e, at))  # type: ignore[misc]

    def _field(self, e: Expression) -> bool:
        if isinstance(e, Keyword):
            return self._field(e.value)
        base = e.whole
        return isinstance(base, Name) and self.nest.is_field(base.id)

    def _put(self, e: Expression, place: Place) -> Expression:
        def put(one: Expression) -> Expression | None:
            if isinstance(one, Name) and one.id in self.variables:
                self.positions[one.id] = self.variables[one.id]
                return one
            if not isinstance(one, Apply) or not isinstance(one.base, Name):
                return None
            name = one.base.id
            if self.nest.is_field(name):
                return self._element(one, place)
            if not self.setting.is_array(name):
                return self._function(one, name, place)
            return None

        return replaced(e, put)

    def _function(self, e: Apply, name: str, place: Place) -> Expression | None:
        if is_a(name, INQUIRY):
            if any(self._field(a) for a in e.arguments):
                raise Refused(
                    place,
                    f"function {name}",
                    "of an array of points",
                    "set a scalar before the loops",
                )
            return e
        unit = self.setting.callee(name)
        if unit is None or not any(self._field(a) for a in e.arguments):
            return None
        ranks = [self.effects.on(unit, dummy).rank for dummy in unit.arguments]
        return Apply(
            e.base,
            tuple(
                self._passed(a, ranks[n], place)
                if self._field(a) and n < len(ranks)
                else self._put(a, place)
                for n, a in enumerate(e.arguments)
            ),
        )

    def _element(self, e: Apply, place: Place) -> Expression:
        dummy, components = self._dummy(e, place)
        return (
            Apply(Name(dummy), tuple(self._put(c, place) for c in components))
            if components
            else Name(dummy)
        )

    def _dummy(self, e: Apply, place: Place) -> tuple[str, list[Expression]]:
        assert isinstance(e.base, Name)
        array = e.base.id
        vector = self.uses.vector(Access(array, e, True, False, place, self.points))
        return self.uses.dummies[array, vector], components_of(e, self.axes.dimensions[array])

    def _passed(self, e: Expression, rank: int, place: Place) -> Expression:
        """An argument: the element, a section of its components, or where a sequence begins."""
        if isinstance(e, Keyword):
            return Keyword(e.name, self._passed(e.value, rank, place))
        if not isinstance(e, Apply) or not isinstance(e.base, Name):
            raise Refused(
                place, f"array {getattr(e, 'id', '')} as a whole", "a point has one element of it"
            )
        dummy, components = self._dummy(e, place)
        sections = [c for c in components if isinstance(c, Section)]
        if sections and all(c == Section(None, None, None) for c in components):
            return Name(dummy)
        if rank and not sections:
            return self._sequence(e, dummy, components, rank, place)
        return self._element(e, place)

    def _sequence(
        self, e: Apply, dummy: str, components: Sequence[Expression], rank: int, place: Place
    ) -> Expression:
        """q(1, i, j, k) where the dummy is an array: all components, which stand in front."""
        assert isinstance(e.base, Name)
        array = e.base.id
        axes = self.axes.dimensions[array]
        bounds = self.setting.bounds(self.setting.variable(array, place))[:rank]
        front = all(axis is None for axis in axes[:rank]) and len(components) >= rank
        if not front or any(
            self.setting.affine(c) != low
            for c, (low, _) in zip(components[:rank], bounds, strict=True)
        ):
            raise Refused(
                place,
                f"argument {array}",
                "the sequence that begins at this element goes along points",
                "pass a section of the components",
            )
        if len(components) == rank:
            return Name(dummy)
        whole = (Section(None, None, None),) * rank
        rest = tuple(self._put(c, place) for c in components[rank:])
        return Apply(Name(dummy), (*whole, *rest))
