"""KeptRuns: what a set of points keeps ready for the next run, reduction or move of its arrays.

Base of PointSet. All of it is good until an array of the set, or what runs read besides, changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from bridge.bound.boxes import Boxes
from bridge.launchers import Launcher
from bridge.plan.plan import Plan
from bridge.relaunch import Relaunch
from bridge.resident.uses import MovedBoxes

#: Runs on boxes that a set keeps ready.
MOST_BOXES = 256
#: Name of a composite or kernel, boxes and colour of a run.
Run = tuple[str, Boxes, int | None]


class Runs:
    """Of one composite on one set: how many there were, and how many are left until the one that
    `Stability` looks at; 0 or less where it looks at none."""

    __slots__ = ("due", "left")

    def __init__(self, due: int) -> None:
        self.due = self.left = due

    @property
    def number(self) -> int:
        return self.due - self.left


class Repeat(NamedTuple):
    """A run once more: what it runs, the call that does it and returns its chunks, and what counts
    such runs."""

    which: str
    again: Callable[[], int]
    runs: Runs


class KeptRuns:
    """What is prepared on the arrays of one set."""

    def __init__(self) -> None:
        #: A launcher for each box.
        self.runners: dict[Run, list[Launcher]] = {}
        #: What does a run once more, by the name that the caller gave it.
        self.repeats: dict[Run, Repeat] = {}
        #: Runs that launch and do nothing else, by the name that the caller gave and boxes; None
        #: of those that do more.
        self.launched: dict[tuple[str, Boxes], Relaunch | None] = {}
        #: By name of a composite: counts its runs, and stays. Boxes and colour of the latest run.
        self.counted: dict[str, Runs] = {}
        self.latest: tuple[Boxes, int | None] = None, None
        #: Of Reductions: what is prepared, and memory for what kernels make, which stays.
        self.reducers: dict[tuple[str, int | str | None], Any] = {}
        self.memory: Any = None
        #: Of Comparisons: by name, what runs all points on copies; by several sets and names, what
        #: runs these one after the other.
        self.comparers: dict[str, Any] = {}
        self.chains: dict[tuple[tuple[str, str], ...], Any] = {}
        #: Boxes of arrays that are moved, by what asked for them.
        self.boxes: dict[tuple[str, bytes | None, bool], MovedBoxes] = {}

    def keep_runners(self, key: Run, runners: list[Launcher]) -> None:
        """What runs a composite or kernel once more. Of runs on boxes the latest ones are kept:
        boxes may move at every step, and stages have memory of their own."""
        on_boxes = [known for known in self.runners if known[1] is not None]
        if key[1] is not None and len(on_boxes) >= MOST_BOXES:
            oldest = on_boxes[0]
            del self.runners[oldest]
            for known in [one for one in self.repeats if one[1:] == oldest[1:]]:
                del self.repeats[known]
            for name, boxes in [one for one in self.launched if one[1] == oldest[1]]:
                del self.launched[name, boxes]
        self.runners[key] = runners

    def forget_runners(self) -> None:
        self.runners.clear()
        self.repeats.clear()
        self.launched.clear()
        self.reducers.clear()
        self.comparers.clear()
        self.chains.clear()
        self.boxes.clear()

    def runner(self, name: str) -> Launcher:
        """What runs all points of a composite or kernel, as it did last."""
        [launcher] = self.runners[name, None, None]
        return launcher

    def plans(self, name: str) -> list[Plan]:
        """Of the runs of a composite or kernel so far."""
        found = [runners for (which, *_), runners in self.runners.items() if which == name]
        return [runners[0].plan for runners in found if runners]
