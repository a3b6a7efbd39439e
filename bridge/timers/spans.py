"""Spans: when each call of a timer began and how long it took, on which track.

Behind a trace. A track is a thread of the host or a stream of a device.
"""

from __future__ import annotations

from array import array
from threading import get_ident
from time import perf_counter_ns

from bridge.timers import Timer, Timers

#: Spans that a rank keeps, of 32 bytes each; what comes later is counted and left out.
MOST = 1_000_000


class Spans:
    """Names and tracks by number, and four numbers for each span: name, track, begin, length, in
    nanoseconds of `perf_counter_ns`."""

    def __init__(self, most: int = MOST) -> None:
        self.left_out = 0
        self._most = 4 * most
        self._names: dict[str, int] = {}
        self._tracks: dict[str, int] = {}
        self._threads: dict[int, int] = {}
        self._flat = array("q")

    def add(self, name: str, begin: int, length: int) -> None:
        """A span of the calling thread."""
        self.note(self.number(name), begin, length)

    def note(self, number: int, begin: int, length: int) -> None:
        """The same by the number of its name."""
        track = self._threads.get(get_ident())
        if track is None:
            track = self._new_thread()
        flat = self._flat
        if len(flat) < self._most:
            # One call: another thread's numbers cannot come in between.
            flat.extend((number, track, begin, length))
        else:
            self.left_out += 1

    def number(self, name: str) -> int:
        """Of a name."""
        number = self._names.get(name)
        return self._names.setdefault(name, len(self._names)) if number is None else number

    def _new_thread(self) -> int:
        number = len(self._threads)
        track = self._track(f"thread {number}" if number else "host")
        self._threads[get_ident()] = track
        return track

    def add_on(self, where: str, name: str, begin: int, length: int) -> None:
        """A span of a track that is no thread of the host."""
        if len(self._flat) < self._most:
            self._flat.extend((self.number(name), self._track(where), begin, length))
        else:
            self.left_out += 1

    def _track(self, where: str) -> int:
        return self._tracks.setdefault(where, len(self._tracks))

    def part(self) -> dict[str, object]:
        """Everything, as JSON can hold it."""
        return {
            "names": list(self._names),
            "tracks": list(self._tracks),
            "spans": self._flat.tolist(),
            "left_out": self.left_out,
        }


class TracedTimer(Timer):
    """A timer whose calls are spans as well."""

    __slots__ = ("_note", "_number")

    def __init__(self, name: str, moved: int, spans: Spans) -> None:
        super().__init__(name, moved)
        self._note, self._number = spans.note, spans.number(name)

    def add(self, elapsed: int) -> None:
        Timer.add(self, elapsed)
        self._note(self._number, perf_counter_ns() - elapsed, elapsed)

    def past(self, begin: int, end: int) -> None:
        Timer.add(self, end - begin)
        self._note(self._number, begin, end - begin)


class TracedTimers(Timers):
    """All timers of a Frame whose calls are spans of a trace."""

    def __init__(self, spans: Spans) -> None:
        super().__init__()
        self._spans = spans

    def _made(self, name: str, moved: int) -> Timer:
        return TracedTimer(name, moved, self._spans)
