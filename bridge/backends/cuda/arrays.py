"""The bound arrays of a program: which way each of them takes to a kernel and back.

Between `program` and `ways`. A way follows from where an array lies, from its shape, and from
whether it is page-locked now, so that a later bind or unbind may ask for others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from bridge.backends.base import Binding
from bridge.backends.cuda.device import SLOTS, Device
from bridge.backends.cuda.memory import span
from bridge.backends.cuda.pieces import Piece
from bridge.backends.cuda.records import Records, Turned
from bridge.backends.cuda.storage import Access
from bridge.backends.cuda.ways import Constant, Direct, Engine, Shaped, Staged, Way
from bridge.errors import ArgumentError
from bridge.plan import Plan


class Arrays:
    """The ways of a program's arrays, by quantity.

    whole: chunks follow the shape of the arrays, as the copy engines need; moves: whether any
    array is copied; shaped: whether any is copied in its own shape; on_host: whether the CPU has a
    part; foreign: whether kernels read memory of a device that another library allocated.
    """

    def __init__(
        self, device: Device, plan: Plan, bindings: Mapping[str, Binding], whole: bool
    ) -> None:
        self._device = device
        self._plan = plan
        self._locks = device.locks.generation
        self._locked: list[tuple[int, int]] = []  # memory that the ways want page-locked
        self.whole = whole
        self.group = next(iter(bindings.values())).group
        records = Records.of(bindings) if whole else {}
        self.ways = {name: self._way(name, b, records.get(name)) for name, b in bindings.items()}
        ways = self.ways.values()
        turned = {id(way.records): way.records for way in ways if isinstance(way, Turned)}
        self._records = list(turned.values())
        self.moves = any(not isinstance(way, Direct) for way in ways)
        self.shaped = any(isinstance(way, Engine | Turned) for way in ways)
        self.on_host = any(way.on_host for way in ways)
        self.foreign = any(
            isinstance(way, Direct | Shaped)
            and device.owner_of(way.binding.address) is not None
            and not device.allocator.holds(way.binding.address)
            for way in ways
        )

    def _way(self, name: str, binding: Binding, records: Records | None) -> Way:
        plan, device, box = self._plan, self._device, binding.box
        reads = name in plan.inputs
        writes = name in plan.outputs and plan.outputs[name] != plan.inputs.get(name)
        dtype = self._dtype(name)
        begin, end = span(binding.address, box, binding.columns, 4 if binding.dtype == "int32"
                          else 8)  # fmt: skip
        owner = device.owner_of(binding.address)
        if owner is not None:
            if owner != device.facts.index:
                wanted = f"memory of GPU {device.facts.index}, this rank's"
                raise ArgumentError(name, f"memory of GPU {owner}", wanted)
            if _flat(box.extent, box.stride):
                return Direct(binding, reads, writes)
            return Shaped(binding, reads, writes, dtype, device.modules.shape)
        if not binding.columns:
            return Way(binding, reads, writes)
        if not any(box.stride) and binding.columns == 1 and not writes:
            return Constant(binding, reads, writes)
        if not device.locks.covers(begin, end):
            return Staged(binding, reads, writes, dtype, device.packing)
        self._locked.append((begin, end))
        if self.whole and box.stride[0] == 1:
            return Engine(binding, reads, writes)
        if records is not None and device.locks.covers(*records.span):
            if not writes or records.width == binding.columns:
                self._locked.append(records.span)
                return Turned(binding, reads, writes, dtype, device.modules.shape, records)
        return Shaped(binding, reads, writes, dtype, device.modules.shape)

    def _dtype(self, name: str) -> str:
        plan = self._plan
        return plan.slots[plan.inputs.get(name, plan.outputs.get(name, -1))].dtype

    # ---- what a launch has to know -----------------------------------------------------------

    @property
    def access(self) -> dict[str, Access]:
        """Of quantities that a kernel does not meet as they are."""
        return {
            name: Access(way.chunk_dtype, way.scaled)
            for name, way in self.ways.items()
            if way.scaled or way.chunk_dtype != self._dtype(name)
        }

    def places(
        self, piece: Piece, slot: int
    ) -> tuple[dict[str, int], dict[str, int], dict[str, float]]:
        """Addresses of a piece's first point, strides of columns, factors."""
        places = {name: way.place(piece, slot) for name, way in self.ways.items()}
        return (
            {name: address for name, (address, _) in places.items()},
            {name: stride for name, (_, stride) in places.items()},
            {name: way.binding.scale for name, way in self.ways.items()},
        )

    # ---- what a chunk loop has to know -------------------------------------------------------

    @property
    def reachable(self) -> bool:
        """Whether the ways still reach their memory: another array's bind may have unlocked it."""
        locks = self._device.locks
        if self._locks != locks.generation and all(locks.covers(*one) for one in self._locked):
            self._locks = locks.generation
        return self._locks == locks.generation

    @property
    def kept(self) -> frozenset[str]:
        """Inputs that are on the device already."""
        return frozenset(name for name, way in self.ways.items() if way.still)

    def ratio(self, unchanged: Collection[str] = ()) -> float:
        """Bytes that come out per byte that goes in; 0 where nothing comes out, infinite where
        nothing goes in."""
        moved = {name: way for name, way in self.ways.items() if way.moved}
        inward = sum(
            way.bytes for name, way in moved.items() if way.reads and name not in unchanged
        )
        outward = sum(way.bytes for way in moved.values() if way.writes)
        return outward / inward if inward else math.inf

    def prepare(
        self, pieces: Sequence[Piece], room: int, unchanged: Collection[str], run: int
    ) -> None:
        """Memory for the chunks, and for inputs that stay; which of these are there already."""
        device = self._device
        stride = max(piece.points for piece in pieces)
        for name, way in self.ways.items():
            if self.whole and way.keepable:
                way.store = device.stores.get(way.key, name, name in unchanged)
                met = way.store is not None and way.store.run == run - 1
                way.still = met and name in unchanged
            way.prepare(device.pool, name, SLOTS, stride, room)
        for number, records in enumerate(self._records):
            records.prepare(device.pool, number, SLOTS, room)

    def forget_records(self) -> None:
        """Nothing of component-first arrays is on the device."""
        for records in self._records:
            records.forget()

    def mark(self, run: int) -> None:
        """What is kept on the device is what this run of the group met."""
        for way in self.ways.values():
            if way.store is not None:
                way.store.run = run


def _flat(extent: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether the points follow one another in memory."""
    expected = 1
    for n, step in zip(extent, stride, strict=True):
        if n > 1 and step != expected:
            return False
        expected *= n
    return True
