"""The kernels of a plan as launches of their own: one after another, or recorded as a graph.

In a graph a kernel follows those it depends on and no other, so that small ones run side by side:
a launch on few points costs the device little more than its latency.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bridge.backends.base import Binding, Box
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import DeviceArray
from bridge.backends.gpu.modules import DeviceShared
from bridge.backends.gpu.program import GpuProgram
from bridge.backends.gpu.source import generate
from bridge.backends.scratch import lives, offsets
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Plan, Step

#: Graphs that a sequence keeps: blocks of a solver have few sizes.
MOST_GRAPHS = 16


class LaunchSequence:
    """The kernels of a plan on views, made by `of`.

    programs: one for each kernel; nodes: the same of a graph; replay: whether they become a graph,
    from the second time on that a number of points comes.
    """

    def __init__(
        self, device: Device, plan: Plan, programs: Sequence[GpuProgram],
        nodes: Sequence[GraphNode], replay: bool,
    ) -> None:  # fmt: skip
        self.plan = plan
        self._device = device
        self._programs = programs
        self._nodes = nodes
        self._replay = replay
        self._installed = -1
        self._graphs: OrderedDict[tuple[int, int], int | None] = OrderedDict()
        self._streams = (device.stream, *device.streams)
        self._events = [device.api.event() for _ in programs] if replay else []

    @classmethod
    def of(
        cls, device: Device, plan: Plan, bindings: Mapping[str, Binding], shared: DeviceShared,
        replay: bool,
    ) -> LaunchSequence:  # fmt: skip
        """Take memory for what passes from kernel to kernel, and write the kernels' source."""
        catalogue = Catalogue.installed()
        memory = _memory(device, plan, bindings, replay)
        steps = [step for step in plan.steps if isinstance(step, Step)]
        plans = [single_step(plan, step, catalogue) for step in steps]
        policy = device.policy or device.table.of_kernels(plan, shared.layout.ns)
        source = generate(plans, catalogue, shared.layout, policy=policy, arch=device.arch)
        programs = [GpuProgram(device, p, memory, shared, source) for p in plans]
        reads = [{memory[name].address for name in p.inputs} for p in plans]
        writes = [{memory[name].address for name in p.outputs} for p in plans]
        nodes = schedule(reads, writes, 1 + len(device.streams))
        return cls(device, plan, programs, nodes, replay)

    def run(self, first: int, n: int) -> None:
        """Every kernel on points first .. first+n-1."""
        if n == 0:
            return
        device = self._device
        with device.lock:
            device.enter()
            if self._installed != device.modules.installations:
                for program in self._programs:
                    program.make_ready()
                self._installed = device.modules.installations
            for program in self._programs:
                program.follow_constants()
            graph = self._graph(first, n)
            if graph is None:
                for program in self._programs:
                    program.launch_on(device.stream, first, n)
                return
            device.note(f"the kernels of {self.plan.name}")
            try:
                device.api.graph_launch(graph, device.stream)
            except device.api.errors as error:
                raise device.failure(f"the kernels of {self.plan.name}", error) from error

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
        device = self._device
        with device.watched(f"recording the kernels of {self.plan.name}"):
            device.api.begin_capture(device.stream)
            try:
                self._record(first, n)
            finally:
                graph = device.api.end_capture(device.stream)
        return graph

    def _record(self, first: int, n: int) -> None:
        """Every kernel on its stream; the others fork from the first stream and join it again."""
        device, streams = self._device, self._streams
        api = device.api
        api.record(device.fork, streams[0])
        last: dict[int, int] = {}
        for number, (node, program) in enumerate(zip(self._nodes, self._programs, strict=True)):
            if node.stream and node.stream not in last:
                api.stream_wait(streams[node.stream], device.fork)
            for before in node.after:
                api.stream_wait(streams[node.stream], self._events[before])
            program.launch_on(streams[node.stream], first, n)
            api.record(self._events[number], streams[node.stream])
            last[node.stream] = number
        for stream, number in last.items():
            if stream:
                api.stream_wait(streams[0], self._events[number])

    def _destroy(self, graph: int | None) -> None:
        if graph is not None:
            self._device.api.graph_destroy(graph)

    def __del__(self) -> None:
        try:
            for graph in self._graphs.values():
                self._destroy(graph)
            for event in self._events:
                self._device.api.event_destroy(event)
        except Exception:  # at interpreter exit, or after the device failed
            pass


def _memory(
    device: Device, plan: Plan, bindings: Mapping[str, Binding], replay: bool
) -> dict[str, Binding]:
    """Where every slot of the plan lies, by the name that `single_step` gives it. What passes from
    kernel to kernel lies in one allocation; in launches one after another, values that never live
    at the same time share memory."""
    points = min(bindings[name].box.points for name in (*plan.inputs, *plan.outputs))
    living = [(0, len(plan.steps))] * len(plan.slots) if replay else lives(plan)
    places, per_point = offsets([slot.columns * 8 for slot in plan.slots], living)
    words, what = max(per_point // 8 * points, 1), f"between the kernels of {plan.name}"
    between = DeviceArray(device.allocator, 1, words, "float64", what, device.synchronize)
    memory = {
        f"slot{k}": Binding(between.address + places[k] * points, Box.flat(points, points),
                            slot.columns, dtype=slot.dtype, owner=between)
        for k, slot in enumerate(plan.slots)
    }  # fmt: skip
    for table in (plan.outputs, plan.inputs):
        memory |= {f"slot{k}": bindings[name] for name, k in table.items()}
    return memory


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
        (replace(step, slots=tuple(here[slot] for slot in step.slots)),),
        {
            f"slot{slot}": here[slot]
            for slot in step.slots[:inputs]
            if slot in given or not plan.slots[slot].zero
        },
        {f"slot{slot}": here[slot] for slot in step.slots[inputs:]},
    )


@dataclass(frozen=True)
class GraphNode:
    """A step of a graph: number of its stream; it follows the stream's earlier steps, and steps
    `after` of other streams."""

    stream: int
    after: tuple[int, ...]


def schedule(
    reads: Sequence[set[int]], writes: Sequence[set[int]], streams: int
) -> list[GraphNode]:  # fmt: skip
    """Streams and waits by which every step follows the earlier ones that it must not overtake:
    those that write what it reads or writes, and those that read what it writes."""
    nodes: list[GraphNode] = []
    last = [-1] * streams  # latest step of each stream
    known: list[list[int]] = []  # of each step: the latest step of each stream that precedes it
    for step in range(len(reads)):
        needs = [
            before
            for before in range(step)
            if writes[before] & (reads[step] | writes[step]) or reads[before] & writes[step]
        ]
        ends = [stream for stream in range(streams) if last[stream] in needs]
        stream = max(ends or range(streams), key=lambda one: last[one] if ends else -last[one])
        precedes = list(known[last[stream]]) if last[stream] >= 0 else [-1] * streams
        precedes[stream] = last[stream]
        after = []
        for before in reversed(needs):
            if precedes[nodes[before].stream] < before:
                after.append(before)
                precedes = [max(a, b) for a, b in zip(precedes, known[before], strict=True)]
                precedes[nodes[before].stream] = before
        last[stream] = step
        known.append(precedes)
        nodes.append(GraphNode(stream, tuple(after)))
    return nodes
