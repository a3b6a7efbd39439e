"""Memory by which buffers of the host cross to the device and back: page-locked there, and the
same size here.

Beside `boxes`; kernels/gpu/boxes.h says how the slots are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridge import log
from bridge.backends.gpu.driver import Driver
from bridge.backends.gpu.memory import Allocator
from bridge.backends.gpu.order import Order
from bridge.compiled.order import ffi

#: Slots, used in turn.
SLOTS = 4
#: Bytes that a slot has at least.
SMALLEST = 1 << 16


class Crossings:
    """The slots of a device, all of one size: that of the largest buffer so far. finish: waits for
    all that was asked of the device.

    made: the `bridge_crossings`.
    """

    def __init__(
        self, api: Driver, allocator: Allocator, order: Order, finish: Callable[[], None]
    ) -> None:
        self._api = api
        self._allocator = allocator
        self._finish = finish
        self._slots: Any = ffi.new("bridge_slot[]", SLOTS)
        self.made: Any = ffi.new("bridge_crossings*", {
            "order": order.made, "slots": self._slots, "n_slots": len(self._slots),
        })  # fmt: skip

    def reserve(self, size: int) -> None:
        """Have room for so many bytes at once."""
        made = self.made
        if size <= made.size:
            return
        if made.size:
            log.say(f"page-locked memory for fringes grows to {size / 2**20:.1f} MiB")
        self._finish()
        made.size, size = 0, max(size, SMALLEST)
        for slot in self._slots:
            self._allocator.free(slot.host)
            self._allocator.free(slot.near)
            slot.host = slot.near = 0  # no memory of others, where there is none for these
            slot.event = slot.event or self._api.event()
            slot.host = self._allocator.host(size)
            slot.near = self._allocator.device(size, "packed boxes")
            slot.copying = 0
        made.size = size
