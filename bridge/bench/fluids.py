"""`bridge bench fluids`: stable fluids of `fortran_stub/fluids`, the original and the stages of
its move to the bridge, on the CPU and, where there is one, on a GPU.

The program is built and run as a user would, all versions of a size in turns, and the fields that
each of them ends with are compared with those of the original: figures of other results would be
none. ns per cell and step are the program's own; a step that prepares runs and compiles kernels
comes before its clock starts.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bridge.bench import gpus, pictures
from bridge.bench.processes import run
from bridge.bench.request import Request
from bridge.errors import ArgumentError, BridgeError
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report, Row, progress
from bridge.progress import each, waiting

SIZES = (128, 256, 512, 1024, 2048, 4096, 8192)
#: The original's files, and those of the program that is moved, in the order of their use.
ORIGINAL = ("settings", "fields", "react", "solve", "step", "output")
MOVED = ("arrays", "bridgestep")
STAGES = ("reactburst", "threacburst", "stepburst")
FLAGS = ("-O3", "-march=native")
#: Turns, and the steps of a run at least and at most.
TURNS, FEWEST, MOST = 3, 1, 500
#: Cells along a side and steps whose fields are compared, and by how much they may differ.
COMPARED = (64, 20, 1e-5)


@dataclass(frozen=True)
class Variant:
    """How a program runs; backend: None of the original."""

    version: str
    backend: str | None = None

    @property
    def name(self) -> str:
        return self.version if self.backend is None else f"{self.version}, {self.backend}"


def measure(request: Request) -> Report:
    """Rows for each size and variant; sizes: cells along a side instead of SIZES; backend: of the
    bridge alone; seconds: of each run."""
    from tabulate import tabulate

    backends = (
        [request.backend] if request.backend else ["cpu", *(["cuda"] if gpus.names() else [])]
    )
    variants = [Variant("fortran")]
    variants += [Variant(stage, backend) for backend in backends for stage in STAGES]
    report = Report("Stable fluids, ns per cell and step")
    report.machine |= {"flags": " ".join(FLAGS), **gpus.facts()}
    lines: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="bridge-fluids-") as place:
        with waiting("compiling the kernels and both programs", alone=False):
            program = Program(folder(request.fortran_stub), Path(place))
        with waiting("comparing what they compute", alone=False):
            program.compare(variants)
        for n in each(request.sizes or SIZES, "cells along a side:"):
            times = measured(program, variants, n, request.seconds)
            add(report, n, times)
            lines.append({"cells": f"{n} x {n}"} | {k.name: f"{v:.3g}" for k, v in times.items()})
            progress("  ".join(f"{key} {value}" for key, value in lines[-1].items()))
    report.summary = tabulate(lines, "keys")
    return report


def measured(
    program: Program, variants: Sequence[Variant], n: int, seconds: float
) -> dict[Variant, float]:
    """Medians over some turns. A first run of few steps says how many steps take so many seconds;
    it counts where it has as many."""
    steps = {}
    found: dict[Variant, list[float]] = {variant: [] for variant in variants}
    for variant in variants:
        guess = program.nanoseconds(variant, n, FEWEST)
        steps[variant] = min(max(int(1e9 * seconds / (guess * n * n)), FEWEST), MOST)
        if steps[variant] == FEWEST:
            found[variant].append(guess)
    with waiting("turns", TURNS, alone=False) as step:
        for turn in range(TURNS):
            step.done = turn + 1
            order = variants if turn % 2 == 1 else list(reversed(variants))
            for variant in order:
                if len(found[variant]) < TURNS:
                    found[variant].append(program.nanoseconds(variant, n, steps[variant]))
    return {variant: statistics.median(times) for variant, times in found.items()}


def add(report: Report, n: int, times: dict[Variant, float]) -> None:
    """The rows of one size."""
    fortran = times[Variant("fortran")]
    for variant, time in times.items():
        params = {"n": n, "backend": variant.backend or "none"}
        reference = None if variant.backend is None else "fortran"
        ratio = None if reference is None else fortran / time
        report.rows.append(Row(variant.version, params, time, "ns", reference, ratio))


def folder(stub: str | None) -> Path:
    """fortran_stub/fluids of the given folder, else of the package."""
    found = sources(stub) / "fluids"
    if not (found / "moved" / "fluids.f90").is_file():
        wanted = "a folder fortran_stub with fluids/moved/fluids.f90"
        raise ArgumentError("fortran-stub", str(stub), wanted)
    return found


class Program:
    """The original and the moved program, linked to the bridge that runs this.

    source: fortran_stub/fluids; place: for what is built.
    """

    def __init__(self, source: Path, place: Path) -> None:
        self._place = place
        packs = os.pathsep.join(str(source / name) for name in ("ported", "kernels"))
        self._environment = {
            **os.environ, "BRIDGE_PACKS": packs, "BRIDGE_CACHE": str(place / "cache"),
        }  # fmt: skip
        compiler = shutil.which("gfortran")
        if compiler is None:
            raise BridgeError("no gfortran on the PATH to compile the program with")
        run([sys.executable, "-P", "-m", "bridge", "packs", "build"], self._environment)
        config = [sys.executable, "-P", "-m", "bridge.bridge_config"]
        module = run([*config, "--fsource"], self._environment).split()
        links = run([*config, "--fflags", "--libs"], self._environment).split()
        parts = [str(source / "original" / f"{name}module.f90") for name in ORIGINAL]
        moved = [str(source / "moved" / f"{name}module.f90") for name in MOVED]
        for name, before, after in (
            ("original", [], [*parts, str(source / "original" / "fluids.f90")]),
            ("moved", module, [*parts, *moved, str(source / "moved" / "fluids.f90"), *links]),
        ):
            modules = place / f"{name}-modules"
            modules.mkdir()
            line = [compiler, *FLAGS, f"-J{modules}", *before, *after, "-o", str(place / name)]
            run(line, self._environment)

    def nanoseconds(self, variant: Variant, n: int, steps: int, results: str = "") -> float:
        """Per cell and step, as the program says."""
        case = self._place / "case.nml"
        case.write_text(
            f"&fluids\n n = {n}\n steps = {steps}\n version = '{variant.version}'\n"
            f" results = '{results}'\n/\n"
        )
        name = "original" if variant.backend is None else "moved"
        cores = str(len(os.sched_getaffinity(0)))
        chosen = {} if variant.backend is None else {"BRIDGE_BACKEND": variant.backend}
        environment = {**self._environment, "OMP_NUM_THREADS": cores, **chosen}
        said = run([str(self._place / name), str(case)], environment)
        start = "ns per cell and step"
        return next(
            float(line.split()[-1]) for line in said.splitlines() if line.startswith(start)
        )

    def compare(self, variants: Sequence[Variant]) -> None:
        """BridgeError where a variant ends with other fields than the original."""
        n, steps, most = COMPARED
        fields = []
        for variant in variants:
            path = self._place / "fields.dat"
            self.nanoseconds(variant, n, steps, str(path))
            fields.append(np.fromfile(path, np.float32).reshape(3, -1).astype(np.float64))
            differs = np.abs(fields[-1] - fields[0]).max(axis=1) / np.abs(fields[0]).max(axis=1)
            if not differs.max() <= most:
                raise BridgeError(
                    f"{variant.name}: fields differ by {differs} from the original's"
                )


def plot(report: Report, path: str) -> None:
    """Time of a cell and step over the cells along a side, a line for each variant."""
    pictures.fluids(report, path)
