"""SetRuns: runs of composites and kernels on all points of a set, or of boxes of it.

Of BoundSets. A run that the set has met before is begun again as it was; another one is matched
with the arrays, checked and prepared.
"""

from __future__ import annotations

from collections import Counter

from bridge.bound.boxes import (
    Boxes,
    checked_boxes,
    common_fringe,
    hull,
    refuse_rewritten,
    within,
)
from bridge.bound.colours import colours_of, refuse_boxes
from bridge.bound.components import runner_of
from bridge.bound.matching import Matching
from bridge.bound.outputs import check_memory, check_parts
from bridge.bound.pendingruns import PendingRuns
from bridge.bound.pointsets import PointSet, PointSets, Run
from bridge.bound.stability import Stability
from bridge.bound.statuscounts import StatusCounts
from bridge.launchers import Launcher
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.fringe import Fringe
from bridge.prepared import PreparedRun
from bridge.tvimpl import TVImpl

#: Runs on boxes that a set keeps ready.
MOST_BOXES = 256
_NONE: frozenset[str] = frozenset()


class SetRuns:
    """impl: where programs are launched; layout: the columns of Q; sets: of a Frame; pending:
    runs of them; status: what runs met; stability: looks at some of them."""

    def __init__(
        self, impl: TVImpl, layout: tuple[str, ...], sets: PointSets, pending: PendingRuns,
        matching: Matching, status: StatusCounts, stability: Stability,
    ) -> None:  # fmt: skip
        self._impl = impl
        self._catalogue = impl.catalogue
        self._layout = layout
        self._sets = sets
        self._pending = pending
        self._matching = matching
        self._status = status
        self._stability = stability
        #: Runs on sets without points, by set and composite.
        self.without_points: Counter[tuple[str, str]] = Counter()

    # ---- a run ------------------------------------------------------------------------------

    def run(self, set: str, composite: str, boxes: Boxes = None, colour: int | None = None) -> int:
        """Evaluate a composite or a kernel on every interior point of a set, or on the points of
        some boxes; colour: on those of one colour alone. Returns the number of chunks."""
        point_set = self._sets.named(set)
        run = self._begun(point_set, composite, boxes, colour)
        return self._ended(point_set, run)

    def begin(
        self, set: str, composite: str, boxes: Boxes = None, colour: int | None = None
    ) -> None:
        """The first half of `run`: set it going."""
        point_set = self._sets.named(set)
        self._pending.begin(set, self._begun(point_set, composite, boxes, colour))

    def wait(self, set: str) -> int:
        """The second half: what `begin` set going has happened."""
        run, point_set = self._pending.taken(set), self._sets.named(set)
        if set in self._pending.done:
            self._pending.done.remove(set)
            return len(run.launchers)
        return self._ended(point_set, run)

    def _begun(
        self, point_set: PointSet, composite: str, boxes: Boxes, colour: int | None
    ) -> PreparedRun:
        unchanged = point_set.take_unchanged(self._layout, self._impl.ns)
        if self._pending.some:
            name = self._catalogue.runnable(composite).name
            self._pending.refuse(f"a run of {name}", point_set.name)
        run = point_set.runs.get((composite, boxes, colour))
        if run is None:
            run = self._made(point_set, composite, boxes, colour)
        point_set.in_part = in_part = boxes is not None or colour is not None
        run.begin(_NONE if in_part else unchanged, self._impl.look_at(point_set))
        return run

    def _ended(self, point_set: PointSet, run: PreparedRun) -> int:
        chunks = run.finish()
        point_set.sound = not point_set.in_part
        if self._status.active:
            self._status.ended(point_set, run.name)
        if not run.launchers:
            self.without_points[point_set.name, run.name] += 1
        counted = run.counted
        if run.natives:
            run.settle()
        counted.past(1)
        self.look(point_set, run)
        if run.natives:
            run.allow()
        return chunks

    def look(self, point_set: PointSet, run: PreparedRun) -> None:
        """Look at a run that has ended, if it is due."""
        counted = run.counted
        if counted.left <= 0 < counted.due:
            self._stability.look(point_set, run.name, counted, run.launchers)

    def plain(
        self, set: str, composite: str, boxes: Boxes, colour: int | None
    ) -> PreparedRun | None:
        """A run that was done, if nobody looks at it or counts what it met."""
        point_set = self._sets.get(set)
        if point_set is None or self._impl.watch is not None:
            return None
        run = point_set.runs.get((composite, boxes, colour))
        return None if run is None or self._status.counts_runs_of(run.name) else run

    # ---- a run that is new ------------------------------------------------------------------

    def _made(
        self, point_set: PointSet, composite: str, boxes: Boxes, colour: int | None
    ) -> PreparedRun:
        """Matched with the arrays, checked and kept, by the name that the caller gave and by the
        catalogue's."""
        which, runs = self._catalogue.runnable(composite), point_set.runs
        point_set.points()
        key = which.name, boxes, colour
        run = runs.get(key)
        if run is None:
            if boxes is not None:
                point_set.refuse_blocks("box", f"a run of all points of '{point_set.name}'")
            launchers = [
                one
                for own in colours_of(which, colour, 1 if boxes is None else len(boxes))
                for one in self._launchers(point_set, which, boxes, own)
            ]
            label = f"run of {which.name} on set '{point_set.name}'"
            run = self._impl.prepared_run(launchers, which.name, label, point_set.prepared)
            run.counted = self._stability.runs(point_set.name, which.name)
            if boxes is not None:
                _drop_oldest(runs)
            runs[key] = run
        if composite != which.name:
            runs[composite, boxes, colour] = run
        return run

    def _launchers(
        self,
        point_set: PointSet,
        which: Composite | Kernel,
        boxes: Boxes,
        colour: int | None,
    ) -> list[Launcher]:
        """What runs all points of a set, or those of each part; nothing where there are none."""
        beside = self._status.hidden(point_set, which) if boxes is None and colour is None else {}
        matched = self._matching.of(point_set, which, colour, beside)
        plan, inputs, outputs = matched.plan, matched.inputs, matched.outputs
        refuse_boxes(plan, 1 if boxes is None else len(boxes))
        if not point_set.points():  # of which boxes have none either
            checked_boxes(boxes, (0, 0, 0), Fringe())
            return []
        if boxes is None or not plan.cells_alone:
            check_memory(point_set, plan, inputs, outputs)
        bindings, impl, name = matched.bindings, self._impl, point_set.name
        if boxes is None:
            return [runner_of(plan, bindings, impl, name)]
        extent = point_set.extent()
        shared = (b for n, b in bindings.items() if n not in plan.cells_alone)
        parts = checked_boxes(boxes, extent, common_fringe(shared))
        if plan.cells_alone or not within(hull(parts), extent):  # not seen by the check above
            check_parts(point_set, plan, inputs, outputs, parts)
        refuse_rewritten(plan, parts)
        runners = [
            runner_of(plan, {n: b.part(*part) for n, b in bindings.items()}, impl, name)
            for part in parts
        ]
        for runner, (first, _) in zip(runners, parts, strict=True):
            runner.first = first
        return runners


def _drop_oldest(runs: dict[Run, PreparedRun]) -> None:
    """Of runs on boxes the latest ones are kept: boxes may move at every step, and stages have
    memory of their own."""
    on_boxes = [key for key in runs if key[1] is not None]
    if len(on_boxes) >= MOST_BOXES:
        runs.pop(on_boxes[0]).forget()
