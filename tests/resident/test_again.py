"""Runs on resident arrays, and constants, that come again: they do not enter Python."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hosts import Host, Outcome, build

HERE = Path(__file__).parent
COUNTED = HERE.parent / "fortran" / "counted"
HEAT = HERE.parents[1] / "examples" / "heat_pack"

pytestmark = pytest.mark.fortran


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return build(tmp_path_factory.mktemp("again"), [HERE / "again.f90"], flags=("-O1",))


@pytest.fixture(params=["stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
def ran(
    request: pytest.FixtureRequest, host: Host, tmp_path_factory: pytest.TempPathFactory
) -> Outcome:
    """The program, whose calls into Python are counted."""
    return run(host, tmp_path_factory.getbasetemp(), request.param)


def run(host: Host, folder: Path, kind: str, **further: str) -> Outcome:
    before = [one for one in (os.environ.get("PYTHONPATH"),) if one]
    path = os.pathsep.join([str(COUNTED), *before])
    environment = {"PYTHONPATH": path, "BRIDGE_PACKS": str(HEAT), **further}
    if kind == "stand-in":
        environment["TEST_STANDIN"] = str(folder)
    return host.run(environment={**environment, "BRIDGE_BACKEND": "cuda"})


def test_repeated_steps_enter_python_never(ran: Outcome) -> None:
    assert ran.status == 0, ran.err
    first, later, updated, before, after, _ = (
        int(n) for n in re.findall(r"entered (\d+)", ran.out)
    )
    assert later - first == 1, "the report alone"
    assert updated - later == 4, "two updates, the run behind the first, the report"
    assert after - before == 8, "others have an address of the copy: each run is waited for"


def test_values_are_those_of_all_runs(ran: Outcome) -> None:
    """Constants arrive in the order in which they were given, between the runs."""
    for what in ("resident", "updated", "unchanged", "address", "left"):
        found, wanted = ran.words(what)
        assert float(found) == float(wanted), ran.out
    assert "points differ" not in ran.out


@pytest.mark.parametrize(("fails", "what"), [(9, "run of advanceSolid"), (10, "constants")])
def test_a_launch_that_fails_says_so(
    host: Host, tmp_path_factory: pytest.TempPathFactory, fails: int, what: str
) -> None:
    found = run(host, tmp_path_factory.getbasetemp(), "stand-in", TEST_LAUNCH_FAILS_AT=str(fails))
    assert found.status != 0 and "a launch that fails" in found.err
    said = f"{what} failed" in found.err or f"{what} on set 'solid': failed" in found.err
    assert said and "launched since the device last answered" in found.err


def test_what_looks_at_runs_sees_each(
    host: Host, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = run(host, tmp_path_factory.getbasetemp(), "stand-in", BRIDGE_TIMERS="-")
    assert found.status == 0, found.err
    first, later, *_ = (int(n) for n in re.findall(r"entered (\d+)", found.out))
    assert later - first > 300
