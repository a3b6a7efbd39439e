"""Runs of sets, moves of boxes, reductions, constants and tables that the C side does by itself
when they come again.

Beside `setbodies`, which keeps a run here once Python has done it: what of it is functions of a
kernel library, or launches, on memory that stays. Its counts come back when somebody reads timers,
or when it is forgotten.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
from _bridge_entry import ffi, lib

from bridge.backends.base import ITEMSIZES, NativeBackend, NativeCall
from bridge.bound.reductions import Asked, Repeatable
from bridge.entry.calls import entry, text
from bridge.errors import ArgumentError, BridgeError
from bridge.frame import frame
from bridge.memory.hostarrays import ELEMENT_TYPES
from bridge.prepared import (
    VIEWS,
    Prepared,
    PreparedMove,
    PreparedRun,
    PreparedSeveral,
    Repeated,
)
from bridge.resident.uses import MovedBoxes
from bridge.timers import Timer

if TYPE_CHECKING:
    from bridge.bound.reducedconstants import RepeatableConstant
    from bridge.bound.sequences import PreparedSequence
    from bridge.timers.ledger import Repeats

#: Codes of bridge.h for the types of constants.
TYPES = {"float64": 1, "int32": 3, "logical": 5}
#: What the ledger calls the kinds of a run, and of giving constants; the order of interpreter.h.
KINDS = ("run", "run_begin", "wait")
GIVEN = ("constant", "constants")
#: Places of a colour, of runs that have none, of those of several sets, and of moves.
WHOLE: int = lib.RUNS_WHOLE
BOXES: int = lib.RUNS_BOXES
SEVERAL: int = lib.RUNS_SEVERAL
MOVES: dict[str, int] = {
    "pack": lib.MOVES_PACK,
    "unpack": lib.MOVES_UNPACK,
    "update_device": lib.MOVES_UPDATE_DEVICE,
    "update_host": lib.MOVES_UPDATE_HOST,
}
REDUCES: int = lib.REDUCES
EXCHANGES: int = lib.EXCHANGES
SEQUENCES: int = lib.SEQUENCES
REDUCED_CONSTANTS: int = lib.REDUCED_CONSTANTS
CONSTANT_VALUES: int = lib.CONSTANT_VALUES


def words(prepared: Prepared | None) -> Any:
    """Where C reads the state of what is prepared for a set, or for the Frame."""
    assert prepared is not None, "sets are of a Frame"
    return ffi.cast("int64_t*", prepared.state.buffer_info()[0])


def repeats(*calls: str) -> Repeats | None:
    """Where C counts calls of these kinds for the ledger, if there is one."""
    return None if frame.counts is None else frame.counts.repeats(*calls)


def accounts(counted: Repeats | None) -> dict[str, Any]:
    """The same as a `struct entry_accounts`."""
    if counted is None:
        return {}
    place = ffi.cast("struct entry_account*", counted.address)
    function, fields = counted.numbers or (0, ())
    return {"of": place, "numbers": function, "n": len(fields)}


class KeptCalls:
    """A `struct entry_run` with its arrays. calls: of each part; frame, state: words of the Frame
    and of the set; counted: of what kinds the ledger counts them; moved: boxes that the calls move
    to or from a buffer."""

    def __init__(
        self, calls: Sequence[Sequence[NativeCall]], frame: Prepared | None,
        state: Prepared | None = None, most: int = -1, counted: Sequence[str] = (),
        moved: MovedBoxes | None = None,
    ) -> None:  # fmt: skip
        self.frame = frame
        self.counted = repeats(*counted)
        made = self._made = [(call, n) for n, part in enumerate(calls) for call in part]
        self._calls = ffi.new("struct entry_call[]", len(made))
        for each, (call, number) in zip(self._calls, made, strict=True):
            each.function, each.argument = call.function, call.argument
            each.points, each.threads = call.points, call.threads
            each.form, each.part = (
                lib.ENTRY_IN_ORDER if call.in_order else lib.ENTRY_POINTS,
                number,
            )
            if call.buffer is not None:
                each.form, each.buffer = lib.ENTRY_MOVE, call.buffer
        self._conditions = [one for call, _ in made for one in call.conditions]  # and their owners
        self._words = ffi.new(
            "struct entry_condition[]", [(one.now, one.then) for one in self._conditions]
        )
        lock = next((call.lock for call, _ in made if call.lock is not None), (0, 0, 0))
        self.made = ffi.new("struct entry_run*", {
            "calls": self._calls, "n_calls": len(made), "n_parts": len(calls), "most": most,
            "conditions": self._words, "n_conditions": len(self._conditions),
            "frame": words(frame), "state": words(frame if state is None else state),
            "accounts": accounts(self.counted), "lock": lock,
        })  # fmt: skip
        if moved is not None:
            size = moved.elements * ITEMSIZES[moved.dtype]
            code = ELEMENT_TYPES.index(moved.dtype) + 1
            self.made.buffer = (code, moved.elements, size, *moved.span)

    def end(self) -> None:
        """C does them no more."""
        if self.counted is not None:
            self.counted.end()


class NativeRecord(ABC):
    """A record in C by the arguments of an entry: its set, what runs, moves or is reduced there,
    boxes, and a number in the place of a colour."""

    def __init__(self, kept: KeptCalls, set: Any, name: Any, boxes: bytes, colour: int) -> None:
        self._kept = kept
        self._counts = ffi.new("struct entry_count[]", kept.made.n_parts)
        self._record = lib.runs_keep(
            set, name, ffi.from_buffer("int[]", boxes), len(boxes) // 24, colour, kept.made
        )  # null where there is no memory

    def settle(self) -> None:
        if self._record:
            self._add(lib.runs_taken(self._record, self._counts))

    def forget(self) -> None:
        if self._record:
            record, self._record = self._record, None
            self._add(lib.runs_drop(record, self._counts))
        self._kept.end()

    @abstractmethod
    def _add(self, ran: int) -> None:
        """Count what it has done."""


class NativeRun(NativeRecord):
    """Of a prepared run; calls: of each part."""

    def __init__(
        self, run: PreparedRun, calls: Sequence[Sequence[NativeCall]], set: Any, name: Any,
        boxes: bytes, colour: int,
    ) -> None:  # fmt: skip
        self.set = text(set)
        self._run = run
        kept = KeptCalls(calls, run.of.within, run.of, run.counted.most, KINDS)
        super().__init__(kept, set, name, boxes, colour)

    def begun(self) -> bool:
        return bool(self._record and lib.runs_begun(self._record))

    def allow(self) -> None:
        if self._record:
            lib.runs_allow(self._record, self._run.counted.most)

    def _add(self, ran: int) -> None:
        self._run.counted.past(ran)
        for part, count in zip(self._run.parts, self._counts, strict=True):
            part.add(count.calls, count.total, count.shortest, count.longest)


class NativeSeveral(NativeRecord):
    """Of prepared runs of several sets; calls: of each part; sets, names: as they were given."""

    def __init__(
        self, runs: PreparedSeveral, calls: Sequence[Sequence[NativeCall]], sets: Any, names: Any
    ) -> None:
        self._runs = runs
        first = runs.runs[0].of
        kept = KeptCalls(calls, first.within, first, runs.most, KINDS)
        super().__init__(kept, sets, names, b"", SEVERAL)

    def allow(self) -> None:
        if self._record:
            lib.runs_allow(self._record, self._runs.most)

    def _add(self, ran: int) -> None:
        self._runs.count(ran)
        for part, count in zip(self._runs.parts, self._counts, strict=True):
            part.add(count.calls, count.total, count.shortest, count.longest)


class TimedRecord(NativeRecord):
    """What one timer counts."""

    _timer: Timer

    def _add(self, ran: int) -> None:
        for one in self._counts:
            self._timer.merge(one.calls, one.total, one.shortest, one.longest)


class NativeMove(TimedRecord):
    """Of a move of boxes; call: "pack", ...; timer: of such calls."""

    def __init__(
        self, move: PreparedMove, calls: Sequence[NativeCall], call: str, timer: Timer,
        set: Any, name: Any, boxes: bytes,
    ) -> None:  # fmt: skip
        self._timer = timer
        moved = None if call.startswith("update") else move.boxes
        kept = KeptCalls([calls], move.of.within, move.of, counted=(call,), moved=moved)
        super().__init__(kept, set, name, boxes, MOVES[call])


class NativeExchange(TimedRecord):
    """Of an exchange; calls: its begin and its wait."""

    def __init__(
        self, within: Prepared, calls: Sequence[NativeCall], timer: Timer, name: Any
    ) -> None:
        self._timer = timer
        kept = KeptCalls([calls], within, counted=("exchange",))
        super().__init__(kept, b"", name, b"", EXCHANGES)


class NativeSequence(NativeRecord):
    """Of a recorded sequence."""

    def __init__(self, within: Prepared, made: PreparedSequence, name: str) -> None:
        self._made = made
        kept = KeptCalls(made.calls, within, most=made.most, counted=("sequence",))
        super().__init__(kept, b"", name.encode(), b"", SEQUENCES)

    def allow(self) -> None:
        if self._record:
            lib.runs_allow(self._record, self._made.most)

    def _add(self, ran: int) -> None:
        self._made.past(ran)
        for part, count in zip(self._made.parts, self._counts, strict=True):
            if count.calls:
                part.add(count.calls, count.total, count.shortest, count.longest)


class NativeReduction(NativeRecord):
    """Of reductions of a call, `made`, which `timer` counts; name, asked: what stands in the place
    of a composite's name and of boxes, a `struct entry_reduction`."""

    def __init__(
        self, of: Prepared, made: Repeatable, timer: Timer, set: Any, name: bytes, asked: bytes
    ) -> None:
        self._made, self._timer = made, timer
        itself = [one.native()._replace(points=values) for one, values in made.each]
        kept = KeptCalls([*made.calls, itself], of.within, of, counted=("reduce",))
        super().__init__(kept, set, name, asked, REDUCES)

    def failure(self, part: int) -> BridgeError | None:
        """Why a part has failed; raises where that is the run."""
        run = self._made.run
        if run is not None and part < len(run.parts):
            run.fail(part)
        found = (one.failure() for one, _ in self._made.each)
        return next((error for error in found if error is not None), None)

    def _add(self, ran: int) -> None:
        parts = [] if self._made.run is None else self._made.run.parts
        for part, count in zip(parts, self._counts, strict=False):
            part.add(count.calls, count.total, count.shortest, count.longest)
        count = self._counts[len(parts)]
        self._timer.merge(count.calls, count.total, count.shortest, count.longest)


class NativeConstant(NativeRecord):
    """Of a constant that is a reduction, `repeats`, which `timer` counts; sets, name: what stands
    in the place of a set and a composite."""

    def __init__(
        self, within: Prepared, repeats: RepeatableConstant, timer: Timer, sets: Any, name: bytes
    ) -> None:
        self._timer = timer
        self._parts = [
            part for one in repeats.made if one.run is not None for part in one.run.parts
        ]
        made = [calls for one in repeats.made for calls in one.calls]
        kept = KeptCalls([*made, [repeats.call]], within, counted=("reduce",))
        super().__init__(kept, sets, name, b"", REDUCED_CONSTANTS)

    def _add(self, ran: int) -> None:
        for part, count in zip(self._parts, self._counts, strict=False):
            part.add(count.calls, count.total, count.shortest, count.longest)
        count = self._counts[len(self._parts)]
        self._timer.merge(count.calls, count.total, count.shortest, count.longest)


class ConstantValues(Repeated):
    """Constants whose values C gives."""


class NativeConstantValue(NativeRecord):
    """Of one of them; call: gives it."""

    def __init__(self, within: Prepared, call: NativeCall, name: Any) -> None:
        kept = KeptCalls([[call]], within, counted=("constant_value",))
        super().__init__(kept, b"", name, b"", CONSTANT_VALUES)

    def _add(self, ran: int) -> None:
        """It takes no time that a timer has."""


def do(
    set: Any, name: Any, boxes: bytes | None = None, colour: int | None = None, begin: bool = False
) -> None:
    """A run of a set, or its begin alone, which C does from now on where it may."""
    point_set, composite = text(set), text(name)
    tv = frame.tvproperties
    (tv.run_begin if begin else tv.run)(point_set, composite, boxes, colour)
    run = tv.plain_run(point_set, composite, boxes, colour) if frame.native else None
    calls = run.calls() if run is not None and not run.natives else []
    if run is not None and calls:
        which = BOXES if boxes is not None else WHOLE if colour is None else colour
        run.natives.append(NativeRun(run, calls, set, name, boxes or b"", which))
        if not run.valid():  # another thread has changed the set, and knew nothing of this one
            run.forget()


def do_several(sets: Any, names: Any) -> None:
    """Runs of several sets, which C does from now on where it may."""
    listed = text(sets).split(), text(names).split()
    tv = frame.tvproperties
    tv.run_several(*listed)
    runs, key = tv.plain_several(*listed) if frame.native else None, (text(sets), text(names))
    calls = [] if runs is None or key in runs.natives else runs.calls()
    if runs is not None and calls:
        runs.natives[key] = NativeSeveral(runs, calls, sets, names)
        if not runs.valid():  # as in `do`
            runs.forget()


def keep_move(call: str, set: Any, name: Any, boxes: bytes | None) -> None:
    """A move of boxes that was done, which C does from now on where it may."""
    tv = frame.tvproperties
    move = tv.prepared_move(call, text(set), text(name), boxes) if frame.native else None
    calls = None if move is None or call in move.natives else move.boxes.natives(call)
    if move is not None and calls is not None:
        timer = tv.impl.timers[call]
        move.natives[call] = NativeMove(move, calls, call, timer, set, name, boxes or b"")
        if tv.prepared_move(call, text(set), text(name), boxes) is not move:  # as in `do`
            move.forget()


def keep_exchange(name: Any) -> None:
    """An exchange that has ended, which C does from now on where it may."""
    tv = frame.tvproperties
    known = tv.exchanges.repeatable(text(name)) if frame.native else None
    if known is None or known[0].natives:
        return
    made, calls = known
    native = NativeExchange(tv.impl.prepared, calls, tv.impl.timers["exchange"], name)
    made.natives["exchange"] = native
    if not made.valid():  # as in `do`
        made.forget()


def keep_sequence(name: str) -> None:
    """A sequence that was recorded or done, which C does from now on where it may."""
    tv = frame.tvproperties
    made = tv.sequences.repeatable(name) if frame.native else None
    if made is not None and made.native is None:
        made.native = NativeSequence(tv.impl.prepared, made, name)
        if not made.valid():  # as in `do`
            made.forget()


def keep_reduced_constant(
    as_given: Any, sets: str, quantity: str, operation: str, constant: str
) -> None:
    """A constant that was reduced, which C does from now on where it may."""
    tv = frame.tvproperties
    name = "\n".join((quantity, operation, constant)).encode()
    impl = tv.impl
    if not frame.native or impl.prepared.state[VIEWS] or len(name) >= lib.ENTRY_REDUCED_TEXT:
        return
    repeats = tv.reduced_constants.repeatable(sets, quantity, operation, constant)
    if repeats is None or "constant" in repeats.prepared.natives:
        return
    native = NativeConstant(impl.prepared, repeats, impl.timers["reduce"], as_given, name)
    repeats.prepared.natives["constant"] = native
    if not repeats.prepared.valid():  # as in `do`
        repeats.prepared.forget()


def keep_constant_value(constant: Any) -> None:
    """The value of a constant, which C gives from now on where it may."""
    tv, name = frame.tvproperties, text(constant)
    call = tv.reduced_constants.place(name) if frame.native else None
    kept = tv.impl.prepared.of(ConstantValues)
    if call is not None and name not in kept:
        kept[name] = values = ConstantValues()
        values.natives[name] = NativeConstantValue(tv.impl.prepared, call, constant)


def component_of(number: int) -> int | str | None:
    """What TVProperties calls a component of an entry."""
    return {0: None, -1: "each"}.get(number, number)


def asked_of(quantities: str, operations: str, components: Sequence[int]) -> list[Asked]:
    """Reductions of an entry as TVProperties has them; as many words as components, else
    ArgumentError."""
    n = len(components)
    words = {"quantities": quantities.split(), "operations": operations.split()}
    for argument, listed in words.items():
        if len(listed) != n:
            raise ArgumentError(argument, f"{len(listed)} words", f"{n}, as n says")
    each = zip(*words.values(), map(component_of, components), strict=True)
    return [Asked(*one) for one in each]


def keep_reduction(
    set: Any, quantities: Any, operations: Any, components: Sequence[int], values: int, place: int
) -> None:
    """Reductions that were done, which C does from now on where it may; place: integers of a
    place."""
    name = ffi.string(quantities) + b"\n" + ffi.string(operations)
    n = len(components)
    if not frame.native or n > lib.ENTRY_MOST_REDUCED or len(name) >= lib.ENTRY_REDUCED_TEXT:
        return
    boxes = np.zeros(-(-(n + 3) // 6) * 6, np.int32)
    boxes[: n + 3] = n, values, place, *components
    asked = asked_of(text(quantities), text(operations), components)
    point_set, tv = text(set), frame.tvproperties
    reduction = tv.prepared_reduction(point_set, asked)
    if reduction is None or (name, boxes.tobytes()) in reduction.natives:
        return
    made = reduction.repeatable(tv.impl, asked, place)
    if made is not None:
        timer = tv.impl.timers["reduce"]
        reduction.natives[name, boxes.tobytes()] = NativeReduction(
            reduction.of, made, timer, set, name, boxes.tobytes()
        )
        if tv.prepared_reduction(point_set, asked) is not reduction:  # as in `do`
            reduction.forget()


@entry
def run_failed(set: Any, name: Any, boxes: Any, n: int, colour: int, part: int) -> None:
    """A part of a run, a move of boxes or a reduction that C did has failed: what Python would
    have said."""
    for call, which in MOVES.items():
        if colour == which:
            listed = bytes(ffi.buffer(boxes, 24 * n)) if n else None
            raise_move(call, text(set), text(name), listed)
    if colour == SEQUENCES:
        return frame.tvproperties.sequences.go_on(text(name), part)
    if colour == EXCHANGES:
        return frame.tvproperties.exchanges.go_on(text(name))
    if colour == REDUCES:
        raise_reduction(text(set), ffi.string(name), bytes(ffi.buffer(boxes, 24 * n)), part)
    if colour == SEVERAL:
        several = frame.tvproperties.plain_several(text(set).split(), text(name).split())
        if several is not None:
            several.fail(part)
        raise BridgeError(f"a run of {text(name)} on sets '{text(set)}' failed")
    box = bytes(ffi.buffer(boxes, 24 * n)) if colour == BOXES else None
    point_set, own = text(set), colour if colour not in (BOXES, WHOLE) else None
    run = frame.tvproperties.plain_run(point_set, text(name), box, own)
    if run is None:
        raise BridgeError(f"a run of {text(name)} on set '{point_set}' failed")
    run.fail(part)


def raise_move(call: str, set: str, name: str, boxes: bytes | None) -> NoReturn:
    move = frame.tvproperties.prepared_move(call, set, name, boxes)
    error = None if move is None else move.boxes.failure()
    raise error or BridgeError(f"frame_{call} of '{name}' on set '{set}' failed")


def raise_reduction(set: str, name: bytes, boxes: bytes, part: int) -> NoReturn:
    n, _, _, *components = np.frombuffer(boxes, np.int32).tolist()
    quantities, operations = name.decode().split("\n")
    asked = asked_of(quantities, operations, components[:n])
    reduction = frame.tvproperties.prepared_reduction(set, asked)
    native = None if reduction is None else reduction.natives.get((name, boxes))
    error = native.failure(part) if isinstance(native, NativeReduction) else None
    raise error or BridgeError(f"frame_reduce of '{quantities}' on set '{set}' failed")


#: What the records of constants and tables in C read, by their names as C has them and whether it
#: is a table: it stays as long as the records do.
held: dict[tuple[bytes, bool], KeptCalls] = {}


def keep_constants(names: Any, listed: Sequence[str], single: bool) -> None:
    """What was given by these names: C writes their next values by itself where it may."""
    if not frame.native or frame.tvproperties.impl.prepared.state[VIEWS]:
        return
    places = [
        (one.address + column * ITEMSIZES[one.constant.dtype], TYPES[one.constant.type])
        for one in frame.tvproperties.plain_constants(listed)
        for column in range(one.columns)
    ]
    made = ffi.new("struct entry_constant[]", len(places))
    for one, (address, kind) in zip(made, places, strict=True):
        one.address, one.type = address, kind
    call = frame.tvproperties.impl.backend.constants_call()
    keep(
        (ffi.string(names), False), call, GIVEN,
        lambda kept: lib.constants_keep(names, made, len(places), single, kept),
    )  # fmt: skip


def keep_table(asked: Any) -> None:
    """A table that was filled by this name: C copies its next values by itself where it may. Who
    looks at runs knows what a table holds by its array."""
    impl = frame.tvproperties.impl
    if not frame.native_views or impl.watch is not None:
        return
    name, backend = text(asked), cast("NativeBackend", impl.backend)
    table = ffi.cast("struct entry_table*", backend.table(name))
    rank = impl.tables.values()[name].ndim
    keep(
        (ffi.string(asked), True), None, ("table",),
        lambda kept: lib.tables_keep(asked, table, rank, kept),
    )  # fmt: skip


def keep(
    key: tuple[bytes, bool], call: NativeCall | None, kinds: Sequence[str],
    in_c: Callable[[Any], int],
) -> None:  # fmt: skip
    """A record with the words of the Frame, whose constants and tables are kept and no others.
    call: brings new values to where kernels read them; kinds: what the ledger calls giving them;
    in_c: puts the record in the place of the one that C has, if it has memory."""
    prepared = frame.tvproperties.impl.prepared
    if any(one.frame is not prepared for one in held.values()):  # which may have ended by itself
        lib.constants_drop()
        held.clear()
    kept = KeptCalls([] if call is None else [[call]], prepared, counted=kinds)
    old: KeptCalls | None = kept
    if in_c(kept.made):
        old, held[key] = held.get(key), kept
    if old is not None:
        old.end()
