"""The flow solver of fortran_stub, pure Fortran, linked without a bridge."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from flow.reading import Output, Solve, read
from hosts import TIME_LIMIT
from sharing import Once

STUB = Path(__file__).parents[2] / "fortran_stub"


def written(value: object) -> str:
    """As the command line of the solver wants it."""
    if isinstance(value, tuple):
        return ",".join(written(one) for one in value)
    if isinstance(value, bool):
        return ".true." if value else ".false."
    return repr(float(value)) if isinstance(value, float) else str(value)


@pytest.fixture(scope="session")
def program(once: Once) -> Path:
    if shutil.which("mpif90") is None:
        pytest.skip("no mpif90")

    def make(place: Path) -> None:
        config = place / "bridge-config"
        config.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m bridge.bridge_config "$@"\n')
        config.chmod(0o755)
        settings = [f"BUILD={place}", f"BRIDGE_CONFIG={config}"]
        command = ["make", "-s", "-C", str(STUB), *settings, "flow-absent"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    return once("flow", make) / "flow-absent" / "flow"


@pytest.fixture
def solve(program: Path, tmp_path: Path) -> Solve:
    """solve(Name=value ...) -> Output. Without Steps the run goes on until EndTime."""
    case, file = tmp_path / "case.nml", tmp_path / "fields"
    case.write_text("&BridgeInputs /\n&Case /\n")

    def run(**values: object) -> Output:
        file.unlink(missing_ok=True)
        settings = {"SpeciesFile": STUB / "data" / "species.dat", "Steps": 10**7, "Scheme": "RK4"}
        settings |= {"OutputFile": file, **values}
        words = [f"{name}={written(value)}" for name, value in settings.items()]
        done = subprocess.run(
            [program, case, *words], capture_output=True, text=True, timeout=TIME_LIMIT
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return replace(read(file), printed=done.stdout)

    return run
