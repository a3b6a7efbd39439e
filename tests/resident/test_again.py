"""Runs on resident arrays, and constants, that come again: they do not enter Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hosts import Host, Outcome, build, run_counted

HERE = Path(__file__).parent
HEAT = HERE.parents[1] / "examples" / "heat_pack"

pytestmark = pytest.mark.fortran


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return build(tmp_path_factory.mktemp("again"), [HERE / "again.f90"], flags=("-O1",))


@pytest.fixture(params=["stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
def ran(request: pytest.FixtureRequest, host: Host) -> Outcome:
    """The program, whose calls into Python are counted."""
    return run(host, request.param)


def run(host: Host, kind: str, **further: str) -> Outcome:
    return run_counted(host, kind, BRIDGE_PACKS=str(HEAT), **further)


def entered(outcome: Outcome) -> list[int]:
    """Calls that had entered Python at each report."""
    return [int(n) for n in re.findall(r"entered (\d+)", outcome.out)]


def test_repeated_steps_enter_python_never(ran: Outcome) -> None:
    assert ran.status == 0, ran.err
    first, later, updated, before, after, _ = entered(ran)
    assert later - first == 1, "the report alone"
    assert updated - later == 4, "two updates, the run behind the first, the report"
    assert after - before == 8, "others have an address of the copy: each run is waited for"


def test_values_are_those_of_all_runs(ran: Outcome) -> None:
    """Constants arrive in the order in which they were given, between the runs."""
    for what in ("resident", "updated", "unchanged", "address", "left"):
        found, wanted = ran.words(what)
        assert float(found) == float(wanted), ran.out
    assert "points differ" not in ran.out


@pytest.mark.parametrize("timers", [{}, {"BRIDGE_TIMERS": "-"}])
@pytest.mark.parametrize("fails", [9, 10, 99])
def test_a_launch_that_fails_says_so(
    host: Host, fails: int,
    timers: dict[str, str],
) -> None:  # fmt: skip
    """One of a kernel, or of what brings constants ahead of it."""
    found = run(host, "stand-in", TEST_LAUNCH_FAILS_AT=str(fails), **timers)
    assert found.status != 0 and "a launch that fails" in found.err
    assert "run of advanceSolid on set 'solid': failed" in found.err
    assert re.search("launched since the device last answered: .*constants", found.err)


@pytest.mark.parametrize("kind", ["stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
def test_timers_and_ledger_count_them_without_python(host: Host, kind: str) -> None:
    """Calls, launches and copies are those of a program all of whose calls go through Python."""
    further = {"BRIDGE_TIMERS": "-"}
    found = run(host, kind, **further)
    test_repeated_steps_enter_python_never(found)
    in_python = run(host, kind, TEST_IN_PYTHON="1", **further)
    assert entered(in_python)[1] - entered(in_python)[0] > 300
    assert found.counted() == in_python.counted()
    assert {"run", "run_begin", "wait", "constant", "constants"} <= {
        row[0] for row in found.counted()
    }


def test_counts_of_status_words_leave_runs_alone_that_make_none(host: Host) -> None:
    found = run(host, "stand-in", BRIDGE_STATUS_COUNTS="true")
    test_repeated_steps_enter_python_never(found)


def test_a_trace_has_each_run(host: Host, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    found = run(host, "stand-in", BRIDGE_TRACE=str(folder / "again.trace"))
    assert found.status == 0, found.err
    assert entered(found)[1] - entered(found)[0] > 300
