"""Mixtures that would split, of all ranks in sum."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hosts import TIME_LIMIT


def test_sums_over_ranks(mpirun: list[str]) -> None:
    pytest.importorskip("mpi4py")
    script = Path(__file__).parent / "stability_ranks.py"
    line = [*mpirun, "-n", "2", sys.executable, str(script)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    [sight] = [one for one in lines if "(setting stability)" in one]
    assert sight.startswith("bridge: rank 1: run 1 of eosThermalProperties on set 'cells'")
    sums = [one for one in lines if "stability of eosThermalProperties" in one]
    assert len(sums) == 2 and sums[0] == sums[1]  # of the report and of finalize
    wanted = "6 runs, 4 of them looked at: of 40 points 20 (0.5 of them) would split"
    assert wanted in sums[0] and "first of rank 1, run 1: i 1, j 1, k 1: T = 400" in sums[0]
