"""Loop nests that run one after the other, a piece of rows of each at a time.

Beside `nests`, whose programs it takes. What an earlier nest leaves in the cache a later one finds
there, with the results of nest after nest: rows of a later one wait for those that share memory
with them. kernels/cpu/nests.cpp goes over the pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from bridge import machine
from bridge.backends.base import Binding
from bridge.backends.cpu.inplace import may_overlap
from bridge.backends.cpu.nests import NestProgram
from bridge.backends.cpu.program import PointsProgram
from bridge.backends.host.library import Library
from bridge.errors import OutOfMemoryError
from bridge.plan.fringe import Fringe

#: Row and plane.
Place = tuple[int, int]


class NoSeries(Exception):
    """Why nests run one after the other, each on all of its points."""


class Use(NamedTuple):
    """What a nest does with memory: around which points it reads, or that it writes the points."""

    name: str
    array: Binding
    around: Fringe
    made: bool

    @property
    def first(self) -> Place:
        """Row and plane of the first point in the array."""
        _, y, z = self.array.fringe.lower
        return y, z


class Whole(NamedTuple):
    """An array with its fringe, in bytes: where it begins, from point to point along each axis and
    from component to component, and its points."""

    begin: int
    strides: tuple[int, int, int]
    component: int
    extent: tuple[int, int, int]

    @classmethod
    def of(cls, binding: Binding) -> Whole:
        box, item, fringe = binding.box, binding.itemsize, binding.fringe
        x, y, z = box.stride
        i, j, k = fringe.lower
        begin = binding.address + item * (box.offset - i * x - j * y - k * z)
        sizes = zip(box.extent, fringe.lower, fringe.upper, strict=True)
        nx, ny, nz = (n + low + high for n, low, high in sizes)
        return cls(begin, (item * x, item * y, item * z), item * box.data_stride, (nx, ny, nz))


class Span(NamedTuple):
    """Rows, and planes, by which memory that an earlier nest works on may lie ahead of the point
    of a later one."""

    rows: Place
    planes: Place

    def most(self, of_plane: int) -> int:
        """Rows of a frame at most."""
        return self.planes[1] * of_plane + self.rows[1]

    def least(self, of_plane: int) -> int:
        """Rows of a frame at least."""
        return self.planes[0] * of_plane + self.rows[0]


def uses_of(program: NestProgram) -> list[Use]:
    """What a nest does with the memory of its arguments."""
    return [
        Use(place.argument.quantity.name, place.binding, fringe, place.argument.made)
        for place, fringe in program.uses
        if place.binding is not None and (place.argument.made or any(place.binding.box.stride))
    ]


def met(one: Use, other: Use) -> tuple[Place, Place] | None:
    """First row and plane of both in the array that they share; None where they share nothing, or
    read it alone. `NoSeries` where they share memory in another way."""
    if not (one.made or other.made):
        return None
    if not may_overlap(one.array.grown(one.around), other.array.grown(other.around)):
        return None
    mine, theirs = Whole.of(one.array), Whole.of(other.array)
    component, columns = abs(mine.component) or 1, max(one.array.columns, other.array.columns)
    between, rest = divmod(abs(theirs.begin - mine.begin), component)
    if mine._replace(begin=0) != theirs._replace(begin=0) or rest:
        raise NoSeries(f"{one.name} and {other.name} share memory in different ways")
    if between >= columns:
        if (between + columns) * component > min(abs(step) for step in mine.strides):
            raise NoSeries(f"{one.name} and {other.name} share memory in different ways")
        return None  # other components of the same points
    return one.first, other.first


def placed(uses: Sequence[Sequence[Use]]) -> list[Place]:
    """Row and plane of a common frame at which each nest begins: where they share an array, its
    rows are those of the frame."""
    places: list[Place] = []
    for used in uses:
        place = next(use.first for use in used if use.made)
        for number, (one, other) in pairs(uses[: len(places)], used):
            where = met(one, other)
            if where is not None:
                before, here = where
                y, z = places[number]
                place = y + here[0] - before[0], z + here[1] - before[1]
                break
        places.append(place)
    y, z = (min(place[axis] for place in places) for axis in (0, 1))
    return [_less(place, (y, z)) for place in places]


def pairs(
    earlier: Sequence[Sequence[Use]], used: Sequence[Use]
) -> Iterator[tuple[int, tuple[Use, Use]]]:
    """The number of an earlier nest, and what it and a later one do with memory."""
    for number, theirs in enumerate(earlier):
        for pair in product(theirs, used):
            yield number, pair


def ahead(one: Use, other: Use, frame: Place) -> Span:
    """Of `one`, of an earlier nest, and `other`; frame: row and plane at which the later nest
    begins, counted from the earlier one."""
    found = []
    for axis in (1, 2):
        shift = other.first[axis - 1] - one.first[axis - 1] - frame[axis - 1]
        low = shift - other.around.lower[axis] - one.around.upper[axis]
        high = shift + other.around.upper[axis] + one.around.lower[axis]
        found.append((low, high))
    return Span(*found)


class NestSeries(PointsProgram):
    """What `CpuBackend.series` returns; its points are rows of the frame that all nests have."""

    whole = True
    kind = "series"

    def __init__(self, library: Library, nests: Sequence[NestProgram], threads: int) -> None:
        super().__init__(library, nests[0].plan, threads)
        uses = [uses_of(nest) for nest in nests]
        places = placed(uses)
        boxes = [next(use.array.box.extent for use in used) for used in uses]
        of_plane, planes = (
            max(place[axis] + box[axis + 1] for place, box in zip(places, boxes, strict=True))
            for axis in (0, 1)
        )
        behind: list[int] = []
        above: list[int] = []
        for number, used in enumerate(uses):
            waits, leaves = [0, *behind[-1:]], [0, *above[-1:]]
            for earlier, (one, other) in pairs(uses[:number], used):
                if met(one, other) is not None:
                    span = ahead(one, other, _less(places[number], places[earlier]))
                    waits.append(behind[earlier] + span.most(of_plane))
                    leaves.append(above[earlier] - span.least(of_plane))
            behind.append(max(waits))
            above.append(max(leaves))
        parts: Any = self._kept(self._ffi.new("bridge_series_part[]", len(nests)))
        for number, (part, nest, box) in enumerate(zip(parts, nests, boxes, strict=True)):
            part.nest, part.first = nest.struct, places[number]
            part.row, part.rows, part.planes = box
            part.behind, part.above = behind[number], above[number]
        series: Any = self._ffi.new("bridge_series*")
        series.parts, series.n_parts = parts, len(nests)
        series.rows, series.of_plane = of_plane * planes, of_plane
        series.piece = max(machine.cache_size(2) // 2 // _bytes_of_row(uses), 1)
        worth = sum(nest.points / nest.share for nest in nests)
        series.share = max(int(series.rows / worth), 1)
        wanted, around = min(threads, series.rows // series.share), behind[-1] + above[-1]
        if around and series.rows // around < wanted:
            some = max(series.rows // around, 1)
            raise NoSeries(f"{some} of {wanted} threads would have rows of their own")
        series.sharing = self._kept(self._ffi.new("bridge_sharing*"))
        self.points, self.moved = int(series.rows), _bytes_moved(uses)
        self._nests = nests
        self._calls("bridge_cpu_run_series", series, self.points)

    def no_memory(self) -> OutOfMemoryError:
        """Why a call failed."""
        names = ", ".join(dict.fromkeys(nest.plan.name for nest in self._nests))
        return OutOfMemoryError(f"{names}: no memory for copies of rows")


def named(nests: Sequence[NestProgram]) -> str:
    """Their plans, and the sets where there are several."""
    sets = [next(use.array.group for use in uses_of(nest)) for nest in nests]
    several = len({*sets}) > 1
    return ", ".join(
        f"{nest.plan.name} on '{set}'" if several else nest.plan.name
        for nest, set in zip(nests, sets, strict=True)
    )


def _bytes_moved(uses: Sequence[Sequence[Use]]) -> int:
    """Of each array once where several nests read it, and once where several write it."""
    most: dict[tuple[int, int, bool], int] = {}
    for use in (use for used in uses for use in used):
        array = use.array
        key = Whole.of(array).begin, array.columns, use.made
        most[key] = max(most.get(key, 0), array.elements * array.itemsize)
    return sum(most.values())


def _bytes_of_row(uses: Sequence[Sequence[Use]]) -> int:
    """Of all arrays together, each once."""
    arrays = {
        (Whole.of(use.array).begin, use.array.columns): use.array for used in uses for use in used
    }
    return sum(one.columns * one.itemsize * one.box.extent[0] for one in arrays.values())


def _less(one: Place, other: Place) -> Place:
    return one[0] - other[0], one[1] - other[1]
