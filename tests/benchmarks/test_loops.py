"""The loops of a legacy code: both sides agree, every row is there. How fast, no test says."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.test_bench import needs_gfortran, rows_of
from sharing import Once

from bridge.bench import loopblock, loops
from bridge.bench.hosted import hosted
from bridge.bench.loopblock import HostLoops, LoopBlock, LoopRun, loops_pack
from bridge.bench.request import Request
from bridge.cli import main
from bridge.errors import ArgumentError, BridgeError
from bridge.machine import cache_size
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report, Row

#: What compiles soonest.
ISA = "v2"

pytestmark = [pytest.mark.fortran, needs_gfortran]


@pytest.fixture(scope="module")
def cache(once: Once) -> Iterator[Path]:
    """Where the pack of the loops is built, once for all of these."""

    def make(place: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BRIDGE_CACHE", str(place))
            with loops_pack(sources(None), ISA) as catalogue:
                HostLoops(sources(None), catalogue, None)

    place = once("bench_loops", make)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_CACHE", str(place))
        yield place


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
    tiny = ["--points", "600", "--sizes", "6,22", "--seconds", "0.01", "--isa", ISA]
    assert main(["bench", "loops", *tiny, "--json", str(out), "--plot", str(picture)]) == 0
    assert os.environ["BRIDGE_PACKS"] == str(tmp_path / "not looked at")
    rows = rows_of(out)
    of_loops = [row for row in rows if row["name"] != "empty run"]
    found = [
        (r["name"], r["params"]["order"], r["params"]["place"], r["params"]["row"],
         r["params"]["precision"], r["params"]["way"], r["params"]["threads"], r["reference"])
        for r in of_loops
    ]  # fmt: skip
    ways = [("fortran", 1, None), ("run", 1, "fortran"), ("engine", 1, "fortran")]
    many = ("run", 2, "one thread")
    cases = [
        (one.loop, one.order, one.place, one.row, precision)
        for precision, named in (("double", loopblock.LOOPS), ("original", loopblock.SINGLE))
        for one in loops.cases((6, 22), named)
    ]
    assert len(cases) == (len(loopblock.LOOPS) + 1) * 8
    assert sorted(found, key=str) == sorted(
        ((*case, *way) for case in cases for way in (*ways, *[many][: case[2] == "memory"])),
        key=str,
    )
    assert all(row["unit"] == "ns/point" for row in of_loops)
    assert {row["params"]["points"] for row in of_loops if row["params"]["place"] == "memory"} == {
        6 * 9 * 11,
        22 * 5 * 5,
    }
    empty = [row for row in rows if row["name"] == "empty run"]
    assert [(r["params"]["way"], r["reference"], r["unit"]) for r in empty] == [
        ("run", "3.0 us", "us"), ("engine", None, "us"),
    ]  # fmt: skip
    assert {(r["params"]["arrays"], r["params"]["points"]) for r in empty} == {(22, 125)}
    assert picture.read_bytes().startswith(b"\x89PNG")
    told = capsys.readouterr()
    assert "empty kernel over 22 arrays" in told.out and f"-march=x86-64-{ISA}" in told.out
    assert told.err.count("loop jacobians") == 8
    assert told.out.count("\njacobi4") == 16 and "jacobi4 in original precision" in told.out


def test_what_is_killed_leaves_the_rows_so_far(tmp_path: Path, cache: Path) -> None:
    out = tmp_path / "rows.json"
    tiny = ["--points", "600", "--sizes", "6", "--seconds", "0.01", "--isa", ISA]
    command = [sys.executable, "-P", "-m", "bridge", "bench", "loops", *tiny, "--json", str(out)]
    with (tmp_path / "told").open("w") as told, subprocess.Popen(
        command, stdout=told, stderr=told
    ) as running:  # fmt: skip
        try:
            while not out.exists() and running.poll() is None:
                time.sleep(0.01)
        finally:
            running.kill()
    assert running.returncode == -signal.SIGKILL, (tmp_path / "told").read_text()
    rows = rows_of(out)
    assert rows[0]["name"] == loopblock.LOOPS[0]
    assert "empty run" not in {row["name"] for row in rows}
    ways = [row["params"]["way"] for row in rows]
    assert ways[:3] == ["fortran", "run", "engine"] and ways[-1] in ("engine", "run")
    pytest.importorskip("matplotlib")
    assert main(["plot", str(out), str(tmp_path / "rows.png")]) == 0


def test_the_ratios_of_all_loops_are_told_together() -> None:
    report = Report("loops", machine={})
    for name, precision, way, ratio in (
        ("flux", "double", "run", 1.0), ("scaling", "double", "run", 0.5),
        ("update", "double", "run", 0.25), ("flux", "double", "engine", 0.01),
        ("sum", "double", "run", 0.125), ("jacobi4", "double", "run", 0.1),
        ("jacobi4", "original", "run", 0.8), ("jacobi4", "original", "run", 1.25),
    ):  # fmt: skip
        params = {"way": way, "precision": precision}
        report.rows.append(Row(name, params, 1.0, "ns/point", "fortran", ratio))
    params = {"way": "run", "precision": "double"}
    report.rows.append(Row("flux", params, 1.0, "ns/point", "one thread", 0.02))
    assert loops.medians(report) == (
        "run / fortran, without sum and jacobi4: median 2.00, largest 4.00; "
        "sum: median 8.00, largest 8.00; "
        "jacobi4 in double precision: median 10.00, largest 10.00; "
        "jacobi4 in original precision: median 1.02, largest 1.25"
    )


@pytest.mark.parametrize("order", loopblock.ORDERS)
@pytest.mark.parametrize("loop", loopblock.LOOPS)
def test_all_ways_make_the_same_numbers(cache: Path, loop: str, order: str) -> None:
    with loops_pack(sources(None), ISA) as catalogue, hosted(ISA) as host:
        fortran = HostLoops(sources(None), catalogue, None)
        for way in ("run", "engine"):
            one = LoopBlock(catalogue, loop, order, (13, 3, 2))
            arrays = (*one.ours.values(), *one.theirs.values())
            places = {array.ctypes.data % 64 for array in arrays if array.size > 1}
            assert places == {16}
            with closing(LoopRun(one, host.tv)) as ours:
                call = ours.run(host)
                if way == "engine":
                    before = {name: array.copy(order="F") for name, array in one.ours.items()}
                    call()
                    call = ours.engine()
                    for name, array in before.items():
                        one.ours[name][...] = array
                fortran.call(loop, order, one.theirs)()
                with pytest.raises(BridgeError, match=f"{loop}, component {order}: .*nothing"):
                    one.check()
                call()
                one.check()
            last = one.ours[loopblock.arrays_of(catalogue, loop)[-1]]
            last.reshape(-1, order="F")[0] += 1.0  # a corner of the fringe
            with pytest.raises(BridgeError, match="nothing is timed"):
                one.check()


def test_engine_does_the_points_of_the_empty_run(cache: Path) -> None:
    with loops_pack(sources(None), ISA) as catalogue, hosted(ISA) as host:
        one = LoopBlock(catalogue, "empty", "last", loops.EMPTY)
        first, *_, last = one.ours.values()
        inner = (slice(2, 7),) * 3
        with closing(LoopRun(one, host.tv)) as ours:
            ours.run(host)()
            last[inner] = 0.0
            ours.engine()()
        assert (first[inner] == last[inner]).all() and first[0, 0, 0] != last[0, 0, 0]


def test_calls_of_the_host_do_not_enter_python_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with loops_pack(sources(None), ISA) as catalogue, hosted(ISA) as host:
        for loop in ("update", "sum"):
            one = LoopBlock(catalogue, loop, "last", (13, 3, 2))
            with closing(LoopRun(one, host.tv)) as ours:
                run = ours.run(host)
                run()
                with monkeypatch.context() as patch:
                    for name in ("run", "reductions"):
                        patch.setattr(type(host.tv), name, None)
                    run()
        with pytest.raises(BridgeError, match="wanted a set with bound arrays"):
            host.run(loopblock.SET, "update")()


def test_blocks_fill_what_they_are_named_after() -> None:
    for row, size in itertools.product(loops.ROWS, (40, 216, 640)):
        nx, ny, nz = loops.block("L2", row, size)
        assert (nx, ny % 2, nz % 2) == (row, 1, 1)
        assert cache_size(2) / 4 < nx * ny * nz * size <= cache_size(2) / 2
        nx, ny, nz = loops.block("memory", row, size)
        assert (nx, ny % 2, nz % 2) == (row, 1, 1)
        assert nx * ny * nz * size > 0.95 * min(2 * cache_size(3), loops.MOST)
    assert loops.block("memory", 64, 80, 5) == (5, 1, 1)
    assert loops.block("memory", 64, 80, 64 * 64 * 7) == (64, 21, 21)


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
    with loops_pack(sources(None), ISA) as catalogue:
        (folder / "bench" / "hostloops.f90").unlink()
        with pytest.raises(ArgumentError, match="hostloops.f90"):
            HostLoops(folder, catalogue, None)
    monkeypatch.setattr(loopblock, "AGREEMENT", {"float64": 0.0})
    with pytest.raises(BridgeError, match="nothing is timed"):
        loops.measure(Request(points=64, seconds=0.01, isa=ISA))
