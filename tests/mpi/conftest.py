"""The solver of fortran_stub, built outside the tree against the installed package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hosts import TIME_LIMIT, bridge_config

STUB = Path(__file__).parents[2] / "fortran_stub"


@dataclass(frozen=True)
class Run:
    """One run of the solver: exit status, its words, its fields and timers."""

    status: int
    out: str
    err: str
    fields: bytes
    timers: dict[str, dict[str, Any]]

    def field(self, name: str) -> np.ndarray:
        """(nz, ny, nx) of one field in global order."""
        header = {
            line.split()[0]: line.split()[1:]
            for line in self.fields[:4096].decode("ascii", "ignore").split("\nend")[0].splitlines()
        }
        names = header["fields"]
        nx, ny, nz = (int(word) for word in header["cells"])
        start = int(header["headerbytes"][0]) + 8 * nx * ny * nz * names.index(name)
        values = np.frombuffer(self.fields, "<f8", nx * ny * nz, start)
        return values.reshape(nz, ny, nx)

    @property
    def interior(self) -> bytes:
        """Every field's bits, without the header (which names the ranks)."""
        header = self.fields[:4096].decode("ascii", "ignore")
        return self.fields[int(header.split("headerbytes")[1].split()[0]) :]


def make(target: str, folder: Path, *more: str) -> Path:
    config = folder / "bridge-config"
    config.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m bridge.bridge_config "$@"\n')
    config.chmod(0o755)
    command = [
        "make",
        "-C",
        str(STUB),
        f"BUILD={folder}",
        f"BRIDGE_CONFIG={config}",
        *more,
        target,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Warning" not in done.stderr, done.stderr
    return folder


@pytest.fixture(scope="session")
def solver(mpirun: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """solver(ranks, case=..., Name=value ...) -> Run."""
    if shutil.which("mpif90") is None:
        pytest.skip("no mpif90")
    folder = tmp_path_factory.mktemp("solver")
    program = make("solver", folder) / "solver" / "solver"
    bridge_config("--version", folder=folder)

    def run(ranks: int, *, program: Path = program, case: str = "jet", **values: object) -> Run:
        fields, timers = folder / "fields", folder / "timers"
        for file in (fields, timers):
            file.unlink(missing_ok=True)
        arguments = [f"{name}={value}" for name, value in values.items()]
        arguments += [f"OutputFile={fields}", f"TimerFile={timers}"]
        done = subprocess.run(
            [*mpirun, "-n", str(ranks), str(program), f"cases/{case}.nml", *arguments],
            cwd=STUB,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
        )
        records = timers.read_text().splitlines() if timers.exists() else []
        return Run(
            done.returncode,
            done.stdout,
            done.stderr,
            fields.read_bytes() if fields.exists() else b"",
            {record["part"]: record for record in map(json.loads, records)},
        )

    setattr(run, "folder", folder)  # noqa: B010
    return run
