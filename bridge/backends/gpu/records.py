"""Transfers of component-first arrays: whole records cross the link by the copy engines and are
transposed by a kernel in the device's own memory.

Transfers like those of `transfers`; what the columns of one array share is `Records`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import replace

from bridge.backends.base import Binding, Box
from bridge.backends.gpu.chunks import Chunk, Copies, axes, plan_copies
from bridge.backends.gpu.driver import Driver
from bridge.backends.gpu.memory import Pool, span
from bridge.backends.gpu.transfers import DeviceBox, LaunchMarshal, Transfer

#: Component-first records are copied whole where at least one element in so many is bound.
WORTH_A_RECORD = 4


class Records:
    """Points of a component-first array that lie in memory as records, all components of a point
    side by side, and what of them is on the device: one copy serves every column that is bound.

    Made for columns of one array that are bound together. start: address of the first record;
    box: of the records; item: bytes of an element; width: elements of a record; span: first and
    one past the last byte.
    """

    def __init__(self, start: int, box: Box, item: int) -> None:
        self.start = start
        self.box = box
        self.item = item
        self.width = box.stride[0]
        first, end = span(start, replace(box, offset=0, data_stride=1), self.width, item)
        self.span = (first, end)
        self._buffers: list[int] = []
        self._here: dict[int, Chunk] = {}
        self._copies: dict[Chunk, Copies] = {}

    @classmethod
    def of(cls, bindings: Mapping[str, Binding]) -> dict[str, Records]:
        """name -> records, for arrays of which a good part is bound."""
        found: dict[tuple[int, Box, int], Records] = {}
        columns: dict[Records, int] = {}
        mine: dict[str, Records] = {}
        for name, binding in bindings.items():
            box, width, item = binding.box, binding.box.stride[0], binding.itemsize
            if width < 2 or any(s % width for s in box.stride):
                continue
            component = box.offset % width
            if component + binding.columns > width or (
                binding.columns > 1 and box.data_stride != 1
            ):
                continue
            start = binding.address + (box.offset - component) * item
            shape = replace(box, offset=0, data_stride=1)
            records = found.setdefault((start, shape, item), cls(start, shape, item))
            columns[records] = columns.get(records, 0) + binding.columns
            mine[name] = records
        return {
            name: records
            for name, records in mine.items()
            if WORTH_A_RECORD * columns[records] >= records.width
        }

    def prepare(self, pool: Pool, number: int, count: int, capacity: int) -> None:
        size = capacity * self.width * self.item
        self._buffers = [
            pool.device(("records", number, buffer), size, "chunk of component-first records")
            for buffer in range(count)
        ]
        self.forget()

    def forget(self) -> None:
        """Nothing of the array is on the device."""
        self._here.clear()

    def bring(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        """The chunk's records, unless they have been brought for another column."""
        if self._here.get(buffer) != chunk:
            self._here[buffer] = chunk
            self._move(api, chunk, buffer, stream, True)

    def take(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        self._move(api, chunk, buffer, stream, False)

    def _move(self, api: Driver, chunk: Chunk, buffer: int, stream: int, inward: bool) -> None:
        """A chunk as rows of elements: each one of a record is a point to the copy engines."""
        copies = self._copies.get(chunk)
        if copies is None:
            wide = (chunk.extent[0] * self.width, *chunk.extent[1:])
            rows = replace(self.box, stride=(1, *self.box.stride[1:]))
            joined = axes(rows, Chunk((0, 0, 0), wide, 0), 1, 0)
            copies = self._copies[chunk] = plan_copies(joined, self.item)
        first = sum(s * step for s, step in zip(chunk.start, self.box.stride, strict=True))
        copies.run(api, self.start + first * self.item, self._buffers[buffer], inward, stream)

    def columns_of(self, chunk: Chunk, binding: Binding) -> DeviceBox:
        """How a kernel finds a binding's columns of a chunk on the device."""
        ni, nj, _ = chunk.extent
        width = self.width
        return DeviceBox(
            (ctypes.c_longlong * 2)(ni, nj),
            (ctypes.c_longlong * 3)(width, width * ni, width * ni * nj),
            1, binding.columns, binding.scale,
        )  # fmt: skip

    def address(self, buffer: int, binding: Binding) -> int:
        """Of the binding's first column in a buffer."""
        return self._buffers[buffer] + binding.box.offset % self.width * self.item


class Transposed(Transfer):
    """Columns of component-first records."""

    scaled = False

    def __init__(
        self, binding: Binding, reads: bool, writes: bool, dtype: str, launch: LaunchMarshal,
        records: Records,
    ) -> None:  # fmt: skip
        super().__init__(binding, reads, writes)
        self._dtype = dtype
        self._launch = launch
        self.records = records

    @property
    def chunk_dtype(self) -> str:
        return self._dtype

    def _transpose(self, kernel: str, chunk: Chunk, buffer: int, stream: int) -> None:
        near, stride = self.place(chunk, buffer)
        parameters = [
            ctypes.c_void_p(self.records.address(buffer, self.binding)),
            self.records.columns_of(chunk, self.binding),
            ctypes.c_void_p(near),
            ctypes.c_longlong(stride),
            ctypes.c_longlong(0),
            ctypes.c_int(chunk.points),
        ]
        kind = f"{self.binding.dtype}_{self._dtype}"
        self._launch(f"{kernel}_{kind}", chunk.points, parameters, stream)

    def bring(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        self.records.bring(api, chunk, buffer, stream)
        self._transpose("gather", chunk, buffer, stream)

    def take(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        self._transpose("scatter", chunk, buffer, stream)
        self.records.take(api, chunk, buffer, stream)
