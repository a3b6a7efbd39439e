"""Where the values of a plan lie: boxes of arrays in memory, and what quantities they stand for.

Everything above hands these down to a backend; kernels get them as strides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bridge.backends.blocks import Blocks
from bridge.errors import ArgumentError
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan


@dataclass(frozen=True)
class Box:
    """Where the interior points of an array lie in memory, in elements, x fastest.

    Point (i, j, k) of the interior, component c, is at
    ``offset + i*stride[0] + j*stride[1] + k*stride[2] + c*data_stride`` from the array's start.
    A flat view of n points is the box ``extent=(n, 1, 1), stride=(1, n, n)``.
    """

    extent: tuple[int, int, int]
    stride: tuple[int, int, int]
    data_stride: int
    offset: int = 0

    @property
    def points(self) -> int:
        return self.extent[0] * self.extent[1] * self.extent[2]

    def part(self, first: tuple[int, int, int], extent: tuple[int, int, int]) -> Box:
        """Points from `first` on, counted from 0; below 0 lies what is around the box."""
        skipped = sum(i * step for i, step in zip(first, self.stride, strict=True))
        return replace(self, extent=extent, offset=self.offset + skipped)

    @classmethod
    def flat(cls, points: int, data_stride: int) -> Box:
        return cls((points, 1, 1), (1, points, points), data_stride)


#: Bytes of an element of each type that an array may have.
ITEMSIZES = {"float64": 8, "float32": 4, "int32": 4}


@dataclass(frozen=True)
class Binding:
    """Memory that stands for one named quantity of a plan.

    address: start of the array (host address; device address for views of a GPU backend);
    box: its points; columns: components; scale: inputs are multiplied by it, outputs
    divided (real quantities only); dtype: of the elements, one of ITEMSIZES; owner: kept alive as
    long as the binding; group: what is bound and run together (a set of points), and has a latest
    run of its own; position: no memory: the value of a point is the number of its element in the
    box; fringe: layers of the array around the box; layers: the same when it was bound, around its
    interior, of which the box may be a part; section: whether they are of another array than what
    was bound; resident: whether this is the device's copy of
    an array of the caller; blocks: where the points lie if they are those of many blocks: then the
    box has all of them along x, and no place.
    """

    address: int
    box: Box
    columns: int
    scale: float = 1.0
    dtype: str = "float64"
    owner: Any = None
    group: str = ""
    position: bool = False
    fringe: Fringe = field(default_factory=Fringe)
    layers: Fringe = field(default_factory=Fringe)
    section: bool = False
    resident: bool = False
    blocks: Blocks | None = None

    def at(self, blocks: Blocks) -> Binding:
        """The same memory at the points of many blocks."""
        n = blocks.points
        data, offset = (int(one[0]) if n else 0 for one in (blocks.data_stride, blocks.offset))
        box = Box((n, 1, 1), (blocks.along, 0, 0), data, offset)
        return replace(self, box=box, blocks=blocks)

    def inside(self) -> Binding:
        """The same elements, counted from the first one where they are those of many blocks: the
        address is one of this memory then."""
        if self.blocks is None or not self.elements:
            return self
        first = int(self.blocks.spans(self.columns)[0].min())
        blocks = replace(self.blocks, offset=self.blocks.offset - first)
        return replace(self, address=self.address + first * self.itemsize).at(blocks)

    def each(self) -> list[Binding]:
        """Blocks that have points as arrays of their own; itself where there is one alone."""
        if self.blocks is None:
            return [self]
        return [self.block(number) for number in np.flatnonzero(self.blocks.sizes).tolist()]

    def block(self, number: int) -> Binding:
        """One of many blocks, counted from 0, as an array of its own."""
        assert self.blocks is not None
        return replace(self, box=Box(*self.blocks.box(number)), blocks=None)

    def columns_from(self, first: int, count: int) -> Binding:
        """Some columns, counted from 0."""
        if self.blocks is not None:
            return replace(self.at(self.blocks.columns_from(first)), columns=count)
        box = replace(self.box, offset=self.box.offset + first * self.box.data_stride)
        return replace(self, box=box, columns=count)

    def everywhere(self, values: np.ndarray) -> Binding:
        """The same values, one of each column, at all points of this binding."""
        box, blocks = self.box, self.blocks
        box = Box(box.extent, (0, 0, 0), 1)
        found = Binding(
            values.ctypes.data, box, len(values), dtype=str(values.dtype), owner=values,
            group=self.group,
        )  # fmt: skip
        return found if blocks is None else found.at(blocks.still())

    def part(self, first: tuple[int, int, int], extent: tuple[int, int, int]) -> Binding:
        """Some points of the box, from `first` on, counted from 0; what lies around them in the
        array is their fringe. Points outside the box are points of its fringe."""
        lower = [low + i for low, i in zip(self.fringe.lower, first, strict=True)]
        upper = [
            high + n - i - m
            for high, n, i, m in zip(
                self.fringe.upper, self.box.extent, first, extent, strict=True
            )
        ]
        around = Fringe((lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]))
        return replace(self, box=self.box.part(first, extent), fringe=around)

    def grown(self, by: Fringe) -> Binding:
        """The box with so many layers of its fringe; with all cells of what is read at any."""
        if by.cells:
            by = self.cells(by)
        if self.blocks is not None:
            low = [have - n for have, n in zip(self.fringe.lower, by.lower, strict=True)]
            high = [have - n for have, n in zip(self.fringe.upper, by.upper, strict=True)]
            around = Fringe((low[0], low[1], low[2]), (high[0], high[1], high[2]))
            return replace(self.at(self.blocks.grown(by)), fringe=around)
        first = tuple(-low for low in by.lower)
        sizes = zip(self.box.extent, by.lower, by.upper, strict=True)
        x, y, z = (n + low + high for n, low, high in sizes)
        return self.part((first[0], first[1], first[2]), (x, y, z))

    def cells(self, reads: Fringe) -> Fringe:
        """The layers around the box that a kernel reaches which reads any cell: of the interior,
        or of all of the array that was bound."""
        return (
            self.fringe - self.layers if self.section or reads.cells == "interior" else self.fringe
        )

    @classmethod
    def along(
        cls, axis: int, extent: tuple[int, int, int], first: int, group: str = ""
    ) -> Binding:
        """Positions of points along an axis of a box, of which the first one is given."""
        i, j, k = (int(axis == number) for number in range(3))
        return cls(
            0, Box(extent, (i, j, k), 0, first), 1, dtype="int32", group=group, position=True
        )

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return ITEMSIZES[self.dtype]

    @property
    def elements(self) -> int:
        """Of all components of all points."""
        return self.box.points * self.columns

    @property
    def span(self) -> tuple[int, int]:
        """First and one past the last byte of the box in memory."""
        if self.blocks is not None and self.elements:
            low, high = self.blocks.spans(self.columns)
            last = self.address + self.itemsize * (int(high.max()) + 1)
            return self.address + self.itemsize * int(low.min()), last
        box = self.box
        begin = end = self.address + box.offset * self.itemsize
        if not self.elements:
            return begin, end
        strides = (*box.stride, box.data_stride)
        for n, stride in zip((*box.extent, self.columns), strides, strict=True):
            length = (n - 1) * stride * self.itemsize
            begin, end = begin + min(length, 0), end + max(length, 0)
        return begin, end + self.itemsize

    def check(self, name: str, columns: int, dtype: str, written: bool) -> None:
        """Whether this can stand for a quantity of so many columns and of a type that is written
        or only read; ArgumentError if not."""
        if self.columns != columns:
            raise ArgumentError(name, f"{self.columns} components", f"{columns} components")
        check_types(name, self.dtype, dtype, written)


def check_types(name: str, array: str, quantity: str, written: bool) -> None:
    """ArgumentError where numbers of a quantity would lose their range in an array's elements.

    Real quantities: float64, float32 (rounded), int32 where it is only read. Integer ones: int32,
    float64 (Fortran's status in a real array); float32 holds no whole number above 2**24.
    """
    if array not in ITEMSIZES:
        raise ArgumentError(name, f"dtype {array}", f"one of {', '.join(ITEMSIZES)}")
    if quantity == "int32" and array == "float32":
        wanted = "int32 or float64: float32 does not hold every integer"
        raise ArgumentError(name, "elements of float32 for an integer quantity", wanted)
    if quantity != "int32" and array == "int32" and written:
        wanted = "float64 or float32: an integer array may only be read"
        raise ArgumentError(name, "elements of int32 for a real quantity that is written", wanted)


def bound(plan: Plan, bindings: Mapping[str, Binding]) -> dict[str, Binding]:
    """The bindings of a plan's inputs and wanted outputs, in this order; ArgumentError where one
    is missing or does not fit its quantity."""
    found = {}
    for name in dict.fromkeys((*plan.inputs, *plan.outputs)):
        if name not in bindings:
            kind = "input" if name in plan.inputs else "output"
            raise ArgumentError("bindings", f"none for {name}", f"memory for each {kind}")
        for table in (plan.inputs, plan.outputs):
            if name in table:
                slot = plan.slots[table[name]]
                bindings[name].check(name, slot.columns, slot.dtype, table is plan.outputs)
        found[name] = bindings[name]
    return found
