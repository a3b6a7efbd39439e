"""A launch on views, kept ready: good as long as another look would find the same inputs.

Made by TVImpl, kept by TVProperties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bridge.launchers import Launcher
from bridge.memory.constants import ConstantView
from bridge.memory.views import View, Views, Written

#: What holds an input of a launch on views.
Held = View | ConstantView
#: What a launch reads, each with what could come in its place.
Inputs = Sequence[tuple[Held, tuple[Held, ...]]]


class Prepared:
    """A launch on views that is good for another time: as long as it is `valid`."""

    def __init__(
        self,
        safe_launch: Callable[[Launcher, int], None],
        launcher: Launcher,
        inputs: Inputs,
        outputs: Sequence[View],
        views: Views,
    ) -> None:
        self._safe_launch = safe_launch
        self._launcher = launcher
        self._inputs = inputs
        self._outputs = outputs
        self._written = Written()
        self._all = views
        self._made = views.allocations

    def valid(self, n: int, thread: int) -> bool:
        """Whether a new look at all views would find the same inputs, filled for n points, and
        no values of another thread in place of the caller's."""
        views = self._all
        if not 0 < n <= views.n_grid_points or views.allocations != self._made:
            return False
        for view, rivals in self._inputs:
            written = view.written
            if written.filled < n:
                return False
            if written.writer != thread and any_foreign(view, rivals, thread):
                return False
            for rival in rivals:
                if rival.written.stamp > written.stamp:
                    return False
        return True

    def launch(self, n: int, thread: int) -> None:
        """On the first n points, for the calling thread."""
        self._safe_launch(self._launcher, n)
        written = self._written
        if written.views == len(self._outputs) and written.writer == thread:
            written.mark(n)
        else:
            written.mark_all(self._outputs, n, thread)


def any_foreign(view: Held, rivals: Iterable[Held], thread: int) -> Held | None:
    """The view that a thread wrote, whose values a launch would not read: another thread has
    written this input since."""
    if view.written.writer == thread:
        return None
    mine = (one for one in (view, *rivals) if thread in one.writers)
    return next(mine, None)
