"""Data movement of bound arrays as a caller asks for it: methods of TVProperties.

Between TVProperties, which has them, and Residency: a set and a name become the memory of a bound
array, and runs that were made for another place of it are forgotten.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.bound.boundsets import BoundSets
from bridge.bound.overlap import share_elements
from bridge.errors import ArgumentError
from bridge.prepared import Change, PreparedMove
from bridge.resident.boxes import Listed, listed, refuse_shared
from bridge.resident.uses import MovedBoxes
from bridge.tvimpl import TVImpl

#: Lists of boxes of its arrays that a set keeps ready; boxes may be others at every step.
MOST_MOVES = 1024


class DataMovement:
    """What TVProperties has for arrays that stay where they are used.

    The words and their meaning are OpenACC's. Where kernels read the caller's memory (a CPU) an
    array is nowhere else, and all of this but pack and unpack moves nothing.
    """

    impl: TVImpl
    _bound: BoundSets

    def enter_data(self, set: str, name: str, clause: str, layout: str = "host") -> None:
        """Make the whole array, with fringes and all components, resident: from here on runs of
        every set read and write the copy of its memory on the device.

        clause: "copyin", or "create" without values; a second enter of the same memory counts a
        reference and moves nothing. layout: of the copy; "device" keeps a component-first array
        component last. ArgumentError where a part of the memory is resident ("partially present"),
        OutOfMemoryError where it does not fit.
        """
        self._bound.refuse_while_pending(f"frame_enter_data of '{name}'")
        array = self._bound.array(set, name)
        if self.impl.residency.enter(set, array, clause, layout):
            self._bound.moved(array.whole, Change.ENTER_DATA)

    def exit_data(self, set: str, name: str, clause: str) -> None:
        """Remove one reference. With the last one the copy is freed: "copyout" copies all of it
        to the host first, "delete" does not. StateError if the array is not resident."""
        self._bound.refuse_while_pending(f"frame_exit_data of '{name}'")
        array = self._bound.array(set, name)
        forget = partial(self._bound.moved, change=Change.EXIT_DATA)
        self.impl.residency.leave(set, array, clause, forget)

    def update_device(self, set: str, name: str, boxes: Any = None) -> None:
        """Copy the host's values of these boxes to the device.

        boxes: i1, i2, j1, j2, k1, k2, or rows of six, numbered as interior points 1..n; below 1
        and above n lies the fringe. None: all points with the fringe. All components that are
        bound.
        """
        self.move_boxes("update_device", set, name, listed(boxes))

    def update_host(self, set: str, name: str, boxes: Any = None) -> None:
        """Copy the device's values of these boxes to the host; boxes as in `update_device`."""
        self.move_boxes("update_host", set, name, listed(boxes))

    def move_boxes(self, call: str, set: str, name: str, which: Listed) -> None:
        """`update_device` or `update_host`."""
        boxes = self._boxes(call, set, name, which).boxes
        with self.impl.timers[call]:
            (boxes.bring if call == "update_device" else boxes.fetch)()

    def pack(self, set: str, name: str, boxes: Any, buffer: Any) -> int:
        """Copy boxes of an array (the device's copy of a resident one) into a buffer of the same
        type: box after box, the component slowest inside a box, x fastest. Returns the number of
        elements.

        buffer: a contiguous NumPy array, or memory of the device with __cuda_array_interface__.
        """
        address, n, dtype = self._buffer(buffer, True)
        return self.buffer_boxes("pack", set, name, listed(boxes), address, n, dtype)

    def unpack(self, set: str, name: str, boxes: Any, buffer: Any) -> int:
        """Copy a buffer of `pack` into boxes, which must not overlap."""
        address, n, dtype = self._buffer(buffer, False)
        return self.buffer_boxes("unpack", set, name, listed(boxes), address, n, dtype)

    def buffer_boxes(
        self, call: str, set: str, name: str, which: Listed, address: int, n: int, dtype: str
    ) -> int:
        """`pack` or `unpack` of a buffer of n elements at an address."""
        boxes = self._boxes(call, set, name, which).boxes
        if dtype != boxes.dtype:
            raise ArgumentError("buffer", dtype, f"{boxes.dtype}, as the array of '{name}' has")
        if n < boxes.elements:
            raise ArgumentError("nBuffer", n, f"the {boxes.elements} elements of the boxes")
        _refuse_own_memory(boxes, name, address)
        if call == "unpack" and not boxes.apart:
            refuse_shared(which, name)
            boxes.apart = True
        with self.impl.timers[call]:
            if not boxes.elements:
                return 0
            if call == "pack":
                boxes.pack(address, f"frame_pack of '{name}' on set '{set}'")
            else:
                boxes.unpack(address, f"frame_unpack of '{name}' on set '{set}'")
        return boxes.elements

    def device_address(self, set: str, name: str) -> int:
        """Address of the first element of a resident array where kernels read it, for a library
        that takes device memory: on a CPU that of the array itself."""
        return self.impl.residency.address(set, self._bound.array(set, name))

    def prepared_move(self, call: str, set: str, name: str, which: Listed) -> PreparedMove | None:
        """A move that was done, if nothing has changed since."""
        known = self._bound.set_of(set).prepared.of(PreparedMove)
        return known.get((name, which, call.startswith("update")))

    def _boxes(self, call: str, set: str, name: str, which: Listed) -> PreparedMove:
        """Boxes of an array, looked up once."""
        point_set, updated = self._bound.set_of(set), call.startswith("update")
        if not updated:
            point_set.refuse_blocks("set", f"frame_{call} on a set of one block")
        elif which is not None:
            point_set.refuse_blocks("boxes", "an update without boxes: of all blocks")
        key = name, which, updated
        known = point_set.prepared.of(PreparedMove)
        found = known.get(key)
        if found is None:
            if len(known) >= MOST_MOVES:
                known.pop(next(iter(known))).forget()
            array = self._bound.array(set, name)
            entry = f"frame_{call} of '{name}'"
            boxes = self.impl.residency.boxes(entry, set, array, which, updated)
            found = known[key] = PreparedMove(boxes, point_set.prepared)
        return found

    def _buffer(self, buffer: Any, written: bool) -> tuple[int, int, str]:
        """Address, elements and dtype of a buffer of a Python caller."""
        if isinstance(buffer, np.ndarray):
            if not (buffer.flags.c_contiguous or buffer.flags.f_contiguous):
                raise ArgumentError("buffer", f"strides {buffer.strides}", "a contiguous array")
            if written and not buffer.flags.writeable:
                raise ArgumentError("buffer", "a read-only array", "one that can be written")
            return buffer.ctypes.data, buffer.size, str(buffer.dtype)
        described = getattr(buffer, "__cuda_array_interface__", None)
        if described is None or self.impl.backend.name == "cpu":
            wanted = "a NumPy array, or on a GPU memory of the device"
            raise ArgumentError("buffer", type(buffer).__name__, wanted)
        if described.get("strides") is not None:
            raise ArgumentError("buffer", f"strides {described['strides']}", "a contiguous array")
        elements = int(np.prod(described["shape"], dtype=np.int64))
        return int(described["data"][0]), elements, str(np.dtype(described["typestr"]))


def _refuse_own_memory(boxes: MovedBoxes, name: str, address: int) -> None:
    """ArgumentError for a buffer in memory of the boxes that it is packed from or unpacked to."""
    n = boxes.elements
    buffer = Binding(address, Box.flat(n, n), 1, dtype=boxes.dtype)
    if boxes.overlap(*buffer.span) and any(share_elements(one, buffer) for one in boxes.places):
        got = f"memory of the boxes of '{name}' themselves"
        raise ArgumentError("buffer", got, "memory apart from them")
