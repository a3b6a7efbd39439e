"""`bridge bench exchange`: its program and its rows. How fast anything is, no test says."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.test_bench import rows_of

from bridge.bench import exchange
from bridge.cli import main
from bridge.errors import BridgeError


@pytest.mark.mpi
@pytest.mark.fortran
def test_both_ways_leave_the_same_values(
    mpirun: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "TURNS", 2)
    monkeypatch.setattr(exchange, "REPEATS", {6: 2})
    monkeypatch.setattr(exchange, "FLAGS", "-O1")
    out = tmp_path / "rows.json"
    arguments = ["bench", "exchange", "--sizes", "6", "--ranks", "1,2", "--json", str(out)]
    assert main(arguments) == 0
    rows = rows_of(out)
    assert [(row["name"], row["params"]["ranks"]) for row in rows] == [
        *(("own MPI", 1), ("frame_exchange", 1)),
        *(("own MPI", 2), ("frame_exchange", 2)),
    ]
    assert all(row["value"] > 0.0 for row in rows)
    assert rows[1]["ratio"] == pytest.approx(rows[0]["value"] / rows[1]["value"])


def test_the_transport_is_that_of_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not that of an exchange which has none, nor a reason's commas."""
    way = "page-locked memory and MPI (no NCCL: 2 ranks share a GPU, say)"
    said = f"""exchange 1.0 2.0 T
bridge: exchange 'direction 1': 0.00 MiB to 0 ranks by NCCL, 0.39 MiB within the rank
bridge: exchange 'direction 3': 0.39 MiB to 1 ranks by {way}, 0.00 MiB within the rank
"""
    monkeypatch.setattr(exchange, "launcher", lambda: (["echo"], ""))
    monkeypatch.setattr(exchange, "run", lambda *_: said)
    assert exchange.turns(tmp_path, 6, 2, "cuda") == (1.0, 2.0, way)


def test_other_values_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "launcher", lambda: (["echo", "exchange 1.0 2.0 F"], ""))
    monkeypatch.setattr(exchange, "run", lambda *_: "exchange 1.0 2.0 F\n")
    with pytest.raises(BridgeError, match="leave other values"):
        exchange.turns(tmp_path, 6, 1, "cpu")
