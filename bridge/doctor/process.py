"""What the operating system says of a process: mapped files, limits, floating-point traps.

A leaf of the doctor: text and bytes in, values out.
"""

from __future__ import annotations

import ctypes
import re
import resource
import struct
from dataclasses import dataclass
from pathlib import Path

#: Runtimes of which a process wants one: kind -> how the file names of each begin.
RUNTIMES = {
    "OpenMP": ("libgomp", "libomp", "libiomp5", "libnvomp", "libcraymp"),
    "BLAS": (
        *("libopenblas", "libscipy_openblas", "libmkl_rt", "libmkl_core", "libblis", "libblas"),
        *("libflexiblas", "libsci_", "libatlas", "libtatlas", "libsatlas"),
    ),
    "MPI": ("libmpi", "libmpich"),
    "libpython": ("libpython",),
}
#: File names of the libraries of MPI alone: libmpi_mpifh and such wrap it.
MPI_FILE = re.compile(r"lib(mpi|mpich|mpi_cray|mpi_gnu_\d+|mpi_abi)\.so")

#: Of MXCSR and of the x87 control word: a bit is set where the exception is masked.
_EXCEPTIONS = ("invalid", "denormal", "zero", "overflow", "underflow", "inexact")
_FLUSH_TO_ZERO, _DENORMALS_ARE_ZERO = 1 << 15, 1 << 6
#: Of fenv_t on x86-64: the x87 control word comes first, MXCSR last.
FENV_SIZE, _MXCSR_AT = 32, 28


def mapped_files(maps: str | None = None) -> list[Path]:
    """Files that the process has mapped, in the order of their addresses, each once; maps: text
    of another process."""
    text = Path("/proc/self/maps").read_text() if maps is None else maps
    found: dict[Path, None] = {}
    for line in text.splitlines():
        words = line.split(maxsplit=5)
        if len(words) == 6 and words[5].startswith("/"):
            found[Path(words[5].removesuffix(" (deleted)"))] = None
    return list(found)


def runtimes(files: list[Path]) -> dict[str, list[Path]]:
    """Files of each kind of runtime, by RUNTIMES; another path of the same file counts once."""
    found: dict[str, list[Path]] = {kind: [] for kind in RUNTIMES}
    for file in files:
        for kind, names in RUNTIMES.items():
            if ".so" not in file.name or not file.name.startswith(names):
                continue
            if kind == "MPI" and not MPI_FILE.match(file.name):
                continue
            if file.resolve() not in [other.resolve() for other in found[kind]]:
                found[kind].append(file)
    return found


@dataclass(frozen=True)
class FloatingPoint:
    """traps: names of the exceptions that end a program; flushes: numbers that are denormal
    become zero."""

    traps: tuple[str, ...]
    flushes: bool

    @classmethod
    def of(cls, environment: bytes) -> FloatingPoint:
        """environment: a fenv_t of x86-64."""
        (control,) = struct.unpack_from("<H", environment, 0)
        (mxcsr,) = struct.unpack_from("<I", environment, _MXCSR_AT)
        armed = tuple(
            name
            for bit, name in enumerate(_EXCEPTIONS)
            if not (control >> bit & 1 and mxcsr >> (7 + bit) & 1)
        )
        return cls(armed, bool(mxcsr & (_FLUSH_TO_ZERO | _DENORMALS_ARE_ZERO)))

    @classmethod
    def of_this_thread(cls) -> FloatingPoint:
        """As it is now."""
        environment = ctypes.create_string_buffer(FENV_SIZE)
        ctypes.CDLL("libm.so.6").fegetenv(environment)
        return cls.of(environment.raw)


def locked_limit() -> int | None:
    """Bytes of memory that the process may lock; None for any."""
    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    return None if soft == resource.RLIM_INFINITY else soft


def locked_now(status: str | None = None) -> int:
    """Bytes that the process has locked, by /proc/self/status (what a GPU's driver has
    page-locked is not among them)."""
    text = Path("/proc/self/status").read_text() if status is None else status
    found = re.search(r"^VmLck:\s+(\d+) kB", text, re.M)
    return 1024 * int(found[1]) if found else 0


def size(number: float) -> str:
    """Bytes in words: "12.5 MiB"."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(number) < 1024 or unit == "GiB":
            break
        number /= 1024
    return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
