"""Rules 2 and 4: one rank's failure ends the job; the host's MPI stays as it was."""

from __future__ import annotations

import re

import pytest
from hosts import Host, breaks

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize(
    ("case", "aborted"), [("rank-fails", 3), ("half-fails", 2), ("without-communicator", 3)]
)
def test_one_rank_of_three(mpi_host: Host, mpirun: list[str], case: str, aborted: int) -> None:
    """Rank 1's message on stderr, exit status not 0, and the job ended by MPI_Abort: the others
    wait in a barrier, and neither they nor a watchdog end it.

    The communicator given is the one aborted: here of all three ranks or of ranks 0 and 1.
    """
    environment = breaks("raise_on_rank_1")
    launcher = (*mpirun, "-n", "3")
    outcome = mpi_host.run(case, launcher=launcher, environment=environment)
    assert outcome.status != 0
    assert "past the barrier" not in outcome.out
    assert "[bridge, rank 1] frame_report_ failed" in outcome.err
    assert "[bridge, rank 1]   RuntimeError: rank one has had enough" in outcome.err
    assert "[bridge, rank 0]" not in outcome.err
    assert f"MPI_Abort on {aborted} ranks" in outcome.err
    # Open MPI tells of the abort, or that it could not (show_help), as ranks end together.
    told = r"MPI_ABORT was invoked|called MPI_Abort|ORTE_ERROR_LOG.*show_help"
    assert re.search(told, outcome.err + outcome.out)


def test_error_handler_stays_fatal(mpi_host: Host, mpirun: list[str]) -> None:
    outcome = mpi_host.run("handler", launcher=(*mpirun, "-n", "1"))
    assert outcome.words("fatal") == ["T"]
    assert outcome.status != 0
    assert "survived" not in outcome.out


def test_finalize_before_mpi_finalize_and_again(mpi_host: Host, mpirun: list[str]) -> None:
    outcome = mpi_host.run("finalize-order", launcher=(*mpirun, "-n", "2"))
    assert outcome.status == 0, outcome.err
    assert outcome.out.count("finalized") == 2
    assert outcome.words("freed") == ["2"]


def test_never_finalized(mpi_host: Host, mpirun: list[str]) -> None:
    outcome = mpi_host.run("never-finalized", launcher=(*mpirun, "-n", "2"))
    assert outcome.status == 0, outcome.err
    assert outcome.out.count("leaving") == 2


def test_failure_after_mpi_finalize(mpi_host: Host, mpirun: list[str]) -> None:
    outcome = mpi_host.run("after-mpi", launcher=(*mpirun, "-n", "1"))
    assert outcome.status != 0
    assert "survived" not in outcome.out
    assert "frame_launch_ failed" in outcome.err


def test_communicator_but_mpi_not_initialised(mpi_host: Host, mpirun: list[str]) -> None:
    outcome = mpi_host.run("no-init")
    assert outcome.status == 0, outcome.err
    status, *words = outcome.words("initialize")
    assert status == "-6"
    assert "MPI is not initialised" in " ".join(words)


def test_no_communicator_at_all(mpi_host: Host, mpirun: list[str]) -> None:
    outcome = mpi_host.run("bad-communicator", launcher=(*mpirun, "-n", "2"))
    assert outcome.status == 0, outcome.err
    for label in ("null", "nonsense", "freed", "inter"):
        assert outcome.words(label) == ["-6"]


@pytest.mark.parametrize("case", ["abort-nonsense", "abort-freed"])
def test_what_is_no_communicator_is_not_aborted(
    mpi_host: Host, mpirun: list[str], case: str
) -> None:
    """Neither one that was never a communicator nor one that the host has freed since."""
    outcome = mpi_host.run(case, launcher=(*mpirun, "-n", "1"))
    assert outcome.status != 0
    assert "survived" not in outcome.out
    assert "MPI_Abort on 1 ranks" in outcome.err


def test_mpi_program_without_communicator_needs_no_mpi4py(
    mpi_host: Host, mpirun: list[str]
) -> None:
    launcher = (*mpirun, "-n", "2")
    outcome = mpi_host.run("serial", launcher=launcher, environment=breaks("where"))
    assert outcome.status == 0, outcome.err
    assert outcome.words("mpi4py") == ["no"]


def test_serial_program_never_imports_mpi4py(host: Host) -> None:
    outcome = host.run("report", environment=breaks("where"))
    assert outcome.status == 0, outcome.err
    assert outcome.words("mpi4py") == ["no"]
