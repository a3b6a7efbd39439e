"""Runs of sets that the C side of the entry does by itself when they come again.

Beside `setbodies`, which keeps a run here once Python has done it: what of it is functions of a
kernel library, on memory that stays. Its counts come back when somebody reads timers, or when it
is forgotten.
"""

from __future__ import annotations

from typing import Any

from _bridge_entry import ffi, lib

from bridge.entry.calls import entry, text
from bridge.errors import OutOfMemoryError
from bridge.frame import frame
from bridge.prepared import PreparedRun

#: Places of a colour, of runs that have none.
WHOLE: int = lib.RUNS_WHOLE
BOXES: int = lib.RUNS_BOXES


class NativeRun:
    """A record in C of a prepared run, by the arguments of the entry."""

    def __init__(self, run: PreparedRun, set: Any, name: Any, boxes: bytes, colour: int) -> None:
        self._run, self._parts = run, run.plain
        self._counts = ffi.new("struct entry_count[]", len(self._parts))
        made = [(call, number) for number, part in enumerate(self._parts) for call in part.native]
        calls = ffi.new("struct entry_call[]", len(made))
        for struct, (call, number) in zip(calls, made, strict=True):
            struct.function, struct.argument = call.function, call.argument
            struct.points, struct.threads = call.points, call.threads
            struct.in_order, struct.part = call.in_order, number
        self._record = lib.runs_keep(
            set, name, ffi.from_buffer("int[]", boxes), len(boxes) // 24, colour, calls,
            len(made), len(self._parts), ffi.cast("int64_t*", run.of.state.ctypes.data),
            run.counted.most,
        )  # fmt: skip

    def settle(self) -> None:
        if self._record:
            self._count(lib.runs_taken(self._record, self._counts))

    def allow(self) -> None:
        if self._record:
            lib.runs_allow(self._record, self._run.counted.most)

    def forget(self) -> None:
        if self._record:
            record, self._record = self._record, None
            self._count(lib.runs_drop(record, self._counts))

    def _count(self, ran: int) -> None:
        self._run.counted.past(ran)
        for part, count in zip(self._parts, self._counts, strict=True):
            part.add(count.calls, count.total, count.shortest, count.longest)


def do(set: Any, name: Any, boxes: bytes | None = None, colour: int | None = None) -> None:
    """A run of a set, which C does from now on where it may."""
    point_set, composite = text(set), text(name)
    frame.tvproperties.run(point_set, composite, boxes, colour)
    run = frame.plain_run(point_set, composite, boxes, colour)
    if run is not None and not run.natives:
        which = BOXES if boxes is not None else WHOLE if colour is None else colour
        run.natives.append(NativeRun(run, set, name, boxes or b"", which))


@entry
def run_failed(set: Any, name: Any, boxes: Any, n: int, colour: int, part: int) -> None:
    """A part of a run that C did has found no memory: what Python would have said."""
    box = bytes(ffi.buffer(boxes, 24 * n)) if colour == BOXES else None
    point_set, own = text(set), colour if colour not in (BOXES, WHOLE) else None
    run = frame.plain_run(point_set, text(name), box, own)
    if run is None:
        raise OutOfMemoryError(
            f"a run of {text(name)} on set '{point_set}': no memory for scratch"
        )
    run.fail(part)
