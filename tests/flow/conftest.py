"""The flow solver of fortran_stub: pure Fortran, linked without a bridge, and in its stages."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow.building import built, loops, solver
from flow.reading import Solve
from flow.stages import Stages
from sharing import Once


@pytest.fixture(scope="session")
def program(once: Once) -> Path:
    return built(once, "flow-absent")


@pytest.fixture
def solve(program: Path, tmp_path: Path) -> Solve:
    return solver(program, tmp_path)


@pytest.fixture
def stages(once: Once, program: Path, mpirun: list[str], tmp_path: Path) -> Stages:
    return Stages(built(once, "flow"), program, mpirun, tmp_path, loops(once))
