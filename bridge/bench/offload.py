"""`bridge bench offload`: properties of a block in host memory by way of a GPU, beside what its
host link, its memory and its arithmetic can do at most and beside the Fortran on all cores of
that machine, all in one run.

The set is the thermal and viscous one: 9 thermal outputs, viscosity, conductivity and NS
mixture-averaged diffusion coefficients, from T, P and NS mass fractions.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bridge.backends.base import Binding, Box
from bridge.backends.cuda import CudaBackend
from bridge.backends.cuda.policy import POLICIES, Policy
from bridge.bench import gpus, pictures
from bridge.bench.busy import all_cores
from bridge.bench.fortran import sources
from bridge.bench.hostset import HostSet, set_plan, shared
from bridge.bench.limits import Clock, Limits, wall
from bridge.bench.report import Report, Row
from bridge.bench.request import Request
from bridge.bench.states import DEFAULT_NS, random_states
from bridge.catalogue import Catalogue

COUNTS = (1, 4, 8, 16, 53)
BLOCK = 128
CHUNKS = (8192, 32768, 131072, 262144, 524288)
#: ns per point that resident kernels are to need at most (fitted diffusion), by species.
GOALS = {1: 0.09, 4: 0.13, 16: 0.6, 53: 7.0}
#: How often the GPU is to be faster than the Fortran on all cores, by species.
FACTORS = {
    "fortran-fast": {4: 15.0, 16: 70.0, 53: 200.0},
    "fortran-tuned": {4: 15.0, 16: 45.0, 53: 70.0},
}
#: The share of the busier direction's strided copies that is to be reached, percent.
SHARE = 88.0


def measure(request: Request) -> Report:
    """Everything, at the sizes that the published figures have unless the caller wants others.

    points: of the block, rounded to a cube.
    """
    counts = COUNTS if request.ns == DEFAULT_NS else request.ns
    block = BLOCK if request.points is None else max(1, round(request.points ** (1 / 3)))
    return measure_at(counts, block, request.policies, request.fortran_stub)


def measure_at(
    counts: Sequence[int] = COUNTS,
    block: int = BLOCK,
    policies: bool = False,
    fortran_stub: str | None = None,
    backend: CudaBackend | None = None,
) -> Report:
    """All rows; counts: of species; block: points along an edge; policies: every launch policy
    as well; fortran_stub: folder of the Fortran; backend: default a new one."""
    report = Report("Properties by way of a GPU")
    # before the GPU is touched: its driver's threads would take a core's time
    fortran = busy_fortran(counts, report, fortran_stub)
    own = backend is None
    backend = backend or CudaBackend()
    report.machine |= backend.describe() | gpus.facts()
    clock = Clock(backend)
    limits = Limits(backend, clock, report)
    strided = limits.strided(block)
    lines = []
    for ns in counts:
        kernels = resident(backend, clock, report, ns, block, limits, policies)
        best = from_host(backend, report, ns, block, strided)
        lines.append(_line(report, ns, best, kernels, {k: v[ns] for k, v in fortran.items()}))
    if own:
        backend.close()
    report.summary = _text(report, lines)
    return report


# ---- the Fortran on all cores ------------------------------------------------------------------


def busy_fortran(
    counts: Sequence[int], report: Report, folder: str | None
) -> dict[str, dict[int, float]]:
    """Reference -> species -> ns per point with all cores busy; empty without a compiler."""
    if shutil.which("gfortran") is None:
        report.machine["fortran"] = "no gfortran: nothing to compare with"
        return {}
    cores = len(os.sched_getaffinity(0))
    found = all_cores(counts, sources(folder), cores)
    for name, by_ns in found.items():
        for ns, value in by_ns.items():
            params = {"ns": ns, "backend": name, "processes": cores}
            report.rows.append(Row("Fortran on all cores", params, value, "ns/point"))
    return found


# ---- resident data ----------------------------------------------------------------------------


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
    backend: CudaBackend, clock: Clock, report: Report, ns: int, block: int, limits: Limits,
    policies: bool,
) -> float:  # fmt: skip
    """The set on views: nothing crosses the link. ns per point with the fitted integral."""
    found = {}
    for omega11 in ("fitted", "exact"):
        views = ResidentSet(backend, ns, block**3 if ns <= 16 else block**3 // 8, omega11)
        for policy in variants(ns) if policies else [None]:
            backend.policy = policy
            try:
                seconds = clock.seconds(views.program(), inner=3)
            except Exception as error:  # a policy that this number of species is too much for
                if policy is None:
                    raise
                print(
                    f"policy {policy.name} of {policy.threads} threads: {error}", file=sys.stderr
                )
                continue
            finally:
                backend.policy = None
            value = seconds / views.points * 1e9
            params: dict[str, Any] = {"ns": ns, "points": views.points, "omega11": omega11}
            if policy is not None:
                params |= {"policy": policy.name, "threads": policy.threads}
            goal = GOALS.get(ns) if omega11 == "fitted" else None
            against = (None, None) if goal is None else (f"goal {goal} ns", goal / value)
            report.rows.append(Row("resident set", params, value, "ns/point", *against))
            if policy is None:
                found[omega11] = value
                share = 100.0 * views.moved / seconds / limits.memory
                report.rows.append(
                    Row("... of the memory roofline", {"ns": ns, "omega11": omega11}, share, "%")
                )
    return found["fitted"]


class ResidentSet:
    """Views of the set in device memory; moved: bytes that a run reads and writes."""

    def __init__(self, backend: CudaBackend, ns: int, points: int, omega11: str) -> None:
        self.points = points
        self._backend, self._plan = backend, set_plan(ns)
        states, catalogue = random_states(ns, self.points, kij=False), Catalogue.shipped()
        backend.set_shared(shared(states, omega11))
        inputs = {"T": states.T, "P": states.P, "Y": states.Y}
        self._bindings, self.moved = {}, 0
        for name in (*self._plan.inputs, *self._plan.outputs):
            columns, dtype = catalogue.columns(name, ns), catalogue.quantity(name).dtype
            view = backend.allocate(columns, self.points, dtype)
            if name in inputs:
                values = np.ascontiguousarray(inputs[name].reshape(self.points, -1).T)
                backend.api.copy(view.address, values.ctypes.data, values.nbytes)
            box = Box.flat(self.points, self.points)
            self._bindings[name] = Binding(view.address, box, columns, dtype=dtype, owner=view)
            self.moved += view.nbytes

    def program(self) -> Callable[[], object]:
        """One launch on all points, with the policy that the backend has now."""
        program = self._backend.program(self._plan, self._bindings)
        return partial(program.run, 0, self.points)


# ---- from host arrays to host arrays -----------------------------------------------------------


@dataclass(frozen=True)
class Fastest:
    """The best chunk of a block: ns per point, GB/s of the busier direction and of its limit."""

    chunk: int
    nanoseconds: float
    way: str
    rate: float
    limit: float


def from_host(
    backend: CudaBackend, report: Report, ns: int, block: int, strided: dict[str, float]
) -> Fastest:
    """The set from and to fringe arrays in host memory, by chunk."""
    arrays = HostSet(backend, ns, (block,) * 3)
    way, size = ("from", arrays.outward)
    if arrays.inward > arrays.outward:
        way, size = ("to", arrays.inward)
    found = []
    for chunk in CHUNKS:
        seconds = wall(partial(arrays.run, chunk))
        best = Fastest(chunk, seconds / arrays.points * 1e9, way, size / seconds * 1e-9,
                       strided[way])  # fmt: skip
        params = {"ns": ns, "block": block, "chunk": chunk, "omega11": "fitted"}
        report.rows.append(
            Row(f"host to host, bytes {way} the device", params, best.rate, "GB/s",
                f"strided copies {way} alone", best.rate / best.limit)
        )  # fmt: skip
        report.rows.append(Row("host to host", params, best.nanoseconds, "ns/point"))
        found.append(best)
    arrays.check()
    arrays.release()
    return min(found, key=lambda one: one.nanoseconds)


# ---- the table ---------------------------------------------------------------------------------


def _line(
    report: Report, ns: int, best: Fastest, kernels: float, fortran: dict[str, float]
) -> dict[str, object]:
    """Rows of the comparison with the Fortran, and a line of the table."""
    line: dict[str, object] = {
        "NS": ns,
        "ns/point": round(best.nanoseconds, 2),
        "chunk": best.chunk,
        "GB/s": f"{best.rate:.1f} {best.way}",
        "of copies alone": f"{100.0 * best.rate / best.limit:.0f}% of {best.limit:.1f}",
        "kernels ns": round(kernels, 3),
        "goal": GOALS.get(ns, ""),
    }
    params = {"ns": ns, "chunk": best.chunk, "omega11": "fitted"}
    for name in fortran:
        ratio = fortran[name] / best.nanoseconds
        report.rows.append(
            Row("GPU against all cores", params, best.nanoseconds, "ns/point", name, ratio)
        )
        short, wanted = name.removeprefix("fortran-"), FACTORS[name].get(ns)
        line[f"{short} ns"] = round(fortran[name], 1)
        line[f"{short}/GPU"] = f"{ratio:.1f}" + (f" (goal {wanted:.0f})" if wanted else "")
    return line


def _text(report: Report, lines: list[dict[str, object]]) -> str:
    """The comparison, then every other figure."""
    from tabulate import tabulate

    rest = [
        (row.name, " ".join(f"{k}={v}" for k, v in row.params.items()), row.value, row.unit,
         row.reference or "", "" if row.ratio is None else f"{row.ratio:.2f}")
        for row in report.rows
    ]  # fmt: skip
    headers = ("what", "parameters", "value", "unit", "reference", "times better")
    return "\n\n".join(
        [
            "Host to host, fitted integral, best chunk, against all cores of this machine",
            tabulate(lines, "keys"),
            tabulate(rest, headers, floatfmt=".3f"),
        ]
    )


def plot(report: Report, path: str) -> None:
    """ns per point over the number of species: the GPU, its kernels, all cores; the share of the
    link beside it."""
    pictures.offload(report, path)
