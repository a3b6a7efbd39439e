"""The host's MPI, found without linking or importing one.

A leaf. Rank and size come from symbols that are already in the process; mpi4py is imported only
when the host hands over a communicator, and then with its defaults tamed: a plain import of it
would turn the host's errors-are-fatal into errors-return.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from bridge import mpiabi
from bridge.errors import BridgeError, HostMpiError, spoken, status_of

#: MPI_COMM_WORLD of MPICH and its relatives; Open MPI exports an object instead.
_MPICH_COMM_WORLD = 0x44000000
#: MPIX_GPU_SUPPORT_CUDA of MPICH.
_MPIX_CUDA = 0


@cache
def _process() -> ctypes.CDLL:
    """All that is loaded into this process, now or later."""
    return ctypes.CDLL(None)


def _world(process: ctypes.CDLL) -> Any:
    try:
        return ctypes.c_void_p(
            ctypes.addressof(ctypes.c_char.in_dll(process, "ompi_mpi_comm_world"))
        )
    except ValueError:
        return ctypes.c_int(_MPICH_COMM_WORLD)


def _host_value(function: str) -> int | None:
    """MPI_Comm_rank or MPI_Comm_size of the world, None where MPI is not running."""
    process = _process()
    if not all(hasattr(process, name) for name in ("MPI_Initialized", "MPI_Finalized", function)):
        return None
    flag = ctypes.c_int(0)
    process.MPI_Initialized(ctypes.byref(flag))
    if not flag.value:
        return None
    process.MPI_Finalized(ctypes.byref(flag))
    if flag.value:
        return None
    value = ctypes.c_int(0)
    getattr(process, function)(_world(process), ctypes.byref(value))
    return value.value


def host_rank() -> int:
    """Rank in MPI_COMM_WORLD; 0 in a serial program."""
    rank = _host_value("MPI_Comm_rank")
    if rank is None and "mpi4py.MPI" in sys.modules:
        return _mpi4py_world("Get_rank", 0)
    return rank or 0


def host_size() -> int:
    """Size of MPI_COMM_WORLD; 1 in a serial program."""
    size = _host_value("MPI_Comm_size")
    if size is None and "mpi4py.MPI" in sys.modules:
        return _mpi4py_world("Get_size", 1)
    return size or 1


def _mpi4py_world(method: str, otherwise: int) -> int:
    MPI = sys.modules["mpi4py.MPI"]
    running = MPI.Is_initialized() and not MPI.Is_finalized()
    return getattr(MPI.COMM_WORLD, method)() if running else otherwise


def _import_mpi4py() -> Any:
    try:
        import mpi4py
    except ImportError as error:
        raise HostMpiError(
            "a communicator was given but mpi4py is not installed in this Python "
            f"({sys.prefix}): pip install mpi4py, built for the MPI of the host"
        ) from error
    mixed = mpiabi.check()
    if "mpi4py.MPI" not in sys.modules:
        mpi4py.rc.initialize = False
        mpi4py.rc.finalize = False
        mpi4py.rc.errors = "default"
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # it finds no MPI library, or not all of it
        raise HostMpiError(f"{mixed}; its import says: {error}: {mpiabi.REMEDY}") from error
    if _host_value("MPI_Comm_rank") is not None and not MPI.Is_initialized():
        other = MPI.Get_library_version().splitlines()[0]
        raise HostMpiError(f"{mixed}; it has loaded another MPI, {other}: {mpiabi.REMEDY}")
    return MPI


class Given:
    """The communicator that the host gave: for one exchange, then for a duplicate."""

    def __init__(self, handle: int) -> None:
        """handle: Fortran handle. Not collective; HostMpiError where MPI is not running or the
        handle is none of its communicators."""
        MPI = _import_mpi4py()
        if not MPI.Is_initialized():
            raise HostMpiError(
                "argument comm: a communicator was given but MPI is not initialised: "
                "call MPI_Init before frame_initialize"
            )
        if MPI.Is_finalized():
            raise HostMpiError("argument comm: MPI is already finalised")
        self.MPI = MPI
        self.comm = MPI.Comm.f2py(handle)
        if self.comm == MPI.COMM_NULL:
            raise HostMpiError("argument comm: got MPI_COMM_NULL, wanted a communicator")
        try:
            inter = self.comm.Is_inter()
        except MPI.Exception as error:
            raise HostMpiError(
                f"argument comm: got {handle}, wanted the Fortran handle of a communicator"
            ) from error
        if inter:
            raise HostMpiError(
                "argument comm: got an intercommunicator, wanted one within one group of ranks"
            )

    def agree(self, error: BaseException | None) -> None:
        """Collective. Raise `error` on its rank, and on every rank where one brings an error."""
        _agree(self.comm, error)

    def duplicate(self) -> Communicator:
        """Collective."""
        return Communicator(self.MPI, self.comm.Dup())


def _agree(comm: Any, error: BaseException | None, value: Any = None) -> list[Any]:
    mine = None
    if error is not None:
        mine = host_rank(), status_of(error), spoken(error)
    ranks = comm.allgather((mine, value))
    failed = [one for one, _ in ranks if one is not None]
    if error is not None:
        raise error
    if failed:
        rank, status, text = failed[0]
        others = f" and on {len(failed) - 1} more" if len(failed) > 1 else ""
        told = BridgeError(
            f"the call failed on rank {rank}{others} of {host_size()}, so on all: {text}"
        )
        told.status = status
        raise told
    return [each for _, each in ranks]


def says_cuda(library: Any) -> bool:
    """What MPI answers where it can be asked: MPIX_Query_cuda_support of Open MPI and MPICH, or
    MPIX_GPU_query_support of MPICH."""
    if hasattr(library, "MPIX_Query_cuda_support"):
        return bool(library.MPIX_Query_cuda_support())
    if not hasattr(library, "MPIX_GPU_query_support"):
        return False
    supported = ctypes.c_int(0)
    failed = library.MPIX_GPU_query_support(_MPIX_CUDA, ctypes.byref(supported))
    return not failed and bool(supported.value)


@dataclass(frozen=True)
class PointToPoint:
    """MPI_Irecv, MPI_Isend, MPI_Testany and MPI_Testall for callers that are no Python, by their
    addresses; communicator, byte: handles, each in a word; request, status: bytes of one;
    undefined: MPI_UNDEFINED."""

    irecv: int
    isend: int
    testany: int
    testall: int
    communicator: int
    byte: int
    request: int
    status: int
    undefined: int


@dataclass(frozen=True)
class Allreduce:
    """MPI_Allreduce for callers that are no Python, by its address; communicator, integer, most,
    sum: handles of it, of MPI_INT64_T, MPI_MAX and MPI_SUM, each in a word."""

    allreduce: int
    communicator: int
    integer: int
    most: int
    sum: int


@dataclass(frozen=True)
class Ranks:
    """rank: of this process, for messages and files; size: how many there are; communicator: of
    all of them, None where the host gave none."""

    rank: int = 0
    size: int = 1
    communicator: Communicator | None = None


class Communicator:
    """The bridge's own duplicate of the communicator that the host gave."""

    def __init__(self, MPI: Any, duplicate: Any) -> None:
        self._MPI = MPI
        self._comm = duplicate
        self._functions: Any = None
        self.rank: int = self._comm.Get_rank()
        self.size: int = self._comm.Get_size()

    def agree(self, error: BaseException | None) -> None:
        """Collective. Raise `error` on its rank, and on every rank where one brings an error."""
        _agree(self._comm, error)

    def agreed(self, error: BaseException | None, value: Any) -> list[Any]:
        """`agree`, and every rank's value on every rank."""
        return _agree(self._comm, error, value)

    def gather(self, value: Any) -> list[Any] | None:
        """Every rank's value on rank 0, None elsewhere."""
        values: list[Any] | None = self._comm.gather(value, root=0)
        return values

    def allgather(self, value: Any) -> list[Any]:
        """Every rank's value on every rank."""
        return list(self._comm.allgather(value))

    def node_rank(self) -> tuple[int, int]:
        """(rank, size) among the ranks that share this node's memory."""
        node = self._comm.Split_type(self._MPI.COMM_TYPE_SHARED)
        try:
            return node.Get_rank(), node.Get_size()
        finally:
            node.Free()

    def point_to_point(self) -> PointToPoint:
        """Messages of this communicator without Python. HostMpiError where MPI has no such
        functions."""
        MPI = self._MPI
        # Of the library that mpi4py calls: its symbols may be those of no other library.
        library = ctypes.CDLL(MPI.__file__)
        try:
            irecv, isend, testany, testall = (
                ctypes.cast(getattr(library, f"MPI_{name}"), ctypes.c_void_p).value or 0
                for name in ("Irecv", "Isend", "Testany", "Testall")
            )
        except AttributeError as error:
            raise HostMpiError(f"messages between ranks: {error}") from error
        return PointToPoint(
            irecv,
            isend,
            testany,
            testall,
            # The ints of MPICH may be negative, which mpi4py gives as a word without a sign.
            ctypes.c_int64(MPI._handleof(self._comm)).value,
            ctypes.c_int64(MPI._handleof(MPI.BYTE)).value,
            MPI._sizeof(MPI.Request),
            MPI._sizeof(MPI.Status),
            MPI.UNDEFINED,
        )

    def takes_device_memory(self) -> bool:
        """Whether MPI says that messages may lie in memory of a GPU of CUDA."""
        return says_cuda(ctypes.CDLL(self._MPI.__file__))

    def reductions(self) -> Allreduce:
        """Reductions over this communicator without Python. HostMpiError where MPI has none."""
        MPI = self._MPI
        try:
            function = ctypes.CDLL(MPI.__file__).MPI_Allreduce  # as in `point_to_point`
        except AttributeError as error:
            raise HostMpiError(f"reductions over ranks: {error}") from error
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
        handles = self._comm, MPI.INT64_T, MPI.MAX, MPI.SUM
        return Allreduce(address, *(ctypes.c_int64(MPI._handleof(one)).value for one in handles))

    def for_functions(self) -> Any:
        """A duplicate for functions of the user, whose messages meet none of the bridge's.
        Collective the first time."""
        if self._functions is None:
            self._functions = self._comm.Dup()
        return self._functions

    def free(self) -> None:
        """Give the duplicates back; does nothing once MPI is finalised."""
        if not self._MPI.Is_finalized() and self._comm != self._MPI.COMM_NULL:
            if self._functions is not None:
                self._functions.Free()
                self._functions = None
            self._comm.Free()
