"""What happens to one rank, or to its disk: the job ends in seconds with the reason, or goes on
where that is right. docs/reliability.md has the list, with the tests of other files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts import Host, breaks

from bridge.backends.host.library import choose
from bridge.plan import packbuild, packs

pytestmark = pytest.mark.mpi
PACK = Path(__file__).parents[2] / "examples" / "sutherland_pack"


def test_a_rank_that_is_killed(mpi_host: Host, mpirun: list[str]) -> None:
    """The others wait for it in a barrier; mpirun ends them and names the signal."""
    environment = breaks("kill_rank_1")
    launcher = (*mpirun, "-n", "3")
    outcome = mpi_host.run("rank-fails", launcher=launcher, environment=environment)
    assert outcome.status != 0
    assert "past the barrier" not in outcome.out
    assert "signal 9" in outcome.err + outcome.out  # Hydra's words go to stdout


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the pack of the example."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("BRIDGE_CACHE", str(cache))
    monkeypatch.setenv("BRIDGE_PACKS", str(PACK))
    list(packbuild.build([], isas=[choose().isa]))
    return cache


@pytest.mark.parametrize("state", ["not built", "damaged"])
def test_a_pack_that_one_rank_has_not(
    mpi_host: Host, mpirun: list[str], built: Path, tmp_path: Path, state: str
) -> None:
    """As on a node where it could not be compiled, or whose disk was full: all ranks end, and the
    one says which pack, where it looked and what to run."""
    other = tmp_path / "other"
    other.mkdir()
    if state == "damaged":
        (library,) = built.glob("packs/*.so")
        (other / "packs").mkdir()
        (other / "packs" / library.name).write_bytes(library.read_bytes()[:5000])
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    elsewhere = ["sh", "-c", f'[ "{rank}" = 1 ] && BRIDGE_CACHE={other}; exec "$@"']
    launcher = (*mpirun, "-n", "3", *elsewhere, "sh")
    environment = {"BRIDGE_CACHE": str(built), "BRIDGE_PACKS": str(PACK)}
    outcome = mpi_host.run("finalize-order", launcher=launcher, environment=environment)
    assert outcome.status != 0 and "finalized" not in outcome.out
    words = {"not built": "is not built for", "damaged": "no seal at the end of 5000 bytes"}
    assert f"kernel pack {PACK.name}" in outcome.err and words[state] in outcome.err
    assert str(other) in outcome.err and "bridge packs build" in outcome.err


def test_a_home_that_cannot_be_written(mpi_host: Host, mpirun: list[str]) -> None:
    """A run on the CPU keeps nothing: it goes on."""
    environment = {"HOME": "/proc/none", "XDG_CACHE_HOME": None, "PYTHONDONTWRITEBYTECODE": None}
    launcher = (*mpirun, "-n", "2")
    outcome = mpi_host.run("finalize-order", launcher=launcher, environment=environment)
    assert outcome.status == 0, outcome.err
    assert outcome.out.count("finalized") == 2


def test_a_clock_that_is_set_during_a_wait(host: Host) -> None:
    """The flush of the host's output in a WRITE that calls us waits for two seconds of a clock
    that nobody sets: a year in the deadline would be a year of waiting."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        pytest.skip("no libfaketime on this machine")
    environment = {
        **{"LD_PRELOAD": str(library), "FAKETIME": "+1y", "FAKETIME_DONT_FAKE_MONOTONIC": "1"},
        **{"DONT_FAKE_MONOTONIC": "1"},
    }
    outcome = host.run("in-write", environment=environment)
    assert outcome.status == 1
    assert "failed: ArgumentError" in outcome.err


def test_a_clock_that_jumps(built: Path) -> None:
    """A pack is known by what is in its files: their times say nothing."""
    import os

    pack = next(iter(packs.found()))
    isa = choose().isa
    for when in (0, 2**33):
        os.utime(pack.library(isa), (when, when))
        os.utime(built, (when, when))
        assert pack.state(isa) == "built"
