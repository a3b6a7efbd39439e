"""Launcher: a name, its memory, its timer, and how it is launched.

It turns a plan and bindings into a program once and runs it again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from time import perf_counter_ns
from typing import Any, Protocol, cast

from bridge.backends.base import Backend, Binding, LoopingProgram, Program, RepeatingProgram
from bridge.plan.plan import Plan
from bridge.resident.uses import Touched
from bridge.timers import Timer


class Launcher:
    """One named kernel, or all kernels of a composite, on the memory it is bound to.

    name: what messages and the report call it; plan: what it runs; points: that it is bound to;
    touched: resident arrays that want to know of its runs; bindings: the memory, of each
    component; first: its first point, counted from that of the set.
    """

    def __init__(self, name: str, plan: Plan, backend: Backend, timer: Timer) -> None:
        self.name = name
        self.plan = plan
        self.timer = timer
        self.touched: Touched | None = None
        self._backend = backend
        self._program: Program | None = None
        self.points = 0
        self.bindings: tuple[Mapping[str, Binding], ...] = ()
        self.first = (0, 0, 0)

    def bind(
        self,
        bindings: Mapping[str, Binding],
        mode: str = "fused",
        further: Sequence[Mapping[str, Binding]] = (),
    ) -> None:
        """Prepare the program on this memory; what it was bound to before is dropped.

        mode: as one kernel ("fused"), its kernels one by one ("stream"), or these as one "graph";
        a CPU goes from kernel to kernel in any case; further: components that "fused" takes as
        well.
        """
        self.points = min((binding.box.points for binding in bindings.values()), default=0)
        self.bindings = (bindings, *further)
        if mode == "fused":
            self._program = self._backend.program(self.plan, bindings, further)
        else:
            self._program = self._backend.launch_sequence(self.plan, bindings, mode == "graph")

    @property
    def bound(self) -> bool:
        return self._program is not None

    def launch(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 of the bound memory."""
        assert self._program is not None, f"{self.name} is launched before it is bound"
        start = perf_counter_ns()
        self._program.run(first, n)
        self.timer.past(start, perf_counter_ns())

    def repeated(self, n: int) -> Callable[[], None] | None:
        """What launches on the first n points as often as it is called, and nothing else but
        that; None where the program has no such thing."""
        if not hasattr(self._program, "repeated"):
            return None
        run, timer = cast("RepeatingProgram", self._program).repeated(n), self.timer

        def again() -> None:
            start = perf_counter_ns()
            run()
            timer.past(start, perf_counter_ns())

        return again

    def launch_chunk(self, first: int, n: int) -> None:
        """`launch` for a part of a call that is timed as a whole."""
        assert self._program is not None, f"{self.name} is launched before it is bound"
        self._program.run(first, n)

    @property
    def loops(self) -> bool:
        """Whether the program goes over all points by itself (a GPU works on several
        chunks at a time): then `begin_all` and `wait_all` are there."""
        return hasattr(self._program, "begin_box")

    @property
    def launches(self) -> bool:
        """Whether a run of all points launches on memory of a device, and does nothing else."""
        return bool(getattr(self._program, "launches", False))

    def begin_all(self, points: int, n_grid_points: int, unchanged: Collection[str] = ()) -> None:
        """Set all points going, in chunks; unchanged: inputs that are as the set's
        latest run saw them."""
        start = perf_counter_ns()
        self._looping.begin_box(points, n_grid_points, unchanged)
        self.timer.past(start, perf_counter_ns())

    def wait_all(self) -> int:
        """What `begin_all` set going has happened; returns the number of chunks."""
        chunks = self._looping.wait_box()
        self.timer.chunks += chunks
        self.timer.spend(*self._looping.spent())
        return chunks

    @property
    def _looping(self) -> LoopingProgram:
        assert self.loops, f"{self.name} has no loop of its own"
        return cast("LoopingProgram", self._program)


class Watch(Protocol):
    """What looks at launches and runs, and at loops of the host that are compared with runs."""

    def wants(self, set: str, what: str, points: int) -> bool:
        """Whether it looks at the next run of something on a set; else it counts that run."""
        ...

    def before(self, launcher: Launcher, points: int, of: Any = None) -> Callable[[], None] | None:
        """A launch on the first points, or on those of a set, comes; what is returned belongs
        after it."""
        ...

    def loop_begins(self, of: Any, plan: Plan, bindings: Mapping[str, Binding]) -> None:
        """A loop of the host on the points of a set comes."""
        ...

    def loop_ended(self, of: Any, what: str) -> None:
        """It has left its results; what: runs beside it."""
        ...
