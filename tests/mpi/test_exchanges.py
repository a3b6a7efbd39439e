"""Exchanges of fringes between blocks and ranks: every cell of a fringe has the value of the cell
that it stands for, and what does not fit is named on every rank."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sharing
from hosts import TIME_LIMIT

SCRIPT = Path(__file__).parent / "exchange_ranks.py"


def exchanged(mpirun: Any, ranks: int, **asked: Any) -> tuple[Any, str]:
    """What the ranks found, and their log."""
    pytest.importorskip("mpi4py")
    line = [*mpirun, "-n", str(ranks), sys.executable, "-P", str(SCRIPT), json.dumps(asked)]
    line.append(str(sharing.folder("standin")))
    done = subprocess.run(line, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = next(one for one in done.stdout.splitlines() if one.startswith('{"wrong"'))
    return json.loads(found), done.stdout + done.stderr


def right(found: Any, ranks: int) -> None:
    cells = [count for rank in found["wrong"] for count in rank.values()]
    assert len(cells) == 12 and not any(cells), found["wrong"]
    assert found["grown"] == [0] * ranks, "memory grows with each exchange"


RESIDENT = {"backend": "standin", "resident": True}


@pytest.mark.parametrize(
    ("ranks", "asked"),
    [
        (3, {"many": True}),
        (4, {}),
        (2, {"resident": True, "checked": True}),
        (2, {"backend": "standin"}),
        (2, RESIDENT | {"first": True, "layout": "device"}),
        (3, RESIDENT | {"many": True}),
        (2, RESIDENT | {"first": True, "exchange": "nccl"}),
        (4, RESIDENT | {"exchange": "nccl"}),
        (3, RESIDENT | {"many": True, "exchange": "mpi-device"}),
    ],
)
def test_fringes_are_those_of_one_field(mpirun: Any, ranks: int, asked: dict[str, Any]) -> None:
    right(exchanged(mpirun, ranks, **asked)[0], ranks)


@pytest.mark.gpu
def test_gpus_by_nccl(mpirun: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rank for each GPU; a block at least for each rank."""
    from bridge.backends.cuda.api import Api

    nccl = pytest.importorskip("cupy.cuda.nccl")
    if not nccl.available:
        pytest.skip("CuPy finds no NCCL")
    ranks = min(len(Api().devices()), 4)
    if ranks < 2:
        pytest.skip("fewer than two GPUs")
    monkeypatch.setenv("BRIDGE_DEVICE", "local-rank")
    right(exchanged(mpirun, ranks, backend="cuda", resident=True, exchange="nccl")[0], ranks)


def test_one_rank(mpirun: Any) -> None:
    found, _ = exchanged(mpirun, 1, **RESIDENT, exchange="nccl")
    right(found, 1)
    [refused] = found["refused"]
    assert "got 'nothing', wanted an exchange that was planned ('x', 'y'" in refused["unknown"]
    assert "call frame_exchange_begin first" in refused["wait"]
    assert "'x' is under way" in refused["begun"] and "unbind of 'T' came while" in refused["bind"]
    assert "got 'none', wanted a set" in refused["set"]


def test_what_does_not_fit_is_told_on_every_rank(mpirun: Any) -> None:
    """A mistake of one rank; and a rank that comes late is named."""
    found, log = exchanged(mpirun, 2, late=0.5)
    right(found, 2)
    for wanted, texts in {
        "peer": "argument peers(4): got 2, wanted a rank, 0 to 1",
        "tag": "got none on rank 1 for rank 0 and tag 3 in exchange 'wrong'",
        "block": "argument sendBlocks(4): got 9, wanted the number of a block, 1 to 2",
        "box": "argument sendBoxes(:, 4): got i1 = 1, i2 = 99",
        "size": "got a box of 1 x 10 x 3 points (30 of float64, 60 of float64, 30 of int32) from",
        "shape": "got a box of 5 x 4 x 3 points (60 of float64, 120 of float64, 60 of int32) from",
        "name": "got 'wrongTrue' of arrays 'T Y status' on rank 1",
        "array": "got 'noSuch', wanted an array bound in set 'block2'",
    }.items():
        for refused in found["refused"]:
            assert texts in refused[wanted]
    assert "rank 0: exchange 'x' has waited 0.5 s for rank 1" in log
