"""Numbers of points: whole, of points that there are, none twice where they are written to."""

from __future__ import annotations

from typing import Any

import numpy as np

from bridge.errors import ArgumentError


def namespace(array: Any) -> Any:
    """NumPy, or CuPy for its arrays."""
    if type(array).__module__.partition(".")[0] != "cupy":
        return np
    import cupy

    return cupy


def moved(xp: Any, array: Any) -> Any:
    """An array, or what may become one, in memory of `xp`."""
    return array.get() if xp is np and namespace(array) is not np else xp.asarray(array)


def checked_points(xp: Any, points: Any, n: int, once: bool, base: int) -> Any:
    """Numbers from 0 to n-1, in memory of `xp`, of n numbers from `base`; once: none may come
    twice."""
    given = moved(xp, points)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        got = f"shape {given.shape} of {given.dtype}"
        raise ArgumentError("points", got, "numbers of points, whole, in one dimension")
    found = given.astype(np.int64) - base
    if not found.size:
        return found
    low, high = int(found.min()), int(found.max())
    if low < 0 or high >= n:
        wrong, last = (low if low < 0 else high) + base, n - 1 + base
        raise ArgumentError("points", wrong, f"numbers from {base} to {last}")
    if once:
        counts = xp.bincount(found, minlength=n)
        if int(counts.max()) > 1:
            twice = int(xp.argmax(counts > 1))
            raise ArgumentError("points", f"{twice + base} more than once", "each point once")
    return found


def of_one_column(name: str, array: Any) -> Any:
    """(n,) of values of one component; ArgumentError for more."""
    if array.ndim == 1:
        return array
    if array.shape[0] != 1:
        got = f"{array.shape[0]} components"
        raise ArgumentError(name, got, "values of one component")
    return array[0]
