"""How one bound array reaches the chunk that kernels work on, and comes back.

    Direct      memory of the device, flat: nothing moves
    Constant    one value for all points: put there once
    Kept        a constant that the host gives by name: it has its place on the device
    Strided     page-locked host memory whose rows run on: strided copies by the copy engines
    Transposed  page-locked host memory, component first: see `records`
    Gathered    any other shape that the device can reach: a kernel gathers and scatters
    Staged      ordinary host memory: packed by the CPU into page-locked memory, then copied
    Positions   no memory: a kernel numbers the points of the chunk

A transfer has several chunk buffers, so that one is filled while another is worked on;
or, for an input that the caller says does not change, memory for all points that stays.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from bridge.backends.base import ITEMSIZES, Binding
from bridge.backends.gpu.chunks import Chunk, Copies, axes, plan_copies
from bridge.backends.gpu.driver import Driver
from bridge.backends.gpu.keptinputs import InputKey, KeptInput
from bridge.backends.gpu.memory import Pool, Staging, span
from bridge.backends.host.packing import Packing

#: Launches a kernel by name of the marshalling module: (name, threads, parameters, stream).
LaunchMarshal = Callable[[str, int, list[Any], int], None]

#: A number of an array's elements.
NUMBERS: dict[str, Any] = {
    "float64": ctypes.c_double,
    "float32": ctypes.c_float,
    "int32": ctypes.c_int32,
}


class Transfer:
    """One bound array.

    reads, writes: whether it goes in, comes out; on_host: whether the CPU has to work before
    and after, so that the transfer cannot be part of a graph.
    """

    on_host = False
    moved = True
    constant = False  # whether every point reads the same place

    def __init__(self, binding: Binding, reads: bool, writes: bool) -> None:
        if not binding.columns:  # leading mass fractions of one species
            self.moved = False
        self.binding = binding
        self.reads = reads
        self.writes = writes
        self.itemsize = binding.itemsize
        self.buffers: list[int] = []
        self.stride = 0
        self.kept: KeptInput | None = None
        self.current = False  # whether `kept` holds what the array holds, as the caller says

    @property
    def bytes(self) -> int:
        """Of a point in the caller's array."""
        return self.binding.columns * self.itemsize

    @property
    def keepable(self) -> bool:
        """Whether keeping it on the device could save a copy."""
        return self.reads and not self.writes and self.moved and not self.binding.resident

    @cached_property
    def key(self) -> InputKey:
        """What this input is known by once it is kept."""
        binding, factor = self.binding, 1.0 if self.scaled else self.binding.scale
        begin, end = span(binding.address, binding.box, binding.columns, self.itemsize)
        return InputKey(binding.group, begin, end, binding.box, binding.columns, self.chunk_dtype,
                    factor)  # fmt: skip

    #: dtype of the chunk, and whether the launch applies the binding's factor.
    @property
    def chunk_dtype(self) -> str:
        return self.binding.dtype

    @property
    def scaled(self) -> bool:
        return self.binding.scale != 1.0

    def prepare(self, pool: Pool, name: str, count: int, stride: int, capacity: int) -> None:
        """`count` chunk buffers for `capacity` points, whose columns lie `stride` points apart;
        none where it is kept."""
        if self.kept is not None:
            return
        size = capacity * self.binding.columns * ITEMSIZES[self.chunk_dtype]
        self.buffers = [
            pool.device((name, buffer), size, f"chunk of '{name}'") for buffer in range(count)
        ]
        self.stride = stride

    def place(self, chunk: Chunk, buffer: int) -> tuple[int, int]:
        """Address of the chunk's first point for the kernel, elements between columns."""
        if self.kept is not None:
            itemsize = ITEMSIZES[self.chunk_dtype]
            return self.kept.address + chunk.first * itemsize, self.kept.points
        return self.buffers[buffer], self.stride

    def bring(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        """Inward, in order on the stream."""

    def take(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        """Outward, in order on the stream."""

    def settle(self, chunk: Chunk, buffer: int) -> None:
        """Once the work on the buffer is done: what is left for the CPU."""


class Direct(Transfer):
    """Device memory that kernels use as it is."""

    moved = False

    def prepare(self, pool: Pool, name: str, count: int, stride: int, capacity: int) -> None:
        pass

    def place(self, chunk: Chunk, buffer: int) -> tuple[int, int]:
        box = self.binding.box
        return (
            self.binding.address + (box.offset + chunk.first) * self.itemsize,
            box.data_stride,
        )


class Constant(Transfer):
    """The same value at every point (a guess that the caller does not have)."""

    moved = False
    scaled = False

    def __init__(self, binding: Binding, reads: bool, writes: bool, dtype: str) -> None:
        super().__init__(binding, reads, writes)
        self._dtype = dtype

    @property
    def chunk_dtype(self) -> str:
        return self._dtype

    def prepare(self, pool: Pool, name: str, count: int, stride: int, capacity: int) -> None:
        number = NUMBERS[self.binding.dtype].from_address(
            self.binding.address + self.binding.box.offset * self.itemsize
        )
        self.buffers = [
            pool.constant(number.value * self.binding.scale, self.chunk_dtype, capacity)
        ]
        self.stride = stride

    def place(self, chunk: Chunk, buffer: int) -> tuple[int, int]:
        return self.buffers[0], self.stride


class Kept(Transfer):
    """A constant that has its place on the device, where new values arrive."""

    moved = False
    constant = True

    def __init__(self, binding: Binding, address: int) -> None:
        super().__init__(binding, reads=True, writes=False)
        self._address = address

    def prepare(self, pool: Pool, name: str, count: int, stride: int, capacity: int) -> None:
        pass

    def place(self, chunk: Chunk, buffer: int) -> tuple[int, int]:
        return self._address, self.binding.box.data_stride


class Strided(Transfer):
    """Page-locked host memory with rows that run on."""

    def __init__(self, binding: Binding, reads: bool, writes: bool) -> None:
        super().__init__(binding, reads, writes)
        self._copies: dict[tuple[Chunk, int], Copies] = {}

    def _move(self, api: Driver, chunk: Chunk, buffer: int, stream: int, inward: bool) -> None:
        box = self.binding.box
        near, stride = self.place(chunk, buffer)
        copies = self._copies.get((chunk, stride))
        if copies is None:
            joined = axes(box, chunk, self.binding.columns, stride)
            copies = self._copies[chunk, stride] = plan_copies(joined, self.itemsize)
        first = sum(s * step for s, step in zip(chunk.start, box.stride, strict=True))
        far = self.binding.address + (box.offset + first) * self.itemsize
        copies.run(api, far, near, inward, stream)

    def bring(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        self._move(api, chunk, buffer, stream, True)

    def take(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        self._move(api, chunk, buffer, stream, False)


class DeviceBox(ctypes.Structure):
    """struct Box of the marshalling kernels."""

    _fields_ = [
        ("extent", ctypes.c_longlong * 2),
        ("stride", ctypes.c_longlong * 3),
        ("component", ctypes.c_longlong),
        ("columns", ctypes.c_longlong),
        ("scale", ctypes.c_double),
    ]

    @classmethod
    def of(cls, binding: Binding) -> DeviceBox:
        box = binding.box
        return cls(
            (ctypes.c_longlong * 2)(*box.extent[:2]),
            (ctypes.c_longlong * 3)(*box.stride),
            box.data_stride, binding.columns, binding.scale,
        )  # fmt: skip


class Gathered(Transfer):
    """Memory that the device reaches, in a shape of its own: component first, rows with holes."""

    scaled = False

    def __init__(
        self, binding: Binding, reads: bool, writes: bool, dtype: str, launch: LaunchMarshal
    ) -> None:
        super().__init__(binding, reads, writes)
        self._dtype = dtype
        self._launch = launch
        self._box = DeviceBox.of(binding)

    @property
    def chunk_dtype(self) -> str:
        return self._dtype

    def _move(self, kernel: str, chunk: Chunk, buffer: int, stream: int) -> None:
        kind = f"{self.binding.dtype}_{self._dtype}"
        far = self.binding.address + self.binding.box.offset * self.itemsize
        near, stride = self.place(chunk, buffer)
        parameters = [
            ctypes.c_void_p(far),
            self._box,
            ctypes.c_void_p(near),
            ctypes.c_longlong(stride),
            ctypes.c_longlong(chunk.first),
            ctypes.c_int(chunk.points),
        ]
        self._launch(f"{kernel}_{kind}", chunk.points, parameters, stream)

    def bring(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        self._move("gather", chunk, buffer, stream)

    def take(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        self._move("scatter", chunk, buffer, stream)


class Positions(Transfer):
    """Where points lie along an axis: numbers of elements of a box that is not in memory."""

    keepable = False
    bytes = 0

    def __init__(self, binding: Binding, launch: LaunchMarshal) -> None:
        super().__init__(binding, True, False)
        self._launch = launch
        self._box = DeviceBox.of(binding)

    def bring(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        near, stride = self.place(chunk, buffer)
        parameters = [
            ctypes.c_longlong(self.binding.box.offset),
            self._box,
            ctypes.c_void_p(near),
            ctypes.c_longlong(stride),
            ctypes.c_longlong(chunk.first),
            ctypes.c_int(chunk.points),
        ]
        self._launch("gather_position_int32", chunk.points, parameters, stream)


class Staged(Transfer):
    """Ordinary host memory: the CPU packs and unpacks.

    Elements that are smaller than the quantity's cross as they are, and the launch converts and
    scales them; all others are converted and scaled by the CPU.
    """

    on_host = True

    def __init__(
        self, binding: Binding, reads: bool, writes: bool, dtype: str, packing: Packing
    ) -> None:
        super().__init__(binding, reads, writes)
        self._as_is = binding.itemsize < ITEMSIZES[dtype]
        self._dtype = "int32" if self._as_is else dtype  # of the staging memory
        # words of 32 bits, whatever they stand for
        self._far = replace(binding, dtype="int32", scale=1.0) if self._as_is else binding
        self._packing = packing
        self._staging: list[Staging] = []

    @property
    def chunk_dtype(self) -> str:
        return self.binding.dtype if self._as_is else self._dtype

    @property
    def scaled(self) -> bool:
        return self._as_is and super().scaled

    @property
    def keepable(self) -> bool:
        """Blocks have no one box that they are known by."""
        return super().keepable and self.binding.blocks is None

    def prepare(self, pool: Pool, name: str, count: int, stride: int, capacity: int) -> None:
        super().prepare(pool, name, count, stride, capacity)
        itemsize = ITEMSIZES[self._dtype]
        self._staging = [pool.staging((name, buffer)) for buffer in range(count)]
        for staging in self._staging:
            staging.reserve(capacity * self.binding.columns * itemsize)

    def bring(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        columns, n = self.binding.columns, chunk.points
        array = self._staging[buffer].array(columns, n, self._dtype)
        self._packing.pack(self._far, chunk.first, n, array)
        item = array.itemsize
        near, stride = self.place(chunk, buffer)
        api.copy2d_async(near, stride * item, array.address, n * item,
                         n * item, columns, stream)  # fmt: skip

    def take(self, api: Driver, chunk: Chunk, buffer: int, stream: int) -> None:
        columns, n = self.binding.columns, chunk.points
        array = self._staging[buffer].array(columns, n, self._dtype)
        item = array.itemsize
        api.copy2d_async(array.address, n * item, self.buffers[buffer], self.stride * item,
                         n * item, columns, stream)  # fmt: skip

    def settle(self, chunk: Chunk, buffer: int) -> None:
        array = self._staging[buffer].array(self.binding.columns, chunk.points, self._dtype)
        self._packing.unpack(array, self._far, chunk.first, chunk.points)
