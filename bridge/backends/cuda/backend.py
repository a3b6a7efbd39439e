"""`CudaBackend`: views in device memory, plans as single launches, arrays over the host link."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import Any

from bridge import log
from bridge.backends.base import Binding, Program
from bridge.backends.cuda import devices, policytable
from bridge.backends.cuda.api import Api
from bridge.backends.cuda.chain import Chain
from bridge.backends.cuda.memory import (
    Allocator,
    Conveyor,
    DeviceArray,
    PageLocks,
    Pool,
    Staging,
    span,
)
from bridge.backends.cuda.modules import DeviceShared, Modules
from bridge.backends.cuda.policy import Policy
from bridge.backends.cuda.program import CudaProgram
from bridge.backends.cuda.stores import Stores
from bridge.backends.cuda.sweep import SLOTS, Sweep
from bridge.backends.host.packing import Packing
from bridge.errors import DeviceError, StateError
from bridge.plan import Loop, Plan


@dataclass(frozen=True)
class Slot:
    """A chunk under way: its stream."""

    stream: int


class CudaBackend:
    """Implements `backends.base.Backend` on one GPU.

    device_id, device_policy: which (see `devices.choose`); threads: of the CPU, which packs what
    the copy engines cannot reach; local_rank: this rank's number on its node, the launcher's word
    for it if None. policy: of every launch, for measurements, in the place of what the table says;
    sharers: ranks that have this GPU, as far as anybody has said. DeviceError where no GPU is
    usable or it cannot be opened. Nothing here waits for another rank: `open_backend` does.
    """

    name = "cuda"

    def __init__(
        self,
        device_id: int = 0,
        device_policy: str = "given",
        threads: int = 1,
        local_rank: int | None = None,
        api: Api | None = None,
    ) -> None:
        self.table = policytable.current()
        self.api = api or Api()
        found = self.api.devices()
        self.device = devices.choose(
            device_policy,
            device_id,
            found,
            devices.launcher_rank() if local_rank is None else local_rank,
            frozenset(os.sched_getaffinity(0)),
            [devices.cores_beside(one) for one in found],
        )
        self._device_policy = device_policy
        self.sharers = 1
        self.packing = Packing(threads)
        self.policy: Policy | None = None
        self.allocator = Allocator(self.api)
        self.pool = Pool(self.allocator, self.synchronize)
        self.locks = PageLocks(self.api)
        self._open()
        self._shared: DeviceShared | None = None
        self._given: Any = None
        self.modules = Modules(self.api, self.device.arch, self.allocator, self.synchronize)
        self._inward = Conveyor(self.allocator, self.stream)
        self._outward = Staging(self.allocator)
        self.flying: Sweep | None = None  # the loop that was begun last
        self.stores = Stores(self.allocator)
        self.lock = RLock()  # several threads may evaluate at once
        self.recent: deque[str] = deque(maxlen=8)
        self._failed: str | None = None

    def _open(self) -> None:
        """The context of the device, and what all work passes through; DeviceError where another
        process has the device for itself, say, or it has no memory left for one more."""
        try:
            self.api.use(self.device.index)
            self.stream = self.api.stream()
            self.fork = self.api.event()
            self.slots = [Slot(self.api.stream()) for _ in range(SLOTS)]
        except self.api.errors as error:
            raise DeviceError(
                f"GPU {self.device.index} ({self.device.pci}) cannot be opened: {error}"
            ) from error

    # ---- views --------------------------------------------------------------------------

    def allocate(self, columns: int, extent: int, dtype: str) -> DeviceArray:
        """Zeroed array of shape (columns, extent), point index fastest."""
        self.enter()
        with self.watched("allocation of a view"):
            what = f"view of {columns} x {extent} {dtype}"
            array = DeviceArray(self.allocator, columns, extent, dtype, what, self.stream)
            self.api.clear(array.address, array.nbytes, self.stream)
        return array

    def address(self, array: Any) -> int:
        return int(array.address)

    # ---- per-run data -------------------------------------------------------------------

    def set_shared(self, shared: Any) -> None:
        """Install the per-run data (`bridge.shared.SharedData`); programs made later use it."""
        with self.entered(), self.watched("per-run data"):
            self._shared = DeviceShared(shared, self.allocator)

    def shared_data(self) -> DeviceShared:
        """What `set_shared` installed last; StateError where nothing was."""
        if self._shared is None:
            raise StateError("no per-run data: call set_shared first")
        return self._shared

    def check(self, kernels: Iterable[str]) -> None:
        """Kernels of packs are compiled at their first launch: nothing can be missing before."""

    # ---- programs -----------------------------------------------------------------------

    def program(
        self, plan: Plan, bindings: Mapping[str, Binding], *, block: int | None = None
    ) -> CudaProgram:
        """Bind every input and output of `plan`; block: what a CPU takes, without meaning here.

        Raises ArgumentError where a binding is missing or does not fit its quantity.
        """
        self.enter()
        if self._shared is None:
            raise StateError(f"{plan.name} needs per-run data: call set_shared first")
        return CudaProgram(self, plan, bindings, self._shared)

    def chain(self, plan: Plan, bindings: Mapping[str, Binding], replay: bool) -> Program:
        """The plan's kernels on views, a launch each; replay: as a graph once they have run. A
        search for temperature stays one launch."""
        self.enter()
        if self._shared is None:
            raise StateError(f"{plan.name} needs per-run data: call set_shared first")
        if any(isinstance(step, Loop) for step in plan.steps):
            return self.program(plan, bindings)
        return Chain(self, plan, bindings, self._shared, replay)

    # ---- the caller's arrays ------------------------------------------------------------

    def adopt(self, binding: Binding) -> None:
        """Page-lock a bound array until `release`; memory of a device stays as it is."""
        with self.entered():
            if self.api.device_of(binding.address) is None:
                self.synchronize()
                self.locks.add(*self._span(binding))

    def release(self, binding: Binding) -> None:
        """The array is bound no more."""
        with self.entered():
            self.synchronize()
            begin, end = self._span(binding)
            self.locks.remove(begin, end)
            self.stores.drop(begin, end)

    def clear_the_way(self, sweep: Sweep) -> None:
        """Chunk buffers are common to all loops: this one follows the one that is under way.

        The device keeps that order; only a loop in which the CPU has a part is waited for here.
        """
        before, self.flying = self.flying, None
        if before is None:
            return
        if before.on_host or sweep.on_host or before is sweep:
            before.wait()
        else:
            for event in before.events():
                self.api.stream_wait(self.stream, event)

    @staticmethod
    def _span(binding: Binding) -> tuple[int, int]:
        itemsize = 4 if binding.dtype == "int32" else 8
        return span(binding.address, binding.box, binding.columns, itemsize)

    def device_of(self, address: int) -> int | None:
        """The GPU whose memory an address belongs to; None for the host's."""
        if self.allocator.holds(address):
            return self.device.index
        return self.api.device_of(address)

    def pack(self, source: Binding, first: int, n: int, target: Any) -> None:
        """Interior points first .. first+n-1 of a host array into rows [:, :n] of a view."""
        if not n:
            return
        with self.lock:
            self.enter()
            self.note("populating a view")
            columns, item = target.shape[0], target.itemsize
            try:
                address = self._inward.place(target.nbytes, columns * n * item)
                self.packing.pack_at(source, first, n, address, n, item == 4)
                self._copy(target.address, target.shape[1], address, n, columns, n, item)
            except self.api.errors as error:
                raise self.failure("populating a view", error) from error

    def unpack(self, source: Any, target: Binding, first: int, n: int) -> None:
        """Rows [:, :n] of a view into interior points first .. first+n-1 of a host array."""
        if n:
            with self.lock:
                self._unpack(source, target, first, n)

    def _unpack(self, source: Any, target: Binding, first: int, n: int) -> None:
        self.enter()
        columns = source.shape[0]
        self._outward.reserve(source.nbytes)
        array = self._outward.array(columns, n, source.dtype.name)
        with self.watched("extracting a view", wait=True):
            self._copy(array.address, n, source.address, source.shape[1], columns, n,
                       source.itemsize)  # fmt: skip
            self.api.stream_synchronize(self.stream)
        self.packing.unpack(array, target, first, n)

    def _copy(
        self, target: int, target_stride: int, source: int, source_stride: int, columns: int,
        n: int, item: int,
    ) -> None:  # fmt: skip
        if columns == 1:
            self.api.copy_async(target, source, n * item, self.stream)
        else:
            self.api.copy2d_async(target, target_stride * item, source, source_stride * item,
                                  n * item, columns, self.stream)  # fmt: skip

    # ---- failure and end ----------------------------------------------------------------

    def enter(self) -> None:
        """Every entry sets its device; after a device failure there is none."""
        if self._failed is not None:
            raise DeviceError(f"the GPU failed before and the process must end: {self._failed}")
        self.api.use(self.device.index)

    @property
    def generation(self) -> tuple[int, int, int]:
        """Changes whenever memory that a graph may hold was given up."""
        return self.pool.generation, self.locks.generation, self.stores.generation

    @contextmanager
    def entered(self) -> Iterator[None]:
        """One thread at a time, on this device."""
        with self.lock:
            self.enter()
            yield

    @contextmanager
    def watched(self, what: str, wait: bool = False) -> Iterator[None]:
        """Turn a CUDA error into one that names what caused it.

        wait: whether what is done here waits for the device, so that what came before is known
        to be sound afterwards.
        """
        self.note(what)
        try:
            yield
        except self.api.errors as error:
            raise self.failure(what, error) from error
        if wait:
            self.recent.clear()

    def note(self, what: str) -> None:
        """Remember what was asked for since the device last answered."""
        recent = self.recent
        if not recent or recent[-1] != what:
            recent.append(what)

    def failure(self, what: str, error: BaseException) -> DeviceError:
        """A CUDA error told with what caused it; a device that answers no more stays so."""
        names = ", ".join(self.recent)
        self.lost(f"{what}: {error}")
        return DeviceError(
            f"{what} failed on GPU {self.device.index} ({self.device.pci}): {error}; "
            f"launched since the device last answered: {names}. "
            "CUDA_LAUNCH_BLOCKING=1 names the launch itself"
        )

    def lost(self, after: str) -> bool:
        """Whether the device answers no more: an illegal address, say, stays with the process.
        after: what later calls say that it was."""
        if self._failed is None:
            try:
                self.api.synchronize()
            except self.api.errors:
                self._failed = after
        return self._failed is not None

    def synchronize(self) -> None:
        """Wait until everything asked for has happened."""
        self.enter()
        with self.watched("waiting for the GPU", wait=True):
            self.api.stream_synchronize(self.stream)
            for slot in self.slots:
                self.api.stream_synchronize(slot.stream)

    def allocations(self) -> int:
        """Pieces of device and page-locked memory taken so far; a steady loop takes none."""
        return self.allocator.count

    def describe(self) -> dict[str, str]:
        """Device, compiler target and policy, as the report prints them."""
        device = self.device
        return {
            "backend": self.name,
            "device": f"{device.index}: {device.name} at {device.pci}, {device.uuid}",
            "chosen by": self._device_policy,
            "target": device.arch,
            "memory": f"{device.memory / 2**30:.1f} GiB",
            "versions": self.api.versions(),
            "launch policy": self.table.describe(device.arch),
            "threads": str(self.packing.threads),
        }

    def close(self) -> None:
        """Free what the backend owns; page locks of arrays still bound end here. Once will do."""
        if not self.slots:
            return
        if self._failed is None:
            self.synchronize()
            self.locks.close()
        self.modules.clear()
        self._shared = None
        if self._failed is None:
            for slot in self.slots:
                self.api.stream_destroy(slot.stream)
            self.api.stream_destroy(self.stream)
            self.allocator.close()
        self.slots = []
        log.flush()
