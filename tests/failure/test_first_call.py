"""What a program may call first: entries that start Python by themselves, and what the rest say
before one of them has (docs/entry-points.md, life cycle)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import Host, Outcome, build

HERE = Path(__file__).parent
STATE, MPI = -4, -6
CPU = {"BRIDGE_BACKEND": "cpu", "BRIDGE_SPECIES": "N2"}

OTHERS = """input output preos chung composite launch bind unbind run begin wait unchanged constant
 table report finalize""".split()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("first")
    return build(folder, [HERE / "first.c"], with_compiler="gcc", module=None)


def goes_on(outcome: Outcome) -> None:
    """The calls after the first do what they do in any program."""
    assert outcome.status == 0, outcome.err
    for label in ("initialize", "bind-afterwards", "end"):
        assert outcome.words(label)[0] == "0", label
    status, *words = outcome.words("run-afterwards")
    assert int(status) == STATE and "needs 'P'" in " ".join(words)


@pytest.fixture(scope="module")
def others(program: Host) -> Outcome:
    return program.run("others", environment=CPU)


@pytest.mark.parametrize("label", OTHERS)
def test_refused_before_boot(others: Outcome, label: str) -> None:
    status, *words = others.words(label)
    assert int(status) == STATE
    message = " ".join(words)
    assert "got a call before the bridge has started" in message
    assert "wanted frame_boot or frame_initialize first" in message


def test_refusals_start_nothing_and_spoil_nothing(others: Outcome) -> None:
    assert others.words("policy") == ["0"]
    assert others.words("started") == ["-1"]  # no libpython is in the process yet
    goes_on(others)


@pytest.mark.parametrize("first", ["boot", "set", "initialize"])
def test_boots_by_itself(program: Host, first: str) -> None:
    outcome = program.run(first, environment=CPU)
    assert outcome.words("first") == ["0"]
    assert outcome.words("started") == ["1"]
    goes_on(outcome)


def test_initialize_with_a_communicator_boots_by_itself(program: Host) -> None:
    """This program has no MPI, which the call says once Python is there."""
    outcome = program.run("initialize-comm", environment=CPU)
    assert int(outcome.words("first")[0]) == MPI
    assert outcome.words("started") == ["1"]
    goes_on(outcome)


def test_a_run_before_boot_ends_the_program_by_default(program: Host) -> None:
    outcome = program.run("run-by-default", environment=CPU)
    assert outcome.status == 1
    assert "frame_run_ failed" in outcome.err and "BRIDGE_STATE" in outcome.err
    assert "before the bridge has started" in outcome.err
    assert outcome.out == ""
