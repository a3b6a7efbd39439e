"""Rules 2 and 6 in a program of several threads and processes: whichever thread starts Python or
ends the program, it ends; a child of fork is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import Host, Outcome, breaks, build

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("threads")
    return build(folder, [HERE / "threads.f90"], flags=("-O1", "-fopenmp"))


@pytest.fixture(scope="module")
def children(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("children")
    flags = ("-pthread",)
    return build(folder, [HERE / "children.c"], with_compiler="gcc", module=None, flags=flags)


def python_ended(outcome: Outcome) -> None:
    """Its thread was waited for, its exit function ran once."""
    assert outcome.out.count("thread done") == 1
    assert outcome.out.count("goodbye") == 1


@pytest.mark.parametrize(("case", "status"), [("boot", 0), ("stop", 3), ("boot-and-stop", 3)])
def test_a_thread_that_is_not_the_first(threads: Host, case: str, status: int) -> None:
    outcome = threads.run(case, environment=breaks("linger"))
    assert outcome.status == status, outcome.err
    assert ("main is over" in outcome.out) == (case == "boot")
    python_ended(outcome)


@pytest.mark.parametrize("case", ["fail", "all-fail"])
def test_a_failure_in_a_thread_ends_the_program_in_order(threads: Host, case: str) -> None:
    """The watchdog of the way out, which would cut Python's end short, has nothing to do."""
    outcome = threads.run(case, environment=breaks("linger"))
    assert outcome.status == 1
    assert "frame_launch_ failed" in outcome.err
    assert "main is over" not in outcome.out
    python_ended(outcome)


def test_a_thread_that_booted_and_is_over(children: Host) -> None:
    outcome = children.run("thread", environment=breaks("linger"))
    assert outcome.status == 0, outcome.err
    python_ended(outcome)


def test_threads_with_small_stacks(children: Host) -> None:
    """The library's thread-local storage is part of the stack of each thread of the host."""
    outcome = children.run("small-stack")
    assert outcome.words("small-stack") == ["Success"]
    assert outcome.status == 0


def test_a_child_is_refused_by_its_number(children: Host) -> None:
    outcome = children.run("return", environment=breaks("linger"))
    assert outcome.status == 0, outcome.err
    parent = outcome.words("parent")[0]
    child, *ended = outcome.words("child")
    assert ended == ["ended", "7"]
    for label in ("launch", "boot", "initialize"):
        status, *words = outcome.words(label)
        assert int(status) == -4
        message = " ".join(words)
        assert f"got a call from process {child}, wanted calls from process {parent}" in message
    assert outcome.words("finalize")[0] == "0"
    python_ended(outcome)  # by the parent alone


def test_a_child_that_fails_ends_itself_alone(children: Host) -> None:
    """What the parent had not written yet is not written twice."""
    outcome = children.run("abort", environment=breaks("linger"))
    assert outcome.status == 0, outcome.err
    assert outcome.words("child")[1:] == ["ended", "1"]
    assert outcome.out.count("parent ") == 1
    assert "frame_launch_ failed: StateError" in outcome.err
    assert "this process ends here" in outcome.err
    assert outcome.words("finalize")[0] == "0"
    python_ended(outcome)


def test_a_child_that_does_not_call_ends_as_it_likes(children: Host) -> None:
    outcome = children.run("quiet", environment=breaks("linger"))
    assert outcome.status == 0, outcome.err
    assert outcome.words("child")[1:] == ["ended", "7"]
    python_ended(outcome)


def test_a_child_of_a_program_that_has_not_started_may_start(children: Host) -> None:
    outcome = children.run("before", environment=breaks("where"))
    assert outcome.status == 0, outcome.err
    assert outcome.words("child")[1:] == ["ended", "7"]
    assert outcome.out.count("prefix ") == 2
    assert outcome.words("finalize")[0] == "0"
