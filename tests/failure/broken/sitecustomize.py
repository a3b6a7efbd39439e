"""Breaks one thing inside the host's Python; a test puts this folder on PYTHONPATH.

TEST_BREAKS names what: `hide` makes the package unfindable, `grab` takes signals as packages do
while they are imported, those in _views break one initialize, those in _at_import the
start, the others replace Frame.report.
"""

import atexit
import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any


def rank() -> str:
    """Of this process, as its launcher says it: Open MPI's, or that of MPICH and its relatives."""
    return os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"]


def complain() -> None:
    raise RuntimeError("the keel is gone\nand so is the rudder")


def raise_on_rank_1() -> None:
    if rank() == "1":
        raise RuntimeError("rank one has had enough")


def kill_rank_1() -> None:
    """As the node's memory killer does: no exit function, no message."""
    if rank() == "1":
        os.kill(os.getpid(), signal.SIGKILL)


def leave() -> None:
    sys.exit(7)


def interrupt() -> None:
    raise KeyboardInterrupt


def exhaust() -> None:
    raise MemoryError("no room")


def shout() -> None:
    print("python line")
    print("python part", end="")


def shout_and_fail() -> None:
    print("python part", end="")
    raise RuntimeError("after half a line")


def die() -> None:
    """The process ends while Python still holds part of a line."""
    print("python line")
    os._exit(4)


def compute() -> None:
    """Overflow, invalid and subnormal arithmetic, as Python and NumPy may do any time."""
    import numpy

    with numpy.errstate(all="ignore"):
        overflowed = numpy.array([1e308]) * 10 / numpy.array([0.0])
        invalid = numpy.array([0.0]) / 0.0
        small = numpy.full(64, 2.0**-1022) / 4
    good = overflowed[0] > 1e308 and invalid[0] != invalid[0] and small.min() == 2.0**-1024
    print("arithmetic", "good" if good and 2.0**-1022 / 4 > 0 else "bad")


def where() -> None:
    print("prefix", sys.prefix)
    print("mpi4py", "yes" if "mpi4py" in sys.modules else "no")


def linger() -> None:
    """What must happen at exit: threads waited for, atexit functions once, buffers written."""

    def late() -> None:
        time.sleep(0.3)
        print("thread done")

    threading.Thread(target=late).start()
    atexit.register(lambda: print("goodbye", end=""))


def fail_at_second_chunk(error: Exception) -> None:
    """The next launch that begins after point 100 fails; those after it work again."""
    from bridge.backends.cpu.program import PointsProgram

    run = PointsProgram.run

    def stumble(self: PointsProgram, first: int, n: int) -> None:
        if first >= 100:
            PointsProgram.run = run  # type: ignore[method-assign]
            raise error
        run(self, first, n)

    PointsProgram.run = stumble  # type: ignore[method-assign]


def trip() -> None:
    fail_at_second_chunk(RuntimeError("over a stone"))


def starve() -> None:
    fail_at_second_chunk(MemoryError("no room"))


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def mute() -> None:
    raise Mute


def views_once(error: BaseException) -> None:
    """The first Frame of this process gets no views; those after it do."""
    import bridge.frame

    module: Any = bridge.frame
    real = module.TVProperties

    def without(*_: object) -> None:
        module.TVProperties = real
        raise error

    module.TVProperties = without


def starve_views() -> None:
    views_once(MemoryError("no room for views"))


def leave_views() -> None:
    views_once(SystemExit(7))


def mute_views() -> None:
    views_once(Mute())


def grab() -> None:
    faulthandler.enable()
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})


class AtImport:
    """Does something when the entry's Python is imported, the last thing of a start."""

    def __init__(self, what: Callable[[], object]) -> None:
        self.what = what

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "bridge.entry.bodies":
            self.what()


def raise_mute() -> None:
    raise Mute


def end() -> None:
    ctypes.CDLL(None).exit(1)


class Hidden:
    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "bridge":
            raise ImportError("bridge is hidden")


BROKEN = os.environ.get("TEST_BREAKS", "")
if BROKEN == "hide":
    sys.meta_path.insert(0, Hidden())
elif BROKEN == "grab":
    grab()
elif BROKEN.endswith("_at_import"):
    at_import = AtImport(raise_mute if BROKEN == "mute_at_import" else end)
    sys.meta_path.insert(0, at_import)
elif BROKEN:
    try:
        import bridge.frame as module
    except ImportError:
        pass
    else:
        broken = globals()[BROKEN]
        if BROKEN.endswith("_views"):
            broken()
        else:
            module.Frame.report = lambda self: broken()  # type: ignore[method-assign]
