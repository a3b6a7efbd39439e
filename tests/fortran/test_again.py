"""Calls that come again do not enter Python, and are what they would be if they did."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hosts import Host, build, counting

import bridge

HERE = Path(__file__).parent
#: No call is done again without Python.
IN_PYTHON = {"TEST_IN_PYTHON": "1"}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("again")
    return build(folder, [HERE / "again.f90"], flags=("-O2", "-fopenmp"))


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("viewsagain")
    return build(folder, [HERE / "viewsagain.f90"], flags=("-O2", "-fopenmp"))


def entered(host: Host, **environment: str) -> int:
    """Calls that have entered Python between two reports."""
    outcome = host.run(environment=counting(False, **environment))
    assert outcome.status == 0, outcome.err
    before, after = (int(n) for n in re.findall(r"entered (\d+)", outcome.out)[:2])
    return after - before - 1


def density(temperature: float) -> float:
    found = bridge.evaluate("O2 CH4", T=temperature, P=1e7, Y=[0.5, 0.5], outputs=["rho"])
    return float(found["rho"])


def test_repeated_runs_enter_python_never(host: Host) -> None:
    assert entered(host) == 0


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


@pytest.mark.parametrize("watch", ["BRIDGE_TRACE", "BRIDGE_VERIFY", "BRIDGE_STATUS_COUNTS"])
def test_what_looks_at_runs_sees_each(host: Host, tmp_path: Path, watch: str) -> None:
    trace = str(tmp_path / "trace")
    value = {"BRIDGE_TRACE": trace, "BRIDGE_VERIFY": "all", "BRIDGE_STATUS_COUNTS": "true"}[watch]
    assert entered(host, **{watch: value}) == 800


@pytest.mark.parametrize("program", ["host", "views"])
def test_timers_and_ledger_count_them_without_python(
    request: pytest.FixtureRequest, program: str
) -> None:
    """Calls, stripes and their bytes, allocations and programs are those of a program all of whose
    calls go through Python."""
    host: Host = request.getfixturevalue(program)
    told = counting(BRIDGE_TIMERS="-")
    assert entered(host, BRIDGE_TIMERS="-") == 0
    found, wanted = (
        host.run(environment={**told, **further}).counted() for further in ({}, IN_PYTHON)
    )
    if program == "host":  # what one of its threads allocates counts for calls of all
        found, wanted = ([row[:4] + row[5:] for row in rows] for rows in (found, wanted))
    assert found == wanted
    assert len(found) > 12


def test_runs_that_are_looked_at_are_not_left_out(host: Host) -> None:
    """The 1st, 2nd, 4th ... of a composite on a set, which Python has to see."""
    assert 7 <= entered(host, BRIDGE_STABILITY="sampled") <= 24


def test_a_run_that_finds_no_memory_says_so_and_is_not_done_again(host: Host) -> None:
    """The 3rd time that C calls the kernel library, of 200."""
    environment = counting(TEST_FAILS_AT="3")
    outcome = host.run(environment=environment)
    assert outcome.status != 0 and "(BRIDGE_MEMORY, status -8)" in outcome.err
    wanted = "run of eosThermalProperties on set 'cells': failed, incomplete are rho"
    assert wanted in outcome.err and "bytes of scratch per thread" in outcome.err
    assert outcome.out.count("kernel library called") == 3


def test_repeated_calls_on_views_enter_python_never(views: Host) -> None:
    assert entered(views) == 0


def test_what_looks_at_calls_on_views_sees_each(views: Host, tmp_path: Path) -> None:
    """A trace every call, a verifier every launch."""
    assert entered(views, BRIDGE_TRACE=str(tmp_path / "trace")) == 1520
    assert entered(views, BRIDGE_VERIFY="all") == 480


def test_launches_read_what_they_would_read_in_python(views: Host) -> None:
    outcome = views.run()
    assert outcome.status == 0, outcome.out + outcome.err
    temperatures = {"first": 300.0, "anew": 320.0, "new-view": 340.0, "own": 360.0, "later": 340.0}
    for label, temperature in {**temperatures, "other": 400.0, "frame": 300.0}.items():
        outputs = ["rho", "cp", "cv"]
        found = bridge.evaluate("O2 CH4", T=temperature, P=1e7, Y=[0.5, 0.5], outputs=outputs)
        rho, cp, cv = (float(found[name]) for name in outputs)
        wanted = [rho, rho, cp / cv]
        assert [float(word) for word in outcome.words(label)] == wanted, label
    assert outcome.words("moved") == ["F", "T", "T"]
    status = [int(word) for word in outcome.words("status")]
    assert status == [-3, -3, -4, 0, -4, -4, -4, -3, -3, -3, -3, -4, -3, -4, -4]


def test_reports_count_calls_on_views(views: Host) -> None:
    outcome = views.run()
    stripes = re.findall(r"^bridge: (?:populate|extract)\s+(\d+)", outcome.out, re.M)
    assert stripes[:4] == ["3", "3", "603", "443"], outcome.out
    rows = re.findall(r"^bridge: (eosThermalProperties|prEOSGamma)\s+(\d+)", outcome.out, re.M)
    names = "eosThermalProperties", "prEOSGamma"
    counts = "2", "2", "242", "242", "256", "255", "10", "10"
    assert rows == list(zip(names * 4, counts, strict=True)), outcome.out


def test_a_launch_that_finds_no_memory_says_so_and_is_not_done_again(views: Host) -> None:
    environment = counting(TEST_FAILS_AT="3")
    outcome = views.run(environment=environment)
    assert outcome.status != 0 and "(BRIDGE_MEMORY, status -8)" in outcome.err
    assert re.search(r"eosThermalProperties: no memory for \d+ bytes of scratch", outcome.err)
    assert outcome.out.count("kernel library called") == 3
