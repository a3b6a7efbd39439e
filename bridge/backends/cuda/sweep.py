"""The ways of a program's arrays, the launch that fits them, and the chunk loop over both.

Behind `program`. Every chunk goes in, is worked on and comes out on a stream of its own slot, so
that both directions of the host link and the kernels work at the same time; the whole loop is
replayed as one graph once it has run.
"""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from bridge.backends.base import Binding
from bridge.backends.cuda.memory import span
from bridge.backends.cuda.pieces import Piece
from bridge.backends.cuda.records import Records, Turned
from bridge.backends.cuda.source import Access, Source, generate
from bridge.backends.cuda.ways import (
    Constant,
    Direct,
    Engine,
    Shaped,
    Staged,
    Way,
)
from bridge.catalogue import Catalogue
from bridge.errors import ArgumentError
from bridge.plan import Plan

if TYPE_CHECKING:
    from bridge.backends.cuda.backend import CudaBackend
    from bridge.backends.cuda.modules import DeviceShared, Loaded

#: Chunks under way at the same time.
SLOTS = 3


class Sweep:
    """The ways of a program's arrays and the launch that fits them."""

    def __init__(
        self, backend: CudaBackend, plan: Plan, bindings: Mapping[str, Binding],
        shared: DeviceShared, whole: bool, source: Source | None = None,
    ) -> None:  # fmt: skip
        """whole: chunks follow the shape of the arrays, as the copy engines need; source: a text
        with this plan among others, for memory that needs no other access."""
        self._backend = backend
        self._plan = plan
        self._name = plan.name
        self._shared = shared
        self._whole = whole
        self._group = next(iter(bindings.values())).group
        self._locks = backend.locks.generation
        self._locked: list[tuple[int, int]] = []  # memory that the ways want page-locked
        records = Records.of(bindings) if whole else {}
        self.ways = {
            name: self._way(name, b, whole, records.get(name)) for name, b in bindings.items()
        }
        self._records = {id(way.records): way.records for way in self.ways.values()
                         if isinstance(way, Turned)}  # fmt: skip
        self.moves = any(not isinstance(way, Direct) for way in self.ways.values())
        self.shaped = any(isinstance(way, Engine | Turned) for way in self.ways.values())
        self.on_host = any(way.on_host for way in self.ways.values())
        self._foreign = any(
            isinstance(way, Direct | Shaped)
            and backend.device_of(way.binding.address) is not None
            and not backend.allocator.holds(way.binding.address)
            for way in self.ways.values()
        )
        access = {
            name: Access(way.chunk_dtype, way.scaled)
            for name, way in self.ways.items()
            if way.scaled or way.chunk_dtype != self._dtype(name)
        }
        if source is None or access:
            arch = backend.device.arch
            policy = backend.policy or backend.table.policy(plan, shared.layout, arch)
            source = generate([plan], Catalogue.installed(), shared.layout, access, policy, arch)
        self._loaded: Loaded
        self._loaded, self._function = backend.modules.load(source, plan.name)
        self.entry = source.entries[plan.name]
        self._threads, self._tile = self.entry.threads, self.entry.tile
        self._points = self.entry.points
        size = len(self.entry.pack(*self._places(None)))
        self._arguments = ctypes.create_string_buffer(size)
        self._first = ctypes.c_longlong()
        self._n = ctypes.c_int()
        self._parameters = (ctypes.c_void_p * 3)(
            ctypes.addressof(self._arguments),
            ctypes.addressof(self._first),
            ctypes.addressof(self._n),
        )
        self._parameters_at = ctypes.addressof(self._parameters)
        self._events: list[int] = []
        self._under_way: dict[int, Piece] = {}
        self._chunks = 0
        self._generation = backend.generation
        self._graphs: dict[tuple[frozenset[str], tuple[Piece, ...]], int | None] = {}

    # ---- ways ---------------------------------------------------------------------------

    def _dtype(self, name: str) -> str:
        plan = self._plan
        return plan.slots[plan.inputs.get(name, plan.outputs.get(name, -1))].dtype

    def _way(self, name: str, binding: Binding, whole: bool, records: Records | None) -> Way:
        plan, backend, box = self._plan, self._backend, binding.box
        reads = name in plan.inputs
        writes = name in plan.outputs and plan.outputs[name] != plan.inputs.get(name)
        dtype = self._dtype(name)
        begin, end = span(binding.address, box, binding.columns, 4 if binding.dtype == "int32"
                          else 8)  # fmt: skip
        device = backend.device_of(binding.address)
        if device is not None:
            if device != backend.device.index:
                wanted = f"memory of GPU {backend.device.index}, this rank's"
                raise ArgumentError(name, f"memory of GPU {device}", wanted)
            if _flat(box.extent, box.stride):
                return Direct(binding, reads, writes)
            return Shaped(binding, reads, writes, dtype, backend.modules.shape)
        if not binding.columns:
            return Way(binding, reads, writes)
        if not any(box.stride) and binding.columns == 1 and not writes:
            return Constant(binding, reads, writes)
        if not backend.locks.covers(begin, end):
            return Staged(binding, reads, writes, dtype, backend.packing)
        self._locked.append((begin, end))
        if whole and box.stride[0] == 1:
            return Engine(binding, reads, writes)
        if records is not None and backend.locks.covers(*records.span):
            if not writes or records.width == binding.columns:
                self._locked.append(records.span)
                return Turned(binding, reads, writes, dtype, backend.modules.shape, records)
        return Shaped(binding, reads, writes, dtype, backend.modules.shape)

    @property
    def reaches(self) -> bool:
        """Whether the ways still reach their memory: another array's bind may have unlocked it."""
        locks = self._backend.locks
        if self._locks != locks.generation and all(locks.covers(*one) for one in self._locked):
            self._locks = locks.generation
        return self._locks == locks.generation

    def _places(
        self, piece: Piece | None, slot: int = 0
    ) -> tuple[dict[str, int], dict[str, int], dict[str, float]]:
        """Addresses, strides of columns, factors; before anything is bound to them: zeros."""
        places = {
            name: (0, 0) if piece is None else way.place(piece, slot)
            for name, way in self.ways.items()
        }
        return (
            {name: address for name, (address, _) in places.items()},
            {name: stride for name, (_, stride) in places.items()},
            {name: way.binding.scale for name, way in self.ways.items()},
        )

    # ---- launches -----------------------------------------------------------------------

    def launch(self, piece: Piece, slot: int, stream: int) -> None:
        """The kernel on one piece, in order on the stream."""
        self._set(piece, slot)
        self.go(0, piece.points, stream)

    def settle_arguments(self) -> None:
        """For memory that does not move, once and for all: `go` may be called."""
        self._set(Piece((0, 0, 0), (1, 1, 1), 0), 0)

    def go(self, first: int, n: int, stream: int) -> None:
        """The kernel on points from `first` on, with the arguments that it has."""
        backend = self._backend
        if self._loaded.shared is not self._shared:
            backend.modules.install(self._loaded, self._shared)
        self._first.value = first
        self._n.value = n
        recent = backend.recent
        if not recent or recent[-1] != self._name:
            recent.append(self._name)
        try:
            backend.api.launch(self._function, -(-n // self._points), self._threads, self._tile,
                               stream, self._parameters_at)  # fmt: skip
        except backend.api.errors as error:
            raise backend.failure(self._name, error) from error

    def install(self) -> None:
        """See that the module's constants are this program's."""
        self._backend.modules.install(self._loaded, self._shared)

    def _set(self, piece: Piece, slot: int) -> None:
        ctypes.memmove(self._arguments, self.entry.pack(*self._places(piece, slot)),
                       len(self._arguments))  # fmt: skip

    # ---- the chunk loop -----------------------------------------------------------------

    def ratio(self, unchanged: Collection[str] = ()) -> float:
        """Bytes that come out per byte that goes in; 0 where nothing comes out, infinite where
        nothing goes in."""
        moved = {name: way for name, way in self.ways.items() if way.moved}
        inward = sum(
            way.bytes for name, way in moved.items() if way.reads and name not in unchanged
        )
        outward = sum(way.bytes for way in moved.values() if way.writes)
        return outward / inward if inward else math.inf

    def begin(self, pieces: Sequence[Piece], room: int, unchanged: Collection[str] = ()) -> None:
        """Set the loop over these pieces going.

        room: points that chunk buffers are to hold, more than any piece has, so that another
        block finds them large enough; unchanged: inputs whose contents are those that the latest
        run of the group met, kept on the device from the first time that it is said.
        """
        backend = self._backend
        self._events = self._events or [backend.api.event() for _ in range(SLOTS)]
        backend.clear_the_way(self)
        self._under_way.clear()
        run = backend.stores.next_run(self._group)
        self._prepare(pieces, room, unchanged, run)
        if self._generation != backend.generation:
            self._drop_graphs()
            self._generation = backend.generation
        backend.modules.install(self._loaded, self._shared)
        if self._foreign:
            backend.api.synchronize()  # whoever wrote that memory may have used another stream
        still = frozenset(name for name, way in self.ways.items() if way.still)
        key = (still, tuple(pieces))
        self._chunks = len(pieces)
        slots = min(SLOTS, len(pieces))
        with backend.watched(self._plan.name):
            if key in self._graphs and self._graphs[key] is None and self._replayable():
                self._graphs[key] = self._capture(pieces, slots)
            graph = self._graphs.setdefault(key, None)
            if graph is None:
                self._issue(pieces, slots)
            else:
                backend.api.graph_launch(graph, backend.stream)
                backend.api.record(self._events[0], backend.stream)
                self._under_way = {0: pieces[-1]}
        for way in self.ways.values():
            if way.store is not None:
                way.store.run = run
        backend.flying = self

    def _prepare(
        self, pieces: Sequence[Piece], room: int, unchanged: Collection[str], run: int
    ) -> None:
        """Memory for the chunks, and for inputs that stay; which of these are there already."""
        backend = self._backend
        stride = max(piece.points for piece in pieces)
        for name, way in self.ways.items():
            if self._whole and way.keepable:
                way.store = backend.stores.get(way.key, name, name in unchanged)
                met = way.store is not None and way.store.run == run - 1
                way.still = met and name in unchanged
            way.prepare(backend.pool, name, SLOTS, stride, room)
        for number, records in enumerate(self._records.values()):
            records.prepare(backend.pool, number, SLOTS, room)

    def events(self) -> list[int]:
        """Those at whose end everything that was begun has happened."""
        return [self._events[slot] for slot in self._under_way]

    def _replayable(self) -> bool:
        return not self.on_host and os.environ.get("BRIDGE_GRAPH", "1") != "0"

    def _issue(self, pieces: Sequence[Piece], slots: int) -> None:
        backend = self._backend
        api = backend.api
        fork = backend.fork
        api.record(fork, backend.stream)
        for slot in range(slots):
            api.stream_wait(backend.slots[slot].stream, fork)
        for number, piece in enumerate(pieces):
            slot = number % slots
            stream = backend.slots[slot].stream
            if self.on_host:
                self._settle(slot)
            for way in self.ways.values():
                if way.reads and way.moved and not way.still:
                    way.bring(api, piece, slot, stream)
            self.launch(piece, slot, stream)
            for way in self.ways.values():
                if way.writes and way.moved:
                    way.take(api, piece, slot, stream)
            api.record(self._events[slot], stream)
            self._under_way[slot] = piece

    def _capture(self, pieces: Sequence[Piece], slots: int) -> int:
        """The same calls as one graph."""
        backend = self._backend
        api = backend.api
        api.begin_capture(backend.stream)
        try:
            self._issue(pieces, slots)
            for slot in range(slots):
                api.stream_wait(backend.stream, self._events[slot])
        finally:
            self._under_way.clear()
            graph = api.end_capture(backend.stream)
        for records in self._records.values():
            records.forget()
        return graph

    def _settle(self, slot: int) -> None:
        piece = self._under_way.pop(slot, None)
        if piece is None:
            return
        with self._backend.watched(self._plan.name, wait=True):
            self._backend.api.event_synchronize(self._events[slot])
        for way in self.ways.values():
            if way.writes:
                way.settle(piece, slot)

    def done(self) -> bool:
        """Whether everything that was begun has happened on the device."""
        return all(self._backend.api.event_done(event) for event in self.events())

    def wait(self) -> int:
        """Everything that was begun has happened; returns the number of chunks."""
        for slot in sorted(self._under_way, key=lambda slot: self._under_way[slot].first):
            self._settle(slot)
        if self._backend.flying is self:
            self._backend.flying = None
        return self._chunks

    def _drop_graphs(self) -> None:
        for graph in self._graphs.values():
            if graph is not None:
                self._backend.api.graph_destroy(graph)
        self._graphs.clear()

    def __del__(self) -> None:
        try:
            self._drop_graphs()
            for event in self._events:
                self._backend.api.event_destroy(event)
        except Exception:  # at interpreter exit, or after the device failed
            pass


def _flat(extent: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether the points follow one another in memory."""
    expected = 1
    for n, step in zip(extent, stride, strict=True):
        if n > 1 and step != expected:
            return False
        expected *= n
    return True
