"""Reductions over ranks: the same bits for every decomposition, and nobody waits for a failed
rank."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hosts import TIME_LIMIT

SCRIPT = Path(__file__).parent / "reduce_ranks.py"


def reduced(mpirun: Any, along_y: int, along_z: int) -> Any:
    ranks = str(along_y * along_z)
    line = [*mpirun, "-n", ranks, sys.executable, str(SCRIPT), str(along_y), str(along_z)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(next(one for one in done.stdout.splitlines() if one.startswith("{")))


def test_decompositions_change_no_bit(mpirun: Any) -> None:
    pytest.importorskip("mpi4py")
    alone = reduced(mpirun, 1, 1)
    for along in ((2, 1), (1, 3)):
        among = reduced(mpirun, *along)
        assert among["found"] == alone["found"]
        assert alone["found"]["where"] == [7, 6, 5]
        first, *others = [each[0] for each in among["refused"]]
        assert "'noSuch'" in first
        assert all("failed on rank 0" in one and one.split()[0] == "-3" for one in others)
        assert all("operation: got 'mean'" in each[1] for each in among["refused"])
