"""One opened GPU: context, streams, memory, modules, failures; all that programs know of it.

A vendor's backend opens it and hands it down to `program` and `launchsequence`, and
these to what is below them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from bridge.backends.base import Condition, address_of
from bridge.backends.gpu.crossings import Crossings
from bridge.backends.gpu.driver import Driver, Facts
from bridge.backends.gpu.hostdata import HostData
from bridge.backends.gpu.keptinputs import KeptInputs
from bridge.backends.gpu.memory import Allocator, Pool
from bridge.backends.gpu.modules import Compiled, Modules
from bridge.backends.gpu.order import Order
from bridge.backends.gpu.pagelocks import PageLocks
from bridge.backends.gpu.policy import Policy, Walk
from bridge.backends.gpu.policytable import Table
from bridge.backends.host.packing import Packing
from bridge.backends.orderlibrary import library
from bridge.errors import DeviceError
from bridge.machine import Gpu

if TYPE_CHECKING:
    from bridge.backends.gpu.nccl import Nccl

#: Buffers that every array has for chunks, used in turn: so many chunks are under way at the same
#: time, each on a stream of its own.
CHUNK_BUFFERS = 3

_ZERO = array("q", (0,))


class Running(Protocol):
    """The chunk loop, or launch on images of host arrays, that was begun last."""

    @property
    def on_host(self) -> bool:
        """Whether the CPU has a part in it."""
        ...

    def events(self) -> list[int]:
        """Those at whose end everything that was begun has happened."""
        ...

    def wait(self) -> int:
        """Everything that was begun has happened; returns the number of chunks."""
        ...


class Recent:
    """Names of what was asked for since the device last answered, the latest ones; state: the
    words of order.h, where C notes names by their numbers."""

    def __init__(self, state: Any) -> None:
        lib = library()
        self._state = state
        self._noted, self._first = lib.BRIDGE_NOTED, lib.BRIDGE_RECENT
        self._room = lib.BRIDGE_RECENT_NAMES
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Of a name that C notes."""
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self._names)
            self._names.append(name)
        return found

    def note(self, name: str) -> None:
        """One more, unless it is the latest."""
        state, number = self._state, self.number(name)
        noted = state[self._noted]
        if noted and state[self._first + (noted - 1) % self._room] == number:
            return
        state[self._first + noted % self._room] = number
        state[self._noted] = noted + 1

    def clear(self) -> None:
        """The device has answered."""
        self._state[self._noted] = 0

    def __iter__(self) -> Iterator[str]:
        noted = self._state[self._noted]
        for at in range(max(noted - self._room, 0), noted):
            yield self._names[self._state[self._first + at % self._room]]


class Entered:
    """What `Device.entered` gives."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def __enter__(self) -> None:
        self._device.lock.acquire()
        try:
            self._device.enter()
        except BaseException:
            self._device.lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._device.lock.release()


class Watched:
    """What `Device.watched` gives."""

    __slots__ = ("_device", "_wait", "_what")

    def __init__(self, device: Device, what: str, wait: bool) -> None:
        self._device = device
        self._what = what
        self._wait = wait

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            if self._wait:
                self._device.recent.clear()
        elif isinstance(error, self._device.api.errors):
            raise self._device.failure(self._what, error) from error


class Device:
    """A GPU of this process, made by `open`.

    facts: what it is; compiled: the vendor's compiler for it; stream: of launches on views,
    stripes and graphs; streams: one for each chunk buffer, and of runs that `order` puts there;
    copies: of copies that go ahead of these; fork: the event at which these leave
    `stream`; packing: of what the copy engines cannot reach; table: of launch policies; policy: of
    every launch, for measurements, in the place of what the table says; walk: of launches that
    read neighbours; sharers: ranks that have this GPU, as far as anybody has said; limits: of this
    kind of GPU, where `bridge advise` has measured them, then runs are timed; running: the chunk
    loop that was begun last; nccl: the communicator of all ranks, once they have joined it;
    no_nccl: why they could not; lock: for one thread at a time; recent: what was asked for since
    the device last answered.
    """

    def __init__(
        self, api: Driver, facts: Facts, compiled: Compiled, packing: Packing, table: Table
    ) -> None:
        api.use(facts.index)
        self.api = api
        self.facts = facts
        self.arch = facts.arch
        self.packing = packing
        self.table = table
        self.policy: Policy | None = None
        self.walk = Walk()
        self.sharers = 1
        self.limits: Gpu | None = None
        self.stream, self.fork = api.stream(), api.event()
        self.streams = [api.stream() for _ in range(CHUNK_BUFFERS)]
        self.copies = api.stream()
        self.allocator = Allocator(api)
        self.pool = Pool(self.allocator, self.synchronize)
        self.locks = PageLocks(api)
        self.kept_inputs = KeptInputs(self.allocator)
        self.order = Order(api, self.allocator, (self.stream, *self.streams), self.copies)
        self.recent = Recent(self.order.state)
        self.crossings = Crossings(api, self.allocator, self.order, self.synchronize)
        self.modules = Modules(api, compiled, self.allocator, self.synchronize)
        self.host_data = HostData(
            self.allocator, self.order, self.recent.number("constants"),
            partial(self.modules.marshal_function, "carry_words"), self.synchronize,
        )  # fmt: skip
        self.nccl: Nccl | None = None
        self.no_nccl = ""
        self._running: Running | None = None
        self.lock = self.order.lock  # several threads may evaluate at once
        self._entered = Entered(self)
        self._failed: str | None = None

    @classmethod
    def open(
        cls, api: Driver, facts: Facts, compiled: Compiled, packing: Packing, table: Table
    ) -> Device:
        """Make the context of a device, and its streams; DeviceError where another process has
        the device for itself, say, or it has no memory left for one more."""
        try:
            return cls(api, facts, compiled, packing, table)
        except api.errors as error:
            raise DeviceError(
                f"GPU {facts.index} ({facts.pci}) cannot be opened: {error}"
            ) from error

    # ---- what C has to know of it -------------------------------------------------------

    @property
    def running(self) -> Running | None:
        return self._running

    @running.setter
    def running(self, running: Running | None) -> None:
        self._running = running
        self.order.state[library().BRIDGE_RUNNING] = running is not None

    @property
    def handed_out(self) -> bool:
        """Whether others have addresses of its memory: runs are waited for then."""
        return bool(self.order.state[library().BRIDGE_HANDED_OUT])

    @handed_out.setter
    def handed_out(self, handed_out: bool) -> None:
        self.order.state[library().BRIDGE_HANDED_OUT] = handed_out

    def conditions(self) -> list[Condition]:
        """Of work that C asks for by itself: it has not failed, nothing else is under way, and
        nobody expects that a run that has returned is over."""
        lib, zero = library(), address_of(_ZERO)
        words = (lib.BRIDGE_FAILED, lib.BRIDGE_RUNNING, lib.BRIDGE_HANDED_OUT)
        return [Condition(self.order.word(word), zero, self.order) for word in words]

    # ---- every entry --------------------------------------------------------------------

    def enter(self) -> None:
        """Every entry sets its device; after a device failure there is none."""
        if self._failed is not None:
            raise DeviceError(f"the GPU failed before and the process must end: {self._failed}")
        self.api.use(self.facts.index)

    def entered(self) -> Entered:
        """One thread at a time, on this device."""
        return self._entered

    def synchronize(self) -> None:
        """Wait until everything asked for has happened."""
        with self.entered(), self.watched("waiting for the GPU", wait=True):
            for stream in (self.stream, *self.streams, self.copies):
                self.api.stream_synchronize(stream)
            self.order.forget()

    def follow_runs(self) -> None:
        """What is asked for next on `stream` finds what runs, and the chunk loop that was begun
        last, leave. What comes after it begins behind what is on `stream` then."""
        self.order.alone()
        if self.running is None:
            return
        if self.running.on_host:
            self.settle_runs()
            return
        for event in self.running.events():
            self.api.stream_wait(self.stream, event)

    def settle_runs(self) -> None:
        """The host's memory has what the chunk loop that was begun last leaves."""
        if self.running is not None:
            self.running.wait()

    # ---- memory -------------------------------------------------------------------------

    @property
    def generation(self) -> tuple[int, int, int]:
        """Changes whenever memory that a graph may hold was given up."""
        return self.pool.generation, self.locks.generation, self.kept_inputs.generation

    def owner_of(self, address: int) -> int | None:
        """The GPU whose memory an address belongs to; None for the host's."""
        if self.allocator.holds(address):
            return self.facts.index
        return self.api.device_of(address)

    # ---- failure and end ----------------------------------------------------------------

    def watched(self, what: str, wait: bool = False) -> Watched:
        """Turn a CUDA error into one that names what caused it.

        wait: whether what is done here waits for the device, so that what came before is known
        to be sound afterwards.
        """
        self.note(what)
        return Watched(self, what, wait)

    def note(self, what: str) -> None:
        """Remember what was asked for since the device last answered."""
        self.recent.note(what)

    def failure(self, what: str, error: BaseException) -> DeviceError:
        """A CUDA error, with what caused it. A device that has failed stays failed."""
        names = ", ".join(self.recent)
        self.lost(f"{what}: {error}")
        return DeviceError(
            f"{what} failed on GPU {self.facts.index} ({self.facts.pci}): {error}; "
            f"launched since the device last answered: {names}. "
            "CUDA_LAUNCH_BLOCKING=1 names the launch itself"
        )

    def failed_in_c(self, what: str, code: int) -> DeviceError | None:
        """The same of what C has asked the driver for; None where the code is of no error."""
        if not code:
            return None
        with self.lock:
            self.api.use(self.facts.index)
            return self.failure(what, self.api.error(code))

    def lost(self, after: str) -> bool:
        """Whether the device has failed for good, as after an illegal address.
        after: what later calls say that it was."""
        if self._failed is None:
            try:
                self.api.synchronize()
            except self.api.errors:
                self._failed = after
                self.order.state[library().BRIDGE_FAILED] = 1
        return self._failed is not None

    def close(self) -> None:
        """Free what is here; page locks of arrays still bound end. Once will do."""
        if not self.streams:
            return
        if self._failed is None:
            self.synchronize()
            self.locks.close()
        if self.nccl is not None:
            self.nccl.close(self._failed is not None)
            self.nccl = None
        self.modules.clear()
        if self._failed is None:
            self.order.close()
            for stream in (*self.streams, self.copies, self.stream):
                self.api.stream_destroy(stream)
            self.allocator.close()
        self.streams = []
