"""Benchmarks that start processes, without a GPU: they run, check their numbers and give rows of
the right form. How fast anything is, no test says."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.counter import Counter
from benchmarks.test_bench import needs_gfortran, rows_of
from standin import StandIn

from bridge.backends.cpu.backend import CpuBackend
from bridge.backends.cuda import CudaBackend, cache
from bridge.bench import flops, limits, mps, offload, processes, ranks
from bridge.bench.allcores import REFERENCES, all_cores
from bridge.bench.hostset import HostSet, fringed
from bridge.bench.rankpool import RankPool
from bridge.bench.ranks import Cell, Sweep
from bridge.cli import main
from bridge.errors import BridgeError
from bridge.measuring.fortran import sources
from bridge.measuring.report import Report
from bridge.plan.catalogue import Catalogue

# ---- processes that work at the same time -------------------------------------------------


def test_crew_works_together_and_counts_everything() -> None:
    with RankPool(2, Counter, 5, environment={"BENCH_POOL": "yes"}) as pool:
        assert pool.each("told", 1) == [(0, 2, 6, "yes"), (1, 2, 6, "yes")]
        turns = pool.work(0.0, least=4)
        assert turns.points == 4 * (10 + 20) and turns.seconds > 0.0
        assert pool.each("told", 0)[1][2] == 5 + 3 + 4
        mine = sorted(os.sched_getaffinity(0))
        if len(mine) >= 2:
            assert pool.each("core") == [[mine[0]], [mine[len(mine) // 2]]]
    assert "BENCH_POOL" not in os.environ


def test_crew_names_the_rank_that_failed() -> None:
    with (
        RankPool(2, Counter, 0) as pool,
        pytest.raises(BridgeError, match="rank 1 of 2.*no more of this"),
    ):
        pool.each("fail", 1)
    with pytest.raises(BridgeError, match="does not begin at -1"):
        RankPool(2, Counter, -1)


def test_what_a_rank_refuses_comes_without_a_traceback() -> None:
    with RankPool(1, Counter, 0) as pool, pytest.raises(BridgeError) as told:
        pool.each("refuse")
    assert str(told.value) == "rank 0 of 1 of the benchmark: this rank may not"


def test_ranks_without_a_gpu_say_why_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "why_unusable", lambda: "the GPU needs CuPy", raising=False)
    assert main(["bench", "ranks", "--points", "8", "--ns", "1"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("bridge: no GPU for the ranks to share: the GPU needs CuPy")


# ---- the multi-process service -------------------------------------------------------------


def test_service_is_started_and_stopped_in_folders_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    control = tmp_path / mps.CONTROL
    log = tmp_path / "log"
    control.write_text(
        f'#!/bin/sh\n[ -n "$1" ] || read line\necho "$1 $line" >>{log}\n'
        f'echo "$CUDA_MPS_PIPE_DIRECTORY" >>{log}\n'
    )
    control.chmod(control.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert mps.available()
    with pytest.raises(ZeroDivisionError), mps.environment(True) as places:
        pipe = places["CUDA_MPS_PIPE_DIRECTORY"]
        assert os.path.isdir(pipe)
        1 / 0  # noqa: B018
    assert log.read_text().split() == ["-d", pipe, "quit", pipe]
    assert not os.path.exists(pipe)
    log.unlink()
    with mps.environment(False) as places:
        assert places["CUDA_MPS_PIPE_DIRECTORY"] != os.environ.get("CUDA_MPS_PIPE_DIRECTORY")
    assert not log.exists()


# ---- the set between fringe arrays ---------------------------------------------------------


@pytest.mark.parametrize("way", ["run", "run_stripes"])
def test_host_set_gives_right_numbers_and_knows_wrong_ones(way: str) -> None:
    block = HostSet(CpuBackend(1), 3, (7, 5, 4))
    getattr(block, way)(33)
    block.check()
    assert block.inward == 8 * 140 * 5 and block.outward == 8 * 140 * (11 + 3)
    interior = block.arrays["c"][3:-3, 3:-3, 3:-3]
    interior[2, 1, 3] *= 1.001
    with pytest.raises(BridgeError, match=r"c\(1\) of 3 species is wrong by"):
        block.check()


@pytest.mark.fortran
@needs_gfortran
def test_fortran_on_all_cores() -> None:
    found = all_cores((1, 2), sources(None), processes=2, seconds=0.01)
    assert set(found) == set(REFERENCES)
    for by_ns in found.values():
        assert set(by_ns) == {1, 2} and min(by_ns.values()) > 0.0


def test_offload_on_a_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every part but the arithmetic's peak, which is no kernel of ours."""
    pytest.importorskip("matplotlib")
    api: Any = StandIn()
    monkeypatch.setattr(cache, "compiled", api.compile)
    monkeypatch.setattr(limits.Limits, "_peak", lambda _: 1.0)
    monkeypatch.setattr(
        offload,
        "fortran_on_all_cores",
        lambda counts, *_: {"fortran-fast": dict.fromkeys(counts, 50.0)},
    )
    report = offload.measure_at((1, 2), block=6, backend=CudaBackend(api=api))
    picture = tmp_path / "offload.png"
    offload.plot(report, str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    against = [row for row in report.rows if row.name == "GPU against all cores"]
    assert [(row.params["ns"], row.reference) for row in against] == [
        (1, "fortran-fast"),
        (2, "fortran-fast"),
    ]
    for row in against:
        assert row.ratio == pytest.approx(50.0 / row.value)
    resident = [row for row in report.rows if row.name == "resident set"]
    assert [(row.params["ns"], row.params["omega11"]) for row in resident] == list(
        itertools.product((1, 2), ("fitted", "exact"))
    )
    assert "of copies alone" in report.text()


def test_operations_are_read_from_what_the_profiler_prints() -> None:
    head = '==PROF== Connected\n"ID","Process ID","Kernel Name","Metric Name","Metric Value"\n'
    add, multiply, fused = flops.COUNTERS
    launches = [(0, "clear", fused, "7"), (1, "bridge_thermalAndViscous", add, "1,000"),
                (1, "bridge_thermalAndViscous", fused, "20"), (2, "bridge_thermalAndViscous",
                multiply, "5")]  # fmt: skip
    rows = "\n".join(
        f'"{n}","1","{kernel}","{metric}","{value}"' for n, kernel, metric, value in launches
    )
    assert flops.operations(head + rows) == [1040.0, 5.0]
    assert flops.operations("nothing") == []


# ---- ranks ---------------------------------------------------------------------------------


def test_ranks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(ranks, "CHUNKS", (64, ranks.TALK_CHUNK))
    out, picture = tmp_path / "rows.json", tmp_path / "rows.png"
    sweep = partial(ranks.Sweep, chunks=(64, ranks.TALK_CHUNK, 0), seconds=0.01)
    monkeypatch.setattr(ranks, "Sweep", sweep)
    arguments = ["bench", "ranks", "--backend", "cpu", "--ranks", "1,2", "--ns", "1,2"]
    arguments += ["--points", "512", "--json", str(out), "--plot", str(picture)]
    assert main(arguments) == 0
    rows = rows_of(out)
    found = {
        (r["params"]["ns"], r["params"]["ranks"], r["params"]["chunk"], r["params"]["style"])
        for r in rows
    }
    chunks = [(64, "run"), (8192, "run"), (8192, "stripes"), ("whole", "run")]
    assert found == {(ns, n, *chunk) for ns, n, chunk in itertools.product((1, 2), (1, 2), chunks)}
    assert all(row["unit"] == "points/s" and not row["params"]["mps"] for row in rows)
    assert picture.read_bytes().startswith(b"\x89PNG")
    printed = capsys.readouterr().out
    assert "loses least" in printed and "NS = 2" in printed


def test_a_block_is_divided_among_ranks() -> None:
    for count, extent in {
        1: (128, 128, 128),
        2: (128, 128, 64),
        8: (64, 64, 64),
        16: (64, 64, 32),
        20: (64, 64, 26),
    }.items():
        assert ranks.divided(128, count) == extent
    assert np.prod(ranks.divided(7, 6)) * 6 >= 7**3


def test_the_default_chunk_is_the_one_that_loses_least() -> None:
    rates = {(1, 64): 9.0, (1, 128): 10.0, (1, 0): 5.0, (8, 64): 10.0, (8, 128): 7.0, (8, 0): 10.0}
    cells = [
        ranks.Cell(rate, 4, count, chunk, "run", False) for (count, chunk), rate in rates.items()
    ]
    cells.append(ranks.Cell(99.0, 4, 1, 128, "stripes", False))
    assert ranks.best_chunk(cells) == 64


def test_gain_and_scaling_are_ratios_of_the_same_case(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [
        ranks.Cell(rate, 4, 8, chunk, "run", service)
        for rate, chunk, service in ((2.0, 8192, False), (3.0, 64, False), (8.0, 8192, True))
    ]
    report = Report("")
    assert ranks._gain(report, cells).split()[-2:] == ["4", "5x"]
    assert [row.ratio for row in report.rows] == [4.0]

    def pool(
        sweep: Sweep,
        size: int,
        extent: tuple[int, int, int],
        chunks: tuple[int, int],
        service: bool,
        used: int,
        policy: str,
    ) -> Iterator[Cell]:
        assert extent == ranks.divided(sweep.edge, ranks.PER_GPU) and size == 8 * used
        yield ranks.Cell(1e6 * used, 4, size, 0, ranks.COPIES, service, used, policy)
        for chunk in chunks:
            rate = chunk * (10.0 * used - used)
            yield ranks.Cell(rate, 4, size, chunk, "run", service, used, policy)

    monkeypatch.setattr(ranks, "_pool", pool)
    text = ranks._scaling(report, ranks.Sweep(counts=(4,)), 4, [False, True])
    found = [(row.params["gpus"], row.params["policy"], row.ratio) for row in report.rows[1:]]
    each = [(2, "given", 2.0)] * 3 + [(4, "given", 4.0)] * 3 + [(4, "nearest", 4.0)] * 3
    assert found == each * 2
    assert "nearest" in text and "3.7" in text
    assert re.search(r"32768 +no +0.6 +2 +1.9 +2 +29%", text)


def test_the_link_alone_moves_every_array() -> None:
    """There and back, interiors alone."""
    api: Any = StandIn()
    backend = CudaBackend(api=api)
    arrays = [fringed((5, 4, 3), columns) for columns in (1, 2)]
    for array, binding in arrays:
        array[...] = 7.0
        backend.adopt(binding)
    (_, source), (target, into) = arrays
    plan = Catalogue.shipped().plan(["Y"], ["Y_leading"], 2, status=False, name="complete")
    alone = limits.LinkAlone(backend, plan, {"Y_leading": source, "Y": into})
    alone.run()
    inside = np.zeros(target.shape, bool)
    inside[3:8, 3:7, 3:6] = True
    assert ((target == 7.0) == ~inside).all()
    held = api.used
    del alone
    assert held - api.used == 8 * 60 * 3


# ---- what is refused ------------------------------------------------------------------------


def test_plain_benchmarks_refuse_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "latency", "--plot", "x.png"])
    assert "bench latency: there is no option --plot" in capsys.readouterr().err


def test_launcher_without_mpirun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(BridgeError, match="no mpirun"):
        processes.launcher()
