"""WatchedDriver: a driver whose copies, launches, allocations and waits are counted and timed.

Stands in front of a vendor's driver where a recorder asks for it; all that is above calls a
driver as before, and without a recorder calls the vendor's itself.
"""

from __future__ import annotations

import ctypes
from bisect import bisect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bridge.backends.gpu.deviceclock import DeviceClock
from bridge.backends.gpu.driver import RAISED, Addresses, CalledBack, Driver, RowsCopied
from bridge.timers.recorder import Recorder

#: Kernels that bring values of an array into the form that others read, and back.
_STAGES = {"gather": "unpack", "scatter": "repack", "move": "pack or unpack boxes"}
#: Copies to the device, and from it.
COPY_IN, COPY_OUT = "copy in", "copy out"
#: Addresses that are known to be of the device or not, until the next allocation.
PLACES = 4096
#: What the sources put before the name of a plan.
_PREFIXES = ("bridge_", "box_")


class WatchedDriver:
    """The methods of `Driver`; what is not here is the vendor's."""

    def __init__(self, api: Driver, recorder: Recorder) -> None:
        self._api = api
        self._ledger = recorder.ledger
        self._ranges = recorder.ranges
        self._timers = recorder.host
        self._clock = DeviceClock(api, recorder.device, recorder.spans)
        self._is_timed = recorder.timed
        self._around = self._clock.around if recorder.timed else _untimed
        self._names: dict[int, str] = {}
        self._blocks: list[tuple[int, int]] = []  # of the device: address, end
        self._capturing: list[int] | None = None  # bytes of copies, launches as -1
        self._graphs: dict[int | None, tuple[int, int, int]] = {}  # launches, copies, bytes
        self._places: dict[int, bool] = {}  # whether an address is one of the device
        recorder.settle = self._clock.finish
        for name in dir(api):  # found at once: most calls are the vendor's own
            if not name.startswith("_") and not hasattr(WatchedDriver, name):
                setattr(self, name, getattr(api, name))

    def __getattr__(self, name: str) -> Any:
        if name == "_api":
            raise AttributeError(name)
        return getattr(self._api, name)

    # ---- for callers in C -------------------------------------------------------------------

    def addresses(self) -> Addresses:
        """The vendor's, but for what is counted here. Who counts by himself comes here for that
        of which the time is taken."""
        self._called = called = CalledBack(self)
        there, words = self._api.addresses(), self._clock.words
        timed_launch, timed_copy, timed_rows = there.launch, there.copy, there.copy_rows
        if self._is_timed:
            timed_launch = called.launching(self._timed_launch)
            timed_copy = called.address(self._timed_copy, *[ctypes.c_size_t] * 4)
            timed_rows = called.copying_rows(self._timed_rows)
        return replace(
            there, launch=called.launch, copy=called.copy, copy_rows=called.copy_rows,
            synchronize=called.synchronize, settle=called.settle, graph=called.graph, batch=0,
            bare_launch=there.launch, bare_copy=there.copy, bare_copy_rows=there.copy_rows,
            bare_synchronize=there.synchronize, bare_settle=there.settle,
            timed_launch=timed_launch, timed_copy=timed_copy, timed_copy_rows=timed_rows,
            counted_in=words(COPY_IN), counted_out=words(COPY_OUT), counted=self._words_of,
            keeper=(called, there.keeper),
        )  # fmt: skip

    def error(self, code: int) -> BaseException:
        if code == RAISED and self._called.error is not None:
            return self._called.error
        return self._api.error(code)

    def _words_of(self, function: int) -> int:
        return self._clock.words(self._names.get(function, "kernel"))

    def _timed_launch(
        self, function: int, blocks: int, threads: int, tile: int, stream: int, parameters: int
    ) -> None:
        name, launch = self._names.get(function, "kernel"), self._api.launch
        arguments = function, blocks, threads, tile, stream, parameters
        self._clock.counted(name, stream, launch, *arguments)

    def _timed_copy(self, target: int, source: int, size: int, stream: int) -> None:
        name, copy = self._direction(target, source), self._api.copy_async
        self._clock.counted(name, stream, copy, target, source, size, stream)

    def _timed_rows(self, rows: RowsCopied, stream: int) -> None:
        name = self._direction(rows.target.address, rows.source.address)
        self._clock.counted(name, stream, rows.go, self._api, stream)

    # ---- memory ---------------------------------------------------------------------------

    def malloc(self, size: int) -> int:
        address = self._api.malloc(size)
        self._ledger.allocated(size)
        blocks = [*self._blocks, (address, address + max(size, 1))]
        self._blocks = sorted(blocks)
        self._places.clear()
        return address

    def free(self, address: int) -> None:
        self._blocks = [one for one in self._blocks if one[0] != address]
        self._places.clear()
        self._api.free(address)

    def host_malloc(self, size: int) -> int:
        with self._timers["page-lock"]:
            address = self._api.host_malloc(size)
        self._ledger.allocated(size)
        return address

    def lock(self, address: int, size: int) -> bool:
        with self._timers["page-lock"]:
            locked = self._api.lock(address, size)
        self._ledger.count("page_locks")
        return locked

    def _on_device(self, address: int) -> bool:
        found = self._places.get(address)
        if found is None:
            at = bisect(self._blocks, (address, 1 << 64)) - 1
            found = at >= 0 and address < self._blocks[at][1]
            if len(self._places) >= PLACES:
                self._places.clear()
            self._places[address] = found
        return found

    # ---- operations of the device -----------------------------------------------------------

    def copy(self, target: int, source: int, size: int) -> None:
        with self._timers[f"{self._direction(target, source)}, waited for"]:
            self._api.copy(target, source, size)
        self._ledger.copied(size)
        self._ledger.count("synchronisations")

    def _direction(self, target: int, source: int) -> str:
        here, there = self._on_device(target), self._on_device(source)
        if here and there:
            return "copy on the device"
        return COPY_IN if here else COPY_OUT

    def _copied(
        self, target: int, source: int, size: int, stream: int, copy: Callable[..., None],
        *arguments: int,
    ) -> None:  # fmt: skip
        self._around(self._direction(target, source), stream, copy, *arguments)
        if self._capturing is not None:
            self._capturing.append(size)
        else:
            self._ledger.copied(size)

    def copy_async(self, target: int, source: int, size: int, stream: int) -> None:
        self._copied(
            target, source, size, stream, self._api.copy_async, target, source, size, stream
        )

    def copy2d_async(
        self, target: int, target_pitch: int, source: int, source_pitch: int,
        width: int, height: int, stream: int,
    ) -> None:  # fmt: skip
        self._copied(
            target, source, width * height, stream, self._api.copy2d_async,
            target, target_pitch, source, source_pitch, width, height, stream,
        )  # fmt: skip

    def copy3d_async(
        self, target: int, target_pitch: int, target_rows: int, source: int, source_pitch: int,
        source_rows: int, width: int, height: int, depth: int, stream: int,
    ) -> None:  # fmt: skip
        self._copied(
            target, source, width * height * depth, stream, self._api.copy3d_async,
            target, target_pitch, target_rows, source, source_pitch, source_rows,
            width, height, depth, stream,
        )  # fmt: skip

    # ---- streams and graphs -----------------------------------------------------------------

    def stream(self) -> int:
        stream = self._api.stream()
        self._clock.named(stream)
        if self._is_timed:
            self._clock.start(stream)
        return stream

    def stream_destroy(self, stream: int) -> None:
        self._clock.finish()
        self._api.stream_destroy(stream)

    def stream_synchronize(self, stream: int) -> None:
        self._ledger.count("synchronisations")
        self._api.stream_synchronize(stream)

    def synchronize(self) -> None:
        self._ledger.count("synchronisations")
        self._api.synchronize()

    def event_synchronize(self, event: int) -> None:
        self._ledger.count("synchronisations")
        self._api.event_synchronize(event)

    def begin_capture(self, stream: int) -> None:
        self._api.begin_capture(stream)
        self._capturing = []
        self._clock.begin_capture()

    def end_capture(self, stream: int) -> int:
        captured, self._capturing = self._capturing or [], None
        graph: int | None = None
        try:
            graph = self._api.end_capture(stream)
        finally:
            self._clock.end_capture(graph)
        sizes = [size for size in captured if size >= 0]
        self._graphs[graph] = len(captured) - len(sizes), len(sizes), sum(sizes)
        return graph

    def graph_launch(self, graph: int, stream: int) -> None:
        self._clock.before_launch(graph)
        self._around("graph", stream, self._api.graph_launch, graph, stream)
        self._ledger.replayed(*self._graphs.get(graph, (0, 0, 0)))

    def graph_destroy(self, graph: int) -> None:
        self._graphs.pop(graph, None)
        self._clock.forget(graph)
        self._api.graph_destroy(graph)

    # ---- code -------------------------------------------------------------------------------

    def load(self, cubin: bytes) -> Any:
        with self._timers["load kernels"]:
            return self._api.load(cubin)

    def function(self, module: Any, name: str, tile: int) -> tuple[int, Any]:
        function, keeper = self._api.function(module, name, tile)
        self._names[function] = stage_of(name)
        return function, keeper

    def launch(
        self, function: int, blocks: int, threads: int, tile: int, stream: int, parameters: int
    ) -> None:
        self._launched(
            stream, self._api.launch, function, blocks, threads, tile, stream, parameters
        )

    def launch_grid(
        self, function: int, grid: tuple[int, int, int], block: tuple[int, int, int], tile: int,
        stream: int, parameters: int,
    ) -> None:  # fmt: skip
        launch = self._api.launch_grid
        self._launched(stream, launch, function, grid, block, tile, stream, parameters)

    def launch_together(
        self, function: int, grid: tuple[int, int, int], block: tuple[int, int, int], tile: int,
        stream: int, parameters: int,
    ) -> None:  # fmt: skip
        launch = self._api.launch_together
        self._launched(stream, launch, function, grid, block, tile, stream, parameters)

    def _launched(
        self, stream: int, launch: Callable[..., None], function: int, *arguments: Any
    ) -> None:
        name = self._names.get(function, "kernel")
        if self._ranges is not None:
            self._ranges.push(name)
        try:
            self._around(name, stream, launch, function, *arguments)
        finally:
            if self._ranges is not None:
                self._ranges.pop()
        if self._capturing is not None:
            self._capturing.append(-1)
        else:
            self._ledger.count("launches")


def _untimed(name: str, stream: int, operation: Callable[..., None], *arguments: Any) -> None:
    operation(*arguments)


def stage_of(function: str) -> str:
    """What a table and a trace call the launches of a function: its stage, or the plan's name."""
    stage = _STAGES.get(function.partition("_")[0])
    if stage is not None:
        return stage
    for prefix in _PREFIXES:
        function = function.removeprefix(prefix)
    return function
