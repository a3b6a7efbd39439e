"""How a box of points is cut into chunks, and a chunk copied by as few calls as it takes.

Chunks are whole planes, else whole rows, else parts of a row, so that what the copy engines move
has a shape they know: rows at one distance, slices at another.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridge.backends.base import Box
from bridge.backends.gpu.driver import Driver

#: Points of the shortest chunk: a copy of fewer takes more time to start than to do.
SHORTEST = 32768
#: Bounds of how much longer a chunk may be than the one before it.
SLOWEST, FASTEST = 1.1, 3.0


@dataclass(frozen=True)
class Chunk:
    """A part of a box: `extent` points along the axes from `start`; first: number of its first
    point in the box, x fastest."""

    start: tuple[int, int, int]
    extent: tuple[int, int, int]
    first: int

    @property
    def points(self) -> int:
        return self.extent[0] * self.extent[1] * self.extent[2]


def cut(
    extent: tuple[int, int, int], chunk: int, ratio: float | None = None, shortest: int = SHORTEST
) -> list[Chunk]:
    """All points of a box in chunks of at most `chunk` points.

    ratio: bytes that come out per byte that goes in, for chunks whose lengths follow it
    (`_graded`); None for equal ones: several ranks on a GPU fill each other's gaps anyway, and
    every copy costs its start.
    """
    ni, nj, nk = extent
    chunks = []
    if chunk >= ni * nj:
        plane = ni * nj
        parts = (
            _even(nk, chunk // plane)
            if ratio is None
            else _graded(nk, chunk // plane, max(1, round(shortest / plane)), ratio)
        )
        for k, planes in parts:
            chunks.append(Chunk((0, 0, k), (ni, nj, planes), plane * k))
    elif chunk >= ni:
        for k in range(nk):
            for j, rows in _even(nj, chunk // ni):
                chunks.append(Chunk((0, j, k), (ni, rows, 1), ni * (j + nj * k)))
    else:
        for k in range(nk):
            for j in range(nj):
                for i, points in _even(ni, chunk):
                    chunks.append(Chunk((i, j, k), (points, 1, 1), i + ni * (j + nj * k)))
    return chunks


def cut_consecutive(first: int, n: int, chunk: int) -> list[Chunk]:
    """Points first .. first+n-1 of a box in chunks of at most `chunk` consecutive points,
    whatever its shape."""
    return [
        Chunk((first + start, 0, 0), (points, 1, 1), first + start)
        for start, points in _even(n, chunk)
    ]


def _graded(n: int, longest: int, shortest: int, ratio: float) -> list[tuple[int, int]]:
    """(start, length) of parts of n that keep both directions of the link at work.

    The first one is short, because copies out wait for it; the next comes in while it goes out,
    so it may be longer by the ratio of the two. Where more goes in than comes out, the same from
    the end: the last one is short, because nothing comes in beside it.
    """
    step = min(max(ratio, 1.0 / ratio, SLOWEST), FASTEST) if ratio > 0.0 else FASTEST
    lengths: list[int] = []
    length, left = float(shortest), n
    while left > 0:
        now = min(int(length), longest)
        if now == longest or left < 2 * now:
            lengths += [part for _, part in _even(left, now)]
            break
        lengths.append(now)
        left -= now
        length *= step
    if ratio < 1.0:
        lengths.reverse()
    parts, start = [], 0
    for part in lengths:
        parts.append((start, part))
        start += part
    return parts


def _even(n: int, longest: int) -> list[tuple[int, int]]:
    """(start, length) of the fewest nearly equal parts of n, none longer than `longest`."""
    parts = -(-n // longest)
    bounds = [n * part // parts for part in range(parts + 1)]
    return [(a, b - a) for a, b in zip(bounds, bounds[1:], strict=False)]


@dataclass(frozen=True)
class Axis:
    """n elements (of 1 at first) at distances `far` in the caller's array and `near` here."""

    n: int
    far: int
    near: int


def axes(box: Box, chunk: Chunk, columns: int, near_stride: int) -> list[Axis]:
    """The axes of a copy between a chunk of a box and a compact buffer whose columns lie
    near_stride apart; neighbours that run on in both memories are joined."""
    ni, nj, nk = chunk.extent
    every = [
        Axis(ni, box.stride[0] if ni > 1 else 1, 1),  # one point has no distance to a next
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

    def run(self, api: Driver, far: int, near: int, inward: bool, stream: int) -> None:
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
