"""Wall-clock timers by name, and their table over the ranks of a communicator.

A leaf. Launchers, stripe transfers and runs each own a timer; `frame_report_` prints them.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

#: (calls, total, shortest, longest, chunks) of a timer, times in nanoseconds.
Counts = tuple[int, int, int, int, int]


class Timer:
    """Calls and nanoseconds of one named piece of work; use as a context manager.

    chunks: pieces that the calls were cut into, 0 where they are not cut.
    """

    __slots__ = ("name", "calls", "chunks", "total", "shortest", "longest", "_start")

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = 0
        self.chunks = 0
        self.total = 0
        self.shortest = 0
        self.longest = 0
        self._start = 0

    def __enter__(self) -> Timer:
        self._start = perf_counter_ns()
        return self

    def __exit__(self, *_: object) -> None:
        self.add(perf_counter_ns() - self._start)

    def add(self, elapsed: int) -> None:
        """One more call, of so many nanoseconds."""
        self.shortest = elapsed if self.calls == 0 else min(self.shortest, elapsed)
        self.longest = max(self.longest, elapsed)
        self.calls += 1
        self.total += elapsed


class Timers:
    """All timers of a Frame, in the order of their first use."""

    def __init__(self) -> None:
        self._timers: dict[str, Timer] = {}

    def __getitem__(self, name: str) -> Timer:
        timer = self._timers.get(name)
        if timer is None:
            timer = self._timers[name] = Timer(name)
        return timer

    def snapshot(self) -> dict[str, Counts]:
        """The timers that were used, by name."""
        return {
            timer.name: (timer.calls, timer.total, timer.shortest, timer.longest, timer.chunks)
            for timer in self._timers.values()
            if timer.calls
        }


def table(ranks: list[dict[str, Counts]]) -> str:
    """The timers of all ranks as text: calls, their chunks, total and share of the slowest rank,
    extremes."""
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
    ]
    formats = ("", "d", "d", ".3f", ".3f", ".2f", ".2f", ".2f", ".1f")
    return tabulate(rows, headers, tablefmt="simple", floatfmt=formats)
