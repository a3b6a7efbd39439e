"""The flow solver of fortran_stub: pure Fortran, linked without a bridge, and in its stages."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from flow.building import STUB, built, loops, words
from flow.reading import Output, Solve, read
from flow.stages import Stages
from hosts import TIME_LIMIT
from sharing import Once


@pytest.fixture(scope="session")
def program(once: Once) -> Path:
    return built(once, "flow-absent")


@pytest.fixture
def solve(program: Path, tmp_path: Path) -> Solve:
    """solve(Name=value ...) -> Output. Without Steps the run goes on until EndTime."""
    case, file = tmp_path / "case.nml", tmp_path / "fields"
    case.write_text("&BridgeInputs /\n&Case /\n")

    def run(**values: object) -> Output:
        file.unlink(missing_ok=True)
        settings = {"SpeciesFile": STUB / "data" / "species.dat", "Steps": 10**7, "Scheme": "RK4"}
        settings |= {"OutputFile": file, **values}
        done = subprocess.run(
            [program, case, *words(settings)], capture_output=True, text=True, timeout=TIME_LIMIT
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return replace(read(file), printed=done.stdout)

    return run


@pytest.fixture
def stages(once: Once, program: Path, mpirun: list[str], tmp_path: Path) -> Stages:
    return Stages(built(once, "flow"), program, mpirun, tmp_path, loops(once))
