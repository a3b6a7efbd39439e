"""A plan with its memory on the GPU: compiled once, launched again and again.

On views a run is one launch. On the caller's arrays it is the chunk loop of a `Sweep`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from bridge.backends.base import Binding, bound
from bridge.backends.cuda.pieces import cut, lines
from bridge.backends.cuda.source import Source
from bridge.backends.cuda.sweep import Sweep
from bridge.errors import ArgumentError
from bridge.plan import Plan

if TYPE_CHECKING:
    from bridge.backends.cuda.backend import CudaBackend
    from bridge.backends.cuda.modules import DeviceShared

#: Points of a chunk where the caller gives none.
LINE = 131072


class CudaProgram:
    """What `CudaBackend.program` returns."""

    def __init__(
        self, backend: CudaBackend, plan: Plan, bindings: Mapping[str, Binding],
        shared: DeviceShared, source: Source | None = None,
    ) -> None:  # fmt: skip
        """source: a text that has this plan among others; its own if None."""
        self.plan = plan
        self._backend = backend
        self._shared = shared
        self._source = source
        self._bindings = bound(plan, bindings)
        self._points = min(binding.box.points for binding in self._bindings.values())
        self._sweeps: dict[bool, Sweep] = {}
        self._still: Sweep | None = None  # of memory that does not move: launched at once
        self._busy: Sweep | None = None

    def run(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 (0-based) of every binding."""
        if first < 0 or n < 0 or first + n > self._points:
            got = f"points {first} .. {first + n - 1} of {self.plan.name}"
            raise ArgumentError("n", got, f"points of the {self._points} that are bound")
        if n == 0:
            return
        backend = self._backend
        with backend.lock:
            backend.enter()
            if self._still is not None:
                self._still.go(first, n, backend.stream)
                return
            sweep = self._sweep(False)
            if sweep.moves:
                room = min(LINE, n)
                sweep.begin(lines(first, n, room), room)
                sweep.wait()
            else:
                sweep.settle_arguments()
                self._still = sweep
                sweep.go(first, n, backend.stream)

    def make_ready(self) -> None:
        """Compile, load and install now what a launch on views would."""
        with self._backend.entered():
            self._still = self._sweep(False)
            self._still.settle_arguments()
            self._still.install()

    def launch_on(self, stream: int, first: int, n: int) -> None:
        """`run` on views, on a stream, once `make_ready` has been called."""
        assert self._still is not None, f"{self.plan.name} is launched before it is ready"
        self._still.go(first, n, stream)

    def run_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> int:
        """All points of the bound arrays, in chunks of at most `chunk`; returns their number."""
        self.begin_box(points, chunk, unchanged)
        return self.wait_box()

    def begin_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> None:
        """Set `run_box` going; the host works on until `wait_box`."""
        with self._backend.entered():
            box = next(iter(self._bindings.values())).box
            sweep = self._sweep(True)
            if sweep.shaped:
                ratio = sweep.ratio(unchanged) if self._backend.sharers == 1 else None
                pieces = cut(box.extent, chunk, ratio)
            else:
                pieces = lines(0, points, chunk)
            self._busy = sweep
            sweep.begin(pieces, chunk, unchanged)

    def done(self) -> bool:
        """Whether the device has done what `begin_box` asked for."""
        with self._backend.entered():
            return self._busy is None or self._busy.done()

    def wait_box(self) -> int:
        """Results are in the caller's arrays; returns the number of chunks."""
        if self._busy is None:
            return 0
        with self._backend.entered():
            sweep, self._busy = self._busy, None
            return sweep.wait()

    def _sweep(self, whole: bool) -> Sweep:
        sweep = self._sweeps.get(whole)
        if sweep is None or not sweep.reaches:
            sweep = self._sweeps[whole] = Sweep(
                self._backend, self.plan, self._bindings, self._shared, whole, self._source
            )
        return sweep
