"""Names of one memory of units around a kernel; of one unit see constructs/equivalences.f."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge_port.choices import Choices
from bridge_port.kernel import Kernel, PointProcedure
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.translate.translate import translate

INSIDE = """
subroutine around(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: a, b, c
  equivalence (a, b)
  a = x
  c = x
  call reads(y)
contains
  subroutine reads(z)
    real(8), intent(out) :: z
    z = 2*a + c
  end subroutine reads
  subroutine hides(z)
    real(8), intent(out) :: z
    real(8) :: a
    a = c
    z = 2*a
  end subroutine hides
end subroutine around
"""
BLOCK = """
subroutine keeps(x, y)
  real(8), intent(in) :: x
  real(8), intent(out) :: y
  real(8) :: a, memo
  common /kept/ a, memo
  if (x > 2) memo = x
  y = x*memo
end subroutine keeps
block data
  real(8) :: a, memo, both(2)
  common /kept/ a, memo
  equivalence (a, both)
  data both /1d0, 2d0/
end block data
"""


def kernel(tmp_path: Path, text: str, name: str, **said: object) -> Kernel:
    source = tmp_path / "source.f90"
    source.write_text(text)
    program = Program([source])
    unit = program.lifted(program.find(name))
    return translate(program, PointProcedure(unit.name, unit, unit.place), Choices(**said))  # type: ignore[arg-type]


def test_of_the_procedure_around(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="equivalence of a: two names for one memory") as refused:
        kernel(tmp_path, INSIDE, "reads")
    assert refused.value.refusal.place.line == 6
    assert [q.argument for q in kernel(tmp_path, INSIDE, "hides").inputs] == ["c"]


def test_a_value_under_another_name(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="both: it shares memory with COMMON and has an initial"):
        kernel(tmp_path, BLOCK, "keeps", private={"memo"})
    plain = BLOCK.replace("data both /1d0, 2d0/", "data memo /2d0/").replace(
        "equivalence (a, both)", ""
    )
    assert "Real memo = 2.0;" in kernel(tmp_path, plain, "keeps", private={"memo"}).text
