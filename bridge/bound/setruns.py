"""SetRuns: runs of composites and kernels on all points of a set, or of boxes of it.

Of BoundSets. A run that the set has met before is launched again as it was; another one is matched
with the arrays, checked and prepared. Ends in TVImpl's chunk loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial

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
from bridge.bound.keptruns import Repeat, Runs
from bridge.bound.matching import Matching
from bridge.bound.outputs import check_memory, check_parts
from bridge.bound.pendingruns import PendingRuns
from bridge.bound.pointsets import PointSet, PointSets
from bridge.bound.stability import Stability
from bridge.bound.statuscounts import StatusCounts
from bridge.launchers import Launcher
from bridge.plan.declarations import Composite, Kernel
from bridge.plan.fringe import Fringe
from bridge.relaunch import Relaunch
from bridge.tvimpl import TVImpl


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

    def begin(
        self, set: str, composite: str, boxes: Boxes = None, colour: int | None = None
    ) -> None:
        """Set a composite or a kernel going on every interior point of a set, or on the points of
        some boxes; colour: on those of one colour alone. A run that is the set's own again, on
        the same arrays, is not looked up anew."""
        repeat = self._repeat(set, composite, boxes, colour)
        if repeat is not None:
            chunks = repeat.again()
            self._sets[set].latest = boxes, colour
            return self._pending.begin(set, repeat.which, lambda: chunks)
        point_set = self._sets.named(set)
        if colour is None and set not in self._pending.runs:
            launch = point_set.launched.get((composite, boxes))
            if launch is not None and self._looked_at(point_set, launch.name, boxes):
                launch = None
            elif launch is not None:
                launch = point_set.begin_again(composite, boxes)
            if launch is not None:
                point_set.latest = boxes, colour
                launch.begin()
                return self._pending.begin(set, launch.name, launch.finish)
        unchanged = point_set.take_unchanged(self._layout, self._impl.ns)
        which = self._catalogue.runnable(composite)
        self._pending.refuse(f"a run of {which.name}", set)
        points = point_set.points()
        runners = point_set.runners.get((which.name, boxes, colour))
        if runners is None:
            if boxes is not None:
                point_set.refuse_blocks("box", f"a run of all points of '{set}'")
            runners = [
                runner
                for own in colours_of(which, colour, 1 if boxes is None else len(boxes))
                for runner in self._runners(point_set, which, boxes, own)
            ]
            point_set.keep_runners((which.name, boxes, colour), runners)
        if not points:
            self.without_points[set, which.name] += 1
        finishes = []
        label = f"run of {which.name} on set '{set}'"
        if boxes is not None or colour is not None:
            unchanged = frozenset()
        for runner in runners:
            finishes.append(self._begin(point_set, runner, label, unchanged))
        point_set.latest = boxes, colour
        self._pending.begin(set, which.name, partial(_finish, finishes))
        if colour is None and (composite, boxes) not in point_set.launched:
            launch = Relaunch.of(self._impl, runners, which.name, label) if points else None
            point_set.launched[composite, boxes] = launch
        if boxes is not None or colour is not None:
            point_set.ran_in_part()
        if point_set.launched.get((composite, boxes)) is None:
            again = self._impl.repeated(runners, label)
            if again is not None:
                runs = self._counted(point_set, which.name)
                point_set.repeats[composite, boxes, colour] = Repeat(which.name, again, runs)

    def _begin(
        self, point_set: PointSet, runner: Launcher, label: str, unchanged: Collection[str]
    ) -> Callable[[], int]:
        """Set one part of a run going, with what looks at it."""
        watch = self._impl.watch
        after = None if watch is None else watch.before(runner, runner.points, point_set)
        finish = self._impl.begin(runner, runner.points, label, unchanged)
        if after is None:
            return finish

        def finish_and_look() -> int:
            chunks = finish()
            after()
            return chunks

        return finish_and_look

    def _repeat(self, set: str, composite: str, boxes: Boxes, colour: int | None) -> Repeat | None:
        """What does a run of a set once more, if it is known and none is pending."""
        point_set = self._sets.get(set)
        if point_set is None or set in self._pending.runs:
            return None
        repeat = point_set.repeats.get((composite, boxes, colour))
        if repeat is not None and self._looked_at(point_set, repeat.which, boxes):
            return None
        return repeat

    def _looked_at(self, point_set: PointSet, what: str, boxes: Boxes) -> bool:
        """Whether a run that is known is looked at, which only a run that is made anew is."""
        watch = self._impl.watch
        if watch is None:
            return False
        points = point_set.any_binding.box.points
        return boxes is not None or watch.wants(point_set.name, what, points)

    def _runners(
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

    def run(self, set: str, composite: str, boxes: Boxes = None, colour: int | None = None) -> int:
        """`begin` and `wait` in one; returns the number of chunks."""
        repeat = self._repeat(set, composite, boxes, colour)
        if repeat is not None:
            chunks = repeat.again()
            if self._status.policy.active:
                self._status.ended(self._sets[set], repeat.which)
            runs = repeat.runs
            runs.left = left = runs.left - 1
            if not left:
                self._look(self._sets[set], repeat.which, boxes, colour)
            return chunks
        self.begin(set, composite, boxes, colour)
        return self.wait(set)

    def wait(self, set: str) -> int:
        """What `begin` set going has happened; returns the number of chunks."""
        composite = self._pending.runs.get(set, ("",))[0]
        chunks = self._pending.wait(set)
        point_set = self._sets.named(set)
        point_set.ended()
        if self._status.policy.active:
            self._status.ended(point_set, composite)
        runs = point_set.counted.get(composite) or self._counted(point_set, composite)
        runs.left = left = runs.left - 1
        if not left:
            self._look(point_set, composite, *point_set.latest)
        return chunks

    def _counted(self, point_set: PointSet, composite: str) -> Runs:
        """What counts the runs of a composite on a set."""
        runs = self._stability.runs(point_set.name, composite)
        point_set.counted[composite] = runs
        return runs

    def _look(self, point_set: PointSet, composite: str, boxes: Boxes, colour: int | None) -> None:
        """A run has ended that `Stability` looks at."""
        runs = point_set.counted[composite]
        launchers = point_set.runners.get((composite, boxes, colour), ())
        self._stability.look(point_set, composite, runs, launchers)


def _finish(finishes: Sequence[Callable[[], int]]) -> int:
    """Wait for the parts of a run; how many chunks they were."""
    return sum(finish() for finish in finishes)
