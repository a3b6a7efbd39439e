"""A plan with its memory on the GPU: compiled at its first run, launched again and again.

On views a run is one launch. On the caller's arrays it is the chunk loop of a `Pipeline`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from bridge.backends.base import Binding, NativeCall, Spent, bound
from bridge.backends.gpu.arrays import Arrays
from bridge.backends.gpu.chunks import Chunk, cut, cut_consecutive
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.launch import Launch
from bridge.backends.gpu.modules import DeviceShared
from bridge.backends.gpu.order import MAIN
from bridge.backends.gpu.pipeline import Pipeline
from bridge.backends.gpu.source import Source
from bridge.errors import ArgumentError, BridgeError
from bridge.plan.plan import Plan

#: `chunk` where the caller gives none.
DEFAULT_CHUNK = 131072


class GpuProgram:
    """What `CudaBackend.program` returns."""

    def __init__(
        self, device: Device, plan: Plan, bindings: Mapping[str, Binding],
        shared: DeviceShared, source: Source | None = None,
    ) -> None:  # fmt: skip
        """source: a text that has this plan among others; its own if None."""
        self.plan = plan
        self._device = device
        self._shared = shared
        self._source = source
        self._bindings = bound(plan, bindings)
        self._points = min(binding.box.points for binding in self._bindings.values())
        self._pipelines: dict[bool, Pipeline] = {}
        self._launch: Launch | None = None  # on memory that does not move
        self._busy: Pipeline | None = None
        # views are met by nothing but what goes on the main stream
        self._of_set = any(binding.group for binding in self._bindings.values())
        self._reads_constants = any(
            device.host_data.constant(binding.address) is not None
            for binding in self._bindings.values()
        )
        self._spent = Spent(0, 0)

    def run(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 (0-based) of every binding."""
        if first < 0 or n < 0 or first + n > self._points:
            got = f"points {first} .. {first + n - 1} of {self.plan.name}"
            raise ArgumentError("n", got, f"points of the {self._points} that are bound")
        if n == 0:
            return
        device = self._device
        with device.lock:
            device.enter()
            if self._of_set:
                device.order.alone()
            if self._launch is not None:
                self._launch.go(first, n, device.stream)
                return
            pipeline = self._pipeline(False)
            if pipeline.arrays.moves:  # arrays of the host, or constants
                chunk = min(DEFAULT_CHUNK, n)
                pipeline.begin(cut_consecutive(first, n, chunk), chunk)
                pipeline.wait()
            else:
                self._on_views(pipeline).go(first, n, device.stream)

    def follow_constants(self) -> None:
        """`launch_on` the main stream comes next: what writes constants is on other ones."""
        if self._reads_constants:
            self._device.order.begin((self._device.host_data.block[0],), (), MAIN)

    def make_ready(self) -> None:
        """Compile, load and install now what a launch on views would."""
        with self._device.entered():
            self._on_views(self._pipeline(False)).install()

    def launch_on(self, stream: int, first: int, n: int) -> None:
        """`run` on views, on a stream, once `make_ready` has been called."""
        assert self._launch is not None, f"{self.plan.name} is launched before it is ready"
        self._launch.go(first, n, stream)

    def run_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> int:
        """All points of the bound arrays, in chunks of at most `chunk`; returns their number."""
        self.begin_box(points, chunk, unchanged)
        return self.wait_box()

    def begin_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> None:
        """Set `run_box` going; the host works on until `wait_box`."""
        with self._device.entered():
            box = next(iter(self._bindings.values())).box
            pipeline = self._pipeline(True)
            if pipeline.arrays.strided:
                ratio = pipeline.arrays.ratio(unchanged) if self._device.sharers == 1 else None
                chunks = cut(box.extent, chunk, ratio)
            else:
                chunks = cut_consecutive(0, points, chunk)
            self._busy = pipeline
            pipeline.begin(chunks, chunk, unchanged)

    def done(self) -> bool:
        """Whether the device has done what `begin_box` asked for."""
        with self._device.entered():
            return self._busy is None or self._busy.done()

    def wait_box(self) -> int:
        """Results are in the caller's arrays; returns the number of chunks."""
        if self._busy is None:
            return 0
        with self._device.entered():
            pipeline, self._busy = self._busy, None
            chunks = pipeline.wait()
            self._spent = pipeline.spent
            return chunks

    def natives(self) -> list[NativeCall]:
        """None: a loop over chunks is Python's."""
        return []

    def failure(self) -> BridgeError | None:
        """None: nobody else asks for it."""
        return None

    def spent(self) -> Spent:
        """Of the latest run that was waited for."""
        return self._spent

    def _pipeline(self, box_chunks: bool) -> Pipeline:
        """The loop over chunks of a box (`Arrays.box_chunks`) or of consecutive points; compiled
        when it is asked for first."""
        pipeline = self._pipelines.get(box_chunks)
        if pipeline is None or not pipeline.arrays.reachable:
            arrays = Arrays(self._device, self.plan, self._bindings, box_chunks)
            launch = Launch.compile(
                self._device, self.plan, self._shared, arrays.access, self._source
            )
            pipeline = self._pipelines[box_chunks] = Pipeline(
                self._device, self.plan.name, arrays, launch
            )
        return pipeline

    def _on_views(self, pipeline: Pipeline) -> Launch:
        """The launch on memory that does not move, its arguments set once and for all."""
        pipeline.launch.set(*pipeline.arrays.places(Chunk((0, 0, 0), (1, 1, 1), 0), 0))
        self._launch = pipeline.launch
        return pipeline.launch
