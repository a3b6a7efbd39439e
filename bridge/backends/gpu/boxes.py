"""Lists of boxes of one array and a flat buffer: packed and unpacked by a kernel of the device.

Beside `transfers`. Elements are moved as they are, many boxes by one launch: rows of a fringe have
a few elements, which a copy engine takes one by one. kernels/gpu/boxes.h moves them to buffers of
the host and back, for Python and for callers that are no Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bridge.backends.base import Binding, Box, NativeCall
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.modules import MARSHAL_THREADS
from bridge.backends.host.boxes import HostBoxes
from bridge.backends.orderlibrary import function, library
from bridge.compiled.order import ffi
from bridge.errors import ArgumentError, BridgeError

#: Boxes of a launch, as in struct Moves of the kernel: its parameters have 4096 bytes at most.
MOST_BOXES = 32
#: Elements of a launch: buffers between host and device have room for so many.
MOST_ELEMENTS = 1 << 22
#: Bytes of several launches that a buffer of the host takes at once.
LARGEST = 8 * MOST_ELEMENTS
#: Bytes that a kernel writes into the host's memory at once, where a copy engine has to be asked
#: for more: it moves as many bytes in the same time, and begins some microseconds later.
BY_KERNEL = 1 << 20
#: What messages call it.
PACKING, UNPACKING = "packing boxes", "unpacking boxes"


class Move(ctypes.Structure):
    """struct Move of the marshalling kernels."""

    _fields_ = [
        ("first", ctypes.c_longlong),
        ("extent", ctypes.c_longlong * 3),
        ("far", ctypes.c_longlong),
        ("far_stride", ctypes.c_longlong * 4),
        ("near", ctypes.c_longlong),
        ("near_stride", ctypes.c_longlong * 4),
    ]


class Moves(ctypes.Structure):
    """struct Moves."""

    _fields_ = [
        ("total", ctypes.c_longlong),
        ("number", ctypes.c_longlong),
        ("move", Move * MOST_BOXES),
    ]


class Launch:
    """Boxes that one launch moves between an array and a buffer.

    start: element of the whole buffer that they begin at; size: of their part of it in bytes.
    """

    def __init__(
        self, device: Device, far: Sequence[Binding], near: Sequence[Binding], start: int
    ) -> None:
        """near: the same points in the buffer, counted from its beginning. The boxes may lie in
        several arrays, whose elements have one size."""
        self._device = device
        self._far = ctypes.c_void_p(far[0].address)
        self._moves = moves = Moves()
        item = far[0].itemsize
        for move, one, other in zip(moves.move, far, near, strict=False):
            apart, between = divmod(one.address - far[0].address, item)
            assert not between and one.itemsize == item, "boxes of other elements"
            move.first = moves.total
            move.extent[:] = one.box.extent
            move.far, move.near = apart + one.box.offset, other.box.offset
            move.far_stride[:] = *one.box.stride, one.box.data_stride
            move.near_stride[:] = *other.box.stride, other.box.data_stride
            moves.total += one.elements
            moves.number += 1
        self.start = start
        self.size = moves.total * item
        self._function = device.modules.marshal_function(f"move_boxes_{item}")
        self._blocks = -(-moves.total // MARSHAL_THREADS)
        self._near, self._inward = ctypes.c_void_p(0), ctypes.c_int(0)
        arguments = (self._far, self._near, moves, self._inward)
        self._parameters = (ctypes.c_void_p * 4)(*map(ctypes.addressof, arguments))
        self._at = ctypes.addressof(self._parameters)

    def in_c(self) -> tuple[int, int, int, int, int, int]:
        """The `bridge_launch`: function, parameters, blocks, threads, bytes of shared memory,
        words that count it."""
        counted = self._device.order.counted(self._function)
        return self._function, self._at, self._blocks, MARSHAL_THREADS, 0, counted

    def part(self, item: int) -> tuple[tuple[int, ...], int, int, int, int]:
        """The `bridge_boxes_part`; item: bytes of an element."""
        near, inward = ctypes.addressof(self._near), ctypes.addressof(self._inward)
        return self.in_c(), self.start * item, self.size, near, inward

    def go(self, buffer: int, inward: bool, stream: int) -> None:
        """To the array from the buffer, or the other way round, in order on a stream. The buffer
        is memory of the device, or page-locked memory of the host."""
        self._near.value, self._inward.value = buffer, inward
        launch = self._device.api.launch
        launch(self._function, self._blocks, MARSHAL_THREADS, 0, stream, self._at)


class GpuBoxes:
    """A `BoxList` of memory that is on the device, or else of the host."""

    def __init__(self, device: Device, parts: Sequence[Binding]) -> None:
        self._device = device
        self.groups = grouped(parts)
        self.launches: list[Launch] = []
        start = 0
        on_device = bool(self.groups) and device.owner_of(parts[0].address) is not None
        for group in self.groups:
            if on_device:
                self.launches.append(Launch(device, group, side_by_side(group), start))
            start += sum(part.elements for part in group)
        self._item = parts[0].itemsize if parts else 0
        self._size = start * self._item
        self._near = HostBoxes(device.packing, parts) if not on_device else None
        #: None: memory of others, which is worked on when nothing else is.
        self._place = device.order.place(parts[0].address) if on_device else None
        self._made: Any = self._in_c() if on_device else None

    def _in_c(self) -> Any:
        """The `bridge_boxes`."""
        device, launches = self._device, self.launches
        parts = [launch.part(self._item) for launch in launches]
        self._parts: Any = ffi.new("bridge_boxes_part[]", parts)
        names = [device.recent.number(what) for what in (PACKING, UNPACKING)]
        return ffi.new("bridge_boxes*", {
            "crossings": device.crossings.made, "parts": self._parts, "n_parts": len(launches),
            "memory": self._place or 0, "most": min(self._size, LARGEST), "by_kernel": BY_KERNEL,
            "copy": device.packing.library.address("bridge_cpu_copy"), "name": names,
        })  # fmt: skip

    def pack(self, buffer: int) -> None:
        """See `BoxList`."""
        device = self._device
        with device.entered(), device.watched(PACKING):
            if self._to_device(buffer, False):
                return
            if self._near is not None:
                device.settle_runs()
                return self._near.pack(buffer)
            self._cross(library().bridge_boxes_pack, buffer)

    def unpack(self, buffer: int) -> None:
        """See `BoxList`."""
        device = self._device
        with device.entered(), device.watched(UNPACKING):
            if self._to_device(buffer, True):
                return
            if self._near is not None:
                device.settle_runs()
                return self._near.unpack(buffer)
            self._cross(library().bridge_boxes_unpack, buffer)
            if device.handed_out:
                device.synchronize()

    def _cross(self, move: Any, buffer: int) -> None:
        device = self._device
        if device.running is not None:
            device.follow_runs()
        device.crossings.reserve(self._made.most)
        error = move(self._made, ffi.cast("void*", buffer), device.packing.threads)
        if error:
            raise device.api.error(error)

    def native(self, inward: bool) -> NativeCall | None:
        """See `BoxList`."""
        if self._made is None or self._place is None:
            return None
        name = "bridge_boxes_unpack_again" if inward else "bridge_boxes_pack_again"
        argument = int(ffi.cast("intptr_t", self._made))
        conditions = tuple(self._device.conditions())
        return NativeCall(
            function(name),
            argument,
            0,
            self._device.packing.threads,
            conditions=conditions,
            lock=self._device.order.native_lock,
        )

    def failure(self) -> BridgeError | None:
        """See `BoxList`."""
        error = self._made.error if self._made is not None else 0
        return self._device.failed_in_c("moving boxes", error)

    # ---- a buffer of the device, which follows everything and goes before all else ----------

    def _to_device(self, buffer: int, inward: bool) -> bool:
        """Whether a buffer is the device's; then everything has been done."""
        device, api = self._device, self._device.api
        if not self._on_device(buffer):
            return False
        if self._near is not None:
            device.settle_runs()
            staging = device.pool.staging(("boxes",)).at_least(self._size)
            if inward:
                api.copy_async(staging, buffer, self._size, device.stream)
                api.stream_synchronize(device.stream)
                self._near.unpack(staging)
            else:
                self._near.pack(staging)
                api.copy_async(buffer, staging, self._size, device.stream)
        for launch in self.launches:
            launch.go(buffer + launch.start * self._item, inward, device.stream)
        api.stream_synchronize(device.stream)
        return True

    def _on_device(self, buffer: int) -> bool:
        """Whether a buffer is the device's; what comes next follows the runs that may use it."""
        device = self._device
        owner = device.owner_of(buffer)
        if owner is None:
            return False
        if owner != device.facts.index:
            wanted = f"memory of the host or of GPU {device.facts.index}, this rank's"
            raise ArgumentError("buffer", f"memory of GPU {owner}", wanted)
        device.follow_runs()
        if not device.allocator.holds(buffer):
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        return True


def side_by_side(parts: Sequence[Binding]) -> list[Binding]:
    """The same points one behind the other, the component slowest, x fastest."""
    found, at = [], 0
    for part in parts:
        ni, nj, _ = part.box.extent
        box = Box(part.box.extent, (1, ni, ni * nj), part.box.points, at)
        found.append(replace(part, address=0, box=box))
        at += part.elements
    return found


def grouped(parts: Sequence[Binding], most: int | None = None) -> list[list[Binding]]:
    """The boxes of each launch, in their order; one with more elements than a launch moves comes
    in parts, which lie one behind the other in a buffer. most: elements of a launch, None for as
    many as there can be."""
    most = MOST_ELEMENTS if most is None else most
    groups: list[list[Binding]] = []
    room = 0
    for part in parts:
        for piece in pieces(part, most):
            if not groups or piece.elements > room or len(groups[-1]) == MOST_BOXES:
                groups.append([])
                room = most
            groups[-1].append(piece)
            room -= piece.elements
    return groups


def pieces(part: Binding, most: int) -> list[Binding]:
    """A box in parts of at most so many elements, cut along the slowest axis that has several."""
    if part.elements <= most:
        return [part] if part.elements else []
    box, extent = part.box, list(part.box.extent)
    if part.columns > 1:
        length = max(most // box.points, 1)
        cut = []
        for first in range(0, part.columns, length):
            columns = min(length, part.columns - first)
            shifted = replace(box, offset=box.offset + first * box.data_stride)
            cut.append(replace(part, box=shifted, columns=columns))
    else:
        axis = max(axis for axis in range(3) if extent[axis] > 1)
        length = max(most * extent[axis] // box.points, 1)
        cut = []
        for at in range(0, box.extent[axis], length):
            begin = [0, 0, 0]
            begin[axis], extent[axis] = at, min(length, box.extent[axis] - at)
            i, j, k = begin
            ni, nj, nk = extent
            cut.append(part.part((i, j, k), (ni, nj, nk)))
    return [one for piece in cut for one in pieces(piece, most)]
