"""Ladders of the gallery: every rung against NumPy, and what is told of one that is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge.errors import BridgeError, DeviceError
from bridge_gallery import results
from bridge_gallery.command import LADDERS, ladder
from bridge_gallery.emulation import Emulation
from bridge_gallery.rung import Launch, Problem, Rung
from bridge_gallery.running import Outcome, check
from bridge_gallery.timing import Limits, Timed

ONE = (1, 1, 1)


@pytest.mark.parametrize("name", LADDERS)
def test_rungs_on_a_cpu(name: str) -> None:
    """Each rung of each small problem gives what NumPy gives."""
    one = ladder(name)
    checked = check(one, Emulation())
    wanted = [
        (problem.title, rung.name)
        for problem in one.small()
        for rung in problem.rungs
        if rung.library is None
    ]
    assert [(each.problem, each.rung) for each in checked] == wanted


@pytest.mark.parametrize("name", LADDERS)
def test_every_timed_rung_is_checked(name: str) -> None:
    """What is timed at full size has its kernels checked at a small one, under the same flags."""

    def kernels(problems: list[Problem]) -> set[tuple[Any, ...]]:
        return {
            (launch.kernel, rung.options, tuple(rung.definitions.items()))
            for problem in problems
            for rung in problem.rungs
            for launch in rung.kernels
        }

    one = ladder(name)
    assert kernels(one.full()) - {("only_write", (), ())} <= kernels(one.small())


@pytest.mark.gpu
@pytest.mark.parametrize("name", LADDERS)
def test_rungs_on_a_gpu(name: str, cuda: Any) -> None:
    """The same on a GPU, those of libraries as well."""
    from bridge_gallery.graphicscard import GraphicsCard

    card = GraphicsCard(cuda)
    try:
        assert len(check(ladder(name), card)) == sum(
            len(problem.rungs) for problem in ladder(name).small()
        )
    finally:
        card.clear()


@dataclass
class Doubling:
    """A ladder of one rung; kernel: what it runs instead of the right one."""

    kernel: str = "doubled"
    threads: int = 40
    NAME: str = "doubling"
    TITLE: str = "Numbers twice"
    LESSON: str = "Two is more than one."
    MISTAKES: tuple[str, ...] = ()

    def text(self) -> str:
        return """
        extern "C" __global__ void doubled(double* x) { x[threadIdx.x] *= 2; }
        extern "C" __global__ void tripled(double* x) { x[threadIdx.x] *= 3; }
        extern "C" __global__ void waiting(double* x) {
            for (int k = 0; k <= threadIdx.x; ++k) __syncthreads();
            if (threadIdx.x == 0) __shfl_sync(~0u, 1, 0);
        }
        extern "C" __global__ void reversed(double* x) {
            __shared__ double kept[64];
            kept[threadIdx.x] = 2 * x[threadIdx.x];
            __syncthreads();
            x[threadIdx.x] = kept[threadIdx.x];
        }
        extern "C" __global__ void rotated(double* x) {
            const double next = __shfl_down_sync(~0u, x[threadIdx.x], 1);
            x[threadIdx.x] = 2 * __shfl_up_sync(~0u, next, 1);
            if (threadIdx.x % 32 == 0) x[threadIdx.x] = 2.0 * threadIdx.x;
        }
        """

    def small(self) -> list[Problem]:
        values = np.arange(float(self.threads))
        launch = Launch(self.kernel, ONE, (self.threads, 1, 1), ("x",))
        rungs = (Rung("twice", (launch,)),)
        return [Problem("few", lambda: {"x": values}, lambda x: {"x": 2 * x["x"]}, rungs)]

    full = small


@pytest.mark.parametrize("kernel", ["doubled", "reversed", "rotated"])
def test_threads_of_a_block_on_a_cpu(kernel: str) -> None:
    """Shared memory behind a barrier, and lanes that read each other."""
    assert check(Doubling(kernel, 32 if kernel == "rotated" else 40), Emulation())


@dataclass
class Neighbours:
    """Blocks that wait for each other: each reads what the one behind it has written, twice."""

    blocks: int = 40
    NAME: str = "neighbours"
    TITLE: str = "Sums of a ring of blocks"
    LESSON: str = ""
    MISTAKES: tuple[str, ...] = ()

    def text(self) -> str:
        return """
        extern "C" __global__ void ring(double* x, double* y, unsigned* barrier) {
            const int t = threadIdx.x, here = blockIdx.x * blockDim.x + t;
            const int next = (blockIdx.x + 1) % gridDim.x * blockDim.x + (t + 1) % blockDim.x;
            y[here] = 2 * x[here];
            sync_grid(barrier);
            x[here] += ((volatile double*)y)[next];
            sync_grid(barrier);
            y[here] = ((volatile double*)x)[next];
        }
        """

    def small(self) -> list[Problem]:
        threads = 64
        values = np.arange(float(self.blocks * threads)).reshape(self.blocks, threads)
        room = {"y": np.zeros_like(values), "barrier": np.zeros(1, "u4")}
        launch = Launch("ring", (self.blocks, 1, 1), (threads, 1, 1), ("x", "y", "barrier"),
                        together=True)  # fmt: skip
        rungs = (Rung("two syncs", (launch,)),)

        def expected(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
            x = arrays["x"]
            x = x + np.roll(2 * x, (-1, -1), (0, 1))
            return {"x": x, "y": np.roll(x, (-1, -1), (0, 1))}

        return [Problem("ring", lambda: {"x": values, **room}, expected, rungs)]

    full = small


def test_blocks_that_wait_for_each_other() -> None:
    """On a CPU all of them take turns."""
    assert check(Neighbours(), Emulation())


@pytest.mark.gpu
def test_blocks_that_wait_for_each_other_on_a_gpu(cuda: Any) -> None:
    """As many as the processors of the device, again and again; more than it holds at the same
    time are refused, and nothing hangs."""
    from bridge_gallery.graphicscard import GraphicsCard

    card = GraphicsCard(cuda)
    few = card.device.facts.processors
    try:
        for blocks in (1, 7, few, 8 * few):
            ladder_of = Neighbours(blocks)
            for _ in range(3):
                assert check(ladder_of, card)
        with pytest.raises(DeviceError, match="ring failed on GPU"):
            check(Neighbours(200 * few), card)
        assert check(Neighbours(few), card)  # the device goes on
    finally:
        card.clear()


def test_wrong_rung_is_named() -> None:
    """With the place and both values."""
    with pytest.raises(BridgeError, match=r"'twice': x\[1\] is 3.0, NumPy has 2.0; 39 of 40"):
        check(Doubling("tripled"), Emulation())


def test_barrier_that_not_all_threads_reach() -> None:
    """An error, where a GPU may do anything."""
    with pytest.raises(BridgeError, match="waiting: not all threads of a block reach its barrier"):
        check(Doubling("waiting"), Emulation())


def test_the_courses_scan_is_a_mistake() -> None:
    """Its barriers lie in a loop that is shorter for the first threads; ours do not, and give the
    same sums."""
    course = ladder("course")
    one = Doubling()
    text = """
        extern "C" __global__ void doubled(double* x) {
            __shared__ double kept[64];
            kept[threadIdx.x] = x[threadIdx.x];
            for (unsigned stride = 1; stride <= threadIdx.x; stride *= 2) {
                __syncthreads();
                const double before = kept[threadIdx.x - stride];
                __syncthreads();
                kept[threadIdx.x] += before;
            }
            x[threadIdx.x] = kept[threadIdx.x];
        }
    """
    one.text = lambda: text  # type: ignore[method-assign]
    with pytest.raises(BridgeError, match="not all threads of a block reach its barrier"):
        check(one, Emulation())
    assert any("inside a loop whose length depends on the thread" in m for m in course.MISTAKES)


def test_sizes_that_are_no_multiples_of_a_tile() -> None:
    """What the course on transposes assumes, ours does not: sizes of the check have edges."""
    transpose = ladder("transpose")
    shapes = {tuple(problem.arrays()["in"].shape) for problem in transpose.small()}
    assert any(rows % 32 and cols % 32 for rows, cols in shapes)
    assert any("multiple of 32" in mistake for mistake in transpose.MISTAKES)


def test_text_that_does_not_compile() -> None:
    """The compiler's words."""
    one = Doubling()
    one.text = lambda: "extern __global__ void doubled(double* x) { nonsense; }"  # type: ignore[method-assign]
    with pytest.raises(BridgeError, match="nonsense"):
        check(one, Emulation())


def outcome() -> Outcome:
    """A ladder with made-up times."""
    one = Doubling()
    (problem,) = one.small()
    whole = Problem("all", problem.arrays, problem.expected, problem.rungs, 1000, 500, "paper")
    rows = [Timed(whole, problem.rungs[0], 1e-6, 0.5e-6, 12, 8, 4)]
    return Outcome(one, check(one, Emulation()), rows, Limits(2e9, 2e9, 2e9, 1e9, 1e9))


def test_table_has_shares_of_the_limits() -> None:
    """Bytes against a copy, operations against the peak, the launcher against a bare launch."""
    page = results.text(outcome())
    row = next(line for line in page.splitlines() if line.startswith("twice"))
    assert row.split() == ["twice", "0.001", "1", "50", "50", "12", "8,", "4", "2"]
    rows = results.rows(outcome())
    assert [row.ratio for row in rows] == [None, 0.5, 0.5, 2.0]


def test_chart_is_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what was timed: bars of each problem; of one at several sizes the table with most rungs
    as bars, and a line for each rung that has some of them."""
    pyplot: Any = pytest.importorskip("matplotlib.pyplot")
    drawn: list[Any] = []
    monkeypatch.setattr(pyplot, "close", drawn.append)
    results.chart(results.rows(outcome()), str(tmp_path / "chart.png"), "a machine")
    assert (tmp_path / "chart.png").read_bytes()[:4] == b"\x89PNG"
    assert [len(axes.patches) for axes in drawn[0].axes] == [1]

    (problem,) = Doubling().small()
    several = outcome()
    several.timed = [
        Timed(replace(problem, title=f"{n} x {n}", cells=n * n), Rung(name), seconds)
        for n, names in ((8, "ab"), (16, "abc"), (32, "ab"))
        for name, seconds in zip(names, (1e-6, 2e-5, 1e-6), strict=False)
    ]
    results.chart(results.rows(several), str(tmp_path / "chart.png"), "a machine")
    bars, lines = drawn[1].axes
    assert len(bars.patches) == 3 and bars.get_xscale() == "log"
    assert [list(line.get_xdata()) for line in lines.lines] == [[8, 16, 32]] * 2
    assert list(lines.lines[0].get_ydata()) == pytest.approx([1e3 / 64, 1e3 / 256, 1e3 / 1024])


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., str]]:
    """`bridge gallery`, with what it printed."""
    from bridge import cli

    def run(*words: str) -> str:
        assert cli.main(["gallery", *words]) == 0
        return capsys.readouterr().out

    yield run


def test_command_without_a_gpu(command: Callable[..., str], tmp_path: Path) -> None:
    """Checks, says so, writes rows that are none."""
    words = ("--backend", "cpu", "--sectors", "--json", str(tmp_path / "rows.json"))
    page = command("nbody", *words)
    assert "checked against NumPy" in page and "What to learn" in page
    assert "no GPU, no sectors" in page
    assert json.loads((tmp_path / "rows.json").read_text())["rows"] == []


def test_chart_needs_times(capsys: pytest.CaptureFixture[str]) -> None:
    """Refused before anything runs."""
    from bridge import cli

    assert cli.main(["gallery", "nbody", "--backend", "cpu", "--chart", "none.png"]) == 1
    assert "--chart" in capsys.readouterr().err and not Path("none.png").exists()
