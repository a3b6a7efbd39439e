"""Counts the calls of a host that enter Python; a test puts this folder on PYTHONPATH.

In the place of a report the host gets their number so far, that one included. TEST_FAILS_AT:
which call of a kernel library that C makes finds no memory. TEST_IN_PYTHON: no call is done again
without Python. TEST_STANDIN: a folder for what a GPU that is none compiles; TEST_LAUNCH_FAILS_AT:
from which of its launches on they fail.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Counting:
    """Wraps the bodies of the entries when they are imported."""

    def __init__(self) -> None:
        self.entered = 0

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "bridge.entry.bodies":
            import bridge.frame
            from bridge.entry import calls

            module: Any = calls
            real = module.entry

            def entry(body: Callable[..., None]) -> Callable[..., None]:
                def counted(*arguments: Any) -> None:
                    self.entered += 1
                    body(*arguments)

                counted.__name__ = body.__name__
                real(counted)
                return body

            module.entry = entry
            if "TEST_IN_PYTHON" in os.environ:
                in_python()
            if "TEST_STANDIN" in os.environ:
                stand_in(Path(os.environ["TEST_STANDIN"]))
            frame: Any = bridge.frame.Frame
            frame.report = lambda _: print("entered", self.entered, flush=True)


def in_python() -> None:
    """Backends say that only Python can do their work."""
    from bridge.backends.cpu import CpuBackend
    from bridge.backends.cuda import CudaBackend

    backends: tuple[Any, ...] = CpuBackend, CudaBackend
    for backend in backends:
        backend.native = False


def fails_at(number: int) -> None:
    """What C calls in the place of the kernel library, on the whole set, says at that call that it
    has no memory."""
    import ctypes

    from bridge.backends.base import NativeCall
    from bridge.backends.cpu.program import PointsProgram

    kind = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int
    )
    real, calls = PointsProgram.native, [0]

    def native(self: PointsProgram, n: int) -> NativeCall:
        own = real(self, n)
        run = kind(own.function)

        def called(*arguments: Any) -> int:
            print("kernel library called", flush=True)
            calls[0] += 1
            return -8 if calls[0] == number else int(run(*arguments))

        kept.append(kind(called))
        address = ctypes.cast(kept[-1], ctypes.c_void_p).value
        assert address is not None
        return own._replace(function=address)

    PointsProgram.native = native  # type: ignore[method-assign]


def stand_in(folder: Path) -> None:
    """Frames that ask for a GPU get one that is none."""
    sys.path.append(str(Path(__file__).parents[2]))
    from standin import NoError, StandIn

    import bridge.frame
    from bridge.backends.cuda import CudaBackend, cache
    from bridge.backends.gpu import deviceclock

    clock: Any = deviceclock
    clock.ALWAYS = 20  # the time of some launches is not taken
    driver: Any = StandIn(folder)
    real, launches = driver.launch, [0]

    def launch(*arguments: int) -> None:
        launches[0] += 1
        if 0 < int(os.environ.get("TEST_LAUNCH_FAILS_AT", "0")) <= launches[0]:
            raise NoError("a launch that fails")
        real(*arguments)

    cuda: Any = cache
    frame: Any = bridge.frame
    driver.launch = launch
    cuda.compiled = driver.compile
    frame.open_backend = lambda *_, **named: CudaBackend(
        api=driver, recorder=named.get("recorder")
    )


kept: list[Any] = []
sys.meta_path.insert(0, Counting())
if "TEST_FAILS_AT" in os.environ:
    fails_at(int(os.environ["TEST_FAILS_AT"]))
