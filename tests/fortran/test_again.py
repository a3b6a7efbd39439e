"""Runs that come again do not enter Python, and are what they would be if they did."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hosts import Host, build

import bridge

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("again")
    return build(folder, [HERE / "again.f90"], flags=("-O2", "-fopenmp"))


def density(temperature: float) -> float:
    found = bridge.evaluate("O2 CH4", T=temperature, P=1e7, Y=[0.5, 0.5], outputs=["rho"])
    return float(found["rho"])


def test_repeated_runs_enter_python_never(host: Host) -> None:
    outcome = host.run(environment={"PYTHONPATH": str(HERE / "counted")})
    assert outcome.status == 0, outcome.err
    before, after = (int(n) for n in re.findall(r"entered (\d+)", outcome.out)[:2])
    assert after - before == 1, "the report alone"


def test_what_they_give_and_what_is_refused(host: Host) -> None:
    outcome = host.run()
    assert outcome.status == 0, outcome.out + outcome.err
    assert float(outcome.words("first")[0]) == density(300.0)
    assert [float(word) for word in outcome.words("later")] == [density(500.0), density(500.0)]
    assert float(outcome.words("other")[0]) == density(450.0)
    assert outcome.words("status") == ["-4", "0", "-4", "0", "0", "-3", "-3", "-4", "-4"]
    assert outcome.words("threads") == ["0", "T", "T", "T", "T"]
    assert outcome.words("end") == ["-4"]
    assert float(outcome.words("anew")[0]) == density(450.0)


def test_reports_count_them(host: Host) -> None:
    """Calls and chunks of a run, whoever has timed it."""
    outcome = host.run()
    rows = re.findall(r"^bridge: run eosThermalProperties\s+(\d+)\s+(\d+)", outcome.out, re.M)
    assert rows == [("2", "2"), ("602", "602"), ("10", "10")], outcome.out


@pytest.mark.parametrize("watch", ["BRIDGE_TIMERS", "BRIDGE_VERIFY", "BRIDGE_STATUS_COUNTS"])
def test_what_looks_at_runs_sees_each(host: Host, watch: str) -> None:
    value = {"BRIDGE_TIMERS": "-", "BRIDGE_VERIFY": "all", "BRIDGE_STATUS_COUNTS": "true"}[watch]
    outcome = host.run(environment={"PYTHONPATH": str(HERE / "counted"), watch: value})
    assert outcome.status == 0, outcome.err
    before, after = (int(n) for n in re.findall(r"entered (\d+)", outcome.out)[:2])
    assert after - before == 801


def test_runs_that_are_looked_at_are_not_left_out(host: Host) -> None:
    """The 1st, 2nd, 4th ... of a composite on a set, which Python has to see."""
    environment = {"PYTHONPATH": str(HERE / "counted"), "BRIDGE_STABILITY": "sampled"}
    outcome = host.run(environment=environment)
    before, after = (int(n) for n in re.findall(r"entered (\d+)", outcome.out)[:2])
    assert 7 <= after - before - 1 <= 24


def test_a_run_that_finds_no_memory_says_so_and_is_not_done_again(host: Host) -> None:
    """The 3rd time that C calls the kernel library, of 200."""
    environment = {"PYTHONPATH": str(HERE / "counted"), "TEST_FAILS_AT": "3"}
    outcome = host.run(environment=environment)
    assert outcome.status != 0 and "(BRIDGE_MEMORY, status -8)" in outcome.err
    wanted = "run of eosThermalProperties on set 'cells': failed, incomplete are rho"
    assert wanted in outcome.err and "bytes of scratch per thread" in outcome.err
    assert outcome.out.count("kernel library called") == 3
