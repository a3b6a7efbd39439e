"""Comparisons: a loop of the host stays the reference, and kernels make the same beside it.

Beside BoundSets. `begin`, before the loop, runs a composite on the arrays of a set as they are,
its outputs in memory of the bridge; `compare`, after the loop, holds these against what the loop
left in the arrays. Values of both sides are those of the host's memory: what a device has of a
resident array is not looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bridge import log
from bridge.backends.base import Binding
from bridge.bound.boxes import Part, Triple
from bridge.bound.chains import Chain, Member, follow
from bridge.bound.compared import Key, Total
from bridge.bound.components import runner_of
from bridge.bound.differences import SINGLE, Difference, Piece, difference, of_numbers
from bridge.bound.matching import Matched, Matching, refuse_short
from bridge.bound.outputs import check_memory
from bridge.bound.pointsets import PointSet
from bridge.bound.samples import parts
from bridge.bound.setarrays import BoundArray
from bridge.bound.temporaries import Temporary, blocks_of, temporary
from bridge.errors import ArgumentError, StateError
from bridge.memory.hostarrays import number
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import MASK
from bridge.plan.stages import reach
from bridge.prepared import PreparedRun
from bridge.resident.shadow import elements
from bridge.tvimpl import TVImpl

#: A set, and what runs on it.
Run = tuple[PointSet, Composite | Kernel]


@dataclass
class _Copies:
    """A run on copies of all points, or of a box of some shape. outputs: name -> what stands for
    it; inputs: those that begin with the caller's values, outputs and mask among them."""

    run: PreparedRun
    outputs: dict[str, Temporary]
    inputs: dict[str, Temporary]


@dataclass
class _Comparer:
    """What a composite or kernel finds in a set; copies: of all points (None), or of boxes of a
    shape."""

    matched: Matched
    copies: dict[Triple | None, _Copies]


@dataclass
class _Box:
    """What a run has given. part: None of all points; outputs: name -> values, of each block;
    mask: of the points that count, of each block."""

    part: Part | None
    outputs: dict[str, list[np.ndarray]]
    mask: list[np.ndarray] | None


@dataclass
class _Begun:
    """A comparison between its two calls. outputs: of the run, as far as the set binds them;
    arrays: those that it looks at, as they were bound, none where no point runs."""

    call: int
    outputs: frozenset[str]
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
        self._checked([(point_set, which)], share)
        points = point_set.points()
        call = self._calls.get((point_set.name, which.name), 0) + 1
        self._note(
            point_set, which, call, self._boxes(point_set, which, share, call) if points else []
        )

    def begin_sets(self, runs: Sequence[Run], share: float) -> None:
        """Run one after the other, later ones on what earlier ones made. Where one meets what
        another one writes, or points follow each other, a share below 1.0 is one of the calls:
        the others compare nothing."""
        self._checked(runs, share)
        members = [(point_set, self._matching.of(point_set, which)) for point_set, which in runs]
        some = [n for n, (point_set, _) in enumerate(members) if point_set.points()]
        together = follow(members)
        if not together and (share == 1.0 or not any(m.plan.ordered for _, m in members)):
            for point_set, which in runs:
                self.begin(point_set, which, share)
            return
        for point_set, _ in members:
            point_set.refuse_blocks("sets", "sets of one block that follow each other")
        first = runs[0]
        call = self._calls.get((first[0].name, first[1].name), 0) + 1
        boxes: list[list[_Box]] = [[] for _ in runs]
        if some and _due(call, share):
            own = self._in_turn([runs[n] for n in some], [members[n] for n in some])
            for n, one in zip(some, own, strict=True):
                boxes[n] = one
        for (point_set, which), each in zip(runs, boxes, strict=True):
            self._note(point_set, which, call, each)

    def _checked(self, runs: Sequence[Run], share: float) -> None:
        if not 0.0 < number("share", share) <= 1.0:
            raise ArgumentError("share", share, "a share of the points, above 0.0 and up to 1.0")
        for point_set, which in runs:
            if (point_set.name, which.name) in self._begun:
                raise StateError(
                    f"frame_compare_begin of {which.name} on set '{point_set.name}' came twice: "
                    "call frame_compare first"
                )

    def _note(
        self, point_set: PointSet, which: Composite | Kernel, call: int, boxes: list[_Box]
    ) -> None:
        """A comparison has begun."""
        key = (point_set.name, which.name)
        self._calls[key] = call
        arrays = point_set.arrays
        names = dict.fromkeys(name for box in boxes for name in box.outputs)
        outputs = frozenset(n for n, a in arrays.items() if a.written and n in which.outputs)
        self._begun[key] = _Begun(call, outputs, {name: arrays[name] for name in names}, boxes)

    def _in_turn(self, runs: Sequence[Run], members: Sequence[Member]) -> list[list[_Box]]:
        """What the runs leave, of each set; all have points."""
        key = tuple((point_set.name, which.name) for point_set, which in runs)
        known = [point_set.prepared.of(Chain) for point_set, _ in runs]
        chain = known[0].get(key)
        if chain is None or any(one.get(key) is not chain for one in known):
            chain = Chain(members, self._impl)
            for one in known:
                one[key] = chain
        chain.run()
        found = []
        for outputs, mask in zip(chain.outputs, chain.masks, strict=True):
            values = {name: _values(binding) for name, binding in outputs.items()}
            found.append([_Box(None, values, None if mask is None else _values(mask.binding))])
        return found

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
        if self._impl.watch is not None:
            self._impl.watch.loop_ended(point_set, which.name)
        for name, one in found.items():
            self._add((*key, name), one, begun.call)
        return max((one.relative for one in found.values()), default=0.0)

    def numbers(
        self, run: Run, name: str, original: Sequence[float], bridge: Sequence[float],
        scale: Sequence[float],
    ) -> float:  # fmt: skip
        """Of numbers that the host has beside the arrays, in the latest comparison."""
        key = (run[0].name, run[1].name)
        if key not in self._latest:
            raise StateError(
                f"frame_compare_numbers of {key[1]} on set '{key[0]}' has no comparison to belong "
                "to: call frame_compare first"
            )
        one = of_numbers(original, bridge, scale, self._limit)
        self._latest[key][name] = one
        self._add((*key, name), one, self._calls[key])
        return one.relative

    def latest(self, set: str, name: str) -> dict[str, Difference]:
        """Of each array in the latest comparison; StateError where there was none."""
        if (set, name) not in self._latest:
            raise StateError(f"{name} on set '{set}' was never compared: call frame_compare first")
        return dict(self._latest[set, name])

    def forget(self, set: str, name: str) -> None:
        """An array of a set changes: what was begun has nothing to compare with."""
        for key, begun in list(self._begun.items()):
            if key[0] == set and name in begun.outputs:
                del self._begun[key]

    # ---- running on copies ---------------------------------------------------------------------

    def _boxes(
        self, point_set: PointSet, which: Composite | Kernel, share: float, call: int
    ) -> list[_Box]:
        known = point_set.prepared.of(_Comparer)
        comparer = known.get(which.name)
        if comparer is None:
            matched = self._matching.of(point_set, which)
            check_memory(point_set, matched.plan, matched.inputs, matched.outputs)
            comparer = known[which.name] = _Comparer(matched, {})
        matched, copies = comparer.matched, comparer.copies
        if self._impl.watch is not None:
            self._impl.watch.loop_begins(point_set, matched.plan, matched.bindings)
        if share == 1.0:
            if None not in copies:
                copies[None] = self._copies(point_set, matched, None)
            self._run(copies[None])
            return [_box(None, copies[None], point_set.skipped)]
        point_set.refuse_blocks("share", "1.0: sets of many blocks are compared whole")
        if matched.plan.ordered:
            wanted = f"1.0: points of {which.name} follow each other"
            raise ArgumentError("share", share, wanted)
        first = point_set.first
        if first is None:
            first = next(iter(point_set.arrays.values())).start
        i, j, k = np.asarray(first).tolist()
        found = []
        for part in parts(point_set.extent(), (i, j, k), share, call):
            shape = part[1]
            if shape not in copies:
                copies[shape] = self._copies(point_set, matched, part)
            sources = {n: matched.bindings[n].part(*part) for n in copies[shape].inputs}
            self._run(copies[shape], sources)
            found.append(_box(part, copies[shape], point_set.skipped))
        return found

    def _copies(self, point_set: PointSet, matched: Matched, part: Part | None) -> _Copies:
        """On the caller's own inputs where all points run and nothing else is in them; else on
        copies, which then do for every box of the same shape."""
        plan = matched.plan
        bindings = {n: b if part is None else b.part(*part) for n, b in matched.bindings.items()}
        around, _ = reach(plan, point_set.extent() if part is None else part[1])
        inputs: dict[str, Temporary] = {}
        for name, slot in plan.inputs.items():
            binding, reads = bindings[name], around.get(slot, Fringe())
            if not binding.position:
                refuse_short(plan, name, reads, matched.bindings[name])
            somewhere = binding.position or any(binding.box.stride)
            if part is None and name in point_set.work:
                continue
            if (
                name in plan.outputs
                or slot == plan.mask
                or (part is None and self._is_resident(binding, name))
                or (part is not None and somewhere)
            ):
                inputs[name] = temporary(binding, reads)
        # Work arrays are written as by a run, where all of them is.
        outputs = {
            n: inputs.get(n) or temporary(bindings[n])
            for n in plan.outputs
            if part is not None or n not in point_set.work
        }
        copied = {name: one.binding for name, one in (inputs | outputs).items()}
        group = f"comparison of {plan.name} on set '{point_set.name}'"  # no latest run of the set
        used = {n: replace(b, group=group) for n, b in (bindings | copied).items()}
        runner = runner_of(plan, used, self._impl, point_set.name, "compare")
        run = self._impl.prepared_run([runner], plan.name, group, point_set.prepared)
        return _Copies(run, outputs, inputs)

    def _is_resident(self, binding: Binding, name: str) -> bool:
        """Whether a run would read a device's copy: the reference is the host's memory."""
        return self._impl.residency.located(binding, name) is not binding

    def _run(self, copies: _Copies, sources: Mapping[str, Binding] | None = None) -> None:
        """sources: what inputs are filled from, where that is not what they were made for."""
        with self._impl.timers["compare"]:
            for name, one in copies.outputs.items():
                if name not in copies.inputs:
                    one.clear()
            for name, one in copies.inputs.items():
                if sources is None:
                    one.refresh()
                else:
                    one.refresh_from(sources[name])
        copies.run.run()

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


def _due(call: int, share: float) -> bool:
    """Whether the call is one of the share: the first one, and so many of all."""
    from fractions import Fraction

    return (call - 1) * Fraction(share) % 1 < Fraction(share)


def _box(part: Part | None, copies: _Copies, skipped: Collection[str]) -> _Box:
    """What a run has left that counts; of a part copies, as its memory is used again."""

    def values(one: Temporary) -> list[np.ndarray]:
        found = _values(one.binding)
        return found if part is None else [one.copy() for one in found]

    mask = copies.inputs.get(MASK)
    outputs = {name: values(one) for name, one in copies.outputs.items() if name not in skipped}
    return _Box(part, outputs, None if mask is None else values(mask))


def _values(binding: Binding) -> list[np.ndarray]:
    """Of each block."""
    return [elements(one) for one in blocks_of(binding)]


def _pieces(name: str, array: BoundArray, box: _Box) -> list[Piece]:
    """The values of both sides; empty blocks have none."""
    theirs = array.binding
    if box.part is not None:
        theirs = theirs.part(*box.part)
    mine = box.outputs[name]
    skipped = (0, 0, 0) if box.part is None else box.part[0]
    start = np.asarray(array.start)
    many = theirs.blocks is not None
    found = []
    for block, original in enumerate(blocks_of(theirs)):
        if original.box.points:
            x, y, z = ((start[block] if many else start) + skipped).tolist()
            mask = None if box.mask is None else box.mask[block]
            number = block + 1 if many else None
            found.append(Piece(elements(original), mine[block], mask, (x, y, z), number))
    return found
