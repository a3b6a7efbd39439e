"""What a host gives by name for all points, on the device: constants and tables of kernel packs.

Each has one place there. New values arrive in the order of the stream that launches begin on, so
that programs and graphs made before read them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from bridge.backends.gpu.memory import Allocator, DoubleBuffer
from bridge.backends.gpu.order import MAIN, Order
from bridge.backends.host.tables import padded
from bridge.errors import StateError


class HostData:
    """Copies of the constants' block and of every table that was filled; stream: of launches on
    views, which chunk loops follow; order: of runs that say what they read."""

    def __init__(
        self, allocator: Allocator, stream: int, order: Order, finish: Callable[[], None]
    ) -> None:
        self._allocator = allocator
        self._stream = stream
        self._order = order
        self._wait = finish
        self._begin = self._end = 0  # of the block on the host
        self._staging = DoubleBuffer(allocator, stream)
        self._host: np.ndarray = np.zeros(0)  # the block
        self._block = 0
        self._descriptions: dict[str, int] = {}
        self._values: dict[str, tuple[int, int]] = {}  # address, bytes

    # ---- constants ------------------------------------------------------------------------

    def set_constants(self, block: np.ndarray) -> None:
        """The block's bytes as they are now."""
        if block is not self._host:
            self._give_back(self._block)
            self._block = self._allocator.device(max(block.nbytes, 1), "constants")
            self._host = block
            self._begin = block.ctypes.data
            self._end = self._begin + block.nbytes
        self._order.begin((), (self._block,), MAIN)
        self._copy(self._block, block)

    def constant(self, address: int) -> int | None:
        """Where what lies at an address of the block lies on the device; None for other memory."""
        if self._begin <= address < self._end:
            return self._block + address - self._begin
        return None

    # ---- tables ---------------------------------------------------------------------------

    def set_table(self, name: str, values: np.ndarray) -> None:
        """Contents of a table, in Fortran's order."""
        address, has = self._values.get(name, (0, 0))
        if has != values.nbytes:
            new = self._allocator.device(values.nbytes, f"table '{name}'")
            self._give_back(address)
            address = new
            self._values[name] = address, values.nbytes
        if name not in self._descriptions:
            self._descriptions[name] = self._allocator.device(32, f"sizes of table '{name}'")
        self._wait()
        self._allocator.put(address, values.ravel(order="K"))
        self._allocator.put(self._descriptions[name], np.array([address, *padded(values.shape)]))

    def table(self, name: str) -> int:
        """Address of a table's `TableData`; StateError where nobody has filled it."""
        if name not in self._descriptions:
            raise StateError(f"a launch needs the table '{name}': call set_table first")
        return self._descriptions[name]

    # ---- the device ------------------------------------------------------------------------

    def _copy(self, address: int, values: np.ndarray) -> None:
        """To the device, after what was launched before and before what comes after."""
        staging = self._staging.place(values.nbytes, values.nbytes)
        ctypes.memmove(staging, values.ctypes.data, values.nbytes)
        self._allocator.api.copy_async(address, staging, values.nbytes, self._stream)

    def _give_back(self, address: int) -> None:
        if address:
            self._wait()
            self._allocator.free(address)
