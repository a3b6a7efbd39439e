"""Procedures of the program that have names of functions of the language."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge import cli
from bridge_port.nest import outline
from bridge_port.program.program import Program
from bridge_port.refusal import Refused

OWN = """\
module own
  implicit none
  interface maxval
    procedure most
  end interface maxval
contains
  real(8) function sum(x)
    real(8), intent(in) :: x(:)
    sum = x(1)
  end function sum
  real(8) function most(x)
    real(8), intent(in) :: x(:)
    most = x(1)
  end function most
  elemental real(8) function sqrt(x)
    real(8), intent(in) :: x
    sqrt = x + 1
  end function sqrt
end module own
module larger
  implicit none
contains
  real(8) function max(x, y)
    real(8), intent(in) :: x, y
    max = x + y
  end function max
end module larger
real(8) function min(x, y)
  real(8), intent(in) :: x, y
  min = x*y
end function min
real(8) function cbrt(x)
  real(8), intent(in) :: x
  cbrt = 3*x
end function cbrt
"""
NEST = """\
subroutine nest(n, a, b, s)
{use}
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n), s
  integer :: i
{declared}
{body}
end subroutine nest
"""
LOOP = "  do i = 1, n\n    {}\n  end do"


def source_of(folder: Path, body: str, use: str = "", declared: str = "") -> Path:
    source = folder / "own.f90"
    source.write_text(OWN + NEST.format(use=use, declared=declared, body=body))
    return source


@pytest.mark.parametrize(
    ("body", "use", "declared", "name"),
    [
        ("  s = sum(a)", "  use own", "", "sum"),
        ("  s = maxval(a)", "  use own", "", "maxval"),
        (LOOP.format("s = max(s, a(i))"), "  use larger", "", "max"),
        (LOOP.format("b(i) = a(i)"), "  use larger", "", "max"),
        (LOOP.format("s = min(s, a(i))"), "", "  real(8), external :: min", "min"),
        (LOOP.format("s = min(s, a(i))"), "", "  real(8) :: min\n  external min", "min"),
        (LOOP.format("s = min(s, a(i))"), "", "  interface\n    real(8) function min(x, y)\n"
         "      real(8), intent(in) :: x, y\n    end function min\n  end interface", "min"),
    ],
)  # fmt: skip
def test_what_loops_are_made_of_is_no_procedure(
    body: str, use: str, declared: str, name: str, tmp_path: Path
) -> None:
    program = Program([source_of(tmp_path, body, use, declared)])
    with pytest.raises(Refused, match=f"function {name}: a procedure of the program has the name"):
        outline(program, program.find("nest"), name="point")


@pytest.mark.parametrize(
    ("name", "declared", "found"),
    [
        ("min", "", False),
        ("min", "  real(8) :: min", False),
        ("min", "  external min", True),
        ("min", "  real(8), external :: min", True),
        ("cbrt", "  real(8) :: cbrt", True),
    ],
)
def test_an_external_function_has_to_be_declared(
    name: str, declared: str, found: bool, tmp_path: Path
) -> None:
    source = source_of(tmp_path, f"  s = {name}(s, s)", "", declared)
    program = Program([source])
    procedure = program.scope(program.find("nest")).procedure(name)
    assert (procedure is not None) == found


@pytest.mark.fortran
@pytest.mark.parametrize(
    ("body", "use", "declared"),
    [
        ("  s = sum(a - b)", "", ""),
        (LOOP.format("s = min(s, a(i))"), "", ""),
        (LOOP.format("s = min(s, a(i))"), "", "  real(8) :: min"),
        (LOOP.format("b(i) = sqrt(a(i))"), "  use own", ""),
        (LOOP.format("b(i) = cbrt(a(i))"), "", "  real(8) :: cbrt"),
    ],
)
def test_the_check_against_the_original(
    body: str, use: str, declared: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An external function counts where the unit says that it is one, but for names that not all
    compilers have."""
    source = source_of(
        tmp_path, f"  !$bridge begin own\n{body}\n  !$bridge end own", use, declared
    )
    pack = str(tmp_path / "own")
    assert cli.main(["port", f"{source}@own", "-o", pack]) == 0
    assert cli.main(["port", "--check", pack, "--isa", "v2"]) == 0, capsys.readouterr().out
