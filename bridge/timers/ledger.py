"""Ledger: what each call of a Frame copies, allocates and waits for.

Backends count here when they are asked to; calls are told apart because their methods are
wrapped, on the objects of the Frame that asked. A Frame without a ledger has none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import local
from time import perf_counter_ns
from typing import Any

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
    **dict.fromkeys(("bind_array", "bind_many", "bind_blocks", "bind_from"), "bind"),
    **dict.fromkeys(("reduction", "reduce_there"), "reduce"),
    "rank_reduction": "allreduce",
}
#: Methods whose first argument names the call.
_NAMED = ("move_boxes", "buffer_boxes")


class Account:
    """The counts of one kind of call."""

    __slots__ = FIELDS
    calls: int
    copies: int
    bytes: int
    allocations: int
    allocated: int

    def __init__(self) -> None:
        for field in FIELDS:
            setattr(self, field, 0)


class _Current(local):
    account: Account | None = None


class Ledger:
    """Accounts by the name of a call.

    spans: where calls are noted as well; ranges: in which they run.
    """

    def __init__(self, spans: Spans | None = None, ranges: Ranges | None = None) -> None:
        self._accounts: dict[str, Account] = {}
        self._current = _Current()
        self._spans = spans
        self._ranges = ranges
        #: How often a backend's own code has allocated: the difference over a call is the call's.
        self.scratch: Callable[[], int] = int

    # ---- what backends count ------------------------------------------------------------

    def copied(self, size: int) -> None:
        account = self._current.account or self._of(OUTSIDE)
        account.copies += 1
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
        return self._current.account or self._of(OUTSIDE)

    def _of(self, call: str) -> Account:
        account = self._accounts.get(call)
        if account is None:
            account = self._accounts.setdefault(call, Account())
        return account

    # ---- calls --------------------------------------------------------------------------

    def counted(self, call: str, body: Callable[..., Any], calls: int = 1) -> Callable[..., Any]:
        """`body`, whose counts are those of `call`; within another call they are that one's.
        calls: that each time counts for."""
        current, scratch, account = self._current, self.scratch, self._of(call)
        noted = self._noted(call, body)

        @wraps(body)
        def run(*arguments: Any, **named: Any) -> Any:
            if current.account is not None:
                return body(*arguments, **named)
            current.account = account
            account.calls += calls
            before = scratch()
            try:
                return noted(*arguments, **named)
            finally:
                current.account = None
                after = scratch()
                if after != before:
                    account.allocations += after - before

        return run

    def _stripes(self, call: str, body: Callable[[int, int], int]) -> Callable[[int, int], int]:
        """The same of what moves stripes, which may be short: its timer notes it in a trace, and
        no backend takes scratch for it."""
        current, account = self._current, self._of(call)

        def run(first: int, last: int) -> int:
            if current.account is not None:
                return body(first, last)
            current.account = account
            account.calls += 1
            try:
                return body(first, last)
            finally:
                current.account = None

        return run

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
            if name.startswith("_") or name in ("close", "stripe") or not callable(body):
                continue
            wrap = self._named if name in _NAMED else self.counted
            own = wrap(_CALLS.get(name, name), getattr(tvproperties, name))
            setattr(tvproperties, name, own)
        made: Callable[..., Any] = tvproperties.stripe
        makers = {call: self.counted(call, made, calls=0) for call in ("populate", "extract")}

        def stripe(direction: str, *arguments: Any, **named: Any) -> Any:
            if self._current.account is not None:  # a call that moves a stripe itself
                return made(direction, *arguments, **named)
            call = "populate" if direction == "in" else "extract"
            transfer = makers[call](direction, *arguments, **named)
            return CountedStripe(self._stripes(call, transfer.run))

        tvproperties.stripe = stripe

    def _named(self, _: str, body: Callable[..., Any]) -> Callable[..., Any]:
        def run(call: str, *arguments: Any) -> Any:
            return self.counted(call, body)(call, *arguments)

        return run

    def entries(self) -> dict[str, dict[str, int]]:
        """The counts of each kind of call so far."""
        return {
            call: {field: getattr(account, field) for field in FIELDS}
            for call, account in self._accounts.copy().items()
            if any(getattr(account, field) for field in FIELDS)
        }


class CountedStripe:
    """A stripe transfer whose runs are counted."""

    __slots__ = ("run",)

    def __init__(self, run: Callable[[int, int], int]) -> None:
        self.run = run
