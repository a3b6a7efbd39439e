"""Memory of large results, kept when nobody has them any more and given to the next ones.

New memory costs a page fault for each of its pages, for many quantities as much as half of the
kernels' time. What is kept is bounded.
"""

from __future__ import annotations

import contextlib
from collections import deque
from math import prod
from typing import Any

import numpy as np

#: Arrays of fewer bytes come from NumPy; of the others so many bytes are kept.
LEAST, MOST = 1 << 20, 128 << 20
#: Sizes are multiples of this.
_STEP = 1 << 16

_free: deque[np.ndarray] = deque()


class _Memory:
    """Owner of a result's memory. Arrays and slices of it hold this object, not the memory, which
    is free when the last of them is gone."""

    __slots__ = ("_bytes",)

    def __init__(self, size: int) -> None:
        self._bytes = _taken(size)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "data": (self._bytes.ctypes.data, False),
            "shape": self._bytes.shape,
            "typestr": "|u1",
            "version": 3,
        }

    def __del__(self, give: Any = _free.append, take: Any = _free.popleft) -> None:
        # without a lock: this may come at any moment, in any thread
        give(self._bytes)
        with contextlib.suppress(IndexError, RuntimeError):  # another thread was first
            while sum(each.size for each in tuple(_free)) > MOST:
                take()


def _taken(size: int) -> np.ndarray:
    """Bytes that nobody uses: kept ones of this size, else new ones."""
    for _ in range(len(_free)):
        try:
            one = _free.pop()
        except IndexError:
            break
        if one.size == size:
            return one
        _free.appendleft(one)
    return np.empty(size, np.uint8)


def empty(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """An array like that of `numpy.empty`: in C order, of any contents."""
    kind = np.dtype(dtype)
    bytes_ = prod(shape) * kind.itemsize
    if bytes_ < LEAST:
        return np.empty(shape, kind)
    memory: Any = _Memory(-(-bytes_ // _STEP) * _STEP)
    return np.asarray(memory)[:bytes_].view(kind).reshape(shape)
