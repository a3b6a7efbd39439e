"""Copies of the caller's arrays on the device, and how values come to them and back.

    _rows      rows that run on in both memories: strided copies of the copy engines
    _slabs     a component-first array whose copy has the component last: records by the copy
               engines, transposed by a kernel on the device
    _packed    everything else: packed by the CPU, copied as one, unpacked by a kernel

kernels/gpu/boxes.h moves them, for Python and for callers that are no Python. The first two need
page-locked memory, which the caller's array is as long as it is resident.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from bridge.backends.base import Binding, Box, Condition, NativeCall, address_of
from bridge.backends.gpu.boxes import Launch, grouped, pieces, side_by_side
from bridge.backends.gpu.chunks import Axis, Copies, plan_copies
from bridge.backends.gpu.device import Device
from bridge.backends.host.boxes import HostBoxes
from bridge.backends.orderlibrary import function, library
from bridge.compiled.order import ffi
from bridge.errors import ArgumentError, BridgeError

#: Where the interior of a copy begins: at a multiple of so many bytes, a line of the caches. A
#: sector of 32 bytes that is written in part is read first; rows that begin inside one leave two
#: of these at their ends, and every warp writes one more sector than it has values for. On an
#: H200 kernels that write half of what they move take a third longer then.
LINE = 128
#: Bytes of the shortest row, and of the smallest of several boxes, that the copy engines are asked
#: for: each row, and each call, takes its time.
SHORTEST_ROW, SMALLEST_BOX = 512, 1 << 16
#: Elements beside the copy at once: the CPU packs some while others are copied.
MOST_ELEMENTS = 1 << 20
#: What messages call it.
OF_HOST, OF_DEVICE = "update of the host", "update of the device"


class ResidentCopies:
    """Implements `backends.base.DeviceCopies` on a GPU."""

    def __init__(self, device: Device) -> None:
        self._device = device
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
            device.locks.add(host, host + size, stays=True)
            copy = aligned(memory, first)
            self._allocated[copy] = memory
        return copy

    def drop(self, copy: int, host: int, size: int) -> None:
        """Give a copy back."""
        device = self._device
        with device.entered():
            device.synchronize()
            device.locks.remove(host, host + size, stays=True)
            device.kept_inputs.drop(copy, copy + size)
            device.allocator.free(self._allocated.pop(copy))

    def hand_out(self) -> None:
        """See `DeviceCopies.hand_out`."""
        with self._device.entered():
            self._device.handed_out = True
            self._device.synchronize()

    def between(self, here: Sequence[Binding], there: Sequence[Binding]) -> GpuCopiedBoxes:
        return GpuCopiedBoxes(self._device, here, there)


def aligned(memory: int, first: int) -> int:
    """Where a copy begins in memory, less than a line behind its beginning, so that a line begins
    `first` bytes behind the copy's own beginning."""
    return memory + -(memory + first) % LINE


class GpuCopiedBoxes:
    """Implements `backends.base.CopiedBoxes` on a GPU: the `bridge_update` of kernels/gpu/boxes.h,
    made anew when page locks have changed."""

    def __init__(
        self, device: Device, here: Sequence[Binding], there: Sequence[Binding]
    ) -> None:  # fmt: skip
        self._device = device
        self._here = list(here)
        self._there = list(there)
        self._locks = array("q", (-1,))
        address = device.packing.library.address
        self._made: Any = ffi.new("bridge_update*", {
            "crossings": device.crossings.made,
            "pack": address("bridge_cpu_pack_boxes"), "unpack": address("bridge_cpu_unpack_boxes"),
            "name": [device.recent.number(what) for what in (OF_HOST, OF_DEVICE)],
        })  # fmt: skip

    def bring(self) -> None:
        """From the caller's array to the copy."""
        self._move(OF_DEVICE, library().bridge_update_device)

    def fetch(self) -> None:
        """From the copy to the caller's array."""
        self._move(OF_HOST, library().bridge_update_host)

    def native(self, inward: bool) -> NativeCall:
        """See `CopiedBoxes`."""
        device, locks = self._device, self._device.locks.given_up
        same = Condition(address_of(locks), address_of(self._locks), (locks, self._locks))
        return NativeCall(
            function(f"bridge_update_{'device' if inward else 'host'}_again"),
            int(ffi.cast("intptr_t", self._made)),
            0,
            device.packing.threads,
            conditions=(*device.conditions(), same),
            lock=device.order.native_lock,
        )

    def failure(self) -> BridgeError | None:
        """See `CopiedBoxes`."""
        return self._device.failed_in_c("updating boxes", self._made.error)

    def _move(self, what: str, move: Any) -> None:
        device = self._device
        with device.entered(), device.watched(what, wait=True):
            device.locks.settle()
            if self._locks[0] != device.locks.generation:
                self._choose()
                self._locks[0] = device.locks.generation
            if device.running is not None:
                device.follow_runs()
            device.crossings.reserve(self._made.most)
            error = move(self._made, ffi.NULL, device.packing.threads)
            if error:
                raise device.api.error(error)

    def _choose(self) -> None:
        """How each box moves; those that are packed share launches."""
        self._parts = [one for way in self._ways() for one in way]
        made, self._listed = self._made, ffi.new("bridge_update_part[]", len(self._parts))
        for one, part in zip(self._listed, self._parts, strict=True):
            part.fill(one)
        made.parts, made.n_parts = self._listed, len(self._parts)
        made.most = max((one.boxes.size for one in self._listed), default=0)

    def _ways(self) -> Iterator[Iterable[_Part]]:
        device = self._device
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
                yield [_rows(here, there, joined)]
            elif _records(here) and not joined:
                yield _slabs(device, here, there)
            else:
                packed.append((here, there))
        if packed:
            yield _packed(device, packed)


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


class _Part:
    """What a `bridge_update_part` says. copies, host, near: rows from the addresses of their first
    elements; launch: of what is beside the copy, on elements of `item` bytes; listed: boxes
    that the CPU packs."""

    def __init__(
        self, copies: Copies | None = None, host: int = 0, near: int = 0,
        launch: Launch | None = None, item: int = 0, listed: HostBoxes | None = None,
    ) -> None:  # fmt: skip
        self._launch, self._item, self._listed = launch, item, listed
        rows = [] if copies is None else _rows_in_c(copies, host, near)
        self._rows: Any = ffi.new("bridge_rows[]", rows)

    def fill(self, part: Any) -> None:
        part.rows, part.n_rows = self._rows, len(self._rows)
        part.list = 0 if self._listed is None else self._listed.native(True).argument
        if self._launch is not None:
            part.boxes = self._launch.part(self._item)


def _rows_in_c(copies: Copies, host: int, near: int) -> list[tuple[int, ...]]:
    """Each a `bridge_rows`; a copy of one slice is one of as many rows as that has."""
    s = copies.shape
    size = s.width, s.height, s.depth
    pitches = s.far_pitch, s.near_pitch, s.far_rows or s.height, s.near_rows or s.height
    return [(host + far_at, near + near_at, *size, *pitches) for far_at, near_at in copies.places]


def _rows(here: Binding, there: Binding, joined: list[Axis]) -> _Part:
    """Rows that run on in both memories."""
    return _Part(plan_copies(joined, here.itemsize), _first(here), _first(there))


def _slabs(device: Device, here: Binding, there: Binding) -> Iterator[_Part]:
    """Records of a component-first array."""
    most = max(MOST_ELEMENTS // here.columns, 1)
    flat, far = replace(here, columns=1), replace(there, columns=1)
    for mine, yours in zip(pieces(flat, most), pieces(far, most), strict=True):
        mine = replace(mine, columns=here.columns)
        yours = replace(yours, columns=here.columns)
        (ni, nj, nk), width = mine.box.extent, here.columns
        box = Box((ni, nj, nk), (width, width * ni, width * ni * nj), 1)
        near = replace(mine, address=0, box=box)
        copies = plan_copies(joined_axes(mine, near), here.itemsize)
        launch = Launch(device, [yours], [near], 0)
        yield _Part(copies, _first(mine), 0, launch, here.itemsize)


def _packed(device: Device, both: list[tuple[Binding, Binding]]) -> Iterator[_Part]:
    """Boxes that the CPU packs and the device unpacks, and the other way round."""
    here, there = (grouped(each, MOST_ELEMENTS) for each in zip(*both, strict=True))
    for mine, yours in zip(here, there, strict=True):
        launch = Launch(device, yours, side_by_side(yours), 0)
        listed = HostBoxes(device.packing, mine)
        yield _Part(launch=launch, item=mine[0].itemsize, listed=listed)


def _first(binding: Binding) -> int:
    """The address of the first element."""
    return binding.address + binding.box.offset * binding.itemsize
