"""The chunk loop of a run: transfers in, launch, transfers out, on several streams at once.

Behind `program`. Every chunk goes in, is worked on and comes out on a stream of its own slot, so
that both directions of the host link and the kernels work at the same time; the whole loop is
replayed as one graph once it has run.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from bridge.backends.gpu.arrays import Arrays
from bridge.backends.gpu.chunks import Chunk
from bridge.backends.gpu.device import SLOTS, Device
from bridge.backends.gpu.launch import Launch


class Pipeline:
    """The loop of a launch over chunks of these arrays; name: of the plan, for messages."""

    def __init__(self, device: Device, name: str, arrays: Arrays, launch: Launch) -> None:
        self._device = device
        self._name = name
        self.launch = launch
        self.arrays = arrays
        self.on_host = arrays.on_host
        self._events: list[int] = []
        self._under_way: dict[int, Chunk] = {}
        self._chunks = 0
        self._generation = device.generation
        self._graphs: dict[tuple[frozenset[str], tuple[Chunk, ...]], int | None] = {}

    def begin(self, chunks: Sequence[Chunk], room: int, unchanged: Collection[str] = ()) -> None:
        """Set the loop over these chunks going.

        room: points that chunk buffers are to hold, more than any chunk has, so that another
        block finds them large enough; unchanged: inputs whose contents are those that the latest
        run of the group met, kept on the device from the first time that it is said.
        """
        device, arrays = self._device, self.arrays
        self._events = self._events or [device.api.event() for _ in range(SLOTS)]
        self._follow()
        self._under_way.clear()
        run = device.stores.next_run(arrays.group)
        arrays.prepare(chunks, room, unchanged, run)
        if self._generation != device.generation:
            self._drop_graphs()
            self._generation = device.generation
        self.launch.install()
        if arrays.foreign:
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        key = (arrays.kept, tuple(chunks))
        self._chunks = len(chunks)
        slots = min(SLOTS, len(chunks))
        with device.watched(self._name):
            if key in self._graphs and self._graphs[key] is None and self._replayable():
                self._graphs[key] = self._capture(chunks, slots)
            graph = self._graphs.setdefault(key, None)
            if graph is None:
                self._issue(chunks, slots)
            else:
                device.api.graph_launch(graph, device.stream)
                device.api.record(self._events[0], device.stream)
                self._under_way = {0: chunks[-1]}
        arrays.mark(run)
        device.running = self

    def _follow(self) -> None:
        """Chunk buffers are common to all loops: this one follows the one that is under transfer.

        The device keeps that order; only a loop in which the CPU has a part is waited for here.
        """
        device = self._device
        before, device.running = device.running, None
        if before is None:
            return
        if before.on_host or self.on_host or before is self:
            before.wait()
        else:
            for event in before.events():
                device.api.stream_wait(device.stream, event)

    def _replayable(self) -> bool:
        return not self.on_host and os.environ.get("BRIDGE_GRAPH", "1") != "0"

    def _issue(self, chunks: Sequence[Chunk], slots: int) -> None:
        device, transfers = self._device, self.arrays.transfers
        api = device.api
        api.record(device.fork, device.stream)
        for slot in range(slots):
            api.stream_wait(device.streams[slot], device.fork)
        for number, chunk in enumerate(chunks):
            slot = number % slots
            stream = device.streams[slot]
            if self.on_host:
                self._settle(slot)
            for transfer in transfers.values():
                if transfer.reads and transfer.moved and not transfer.stored:
                    transfer.bring(api, chunk, slot, stream)
            self.launch.set(*self.arrays.places(chunk, slot))
            self.launch.go(0, chunk.points, stream)
            for transfer in transfers.values():
                if transfer.writes and transfer.moved:
                    transfer.take(api, chunk, slot, stream)
            api.record(self._events[slot], stream)
            self._under_way[slot] = chunk

    def _capture(self, chunks: Sequence[Chunk], slots: int) -> int:
        """The same calls as one graph."""
        device = self._device
        api = device.api
        api.begin_capture(device.stream)
        try:
            self._issue(chunks, slots)
            for slot in range(slots):
                api.stream_wait(device.stream, self._events[slot])
        finally:
            self._under_way.clear()
            graph = api.end_capture(device.stream)
        self.arrays.forget_records()
        return graph

    def _settle(self, slot: int) -> None:
        chunk = self._under_way.pop(slot, None)
        if chunk is None:
            return
        with self._device.watched(self._name, wait=True):
            self._device.api.event_synchronize(self._events[slot])
        for transfer in self.arrays.transfers.values():
            if transfer.writes:
                transfer.settle(chunk, slot)

    def events(self) -> list[int]:
        """Those at whose end everything that was begun has happened."""
        return [self._events[slot] for slot in self._under_way]

    def done(self) -> bool:
        """Whether everything that was begun has happened on the device."""
        return all(self._device.api.event_done(event) for event in self.events())

    def wait(self) -> int:
        """Everything that was begun has happened; returns the number of chunks."""
        for slot in sorted(self._under_way, key=lambda slot: self._under_way[slot].first):
            self._settle(slot)
        if self._device.running is self:
            self._device.running = None
        return self._chunks

    def _drop_graphs(self) -> None:
        for graph in self._graphs.values():
            if graph is not None:
                self._device.api.graph_destroy(graph)
        self._graphs.clear()

    def __del__(self) -> None:
        try:
            self._drop_graphs()
            for event in self._events:
                self._device.api.event_destroy(event)
        except Exception:  # at interpreter exit, or after the device failed
            pass
