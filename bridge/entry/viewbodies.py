"""Python bodies of the entries that work on views, and what the C side does of them by itself when
they come again.

What views hold and who has them is in memory of C then, so that Python and C see the same. Beside
`bodies`, which imports them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from _bridge_entry import ffi, lib

from bridge.entry.calls import MOST_KEPT, entry, text
from bridge.entry.runbodies import accounts, repeats, words
from bridge.errors import OutOfMemoryError
from bridge.frame import frame
from bridge.memory.marshal import StripeTransfer
from bridge.memory.views import View, Written
from bridge.memory.viewuse import OneCall, me
from bridge.prepared import PreparedLaunch, PreparedStripe
from bridge.timers import Timer

if TYPE_CHECKING:
    from bridge.timers.ledger import Repeats

COMPOSITES = tuple(ffi.string(lib.entry_composites).decode().split())
#: Records of one launch in C, by names and threads that come and go.
MOST_RECORDS = 64
#: What C may be doing with the views, by the number that it says.
calls: dict[int, str] = {}
_numbers = count(1)

# ---- What Python and C share --------------------------------------------------------------------


class SharedWritten(Written):
    """What a view holds, where C reads and writes it. Each view tells by its own."""

    __slots__ = ("shared",)

    def __init__(self) -> None:
        self.shared = ffi.new("struct entry_written*")
        super().__init__()
        self.shared.writers = 0

    @property
    def filled(self) -> int:
        return int(self.shared.filled)

    @filled.setter
    def filled(self, points: int) -> None:
        self.shared.filled = points

    @property
    def stamp(self) -> int:
        return int(self.shared.stamp)

    @stamp.setter
    def stamp(self, stamp: int) -> None:
        self.shared.stamp = stamp

    @property
    def writer(self) -> int:
        return int(self.shared.writer)

    @writer.setter
    def writer(self, thread: int) -> None:
        self.shared.writer = thread
        self.shared.writers |= 1 << thread % 64

    def mark(self, points: int) -> None:
        self.filled = points
        self.stamp = lib.views_stamp()

    def mark_all(self, views: Sequence[View], points: int, thread: int) -> None:
        stamp = lib.views_stamp()
        for view in views:
            view.writers.add(thread)
            one = view.written
            one.filled, one.stamp, one.writer = points, stamp, thread


def share() -> None:
    """What the new Frame's views hold, and who has them, is where C sees it; its kernels are
    functions that C can call."""
    calls.clear()
    if not frame.native_views:
        return
    impl = frame.tvproperties.impl
    impl.tell_by(SharedWritten)
    use = impl.use
    use.take, use.give = Take(use), give


class Take:
    """`OneCall.take` of views that C has as well."""

    def __init__(self, use: OneCall) -> None:
        self._use = use

    def __call__(self) -> None:
        who = lib.views_take()
        if who:
            self._use.call = calls.get(who, self._use.call)
            raise IndexError


def give(_: None) -> None:
    lib.views_give()


class NativeCalls:
    """A record in C of calls on views of one thread; counted: where the ledger has them."""

    def __init__(self, call: str, timer: Timer, counted: Repeats | None) -> None:
        self.number = next(_numbers)
        calls[self.number] = call
        self.counted = counted
        self._timer = timer
        self._count = ffi.new("struct entry_count*")
        self.record: Any = None

    def settle(self) -> None:
        if self.record:
            lib.views_taken(self.record, self._count)
            self._add()

    def forget(self) -> None:
        if self.record:
            record, self.record = self.record, None
            lib.views_drop(record, self._count)
            self._add()
        if self.counted is not None:
            self.counted.end()
        calls.pop(self.number, None)

    def _add(self) -> None:
        one = self._count
        self._timer.merge(one.calls, one.total, one.shortest, one.longest)


# ---- Stripes ------------------------------------------------------------------------------------

#: By their arguments, as long as the Frame keeps them.
stripes: dict[bytes, PreparedStripe] = {}


@entry
def stripe(block: Any, start: int, end: int) -> None:
    key = ffi.buffer(block)[:]
    known = stripes.get(key)
    if known is None:
        new_stripe(key, block, start, end)
    else:
        known.run(start, end)


def new_stripe(key: bytes, block: Any, start: int, end: int) -> None:
    """The first of these arguments: everything but the range of points is checked once. C moves
    the next ones where it may."""
    global stripes
    tv = frame.tvproperties
    made = tv.stripe(
        "out" if block.output else "in",
        text(block.name),
        block.address,
        *(block.nx, block.ny, block.nz, block.SptX, block.EptX, block.SptY, block.EptY),
        *(block.SptZ, block.EptZ, block.SptData, block.EptData),
    )
    made.run(start, end)
    stripes = tv.impl.prepared.of(PreparedStripe)
    if len(stripes) >= MOST_KEPT:
        for one in stripes.values():
            one.forget()
        stripes.clear()
    stripes[key] = known = PreparedStripe(made.run)
    if tv.impl.views.written is SharedWritten:
        call, size, ledger = made.timer.name, made.bytes_per_point, frame.counts
        counted = None if ledger is None else ledger.repeated_stripes(call, size)
        native = known.natives[me.number] = NativeCalls(made.call, made.timer, counted)
        native.record = record_of_stripes(made, block, native)


def record_of_stripes(transfer: StripeTransfer, block: Any, native: NativeCalls) -> Any:
    """Made in C; null where it has no memory."""
    view, moves = transfer.view, transfer.native
    copy = ffi.new("struct entry_copy*")
    copy.function, copy.array, copy.view = moves.function, moves.array, moves.view
    copy.stride, copy.integer, copy.threads = moves.stride, moves.integer, moves.threads
    copy.points, copy.most, copy.written = (
        transfer.points, view.n_grid_points, shared(view.written),
    )  # fmt: skip
    copy.accounts = accounts(native.counted)
    return lib.views_keep_stripe(block, copy, native.number, me.number)


# ---- Launches -----------------------------------------------------------------------------------


@entry
def composite(which: int, points: int) -> None:
    name = COMPOSITES[which]
    frame.tvproperties.composite(name, points)
    if frame.native_views:
        keep_launch(name, name.encode())


@entry
def frame_launch(kernel: Any, points: int) -> None:
    name = text(kernel)
    frame.tvproperties.launch(name, points)
    if frame.native_views:
        keep_launch(name, ffi.string(kernel))


@entry
def launch_failed(name: Any) -> None:
    """A launch that C did has found no memory: what Python would have said."""
    launch = frame.tvproperties.prepared_launch(text(name))
    program = None if launch is None else launch.launcher.repeating
    if program is None:
        raise OutOfMemoryError(f"{text(name)}: no memory for scratch")
    raise program.no_memory()


def keep_launch(name: str, asked: bytes) -> None:
    """A launch of this name, which the host asks for by these characters, is known: C does it from
    now on where it may."""
    tv, key = frame.tvproperties, (me.number, asked)
    launch = tv.prepared_launch(name)
    if launch is None or key in launch.natives or tv.impl.views.written is not SharedWritten:
        return
    if len(launch.natives) >= MOST_RECORDS:
        launch.forget()
    native = NativeCalls(name, launch.launcher.timer, repeats("launch"))
    launch.natives[key] = native
    native.record = record_of_launch(launch, asked, native)


def record_of_launch(launch: PreparedLaunch, asked: bytes, native: NativeCalls) -> Any:
    """Made in C; null where it has no memory."""
    program, prepared = launch.launcher.repeating, frame.tvproperties.impl.prepared
    assert program is not None, "a CPU's programs are functions"
    call = program.native(launch.launcher.points)
    # an input once more for each of its rivals
    read = [(held, rival) for held, rivals in launch.inputs for rival in rivals or (None,)]
    inputs = ffi.new("struct entry_input[]", len(read))
    for struct, (held, rival) in zip(inputs, read, strict=True):
        struct.held = shared(held.written)
        struct.rival = ffi.NULL if rival is None else shared(rival.written)
    outputs = ffi.new("struct entry_written*[]", [shared(view.written) for view in launch.outputs])
    made = ffi.new("struct entry_launch*")
    made.function, made.argument, made.threads = call.function, call.argument, call.threads
    made.most, made.views = call.points, launch.made
    made.inputs, made.n_inputs = inputs, len(read)
    made.outputs, made.n_outputs = outputs, len(outputs)
    made.accounts = accounts(native.counted)
    return lib.views_keep_launch(asked, made, native.number, me.number, words(prepared))


def shared(written: Written) -> Any:
    assert isinstance(written, SharedWritten), "views of the Frame were made before it was shared"
    return written.shared
