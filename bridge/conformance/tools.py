"""Compilers and the launcher of a self-test: options, then the environment, then what PATH has."""

from __future__ import annotations

import os
import shlex
import shutil
from argparse import Namespace
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

FORTRAN = ("gfortran", "flang", "flang-new", "ftn", "ifx", "nvfortran")
C = ("cc", "gcc", "clang", "icx", "nvc")
MPI_FORTRAN = ("mpifort", "mpif90", "mpiifx", "ftn")
LAUNCHERS = ("mpirun", "mpiexec", "srun")


@dataclass(frozen=True)
class Tools:
    """Commands in words, with flags; empty where there is none. asked: MPI was named, so that
    its absence is a failure."""

    fortran: list[str]
    c: list[str]
    mpi_fortran: list[str]
    launcher: list[str]
    asked: bool

    @classmethod
    def found(cls, options: Namespace, environment: Mapping[str, str]) -> Tools:
        flags = shlex.split(environment.get("FCFLAGS") or environment.get("FFLAGS") or "")
        fortran = named(options.fc or environment.get("FC"), FORTRAN)
        c = named(options.cc or environment.get("CC"), C)
        wanted = options.mpifc or environment.get("MPIFC")
        mpi_fortran = named(wanted, MPI_FORTRAN)
        launcher = options.mpirun or environment.get("MPIRUN")
        return cls(
            fortran + flags if fortran else [],
            c + shlex.split(environment.get("CFLAGS", "")) if c else [],
            mpi_fortran + flags if mpi_fortran else [],
            named(launcher, _launchers(mpi_fortran)),
            bool(wanted or launcher),
        )


def named(asked: str | None, candidates: Iterable[str]) -> list[str]:
    """The words of a command that is asked for, else the first candidate on PATH."""
    if asked:
        return shlex.split(asked)
    return next(([name] for name in candidates if shutil.which(name)), [])


def _launchers(wrapper: list[str]) -> list[str]:
    """That of the same MPI first: beside the wrapper, and of its suffix (mpif90.mpich)."""
    place = shutil.which(wrapper[0]) if wrapper else None
    if place is None:
        return list(LAUNCHERS)
    path = Path(place)
    beside = [str(path.with_name(name + path.suffix)) for name in LAUNCHERS]
    return [*beside, *LAUNCHERS]


def variables() -> dict[str, str]:
    """The environment of the programs: the settings of a run do not count, which Python does.
    Two ranks on one core, by root in a container, are what a test may do."""
    kept = ("BRIDGE_PYTHON", "BRIDGE_CPU_ISA")
    ours = {k: v for k, v in os.environ.items() if not k.startswith("BRIDGE_") or k in kept}
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        ours.setdefault(name, "1")
    ours.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")
    ours.setdefault("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
    ours.setdefault("OMP_NUM_THREADS", "1")
    return ours
