"""The programs of examples/fortran, built by their makefile, run and print their results."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bridge

FOLDER = Path(__file__).parents[2] / "examples" / "fortran"

pytestmark = pytest.mark.fortran


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("make") is None or shutil.which("mpif90") is None:
        pytest.skip("no make, or no mpif90")
    folder = tmp_path_factory.mktemp("examples")
    config = folder / "bridge-config"
    config.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m bridge.bridge_config "$@"\n')
    config.chmod(0o755)
    command = ["make", "-C", str(FOLDER), f"BUILD={folder}", f"BRIDGE_CONFIG={config}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def printed(command: list[str]) -> str:
    environment = {**os.environ, "BRIDGE_BACKEND": "cpu"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_program_is_built(programs: Path) -> None:
    sources = {path.stem for path in FOLDER.glob("*.f*")}
    assert len(sources) == 7 and all((programs / name).is_file() for name in sources)


def test_the_serial_program_has_the_numbers_of_the_package(programs: Path) -> None:
    rows = printed([str(programs / "01_serial")]).splitlines()
    T, rho, *_ = zip(
        *(map(float, row.split()) for row in rows if row.strip()[:1].isdigit()), strict=True
    )
    assert list(T) == [250.0, 300.0, 600.0]
    wanted = bridge.evaluate("O2 CH4 H2O", T, 8e6, [0.7, 0.25, 0.05], "rho", backend="cpu").rho
    assert list(rho) == pytest.approx(list(wanted), rel=1e-6)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("02_talk", "335.6"),
        ("03_bind", "step 2: rho of a cell"),
        ("04_errors", "finalize: done"),
        ("06_f77_bind", "end 0"),
        ("07_typed_bind", "entries 288"),
    ],
)
def test_a_program_comes_to_its_end(programs: Path, program: str, said: str) -> None:
    assert said in printed([str(programs / program)])


@pytest.mark.mpi
def test_the_program_of_ranks(programs: Path, mpirun: list[str]) -> None:
    assert "2 ranks, enthalpy from" in printed([*mpirun, "-n", "2", str(programs / "05_mpi")])
