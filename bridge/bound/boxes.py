"""Boxes of a run: parts of a set's interior or fringe, by positions that count from the first
interior point.

A leaf that BoundSets asks before a run on a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from bridge.backends.base import Binding
from bridge.errors import ArgumentError, InconsistentError
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan
from bridge.plan.stages import reach

Triple = tuple[int, int, int]
#: First and last position along x, y and z of each box; None: the interior.
Boxes = tuple[tuple[int, int, int, int, int, int], ...] | None
#: First point of a box, from 0, and its points along x, y, z.
Part = tuple[Triple, Triple]


def six_each(given: Any) -> Boxes:
    """Boxes from a row of integers, from rows of six, or from the bytes of C ints; ArgumentError
    where they are no integers or not six for each."""
    if isinstance(given, bytes):
        return _of_c_integers(given)
    wanted = "i1, i2, j1, j2, k1, k2 of each box"
    try:
        values = np.asarray(given)
    except ValueError:  # rows of different lengths
        raise ArgumentError("box", repr(given), wanted) from None
    if values.size and (values.dtype.kind not in "iu" or not values.ndim):
        raise ArgumentError("box", repr(given), wanted)
    numbers: list[int] = values.ravel().tolist()
    if not numbers or len(numbers) % 6:
        raise ArgumentError("box", f"{len(numbers)} integers", wanted)
    boxes = []
    for at in range(0, len(numbers), 6):
        i1, i2, j1, j2, k1, k2 = numbers[at : at + 6]
        boxes.append((i1, i2, j1, j2, k1, k2))
    return tuple(boxes)


@lru_cache(maxsize=4096)
def _of_c_integers(given: bytes) -> Boxes:
    """Kept, because a host says the same boxes at every step."""
    if not given or len(given) % 24:
        raise ArgumentError("box", f"{len(given)} bytes", "24 bytes for each box: six C ints")
    return six_each(np.frombuffer(given, np.int32))


def common_fringe(bindings: Iterable[Binding]) -> Fringe:
    """The layers that all arrays have around the interior; values of all points are no arrays."""
    fringe: Fringe | None = None
    for binding in bindings:
        if not binding.position and any(binding.box.stride):
            fringe = binding.fringe if fringe is None else fringe & binding.fringe
    return fringe or Fringe()


def checked_boxes(boxes: Boxes, extent: Triple, fringe: Fringe) -> list[Part]:
    """The parts that have points (one that ends before it begins has none, wherever that is);
    ArgumentError where one leaves the interior and the layers that all arrays have around it, or
    two share points: each would be worked on twice."""
    parts: list[Part] = []
    for box in boxes or ():
        spans = [(box[0], box[1]), (box[2], box[3]), (box[4], box[5])]
        if any(last < first for first, last in spans):
            continue
        i, j, k = (first - 1 for first, _ in spans)
        nx, ny, nz = (last - first + 1 for first, last in spans)
        part = (i, j, k), (nx, ny, nz)
        if not all(extent):  # the address of an empty block may be anything
            raise ArgumentError("box", _spelled(part), "no points, as the set has none")
        sides = zip("ijk", "xyz", spans, extent, fringe.lower, fringe.upper, strict=True)
        for letter, axis, (first, last), n, low, high in sides:
            if first < 1 - low or last > n + high:
                wanted = f"positions from {1 - low} to {n + high} along {axis}: the interior has "
                wanted += f"1 to {n}, and all arrays of the run have these fringe layers"
                raise ArgumentError("box", f"{letter} = {first} to {last}", wanted)
        parts.append(part)
    for one, other in combinations(parts, 2):
        if all(a < b + m and b < a + n for a, n, b, m in zip(*one, *other, strict=True)):
            got = f"two boxes that share points: {_spelled(one)} and {_spelled(other)}"
            raise ArgumentError("box", got, "boxes without common points")
    return parts


def hull(parts: Sequence[Part]) -> Part:
    """The smallest box that holds all parts."""
    if not parts:
        return (0, 0, 0), (0, 0, 0)
    i, j, k = (min(first[axis] for first, _ in parts) for axis in range(3))
    x, y, z = (max(first[axis] + n[axis] for first, n in parts) for axis in range(3))
    return (i, j, k), (x - i, y - j, z - k)


def within(part: Part, extent: Triple) -> bool:
    """Whether a part lies in the interior."""
    return all(i >= 0 and i + m <= n for i, m, n in zip(*part, extent, strict=True))


def refuse_rewritten(plan: Plan, parts: Sequence[Part]) -> None:
    """ArgumentError where several stages read, around the points of one part, what they have
    rewritten in another one: the parts run one after the other."""
    given = plan.inputs
    rewritten = [name for name, slot in plan.outputs.items() if given.get(name, slot) != slot]
    for number, other in enumerate(parts if rewritten and len(parts) > 1 else ()):
        around, staged = reach(plan, other[1])
        far = {name: around.get(given[name], Fringe()) for name in rewritten if staged}
        for name, reads in far.items():
            for one in (*parts[:number], *parts[number + 1 :]):
                sides = zip(*one, *other, reads.lower, reads.upper, strict=True)
                if reads.cells or all(
                    a < b + m + up and b - low < a + n for a, n, b, m, low, up in sides
                ):
                    raise InconsistentError(
                        "box",
                        f"{plan.name} rewrites '{name}' at {_spelled(one)} and reads it around "
                        f"{_spelled(other)}",
                        f"give one box, or boxes further apart than its offsets ({reads})",
                    )


def _spelled(part: Part) -> str:
    return ", ".join(
        f"{letter} = {first + 1} to {first + n}"
        for letter, first, n in zip("ijk", *part, strict=True)
    )
