"""Reductions of arrays where they lie: on the device, or on the host by its cores."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np

from bridge.backends.base import VALUE, Binding, Box, Measure, Partial
from bridge.backends.gpu.chunks import Chunk
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import DeviceArray
from bridge.backends.gpu.transfers import DeviceBox, Gathered
from bridge.backends.host.memory import joined_axes
from bridge.backends.host.reduction import GROUP, GROUP_LANES, OPERATIONS, HostReduction

#: struct Partial of the kernels, and bridge_partial of the library.
PARTIAL = np.dtype([("value", "f8"), ("point", "i8")])


class DeviceMeasure(ctypes.Structure):
    """struct Measure of the kernels."""

    _fields_ = [("of", ctypes.c_int), ("part", ctypes.c_int), ("grain", ctypes.c_double * 3)]


class GpuReduction:
    """The reductions of a device; partial results of groups alone come to the host."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._host = HostReduction(device.packing)

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
                device.follow_runs()
                source = self._side_by_side(source, "values of a reduction")
                found = np.empty(-(-points // GROUP) * source.columns, PARTIAL)
                results = self._groups(source, OPERATIONS[operation], mask, measure)
                device.api.stream_synchronize(device.stream)
                device.allocator.get(results, found)
        number = found.size // source.columns
        return self._host.combine(operation, number, source.columns, found.ctypes.data)

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
                partials = ctypes.c_void_p(self._groups(source, which.value, mask, measure))
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
        some, points = blocks.rows, source.box.points
        first = np.cumsum(some.sizes) - some.sizes
        table = np.ascontiguousarray(
            np.column_stack(
                [first, some.extent[:, :2], some.stride, some.offset, some.data_stride]
            )
        )
        key = ("reduction", what)
        rows = device.pool.device((*key, "blocks"), table.nbytes, "table of blocks")
        near = device.pool.device(key, source.elements * source.itemsize, what)
        device.api.stream_synchronize(device.stream)  # a kernel may read the table before
        device.allocator.put(rows, table)
        parameters = [
            ctypes.c_void_p(source.address), ctypes.c_void_p(rows), ctypes.c_int(len(table)),
            ctypes.c_void_p(near), ctypes.c_longlong(points), ctypes.c_int(source.columns),
        ]  # fmt: skip
        kernel = f"gather_blocks_{source.itemsize}"
        device.modules.launch_marshal(kernel, points, parameters, device.stream)
        return replace(source, address=near, box=Box.flat(points, points), blocks=None)

    def _on_host(self, mask: Binding | None) -> Binding | None:
        """A mask that the CPU can read."""
        if mask is None or self._device.owner_of(mask.address) is None:
            return mask
        with self._device.watched("mask of a reduction", wait=True):
            self._device.follow_runs()
            words = np.empty(mask.box.points, np.int32)
            address = self._on_device(mask)
            self._device.api.stream_synchronize(self._device.stream)
            self._device.allocator.get(address, words)
        box = Box.flat(words.size, 1)
        return Binding(words.ctypes.data, box, 1, dtype="int32", owner=words)

    def _on_device(self, mask: Binding | None) -> int:
        """Address of a mask's integers side by side on the device; 0: there is none."""
        if mask is None:
            return 0
        device, points = self._device, mask.box.points
        near = device.pool.device(("reduction", "mask"), 4 * points, "mask of a reduction")
        if device.owner_of(mask.address) is None:
            words = np.empty((1, points), np.int32)
            device.packing.pack(mask, 0, points, words)
            device.api.stream_synchronize(device.stream)  # a kernel may read the mask before
            device.allocator.put(near, words)
            return near
        if not device.allocator.holds(mask.address):
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        mask = self._side_by_side(mask, "points of a mask")
        gather = Gathered(mask, True, False, "int32", device.modules.launch_marshal)
        gather.buffers, gather.stride = [near], points
        chunk = Chunk((0, 0, 0), (points, 1, 1), 0)
        gather.bring(device.api, chunk, 0, device.stream)
        return near

    def _groups(
        self, source: Binding, operation: int, blanks: Binding | None, measure: Measure
    ) -> int:
        """Address of the results of groups, column after column."""
        mask = self._on_device(blanks)
        device, points, columns = self._device, source.box.points, source.columns
        if not device.allocator.holds(source.address):
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        groups = -(-points // GROUP)
        n = groups * columns
        lanes_size = n * PARTIAL.itemsize * GROUP_LANES
        lanes = device.pool.device(("reduction", "lanes"), lanes_size, "partial results")
        results = device.pool.device(
            ("reduction", "groups"), n * PARTIAL.itemsize, "results of groups"
        )
        launch, stream = device.modules.launch_marshal, device.stream
        (ni, along), (nj, rows), (_, planes) = joined_axes([source.box])[0]
        box = DeviceBox(
            (ctypes.c_longlong * 2)(ni, nj),
            (ctypes.c_longlong * 3)(along, rows, planes),
            source.box.data_stride, columns, source.scale,
        )  # fmt: skip
        item = 8 if source.dtype == "float64" else 4
        far = ctypes.c_void_p(source.address + source.box.offset * item)
        numbers = ctypes.c_longlong(points), ctypes.c_longlong(groups), ctypes.c_int(operation)
        arguments = [far, box, ctypes.c_void_p(mask), ctypes.c_void_p(lanes), *numbers]
        kernel = f"reduce_{source.dtype}"
        if measure != VALUE:
            grains = (ctypes.c_double * 3)(*measure.grains)
            arguments.append(DeviceMeasure(measure.of, measure.part, grains))
            kernel = f"measure_{source.dtype}"
        launch(kernel, groups * columns * GROUP_LANES, arguments, stream)
        launch("reduce_groups", n,
               [ctypes.c_void_p(lanes), ctypes.c_void_p(results), ctypes.c_longlong(n),
                ctypes.c_int(operation)], stream)  # fmt: skip
        return results
