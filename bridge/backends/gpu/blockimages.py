"""Arrays of the host, of many blocks, as a launch meets them.

Beside `boximages`, which has one box. Memory with inputs crosses the link whole, from the first
block that is read to the last, and has an image with the same shape: one copy, whatever lies
between the blocks. Outputs are stored by the launch itself, element by element in the caller's
page-locked memory, so that nothing beside them is touched. Memory that is not page-locked is
packed by the CPU.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from bridge.backends.base import Binding
from bridge.backends.blocks import Blocks
from bridge.backends.gpu import blockgrid
from bridge.backends.gpu.arrays import Arrays
from bridge.backends.gpu.blockgrid import Cuts
from bridge.backends.gpu.boximages import refuse_neighbours_of_outputs
from bridge.backends.gpu.chunks import SHORTEST, Chunk
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import Pool
from bridge.backends.gpu.placement import Access
from bridge.backends.gpu.transfers import Transfer
from bridge.plan.fringe import Fringe
from bridge.plan.plan import Plan

#: Parts of a run at most: while one is worked on, the next one comes in.
PARTS = 8
#: Memory that has more than so many times the bytes of what is read is not copied: the launch
#: reads it over the link.
SPARSE = 8


@dataclass
class _Memory:
    """Memory of some inputs that crosses the link as one piece.

    arrays: with the layers that kernels read around them; begin, end: its first byte and one past
    the last; image: its address on the device.
    """

    arrays: dict[str, Binding] = field(default_factory=dict)
    begin: int = 0
    end: int = 0
    image: int = 0

    def copies(self, cuts: Cuts) -> list[list[tuple[int, int]]]:
        """(first byte, bytes) of what each part of a run needs beside what came in before: no byte
        comes twice, in whatever order blocks lie."""
        spans = [_bytes(binding) for binding in self.arrays.values()]
        low = np.min([begin for begin, _ in spans], axis=0)
        high = np.max([end for _, end in spans], axis=0)
        found, here = [], (0, 0)
        for first, last in cuts:
            begin, end = int(low[first:last].min()), int(high[first:last].max())
            if here == (0, 0):
                copies, here = [(begin, end - begin)], (begin, end)
            else:
                copies = [(a, b - a) for a, b in ((begin, here[0]), (here[1], end)) if a < b]
                here = min(begin, here[0]), max(end, here[1])
            found.append(copies)
        return found


class BlockImages:
    """What `BoxImages` is, for many blocks.

    targets: addresses at which a launch stores outputs that it reads from an image; cuts: the
    parts of a run, as ranges of the blocks that have points.
    """

    def __init__(
        self, device: Device, plan: Plan, arrays: Mapping[str, Binding],
        reach: Mapping[str, Fringe],
    ) -> None:  # fmt: skip
        device.locks.settle()
        self._device = device
        self._locks = device.locks.generation
        far = {name: b.grown(reach.get(name, Fringe())) for name, b in arrays.items()}
        reached = {name: b for name, b in far.items() if device.locks.covers(*b.span)}
        self._spans = [binding.span for binding in reached.values()]
        read = {name: b for name, b in reached.items() if name in plan.inputs}
        memories = [one for one in _memories(read) if _worth(one)]
        apart = {name for memory in memories for name in memory.arrays}
        others = {name: b for name, b in arrays.items() if name not in apart}
        refuse_neighbours_of_outputs(plan, others, reach)
        self._pool = Pool(device.allocator, device.synchronize)
        self._free = weakref.finalize(self, self._pool.close)
        self._events: list[int] = []
        self.bindings = {name: arrays[name] for name in reached}
        self.targets: dict[str, int] = {}
        for number, memory in enumerate(memories):
            size = memory.end - memory.begin
            what = f"image of {', '.join(memory.arrays)}"
            memory.image = self._pool.device(("memory", number), size, what)
            for name in memory.arrays:
                own = arrays[name]
                moved = own.address + memory.image - memory.begin
                self.bindings[name] = replace(own, address=moved, owner=self)
                if plan.outputs.get(name, plan.inputs[name]) != plan.inputs[name]:
                    self.targets[name] = own.address
        staged = {name: b for name, b in far.items() if name not in reached}
        self._staged = _Staged(device, plan, arrays, staged, reach, self._pool) if staged else None
        if self._staged is not None:
            self.bindings |= self._staged.bindings
        self.on_host = self._staged is not None
        self.transfers = [
            Transfer(arrays[name], name in read, name in plan.outputs) for name in reached
        ] + (self._staged.transfers if self._staged is not None else [])
        self.cuts: Cuts | None = None
        self._copies: list[list[tuple[int, int, int]]] = []
        if memories:
            self._cut(memories)

    def _cut(self, memories: Iterable[_Memory]) -> None:
        """Parts of a run, and what each of them waits for: (target, source, bytes)."""
        blocks = next(iter(self.bindings.values())).blocks
        assert blocks is not None
        parts = 1 if self.on_host else max(1, min(PARTS, blocks.points // SHORTEST))
        self.cuts = blockgrid.cut(blocks.rows.extent, parts)
        self._copies = [[] for _ in self.cuts]
        for memory in memories:
            for mine, copies in zip(self._copies, memory.copies(self.cuts), strict=True):
                shift = memory.image - memory.begin
                mine += [(begin + shift, begin, size) for begin, size in copies]

    @property
    def reachable(self) -> bool:
        """Whether the device reaches the arrays as before: one may have been bound or unbound."""
        locks = self._device.locks
        if self._locks != locks.generation and all(locks.covers(*one) for one in self._spans):
            self._locks = locks.generation
        staged = self._staged is None or self._staged.reachable
        return staged and self._locks == locks.generation

    def bring(self, stream: int) -> list[int]:
        """Inputs to the device, behind what is on the stream; events: that the launches of the
        parts are to wait for."""
        device, api = self._device, self._device.api
        if self._staged is not None:
            self._staged.bring(stream)
        if not self._copies:
            return []
        self._events = self._events or [api.event() for _ in self._copies]
        beside = device.streams[0]
        api.record(device.fork, stream)
        api.stream_wait(beside, device.fork)
        for copies, event in zip(self._copies, self._events, strict=True):
            for target, source, size in copies:
                api.copy_async(target, source, size, beside)
            api.record(event, beside)
        return self._events

    def take(self, stream: int) -> None:
        """Outputs that the launch has not stored in the caller's memory."""
        if self._staged is not None:
            self._staged.take(stream)

    def settle(self) -> None:
        """Once this has happened: what is left for the CPU."""
        if self._staged is not None:
            self._staged.settle()

    def __del__(self) -> None:
        try:
            for event in self._events:
                self._device.api.event_destroy(event)
        except Exception:  # at interpreter exit, or after the device failed
            pass


def _bytes(binding: Binding) -> tuple[np.ndarray, np.ndarray]:
    """First byte and one past the last of each block that has points."""
    assert binding.blocks is not None
    low, high = binding.blocks.spans(binding.columns)
    item = binding.itemsize
    return binding.address + item * low, binding.address + item * (high + 1)


def _memories(arrays: Mapping[str, Binding]) -> list[_Memory]:
    """Arrays whose ends overlap cross the link together."""
    found: list[_Memory] = []
    for name, binding in sorted(arrays.items(), key=lambda one: one[1].span):
        begin, end = binding.span
        if not found or begin >= found[-1].end:
            found.append(_Memory({}, begin, end))
        found[-1].arrays[name] = binding
        found[-1].end = max(found[-1].end, end)
    return found


def _worth(memory: _Memory) -> bool:
    """Whether a copy of all of it is less than reading over the link."""
    read = sum(binding.elements * binding.itemsize for binding in memory.arrays.values())
    return memory.end - memory.begin <= SPARSE * read


class _Staged:
    """Arrays that the CPU packs: their images have the points of all blocks side by side."""

    def __init__(
        self, device: Device, plan: Plan, own: Mapping[str, Binding], far: Mapping[str, Binding],
        reach: Mapping[str, Fringe], pool: Pool,
    ) -> None:  # fmt: skip
        self._api = device.api
        self._arrays = Arrays(device, plan, far, box_chunks=True)
        self._moves = {
            name: (transfer, Chunk((0, 0, 0), (far[name].box.points, 1, 1), 0))
            for name, transfer in self._arrays.transfers.items()
        }
        self.bindings = {}
        for name, (transfer, chunk) in self._moves.items():
            transfer.prepare(pool, name, 1, chunk.points, chunk.points)
            slot = plan.slots[plan.inputs.get(name, plan.outputs.get(name, -1))]
            how = self._arrays.access.get(name, Access(slot.dtype))
            blocks, around = far[name].blocks, reach.get(name, Fringe())
            assert blocks is not None
            image = replace(
                own[name],
                address=transfer.place(chunk, 0)[0],
                scale=own[name].scale if how.scaled else 1.0,
                dtype=how.dtype,
                fringe=around,
                owner=self,
            )
            self.bindings[name] = image.at(Blocks.flat(blocks.extent).inner(around))

    @property
    def transfers(self) -> list[Transfer]:
        return [transfer for transfer, _ in self._moves.values()]

    @property
    def reachable(self) -> bool:
        return self._arrays.reachable

    def bring(self, stream: int) -> None:
        for transfer, chunk in self._moves.values():
            if transfer.reads and transfer.moved:
                transfer.bring(self._api, chunk, 0, stream)

    def take(self, stream: int) -> None:
        for transfer, chunk in self._moves.values():
            if transfer.writes and transfer.moved:
                transfer.take(self._api, chunk, 0, stream)

    def settle(self) -> None:
        for transfer, chunk in self._moves.values():
            if transfer.writes and transfer.moved:
                transfer.settle(chunk, 0)
