"""What each kernel of a composite takes on a CPU: the blocks looked at, shares, their table."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernels.jobs import ISAS, SHARED, composite_plan, states

import bridge
from bridge.backends.cpu import CpuBackend
from bridge.backends.cpu.meters import COPIES, Meters
from bridge.backends.cpu.program import COUNTING
from bridge.backends.cpu.single import bind

COMPOSITE = "eosThermalProperties"
BLOCK = 64


def places() -> Iterator[int]:
    """Blocks of a thread that are looked at, counted from 1, as kernels/cpu/meter.h draws them."""
    state, block = 1, 16
    while True:
        yield block
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        block += 1 + (state >> 57)


def looked_at(blocks: int) -> int:
    return next(number for number, place in enumerate(places()) if place > blocks)


class Job:
    """A composite on points of its own, watched."""

    def __init__(self, isa: str, n: int, threads: int = 1, block: int | None = BLOCK) -> None:
        backend = CpuBackend(threads, isa)
        backend.set_shared(SHARED)
        self.n, plan = n, composite_plan(COMPOSITE)
        arrays = {name: values for name, values in states(n).items() if name in plan.inputs}
        self.outputs = {name: np.zeros(n) for name in plan.outputs if name != "status"}
        self.outputs["status"] = np.zeros(n, np.int32)
        arrays |= {name: self.outputs[name] for name in plan.outputs}
        bindings = {name: bind(array) for name, array in arrays.items()}
        self.program = backend.executor(plan, bindings, block=block)
        self.meters = Meters(backend.library.ffi)

    def run(self, times: int = 1) -> None:
        for _ in range(times):
            self.program.run(0, self.n)


def in_a_thread(call: Callable[[], object]) -> None:
    """A thread of its own begins to draw from the start."""
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


@pytest.mark.parametrize("isa", ISAS)
def test_the_blocks_that_are_looked_at(isa: str) -> None:
    job = Job(isa, 40 * BLOCK)
    job.meters.watch(job.program)
    in_a_thread(lambda: job.run(50))
    [(blocks, shares)] = job.meters.shares().values()
    assert blocks == looked_at(40 * 50) > 20
    kernels = [name for name in job.program.steps if name]
    assert list(shares) == [*dict.fromkeys(kernels), COPIES]
    assert COUNTING in shares
    assert set(composite_plan(COMPOSITE).kernels()) <= set(shares)
    assert all(share >= 0.0 for share in shares.values())
    assert sum(shares.values()) == pytest.approx(1.0)


def test_a_block_that_is_not_looked_at() -> None:
    job = Job(ISAS[0], 15 * BLOCK)
    job.meters.watch(job.program)
    in_a_thread(job.run)
    assert job.meters.shares() == {}
    in_a_thread(job.run)  # another thread's first blocks
    assert job.meters.shares() == {}


def test_nobody_looks_without_a_meter() -> None:
    job = Job(ISAS[0], 40 * BLOCK)
    in_a_thread(lambda: job.run(10))
    job.meters.watch(job.program)
    assert job.meters.shares() == {}


def test_a_look_changes_no_result() -> None:
    plain, watched = Job(ISAS[0], 1000), Job(ISAS[0], 1000)
    watched.meters.watch(watched.program)
    for job in (plain, watched):
        in_a_thread(partial(job.run, 30))
    assert watched.meters.shares()
    for name, values in plain.outputs.items():
        np.testing.assert_array_equal(values, watched.outputs[name], strict=True)


def test_threads_share_a_meter() -> None:
    """All blocks of all threads count: OpenMP's threads draw on from where they are."""
    job = Job(ISAS[0], 400 * BLOCK, threads=2)
    job.meters.watch(job.program)
    in_a_thread(lambda: job.run(40))
    [(blocks, shares)] = job.meters.shares().values()
    assert blocks == pytest.approx(400 * 40 / 64.5, rel=0.2)
    assert sum(shares.values()) == pytest.approx(1.0)


def test_the_time_of_a_kernel_is_its_own() -> None:
    """A kernel that waits has nearly all of the time, and no other one has."""
    job = Job(ISAS[0], 40 * BLOCK)
    program, ffi = job.program, job.meters._ffi
    number = program.steps.index("prEOSCalcSoundSpeed")
    steps: Any = program._struct.steps
    kernel = steps[number].kernel

    def slow(*arguments: Any) -> None:
        kernel(*arguments)
        time.sleep(0.002)

    called = ffi.callback("bridge_kernel", slow)
    steps[number].kernel = called
    job.meters.watch(program)
    in_a_thread(lambda: job.run(8))
    [(_, shares)] = job.meters.shares().values()
    assert shares["prEOSCalcSoundSpeed"] > 0.9


# ---- in a run ---------------------------------------------------------------------------------


def test_table_and_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    frame = bridge.Frame()
    path = tmp_path / "timers.json"
    for key, value in {"backend": "cpu", "threads": "1", "timers": str(path)}.items():
        frame.set(key, value)
    frame.set("species", "O2 CH4")
    n = 32768
    frame.initialize(0, n, 2, 7, 0)
    tv = frame.tvproperties
    T, P, Y = (np.full((n, 1, 1, *width), value, order="F")
               for value, width in ((300.0, ()), (1e7, ()), (0.5, (2,))))  # fmt: skip
    rho = np.zeros((n, 1, 1), order="F")
    for name, array in {"T": T, "P": P, "Y": Y}.items():
        tv.bind_array("cells", name, "in", array)
    tv.bind_array("cells", "rho", "out", rho)
    for _ in range(60):
        tv.run("cells", COMPOSITE)
    frame.finalize()
    told = capfd.readouterr().out
    assert f"kernels of {COMPOSITE}: shares sampled, of " in told
    found = json.loads(path.read_text())
    mine = found["ranks"][0]["kernels"][COMPOSITE]
    assert mine["blocks looked at"] > 10
    run = found["ranks"][0]["host"][f"run {COMPOSITE}"]["total"]
    assert sum(mine["total"].values()) == pytest.approx(run)
    rows = found["kernels over ranks"]
    assert {row["name"] for row in rows} == set(mine["total"])
    assert sum(row["share"] for row in rows) == pytest.approx(1.0)
    for row in rows:
        assert row["composite"] == COMPOSITE
        assert row["total"]["max"] == pytest.approx(mine["total"][row["name"]])
        assert row["name"] in told
