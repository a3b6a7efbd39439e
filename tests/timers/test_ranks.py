"""Files of timers and of a trace over ranks: joined by the communicator, by the last rank, and at
the end of a program that never finalises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hosts import Host, Outcome, build

pytestmark = pytest.mark.mpi
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("timed")
    return build(folder, [HERE / "timed.f90"], with_compiler="mpif90", flags=("-O1",))


def run(host: Host, mpirun: list[str], ranks: int, way: str, **settings: str) -> Outcome:
    variables = {f"BRIDGE_{key.upper()}": value for key, value in settings.items()}
    outcome = host.run(way, launcher=(*mpirun, "-n", str(ranks)), environment=variables)
    assert outcome.status == 0, outcome.err
    assert [f"rank {k} has results T" in outcome.out for k in range(ranks)] == ranks * [True]
    return outcome


@pytest.mark.parametrize("way", ["communicator", "alone", "unfinished"])
def test_one_file_has_all_ranks(host: Host, mpirun: list[str], tmp_path: Path, way: str) -> None:
    timers, trace = tmp_path / "timers.json", tmp_path / "trace.json"
    outcome = run(host, mpirun, 2, way, timers=str(timers), trace=str(trace))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["timers.json", "trace.json"]

    found = json.loads(timers.read_text())
    assert found["format"] == "bridge timers 1"
    assert [part["rank"] for part in found["ranks"]] == [0, 1]
    assert [part["ledger"]["run"]["calls"] for part in found["ranks"]] == [4, 5]
    rows = {row["name"]: row for row in found["over ranks"]}
    for name in ("boot", "import", "initialize", "run eosRhohFromTPprop"):
        assert rows[name]["ranks"] == 2, name
        total = [part["host"][name]["total"] for part in found["ranks"]]
        assert rows[name]["total"]["min"] == min(total) > 0.0
        assert rows[name]["total"]["max"] == max(total)
        assert rows[name]["total"]["mean"] == pytest.approx(sum(total) / 2)
    assert rows["run eosRhohFromTPprop"]["calls"] == 9
    assert rows["boot"]["calls"] == rows["import"]["calls"] == 2

    check_trace(json.loads(trace.read_text()))
    if way == "communicator":
        header = outcome.out.index("total ms")
        assert "mean" in outcome.out[header:] and "run eosRhohFromTPprop" in outcome.out[header:]
    assert ("total ms" in outcome.out) == (way != "unfinished")


def check_trace(trace: dict[str, Any]) -> None:
    """In the form that Perfetto reads, a process for each rank, spans within one another."""
    events = trace["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "X"}
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert sorted(names) == [0, 1]
    assert names[1].startswith("rank 1 on ")
    for rank in (0, 1):
        spans = [e for e in events if e["ph"] == "X" and e["pid"] == rank]
        assert all(e["ts"] >= 0.0 and e["dur"] >= 0.0 for e in spans)
        places: dict[str, list[tuple[float, float]]] = {}
        for span in spans:
            places.setdefault(span["name"], []).append((span["ts"], span["ts"] + span["dur"]))
        assert len(places["run eosRhohFromTPprop"]) == len(places["call run"]) == 4 + rank
        for inner, outer in zip(places["run eosRhohFromTPprop"], places["call run"], strict=True):
            assert outer[0] - 1.0 <= inner[0] <= inner[1] <= outer[1] + 1.0
        order = [places[name][0] for name in ("boot", "import", "initialize", "call bind")]
        assert order == sorted(order)
        for before, after in zip(order[:-1], order[1:], strict=True):
            assert before[1] <= after[0] + 1.0


def test_a_file_that_cannot_be_written_is_told_and_the_run_goes_on(
    host: Host, mpirun: list[str], tmp_path: Path
) -> None:
    nowhere = tmp_path / "not there" / "timers.json"
    for way in ("communicator", "unfinished"):
        outcome = run(host, mpirun, 1, way, timers=str(nowhere), trace=str(tmp_path))
        for key, path in (("timers", nowhere), ("trace", tmp_path)):
            told = f"warning: setting '{key}' (BRIDGE_{key.upper()}): {path} cannot be written: "
            assert outcome.out.count(told) == 2, outcome.out  # at initialize, and at the end
    assert not list(tmp_path.iterdir())


def test_the_table_alone(host: Host, mpirun: list[str], tmp_path: Path) -> None:
    outcome = run(host, mpirun, 2, "communicator", timers="-")
    assert outcome.out.count("ledger of rank") == 1
    assert not (host.program.parent / "-").exists()
    assert "total ms" not in run(host, mpirun, 1, "communicator").out
