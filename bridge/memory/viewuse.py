"""Threads of the host on the views of a Frame: one call at a time, no values of another thread.

A leaf that Views, stripe transfers and launches ask. Views are storage that all calls share; what
a thread may do with them is told in docs/how-to/threads.md.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count
from typing import Any

from bridge.errors import StateError

_numbers = count(1)


class _Identity(threading.local):
    """A number for each thread; system identifiers come again once a thread has ended."""

    def __init__(self) -> None:
        self.number = next(_numbers)


#: Its `number` is that of the calling thread, 1 or more.
me = _Identity()


def this_thread() -> int:
    """The calling thread's number."""
    return me.number


class OneCall:
    """The call that uses the views now, if any.

    take: no views for anyone else, IndexError where someone has them; give(None): back again,
    both replaced where calls come that are not in Python; call: what has them, set by who takes
    them.
    """

    __slots__ = ("take", "give", "call")

    def __init__(self) -> None:
        # one item that a caller removes and puts back: both are atomic, and cheaper than a lock
        free: list[None] = [None]
        self.take: Callable[[], None] = free.pop
        self.give: Callable[[None], None] = free.append
        self.call = ""

    def alone(self, call: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """work(*arguments) with the views to itself; StateError where another call has them."""
        try:
            self.take()
        except IndexError:
            raise self.refused(call) from None
        try:
            self.call = call
            return work(*arguments)
        finally:
            self.give(None)

    def refused(self, call: str) -> StateError:
        """What to raise where `take` fails."""
        return StateError(
            f"{call} came while {self.call} of another thread was in progress: the views of a "
            "Frame serve one call at a time; let one thread go from populate to extract, or bind "
            "a set for each thread"
        )


def foreign(call: str, view: str) -> StateError:
    """What to raise where a thread would read what another one wrote over its own values."""
    return StateError(
        f"{call} would read what another thread has put into view '{view}' since this thread "
        "wrote it, or what counts in its place: let one thread go from populate to extract, or "
        "bind a set for each thread"
    )
