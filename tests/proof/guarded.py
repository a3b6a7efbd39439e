"""Memory between pages that nobody may touch: a read or write one byte outside ends the process.

Used by the children of the fuzz tests. What is given back stays reserved, and every access to it
ends the process as well.
"""

from __future__ import annotations

import ctypes
import mmap
from collections import deque

import numpy as np

PAGE = mmap.PAGESIZE
_NONE, _BOTH = 0, mmap.PROT_READ | mmap.PROT_WRITE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


#: Memory that nobody may touch any more; the kernel has a limit on how many pieces there are.
_forbidden: deque[tuple[int, int]] = deque()
MOST_FORBIDDEN = 4000


def _reserve(size: int) -> int:
    address = _libc.mmap(None, size, _NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise MemoryError(f"mmap of {size} bytes")
    return int(address)


def _protect(address: int, size: int, access: int) -> None:
    if _libc.mprotect(address, size, access):
        raise OSError(ctypes.get_errno(), "mprotect")


class Guarded:
    """`size` bytes that end (at_end) or begin at a page that cannot be touched."""

    def __init__(self, size: int, *, at_end: bool, align: int = 8) -> None:
        self.size = size
        self._inside = max(-(-size // PAGE), 1) * PAGE
        self._first = _reserve(self._inside + 2 * PAGE) + PAGE
        _protect(self._first, self._inside, _BOTH)
        self.address = self._first
        if at_end:
            self.address += (self._inside - size) // align * align
        whole = (ctypes.c_ubyte * self._inside).from_address(self._first)
        self._page = np.ctypeslib.as_array(whole)
        self._page[:] = 0xA5  # what lies on the page beside the bytes is looked at too
        begin = self.address - self._first
        self.bytes = self._page[begin : begin + size]
        self._kept = self._page.copy()
        self._begin = begin
        self.alive = True

    def keep(self) -> None:
        """What is there now is what changes are counted from."""
        self._kept[:] = self._page

    def changed(self) -> np.ndarray:
        """Offsets, from `address`, of the bytes that are not what was kept."""
        if not self.alive or np.array_equal(self._page, self._kept):
            return np.empty(0, np.int64)
        return np.flatnonzero(self._page != self._kept) - self._begin

    def forbid(self) -> None:
        """Nobody may touch these bytes from now on."""
        self.alive = False
        _protect(self._first, self._inside, _NONE)
        _forbidden.append((self._first - PAGE, self._inside + 2 * PAGE))
        if len(_forbidden) > MOST_FORBIDDEN:
            _libc.munmap(*_forbidden.popleft())


def nowhere() -> int:
    """An address that cannot be read or written, with 16 such pages on each side."""
    return _reserve(32 * PAGE) + 16 * PAGE
