"""A survey of loops of one line, and of a declaration that is not understood."""

from __future__ import annotations

from pathlib import Path

from bridge_port.program.program import Program
from bridge_port.survey.found import Found
from bridge_port.survey.sizes import sizes
from bridge_port.survey.survey import survey
from bridge_port.survey.tree import Index, Tree, files_of


def found(folder: Path, text: str) -> dict[str, Found]:
    (folder / "source.f90").write_text(text)
    return {row.found.name: row.found for row in survey([folder], processes=1).rows}


def test_the_assignments_of_a_forall_are_one_nest(tmp_path: Path) -> None:
    rows = found(
        tmp_path,
        """\
subroutine fluxes(meqn, nx, wave, s, left, right)
  integer, intent(in) :: meqn, nx
  real(8), intent(in) :: wave(meqn, nx), s(2, nx)
  real(8), intent(out) :: left(meqn, nx), right(meqn, nx)
  integer :: i, m
  forall (m=1:meqn, i=1:nx)
    left(m, i) = s(1, i)*wave(m, i)
    right(m, i) = s(2, i)*wave(m, i)
  end forall
  print *, left(1, 1)
end subroutine fluxes
""",
    )
    nests = rows["fluxes"].nests
    assert [(nest.lines, nest.work is not None) for nest in nests] == [((6, 8), True)]


def test_a_pointer_assignment_is_no_nest(tmp_path: Path) -> None:
    rows = found(
        tmp_path,
        """\
subroutine views(n, a, p)
  integer, intent(in) :: n
  real(8), target, intent(inout) :: a(n)
  real(8), pointer, intent(inout) :: p(:)
  p(1:n) => a
  p(1:n) = 2*p(1:n)
  print *, p(1)
end subroutine views
""",
    )
    assert [nest.lines for nest in rows["views"].nests] == [(6, 6)]


def test_components_of_a_known_loop_and_an_unknown_number(tmp_path: Path) -> None:
    rows = found(
        tmp_path,
        """\
subroutine jumps(meqn, mbc, nx, q, left)
  integer, intent(in) :: meqn, mbc, nx
  real(8), intent(in) :: q(meqn, 1-mbc:nx+mbc)
  real(8), intent(out) :: left(meqn, 1-mbc:nx+mbc)
  integer :: i, m
  do i = 2 - mbc, nx + mbc
    do m = 1, 3
      left(m, i) = q(m, i) - q(m, i-1)
    end do
  end do
end subroutine jumps
""",
    )
    assert rows["jumps"].translates and rows["jumps"].fixed == {"meqn": 10}


def test_a_declaration_that_is_not_understood_stops_no_other_procedure(tmp_path: Path) -> None:
    """A pointer is set to the name that it declares, which says how components of it begin."""
    rows = found(
        tmp_path,
        """\
module observed
  implicit none
  type :: series
    real(8), pointer :: values(:) => null()
  end type series
  type(series) :: all
contains
  subroutine register(data)
    real(8), target, dimension(0:) _MACRO_ :: data
    all%values => data
  end subroutine register
  subroutine scaled(s, x, y)
    type(series), intent(in) :: s
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = x*s%values(1)
  end subroutine scaled
  subroutine double(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = 2*x
  end subroutine double
end module observed
""",
    )
    assert rows["double"].how == "point"
    assert rows["register"].refusal is not None
    # Another first subscript than 1 is possible: it has to be said.
    assert rows["scaled"].shapes == {"s%values": [(0, 10)]}


def test_a_name_is_looked_for_in_all_files_that_may_have_it(tmp_path: Path) -> None:
    """The nearest one is not there any more; COMMON has values in BLOCK DATA of another file."""
    (tmp_path / "other").mkdir()
    gone = tmp_path / "gone.f90"
    gone.write_text("module m\nend module m\n")
    (tmp_path / "other" / "m.f90").write_text("module m\n  integer :: n\nend module m\n")
    (tmp_path / "values.f90").write_text(
        "block data\n  common /c/ x\n  data x /1.0/\nend block data\n"
    )
    user = tmp_path / "user.f90"
    user.write_text("subroutine user\n  use m\nend subroutine user\n")
    tree = Tree(Index(files_of([tmp_path])))
    gone.unlink()
    program = tree.program(str(user))
    assert program.modules["m"].place.file.endswith("other/m.f90")
    assert [unit.kind for unit in program.units] == ["block data"]


def test_which_sizes_are_taken(tmp_path: Path) -> None:
    source = tmp_path / "sizes.f90"
    source.write_text("""\
subroutine four(n, a, b)
  integer :: n
  real(8) :: a(n, n, n, n), b(n)
end subroutine four
subroutine three(l, m, n, a, b)
  integer :: l, m, n
  real(8) :: a(l, m), b(n), c(n, m)
end subroutine three
subroutine rounded(x, n, a)
  real(8) :: x
  integer :: n
  real(8) :: a(nint(x)), b(n)
end subroutine rounded
""")
    program = Program([source])

    def taken(name: str) -> dict[str, int] | None:
        unit = program.find(name)
        found = sizes(program.scope(unit), unit, 10)
        return None if found is None else found[0]

    assert taken("four") is None and taken("three") is None
    assert taken("rounded") == {"n": 10}
