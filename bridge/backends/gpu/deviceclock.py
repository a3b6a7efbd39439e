"""DeviceClock: what operations of a device take, by events that are read later.

Behind `watched`. Nothing is waited for: an event is read once the device has passed it. Events
cost the host some microseconds, which is more than timers may cost a run. So without a trace a
graph is timed as one, and after the first operations of a name only some are timed, which stand
for those between them. For a trace all operations have events of their own, those of a graph too,
which are read before it is launched again.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from bridge.backends.gpu.driver import Driver
from bridge.timers import ALWAYS, ONE_OF, Timers
from bridge.timers.spans import Spans

#: Operations that wait for being read; beyond, each one that begins reads so many of them.
PENDING, AT_ONCE = 512, 2
#: Milliseconds between the clock's base and an event, beyond which the base moves: the driver
#: gives them as numbers of 24 bits.
FAR = 1000.0

#: Two events, what lies between them, the name of its stream, and its number among those of its
#: name, counted from 1; 0 where all are timed.
Operation = tuple[int, int, str, str, int]


#: Places of `Operations.words`.
ASKED, DUE = range(2)


class Operations:
    """Of one name. words: how many the device was asked for, and the number of the next one that
    is timed, for C too (order.h); told: for how many the timer stands."""

    __slots__ = ("told", "words")

    def __init__(self) -> None:
        self.told = 0
        self.words = array("q", (0, 1))

    def take(self) -> int:
        """The number of the latest one, which is timed."""
        number = self.words[ASKED]
        next_of = 1 if number < ALWAYS else ONE_OF
        self.words[DUE] = (number // next_of + 1) * next_of
        return number


class Graph:
    """Operations of a graph; live: whether it was launched since they were read."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.live = False


class DeviceClock:
    """timers: of operations by name; spans: where they are noted as well, if anywhere."""

    def __init__(self, api: Driver, timers: Timers, spans: Spans | None) -> None:
        self._api = api
        self._timers = timers
        self._spans = spans
        self._free: list[int] = []
        self._pending: deque[Operation] = deque()
        self._operations: dict[str, Operations] = {}
        self._graphs: dict[int, Graph] = {}
        self._streams: dict[int, str] = {}
        self._capturing: Graph | None = None
        self._base: int | None = None
        self._base_time = 0.0  # nanoseconds of perf_counter_ns
        #: Runs of a graph whose events were not passed when it was launched again.
        self.unread = 0

    def start(self, stream: int) -> None:
        """At start-up, the one time that the device is waited for: what its time is by the host's
        clock."""
        if self._base is None:
            self._base = self._api.event(timing=True)
            self._api.record(self._base, stream)
            self._api.event_synchronize(self._base)
            self._base_time = float(perf_counter_ns())

    def named(self, stream: int) -> str:
        """What a trace calls a stream."""
        name = self._streams.get(stream)
        if name is None:
            name = self._streams[stream] = f"stream {len(self._streams)}"
        return name

    def around(
        self, name: str, stream: int, operation: Callable[..., None], *arguments: Any
    ) -> None:
        """Carry out what asks the device for an operation on a stream."""
        number = 0
        if self._spans is None:
            if self._capturing is not None:
                operation(*arguments)
                return
            mine = self._of(name)
            words = mine.words
            words[ASKED] += 1
            if words[ASKED] < words[DUE]:
                operation(*arguments)
                return
            number = mine.take()
        self._timed(number, name, stream, operation, *arguments)

    def counted(
        self, name: str, stream: int, operation: Callable[..., None], *arguments: Any
    ) -> None:
        """The same of an operation that is in the words of its name already, and due."""
        self._timed(self._of(name).take(), name, stream, operation, *arguments)

    def words(self, name: str) -> int:
        """The address of the words of a name."""
        return self._of(name).words.buffer_info()[0]

    def _of(self, name: str) -> Operations:
        found = self._operations.get(name)
        if found is None:
            found = self._operations[name] = Operations()
        return found

    def _timed(
        self, number: int, name: str, stream: int, operation: Callable[..., None],
        *arguments: Any,
    ) -> None:  # fmt: skip
        capturing = self._capturing
        record = self._api.record if capturing is None else self._api.record_in_graph
        begin, end = self._event(), self._event()
        record(begin, stream)
        operation(*arguments)
        record(end, stream)
        if capturing is not None:
            capturing.operations.append((begin, end, name, self.named(stream), number))
            return
        self._pending.append((begin, end, name, self.named(stream), number))
        if len(self._pending) > PENDING:
            self.read(AT_ONCE)

    def _event(self) -> int:
        return self._free.pop() if self._free else self._api.event(timing=True)

    # ---- graphs ---------------------------------------------------------------------------

    def begin_capture(self) -> None:
        self._capturing = Graph()

    def end_capture(self, graph: int | None) -> None:
        """graph: None where the capture failed."""
        captured, self._capturing = self._capturing, None
        if captured is None:
            return
        if graph is None:
            self._release(captured)
        elif captured.operations:
            self._graphs[graph] = captured

    def before_launch(self, graph: int) -> None:
        """Its events are about to be recorded anew."""
        if (known := self._graphs.get(graph)) is not None:
            self._read_graph(known)
            known.live = True

    def forget(self, graph: int) -> None:
        """A graph that is no more."""
        known = self._graphs.pop(graph, None)
        if known is not None:
            self._read_graph(known)
            self._release(known)

    def _release(self, graph: Graph) -> None:
        for begin, end, *_ in graph.operations:
            self._free += begin, end

    def _read_graph(self, graph: Graph) -> None:
        if not graph.live:
            return
        graph.live = False
        if all(self._api.event_done(end) for _, end, *_ in graph.operations):
            for operation in graph.operations:
                self._take(operation)
        else:
            self.unread += 1

    # ---- reading --------------------------------------------------------------------------

    def read(self, most: int | None = None) -> None:
        """Everything that the device has passed, or so many operations of it; nothing during a
        capture, where the driver forbids to ask."""
        if self._capturing is not None:
            return
        pending, done = self._pending, self._api.event_done
        left = len(pending) if most is None else most
        while left and pending and done(pending[0][1]):
            left -= 1
            operation = pending.popleft()
            begin, end = operation[:2]
            since = self._take(operation)
            if since > FAR and self._base is not None:
                self._base, begin = begin, self._base
                self._base_time += 1e6 * since
            self._free += begin, end

    def finish(self) -> int:
        """`read`, and all graphs; how many runs of graphs could not be read so far."""
        self.read()
        if not self._pending:
            for name, mine in self._operations.items():  # those since the last one that was timed
                asked = mine.words[ASKED]
                self._timers[name].extend(asked - mine.told)
                mine.told = asked
        for graph in self._graphs.values():
            self._read_graph(graph)
        return self.unread

    def _take(self, operation: Operation) -> float:
        """Note an operation; milliseconds from the base to it, 0 where no span is kept."""
        begin, end, name, track, number = operation
        length = round(1e6 * self._api.elapsed(begin, end))
        timer = self._timers[name]
        timer.add(length)
        if number:
            mine = self._operations[name]
            timer.extend(number - mine.told - 1, length)
            mine.told = number
        if self._spans is None or self._base is None:
            return 0.0
        since = self._api.elapsed(self._base, begin)
        at = round(self._base_time + 1e6 * since)
        self._spans.add_on(track, name, at, length)
        return since
