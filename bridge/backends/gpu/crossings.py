"""Memory by which buffers of the host go to the device: page-locked there, and the same size here.

Beside `boxes`. A few slots, used in turn: the host fills one while another is copied, and a third
waits for the kernel that puts its values into an array.
"""

from __future__ import annotations

from collections.abc import Callable

from bridge import log
from bridge.backends.gpu.driver import Driver
from bridge.backends.gpu.memory import Allocator

#: Slots, each as large as the largest buffer that it has met.
SLOTS = 4
#: Bytes that a slot has at least.
SMALLEST = 1 << 16


class Slot:
    """host, near: addresses of memory of the host and of the device; stream: of copies."""

    def __init__(self, api: Driver, allocator: Allocator, stream: int) -> None:
        self._api = api
        self._allocator = allocator
        self._stream = stream
        self._event = 0
        self._copied = True
        self._size = 0
        self.host = self.near = 0

    def fits(self, size: int) -> bool:
        return size <= self._size

    def grow(self, size: int) -> None:
        """Have memory for so many bytes; nothing works on what there was before."""
        if self._size:
            self._allocator.free(self.host)
            self._allocator.free(self.near)
            self._size = 0
            log.say(f"page-locked memory for fringes grows to {size / 2**20:.1f} MiB")
        self._event = self._event or self._api.event()
        self.host = self._allocator.host(size)
        self.near = self._allocator.device(size, "packed boxes")
        self._size, self._copied = size, True

    def bring(self, source: int, size: int) -> None:
        """Copy page-locked memory to the device, in order on the stream of copies."""
        self._api.copy_async(self.near, source, size, self._stream)
        self._api.record(self._event, self._stream)
        self._copied = False

    def wait(self) -> None:
        """What was to be copied may be changed."""
        if not self._copied:
            self._api.event_synchronize(self._event)
            self._copied = True


class Crossings:
    """The slots of a device."""

    def __init__(
        self, api: Driver, allocator: Allocator, stream: int, finish: Callable[[], None]
    ) -> None:
        self._slots = [Slot(api, allocator, stream) for _ in range(SLOTS)]
        self._finish = finish
        self._next = 0

    def next(self, size: int) -> Slot:
        """A slot for so many bytes, whose memory of the host is free. The one here may still be
        read by a kernel."""
        slot = self._slots[self._next]
        self._next = (self._next + 1) % SLOTS
        slot.wait()
        if not slot.fits(size):
            self._finish()
            slot.grow(max(size, SMALLEST))
        return slot
