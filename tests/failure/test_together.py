"""Rule 4: initialize with a communicator is all or none. One rank of three fails alone; nobody
waits for it, every rank is told, and all may try again."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hosts import Host, Outcome, breaks, build

from bridge.backends.host.library import available

pytestmark = pytest.mark.mpi

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "mpi-and-failure.md"
START, ARGUMENT, EXCEPTION, MPI, MEMORY = -2, -3, -5, -6, -8

# What rank 1 alone has in its environment; the status; what the others are told.
FAILS = {
    "no Python": (
        {"BRIDGE_PYTHON": "/nowhere/python3"},
        START,
        "/nowhere/python3: does not exist",
    ),
    "species": ({"BRIDGE_SPECIES": "O2 CH4 N2"}, ARGUMENT, "argument ns: got 2, wanted 3"),
    "file": (
        {"BRIDGE_SPECIES_FILE": "/nowhere.yaml"},
        ARGUMENT,
        "argument species_file: got /now",
    ),
    "threads": ({"BRIDGE_THREADS": "many"}, ARGUMENT, "BRIDGE_THREADS of the environment"),
    "isa": ({"BRIDGE_CPU_ISA": "v9"}, ARGUMENT, "argument BRIDGE_CPU_ISA: got 'v9'"),
}
# In a host that is told what to pass.
ARGUMENTS = {
    "points": ({"TEST_POINTS": "0"}, ARGUMENT, "argument nGridPoints: got 0, wanted at least 1"),
    "ns": ({"TEST_NS": "3"}, ARGUMENT, "argument ns: got 3, wanted 2"),
    "memory": (breaks("starve_views"), MEMORY, "MemoryError: no room for views"),
    "exit": (breaks("leave_views"), EXCEPTION, "SystemExit: 7"),
    "mute": (breaks("mute_views"), EXCEPTION, "Mute, whose text cannot be read"),
}

Run = Callable[..., Outcome]


def on_rank_1(environment: Any) -> tuple[str, ...]:
    """The part of a command line that gives this environment to one rank."""
    sets = " ".join(f"export '{name}={value}';" for name, value in environment.items())
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    return ("sh", "-c", f'if [ {rank} = 1 ]; then {sets} fi; exec "$0" "$@"')


@pytest.fixture(scope="module")
def careful(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """The program that the page shows."""
    (code,) = re.findall(r"```fortran\n(! careful\.f90\n.*?)```", PAGE.read_text(), re.S)
    folder = tmp_path_factory.mktemp("careful")
    (folder / "careful.f90").write_text(code)
    return build(folder, [folder / "careful.f90"], with_compiler="mpif90")


@pytest.mark.parametrize("way", FAILS)
def test_the_program_of_the_page(careful: Host, mpirun: list[str], way: str) -> None:
    only, status, reason = FAILS[way]
    launcher = (*mpirun, "-n", "3", *on_rank_1(only))
    common: dict[str, str | None] = {"BRIDGE_BACKEND": "cpu"}
    outcome = careful.run(launcher=launcher, environment=common)
    assert outcome.status == 0, outcome.err
    for rank in range(3):
        (line,) = re.findall(rf"^rank {rank}: status {status}, (.*)$", outcome.out, re.M)
        assert reason in line
        assert ("failed on rank 1 of 3" in line) == (rank != 1)
    assert outcome.out.count("all ranks take the Fortran subroutines") == 1


def test_the_program_of_the_page_where_all_is_well(careful: Host, mpirun: list[str]) -> None:
    launcher = (*mpirun, "-n", "3")
    outcome = careful.run(launcher=launcher, environment={"BRIDGE_BACKEND": "cpu"})
    assert outcome.status == 0, outcome.err
    assert "all ranks take" not in outcome.out
    assert outcome.out.count("density") == 3


@pytest.mark.parametrize("way", [*ARGUMENTS, "no Python"])
def test_all_or_none_and_again(mpi_host: Host, mpirun: list[str], way: str) -> None:
    only, status, reason = {**ARGUMENTS, **FAILS}[way]
    launcher = (*mpirun, "-n", "3", *on_rank_1(only))
    common: dict[str, str | None] = {"BRIDGE_BACKEND": "cpu", "BRIDGE_SPECIES": "O2 CH4"}
    outcome = mpi_host.run("agree", launcher=launcher, environment=common)
    assert outcome.status == 0, outcome.err
    for rank in range(3):
        got, *words = outcome.words(f"first{rank}:")
        assert (int(got), reason in " ".join(words)) == (status, True)
        assert ("failed on rank 1 of 3" in " ".join(words)) == (rank != 1)
        assert outcome.words(f"launch{rank}:")[0] == "-4"  # no Frame anywhere
        assert outcome.words(f"again{rank}:")[0] == "0"
        assert outcome.words(f"end{rank}:")[0] == "0"


@pytest.mark.parametrize("way", ["ns", "memory"])
def test_a_part_of_the_ranks(mpi_host: Host, mpirun: list[str], way: str) -> None:
    """Ranks 1 and 2 have a communicator: a rank's number is the one in the tags of messages."""
    only, status, reason = ARGUMENTS[way]
    launcher = (*mpirun, "-n", "3", *on_rank_1(only))
    common = {"BRIDGE_BACKEND": "cpu", "BRIDGE_SPECIES": "O2 CH4", "TEST_SPLIT": "1"}
    outcome = mpi_host.run("agree", launcher=launcher, environment={**common})
    assert outcome.status == 0, outcome.err
    assert outcome.words("first0:") == ["0"]
    assert reason in " ".join(outcome.words("first1:"))
    assert outcome.words("first2:")[0] == str(status)
    told = " ".join(outcome.words("first2:"))
    assert "the call failed on rank 1 of 3, so on all" in told and reason in told
    assert outcome.words("again2:")[0] == "0"


@pytest.mark.parametrize("way", ["no Python", "file", "isa"])
def test_under_abort_the_failing_rank_ends_the_job(
    careful: Host, mpirun: list[str], tmp_path: Path, way: str
) -> None:
    only, _, reason = FAILS[way]
    loud = tmp_path / "loud.f90"
    code = (careful.program.parent / "careful.f90").read_text()
    loud.write_text(code.replace("frame_error_policy('return')", "frame_error_policy('abort')"))
    host = build(tmp_path, [loud], with_compiler="mpif90")
    launcher = (*mpirun, "-n", "3", *on_rank_1(only))
    outcome = host.run(launcher=launcher, environment={"BRIDGE_BACKEND": "cpu"})
    assert outcome.status != 0
    assert "[bridge, rank 1] frame_" in outcome.err and reason in outcome.err
    assert "[bridge, rank 0]" not in outcome.err
    assert "rank 0: status" not in outcome.out


def test_ranks_of_two_instruction_sets(mpi_host: Host, mpirun: list[str]) -> None:
    """They would compute other bits: refused on all, unless a setting allows it."""
    if "v3" not in available() or len(available()) < 2:
        pytest.skip("this machine runs one instruction set")
    common: dict[str, str | None] = {
        **{"BRIDGE_BACKEND": "cpu", "BRIDGE_SPECIES": "O2 CH4", "BRIDGE_CPU_ISA": "v3"},
    }
    launcher = (*mpirun, "-n", "2", *on_rank_1({"BRIDGE_CPU_ISA": "v2"}))
    outcome = mpi_host.run("agree", launcher=launcher, environment=common)
    assert outcome.status == 0, outcome.err
    for rank in range(2):
        status, *words = outcome.words(f"first{rank}:")
        message = " ".join(words)
        assert int(status) == EXCEPTION
        assert "target: x86-64-v3 on rank 0; x86-64-v2 on rank 1" in message
        assert "BRIDGE_CPU_ISA of the least one" in message
        assert "frame_set('mixed_ranks', 'allow')" in message
    allowed = common | {"BRIDGE_MIXED_RANKS": "allow"}
    outcome = mpi_host.run("agree", launcher=launcher, environment=allowed)
    assert outcome.status == 0, outcome.err
    assert [outcome.words(f"first{rank}:")[0] for rank in range(2)] == ["0", "0"]
    assert outcome.out.count("target: x86-64-v3 on rank 0; x86-64-v2 on rank 1") == 1


def test_ranks_of_two_packs(mpi_host: Host, mpirun: list[str], tmp_path: Path) -> None:
    """A pack without kernels, whose catalogue is another one on a rank."""
    for name, unit in (("a", "K"), ("b", "Pa")):
        folder = tmp_path / name / "mine"
        folder.mkdir(parents=True)
        (folder / "catalogue.toml").write_text(
            f'[quantity.ours]\nunit = "{unit}"\nabout = "a quantity"\n'
        )
    common: dict[str, str | None] = {
        **{"BRIDGE_BACKEND": "cpu", "BRIDGE_SPECIES": "O2 CH4"},
        "BRIDGE_PACKS": str(tmp_path / "a" / "mine"),
    }
    other = {"BRIDGE_PACKS": str(tmp_path / "b" / "mine")}
    launcher = (*mpirun, "-n", "2", *on_rank_1(other))
    outcome = mpi_host.run("agree", launcher=launcher, environment=common)
    for rank in range(2):
        status, *words = outcome.words(f"first{rank}:")
        assert (int(status), "pack mine: " in " ".join(words)) == (EXCEPTION, True)
