"""The section of MPI: the library that the host runs, the one that mpi4py was built for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bridge import mpi, mpiabi
from bridge.doctor import process
from bridge.doctor.findings import Section
from bridge.errors import HostMpiError


def section(files: list[Path], program: Path | None = None) -> Section:
    """files: that are mapped; program: a user's host, whose libraries are read from its file
    where this process has no MPI."""
    found = Section("MPI")
    runs = mpiabi.host()
    host = runs[1] if runs else "none in this process"
    found.facts["host"] = host
    if runs is not None:
        found.facts["rank"] = f"{mpi.host_rank()} of {mpi.host_size()}"
    found.facts["libraries"] = "\n".join(map(str, process.runtimes(files)["MPI"])) or "none"
    family = runs[0] if runs else None
    if program is not None:
        linked = _linked(found, program)
        family = family or linked
    _mpi4py(found, family, host)
    loaded = process.runtimes(files)["MPI"]
    if len(loaded) > 1:
        found.problem(
            f"{len(loaded)} MPI libraries are loaded: {', '.join(map(str, loaded))}",
            mpiabi.REMEDY,
            stops=True,
        )
    return found


def _linked(found: Section, program: Path) -> str | None:
    """Family of the MPI that a program's file asks for."""
    try:
        needed = mpiabi.needed(program)
    except (OSError, ValueError) as error:
        found.problem(
            f"{program} cannot be read as a program: {error}",
            "bridge doctor --program ./your_solver, the file that mpirun starts",
            stops=True,
        )
        return None
    libraries = [name for name in needed if process.MPI_FILE.match(name) or "libmpi" in name]
    family = mpiabi.family_of(libraries)
    said = f"{family} ({', '.join(libraries)})" if family else ", ".join(libraries) or "no MPI"
    found.facts["program"] = f"{program}: {said}"
    return family


def _mpi4py(found: Section, family: str | None, host: str) -> None:
    install = f"{sys.executable} -m {mpiabi.REMEDY.rpartition(': ')[2]}"
    try:
        path = mpiabi.module_file()
    except HostMpiError as error:
        found.facts["mpi4py"] = "finds no MPI library"
        found.problem(str(error).removesuffix(f": {mpiabi.REMEDY}"), install, stops=True)
        return
    built = mpiabi.built_for(path) if path is not None else None
    if path is None:
        found.facts["mpi4py"] = "not installed"
        if family is not None:
            found.problem(
                f"the host runs {family} and this Python has no mpi4py: frame_initialize takes "
                "no communicator",
                f"with the host's mpicc on PATH: {install}",
            )
        return
    words = f"built for {built[0]}" if built else "built for an MPI that its file does not name"
    libraries = f" ({', '.join(built[1])})" if built and built[1] else ""
    found.facts["mpi4py"] = f"{words}{libraries}: {path}"
    if forced := os.environ.get("MPI4PY_MPIABI"):
        found.facts["MPI4PY_MPIABI"] = forced
    if mismatch(family, built):
        assert built is not None
        found.problem(
            f"mpi4py is built for {built[0]}{libraries}, the host runs "
            f"{host if host.startswith(str(family)) else family}: two MPI libraries in a process",
            f"with the host's mpicc on PATH: {install}",
            stops=True,
        )


def mismatch(family: str | None, built: tuple[str, Sequence[str]] | None) -> bool:
    """Whether mpi4py and the host are of two families of MPI."""
    return family is not None and built is not None and built[0] != family
