"""What a survey promises of a port, by kinds of nests, and why it may be slower."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bridge.errors import ArgumentError
from bridge.machine import Figures, Gpu
from bridge_port.survey.command import read
from bridge_port.survey.found import Work
from bridge_port.survey.gains import LOOP, REDUCTION, SINGLE, SWEEP, Range, expected, gains, slower
from bridge_port.survey.survey import survey

COSTS = ("fused", "divide", "sqrt", "pow", "exp", "log", "exp2", "log2", "log10", "sin", "cos")


def figures(gpu: bool = True) -> Figures:
    scalar = dict.fromkeys(COSTS, 8.0)
    device = Gpu("a GPU", 25e9, 25e9, 2000e9, 10e12) if gpu else None
    return Figures(
        "node", "2026-01-01", "a CPU", 4, "v3", (10e9, 20e9), (50e9, 100e9),
        dict.fromkeys(COSTS, 1.0), scalar, device,
    )  # fmt: skip


def test_gains_of_a_gpu_are_bounds_of_one_machine() -> None:
    bound = gains(Work(16, 8, 0, {"add": 100.0}), figures())
    # On four threads: 203 ns of a call on single numbers, 25 on vectors; 24 bytes take 1.2 ns.
    assert bound is not None and bound.cpu == SINGLE and bound.place == "arithmetic"
    assert bound.gpu == pytest.approx(200.75 / (16 / 25))
    assert bound.resident == pytest.approx(200.75 / (24 / 2000))
    assert bound.best == bound.resident
    memory = gains(Work(80, 40, 40, {"add": 1.0}), figures(gpu=False))
    assert memory is not None and memory.cpu == Range(1.0, 1.0) and memory.place == "memory"
    assert memory.gpu is None and memory.resident is None and memory.cpu.text() == "1x"
    assert gains(Work(), figures()) is None


def said(work: Work, low: float, high: float) -> bool:
    """Of one thread; of all it is the same where memory does not bound both."""
    bound = gains(work, figures())
    assert bound is not None
    one, wanted = expected(work, figures()).range, pytest.approx((low, high))
    return (one.low, one.high) == wanted and (bound.cpu.low, bound.cpu.high) == wanted


def test_what_a_port_gains_is_what_its_kind_was_measured_at() -> None:
    busy, plain = {"add": 100.0, "exp": 4.0}, {"add": 100.0}
    assert said(Work(16, 8, 0, busy), SINGLE.low, SINGLE.high)
    assert said(Work(16, 8, 0, busy, kernels=1), SINGLE.low, SINGLE.high)
    nest = Work(16, 8, 0, plain, kernels=1)
    assert said(nest, LOOP.low, LOOP.high)
    assert said(replace(nest, first=True), LOOP.low, LOOP.high)
    assert said(replace(nest, reductions=1), REDUCTION.low, REDUCTION.high)
    assert said(replace(nest, reductions=1, sweeps=1), SWEEP.low, SWEEP.high)
    # Of two kernels, each of which took half of the time.
    low, high = 2 / (1 / SWEEP.low + 1 / LOOP.low), 2 / (1 / SWEEP.high + 1 / LOOP.high)
    assert said(replace(nest, kernels=2, sweeps=1), low, high)
    # What its compiler may have left on single numbers may gain as much as what it has to.
    arms = replace(nest, every={"add": 150.0})
    assert said(arms, LOOP.low, 800 / 150)
    assert said(replace(arms, sweeps=1), SWEEP.low, 800 / 150)
    # Nobody gains more than operations and bytes allow: 19 ns against 16.
    assert said(Work(16, 8, 0, {"add": 2.0}, {"add": 16.0}), 19 / 16, 19 / 16)
    assert (SINGLE.text(), LOOP.text(), Range(9.4, 12.3).text()) == ("2-6x", "0.8-1.2x", "9.4-12x")
    assert LOOP.holds(0.796) and LOOP.holds(1.249) and not LOOP.holds(0.79)


THREE = """\
subroutine three(nx, ny, v, w, x, y, s, t, r)
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: v(nx, ny)
  real(8), intent(inout) :: w(nx, ny), x(nx, ny), y(nx, ny), s, t, r
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      w(i, j) = 0.5d0*v(i, j)
      s = s + w(i, j)
      t = t + v(i, j)
      r = r + w(i, j)*v(i, j)
    end do
    do i = 1, nx
      x(i, j) = 2d0*w(i, j)
    end do
    do i = 1, nx
      y(i, j) = 3d0*x(i, j)
    end do
  end do
end subroutine
"""


def test_a_kernel_reduces_once_for_all_its_sums(tmp_path: Path) -> None:
    """Of three kernels, each of which took a third of the time, one reduces."""
    (tmp_path / "three.f90").write_text(THREE)
    [row] = survey([tmp_path], processes=1).rows
    work = row.found.work
    assert work is not None and (work.kernels, work.reductions) == (3, 1)
    low = 3 / (1 / REDUCTION.low + 2 / LOOP.low)
    high = 3 / (1 / REDUCTION.high + 2 / LOOP.high)
    found = expected(work, figures()).range
    assert (found.low, found.high) == pytest.approx((low, high))


def test_what_may_be_slower_is_said() -> None:
    """Against procedures on single numbers, and nests that a compiler vectorises."""
    busy = {"add": 100.0, "exp": 4.0}
    assert slower(Work(16, 8, 0, busy), figures()) == ()
    assert slower(Work(16, 8, 0, busy, kernels=1), figures()) == ()
    plain = Work(16, 8, 0, {"add": 100.0}, kernels=1)
    assert slower(plain, figures()) == ("gfortran vectorises such a loop",)
    words = " ".join(
        slower(replace(plain, first=True, sweeps=1, reductions=2, kernels=4), figures())
    )
    for part in ("components lie before", "a sweep", "a reduction"):
        assert part in words, part
    arms = Work(16, 8, 0, {"add": 2.0}, {"add": 90.0, "lookup": 1.0})
    words = " ".join(slower(arms, figures()))
    assert "all arms" in words and "looks up elements" in words
    arms = replace(arms, kernels=1)
    assert "gfortran may vectorise such a loop" in " ".join(slower(arms, figures()))
    # Of a procedure of one point the call counts.
    assert slower(Work(0, 0, 0, {"add": 0.25}), figures()) == ()
    # Nor does a point of a nest take time of its own: it has vectors, its original has none.
    assert slower(Work(0, 0, 0, {"exp": 0.1}, kernels=1), figures()) == ()
    # A nest that the cache bounds on both sides gains nothing and loses nothing.
    assert slower(Work(16, 8, 0, {"exp": 0.01}, kernels=1), figures()) == ()
    assert "little work" in " ".join(slower(Work(8, 8, 0, {"add": 1.0}, kernels=1), figures()))


CHOICE = """\
subroutine choose(t, n, table, y)
  real(8), intent(in) :: t, table(8)
  integer, intent(in) :: n
  real(8), intent(out) :: y
  integer :: k
  if (t > 1d0) then
    y = exp(t)
  else
    y = log(t)
  end if
  do k = 1, 8
    if (table(k) > t) exit
    y = y + table(k)
  end do
  y = y*table(n)
end subroutine
"""


def test_kernels_compute_all_arms_and_elements(tmp_path: Path) -> None:
    (tmp_path / "choose.f90").write_text(CHOICE)
    [row] = survey([tmp_path], processes=1).rows
    work = row.found.work
    assert work is not None
    assert work.operations["exp"] == work.operations["log"] == 0.5
    assert work.every["exp"] == work.every["log"] == 1
    assert work.operations["add"] == work.every["add"] == 4
    assert work.operations["lookup"] == work.every["lookup"] == 1
    # The comparisons of the condition and of the loop, and one with each element of the table.
    assert work.operations["choose"] == 1 + 4 and work.every["choose"] == 1 + 4 + 8


def test_figures_of_another_machine_are_read(tmp_path: Path) -> None:
    path = tmp_path / "node.json"
    path.write_text(json.dumps({"form": 1, **asdict(figures())}))
    assert read(str(path)) == figures()
    for text in ("{}", "no", "[]", path.read_text().replace('"pow"', '"power"')):
        path.write_text(text)
        with pytest.raises(ArgumentError, match="--machine"):
            read(str(path))
