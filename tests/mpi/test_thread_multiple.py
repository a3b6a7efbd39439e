"""MPI_THREAD_MULTIPLE and split communicators, with Open MPI and with MPICH."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hosts import build

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).with_name("multiple.f90")


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_threads_that_send_while_others_run(tmp_path: Path, mpirun: list[str], mpi: str) -> None:
    """Each of two groups of ranks has its own sum, at any time; messages of another thread pass
    meanwhile. The densities are those of the pressure of the group."""
    wrapper, launcher = "mpif90", tuple(mpirun)
    environment: dict[str, str | None] = {}
    if mpi == "mpich":
        wrapper, launcher = "mpif90.mpich", ("mpirun.mpich",)
        if shutil.which(wrapper) is None:
            pytest.skip("no MPICH beside Open MPI")
        pytest.importorskip("mpi4py._mpiabi", reason="an mpi4py for one MPI alone")
        environment["LD_LIBRARY_PATH"] = str(tmp_path)
    host = build(tmp_path, [SOURCE], with_compiler=wrapper, flags=("-O1", "-fopenmp"))
    if mpi == "mpich":  # mpi4py's wheels ask for the name that all relatives of MPICH share
        lines = subprocess.run(["ldd", host.program], capture_output=True, text=True).stdout
        library = next(line.split()[2] for line in lines.splitlines() if "libmpich.so" in line)
        os.symlink(library, tmp_path / "libmpi.so.12")
    outcome = host.run(launcher=(*launcher, "-n", "3"), environment=environment)
    assert outcome.status == 0, outcome.out + outcome.err
    found = [line.split()[1:] for line in outcome.out.splitlines() if line.startswith("wrong")]
    assert [wrong for wrong, _, _ in found] == ["0"] * 3
    densities = {(group, rho) for _, group, rho in found}
    assert len(densities) == 2 and {group for group, _ in densities} == {"0", "1"}
