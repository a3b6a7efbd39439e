"""Several ranks: one table of all of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hosts import TIME_LIMIT

from bridge.backends.host import library


def test_one_table_of_all_ranks(mpirun: Any) -> None:
    pytest.importorskip("mpi4py")
    if len(library.available()) < 2:
        pytest.skip("this machine runs one instruction set alone")
    script = Path(__file__).parent / "ranks.py"
    line = [*mpirun, "-n", "2", sys.executable, str(script)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("verified on samples, limit 1e-10: none above it") == 1
    [row] = [one.split() for one in done.stdout.splitlines() if " rho " in one]
    assert row[:4] == ["bridge:", "cells", "eosThermalProperties", "rho"]
    assert row[6:9] == ["2", "70", "0"]
