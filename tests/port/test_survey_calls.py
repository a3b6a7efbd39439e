"""What a survey makes of calls whose loops stand in the procedures that are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge_port.survey import report, survey
from bridge_port.survey.found import Found
from bridge_port.survey.report import content
from bridge_port.survey.survey import Survey

CODE = """\
module tiles
  implicit none
  type tile
    integer :: n
    real(8), allocatable :: u(:, :), v(:, :), few(:)
  end type tile
  type(tile), allocatable :: of(:)
  integer :: many
contains
  ! Loops over points.
  subroutine kernel(n, u, v)
    integer, intent(in) :: n
    real(8), intent(in) :: u(n, n)
    real(8), intent(inout) :: v(n, n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        v(i, j) = v(i, j) + u(i, j)
      end do
    end do
  end subroutine kernel
  ! No nest as a whole, and two of its own.
  subroutine two(n, u, v)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n, n), v(n, n)
    v(:, :) = 2*u(:, :)
    if (n > 1000) stop 'too many'
    u(:, :) = 0
  end subroutine two
  ! A loop that no kernel can have.
  subroutine none(n, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n, n)
    integer :: i
    do i = 2, n
      if (u(i, 1) > 3) exit
      u(i, i) = u(1, i - 1)
    end do
  end subroutine none
  ! Nothing but numbers.
  subroutine begun(n)
    integer, intent(out) :: n
    n = many
  end subroutine begun

  subroutine whole()
    integer :: t
    do t = 1, many
      if (of(t)%n > 2) call kernel(of(t)%n, of(t)%u, of(t)%v)
      call begun(of(t)%n)
    end do
  end subroutine whole
  subroutine inside()
    integer :: t
    do t = 1, many
      call two(of(t)%n, of(t)%u, of(t)%v)
    end do
  end subroutine inside
  subroutine without_loops(t)
    integer, intent(in) :: t
    call kernel(of(t)%n, of(t)%u, of(t)%v)
    call kernel(of(t)%n, of(t)%v, of(t)%u)
  end subroutine without_loops
  subroutine one_of_two(t)
    integer, intent(in) :: t
    call kernel(of(t)%n, of(t)%u, of(t)%v)
    call none(of(t)%n, of(t)%u)
  end subroutine one_of_two
  subroutine beside(n, w)
    integer, intent(in) :: n
    real(8), intent(inout) :: w(n, n)
    integer :: t
    do t = 1, many
      call kernel(of(t)%n, of(t)%u, of(t)%v)
    end do
    call none(n, w)
  end subroutine beside
  subroutine set_up_alone()
    integer :: t
    do t = 1, many
      call begun(of(t)%n)
    end do
  end subroutine set_up_alone
  ! The loop has work of its own, which no call covers.
  subroutine own_work(w)
    real(8), intent(inout) :: w(many)
    integer :: t
    do t = 2, many
      w(t) = w(t - 1)**of(t)%n
      call kernel(of(t)%n, of(t)%u, of(t)%v)
    end do
  end subroutine own_work
  subroutine own_work_called(w)
    real(8), intent(inout) :: w(many)
    integer :: t
    do t = 2, many
      call halved(w(t))
      call kernel(of(t)%n, of(t)%u, of(t)%v)
    end do
  end subroutine own_work_called
  subroutine halved(x)
    real(8), intent(inout) :: x
    x = x/2
  end subroutine halved
  subroutine copied(t)
    integer, intent(in) :: t
    call kernel(of(t)%n, 2*of(t)%u, of(t)%v)
  end subroutine copied
  recursive subroutine again(t)
    integer, intent(in) :: t
    call kernel(of(t)%n, of(t)%u, of(t)%v)
    if (t > 1) call again(t - 1)
  end subroutine again
end module tiles
"""


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    root = tmp_path_factory.mktemp("calls")
    (root / "tiles.f90").write_text(CODE)
    return survey([root], processes=1)


def found(of: Survey, name: str) -> Found:
    return next(row.found for row in of.rows if row.found.name == name)


def line(text: str, of: str) -> int:
    lines = CODE.splitlines()
    return next(n for n, one in enumerate(lines, 1)
                if text in one and n > lines.index(f"  subroutine {of}"))  # fmt: skip


def test_how_they_translate(surveyed: Survey) -> None:
    how = {row.found.name: row.found.how for row in surveyed.rows}
    assert how == {
        "kernel": "loops", "two": "nests", "none": "no", "begun": "point", "whole": "nests",
        "inside": "nests", "without_loops": "nests", "one_of_two": "part", "beside": "part",
        "set_up_alone": "loops", "own_work": "no", "own_work_called": "no", "halved": "point",
        "copied": "nests", "again": "part",
    }  # fmt: skip


def test_the_nests_are_the_calls(surveyed: Survey) -> None:
    whole = found(surveyed, "whole")
    assert whole.calls == ["tiles::kernel"] and whole.translates
    [nest] = whole.nests
    assert nest.call == "tiles::kernel" and not nest.inside
    assert nest.lines == (line("call kernel", "whole()"),) * 2
    # Its loops count where they stand: it has no work and no kernel of its own.
    assert whole.work is None and whole.kernels == 0
    [nest] = found(surveyed, "inside").nests
    assert nest.inside and nest.kernels == 2
    both = found(surveyed, "without_loops")
    assert both.calls == ["tiles::kernel"] and len(both.nests) == 2


def test_what_is_left_is_the_reason(surveyed: Survey) -> None:
    for name in ("one_of_two", "beside"):
        refusal = found(surveyed, name).refusal
        assert refusal is not None and refusal.construct.startswith("exit")
    for name in ("own_work", "own_work_called"):
        refusal = found(surveyed, name).refusal
        assert refusal is not None and found(surveyed, name).calls == []
    # What would be a copy outside is none in the procedure itself.
    [nest] = found(surveyed, "copied").nests
    assert nest.inside and nest.kernels == 1


def test_what_the_report_says(surveyed: Survey) -> None:
    said = " ".join(report.text(surveyed).split())
    assert "4 by calls of procedures whose loops are the nests (calls)" in said
    # Of `two` and `none`, and the loops over tiles that are refused; no call is counted as a nest.
    told = content(surveyed)
    rows = {row["name"]: row for row in told["procedures"]}
    nests = [n for row in rows.values() for n in row["nests"] if not n["call"]]
    assert f"loop nests of the other procedures: {len(nests)}, 2 translatable" in said
    assert rows["inside"]["calls"] == ["tiles::two"] and rows["inside"]["nests"][0]["inside"]
    assert rows["whole"]["work"] is None and rows["whole"]["as"] == "nests"


def test_a_procedure_is_translated_once_for_all_calls(surveyed: Survey, tmp_path: Path) -> None:
    (tmp_path / "tiles.f90").write_text(CODE)
    from bridge_port.survey import nests

    made = []
    outlined = nests.Nests.outlined

    def counted(self, unit, first, *rest):  # type: ignore[no-untyped-def]
        made.append((unit.name, first))
        return outlined(self, unit, first, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nests.Nests, "outlined", counted)
        survey([tmp_path], processes=1)
    # For a row of its own and for all that call it.
    assert made.count(("kernel", 0)) == 1
