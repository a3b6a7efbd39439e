"""A plan with its memory on the GPU: compiled once, launched again and again.

On views a run is one launch. On the caller's arrays it is a chunk loop: every chunk goes in, is
worked on and comes out on a stream of its own slot, so that both directions of the host link and
the kernels work at the same time; the whole loop is replayed as one graph once it has run.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bridge.backends.base import Binding
from bridge.backends.cpu.memory import check
from bridge.backends.cuda.memory import span
from bridge.backends.cuda.pieces import Piece, cut, lines
from bridge.backends.cuda.source import Access, generate
from bridge.backends.cuda.tuning import chosen
from bridge.backends.cuda.ways import Constant, Direct, Engine, Shaped, Staged, Way
from bridge.catalogue import Catalogue
from bridge.errors import ArgumentError
from bridge.plan import Plan

if TYPE_CHECKING:
    from bridge.backends.cuda.backend import CudaBackend, DeviceShared, Loaded

#: Chunks under way at the same time.
SLOTS = 3
#: Points of a chunk where the caller gives none.
LINE = 131072


class CudaProgram:
    """What `CudaBackend.program` returns."""

    def __init__(
        self, backend: CudaBackend, plan: Plan, bindings: Mapping[str, Binding],
        shared: DeviceShared,
    ) -> None:  # fmt: skip
        self.plan = plan
        self._backend = backend
        self._shared = shared
        self._bindings: dict[str, Binding] = {}
        for name in dict.fromkeys((*plan.inputs, *plan.outputs)):
            if name not in bindings:
                way = "input" if name in plan.inputs else "output"
                raise ArgumentError("bindings", f"none for {name}", f"memory for each {way}")
            for table in (plan.inputs, plan.outputs):
                if name in table:
                    slot = plan.slots[table[name]]
                    check(name, bindings[name], slot.columns, slot.dtype)
            self._bindings[name] = bindings[name]
        self._points = min(binding.box.points for binding in self._bindings.values())
        self._sweeps: dict[bool, Sweep] = {}
        self._busy: Sweep | None = None

    def run(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 (0-based) of every binding."""
        if first < 0 or n < 0 or first + n > self._points:
            got = f"points {first} .. {first + n - 1} of {self.plan.name}"
            raise ArgumentError("n", got, f"points of the {self._points} that are bound")
        if n == 0:
            return
        with self._backend.entered():
            sweep = self._sweep(False)
            if sweep.moves:
                room = min(LINE, n)
                sweep.begin(lines(first, n, room), room)
                sweep.wait()
            else:
                sweep.launch(Piece((first, 0, 0), (n, 1, 1), first), 0, self._backend.stream)

    def run_box(self, points: int, chunk: int) -> int:
        """All points of the bound arrays, in chunks of at most `chunk`; returns their number."""
        self.begin_box(points, chunk)
        return self.wait_box()

    def begin_box(self, points: int, chunk: int) -> None:
        """Set `run_box` going; the host works on until `wait_box`."""
        with self._backend.entered():
            box = next(iter(self._bindings.values())).box
            sweep = self._sweep(True)
            pieces = cut(box.extent, chunk) if sweep.shaped else lines(0, points, chunk)
            sweep.begin(pieces, chunk)
            self._busy = sweep

    def wait_box(self) -> int:
        """Results are in the caller's arrays; returns the number of chunks."""
        if self._busy is None:
            return 0
        with self._backend.entered():
            sweep, self._busy = self._busy, None
            return sweep.wait()

    def _sweep(self, whole: bool) -> Sweep:
        sweep = self._sweeps.get(whole)
        if sweep is None:
            sweep = self._sweeps[whole] = Sweep(
                self._backend, self.plan, self._bindings, self._shared, whole
            )
        return sweep


class Sweep:
    """The ways of a program's arrays and the launch that fits them."""

    def __init__(
        self, backend: CudaBackend, plan: Plan, bindings: Mapping[str, Binding],
        shared: DeviceShared, whole: bool,
    ) -> None:  # fmt: skip
        """whole: chunks follow the shape of the arrays, as the copy engines need."""
        self._backend = backend
        self._plan = plan
        self._shared = shared
        self.ways = {name: self._way(name, b, whole) for name, b in bindings.items()}
        self.moves = any(not isinstance(way, Direct) for way in self.ways.values())
        self.shaped = any(isinstance(way, Engine) for way in self.ways.values())
        self._on_host = any(way.on_host for way in self.ways.values())
        self._foreign = any(
            isinstance(way, Direct | Shaped) and not backend.allocator.holds(way.binding.address)
            for way in self.ways.values()
        )
        access = {
            name: Access(way.chunk_dtype, way.scaled)
            for name, way in self.ways.items()
            if way.scaled or way.chunk_dtype != self._dtype(name)
        }
        catalogue = Catalogue.installed()
        policy = backend.policy or chosen(backend, plan, shared)
        source = generate([plan], catalogue, shared.layout, access, policy)
        self._loaded: Loaded = backend.load(source, plan.name)
        self.entry = source.entries[plan.name]
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
        self._fixed = False
        self._under_way: dict[int, Piece] = {}
        self._chunks = 0
        self._generation = backend.generation
        self._graphs: dict[tuple[Piece, ...], int | None] = {}

    # ---- ways ---------------------------------------------------------------------------

    def _dtype(self, name: str) -> str:
        plan = self._plan
        return plan.slots[plan.inputs.get(name, plan.outputs.get(name, -1))].dtype

    def _way(self, name: str, binding: Binding, whole: bool) -> Way:
        plan, backend, box = self._plan, self._backend, binding.box
        reads = name in plan.inputs
        writes = name in plan.outputs and plan.outputs[name] != plan.inputs.get(name)
        dtype = self._dtype(name)
        begin, end = span(binding.address, box, binding.columns, 4 if binding.dtype == "int32"
                          else 8)  # fmt: skip
        device = backend.device_of(binding.address)
        runs_on = box.stride[0] == 1 or box.extent[0] == 1
        if device is not None:
            if device != backend.device.index:
                wanted = f"memory of GPU {backend.device.index}, this rank's"
                raise ArgumentError(name, f"memory of GPU {device}", wanted)
            if runs_on and _flat(box.extent, box.stride):
                return Direct(binding, reads, writes)
            return Shaped(binding, reads, writes, dtype, backend.shape)
        if not any(box.stride) and binding.columns == 1 and not writes:
            return Constant(binding, reads, writes)
        if not backend.locks.covers(begin, end):
            return Staged(binding, reads, writes, dtype, backend.cpu)
        if whole and runs_on:
            return Engine(binding, reads, writes)
        return Shaped(binding, reads, writes, dtype, backend.shape)

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
        backend, entry = self._backend, self.entry
        backend.install(self._loaded, self._shared)
        if self.moves:
            self._set(piece, slot)
            self._first.value = 0
        else:
            if not self._fixed:
                self._set(Piece((0, 0, 0), (1, 1, 1), 0), slot)
                self._fixed = True
            self._first.value = piece.first
        n = piece.points
        self._n.value = n
        blocks = -(-n // entry.points)
        with backend.watched(self._plan.name):
            backend.api.launch(self._loaded.function, blocks, entry.threads, entry.tile, stream,
                               self._parameters_at)  # fmt: skip

    def _set(self, piece: Piece, slot: int) -> None:
        ctypes.memmove(self._arguments, self.entry.pack(*self._places(piece, slot)),
                       len(self._arguments))  # fmt: skip

    # ---- the chunk loop -----------------------------------------------------------------

    def begin(self, pieces: Sequence[Piece], room: int) -> None:
        """Set the loop over these pieces going; room: points that chunk buffers are to hold,
        more than any piece has, so that another block finds them large enough."""
        backend = self._backend
        slots = min(SLOTS, len(pieces))
        stride = max(piece.points for piece in pieces)
        for name, way in self.ways.items():
            way.prepare(backend.pool, name, SLOTS, stride, room)
        if self._generation != backend.generation:
            self._drop_graphs()
            self._generation = backend.generation
        backend.install(self._loaded, self._shared)
        if self._foreign:
            backend.synchronize()  # whoever wrote that memory may have used another stream
        key = tuple(pieces)
        graph = self._graphs.get(key)
        self._chunks = len(pieces)
        with backend.watched(self._plan.name):
            if graph is not None:
                backend.api.graph_launch(graph, backend.stream)
                backend.api.record(backend.slots[0].event, backend.stream)
                self._under_way = {0: pieces[-1]}
                return
            if key in self._graphs and self._replayable():
                self._graphs[key] = self._capture(pieces, slots)
                self.begin(pieces, room)
                return
            self._graphs.setdefault(key, None)
            self._issue(pieces, slots)

    def _replayable(self) -> bool:
        return not self._on_host and os.environ.get("BRIDGE_GRAPH", "1") != "0"

    def _issue(self, pieces: Sequence[Piece], slots: int) -> None:
        backend = self._backend
        api = backend.api
        fork = backend.fork
        api.record(fork, backend.stream)
        for slot in range(slots):
            api.stream_wait(backend.slots[slot].stream, fork)
        for number, piece in enumerate(pieces):
            slot = number % slots
            lane = backend.slots[slot]
            if self._on_host:
                self._settle(slot)
            for way in self.ways.values():
                if way.reads and way.moved:
                    way.bring(api, piece, slot, lane.stream)
            self.launch(piece, slot, lane.stream)
            for way in self.ways.values():
                if way.writes and way.moved:
                    way.take(api, piece, slot, lane.stream)
            api.record(lane.event, lane.stream)
            self._under_way[slot] = piece

    def _capture(self, pieces: Sequence[Piece], slots: int) -> int:
        """The same calls as one graph."""
        backend = self._backend
        api = backend.api
        api.begin_capture(backend.stream)
        try:
            self._issue(pieces, slots)
            for slot in range(slots):
                api.stream_wait(backend.stream, backend.slots[slot].event)
        finally:
            self._under_way.clear()
            graph = api.end_capture(backend.stream)
        return graph

    def _settle(self, slot: int) -> None:
        piece = self._under_way.pop(slot, None)
        if piece is None:
            return
        with self._backend.watched(self._plan.name, wait=True):
            self._backend.api.event_synchronize(self._backend.slots[slot].event)
        for way in self.ways.values():
            if way.writes:
                way.settle(piece, slot)

    def wait(self) -> int:
        """Everything that was begun has happened; returns the number of chunks."""
        for slot in sorted(self._under_way, key=lambda slot: self._under_way[slot].first):
            self._settle(slot)
        return self._chunks

    def _drop_graphs(self) -> None:
        for graph in self._graphs.values():
            if graph is not None:
                self._backend.api.graph_destroy(graph)
        self._graphs.clear()

    def __del__(self) -> None:
        try:
            self._drop_graphs()
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
