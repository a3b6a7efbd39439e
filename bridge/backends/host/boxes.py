"""Lists of boxes of a host array and a flat buffer of the host; beside `packing`."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace

from bridge.backends.base import Binding, Box
from bridge.backends.host.packing import Packing

#: Bytes from which on several threads copy faster than one.
SEVERAL_THREADS = 1 << 18


def copy_bytes(packing: Packing, target: int, source: int, size: int) -> None:
    """Memory of the host that does not overlap, by all threads where there is much of it."""
    if packing.threads == 1 or size < SEVERAL_THREADS or (target | source | size) % 8:
        ctypes.memmove(target, source, size)
        return
    words = size // 8
    packing.pack_at(Binding(source, Box.flat(words, words), 1), 0, words, target, words, False)


def as_bits(binding: Binding) -> Binding:
    """The same elements as numbers that are moved without a change."""
    bits = "int32" if binding.itemsize == 4 else "float64"
    return replace(binding, scale=1.0, dtype=bits)


class HostBoxes:
    """A `BoxList` of host memory, moved by the threads of a kernel library."""

    def __init__(self, packing: Packing, parts: Sequence[Binding]) -> None:
        self._packing = packing
        self._parts: list[tuple[Binding, int]] = []  # and bytes from the buffer's start
        size = 0
        for part in parts:
            if part.elements:
                self._parts.append((as_bits(part), size))
                size += part.elements * part.itemsize

    def pack(self, buffer: int) -> None:
        """The boxes into a buffer of the host."""
        for part, at in self._parts:
            points, integer = part.box.points, part.itemsize == 4
            self._packing.pack_at(part, 0, points, buffer + at, points, integer)

    def unpack(self, buffer: int) -> None:
        """A buffer of the host into the boxes."""
        for part, at in self._parts:
            points, integer = part.box.points, part.itemsize == 4
            self._packing.unpack_at(buffer + at, points, integer, part, 0, points)
