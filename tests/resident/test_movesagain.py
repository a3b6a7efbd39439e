"""Boxes that are packed, unpacked and updated again and again: they do not enter Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hosts import Host, Outcome, build, run_counted

HERE = Path(__file__).parent

pytestmark = pytest.mark.fortran

#: Runs the program on a backend, with further words of its environment.
Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return build(tmp_path_factory.mktemp("movesagain"), [HERE / "movesagain.f90"], flags=("-O1",))


@pytest.fixture
def run(host: Host) -> Run:
    return lambda kind, **further: run_counted(host, kind, **further)


@pytest.mark.parametrize("kind", ["cpu", "stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
def test_moves_that_come_again(run: Run, kind: str) -> None:
    found = run(kind)
    assert found.status == 0 and "wrong" not in found.out, found.out + found.err
    entered = [int(n) for n in re.findall(r"entered (\d+)", found.out)]
    first, later, once, updated, ran, pending = entered
    assert later - first == 1, "the report alone"
    assert once - later == 12 and updated - once == 1, "each update once, and the report"
    assert pending - ran == 1, "the report alone"
    assert [float(one) for one in found.words("end")] == [300.0, 40.0, -40.0]
    assert found.words("host") == ["T", "T"]
    codes = [int(one) for one in found.words("status")]
    assert codes == [-3, -3, -3, -3, -3, -3, 0, -4, -3]
    assert found.words("colour") == ["-3"], "no colour, although an update has that number"
    assert found.words("own") == ["-3" if kind == "cpu" else "0"]


@pytest.mark.parametrize("kind", ["cpu", "stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
def test_timers_and_ledger_count_them_without_python(run: Run, kind: str) -> None:
    """Moves, launches, copies, bytes and waits are those of a program all of whose calls go
    through Python."""
    found, in_python = (
        run(kind, BRIDGE_TIMERS="-", **further) for further in ({}, {"TEST_IN_PYTHON": "1"})
    )
    first, later = (int(n) for n in re.findall(r"entered (\d+)", found.out)[:2])
    assert found.status == 0 and later - first == 1, found.out + found.err
    assert found.counted() == in_python.counted()
    assert {"pack", "unpack", "update_host"} <= {row[0] for row in found.counted()}


def test_each_is_counted(host: Host) -> None:
    """In the report, whoever has done it."""
    found = host.run(environment={"BRIDGE_BACKEND": "cpu"})
    rows = re.findall(r"^bridge: (pack|unpack|update_host)\s+(\d+)", found.out, re.M)
    wanted = {
        "pack": ["10", *4 * ["200"], "201"],
        "unpack": ["4", *5 * ["80"]],
        "update_host": ["6", *3 * ["60"]],
    }
    for call, counts in wanted.items():
        assert [calls for name, calls in rows if name == call] == counts, found.out


def test_a_move_that_fails_says_so(run: Run) -> None:
    """A launch of the device, asked for by C."""
    found = run("stand-in", TEST_LAUNCH_FAILS_AT="100")
    assert found.status != 0 and "moving boxes failed on GPU 0" in found.err, found.err
    assert "a launch that fails" in found.err and "packing boxes" in found.err
