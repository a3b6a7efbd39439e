"""Memory of the GPU backend: views, page-locked staging, buffers of chunks."""

from __future__ import annotations

import ctypes
import weakref
from array import array
from bisect import bisect
from collections.abc import Callable, Iterator
from threading import Lock, RLock
from typing import Any

import numpy as np

from bridge import log
from bridge.backends.base import Box
from bridge.backends.gpu.driver import Driver
from bridge.backends.host.memory import HostArray
from bridge.errors import OutOfMemoryError

#: Bytes of the page-locked buffer through which small copies go.
BOUNCE = 1 << 18
#: No address is so large.
_BEYOND = 1 << 64
#: Bytes of a cache line.
CACHE_LINE = 64

#: What helps where chunks and views do not fit.
SMALLER = "lower MaxBlock (nGridPoints of frame_initialize) or give this GPU fewer ranks"


class Allocator:
    """Device and page-locked memory; counts what it gives, frees it all at `close`."""

    def __init__(self, api: Driver) -> None:
        self.api = api
        self.count = 0
        self._device: dict[int, int] = {}
        self._spans: list[tuple[int, int]] = []  # first and one past the last byte, in order
        self._spans_lock = RLock()  # a finalizer may give memory back while this thread has it
        self._host: set[int] = set()
        self._bounce = 0
        self._bounce_lock = Lock()

    def put(self, address: int, values: np.ndarray) -> None:
        """Bytes of a C-ordered host array to the device; they are there when it returns.

        Through page-locked memory of our own: a plain copy refuses an array of which a caller's
        page-locked array holds a part (they share a page), and returns before a copy from
        ordinary memory has reached the device.
        """
        with self._bounce_lock:
            for host, at, size in self._parts(values):
                ctypes.memmove(self._bounce, host, size)
                self.api.copy(address + at, self._bounce, size)

    def get(self, address: int, values: np.ndarray) -> None:
        """Bytes of the device into a C-ordered host array."""
        with self._bounce_lock:
            for host, at, size in self._parts(values):
                self.api.copy(self._bounce, address + at, size)
                ctypes.memmove(host, self._bounce, size)

    def _parts(self, values: np.ndarray) -> Iterator[tuple[int, int, int]]:
        """(address, its distance from the array's start, bytes) of what travels at a time."""
        self._bounce = self._bounce or self.host(BOUNCE)
        for at in range(0, values.nbytes, BOUNCE):
            yield values.ctypes.data + at, at, min(BOUNCE, values.nbytes - at)

    def device(self, size: int, what: str, helps: str = SMALLER) -> int:
        """Address of `size` bytes; OutOfMemoryError names what they were for and what helps."""
        try:
            address = self.api.malloc(size)
        except OutOfMemoryError as error:
            raise OutOfMemoryError(f"{what}: {error}: {helps}") from error
        self._device[address] = size
        self._keep_spans()
        self.count += 1
        return address

    def host(self, size: int) -> int:
        """Address of `size` page-locked bytes."""
        address = self.api.host_malloc(size)
        self._host.add(address)
        self.count += 1
        return address

    def free(self, address: int) -> None:
        """Give back what starts at an address; what is not (or no longer) held is left alone."""
        if self._device.pop(address, None) is not None:
            self._keep_spans()
            self.api.free(address)
        elif address in self._host:
            self._host.remove(address)
            self.api.host_free(address)

    def holds(self, address: int) -> bool:
        """Whether an address lies in device memory from here; another thread may take or give
        back some meanwhile."""
        return self.start_of(address) is not None

    def start_of(self, address: int) -> int | None:
        """Where the device memory from here begins that an address lies in."""
        spans = self._spans
        at = bisect(spans, (address, _BEYOND)) - 1
        return spans[at][0] if at >= 0 and address < spans[at][1] else None

    def _keep_spans(self) -> None:
        """A new list for those who look an address up: another thread may do so meanwhile. Where
        the garbage collector runs in here and a finalizer calls `free`, the list is made again."""
        with self._spans_lock:
            while True:
                held = self._device.copy()
                self._spans = sorted((start, start + size) for start, size in held.items())
                if held == self._device:
                    return

    def close(self) -> None:
        for address in [*self._device, *self._host]:
            self.free(address)
        self._bounce = 0


class DeviceArray:
    """Memory of a view on the device: (columns, capacity), point index fastest.

    finish: waits for whatever works on it; what the host does to it comes after that.
    """

    def __init__(
        self, allocator: Allocator, columns: int, capacity: int, dtype: str, what: str,
        finish: Callable[[], None],
    ) -> None:  # fmt: skip
        self._finish = finish
        self.dtype = np.dtype(dtype)
        self.shape = (columns, capacity)
        self.itemsize = self.dtype.itemsize
        self.nbytes = columns * capacity * self.itemsize
        self.strides = (capacity * self.itemsize, self.itemsize)
        self.address = allocator.device(self.nbytes, what)
        self._allocator = allocator
        self._free = weakref.finalize(self, allocator.free, self.address)

    def __setitem__(self, where: Any, value: float) -> None:
        """One value everywhere: array[...] = value."""
        filled = np.full(self.shape, value, self.dtype)
        self._finish()
        self._allocator.put(self.address, filled)

    def get(self) -> np.ndarray:
        """A copy on the host."""
        host = np.empty(self.shape, self.dtype)
        self._finish()
        self._allocator.get(self.address, host)
        return host

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, False),
            "version": 3,
            "strides": None,
        }


class Staging:
    """One page-locked buffer that grows, seen as arrays of (columns, points)."""

    def __init__(self, allocator: Allocator) -> None:
        self._allocator = allocator
        self._address = 0
        self.size = 0
        self._arrays: dict[tuple[int, int, str | np.dtype], HostArray] = {}

    def array(self, columns: int, points: int, dtype: str | np.dtype) -> HostArray:
        """The buffer's beginning as an array; earlier arrays share it."""
        key = (columns, points, dtype)
        found = self._arrays.get(key)
        if found is None:
            self.reserve(columns * points * np.dtype(dtype).itemsize)
            memory = (ctypes.c_char * max(self.size, 1)).from_address(self._address)
            flat: np.ndarray = np.frombuffer(memoryview(memory), dtype, columns * points)
            found = flat.reshape(columns, points).view(HostArray)
            found.address = self._address
            if len(self._arrays) > 256:
                self._arrays.clear()
            self._arrays[key] = found
        return found

    def at_least(self, size: int) -> int:
        """The address of so many bytes; see `reserve`."""
        self.reserve(size)
        return self._address

    def reserve(self, size: int) -> None:
        """Hold at least this many bytes; no copy from or to the buffer may be under way."""
        if size <= self.size:
            return
        self._arrays.clear()
        if self._address:
            self._allocator.free(self._address)
            log.say(f"page-locked staging grows to {size / 2**20:.1f} MiB")
        self._address = self._allocator.host(size)
        self.size = size

    def close(self) -> None:
        """Give the buffer back."""
        self._arrays.clear()
        if self._address:
            self._allocator.free(self._address)
        self._address = self.size = 0


class DoubleBuffer:
    """Page-locked memory that stripes are copied from: two halves, one filled while the other is
    copied, so that few stripes wait for the device."""

    def __init__(self, allocator: Allocator, stream: int) -> None:
        self._allocator = allocator
        self._stream = stream
        api = allocator.api
        self._events = (api.event(), api.event())
        self._size = 0
        self._address = 0
        self._half = 0
        self._used = 0

    def place(self, largest: int, size: int) -> int:
        """Address of `size` free bytes, whose copy is to be asked for on the stream before
        the next call; largest: bytes that a later stripe may take, which a half always has."""
        if largest > self._size:
            self._grow(largest)
        if self._used + size > self._size:
            api = self._allocator.api
            api.record(self._events[self._half], self._stream)
            self._half = 1 - self._half
            self._used = 0
            api.event_synchronize(self._events[self._half])
        address = self._address + self._half * self._size + self._used
        self._used += -(-size // CACHE_LINE) * CACHE_LINE
        return address

    def _grow(self, largest: int) -> None:
        if self._address:
            self._allocator.api.stream_synchronize(self._stream)
            self._allocator.free(self._address)
        self._size = max(-(-largest // CACHE_LINE) * CACHE_LINE, BOUNCE)
        self._address = self._allocator.host(2 * self._size)
        self._half = self._used = 0


class Pool:
    """Chunk buffers by what they hold, for all programs of a backend: one loop runs at a time,
    and a block that fits the chunk finds its memory there.

    generation: counts growths; whoever kept addresses from an earlier one asks again; growths: the
    same as a word.
    """

    def __init__(self, allocator: Allocator, synchronize: Callable[[], None]) -> None:
        self._allocator = allocator
        self._synchronize = synchronize
        self._device: dict[tuple[object, ...], tuple[int, int]] = {}
        self._staging: dict[tuple[object, ...], Staging] = {}
        self.growths = array("q", (0,))

    @property
    def generation(self) -> int:
        return self.growths[0]

    def device(self, key: tuple[object, ...], size: int, what: str) -> int:
        """At least `size` bytes of device memory."""
        address, has = self._device.get(key, (0, 0))
        if has < size:
            if has:
                self._synchronize()
                self._allocator.free(address)
                log.say(f"{what} grows to {size / 2**20:.1f} MiB")
                self.growths[0] += 1
                del self._device[key]
            address = self._allocator.device(size, what)
            self._device[key] = address, size
        return address

    def staging(self, key: tuple[object, ...]) -> Staging:
        """A page-locked buffer."""
        return self._staging.setdefault(key, Staging(self._allocator))

    def close(self) -> None:
        """Give all of it back; the device has finished with it."""
        for address, _ in self._device.values():
            self._allocator.free(address)
        for staging in self._staging.values():
            staging.close()
        self._device.clear()
        self._staging.clear()

    def constant(self, value: float, dtype: str, points: int) -> int:
        """One value at that many points; known by its bits, because NaN equals nothing and 0.0
        equals -0.0."""
        size = points * np.dtype(dtype).itemsize
        key = ("constant", np.float64(value).tobytes(), dtype)
        known = self._device.get(key, (0, 0))[1] >= size
        address = self.device(key, size, f"the constant {value}")
        if not known:
            self._allocator.put(address, np.full(points, value, dtype))
        return address


def span(address: int, box: Box, columns: int, itemsize: int) -> tuple[int, int]:
    """First and one past the last byte of a box in memory."""
    axes = [*zip(box.extent, box.stride, strict=True), (columns, box.data_stride)]
    if any(n < 1 for n, _ in axes):
        return address, address
    low = box.offset + sum(min((n - 1) * step, 0) for n, step in axes)
    high = box.offset + sum(max((n - 1) * step, 0) for n, step in axes)
    return address + low * itemsize, address + (high + 1) * itemsize
