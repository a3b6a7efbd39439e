"""Lists of boxes of a host array and a flat buffer of the host; beside `packing`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bridge.backends.base import Binding, NativeCall
from bridge.backends.host.memory import fill_array
from bridge.backends.host.packing import Packing


class HostBoxes:
    """A `BoxList` of host memory, moved by the threads of a kernel library."""

    def __init__(self, packing: Packing, parts: Sequence[Binding]) -> None:
        self._packing = packing
        self._parts = [as_bits(part) for part in parts if part.elements]  # what structs point to
        ffi, at = packing.library.ffi, 0
        self._boxes: Any = ffi.new("bridge_listed_box[]", len(self._parts))
        for box, part in zip(self._boxes, self._parts, strict=True):
            fill_array(box.array, ffi, part)
            box.points, box.at = part.box.points, at
            at += part.elements * part.itemsize
        self._list: Any = ffi.new("bridge_box_list*", (self._boxes, len(self._parts)))

    def pack(self, buffer: int) -> None:
        """The boxes into a buffer of the host."""
        self._move(self._packing.library.lib.bridge_cpu_pack_boxes, buffer)

    def unpack(self, buffer: int) -> None:
        """A buffer of the host into the boxes."""
        self._move(self._packing.library.lib.bridge_cpu_unpack_boxes, buffer)

    def _move(self, function: Any, buffer: int) -> None:
        function(
            self._list, self._packing.library.ffi.cast("void*", buffer), self._packing.threads
        )

    def native(self, inward: bool) -> NativeCall:
        """See `BoxList`."""
        library = self._packing.library
        name = "bridge_cpu_unpack_boxes" if inward else "bridge_cpu_pack_boxes"
        argument = int(library.ffi.cast("intptr_t", self._list))
        return NativeCall(library.address(name), argument, 0, self._packing.threads)

    def failure(self) -> None:
        """See `BoxList`: it cannot fail."""


def as_bits(binding: Binding) -> Binding:
    """The same elements as numbers that are moved without a change."""
    bits = "int32" if binding.itemsize == 4 else "float64"
    return replace(binding, scale=1.0, dtype=bits)
