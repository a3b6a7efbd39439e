"""Exchanges of fringes between blocks and ranks: every cell of a fringe has the value of the cell
that it stands for, and what does not fit is named on every rank."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sharing
from hosts import TIME_LIMIT

SCRIPT = Path(__file__).parent / "exchange_ranks.py"
RESIDENT = {"backend": "standin", "resident": True}
#: Ranks, and what is asked of them.
FRINGES: list[tuple[int, dict[str, Any]]] = [
    (3, {"many": True}),
    (4, {}),
    (2, {"resident": True, "checked": True}),
    (2, {"backend": "standin"}),
    (2, RESIDENT | {"first": True, "layout": "device"}),
    (3, RESIDENT | {"many": True}),
    (2, RESIDENT | {"first": True, "exchange": "nccl"}),
    (4, RESIDENT | {"exchange": "nccl"}),
    (3, RESIDENT | {"many": True, "exchange": "mpi-device"}),
]
ALONE = RESIDENT | {"exchange": "nccl"}
LATE = {"late": 0.5}
CASES = [*FRINGES, (1, ALONE), (2, LATE)]


@dataclass(frozen=True)
class Exchanged:
    """What the ranks found, and the log of all cases of so many ranks."""

    found: Any
    log: str


@pytest.fixture(scope="module")
def exchanged(mpirun: list[str]) -> Callable[..., Exchanged]:
    """exchanged(ranks, **what is asked): one start for all CASES of so many ranks."""

    @cache
    def all_of(ranks: int) -> list[Exchanged]:
        return started(mpirun, ranks, [asked for number, asked in CASES if number == ranks])

    def exchanged(ranks: int, **asked: Any) -> Exchanged:
        return all_of(ranks)[[one for number, one in CASES if number == ranks].index(asked)]

    return exchanged


def started(mpirun: list[str], ranks: int, cases: list[dict[str, Any]]) -> list[Exchanged]:
    pytest.importorskip("mpi4py")
    line = [*mpirun, "-n", str(ranks), sys.executable, "-P", str(SCRIPT), json.dumps(cases)]
    line.append(str(sharing.folder("standin")))
    done = subprocess.run(line, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    log = done.stdout + done.stderr
    assert done.returncode == 0, log
    found = [one for one in done.stdout.splitlines() if one.startswith('{"wrong"')]
    assert len(found) == len(cases), log
    return [Exchanged(json.loads(one), log) for one in found]


def right(found: Any, ranks: int) -> None:
    cells = [count for rank in found["wrong"] for count in rank.values()]
    assert len(cells) == 12 and not any(cells), found["wrong"]
    assert found["grown"] == [0] * ranks, "memory grows with each exchange"


@pytest.mark.parametrize(("ranks", "asked"), FRINGES)
def test_fringes_are_those_of_one_field(
    exchanged: Callable[..., Exchanged], ranks: int, asked: dict[str, Any]
) -> None:
    right(exchanged(ranks, **asked).found, ranks)


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
    asked = {"backend": "cuda", "resident": True, "exchange": "nccl"}
    [one] = started(mpirun, ranks, [asked])
    right(one.found, ranks)


def test_one_rank(exchanged: Callable[..., Exchanged]) -> None:
    found = exchanged(1, **ALONE).found
    right(found, 1)
    [refused] = found["refused"]
    assert "got 'nothing', wanted an exchange that was planned ('x', 'y'" in refused["unknown"]
    assert "call frame_exchange_begin first" in refused["wait"]
    assert "'x' is under way" in refused["begun"] and "unbind of 'T' came while" in refused["bind"]
    assert "got 'none', wanted a set" in refused["set"]


def test_what_does_not_fit_is_told_on_every_rank(exchanged: Callable[..., Exchanged]) -> None:
    """A mistake of one rank; and a rank that comes late is named."""
    one = exchanged(2, **LATE)
    found = one.found
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
    assert "rank 0: exchange 'x' has waited 0.5 s for rank 1" in one.log
