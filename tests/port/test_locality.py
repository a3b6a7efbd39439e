"""Local variables of do concurrent. gfortran 12 does not read them: the originals are equal loops
with a variable for each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from port.differential import Bench
from port.drivers import Case
from port.test_translate import case, procedures

from bridge_port.nest import outline
from bridge_port.program.program import Program
from bridge_port.syntax.text import statement_lines

CONSTRUCTS = Path(__file__).parent / "constructs"
PLAIN = CONSTRUCTS / "plainloops.f90"


@pytest.mark.fortran
def test_kernels_are_the_originals_in_plain_loops(tmp_path: Path) -> None:
    program, plain = Program([CONSTRUCTS / "locality.f90"]), Program([PLAIN])
    cases = [
        Case(plain.find(unit.name), case(program, unit).kernel, plain)
        for unit in procedures(program)
    ]
    assert {one.unit.name for one in cases} == {"kept", "masked", "nested"}
    bench = Bench(tmp_path, [PLAIN], cases, machines=("lanes",))
    found = {one.unit.name: bench.differences(one, points=103)[:2] for one in cases}
    assert {name: differences for name, differences in found.items() if differences} == {}


NEST = """\
subroutine nest(nx, ny, a, b, t)
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: b(nx, ny)
  real(8), intent(inout) :: a(nx, ny), t
  real(8) :: c
  integer :: i, j
  c = 0.5d0
  do concurrent (j = 1:ny, i = 1:nx) local(t) local_init(c) shared(a, b)
    t = 2*b(i, j)
    c = c*t
    a(i, j) = a(i, j) + c
  end do
end subroutine nest
"""


def test_what_is_local_is_a_points_own(tmp_path: Path) -> None:
    """The dummy of the same name is no result of the nest; what comes in is a constant."""
    source = tmp_path / "nest.f90"
    source.write_text(NEST)
    program = Program([source])
    (one,) = outline(program, program.find("nest"), 8, 12, name="point")
    assert [loop.variable for loop in one.loops] == ["i", "j"]
    assert "t" not in one.unit.arguments and not one.reductions
    lines = list(statement_lines(one.unit.body))
    assert len(lines) == 4 and lines[0].endswith(" = c"), lines
    assert "c" in one.scalars
