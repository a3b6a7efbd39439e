"""A loop nest that copies rows, and finds no memory for them: what Python and C say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hosts import TIME_LIMIT, build, counting

#: A run while all that the allocator has is taken, and the system gives no more.
EXHAUSTED = """
import ctypes, resource
import numpy as np
import bridge
from bridge.backends.cpu.nests import NestProgram

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
taken = (ctypes.c_void_p * 1_000_000)()
real, before = NestProgram._calls, resource.getrlimit(resource.RLIMIT_AS)

def calls(self, function, struct, points):
    real(self, function, struct, points)
    run = self._run
    def starved(*arguments):
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize(), before[1]))
        n, size = 0, 1 << 24
        while size >= 2048:
            taken[n] = libc.malloc(size)
            if taken[n]:
                n += 1
            else:
                size //= 2
        status = run(*arguments)
        for place in taken[:n]:
            libc.free(place)
        resource.setrlimit(resource.RLIMIT_AS, before)
        return status
    self._run = starved

frame = bridge.Frame()
for key, value in {"backend": "cpu", "threads": "1"}.items():
    frame.set(key, value)
frame.initialize(0, 64, 0, 0)
tv = frame.tvproperties
u, rhs = (np.ones((40, 30, 20, 5), np.float32, order="F") for _ in range(2))
box = dict(SptX=1, EptX=40, SptY=1, EptY=30, SptZ=1, EptZ=20)
tv.bind_array("cells", "conserved", "inout", u, **box)
tv.bind_array("cells", "rhs", "in", rhs, **box)
NestProgram._calls = calls
try:
    tv.run("cells", "advanceInPlace")
except bridge.BridgeError as error:
    print("told", error)
assert (u == 1).all(), "nothing was written"
NestProgram._calls = real
tv.bind_array("other", "conserved", "inout", u, **box)
tv.bind_array("other", "rhs", "in", rhs, **box)
tv.run("other", "advanceInPlace")
assert (u > 1).all()
"""


def test_from_python(update: Path, built: Path) -> None:
    """Behind the failure there is memory again, and the next run has it."""
    done = subprocess.run(
        [sys.executable, "-c", EXHAUSTED],
        env={**os.environ, "BRIDGE_PACKS": str(update), "BRIDGE_CACHE": str(built)},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
    )
    assert done.returncode == 0, done.stderr
    assert "told run of advanceInPlace on set 'cells': failed" in done.stdout
    assert "advanceInPlace: no memory for copies of rows" in done.stdout, done.stdout


@pytest.mark.fortran
def test_from_c(update: Path, built: Path, tmp_path: Path) -> None:
    """The 3rd time that C asks for the nest."""
    host = build(tmp_path, [Path(__file__).with_name("nomemory.f90")])
    packs = {"BRIDGE_PACKS": str(update), "BRIDGE_CACHE": str(built)}
    outcome = host.run(environment={**counting(TEST_FAILS_AT="3"), **packs})
    assert outcome.status != 0 and "(BRIDGE_MEMORY, status -8)" in outcome.err
    wanted = "run of advanceInPlace on set 'cells': failed, incomplete are conserved"
    assert wanted in outcome.err and "no memory for copies of rows" in outcome.err
    assert outcome.out.count("kernel library called") == 3
