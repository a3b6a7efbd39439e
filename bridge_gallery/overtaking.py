"""Launches on several streams, and as graphs: what may overtake what, and how a driver is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bridge.backends.gpu.device import Device
from bridge.backends.gpu.launchsequence import GraphNode, schedule
from bridge_gallery.rung import Launch

#: Sets a launch going on a stream.
Go = Callable[[int], None]


def scheduled(launches: Sequence[Launch], streams: int) -> list[GraphNode]:
    """The stream of each launch, and those of other streams that it waits for."""
    numbers: dict[str, int] = {}

    def counted(names: set[str]) -> set[int]:
        return {numbers.setdefault(name, len(numbers)) for name in names}

    reads = [counted(one.reads) for one in launches]
    writes = [counted(set(one.writes)) for one in launches]
    return schedule(reads, writes, streams)


class Side:
    """Launches on streams side by side: they fork from the device's stream and join it again."""

    def __init__(
        self, device: Device, launches: Sequence[Launch], go: Sequence[Go], streams: int
    ) -> None:
        self._api, self._go = device.api, go
        self._nodes = scheduled(launches, streams)
        self._streams = [device.stream, *(self._api.stream() for _ in range(streams - 1))]
        waited = {before for node in self._nodes for before in node.after}
        last = {node.stream: number for number, node in enumerate(self._nodes)}
        self._ends = [number for stream, number in last.items() if stream]
        self._events = {one: self._api.event() for one in waited | set(self._ends)}
        self._fork = self._api.event()

    def run(self) -> None:
        """All of them; what comes on the device's stream afterwards follows them all."""
        api, streams = self._api, self._streams
        api.record(self._fork, streams[0])
        forked = {0}
        for number, (node, go) in enumerate(zip(self._nodes, self._go, strict=True)):
            stream = streams[node.stream]
            if node.stream not in forked:
                api.stream_wait(stream, self._fork)
                forked.add(node.stream)
            for before in node.after:
                api.stream_wait(stream, self._events[before])
            go(stream)
            if number in self._events:
                api.record(self._events[number], stream)
        for number in self._ends:
            api.stream_wait(streams[0], self._events[number])

    def __del__(self) -> None:
        try:
            for event in (*self._events.values(), self._fork):
                self._api.event_destroy(event)
            for stream in self._streams[1:]:
                self._api.stream_destroy(stream)
        except Exception:  # at interpreter exit, or after the device failed
            pass


class Recorded:
    """Work on the device's stream as a graph, recorded once."""

    def __init__(self, device: Device, work: Callable[[], None]) -> None:
        self._device, self._work = device, work
        device.api.begin_capture(device.stream)
        try:
            work()
        finally:
            self._graph = device.api.end_capture(device.stream)

    def run(self) -> None:
        self._device.api.graph_launch(self._graph, self._device.stream)

    def __del__(self) -> None:
        try:
            self._device.api.graph_destroy(self._graph)
        except Exception:  # at interpreter exit, or after the device failed
            pass
