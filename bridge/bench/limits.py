"""What the machine of a GPU can do at most: its host link, its memory, its arithmetic.

The limits that `bridge bench offload` holds its figures against, measured in the same run.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any

from bridge.backends.base import Binding
from bridge.backends.cuda import CudaBackend
from bridge.backends.gpu.chunks import Chunk, Copies, axes, plan_copies
from bridge.bench.hostset import fringed
from bridge.measuring.report import Report, Row
from bridge.plan.plan import Plan

_PEAK = """
extern "C" __global__ void peak(double* out, double a, double b, int turns) {
    double x[8];
    #pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
    for (int turn = 0; turn < turns; ++turn) {
        #pragma unroll
        for (int k = 0; k < 8; ++k) x[k] = x[k] * a + b;
    }
    double sum = 0.0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) sum += x[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


class Clock:
    """Device time of work on the backend's stream, by events."""

    def __init__(self, backend: CudaBackend) -> None:
        self.backend = backend
        self._events = [backend.device.api.event(timing=True) for _ in range(2)]

    def seconds(self, work: Callable[[], Any], repeats: int = 7, inner: int = 1) -> float:
        """Median over repeats of one turn of `work`, after one that does not count."""
        api, stream = self.backend.device.api, self.backend.device.stream
        work()
        times = []
        for _ in range(repeats):
            api.record(self._events[0], stream)
            for _ in range(inner):
                work()
            api.record(self._events[1], stream)
            api.event_synchronize(self._events[1])
            times.append(api.elapsed(*self._events) * 1e-3 / inner)
        return median(times)


def wall(work: Callable[[], Any], repeats: int = 7) -> float:
    """Median wall-clock seconds of `work`, which returns when everything has happened."""
    work()
    work()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)


def copy_within(backend: CudaBackend, clock: Clock, report: Report) -> float:
    """Bytes per second that a copy within the device reads and writes; adds its row."""
    api, stream, size = backend.device.api, backend.device.stream, 1 << 29
    near, far = api.malloc(size), api.malloc(size)
    rate = 2 * size / clock.seconds(lambda: api.copy_async(far, near, size, stream))
    api.free(near)
    api.free(far)
    name = "copy within the device, read + written"
    report.rows.append(Row(name, {"MB": 2 * size >> 20}, 1e-9 * rate, "GB/s"))
    return rate


class LinkAlone:
    """The copies of a run, all of them, both ways at once and without a kernel: what is left of
    the host link when other ranks and other GPUs use it too."""

    def __init__(self, backend: CudaBackend, plan: Plan, bindings: Mapping[str, Binding]) -> None:
        self._backend = backend
        self._moves = [
            (lane, inward, self._copies(bindings[name]))
            for lane, (inward, names) in enumerate(((True, plan.inputs), (False, plan.outputs)))
            for name in names
        ]

    def _copies(self, binding: Binding) -> tuple[Copies, int, int]:
        box = binding.box
        joined = axes(box, Chunk((0, 0, 0), box.extent, 0), binding.columns, box.points)
        allocator = self._backend.device.allocator
        near = allocator.device(8 * box.points * binding.columns, "copies alone")
        weakref.finalize(self, allocator.free, near)
        return plan_copies(joined, 8), binding.address + 8 * box.offset, near

    def run(self) -> None:
        """Once there and back; outputs hold nothing of use afterwards."""
        backend = self._backend
        for lane, inward, (copies, far, near) in self._moves:
            copies.run(backend.device.api, far, near, inward, backend.device.streams[lane])
        backend.synchronize()


class Limits:
    """The host link, the device's memory and its double-precision arithmetic."""

    def __init__(self, backend: CudaBackend, clock: Clock, report: Report) -> None:
        self._backend, self._clock, self._report = backend, clock, report
        self._lanes = [backend.device.api.stream() for _ in range(2)]
        size = 1 << 29
        api = backend.device.api
        host, near, far = api.host_malloc(size), api.malloc(size), api.malloc(size)
        stream = backend.device.stream
        for name, target, source in (("to", near, host), ("from", host, near)):

            def copy(target: int = target, source: int = source) -> None:
                api.copy_async(target, source, size, stream)

            self._row(f"plain page-locked copy {name} the device", size, clock.seconds(copy))

        def both() -> None:
            api.copy_async(near, host, size // 2, self._lanes[0])
            api.copy_async(host + size // 2, far, size // 2, self._lanes[1])
            self._finish()

        self._row("plain copies, both ways at once, each", size // 2, wall(both))
        api.host_free(host)
        api.free(near)
        api.free(far)
        self.memory = copy_within(backend, clock, report)
        self.arithmetic = self._peak()

    def _finish(self) -> None:
        for stream in self._lanes:
            self._backend.device.api.stream_synchronize(stream)

    def _row(self, name: str, size: int, seconds: float, **named: Any) -> float:
        rate = size / seconds * 1e-9
        self._report.rows.append(Row(name, {"MB": size >> 20, **named}, rate, "GB/s"))
        return rate

    def _peak(self) -> float:
        from bridge.backends.cuda import cache

        backend = self._backend
        module = backend.device.api.load(cache.compiled(_PEAK, backend.device.arch).cubin)
        function, keep = backend.device.api.function(module, "peak", 0)
        blocks, threads, turns = backend.device.facts.processors * 8, 256, 4096
        out = backend.device.api.malloc(8 * blocks * threads)
        words = (
            ctypes.c_void_p(out),
            ctypes.c_double(0.999),
            ctypes.c_double(1e-3),
            ctypes.c_int(turns),
        )
        parameters = (ctypes.c_void_p * 4)(*map(ctypes.addressof, words))

        def launch() -> None:
            backend.device.api.launch(
                function, blocks, threads, 0, backend.device.stream, ctypes.addressof(parameters)
            )

        rate = 16 * turns * blocks * threads / self._clock.seconds(launch)
        self._report.rows.append(
            Row("double-precision multiply-adds", {}, rate * 1e-12, "TFLOP/s")
        )
        backend.device.api.free(out)
        del keep
        return rate

    def strided(self, block: int) -> dict[str, float]:
        """GB/s of interior bytes of a fringe array, for a direction alone and both at once."""
        backend, api = self._backend, self._backend.device.api
        columns, rates = 8, {}
        arrays = [fringed((block,) * 3, columns) for _ in range(2)]
        buffers = []
        moves = []
        for array, binding in arrays:
            backend.adopt(binding)
            size = 8 * columns * block**3
            buffers.append(api.malloc(size))
            piece = Chunk((0, 0, 0), (block, block, block), 0)
            copies = plan_copies(axes(binding.box, piece, columns, block**3), 8)
            moves.append((copies, array.ctypes.data + 8 * binding.box.offset, buffers[-1]))
        size = 8 * columns * block**3
        for name, inward in (("to", True), ("from", False)):

            def one(inward: bool = inward) -> None:
                copies, far, near = moves[0]
                copies.run(api, far, near, inward, backend.device.stream)

            rates[name] = self._row(
                f"strided copy {name} the device", size, self._clock.seconds(one), block=block
            )

        def both() -> None:
            for slot, inward in ((0, True), (1, False)):
                copies, far, near = moves[slot]
                copies.run(api, far, near, inward, self._lanes[slot])
            self._finish()

        rates["both"] = self._row(
            "strided copies, both ways at once, each", size, wall(both), block=block
        )
        for _, binding in arrays:
            backend.release(binding)
        for address in buffers:
            api.free(address)
        return rates
