"""Functions of the user under MPI: their communicator, and a rank that fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hosts import TIME_LIMIT


def test_a_communicator_and_a_rank_that_fails(mpirun: list[str]) -> None:
    pytest.importorskip("mpi4py")
    script = Path(__file__).parent / "function_ranks.py"
    line = [*mpirun, "-n", "2", sys.executable, "-m", "mpi4py", str(script)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert done.returncode != 0 and done.stdout.count("summed") == 2, done.stdout + done.stderr
    assert "past the failure" not in done.stdout
    told = "frame_python of 'total' on set 'cells': "
    assert told in done.stderr and "function_ranks.py:15 in total: RuntimeError" in done.stderr
