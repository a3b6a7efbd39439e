"""A run that was made before, set going once more and waited for, without a new look at its set.

Between TVImpl, which makes runs, and BoundSets, which keeps this for as long as the arrays of the
set stay as they are. Of runs whose programs do nothing but launch: all their arrays are on a
device.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter_ns

from bridge.launchers import Launcher
from bridge.tvimpl import TVImpl


class Relaunch:
    """Made by `of`. name: of the composite or kernel."""

    __slots__ = ("_impl", "_label", "_parts", "_wait", "name")

    def __init__(
        self, impl: TVImpl, launchers: Sequence[Launcher], name: str, label: str
    ) -> None:  # fmt: skip
        self.name = name
        self._impl = impl
        self._label = label
        self._parts = [(one, one.touched, one.points) for one in launchers]
        self._wait = impl.timers[f"wait {launchers[0].plan.name}"]

    @classmethod
    def of(
        cls, impl: TVImpl, launchers: Sequence[Launcher], name: str, label: str
    ) -> Relaunch | None:
        """None where a run does more than to launch."""
        if not launchers or not all(
            one.launches and one.points > 0 and (one.touched is None or one.touched.quiet)
            for one in launchers
        ):
            return None
        return cls(impl, launchers, name, label)

    def begin(self) -> None:
        """Set the run going."""
        for launcher, touched, points in self._parts:
            if touched is not None:
                touched.before(self._label)
            try:
                launcher.begin_all(points, points)
            except Exception as error:
                with self._impl.incomplete(launcher, self._label):
                    raise error

    def finish(self) -> int:
        """Wait for it; returns the number of chunks."""
        start, chunks = perf_counter_ns(), 0
        for launcher, _, _ in self._parts:
            try:
                chunks += launcher.wait_all()
            except Exception as error:
                with self._impl.incomplete(launcher, self._label):
                    raise error
        self._wait.add(perf_counter_ns() - start)
        return chunks
