"""What is left of files that do not compile as they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bridge import cli
from bridge.port.check.compiling import open_modules
from bridge.port.check.extract import extract
from bridge.port.request import Request


def test_what_is_left_out_stands_in_no_list(tmp_path: Path) -> None:
    source = tmp_path / "lists.f90"
    source.write_text("""\
module given
  implicit none
  real(8) :: c = 2
contains
  real(8) function unused(x)
    real(8), intent(in) :: x
    unused = lost(x)
  end function
  real(8) function used(x)
    real(8), intent(in) :: x
    used = c*x
  end function
end module
module lists
  use given, only: nothing => unused, &
    used
  implicit none
contains
  subroutine point(x, y)
    use given, only: c, unused
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = used(x) + c
  end subroutine
end module
""")
    ported = Request(f"{source}::point").ported()
    [text] = extract(ported.program, ported.kernels).values()
    lines = text.split("\n")
    assert "unused" not in text and "used = c*x" in text
    assert lines[14:16] == ["      use given, only: used", ""]
    assert lines[19] == "      use given, only: c"


SHAPES = """\
module shapes
  use nowhere, only: lost
  implicit none
  type, abstract :: shape
    real(8) :: a = 1
  contains
    procedure(one_area), deferred, public :: area  !! of its own
    procedure(one_area), deferred :: edge, corner
    procedure :: size => size_of
  end type
  type, extends(shape) :: circle
  contains
    procedure :: area => area_of_circle
    procedure :: edge => edge_of_circle
    procedure :: corner => edge_of_circle
  end type
  type, extends(shape) :: square
  contains
    procedure :: area => area_of_square
    procedure :: edge => edge_of_square
    procedure :: corner => edge_of_square
  end type
  type, extends(square) :: box
  end type
  abstract interface
    real(8) function one_area(me, x)
      import
      class(shape), intent(in) :: me
      real(8), intent(in) :: x
    end function
  end interface
contains
  real(8) function area_of_circle(me, x)
    class(circle), intent(in) :: me
    real(8), intent(in) :: x
    area_of_circle = 3*me%a*x*x
  end function
  real(8) function edge_of_circle(me, x)
    class(circle), intent(in) :: me
    real(8), intent(in) :: x
    edge_of_circle = lost(me%a*x)
  end function
  real(8) function area_of_square(me, x)
    class(square), intent(in) :: me
    real(8), intent(in) :: x
    area_of_square = me%a*x*x
  end function
  real(8) function edge_of_square(me, x)
    class(square), intent(in) :: me
    real(8), intent(in) :: x
    edge_of_square = lost(me%a*x)
  end function
  subroutine size_of(me)
    class(shape), intent(in) :: me
    print *, me%a
  end subroutine
  subroutine through(me, x, y)
    class(shape), intent(in) :: me
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = me%area(x)
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("name", "types", "abstract", "deferred"),
    [
        ("area_of_circle", {}, ["shape"], 0),
        ("through", {"me": "circle"}, ["shape", "square", "box"], 1),
        ("through", {"me": "box"}, ["shape", "circle"], 1),
    ],
)
def test_types_without_their_procedures_compile(
    tmp_path: Path, name: str, types: dict[str, str], abstract: list[str], deferred: int
) -> None:
    """A deferred procedure stays where it is called; types that lost theirs are abstract."""
    source = tmp_path / "shapes.f90"
    source.write_text(SHAPES)
    ported = Request(f"{source}::{name}", types=types).ported()
    [text] = extract(ported.program, ported.kernels).values()
    lines = [line.strip() for line in text.split("\n") if line]
    heads = [line for line in lines if line.startswith("type,") and "abstract" in line]
    assert [line.split()[-1] for line in heads] == abstract
    assert sum("deferred" in line for line in lines) == deferred
    source.write_text(text)
    subprocess.run(["gfortran", "-fsyntax-only", source], check=True, cwd=tmp_path)


def test_a_comment_behind_private_hides_nothing() -> None:
    text = "module m\nprivate ! all\nprivate :: a, b ! two\npublic :: c\nend module\n"
    assert open_modules(text) == "module m\n\n\npublic :: c\nend module\n"


@pytest.mark.parametrize(
    "names",
    [
        ":: a, b, &\n    & c",
        ":: a, b, & ! of them\n\n  ! and\n    c",
        "a, b",
        ":: a,\n     &  b,\n     1  c",
    ],
)
def test_private_lists_hide_nothing_however_they_go_on(names: str) -> None:
    text = f"module m\n  private {names}\nend module\n"
    assert open_modules(text).split() == ["module", "m", "end", "module"]
    assert open_modules(text).count("\n") == text.count("\n")


def test_a_nest_without_the_rest_of_its_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Modules that are not given, in what a used module uses; generic names of procedures that
    are left out."""
    (tmp_path / "talk.f90").write_text("""\
module talk
  use mpi_f08
  implicit none
contains
  subroutine send(x)
    real(8), intent(in) :: x
    call mpi_send(x, mpi_double_precision)
  end subroutine send
end module talk
""")
    (tmp_path / "around.f90").write_text("""\
module around
  use talk
  implicit none
  type(mpi_comm) :: world
  integer, parameter :: word = mpi_real8
  real(8) :: weight = 2
  interface told
    procedure :: send
  end interface told
end module around
""")
    source = tmp_path / "moved.f90"
    source.write_text("""\
module moved
  use around, only: told, weight, of_a_macro
  implicit none
contains
  subroutine step(n, a, b)
    use around, only: world, told
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    include 'mpif.h'
    call mpi_barrier(world)
    !$bridge begin step
    do i = 1, n
      b(i) = b(i) + weight*a(i)
    end do
    !$bridge end
    call told(b(1))
  end subroutine step
end module moved
""")
    pack = str(tmp_path / "own")
    assert cli.main(["port", f"{source}@step", "-o", pack, "-I", str(tmp_path)]) == 0
    assert cli.main(["port", "--check", pack, "--isa", "v3"]) == 0
    said = capsys.readouterr().out
    assert "the files do not compile as they are" in said and "1 of 1 verified" in said


def test_procedures_of_submodules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are used by their module; without the rest of its files as well."""
    (tmp_path / "shifts.f90").write_text("""\
module shifts
  implicit none
  interface
    module function turned(x) result(y)
      real(8), intent(in) :: x(4)
      real(8) :: y(4)
    end function turned
    module subroutine told(x)
      real(8), intent(in) :: x(4)
    end subroutine told
  end interface
end module shifts
""")
    source = tmp_path / "turns.f90"
    source.write_text("""\
submodule (shifts) turns
  implicit none
contains
  module function turned(x) result(y)
    real(8), intent(in) :: x(4)
    real(8) :: y(4)
    y = cshift(x, 1)*2
  end function turned
  module subroutine told(x)
    use mpi, only: mpi_bcast
    real(8), intent(in) :: x(4)
    call mpi_bcast(x, 4)
  end subroutine told
end submodule turns
""")
    pack = str(tmp_path / "own")
    assert cli.main(["port", f"{source}::turned", "-o", pack, "-I", str(tmp_path)]) == 0
    assert cli.main(["port", "--check", pack, "--isa", "v3"]) == 0
    assert "the files do not compile as they are" in capsys.readouterr().out
