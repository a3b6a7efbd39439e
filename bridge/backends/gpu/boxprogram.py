"""A plan on a box of arrays of device memory, or on many blocks: one launch, no copies, no chunks.

Beside `program`, whose runs copy chunks of host arrays. Taken where all arrays of a set are in
device memory, where kernels read neighbours, and for many blocks; arrays of the host have device
images then.
"""

from __future__ import annotations

import ctypes
import math
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from bridge.backends.base import Binding, Condition, NativeCall, Spent, address_of, bound
from bridge.backends.gpu.blockimages import BlockImages
from bridge.backends.gpu.blocklaunch import BlockLaunch
from bridge.backends.gpu.blocklaunch import form_of as form_of_blocks
from bridge.backends.gpu.boximages import BoxImages
from bridge.backends.gpu.boxlaunch import BoxLaunch, form_of, reach_of
from bridge.backends.gpu.device import Device
from bridge.backends.gpu.modules import DeviceShared
from bridge.backends.gpu.order import MAIN
from bridge.backends.gpu.program import GpuProgram
from bridge.backends.gpu.shares import Clock
from bridge.backends.gpu.transfers import NUMBERS
from bridge.backends.orderlibrary import function
from bridge.errors import ArgumentError, BridgeError
from bridge.plan.plan import Plan

#: The address of the function that does a `bridge_work` again.
WORK_AGAIN = function("bridge_work_again")
#: Where an array is found.
DEVICE, HOST, VALUE, NOWHERE = range(4)


def on_box(device: Device, plan: Plan, bindings: Mapping[str, Binding]) -> bool:
    """Whether a plan on these arrays is a launch on a box: it reads neighbours, its points are
    those of many blocks, or all arrays of a set are in device memory. Views, which are of no set,
    are consecutive points."""
    found = bound(plan, bindings)
    if plan.around or any(binding.blocks is not None for binding in found.values()):
        return True
    places = {name: _place(device, binding) for name, binding in found.items()}
    mine = [found[name] for name, place in places.items() if place == DEVICE]
    return HOST not in places.values() and any(binding.group for binding in mine)


def _place(device: Device, binding: Binding) -> int:
    """Where what a binding stands for is found."""
    if binding.position or not binding.columns or not binding.box.points:
        return NOWHERE
    if device.owner_of(binding.address) is not None:
        return DEVICE
    same = not any(binding.box.stride)
    if same and device.host_data.constant(binding.address) is not None:
        return VALUE
    return VALUE if same and binding.columns == 1 else HOST


def _same_blocks(a: Binding, b: Binding) -> bool:
    return a.blocks is not None and b.blocks is not None and a.blocks.same_points(b.blocks)


class BoxProgram:
    """What `CudaBackend.program` returns for such arrays.

    on_host: whether the CPU has a part in the copies of images. Raises ArgumentError where boxes
    differ or an array's fringe is narrower than kernels read.
    """

    def __init__(
        self, device: Device, plan: Plan, bindings: Mapping[str, Binding], shared: DeviceShared
    ) -> None:
        self.plan = plan
        self._device = device
        self._shared = shared
        self._bindings = bound(plan, bindings)
        self._reach = reach_of(plan)
        self._group = next((b.group for b in self._bindings.values()), "")
        places = {name: _place(device, b) for name, b in self._bindings.items()}
        self._values = [name for name, place in places.items() if place == VALUE]
        self._known: list[tuple[int, float]] = []
        self._pool = -1  # its generation when values were put there
        self._constants = {
            name for name, b in self._bindings.items() if name in self._values or not b.columns
        }
        for name in plan.outputs:
            if name in self._values:
                wanted = "an element for each point"
                raise ArgumentError(name, "one element for all points, which is written", wanted)
        self._host = {n: self._bindings[n] for n, place in places.items() if place == HOST}
        self._of_blocks = any(binding.blocks is not None for binding in self._bindings.values())
        self._extent = self._check()
        self._foreign = self._check_owners(places)
        self._images: BoxImages | BlockImages | None = None
        self._launch: BoxLaunch | None = None
        self._flat: GpuProgram | None = None
        self._event = 0
        self._pending = False
        #: Number of the stream that was taken last, until that was waited for.
        self._number: int | None = None
        self._launches = 0
        self._work = device.order.work(device.recent.number(plan.name))
        self._work.count(address_of(device.kept_inputs.runs(self._group)))
        #: What C compares before it does the work: the number of the per-run data, the block of
        #: constants, the generation of the pool, and values that the host has, as words.
        self._met = array("q", (shared.number, 0, 0, *(0 for _ in self._values)))
        self._on_device = {name for name, place in places.items() if place == DEVICE}
        self._clock = Clock(device)
        # bytes of a point that are read and written on the device
        self._resident = sum(
            self._bindings[name].columns * self._bindings[name].itemsize
            for table in (plan.inputs, plan.outputs)
            for name in table
            if places[name] == DEVICE
        )

    # ---- what is refused ----------------------------------------------------------------------

    def _check(self) -> tuple[int, int, int]:
        """Points along x, y, z."""
        mine = {n: b for n, b in self._bindings.items() if n not in self._constants}
        extents = {name: binding.box.extent for name, binding in mine.items()}
        first = next(iter(extents), "")
        for name, extent in extents.items():
            if extent != extents[first]:
                wanted = f"{extents[first]}, as '{first}' has"
                raise ArgumentError(name, f"a box of {extent} points", wanted)
            if self._of_blocks and not _same_blocks(mine[name], mine[first]):
                wanted = f"points in the blocks that '{first}' has"
                raise ArgumentError(name, "points in other blocks", wanted)
        for name, needed in self._reach.items():
            binding = self._bindings[name]
            missing = needed.missing(binding.fringe) if name in mine else []
            if name in self.plan.cells_alone:
                continue
            if binding.box.points and missing:
                got = ", ".join(f"{there} layers {side}" for side, _, there in missing)
                wanted = ", ".join(f"{n} {side}" for side, n, _ in missing)
                raise ArgumentError(name, got, f"{wanted}, which {self.plan.name} reads")
        return extents.get(first, (1, 1, 1))

    def _check_owners(self, places: Mapping[str, int]) -> bool:
        """Whether another library has allocated some of the memory."""
        device, foreign = self._device, False
        for name, place in places.items():
            address = self._bindings[name].address
            if place == DEVICE and not device.allocator.holds(address):
                owner, foreign = device.owner_of(address), True
                if owner != device.facts.index:
                    wanted = f"memory of GPU {device.facts.index}, this rank's"
                    raise ArgumentError(name, f"memory of GPU {owner}", wanted)
        return foreign

    # ---- runs ---------------------------------------------------------------------------------

    def run(self, first: int, n: int) -> None:
        """Evaluate points first .. first+n-1 (0-based) of every binding; of kernels that read
        neighbours or have an order all of them."""
        points = math.prod(self._extent)
        if (first, n) == (0, points):
            self.begin_box(points, points)
            self.wait_box()
            return
        if self._reach or self.plan.ordered or self._of_blocks:
            got = f"points {first} .. {first + n - 1} of {self.plan.name}"
            why = "they are those of many blocks" if self._of_blocks else "it reads neighbours"
            raise ArgumentError("n", got, f"all {points} points: {why}")
        if self._flat is None:
            self._flat = GpuProgram(self._device, self.plan, self._bindings, self._shared)
        self._flat.run(first, n)

    def run_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> int:
        """All points; returns the number of launches."""
        self.begin_box(points, chunk, unchanged)
        return self.wait_box()

    def begin_box(self, points: int, chunk: int, unchanged: Collection[str] = ()) -> None:
        """Set all points going, in order on the device's stream, and return.

        chunk, unchanged: for programs that copy chunks, without meaning here.
        """
        if not points:
            return
        device = self._device
        with device.lock:
            device.enter()
            if self._pending and self._images is not None:
                self._wait()  # the images hold what that run has not yet given back
            device.note(self.plan.name)
            try:
                if self.launches:
                    self._begin_in_order()
                else:
                    self._begin_alone(points)
                    device.kept_inputs.next_run(self._group)
            except device.api.errors as error:
                raise device.failure(self.plan.name, error) from error

    def _begin_in_order(self) -> None:
        """On the stream of what reads and writes the same memory."""
        device = self._device
        if device.running is not None:
            device.follow_runs()
        launch = self._prepared()
        launch.make_ready()
        self._work.go()
        self._number = self._work.stream
        self._launches, self._pending = launch.parts, device.handed_out
        if self._pending:
            device.api.record(self._event, device.order.stream_of(self._number))

    def _begin_alone(self, points: int) -> None:
        """On the main stream, after everything else and before what comes later."""
        device = self._device
        self._follow()
        launch = self._prepared()
        launch.make_ready()
        images = self._images.transfers if self._images is not None else []
        self._clock.begin(images, points, self._resident)
        self._issue(launch)
        device.api.record(self._event, device.stream)
        self._number, self._launches, self._pending = MAIN, launch.parts, True
        if self._images is not None:
            device.running = self

    @property
    def launches(self) -> bool:
        """Whether a run is a launch and nothing else."""
        return not self._host and not self._foreign and self._device.limits is None

    def natives(self) -> list[NativeCall]:
        """The launch, for callers that are no Python; none where a run is more than that."""
        sizes = [self._bindings[name].itemsize for name in self._values if not self._kept(name)]
        if self._launch is None or not self.launches or any(size != 8 for size in sizes):
            return []
        conditions, lock = tuple(self._conditions()), self._device.order.native_lock
        work = self._work.address
        return [NativeCall(WORK_AGAIN, work, 0, 0, True, conditions, lock, captured=True)]

    def _conditions(self) -> Iterator[Condition]:
        """What has to be as it was when Python did the work."""
        device, launch, met = self._device, self._launch, address_of(self._met)
        assert launch is not None
        yield from device.conditions()
        yield Condition(address_of(launch.installed), met, (launch.installed, self._met))
        block = device.host_data.block
        yield Condition(address_of(block), met + 8, block)
        pool = device.pool.growths
        for number, name in enumerate(self._values, 3):
            if not self._kept(name):
                yield Condition(address_of(pool), met + 16, pool)
                yield Condition(self._host_address(name), met + 8 * number)

    def failure(self) -> BridgeError | None:
        """Why the launch failed when somebody who is no Python asked for it."""
        return self._device.failed_in_c(self.plan.name, self._work.made.error)

    def spent(self) -> Spent:
        """Of the latest run that was waited for."""
        return self._clock.spent

    def issue(self) -> None:
        """The work alone, in order on the device's stream: for whoever records it in a graph, or
        waits by himself. Images are no one's but this run's until then."""
        launch = self._prepared()
        launch.make_ready()
        self._issue(launch)

    def _issue(self, launch: BoxLaunch) -> None:
        stream = self._device.stream
        events = self._images.bring(stream) if self._images is not None else ()
        launch.go(stream, events)
        if self._images is not None:
            self._images.take(stream)

    @property
    def on_host(self) -> bool:
        """Known once images are there; until then it may be so."""
        return self._images.on_host if self._images is not None else bool(self._host)

    def events(self) -> list[int]:
        """At whose end everything that was begun has happened."""
        return [self._event] if self._pending else []

    def wait(self) -> int:
        """Everything that was begun has happened; returns the number of launches."""
        if self._number is not None:
            device = self._device
            with device.lock:
                device.enter()
                self._mark()
                self._wait()
        return self._launches

    def _follow(self) -> None:
        """What was begun before this may write what this reads: chunk loops, and on streams of
        their own whoever else allocated the memory."""
        device = self._device
        device.order.alone()
        if device.running is not None:
            if device.running.on_host or self.on_host:
                device.running.wait()
            else:
                for event in device.running.events():
                    device.api.stream_wait(device.stream, event)
        if self._foreign:
            device.api.synchronize()

    def _prepared(self) -> BoxLaunch:
        """The launch with its arguments; images are made anew where arrays are reached
        otherwise, values are those of now."""
        launch, images = self._launch, self._images
        now = [self._value(name) for name in self._values]
        kept = {address for address, _ in now if address}
        pooled = any(not address for address, _ in now)  # the pool may have given its memory back
        same = now == self._known and (not pooled or self._pool == self._device.pool.generation)
        if launch is not None and same and (images is None or images.reachable):
            return launch
        device = self._device
        self._event = self._event or device.api.event(device.limits is not None)
        if self._host and (images is None or not images.reachable):
            kind = BlockImages if self._of_blocks else BoxImages
            images = self._images = kind(device, self.plan, self._host, self._reach)
        self._known = now
        self._work.set(self._places(self.plan.inputs, kept), self._places(self.plan.outputs, ()))
        known = dict(zip(self._values, now, strict=True))
        located = {
            name: self._located(name, binding, known.get(name, (0, 0.0)))
            for name, binding in self._bindings.items()
        }
        self._pool = device.pool.generation
        self._meet()
        self._launch = self._launch_on(located, images)
        if launch not in (None, self._launch):
            self._met[0] = -1  # C compares what is in the module of the launch before
        self._work.launch(self._launch.launches())
        return self._launch

    def _meet(self) -> None:
        """Note what the launch has been prepared for."""
        self._met[1:3] = array("q", (self._device.host_data.block[0], self._pool))
        for number, name in enumerate(self._values, 3):
            if not self._kept(name) and self._bindings[name].itemsize == 8:
                self._met[number] = ctypes.c_int64.from_address(self._host_address(name)).value

    def _launch_on(
        self, located: Mapping[str, Binding], images: BoxImages | BlockImages | None
    ) -> BoxLaunch:
        """The launch there is, if it has the right form."""
        device, plan, shared, constants = self._device, self.plan, self._shared, self._constants
        launch = self._launch
        if not self._of_blocks:
            same = form_of(plan, located, constants, self._reach)
            if launch is None or launch.form != same:
                return BoxLaunch(device, plan, shared, located, constants)
            launch.set(located)
            return launch
        targets = images.targets if isinstance(images, BlockImages) else {}
        cuts = images.cuts if isinstance(images, BlockImages) else None
        if not isinstance(launch, BlockLaunch) or launch.form != form_of_blocks(
            plan, located, constants, targets
        ):
            return BlockLaunch(device, plan, shared, located, constants, targets, cuts)
        launch.place(located, targets, cuts)
        return launch

    def _places(self, names: Iterable[str], further: Iterable[int]) -> tuple[int, ...]:
        """The memory of the device that arrays of these names lie in, and that at addresses."""
        arrays = (self._bindings[name].address for name in names if name in self._on_device)
        found = map(self._device.order.place, (*arrays, *further))
        return tuple({place for place in found if place is not None})

    def _value(self, name: str) -> tuple[int, float]:
        """Where a value of all points is kept on the device; 0, and the value, where it is not."""
        binding, kept = self._bindings[name], self._kept(name)
        if kept is not None:
            return kept, 0.0
        at = self._host_address(name)
        return 0, NUMBERS[binding.dtype].from_address(at).value * binding.scale

    def _kept(self, name: str) -> int | None:
        return self._device.host_data.constant(self._bindings[name].address)

    def _host_address(self, name: str) -> int:
        binding = self._bindings[name]
        return binding.address + binding.box.offset * binding.itemsize

    def _located(self, name: str, binding: Binding, value: tuple[int, float]) -> Binding:
        """What stands for an array on the device."""
        if self._images is not None and name in self._images.bindings:
            return self._images.bindings[name]
        if name not in self._values:
            return binding
        kept, number = value
        if kept:
            return replace(binding, address=kept)
        dtype = self.plan.slots[self.plan.inputs[name]].dtype
        address = self._device.pool.constant(number, dtype, 1)
        return replace(binding, address=address, dtype=dtype, scale=1.0)

    def done(self) -> bool:
        """Whether the device has done what `begin_box` asked for."""
        with self._device.entered():
            self._mark()
            return not self._pending or self._device.api.event_done(self._event)

    def _mark(self) -> None:
        """Put the event behind what was begun, where it is not there yet."""
        if self._number is not None and not self._pending:
            device = self._device
            device.api.record(self._event, device.order.stream_of(self._number))
            self._pending = True

    def wait_box(self) -> int:
        """Results are in the arrays, or will be before anything that the bridge does with them
        later: what lies in its own memory alone is not waited for. Returns the number of
        launches."""
        device = self._device
        mine = self._images is None and not self._foreign and not device.handed_out
        launches = self._launches if mine and device.limits is None else self.wait()
        self._launches = 0
        return launches

    def _wait(self) -> None:
        device, self._pending, self._number = self._device, False, None
        if device.running is self:
            device.running = None
        device.note(self.plan.name)
        try:
            device.api.event_synchronize(self._event)
        except device.api.errors as error:
            raise device.failure(self.plan.name, error) from error
        device.recent.clear()  # what came before is known to be sound
        self._clock.end([self._event])
        if self._images is not None:
            self._images.settle()

    def __del__(self) -> None:
        try:
            self._clock.close()
            if self._event:
                self._device.api.event_destroy(self._event)
        except Exception:  # at interpreter exit, or after the device failed
            pass
