"""A plan with its memory on the CPU: C structs built once, run again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bridge.backends.base import Binding, NativeCall, bound
from bridge.backends.blocks import Blocks, joined
from bridge.backends.cpu import tallies
from bridge.backends.cpu.inplace import blocks_in_rows, in_rows, sparse, written_directly
from bridge.backends.cpu.work import points_per_thread
from bridge.backends.host.library import Library
from bridge.backends.host.memory import Axes, fill_array, fill_blocks, fill_cells, joined_axes
from bridge.backends.host.tables import HostTables
from bridge.backends.scratch import lives, offsets
from bridge.errors import ArgumentError, OutOfMemoryError
from bridge.kernels.sharedstruct import SharedStruct
from bridge.plan.fringe import Fringe
from bridge.plan.inputs import POSITIONS
from bridge.plan.plan import Loop, Plan, Step

#: Scratch of a block that still leaves room in a core's second-level cache, bytes.
SCRATCH = 384 * 1024
#: Points of the widest vector: a block has room for whole vectors.
WIDEST = 16
#: Points of a block at most and at least, multiples of the widest vector.
LARGEST, SMALLEST = 512, 32
#: The step that counts bits of status words, among kernels.
COUNTING = "count status"


class PointsProgram:
    """A plan on its memory, as a call of the kernel library for some points; holds everything that
    the C structs point to."""

    whole = False  # see RepeatingProgram
    #: What a call may have no memory for.
    _needs = ""
    #: Which run it is to a bridge_made of interface.h.
    kind = ""
    #: Numbers of the arrays of its outputs in its C struct.
    arrays: Mapping[str, int]

    def __init__(self, library: Library, plan: Plan, threads: int) -> None:
        self.plan = plan
        self._library, self._ffi, self._threads = library, library.ffi, threads
        self._keep: list[Any] = []

    def _calls(self, function: str, struct: Any, points: int) -> None:
        """Which function of interface.h is called, with what, for so many points."""
        self._name, self._struct, self._points = function, struct, points
        self._run = getattr(self._library.lib, function)

    @property
    def struct(self) -> Any:
        """What the call works on."""
        return self._struct

    def run(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 (0-based) of every binding."""
        self._check(first, n)
        if self._run(self._struct, first, n, self._threads):
            raise self.no_memory()

    def repeated(self, n: int) -> Callable[[], None]:
        """What evaluates points 0 .. n-1 as often as it is called, looked at once."""
        self._check(0, n)
        run, struct, threads = self._run, self._struct, self._threads

        def again() -> None:
            if run(struct, 0, n, threads):
                raise self.no_memory()  # by this it keeps what the struct points to

        return again

    def native(self, n: int) -> NativeCall:
        """The same call for callers that are no Python."""
        self._check(0, n)
        struct = int(self._ffi.cast("intptr_t", self._struct))
        return NativeCall(self._library.address(self._name), struct, n, self._threads)

    def no_memory(self) -> OutOfMemoryError:
        """Why a call failed."""
        return OutOfMemoryError(f"{self.plan.name}: no memory for {self._needs}")

    def _check(self, first: int, n: int) -> None:
        if first < 0 or n < 0 or first + n > self._points:
            got = f"points {first} .. {first + n - 1} of {self.plan.name}"
            raise ArgumentError("n", got, f"points of the {self._points} that are bound")

    def _kept(self, memory: Any) -> Any:
        self._keep.append(memory)
        return memory


class CpuProgram(PointsProgram):
    """What `CpuBackend.executor` returns.

    steps: names of its kernels, in their order; "" for a loop over those that follow.
    """

    steps: tuple[str, ...]
    kind = "plan"

    def __init__(
        self,
        library: Library,
        plan: Plan,
        components: Sequence[Mapping[str, Binding]],
        shared: SharedStruct,
        threads: int,
        block: int | None = None,
        tables: HostTables | None = None,
    ) -> None:
        """components: memory of each; block: points of a block, and those that are worth a thread;
        chosen by the size of the scratch and by the work of a point if None."""
        places, per_point = offsets([slot.columns * 8 for slot in plan.slots], lives(plan))
        super().__init__(library, plan, threads)
        self._keep += [shared, tables, *map(dict, components)]
        self._ns = shared.pointer.ns
        share = block
        if block is None:
            share = -(-points_per_thread(plan, self._ns) // len(components))
            block = max(SMALLEST, min(LARGEST, SCRATCH // max(per_point, 1) // 32 * 32))
        c_plan: Any = self._ffi.new("bridge_plan*")
        c_plan.shared = shared.pointer
        if plan.tables:
            assert tables is not None, f"{plan.name} is made without tables"
            c_tables = self._ffi.new("bridge_table*[]", tables.of(plan))
            self._keep.append(c_tables)
            c_plan.tables = c_tables
        room = -(-block // WIDEST) * WIDEST
        each = [bound(plan, one) for one in components]
        used = each[0]
        c_plan.arrays = self._arrays(library, plan, each, c_plan)
        c_plan.n_arrays, c_plan.components = len(used), len(each)
        self.arrays = {name: n for n, name in enumerate(used) if name in plan.outputs}
        direct = set.intersection(*(written_directly(plan, one) for one in each))
        c_plan.ends = bool(plan.around)
        c_plan.slots = self._slots(plan, used, places, room, direct)
        steps = self._steps(library, plan)
        c_plan.steps = steps
        c_plan.n_steps = len(steps)
        c_plan.n_slots = len(plan.slots)
        c_plan.mask = -1 if plan.mask is None else plan.mask
        c_plan.sparse = sparse(plan, self._ns)
        c_plan.block = block
        c_plan.scratch = per_point * room
        c_plan.share = share
        c_plan.sharing = self._sharing = self._ffi.new("bridge_sharing*")
        self.block = block
        self._needs = f"{per_point * room} bytes of scratch per thread"
        points = min(binding.box.points for binding in used.values())
        self._calls("bridge_cpu_run", c_plan, points)
        self._fed = library.lib.bridge_cpu_threads

    def look(self, meter: Any) -> None:
        """Add what some blocks take to a bridge_meter that has room for its steps."""
        self._struct.meter = meter

    def threads(self, n: int) -> int:
        """How many threads a run of n points gets: no more than it feeds."""
        return int(self._fed(self._struct, n, self._threads))

    def _steps(self, library: Library, plan: Plan) -> Any:
        flat: list[Step | Loop] = []
        for item in plan.steps:
            flat.extend((item, *item.steps) if isinstance(item, Loop) else (item,))
        tally = self._tally(library, plan)
        if tally is not None:
            flat.insert(tally[0], Step("", tally[1]))
        self.steps = tuple(
            "" if isinstance(item, Loop) else item.kernel or COUNTING for item in flat
        )
        steps = self._ffi.new("bridge_step[]", len(flat))
        for struct, item in zip(steps, flat, strict=True):
            if isinstance(item, Step) and not item.kernel:
                arguments = self._ffi.new("int32_t[]", item.slots)
                self._keep.append(arguments)
                struct.kernel = library.lib.bridge_cpu_tally_step()
                struct.arguments = arguments
            elif isinstance(item, Loop):
                struct.span, struct.limit, struct.done = len(item.steps), item.limit, item.done
            else:
                numbers = [*item.slots, *(plan.tables.index(name) for name in item.tables)]
                arguments = self._ffi.new("int32_t[]", numbers)
                self._keep.append(arguments)
                struct.kernel = library.kernel(item.kernel, len(numbers))
                struct.arguments = arguments
        self._keep.append(steps)
        return steps

    @staticmethod
    def _tally(library: Library, plan: Plan) -> tuple[int, tuple[int, ...]] | None:
        """Where the step that counts status words comes, and its arguments; None for no words."""
        found = tallies.place(plan)
        number = None if found is None else tallies.number(library, plan)
        if found is None or number is None:
            return None
        mask = -1 if plan.mask is None else plan.mask
        return found[1], (found[0], mask, tallies.COUNTED, number)

    def _slots(
        self,
        plan: Plan,
        used: Mapping[str, Binding],
        places: list[int],
        room: int,
        direct: set[str],
    ) -> Any:
        slots = self._ffi.new("bridge_slot[]", len(plan.slots))
        each = zip(slots, plan.slots, places, strict=True)
        for number, (struct, slot, place) in enumerate(each):
            struct.scratch = place * room
            struct.columns = slot.columns
            struct.is_int32 = slot.dtype == "int32"
            struct.zero = slot.zero
            struct.input = struct.output = -1
            if number in plan.around:
                struct.neighbours = 1 if number in plan.at_points else 2
        for number, name in enumerate(used):
            first, last = plan.inputs.get(name), plan.outputs.get(name)
            if first is not None:
                slots[first].input = number
            if last is not None and last != first:
                slots[last].output = number
                slots[last].direct = name in direct
        self._keep.append(slots)
        return slots

    def _arrays(
        self,
        library: Library,
        plan: Plan,
        components: Sequence[Mapping[str, Binding]],
        c_plan: Any,
    ) -> Any:
        """The arrays of all components, and whether their rows are those of a block."""
        every = [binding for used in components for binding in used.values()]
        arrays = self._ffi.new("bridge_array[]", len(every))
        boxes = [binding.box for binding in every]
        blocks = [binding.blocks for binding in every if binding.blocks is not None]
        if blocks:
            self._blocks(library, plan, every, blocks, arrays, c_plan)
            return arrays
        axes: list[Axes | None] = [None] * len(boxes)
        if len({box.extent for box in boxes}) == 1:
            joined = joined_axes(boxes)
            points = [n for n, _ in joined[0]]
            if plan.around or in_rows(plan, points[0], library.width, self._ns):
                axes[:] = joined
                c_plan.rows, c_plan.extent[0:3] = 1, points
        for struct, binding, mine in zip(arrays, every, axes, strict=True):
            fill_array(struct, self._ffi, binding, mine)
        named = [(name, used) for used in components for name in used]
        for struct, (name, used) in zip(arrays, named, strict=True):
            reads = plan.around.get(plan.inputs.get(name, -1), Fringe())
            if reads.cells:
                first = [used[position].box.offset for position in POSITIONS]
                cells, around = self._ffi.new("bridge_cells*"), used[name].cells(reads)
                fill_cells(cells, self._ffi, used[name], around, first)
                self._keep.append(cells)
                struct.cells = cells
        self._keep.append(arrays)
        return arrays

    def _blocks(
        self,
        library: Library,
        plan: Plan,
        every: Sequence[Binding],
        blocks: list[Blocks],
        arrays: Any,
        c_plan: Any,
    ) -> None:
        """The same for arrays of many blocks."""
        assert len(blocks) == len(every), f"{plan.name} has blocks and arrays of one block"
        tables: list[np.ndarray | None] = [None] * len(blocks)
        if all(one.same_points(blocks[0]) for one in blocks[1:]):
            rows = joined(blocks)
            points = rows[0][:, :3]
            if plan.around or blocks_in_rows(plan, points, library.width, self._ns):
                tables[:] = rows
                c_plan.rows = 1
                fill_blocks(c_plan.blocks, self._ffi, blocks[0], rows[0])
        for struct, binding, table in zip(arrays, every, tables, strict=True):
            fill_array(struct, self._ffi, binding, table=table)
        self._keep += [arrays, tables]
