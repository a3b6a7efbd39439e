"""What a run of a set finds: the plan of its bound outputs, and the memory of each quantity.

Between PointSet, which has the arrays, and those that run on them: BoundSets on the caller's,
Comparisons on copies; Recordings reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridge.backends.base import Binding
from bridge.bound.pointsets import PointSet
from bridge.bound.positions import position_bindings
from bridge.errors import ArgumentError
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import MASK
from bridge.plan.plan import Plan
from bridge.plan.plans import Plans
from bridge.tvimpl import TVImpl


@dataclass(frozen=True)
class Matched:
    """inputs: bindings of what the plan reads and more, outputs: of what it writes."""

    plan: Plan
    inputs: dict[str, Binding]
    outputs: dict[str, Binding]

    @property
    def bindings(self) -> dict[str, Binding]:
        return {**self.inputs, **self.outputs}


class Matching:
    """impl: where constants are; layout: the columns of Q; plans: of the composites."""

    def __init__(self, impl: TVImpl, layout: tuple[str, ...], plans: Plans) -> None:
        self._impl = impl
        self._layout = layout
        self._plans = plans

    def of(
        self,
        point_set: PointSet,
        which: Composite | Kernel,
        colour: int | None = None,
        beside: Mapping[str, Binding] | None = None,
    ) -> Matched:
        """Everything is checked but the memory of outputs (`outputs.check_memory`). beside:
        memory of the bridge for outputs that the set does not bind."""
        catalogue = self._impl.catalogue
        self._plans.need_species(which)
        known = {*catalogue.constants, *catalogue.positions}
        inputs, outputs = point_set.match(which, self._layout, self._impl.ns, known)
        inputs |= point_set.constants(self._impl.constants)
        outputs |= beside or {}
        plan = self._plans.of(which, outputs, [*inputs, *catalogue.positions], colour)
        if point_set.points():
            self._impl.need_given(plan, point_set.not_bound(plan))
        mask = point_set.mask()
        if mask is not None:
            plan = plan.masked(MASK)
            inputs[MASK] = mask
        inputs |= position_bindings(plan.inputs, point_set.name, point_set.arrays, point_set.first)
        return Matched(plan, inputs, outputs)


def refuse_short(plan: Plan, name: str, reads: Fringe, binding: Binding) -> None:
    """ArgumentError where an input has not the layers that kernels read around its points."""
    for side, wanted, there in reads.missing(binding.fringe):
        got = f"{there} layers of points {side} for {plan.name}"
        raise ArgumentError(name, got, f"the {wanted} that it reads")
