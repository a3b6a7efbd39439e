"""What a host gives by name for all points, on the device: constants and tables of kernel packs.

Each has one place there, so that programs and graphs made before read new values. New values of
constants are written in the order of what reads them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

import numpy as np

from bridge.backends.gpu.memory import Allocator
from bridge.backends.gpu.order import ChangedWords, Order
from bridge.backends.host.tables import padded
from bridge.errors import StateError


class HostData:
    """Copies of the constants' block and of every table that was filled; order: of runs, which
    say what they read; name: of constants, for messages, as a number; carrier: gives the handle of
    the kernel that takes constants along, for devices that do not write values by themselves.

    block: where the block lies on the device, a word that C compares.
    """

    def __init__(
        self, allocator: Allocator, order: Order, name: int, carrier: Callable[[], int],
        finish: Callable[[], None],
    ) -> None:  # fmt: skip
        self._allocator = allocator
        self._order = order
        self._name, self._carrier = name, carrier
        self._wait = finish
        self.block = array("q", (0,))
        self._host: np.ndarray = np.zeros(0)  # the block on the host
        self._begin = self._end = 0  # its addresses
        self._changed: ChangedWords | None = None
        self._descriptions: dict[str, int] = {}
        self._values: dict[str, tuple[int, int]] = {}  # address, bytes

    # ---- constants ------------------------------------------------------------------------

    def set_constants(self, block: np.ndarray) -> None:
        """The block's bytes as they are when the next work is asked for, after what was launched
        before."""
        if block is not self._host:
            if self._changed is not None:
                self._changed.end()
            self._give_back(self.block[0])
            self.block[0] = self._allocator.device(max(block.nbytes, 1), "constants")
            self._host, self._changed = block, None
            self._begin = block.ctypes.data
            self._end = self._begin + block.nbytes
            self._wait()
            self._allocator.put(self.block[0], block)
            self._known = block.copy()
        elif self._known.tobytes() != block.tobytes():
            self.changed().go()

    def changed(self) -> ChangedWords:
        """What brings constants that have changed to the device."""
        if self._changed is None:
            carrier = 0 if self._order.writes_values else self._carrier()
            self._changed = self._order.changed_words(
                self._name, self._host, self._known, self.block[0], carrier
            )
        return self._changed

    def constant(self, address: int) -> int | None:
        """Where what lies at an address of the block lies on the device; None for other memory."""
        if self._begin <= address < self._end:
            return self.block[0] + address - self._begin
        return None

    def number(self, address: int) -> int:
        """Of the word of a constant, by its address in the block."""
        return (address - self._begin) // 8

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

    def _give_back(self, address: int) -> None:
        if address:
            self._wait()
            self._allocator.free(address)
