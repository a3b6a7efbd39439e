"""Boxes of a run: parts of a set's interior, by positions that count from its first point.

A leaf that BoundSets asks before a run on a part.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from bridge.errors import ArgumentError

Triple = tuple[int, int, int]
#: First and last position along x, y and z of each box; None: all points.
Boxes = tuple[tuple[int, int, int, int, int, int], ...] | None
#: First point of a box, from 0, and its points along x, y, z.
Part = tuple[Triple, Triple]


def six_each(numbers: Sequence[int]) -> Boxes:
    """Boxes from a row of integers; ArgumentError where they are not six for each."""
    if not numbers or len(numbers) % 6:
        wanted = "i1, i2, j1, j2, k1, k2 of each box"
        raise ArgumentError("box", f"{len(numbers)} integers", wanted)
    boxes = []
    for at in range(0, len(numbers), 6):
        i1, i2, j1, j2, k1, k2 = numbers[at : at + 6]
        boxes.append((i1, i2, j1, j2, k1, k2))
    return tuple(boxes)


def checked_boxes(boxes: Boxes, extent: Triple) -> list[Part]:
    """The parts that have points; ArgumentError where one leaves the interior, or two share
    points: each would be worked on twice."""
    parts: list[Part] = []
    for box in boxes or ():
        spans = [(box[0], box[1]), (box[2], box[3]), (box[4], box[5])]
        for letter, axis, (first, last), n in zip("ijk", "xyz", spans, extent, strict=True):
            if first < 1 or last > n or last < first - 1:
                wanted = f"positions of the interior from 1 to {n} along {axis}"
                raise ArgumentError("box", f"{letter} = {first} to {last}", wanted)
        i, j, k = (first - 1 for first, _ in spans)
        nx, ny, nz = (last - first + 1 for first, last in spans)
        if nx and ny and nz:
            parts.append(((i, j, k), (nx, ny, nz)))
    for one, other in combinations(parts, 2):
        if all(a < b + m and b < a + n for a, n, b, m in zip(*one, *other, strict=True)):
            got = f"two boxes that share points: {_spelled(one)} and {_spelled(other)}"
            raise ArgumentError("box", got, "boxes apart from each other")
    return parts


def _spelled(part: Part) -> str:
    return ", ".join(
        f"{letter} = {first + 1} to {first + n}"
        for letter, first, n in zip("ijk", *part, strict=True)
    )
