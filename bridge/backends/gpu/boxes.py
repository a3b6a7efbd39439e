"""Lists of boxes of one array and a flat buffer: packed and unpacked by a kernel of the device.

Beside `transfers`. Elements are moved as they are, many boxes by one launch: rows of a fringe have
a few elements, which a copy engine takes one by one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from bridge.backends.base import Binding, Box
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import DoubleBuffer
from bridge.backends.host.boxes import HostBoxes
from bridge.errors import ArgumentError

#: Boxes of a launch, as in struct Moves of the kernel: its parameters have 4096 bytes at most.
MOST_BOXES = 32
#: Elements of a launch: buffers between host and device have room for so many.
MOST_ELEMENTS = 1 << 22


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
        """near: the same points in the buffer, counted from its beginning."""
        self._device = device
        self._far = ctypes.c_void_p(far[0].address)
        self._moves = moves = Moves()
        for move, one, other in zip(moves.move, far, near, strict=False):
            assert one.address == far[0].address, "boxes of several arrays"
            move.first = moves.total
            move.extent[:] = one.box.extent
            move.far, move.near = one.box.offset, other.box.offset
            move.far_stride[:] = *one.box.stride, one.box.data_stride
            move.near_stride[:] = *other.box.stride, other.box.data_stride
            moves.total += one.elements
            moves.number += 1
        item = far[0].itemsize
        self._kernel = f"move_boxes_{item}"
        self.start = start
        self.size = moves.total * item

    def go(self, buffer: int, inward: bool) -> None:
        """To the array from the buffer, or the other way round, in order on the stream."""
        device = self._device
        parameters = [self._far, ctypes.c_void_p(buffer), self._moves, ctypes.c_int(inward)]
        device.modules.launch_marshal(self._kernel, self._moves.total, parameters, device.stream)


class GpuBoxes:
    """A `BoxList` of memory that is on the device, or else of the host.

    inward: page-locked memory that the host's buffers are copied from.
    """

    def __init__(self, device: Device, parts: Sequence[Binding], inward: DoubleBuffer) -> None:
        self._device = device
        self._inward = inward
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

    def pack(self, buffer: int) -> None:
        """See `BoxList`."""
        device, api = self._device, self._device.api
        with device.entered(), device.watched("packing boxes", wait=True):
            on_device = self._on_device(buffer)
            if self._near is not None:
                device.settle_runs()
                if not on_device:
                    return self._near.pack(buffer)
                staging = device.pool.staging(("boxes",)).array(1, self._size, "uint8")
                self._near.pack(staging.address)
                api.copy_async(buffer, staging.address, self._size, device.stream)
            for launch in self.launches:
                at = buffer + launch.start * self._item
                if on_device:
                    launch.go(at, False)
                else:
                    self.receive(launch, partial(_give, at, launch.size))
            api.stream_synchronize(device.stream)

    def receive(self, launch: Launch, take: Callable[[int], object]) -> None:
        """A launch's part of the boxes to page-locked memory, which `take` reads at an address."""
        device = self._device
        near = near_buffer(device, launch.size)
        staging = device.pool.staging(("boxes",)).array(1, launch.size, "uint8")
        device.follow_runs()
        launch.go(near, False)
        device.api.copy_async(staging.address, near, launch.size, device.stream)
        device.api.stream_synchronize(device.stream)
        take(staging.address)

    def unpack(self, buffer: int) -> None:
        """See `BoxList`."""
        device, api = self._device, self._device.api
        with device.entered(), device.watched("unpacking boxes"):
            on_device = self._on_device(buffer)
            if self._near is not None:
                device.settle_runs()
                if not on_device:
                    return self._near.unpack(buffer)
                staging = device.pool.staging(("boxes",)).array(1, self._size, "uint8")
                api.copy_async(staging.address, buffer, self._size, device.stream)
                api.stream_synchronize(device.stream)
                self._near.unpack(staging.address)
            for launch in self.launches:
                at = buffer + launch.start * self._item
                if on_device:
                    launch.go(at, True)
                else:
                    self.send(launch, partial(_take, at, launch.size))
            if on_device:
                api.stream_synchronize(device.stream)

    def send(self, launch: Launch, fill: Callable[[int], object]) -> None:
        """A launch's part of the boxes from page-locked memory that `fill` fills at an address."""
        device = self._device
        near = near_buffer(device, launch.size)
        address = self._inward.place(launch.size, launch.size)
        fill(address)
        device.api.copy_async(near, address, launch.size, device.stream)
        device.follow_runs()
        launch.go(near, True)

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


def _give(buffer: int, size: int, address: int) -> None:
    ctypes.memmove(buffer, address, size)


def _take(buffer: int, size: int, address: int) -> None:
    ctypes.memmove(address, buffer, size)


def near_buffer(device: Device, size: int) -> int:
    """Memory of the device between an array and a buffer of the host; used in order on the
    stream."""
    return device.pool.device(("boxes",), size, "packed boxes")


def side_by_side(parts: Sequence[Binding]) -> list[Binding]:
    """The same points one behind the other, the component slowest, x fastest."""
    found, at = [], 0
    for part in parts:
        ni, nj, _ = part.box.extent
        box = Box(part.box.extent, (1, ni, ni * nj), part.box.points, at)
        found.append(replace(part, address=0, box=box))
        at += part.elements
    return found


def grouped(parts: Sequence[Binding]) -> list[list[Binding]]:
    """The boxes of each launch, in their order; one with more elements than a launch moves comes
    in parts, which lie one behind the other in a buffer."""
    groups: list[list[Binding]] = []
    room = 0
    for part in parts:
        for piece in pieces(part, MOST_ELEMENTS):
            if not groups or piece.elements > room or len(groups[-1]) == MOST_BOXES:
                groups.append([])
                room = MOST_ELEMENTS
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
