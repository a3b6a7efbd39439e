"""How a box of points is cut into chunks, and a chunk copied by as few calls as it takes.

Chunks are whole planes, else whole rows, else parts of a row, so that what the copy engines move
has a shape they know: rows at one distance, slices at another.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridge.backends.base import Box
from bridge.backends.cuda.api import Api


@dataclass(frozen=True)
class Piece:
    """A part of a box: `extent` points along the axes from `start`; first: number of its first
    point in the box, x fastest."""

    start: tuple[int, int, int]
    extent: tuple[int, int, int]
    first: int

    @property
    def points(self) -> int:
        return self.extent[0] * self.extent[1] * self.extent[2]


def cut(extent: tuple[int, int, int], most: int) -> list[Piece]:
    """All points of a box in pieces of at most `most` points, of about the same size; of many
    planes the first ones are shorter, so that kernels and results do not wait for long."""
    ni, nj, nk = extent
    pieces = []
    if most >= ni * nj:
        for k, planes in _rising(nk, most // (ni * nj)):
            pieces.append(Piece((0, 0, k), (ni, nj, planes), ni * nj * k))
    elif most >= ni:
        for k in range(nk):
            for j, rows in _even(nj, most // ni):
                pieces.append(Piece((0, j, k), (ni, rows, 1), ni * (j + nj * k)))
    else:
        for k in range(nk):
            for j in range(nj):
                for i, points in _even(ni, most):
                    pieces.append(Piece((i, j, k), (points, 1, 1), i + ni * (j + nj * k)))
    return pieces


def lines(first: int, n: int, most: int) -> list[Piece]:
    """Points first .. first+n-1 of a box in pieces of consecutive points, whatever its shape."""
    return [
        Piece((first + start, 0, 0), (points, 1, 1), first + start)
        for start, points in _even(n, most)
    ]


def _rising(n: int, most: int) -> list[tuple[int, int]]:
    """`_even`, behind parts that rise from a sixteenth of `most` by doubling where n is long.

    In a block of few chunks, as a rank among several has, the short ones would be most of all:
    ranks fill each other's gaps anyway, and every copy costs its start.
    """
    parts, start = [], 0
    if most >= 16 and n >= 4 * most:
        length = most // 16
        while length < most:
            parts.append((start, length))
            start += length
            length *= 2
    return parts + [(start + first, length) for first, length in _even(n - start, most)]


def _even(n: int, most: int) -> list[tuple[int, int]]:
    """(start, length) of the fewest nearly equal parts of n, none longer than `most`."""
    parts = -(-n // most)
    bounds = [n * part // parts for part in range(parts + 1)]
    return [(a, b - a) for a, b in zip(bounds, bounds[1:], strict=False)]


@dataclass(frozen=True)
class Axis:
    """n elements (of 1 at first) at distances `far` in the caller's array and `near` here."""

    n: int
    far: int
    near: int


def axes(box: Box, piece: Piece, columns: int, near_stride: int) -> list[Axis]:
    """The axes of a copy between a piece of a box and a compact chunk whose columns lie
    near_stride apart; neighbours that run on in both memories are joined."""
    ni, nj, nk = piece.extent
    every = [
        Axis(ni, box.stride[0], 1),
        Axis(nj, box.stride[1], ni),
        Axis(nk, box.stride[2], ni * nj),
        Axis(columns, box.data_stride, near_stride),
    ]
    joined: list[Axis] = []
    for axis in every:
        if axis.n == 1 and joined:
            continue
        last = joined[-1] if joined else None
        if last and axis.far == last.n * last.far and axis.near == last.n * last.near:
            joined[-1] = Axis(last.n * axis.n, last.far, last.near)
        else:
            joined.append(axis)
    return joined


@dataclass(frozen=True)
class Shape:
    """What one call copies, in bytes: rows of `width`, `height` of them, `depth` slices."""

    width: int
    height: int = 1
    depth: int = 1
    far_pitch: int = 0
    near_pitch: int = 0
    far_rows: int = 0
    near_rows: int = 0


@dataclass(frozen=True)
class Copies:
    """A shape at some distances (bytes) from the beginnings of both memories."""

    shape: Shape
    places: tuple[tuple[int, int], ...]

    def run(self, api: Api, far: int, near: int, inward: bool, stream: int) -> None:
        """far, near: addresses of the first element on both sides."""
        s = self.shape
        for far_at, near_at in self.places:
            a, b = far + far_at, near + near_at
            if s.height == 1 and s.depth == 1:
                target, source = (b, a) if inward else (a, b)
                api.copy_async(target, source, s.width, stream)
            elif s.depth == 1:
                if inward:
                    api.copy2d_async(b, s.near_pitch, a, s.far_pitch, s.width, s.height, stream)
                else:
                    api.copy2d_async(a, s.far_pitch, b, s.near_pitch, s.width, s.height, stream)
            elif inward:
                api.copy3d_async(b, s.near_pitch, s.near_rows, a, s.far_pitch, s.far_rows,
                                 s.width, s.height, s.depth, stream)  # fmt: skip
            else:
                api.copy3d_async(a, s.far_pitch, s.far_rows, b, s.near_pitch, s.near_rows,
                                 s.width, s.height, s.depth, stream)  # fmt: skip


def plan_copies(joined: list[Axis], itemsize: int) -> Copies:
    """The calls for axes from `axes`, whose first runs through memory element by element."""
    width, rest = joined[0].n * itemsize, list(joined[1:])
    assert joined[0].n == 1 or joined[0].far == 1, "the copy engines move runs of memory"
    loops: list[Axis] = []
    while len(rest) > 2 or (len(rest) == 2 and not _sliced(*rest)):
        shortest = min(rest, key=lambda axis: axis.n)
        rest.remove(shortest)
        loops.append(shortest)
    places = [(0, 0)]
    for axis in loops:
        places = [
            (far + step * axis.far * itemsize, near + step * axis.near * itemsize)
            for step in range(axis.n)
            for far, near in places
        ]
    if not rest:
        return Copies(Shape(width), tuple(places))
    rows = rest[0]
    far_pitch, near_pitch = rows.far * itemsize, rows.near * itemsize
    if len(rest) == 1:
        return Copies(Shape(width, rows.n, 1, far_pitch, near_pitch), tuple(places))
    slices = rest[1]
    shape = Shape(width, rows.n, slices.n, far_pitch, near_pitch, slices.far // rows.far,
                  slices.near // rows.near)  # fmt: skip
    return Copies(shape, tuple(places))


def _sliced(rows: Axis, slices: Axis) -> bool:
    """Whether slices lie a whole number of rows apart on both sides, as one 3-D copy needs."""
    return (
        rows.far > 0
        and slices.far >= rows.far
        and slices.far % rows.far == 0
        and slices.near >= rows.near
        and slices.near % rows.near == 0
    )
