"""`bridge bench solver`: the whole mock solver under mpirun, with and without the bridge.

The same case, ranks and compiler flags; the Fortran run takes its properties from the legacy
subroutines, the others from the bridge's CPU and, where there is one, GPU backend, with and
without CUDA's multi-process service. A table shows the time of a step, the share of it that
properties take and how many times faster the whole is; `most` is what no properties at all would
give. First steps are left out: compilers, page locks and first touches belong to no step.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.bench import gpus, mps, pictures
from bridge.bench.request import Request
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report, Row, progress
from bridge.measuring.states import DEFAULT_NS
from bridge.progress import waiting

#: Species -> case file, cells, steps that count.
CASES = {
    1: ("jet1.nml", (128, 128, 128), 10),
    6: ("jet.nml", (128, 128, 128), 10),
    16: ("jet16.nml", (128, 128, 64), 6),
    53: ("jet53.nml", (64, 64, 64), 4),
}
RANKS = 16
WARMUP = 3
#: Compiler flags of the whole solver, the legacy physics included.
FLAGS = "-O3 -march=native -ffast-math"
#: Points of a chunk.
MAX_BLOCK = 131072
#: The talk's overall figure.
GOAL = 3.0


@dataclass(frozen=True)
class Variant:
    """How a run gets its properties; service: through the multi-process service."""

    name: str
    backend: str | None = None
    service: bool = False

    @property
    def properties(self) -> str:
        return "bridge" if self.backend else "fortran"


@dataclass(frozen=True)
class Times:
    """Seconds per step of the slowest rank: the whole loop and the properties in it."""

    step: float
    properties: float

    @property
    def share(self) -> float:
        return self.properties / self.step


def measure(request: Request) -> Report:
    """Rows `step`, milliseconds, once for each variant."""
    from tabulate import tabulate

    counts = tuple(CASES) if request.ns == DEFAULT_NS else request.ns
    for ns in counts:
        if ns not in CASES:
            raise ArgumentError("ns", ns, f"one of {', '.join(map(str, CASES))}: there is a case")
    ranks = request.ranks[0] if request.ranks else min(RANKS, len(os.sched_getaffinity(0)))
    if len(request.ranks) > 1:
        raise ArgumentError("ranks", request.ranks, "one number of ranks for the solver")
    variants, devices = variants_here(request.backend)
    report = Report(f"The solver on {ranks} ranks, milliseconds per step")
    report.machine |= {"flags": FLAGS, "mpirun": launcher()[1], **gpus.facts()}
    lines = []
    with tempfile.TemporaryDirectory(prefix="bridge-solver-") as folder:
        stub = sources(request.fortran_stub)
        program = compiled(stub, Path(folder))
        for ns in counts:
            cells = cubed(request.points) if request.points else CASES[ns][1]
            runs = {
                variant: run(stub, program, ns, cells, ranks, variant, max(1, devices))
                for variant in variants
            }
            lines += _add(report, ns, cells, ranks, runs)
    report.summary = tabulate(lines, "keys", numalign="right")
    return report


def cubed(points: int) -> tuple[int, int, int]:
    """A cube of about so many cells."""
    edge = max(8, round(points ** (1 / 3)))
    return (edge, edge, edge)


def variants_here(backend: str | None) -> tuple[list[Variant], int]:
    """The variants that this machine has, Fortran first, and its number of GPUs."""
    variants = [Variant("fortran")]
    if backend in (None, "cpu"):
        variants.append(Variant("bridge, CPU", "cpu"))
    if backend == "cpu":
        return variants, 0
    from bridge.backends.cuda import why_unusable

    reason = why_unusable()
    if reason is not None:
        if backend == "cuda":
            raise BridgeError(f"no GPU to run the solver with: {reason}")
        return variants, 0
    variants.append(Variant("bridge, GPU", "cuda"))
    if mps.available():
        variants.append(Variant("bridge, GPU, MPS", "cuda", True))
    return variants, len(gpus.names())


def launcher() -> tuple[list[str], str]:
    """The beginning of an mpirun command, and its version."""
    program = shutil.which("mpirun")
    if program is None:
        raise BridgeError("no mpirun on the PATH to start the solver's ranks with")
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    version = said.splitlines()[0] if said else program
    if "Open MPI" not in said and "OpenRTE" not in said:
        return [program], version
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return [program, *as_root, "--oversubscribe", "--bind-to", "none"], version


def compiled(stub: Path, folder: Path) -> Path:
    """The solver, linked to the bridge that runs this."""
    config = folder / "bridge-config"
    config.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m bridge.bridge_config "$@"\n')
    config.chmod(0o755)
    command = [
        "make",
        "-C",
        str(stub),
        f"BUILD={folder}",
        f"BRIDGE_CONFIG={config}",
        f"FFLAGS={FLAGS}",
        "WARN=",
        "solver",
    ]
    with waiting("compiling the solver"):
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BridgeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return folder / "solver" / "solver"


def run(
    stub: Path,
    program: Path,
    ns: int,
    cells: Sequence[int],
    ranks: int,
    variant: Variant,
    devices: int,
) -> Times:
    """One run; BridgeError with its last words where it fails."""
    case, _, steps = CASES[ns]
    shape = " x ".join(map(str, cells))
    progress(f"NS = {ns}, {variant.name}: {WARMUP + steps} steps of {shape} cells, {ranks} ranks")
    timers = program.parent / "timers"
    timers.unlink(missing_ok=True)
    values = {
        "Cells": ",".join(map(str, cells)),
        "Steps": WARMUP + steps,
        "Warmup": WARMUP,
        "Properties": variant.properties,
        "MaxBlock": MAX_BLOCK,
        "NumDevices": devices,
        "SpeciesFile": stub / "data" / "species.dat",
        "TimerFile": timers,
        "PrintEvery": 1000000,
        "Phases": "off",
    }
    command = [*launcher()[0], "-n", str(ranks), str(program), str(stub / "cases" / case)]
    command += [f"{name}={value}" for name, value in values.items()]
    running = waiting(f"NS = {ns}, {variant.name}: running")
    with mps.environment(variant.service) as variables, running:
        done = subprocess.run(
            command,
            env=_environment(variant, variables),
            cwd=program.parent,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=600.0,
        )
    if done.returncode or not timers.is_file():
        raise BridgeError(
            f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-3000:]}"
        )
    records = [json.loads(line) for line in timers.read_text().splitlines()]
    parts = {record["part"]: record for record in records}
    evaluated = parts[f"properties_{variant.properties}"]
    once = evaluated["max"] / evaluated["calls"]
    # after the last step the loop evaluates once more, for the output file
    times = Times((parts["time_loop"]["max"] - once) / steps, once)
    progress(f"NS = {ns}, {variant.name}: {1e3 * times.step:#.3g} ms/step")
    return times


def _environment(variant: Variant, variables: Mapping[str, str]) -> dict[str, str]:
    chosen = {} if variant.backend is None else {"BRIDGE_BACKEND": variant.backend}
    return {**os.environ, **variables, **chosen, "OMP_NUM_THREADS": "1"}


def _add(
    report: Report, ns: int, cells: Sequence[int], ranks: int, runs: dict[Variant, Times]
) -> list[dict[str, Any]]:
    """Rows and lines of one number of species; the first variant is the reference."""
    fortran = next(iter(runs.values()))
    lines = []
    for variant, times in runs.items():
        params = {
            "ns": ns,
            "ranks": ranks,
            "cells": list(cells),
            "backend": variant.backend or "",
            "variant": variant.name,
            "mps": variant.service,
        }
        line = {
            "NS": ns,
            "cells": "x".join(map(str, cells)),
            "variant": variant.name,
            "ms/step": f"{1e3 * times.step:#.3g}",
            "properties ms": f"{1e3 * times.properties:#.3g}",
            "share": f"{100.0 * times.share:.0f}%",
        }
        of: tuple[str | None, float | None, float | None] = (None, None, None)
        if variant.backend:
            ratio, parts = fortran.step / times.step, fortran.properties / times.properties
            of = ("fortran", ratio, parts)
            line |= {
                "properties x": f"{parts:.1f}",
                "whole x": f"{ratio:.2f}",
                "most x": f"{1.0 / (1.0 - fortran.share):.1f}",
                "goal": f"{GOAL:.0f}",
            }
        report.rows.append(Row("step", params, 1e3 * times.step, "ms", of[0], of[1]))
        report.rows.append(Row("properties", params, 1e3 * times.properties, "ms", of[0], of[2]))
        report.rows.append(Row("share of properties", params, 100.0 * times.share, "%"))
        lines.append(line)
    return lines


def plot(report: Report, path: str) -> None:
    """The time of a step, properties and the rest, for each variant and number of species."""
    pictures.solver(report, path)
