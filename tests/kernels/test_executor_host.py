"""The executor and its host: memory outside the arrays, the floating-point environment."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hosts import TIME_LIMIT
from kernels.jobs import CATALOGUE, ISAS, SHARED, composite_plan, states

from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import bind, run_plan

# ---- memory ----------------------------------------------------------------------------------

GUARDED = """
import ctypes, mmap
import numpy as np
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import bind, run_plan
from bridge.plan.catalogue import Catalogue
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

page, pages = mmap.PAGESIZE, 8
libc = ctypes.CDLL(None, use_errno=True)

def guarded(values, at_end):
    # the array touches a page that may be neither read nor written
    block = mmap.mmap(-1, (pages + 2) * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(block))
    for place in (start, start + (pages + 1) * page):
        assert libc.mprotect(ctypes.c_void_p(place), page, 0) == 0
    flat = values.ravel(order="K")
    offset = (pages + 1) * page - flat.nbytes if at_end else page
    raw = np.frombuffer(block, dtype=values.dtype, count=flat.size, offset=offset)
    raw[:] = flat
    blocks.append(block)
    order = "F" if values.flags.f_contiguous else "C"
    return raw.reshape(values.shape, order=order)

blocks = []
catalogue = Catalogue.shipped()
shared = SharedData(SpeciesData.resolve(["O2", "CH4"]))
composite = catalogue.composite("eosThermalProperties")
plan = catalogue.plan((*composite.outputs, "Yc"), composite.inputs, 2)
for isa in {isas}:
    backend = CpuBackend(1, isa)
    backend.set_shared(shared)
    for n in (1, 2, 3, 5, 7, 8, 9, 13, 255, 257, 301):
        for order in "CF":
            for at_end in (True, False):
                Y = np.full((n, 2), 0.5, order=order)
                inputs = dict(T=np.full(n, 300.0), P=np.full(n, 1e6), Y=Y)
                expected = run_plan(plan, inputs, shared, backend=backend)
                arrays = {{k: guarded(np.asarray(v, order=order), at_end)
                          for k, v in {{**inputs, **expected}}.items()}}
                for name in expected:
                    arrays[name][...] = 0
                backend.program(plan, {{k: bind(a) for k, a in arrays.items()}}).run(0, n)
                for name, values in expected.items():
                    assert np.array_equal(arrays[name], values), name
print("fine")
"""


def run_script(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
    )


def test_nothing_outside_the_arrays_is_read_or_written() -> None:
    run = run_script(GUARDED.format(isas=ISAS))
    assert run.returncode == 0, f"{run.returncode}: {run.stderr[-2000:]}"
    assert "fine" in run.stdout


def test_scratch_is_allocated_once() -> None:
    inputs, plan = states(2000), composite_plan("eosThermalAndViscousProperties")
    backend = CpuBackend(2)
    run_plan(plan, inputs, SHARED, backend=backend)
    run_plan(
        composite_plan("prEOSCalcTFromHP"),
        inputs | {"h_target": np.zeros(2000), "T0": np.full(2000, 300.0)},
        SHARED,
        backend=backend,
    )
    before = backend.library.allocations
    for n in (2000, 100, 1, 1500):
        part = {key: values[:n] for key, values in inputs.items()}
        run_plan(plan, part, SHARED, backend=backend)
    assert backend.library.allocations == before


def test_views_are_aligned_zeroed_and_addressed() -> None:
    backend = CpuBackend()
    for columns, extent, dtype in ((1, 1, "float64"), (6, 33, "float64"), (1, 7, "int32")):
        view = backend.allocate(columns, extent, dtype)
        assert view.shape == (columns, extent) and view.dtype == dtype and not view.any()
        assert backend.address(view) % 64 == 0
        assert backend.address(view) == view.ctypes.data
    wide = backend.allocate(4, 8, "float64")
    assert backend.address(wide[2:]) == wide.ctypes.data + 2 * 64


# ---- the caller's floating-point environment ---------------------------------------------------

TRAPPING = """
import ctypes, os
import numpy as np
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import bind
from bridge.plan.catalogue import Catalogue
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

libm = ctypes.CDLL("libm.so.6")
INVALID, DIVBYZERO, OVERFLOW = 1, 4, 8
traps = INVALID | DIVBYZERO | OVERFLOW
n = 1024
inputs = dict(T=np.full(n, 300.0), P=np.full(n, 1e6), Y=np.full((n, 2), 0.5))
inputs["T"][::3] = np.nan
inputs["P"][1::3] = 0.0
inputs["Y"][2::7] = 0.0
catalogue = Catalogue.shipped()
composite = catalogue.composite("eosThermalAndViscousProperties")
plan = catalogue.plan(composite.outputs, composite.inputs, 2)
arrays = dict(inputs)
for name in plan.outputs:
    quantity, columns = catalogue.quantity(name), catalogue.columns(name, 2)
    arrays[name] = np.zeros((n, columns), dtype=quantity.dtype)
backend = CpuBackend({threads}, {isa!r})
backend.set_shared(SharedData(SpeciesData.resolve(["O2", "CH4"])))
bindings = {{name: bind(array) for name, array in arrays.items()}}
program = backend.executor(plan, bindings, block=256)  # else so few points are worth no thread
huge = np.full(100000, 1e300)
view = backend.allocate(1, 100000, "float64")
scaled = bind(huge, scale=1e300)
libm.feenableexcept(traps)
program.run(0, n)
program.run(0, n)
backend.pack(scaled, 0, 100000, view)
backend.unpack(view, scaled, 0, 100000)
libm.fedisableexcept(traps)
assert np.isnan(arrays["rho"][0]) and np.isinf(view[0, 0])
print("fine", flush=True)
libm.feenableexcept(traps)
{call}
libm.feraiseexcept(DIVBYZERO)
print("the trap is gone", flush=True)
"""
CALLS = (
    "program.run(0, n)",
    "backend.pack(scaled, 0, 100000, view)",
    "backend.unpack(view, scaled, 0, 100000)",
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("threads, isa", [(1, isa) for isa in ISAS] + [(2, ISAS[0])])
def test_a_host_with_traps_lives_and_keeps_them(isa: str, threads: int, call: str) -> None:
    run = run_script(TRAPPING.format(isa=isa, threads=threads, call=call))
    assert "fine" in run.stdout, f"{run.returncode}: {run.stderr[-2000:]}"
    assert run.returncode == -signal.SIGFPE and "trap is gone" not in run.stdout


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_host_that_flushes_to_zero_changes_no_bit(isa: str, threads: int) -> None:
    """-Ofast sets FTZ and DAZ in the thread's control word, and new threads inherit it."""
    libm = ctypes.CDLL("libm.so.6")
    host, flushing = (ctypes.c_uint32 * 8)(), (ctypes.c_uint32 * 8)()  # fenv_t; 7: MXCSR
    n = 400
    tiny = np.full(n, 3e-310)
    gamma, view = np.zeros(n), np.zeros((1, n))
    backend = CpuBackend(threads, isa)
    backend.set_shared(SHARED)
    plan = CATALOGUE.single("prEOSGamma", 6)
    bindings = {"cp": bind(tiny), "cv": bind(np.ones(n)), "gamma": bind(gamma)}
    program = backend.executor(plan, bindings, block=64)
    half = bind(tiny, scale=0.5)
    libm.fegetenv(host)
    ctypes.memmove(flushing, host, ctypes.sizeof(host))
    flushing[7] |= 0x8040
    libm.fesetenv(flushing)
    program.run(0, n)
    backend.pack(half, 0, n, view)
    libm.fegetenv(flushing)
    libm.fesetenv(host)
    assert flushing[7] & 0x8040 == 0x8040, "the host's control word was not given back"
    assert (gamma.view(np.int64) == tiny.view(np.int64)).all()
    assert (view == tiny * 0.5).all()


# ---- threads ---------------------------------------------------------------------------------

ONE_CORE = """
import os
import numpy as np
from kernels.jobs import SHARED, composite_plan, states
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.single import bind, run_plan

plan = composite_plan("eosThermalProperties")
inputs = states(4000)
expected = run_plan(plan, inputs, SHARED)
backend = CpuBackend(2)
backend.set_shared(SHARED)
arrays = {**inputs, **{name: np.zeros_like(one) for name, one in expected.items()}}
program = backend.program(plan, {name: bind(one) for name, one in arrays.items()})
sharing = program._sharing

def run():
    for name in expected:
        arrays[name][...] = 0
    program.run(0, 4000)
    for name, values in expected.items():
        assert np.array_equal(arrays[name], values), name

assert program.threads(4000) == 2
os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])
for _ in range(500):  # unless the system runs one thread in the midst of the other
    if sharing.owed <= 0:
        run()
assert sharing.owed > 0 and sharing.points == 4000 and sharing.weight > 1, "one core loses"
much, weight = 10**15, sharing.weight
sharing.owed = much
run()
assert much // 2 < sharing.owed < much and sharing.weight == weight, "one thread works it off"
sharing.points, owed = 100, sharing.owed
run()
assert sharing.owed == owed or sharing.owed < much // 2, "many more points: in several threads"
print("fine")
"""


def test_what_several_threads_have_lost_one_works_off() -> None:
    """Two threads on one core are slower than one; results are the same."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", ONE_CORE], capture_output=True, text=True,
        timeout=TIME_LIMIT, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stdout == "fine\n", done.stderr
