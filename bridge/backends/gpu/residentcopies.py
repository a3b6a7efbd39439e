"""Copies of the caller's arrays on the device, and how values come to them and back.

    _Rows      rows that run on in both memories: strided copies of the copy engines
    _Records   a component-first array whose copy has the component last: records by the copy
               engines, transposed by a kernel on the device
    _Packed    everything else: packed by the CPU, copied as one, unpacked by a kernel

The first two need page-locked memory, which the caller's array is as long as it is resident.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from bridge.backends.base import Binding, Box
from bridge.backends.gpu import boxes
from bridge.backends.gpu.boxes import GpuBoxes, Launch, grouped, near_buffer, pieces
from bridge.backends.gpu.chunks import Axis, Copies, plan_copies
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import DoubleBuffer
from bridge.backends.host.boxes import HostBoxes
from bridge.errors import ArgumentError

#: Where the interior of a copy begins: at a multiple of so many bytes, a line of the caches. A
#: sector of 32 bytes that is written in part is read first; rows that begin inside one leave two
#: of these at their ends, and every warp writes one more sector than it has values for. On an
#: H200 kernels that write half of what they move take a third longer then.
LINE = 128
#: Bytes of the shortest row, and of the smallest of several boxes, that the copy engines are asked
#: for: each row, and each call, takes its time.
SHORTEST_ROW, SMALLEST_BOX = 512, 1 << 16


class ResidentCopies:
    """Implements `backends.base.DeviceCopies` on a GPU.

    inward: page-locked memory that the host's buffers are copied from.
    """

    def __init__(self, device: Device, inward: DoubleBuffer) -> None:
        self._device = device
        self._inward = inward
        self._allocated: dict[int, int] = {}  # copy -> the memory that it lies in

    def make(self, host: int, size: int, what: str, first: int = 0) -> int:
        """See `DeviceCopies.make`; the memory is page-locked until `drop`."""
        device = self._device
        with device.entered():
            if device.api.device_of(host) is not None:
                wanted = "memory of the host: kernels read this array where it is"
                raise ArgumentError("name", f"{what}, memory of a GPU", wanted)
            helps = "end the data of other arrays first, or leave this one on the host"
            memory = device.allocator.device(size + LINE, f"a copy of {what}", helps)
            device.synchronize()
            device.locks.add(host, host + size)
            copy = aligned(memory, first)
            self._allocated[copy] = memory
        return copy

    def drop(self, copy: int, host: int, size: int) -> None:
        """Give a copy back."""
        device = self._device
        with device.entered():
            device.synchronize()
            device.locks.remove(host, host + size)
            device.kept_inputs.drop(copy, copy + size)
            device.allocator.free(self._allocated.pop(copy))

    def hand_out(self) -> None:
        """See `DeviceCopies.hand_out`."""
        with self._device.entered():
            self._device.handed_out = True
            self._device.synchronize()

    def between(self, here: Sequence[Binding], there: Sequence[Binding]) -> GpuCopiedBoxes:
        return GpuCopiedBoxes(self._device, here, there, self._inward)


def aligned(memory: int, first: int) -> int:
    """Where a copy begins in memory, less than a line behind its beginning, so that a line begins
    `first` bytes behind the copy's own beginning."""
    return memory + -(memory + first) % LINE


class _Way(Protocol):
    """How some boxes move, in order on the stream."""

    def move(self, inward: bool) -> None: ...


class GpuCopiedBoxes:
    """Implements `backends.base.CopiedBoxes` on a GPU."""

    def __init__(
        self, device: Device, here: Sequence[Binding], there: Sequence[Binding],
        inward: DoubleBuffer,
    ) -> None:  # fmt: skip
        self._device = device
        self._here = list(here)
        self._there = list(there)
        self._inward = inward
        self._locks = -1
        self._ways: list[_Way] = []

    def bring(self) -> None:
        """From the caller's array to the copy."""
        self._move("update of the device", True)

    def fetch(self) -> None:
        """From the copy to the caller's array."""
        self._move("update of the host", False)

    def _move(self, what: str, inward: bool) -> None:
        device = self._device
        with device.entered(), device.watched(what, wait=True):
            device.locks.settle()
            if self._locks != device.locks.generation:
                self._ways = self._chosen()
                self._locks = device.locks.generation
            device.follow_runs()
            for way in self._ways:
                way.move(inward)
            device.api.stream_synchronize(device.stream)

    def _chosen(self) -> list[_Way]:
        """How each box moves; those that are packed share launches."""
        device = self._device
        ways: list[_Way] = []
        packed: list[tuple[Binding, Binding]] = []
        for here, there in zip(self._here, self._there, strict=True):
            if not here.elements:
                continue
            joined, item = joined_axes(here, there), here.itemsize
            if not device.locks.covers(*here.span):
                packed.append((here, there))
            elif joined and (
                len(joined) == 1 == len(self._here)
                or here.elements * item >= SMALLEST_BOX
                and joined[0].n * item >= SHORTEST_ROW
            ):
                ways.append(_Rows(device, here, there, joined))
            elif _records(here) and not joined:
                ways.append(_Records(device, here, there))
            else:
                packed.append((here, there))
        if packed:
            ways.append(_Packed(device, packed, self._inward))
        return ways


def joined_axes(here: Binding, there: Binding) -> list[Axis]:
    """The axes of a copy between two shapes of the same points, neighbours joined where memory
    runs on in both; none where they do not run through memory in the same order."""
    extents = (*here.box.extent, here.columns)
    strides = (*here.box.stride, here.box.data_stride)
    others = (*there.box.stride, there.box.data_stride)
    every = [Axis(*axis) for axis in zip(extents, strides, others, strict=True) if axis[0] > 1]
    every.sort(key=operator.attrgetter("far"))
    if not every or (every[0].far, every[0].near) != (1, 1):
        if every and min(axis.near for axis in every) != every[0].near:
            return []
        every.insert(0, Axis(1, 1, 1))
    if [axis.near for axis in every[1:]] != sorted(axis.near for axis in every[1:]):
        return []
    joined = every[:1]
    for axis in every[1:]:
        last = joined[-1]
        if axis.far == last.n * last.far and axis.near == last.n * last.near:
            joined[-1] = Axis(last.n * axis.n, last.far, last.near)
        else:
            joined.append(axis)
    return joined


def _records(here: Binding) -> bool:
    """Whether all components of a point lie side by side, and the next point's behind them."""
    box = here.box
    return box.data_stride == 1 and here.columns > 1 and box.stride[0] == here.columns


class _Rows:
    """Rows that run on in both memories."""

    def __init__(self, device: Device, here: Binding, there: Binding, joined: list[Axis]) -> None:
        self._device = device
        self._copies: Copies = plan_copies(joined, here.itemsize)
        self._here = here.address + here.box.offset * here.itemsize
        self._there = there.address + there.box.offset * there.itemsize

    def move(self, inward: bool) -> None:
        device = self._device
        self._copies.run(device.api, self._here, self._there, inward, device.stream)


class _Records:
    """Records of a component-first array."""

    def __init__(self, device: Device, here: Binding, there: Binding) -> None:
        self._device = device
        self._slabs: list[tuple[Copies, int, Launch]] = []
        most = max(boxes.MOST_ELEMENTS // here.columns, 1)
        flat, far = replace(here, columns=1), replace(there, columns=1)
        for mine, yours in zip(pieces(flat, most), pieces(far, most), strict=True):
            mine = replace(mine, columns=here.columns)
            yours = replace(yours, columns=here.columns)
            (ni, nj, nk), width = mine.box.extent, here.columns
            box = Box((ni, nj, nk), (width, width * ni, width * ni * nj), 1)
            near = replace(mine, address=0, box=box)
            copies = plan_copies(joined_axes(mine, near), here.itemsize)
            first = mine.address + mine.box.offset * mine.itemsize
            self._slabs.append((copies, first, Launch(device, [yours], [near], 0)))

    def move(self, inward: bool) -> None:
        device = self._device
        for copies, first, launch in self._slabs:
            near = near_buffer(device, launch.size)
            if inward:
                copies.run(device.api, first, near, True, device.stream)
                launch.go(near, True, device.stream)
            else:
                launch.go(near, False, device.stream)
                copies.run(device.api, first, near, False, device.stream)


class _Packed:
    """Boxes that the CPU packs and the device unpacks, and the other way round."""

    def __init__(
        self, device: Device, both: list[tuple[Binding, Binding]], inward: DoubleBuffer
    ) -> None:
        self._device = device
        here, there = [a for a, _ in both], [b for _, b in both]
        self._host = [HostBoxes(device.packing, group) for group in grouped(here)]
        self._boxes = GpuBoxes(device, there)
        self._inward = inward

    def move(self, inward: bool) -> None:
        for host, launch in zip(self._host, self._boxes.launches, strict=True):
            if inward:
                self._boxes.send(launch, host.pack, self._inward)
            else:
                self._boxes.receive(launch, host.unpack)
