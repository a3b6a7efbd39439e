"""A host whose runs on a resident array come again, and what Python has to see of them between:
test_conditions.py runs it.

Of each change it prints how many calls entered Python: of the run behind the change, and of the
next one; and how many points of the array have another value than they should.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bridge.backends.base import NativeCall, NativeLock
from bridge.backends.gpu.modules import DeviceShared
from bridge.backends.gpu.order import Order
from bridge.backends.gpu.program import GpuProgram
from bridge.bridge_config import entry_file
from bridge.frame import frame
from bridge.prepared import Change, PreparedRun

POINTS = 40
library = ctypes.CDLL(str(entry_file("libbridge.so")))
counting: Any = sys.meta_path[0]
failures: list[int] = []  # what calls have answered, other than 0
#: of the set 'near', resident, and of both sets on the host.
x, y, z = np.zeros(POINTS), np.ones(POINTS), np.zeros(POINTS)
added = 0.0


def call(name: str, *arguments: Any) -> None:
    status = ctypes.c_int()
    getattr(library, f"frame_{name}_")(*arguments, ctypes.byref(status))
    if status.value:
        failures.append(status.value)


def bind(set: bytes, name: bytes, intent: bytes, array: np.ndarray) -> None:
    bounds = (ctypes.c_int * 12)(array.size, 1, 1, 1, array.size, 1, 1, 1, 1, 1, 1, 1)
    address, scale = ctypes.c_void_p(array.ctypes.data), ctypes.c_double(1.0)
    call("bind", set, name, intent, address, bounds, scale)


def run() -> int:
    """Of the resident array: calls that entered Python."""
    global added
    before = counting.entered
    call("run", b"near", b"condAdd")
    added += factor[0] * guess.value
    return int(counting.entered - before)


def say(what: str, *numbers: object) -> None:
    print(what, *numbers, flush=True)


def after(what: str) -> None:
    """Two runs behind a change."""
    global added
    entered = run(), run()
    call("update_host", b"near", b"cond_x", None, 0)
    say(what, *entered, int((x != added).sum()))
    added = float(x[0])  # the next change is judged by itself
    run()  # notes that the copy has newer values again


factor = (ctypes.c_double * 1)(2.0)
guess = ctypes.c_double(300.0)
call("error_policy", b"return")
call("set", b"backend", b"cuda")
call("set", b"species", b"N2")
library.frame_initialize_(0, POINTS, 1, 0, 0)
call("constants", b"cond_factor", factor, 1)
bind(b"near", b"cond_x", b"inout", x)
call("enter_data", b"near", b"cond_x", b"copyin", b"host")
for set in (b"near", b"far"):
    bind(set, b"cond_y", b"in", y)
    bind(set, b"cond_z", b"out", z)
assert not failures
run()
after("nothing")


tv = frame.tvproperties
backend: Any = tv.impl.backend
device = backend.device
#: What the device gives back stays, so that a run that should not read it does no worse.
free, device.api.free = device.api.free, lambda _: None
prepared: Any = tv.plain_run("near", "condAdd", None, None)
program = prepared.launchers[0]._program

shared = program._shared
other = DeviceShared(shared.layout, shared.words.copy(), [], device.allocator)
device.modules.install(program._launch._loaded, other)
after("species")

block = device.host_data._host
backend.set_constants(block.copy())
after("block")
backend.set_constants(block)
run()

call("run", b"far", b"condScale")  # has a value at each point where the other run has one
after("pool")

guess.value = 400.0
ctypes.c_double.from_address(program._host_address("T0")).value = guess.value
after("value")

call("run_begin", b"far", b"condScale")
loop = run(), run()
call("wait", b"far")
run()
after("waited")
say("loop", *loop)

# What is said of a run holds for that one, also where it is done in C.
begin, told = GpuProgram.begin_box, list[str]()


def begin_box(self: GpuProgram, points: int, chunk: int, unchanged: Any = ()) -> None:
    told.append(",".join(sorted(unchanged)) or "none")
    begin(self, points, chunk, unchanged)


looking: Any = GpuProgram
looking.begin_box = begin_box
call("run", b"near", b"condScale")
call("unchanged", b"near", b"cond_y")
call("run", b"near", b"condScale")
call("unchanged", b"near", b"cond_y")
between = run()
call("run", b"near", b"condScale")
say("unchanged", between, *told)
assert not failures


# ---- Changes by another thread that has the lock just before C has it ---------------------------

trace: list[str] = []
#: Made when C asks for the lock, once.
change: list[Callable[[], object]] = []
real = Order.native_lock.fget  # type: ignore[attr-defined]
KIND = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
callbacks: list[Any] = []


def traced(order: Order) -> NativeLock:
    own: NativeLock = real(order)

    def take(argument: int) -> None:
        trace.append("take")
        while change:
            change.pop()()
        KIND(own.take)(argument)

    def give(argument: int) -> None:
        trace.append("give")
        KIND(own.give)(argument)

    callbacks.extend((KIND(take), KIND(give)))
    first, second = (ctypes.cast(one, ctypes.c_void_p).value or 0 for one in callbacks[-2:])
    return NativeLock(first, second, own.argument)


def in_parts() -> int:
    """Two launches; calls that entered Python."""
    before = counting.entered
    boxes = (ctypes.c_int * 12)(1, 10, 1, 1, 1, 1, 11, POINTS, 1, 1, 1, 1)
    call("run_box", b"near", b"condAdd", boxes, 2)
    return int(counting.entered - before)


def constants() -> int:
    before = counting.entered
    factor[0] += 1.0
    call("constants", b"cond_factor", factor, 1)
    return int(counting.entered - before)


def launch(*arguments: int) -> None:
    trace.append("launch")
    launched(*arguments)


looking = Order
looking.native_lock = property(traced)
launched, device.api.launch = device.api.launch, launch
backend.set_constants(block.copy())  # the records that there are have another lock
backend.set_constants(block)
constants(), in_parts()
trace.clear()
say("parts", in_parts(), *trace)
for name, again in (("run", in_parts), ("constants", constants)):
    for what, changed in (
        ("handed", backend.device_copies.hand_out),
        ("moved", partial(backend.set_constants, block.copy())),
    ):
        change.append(changed)
        entered = again()
        device.handed_out = False
        backend.set_constants(block)
        say(f"{name}-{what}", entered, len(change))
        constants(), in_parts()

# ---- Memory that is freed ---------------------------------------------------------------------

halves, half = np.ones(POINTS), POINTS // 2
bind(b"all", b"cond_x", b"inout", halves)
call("enter_data", b"all", b"cond_x", b"copyin", b"host")
calls, late = PreparedRun.calls, list[PreparedRun]()


def void(run: PreparedRun) -> list[list[NativeCall]]:
    """As if another thread bound an array of the set anew before the run is kept."""
    late.append(run)
    run.of.changed(Change.BIND)
    return calls(run)


looking = PreparedRun
looking.calls = void
call("run", b"all", b"condAdd")
looking.calls = calls
say("late", *(len(one.natives) for one in late))
for set, array in ((b"left", halves[:half]), (b"right", halves[half:])):
    bind(set, b"cond_x", b"inout", array)
    for _ in range(2):
        call("run", set, b"condAdd")
runs: Any = [tv.plain_run(set, "condAdd", None, None) for set in ("left", "right")]
say("kept", *(len(one.natives) for one in runs))
device.api.free = lambda _: say("freed", *(len(one.natives) for one in runs))
call("exit_data", b"left", b"cond_x", b"copyout")
call("run", b"right", b"condAdd")
step = factor[0] * 300.0
say("left", *(halves[[0, half]] - 1.0) / step)
assert not failures

# ---- Threads, each with a set of its own, one of which enters and leaves ------------------------

device.api.free = free
device.api.launch = launched
over = threading.Event()
own = np.zeros(POINTS)
bind(b"own", b"cond_x", b"inout", own)


def repeat(set: bytes, which: bytes) -> None:
    while not over.is_set():
        call("run", set, which)


threads = [
    threading.Thread(target=repeat, args=one)
    for one in ((b"near", b"condAdd"), (b"right", b"condAdd"), (b"far", b"condScale"))
]
for thread in threads:
    thread.start()
for _ in range(20):
    call("enter_data", b"own", b"cond_x", b"copyin", b"host")
    for _ in range(3):
        call("run", b"own", b"condAdd")
    call("exit_data", b"own", b"cond_x", b"copyout")
over.set()
for thread in threads:
    thread.join()
say("threads", *own[[0, -1]] / step, *failures)


def fails(*_: int) -> None:
    raise device.api.errors[0]("a device that fails")


run()
before = run()
asked = ("launch", "graph_launch", "synchronize")
working = [getattr(device.api, one) for one in asked]
for one in asked:
    setattr(device.api, one, fails)
call("run", b"far", b"condScale")
for one, real in zip(asked, working, strict=True):
    setattr(device.api, one, real)
entered = run()
say("failed", before, entered, *failures)
