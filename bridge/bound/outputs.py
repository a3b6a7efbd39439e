"""Which memory a run may write: no output lies where another one, or an input, does.

Beside PointSet, whose arrays a run is about to read and write.
"""

from __future__ import annotations

from collections.abc import Mapping

from bridge.backends.base import Binding
from bridge.bound.blockoverlap import same_elements, share_elements, shared_within, surroundings
from bridge.bound.boxes import Triple
from bridge.bound.pointsets import PointSet
from bridge.errors import ArgumentError
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan
from bridge.plan.stages import reach


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
            raise ArgumentError(
                name,
                f"elements that blocks {pair[0]} and {pair[1]} of set '{point_set.name}' share, "
                f"which {plan.name} writes",
                "blocks with elements of their own",
            )
        for other, theirs in earlier.items():
            if share_elements(binding, theirs):
                raise ArgumentError(
                    name,
                    f"elements of '{other}', which {plan.name} on set '{point_set.name}' writes "
                    "as well",
                    "an array, or components of one, for each output",
                )
        earlier[name] = binding
        for other, slot in plan.inputs.items():
            theirs = inputs[other]
            exact = same_elements(binding, theirs)
            if other == name and exact:
                continue  # stages see to it that old values are read before
            if share_elements(binding, theirs) and (staged or not exact):
                raise ArgumentError(
                    name,
                    f"elements of {point_set.bound_as(other)}, which {plan.name} on set "
                    f"'{point_set.name}' reads",
                    "elements of its own"
                    + ("" if staged else ", or each point and component exactly in place of "
                       "that input's"),
                )  # fmt: skip
            for where, around in surroundings(theirs, reached.get(slot, Fringe())):
                if share_elements(binding, around):
                    raise ArgumentError(
                        name,
                        f"elements of {point_set.bound_as(other)}, which {plan.name} on set "
                        f"'{point_set.name}' reads around its points, {where}",
                        "elements that no other point reads",
                    )
