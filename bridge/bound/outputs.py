"""Which memory a run may write: no output lies where another one, or an input, does.

Beside PointSet, whose arrays a run is about to read and write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from bridge.backends.base import Binding
from bridge.bound.blockoverlap import same_elements, share_elements, shared_within, surroundings
from bridge.bound.boxes import Part, Triple, hull
from bridge.bound.pointsets import PointSet
from bridge.errors import ArgumentError, InconsistentError
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan
from bridge.plan.stages import reach


def check_parts(
    point_set: PointSet,
    plan: Plan,
    inputs: Mapping[str, Binding],
    outputs: Mapping[str, Binding],
    parts: Sequence[Part],
) -> None:
    """The same for a run on parts of the arrays, one after the other: what one part writes, no
    other part reads."""
    around = hull(parts)
    try:
        _check_part(point_set, plan, inputs, outputs, around, around)
    except ArgumentError:
        if len(parts) == 1 or plan.ordered:
            raise
        for read, written in product(parts, repeat=2):
            _check_part(point_set, plan, inputs, outputs, read, written)


def _check_part(
    point_set: PointSet,
    plan: Plan,
    inputs: Mapping[str, Binding],
    outputs: Mapping[str, Binding],
    read: Part,
    written: Part,
) -> None:
    near = {name: binding.part(*read) for name, binding in inputs.items()}
    far = {name: binding.part(*written) for name, binding in outputs.items()}
    check_memory(point_set, plan, near, far, read[1])


def check_memory(
    point_set: PointSet,
    plan: Plan,
    inputs: Mapping[str, Binding],
    outputs: Mapping[str, Binding],
    extent: Triple | None = None,
) -> None:
    """ArgumentError where an output lies in another one, or in an input otherwise than
    exactly in its place: points of a block are worked on together and blocks at the same
    time, so a point may read and write no elements but its own. extent: points of these
    bindings, of the interior if None."""
    written = {name: outputs[name] for name in plan.outputs}
    reached, staged = reach(plan, extent or point_set.extent())
    earlier: dict[str, Binding] = {}
    for name, binding in written.items():
        pair = shared_within(binding)
        if pair is not None:
            raise InconsistentError(
                name,
                f"{plan.name} writes elements that blocks {pair[0]} and {pair[1]} of set "
                f"'{point_set.name}' share",
                "bind blocks that share no elements",
            )
        for other, theirs in earlier.items():
            if share_elements(binding, theirs):
                raise InconsistentError(
                    name,
                    f"it shares elements with '{other}', and {plan.name} on set "
                    f"'{point_set.name}' writes both",
                    "bind an array, or components of one, for each output",
                )
        earlier[name] = binding
        for other, slot in plan.inputs.items():
            theirs = inputs[other]
            exact = same_elements(binding, theirs)
            if other == name and exact:
                continue  # stages see to it that old values are read before
            at_points = other not in plan.cells_alone
            if at_points and share_elements(binding, theirs) and (staged or not exact):
                in_place = "" if staged else ", or every point and component in that input's place"
                raise InconsistentError(
                    name,
                    f"it shares elements with {point_set.bound_as(other)}, which {plan.name} on "
                    f"set '{point_set.name}' reads",
                    f"bind elements of its own{in_place}",
                )
            for where, around in surroundings(theirs, reached.get(slot, Fringe())):
                if share_elements(binding, around):
                    raise InconsistentError(
                        name,
                        f"it shares elements with {point_set.bound_as(other)}, which "
                        f"{plan.name} on set '{point_set.name}' reads around its points, {where}",
                        "bind elements that no other point reads",
                    )
