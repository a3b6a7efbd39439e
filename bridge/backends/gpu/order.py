"""Which stream a piece of work goes on, and what it follows there: by the memory that it reads and
writes.

kernels/gpu/order.h has the rules and does it; the C side of the entry asks there too. Memory is
known by the allocation that it lies in, as a copy of one of the caller's arrays does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from bridge.backends.base import NativeLock
from bridge.backends.gpu.driver import Driver
from bridge.backends.gpu.memory import Allocator
from bridge.backends.orderlibrary import function, library
from bridge.compiled.order import ffi

#: The number of the main stream.
MAIN = 0
#: Threads of a launch that carries words, each of which takes one.
CARRIERS = 64


class Order:
    """Of one device. streams: the main one, of work that does not say what it reads and writes,
    and those of work that does; copies: one for copies from the host, ahead of kernels.

    lock: for one thread at a time; state: the words of order.h; made: the `bridge_order`.
    """

    def __init__(
        self, api: Driver, allocator: Allocator, streams: Sequence[int], copies: int
    ) -> None:
        self._api = api
        self._allocator = allocator
        self._streams = (*streams, copies)
        self.copies = len(streams)
        self._events = [api.event() for _ in self._streams]
        self._lib = library()
        self._driver = driver = api.addresses()
        functions = {
            name: value
            for name, value in vars(driver).items()
            if name not in ("keeper", "counted")
        }
        self.made = self._lib.bridge_order_make(
            ffi.new("bridge_driver*", functions), len(self._streams), self._streams, self._events
        )
        if not self.made:
            raise MemoryError("no memory for the order of streams")
        self.made = ffi.gc(self.made, self._lib.bridge_order_free)
        self.lock = Lock(self.made, self._lib)
        self.state: Any = self._lib.bridge_order_state(self.made)

    def counted(self, function: int) -> int:
        """The address of the words that count a kernel; 0 where nobody counts."""
        return 0 if self._driver.counted is None else self._driver.counted(function)

    def word(self, number: int) -> int:
        """The address of a word of the state."""
        return int(ffi.cast("intptr_t", self.state)) + 8 * number

    @property
    def native_lock(self) -> NativeLock:
        """`lock` for callers that are no Python."""
        take, give = function("bridge_order_lock"), function("bridge_order_unlock")
        return NativeLock(take, give, int(ffi.cast("intptr_t", self.made)))

    def forget(self) -> None:
        """All that was asked for has happened."""
        self._lib.bridge_order_forget(self.made)

    def place(self, address: int) -> int | None:
        """What memory of the bridge on the device is known by here; None for any other."""
        return self._allocator.start_of(address)

    def stream_of(self, number: int) -> int:
        return self._streams[number]

    def begin(
        self, reads: Collection[int], writes: Collection[int], number: int | None = None
    ) -> int:
        """The number of the stream for a piece of work, which is to be asked for there next: that
        of the latest work that it has to follow, else of the one that has been idle longest.
        reads, writes: memory, see `place`; number: of a stream that is wanted."""
        wanted = -1 if number is None else number
        found: int = self._lib.bridge_order_begin(
            self.made, [*reads], len(reads), [*writes], len(writes), wanted
        )
        if found < 0:
            raise self._api.error(-found)
        return found

    def alone(self) -> None:
        """What is asked for next on the main stream follows all that was asked for before, and
        whatever else is asked for later, on any stream, follows that."""
        error = self._lib.bridge_order_alone(self.made)
        if error:
            raise self._api.error(error)

    def capture(self, ask: Callable[[], int]) -> int:
        """What is asked for meanwhile, which answers 0 or an error of the driver, as a graph: it
        does not happen, and nothing of it may be waited for. What was asked for before precedes
        what is asked for later."""
        api, main = self._api, self._streams[MAIN]
        self.alone()
        api.begin_capture(main)
        try:
            error = self._lib.bridge_order_fork(self.made) or ask()
        finally:
            joined = self._lib.bridge_order_join(self.made)
            graph = api.end_capture(main)
        if error or joined:
            api.graph_destroy(graph)
            raise self._api.error(error or joined)
        return graph

    def work(self, name: int) -> Work:
        """A piece of work that says what it reads and writes, done as often as is asked for.
        name: a number, for messages."""
        return Work(self._api, self.made, self._lib, name, self.counted)

    def changed_words(
        self, name: int, words: np.ndarray, known: np.ndarray, there: int, function: int
    ) -> ChangedWords:
        """What brings words of the host that have changed to memory of the device. name: a number,
        for messages; known: what the device has; function: the handle of the kernel `carry_words`
        where it does not write values by itself."""
        return ChangedWords(self.work(name), words, known, there, function)

    @property
    def writes_values(self) -> bool:
        """Whether the device writes values by itself, in the order of a stream."""
        return bool(self._driver.batch)

    def close(self) -> None:
        """The device has finished."""
        for event in self._events:
            self._api.event_destroy(event)
        self._events = []
        self.forget()


class Lock:
    """For one thread at a time, Python's or not; who has it may take it again."""

    __slots__ = ("_lock", "_made", "_unlock")

    def __init__(self, made: Any, lib: Any) -> None:
        self._made, self._lock, self._unlock = made, lib.bridge_order_lock, lib.bridge_order_unlock

    def __enter__(self) -> None:
        self._lock(self._made)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._unlock(self._made)

    def acquire(self) -> None:
        self._lock(self._made)

    def release(self) -> None:
        self._unlock(self._made)


class Work:
    """Launches in their order, for Python and for who calls C.

    address: of the `bridge_work`; counted: see `Order`.
    """

    def __init__(
        self, api: Driver, order: Any, lib: Any, name: int,
        counted: Callable[[int], int],
    ) -> None:  # fmt: skip
        self._api = api
        self._counted = counted
        self._go = lib.bridge_work_go
        self.made: Any = ffi.new("bridge_work*", {"order": order, "name": name, "stream": -1})
        self.address = int(ffi.cast("intptr_t", self.made))
        self._kept: dict[str, Any] = {}

    def set(self, reads: Collection[int], writes: Collection[int]) -> None:
        """What it reads and writes: memory, see `Order.place`."""
        made = self.made
        made.reads = self._kept["reads"] = ffi.new("int64_t[]", [*reads])
        made.writes = self._kept["writes"] = ffi.new("int64_t[]", [*writes])
        made.n_reads, made.n_writes = len(reads), len(writes)

    def launch(self, launches: Iterable[tuple[int, int, int, int, int]]) -> None:
        """What it launches: function, parameters, blocks, threads, bytes of shared memory."""
        counted = self._counted
        listed = [(*one, counted(one[0])) for one in launches]
        self.made.launches = self._kept["launches"] = ffi.new("bridge_launch[]", listed)
        self.made.n_launches = len(listed)

    def count(self, runs: int) -> None:
        """Each time adds one to the number at this address."""
        self.made.runs = ffi.cast("int64_t*", runs)

    @property
    def stream(self) -> int:
        """The number of the stream that it took last; -1 before the first time."""
        return int(self.made.stream)

    def go(self) -> None:
        """Ask for it."""
        self.checked(self._go(self.made, 1))

    def checked(self, error: int) -> None:
        """Raise what a function of the driver has answered, if that is an error."""
        if error:
            raise self._api.error(error)


class ChangedWords:
    """Words of the host and their copy on the device, for Python and for who calls C.

    address: of the `bridge_values`.
    """

    def __init__(
        self, work: Work, words: np.ndarray, known: np.ndarray, there: int, function: int
    ) -> None:
        self._work, self._words, self._known = work, words, known
        self._go = library().bridge_values_go
        self._carried = ffi.new("bridge_carried*", {"block": there})
        self._parameters = ffi.new("void*[]", [self._carried])
        at = int(ffi.cast("intptr_t", self._parameters))
        work.set((), (there,))
        work.launch([(function, at, 1, CARRIERS, 0)])
        self.made: Any = ffi.new("bridge_values*", {
            "words": ffi.cast("int64_t*", words.ctypes.data),
            "known": ffi.cast("int64_t*", known.ctypes.data),
            "n_words": words.nbytes // 8,
            "carried": self._carried,
            "work": work.made,
        })  # fmt: skip
        self.address = int(ffi.cast("intptr_t", self.made))

    def go(self) -> None:
        """Bring them before the work that is asked for next."""
        self._work.checked(self._go(self.made, 1))

    def carry_by(self, function: int) -> None:
        """A kernel brings them in a graph."""
        self.made.work.launches[0].function = function

    def settled(self, number: int, value: float) -> None:
        """The device has set the word of this number, to this."""
        for words in (self._words, self._known):
            words.view(np.float64)[number] = value

    def end(self) -> None:
        """Bring them, and no more."""
        self._work.checked(library().bridge_values_end(self.made))
