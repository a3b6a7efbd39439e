"""The kernels of a plan as launches of their own: one after another, or recorded as a graph.

In a graph a kernel follows those it depends on and no other, so that small ones run side by side:
a launch on few points costs the device little more than its latency.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridge.backends.base import Binding, Box
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.memory import DeviceArray
from bridge.backends.gpu.modules import DeviceShared
from bridge.backends.gpu.program import GpuProgram
from bridge.backends.gpu.source import generate
from bridge.backends.scratch import lives, offsets
from bridge.plan.catalogue import Catalogue
from bridge.plan.plan import Plan, Step

#: Graphs that a chain keeps: blocks of a solver have few sizes.
MOST_GRAPHS = 16


class Chain:
    """The kernels of a plan on views, made by `of`.

    programs: one for each kernel; turns: where each stands in a graph; replay: whether they become
    a graph, from the second time on that a number of points comes.
    """

    def __init__(
        self, device: Device, plan: Plan, programs: Sequence[GpuProgram],
        turns: Sequence[Turn], replay: bool,
    ) -> None:  # fmt: skip
        self.plan = plan
        self._device = device
        self._programs = programs
        self._turns = turns
        self._replay = replay
        self._installed = -1
        self._graphs: OrderedDict[tuple[int, int], int | None] = OrderedDict()
        self._lanes = (device.stream, *device.streams)
        self._events = [device.api.event() for _ in programs] if replay else []

    @classmethod
    def of(
        cls, device: Device, plan: Plan, bindings: Mapping[str, Binding], shared: DeviceShared,
        replay: bool,
    ) -> Chain:  # fmt: skip
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
        turns = lay_out(reads, writes, 1 + len(device.streams))
        return cls(device, plan, programs, turns, replay)

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
        """Every kernel on its lane; lanes leave the first one and come back to it."""
        device, lanes = self._device, self._lanes
        api = device.api
        api.record(device.fork, lanes[0])
        last: dict[int, int] = {}
        for number, (turn, program) in enumerate(zip(self._turns, self._programs, strict=True)):
            if turn.lane and turn.lane not in last:
                api.stream_wait(lanes[turn.lane], device.fork)
            for before in turn.after:
                api.stream_wait(lanes[turn.lane], self._events[before])
            program.launch_on(lanes[turn.lane], first, n)
            api.record(self._events[number], lanes[turn.lane])
            last[turn.lane] = number
        for lane, number in last.items():
            if lane:
                api.stream_wait(lanes[0], self._events[number])

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
    kernel to kernel lies in one piece of device memory; one after another, values that never live
    at the same time share their place."""
    points = min(bindings[name].box.points for name in (*plan.inputs, *plan.outputs))
    living = [(0, len(plan.steps))] * len(plan.slots) if replay else lives(plan)
    places, per_point = offsets([slot.columns * 8 for slot in plan.slots], living)
    words, what = max(per_point // 8 * points, 1), f"between the kernels of {plan.name}"
    between = DeviceArray(device.allocator, 1, words, "float64", what, device.stream)
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
        (Step(step.kernel, tuple(here[slot] for slot in step.slots)),),
        {
            f"slot{slot}": here[slot]
            for slot in step.slots[:inputs]
            if slot in given or not plan.slots[slot].zero
        },
        {f"slot{slot}": here[slot] for slot in step.slots[inputs:]},
    )


@dataclass(frozen=True)
class Turn:
    """Where a step of a graph stands: on a lane, behind the lane's earlier steps and behind
    steps `after` of other lanes."""

    lane: int
    after: tuple[int, ...]


def lay_out(
    reads: Sequence[set[int]], writes: Sequence[set[int]], lanes: int
) -> list[Turn]:  # fmt: skip
    """Lanes and waits by which every step follows the earlier ones that it must not overtake:
    those that write what it reads or writes, and those that read what it writes."""
    turns: list[Turn] = []
    last = [-1] * lanes  # latest step of each lane
    known: list[list[int]] = []  # of each step: the latest step of each lane that precedes it
    for step in range(len(reads)):
        needs = [
            before
            for before in range(step)
            if writes[before] & (reads[step] | writes[step]) or reads[before] & writes[step]
        ]
        ends = [lane for lane in range(lanes) if last[lane] in needs]
        lane = max(ends or range(lanes), key=lambda one: last[one] if ends else -last[one])
        precedes = list(known[last[lane]]) if last[lane] >= 0 else [-1] * lanes
        precedes[lane] = last[lane]
        after = []
        for before in reversed(needs):
            if precedes[turns[before].lane] < before:
                after.append(before)
                precedes = [max(a, b) for a, b in zip(precedes, known[before], strict=True)]
                precedes[turns[before].lane] = before
        last[lane] = step
        known.append(precedes)
        turns.append(Turn(lane, tuple(after)))
    return turns
