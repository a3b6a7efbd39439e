"""`bridge bench solver`: a jet of the flow solver under mpirun, with and without the bridge.

The same case, ranks and compiler flags: in Fortran alone, then with its properties or with all of
a step through the bridge, on the CPU and, where there is one, on the GPU, with and without CUDA's
multi-process service. A table shows the time of a step and of its parts, and how many times faster
than Fortran alone that is; `most` is what no time at all for properties would give, and `bound`
what the bytes of a step on a device would take. On the CPU one rank also takes turns with
properties and with all of a step through the bridge. First steps are left out: compilers, page
locks and first touches belong to no step.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bridge.bench import gpus, mps, pictures
from bridge.bench.processes import launcher, run
from bridge.bench.request import Request
from bridge.bench.stepbytes import bytes_of_a_cell
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report, Row, progress
from bridge.measuring.states import DEFAULT_NS
from bridge.progress import waiting

Extent = tuple[int, int, int]


@dataclass(frozen=True)
class Case:
    """A case of fortran_stub/cases, its cells and the steps that count."""

    file: str
    cells: Extent
    steps: int


#: By the number of species.
CASES = {
    1: Case("flow1.nml", (128, 128, 128), 5),
    6: Case("flow6.nml", (128, 128, 128), 5),
    16: Case("flow16.nml", (128, 128, 64), 4),
}
RANKS = 16
#: Blocks of a rank.
BLOCKS = 2
WARMUP = 2
#: Steps on a GPU for one on the CPU.
MORE_STEPS = 5
#: Turns of one rank with each of two variants.
TURNS = 3
#: Width of a cell, m: layers of the cases have six cells.
SPACING = 1.6e-6
#: Layers of cells around a block, which cannot be thinner.
FRINGE = 3
#: Compiler flags of the whole solver, the legacy physics included.
FLAGS = "-O3 -march=native -ffast-math"
#: Points of a chunk.
MAX_BLOCK = 131072


@dataclass(frozen=True)
class Variant:
    """A run: offload, what the bridge does; service: through the multi-process service."""

    offload: str
    backend: str | None = None
    service: bool = False

    @property
    def name(self) -> str:
        if self.backend is None:
            return self.offload
        where = "CPU" if self.backend == "cpu" else "GPU"
        return f"{self.offload}, {where}" + (", MPS" if self.service else "")

    @property
    def timed(self) -> bool:
        """Whether timers of the host know the parts of a step: kernels on arrays of a GPU end
        long after they were called."""
        return self.offload != "step" or self.backend != "cuda"


@dataclass(frozen=True)
class Shape:
    """Cells, the blocks of each direction, ranks."""

    cells: Extent
    blocks: Extent
    ranks: int

    def of_one_rank(self) -> Shape:
        """Blocks of this size, all of them on one rank."""
        nx, ny, nz = (max(n // b, FRINGE) for n, b in zip(self.cells, self.blocks, strict=True))
        return Shape((nx, BLOCKS * ny, nz), (1, BLOCKS, 1), 1)


@dataclass(frozen=True)
class Times:
    """Seconds per step of the slowest rank: all of it, and of the solver's parts."""

    step: float
    properties: float
    flow: float
    exchange: float

    @property
    def share(self) -> float:
        return self.properties / self.step


@dataclass(frozen=True)
class Solver:
    """The program and its case files, linked to the bridge that runs this.

    packs: folders of the loops as kernels, by the number of species; cache: what is built of them.
    """

    stub: Path
    program: Path
    packs: Mapping[int, Path]
    cache: Path
    devices: int


def measure(request: Request) -> Report:
    """Rows `step` and its parts, milliseconds, once for each variant."""
    from tabulate import tabulate

    counts = tuple(CASES) if request.ns == DEFAULT_NS else request.ns
    for ns in counts:
        if ns not in CASES:
            raise ArgumentError("ns", ns, f"one of {', '.join(map(str, CASES))}: there is a case")
    ranks = request.ranks[0] if request.ranks else min(RANKS, len(os.sched_getaffinity(0)))
    if len(request.ranks) > 1:
        raise ArgumentError("ranks", request.ranks, "one number of ranks for the solver")
    edge = None if request.points is None else max(8, round(request.points ** (1 / 3)))
    shapes = {ns: shape(CASES[ns].cells if edge is None else (edge,) * 3, ranks) for ns in counts}
    variants, devices = variants_here(request.backend)
    report = Report(f"The flow solver on {ranks} ranks, milliseconds per step")
    report.machine |= {"flags": FLAGS, "mpirun": launcher()[1], **gpus.facts()}
    rate = copy_rate(report) if devices else None
    lines, alone = [], []
    with tempfile.TemporaryDirectory(prefix="bridge-solver-") as folder:
        solver = built(sources(request.fortran_stub), Path(folder), counts, variants, devices)
        for ns, given in shapes.items():
            runs = {one: solve(solver, ns, given, one) for one in variants}
            bound = None if rate is None else least(solver, ns, given, rate)
            lines += _add(report, ns, given, runs, bound)
            if request.backend != "cuda":
                alone.append(_alone(report, solver, ns, given.of_one_rank()))
    report.summary = tabulate(lines, "keys", numalign="right")
    if alone:
        title = "One rank and thread on the CPU, properties and all of a step in turns"
        report.summary += f"\n\n{title}\n\n{tabulate(alone, 'keys', numalign='right')}"
    return report


def shape(cells: Sequence[int], ranks: int) -> Shape:
    """Cells in BLOCKS blocks for each rank, with the least faces between them; ArgumentError
    where they would be thinner than their fringes."""
    nx, ny, nz = cells
    number = BLOCKS * ranks
    found: list[tuple[tuple[int, int], Extent]] = []
    for bx in range(1, nx // FRINGE + 1):
        for by in range(1, ny // FRINGE + 1):
            bz, left = divmod(number, bx * by)
            if not left and 1 <= bz <= nz // FRINGE:
                cut = bx * ny * nz + by * nx * nz + bz * nx * ny
                found.append(((cut, bx), (bx, by, bz)))  # rows of x stay long
    if not found:
        wanted = f"cells for {number} blocks of {FRINGE} x {FRINGE} x {FRINGE} cells and more"
        raise ArgumentError("points", " x ".join(map(str, cells)), wanted)
    return Shape((nx, ny, nz), min(found)[1], ranks)


def variants_here(backend: str | None) -> tuple[list[Variant], int]:
    """The variants that this machine has, Fortran alone first, and its number of GPUs."""
    variants = [Variant("none")]
    if backend in (None, "cpu"):
        variants += [Variant("properties", "cpu"), Variant("step", "cpu")]
    if backend == "cpu":
        return variants, 0
    from bridge.backends.cuda import why_unusable

    reason = why_unusable()
    if reason is not None:
        if backend == "cuda":
            raise BridgeError(f"no GPU to run the solver with: {reason}")
        return variants, 0
    for service in (False, True) if mps.available() else (False,):
        variants += [Variant(offload, "cuda", service) for offload in ("properties", "step")]
    return variants, len(gpus.names())


def copy_rate(report: Report) -> float:
    """Bytes per second that a copy within this process's first GPU reads and writes."""
    from bridge.backends.cuda import CudaBackend
    from bridge.bench.limits import Clock, copy_within

    backend = CudaBackend()
    try:
        return copy_within(backend, Clock(backend), report)
    finally:
        backend.close()


def built(
    stub: Path, folder: Path, counts: Sequence[int], variants: Sequence[Variant], devices: int
) -> Solver:
    """The solver compiled in a folder, with the packs of these numbers of species."""
    with waiting("compiling the solver"):
        run([*made_here(stub, folder), f"FFLAGS={FLAGS}", "WARN=", "flow"], os.environ)
    compiling = any(variant.backend == "cpu" for variant in variants)
    packs = {ns: packed(stub, folder, ns, compiling) for ns in counts}
    return Solver(stub, folder / "flow" / "flow", packs, folder / "cache", max(1, devices))


def made_here(stub: Path, folder: Path) -> list[str]:
    """The command that makes a program of fortran_stub in a folder, linked to the bridge that runs
    this; the target and its settings follow."""
    config = folder / "bridge-config"
    config.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m bridge.bridge_config "$@"\n')
    config.chmod(0o755)
    return ["make", "-C", str(stub), f"BUILD={folder}", f"BRIDGE_CONFIG={config}"]


def packed(stub: Path, folder: Path, ns: int, compiling: bool) -> Path:
    """The folder of the loops of ns species as a pack; compiling: for this CPU as well."""
    pack, python = folder / f"flow{ns}", [sys.executable, "-P"]
    with waiting(f"the loops of {ns} species as kernels"):
        run([*python, str(stub / "flow" / "make_pack.py"), str(pack), str(ns)], os.environ)
        if compiling:
            command = [*python, "-m", "bridge", "packs", "build", "--isa", "here"]
            run(command, _places(os.environ, pack, folder / "cache"))
    return pack


def _places(variables: Mapping[str, str], pack: Path, cache: Path) -> dict[str, str]:
    return {**variables, "BRIDGE_PACKS": str(pack), "BRIDGE_CACHE": str(cache)}


def solve(solver: Solver, ns: int, given: Shape, variant: Variant) -> Times:
    """One run; BridgeError with its last words where it fails."""
    steps = CASES[ns].steps * (MORE_STEPS if variant.backend == "cuda" else 1)
    size = " x ".join(map(str, given.cells))
    title = f"NS = {ns}, {variant.name}"
    progress(f"{title}: {WARMUP + steps} steps of {size} cells, {given.ranks} ranks")
    timers = solver.program.parent / "timers"
    timers.unlink(missing_ok=True)
    values = {
        "Cells": _list(given.cells),
        "Blocks": _list(given.blocks),
        "Lengths": _list(f"{SPACING * n:.6e}" for n in given.cells),
        "Steps": WARMUP + steps,
        "Warmup": WARMUP,
        "Offload": variant.offload,
        "MaxBlock": MAX_BLOCK,
        "NumDevices": solver.devices,
        "SpeciesFile": solver.stub / "data" / "species.dat",
        "TimerFile": timers,
        "PrintEvery": 1000000,
        "Phases": "off",
        "Recorded": ".false." if variant.timed else ".true.",
    }
    command = [*launcher()[0], "-n", str(given.ranks), str(solver.program)]
    command += [str(solver.stub / "cases" / CASES[ns].file)]
    command += [f"{name}={value}" for name, value in values.items()]
    with mps.environment(variant.service) as service, waiting(f"{title}: running"):
        variables = {**os.environ, **service, "OMP_NUM_THREADS": "1"}
        if variant.backend is not None:
            variables = _places(variables, solver.packs[ns], solver.cache)
            variables["BRIDGE_BACKEND"] = variant.backend
        said = run(command, variables, solver.program.parent)
    if variant.backend is not None and f"backend {variant.backend}" not in said:
        raise BridgeError(f"{title}: the run does not say `backend {variant.backend}`:\n{said}")
    times = timed(timers, steps)
    progress(f"{title}: {1e3 * times.step:#.3g} ms/step")
    return times


def _list(values: Any) -> str:
    return ",".join(map(str, values))


def timed(file: Path, steps: int) -> Times:
    """What a TimerFile says of so many steps."""
    if not file.is_file():
        raise BridgeError(f"the solver wrote no {file}")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    parts = {record["part"]: record for record in records}
    if parts["run"]["steps"] != steps:
        raise BridgeError(f"{file}: {parts['run']['steps']} steps, wanted {steps}")
    loop, *others = (
        parts[name]["max"] / steps if name in parts else 0.0
        for name in ("time_loop", "properties", "flow", "exchange")
    )
    return Times(loop, *others)


def least(solver: Solver, ns: int, given: Shape, rate: float) -> float:
    """Seconds of a step at the least where all of it runs on the GPUs: its bytes at the rate of a
    copy."""
    used = min(solver.devices, given.ranks)
    return bytes_of_a_cell(solver.packs[ns], ns) * math.prod(given.cells) / (used * rate)


def _add(
    report: Report, ns: int, given: Shape, runs: Mapping[Variant, Times], bound: float | None
) -> list[dict[str, Any]]:
    """Rows and lines of one number of species; the first variant is the reference. bound: seconds
    of a step on the GPUs."""
    fortran = next(iter(runs.values()))
    most = fortran.step / (fortran.step - fortran.properties)
    lines = []
    for variant, times in runs.items():
        params = {
            "ns": ns,
            "ranks": given.ranks,
            "cells": list(given.cells),
            "offload": variant.offload,
            "backend": variant.backend or "",
            "variant": variant.name,
            "mps": variant.service,
        }
        line: dict[str, Any] = {
            "NS": ns,
            "cells": "x".join(map(str, given.cells)),
            "variant": variant.name,
            "ms/step": f"{1e3 * times.step:#.3g}",
        }
        through = variant.backend is not None
        parts = ("step", "properties", "flow", "exchange") if variant.timed else ("step",)
        for part in parts:
            seconds, before = getattr(times, part), getattr(fortran, part)
            of = ("none", before / seconds) if through and seconds > 0.0 else (None, None)
            report.rows.append(Row(part, params, 1e3 * seconds, "ms", *of))
            if part != "step":
                line[part] = f"{100.0 * seconds / times.step:.0f}%"
        if variant.timed:
            report.rows.append(Row("share of properties", params, 100.0 * times.share, "%"))
        if through:
            line["x"] = f"{fortran.step / times.step:.2f}"
        if variant.timed and through:
            line["properties x"] = f"{fortran.properties / times.properties:.1f}"
        if variant.offload == "properties":
            line["most x"] = f"{most:.1f}"
            report.rows.append(Row("most", params, most, "x"))
        if bound is not None and not variant.timed:
            share = 100.0 * bound / times.step
            report.rows.append(Row("bound", params, 1e3 * bound, "ms"))
            report.rows.append(Row("of the bound", params, share, "%"))
            line |= {"bound ms": f"{1e3 * bound:#.3g}", "% of the bound": f"{share:.0f}"}
        lines.append(line)
    return lines


def _alone(report: Report, solver: Solver, ns: int, given: Shape) -> dict[str, Any]:
    """Rows and the line of one rank on the CPU: medians of turns."""
    pair = [Variant("properties", "cpu"), Variant("step", "cpu")]
    turns = [[solve(solver, ns, given, variant).step for variant in pair] for _ in range(TURNS)]
    properties, step = (median(seconds) for seconds in zip(*turns, strict=True))
    ratio = median(first / second for first, second in turns)
    line: dict[str, Any] = {"NS": ns, "cells": "x".join(map(str, given.cells))}
    for variant, seconds, of in (
        (pair[0], properties, (None, None)),
        (pair[1], step, (pair[0].name, ratio)),
    ):
        params = {"ns": ns, "cells": list(given.cells), "variant": variant.name}
        report.rows.append(Row("one rank", params, 1e3 * seconds, "ms", *of))
        line[f"{variant.offload}, ms/step"] = f"{1e3 * seconds:#.3g}"
    return line | {"x": f"{ratio:.2f}"}


def plot(report: Report, path: str) -> None:
    """The time of a step, properties and the rest, for each variant and number of species."""
    pictures.solver(report, path)
