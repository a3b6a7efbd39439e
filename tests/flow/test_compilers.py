"""The flow solver with another MPI, and with another compiler, than those of the other tests."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from flow.building import STUB, built
from flow.reading import read
from flow.stages import OPEN, Stages, difference
from hosts import compiler
from sharing import Once

pytestmark = [pytest.mark.mpi, pytest.mark.fortran]

#: Eight blocks on any number of ranks.
VALUES: dict[str, Any] = {**OPEN, "Blocks": (2, 2, 2), "Steps": 2}


def wrapper(name: str) -> str:
    """A command of MPICH, as Debian and Ubuntu call it."""
    found = shutil.which(f"{name}.mpich")
    if found is None:
        pytest.skip(f"no {name}.mpich: packages mpich and libmpich-dev")
    return found


def of_mpich(program: Path, folder: Path) -> dict[str, str]:
    """Environment in which mpi4py finds the program's MPICH: its wheels ask for the name that all
    relatives of MPICH share; Debian calls it libmpich."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    library = re.search(r"libmpi(?:ch)?\.so\.12 => (/\S+)", said)
    assert library, said
    (folder / "libmpi.so.12").symlink_to(library[1])
    return {"LD_LIBRARY_PATH": str(folder), "MPI4PY_MPIABI": "mpich"}


@pytest.mark.parametrize(
    ("stage", "ranks"), [("none", (1, 2, 4, 8)), ("properties", (2, 8)), ("step", (4, 8))]
)
def test_bits_of_mpich(
    stages: Stages, once: Once, tmp_path: Path, stage: str, ranks: tuple[int, ...]
) -> None:
    """They are those of the MPI that mpif90 has."""
    launcher = [wrapper("mpirun"), "-bind-to", "none"]
    # gfortran warns: MPICH's module mpi does not say that a buffer may be of any type.
    program = built(once, "flow", "flow-mpich", FC=wrapper("mpif90"), WARN="-w")
    other = Stages(program, program, launcher, tmp_path, stages.loops)
    environment = of_mpich(program, tmp_path)
    one = stages.checksum(Offload=stage, **VALUES)
    for number in ranks:
        found = other.checksum(ranks=number, Offload=stage, environment=environment, **VALUES)
        assert found == one, number


@pytest.fixture
def flang(stages: Stages, once: Once, tmp_path: Path) -> Stages:
    """The program with the bridge by flang, with the MPI of mpif90."""
    fortran = ["env", f"OMPI_FC={compiler('flang')}", "mpif90"]
    said = subprocess.run([*fortran, "-show"], capture_output=True, text=True).stdout
    if "flang" not in said:
        pytest.skip("mpif90 is not that of Open MPI, which takes the compiler of OMPI_FC")
    words = [*fortran, "-c", str(STUB / "flow" / "mpimodule.f90")]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    if "mpif.h" in done.stderr:
        pytest.skip("flang refuses the mpif.h of mpif90")
    program = built(
        once, "flow", "flow-flang", FC=" ".join(fortran), MPIF="1", WARN="-w",
        FFLAGS="-O1 -ffp-contract=off",
    )  # fmt: skip
    return Stages(program, program, stages.mpirun, tmp_path, stages.loops)


def test_flang_agrees_after_20_steps(stages: Stages, flang: Stages) -> None:
    values, file = {**VALUES, "Steps": 20}, stages.folder / "fields"
    stages.ended(absent=True, OutputFile=file, **values)
    wanted = read(file)
    for stage, ranks in (("none", 1), ("properties", 2), ("step", 2)):
        flang.ended(Offload=stage, ranks=ranks, OutputFile=file, **values)
        found = read(file)
        assert found.step == wanted.step == 20
        assert abs(found.time / wanted.time - 1.0) < 1e-12
        worst = difference(found, wanted)
        assert max(worst.values()) < 1e-10, (stage, worst)


def test_same_bits_by_flang(flang: Stages) -> None:
    one = flang.checksum(**{**VALUES, "Blocks": (1, 1, 1)})
    for ranks in (2, 8):
        assert flang.checksum(ranks=ranks, **VALUES) == one, ranks
