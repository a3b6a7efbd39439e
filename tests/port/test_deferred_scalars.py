"""Scalars of modules that are pointers or allocatable: read as other scalars are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge import cli
from bridge_port.refusal import Refused
from bridge_port.request import Request

SOURCE = """\
module grids
  implicit none
  type grid
    integer :: layers
    real :: first
  end type grid
  type(grid), target :: all(3)
  integer, pointer :: layers, width
  real, pointer :: first
  real(8), pointer :: last
  real(8), allocatable :: scale
  real(8), target :: total
  real(8), target, allocatable :: line(:)
end module grids
module waves
contains
  subroutine damp(s, spectrum, w)
    use grids
    real(8), intent(out) :: s(width, layers)
    real(8), intent(in) :: spectrum(width, layers)
    real(8), intent(inout) :: w(layers)
    integer :: i, k
    do k = 1, layers
      do i = 1, width
        s(i, k) = -first*spectrum(i, k)*scale*width
      end do
      w(k) = w(k)/scale + last
    end do
  end subroutine damp
  subroutine speed(x, y)
    use grids
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = x*first + scale*layers + last
  end subroutine speed
  subroutine aimed(x, y)
    use grids
    real(8), intent(in) :: x
    real(8), intent(out), target :: y
    y = x
    y = y + last
  end subroutine aimed
  subroutine summed(x)
    use grids
    real(8), intent(in) :: x
    total = x
    total = total + last
  end subroutine summed
  subroutine lines(x)
    use grids
    real(8), intent(in) :: x
    integer :: i
    do i = 1, size(line)
      line(i) = x*last
    end do
  end subroutine lines
  subroutine other_kinds(x)
    use grids
    real(8), intent(in) :: x
    integer :: i
    do i = 1, size(line)
      line(i) = x*first
    end do
  end subroutine other_kinds
end module waves
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "waves.f90"
    file.write_text(SOURCE)
    return file


def lines(start: str) -> str:
    """Of the loop behind these words."""
    rows = SOURCE.splitlines()
    head = next(n for n, text in enumerate(rows) if start in text)
    first = next(n for n in range(head, len(rows)) if rows[n].startswith("    do "))
    last = next(n for n in range(first, len(rows)) if rows[n].startswith("    end do"))
    return f"{first + 1}-{last + 1}"


@pytest.mark.fortran
def test_they_are_given_before_a_run(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = str(tmp_path / "own")
    for what in (f"{source}:{lines('subroutine damp')}", f"{source}::speed"):
        assert cli.main(["port", what, "-o", pack]) == 0
    assert "first of grids is a pointer: it has to have a value by then" in capsys.readouterr().out
    status = cli.main(["port", "--check", pack, "--isa", "v2", "--json"])
    told = json.loads(capsys.readouterr().out)["kernels"]
    assert status == 0, told
    outputs = {o["name"]: o["compared"] for one in told for o in one["machines"][0]["outputs"]}
    assert outputs.keys() == {"s", "w", "own_y"} and all(outputs.values())


@pytest.mark.parametrize(
    ("what", "options", "why"),
    [
        ("::aimed", {}, "last of grids: a pointer, which may point to y"),
        ("::summed", {"total": "out"}, "last of grids: a pointer, which may point to total"),
        (f":{lines('subroutine lines')}", {}, "last of grids: .* line, which the nest writes"),
    ],
)
def test_a_pointer_to_what_is_written(
    what: str, options: dict[str, str], why: str, source: Path
) -> None:
    with pytest.raises(Refused, match=why):
        Request(f"{source}{what}", outside=options).ported()


def test_what_is_written_has_another_type(source: Path) -> None:
    ported = Request(f"{source}:{lines('subroutine other_kinds')}").ported()
    assert "use grids, only: first" in ported.module.text.replace("line, ", "")
