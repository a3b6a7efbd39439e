"""Spans: when each call of a timer began and how long it took, on which track.

Behind a trace. A track is a thread of the host or a stream of a device.
"""

from __future__ import annotations

from array import array
from collections import deque
from threading import Lock, get_ident

from bridge.timers import Timer, Timers

#: Spans that a rank keeps, of 32 bytes each; what comes later is counted and left out.
MOST = 1_000_000
#: Noted spans that become numbers together.
TOGETHER = 4096


class Spans:
    """Names and tracks by number, and four numbers for each span: name, track, begin, length, in
    nanoseconds of `perf_counter_ns`.

    A call only appends a tuple; every so often tuples become numbers, which take less memory.
    """

    def __init__(self, most: int = MOST) -> None:
        self._left_out = 0
        self._most = 4 * most
        self._names: dict[str, int] = {}
        self._tracks: dict[str, int] = {}
        self._threads: dict[int, int] = {}
        self._flat = array("q")
        #: Of a call: number of its name, thread (`get_ident`), begin, length.
        self._noted: deque[tuple[int, int, int, int]] = deque()
        self._settling = Lock()

    def add(self, name: str, begin: int, length: int) -> None:
        """A span of the calling thread."""
        self.note(self.number(name), begin, length)

    def note(self, number: int, begin: int, length: int) -> None:
        """The same by the number of its name."""
        noted = self._noted
        noted.append((number, get_ident(), begin, length))
        if len(noted) >= TOGETHER:
            self.settle()

    def settle(self) -> None:
        """Noted spans become numbers, in the order in which they were noted."""
        noted, flat = self._noted, self._flat
        with self._settling:
            for _ in range(len(noted)):
                number, thread, begin, length = noted.popleft()
                track = self._threads.get(thread)
                if track is None:
                    track = self._new_thread(thread)
                if len(flat) < self._most:
                    flat.extend((number, track, begin, length))
                else:
                    self._left_out += 1

    def number(self, name: str) -> int:
        """Of a name."""
        number = self._names.get(name)
        return self._names.setdefault(name, len(self._names)) if number is None else number

    def _new_thread(self, thread: int) -> int:
        number = len(self._threads)
        track = self._track(f"thread {number}" if number else "host")
        self._threads[thread] = track
        return track

    def add_on(self, where: str, name: str, begin: int, length: int) -> None:
        """A span of a track that is no thread of the host."""
        if len(self._flat) < self._most:
            self._flat.extend((self.number(name), self._track(where), begin, length))
        else:
            self._left_out += 1

    def _track(self, where: str) -> int:
        return self._tracks.setdefault(where, len(self._tracks))

    def part(self) -> dict[str, object]:
        """Everything, as JSON can hold it."""
        self.settle()
        return {
            "names": list(self._names),
            "tracks": list(self._tracks),
            "spans": self._flat.tolist(),
            "left_out": self._left_out,
        }


class TracedTimer(Timer):
    """A timer whose calls are spans as well."""

    __slots__ = ("_note", "_number")

    def __init__(self, name: str, moved: int, spans: Spans) -> None:
        super().__init__(name, moved)
        self._note, self._number = spans.note, spans.number(name)

    def past(self, begin: int, end: int) -> None:
        Timer.past(self, begin, end)
        self._note(self._number, begin, end - begin)


class TracedTimers(Timers):
    """All timers of a Frame whose calls are spans of a trace."""

    def __init__(self, spans: Spans) -> None:
        super().__init__()
        self._spans = spans

    def _made(self, name: str, moved: int) -> Timer:
        return TracedTimer(name, moved, self._spans)
