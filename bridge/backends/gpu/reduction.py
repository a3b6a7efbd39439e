"""Reductions of arrays where they lie: on the device, or on the host by its cores.

kernels/gpu/reductions.h asks for those of the device, for Python and for callers that are none.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bridge.backends.base import (
    VALUE,
    Answer,
    Binding,
    Box,
    Measure,
    NativeCall,
    Partial,
    RepeatingReduction,
)
from bridge.backends.blocks import Blocks
from bridge.backends.gpu.chunks import Chunk
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import DeviceArray
from bridge.backends.gpu.modules import MARSHAL_THREADS
from bridge.backends.gpu.transfers import DeviceBox, Gathered
from bridge.backends.host.memory import joined_axes
from bridge.backends.host.reduction import (
    GROUP,
    GROUP_LANES,
    OPERATIONS,
    HostReduction,
    in_c,
)
from bridge.backends.orderlibrary import function, library
from bridge.compiled.order import ffi
from bridge.errors import DeviceError

#: Bytes of a struct Partial of the kernels, and a bridge_partial of the library.
PARTIAL = 16
#: A kernel, its threads and its arguments.
Listed = tuple[str, int, list[Any]]


class DeviceMeasure(ctypes.Structure):
    """struct Measure of the kernels."""

    _fields_ = [("of", ctypes.c_int), ("part", ctypes.c_int), ("grain", ctypes.c_double * 3)]


class Room:
    """Memory of all reductions of a device, which has one at a time. lanes, groups: partial
    results of threads, and of groups, which lie on the host, page-locked; mask: of points.

    Arguments of kernels are these very words, which change where the memory grows; it stays as it
    was where there is none.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self.lanes, self.groups, self.mask = (ctypes.c_void_p(0) for _ in range(3))
        self._partials = self._masked = 0

    def reserve(self, partials: int, masked: int = 0) -> None:
        """Have room for so many partial results of groups, and for a mask of so many points."""
        allocator, size = self._device.allocator, partials * PARTIAL
        if partials > self._partials:
            lanes = allocator.device(size * GROUP_LANES, "partial results")
            self._replace(self.lanes, lanes)
            self._replace(self.groups, allocator.host(size))
            self._partials = partials
        if masked > self._masked:
            self._replace(self.mask, allocator.device(4 * masked, "mask of a reduction"))
            self._masked = masked

    def _replace(self, word: ctypes.c_void_p, address: int) -> None:
        self._device.synchronize()
        self._device.allocator.free(word.value or 0)
        word.value = address


class GpuReduction:
    """The reductions of a device; partial results of groups alone come to the host."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._host = HostReduction(device.packing)
        self._room = Room(device)

    def reduce(
        self,
        source: Binding,
        operation: str,
        mask: Binding | None = None,
        measure: Measure = VALUE,
    ) -> list[Partial]:
        """See `Backend.reduce`."""
        device, points = self._device, source.box.points
        with device.entered():
            if not points or device.owner_of(source.address) is None:
                return self._host.reduce(source, operation, self._on_host(mask), measure)
            with device.watched(f"reduction {operation}", wait=True):
                if device.running is not None or not self._in_place(source, mask):
                    device.follow_runs()
                if self._in_place(source, mask):
                    return self._reduction(source, operation, mask, measure).partials()
                source = self._side_by_side(source, "values of a reduction")
                self._go(source, OPERATIONS[operation], mask, measure, self._room.groups)
                device.api.stream_synchronize(device.stream)
                groups, place = -(-points // GROUP), self._room.groups.value or 0
                return self._host.combine(operation, groups, source.columns, place)

    def repeating(
        self, source: Binding, operation: str, mask: Binding | None, measure: Measure,
        answer: Answer,
    ) -> RepeatingReduction | None:  # fmt: skip
        """See `Backend.repeating_reduction`."""
        device = self._device
        with device.entered():
            if self._in_place(source, mask):
                return self._reduction(source, operation, mask, measure, answer)
            if {device.owner_of(one.address) for one in (source, mask) if one} == {None}:
                conditions = tuple(device.conditions())
                return self._host.repeating(source, operation, mask, measure, answer, conditions)
            return None

    def _in_place(self, *read: Binding | None) -> bool:
        """Whether it is memory of the bridge on the device, of one block each."""
        place = self._device.order.place
        return all(one is None or (one.blocks is None and place(one.address)) for one in read)

    def _reduction(
        self, source: Binding, operation: str, mask: Binding | None, measure: Measure,
        answer: Answer | None = None,
    ) -> DeviceReduction:  # fmt: skip
        """One that the order of streams knows the memory of."""
        listed: list[Listed] = []
        if mask is not None:
            self._room.reserve(0, mask.box.points)
            listed.append(gathered(mask, self._room.mask))
        blanks = None if mask is None else self._room.mask
        listed += self._listed(source, OPERATIONS[operation], blanks, measure, self._room.groups)
        read = [source.address] if mask is None else [source.address, mask.address]
        return DeviceReduction(
            self._device, self._room, self._host, source, operation, read, listed, answer
        )

    def reduce_there(
        self,
        source: Binding,
        operation: str,
        mask: Binding | None,
        measure: Measure,
        empty: float,
        root: bool,
    ) -> Binding | None:
        """See `Backend.reduce_there`; None where the source is the host's."""
        device, points, columns = self._device, source.box.points, source.columns
        with device.entered():
            if not points or device.owner_of(source.address) is None:
                return None
            with device.watched(f"reduction {operation}", wait=True):
                device.follow_runs()
                source = self._side_by_side(source, "values of a reduction")
                which = ctypes.c_int(OPERATIONS[operation])
                size = -(-points // GROUP) * columns * PARTIAL
                near = device.pool.device(("reduction", "groups"), size, "results of groups")
                partials = ctypes.c_void_p(near)
                self._go(source, which.value, mask, measure, partials)
                launch, stream, groups = (
                    device.modules.launch_marshal,
                    device.stream,
                    -(-points // GROUP),
                )
                step = 1
                while step < groups:
                    pairs = -(-groups // (2 * step))
                    n = pairs * columns
                    numbers = [ctypes.c_longlong(one) for one in (groups, pairs, n, step)]
                    launch("reduce_pairs", n, [partials, *numbers, which], stream)
                    step *= 2
                what = "result of a reduction"
                made = DeviceArray(
                    device.allocator, 1, columns, "float64", what, device.synchronize
                )
                launch(
                    "reduce_values", columns,
                    [partials, ctypes.c_void_p(made.address), ctypes.c_longlong(groups),
                     ctypes.c_longlong(columns), ctypes.c_double(empty), which,
                     ctypes.c_int(root)], stream,
                )  # fmt: skip
                device.api.stream_synchronize(stream)
        return Binding(made.address, Box.flat(1, 1), columns, owner=made)

    def _side_by_side(self, source: Binding, what: str) -> Binding:
        """The points of many blocks of the device one behind the other, as they are there; what:
        the use, whose memory is one."""
        blocks, device = source.blocks, self._device
        if blocks is None or blocks.is_flat:
            return source
        if not device.allocator.holds(source.address):
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        table, points = table_of(blocks), source.box.points
        key = ("reduction", what)
        rows = device.pool.device((*key, "blocks"), table.nbytes, "table of blocks")
        near = device.pool.device(key, source.elements * source.itemsize, what)
        device.api.stream_synchronize(device.stream)  # a kernel may read the table before
        device.allocator.put(rows, table)
        device.modules.launch_marshal(*beside(source, rows, len(table), near), device.stream)
        return replace(source, address=near, box=Box.flat(points, points), blocks=None)

    def _on_host(self, mask: Binding | None) -> Binding | None:
        """A mask that the CPU can read."""
        if mask is None or self._device.owner_of(mask.address) is None:
            return mask
        with self._device.watched("mask of a reduction", wait=True):
            self._device.follow_runs()
            words = np.empty(mask.box.points, np.int32)
            near = self._on_device(mask)
            self._device.api.stream_synchronize(self._device.stream)
            if near is not None:
                self._device.allocator.get(near.value or 0, words)
        box = Box.flat(words.size, 1)
        return Binding(words.ctypes.data, box, 1, dtype="int32", owner=words)

    def _on_device(self, mask: Binding | None) -> ctypes.c_void_p | None:
        """A mask's integers side by side on the device; None: there is none."""
        if mask is None:
            return None
        device, points, near = self._device, mask.box.points, self._room.mask
        self._room.reserve(0, points)
        if device.owner_of(mask.address) is None:
            words = np.empty((1, points), np.int32)
            device.packing.pack(mask, 0, points, words)
            device.api.stream_synchronize(device.stream)  # a kernel may read the mask before
            device.allocator.put(near.value or 0, words)
            return near
        if not device.allocator.holds(mask.address):
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        mask = self._side_by_side(mask, "points of a mask")
        device.modules.launch_marshal(*gathered(mask, near), device.stream)
        return near

    def _go(
        self, source: Binding, operation: int, mask: Binding | None, measure: Measure,
        groups: ctypes.c_void_p,
    ) -> None:  # fmt: skip
        """The results of groups, column after column, in order on the main stream."""
        device, blanks = self._device, self._on_device(mask)
        if not device.allocator.holds(source.address):
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        for one in self._listed(source, operation, blanks, measure, groups):
            device.modules.launch_marshal(*one, device.stream)

    def _listed(
        self, source: Binding, operation: int, mask: ctypes.c_void_p | None, measure: Measure,
        out: ctypes.c_void_p,
    ) -> list[Listed]:  # fmt: skip
        """What gives the results of groups; out: where they go."""
        points, columns, lanes = source.box.points, source.columns, self._room.lanes
        groups = -(-points // GROUP)
        n = groups * columns
        self._room.reserve(n)
        far, box = placed(source)
        numbers = ctypes.c_longlong(points), ctypes.c_longlong(groups), ctypes.c_int(operation)
        arguments = [far, box, mask or ctypes.c_void_p(0), lanes, *numbers]
        kernel = f"reduce_{source.dtype}"
        if measure != VALUE:
            grains = (ctypes.c_double * 3)(*measure.grains)
            arguments.append(DeviceMeasure(measure.of, measure.part, grains))
            kernel = f"measure_{source.dtype}"
        together = [lanes, out, ctypes.c_longlong(n), ctypes.c_int(operation)]
        return [(kernel, n * GROUP_LANES, arguments), ("reduce_groups", n, together)]


def placed(source: Binding) -> tuple[ctypes.c_void_p, DeviceBox]:
    """What kernels find values by: the address of the first one, and how the others lie."""
    (ni, along), (nj, rows), (_, planes) = joined_axes([source.box])[0]
    box = DeviceBox(
        (ctypes.c_longlong * 2)(ni, nj), (ctypes.c_longlong * 3)(along, rows, planes),
        source.box.data_stride, source.columns, source.scale,
    )  # fmt: skip
    return ctypes.c_void_p(source.address + source.box.offset * source.itemsize), box


def table_of(blocks: Blocks) -> np.ndarray:
    """What the kernel that gathers points of many blocks knows of them."""
    some = blocks.rows
    first = np.cumsum(some.sizes) - some.sizes
    columns = [first, some.extent[:, :2], some.stride, some.offset, some.data_stride]
    return np.ascontiguousarray(np.column_stack(columns))


def beside(source: Binding, rows: int, count: int, near: int) -> Listed:
    """What brings the points of many blocks side by side; rows: address of their table of so many
    rows, near: of where the points go."""
    points = source.box.points
    parameters = [
        ctypes.c_void_p(source.address), ctypes.c_void_p(rows), ctypes.c_int(count),
        ctypes.c_void_p(near), ctypes.c_longlong(points), ctypes.c_int(source.columns),
    ]  # fmt: skip
    return f"gather_blocks_{source.itemsize}", points, parameters


def launch_of(
    device: Device, kernel: str, threads: int, arguments: list[Any], keep: list[Any]
) -> tuple[int, ...]:
    """A `bridge_launch`; keep: gets what it points to."""
    parameters = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
    keep += [parameters, arguments]
    handle, blocks = device.modules.marshal_function(kernel), -(-threads // MARSHAL_THREADS)
    at, counted = ctypes.addressof(parameters), device.order.counted(handle)
    return handle, at, blocks, MARSHAL_THREADS, 0, counted


def gathered(mask: Binding, near: ctypes.c_void_p) -> Listed:
    """What brings a mask on the device to integers side by side."""
    found: list[Listed] = []

    def note(kernel: str, threads: int, arguments: list[Any], _: int) -> None:
        arguments[2] = near
        found.append((kernel, threads, arguments))

    gather = Gathered(mask, True, False, "int32", note)
    gather.buffers, gather.stride = [0], mask.box.points
    gather._move("gather", Chunk((0, 0, 0), (mask.box.points, 1, 1), 0), 0, 0)
    return found[0]


class DeviceReduction:
    """A `RepeatingReduction` of memory of the device."""

    def __init__(
        self, device: Device, room: Room, host: HostReduction, source: Binding, operation: str,
        read: Sequence[int], listed: Sequence[Listed], answer: Answer | None,
    ) -> None:  # fmt: skip
        self._device, columns, self._what = device, source.columns, f"reduction {operation}"
        address = device.packing.library.address
        self._kept: list[Any] = [room, source, listed]  # what the structs point to
        launches = ffi.new(
            "bridge_launch[]", [launch_of(device, *one, self._kept) for one in listed]
        )
        reads = ffi.new("int64_t[]", [device.order.place(one) or 0 for one in read])
        self._results = host.results(columns)
        form = None if answer is None else host.form(in_c(answer, operation, source))
        lanes, groups = (ctypes.addressof(word) for word in (room.lanes, room.groups))
        self._kept += [launches, reads, form]
        self._made: Any = ffi.new("bridge_device_reduction*", {
            "order": device.order.made, "reads": reads, "n_reads": len(reads),
            "lanes": ffi.cast("int64_t*", lanes), "groups": ffi.cast("int64_t*", groups),
            "launches": launches, "n_launches": len(launches),
            "combine": address("bridge_cpu_combine"), "answer": address("bridge_cpu_answer"),
            "form": 0 if form is None else int(ffi.cast("intptr_t", form)),
            "results": int(ffi.cast("intptr_t", self._results)),
            "n_groups": -(-source.box.points // GROUP), "columns": columns,
            "operation": OPERATIONS[operation],
            "name": device.recent.number(self._what),
        })  # fmt: skip

    def partials(self) -> list[Partial]:
        """The results of columns."""
        error = library().bridge_device_reduce(self._made)
        if error:
            raise self._device.api.error(error)
        return [Partial(result.value, result.point) for result in self._results]

    def native(self) -> NativeCall:
        """See `RepeatingReduction`."""
        argument = int(ffi.cast("intptr_t", self._made))
        conditions, lock = tuple(self._device.conditions()), self._device.order.native_lock
        return NativeCall(
            function("bridge_device_reduce_again"), argument, 0, 1,
            conditions=conditions, lock=lock, keeper=self,
        )  # fmt: skip

    def failure(self) -> DeviceError | None:
        """See `RepeatingReduction`."""
        return self._device.failed_in_c(self._what, self._made.error)
