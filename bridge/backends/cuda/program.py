"""A plan with its memory on the GPU: compiled once, launched again and again.

On views a run is one launch. On the caller's arrays it is the chunk loop of a `Sweep`. A chain
launches the kernels of a plan one after another, and replays them as one graph.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from bridge.backends.base import Binding, Box
from bridge.backends.cpu.memory import check, offsets
from bridge.backends.cpu.program import lives
from bridge.backends.cuda.pieces import cut, lines
from bridge.backends.cuda.policy import choose
from bridge.backends.cuda.source import Source, generate
from bridge.backends.cuda.sweep import Sweep
from bridge.catalogue import Catalogue
from bridge.errors import ArgumentError
from bridge.plan import Plan, Step

if TYPE_CHECKING:
    from bridge.backends.cuda.backend import CudaBackend, DeviceShared

#: Points of a chunk where the caller gives none.
LINE = 131072
#: Graphs that a chain keeps: blocks of a solver have few sizes.
MOST_GRAPHS = 16


class CudaProgram:
    """What `CudaBackend.program` returns."""

    def __init__(
        self, backend: CudaBackend, plan: Plan, bindings: Mapping[str, Binding],
        shared: DeviceShared, source: Source | None = None,
    ) -> None:  # fmt: skip
        """source: a text that has this plan among others; its own if None."""
        self.plan = plan
        self._backend = backend
        self._shared = shared
        self._source = source
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
        self._still: Sweep | None = None  # of memory that does not move: launched at once
        self._busy: Sweep | None = None

    def run(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 (0-based) of every binding."""
        if first < 0 or n < 0 or first + n > self._points:
            got = f"points {first} .. {first + n - 1} of {self.plan.name}"
            raise ArgumentError("n", got, f"points of the {self._points} that are bound")
        if n == 0:
            return
        backend = self._backend
        with backend.lock:
            backend.enter()
            if self._still is not None:
                self._still.launch_flat(first, n)
                return
            sweep = self._sweep(False)
            if sweep.moves:
                room = min(LINE, n)
                sweep.begin(lines(first, n, room), room)
                sweep.wait()
            else:
                self._still = sweep
                sweep.launch_flat(first, n)

    def make_ready(self) -> None:
        """Compile, load and install now what `run` on views would at its first call."""
        with self._backend.entered():
            self._sweep(False).install()

    def run_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> int:
        """All points of the bound arrays, in chunks of at most `chunk`; returns their number."""
        self.begin_box(points, chunk, unchanged)
        return self.wait_box()

    def begin_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> None:
        """Set `run_box` going; the host works on until `wait_box`."""
        with self._backend.entered():
            box = next(iter(self._bindings.values())).box
            sweep = self._sweep(True)
            pieces = cut(box.extent, chunk) if sweep.shaped else lines(0, points, chunk)
            self._busy = sweep
            sweep.begin(pieces, chunk, unchanged)

    def done(self) -> bool:
        """Whether the device has done what `begin_box` asked for."""
        with self._backend.entered():
            return self._busy is None or self._busy.done()

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
                self._backend, self.plan, self._bindings, self._shared, whole, self._source
            )
        return sweep


class Chain:
    """The kernels of a plan, each a launch of its own, on views; from the second time on that a
    number of points comes as one graph.

    replay: whether a graph is made at all. What passes from kernel to kernel lies in one piece of
    device memory, where values that never live at the same time share their place.
    """

    def __init__(
        self, backend: CudaBackend, plan: Plan, bindings: Mapping[str, Binding],
        shared: DeviceShared, replay: bool,
    ) -> None:  # fmt: skip
        self.plan = plan
        self._backend = backend
        self._replay = replay
        self._installed = -1
        self._graphs: OrderedDict[tuple[int, int], int | None] = OrderedDict()
        catalogue = Catalogue.installed()
        points = min(bindings[name].box.points for name in (*plan.inputs, *plan.outputs))
        places, per_point = offsets([slot.columns * 8 for slot in plan.slots], lives(plan))
        size = max(per_point * points, 8)
        between = backend.allocator.device(size, f"between the kernels of {plan.name}")
        weakref.finalize(self, backend.allocator.free, between)
        memory = {
            f"slot{k}": Binding(between + places[k] * points, Box.flat(points, points),
                                slot.columns, dtype=slot.dtype)
            for k, slot in enumerate(plan.slots)
        }  # fmt: skip
        for table in (plan.outputs, plan.inputs):
            memory |= {f"slot{k}": bindings[name] for name, k in table.items()}
        plans = [
            single_step(plan, step, catalogue) for step in plan.steps if isinstance(step, Step)
        ]
        policy = backend.policy or choose(plan, shared.layout.ns)
        source = generate(plans, catalogue, shared.layout, policy=policy)
        self._programs = [CudaProgram(backend, p, memory, shared, source) for p in plans]

    def run(self, first: int, n: int) -> None:
        """Every program on points first .. first+n-1."""
        if n == 0:
            return
        backend = self._backend
        with backend.lock:
            backend.enter()
            if self._installed != backend.installations:
                for program in self._programs:
                    program.make_ready()
                self._installed = backend.installations
            graph = self._graph(first, n)
            if graph is None:
                for program in self._programs:
                    program.run(first, n)
                return
            backend.note(self._programs[-1].plan.name)
            try:
                backend.api.graph_launch(graph, backend.stream)
            except backend.api.errors as error:
                raise backend.failure("a graph of named kernels", error) from error

    def _graph(self, first: int, n: int) -> int | None:
        """The graph for these points, made when they come for the second time."""
        key = (first, n)
        if not self._replay:
            return None
        if key not in self._graphs:
            self._graphs[key] = None
            if len(self._graphs) > MOST_GRAPHS:
                _, old = self._graphs.popitem(last=False)
                self._destroy(old)
            return None
        graph = self._graphs[key]
        if graph is None:
            graph = self._graphs[key] = self._capture(first, n)
        self._graphs.move_to_end(key)
        return graph

    def _capture(self, first: int, n: int) -> int:
        backend = self._backend
        with backend.watched("recording named kernels"):
            backend.api.begin_capture(backend.stream)
            try:
                for program in self._programs:
                    program.run(first, n)
            finally:
                graph = backend.api.end_capture(backend.stream)
        return graph

    def _destroy(self, graph: int | None) -> None:
        if graph is not None:
            self._backend.api.graph_destroy(graph)

    def __del__(self) -> None:
        try:
            for graph in self._graphs.values():
                self._destroy(graph)
        except Exception:  # at interpreter exit, or after the device failed
            pass


def single_step(plan: Plan, step: Step, catalogue: Catalogue) -> Plan:
    """One kernel of a plan by itself; its quantities are called by their slots, because a kernel
    may read one version of a quantity and write another."""
    used = list(dict.fromkeys(step.slots))
    here = {slot: place for place, slot in enumerate(used)}
    inputs = len(catalogue.kernel(step.kernel).inputs)
    given = set(plan.inputs.values())
    return Plan(
        step.kernel,
        tuple(plan.slots[slot] for slot in used),
        (Step(step.kernel, tuple(here[slot] for slot in step.slots)),),
        {
            f"slot{slot}": here[slot]
            for slot in step.slots[:inputs]
            if slot in given or not plan.slots[slot].zero
        },
        {f"slot{slot}": here[slot] for slot in step.slots[inputs:]},
    )
