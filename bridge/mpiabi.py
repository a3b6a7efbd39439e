"""Which MPI the process runs and which one mpi4py was built for, compared before mpi4py is loaded.

A leaf below `mpi`. The extension module of another MPI brings a second MPI library into the
process, whose handles are of another kind: pointers in Open MPI, numbers in MPICH. Its import
then ends in a crash and not in an exception, so its file is read first.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import warnings
from pathlib import Path

from bridge.errors import HostMpiError

OPEN_MPI, MPICH = "Open MPI", "MPICH"
REMEDY = (
    "put mpi4py for the host's MPI into this environment, with the host's mpicc on PATH: "
    "pip install --force-reinstall --no-cache-dir --no-binary mpi4py mpi4py"
)
# Of ELF: kinds of segments, and of entries of the dynamic segment.
_LOADED, _DYNAMIC = 1, 2
_NEEDED, _NAMES, _NAMES_SIZE = 1, 5, 10


def host() -> tuple[str, str] | None:
    """(family, version in words) of the MPI whose symbols the process has; None for none."""
    process = ctypes.CDLL(None)
    if not hasattr(process, "MPI_Init"):
        return None
    family = OPEN_MPI if hasattr(process, "ompi_mpi_comm_world") else MPICH
    if not hasattr(process, "MPI_Get_library_version"):
        return family, family
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int(0)
    process.MPI_Get_library_version(text, ctypes.byref(length))
    first = text.value.decode("utf-8", "replace").split(",")[0].splitlines()
    return family, " ".join(first[0].replace("Version:", "").split()) if first else family


def module_file() -> Path | None:
    """The extension module that `from mpi4py import MPI` would load; None where none is found.

    Raises HostMpiError where mpi4py looks for an MPI library and finds none.
    """
    loaded = sys.modules.get("mpi4py.MPI")
    if loaded is not None:
        return Path(loaded.__file__) if loaded.__file__ else None
    import importlib.util

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an ABI it has no module for: said below
            found = importlib.util.find_spec("mpi4py.MPI")
    except ModuleNotFoundError as error:
        if error.name == "mpi4py":
            return None
        raise HostMpiError(f"mpi4py finds no MPI library ({error}): {REMEDY}") from error
    except Exception as error:
        raise HostMpiError(f"mpi4py finds no MPI library ({error}): {REMEDY}") from error
    return Path(found.origin) if found is not None and found.origin else None


def built_for(module: Path) -> tuple[str, list[str]] | None:
    """(family, MPI libraries that it loads) of an extension module; None where it does not say."""
    try:
        needed, names = _dynamic(module.read_bytes())
    except (OSError, struct.error, ValueError):
        return None
    libraries = [name for name in needed if "mpi" in name.lower()]
    if any(name.startswith("libmpi_abi") for name in libraries):
        return "the standard ABI of MPI", libraries
    if b"\0ompi_mpi_" in names:
        return OPEN_MPI, libraries
    return (MPICH, libraries) if b"\0MPI_Comm_dup\0" in names else None


def needed(program: Path) -> list[str]:
    """Libraries that the file of a program names; ValueError where it is none."""
    try:
        return _dynamic(program.read_bytes())[0]
    except struct.error as error:
        raise ValueError(f"no whole ELF file ({error})") from None


def family_of(libraries: list[str]) -> str | None:
    """The family whose libraries have these names; None for none that is known."""
    for name in libraries:
        if name.startswith(("libmpi.so.40", "libmpi_mpifh", "libmpi_usempi", "libmpi.so.20")):
            return OPEN_MPI
        if name.startswith(("libmpich", "libmpi.so.12", "libmpifort", "libmpi_cray")):
            return MPICH
    return None


def _dynamic(file: bytes) -> tuple[list[str], bytes]:
    """Libraries that an ELF file of 64 bits names, and the table of all its dynamic names."""
    if file[:5] != b"\x7fELF\x02":
        raise ValueError("no ELF file of 64 bits")
    (start,) = struct.unpack_from("<Q", file, 32)
    size, count = struct.unpack_from("<HH", file, 54)
    segments = [struct.unpack_from("<IIQQQQ", file, start + i * size) for i in range(count)]
    entries: list[tuple[int, int]] = []
    for kind, _, offset, _, _, length in segments:
        if kind == _DYNAMIC:
            entries = list(struct.iter_unpack("<qQ", file[offset : offset + length]))
    values = dict(entries)
    address = values.get(_NAMES, 0)
    for kind, _, offset, place, _, length in segments:
        if kind == _LOADED and place <= address < place + length:
            begin = address - place + offset
            names = file[begin : begin + values.get(_NAMES_SIZE, 0)]
            needed = [value for tag, value in entries if tag == _NEEDED]
            return [names[at : names.index(b"\0", at)].decode() for at in needed], names
    raise ValueError("no dynamic names")


def check() -> str:
    """What mpi4py is built for, in words; HostMpiError where the process runs another MPI."""
    runs = host()
    path = module_file()
    built = built_for(path) if path is not None else None
    mine = f"mpi4py ({path or 'no module for this MPI'})"
    if built is not None:
        mine += f" is built for {built[0]}"
        if built[1]:
            mine += f" ({', '.join(built[1])})"
    forced = os.environ.get("MPI4PY_MPIABI")
    if forced:
        mine += f", MPI4PY_MPIABI={forced} is set"
    if runs is not None and (path is None or (built is not None and built[0] != runs[0])):
        raise HostMpiError(f"{mine}, and the host runs {runs[1]}: {REMEDY}")
    return mine + (f", and the host runs {runs[1]}" if runs is not None else "")
