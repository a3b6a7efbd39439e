"""`bridge bench offload`: properties of a block in host memory by way of a GPU, beside what its
host link, its memory and its arithmetic can do at most, all in one run.

The set is the thermal and viscous one: 9 thermal outputs, viscosity, conductivity and NS
mixture-averaged diffusion coefficients, from T, P and NS mass fractions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.cuda import CudaBackend
from bridge.backends.cuda.pieces import Piece, axes, plan_copies
from bridge.backends.cuda.policy import POLICIES, Policy
from bridge.bench.report import Report, Row
from bridge.bench.request import Request
from bridge.catalogue import Catalogue
from bridge.frame import Frame
from bridge.plan import Plan
from bridge.shared import SharedData
from bridge.species import SpeciesData

SET = ("rho", "h", "cp", "cv", "rho_p", "rho_T", "h_p", "h_T", "c", "eta", "lambda", "D_im")
COUNTS = (1, 4, 8, 16, 53)
BLOCK, FRINGE = 128, 3
#: ns per point that resident kernels are to need at most (fitted diffusion), by species.
GOALS = {1: 0.09, 4: 0.13, 16: 0.6, 53: 7.0}

_PEAK = """
extern "C" __global__ void peak(double* out, double a, double b, int turns) {
    double x[8];
    #pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
    for (int turn = 0; turn < turns; ++turn) {
        #pragma unroll
        for (int k = 0; k < 8; ++k) x[k] = x[k] * a + b;
    }
    double sum = 0.0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) sum += x[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


class Clock:
    """Device time of work on the backend's stream, by events."""

    def __init__(self, backend: CudaBackend) -> None:
        self._backend = backend
        self._events = [backend.api.event(timing=True) for _ in range(2)]

    def seconds(self, work: Callable[[], Any], repeats: int = 7, inner: int = 1) -> float:
        """Median over repeats of one turn of `work`, after one that does not count."""
        api, stream = self._backend.api, self._backend.stream
        work()
        times = []
        for _ in range(repeats):
            api.record(self._events[0], stream)
            for _ in range(inner):
                work()
            api.record(self._events[1], stream)
            api.event_synchronize(self._events[1])
            times.append(api.elapsed(*self._events) * 1e-3 / inner)
        return median(times)


def wall(work: Callable[[], Any], repeats: int = 7) -> float:
    """Median wall-clock seconds of `work`, which returns when everything has happened."""
    work()
    work()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)


def measure(_request: Request | None = None) -> Report:
    """Everything, at the sizes that the published figures have."""
    return measure_at()


def measure_at(
    counts: Sequence[int] = COUNTS, block: int = BLOCK, policies: bool = True
) -> Report:
    """All rows; counts: of species; block: points along an edge; policies: every launch policy
    as well."""
    backend = CudaBackend()
    report = Report("Properties by way of a GPU")
    report.machine |= backend.describe()
    clock = Clock(backend)
    limits = Limits(backend, clock, report)
    strided = limits.strided(block)
    for ns in counts:
        resident(backend, clock, report, ns, limits, policies)
    latency(clock, report)
    for ns in counts:
        from_host(backend, report, ns, block, strided)
    backend.close()
    return report


# ---- what the machine can do ------------------------------------------------------------------


class Limits:
    """The host link, the device's memory and its double-precision arithmetic."""

    def __init__(self, backend: CudaBackend, clock: Clock, report: Report) -> None:
        self._backend, self._clock, self._report = backend, clock, report
        size = 1 << 29
        api = backend.api
        host, near, far = api.host_malloc(size), api.malloc(size), api.malloc(size)
        stream = backend.stream
        for name, target, source in (("to", near, host), ("from", host, near)):

            def copy(target: int = target, source: int = source) -> None:
                api.copy_async(target, source, size, stream)

            self._row(f"plain page-locked copy {name} the device", size, clock.seconds(copy))

        def both() -> None:
            api.copy_async(near, host, size // 2, backend.slots[0].stream)
            api.copy_async(host + size // 2, far, size // 2, backend.slots[1].stream)
            backend.synchronize()

        self._row("plain copies, both ways at once, each", size // 2, wall(both))

        def within() -> None:
            api.copy_async(far, near, size, stream)

        seconds = clock.seconds(within)
        self.memory = 2 * size / seconds
        self._row("copy within the device, read + written", 2 * size, seconds)
        api.host_free(host)
        api.free(near)
        api.free(far)
        self.arithmetic = self._peak()

    def _row(self, name: str, size: int, seconds: float, **named: Any) -> float:
        rate = size / seconds * 1e-9
        self._report.rows.append(Row(name, {"MB": size >> 20, **named}, rate, "GB/s"))
        return rate

    def _peak(self) -> float:
        from bridge.backends.cuda import cache

        backend = self._backend
        module = backend.api.load(cache.compiled(_PEAK, backend.device.arch).cubin)
        function, keep = backend.api.function(module, "peak", 0)
        blocks, threads, turns = backend.device.processors * 8, 256, 4096
        out = backend.api.malloc(8 * blocks * threads)
        words = (ctypes.c_void_p(out), ctypes.c_double(0.999), ctypes.c_double(1e-3),
                 ctypes.c_int(turns))  # fmt: skip
        parameters = (ctypes.c_void_p * 4)(*map(ctypes.addressof, words))

        def launch() -> None:
            backend.api.launch(function, blocks, threads, 0, backend.stream,
                               ctypes.addressof(parameters))  # fmt: skip

        rate = 16 * turns * blocks * threads / self._clock.seconds(launch)
        self._report.rows.append(
            Row("double-precision multiply-adds", {}, rate * 1e-12, "TFLOP/s")
        )
        backend.api.free(out)
        del keep
        return rate

    def strided(self, block: int) -> dict[str, float]:
        """GB/s of interior bytes of a fringe array, for a direction alone and both at once."""
        backend, api = self._backend, self._backend.api
        columns, rates = 8, {}
        arrays = [fringed(block, columns) for _ in range(2)]
        buffers = []
        moves = []
        for array, binding in arrays:
            backend.adopt(binding)
            size = 8 * columns * block**3
            buffers.append(api.malloc(size))
            piece = Piece((0, 0, 0), (block, block, block), 0)
            copies = plan_copies(axes(binding.box, piece, columns, block**3), 8)
            moves.append((copies, array.ctypes.data + 8 * binding.box.offset, buffers[-1]))
        size = 8 * columns * block**3
        for name, inward in (("to", True), ("from", False)):

            def one(inward: bool = inward) -> None:
                copies, far, near = moves[0]
                copies.run(api, far, near, inward, backend.stream)

            rates[name] = self._row(
                f"strided copy {name} the device", size, self._clock.seconds(one), block=block
            )

        def both() -> None:
            for slot, inward in ((0, True), (1, False)):
                copies, far, near = moves[slot]
                copies.run(api, far, near, inward, backend.slots[slot].stream)
            backend.synchronize()

        rates["both"] = self._row(
            "strided copies, both ways at once, each", size, wall(both), block=block
        )
        for _, binding in arrays:
            backend.release(binding)
        for address in buffers:
            api.free(address)
        return rates


def fringed(block: int, columns: int) -> tuple[np.ndarray, Binding]:
    """A cube with fringes, component last, and its interior as memory of a plan."""
    full = block + 2 * FRINGE
    array = np.zeros((full, full, full, columns), order="F")
    stride = (1, full, full * full)
    box = Box((block,) * 3, stride, full**3, FRINGE * sum(stride))
    return array, Binding(array.ctypes.data, box, columns, owner=array)


# ---- resident data ----------------------------------------------------------------------------


def species(ns: int) -> SharedData:
    return SharedData(SpeciesData.load(list(SpeciesData.load(None).names)[:ns]))


def set_plan(ns: int) -> Plan:
    return Catalogue.shipped().plan(SET, ("T", "P", "Y"), ns, name="thermalAndViscous")


def states(n: int, ns: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(ns)
    return {
        "T": random.uniform(200.0, 3000.0, n),
        "P": random.uniform(5e6, 3e7, n),
        "Y": random.dirichlet(np.ones(ns), n),
    }


def variants(ns: int) -> list[Policy | None]:
    """The policy that is chosen, then every other one worth a look."""
    found: list[Policy | None] = [None]
    for policy in POLICIES.values():
        if policy.unroll and ns > 16:
            continue
        if policy.name == "registers" and ns > 8:
            continue
        for threads in (64, 128, 256):
            if policy.tile_all and threads * ns * 8 * 6 > 220 * 1024:
                continue
            found.append(replace(policy, threads=threads))
    return found


def resident(
    backend: CudaBackend, clock: Clock, report: Report, ns: int, limits: Limits, policies: bool
) -> None:
    """The set on views: nothing crosses the link."""
    n = 1 << (21 if ns <= 16 else 18)
    backend.set_shared(species(ns))
    plan, inputs, catalogue = set_plan(ns), states(n, ns), Catalogue.shipped()
    views: dict[str, Any] = {}
    bindings = {}
    for name in (*plan.inputs, *plan.outputs):
        columns, dtype = catalogue.columns(name, ns), catalogue.quantity(name).dtype
        view = views[name] = backend.allocate(columns, n, dtype)
        if name in inputs:
            values = np.ascontiguousarray(inputs[name].reshape(n, -1).T)
            backend.api.copy(view.address, values.ctypes.data, values.nbytes)
        bindings[name] = Binding(view.address, Box.flat(n, n), columns, dtype=dtype, owner=view)
    moved = sum(view.nbytes for view in views.values())
    for policy in variants(ns) if policies else [None]:
        backend.policy = policy
        try:
            program = backend.program(plan, bindings)
            seconds = clock.seconds(lambda p=program: p.run(0, n), inner=3)  # type: ignore[misc]
        except Exception as error:
            report.rows.append(Row(f"resident: {error}"[:90], {"ns": ns}, float("nan"), ""))
            backend.policy = None
            continue
        nanoseconds = seconds / n * 1e9
        params: dict[str, Any] = {"ns": ns, "points": n, "omega11": "EXACT"}
        if policy is not None:
            params |= {"policy": policy.name, "threads": policy.threads}
        goal = GOALS.get(ns)
        report.rows.append(
            Row(
                "resident set",
                params,
                nanoseconds,
                "ns/point",
                None if goal is None else f"goal {goal} ns (fitted)",
                None if goal is None else goal / nanoseconds,
            )  # fmt: skip
        )
        if policy is None:
            share = moved / seconds / limits.memory
            report.rows.append(Row("... of the memory roofline", {"ns": ns}, 100.0 * share, "%"))
    backend.policy = None


# ---- what a call costs -------------------------------------------------------------------------


def latency(clock: Clock, report: Report) -> None:
    """Stripes and launches on few points, from Python: seconds until the call has returned, and
    for launches until the device has done many of them."""
    frame = Frame()
    for key, value in (("backend", "cuda"), ("species", "O2 CH4 CO2 H2O")):
        frame.set(key, value)
    frame.initialize(0, 8192, 4, 9, 0)
    tv, n = frame.tvproperties, 64
    inputs = states(n, 4)
    shapes = {name: np.asfortranarray(values.reshape(4, 4, 4, -1, order="F"))
              for name, values in inputs.items()}  # fmt: skip
    bounds = (4, 4, 4, 1, 4, 1, 4, 1, 4, 1)
    for name, array in shapes.items():
        transfer = tv.stripe("in", name, array.ctypes.data, *bounds, array.shape[3])
        _per_call(report, f"stripe of {n} points of {name} in", 8.0,
                  partial(transfer.run, 1, n), tv.impl.backend.synchronize)  # fmt: skip
    composite = "eosThermalAndViscousProperties"
    tv.composite(composite, n)
    rho = np.zeros((4, 4, 4, 1), order="F")
    transfer = tv.stripe("out", "rho", rho.ctypes.data, *bounds, 1)
    _per_call(report, f"stripe of {n} points of rho out", None, partial(transfer.run, 1, n))
    launches: list[tuple[str, float, Callable[[], Any]]] = [
        (composite, 10.0, lambda: tv.composite(composite, n)),
        ("prEOSCheckInput", 8.0, lambda: tv.launch("prEOSCheckInput", n)),
    ]
    for name, limit, work in launches:
        _per_call(report, f"launch of {name}, {n} points", limit, work,
                  tv.impl.backend.synchronize)  # fmt: skip
    frame.finalize()


def _per_call(
    report: Report, name: str, limit: float | None, work: Callable[[], Any],
    finish: Callable[[], Any] = lambda: None, calls: int = 200,
) -> None:  # fmt: skip
    def many() -> None:
        for _ in range(calls):
            work()
        finish()

    value = wall(many, 5) / calls * 1e6
    against = None if limit is None else f"limit {limit} us"
    report.rows.append(Row(name, {"calls": calls}, value, "us", against, limit and limit / value))


# ---- from host arrays to host arrays -----------------------------------------------------------


def from_host(
    backend: CudaBackend, report: Report, ns: int, block: int, strided: dict[str, float]
) -> None:
    """The set from and to fringe arrays in host memory."""
    backend.set_shared(species(ns))
    plan, catalogue = set_plan(ns), Catalogue.shipped()
    inputs = states(4096, ns)
    arrays, bindings = {}, {}
    for name in (*plan.inputs, *(name for name in plan.outputs if name != "status")):
        columns = catalogue.columns(name, ns)
        array, bindings[name] = fringed(block, columns)
        arrays[name] = array
        if name in inputs:
            values = inputs[name].reshape(4096, -1)
            for c in range(columns):
                array[..., c] = np.resize(values[:, c], array.shape[:3])
        backend.adopt(bindings[name])
    if "status" in plan.outputs:
        array, bindings["status"] = fringed(block, 1)
        arrays["status"] = array
        backend.adopt(bindings["status"])
    points = block**3
    inward = 8 * points * sum(bindings[name].columns for name in plan.inputs)
    outward = 8 * points * sum(bindings[name].columns for name in plan.outputs)
    busier, size = ("to", inward) if inward > outward else ("from", outward)
    for chunk in (8192, 32768, 131072, 262144, 524288):
        program = backend.program(plan, bindings)
        seconds = wall(lambda p=program, c=chunk: p.run_box(points, c))  # type: ignore[misc]
        rate = size / seconds * 1e-9
        params = {"ns": ns, "block": block, "chunk": chunk}
        report.rows.append(
            Row(
                f"host to host, bytes {busier} the device",
                params,
                rate,
                "GB/s",
                f"strided copies {busier} alone",
                rate / strided[busier],
            )  # fmt: skip
        )
        report.rows.append(Row("host to host", params, seconds / points * 1e9, "ns/point"))
        del program
    for binding in bindings.values():
        backend.release(binding)
