"""Reductions that come again: they do not enter Python, and have the bits that they have there."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hosts import Host, Outcome, build, run_counted

HERE = Path(__file__).parent

pytestmark = pytest.mark.fortran

#: Runs the program on a backend, with further words of its environment.
Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("reducesagain")
    return build(folder, [HERE / "reducesagain.f90"], flags=("-O1",))


@pytest.fixture(scope="module")
def run(host: Host) -> Run:
    """The same words are run once."""

    @cache
    def run(kind: str, **further: str) -> Outcome:
        return run_counted(host, kind, **further)

    return run


@pytest.mark.parametrize("kind", ["cpu", "stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
def test_reductions_that_come_again(run: Run, kind: str) -> None:
    found, python = run(kind), run(kind, BRIDGE_TIMERS="-", TEST_IN_PYTHON="1")
    assert found.status == 0, found.out + found.err
    entered = [int(n) for n in re.findall(r"entered (\d+)", found.out)]
    first, second, last, rebind, seen, grown, again, other, anew = entered[:9]
    assert second - first == last - second == 1, "the report alone"
    once = 6 if kind == "cpu" else 3 + 9
    assert seen - rebind == 1 + once + 1, "the bind, each kind of call once, the report"
    assert again - grown == 1, "the report alone"
    smaller = 1 if kind == "cpu" else 4  # a CPU has no memory of what it reduces
    assert (other - again, anew - other) == (4, smaller), "what lay in smaller memory is made anew"
    blocks = entered[-1] - entered[-2]
    assert blocks == (1 if kind == "cpu" else 2), "on a GPU the run of host arrays"
    assert found.words("block") == ["2", "1", "1", "1", "2"]
    rows, wanted = (re.findall("^reduced .*", one.out, re.M) for one in (found, python))
    assert len(wanted) > 600 and rows == wanted
    assert found.words("status") == python.words("status") == ["-4", "0", "0", "-3", "-3"]


@pytest.mark.parametrize("kind", ["cpu", "stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
def test_timers_and_ledger_count_them_without_python(run: Run, kind: str) -> None:
    """Reductions, runs that make a quantity, launches and waits are those of a program all of
    whose calls go through Python."""
    found, in_python = (
        run(kind, BRIDGE_TIMERS="-", **further) for further in ({}, {"TEST_IN_PYTHON": "1"})
    )
    first, second = (int(n) for n in re.findall(r"entered (\d+)", found.out)[:2])
    assert found.status == 0 and second - first < 3, found.out + found.err
    assert found.counted() == in_python.counted()
    assert {"reduce", "update_device"} <= {row[0] for row in found.counted()}


def test_each_is_counted(host: Host) -> None:
    """In the report, whoever has done it; with the runs that make a quantity."""
    found = host.run(environment={"BRIDGE_BACKEND": "cpu"})
    rows = re.findall(r"^bridge: (reduce|run reduce_\w+)\s+(\d+)", found.out, re.M)
    wanted = {"reduce": 494, "run reduce_c": 60, "run reduce_X": 100, "run reduce_c_X": 4}
    for name, calls in wanted.items():
        counts = [int(count) for one, count in rows if one == name]
        assert counts[:3] == [2 * calls, 3 * calls, 4 * calls], found.out


def test_a_run_that_fails_says_so(run: Run) -> None:
    """That of a quantity which C has made."""
    found = run("cpu", TEST_FAILS_AT="40")
    assert found.status != 0 and "reduction of c on set 'cells': failed" in found.err, found.err
    assert "reduce_c: no memory" in found.err, found.err


def test_a_launch_that_fails_says_so(run: Run) -> None:
    """Of the device, asked for by C."""
    found = run("stand-in", TEST_LAUNCH_FAILS_AT="2000")
    assert found.status != 0, found.err
    assert re.search(r"reduction \w+ failed on GPU 0", found.err), found.err
    assert "a launch that fails" in found.err and "reduced cells" in found.out, found.err
