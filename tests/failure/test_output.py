"""Rule 6: nothing is lost, the order is right, and exit functions run once."""

from __future__ import annotations

from hosts import Host, breaks


def test_order_in_a_redirected_file(host: Host) -> None:
    """Both sides buffer; neither PYTHONUNBUFFERED nor a terminal helps."""
    outcome = host.run("order", environment=breaks("shout"))
    assert outcome.status == 0, outcome.err
    lines = [line for line in outcome.out.splitlines() if line.startswith(("fortran", "python"))]
    assert lines == [
        "fortran one",
        "fortran two",
        "python line",
        "python partfortran three",
        "python line",
        "python partfortran four",
    ]


def test_program_without_finalize(host: Host) -> None:
    outcome = host.run("silent-end", environment=breaks("linger"))
    assert outcome.status == 0, outcome.err
    assert outcome.out.count("last") == 1
    assert outcome.out.count("thread done") == 1
    assert outcome.out.count("goodbye") == 1
    assert outcome.out.index("last") < outcome.out.index("thread done")


def test_lines_survive_a_crash(host: Host) -> None:
    outcome = host.run("report", environment=breaks("die"))
    assert outcome.status == 4
    assert "python line\n" in outcome.out


def test_closed_streams(host: Host) -> None:
    """A daemon has neither stdout nor stderr; that is no reason to fail."""
    launcher = ("sh", "-c", 'exec "$0" "$@" >&- 2>&-')
    assert host.run("quiet", launcher=launcher).status == 0


def test_error_stop(host: Host) -> None:
    outcome = host.run("stop", environment=breaks("linger"))
    assert outcome.status == 3
    assert outcome.out.count("goodbye") == 1


def test_output_before_a_failure_is_not_lost(host: Host) -> None:
    """What the host printed, what Python printed, then the block: all of it, in this order."""
    outcome = host.run("print-and-fail", environment=breaks("shout_and_fail"))
    assert outcome.status == 1
    lines = [line for line in outcome.out.splitlines() if line.startswith(("fortran", "python"))]
    assert lines == ["fortran line", "python part"]
    assert "the job ends here" in outcome.err.splitlines()[-1]
