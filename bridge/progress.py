"""How far a long command is, told on stderr: nothing of it is silent for more than two seconds.

A leaf. With tqdm, where it is installed, as a bar; else as a line every few seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import TypeVar

#: Seconds before anything is said, and between two lines.
AFTER, EVERY = 2.0, 5.0

Item = TypeVar("Item")


def counted(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The items, while it is told how many of `total` have come; what: they are."""
    try:
        from tqdm import tqdm
    except ImportError:
        return _lines(items, total, what)
    return iter(tqdm(items, desc=what, total=total, delay=AFTER, file=sys.stderr))


def _lines(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    begin = monotonic()
    next_ = begin + AFTER
    for done, item in enumerate(items, 1):
        now = monotonic()
        if now >= next_ and done < total:
            say(f"{what}: {done} of {total}, {now - begin:.0f} s")
            next_ = now + EVERY
        yield item


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Lines while one step lasts whose length nobody knows: what is done, and for how long now."""
    ended, begin = Event(), monotonic()

    def tell() -> None:
        pause = AFTER
        while not ended.wait(pause):
            say(f"{what}, {monotonic() - begin:.0f} s")
            pause = EVERY

    teller = Thread(target=tell, name="bridge-progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def say(text: str) -> None:
    """A line at once."""
    print(text, file=sys.stderr, flush=True)
