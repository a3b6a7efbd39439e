"""The memory of a whole array, and the copy that it has on a device.

A copy belongs to memory, not to a name: every array that lies in that memory, in whichever set,
has its elements in the same copy.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bridge.backends.base import ITEMSIZES, Binding, Box
from bridge.errors import ArgumentError
from bridge.resident.boxes import contains

if TYPE_CHECKING:
    from bridge.resident.fringes import Fills

LAYOUTS = ("host", "device")


@dataclass(frozen=True)
class WholeArray:
    """All elements of an array, fringes and components that are not bound included.

    points: nx*ny*nz; section: whether the array is part of a larger one, so that nobody knows
    which of this memory is the caller's; arrays: of many blocks all points of their arrays, of the
    components that are bound; the memory is all from the first array to the end of the last one.
    """

    address: int
    points: int
    components: int
    component_first: bool
    dtype: str = "float64"
    section: bool = False
    owner: Any = field(default=None, compare=False)
    arrays: Binding | None = field(default=None, compare=False)

    @property
    def size(self) -> int:
        """In bytes."""
        return self.points * self.components * ITEMSIZES[self.dtype]

    @property
    def end(self) -> int:
        """One past the last byte."""
        return self.address + self.size


@dataclass
class Resident:
    """A piece of the caller's memory that has a copy.

    label: how it was called when it entered; address: of the copy, which is the memory itself
    where kernels read that; count: references; newer: boxes of the memory whose latest values are
    in the copy alone; changes: counts those of these boxes; fills: of its elements, None where
    nobody asks for them.
    """

    whole: WholeArray
    label: str
    layout: str
    address: int
    count: int = 1
    newer: list[Binding] = field(default_factory=list)
    changes: array[int] = field(default_factory=lambda: array("q", (0,)))
    fills: Fills | None = None

    @property
    def transposed(self) -> bool:
        """Whether the copy has the component last, the memory first."""
        return self.layout == "device" and self.whole.component_first

    def holds(self, begin: int, end: int) -> bool:
        return self.whole.address <= begin and end <= self.whole.end

    def overlaps(self, begin: int, end: int) -> bool:
        return begin < self.whole.end and self.whole.address < end

    def located(self, binding: Binding, name: str) -> Binding:
        """The same box in the copy."""
        if self.address == self.whole.address:
            return binding
        begin, box = self._in_copy(binding, name)
        address = self.address + begin
        return replace(binding, address=address, box=box, resident=True).inside()

    def bytes_before(self, binding: Binding, name: str) -> int:
        """From the beginning of the copy to the first point of a box."""
        begin, box = self._in_copy(binding, name)
        return begin + box.offset * binding.itemsize

    def _in_copy(self, binding: Binding, name: str) -> tuple[int, Box]:
        """Where a binding begins in the copy, in bytes, and its box there."""
        if not self.transposed:
            return binding.address - self.whole.address, binding.box
        return 0, self._component_last(binding, name)

    def _component_last(self, binding: Binding, name: str) -> Box:
        components, points = self.whole.components, self.whole.points
        box = binding.box
        if binding.blocks is not None:
            wanted = f"one block, as {self.label}, which is resident with layout 'device'"
            raise ArgumentError(name, "a set of many blocks in the same memory", wanted)
        first, inside = divmod(binding.address - self.whole.address, binding.itemsize)
        first += box.offset
        strides = [step for n, step in zip(box.extent, box.stride, strict=True) if n > 1]
        if (
            binding.itemsize != ITEMSIZES[self.whole.dtype]
            or inside
            or any(step % components for step in strides)
            or first % components + binding.columns > components
            or (binding.columns > 1 and box.data_stride != 1)
        ):
            wanted = f"the shape of {self.label}, which is resident with layout 'device'"
            raise ArgumentError(name, "the same memory in another shape", wanted)
        x, y, z = (step // components for step in box.stride)
        point, component = divmod(first, components)
        return Box(box.extent, (x, y, z), points, component * points + point)

    def written(self, part: Binding) -> None:
        """A box of the memory has its latest values in the copy alone."""
        if any(one is part for one in self.newer):  # as after each run but the first
            return
        if not any(contains(one, part) for one in self.newer):
            self.newer = [one for one in self.newer if not contains(part, one)]
            self.newer.append(part)
            self.changes[0] += 1

    def fetched(self, part: Binding) -> None:
        """The memory has the values of the copy in this box."""
        newer = [one for one in self.newer if not contains(part, one)]
        if len(newer) < len(self.newer):
            self.newer = newer
            self.changes[0] += 1
