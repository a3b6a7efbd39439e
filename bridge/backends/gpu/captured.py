"""Calls that were done, as one graph of the device. Beside `order`, which captures them;
kernels/gpu/sequences.h launches it, for Python and for callers that are no Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.backends.base import NativeCall
from bridge.backends.given import Given
from bridge.backends.gpu.boxprogram import WORK_AGAIN
from bridge.backends.gpu.constants import DeviceConstant
from bridge.backends.gpu.device import Device
from bridge.backends.orderlibrary import function, library
from bridge.compiled.order import ffi
from bridge.errors import BridgeError

#: What messages of the log call it.
SEQUENCE = "a recorded sequence"


class CapturedCalls:
    """Implements `backends.base.Recorded`. calls: each of them `captured`."""

    def __init__(self, device: Device, calls: Sequence[NativeCall]) -> None:
        self._device = device
        self._calls = calls
        lib, data = library(), device.host_data
        given = [one.keeper for one in calls if isinstance(one.keeper, Given)]
        reduced = [one.keeper for one in calls if isinstance(one.keeper, DeviceConstant)]
        works: list[Any] = [
            ffi.cast("bridge_work*", one.argument) for one in calls if one.function == WORK_AGAIN
        ]
        self._given = ffi.new("bridge_given*[]", [one.made for one in given])
        self._reduced = ffi.new("bridge_constant_device*[]", [one.of_device for one in reduced])
        self._runs = ffi.new("int64_t*[]", [one.runs for one in works if one.runs])
        made: Any = ffi.new("bridge_graph*", {
            "order": device.order.made, "name": device.recent.number(SEQUENCE),
            "given": self._given, "n_given": len(given),
            "constants": self._reduced, "n_constants": len(reduced),
            "runs": self._runs, "n_runs": len(self._runs),
        })  # fmt: skip
        self.made = made
        with device.entered(), device.watched(SEQUENCE):
            if given:
                changed = data.changed()
                changed.carry_by(device.modules.marshal_function("carry_words"))
                made.values = changed.made
                for one in reversed(given):  # of the first one of a constant what it writes
                    lib.bridge_given_forgotten(one.made, changed.made)
            counts = lib.bridge_order_counts()
            before = list(counts[0 : lib.BRIDGE_COUNTS])
            try:
                made.graph = device.order.capture(self._ask)
            except BaseException:
                for one in given:  # the host has the latest values, as before
                    lib.bridge_given_again(one.made, 1)
                raise
            finally:
                lib.bridge_graph_reduced(made)
            launches, copies = (
                counts[which] - before[which] for which in (lib.BRIDGE_LAUNCHES, lib.BRIDGE_COPIES)
            )
        self.holds = f"one graph of {launches} launches" + (f" and {copies} copies" * bool(copies))

    def _ask(self) -> int:
        """The calls again; the error of the first one that fails."""
        for one in self._calls:
            error = one.ask()
            if error:
                return error
        return 0

    def native(self) -> NativeCall:
        """See `Recorded`."""
        argument, lock = int(ffi.cast("intptr_t", self.made)), self._device.order.native_lock
        return NativeCall(function("bridge_graph_go"), argument, 0, 0, True, (), lock)

    def failure(self) -> BridgeError | None:
        """See `Recorded`."""
        return self._device.failed_in_c(SEQUENCE, self.made.error)

    def close(self) -> None:
        """See `Recorded`."""
        graph, self.made.graph = self.made.graph, 0
        if graph:
            with self._device.entered():
                self._device.api.graph_destroy(graph)
