"""Which stream a piece of work goes on, and what it follows there: by the memory that it reads and
writes.

Work on the same memory is in order, work that has no memory in common is not, so that blocks of a
solver do not wait for each other. Memory is known by the allocation that it lies in, as a copy of
one of the caller's arrays does. Events are recorded where a stream has to follow another one, and
nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bridge.backends.gpu.driver import Driver
from bridge.backends.gpu.memory import Allocator

#: The number of the main stream.
MAIN = 0


class Order:
    """Of one device. streams: the main one, of work that does not say what it reads and writes,
    and those of work that does; copies: one for copies from the host, ahead of kernels.

    Every piece of work has a stamp, in the order in which it was asked for.
    """

    def __init__(
        self, api: Driver, allocator: Allocator, streams: Sequence[int], copies: int
    ) -> None:
        self._api = api
        self._allocator = allocator
        self._streams = (*streams, copies)
        self.copies = len(streams)
        every = range(len(self._streams))
        self._events = [0 for _ in every]
        self._stamp = 0
        self._open = False
        self.forget()

    def forget(self) -> None:
        """All that was asked for has happened."""
        every = range(len(self._streams))
        self._stamp += 1
        self._latest = [0 for _ in every]  # stamp of the latest work of each stream
        self._recorded = [0 for _ in every]  # the same when its event was recorded last
        self._follows = [[0 for _ in every] for _ in every]  # what of each other one precedes it
        self._fence = 0  # of the main stream, which all others follow
        self._writers: dict[int, tuple[int, int]] = {}  # stream and stamp of the latest write
        self._readers: dict[int, dict[int, int]] = {}  # stamps of the reads since, by stream

    def place(self, address: int) -> int | None:
        """What memory of the bridge on the device is known by here; None for any other."""
        return self._allocator.start_of(address)

    def stream_of(self, number: int) -> int:
        return self._streams[number]

    # ---- work that says what it reads and writes ---------------------------------------------

    def begin(
        self, reads: Collection[int], writes: Collection[int], number: int | None = None
    ) -> int:
        """The number of the stream for a piece of work, which is to be asked for there next: that
        of the latest work that it has to follow, else of the one that has been idle longest.
        reads, writes: memory, see `place`; number: of a stream that is wanted."""
        self._close()
        needs: dict[int, int] = {}
        writers, readers = self._writers, self._readers
        for place in reads:
            wrote = writers.get(place)
            if wrote is not None and needs.get(wrote[0], 0) < wrote[1]:
                needs[wrote[0]] = wrote[1]
        for place in writes:
            wrote = writers.get(place)
            if wrote is not None and needs.get(wrote[0], 0) < wrote[1]:
                needs[wrote[0]] = wrote[1]
            for stream, stamp in readers.get(place, {}).items():
                if needs.get(stream, 0) < stamp:
                    needs[stream] = stamp
        if number is None:
            number = self._chosen(needs)
        if self._fence:
            needs[MAIN] = max(needs.get(MAIN, 0), self._fence)
        for other, stamp in needs.items():
            if other != number and self._follows[number][other] < stamp:
                self._follow(number, other, stamp)
        self._stamp = stamp = self._stamp + 1
        self._latest[number] = stamp
        for place in reads:
            readers.setdefault(place, {})[number] = stamp
        for place in writes:
            writers[place] = number, stamp
            readers.pop(place, None)
        return number

    def _chosen(self, needs: dict[int, int]) -> int:
        best, latest = -1, 0
        for other, stamp in needs.items():
            if stamp > latest and MAIN < other < self.copies:
                best, latest = other, stamp
        if best >= 0:
            return best
        return min(range(MAIN + 1, self.copies), key=self._latest.__getitem__)

    def _follow(self, number: int, other: int, stamp: int) -> None:
        """What comes next on a stream follows another one's work up to a stamp at least."""
        api, events = self._api, self._events
        if self._recorded[other] < stamp:
            events[other] = events[other] or api.event()
            api.record(events[other], self._streams[other])
            self._recorded[other] = self._latest[other]
        api.stream_wait(self._streams[number], events[other])
        self._follows[number][other] = self._recorded[other]

    # ---- work that does not --------------------------------------------------------------------

    def alone(self) -> None:
        """What is asked for next on the main stream follows all that was asked for before, and
        whatever else is asked for later, on any stream, follows that."""
        self._close()
        for other, stamp in enumerate(self._latest):
            if other != MAIN and self._follows[MAIN][other] < stamp:
                self._follow(MAIN, other, stamp)
        self._open = True

    def _close(self) -> None:
        if self._open:
            self._open = False
            self._stamp += 1
            self._latest[MAIN] = self._fence = self._stamp

    def close(self) -> None:
        """The device has finished."""
        for event in self._events:
            if event:
                self._api.event_destroy(event)
        self._events = [0 for _ in self._events]
        self.forget()
