"""What is left of files that do not compile as they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bridge import cli
from bridge_port.check.compiling import open_modules
from bridge_port.check.extract import extract
from bridge_port.check.nesttext import Nest
from bridge_port.output.fortran import Procedure, Use
from bridge_port.request import Request


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
    request = Request(f"{source}::point")
    ported = request.ported()
    [text] = extract(ported.program, ported.kernels, request).values()
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
    request = Request(f"{source}::{name}", types=types)
    ported = request.ported()
    shim = Procedure("shim", (), [Use("shapes", ("circle", "box"))])
    [text] = extract(ported.program, ported.kernels, request, beside=[shim]).values()
    lines = [line.strip() for line in text.split("\n") if line]
    heads = [line for line in lines if line.startswith("type,") and "abstract" in line]
    assert [line.split()[-1] for line in heads] == abstract
    assert sum("deferred" in line for line in lines) == deferred
    source.write_text(text)
    subprocess.run(["gfortran", "-fsyntax-only", source], check=True, cwd=tmp_path)


#: Directives and comments of C over lines, in what is left out and around it.
OVER_LINES = """\
module over_lines
  implicit none
#define TWICE(x) \\
  (x) + \\
  (x)
contains
  subroutine other()
    use not_there
#if defined ALPHA || \\
    defined BETA
    call nowhere
#elif defined GAMMA /* a comment over
    lines */ && \\
    defined DELTA
    call nowhere
#else
/*
#if 0
*/
    call nowhere
#endif
#define TEN \\
    10
    print *, "/*", TEN
  end subroutine
  /* of another
  one */ subroutine third()
    use not_there
    call nowhere /* it
    ends */
  end subroutine
  subroutine scale(n, a)
    integer, intent(in) :: n
    real(8) :: a(n)
    integer :: i
#if defined ALPHA && \\
    defined BETA
    a(1) = 3
#endif
    do i = 1, n
      a(i) = TEN*TWICE(a(i))
    end do
#if defined ALPHA /* or
    not */
    a(1) = 3
#endif
  end subroutine
end module
#ifdef MAIN
program main
  use over_lines
#if defined ALPHA && \\
    defined BETA
  stop
#endif
end program
#endif
"""


@pytest.mark.parametrize("options", [(), ("-DALPHA", "-DMAIN")])
def test_directives_over_lines_are_kept_whole(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Of what is left out, and around a nest; the nest stands where it stood."""
    source = tmp_path / "over.F90"
    source.write_text(OVER_LINES)
    at = OVER_LINES[: OVER_LINES.index("    do i")].count("\n") + 1
    request = Request(f"{source}:{at}", defines=tuple(one[2:] for one in options))
    ported = request.ported()
    texts = extract(ported.program, ported.kernels, request, ported.unit)
    nest = Nest.of(ported, ())
    nest.extracted = texts
    [text] = texts.values()
    assert text.count("\n") == OVER_LINES.count("\n")
    assert text.split("\n")[at - 1] == "    do i = 1, n"
    for one in (text, nest.unit_text(kernel=False)[1]):
        source.write_text(one)
        subprocess.run(["gfortran", "-fsyntax-only", *options, source], check=True, cwd=tmp_path)
    nest.extracted = {}
    source.write_text(OVER_LINES.replace("use not_there", ""))
    source.write_text(nest.unit_text(kernel=False)[1])
    subprocess.run(["gfortran", "-fsyntax-only", *options, source], check=True, cwd=tmp_path)


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
    real(8) :: of_a_macro
    include 'mpif.h'
    of_a_macro = 1
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
    assert cli.main(["port", "--check", pack, "--isa", "v2"]) == 0
    said = capsys.readouterr().out
    assert "the files do not compile as they are" in said and "1 of 1 verified" in said


def test_procedures_of_submodules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are used by their module; without the rest of its files as well. One is declared by
    its interface alone."""
    (tmp_path / "shifts.f90").write_text("""\
module shifts
  implicit none
  interface
    module function turned(x) result(y)
      real(8), intent(in) :: x(4)
      real(8) :: y(4)
    end function turned
    module real(8) function doubled(x)
      real(8), intent(in) :: x
    end function doubled
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
    y = cshift(x, 1)*doubled(x(1))
  end function turned
  module procedure doubled
    doubled = 2*x
  end procedure doubled
  module subroutine told(x)
    use mpi, only: mpi_bcast
    real(8), intent(in) :: x(4)
    call mpi_bcast(x, 4)
  end subroutine told
end submodule turns
""")
    pack = str(tmp_path / "own")
    assert cli.main(["port", f"{source}::turned", "-o", pack, "-I", str(tmp_path)]) == 0
    assert cli.main(["port", "--check", pack, "--isa", "v2"]) == 0
    assert "the files do not compile as they are" in capsys.readouterr().out


def test_what_nothing_reaches_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What does not compile hangs on declarations that the procedure does not have; those that
    others need, by types, kinds, renamed and included, stay."""
    (tmp_path / "kinds.f90").write_text("""\
module kinds
  implicit none
  integer, parameter :: word = 8, half = 4
end module kinds
""")
    (tmp_path / "declared.inc").write_text("""\
  type :: list
    integer :: n
  contains
    procedure :: longer
    procedure :: shorter => less
    procedure :: same => alike
    generic :: shape => shorter, &
      same
    generic, private :: size => shorter
  end type list
  real(w) :: of_one(2) = 5
  real(w) :: of_two(2) = lost_kind
""")
    (tmp_path / "ranks.F90").write_text("""\
module ranks
#include <nowhere.h>
  use kinds
  implicit none
  integer :: me = mpi_comm_world
  real(word) :: shared = 3
contains
  subroutine barrier()
    call mpi_barrier(me)
  end subroutine barrier
end module ranks
""")
    (tmp_path / "passing.f90").write_text("""\
module passing
  use ranks, only: held => shared, meet => barrier
  use ranks, only: number => me
end module passing
""")
    (tmp_path / "tables.F90").write_text("""\
module tables
  use kinds, only: w => word, half
  use passing, only: meet, number
  implicit none
  type :: entry
    real(w) :: kept = 2
  end type entry
  type, public :: table
    type(entry) :: first
  end type table
  type :: other
    real(lost_kind) :: b
  end type other
  interface told
    subroutine tell(x)
      import :: other
      type(other) :: x
    end subroutine tell
  end interface told
  interface
    subroutine kept(n)
      use nowhere, only: number_of
      type(number_of) :: n
    end subroutine kept
  end interface
  real(w) :: many(2), few; real(w) :: few_too
  integer :: mine = lost_number
  namelist /asked/ mine
  data many /2*4/
  type(table), save :: within
#include "declared.inc"
contains
  subroutine longer(me)
    class(list) :: me
    call meet(me)
  end subroutine longer
  subroutine less(me)
    class(list) :: me
    read (5, asked)
  end subroutine less
  subroutine alike(me)
    class(list) :: me
    me%n = 1
  end subroutine alike
end module tables
""")
    (tmp_path / "asserted.h").write_text("""\
use kinds, only: half
use asserts
""")
    (tmp_path / "asserts.f90").write_text("""\
module asserts
contains
  subroutine assert()
    call nothing()
  end subroutine assert
end module asserts
""")
    (tmp_path / "others.F90").write_text("""\
module others
  use kinds, only: w => word
#include "declared.inc"
  type(list), save :: of_list = list(3)
contains
  subroutine longer(me)
    class(list) :: me
  end subroutine longer
  subroutine less(me)
    class(list) :: me
  end subroutine less
  subroutine alike(me)
    class(list) :: me
  end subroutine alike
end module others
""")
    source = tmp_path / "point.F90"
    source.write_text("""\
module points
#include "asserted.h"
  use kinds, only: real_of => word
  use tables, only: within, many
  use others, only: of_one, of_list
  use passing
  implicit none
contains
  subroutine point(x, y)
    real(real_of), intent(in) :: x
    real(real_of), intent(out) :: y
    real(real_of) :: used
    used = many(2)*kept_by(x)
    use_of: block
      y = used + of_list%n + x*within%first%kept + held + of_one(1)
    end block use_of
  end subroutine point
  real(real_of) function kept_by(kept)
    real(real_of), intent(in) :: kept
    kept_by = kept
  end function kept_by
end module points
""")
    pack = str(tmp_path / "own")
    assert cli.main(["port", f"{source}::point", "-o", pack, "-I", str(tmp_path)]) == 0
    assert cli.main(["port", "--check", pack, "--isa", "v2"]) == 0, capsys.readouterr().out
    said = capsys.readouterr().out
    assert "the files do not compile as they are" in said and "1 of 1 verified" in said


def test_a_procedure_of_an_included_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is compiled where it stands, without the others of that file."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "gas.inc").write_text("""\
  subroutine pressure(rho, t, p)
    real(8), intent(in) :: rho, t
    real(8), intent(out) :: p
    p = rho*constant*t
  end subroutine pressure
  subroutine told(p)
    use nowhere, only: told_by
    real(8), intent(in) :: p
    call told_by(p)
  end subroutine told
""")
    (tmp_path / "gas.f90").write_text("""\
module gas
  use nowhere
  implicit none
  real(8) :: constant = 287
contains
  include 'parts/gas.inc'
end module gas
""")
    pack = str(tmp_path / "own")
    source = f"{tmp_path}/gas.f90::pressure"
    assert cli.main(["port", source, "-o", pack, "-I", str(tmp_path)]) == 0
    assert cli.main(["port", "--check", pack, "--isa", "v2"]) == 0, capsys.readouterr().out
    assert "1 of 1 verified" in capsys.readouterr().out
    assert "told_by" in (tmp_path / "parts" / "gas.inc").read_text()
