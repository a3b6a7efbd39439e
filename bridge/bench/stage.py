"""`bridge bench stage`: a Runge-Kutta stage of `examples/stage_pack` on arrays that stay on the
device, fringes through the host, beside its Fortran on all cores and what bounds it.

The program is built and run as a user would. Its bound is measured in the same run: the bytes that
the kernels of a stage cannot do without at the rate of a copy within the device, or the bytes of
the fringes at the rate of page-locked copies, whichever takes longer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bridge.bench import gpus, pictures
from bridge.bench.request import Request
from bridge.bench.solver import cubed, launcher
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.report import Report, Row, progress
from bridge.plan import packs
from bridge.plan.catalogue import Catalogue, shipped_file
from bridge.progress import waiting

#: Cells of a block, and steps that are compared with the Fortran and timed alone.
CASES = (((128, 128, 64), 2, 100), ((128, 128, 128), 2, 50))
#: Blocks of a rank, stages of a step.
BLOCKS, STAGES = 2, 4
#: Kernels of a stage on all cells or faces, and of a step.
KERNELS = ("properties", "fluxX", "fluxY", "fluxZ", "divergence", "rkUpdate")
OF_A_STEP = ("startStep",)
#: Bytes of a cell of a fringe, which a block sends and receives at both of its ends.
CELL = 5 * 8
FLAGS = ("-O3", "-march=native")
#: Percent of the bound, times the Fortran on all cores, times one GPU that are to be reached.
GOALS = {"bound": 80.0, "fortran": 15.0, "gpus": 1.9}


@dataclass(frozen=True)
class Rates:
    """Bytes per second: read and written by a copy within the device, over the link to the device
    and from it."""

    memory: float
    to: float
    back: float


def measure(request: Request) -> Report:
    """Rows `stage` for each case and number of GPUs, one rank each; ranks: these numbers instead;
    points: cells of a block, rounded to a cube, instead of the cases."""
    from tabulate import tabulate

    backend = request.backend or "cuda"
    devices = len(gpus.names()) if backend == "cuda" else 0
    if backend == "cuda" and not devices:
        raise BridgeError("no GPU to run the stage on: --backend cpu runs it on the CPU")
    numbers = request.ranks or tuple(sorted({1, min(2, devices), devices} - {0}))
    cases = CASES if request.points is None else ((cubed(request.points), 2, 10),)
    report = Report("A Runge-Kutta stage on resident arrays, ns per cell and stage")
    report.machine |= {"flags": " ".join(FLAGS), "mpirun": launcher()[1], **gpus.facts()}
    lines: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="bridge-stage-") as place:
        with waiting("compiling the kernels and the program", alone=False):
            program = Program(pack_folder(request.fortran_stub), Path(place), backend)
        cell_bytes = program.bytes_of_a_cell()
        rates = measured(report) if backend == "cuda" else None
        for cells, compared, further in cases:
            size = " x ".join(map(str, cells))
            with waiting(f"{size} cells, the Fortran on all cores", alone=False):
                fortran = program.fortran(cells)
            report.rows.append(Row("Fortran", {"cells": list(cells), "processes": fortran[1]},
                                   fortran[0], "ns"))  # fmt: skip
            least = None if rates is None else bound(cells, rates, cell_bytes)
            alone = 0.0
            for ranks in numbers:
                with waiting(f"{size} cells, {ranks} ranks through the bridge", alone=False):
                    own = program.bridge(cells, compared, further, ranks)
                alone = own if ranks == 1 else alone
                line = _add(report, cells, ranks, own, fortran[0], alone, least)
                lines.append(line)
                progress("  ".join(f"{key} {value}" for key, value in line.items()))
    report.summary = tabulate(lines, "keys")
    return report


def _add(
    report: Report, cells: Sequence[int], ranks: int, own: float, fortran: float, alone: float,
    least: float | None,
) -> dict[str, Any]:  # fmt: skip
    """The rows of one case; its line of the table. own: ns per cell of a rank; alone: that of one
    rank; least: the bound."""
    params = {"cells": list(cells), "blocks": BLOCKS, "ranks": ranks}
    each, speed = own / ranks, alone / own * ranks
    ratio = fortran / each
    report.rows.append(Row("stage", params, each, "ns", "Fortran on all cores", ratio))
    line = {
        "cells": f"{BLOCKS} x " + "x".join(map(str, cells)),
        "ranks": ranks,
        "ns": f"{each:.4f}",
        "Fortran ns": f"{fortran:.2f}",
        "x": f"{ratio:.1f} (goal {GOALS['fortran']:.0f})",
    }
    if least is not None:
        share = 100.0 * least / own
        report.rows.append(Row("bound of a rank", params, least, "ns"))
        report.rows.append(Row("... of the bound", params, share, "%"))
        line |= {"bound ns": f"{least / ranks:.4f}",
                 "of it": f"{share:.0f}% (goal {GOALS['bound']:.0f}%)"}  # fmt: skip
    if ranks > 1 and alone:
        report.rows.append(Row("GPUs against one", params, speed, "x"))
        line["against one"] = f"{speed:.2f} (goal {GOALS['gpus'] / 2.0 * ranks:.1f})"
    return line


def bound(cells: Sequence[int], rates: Rates, cell_bytes: float) -> float:
    """Nanoseconds per cell of a rank and stage at least: kernels and copies at the same time, and
    both directions of the link."""
    nx, ny, nz = cells
    fringe = 2 * CELL * ny * nz / (nx * ny * nz)
    return 1e9 * max(cell_bytes / rates.memory, fringe / rates.to, fringe / rates.back)


def pack_folder(stub: str | None) -> Path:
    """examples/stage_pack beside the folder fortran_stub of a checkout, or of this folder."""
    roots = [Path(stub).resolve().parent] if stub is not None else [Path.cwd()]
    found = roots[0] / "examples" / "stage_pack"
    if not (found / packs.CATALOGUE).is_file():
        wanted = "the folder fortran_stub of a checkout, which has examples/stage_pack beside it"
        raise ArgumentError("fortran-stub", str(stub or roots[0]), wanted)
    return found


class Program:
    """The example's program, linked to the bridge that runs this.

    pack: its folder; place: for what is built; backend: of the bridge's part.
    """

    def __init__(self, pack: Path, place: Path, backend: str) -> None:
        self._pack = pack
        self._path = place / "stages"
        self._backend = backend
        self._environment = {
            **os.environ, "BRIDGE_PACKS": str(pack), "BRIDGE_CACHE": str(place / "cache"),
        }  # fmt: skip
        run([sys.executable, "-P", "-m", "bridge", "packs", "build"], self._environment)
        config = [sys.executable, "-P", "-m", "bridge.bridge_config"]
        module = run([*config, "--fsource"], self._environment).split()
        links = run([*config, "--fflags", "--libs"], self._environment).split()
        compiler = shutil.which("mpifort") or shutil.which("mpif90")
        if compiler is None:
            raise BridgeError("no mpifort on the PATH to compile the example's program with")
        files = [*module, str(pack / "flowloops.f90"), str(pack / "solver.f90")]
        line = [compiler, *FLAGS, f"-J{place}", *files, *links, "-o", str(self._path)]
        run(line, self._environment)

    def bytes_of_a_cell(self) -> float:
        """That the kernels of a stage read and write at least: every element of each kernel's
        arrays once."""
        catalogue = Catalogue.load([shipped_file(), self._pack / packs.CATALOGUE])

        def words(names: Sequence[str]) -> int:
            kernels = [catalogue.kernel(name) for name in names]
            arrays = (one for kernel in kernels for one in (*kernel.inputs, *kernel.outputs))
            return sum(catalogue.columns(one, 1) for one in arrays
                       if one not in catalogue.constants)  # fmt: skip

        return 8.0 * (words(KERNELS) + words(OF_A_STEP) / STAGES)

    def bridge(self, cells: Sequence[int], compared: int, further: int, ranks: int) -> float:
        """ns per cell of a rank and stage, the steps that are timed alone."""
        said = self._run(cells, (compared, further), ranks, self._backend)
        return float(said["ns per cell and stage alone: bridge"])

    def fortran(self, cells: Sequence[int]) -> tuple[float, int]:
        """ns per cell and stage of the legacy loops with all cores busy, a rank on each, and how
        many these are."""
        cores = len(os.sched_getaffinity(0))
        nx, ny, nz = cells
        mine = (max(nx // cores, 2), ny, nz)
        said = self._run(mine, (6, 0), cores, "cpu")
        words = said["ns per cell and stage: bridge"].replace(",", " ").split()
        return float(words[-1]) / cores, cores

    def _run(
        self, cells: Sequence[int], steps: Sequence[int], ranks: int, backend: str
    ) -> dict[str, str]:
        """What the program says, by the words before a number."""
        command = [*launcher()[0], "-n", str(ranks), str(self._path), *map(str, (*cells, *steps))]
        threads = "1" if ranks > 1 or backend == "cpu" else str(len(os.sched_getaffinity(0)))
        chosen = {"BRIDGE_BACKEND": backend, "OMP_NUM_THREADS": threads}
        environment = {**self._environment, **chosen}
        said = run(command, environment)
        found = {}
        for line in said.splitlines():
            for start in ("ns per cell and stage alone: bridge", "ns per cell and stage: bridge"):
                if line.startswith(start):
                    found[start] = line.removeprefix(start).strip()
        return found


def run(command: Sequence[str], environment: dict[str, str]) -> str:
    """What a command prints; BridgeError with its last words where it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600.0)
    if done.returncode:
        words = (done.stdout + done.stderr)[-3000:]
        raise BridgeError(f"{' '.join(command)} ended with {done.returncode}:\n{words}")
    return done.stdout


def measured(report: Report) -> Rates:
    """The rates of this process's first GPU, with their rows."""
    from bridge.backends.cuda import CudaBackend
    from bridge.bench.limits import Clock

    backend, size = CudaBackend(), 1 << 29
    try:
        api, stream, clock = backend.device.api, backend.device.stream, Clock(backend)
        host, near, far = api.host_malloc(size), api.malloc(size), api.malloc(size)
        seconds = {
            name: clock.seconds(partial(api.copy_async, target, source, size, stream))
            for name, target, source in (
                ("within", far, near), ("to", near, host), ("from", host, near),
            )
        }  # fmt: skip
        api.host_free(host)
        api.free(near)
        api.free(far)
    finally:
        backend.close()
    rates = Rates(2 * size / seconds["within"], size / seconds["to"], size / seconds["from"])
    for name, rate in (
        ("copy within the device, read + written", rates.memory),
        ("page-locked copy to the device", rates.to),
        ("page-locked copy from the device", rates.back),
    ):
        report.rows.append(Row(name, {"MB": size >> 20}, 1e-9 * rate, "GB/s"))
    return rates


def plot(report: Report, path: str) -> None:
    """Time of a stage over its bound, for each case and number of GPUs."""
    pictures.stage(report, path)
