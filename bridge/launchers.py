"""Launcher: a name, its memory, its timer, and how it is launched.

It turns a plan and bindings into a program once. A launch on views is of the first points
(`launch`), a run of a set of all of them, in the form that its program has (`AllPoints`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from time import perf_counter_ns
from typing import Any, Protocol, cast

from bridge.backends.base import (
    Backend,
    Binding,
    LoopingProgram,
    NativeCall,
    Program,
    RepeatingProgram,
)
from bridge.errors import BridgeError, OutOfMemoryError
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

    @property
    def programs(self) -> Sequence[Program]:
        """What a run of all points is made of."""
        return () if self._program is None else (self._program,)

    @property
    def repeating(self) -> RepeatingProgram | None:
        """The program, if it is one function for any number of points."""
        found = self._program if hasattr(self._program, "native") else None
        return cast("RepeatingProgram | None", found)

    def launch(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 of the bound memory."""
        assert self._program is not None, f"{self.name} is launched before it is bound"
        start = perf_counter_ns()
        self._program.run(first, n)
        self.timer.past(start, perf_counter_ns())

    def all_points(self, chunk: int, wait: Timer) -> AllPoints:
        """All points in chunks of at most so many, as often as is asked for; wait: times the
        waits for a program that works on meanwhile."""
        program = self._program
        assert program is not None, f"{self.name} is run before it is bound"
        if hasattr(program, "begin_box"):
            looping = cast("LoopingProgram", program)
            return Looping([(looping, self.points)], chunk, self.timer, wait)
        if hasattr(program, "repeated"):
            repeating = cast("RepeatingProgram", program)
            if 0 < self.points and (self.points <= chunk or repeating.whole):
                return AtOnce([(repeating, self.points)], self.timer)
        return InChunks(program, self.points, chunk, self.timer)


class AllPoints(Protocol):
    """All points of a launcher, in the form that its program has for them.

    failed_at: where a `begin` that raised came to, "" where that has no name.
    """

    failed_at: str

    def begin(self, unchanged: Collection[str]) -> None:
        """Set them going; a CPU has done them when this returns. unchanged: inputs that are as
        the set's latest run met them."""
        ...

    def finish(self) -> int:
        """What was begun has happened; returns the number of chunks."""
        ...

    def natives(self) -> list[NativeCall]:
        """The same for callers that are no Python; none where only Python can do it. Asked once
        it has run."""
        ...

    def add(self, calls: int, total: int, shortest: int, longest: int) -> None:
        """So many were done without Python, which took so many nanoseconds."""
        ...

    def failure(self) -> BridgeError | None:
        """Why such a call failed, if one did."""
        ...


class AtOnce:
    """In one call of each program, which does nothing else, and returns when it has done it."""

    __slots__ = ("_calls", "_programs", "_timer")
    failed_at = ""

    def __init__(self, programs: Sequence[tuple[RepeatingProgram, int]], timer: Timer) -> None:
        self._programs = programs
        self._calls = tuple(program.repeated(points) for program, points in programs)
        self._timer = timer

    def natives(self) -> list[NativeCall]:
        """The calls."""
        return [program.native(points) for program, points in self._programs]

    def add(self, calls: int, total: int, shortest: int, longest: int) -> None:
        """See `AllPoints`."""
        if calls:
            self._timer.merge(calls, total, shortest, longest)
            self._timer.chunks += calls

    def failure(self) -> OutOfMemoryError:
        """A call fails for one reason."""
        return self._programs[0][0].no_memory()

    def begin(self, unchanged: Collection[str]) -> None:
        start = perf_counter_ns()
        for call in self._calls:
            call()
        self._timer.past(start, perf_counter_ns())

    def finish(self) -> int:
        self._timer.chunks += 1
        return 1


class InChunks:
    """One chunk after the other. A failure names the chunk: results of those before it are in
    the arrays already."""

    __slots__ = ("_chunk", "_chunks", "_points", "_program", "_timer", "failed_at")

    def __init__(self, program: Program, points: int, chunk: int, timer: Timer) -> None:
        self._program, self._points, self._chunk, self._timer = program, points, chunk, timer
        self._chunks = -(-points // chunk)
        self.failed_at = ""

    def begin(self, unchanged: Collection[str]) -> None:
        start, points, chunk = perf_counter_ns(), self._points, self._chunk
        for first in range(0, points, chunk):
            n = min(chunk, points - first)
            try:
                self._program.run(first, n)
            except Exception:
                number = f"chunk {first // chunk + 1} of {self._chunks}"
                self.failed_at = f"{number} (points {first + 1}..{first + n})"
                raise
        self._timer.past(start, perf_counter_ns())

    def finish(self) -> int:
        self._timer.chunks += self._chunks
        return self._chunks

    def natives(self) -> list[NativeCall]:
        """None: a failure has to name the chunk."""
        return []

    def add(self, calls: int, total: int, shortest: int, longest: int) -> None:
        """Nothing is done by others."""

    def failure(self) -> None:
        """None: nothing is done by others."""


class Looping:
    """By programs that go over their points by themselves, one behind the other, and work on
    meanwhile (a GPU works on several chunks at a time).

    chunk: points of a chunk at most; None where each program takes all of its own at once, which
    together are one chunk; wait: times the waits.
    """

    __slots__ = ("_chunk", "_chunks", "_programs", "_timer", "_wait")
    failed_at = ""

    def __init__(
        self, programs: Sequence[tuple[LoopingProgram, int]], chunk: int | None, timer: Timer,
        wait: Timer,
    ) -> None:  # fmt: skip
        self._programs, self._chunk, self._timer, self._wait = programs, chunk, timer, wait
        self._chunks = 0  # of the latest run

    def begin(self, unchanged: Collection[str]) -> None:
        start, chunk = perf_counter_ns(), self._chunk
        for program, points in self._programs:
            if chunk is None:
                program.begin_box(points, points)
            else:
                program.begin_box(points, chunk, unchanged)
        self._timer.past(start, perf_counter_ns())

    def finish(self) -> int:
        start, chunks = perf_counter_ns(), 0
        for program, _ in self._programs:
            chunks += program.wait_box()
            self._timer.spend(*program.spent())
        if self._chunk is None:
            chunks = 1
        self._chunks = chunks
        self._timer.chunks += chunks
        self._wait.past(start, perf_counter_ns())
        return chunks

    def natives(self) -> list[NativeCall]:
        """Those of all programs, where each has one."""
        found = [program.natives() for program, _ in self._programs]
        return [call for calls in found for call in calls] if all(found) else []

    def add(self, calls: int, total: int, shortest: int, longest: int) -> None:
        """Such runs are launches alone, for which nobody waits."""
        if calls:
            self._timer.merge(calls, total, shortest, longest)
            self._timer.chunks += calls * self._chunks
            self._wait.merge(calls, 0, 0, 0)

    def failure(self) -> BridgeError | None:
        """Of the first program that failed."""
        found = (program.failure() for program, _ in self._programs)
        return next((error for error in found if error is not None), None)


class Watch(Protocol):
    """What looks at launches and runs, and at loops of the host that are compared with runs."""

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
