"""The chunk loop of a run: transfers in, launch, transfers out, on several streams at once.

Behind `program`. Every chunk goes in, is worked on and comes out on the stream of its buffer, so
that both directions of the host link and the kernels work at the same time; the whole loop is
replayed as one graph once it has run.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from bridge.backends.base import Spent
from bridge.backends.gpu.arrays import Arrays
from bridge.backends.gpu.chunks import Chunk
from bridge.backends.gpu.device import CHUNK_BUFFERS, Device
from bridge.backends.gpu.launch import Launch
from bridge.backends.gpu.shares import Clock


class Pipeline:
    """The loop of a launch over chunks of these arrays; name: of the plan, for messages."""

    def __init__(self, device: Device, name: str, arrays: Arrays, launch: Launch) -> None:
        self._device = device
        self._name = name
        self.launch = launch
        self.arrays = arrays
        self.on_host = arrays.on_host
        self._events: list[int] = []
        self._clock = Clock(device)
        self._under_way: dict[int, Chunk] = {}
        self._chunks = 0
        self._generation = device.generation
        self._graphs: dict[tuple[frozenset[str], tuple[Chunk, ...]], int | None] = {}

    def begin(
        self, chunks: Sequence[Chunk], capacity: int, unchanged: Collection[str] = ()
    ) -> None:
        """Set the loop over these chunks going.

        capacity: points that a chunk buffer has memory for, more than any chunk has, so that
        another block finds it large enough; unchanged: inputs whose contents are those that the
        latest run of the group met, kept on the device from the first time that it is said.
        """
        device, arrays = self._device, self.arrays
        timing = device.limits is not None
        self._events = self._events or [device.api.event(timing) for _ in range(CHUNK_BUFFERS)]
        self._follow()
        self._under_way.clear()
        run = device.kept_inputs.next_run(arrays.group)
        arrays.prepare(chunks, capacity, unchanged, run)
        if self._generation != device.generation:
            self._drop_graphs()
            self._generation = device.generation
        self.launch.install()
        if arrays.foreign:
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        key = (arrays.current, tuple(chunks))
        self._chunks = len(chunks)
        buffers = min(CHUNK_BUFFERS, len(chunks))
        with device.watched(self._name):
            self._clock.begin(arrays.transfers.values(), sum(chunk.points for chunk in chunks))
            if key in self._graphs and self._graphs[key] is None and self._replayable():
                self._graphs[key] = self._capture(chunks, buffers)
            graph = self._graphs.setdefault(key, None)
            if graph is None:
                self._issue(chunks, buffers)
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
        device.order.alone()
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

    def _issue(self, chunks: Sequence[Chunk], buffers: int) -> None:
        device, transfers = self._device, self.arrays.transfers
        api = device.api
        api.record(device.fork, device.stream)
        for buffer in range(buffers):
            api.stream_wait(device.streams[buffer], device.fork)
        for number, chunk in enumerate(chunks):
            buffer = number % buffers
            stream = device.streams[buffer]
            if self.on_host:
                self._settle(buffer)
            for transfer in transfers.values():
                if transfer.reads and transfer.moved and not transfer.current:
                    transfer.bring(api, chunk, buffer, stream)
            self.launch.set(*self.arrays.places(chunk, buffer))
            self.launch.go(0, chunk.points, stream)
            for transfer in transfers.values():
                if transfer.writes and transfer.moved:
                    transfer.take(api, chunk, buffer, stream)
            api.record(self._events[buffer], stream)
            self._under_way[buffer] = chunk

    def _capture(self, chunks: Sequence[Chunk], buffers: int) -> int:
        """The same calls as one graph."""
        device = self._device
        api = device.api
        api.begin_capture(device.stream)
        try:
            self._issue(chunks, buffers)
            for buffer in range(buffers):
                api.stream_wait(device.stream, self._events[buffer])
        finally:
            self._under_way.clear()
            graph = api.end_capture(device.stream)
        self.arrays.forget_records()
        return graph

    def _settle(self, buffer: int) -> None:
        chunk = self._under_way.pop(buffer, None)
        if chunk is None:
            return
        with self._device.watched(self._name, wait=True):
            self._device.api.event_synchronize(self._events[buffer])
        for transfer in self.arrays.transfers.values():
            if transfer.writes:
                transfer.settle(chunk, buffer)

    def events(self) -> list[int]:
        """Those at whose end everything that was begun has happened."""
        return [self._events[buffer] for buffer in self._under_way]

    def done(self) -> bool:
        """Whether everything that was begun has happened on the device."""
        return all(self._device.api.event_done(event) for event in self.events())

    def wait(self) -> int:
        """Everything that was begun has happened; returns the number of chunks."""
        ends = self.events()
        for buffer in sorted(self._under_way, key=lambda buffer: self._under_way[buffer].first):
            self._settle(buffer)
        if ends:
            self._clock.end(ends)
        if self._device.running is self:
            self._device.running = None
        return self._chunks

    @property
    def spent(self) -> Spent:
        """Of the latest run that was waited for."""
        return self._clock.spent

    def _drop_graphs(self) -> None:
        for graph in self._graphs.values():
            if graph is not None:
                self._device.api.graph_destroy(graph)
        self._graphs.clear()

    def __del__(self) -> None:
        try:
            self._drop_graphs()
            self._clock.close()
            for event in self._events:
                self._device.api.event_destroy(event)
        except Exception:  # at interpreter exit, or after the device failed
            pass
