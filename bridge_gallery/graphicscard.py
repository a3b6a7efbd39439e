"""Rungs on a GPU, through the driver, compiler, cache and memory that the bridge's kernels use."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from bridge.backends.cuda import CudaBackend, cache
from bridge.backends.cuda.compiler import Resources
from bridge.backends.gpu.modules import Plain
from bridge.backends.gpu.ndarrays import cupy_stream
from bridge.bench.limits import Clock
from bridge.errors import DeviceError
from bridge_gallery import textures
from bridge_gallery.overtaking import Recorded, Side
from bridge_gallery.rung import (
    KERNELS,
    PROCESSORS,
    Arrays,
    Call,
    Extent,
    Launch,
    Problem,
    Rung,
    words,
)

#: Work that is timed as one lasts at least so long: events of a GPU count half microseconds.
SHORTEST = 5e-4
#: Times of each rung, of which the median counts.
REPEATS = 11


class GraphicsCard:
    """Implements `running.Machine` on the device of a backend."""

    name = "cuda"

    def __init__(self, backend: CudaBackend) -> None:
        self.backend = backend
        self.device = backend.device
        self.clock = Clock(backend)
        self._memory: dict[str, tuple[int, np.dtype[Any], tuple[int, ...]]] = {}
        self._textures: dict[str, int] = {}

    def describe(self) -> dict[str, Any]:
        return self.backend.describe()

    # ---- arrays -------------------------------------------------------------------------

    def load(self, problem: Problem, arrays: Arrays) -> None:
        """Put a problem's arrays on the device; those of the problem before are freed."""
        self.clear()
        allocator = self.device.allocator
        for name, values in arrays.items():
            address = allocator.device(values.nbytes, f"array {name} of {problem.title}")
            self._memory[name] = (address, values.dtype, values.shape)
            self._put(address, values)

    def expect(self, problems: Sequence[Problem]) -> None:
        """Each kernel is compiled when it is wanted, and kept in the cache."""

    def restore(self, arrays: Arrays) -> None:
        """The arrays as they were before a rung ran."""
        self.backend.synchronize()
        for name, values in arrays.items():
            self._put(self._memory[name][0], values)

    def _put(self, address: int, values: np.ndarray) -> None:
        if values.strides and 0 in values.strides:  # one value, as of an output that is filled
            self.device.api.clear(address, values.nbytes, self.device.stream)
            self.backend.synchronize()
        else:
            self.device.allocator.put(address, np.ascontiguousarray(values))

    def fetch(self, name: str) -> np.ndarray:
        """An array as it is on the device now."""
        address, dtype, shape = self._memory[name]
        self.backend.synchronize()
        values = np.empty(shape, dtype)
        self.device.api.copy(values.ctypes.data, address, values.nbytes)
        return values

    def address(self, name: str) -> int:
        """Of an array, on the device."""
        return self._memory[name][0]

    def arrays(self) -> dict[str, Any]:
        """The arrays as CuPy's, without a copy."""
        import cupy

        views = {}
        for name, (address, dtype, shape) in self._memory.items():
            size = int(np.prod(shape)) * dtype.itemsize
            memory = cupy.cuda.UnownedMemory(address, size, self)
            views[name] = cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0))
        return views

    def clear(self) -> None:
        """Free the arrays."""
        self.backend.synchronize()
        for texture in self._textures.values():
            textures.destroy(texture)
        self._textures.clear()
        for address, _, _ in self._memory.values():
            self.device.allocator.free(address)
        self._memory.clear()

    # ---- rungs --------------------------------------------------------------------------

    def prepare(self, text: str, rung: Rung) -> Callable[[], None]:
        """What sets the rung going once, on the device's stream."""
        if rung.library is not None:
            return self._library(rung.library)
        whole = full_text(text, rung.definitions)
        compiled = cache.compiled(whole, self.device.arch, options=rung.options)
        plain = {
            (one.kernel, one.shared): self.device.modules.plain(
                compiled.cubin, one.kernel, one.shared
            )
            for one in rung.kernels
        }
        for symbol, contents in rung.constants.items():
            values = (
                self.fetch(contents)
                if isinstance(contents, str)
                else np.frombuffer(b"".join(words(contents, self.address, self.texture)), "u1")
            )
            for module in {id(one.module): one.module for one in plain.values()}.values():
                self.device.allocator.put(self.device.api.symbol(module, symbol), values)
        calls: list[Callable[[], None]] = []
        for part in rung.parts():
            if isinstance(part, Call):
                calls.append(self._library(part.work))
            else:
                calls += self._part(rung, part, plain)
        if len(calls) == 1:
            return calls[0]

        def run() -> None:
            for call in calls:
                call()

        return run

    def _part(
        self, rung: Rung, launches: list[Launch], plain: Mapping[tuple[str, int], Plain]
    ) -> list[Callable[[], None]]:
        """Launches that follow each other, in the way of the rung."""
        on = [self._call(plain[one.kernel, one.shared], one) for one in launches]
        stream = self.device.stream
        if rung.streams > 1:
            calls = [Side(self.device, launches, on, rung.streams).run]
        else:
            calls = [partial(go, stream) for go in on]
        if not rung.graph:
            return calls

        def all_of_them() -> None:
            for call in calls:
                call()

        return [Recorded(self.device, all_of_them).run]

    def grid(self, launch: Launch) -> Extent:
        """Of a launch, on this device."""
        count = self.device.facts.processors
        x, y, z = (count if one == PROCESSORS else one for one in launch.grid)
        return x, y, z

    def texture(self, name: str) -> int:
        """An object that reads an array of floats."""
        if name not in self._textures:
            address, dtype, shape = self._memory[name]
            size = int(np.prod(shape)) * dtype.itemsize
            self._textures[name] = textures.make(address, size)
        return self._textures[name]

    def parameters(self, launch: Launch) -> tuple[Any, list[Any]]:
        """The array of addresses that a driver wants, and what keeps it alive."""
        kept: list[Any] = [
            ctypes.create_string_buffer(one, len(one))
            for one in words(launch.arguments, self.address, self.texture)
        ]
        return (ctypes.c_void_p * len(kept))(*map(ctypes.addressof, kept)), kept

    def _call(self, plain: Plain, launch: Launch) -> Callable[[int], None]:
        device, function = self.device, plain.function
        given, kept = self.parameters(launch)
        at, grid = ctypes.addressof(given), self.grid(launch)
        block, shared = launch.block, launch.shared
        go = device.api.launch_together if launch.together else device.api.launch_grid

        def call(stream: int, keep: Any = (plain, given, kept)) -> None:
            try:
                go(function, grid, block, shared, stream, at)
            except device.api.errors as error:
                raise device.failure(launch.kernel, error) from error

        return call

    def _library(self, work: Callable[[Mapping[str, Any]], None]) -> Callable[[], None]:
        arrays, stream = self.arrays(), cupy_stream(self.device)

        def run() -> None:
            with stream:
                work(arrays)

        return run

    def resources(self, text: str, rung: Rung) -> list[Resources]:
        """What the kernels of a rung take."""
        if rung.library is not None:
            return []
        whole = full_text(text, rung.definitions)
        compiled = cache.compiled(whole, self.device.arch, options=rung.options)
        names = {launch.kernel for launch in rung.kernels}
        return [one for one in compiled.resources if one.kernel in names]

    def seconds(self, work: Callable[[], None]) -> float:
        """Of the device, by events; the median of several."""
        once = self.clock.seconds(work, repeats=3)
        inner = max(1, min(200, round(SHORTEST / max(once, 1e-7))))
        return self.clock.seconds(work, repeats=REPEATS, inner=inner)


def full_text(text: str, definitions: Mapping[str, object]) -> str:
    """What the compiler gets."""
    before = "".join(f"#define {name} {value}\n" for name, value in definitions.items())
    header = (KERNELS / "gpu.h").read_text(encoding="utf-8").replace("#pragma once\n", "")
    return f"{header}{before}{text}"


def open_card() -> GraphicsCard | None:
    """The GPU of this process; None where none is usable."""
    try:
        return GraphicsCard(CudaBackend())
    except DeviceError:
        return None
