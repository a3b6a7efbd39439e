"""Comparisons: a loop of the host stays the reference, and kernels make the same beside it.

Beside BoundSets. `begin`, before the loop, runs a composite on the arrays of a set as they are,
its outputs in memory of the bridge; `compare`, after the loop, holds these against what the loop
left in the arrays. Values of both sides are those of the host's memory: what a device has of a
resident array is not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bridge import log
from bridge.backends.base import Binding
from bridge.bound.boxes import Part
from bridge.bound.components import runner_of
from bridge.bound.differences import SINGLE, Difference, Piece, difference
from bridge.bound.matching import Matched, Matching
from bridge.bound.pointsets import BoundArray, PointSet
from bridge.bound.samples import parts
from bridge.bound.temporaries import Temporary, blocks_of, temporary
from bridge.errors import ArgumentError, StateError
from bridge.launchers import Launcher
from bridge.memory.hostarrays import number
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import MASK
from bridge.plan.stages import reach
from bridge.resident.shadow import elements
from bridge.tvimpl import TVImpl

#: Of the report: set, composite, array.
Key = tuple[str, str, str]


@dataclass
class Total:
    """All comparisons of an array by a composite; call: the number of the one that `worst` is
    of."""

    calls: int = 0
    points: int = 0
    above: int = 0
    absolute: float = 0.0
    worst: Difference = field(default_factory=Difference)
    call: int = 0

    def add(self, one: Difference, call: int) -> None:
        if not self.calls or one.relative > self.worst.relative or self.worst.place is None:
            self.worst, self.call = one, call
        self.calls += 1
        self.points += one.points
        self.above += one.above
        self.absolute = max(self.absolute, one.absolute)


@dataclass
class _Box:
    """A box that runs on copies. part: None of all points; outputs: name -> what stands for it;
    copied: those that begin with the caller's values; mask: of the points that count."""

    part: Part | None
    launcher: Launcher
    outputs: dict[str, Temporary]
    copied: list[Temporary]
    mask: Temporary | None


@dataclass
class _Begun:
    """A comparison between its two calls. arrays: that it looks at, as they were bound."""

    call: int
    arrays: dict[str, BoundArray]
    boxes: list[_Box]


class Comparisons:
    """Of all sets of a Frame. matching: what a run finds; limit: of a relative difference, above
    which a point counts; rank: for messages."""

    def __init__(self, impl: TVImpl, matching: Matching, limit: float, rank: int) -> None:
        self._impl = impl
        self._matching = matching
        self._limit = limit
        self._rank = rank
        self._calls: dict[tuple[str, str], int] = {}
        self._begun: dict[tuple[str, str], _Begun] = {}
        self._latest: dict[tuple[str, str], dict[str, Difference]] = {}
        self.totals: dict[Key, Total] = {}

    def begin(self, point_set: PointSet, which: Composite | Kernel, share: float) -> None:
        """Run on copies, on this share of the points."""
        if not 0.0 < number("share", share) <= 1.0:
            raise ArgumentError("share", share, "a part of the points, above 0.0 and up to 1.0")
        key = (point_set.name, which.name)
        if key in self._begun:
            raise StateError(
                f"frame_compare_begin of {which.name} on set '{point_set.name}' came twice: call "
                "frame_compare first"
            )
        points = point_set.points()
        call = self._calls.get(key, 0) + 1
        boxes = self._boxes(point_set, which, share, call) if points else []
        for box in boxes:
            self._run(box, f"comparison of {which.name} on set '{point_set.name}'")
        self._calls[key] = call
        arrays = point_set.arrays
        names = dict.fromkeys(name for box in boxes for name in box.outputs)
        self._begun[key] = _Begun(call, {name: arrays[name] for name in names}, boxes)

    def compare(self, point_set: PointSet, which: Composite | Kernel) -> float:
        """The largest difference of what was begun, in the measure of `differences`."""
        key = (point_set.name, which.name)
        if key not in self._begun:
            known = ", ".join(f"{name} on '{set}'" for set, name in self._begun) or "none"
            raise StateError(
                f"frame_compare of {which.name} on set '{point_set.name}' has nothing to compare: "
                f"call frame_compare_begin before the loop (begun: {known}; a new bind forgets it)"
            )
        begun = self._begun.pop(key)
        with self._impl.timers["compare"]:
            found = {
                name: self._difference(name, array, begun.boxes)
                for name, array in begun.arrays.items()
            }
        self._latest[key] = found
        for name, one in found.items():
            self._add((*key, name), one, begun.call)
        return max((one.relative for one in found.values()), default=0.0)

    def latest(self, set: str, name: str) -> dict[str, Difference]:
        """Of each array in the latest comparison; StateError where there was none."""
        if (set, name) not in self._latest:
            raise StateError(f"{name} on set '{set}' was never compared: call frame_compare first")
        return dict(self._latest[set, name])

    def forget(self, set: str, name: str) -> None:
        """An array of a set changes: what was begun has nothing to compare with."""
        for key, begun in list(self._begun.items()):
            if key[0] == set and name in begun.arrays:
                del self._begun[key]

    # ---- running on copies ---------------------------------------------------------------------

    def _boxes(
        self, point_set: PointSet, which: Composite | Kernel, share: float, call: int
    ) -> list[_Box]:
        kept: _Box | None = point_set.comparers.get(which.name)
        if share == 1.0 and kept is not None:
            return [kept]
        matched = self._matching.of(point_set, which)
        point_set.check_memory(matched.plan, matched.inputs, matched.outputs)
        if share == 1.0:
            box = self._box(point_set, matched, None)
            point_set.comparers[which.name] = box
            return [box]
        point_set.refuse_blocks("share", "1.0: sets of many blocks are compared whole")
        if matched.plan.ordered:
            wanted = f"1.0: points of {which.name} follow each other"
            raise ArgumentError("share", share, wanted)
        first = point_set.first
        if first is None:
            first = next(iter(point_set.arrays.values())).start
        i, j, k = np.asarray(first).tolist()
        chosen = parts(point_set.extent(), (i, j, k), share, call)
        return [self._box(point_set, matched, part) for part in chosen]

    def _box(self, point_set: PointSet, matched: Matched, part: Part | None) -> _Box:
        plan = matched.plan
        inputs, outputs = (
            {n: b if part is None else b.part(*part) for n, b in some.items()}
            for some in (matched.inputs, matched.outputs)
        )
        extent = point_set.extent() if part is None else part[1]
        around, _ = reach(plan, extent)
        stand_ins: dict[str, Temporary] = {}
        copied: list[Temporary] = []
        for name, slot in plan.inputs.items():
            if name in outputs or self._is_resident(inputs[name], name):
                stand_ins[name] = temporary(inputs[name], around.get(slot, Fringe()))
                copied.append(stand_ins[name])
        for name in plan.outputs:
            if name not in stand_ins:
                stand_ins[name] = temporary(outputs[name])
        group = f"comparison of {plan.name} on set '{point_set.name}'"  # no latest run of the set
        bindings = {
            name: replace(stand_ins[name].binding if name in stand_ins else binding, group=group)
            for name, binding in {**inputs, **outputs}.items()
        }
        runner = runner_of(plan, bindings, self._impl, point_set.name, "compare")
        mask = None if plan.mask is None else temporary(inputs[MASK])
        made = {name: stand_ins[name] for name in plan.outputs}
        return _Box(part, runner, made, copied, mask)

    def _is_resident(self, binding: Binding, name: str) -> bool:
        """Whether a run would read a device's copy: the reference is the host's memory."""
        return self._impl.residency.located(binding, name) is not binding

    def _run(self, box: _Box, label: str) -> None:
        with self._impl.timers["compare"]:
            for one in box.outputs.values():
                one.clear()
            for one in (*box.copied, *([box.mask] if box.mask else ())):
                one.refresh()
        self._impl.begin(box.launcher, box.launcher.points, label)()

    # ---- comparing -----------------------------------------------------------------------------

    def _difference(self, name: str, array: BoundArray, boxes: Sequence[_Box]) -> Difference:
        """Of an array against what the boxes have for it."""
        limit = self._limit
        if array.binding.dtype == "float32":
            limit = max(limit, SINGLE)
        exact = self._impl.catalogue.quantity(name).dtype == "int32"
        pieces = [piece for box in boxes for piece in _pieces(name, array, box)]
        return difference(pieces, exact, limit)

    def _add(self, key: Key, one: Difference, call: int) -> None:
        total = self.totals.setdefault(key, Total())
        if one.above and not total.above:
            set, composite, array = key
            place = ", ".join(map(str, one.place or ()))
            log.say(
                f"warning: rank {self._rank}: comparison {call} of {composite} on set '{set}': "
                f"'{array}' differs by {one.relative:.3g} at ({place}): {one.original:.17g} of "
                f"the original, {one.bridge:.17g} of the bridge; {one.above} of {one.points} "
                f"points are above {self._limit:g}"
            )
        total.add(one, call)


def _pieces(name: str, array: BoundArray, box: _Box) -> list[Piece]:
    """The values of both sides; empty blocks have none."""
    theirs = array.binding
    if box.part is not None:
        theirs = theirs.part(*box.part)
    mine = box.outputs[name].binding
    masks: list[Binding | None] = [None]
    if box.mask is not None:
        masks = [*blocks_of(box.mask.binding)]
    elif theirs.blocks is not None:
        masks *= theirs.blocks.count
    skipped = (0, 0, 0) if box.part is None else box.part[0]
    start = np.asarray(array.start)
    many = theirs.blocks is not None
    found = []
    for block, (original, bridge, mask) in enumerate(
        zip(blocks_of(theirs), blocks_of(mine), masks, strict=True)
    ):
        if not original.box.points:
            continue
        x, y, z = ((start[block] if many else start) + skipped).tolist()
        found.append(
            Piece(
                elements(original),
                elements(bridge),
                None if mask is None else elements(mask),
                (x, y, z),
                block + 1 if many else None,
            )
        )
    return found


# ---- the report --------------------------------------------------------------------------------


def table(ranks: Sequence[dict[Key, Total]]) -> str:
    """The comparisons of all ranks as text; "" where there were none."""
    from tabulate import tabulate

    rows = []
    for key in dict.fromkeys(key for rank in ranks for key in rank):
        mine = [(number, rank[key]) for number, rank in enumerate(ranks) if key in rank]
        at, worst = max(mine, key=lambda one: (one[1].worst.relative, -one[0]))
        rows.append(
            (
                *key,
                max(one.calls for _, one in mine),
                sum(one.points for _, one in mine),
                sum(one.above for _, one in mine),
                _spelled(worst.worst.relative),
                _spelled(max(one.absolute for _, one in mine)),
                " ".join(map(str, worst.worst.place or ())),
                worst.call,
                at,
            )
        )
    headers = (
        *("set", "composite", "array", "calls", "points", "above\nthe limit"),
        *("largest\ndifference", "absolute", "at\n(i j k component)", "in call", "on rank"),
    )
    return tabulate(rows, headers, tablefmt="simple", disable_numparse=True) if rows else ""


def _spelled(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.3g}"
