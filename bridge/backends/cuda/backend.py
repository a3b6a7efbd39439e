"""`CudaBackend`: views in device memory, plans as single launches, arrays over the host link."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge import log, machine
from bridge.backends.base import (
    VALUE,
    Answer,
    Binding,
    Condition,
    Limit,
    Measure,
    NativeCall,
    Partial,
    Program,
    RepeatingReduction,
    address_of,
)
from bridge.backends.cuda import cache, devices
from bridge.backends.cuda.api import Api
from bridge.backends.gpu import policytable
from bridge.backends.gpu.boxes import GpuBoxes
from bridge.backends.gpu.boxprogram import BoxProgram, on_box
from bridge.backends.gpu.captured import CapturedCalls
from bridge.backends.gpu.components import ComponentPrograms
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.launchsequence import LaunchSequence
from bridge.backends.gpu.memory import DeviceArray, DoubleBuffer, Staging
from bridge.backends.gpu.modules import Compiled, DeviceShared
from bridge.backends.gpu.ndarrays import GpuNdarrays
from bridge.backends.gpu.program import GpuProgram
from bridge.backends.gpu.reduction import GpuReduction
from bridge.backends.gpu.residentcopies import ResidentCopies
from bridge.backends.host.packing import Packing
from bridge.backends.orderlibrary import function
from bridge.errors import StateError
from bridge.plan.plan import Loop, Plan

if TYPE_CHECKING:
    from bridge.backends.base import Message, ReducedConstant, ReducedValues
    from bridge.backends.gpu.constants import DevicePlace, GpuConstants
    from bridge.backends.host.constants import HostConstant
    from bridge.backends.host.exchange import HostExchange
    from bridge.backends.transports import Offer, Transport
    from bridge.mpi import Allreduce, Communicator, PointToPoint
    from bridge.timers.recorder import Recorder

#: The address of the function that brings changed constants.
VALUES_AGAIN = function("bridge_values_again")


class CudaBackend:
    """Implements `backends.base.Backend` on one GPU.

    device_id, device_policy: which (see `devices.choose`); threads: of the CPU, which packs what
    the copy engines cannot reach; local_rank: this rank's number on its node, the launcher's word
    for it if None. DeviceError where no GPU is usable or it cannot be opened. Nothing here waits
    for another rank: `open_backend` does.
    """

    name = target = "cuda"
    native = True

    def __init__(
        self,
        device_id: int = 0,
        device_policy: str = "given",
        threads: int = 1,
        local_rank: int | None = None,
        api: Any = None,
        recorder: Recorder | None = None,
    ) -> None:
        table = policytable.current()
        api = api or Api()
        if recorder is not None:
            from bridge.backends.gpu.watched import WatchedDriver

            api = WatchedDriver(api, recorder)
        found = api.devices()
        facts = devices.choose(
            device_policy,
            device_id,
            found,
            devices.launcher_rank() if local_rank is None else local_rank,
            frozenset(os.sched_getaffinity(0)),
            [devices.cores_beside(one) for one in found],
        )
        self._device_policy = device_policy
        packing = Packing(threads)
        self.device = Device.open(api, facts, _compiler(api, facts.arch, recorder), packing, table)
        self._figures = machine.known(packing.library.isa)
        if self._figures is not None and self._figures.gpu is not None:
            if self._figures.gpu.name == facts.name:
                self.device.limits = self._figures.gpu
            else:
                self._figures = None
        self._shared: DeviceShared | None = None
        self._reduction = GpuReduction(self.device)
        ndarrays = GpuNdarrays(self.device)
        self.ndarray, self.working = ndarrays.on_memory, ndarrays.working
        self.lending = ndarrays.lending
        self._inward = DoubleBuffer(self.device.allocator, self.device.stream)
        self._outward = Staging(self.device.allocator)
        if recorder is not None:
            recorder.ledger.making(self, "program", "ordered_program", "launch_sequence")
            fields = ("launches", "copies", "bytes", "synchronisations")  # of order.h
            recorder.ledger.counts_in(function("bridge_order_counts"), *fields)

    # ---- views --------------------------------------------------------------------------

    def allocate(self, columns: int, capacity: int, dtype: str) -> DeviceArray:
        """Zeroed array of shape (columns, capacity), point index fastest."""
        device = self.device
        with device.entered(), device.watched("allocation of a view"):
            what = f"view of {columns} x {capacity} {dtype}"
            array = DeviceArray(
                device.allocator, columns, capacity, dtype, what, device.synchronize
            )
            device.order.alone()
            device.api.clear(array.address, array.nbytes, device.stream)
        return array

    def address(self, array: Any) -> int:
        return int(array.address)

    # ---- per-run data -------------------------------------------------------------------

    def set_shared(self, shared: Any) -> None:
        """Install the per-run data (`physics.shared.SharedData`); programs made later use it."""
        with self.device.entered(), self.device.watched("per-run data"):
            self._shared = DeviceShared.upload(shared, self.device.allocator)

    def set_constants(self, block: np.ndarray) -> None:
        """The constants' block goes to the device, after what was launched before."""
        with self.device.entered(), self.device.watched("constants"):
            self.device.host_data.set_constants(block)

    def constants_call(self) -> NativeCall | None:
        """What brings those that have changed."""
        device, data = self.device, self.device.host_data
        with device.entered(), device.watched("constants"):
            changed = data.changed()
        then = array("q", data.block)
        block = Condition(address_of(data.block), address_of(then), (data.block, then, changed))
        conditions = (*device.conditions(), block)
        lock = device.order.native_lock
        return NativeCall(VALUES_AGAIN, changed.address, 0, 0, True, conditions, lock)

    def recorded(self, calls: Sequence[NativeCall]) -> CapturedCalls:
        """They become a CUDA graph."""
        return CapturedCalls(self.device, calls)

    def set_table(self, name: str, values: np.ndarray) -> None:
        """Contents of a table, in Fortran's order; programs made before read them too."""
        with self.device.entered(), self.device.watched(f"table '{name}'"):
            self.device.host_data.set_table(name, values)

    def _shared_data(self, plan: Plan) -> DeviceShared:
        """What `set_shared` installed last; StateError where nothing was."""
        self.device.enter()
        if self._shared is None:
            raise StateError(f"{plan.name} needs per-run data: call set_shared first")
        return self._shared

    def check(self, kernels: Iterable[str]) -> None:
        """Kernels of packs are compiled at their first launch: nothing can be missing before."""

    # ---- programs -----------------------------------------------------------------------

    def program(
        self,
        plan: Plan,
        bindings: Mapping[str, Binding],
        further: Sequence[Mapping[str, Binding]] = (),
        *,
        block: int | None = None,
    ) -> Program:
        """Bind every input and output of `plan`, and further components of them; block: what a
        CPU takes, without meaning here.

        Raises ArgumentError where a binding is missing or does not fit its quantity.
        """
        programs = [self._program(plan, one) for one in (bindings, *further)]
        return ComponentPrograms(programs) if further else programs[0]

    def _program(self, plan: Plan, bindings: Mapping[str, Binding]) -> GpuProgram | BoxProgram:
        """Of one component of each array."""
        shared = self._shared_data(plan)
        if on_box(self.device, plan, bindings):
            return BoxProgram(self.device, plan, bindings, shared)
        return GpuProgram(self.device, plan, bindings, shared)

    def series(self, programs: Sequence[Program]) -> None:
        """See `Backend.series`: launches follow each other without the host."""

    def ordered_program(self, plan: Plan, bindings: Mapping[str, Binding]) -> Program:
        """A plan of one step with colours or a sweep, on whole arrays."""
        return BoxProgram(self.device, plan, bindings, self._shared_data(plan))

    def holds(self, binding: Binding) -> bool:
        """Whether an array lies in memory of a device."""
        return self.device.owner_of(binding.address) is not None

    def launch_sequence(
        self, plan: Plan, bindings: Mapping[str, Binding], replay: bool
    ) -> Program:
        """The plan's kernels on views, a launch each; replay: as a graph once they have run. A
        search for temperature stays one launch."""
        if any(isinstance(step, Loop) for step in plan.steps):
            return self.program(plan, bindings)
        return LaunchSequence.of(self.device, plan, bindings, self._shared_data(plan), replay)

    # ---- the caller's arrays ------------------------------------------------------------

    def adopt(self, binding: Binding) -> None:
        """Page-lock a bound array until `release`; memory of a device stays as it is. Arrays of
        many blocks, which most often share their memory, are locked together by the first run."""
        device = self.device
        with device.entered():
            if device.api.device_of(binding.address) is None:
                device.synchronize()
                lock = device.locks.add if binding.blocks is None else device.locks.expect
                lock(*self._span(binding))

    def release(self, binding: Binding) -> None:
        """The array is bound no more."""
        device = self.device
        with device.entered():
            device.synchronize()
            begin, end = self._span(binding)
            device.locks.remove(begin, end)
            device.kept_inputs.drop(begin, end)

    def reduce(
        self,
        source: Binding,
        operation: str,
        mask: Binding | None = None,
        measure: Measure = VALUE,
    ) -> list[Partial]:
        """Each column over all points: on the device where they are there, else by the CPU, which
        reads the host's memory faster than the link does. A mask follows them."""
        return self._reduction.reduce(source, operation, mask, measure)

    def repeating_reduction(
        self, source: Binding, operation: str, mask: Binding | None, measure: Measure,
        answer: Answer,
    ) -> RepeatingReduction | None:  # fmt: skip
        """See `Backend.repeating_reduction`."""
        return self._reduction.repeating(source, operation, mask, measure, answer)

    def columns_apart(self, columns: int) -> None:
        """See `Backend.columns_apart`: a device holds what it makes."""

    def reducing(self, *_: Any) -> Any:
        """See `Backend.reducing`: `columns_apart` says that there is no such program."""
        raise AssertionError("a device makes quantities whole")

    def reduce_there(
        self,
        source: Binding,
        operation: str,
        mask: Binding | None,
        measure: Measure,
        empty: float,
        root: bool,
    ) -> Binding | None:
        """See `Backend.reduce_there`."""
        return self._reduction.reduce_there(source, operation, mask, measure, empty, root)

    @staticmethod
    def _span(binding: Binding) -> tuple[int, int]:
        """Of the array with its fringe, which kernels may read."""
        return binding.grown(binding.fringe).span

    def pack(self, source: Binding, first: int, n: int, target: Any) -> None:
        """Interior points first .. first+n-1 of a host array into rows [:, :n] of a view."""
        if not n:
            return
        device = self.device
        with device.lock:
            device.enter()
            device.note("populating a view")
            columns, item = target.shape[0], target.itemsize
            try:
                address = self._inward.place(target.nbytes, columns * n * item)
                device.packing.pack_at(source, first, n, address, n, item == 4)
                self._copy(target.address, target.shape[1], address, n, columns, n, item)
            except device.api.errors as error:
                raise device.failure("populating a view", error) from error

    def unpack(self, source: Any, target: Binding, first: int, n: int) -> None:
        """Rows [:, :n] of a view into interior points first .. first+n-1 of a host array."""
        if n:
            with self.device.lock:
                self._unpack(source, target, first, n)

    def _unpack(self, source: Any, target: Binding, first: int, n: int) -> None:
        device = self.device
        device.enter()
        columns = source.shape[0]
        self._outward.reserve(source.nbytes)
        array = self._outward.array(columns, n, source.dtype)
        with device.watched("extracting a view", wait=True):
            self._copy(array.address, n, source.address, source.shape[1], columns, n,
                       source.itemsize)  # fmt: skip
            device.api.stream_synchronize(device.stream)
        device.packing.unpack(array, target, first, n)

    def _copy(
        self, target: int, target_stride: int, source: int, source_stride: int, columns: int,
        n: int, item: int,
    ) -> None:  # fmt: skip
        api, stream = self.device.api, self.device.stream
        if columns == 1:
            api.copy_async(target, source, n * item, stream)
        else:
            api.copy2d_async(target, target_stride * item, source, source_stride * item,
                             n * item, columns, stream)  # fmt: skip

    # ---- the backend --------------------------------------------------------------------

    @property
    def device_copies(self) -> ResidentCopies:
        """Copies of the caller's arrays in the memory of this GPU."""
        return ResidentCopies(self.device)

    def boxes(self, parts: Sequence[Binding]) -> GpuBoxes:
        """These boxes of an array, for buffers of the host or of this GPU."""
        with self.device.entered():
            return GpuBoxes(self.device, parts)

    def offer(self, asked: str, boxes: Sequence[Binding], ranks: Communicator | None) -> Offer:
        """See `Backend`."""
        from bridge.backends.gpu.exchange import offer  # here: most starts have none

        with self.device.entered():
            return offer(self.device, asked, boxes, ranks)

    def transport(self, offers: Sequence[Offer], ranks: Communicator | None) -> Transport:
        """See `Backend`. The first time that it is NCCL all ranks join its communicator."""
        from bridge.backends.gpu.exchange import transport

        with self.device.entered():
            return transport(self.device, offers, ranks)

    def exchange(
        self, messages: Sequence[Message], kept: Message | None, mpi: PointToPoint | None,
        tag: int, patience: float, transport: Transport,
    ) -> HostExchange:  # fmt: skip
        """See `Backend`. Boxes are all on the device, or none of them."""
        from bridge.backends.gpu.exchange import exchange

        with self.device.entered():
            return exchange(self.device, messages, kept, mpi, tag, patience, transport)

    @cached_property
    def _constants(self) -> GpuConstants:
        from bridge.backends.gpu.constants import GpuConstants  # here: most starts have none

        return GpuConstants(self.device, self._reduction)

    def constant_reduction(
        self, values: Sequence[ReducedValues], asked: ReducedConstant, ranks: Allreduce | None
    ) -> HostConstant:
        """See `Backend`."""
        return self._constants.reduction(values, asked, ranks)

    def constant_place(self, value: int) -> DevicePlace:
        """See `Backend`."""
        return self._constants.place(value)

    def synchronize(self) -> None:
        """Wait until everything asked for has happened."""
        self.device.synchronize()

    def allocations(self) -> int:
        """Allocations of device and page-locked memory so far; a steady loop makes none."""
        return self.device.allocator.count

    def met(self) -> dict[str, np.ndarray]:
        """Nothing: launches do not count status words by themselves."""
        return {}

    def describe(self) -> dict[str, str]:
        """Device, compiler target and policy, as the report prints them."""
        device, facts = self.device, self.device.facts
        return {
            "backend": self.name,
            "device": f"{facts.index}: {facts.name} at {facts.pci}, {facts.uuid}",
            "chosen by": self._device_policy,
            "target": device.arch,
            "memory": f"{facts.memory / 2**30:.1f} GiB",
            "versions": device.api.versions(),
            "launch policy": device.table.describe(device.arch),
            "threads": str(device.packing.threads),
        }

    def ways(self) -> list[str]:
        """None: there is one."""
        return []

    def limit(self) -> Limit | None:
        """The link and the memory of this GPU, as if no other rank used them; programs measure
        what their runs take."""
        figures = self._figures
        if figures is None or figures.gpu is None:
            return None
        to, back, memory = (
            f"{1e-9 * rate:.3g}" for rate in (figures.gpu.to, figures.gpu.back, figures.gpu.memory)
        )
        text = f"link {to} and {back} GB/s, memory {memory} GB/s, of {figures.machine}, "
        return Limit("GPU limit", text + figures.date)

    def close(self) -> None:
        """Free what the backend owns; page locks of arrays still bound end here. Once will do."""
        self.device.close()
        self._shared = None
        log.flush()


def _compiler(api: Api, arch: str, recorder: Recorder | None) -> Compiled:
    """Compiles for an architecture, or takes from the cache what serves this driver."""

    def compiled(text: str, headers: tuple[Path, ...]) -> bytes:
        return cache.compiled(text, arch, headers=headers, driver=api.driver()).cubin

    def timed(text: str, headers: tuple[Path, ...]) -> bytes:
        assert recorder is not None
        with recorder.host["compile"]:
            return compiled(text, headers)

    return compiled if recorder is None else timed
