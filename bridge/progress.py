"""How far a long command is, told on stderr: nothing of it is silent for more than two seconds.

What is done is a stack of steps: the command, a part of it, a loop in that. While there
is one, a thread tells the innermost ones when stderr has been silent for a while. What is counted
is a bar on a terminal where tqdm is installed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import TypeVar

from bridge import output

#: Seconds before anything is said; between two lines on a terminal, and in a file.
AFTER, EVERY, EVERY_IN_FILE = 2.0, 5.0, 10.0

Item = TypeVar("Item")


class Step:
    """What is done, since when, and how much of it; `done` is set by who does it."""

    def __init__(self, what: str, total: int = 0) -> None:
        self.what = what
        self.done, self.total = 0, total
        self.begin = monotonic()

    def __str__(self) -> str:
        return f"{self.what}: {self.done} of {self.total}" if self.total else self.what


class _Teller:
    """The steps of this process, and the thread that tells them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._steps: list[Step] = []
        self._said: float | None = None
        self._ended = Event()
        self._thread: Thread | None = None
        # A process forked while the thread writes would have stderr locked for ever.
        os.register_at_fork(
            before=self._lock.acquire,
            after_in_parent=self._lock.release,
            after_in_child=self._lock.release,
        )

    def begin(self, step: Step, alone: bool) -> None:
        with self._lock:
            if not alone and not self._steps:
                return
            self._steps.append(step)
            if self._thread is None:
                self._ended, self._said = Event(), None
                self._thread = Thread(
                    target=self._tell, args=(self._ended,), name="bridge-progress", daemon=True
                )
                self._thread.start()

    def end(self, step: Step) -> None:
        with self._lock:
            if step not in self._steps:
                return
            self._steps.remove(step)
            thread = None if self._steps else self._thread
            if thread is not None:
                self._thread = None
                self._ended.set()
        if thread is not None:
            thread.join()

    def heard(self) -> None:
        """Something was said."""
        self._said = monotonic()

    def _tell(self, ended: Event) -> None:
        pause = AFTER
        while not ended.wait(pause):
            every = EVERY if on_terminal() else EVERY_IN_FILE
            silent = every if self._said is None else monotonic() - self._said
            if silent < every:
                pause = every - silent
                continue
            with self._lock:
                # the command's own name is said where it has no parts
                steps = self._steps[1:] or self._steps
                if steps:
                    say(f"{': '.join(map(str, steps))}, {monotonic() - steps[0].begin:.0f} s")
            pause = every


_teller = _Teller()


def counted(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The items, while it is told how many of `total` have come; what: they are."""
    if on_terminal():
        try:
            from tqdm import tqdm
        except ImportError:
            pass
        else:
            return iter(tqdm(items, desc=what, total=total, delay=AFTER, file=sys.stderr))
    return _counted(items, total, what)


def _counted(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    with waiting(what, total) as step:
        for done, item in enumerate(items, 1):
            step.done = done
            yield item


def each(items: Collection[Item], what: str) -> Iterator[Item]:
    """The items; while one is worked on, it is a step: what it is, itself, its number."""
    for number, item in enumerate(items, 1):
        with waiting(f"{what} {item} ({number} of {len(items)})".lstrip(), alone=False):
            yield item


@contextmanager
def waiting(what: str, total: int = 0, alone: bool = True) -> Iterator[Step]:
    """Lines while a step lasts: what is done, and for how long now. Steps may be in steps.

    total: parts that the step has, where that is known; the step's `done` counts them; alone:
    whether it is told where it is a part of nothing, such as a command.
    """
    step = Step(what, total)
    _teller.begin(step, alone)
    try:
        yield step
    finally:
        _teller.end(step)


def on_terminal() -> bool:
    """Whether somebody looks at what is said."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # somebody has closed it
        return False


def say(text: str) -> None:
    """A line at once."""
    output.line(sys.stderr, f"{text}\n")
    _teller.heard()
