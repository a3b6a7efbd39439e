"""The loops of a legacy code: both sides agree, every row is there. How fast, no test says."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.test_bench import needs_gfortran, rows_of

from bridge.bench import loopblock, loops
from bridge.bench.loopblock import HostLoops, LoopBlock, loops_pack
from bridge.bench.request import Request
from bridge.cli import main
from bridge.errors import ArgumentError, BridgeError
from bridge.machine import cache_size
from bridge.measuring.fortran import sources

pytestmark = [pytest.mark.fortran, needs_gfortran]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the pack of the loops is built, once for all of these."""
    place = tmp_path_factory.mktemp("cache")
    before = os.environ.get("BRIDGE_CACHE")
    os.environ["BRIDGE_CACHE"] = str(place)
    yield place
    if before is None:
        del os.environ["BRIDGE_CACHE"]
    else:
        os.environ["BRIDGE_CACHE"] = before


def test_loops(
    tmp_path: Path,
    cache: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("bridge.bench.loops.cache_size", lambda _: 1 << 17)
    monkeypatch.setenv("BRIDGE_PACKS", str(tmp_path / "not looked at"))
    out, picture = tmp_path / "rows.json", tmp_path / "rows.png"
    tiny = ["--points", "600", "--seconds", "0.01", "--isa", "v3"]
    assert main(["bench", "loops", *tiny, "--json", str(out), "--plot", str(picture)]) == 0
    assert os.environ["BRIDGE_PACKS"] == str(tmp_path / "not looked at")
    rows = rows_of(out)
    of_loops = [row for row in rows if row["name"] != "empty run"]
    cases = list(itertools.product(loopblock.LOOPS, loopblock.ORDERS, loops.PLACES))
    found = [
        (r["name"], r["params"]["order"], r["params"]["place"], r["params"]["way"],
         r["params"]["threads"], r["reference"])
        for r in of_loops
    ]  # fmt: skip
    ways = [("fortran", 1, None), ("run", 1, "fortran"), ("engine", 1, "fortran"),
            ("run", 2, "one thread")]  # fmt: skip
    assert sorted(found, key=str) == sorted(
        ((*case, *way) for case, way in itertools.product(cases, ways)), key=str
    )
    assert all(row["unit"] == "ns/point" for row in of_loops)
    assert {row["params"]["points"] for row in of_loops if row["params"]["place"] == "memory"} == {
        64 * 3 * 3
    }
    empty = [row for row in rows if row["name"] == "empty run"]
    assert [(r["params"]["way"], r["reference"], r["unit"]) for r in empty] == [
        ("run", "3.0 us", "us"), ("engine", None, "us"),
    ]  # fmt: skip
    assert {(r["params"]["arrays"], r["params"]["points"]) for r in empty} == {(22, 125)}
    assert picture.read_bytes().startswith(b"\x89PNG")
    told = capsys.readouterr()
    assert "empty kernel over 22 arrays" in told.out and "-march=x86-64-v3" in told.out
    assert told.err.count("loop jacobians") == 4


@pytest.mark.parametrize("order", loopblock.ORDERS)
@pytest.mark.parametrize("loop", loopblock.LOOPS)
def test_three_ways_make_the_same_numbers(cache: Path, loop: str, order: str) -> None:
    with loops_pack(sources(None)) as catalogue:
        fortran = HostLoops(sources(None), catalogue, None)
        for make in (LoopBlock.run, LoopBlock.engine):
            one = LoopBlock(catalogue, loop, order, (13, 3, 2), None)
            host, ours = fortran.call(loop, order, one.theirs), make(one)
            host()
            with pytest.raises(BridgeError, match=f"{loop}, component {order}: loop_.*nothing"):
                one.check()
            ours()
            one.check()
            last = one.ours[loopblock.arrays_of(catalogue, loop)[-1]]
            last.reshape(-1, order="F")[0] += 1.0  # a corner of the fringe
            with pytest.raises(BridgeError, match="nothing is timed"):
                one.check()


def test_engine_does_the_points_of_the_empty_run(cache: Path) -> None:
    with loops_pack(sources(None)) as catalogue:
        one = LoopBlock(catalogue, "empty", "last", loops.EMPTY, None)
        one.engine()()
        first, *_, last = one.ours.values()
        inner = (slice(2, 7),) * 3
        assert (first[inner] == last[inner]).all() and first[0, 0, 0] != last[0, 0, 0]


def test_blocks_fill_what_they_are_named_after() -> None:
    for size in (80, 216, 640):
        nx, ny, nz = loops.block("L2", size)
        assert cache_size(2) / 5 < nx * ny * nz * size <= cache_size(2) / 2
        nx, ny, nz = loops.block("memory", size)
        assert nx * ny * nz * size > min(1.9 * cache_size(3), 0.9 * loops.MOST)
        assert nx * ny * nz > 0.9 * loops.IN_MEMORY
    assert loops.block("memory", 80, 5) == (5, 1, 1)
    assert loops.block("memory", 80, 64 * 64 * 7) == (64, 21, 21)


def test_what_is_missing_is_named(
    tmp_path: Path,
    cache: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "stub"
    shutil.copytree(sources(None), folder)
    (folder / "bench" / "loops" / "catalogue.toml").unlink()
    assert main(["bench", "loops", "--fortran-stub", str(folder)]) == 1
    assert "a folder that holds bench/loops" in capsys.readouterr().err
    with loops_pack(sources(None)) as catalogue:
        (folder / "bench" / "hostloops.f90").unlink()
        with pytest.raises(ArgumentError, match="hostloops.f90"):
            HostLoops(folder, catalogue, None)
    monkeypatch.setattr(loopblock, "AGREEMENT", 0.0)
    with pytest.raises(BridgeError, match="nothing is timed"):
        loops.measure(Request(points=64, seconds=0.01))
