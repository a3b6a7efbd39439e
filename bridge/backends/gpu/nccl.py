"""NCCL: the library that CuPy has loaded, and a communicator of all ranks of a Frame.

Python makes the communicator by CuPy; C calls the library by addresses (kernels/gpu/exchange.h).
"""

from __future__ import annotations

import ctypes
import os
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bridge.compiled.order import ffi
from bridge.errors import DeviceError

if TYPE_CHECKING:
    from bridge.mpi import Communicator

#: By its SONAME, as CuPy's binding finds it.
LIBRARY = "libnccl.so.2"
INSTALL = "pip install 'fortran-bridge[nccl13]' (or [nccl12], as CuPy's CUDA asks)"
#: Members of `bridge_nccl`, and what they are called there.
FUNCTIONS = {
    "send": "ncclSend", "recv": "ncclRecv", "group_start": "ncclGroupStart",
    "group_end": "ncclGroupEnd", "all_reduce": "ncclAllReduce",
}  # fmt: skip


@dataclass(frozen=True)
class Library:
    """The one of this process. binding: `cupy.cuda.nccl`; version: as NCCL counts; functions:
    addresses by members of `bridge_nccl`."""

    binding: Any
    version: int
    functions: dict[str, int]
    handle: ctypes.CDLL

    @classmethod
    def loaded(cls) -> Library:
        """DeviceError says why there is none."""
        try:
            with warnings.catch_warnings():  # CuPy warns where it finds no library
                warnings.simplefilter("ignore")
                from cupy.cuda import nccl
        except ImportError as error:
            raise DeviceError(f"cupy.cuda.nccl does not import ({error}): {INSTALL}") from error
        if not getattr(nccl, "available", False):
            raise DeviceError(f"cupy.cuda.nccl finds no {LIBRARY}: {INSTALL}")
        try:
            handle = ctypes.CDLL(LIBRARY, os.RTLD_NOLOAD | os.RTLD_NOW)
            functions = {
                member: ctypes.cast(handle[name], ctypes.c_void_p).value or 0
                for member, name in FUNCTIONS.items()
            }
        except (OSError, AttributeError) as error:
            raise DeviceError(f"the {LIBRARY} that CuPy has loaded: {error}") from error
        version = ctypes.c_int()
        handle.ncclGetVersion(ctypes.byref(version))
        if version.value != nccl.get_version():
            raise DeviceError(
                f"{LIBRARY} is {spelled(version.value)}, and CuPy calls "
                f"{spelled(nccl.get_version())}: two libraries are loaded"
            )
        return cls(nccl, version.value, functions, handle)

    def said(self, code: int) -> str:
        """What a result means."""
        text = self.handle.ncclGetErrorString
        text.restype, text.argtypes = ctypes.c_char_p, [ctypes.c_int]
        return f"NCCL answered with error {code} ({(text(code) or b'').decode()})"


def spelled(version: int) -> str:
    """22707 is 2.27.7; before 2.9 the minor number had two digits less to it."""
    if version < 10000:
        return f"{version // 1000}.{version // 100 % 10}.{version % 100}"
    return f"{version // 10000}.{version // 100 % 100}.{version % 100}"


def state() -> str:
    """For a report: the version, or why there is none."""
    try:
        return spelled(Library.loaded().version)
    except DeviceError as error:
        return f"none: {error}"


class Nccl:
    """A communicator of all ranks of a Frame, each of which has a GPU of its own.

    Work is asked for by all ranks in the same order, on the stream of copies of `Order`. made: the
    `bridge_nccl`, for C.
    """

    def __init__(self, library: Library, communicator: Any) -> None:
        self.library = library
        self._communicator = communicator
        handles = {**library.functions, "communicator": communicator.comm}
        self.made: Any = ffi.new("bridge_nccl*", handles)

    @classmethod
    def joined(cls, ranks: Communicator) -> Nccl:
        """Collective, on the device in use. DeviceError on all ranks where one of them fails; all
        have the same library."""
        library = Library.loaded()
        number: Any = None
        why = ""
        try:
            number = library.binding.get_unique_id() if ranks.rank == 0 else None
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        why, number = ranks.allgather((why, number))[0]
        if why:
            raise DeviceError(f"no number of a communicator of NCCL: {why}")
        made: Any = None
        try:
            made = library.binding.NcclCommunicator(ranks.size, number, ranks.rank)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        told = ranks.allgather(why)
        rank = next((rank for rank, why in enumerate(told) if why), None)
        if rank is not None:
            if made is not None:
                made.abort()
            raise DeviceError(f"no communicator of NCCL on rank {rank}: {told[rank]}")
        return cls(library, made)

    def failure(self, code: int) -> DeviceError:
        """What a call from C has answered."""
        return DeviceError(self.library.said(code))

    def close(self, failed: bool = False) -> None:
        """Collective; failed: the device has, and nobody is waited for."""
        if failed:
            self._communicator.abort()
        else:
            self._communicator.destroy()
