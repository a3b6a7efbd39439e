"""Ledger: what each call of a Frame copies, allocates and waits for.

Backends count here when they are asked to; calls are told apart because their methods are
wrapped, on the objects of the Frame that asked. Calls that C does again are counted there
(`Repeats`). A Frame without a ledger has none of it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from threading import get_ident
from time import perf_counter_ns
from typing import Any, NamedTuple

from bridge.timers.ranges import Ranges
from bridge.timers.spans import Spans

#: What is counted. copies, bytes: between the caller's arrays, views and memory of a device;
#: allocations, allocated: of memory, and its bytes; programs: plans that were bound to memory;
#: page_locks: of arrays of the caller; launches: of kernels on a device.
FIELDS = (
    *("calls", "copies", "bytes", "allocations", "allocated", "programs", "page_locks"),
    *("launches", "synchronisations"),
)
#: What happens while no call is under way.
OUTSIDE = "outside calls"
#: Methods that stand for one kind of call, by its name.
_CALLS = {
    "populate_input_stripe": "populate",
    **dict.fromkeys(("extract_output_stripe", "populate_output_stripe"), "extract"),
    **dict.fromkeys(("composite",), "launch"),
    "run_several": "run",
    **dict.fromkeys(("bind_array", "bind_many", "bind_blocks", "bind_from"), "bind"),
    **dict.fromkeys(("reduction", "reductions", "reduce_several", "reduce_there"), "reduce"),
    **dict.fromkeys(("rank_reduction", "rank_reductions", "allreduce_several"), "allreduce"),
}
#: Methods that launch on views: of a name, on a number of points.
_LAUNCHES = ("composite", "launch")
#: Methods whose first argument names the call.
_NAMED = ("move_boxes", "buffer_boxes")
#: Methods that are no calls of a host.
_NO_CALLS = frozenset(
    (
        "close stripe plain_run plain_several plain_constants prepared_launch prepared_move "
        "prepared_reduction refuse_blocks"
    ).split()
)


class Account:
    """The counts of one kind of call."""

    __slots__ = FIELDS
    calls: int
    copies: int
    bytes: int
    allocations: int
    allocated: int
    launches: int

    def __init__(self) -> None:
        for field in FIELDS:
            setattr(self, field, 0)


class Numbers(NamedTuple):
    """Numbers of a backend; what they grow by in a call counts in these fields. function: the
    address of one that tells where they stand."""

    function: int
    fields: tuple[str, ...]


#: By how many times the words of an account count in a field.
Weights = Sequence[int]


class Repeats:
    """Calls of some kinds that are done without Python. Who does them counts in words of this
    object: how many calls there were, and what numbers grew by meanwhile.

    address: of the words, a `struct entry_account` of entry/interpreter.h for each kind; numbers:
    what grows, None if whoever calls knows it.
    """

    #: Words of an account.
    _WORDS = 5
    #: Words before and behind those that are used: their cache lines are theirs alone.
    _APART = 8

    def __init__(
        self, calls: Sequence[str], adds: dict[str, Weights], numbers: Numbers | None,
        end: Callable[[Repeats], None],
    ) -> None:  # fmt: skip
        apart = self._APART
        self._calls = calls
        self._adds = {"calls": (1,), **adds}
        self._words = array("q", (0,) * (self._WORDS * len(calls) + 2 * apart))
        self._end = end
        self.address = self._words.buffer_info()[0] + apart * self._words.itemsize
        self.numbers = numbers

    def counts(self) -> dict[tuple[str, str], int]:
        """By call and field."""
        found = {}
        for place, call in enumerate(self._calls):
            at = self._APART + self._WORDS * place
            words = self._words[at : at + self._WORDS]
            for field, weights in self._adds.items():
                found[call, field] = sum(
                    weight * word for weight, word in zip(weights, words, strict=False)
                )
        return found

    def end(self) -> None:
        """They are not done without Python any more."""
        self._end(self)


class Stripes:
    """Stripes of one kind of call, of so many bytes a point, each of which is one copy.

    active: accounts of the calls that threads (`get_ident`) are in; where there are none, who
    moves a stripe adds it to calls and points itself.
    """

    __slots__ = ("call", "size", "active", "calls", "points")

    def __init__(self, call: str, size: int, active: dict[int, Account]) -> None:
        self.call = call
        self.size = size
        self.active = active
        self.calls = 0
        self.points = 0

    def within(self, n: int) -> None:
        """A stripe of n points while a thread is in a call: this one, or another one."""
        account = self.active.get(get_ident())
        if account is None:
            self.calls += 1
            self.points += n
        else:
            account.copies += 1
            account.bytes += n * self.size


class Ledger:
    """Accounts by the name of a call.

    spans: where calls are noted as well; ranges: in which they run.
    """

    def __init__(self, spans: Spans | None = None, ranges: Ranges | None = None) -> None:
        self._accounts: dict[str, Account] = {}
        self._stripes: dict[tuple[str, int], Stripes] = {}
        #: Calls that are done without Python; those of which that has ended, by call and field.
        self._repeats: list[Repeats] = []
        self._ended: Counter[tuple[str, str]] = Counter()
        #: Of the call that a thread (`get_ident`) is in; a thread that is in none has no entry.
        self._active: dict[int, Account] = {}
        self._spans = spans
        self._ranges = ranges
        #: How often a backend's own code has allocated, where that stands (one element): the
        #: difference over a call is the call's.
        self.scratch: Sequence[int] = (0,)
        #: What calls without Python look at; None where they cannot be counted.
        self.numbers: Numbers | None = None
        #: Whether each stripe is one copy, which the backend does not count by itself.
        self.stripes_are_copies = False

    # ---- what backends count ------------------------------------------------------------

    def copied(self, size: int) -> None:
        account = self._account()
        account.copies += 1
        account.bytes += size

    def replayed(self, launches: int, copies: int, size: int) -> None:
        """What a graph does in one call; size: of all its copies."""
        account = self._account()
        account.launches += launches
        account.copies += copies
        account.bytes += size

    def allocated(self, size: int) -> None:
        account = self._account()
        account.allocations += 1
        account.allocated += size

    def count(self, field: str, number: int = 1) -> None:
        """So many more in one of FIELDS."""
        account = self._account()
        setattr(account, field, getattr(account, field) + number)

    def making(self, backend: Any, *names: str) -> None:
        """Count the programs that these methods of a backend make from now on."""
        for name in names:
            setattr(backend, name, self._counting(getattr(backend, name)))

    def _counting(self, make: Callable[..., Any]) -> Callable[..., Any]:
        def program(*arguments: Any, **named: Any) -> Any:
            self.count("programs")
            return make(*arguments, **named)

        return program

    def _account(self) -> Account:
        return self._active.get(get_ident()) or self._of(OUTSIDE)

    def _of(self, call: str) -> Account:
        account = self._accounts.get(call)
        if account is None:
            account = self._accounts.setdefault(call, Account())
        return account

    # ---- calls --------------------------------------------------------------------------

    def counted(self, call: str, body: Callable[..., Any], calls: int = 1) -> Callable[..., Any]:
        """`body`, whose counts are those of `call`; within another call they are that one's.
        calls: that each time counts for."""
        active, scratch, account = self._active, self.scratch, self._of(call)
        noted = self._noted(call, body)

        @wraps(body)
        def run(*arguments: Any, **named: Any) -> Any:
            thread = get_ident()
            if thread in active:
                return body(*arguments, **named)
            active[thread] = account
            account.calls += calls
            before = scratch[0]
            try:
                return noted(*arguments, **named)
            finally:
                del active[thread]
                after = scratch[0]
                if after != before:
                    account.allocations += after - before

        return run

    def launched(self, call: str, body: Callable[[str, int], None]) -> Callable[[str, int], None]:
        """The same of what launches on views, as often as there are stripes: without a tuple and
        a dict of arguments for each call, which take longer than the count."""
        active, scratch, account = self._active, self.scratch, self._of(call)
        noted = self._noted(call, body)

        @wraps(body)
        def run(name: str, n: int) -> None:
            thread = get_ident()
            if thread in active:
                body(name, n)
                return
            active[thread] = account
            account.calls += 1
            before = scratch[0]
            try:
                noted(name, n)
            finally:
                del active[thread]
                after = scratch[0]
                if after != before:
                    account.allocations += after - before

        return run

    def _counted_stripe(
        self, call: str, body: Callable[[int, int], int]
    ) -> Callable[[int, int], int]:
        """The same of what moves stripes, which may be short: its timer notes it in a trace, and
        no backend takes scratch for it."""
        active, account = self._active, self._of(call)

        def run(first: int, last: int) -> int:
            thread = get_ident()
            if thread in active:
                return body(first, last)
            active[thread] = account
            account.calls += 1
            try:
                return body(first, last)
            finally:
                del active[thread]

        return run

    def _copied(self, call: str, transfer: Any) -> Any:
        """The same where a stripe is one copy: the transfer counts itself, because nothing
        happens in it that would have to know whose it is."""
        key = call, transfer.bytes_per_point
        self._of(call)
        transfer.counted = self._stripes.setdefault(key, Stripes(*key, self._active))
        return transfer

    def _noted(self, call: str, body: Callable[..., Any]) -> Callable[..., Any]:
        """`body` as a span of the trace and within a range of the profiler, where there are."""
        spans, ranges, name = self._spans, self._ranges, f"frame {call}"
        if spans is None and ranges is None:
            return body
        number = 0 if spans is None else spans.number(f"call {call}")

        def noted(*arguments: Any, **named: Any) -> Any:
            begin = perf_counter_ns()
            if ranges is not None:
                ranges.push(name)
            try:
                return body(*arguments, **named)
            finally:
                if ranges is not None:
                    ranges.pop()
                if spans is not None:
                    spans.note(number, begin, perf_counter_ns() - begin)

        return noted

    def watch(self, tvproperties: Any) -> None:
        """Tell apart the calls of this object: its public methods, and the stripes it makes."""
        for name in dir(type(tvproperties)):
            body = getattr(type(tvproperties), name)
            if name.startswith("_") or name in _NO_CALLS or not callable(body):
                continue
            wrap: Callable[[str, Callable[..., Any]], Callable[..., Any]] = self.counted
            if name in _NAMED:
                wrap = self._named
            elif name in _LAUNCHES:
                wrap = self.launched
            own = wrap(_CALLS.get(name, name), getattr(tvproperties, name))
            setattr(tvproperties, name, own)
        made: Callable[..., Any] = tvproperties.stripe
        makers = {call: self.counted(call, made, calls=0) for call in ("populate", "extract")}

        def stripe(direction: str, *arguments: Any, **named: Any) -> Any:
            call = "populate" if direction == "in" else "extract"
            transfer = makers[call](direction, *arguments, **named)
            if self.stripes_are_copies:
                return self._copied(call, transfer)
            return CountedStripe(self._counted_stripe(call, transfer.run))

        tvproperties.stripe = stripe

    def _named(self, _: str, body: Callable[..., Any]) -> Callable[..., Any]:
        def run(call: str, *arguments: Any) -> Any:
            return self.counted(call, body)(call, *arguments)

        return run

    def counts_in(self, function: int, *fields: str) -> None:
        """Calls without Python are counted from now on; see `Numbers`."""
        self.numbers = Numbers(function, fields)

    def repeats(self, *calls: str) -> Repeats:
        """Calls of these kinds that are done without Python from now on."""
        assert self.numbers is not None, "such calls cannot be counted"
        fields = enumerate(self.numbers.fields, 1)
        return self._kept(calls, {field: (*n * (0,), 1) for n, field in fields}, self.numbers)

    def repeated_stripes(self, call: str, size: int) -> Repeats:
        """The same of stripes of so many bytes a point, each of which is one copy."""
        return self._kept((call,), {"copies": (1,), "bytes": (0, size)}, None)

    def _kept(
        self, calls: Sequence[str], adds: dict[str, Weights], numbers: Numbers | None
    ) -> Repeats:
        self._repeats.append(Repeats(calls, adds, numbers, self._repeats_end))
        return self._repeats[-1]

    def _repeats_end(self, one: Repeats) -> None:
        self._repeats.remove(one)
        self._ended.update(one.counts())

    def entries(self) -> dict[str, dict[str, int]]:
        """The counts of each kind of call so far."""
        found = {
            call: {field: getattr(account, field) for field in FIELDS}
            for call, account in self._accounts.copy().items()
        }
        for stripes in self._stripes.copy().values():
            counts = found[stripes.call]
            counts["calls"] += stripes.calls
            counts["copies"] += stripes.calls
            counts["bytes"] += stripes.points * stripes.size
        for repeated in (self._ended.copy(), *(one.counts() for one in self._repeats.copy())):
            for (call, field), number in repeated.items():
                found.setdefault(call, dict.fromkeys(FIELDS, 0))[field] += number
        return {call: counts for call, counts in found.items() if any(counts.values())}


class CountedStripe:
    """A stripe transfer whose runs are counted."""

    __slots__ = ("run",)

    def __init__(self, run: Callable[[int, int], int]) -> None:
        self.run = run
