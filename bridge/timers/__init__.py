"""Wall-clock timers by name, and their table over the ranks of a communicator.

A leaf. Launchers, stripe transfers and runs each own a timer; `frame_report_` prints them. What
runs only where a user asks for it lies in modules of its own, imported then:

    spans     when each call began, for a trace
    ledger    bytes, copies, allocations and synchronisations of each call
    ranges    NVTX ranges, for a profiler
    files     the parts of all ranks as JSON, as a trace and as a table
    recorder  what of these is on, made by the Frame
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

#: (calls, total, shortest, longest, chunks, bytes moved, least, took) of a timer, times in
#: nanoseconds.
Counts = tuple[int, int, int, int, int, int, int, int]

#: Operations of a device that have one name: the first are all timed, then one of so many. It is a
#: prime: what repeats in a step is met at every place.
ALWAYS, ONE_OF = 256, 31


class Timer:
    """Calls and nanoseconds of one named piece of work; use as a context manager.

    chunks: pieces that the calls were cut into, 0 where they are not cut; moved: bytes that a
    call moves between memory and the cores, 0 where nobody knows; least, took: nanoseconds of its
    calls at the limits of the machine, and measured there, 0 where that is not known.
    """

    __slots__ = (
        *("name", "moved", "calls", "chunks", "total", "shortest", "longest", "least", "took"),
        "_start",
    )

    def __init__(self, name: str, moved: int = 0) -> None:
        self.name = name
        self.moved = moved
        self.calls = 0
        self.chunks = 0
        self.total = 0
        self.shortest = 0
        self.longest = 0
        self.least = 0
        self.took = 0
        self._start = 0

    def __enter__(self) -> Timer:
        self._start = perf_counter_ns()
        return self

    def __exit__(self, *_: object) -> None:
        self.past(self._start, perf_counter_ns())

    def past(self, begin: int, end: int) -> None:
        """One more call, which began and ended at these nanoseconds of `perf_counter_ns`."""
        elapsed = end - begin
        if elapsed < self.shortest or not self.calls:
            self.shortest = elapsed
        if elapsed > self.longest:
            self.longest = elapsed
        self.calls += 1
        self.total += elapsed

    def add(self, elapsed: int) -> None:
        """One more call, of so many nanoseconds, which ends now if a trace wants to know."""
        end = perf_counter_ns()
        self.past(end - elapsed, end)

    def merge(self, calls: int, total: int, shortest: int, longest: int) -> None:
        """So many more calls that somebody else has timed."""
        if not calls:
            return
        if shortest < self.shortest or not self.calls:
            self.shortest = shortest
        if longest > self.longest:
            self.longest = longest
        self.calls += calls
        self.total += total

    def extend(self, calls: int, elapsed: int | None = None) -> None:
        """So many more calls that nobody has timed, of so many nanoseconds each: those of the
        mean if None."""
        if self.calls and calls > 0:
            self.total += round(self.total / self.calls * calls) if elapsed is None else (
                elapsed * calls
            )  # fmt: skip
            self.calls += calls

    def spend(self, least: int, took: int) -> None:
        """What one of its calls would have taken at the limits of the machine, and took there."""
        self.least += least
        self.took += took


#: Variables that a profiler gives the program that it starts.
_PROFILERS = ("NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID")


def profiled() -> bool:
    """Whether this process was started by a profiler that reads NVTX."""
    return any(os.environ.get(name) for name in _PROFILERS)


#: What happened in this process before there was a Frame: name, begin, end.
before_frame: list[tuple[str, int, int]] = []


def _nothing() -> None:
    pass


class Timers:
    """All timers of a Frame, in the order of their first use.

    settle: called before they are read, so that calls which others have timed are in them.
    """

    def __init__(self) -> None:
        self._timers: dict[tuple[str, int], Timer] = {}
        self.settle: Callable[[], None] = _nothing

    def __getitem__(self, name: str) -> Timer:
        return self.moving(name, 0)

    def moving(self, name: str, moved: int) -> Timer:
        """The timer of calls that move so many bytes each."""
        timer = self._timers.get((name, moved))
        if timer is None:
            timer = self._timers[name, moved] = self._made(name, moved)
        return timer

    def _made(self, name: str, moved: int) -> Timer:
        return Timer(name, moved)

    def snapshot(self) -> dict[str, Counts]:
        """The timers that were used, by name; those of one name together."""
        self.settle()
        found: dict[str, Counts] = {}
        for t in self._timers.values():
            if not t.calls:
                continue
            moved = t.calls * t.moved
            mine = (
                *(t.calls, t.total, t.shortest, t.longest, t.chunks, moved),
                *(t.least, t.took),
            )
            a = found.get(t.name)
            found[t.name] = mine if a is None else _together(a, mine)
        return found


def _together(a: Counts, b: Counts) -> Counts:
    shortest, longest = min(a[2], b[2]), max(a[3], b[3])
    calls, total, _, _, *others = (x + y for x, y in zip(a, b, strict=True))
    chunks, moved, least, took = others
    return calls, total, shortest, longest, chunks, moved, least, took


def table(ranks: list[dict[str, Counts]], limit: str = "", bandwidth: float | None = None) -> str:
    """The timers of all ranks as text: calls, their chunks, total and share of the slowest rank,
    extremes.

    limit: of the machine; then a last column says how much of it the calls had, of which that is
    known: those that measured it, or that move bytes, where bandwidth says how many of them a rank
    has per second at most.
    """
    from tabulate import tabulate

    names = list(dict.fromkeys(name for rank in ranks for name in rank))
    rows: list[list[Any]] = []
    for name in names:
        of_ranks = [rank[name] for rank in ranks if name in rank]
        calls = max(entry[0] for entry in of_ranks)
        chunks = max(entry[4] for entry in of_ranks) or None
        totals = [entry[1] * 1e-6 for entry in of_ranks]
        mean = sum(entry[1] for entry in of_ranks) / sum(entry[0] for entry in of_ranks) * 1e-3
        shortest = min(entry[2] for entry in of_ranks) * 1e-3
        longest = max(entry[3] for entry in of_ranks) * 1e-3
        rows.append([name, calls, chunks, max(totals), min(totals), mean, shortest, longest])
    everything = sum(row[3] for row in rows) or 1.0
    for row in rows:
        row.append(100.0 * row[3] / everything)
        if limit:
            row.append(_share([rank[row[0]] for rank in ranks if row[0] in rank], bandwidth))
    headers = [
        "what",
        "calls",
        "chunks",
        "total ms\n(slowest rank)",
        "total ms\n(fastest rank)",
        "mean us",
        "min us",
        "max us",
        "share %",
        *([f"% of the\n{limit}"] if limit else []),
    ]
    formats = ("", "d", "d", ".3f", ".3f", ".2f", ".2f", ".2f", ".1f", ".0f")
    return tabulate(rows, headers, tablefmt="simple", floatfmt=formats)


def _share(counts: list[Counts], bandwidth: float | None) -> float | None:
    """Of the machine's limit that calls had, in percent; None where it is not known."""
    took = sum(entry[7] for entry in counts)
    if took:
        return 100.0 * sum(entry[6] for entry in counts) / took
    moved, seconds = sum(entry[5] for entry in counts), 1e-9 * sum(entry[1] for entry in counts)
    if bandwidth is None or not moved or not seconds:
        return None
    return 100.0 * moved / (seconds * bandwidth)
