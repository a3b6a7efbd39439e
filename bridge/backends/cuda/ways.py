"""How one bound array reaches the chunk that kernels work on, and comes back.

    Direct    memory of the device, flat: nothing moves
    Constant  one value for all points: put there once
    Engine    page-locked host memory whose rows run on: strided copies by the copy engines
    Turned    page-locked host memory, component first: whole records by the copy engines, turned
              round by a kernel in the device's own memory
    Shaped    any other shape that the device can reach: a kernel gathers and scatters
    Staged    ordinary host memory: packed by the CPU into page-locked memory, then copied

A way has one chunk buffer per slot, so that one slot is filled while another is worked on; or,
for an input that the caller says does not change, a store for all points that stays.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from bridge.backends.base import Binding, Box
from bridge.backends.cpu import CpuBackend
from bridge.backends.cuda.api import Api
from bridge.backends.cuda.memory import Pool, Staging, span
from bridge.backends.cuda.pieces import Copies, Piece, axes, plan_copies
from bridge.backends.cuda.stores import Kept, Store

#: Launches a kernel by name of the marshalling module: (name, threads, parameters, stream).
Shaper = Callable[[str, int, list[Any], int], None]

#: Component-first records are copied whole where at least one double in so many is bound.
WORTH_A_RECORD = 4


class Way:
    """One bound array.

    reads, writes: whether it goes in, comes out; on_host: whether the CPU has to work before
    and after, so that the way cannot be part of a graph.
    """

    on_host = False
    moved = True

    def __init__(self, binding: Binding, reads: bool, writes: bool) -> None:
        if not binding.columns:  # leading mass fractions of one species
            self.moved = False
        self.binding = binding
        self.reads = reads
        self.writes = writes
        self.itemsize = 4 if binding.dtype == "int32" else 8
        self.buffers: list[int] = []
        self.stride = 0
        self.store: Store | None = None
        self.still = False  # whether the store holds what the array holds, as the caller says

    @property
    def bytes(self) -> int:
        """Of a point in the caller's array."""
        return self.binding.columns * self.itemsize

    @property
    def keepable(self) -> bool:
        """Whether a store could save a copy."""
        return self.reads and not self.writes and self.moved

    @cached_property
    def key(self) -> Kept:
        """What a store of this input is known by."""
        binding, factor = self.binding, 1.0 if self.scaled else self.binding.scale
        begin, end = span(binding.address, binding.box, binding.columns, self.itemsize)
        return Kept(binding.group, begin, end, binding.box, binding.columns, self.chunk_dtype,
                    factor)  # fmt: skip

    #: dtype of the chunk, and whether the launch applies the binding's factor.
    @property
    def chunk_dtype(self) -> str:
        return self.binding.dtype

    @property
    def scaled(self) -> bool:
        return self.binding.scale != 1.0

    def prepare(self, pool: Pool, name: str, slots: int, stride: int, room: int) -> None:
        """Chunk buffers for `room` points, whose columns lie `stride` points apart; none where
        there is a store."""
        if self.store is not None:
            return
        itemsize = 4 if self.chunk_dtype == "int32" else 8
        size = room * self.binding.columns * itemsize
        self.buffers = [
            pool.device((name, slot), size, f"chunk of '{name}'") for slot in range(slots)
        ]
        self.stride = stride

    def place(self, piece: Piece, slot: int) -> tuple[int, int]:
        """Address of the piece's first point for the kernel, elements between columns."""
        if self.store is not None:
            itemsize = 4 if self.chunk_dtype == "int32" else 8
            return self.store.address + piece.first * itemsize, self.store.points
        return self.buffers[slot], self.stride

    def bring(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        """Inward, in order on the stream."""

    def take(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        """Outward, in order on the stream."""

    def settle(self, piece: Piece, slot: int) -> None:
        """Once the slot's work is done: what is left for the CPU."""


class Direct(Way):
    """Device memory that kernels use as it is."""

    moved = False

    def prepare(self, pool: Pool, name: str, slots: int, stride: int, room: int) -> None:
        pass

    def place(self, piece: Piece, slot: int) -> tuple[int, int]:
        box = self.binding.box
        return (
            self.binding.address + (box.offset + piece.first) * self.itemsize,
            box.data_stride,
        )


class Constant(Way):
    """The same value at every point (a guess that the caller does not have)."""

    moved = False
    scaled = False

    def prepare(self, pool: Pool, name: str, slots: int, stride: int, room: int) -> None:
        number = (ctypes.c_int32 if self.itemsize == 4 else ctypes.c_double).from_address(
            self.binding.address + self.binding.box.offset * self.itemsize
        )
        self.buffers = [pool.constant(number.value * self.binding.scale, self.chunk_dtype, room)]
        self.stride = stride

    def place(self, piece: Piece, slot: int) -> tuple[int, int]:
        return self.buffers[0], self.stride


class Engine(Way):
    """Page-locked host memory with rows that run on."""

    def __init__(self, binding: Binding, reads: bool, writes: bool) -> None:
        super().__init__(binding, reads, writes)
        self._copies: dict[tuple[Piece, int], Copies] = {}

    def _move(self, api: Api, piece: Piece, slot: int, stream: int, inward: bool) -> None:
        box = self.binding.box
        near, stride = self.place(piece, slot)
        copies = self._copies.get((piece, stride))
        if copies is None:
            joined = axes(box, piece, self.binding.columns, stride)
            copies = self._copies[piece, stride] = plan_copies(joined, self.itemsize)
        first = sum(s * step for s, step in zip(piece.start, box.stride, strict=True))
        far = self.binding.address + (box.offset + first) * self.itemsize
        copies.run(api, far, near, inward, stream)

    def bring(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        self._move(api, piece, slot, stream, True)

    def take(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        self._move(api, piece, slot, stream, False)


class DeviceBox(ctypes.Structure):
    """struct Box of the marshalling kernels."""

    _fields_ = [
        ("extent", ctypes.c_longlong * 2),
        ("stride", ctypes.c_longlong * 3),
        ("component", ctypes.c_longlong),
        ("columns", ctypes.c_longlong),
        ("scale", ctypes.c_double),
    ]


class Shaped(Way):
    """Memory that the device reaches, in a shape of its own: component first, rows with holes."""

    scaled = False

    def __init__(
        self, binding: Binding, reads: bool, writes: bool, dtype: str, shaper: Shaper
    ) -> None:
        super().__init__(binding, reads, writes)
        self._dtype = dtype
        self._shaper = shaper
        box = binding.box
        self._box = DeviceBox(
            (ctypes.c_longlong * 2)(*box.extent[:2]),
            (ctypes.c_longlong * 3)(*box.stride),
            box.data_stride, binding.columns, binding.scale,
        )  # fmt: skip

    @property
    def chunk_dtype(self) -> str:
        return self._dtype

    def _move(self, way: str, piece: Piece, slot: int, stream: int) -> None:
        kind = f"{self.binding.dtype}_{self._dtype}"
        far = self.binding.address + self.binding.box.offset * self.itemsize
        near, stride = self.place(piece, slot)
        parameters = [
            ctypes.c_void_p(far),
            self._box,
            ctypes.c_void_p(near),
            ctypes.c_longlong(stride),
            ctypes.c_longlong(piece.first),
            ctypes.c_int(piece.points),
        ]
        self._shaper(f"{way}_{kind}", piece.points, parameters, stream)

    def bring(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        self._move("gather", piece, slot, stream)

    def take(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        self._move("scatter", piece, slot, stream)


class Records:
    """Points of a component-first array that lie in memory as records, all components of a point
    side by side, and what of them is on the device: one copy serves every column that is bound.

    Made for columns of one array that are bound together. start: address of the first record;
    box: of the records; width: doubles of a record; span: first and one past the last byte.
    """

    def __init__(self, start: int, box: Box) -> None:
        self.start = start
        self.box = box
        self.width = box.stride[0]
        first, end = span(start, replace(box, offset=0, data_stride=1), self.width, 8)
        self.span = (first, end)
        self._buffers: list[int] = []
        self._here: dict[int, Piece] = {}
        self._copies: dict[Piece, Copies] = {}

    @classmethod
    def of(cls, bindings: Mapping[str, Binding]) -> dict[str, Records]:
        """name -> records, for arrays of which a good part is bound."""
        found: dict[tuple[int, Box], Records] = {}
        columns: dict[Records, int] = {}
        mine: dict[str, Records] = {}
        for name, binding in bindings.items():
            box, width = binding.box, binding.box.stride[0]
            if width < 2 or any(s % width for s in box.stride) or binding.dtype != "float64":
                continue
            component = box.offset % width
            if component + binding.columns > width or (
                binding.columns > 1 and box.data_stride != 1
            ):
                continue
            start = binding.address + (box.offset - component) * 8
            shape = replace(box, offset=0, data_stride=1)
            records = found.setdefault((start, shape), cls(start, shape))
            columns[records] = columns.get(records, 0) + binding.columns
            mine[name] = records
        return {
            name: records
            for name, records in mine.items()
            if WORTH_A_RECORD * columns[records] >= records.width
        }

    def prepare(self, pool: Pool, number: int, slots: int, room: int) -> None:
        size = room * self.width * 8
        self._buffers = [
            pool.device(("records", number, slot), size, "chunk of component-first records")
            for slot in range(slots)
        ]
        self.forget()

    def forget(self) -> None:
        """Nothing of the array is on the device."""
        self._here.clear()

    def bring(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        """The piece's records, unless they have been brought for another column."""
        if self._here.get(slot) != piece:
            self._here[slot] = piece
            self._move(api, piece, slot, stream, True)

    def take(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        self._move(api, piece, slot, stream, False)

    def _move(self, api: Api, piece: Piece, slot: int, stream: int, inward: bool) -> None:
        """A piece as rows of doubles: what a point is to the engine is a record's double."""
        copies = self._copies.get(piece)
        if copies is None:
            wide = (piece.extent[0] * self.width, *piece.extent[1:])
            rows = replace(self.box, stride=(1, *self.box.stride[1:]))
            joined = axes(rows, Piece((0, 0, 0), wide, 0), 1, 0)
            copies = self._copies[piece] = plan_copies(joined, 8)
        first = sum(s * step for s, step in zip(piece.start, self.box.stride, strict=True))
        copies.run(api, self.start + first * 8, self._buffers[slot], inward, stream)

    def columns_of(self, piece: Piece, binding: Binding) -> DeviceBox:
        """How a kernel meets a binding's columns of a piece on the device."""
        ni, nj, _ = piece.extent
        width = self.width
        return DeviceBox(
            (ctypes.c_longlong * 2)(ni, nj),
            (ctypes.c_longlong * 3)(width, width * ni, width * ni * nj),
            1, binding.columns, binding.scale,
        )  # fmt: skip

    def address(self, slot: int, binding: Binding) -> int:
        """Of the binding's first column in a slot."""
        return self._buffers[slot] + binding.box.offset % self.width * 8


class Turned(Way):
    """Columns of component-first records."""

    scaled = False

    def __init__(
        self, binding: Binding, reads: bool, writes: bool, dtype: str, shaper: Shaper,
        records: Records,
    ) -> None:  # fmt: skip
        super().__init__(binding, reads, writes)
        self._dtype = dtype
        self._shaper = shaper
        self.records = records

    @property
    def chunk_dtype(self) -> str:
        return self._dtype

    def _turn(self, way: str, piece: Piece, slot: int, stream: int) -> None:
        near, stride = self.place(piece, slot)
        parameters = [
            ctypes.c_void_p(self.records.address(slot, self.binding)),
            self.records.columns_of(piece, self.binding),
            ctypes.c_void_p(near),
            ctypes.c_longlong(stride),
            ctypes.c_longlong(0),
            ctypes.c_int(piece.points),
        ]
        self._shaper(f"{way}_float64_{self._dtype}", piece.points, parameters, stream)

    def bring(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        self.records.bring(api, piece, slot, stream)
        self._turn("gather", piece, slot, stream)

    def take(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        self._turn("scatter", piece, slot, stream)
        self.records.take(api, piece, slot, stream)


class Staged(Way):
    """Ordinary host memory: the CPU packs and unpacks, factors and kinds of numbers included."""

    on_host = True
    scaled = False

    def __init__(
        self, binding: Binding, reads: bool, writes: bool, dtype: str, cpu: CpuBackend
    ) -> None:
        super().__init__(binding, reads, writes)
        self._dtype = dtype
        self._cpu = cpu
        self._staging: list[Staging] = []

    @property
    def chunk_dtype(self) -> str:
        return self._dtype

    def prepare(self, pool: Pool, name: str, slots: int, stride: int, room: int) -> None:
        super().prepare(pool, name, slots, stride, room)
        itemsize = 4 if self._dtype == "int32" else 8
        self._staging = [pool.staging((name, slot)) for slot in range(slots)]
        for staging in self._staging:
            staging.reserve(room * self.binding.columns * itemsize)

    def bring(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        columns, n = self.binding.columns, piece.points
        array = self._staging[slot].array(columns, n, self._dtype)
        self._cpu.pack(self.binding, piece.first, n, array)
        item = array.itemsize
        near, stride = self.place(piece, slot)
        api.copy2d_async(near, stride * item, array.address, n * item,
                         n * item, columns, stream)  # fmt: skip

    def take(self, api: Api, piece: Piece, slot: int, stream: int) -> None:
        columns, n = self.binding.columns, piece.points
        array = self._staging[slot].array(columns, n, self._dtype)
        item = array.itemsize
        api.copy2d_async(array.address, n * item, self.buffers[slot], self.stride * item,
                         n * item, columns, stream)  # fmt: skip

    def settle(self, piece: Piece, slot: int) -> None:
        array = self._staging[slot].array(self.binding.columns, piece.points, self._dtype)
        self._cpu.unpack(array, self.binding, piece.first, piece.points)
