"""A limit of time for one procedure, of the processor: what else a machine does is not counted."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTime(BaseException):
    """Not an Exception: nothing on the way may take it for one of its own."""


class Clock:
    """Of one process. Nothing is limited outside its main thread, which alone has alarms."""

    def __init__(self) -> None:
        self._until: float | None = None

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """OutOfTime where the body takes longer."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGVTALRM, self._ring)
        self._until = time.process_time() + seconds
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
            self._until = None

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """What the body takes does not count."""
        if self._until is None:
            yield
            return
        left = max(self._until - time.process_time(), 0.01)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        try:
            yield
        finally:
            self._until = time.process_time() + left
            signal.setitimer(signal.ITIMER_VIRTUAL, left)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        raise OutOfTime
