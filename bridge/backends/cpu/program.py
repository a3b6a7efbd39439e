"""A plan with its memory on the CPU: C structs built once, run again and again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.backends.base import Binding
from bridge.backends.cpu.library import Library
from bridge.backends.cpu.memory import SharedStruct, check, fill_array, offsets
from bridge.backends.cpu.work import points_per_thread
from bridge.errors import ArgumentError, OutOfMemoryError
from bridge.plan import Loop, Plan, Step

#: Scratch of a block that still leaves room in a core's second-level cache, bytes.
SCRATCH = 384 * 1024
#: Points of the widest vector: a block has room for whole vectors.
WIDEST = 16
#: Points of a block at most and at least, multiples of the widest vector.
LARGEST, SMALLEST = 512, 32


class CpuProgram:
    """What `CpuBackend.program` returns; holds everything that the C structs point to."""

    def __init__(
        self,
        library: Library,
        plan: Plan,
        bindings: Mapping[str, Binding],
        shared: SharedStruct,
        threads: int,
        block: int | None = None,
    ) -> None:
        """block: points of a block, and those that are worth a thread; chosen by the size of the
        scratch and by the work of a point if None."""
        self.plan = plan
        self._ffi = library.ffi
        self._keep: list[Any] = [shared, dict(bindings)]
        self._threads = threads
        steps = self._steps(library, plan)
        places, per_point = offsets([slot.columns * 8 for slot in plan.slots], lives(plan))
        share = block
        if block is None:
            share = points_per_thread(plan, shared.pointer.ns)
            block = max(SMALLEST, min(LARGEST, SCRATCH // max(per_point, 1) // 32 * 32))
        c_plan: Any = self._ffi.new("bridge_plan*")
        c_plan.shared = shared.pointer
        c_plan.steps = steps
        c_plan.n_steps = len(steps)
        room = -(-block // WIDEST) * WIDEST
        c_plan.slots, c_plan.arrays = self._slots(plan, bindings, places, room)
        c_plan.n_slots = len(plan.slots)
        c_plan.block = block
        c_plan.scratch = per_point * room
        c_plan.share = share
        self.block = block
        self.scratch = per_point * room
        used = {*plan.inputs, *plan.outputs}
        self._points = min(bindings[name].box.points for name in used)
        self._plan = c_plan
        self._run = library.lib.bridge_cpu_run
        self._fed = library.lib.bridge_cpu_threads

    def run(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 (0-based) of every binding."""
        if first < 0 or n < 0 or first + n > self._points:
            got = f"points {first} .. {first + n - 1} of {self.plan.name}"
            raise ArgumentError("n", got, f"points of the {self._points} that are bound")
        if self._run(self._plan, first, n, self._threads):
            raise OutOfMemoryError(
                f"{self.plan.name}: no memory for {self.scratch} bytes of scratch per thread"
            )

    def threads(self, n: int) -> int:
        """How many threads a run of n points gets: no more than it feeds."""
        return int(self._fed(self._plan, n, self._threads))

    def _steps(self, library: Library, plan: Plan) -> Any:
        flat: list[Step | Loop] = []
        for item in plan.steps:
            flat.extend((item, *item.steps) if isinstance(item, Loop) else (item,))
        steps = self._ffi.new("bridge_step[]", len(flat))
        for struct, item in zip(steps, flat, strict=True):
            if isinstance(item, Loop):
                struct.span, struct.limit, struct.done = len(item.steps), item.limit, item.done
            else:
                arguments = self._ffi.new("int32_t[]", list(item.slots))
                self._keep.append(arguments)
                struct.kernel = library.kernel(item.kernel, len(item.slots))
                struct.arguments = arguments
        self._keep.append(steps)
        return steps

    def _slots(
        self, plan: Plan, bindings: Mapping[str, Binding], places: list[int], room: int
    ) -> tuple[Any, Any]:
        slots = self._ffi.new("bridge_slot[]", len(plan.slots))
        for struct, slot, place in zip(slots, plan.slots, places, strict=True):
            struct.scratch = place * room
            struct.columns = slot.columns
            struct.is_int32 = slot.dtype == "int32"
            struct.zero = slot.zero
            struct.input = struct.output = -1
        names = list(dict.fromkeys((*plan.inputs, *plan.outputs)))
        arrays = self._ffi.new("bridge_array[]", len(names))
        for number, (struct, name) in enumerate(zip(arrays, names, strict=True)):
            if name not in bindings:
                way = "input" if name in plan.inputs else "output"
                raise ArgumentError("bindings", f"none for {name}", f"memory for each {way}")
            binding = bindings[name]
            fill_array(struct, self._ffi, binding)
            first, last = plan.inputs.get(name), plan.outputs.get(name)
            for index in (first, last):
                if index is not None:
                    check(name, binding, plan.slots[index].columns, plan.slots[index].dtype)
            if first is not None:
                slots[first].input = number
            if last is not None and last != first:
                slots[last].output = number
        self._keep += [slots, arrays]
        return slots, arrays


def lives(plan: Plan) -> list[tuple[int, int]]:
    """First and last step of each slot's life: inputs live from -1, outputs past the last step.

    What a loop shares with the steps around it lives through the whole loop: a later turn runs
    on some vectors only and must not write over the finished ones.
    """
    uses: list[list[int]] = [[] for _ in plan.slots]
    loops: list[tuple[int, int]] = []
    position = 0
    for item in plan.steps:
        body = item.steps if isinstance(item, Loop) else (item,)
        if isinstance(item, Loop):
            loops.append((position, position + len(body) - 1))
            uses[item.done] += loops[-1]
        for step in body:
            for index in step.slots:
                uses[index].append(position)
            position += 1
    for index, slot in enumerate(plan.slots):
        if slot.zero or index in plan.inputs.values():
            uses[index].append(-1)
        if index in plan.outputs.values():
            uses[index].append(position)
    lives = [(min(use), max(use)) if use else (0, -1) for use in uses]
    for begin, end in loops:
        for index, (first, last) in enumerate(lives):
            inside = any(begin <= use <= end for use in uses[index])
            if inside and (first < begin or last > end):
                lives[index] = (min(first, begin), max(last, end))
    return lives
