"""Measuring what `machine.Figures` holds: memory, cache, arithmetic of this machine, its GPU.

The loops are kernels/cpu/limits.cpp, compiled here with the flags of a kernel pack.
"""

from __future__ import annotations

import os
import platform
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Barrier
from typing import Any

import cffi
import numpy as np

from bridge import machine
from bridge.backends.cuda import CudaBackend, why_unusable
from bridge.backends.host.library import choose
from bridge.bench import limits as gpu_limits
from bridge.errors import BridgeError
from bridge.kernels import file
from bridge.machine import Figures, Gpu
from bridge.measuring.report import Report
from bridge.plan import packs
from bridge.plan.packbuild import compiler

#: What limits.cpp has beside a copy; others are charged by `advice.CHARGED`.
OPERATIONS = (
    *("fused", "divide", "sqrt", "pow", "exp", "log", "exp2", "log2", "log10", "log1p", "expm1"),
    *("cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh"),
    *("erf", "sinpi", "cospi"),
)
#: Seconds of one measurement, and how many there are of each.
TURN, TURNS = 4e-3, 5
#: Most bytes of the arrays that are copied in memory.
MOST = 1 << 29


def measure(isa: str | None = None, gpu: bool = True) -> Figures:
    """Figures of this machine; isa: None for the best; about two seconds."""
    isa = choose(isa).isa
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="bridge-advise-") as folder:
        ffi, lib = _compiled(isa, Path(folder))
        in_memory = min(MOST, max(1 << 27, 4 * machine.cache_size(3)))
        return Figures(
            machine=platform.node(),
            date=date.today().isoformat(),
            processor=machine.processor(),
            cores=cores,
            isa=isa,
            memory=_pair(ffi, lib, cores, in_memory, in_memory),
            cache=_pair(ffi, lib, cores, machine.cache_size(2) // 2, None),
            vector={name: _nanoseconds(ffi, lib, f"vector_{name}") for name in OPERATIONS},
            scalar={name: _nanoseconds(ffi, lib, f"scalar_{name}") for name in OPERATIONS},
            gpu=_gpu() if gpu and why_unusable() is None else None,
        )


def _compiled(isa: str, folder: Path) -> tuple[cffi.FFI, Any]:
    library = folder / "limits.so"
    source = file("cpu/limits.cpp")
    flags = [*packs.FLAGS, *packs.TARGETS[isa], "-DBRIDGE_NAMESPACE=bridge_limits"]
    line = [*compiler(), *flags, str(source), "-o", str(library), *packs.LINK]
    done = subprocess.run(line, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise BridgeError(f"{source} does not compile:\n{done.stderr}".rstrip())
    ffi = cffi.FFI()
    ffi.cdef("void copy(double*, const double*, int64_t, int64_t);")
    for name in OPERATIONS:
        ffi.cdef(
            f"int64_t vector_{name}(double*, int64_t); int64_t scalar_{name}(double*, int64_t);"
        )
    return ffi, ffi.dlopen(str(library))


def _nanoseconds(ffi: cffi.FFI, lib: Any, name: str) -> float:
    """Of one operation of one point, the fastest of a few turns."""
    seed = np.full(8, 0.7)
    call, at = getattr(lib, name), ffi.cast("double*", seed.ctypes.data)

    def timed(turns: int) -> tuple[float, int]:
        seed[:] = 0.7
        begin = time.perf_counter()
        done = call(at, turns)
        return time.perf_counter() - begin, done

    once = max(timed(100)[0], 1e-7)
    turns = max(100, int(100 * TURN / once))
    return min(1e9 * seconds / done for seconds, done in (timed(turns) for _ in range(TURNS)))


def _pair(
    ffi: cffi.FFI, lib: Any, cores: int, size: int, shared_size: int | None
) -> tuple[float, float]:
    """Bytes per second of a copy by one thread and by all: a double is read, its place fetched,
    and written. size: bytes of one thread's arrays; shared_size: of those of all, or each thread
    has as many as one."""
    one = _copies(ffi, lib, 1, size)
    if cores == 1:
        return one, one
    every = _copies(ffi, lib, cores, size if shared_size is None else shared_size // cores)
    return one, max(one, every)


def _copies(ffi: cffi.FFI, lib: Any, threads: int, size: int) -> float:
    n = max(64, size // 16 // 8 * 8)
    barrier = Barrier(threads)

    def work(_: int) -> list[tuple[float, float]]:
        """Begin and end of every turn; the arrays lie where their thread has touched them."""
        arrays = np.ones(n), np.ones(n)
        at = [ffi.cast("double*", array.ctypes.data) for array in arrays]
        lib.copy(*at, n, 1)
        begin = time.perf_counter()
        lib.copy(*at, n, 1)
        once = max(time.perf_counter() - begin, 1e-7)
        repeats[0] = max(repeats[0], int(5 * TURN / once))
        spans = []
        for _ in range(TURNS):
            barrier.wait()
            begin = time.perf_counter()
            lib.copy(*at, n, max(1, repeats[0]))
            spans.append((begin, time.perf_counter()))
            barrier.wait()
        return spans

    repeats = [1]
    with ThreadPoolExecutor(threads) as pool:
        turns = zip(*pool.map(work, range(threads)), strict=True)
        seconds = min(
            max(end for _, end in turn) - min(begin for begin, _ in turn) for turn in turns
        )
    return float(24 * n * threads * max(1, repeats[0]) / seconds)


def _gpu() -> Gpu:
    """By the limits that `bridge bench offload` holds its figures against."""
    backend = CudaBackend()
    try:
        report = Report("")
        limits = gpu_limits.Limits(backend, gpu_limits.Clock(backend), report)
        rates = {row.name: 1e9 * row.value for row in report.rows}
        return Gpu(
            backend.device.facts.name,
            rates["plain page-locked copy to the device"],
            rates["plain page-locked copy from the device"],
            limits.memory,
            limits.arithmetic / 2,
        )
    finally:
        backend.close()
