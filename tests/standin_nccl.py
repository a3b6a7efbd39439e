"""An NCCL that is none, for the device that is none: a library that moves by the host's MPI, and
in front of it the binding that CuPy has."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from bridge.backends.gpu.driver import Facts
from bridge.mpi import Communicator

SOURCE = Path(__file__).with_suffix(".c")
#: The handle of its communicator, which the library asks for.
HANDLE = 42


class OneEach:
    """Devices of a rank: the same ones with UUIDs of its own."""

    def __init__(self, driver: Any, rank: int) -> None:
        self._rank = rank
        self._devices = driver.devices
        driver.devices = self

    def __call__(self) -> list[Facts]:
        return [replace(one, uuid=f"{one.uuid}-{self._rank}") for one in self._devices()]


class StandInNccl:
    """The binding; installed as `cupy.cuda.nccl` of this process. folder: for the library; world:
    of mpi4py; available, version, refuses: what it says, and whether it makes no communicator."""

    def __init__(self, folder: Path, world: Any) -> None:
        self.library = ctypes.CDLL(str(_compiled(folder)))
        messages = Communicator(sys.modules["mpi4py.MPI"], world).point_to_point()
        word = ctypes.c_ssize_t
        self.library.standin_mpi.argtypes = [*[word] * 5, ctypes.c_int]
        self.library.standin_mpi(
            messages.isend, messages.irecv, messages.testall, messages.communicator,
            messages.byte, messages.request,
        )  # fmt: skip
        self.available = True
        self.version = 22707
        self.refuses = False
        self.open: list[int] = []
        binding = self

        class NcclCommunicator:
            def __init__(self, ranks: int, number: tuple[int, ...], rank: int) -> None:
                assert len(number) == 128 and 0 <= rank < ranks
                if binding.refuses:
                    raise RuntimeError("NCCL_ERROR_SYSTEM_ERROR: unhandled system error")
                binding.open.append(rank)
                self.comm = HANDLE

            def destroy(self) -> None:
                binding.open.pop()

            abort = destroy

        self.NcclCommunicator = NcclCommunicator
        cupy, cuda = ModuleType("cupy"), ModuleType("cupy.cuda")
        vars(cupy)["cuda"], vars(cuda)["nccl"] = cuda, self
        sys.modules |= {"cupy": cupy, "cupy.cuda": cuda}

    def says(self, version: int) -> None:
        """The library and the binding."""
        self.library.standin_says(version)
        self.version = version

    def get_version(self) -> int:
        return self.version

    def get_unique_id(self) -> tuple[int, ...]:
        return tuple(range(-64, 64))


def _compiled(folder: Path) -> Path:
    """The library, complete when it has its name."""
    made = folder / "libnccl.so.2"
    part = folder / f"libnccl.{os.getpid()}"
    if not made.exists():
        flags = ["-O1", "-fPIC", "-shared", "-Wall", "-Werror", "-Wl,-soname,libnccl.so.2"]
        subprocess.run(["gcc", *flags, str(SOURCE), "-o", str(part)], check=True)
        part.rename(made)
    return made
