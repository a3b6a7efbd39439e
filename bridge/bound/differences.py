"""Differences between what an original loop left in arrays and what kernels made: numbers alone.

A leaf that Comparisons asks. The measure of an array is the difference over the largest magnitude
that its component has in the original at the compared points; integers are equal or not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

#: Numbers of real(4) differ by so much, relatively, where two roundings differ.
SINGLE = 4.0 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Piece:
    """Compared values, (components, nk, nj, ni) each; mask: (1, nk, nj, ni), 0 where a point does
    not count; first: position of the first point; block: its number from 1, None of one block."""

    original: np.ndarray
    bridge: np.ndarray
    mask: np.ndarray | None
    first: tuple[int, int, int]
    block: int | None = None


@dataclass(frozen=True)
class Difference:
    """Of one array in one comparison.

    points: compared; above: of them those that differ by more than the limit; relative: the
    largest difference, in the measure; place: of it, i, j, k as SptX counts them, the component
    and, of many blocks, the block; original, bridge: both values there; absolute: the largest
    one anywhere.
    """

    points: int = 0
    above: int = 0
    relative: float = 0.0
    absolute: float = 0.0
    place: tuple[int, ...] | None = None
    original: float = 0.0
    bridge: float = 0.0


def difference(pieces: Sequence[Piece], exact: bool, limit: float) -> Difference:
    """exact: whether values are integers, of which a difference is infinite."""
    scales = [] if exact else _scales(pieces)
    points = above = 0
    worst, absolute, found = 0.0, 0.0, Difference()
    for piece in pieces:
        counts = _counts(piece)
        points += int(counts.sum())
        beyond = np.zeros(counts.shape, bool)
        for component in range(len(piece.original)):
            original, bridge = (
                one[component].astype(np.float64, copy=False)
                for one in (piece.original, piece.bridge)
            )
            apart = np.where(counts, _apart(original, bridge), 0.0)
            if not apart.size:
                continue
            if exact:
                relative = np.where(apart > 0.0, math.inf, 0.0)
            else:
                with np.errstate(over="ignore"):
                    relative = apart / scales[component]
            beyond |= relative > limit
            absolute = max(absolute, float(apart.max()))
            at = np.unravel_index(int(relative.argmax()), relative.shape)
            if relative[at] > worst:
                worst = float(relative[at])
                k, j, i = (int(index) for index in at)
                x, y, z = piece.first
                place = (x + i, y + j, z + k, component + 1)
                found = Difference(
                    relative=worst,
                    place=place if piece.block is None else (*place, piece.block),
                    original=float(original[at]),
                    bridge=float(bridge[at]),
                )
        above += int(beyond.sum())
    return replace(found, points=points, above=above, absolute=absolute)


def of_numbers(
    original: Sequence[float], bridge: Sequence[float], scale: Sequence[float], limit: float
) -> Difference:
    """Of numbers one by one; scale: what a difference is relative to, 0.0 of those that are equal
    or infinitely far. The place is the number's, from 1."""
    pairs = np.asarray(original, float), np.asarray(bridge, float)
    apart = _apart(*pairs)
    size = np.abs(np.asarray(scale, float))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        relative = np.where(apart > 0.0, apart / size, 0.0)
    relative[np.isnan(relative)] = math.inf
    at = int(relative.argmax())
    worst = float(relative[at])
    return Difference(
        len(apart), int((relative > limit).sum()), worst, float(apart.max()),
        (at + 1,) if worst else None, float(pairs[0][at]), float(pairs[1][at]),
    )  # fmt: skip


def _counts(piece: Piece) -> Any:
    """Which points count."""
    if piece.mask is None:
        return np.ones(piece.original.shape[1:], bool)
    return piece.mask[0] != 0


def _apart(original: np.ndarray, bridge: np.ndarray) -> Any:
    """How far values are apart: NaN on both sides and the same infinity not at all, NaN on one
    side infinitely."""
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(original - bridge)
    same = (original == bridge) | (np.isnan(original) & np.isnan(bridge))
    apart[same] = 0.0
    apart[np.isnan(apart)] = math.inf
    return apart


def _scales(pieces: Sequence[Piece]) -> list[float]:
    """Of each component the largest finite magnitude of the original; of the other side where
    that is zero."""
    components = len(pieces[0].original) if pieces else 0
    found = []
    for component in range(components):
        sides = (
            _largest((piece.original[component], _counts(piece)) for piece in pieces),
            _largest((piece.bridge[component], _counts(piece)) for piece in pieces),
        )
        found.append(sides[0] or sides[1] or 1.0)
    return found


def _largest(values: Any) -> float:
    largest = 0.0
    for array, counts in values:
        magnitude = np.abs(array[counts & np.isfinite(array)].astype(np.float64))
        largest = max(largest, float(magnitude.max(initial=0.0)))
    return largest
