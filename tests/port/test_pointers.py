"""Pointers of a procedure: what is refused. test_translate.py compares results."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge_port.choices import Choices
from bridge_port.kernel import PointProcedure
from bridge_port.program.program import Program
from bridge_port.refusal import Refused
from bridge_port.translate.translate import translate

HEAD = (
    "  real(8), intent(in) :: x\n  integer, intent(in) :: k\n"
    "  real(8), intent(inout), target :: t(4), a, b\n  real(8), pointer :: p, v(:)\n"
)
#: Targets that the text does not tell, and pointers that get one at some points alone.
BODIES = {
    "element": "p => t(k)\n a = p",
    "section": "v => t(2:3)\n a = v(1)",
    "bounds": "v(0:) => t\n a = v(0)",
    "condition": "p => a\n if (x > 0) p => b\n p = x",
    "loop": "integer :: i\n p => a\n do i = 1, 2\n p = p + x\n p => b\n end do",
    "jump": "p => a\n if (x > 0) goto 10\n p => b\n10 p = x",
    "alone": "if (x > 0) p => b\n p = x",
    "counter": "integer, pointer :: n\n integer, target :: m\n n => m\n do n = 1, k\n"
    " a = a + x\n end do\n b = m",
    "list": "integer, pointer :: n\n integer, target :: m\n n => m\n m = k\n"
    " t = [(n*x, n = 1, 4)]",
    "saved": "real(8), pointer, save :: kept\n kept => a\n kept = x",
    "nothing": "p => null()\n a = x",
}


@pytest.mark.parametrize("name", BODIES)
def test_a_target_that_is_not_known_is_refused(name: str, tmp_path: Path) -> None:
    source = tmp_path / "no.f90"
    source.write_text(f"subroutine {name}(x, k, t, a, b)\n{HEAD}{BODIES[name]}\nend subroutine\n")
    program = Program([source])
    unit = program.find(name)
    with pytest.raises(Refused, match="a pointer assignment: pointers are not followed"):
        translate(program, PointProcedure(name, unit, unit.place), Choices(prefix="k_"))


def test_a_variable_that_is_passed_under_two_names_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "no.f90"
    source.write_text(
        f"subroutine s(x, k, t, a, b)\n{HEAD}  p => a\n  call two(p, a)\nend subroutine\n"
        "subroutine two(y, z)\n  real(8), intent(inout) :: y, z\n  y = z + 1\n  z = y\n"
        "end subroutine\n"
    )
    program = Program([source])
    unit = program.find("s")
    with pytest.raises(Refused, match="a is passed twice, and written"):
        translate(program, PointProcedure("s", unit, unit.place), Choices(prefix="k_"))
