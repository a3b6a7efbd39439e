"""Loop nests that run one after the other, a piece of rows of each at a time.

Beside `nests`, whose programs it takes. What an earlier nest leaves in the cache a later one finds
there, with the results of nest after nest: rows of a later one wait for those that share memory
with them. kernels/cpu/nests.cpp goes over the pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        """Rows at most, so many of which are a plane."""
        return self.planes[1] * of_plane + self.rows[1]

    def least(self, of_plane: int) -> int:
        """Rows at least."""
        return self.planes[0] * of_plane + self.rows[0]


class Meeting(NamedTuple):
    """Memory that a nest shares with an earlier one, of this number, and one of them writes: what
    the earlier one does with it, and what the later one does."""

    number: int
    earlier: Use
    later: Use

    def span(self, apart: Place) -> Span:
        """How far what the earlier nest works on may lie ahead; apart: row and plane at which the
        later nest begins, counted from the earlier one."""
        one, other = self.earlier, self.later
        found = []
        for axis in (1, 2):
            shift = other.first[axis - 1] - one.first[axis - 1] - apart[axis - 1]
            low = shift - other.around.lower[axis] - one.around.upper[axis]
            high = shift + other.around.upper[axis] + one.around.lower[axis]
            found.append((low, high))
        return Span(*found)


def uses_of(program: NestProgram) -> list[Use]:
    """What a nest does with the memory of its arguments."""
    return [
        Use(place.argument.quantity.name, place.binding, fringe, place.argument.made)
        for place, fringe in program.uses
        if place.binding is not None and (place.argument.made or any(place.binding.box.stride))
    ]


def meetings_of(uses: Sequence[Sequence[Use]]) -> list[list[Meeting]]:
    """Of each nest with earlier ones; `NoSeries` where rows of memory that they share are not the
    same rows in both."""
    return [
        [
            Meeting(number, one, other)
            for number, earlier in enumerate(uses[:later])
            for one, other in product(earlier, used)
            if (one.made or other.made) and _share(one, other)
        ]
        for later, used in enumerate(uses)
    ]


def _share(one: Use, other: Use) -> bool:
    """Whether two nests share memory; `NoSeries` where it lies in other rows for one of them."""
    if not may_overlap(one.array.grown(one.around), other.array.grown(other.around)):
        return False
    mine, theirs = Whole.of(one.array), Whole.of(other.array)
    component, columns = abs(mine.component) or 1, max(one.array.columns, other.array.columns)
    between, rest = divmod(abs(theirs.begin - mine.begin), component)
    alike = mine._replace(begin=0) == theirs._replace(begin=0) and not rest
    if alike and between < columns:
        return True
    if not alike or (between + columns) * component > min(abs(step) for step in mine.strides):
        raise NoSeries(f"{one.name} and {other.name} share memory in different ways")
    return False  # other components of the same points


def placed(uses: Sequence[Sequence[Use]], meetings: Sequence[Sequence[Meeting]]) -> list[Place]:
    """Row and plane at which each nest begins in rows that all of them have in common: the rows of
    an array that they share."""
    places: list[Place] = []
    for used, met in zip(uses, meetings, strict=True):
        place = next(use.first for use in used if use.made)
        if met:
            y, z = _difference(met[0].later.first, met[0].earlier.first)
            place = places[met[0].number][0] + y, places[met[0].number][1] + z
        places.append(place)
    least = min(y for y, _ in places), min(z for _, z in places)
    return [_difference(place, least) for place in places]


class NestSeries(PointsProgram):
    """What `CpuBackend.series` returns; its points are the rows that all nests have in common."""

    whole = True
    kind = "series"

    def __init__(self, library: Library, nests: Sequence[NestProgram], threads: int) -> None:
        super().__init__(library, nests[0].plan, threads)
        uses = [uses_of(nest) for nest in nests]
        meetings = meetings_of(uses)
        places = placed(uses, meetings)
        boxes = [next(use.array.box.extent for use in used) for used in uses]
        of_plane, planes = (
            max(place[axis] + box[axis + 1] for place, box in zip(places, boxes, strict=True))
            for axis in (0, 1)
        )
        behind: list[int] = []
        above: list[int] = []
        for place, met in zip(places, meetings, strict=True):
            waits, leaves = [0, *behind[-1:]], [0, *above[-1:]]
            for one in met:
                span = one.span(_difference(place, places[one.number]))
                waits.append(behind[one.number] + span.most(of_plane))
                leaves.append(above[one.number] - span.least(of_plane))
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
    """Of each array once, whoever reads it or brings it into the cache to write it, and once more
    where one of the nests writes it: of the box around the boxes of all of them."""
    arrays: dict[tuple[Whole, int], list[Use]] = {}
    for use in (use for used in uses for use in used):
        arrays.setdefault((Whole.of(use.array), use.array.columns), []).append(use)
    moved = 0
    for found in arrays.values():
        points = 1
        for axis in range(3):
            firsts = [use.array.fringe.lower[axis] for use in found]
            extents = [use.array.box.extent[axis] for use in found]
            points *= max(map(sum, zip(firsts, extents, strict=True))) - min(firsts)
        array = found[0].array
        times = 2 if any(use.made for use in found) else 1
        moved += times * points * array.columns * array.itemsize
    return moved


def _bytes_of_row(uses: Sequence[Sequence[Use]]) -> int:
    """Of all arrays together, each once."""
    arrays = {
        (Whole.of(use.array).begin, use.array.columns): use.array for used in uses for use in used
    }
    return sum(one.columns * one.itemsize * one.box.extent[0] for one in arrays.values())


def _difference(one: Place, other: Place) -> Place:
    return one[0] - other[0], one[1] - other[1]
