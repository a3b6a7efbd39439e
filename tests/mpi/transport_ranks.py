"""One of two ranks of `test_transports`: how an exchange goes, or why it is refused, on a device
that is none with an NCCL that is none.

Argument: a folder for what stand-ins compile. Prints, on rank 0, what each rank was told, case by
case.
"""

from __future__ import annotations

import faulthandler
import json
import sys
from collections.abc import Callable
from pathlib import Path

faulthandler.dump_traceback_later(500, exit=True)  # a rank that waits for one that has left

import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1]))
from mpi4py import MPI  # noqa: E402
from standin import StandIn  # noqa: E402
from standin_nccl import OneEach, StandInNccl  # noqa: E402

import bridge.frame  # noqa: E402
from bridge import Frame, mpi  # noqa: E402
from bridge.backends.cpu import CpuBackend  # noqa: E402
from bridge.backends.cuda import CudaBackend, cache  # noqa: E402
from bridge.errors import BridgeError  # noqa: E402

world = MPI.COMM_WORLD
me, other = world.rank, 1 - world.rank
last = world.rank == world.size - 1
folder = Path(sys.argv[1])
nccl = StandInNccl(folder, world)
told: dict[str, str] = {}


def case(
    name: str, asked: str, resident: bool = True, apart: bool = True, cpu: bool = False,
    after: Callable[[Frame], None] | None = None,
) -> None:  # fmt: skip
    """A value of each rank goes to the other one; apart: each has a GPU of its own; after: what
    follows the plan and its first exchange."""
    driver = StandIn(folder)
    if apart:
        OneEach(driver, me)
    vars(cache)["compiled"] = driver.compile
    vars(bridge.frame)["open_backend"] = lambda *_, **named: (
        CpuBackend(1) if cpu else CudaBackend(api=driver)
    )
    frame = Frame(exchange=asked)
    frame.initialize(0, 10, 0, 5, comm=world.py2f())
    tv = frame.tvproperties
    T = np.array([float(me), -1.0, 7.0])
    tv.bind_array("cells", "T", "inout", T)
    if resident:
        tv.enter_data("cells", "T", "copyin")
    try:
        rows = [other], [3], [1], [[1, 1, 1, 1, 1, 1]], [1], [[2, 2, 1, 1, 1, 1]]
        tv.exchanges.plan("x", "cells", "T", *rows)
        tv.exchanges.run("x")
        told[name] = tv.exchange_lines()[0].partition(" ranks by ")[2].partition(", 0.00")[0]
        if resident:
            tv.update_host("cells", "T")
        assert T.tolist() == [me, other, 7], T
        if after is not None:
            after(frame)
    except BridgeError as error:
        told[name] = f"{type(error).__name__}: {error}"
    if resident and after is not left:
        tv.exit_data("cells", "T", "delete")
    frame.finalize()
    assert not nccl.open, "a communicator stays"


def left(frame: Frame) -> None:
    frame.tvproperties.exit_data("cells", "T", "copyout")
    frame.tvproperties.exchanges.run("x")


def fails(frame: Frame) -> None:
    nccl.library.standin_fails(1)
    try:
        frame.tvproperties.exchanges.run("x")
    finally:
        nccl.library.standin_fails(0)


case("nccl", "auto")
case("staged", "staged")
case("shared", "auto", apart=False)
case("shared, forced", "nccl", apart=False)
case("settings", "nccl" if last else "auto")
case("host", "nccl", resident=False)
case("mixed", "auto", resident=not last)
case("mixed, forced", "nccl", resident=not last)
case("cpu", "nccl", resident=False, cpu=True)
case("no mpi", "mpi-device")
case("left", "nccl", after=left)
case("fails", "nccl", after=fails)
if last:
    nccl.says(21805)
case("versions", "nccl")
nccl.says(22707)
nccl.version += last
case("two libraries", "nccl")
nccl.version = 22707
nccl.refuses = last
case("no communicator", "auto")
case("no communicator, forced", "nccl")
nccl.refuses = False
nccl.available = not last
vars(mpi)["says_cuda"] = lambda _library: True
case("no library", "auto")
case("no library, forced", "nccl")
everybody = world.gather(told)
if everybody is not None:
    print(json.dumps({"told": everybody}), flush=True)
