"""Samples of points: pseudo-random, and the same on every rank count and machine.

A leaf: what of a set is compared or recorded follows from the number of a call and from positions
(`frame_position_`), never from the ranks that hold the points.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bridge.bound.boxes import Part, Triple

#: Points along x, y, z of what is chosen or not: pieces of rows that lie side by side.
TILE = (4096, 16, 1)


def numbers(call: int, *positions: np.ndarray | int) -> np.ndarray:
    """A number of 64 bits for each position, all as likely (splitmix64, one round for each)."""
    with np.errstate(over="ignore"):
        found = _mixed(np.asarray(call, np.int64).view(np.uint64))
        for position in positions:
            found = _mixed(found ^ np.asarray(position, np.int64).view(np.uint64))
    return found


def _mixed(state: np.ndarray) -> np.ndarray:
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = state ^ (state >> np.uint64(31))
    return mixed


def parts(extent: Triple, first: Sequence[int], share: float, call: int) -> list[Part]:
    """Tiles that hold about this share of the points of a set; first: position of its first
    point."""
    threshold = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
    rows = [_tiles(*one) for one in zip(extent, first, TILE, strict=True)]
    x, y, z = (np.array([number for *_, number in axis], np.int64) for axis in rows)
    drawn = numbers(call, x, y[:, None], z[:, None, None])
    found: list[Part] = []
    for c, b, a in np.argwhere(drawn < threshold).tolist():
        (i, nx, _), (j, ny, _), (k, nz, _) = rows[0][a], rows[1][b], rows[2][c]
        found.append(((i, j, k), (nx, ny, nz)))
    return found


def _tiles(extent: int, first: int, size: int) -> list[tuple[int, int, int]]:
    """Pieces of an axis: their first point from 0, their points, their number."""
    found, at = [], 0
    while at < extent:
        number, within = divmod(first + at, size)
        points = min(size - within, extent - at)
        found.append((at, points, number))
        at += points
    return found
