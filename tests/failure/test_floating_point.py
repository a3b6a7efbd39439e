"""Rule 3: the host's floating-point environment is neither used nor changed."""

from __future__ import annotations

import pytest
from hosts import Host, breaks

FLUSH_TO_ZERO = 0x8000
DENORMALS_ARE_ZERO = 0x0040
TRAP_MASKS = 0x1F80


def control_words(host: Host) -> tuple[list[int], list[str]]:
    """Control bits per thread and what the traps did, after checking work and results."""
    outcome = host.run("work", environment=breaks("compute"))
    assert outcome.status == 0, outcome.err
    assert outcome.words("arithmetic") == ["good"]
    before, after = outcome.words("before"), outcome.words("after")
    assert before == after
    density, uniform = outcome.words("rho")
    assert (50 < float(density) < 200, uniform) == (True, "T")
    return [int(word) for word in before], outcome.words("traps")


def test_plain_host(host: Host) -> None:
    bits, traps = control_words(host)
    assert all(word & TRAP_MASKS == TRAP_MASKS for word in bits)
    assert traps == ["0"] * 4


def test_trapping_host(trapping_host: Host) -> None:
    """-ffpe-trap=invalid,zero,overflow: it runs, and its own 1/0 traps in every thread."""
    bits, traps = control_words(trapping_host)
    assert all(word & TRAP_MASKS != TRAP_MASKS for word in bits)
    assert traps == ["1"] * 4


def test_flush_to_zero_host(fast_host: Host) -> None:
    """-Ofast: Python and the kernels see gradual underflow, the host keeps its own mode."""
    bits, _ = control_words(fast_host)
    assert bits[0] & FLUSH_TO_ZERO
    assert bits[0] & DENORMALS_ARE_ZERO


@pytest.mark.parametrize("which", ["trapping_host", "fast_host"])
def test_threads_started_by_the_bridge_are_the_hosts(
    which: str, request: pytest.FixtureRequest
) -> None:
    """Its first parallel region may come after ours, and uses the same pool."""
    outcome = request.getfixturevalue(which).run("new-threads")
    assert outcome.status == 0, outcome.err
    assert len(set(outcome.words("threads"))) == 1
    if which == "trapping_host":
        assert outcome.words("traps") == ["1"] * 4


def test_same_numbers_whatever_the_host(host: Host, trapping_host: Host, fast_host: Host) -> None:
    densities = {h.run("work").words("rho")[0] for h in (host, trapping_host, fast_host)}
    assert len(densities) == 1


def test_libraries_leave_the_process_alone(host: Host) -> None:
    """A library linked with -ffast-math would set flush-to-zero while it is loaded."""
    bits, _ = control_words(host)
    assert not any(word & (FLUSH_TO_ZERO | DENORMALS_ARE_ZERO) for word in bits)
