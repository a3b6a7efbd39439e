"""Reductions of arrays where they lie: on the device, or on the host by its cores."""

from __future__ import annotations

import ctypes

import numpy as np

from bridge.backends.base import Binding, Partial
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.transfers import DeviceBox
from bridge.backends.host.memory import joined_axes
from bridge.backends.host.reduction import GROUP, GROUP_LANES, OPERATIONS, HostReduction

#: struct Partial of the kernels, and bridge_partial of the library.
PARTIAL = np.dtype([("value", "f8"), ("point", "i8")])


class GpuReduction:
    """The reductions of a device; partial results of groups alone come to the host."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._host = HostReduction(device.packing)

    def reduce(self, source: Binding, operation: str) -> list[Partial]:
        """See `Backend.reduce`."""
        device, points = self._device, source.box.points
        with device.entered():
            if not points or device.owner_of(source.address) is None:
                return self._host.reduce(source, operation)
            with device.watched(f"reduction {operation}", wait=True):
                groups = self._groups(source, OPERATIONS[operation])
        number = groups.size // source.columns
        return self._host.combine(operation, number, source.columns, groups.ctypes.data)

    def _groups(self, source: Binding, operation: int) -> np.ndarray:
        """The results of groups, column after column."""
        device, points, columns = self._device, source.box.points, source.columns
        device.follow_runs()
        if not device.allocator.holds(source.address):
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        groups = -(-points // GROUP)
        found = np.empty(groups * columns, PARTIAL)
        lanes_size = found.nbytes * GROUP_LANES
        lanes = device.pool.device(("reduction", "lanes"), lanes_size, "partial results")
        results = device.pool.device(("reduction", "groups"), found.nbytes, "results of groups")
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
        launch(f"reduce_{source.dtype}", groups * columns * GROUP_LANES,
               [far, box, ctypes.c_void_p(lanes), *numbers], stream)  # fmt: skip
        launch("reduce_groups", found.size,
               [ctypes.c_void_p(lanes), ctypes.c_void_p(results), ctypes.c_longlong(found.size),
                ctypes.c_int(operation)], stream)  # fmt: skip
        device.api.stream_synchronize(stream)
        device.allocator.get(results, found)
        return found
