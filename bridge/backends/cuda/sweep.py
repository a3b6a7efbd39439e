"""The chunk loop over a program's arrays.

Behind `program`. Every chunk goes in, is worked on and comes out on a stream of its own slot, so
that both directions of the host link and the kernels work at the same time; the whole loop is
replayed as one graph once it has run.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from bridge.backends.cuda.arrays import Arrays
from bridge.backends.cuda.device import SLOTS, Device
from bridge.backends.cuda.launch import Launch
from bridge.backends.cuda.pieces import Piece


class Sweep:
    """The loop of a launch over chunks of these arrays; name: of the plan, for messages."""

    def __init__(self, device: Device, name: str, arrays: Arrays, launch: Launch) -> None:
        self._device = device
        self._name = name
        self.launch = launch
        self.arrays = arrays
        self.on_host = arrays.on_host
        self._events: list[int] = []
        self._under_way: dict[int, Piece] = {}
        self._chunks = 0
        self._generation = device.generation
        self._graphs: dict[tuple[frozenset[str], tuple[Piece, ...]], int | None] = {}

    def begin(self, pieces: Sequence[Piece], room: int, unchanged: Collection[str] = ()) -> None:
        """Set the loop over these pieces going.

        room: points that chunk buffers are to hold, more than any piece has, so that another
        block finds them large enough; unchanged: inputs whose contents are those that the latest
        run of the group met, kept on the device from the first time that it is said.
        """
        device, arrays = self._device, self.arrays
        self._events = self._events or [device.api.event() for _ in range(SLOTS)]
        self._follow()
        self._under_way.clear()
        run = device.stores.next_run(arrays.group)
        arrays.prepare(pieces, room, unchanged, run)
        if self._generation != device.generation:
            self._drop_graphs()
            self._generation = device.generation
        self.launch.install()
        if arrays.foreign:
            device.api.synchronize()  # whoever wrote that memory may have used another stream
        key = (arrays.kept, tuple(pieces))
        self._chunks = len(pieces)
        slots = min(SLOTS, len(pieces))
        with device.watched(self._name):
            if key in self._graphs and self._graphs[key] is None and self._replayable():
                self._graphs[key] = self._capture(pieces, slots)
            graph = self._graphs.setdefault(key, None)
            if graph is None:
                self._issue(pieces, slots)
            else:
                device.api.graph_launch(graph, device.stream)
                device.api.record(self._events[0], device.stream)
                self._under_way = {0: pieces[-1]}
        arrays.mark(run)
        device.running = self

    def _follow(self) -> None:
        """Chunk buffers are common to all loops: this one follows the one that is under way.

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

    def _issue(self, pieces: Sequence[Piece], slots: int) -> None:
        device, ways = self._device, self.arrays.ways
        api = device.api
        api.record(device.fork, device.stream)
        for slot in range(slots):
            api.stream_wait(device.streams[slot], device.fork)
        for number, piece in enumerate(pieces):
            slot = number % slots
            stream = device.streams[slot]
            if self.on_host:
                self._settle(slot)
            for way in ways.values():
                if way.reads and way.moved and not way.still:
                    way.bring(api, piece, slot, stream)
            self.launch.set(*self.arrays.places(piece, slot))
            self.launch.go(0, piece.points, stream)
            for way in ways.values():
                if way.writes and way.moved:
                    way.take(api, piece, slot, stream)
            api.record(self._events[slot], stream)
            self._under_way[slot] = piece

    def _capture(self, pieces: Sequence[Piece], slots: int) -> int:
        """The same calls as one graph."""
        device = self._device
        api = device.api
        api.begin_capture(device.stream)
        try:
            self._issue(pieces, slots)
            for slot in range(slots):
                api.stream_wait(device.stream, self._events[slot])
        finally:
            self._under_way.clear()
            graph = api.end_capture(device.stream)
        self.arrays.forget_records()
        return graph

    def _settle(self, slot: int) -> None:
        piece = self._under_way.pop(slot, None)
        if piece is None:
            return
        with self._device.watched(self._name, wait=True):
            self._device.api.event_synchronize(self._events[slot])
        for way in self.arrays.ways.values():
            if way.writes:
                way.settle(piece, slot)

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
