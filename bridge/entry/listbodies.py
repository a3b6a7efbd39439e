"""Python bodies of the entries for lists of points: `Primitives` on memory of the host.

Beside `bodies`, which imports them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _bridge_entry import ffi

from bridge.entry.calls import entry, text
from bridge.errors import ArgumentError
from bridge.frame import frame


def operand(point_set: Any, name: Any) -> Any:
    """An array of a set, or a view."""
    whole = text(point_set)
    return (whole, text(name)) if whole else text(name)


def counted(name: str, n: int) -> int:
    """n; ArgumentError where it is below 0."""
    if n < 0:
        raise ArgumentError(name, n, "0 or more")
    return n


def numbers(name: str, points: Any, n: int) -> np.ndarray:
    """Memory of n integers."""
    return np.frombuffer(ffi.buffer(points, 4 * counted(name, n)), np.int32)


def reals(name: str, address: int, n: int) -> np.ndarray:
    """Memory of n doubles."""
    memory = ffi.buffer(ffi.cast("double*", address), 8 * counted(name, n))
    return np.frombuffer(memory, np.float64)


def give(name: str, found: Any, target: np.ndarray) -> None:
    """A result into memory of the host; ArgumentError where it does not fit."""
    if found.size != target.size:
        raise ArgumentError(name, target.size, f"{found.size}, one for each value")
    target[...] = (found.get() if hasattr(found, "get") else found).reshape(-1)


@entry
def frame_gather(point_set: Any, name: Any, points: Any, n: int, address: int, m: int) -> None:
    p, target = frame.tvproperties.primitives_from_1, reals("nValues", address, m)
    give("nValues", p.gather(operand(point_set, name), numbers("nPoints", points, n)), target)


@entry
def frame_scatter(point_set: Any, name: Any, points: Any, n: int, address: int, m: int) -> None:
    which, values = numbers("nPoints", points, n), reals("nValues", address, m)
    if m % max(n, 1) or (m and not n):
        raise ArgumentError("nValues", m, f"a multiple of nPoints = {n}")
    shaped = values.reshape(m // n if n else 1, n)
    frame.tvproperties.primitives_from_1.scatter(shaped, which, operand(point_set, name))


@entry
def frame_scan(point_set: Any, name: Any, exclusive: int, address: int, m: int) -> None:
    p, target = frame.tvproperties.primitives_from_1, reals("nValues", address, m)
    give("nValues", p.scan(operand(point_set, name), exclusive != 0), target)


@entry
def frame_split(point_set: Any, name: Any, points: Any, n: int, on: Any) -> None:
    target = numbers("nPoints", points, n)
    parts = frame.tvproperties.primitives_from_1.split(operand(point_set, name))
    found = [part.get() if hasattr(part, "get") else part for part in parts]
    give("nPoints", np.concatenate(found), target)
    on[0] = len(found[0])


@entry
def frame_sort_by_key(point_set: Any, name: Any, points: Any, n: int) -> None:
    p, target = frame.tvproperties.primitives_from_1, numbers("nPoints", points, n)
    give("nPoints", p.sort_by_key(operand(point_set, name)), target)


@entry
def frame_transpose(point_set: Any, name: Any, address: int, m: int) -> None:
    p, target = frame.tvproperties.primitives_from_1, reals("nValues", address, m)
    give("nValues", p.transpose(operand(point_set, name)), target)
