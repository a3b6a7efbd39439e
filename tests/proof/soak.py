"""Call libbridge.so for a long time and look at the memory of the process, and of the device:

    soak.py [--backend cpu] [--share 1.0] [--leak N]

Each part of the work is done in ten rounds. The first three may allocate (caches, pools, threads);
from there to the last one the memory may grow by ALLOWED. share: of the full number of calls.
leak: lose one array every N runs, to see that this is found.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bridge.bridge_config import entry_file

#: Bytes of resident memory, blocks of Python's allocator, bytes of the device.
ALLOWED = {"resident": 512 << 10, "blocks": 3000, "device": 4 << 20}
ROUNDS, WARM = 10, 3
#: Points along each axis, fringes included: an array of 256 KiB.
EDGE = 32
FULL = {"stripes": 200_000, "runs": 20_000, "cycles": 200, "binds": 10_000}
OUTPUTS = (b"rho", b"cp", b"c")


class Host:
    """A program with a few arrays, through the entry points alone."""

    def __init__(self, library: Path, backend: bytes, leak: int) -> None:
        self.library, self.backend = ctypes.CDLL(str(library)), backend
        self.leak, self.lost, self.runs = leak, list[np.ndarray](), 0
        self.status = ctypes.c_int()
        self.arrays = self.made(EDGE)

    def made(self, edge: int) -> dict[bytes, np.ndarray]:
        shape = (edge, edge, edge)
        arrays = {name: np.zeros(shape, order="F") for name in OUTPUTS}
        arrays[b"T"] = np.full(shape, 300.0, order="F")
        arrays[b"P"] = np.full(shape, 5e6, order="F")
        arrays[b"Y"] = np.full((*shape, 2), 0.5, order="F")
        return arrays

    def call(self, name: str, *arguments: Any, void: bool = False) -> None:
        end = () if void else (ctypes.byref(self.status),)
        getattr(self.library, name)(*arguments, *end)
        status = self.library.frame_status_()
        if status:
            text = ctypes.create_string_buffer(500)
            self.library.frame_last_error_(text, 500)
            raise SystemExit(f"{name}: {status} {text.raw.decode().strip()}")

    def initialize(self) -> None:
        self.call("frame_set_", b"backend", self.backend)
        self.call("frame_set_", b"species", b"O2 CH4")
        with open(os.devnull, "w") as nobody, contextlib.redirect_stdout(nobody):
            self.call("frame_initialize_", 0, 4096, 2, 7, 0, void=True)

    def bind(self, arrays: dict[bytes, np.ndarray]) -> None:
        for name, array in arrays.items():
            nx, ny, nz, *more = array.shape
            n = more[0] if more else 1
            bounds = (ctypes.c_int * 12)(nx, ny, nz, 2, nx - 1, 2, ny - 1, 2, nz - 1, 1, n, n)
            intent = b"out" if name in OUTPUTS else b"in"
            address = ctypes.c_void_p(array.ctypes.data)
            scale = ctypes.c_double(1.0)
            self.call("frame_bind_", b"cells", name, intent, address, bounds, scale)

    def unbind(self, arrays: dict[bytes, np.ndarray]) -> None:
        for name in arrays:
            self.call("frame_unbind_", b"cells", name)

    def run(self) -> None:
        self.call("frame_run_", b"cells", b"eosThermalProperties")
        self.runs += 1
        if self.leak and self.runs % self.leak == 0:
            self.lost.append(np.ones(EDGE**3))

    # ---- the parts ------------------------------------------------------------------------------

    def stripes(self, n: int) -> None:
        """n stripe calls, half of them into views and half out of them; the range moves."""
        data, whole = self.arrays[b"P"], (EDGE - 2) ** 3
        way = (EDGE, EDGE, EDGE, 2, EDGE - 1, 2, EDGE - 1, 2, EDGE - 1, 1, 1)
        address = ctypes.c_void_p(data.ctypes.data)
        for k in range(n // 2):
            start = 1 + 37 * k % (whole - 64)
            for name in (
                "frame_castles_populateinputstripe_",
                "frame_castles_populateoutputstripe_",
            ):
                self.call(name, b"P", address, *way, start, start + 63, void=True)

    def bound_runs(self, n: int) -> None:
        for _ in range(n):
            self.run()

    def cycles(self, n: int) -> None:
        """n times a Frame: initialize, bind, run, finalize."""
        for _ in range(n):
            self.call("frame_finalize_", void=True)
            self.initialize()
            self.bind(self.arrays)
            self.run()

    def binds(self, n: int) -> None:
        """n binds of arrays that are made anew each time, of changing size; some runs."""
        for k in range(max(n // len(self.arrays), 1)):
            arrays = self.made(8 + k % 13)
            self.bind(arrays)
            if k % 4 == 0:
                self.run()
            self.unbind(arrays)


@dataclass
class Memory:
    """What the process has, sampled."""

    device: Callable[[], int] | None = None
    samples: list[dict[str, int]] = field(default_factory=list)

    def sample(self) -> None:
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        found = {
            "resident": pages * os.sysconf("SC_PAGE_SIZE"),
            "blocks": sys.getallocatedblocks(),
        }
        if self.device is not None:
            found["device"] = self.device()
        self.samples.append(found)

    def growth(self) -> dict[str, int]:
        """Since the rounds that may allocate, to the last one."""
        return {
            key: self.samples[-1][key] - self.samples[WARM - 1][key] for key in self.samples[0]
        }


def device_memory() -> int:
    import cupy

    free, total = cupy.cuda.runtime.memGetInfo()
    return int(total - free)


def main() -> None:
    parser = argparse.ArgumentParser(prog="ci/soak")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--leak", type=int, default=0)
    parser.add_argument("--library", type=Path, default=None)
    options = parser.parse_args()
    library = options.library or entry_file("libbridge.so")
    host = Host(library, options.backend.encode(), options.leak)
    host.initialize()
    host.bind(host.arrays)
    parts = {"stripes": host.stripes, "runs": host.bound_runs}
    parts |= {"cycles": host.cycles, "binds": host.binds}
    grown = False
    result: dict[str, dict[str, int]] = {}
    for name, work in parts.items():
        memory = Memory(device_memory if options.backend == "cuda" else None)
        each = max(int(FULL[name] * options.share) // ROUNDS, 2)
        if name == "binds":
            host.unbind(host.arrays)
        for _ in range(ROUNDS):
            work(each)
            memory.sample()
        growth = memory.growth()
        result[name] = {"calls": each * ROUNDS, **growth}
        over = [key for key, value in growth.items() if value > ALLOWED[key]]
        grown |= bool(over)
        words = ", ".join(
            f"{key} {memory.samples[WARM - 1][key]} {value:+d}{' TOO MUCH' * (key in over)}"
            for key, value in growth.items()
        )
        print(f"{name:8s} {each * ROUNDS:7d}: {words}", flush=True)
    host.call("frame_finalize_", void=True)
    print(json.dumps(result))
    raise SystemExit(3 if grown else 0)


if __name__ == "__main__":
    main()
