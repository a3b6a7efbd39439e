"""Rule 2: a failure is loud, whatever its class; the caller who asks for it reads a status."""

from __future__ import annotations

import pytest
from hosts import Host, breaks


@pytest.mark.parametrize(
    ("what", "status", "message"),
    [
        ("complain", -5, "RuntimeError: the keel is gone and so is the rudder"),
        ("leave", -5, "SystemExit: 7"),
        ("interrupt", -5, "KeyboardInterrupt"),
        ("exhaust", -8, "MemoryError: no room"),
        ("mute", -5, "Mute, whose text cannot be read: its __str__ raised ValueError"),
    ],
)
def test_any_exception_becomes_a_status(host: Host, what: str, status: int, message: str) -> None:
    outcome = host.run("report-return", environment=breaks(what))
    assert outcome.status == 0, outcome.err
    got, *words = outcome.words("report")
    assert int(got) == status
    assert " ".join(words).startswith(message)
    assert outcome.err == ""


@pytest.mark.parametrize("what", ["complain", "leave", "interrupt", "exhaust"])
def test_any_exception_ends_the_job_by_default(host: Host, what: str) -> None:
    outcome = host.run("report", environment=breaks(what))
    assert outcome.status == 1
    assert "went on" not in outcome.out
    assert "frame_report_ failed" in outcome.err
    assert all(line.startswith("[bridge") for line in outcome.err.splitlines())
    assert outcome.err.count("failed") == 1


def test_an_unexpected_exception_brings_its_traceback(host: Host) -> None:
    outcome = host.run("report", environment=breaks("complain"))
    assert "Traceback" in outcome.err
    assert "sitecustomize.py" in outcome.err


def test_a_refusal_names_entry_and_argument(host: Host) -> None:
    outcome = host.run("abort")
    assert outcome.status == 1
    assert "frame_launch_ failed: ArgumentError (BRIDGE_ARGUMENT, status -3)" in outcome.err
    assert "noSuchKernel" in outcome.err
    assert "Traceback" not in outcome.err


def test_a_void_entry_ends_the_job(host: Host) -> None:
    outcome = host.run("void-abort")
    assert outcome.status == 1
    assert "frame_tvproperties_eosthermalproperties_ failed" in outcome.err


def test_a_void_entry_never_returns_quietly(host: Host) -> None:
    outcome = host.run("void-return")
    assert outcome.status == 0
    assert outcome.words("void")[0] == "-3"
    assert outcome.err.count("frame_tvproperties_eosthermalproperties_ failed") == 1


@pytest.mark.parametrize(
    ("what", "status", "reason"),
    [("trip", -5, "RuntimeError: over a stone"), ("starve", -8, "MemoryError: no room")],
)
def test_a_run_that_fails_in_a_later_chunk(
    host: Host, what: str, status: int, reason: str
) -> None:
    """It names the chunk and the arrays; chunks before it are in the arrays, the rest is not."""
    outcome = host.run("chunks-return", environment=breaks(what))
    assert outcome.status == 0, outcome.err
    got, *words = outcome.words("run")
    message = " ".join(words)
    assert int(got) == status
    assert "run of eosRhohFromTPprop on set 'cells'" in message
    assert "chunk 2 of 3 (points 101..200) failed, incomplete are rho" in message
    assert reason in message
    assert outcome.words("filled") == ["100"]
    assert (outcome.words("again")[0], outcome.words("filled-again")) == ("0", ["216"])


def test_a_later_chunk_ends_the_job_with_its_traceback(host: Host) -> None:
    outcome = host.run("chunks", environment=breaks("trip"))
    assert outcome.status == 1
    assert "chunk 2 of 3" in outcome.err
    assert "sitecustomize.py" in outcome.err


def test_failure_inside_an_output_statement_does_not_hang(host: Host) -> None:
    """The unit is locked by the WRITE whose list calls us: flushing it would wait for ever."""
    outcome = host.run("in-write")
    assert outcome.status == 1
    assert "frame_launch_ failed" in outcome.err


def test_failure_in_an_exit_handler_does_not_hang(host: Host) -> None:
    outcome = host.run("at-exit", environment=breaks("complain"))
    assert outcome.status == 1
    assert outcome.err.count("frame_report_ failed") == 1
    assert "main is over" in outcome.out


def test_a_call_after_the_exit_functions_of_python_is_refused(host: Host) -> None:
    """An exit handler that is older than boot runs after ours."""
    outcome = host.run("at-exit-early")
    assert outcome.status == 1
    assert "a call while the program is ending" in outcome.err
    assert "main is over" in outcome.out
