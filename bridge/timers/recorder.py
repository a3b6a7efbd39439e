"""Recorder: what of timers, ledger, trace and ranges is on in a Frame, and where it goes.

Made by the Frame from its settings, None where they ask for nothing. Backends that are opened
with one count in its ledger and time in it what a device does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import perf_counter_ns, time_ns
from typing import Any

from bridge.output import write_file
from bridge.timers import Counts, Timers, before_frame, files, profiled
from bridge.timers.ledger import Ledger
from bridge.timers.ranges import Ranges
from bridge.timers.spans import Spans, TracedTimers

#: In the place of a file of timers: the table alone.
TABLE_ONLY = "-"


class Recorder:
    """Of one Frame, from initialize to finalize.

    timers: the file of timers, TABLE_ONLY, or None; trace: the file of a trace, or None; nvtx:
    "true", "false", or "auto" for where a profiler has started this process.

    host: the timers of the host, which the Frame uses; device: of operations of a device;
    said: what the user should know, for the Frame to say.
    """

    def __init__(
        self, timers: str | None, trace: str | None, nvtx: str, rank: int, size: int
    ) -> None:
        self.rank, self.size = rank, size
        self.said: list[str] = []
        self.spans = None if trace is None else Spans()
        self.host = Timers() if self.spans is None else TracedTimers(self.spans)
        self.device = Timers()
        self.ranges = self._ranges(nvtx)
        self.ledger = Ledger(self.spans, self.ranges)
        self.tables = timers is not None
        #: Whether a device's operations are timed; a profiler does that by itself.
        self.timed = timers is not None or trace is not None
        #: Reads what a device has done and nobody has read yet; how many runs of graphs were
        #: launched again before it had, and are not in the timers.
        self.settle: Callable[[], int] = int
        #: Blocks that a CPU looked at, and what part of their time each kernel had, by composite.
        self.shares: Callable[[], dict[str, tuple[int, dict[str, float]]]] = dict
        self.described: Mapping[str, str] = {}
        # The same moment by the clock of spans and by that which all machines share.
        self._wall = time_ns() - perf_counter_ns()
        self._documents: list[tuple[str, str, files.Document]] = []
        if timers not in (None, TABLE_ONLY):
            assert timers is not None
            path = os.path.abspath(timers)
            self._documents.append(("timers", path, files.timers_document))
        if trace is not None:
            path = os.path.abspath(trace)
            self._documents.append(("trace", path, files.trace_document))
        self._check_files()
        for name, begin, end in before_frame:
            self.host[name].past(begin, end)

    def _ranges(self, nvtx: str) -> Ranges | None:
        asked = nvtx in ("true", "1")
        if not asked and not (nvtx == "auto" and profiled()):
            return None
        try:
            return Ranges()
        except ImportError as error:
            if asked:
                self.said.append(f"setting 'nvtx': no NVTX ranges without CuPy ({error})")
            return None

    def _check_files(self) -> None:
        """A wrong folder is told at the beginning, not after a day; parts of earlier runs go."""
        for key, path, _ in self._documents:
            files.forget_part(path, self.rank)
            if self.rank == 0 and (why := files.unwritable(path)) is not None:
                self._warn(key, path, why)

    def _warn(self, key: str, path: str, why: str) -> None:
        self.said.append(
            f"warning: setting '{key}' (BRIDGE_{key.upper()}): {path} cannot be written: {why}; "
            "the run goes on"
        )

    @property
    def counts_alone(self) -> bool:
        """Whether calls are counted and timed in sum: nothing has to see when each of them was,
        and who is no Python can count them too."""
        return self.spans is None and self.ranges is None and self.ledger.numbers is not None

    # ---- the end ------------------------------------------------------------------------

    def part(self) -> files.Part:
        """What this rank knows, in types of JSON."""
        import platform

        untimed = 0
        with suppress(Exception):  # a device that has failed raises again
            untimed = self.settle()
        part: files.Part = {
            "rank": self.rank,
            "size": self.size,
            "job": files.job(),
            "machine": platform.node(),
            "process": os.getpid(),
            "described": dict(self.described),
            "host": _in_seconds(self.host.snapshot()),
            "device": _in_seconds(self.device.snapshot()),
            "kernels": self._kernels(),
            "graphs not timed": untimed,
            "ledger": self.ledger.entries(),
        }
        if self.spans is not None:
            trace = self.spans.part()
            begins = trace["spans"][2::4]  # type: ignore[index]
            began = min(begins, default=perf_counter_ns())
            part["trace"] = {**trace, "wall": self._wall, "began": began}
        return part

    def _kernels(self) -> dict[str, dict[str, Any]]:
        """Seconds of each kernel of a composite: its part of blocks that were looked at, of what
        runs and launches of the composite took."""
        totals: dict[str, int] = {}
        for name, counts in self.host.snapshot().items():
            plan = name.removeprefix("run ")
            totals[plan] = totals.get(plan, 0) + counts[1]
        return {
            plan: {
                "blocks looked at": blocks,
                "total": {name: 1e-9 * share * totals[plan] for name, share in shares.items()},
            }
            for plan, (blocks, shares) in self.shares().items()
            if plan in totals
        }

    def finish(self, gather: Callable[[Any], list[Any] | None] | None) -> str:
        """Write the files; the table, on the rank that says it, else "".

        gather: brings the values of all ranks to rank 0, collectively; None where there is no
        such thing. What cannot be written is in `said`.
        """
        part = self.part()
        if gather is None:
            self._leave(part)
            return files.table([part]) if self.tables and self.rank == 0 else ""
        parts = gather(part)
        if parts is None:
            return ""
        for key, path, document in self._documents:
            try:
                write_file(path, document(parts))
            except OSError as error:
                self._warn(key, path, error.strerror or str(error))
        return files.table(parts) if self.tables else ""

    def leave(self) -> None:
        """At the end of a process that has not finalised: nothing collective, no table."""
        self._leave(self.part())

    def _leave(self, part: files.Part) -> None:
        for key, path, document in self._documents:
            own = part
            if document is files.timers_document:
                own = {key: value for key, value in part.items() if key != "trace"}
            try:
                files.leave(path, own, document)
            except OSError as error:
                self._warn(key, path, error.strerror or str(error))


def _in_seconds(counts: Mapping[str, Counts]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "calls": calls,
            "total": 1e-9 * total,
            "min": 1e-9 * shortest,
            "max": 1e-9 * longest,
            "chunks": chunks,
            "moved": moved,
        }
        for name, (calls, total, shortest, longest, chunks, moved, _, _) in counts.items()
    }
