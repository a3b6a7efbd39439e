"""The bound arrays of a program: how each of them reaches a kernel and comes back.

Between `program` and `transfers`. A transfer follows from where an array lies, from its shape, and
from whether it is page-locked now, so that a later bind or unbind may ask for others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from bridge.backends.base import Binding
from bridge.backends.gpu.chunks import Chunk
from bridge.backends.gpu.device import CHUNK_BUFFERS, Device
from bridge.backends.gpu.memory import Pool, span
from bridge.backends.gpu.placement import Access
from bridge.backends.gpu.records import Records, Transposed
from bridge.backends.gpu.transfers import (
    Constant,
    Direct,
    Gathered,
    Kept,
    Positions,
    Staged,
    Strided,
    Transfer,
)
from bridge.errors import ArgumentError
from bridge.plan.plan import Plan


class Arrays:
    """The transfers of a program's arrays, by quantity.

    box_chunks: chunks are whole planes or rows of the arrays, as the copy engines need, not any
    consecutive points; moves: whether any array is copied; strided: whether any by strided copies
    of the copy engines; on_host: whether the CPU has a part; foreign: whether kernels read memory
    of a device that another library allocated.
    """

    def __init__(
        self, device: Device, plan: Plan, bindings: Mapping[str, Binding], box_chunks: bool
    ) -> None:
        self._device = device
        self._plan = plan
        device.locks.settle()
        self._locks = device.locks.generation
        self._locked: list[tuple[int, int]] = []  # memory that they want page-locked
        self._as_they_are: dict[str, Binding] = {}  # arrays whose bits are moved, and no numbers
        self.box_chunks = box_chunks
        self.group = next(iter(bindings.values())).group
        boxes = {name: b for name, b in bindings.items() if b.blocks is None}
        records = Records.of(boxes) if box_chunks else {}
        self.transfers = {
            name: self._transfer(name, b, records.get(name)) for name, b in bindings.items()
        }
        transfers = self.transfers.values()
        transposed = {
            id(transfer.records): transfer.records
            for transfer in transfers
            if isinstance(transfer, Transposed)
        }
        self._records = list(transposed.values())
        self.moves = any(not isinstance(transfer, Direct) for transfer in transfers)
        self.strided = any(isinstance(transfer, Strided | Transposed) for transfer in transfers)
        self.on_host = any(transfer.on_host for transfer in transfers)
        self.foreign = any(
            isinstance(transfer, Direct | Gathered)
            and device.owner_of(transfer.binding.address) is not None
            and not device.allocator.holds(transfer.binding.address)
            for transfer in transfers
        )

    def _transfer(self, name: str, binding: Binding, records: Records | None) -> Transfer:
        plan, device, box = self._plan, self._device, binding.box
        if binding.position:
            return Positions(binding, device.modules.launch_marshal)
        reads = name in plan.inputs
        writes = name in plan.outputs and plan.outputs[name] != plan.inputs.get(name)
        dtype = self._dtype(name)
        if writes and plan.keeps_points:  # their old values go in and come back
            self._as_they_are[name] = binding
            bits = "int32" if binding.itemsize == 4 else "float64"
            binding, dtype, reads = replace(binding, scale=1.0, dtype=bits), bits, True
        begin, end = span(binding.address, box, binding.columns, binding.itemsize)
        owner = device.owner_of(binding.address)
        if owner is not None:
            if owner != device.facts.index:
                wanted = f"memory of GPU {device.facts.index}, this rank's"
                raise ArgumentError(name, f"memory of GPU {owner}", wanted)
            if _flat(box.extent, box.stride):
                return Direct(binding, reads, writes)
            return Gathered(binding, reads, writes, dtype, device.modules.launch_marshal)
        if not binding.columns:
            return Transfer(binding, reads, writes)
        constant = device.host_data.constant(binding.address)
        if constant is not None:
            return Kept(binding, constant)
        if not any(box.stride) and binding.columns == 1 and not writes:
            return Constant(binding, reads, writes, dtype)
        if binding.blocks is not None or not device.locks.covers(begin, end):
            return Staged(binding, reads, writes, dtype, device.packing)
        self._locked.append((begin, end))
        if self.box_chunks and box.stride[0] == 1:
            return Strided(binding, reads, writes)
        if records is not None and device.locks.covers(*records.span):
            if not writes or records.width == binding.columns:
                self._locked.append(records.span)
                return Transposed(
                    binding, reads, writes, dtype, device.modules.launch_marshal, records
                )
        return Gathered(binding, reads, writes, dtype, device.modules.launch_marshal)

    def _dtype(self, name: str) -> str:
        plan = self._plan
        return plan.slots[plan.inputs.get(name, plan.outputs.get(name, -1))].dtype

    # ---- what a launch has to know -----------------------------------------------------------

    @property
    def access(self) -> dict[str, Access]:
        """Of quantities whose memory a kernel finds with another type or a factor."""
        found = {
            name: Access(transfer.chunk_dtype, transfer.scaled, transfer.constant)
            for name, transfer in self.transfers.items()
        }
        for name, binding in self._as_they_are.items():
            found[name] = Access(binding.dtype, binding.scale != 1.0)
        return {name: how for name, how in found.items() if how != Access(self._dtype(name))}

    def places(
        self, chunk: Chunk, buffer: int
    ) -> tuple[dict[str, int], dict[str, int], dict[str, float]]:
        """Addresses of a chunk's first point, strides of columns, factors."""
        places = {name: transfer.place(chunk, buffer) for name, transfer in self.transfers.items()}
        return (
            {name: address for name, (address, _) in places.items()},
            {name: stride for name, (_, stride) in places.items()},
            {name: transfer.binding.scale for name, transfer in self.transfers.items()}
            | {name: binding.scale for name, binding in self._as_they_are.items()},
        )

    # ---- what a chunk loop has to know -------------------------------------------------------

    @property
    def reachable(self) -> bool:
        """Whether transfers reach their memory: another array's bind may have unlocked it."""
        locks = self._device.locks
        if self._locks != locks.generation and all(locks.covers(*one) for one in self._locked):
            self._locks = locks.generation
        return self._locks == locks.generation

    @property
    def current(self) -> frozenset[str]:
        """Kept inputs that are not copied again, because they hold what their arrays hold."""
        return frozenset(name for name, transfer in self.transfers.items() if transfer.current)

    def ratio(self, unchanged: Collection[str] = ()) -> float:
        """Bytes that come out per byte that goes in; 0 where nothing comes out, infinite where
        nothing goes in."""
        moved = {name: transfer for name, transfer in self.transfers.items() if transfer.moved}
        inward = sum(
            transfer.bytes
            for name, transfer in moved.items()
            if transfer.reads and name not in unchanged
        )
        outward = sum(transfer.bytes for transfer in moved.values() if transfer.writes)
        return outward / inward if inward else math.inf

    def prepare(
        self, chunks: Sequence[Chunk], capacity: int, unchanged: Collection[str], run: int
    ) -> None:
        """Memory for the chunks, and for inputs that stay; which of these are there already."""
        device = self._device
        stride = max(chunk.points for chunk in chunks)
        for name, transfer in self.transfers.items():
            if self.box_chunks and transfer.keepable:
                transfer.kept = device.kept_inputs.get(transfer.key, name, name in unchanged)
                latest = transfer.kept is not None and transfer.kept.run == run - 1
                transfer.current = latest and name in unchanged
            transfer.prepare(device.pool, name, CHUNK_BUFFERS, stride, capacity)
        self.prepare_records(device.pool, CHUNK_BUFFERS, capacity)

    def prepare_records(self, pool: Pool, count: int, capacity: int) -> None:
        """`count` buffers for the records of component-first arrays."""
        for number, records in enumerate(self._records):
            records.prepare(pool, number, count, capacity)

    def forget_records(self) -> None:
        """Nothing of component-first arrays is on the device."""
        for records in self._records:
            records.forget()

    def mark(self, run: int) -> None:
        """What is kept on the device is what this run of the group met."""
        for transfer in self.transfers.values():
            if transfer.kept is not None:
                transfer.kept.run = run


def _flat(extent: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether the points follow one another in memory."""
    expected = 1
    for n, step in zip(extent, stride, strict=True):
        if n > 1 and step != expected:
            return False
        expected *= n
    return True
