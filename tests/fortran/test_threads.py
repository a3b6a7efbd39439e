"""OpenMP threads of a Fortran host on one Frame, and outputs that share elements."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import Host, build

pytestmark = pytest.mark.fortran

HERE = Path(__file__).parent
ARGUMENT, STATE = -3, -4


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return build(
        tmp_path_factory.mktemp("threads"), [HERE / "threads.f90"], flags=("-O1", "-fopenmp")
    )


def test_racing_stripe_calls_are_refused_and_never_wrong(host: Host) -> None:
    """Four threads, one Frame: what has status 0 has the thread's own values. On busy cores the
    threads may run one after the other, so they get some runs to meet in."""
    for _ in range(10):
        outcome = host.run("race")
        assert outcome.status == 0, outcome.err
        wrong, refused, other, not_mine = map(int, outcome.words("race"))
        assert (wrong, other, not_mine) == (0, 0, 0)
        messages = [line for line in outcome.out.splitlines() if line.startswith("refused ")]
        assert refused == len(messages)
        assert all("bind a set for each thread" in line for line in messages)
        if messages:
            return
    pytest.fail("the threads never met")


def test_first_calls_of_several_threads_make_one_view(host: Host) -> None:
    outcome = host.run("first-calls")
    assert outcome.status == 0, outcome.err
    assert outcome.words("first-calls") == ["0", "0"]


def test_interleaved_sequences(host: Host) -> None:
    """No two calls at the same time: the thread whose values are gone is told, the other not."""
    outcome = host.run("interleaved")
    assert outcome.status == 0, outcome.err
    assert outcome.words("interleaved") == ["0", *["-4"] * 3, *["0"] * 4]
    assert outcome.words("second-is-right") == ["T"]
    message = " ".join(outcome.words("refused"))
    assert "eosRhohFromTPprop would read what another thread has put into view 'T'" in message
    # the status is that of the thread's own latest call, though the other thread's came later
    assert outcome.words("status-of-first") == ["-4"]


@pytest.mark.parametrize("case", ["sets", "handover"])
def test_what_threads_may_do(host: Host, case: str) -> None:
    outcome = host.run(case)
    assert outcome.status == 0, outcome.out + outcome.err
    assert outcome.words(case) == ["0"]


def test_small_blocks_start_no_threads(host: Host) -> None:
    """Of 16 threads that it may have, a run takes those that its points feed; the bits stay."""
    many = host.run("fed", environment={"OMP_NUM_THREADS": "16"})
    alone = host.run("alone", environment={"OMP_NUM_THREADS": "16"})
    for outcome in (many, alone):
        assert outcome.status == 0, outcome.out + outcome.err
        assert outcome.words("small") == ["0"] and outcome.words("same") == ["T"]
    assert int(many.words("large")[0]) == 15
    assert alone.words("large") == ["0"]
    assert many.words("bits") == alone.words("bits")


def test_outputs_that_share_elements(host: Host) -> None:
    outcome = host.run("overlap")
    assert outcome.status == 0, outcome.out + outcome.err
    for label, message in (
        ("one-place", "argument h: it shares elements with 'rho', and eosRhohFromTPprop on set"),
        ("over-input", "argument h: it shares elements with 'Y', which eosRhohFromTPprop on set"),
    ):
        status, untouched, *words = outcome.words(label)
        assert (int(status), untouched) == (ARGUMENT, "T")
        assert " ".join(words).startswith(message)
    for label in ("between", "in-place"):
        assert outcome.words(label)[:2] == ["0", "F"]
    assert outcome.words("untouched") == outcome.words("same") == ["T"]
