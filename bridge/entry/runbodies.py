"""Runs of sets, constants and tables that the C side does by itself when they come again.

Beside `setbodies`, which keeps a run here once Python has done it: what of it is functions of a
kernel library, on memory that stays. Its counts come back when somebody reads timers, or when it
is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from _bridge_entry import ffi, lib

from bridge.backends.base import NativeBackend
from bridge.entry.calls import entry, text
from bridge.errors import OutOfMemoryError
from bridge.frame import frame
from bridge.prepared import Prepared, PreparedRun

#: Whose state the records of constants read: it stays as long as they do.
held: list[Prepared] = []
#: Codes of bridge.h for the types of constants.
TYPES = {"float64": 1, "int32": 3, "logical": 5}
#: Places of a colour, of runs that have none.
WHOLE: int = lib.RUNS_WHOLE
BOXES: int = lib.RUNS_BOXES


def words(prepared: Prepared | None) -> Any:
    """Where C reads the state of what is prepared for a set, or for the Frame."""
    assert prepared is not None, "sets are of a Frame"
    return ffi.cast("int64_t*", prepared.state.buffer_info()[0])


class NativeRun:
    """A record in C of a prepared run, by the arguments of the entry."""

    def __init__(self, run: PreparedRun, set: Any, name: Any, boxes: bytes, colour: int) -> None:
        self.set = text(set)
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
            len(made), len(self._parts), words(run.of), words(run.of.within), run.counted.most,
        )  # fmt: skip

    def begun(self) -> bool:
        return bool(self._record and lib.runs_begun(self._record))

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


def do(
    set: Any, name: Any, boxes: bytes | None = None, colour: int | None = None, begin: bool = False
) -> None:
    """A run of a set, or its begin alone, which C does from now on where it may."""
    point_set, composite = text(set), text(name)
    tv = frame.tvproperties
    (tv.run_begin if begin else tv.run)(point_set, composite, boxes, colour)
    run = tv.plain_run(point_set, composite, boxes, colour) if frame.native else None
    if run is not None and not run.natives:
        which = BOXES if boxes is not None else WHOLE if colour is None else colour
        run.natives.append(NativeRun(run, set, name, boxes or b"", which))


@entry
def run_failed(set: Any, name: Any, boxes: Any, n: int, colour: int, part: int) -> None:
    """A part of a run that C did has found no memory: what Python would have said."""
    box = bytes(ffi.buffer(boxes, 24 * n)) if colour == BOXES else None
    point_set, own = text(set), colour if colour not in (BOXES, WHOLE) else None
    run = frame.tvproperties.plain_run(point_set, text(name), box, own)
    if run is None:
        raise OutOfMemoryError(
            f"a run of {text(name)} on set '{point_set}': no memory for scratch"
        )
    run.fail(part)


def keep_constants(names: Any, listed: Sequence[str], single: bool) -> None:
    """What was given by these names: C writes their next values by itself where it may."""
    if not frame.native:
        return
    places = [
        (one.values.ctypes.data + column * one.values.itemsize, TYPES[one.constant.type])
        for one in frame.tvproperties.plain_constants(listed)
        for column in range(one.columns)
    ]
    made = ffi.new("struct entry_constant[]", len(places))
    for struct, (address, kind) in zip(made, places, strict=True):
        struct.address, struct.type = address, kind
    lib.constants_keep(names, made, len(places), single, kept_words())


def kept_words() -> Any:
    """The state of the Frame, whose constants and tables are kept and no others."""
    prepared = frame.tvproperties.impl.prepared
    if held != [prepared]:  # of another Frame, which may have ended without its entry
        lib.constants_drop()
        held[:] = [prepared]
    return words(prepared)


def keep_table(asked: Any) -> None:
    """A table that was filled by this name: C copies its next values by itself where it may. Who
    looks at runs knows what a table holds by its array."""
    impl = frame.tvproperties.impl
    if not frame.native or impl.watch is not None:
        return
    name, backend = text(asked), cast("NativeBackend", impl.backend)
    struct = ffi.cast("struct entry_table*", backend.table(name))
    lib.tables_keep(asked, struct, impl.tables.values()[name].ndim, kept_words())
