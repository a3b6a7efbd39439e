"""Memory of the caller that is page-locked, so that the copy engines reach it."""

from __future__ import annotations

from array import array

from bridge.backends.gpu.driver import Driver

PAGE = 4096


class PageLocks:
    """Ranges of the caller's memory that are page-locked, from bind to unbind.

    A range is locked anew at every bind: an array freed and allocated again at the same address
    has other pages. Memory that stays, which the caller may not free, is not. Arrays that share a
    page are locked together, as one range, because a page is locked once and a copy must not cross
    from one locked range into another. Where the system refuses so much, what was locked before is
    locked again without the new array.

    generation: counts the ranges that were given up; graphs made before do not hold after it, and
    whoever relies on a lock asks `covers` again; given_up: the same as a word.
    """

    def __init__(self, api: Driver) -> None:
        self._api = api
        self._members: list[tuple[int, int]] = []  # pages of arrays; one range holds them
        self._locked: list[tuple[int, int]] = []
        self._staying: list[tuple[int, int]] = []
        self._settled = True
        self.given_up = array("q", (0,))

    @property
    def generation(self) -> int:
        return self.given_up[0]

    def add(self, begin: int, end: int, stays: bool = False) -> bool:
        """Lock the pages of begin..end-1; False where the system refuses. stays: this memory is
        not freed before it is removed as such."""
        if end <= begin:
            return False
        pages = self._pages(begin, end)
        self._members.append(pages)
        if self._still_locked(begin, end):
            return True
        if stays:
            self._staying.append((begin, end))
        group = self._group(pages)
        for old in [one for one in self._locked if _overlap(one, group)]:
            self._unlock(old)
        self._lock(group)
        if not self.covers(*pages):
            self._members.remove(pages)
        self._settled = False
        self.settle()
        return self.covers(begin, end)

    def expect(self, begin: int, end: int) -> None:
        """`add` that the next `settle` does: arrays that are bound together in one memory are
        locked once. What was locked of their pages is not any more: it may be other memory now."""
        if end <= begin:
            return
        pages = self._pages(begin, end)
        self._members.append(pages)
        if self._still_locked(begin, end):
            return
        self._settled = False
        for old in [one for one in self._locked if _overlap(one, pages)]:
            self._unlock(old)

    def settle(self) -> None:
        """Lock what was expected, and again what was given up for another array and held more than
        that; arrays that the system refuses are members no more."""
        if self._settled:
            return
        self._settled = True
        for member in self._members:
            if not self.covers(*member):
                self._lock(self._group(member))
        self._members = [one for one in self._members if self.covers(*one)]

    def remove(self, begin: int, end: int, stays: bool = False) -> None:
        """The array is bound no more, or does not stay any more; its pages go when none of their
        arrays is."""
        if stays and (begin, end) in self._staying:
            self._staying.remove((begin, end))
        pages = self._pages(begin, end)
        if pages not in self._members:
            return
        self._members.remove(pages)
        for locked in list(self._locked):
            if not any(_overlap(one, locked) for one in self._members):
                self._unlock(locked)

    def _still_locked(self, begin: int, end: int) -> bool:
        """Whether the pages of begin..end-1 are those that were locked before."""
        stays = any(low <= begin and end <= high for low, high in self._staying)
        return stays and self.covers(begin, end)

    def covers(self, begin: int, end: int) -> bool:
        """Whether one locked range holds all of begin..end-1; of nothing there is nothing."""
        return begin < end and any(low <= begin and end <= high for low, high in self._locked)

    @property
    def size(self) -> int:
        """Bytes that are locked now."""
        return sum(end - begin for begin, end in self._locked)

    def close(self) -> None:
        for pages in list(self._locked):
            self._unlock(pages)
        self._members.clear()

    def _lock(self, pages: tuple[int, int]) -> None:
        if self._api.lock(pages[0], pages[1] - pages[0]):
            self._locked.append(pages)

    def _unlock(self, pages: tuple[int, int]) -> None:
        self._locked.remove(pages)
        self._api.unlock(pages[0])
        self.given_up[0] += 1

    def _group(self, pages: tuple[int, int]) -> tuple[int, int]:
        """The range of all bound arrays that hang together with these pages."""
        low, high = pages
        while True:
            touching = [one for one in self._members if _overlap(one, (low, high))]
            wider = min(a for a, _ in touching), max(b for _, b in touching)
            if wider == (low, high):
                return wider
            low, high = wider

    @staticmethod
    def _pages(begin: int, end: int) -> tuple[int, int]:
        """Of an empty range: none."""
        first = begin // PAGE * PAGE
        return (first, -(-end // PAGE) * PAGE) if begin < end else (first, first)


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]
