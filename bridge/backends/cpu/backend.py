"""`CpuBackend`: views in host memory, plans run by the executor of the kernel libraries, or as
loop nests of kernel packs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bridge import machine
from bridge.backends.base import Binding, Limit, MadeReduction, Program, SeriesProgram
from bridge.backends.cpu import tallies
from bridge.backends.cpu.lines import LinesProgram
from bridge.backends.cpu.program import CpuProgram, PointsProgram
from bridge.backends.host import library, memory, ndarrays
from bridge.backends.host.boxes import HostBoxes
from bridge.backends.host.packing import Packing
from bridge.backends.host.reduction import HostReduction
from bridge.backends.host.tables import HostTables
from bridge.errors import ArgumentError, StateError
from bridge.kernels.sharedstruct import SharedStruct
from bridge.plan import packs
from bridge.plan.plan import Plan

if TYPE_CHECKING:
    from bridge.backends.base import Message, NativeCall, ReducedConstant, ReducedValues
    from bridge.backends.cpu.made import ReducingProgram
    from bridge.backends.cpu.nests import NestProgram
    from bridge.backends.host.constants import HostConstant, HostPlace
    from bridge.backends.host.exchange import HostExchange
    from bridge.backends.transports import Offer, Transport
    from bridge.mpi import Allreduce, Communicator, PointToPoint
    from bridge.timers.recorder import Recorder


class CpuBackend:
    """Implements `backends.base.Backend` on this machine's cores.

    threads: OpenMP threads of a run; isa: "v2", "v3" or "v4", else BRIDGE_CPU_ISA, else the
    best this machine runs; no_gpu: why it is not a GPU, where that was left to the machine;
    recorder: in whose ledger it counts, and who asks what its kernels take.
    ArgumentError for an instruction set that it does not run.
    """

    name = "cpu"
    native = True
    device_copies = None  # kernels read the caller's memory

    def __init__(
        self, threads: int = 1, isa: str | None = None, no_gpu: str = "",
        recorder: Recorder | None = None,
    ) -> None:  # fmt: skip
        packing = Packing(threads, isa)
        self.threads = threads
        self.library = packing.library
        # As they are, without a call in between: stripes may be short.
        self._packing = packing
        self.pack, self.unpack, self.copy = packing.pack, packing.unpack, packing.native
        reduction = HostReduction(packing)
        self.reduce, self.repeating_reduction = reduction.reduce, reduction.repeating
        self.ndarray, self.working = ndarrays.on_memory, nullcontext
        self._no_gpu = no_gpu.partition("\n")[0]
        self._shared: SharedStruct | None = None
        self._tables = HostTables(self.library.ffi)
        #: Name and kernels of a plan -> in which way it ran when it was made last.
        self._ways: dict[tuple[str, ...], str] = {}
        #: Nests that run one after the other -> in which way.
        self._series: dict[str, str] = {}
        self._before = tallies.counted(self.library)
        if recorder is not None:
            from bridge.backends.cpu.watched import watch

            watch(self, recorder)

    def reduce_there(self, *_: Any) -> None:
        """See `Backend.reduce_there`: there is no device."""

    def lending(self, sync: str) -> AbstractContextManager[None]:
        """See `Backend.lending`: nothing else runs."""
        return nullcontext()

    def columns_apart(self, columns: int) -> int:
        """See `Backend.columns_apart`."""
        from bridge.backends.cpu import made  # here: most starts reduce nothing

        return made.columns_apart(columns)

    def reducing(
        self, program: Program, outputs: Mapping[str, Binding], mask: Binding | None,
        reductions: Sequence[MadeReduction],
    ) -> ReducingProgram:  # fmt: skip
        """See `Backend.reducing`."""
        from bridge.backends.cpu import made

        assert isinstance(program, PointsProgram), "its points have an order"
        return made.ReducingProgram(self.library, program, outputs, mask, reductions, self.threads)

    def allocate(self, columns: int, extent: int, dtype: str) -> memory.HostArray:
        """Zeroed array of shape (columns, extent), point index fastest."""
        return memory.allocate(columns, extent, dtype)

    def address(self, array: Any) -> int:
        return memory.address_of(array)

    def set_shared(self, shared: Any) -> None:
        """Install the per-run data (`physics.shared.SharedData`); programs made later use it."""
        self._shared = SharedStruct(shared.fields())

    def constants_call(self) -> None:
        """None: kernels read constants where they are."""

    def recorded(self, calls: Sequence[NativeCall]) -> None:
        """None: a call is done as soon as it is asked for."""

    def set_constants(self, block: np.ndarray) -> None:
        """Programs read that memory itself."""

    @property
    def target(self) -> str:
        """The instruction set."""
        return self.library.isa

    def set_table(self, name: str, values: np.ndarray) -> None:
        """Contents of a table, in Fortran's order; programs made before read them too."""
        self._tables.fill(name, values)

    def table(self, name: str) -> int:
        """See `NativeBackend.table`."""
        return self._tables.address(name)

    def check(self, kernels: Iterable[str]) -> None:
        """Whether these kernels can be launched: BridgeError naming a pack that is not built."""
        for pack in {packs.owner(kernel) for kernel in kernels} - {None}:
            library.pack_library(pack, self.library.isa)

    def program(
        self,
        plan: Plan,
        bindings: Mapping[str, Binding],
        further: Sequence[Mapping[str, Binding]] = (),
    ) -> CpuProgram | NestProgram:
        """Bind every input and output of `plan`, and further components of them: to its loop nest
        where it has one for this memory, else to the executor.

        Raises ArgumentError where a binding is missing or does not fit its quantity,
        StateError before `set_shared`.
        """
        shared, tables = self._installed(plan), self._tables
        if not any(map(packs.owner, plan.kernels())):
            return self.executor(plan, bindings, further)
        from bridge.backends.cpu import nests  # here: a run without packs reads less

        try:
            if further:
                raise nests.NoNest("its components are points")
            nest = nests.nest_program(self.library, plan, bindings, shared, self.threads, tables)
        except nests.NoNest as why:
            self._ways[plan.name, *plan.kernels()] = f"executor: {why}"
            return self.executor(plan, bindings, further)
        self._ways[plan.name, *plan.kernels()] = nest.way
        return nest

    def executor(
        self,
        plan: Plan,
        bindings: Mapping[str, Binding],
        further: Sequence[Mapping[str, Binding]] = (),
        *,
        block: int | None = None,
    ) -> CpuProgram:
        """The same, to the executor; block: points of a block, a multiple of 8."""
        if block is not None and (block < 8 or block % 8):
            raise ArgumentError("block", block, "a positive multiple of 8")
        shared, tables = self._installed(plan), self._tables
        return CpuProgram(
            self.library, plan, [bindings, *further], shared, self.threads, block, tables
        )

    def _installed(self, plan: Plan) -> SharedStruct:
        if self._shared is None:
            raise StateError(f"{plan.name} needs per-run data: call set_shared first")
        return self._shared

    def series(self, programs: Sequence[Program]) -> SeriesProgram | None:
        """See `Backend.series`: loop nests, a few rows of each at a time."""
        nests = [cast("NestProgram", one) for one in programs
                 if getattr(one, "kind", "") == "nest"]  # fmt: skip
        if not 1 < len(nests) == len(programs):
            return None
        from bridge.backends.cpu import series  # here: most programs have a nest alone

        try:
            made = series.NestSeries(self.library, nests, self.threads)
        except series.NoSeries as why:
            self._series[series.named(nests)] = f"one after the other: {why}"
            return None
        self._series[series.named(nests)] = "row after row in one pass"
        return made

    def ordered_program(self, plan: Plan, bindings: Mapping[str, Binding]) -> LinesProgram:
        """The same for a plan of one step with an order."""
        shared, tables = self._installed(plan), self._tables
        return LinesProgram(self.library, plan, bindings, shared, self.threads, tables)

    def holds(self, binding: Binding) -> bool:
        """Kernels read and write every array of the host."""
        return True

    def launch_sequence(
        self, plan: Plan, bindings: Mapping[str, Binding], replay: bool
    ) -> CpuProgram | NestProgram:
        """One program goes from kernel to kernel as it is."""
        return self.program(plan, bindings)

    def adopt(self, binding: Binding) -> None:
        """Kernels read the caller's memory as it is."""

    def release(self, binding: Binding) -> None:
        """Nothing was taken."""

    def boxes(self, parts: Sequence[Binding]) -> HostBoxes:
        """These boxes of an array, for buffers of the host."""
        return HostBoxes(self._packing, parts)

    def offer(self, asked: str, boxes: Sequence[Binding], ranks: Communicator | None) -> Offer:
        """See `Backend`: nothing but MPI."""
        from bridge.backends.transports import Offer

        return Offer(asked)

    def transport(self, offers: Sequence[Offer], ranks: Communicator | None) -> Transport:
        """See `Backend`."""
        from bridge.backends.transports import chosen

        return chosen(offers)

    def exchange(
        self, messages: Sequence[Message], kept: Message | None, mpi: PointToPoint | None,
        tag: int, patience: float, transport: Transport,
    ) -> HostExchange:  # fmt: skip
        """See `Backend`."""
        from bridge.backends.host.exchange import HostExchange  # here: most starts have none

        return HostExchange(self._packing, messages, kept, mpi, tag, patience)

    def constant_reduction(
        self, values: Sequence[ReducedValues], asked: ReducedConstant, ranks: Allreduce | None
    ) -> HostConstant:
        """See `Backend`."""
        from bridge.backends.host.constants import HostConstant, source_of  # most starts: none

        sources = [source_of(self._packing, one, asked) for one in values]
        return HostConstant(self._packing, asked, sources, ranks)

    def constant_place(self, value: int) -> HostPlace:
        """See `Backend`."""
        from bridge.backends.host.constants import HostPlace

        return HostPlace(value)

    def synchronize(self) -> None:
        """Nothing to wait for: every call has happened when it returns."""

    def allocations(self) -> int:
        """Allocations of scratch by all threads; a steady loop makes none."""
        return self.library.allocations

    def met(self) -> dict[str, np.ndarray]:
        """Points by bit, (32,), of the words of each plan since this backend was made: those bits
        that points rarely have."""
        now = tallies.counted(self.library)
        return {name: bits - self._before.get(name, 0) for name, bits in now.items()}

    def describe(self) -> dict[str, str]:
        """Backend, instruction set, threads, and the cores that they may use; why no GPU."""
        facts = {
            "backend": self.name,
            "isa": f"x86-64-{self.library.isa} ({self.library.lanes} lanes)",
            "threads": str(self.threads),
            "cores": affinity(),
        }
        return facts | {"gpu": f"none: {self._no_gpu}"} if self._no_gpu else facts

    def ways(self) -> list[str]:
        """See `Backend.ways`: by a loop nest, or by the executor and why."""
        found: dict[str, dict[str, None]] = {}
        for (name, *_), way in self._ways.items():
            found.setdefault(way, {})[name] = None
        alone = [f"{', '.join(names)}: {way}" for way, names in found.items()]
        return alone + [f"{names}: {way}" for names, way in self._series.items()]

    def limit(self) -> Limit | None:
        """Memory, for the threads of a run, as if no other rank used it."""
        figures = machine.known(self.library.isa)
        if figures is None:
            return None
        bandwidth = figures.bandwidth(self.threads)
        text = f"{1e-9 * bandwidth:.3g} GB/s, of {figures.machine}, {figures.date}"
        return Limit("memory limit", text, bandwidth)

    def close(self) -> None:
        """Drop the per-run data; scratch belongs to the threads and stays with them."""
        self._shared = None


def affinity() -> str:
    """Cores that this process may use, and how OpenMP binds its threads to them: "0-3,8 (bound:
    close)"."""
    ranges: list[list[int]] = []
    for core in sorted(os.sched_getaffinity(0)):
        if ranges and core == ranges[-1][1] + 1:
            ranges[-1][1] = core
        else:
            ranges.append([core, core])
    cores = ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
    binding = os.environ.get("OMP_PROC_BIND", "false").lower()
    return f"{cores} ({'threads not bound' if binding == 'false' else f'bound: {binding}'})"
