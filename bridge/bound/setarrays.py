"""BoundArray: one array of a set of points, checked when it is bound.

Below PointSet, which has the arrays of a set by name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bridge.backends.base import Binding, check_types
from bridge.bound.positions import Starts
from bridge.errors import ArgumentError, known_start
from bridge.memory.blockbounds import BlockBounds
from bridge.memory.marshal import Bounds, HostArray
from bridge.plan.inputs import MASK, POSITIONS
from bridge.resident.copies import WholeArray

INTENTS = ("in", "out", "inout")


@dataclass(frozen=True)
class BoundArray:
    """One array of a set: the quantity it stands for, its intent, its memory, all of the array's
    memory (of many blocks from the first one's array to the end of the last one's), the position
    SptX, SptY, SptZ of its first interior point, or of each block's, and whether each component is
    a point of a run."""

    name: str
    intent: str
    binding: Binding
    whole: WholeArray
    start: Starts = (1, 1, 1)
    per_component: bool = False

    @classmethod
    def checked(
        cls,
        name: str,
        intent: str,
        array: HostArray,
        columns: int,
        group: str,
        dtype: str = "float64",
    ) -> BoundArray:
        """Raises ArgumentError for a wrong intent, crossed bounds, width or scale, and where the
        array's elements do not hold a quantity of type `dtype`."""
        if intent not in INTENTS:
            start = known_start(intent, INTENTS)
            raise ArgumentError("intent", repr(intent), f"one of {', '.join(INTENTS)}", start)
        if name in POSITIONS:
            wanted = "a quantity with an array: positions follow from the set, see frame_position"
            raise ArgumentError("name", repr(name), wanted)
        if name == "Q" and intent != "in":
            raise ArgumentError("intent", repr(intent), "'in' for 'Q': outputs have own names")
        if name == MASK and intent != "in":
            raise ArgumentError("intent", repr(intent), f"'in' for '{MASK}', which no run changes")
        bounds, scale = array.bounds, array.scale
        if not np.isfinite(scale) or scale == 0.0:
            raise ArgumentError("scale", scale, "a finite factor that is not zero")
        if name == "Q" and scale != 1.0:
            raise ArgumentError("scale", scale, "1.0 for 'Q': its columns have several units")
        array.check()
        check_types(f"data of {name}", array.dtype, dtype, intent != "in")
        if bounds.columns != columns and not bounds.is_empty:
            raise ArgumentError(
                "EptData",
                f"SptData..EptData = {bounds.data_start}..{bounds.data_end}, "
                f"{bounds.columns} components",
                f"the {columns} of '{name}'" + (" (nq of initialize)" if name == "Q" else ""),
            )
        binding = replace(
            bounds.place(array.address, columns),
            scale=scale,
            dtype=array.dtype,
            owner=array.owner,
            group=group,
        )
        binding = replace(binding, layers=binding.fringe, section=array.section)
        if not isinstance(bounds, BlockBounds):
            assert isinstance(bounds, Bounds)
            whole = WholeArray(
                array.address, math.prod(bounds.extent), abs(bounds.n_data) or bounds.data_end,
                bounds.n_data < 0, array.dtype, array.section, array.owner,
            )  # fmt: skip
        else:
            first, elements = bounds.memory()
            whole = WholeArray(
                array.address + first * binding.itemsize, elements, 1, False, array.dtype, False,
                array.owner, replace(bounds.arrays(array.address, columns), dtype=array.dtype),
            )  # fmt: skip
        return cls(name, intent, binding, whole, bounds.start)

    @property
    def points(self) -> int:
        """Of the interior; 0 for an empty block, whose address may be anything, and for an array
        of no components."""
        return self.binding.box.points if self.binding.columns else 0

    @property
    def read(self) -> bool:
        return self.intent != "out"

    @property
    def written(self) -> bool:
        return self.intent != "in"


def points_of_blocks(set: str, arrays: Mapping[str, BoundArray]) -> int:
    """Interior points of a set of blocks, which every array must agree on, block by block."""
    first_name, first = next(iter(arrays.items()))
    ours = first.binding.blocks
    assert ours is not None
    for name, array in arrays.items():
        theirs = array.binding.blocks
        assert theirs is not None
        if theirs.count != ours.count:
            got, wanted = f"{theirs.count} blocks in set '{set}'", f"{ours.count}"
            raise ArgumentError(name, got, f"{wanted}, as '{first_name}' has")
        some = (theirs.sizes > 0) | (ours.sizes > 0)
        differ = np.flatnonzero((theirs.extent != ours.extent).any(axis=1) & some)
        if len(differ):
            got, wanted = (str(tuple(b.extent[differ[0]].tolist())) for b in (theirs, ours))
            raise ArgumentError(
                name,
                f"an interior of {got} points in block {differ[0] + 1} of set '{set}'",
                f"{wanted}, as '{first_name}' has",
            )
    return points_that_run(set, arrays)


def points_that_run(set: str, arrays: Mapping[str, BoundArray]) -> int:
    """Interior points of arrays that agree on them; 0 where components are points and there are
    none, of any array."""
    each = [
        (array.binding.columns, name)
        for name, array in arrays.items()
        if array.per_component and array.binding.box.points
    ]
    (fewest, none), (most, some) = min(each, default=(0, "")), max(each, default=(0, ""))
    if most and not fewest:
        wanted = f"{most}, as '{some}' has: each is a point of a run"
        raise ArgumentError(none, f"no components in set '{set}'", wanted)
    return min(array.points for array in arrays.values())
