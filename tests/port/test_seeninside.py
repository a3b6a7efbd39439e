"""Data of modules and COMMON that procedures in a nest read by themselves; forms of COMMON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge import cli
from bridge_port.refusal import Refused
from bridge_port.request import Ported, Request

SOURCE = """\
module side
  implicit none
  type pair
    real(8) :: x = 1, y = 2
  end type pair
  type(pair) :: p
  real(8) :: factor = 2, table(3) = 4
  real(8), target :: line(900)
  real(8), pointer :: seen(:)
contains
  real(8) function taken(x)
    real(8), intent(in) :: x
    taken = factor*x + table(2)
  end function taken
  real(8) function of_pair(x)
    real(8), intent(in) :: x
    of_pair = p%x*x
  end function of_pair
  real(8) function on_line(x)
    real(8), intent(in) :: x
    on_line = line(3)*x
  end function on_line
end module side
real(8) function common_one()
  real(8) :: one, two
  common /block/ one, two
  common_one = one
end function common_one
subroutine nest(n, a, b, factors)
  use side, only: taken, of_pair, on_line{use}
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n), factors
  real(8) :: common_one
  integer :: i
  {declared}
  !$bridge begin nest
{body}
  !$bridge end nest
end subroutine nest
"""
LOOP = "  do i = 1, n\n    {}\n  end do\n"
TAKEN = LOOP.format("b(i) = taken(a(i))")


def ported(folder: Path, body: str, use: str = "", declared: str = "") -> Ported:
    source = folder / "inside.f90"
    text = SOURCE.replace("{use}", use).replace("{declared}", declared)
    source.write_text(text.replace("{body}", body))
    return Request(f"{source}@nest").ported()


@pytest.mark.parametrize(
    ("body", "use", "declared", "said"),
    [
        (TAKEN, "", "real(8) :: factor", "variable factor: a procedure that the nest calls reads "
         "that of module side, and in nest it is another variable"),
        (TAKEN, "", "real(8) :: table(9)", "variable table: .* in nest it is another variable"),
        (LOOP.format("q = q + a(i)") + TAKEN, ", q => factor", "", "variable factor of side: a "
         "procedure that the nest calls reads it, and the nest writes it as q"),
        (LOOP.format("p%x = p%x + a(i)") + LOOP.format("b(i) = of_pair(a(i))"), ", p", "",
         "variable p%x of side: .* the nest writes it as p%x"),
        (LOOP.format("b(i) = common_one()"), "", "", "variable one: a procedure that the nest "
         "calls reads that of common /block/, and in nest it is not declared"),
        (LOOP.format("b(i) = common_one()"), "", "real(8) :: one, two\n  common /block/ two, one",
         "variable one: .* in nest it is another variable"),
        (LOOP.format("q(i) = a(i)") + LOOP.format("b(i) = on_line(a(i))"), "",
         "real(8), pointer :: q(:)", "variable line of side: .* q, which the nest writes, may be"),
        (LOOP.format("line(i) = a(i)") + LOOP.format("b(i) = on_line(a(i))"), ", line",
         "", "array line: it is one of points, and a procedure that the nest calls"),
    ],
)  # fmt: skip
def test_what_is_refused(body: str, use: str, declared: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=said):
        _ = ported(tmp_path, body, use, declared).module


def test_a_component_of_the_own_module(tmp_path: Path) -> None:
    """A module that uses what uses it does not compile."""
    source = tmp_path / "own.f90"
    text = SOURCE.replace("{use}", "").replace("{declared}", "")
    text = text.replace("{body}", LOOP.format("b(i) = of_pair(a(i))"))
    nest = text[text.index("subroutine nest") :].replace("use side, only: taken, of_pair, ", "!")
    text = text[: text.index("end module")] + nest + "end module side\n"
    source.write_text(text)
    with pytest.raises(Refused, match="variable p%x of side: .* cannot use the module that"):
        _ = Request(f"{source}@nest").ported().module


def test_what_is_the_same_variable(tmp_path: Path) -> None:
    body = LOOP.format("p%y = p%y + a(i)") + LOOP.format("b(i) = of_pair(a(i))")
    assert ported(tmp_path, body, ", p").module
    block = "real(8) :: one, two\n  common /block/ one, two"
    assert ported(tmp_path, LOOP.format("b(i) = common_one()"), "", block).module
    line = LOOP.format("seen(i) = a(i)") + TAKEN
    assert ported(tmp_path, line, ", seen").module


@pytest.mark.fortran
@pytest.mark.parametrize(
    ("body", "use"),
    [(TAKEN, ""), (LOOP.format("b(i) = taken(a(i)) + q"), ", q => factor"),
     (LOOP.format("factor = factor + a(i)") + TAKEN, ", factor")],
)  # fmt: skip
def test_the_check_against_the_original(
    body: str, use: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of data that the unit of the nest does not see."""
    source = tmp_path / "inside.f90"
    text = SOURCE.replace("{use}", use).replace("{declared}", "").replace("{body}", body)
    source.write_text(text)
    pack = str(tmp_path / "inside")
    assert cli.main(["port", f"{source}@nest", "-o", pack]) == 0
    capsys.readouterr()
    status = cli.main(["port", "--check", pack, "--isa", "v2", "--json"])
    assert status == 0, json.loads(capsys.readouterr().out)["kernels"]


POINT = """\
subroutine before(y)
  real(8) :: one, two, y
  common /block/ two, one
  y = one
end subroutine before
subroutine point(a, b)
  real(8), intent(in) :: a
  real(8), intent(out) :: b
  real(8) :: one, two, other
  common /block/ one, two
  b = a*one + 2*two
  CALL
end subroutine point
real(8) function other()
  real(8) :: DECLARED
  common /block/ NAMES
  other = USED
end function other
"""


@pytest.mark.parametrize(
    ("declared", "names", "used"),
    [
        ("one, two", "two, one", "one"),
        ("a, two", "a, two", "two"),
        ("one(2)", "one", "one(2)"),
        ("zero, one", "zero, one", "one"),
    ],
)
def test_common_of_two_forms(declared: str, names: str, used: str, tmp_path: Path) -> None:
    source = tmp_path / "point.f90"
    text = POINT.replace("CALL", "b = b + other()").replace("DECLARED", declared)
    source.write_text(text.replace("NAMES", names).replace("USED", used))
    with pytest.raises(Refused, match="of common /block/: the block has another form in"):
        Request(f"{source}::point").ported()


def test_what_stands_behind_in_common_may_differ(tmp_path: Path) -> None:
    source = tmp_path / "point.f90"
    text = POINT.replace("CALL", "b = b + other()").replace("DECLARED", "one, three")
    text = text.replace("NAMES", "one, three").replace("USED", "one").replace("2*two", "2")
    source.write_text(text)
    assert len(Request(f"{source}::point").ported().kernels[0].constants) == 1


@pytest.mark.fortran
def test_common_of_a_form_that_others_do_not_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`before`, which the kernel does not reach, declares it otherwise."""
    source = tmp_path / "point.f90"
    text = POINT.replace("CALL", "b = b + other()").replace("DECLARED", "one")
    source.write_text(text.replace("NAMES", "one").replace("USED", "one"))
    ported = Request(f"{source}::point").ported()
    assert "common /block/ one, two" in ported.module.text
    pack = str(tmp_path / "point")
    assert cli.main(["port", f"{source}::point", "-o", pack]) == 0
    assert cli.main(["port", "--check", pack, "--isa", "v2", "--points", "200"]) == 0
    assert "1 of 1 verified" in capsys.readouterr().out
