"""The section of the processor: instruction set, threads, traps, libraries loaded twice."""

from __future__ import annotations

import os
from pathlib import Path

from bridge import machine
from bridge.backends.cpu.backend import affinity
from bridge.backends.host import library
from bridge.doctor import process
from bridge.doctor.findings import Section
from bridge.errors import BridgeError

#: What is wrong where several runtimes of a kind are loaded, and what mends it.
_TWICE = {
    "OpenMP": "each has threads of its own, which wait for the same cores",
    "BLAS": "each has threads of its own, beside those of the run",
}
#: A process that may lock less will meet the limit with page-locked arrays or InfiniBand.
LEAST_LOCKED = 64 << 20
#: Traps that values of a bad point meet: quiet NaN, and what is made of it.
_MEETS_NAN = ("invalid",)


def section(files: list[Path], environment: bytes | None, threads: int | None) -> Section:
    """files: that are mapped; environment: the host's floating-point environment (fenv_t), None
    for this thread's; threads: of a run, None where what says so is wrong."""
    found = Section("processor")
    found.facts["name"] = machine.processor()
    try:
        found.facts["runs"] = ", ".join(f"x86-64-{isa}" for isa in library.available())
        chosen = library.choose()
        found.facts["kernels"] = f"x86-64-{chosen.isa} ({chosen.lanes} lanes)"
    except BridgeError as error:
        found.facts["kernels"] = "none"
        remedy = "unset BRIDGE_CPU_ISA"
        if "BRIDGE_CPU_ISA" not in os.environ:
            remedy = "build the package on this machine, which has to have SSE4.2 (x86-64-v2)"
        found.problem(str(error), remedy, stops=True)
    if forced := os.environ.get("BRIDGE_CPU_ISA"):
        found.facts["BRIDGE_CPU_ISA"] = forced
    found.facts["cores"] = affinity()
    found.facts["OMP_NUM_THREADS"] = os.environ.get("OMP_NUM_THREADS", "not set")
    found.facts["threads"] = "not known" if threads is None else str(threads)
    cores = len(os.sched_getaffinity(0))
    if threads is not None and threads > cores:
        found.problem(
            f"a run takes {threads} threads and the process may use {cores} cores",
            f"export OMP_NUM_THREADS={cores}, or let mpirun give the rank more cores",
        )
    runtimes(found, files)
    floating_point(found, environment)
    return found


def runtimes(found: Section, files: list[Path]) -> None:
    """OpenMP and BLAS, and which of them is there twice."""
    loaded = process.runtimes(files)
    for kind, why in _TWICE.items():
        some = loaded[kind]
        found.facts[kind] = "\n".join(map(str, some)) or "none"
        if len(some) > 1:
            names = ", ".join(map(str, some))
            remedy = twice_remedy(kind, [file.name for file in some])
            found.problem(f"{len(some)} {kind} runtimes are loaded: {names}; {why}", remedy)


def twice_remedy(kind: str, names: list[str]) -> str:
    """The line that leaves one of these runtimes, or takes the threads of the others away."""
    if kind == "BLAS":
        return "export OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 BLIS_NUM_THREADS=1"
    if any("libiomp5" in name for name in names) and any("libgomp" in name for name in names):
        return "export MKL_THREADING_LAYER=GNU, so that MKL takes libgomp as well"
    return (
        "export OMP_WAIT_POLICY=passive, or compile the host with gfortran -fopenmp, whose "
        "libgomp the bridge has too"
    )


def floating_point(found: Section, environment: bytes | None) -> None:
    """What the host has armed; the bridge's own code runs with nothing armed."""
    if environment is None:
        state = process.FloatingPoint.of_this_thread()
    else:
        state = process.FloatingPoint.of(environment)
    found.facts["traps"] = " ".join(state.traps) or "none"
    found.facts["denormals"] = "flushed to zero by the host" if state.flushes else "kept"
    if set(_MEETS_NAN) & set(state.traps):
        found.problem(
            f"the host's floating-point traps are armed ({' '.join(state.traps)}): calls of the "
            "bridge mask them, but a bad point's results are NaN, and where the host compares "
            "one or makes an integer of it the program ends",
            "look at `status` before the results, or compile the host without "
            "-ffpe-trap=invalid (flang, ifx: -fpe3)",
        )


def memory() -> Section:
    """The section of locked memory."""
    found = Section("locked memory")
    limit = process.locked_limit()
    found.facts["may lock"] = "any" if limit is None else process.size(limit)
    found.facts["has locked"] = process.size(process.locked_now())
    if limit is not None and limit < LEAST_LOCKED:
        found.problem(
            f"the process may lock {process.size(limit)} (ulimit -l): InfiniBand and GPUs lock "
            "the memory that they read",
            "ulimit -l unlimited in the job script; where that is refused, memlock in "
            "/etc/security/limits.conf, or LimitMEMLOCK=infinity of slurmd",
        )
    return found
