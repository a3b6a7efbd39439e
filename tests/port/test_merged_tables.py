"""Tables of a host with more than three dimensions: the last ones are one in the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge import cli
from bridge_port.refusal import Refused
from bridge_port.request import Request

SOURCE = """\
module coefficients
  implicit none
  real(8) :: five(2, 0:2, 4, -1:1, 2)
  integer :: four(3, 2, 5, 3)
  logical :: six(1, 2, 1, 2, 1, 3)
  real(8), allocatable :: grown(:, :, :, :)
end module coefficients
subroutine looked(i, j, x, y, k)
  use coefficients
  implicit none
  integer, intent(in) :: i, j
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  integer, intent(out) :: k
  integer :: l, m
  y = 0
  do m = -1, 1
    do l = 1, 3
      y = y + five(i, j, l, m, 2)*x**l - five(1, l - 1, j + 1, m, i)
    end do
  end do
  k = four(j + 1, i, 2, 3) + sum(four(:, 1, i, j + 1))
  if (six(1, i, 1, i, 1, j + 1)) y = -y
end subroutine looked
subroutine unknown(i, y)
  use coefficients
  implicit none
  integer, intent(in) :: i
  real(8), intent(out) :: y
  y = grown(i, 1, 2, 1)
end subroutine unknown
"""
VALUES = ("p_i=1,2", "p_j=0,2")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "tables.f90").write_text(SOURCE)
    return tmp_path / "tables.f90"


@pytest.mark.fortran
def test_the_kernel_gives_what_the_original_gives(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = source.parent / "p"
    assert cli.main(["port", f"{source}::looked", "-o", str(pack)]) == 0
    text = (pack / "p_looked_bridge.f90").read_text()
    assert "call frame_table('p_five', reshape(five, [2, 3, 24]))" in text
    assert "call frame_table('p_four', reshape(real(four, c_double), [3, 2, 15]))" in text
    assert "size = [2, 3, 24]" in (pack / "catalogue.toml").read_text()
    capsys.readouterr()
    words = ["--isa", "v2", "--json", "--range", *VALUES]
    assert cli.main(["port", "--check", str(pack), *words]) == 0
    (one,) = json.loads(capsys.readouterr().out)["kernels"]
    compared = {o["name"]: o["compared"] for o in one["machines"][0]["outputs"]}
    assert compared["p_y"] > 500 and compared["p_k"] > 500


def test_extents_that_only_a_run_knows_are_refused(source: Path) -> None:
    with pytest.raises(Refused, match="array grown of 4 dimensions: tables have at most 3") as why:
        Request(f"{source}::unknown", shapes={"grown": (2, 2, 2, 2)}).ported()
    assert why.value.refusal.place.line == 30
