"""`bridge bench offload`: properties of a block in host memory by way of a GPU, beside what its
host link, its memory and its arithmetic can do at most and beside the Fortran on all cores of
that machine, all in one run.

The set is the thermal and viscous one: 9 thermal outputs, viscosity, conductivity and NS
mixture-averaged diffusion coefficients, from T, P and NS mass fractions.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from bridge.backends.cuda import CudaBackend
from bridge.bench import flops, gpus, pictures
from bridge.bench.allcores import all_cores
from bridge.bench.hostset import HostSet
from bridge.bench.limits import Clock, Limits, LinkAlone, wall
from bridge.bench.request import Request
from bridge.bench.residentset import GOALS, resident
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report, Row
from bridge.measuring.states import DEFAULT_NS
from bridge.progress import each, waiting

COUNTS = (1, 4, 8, 16, 53)
BLOCK = 128
CHUNKS = (8192, 32768, 131072, 262144, 524288, 1048576, 2097152)
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
    if backend is None:
        gpus.refuse_none("bench offload")
    report = Report("Properties by way of a GPU")
    # before the GPU is touched: its driver's threads would take a core's time
    with waiting("the Fortran on all cores", alone=False):
        fortran = fortran_on_all_cores(counts, report, fortran_stub)
    with waiting("counting the operations of a point", alone=False):
        operations = flops.per_point(counts) if backend is None else {}
    own = backend is None
    backend = backend or CudaBackend()
    report.machine |= backend.describe() | gpus.facts()
    clock = Clock(backend)
    with waiting("the rates of memory, arithmetic and link", alone=False):
        limits = Limits(backend, clock, report)
        strided = limits.strided(block)
    lines = []
    for ns in each(counts, "NS ="):
        kernels = resident(clock, report, ns, block, limits, policies, operations.get(ns))
        best = from_host(backend, report, ns, block, strided)
        lines.append(_line(report, ns, best, kernels, {k: v[ns] for k, v in fortran.items()}))
    if own:
        backend.close()
    report.summary = _text(report, lines)
    return report


# ---- the Fortran on all cores ------------------------------------------------------------------


def fortran_on_all_cores(
    counts: Sequence[int], report: Report, folder: str | None
) -> dict[str, dict[int, float]]:
    """Reference -> species -> ns per point with all cores busy; empty without a compiler."""
    if shutil.which("gfortran") is None:
        report.machine["fortran"] = "no gfortran: nothing to compare with"
        return {}
    cores = len(os.sched_getaffinity(0))
    alone = all_cores(counts, sources(folder), 1, 0.1)
    found = all_cores(counts, sources(folder), cores)
    for name, by_ns in found.items():
        for ns, value in by_ns.items():
            params = {"ns": ns, "backend": name, "processes": cores}
            speedup = alone[name][ns] / value
            report.rows.append(
                Row("Fortran on all cores", params, value, "ns/point", "one process", speedup)
            )
    return found


# ---- from host arrays to host arrays -----------------------------------------------------------


@dataclass(frozen=True)
class Fastest:
    """The best chunk of a block: ns per point, GB/s of the busier direction and of its limit;
    copies: ns per point of the same copies, in both directions at once, without a kernel."""

    chunk: int
    nanoseconds: float
    direction: str
    rate: float
    limit: float
    copies: float

    @property
    def share(self) -> float:
        """Percent of the limit."""
        return 100.0 * self.rate / self.limit


def from_host(
    backend: CudaBackend, report: Report, ns: int, block: int, strided: dict[str, float]
) -> Fastest:
    """The set from and to fringe arrays in host memory, by chunk."""
    arrays = HostSet(backend, ns, (block,) * 3)
    direction, size = ("from", arrays.outward)
    if arrays.inward > arrays.outward:
        direction, size = ("to", arrays.inward)
    alone = LinkAlone(backend, arrays.plan, arrays.bindings)
    copies = wall(alone.run) / arrays.points * 1e9
    del alone
    both = {"ns": ns, "block": block}
    report.rows.append(Row("copies of both ways alone", both, copies, "ns/point"))
    found = []
    for chunk in CHUNKS:
        seconds = wall(partial(arrays.run, chunk))
        best = Fastest(
            chunk,
            seconds / arrays.points * 1e9,
            direction,
            size / seconds * 1e-9,
            strided[direction],
            copies,
        )
        params = {"ns": ns, "block": block, "chunk": chunk, "omega11": "fitted"}
        report.rows.append(
            Row(
                f"host to host, bytes {direction} the device",
                params,
                best.rate,
                "GB/s",
                f"strided copies {direction} alone",
                best.rate / best.limit,
            )
        )
        report.rows.append(
            Row(
                "host to host",
                params,
                best.nanoseconds,
                "ns/point",
                "copies of both ways alone",
                copies / best.nanoseconds,
            )
        )
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
        "GB/s": f"{best.rate:.1f} {best.direction}",
        f"of copies alone (goal {SHARE:.0f}%)": f"{best.share:.0f}% of {best.limit:.1f}",
        "of both ways' copies": f"{100.0 * best.copies / best.nanoseconds:.0f}%",
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
        (
            row.name,
            " ".join(f"{k}={v}" for k, v in row.params.items()),
            row.value,
            row.unit,
            row.reference or "",
            "" if row.ratio is None else f"{row.ratio:.2f}",
        )
        for row in report.rows
    ]
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
