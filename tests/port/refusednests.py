"""Nests that are refused: body, what the refusal has to say.

Each body stands in a subroutine with the declarations below; the place of the refusal is the line
that `!<<` marks.
"""

from port.refusedstatements import STATEMENTS
from port.refusedsubscripts import SUBSCRIPTS
from port.refusedvalues import VALUES

HEAD = """\
module planes
  real(8) :: plane_of_all(40, 30), few(3)
contains
  real(8) function slope(i, j)
    integer, intent(in) :: i, j
    slope = few(j) + inner(i, j)
  end function slope
  real(8) function inner(i, j)
    integer, intent(in) :: i, j
    inner = plane_of_all(i, j) - plane_of_all(i - 1, j)
  end function inner
  subroutine maybe(x, c)
    real(8) :: x
    real(8), intent(in) :: c
    if (c > 1) x = c
  end subroutine maybe
  subroutine pair(x, y)
    real(8), intent(out) :: x, y
    x = 1
    y = 2
  end subroutine pair
  subroutine advance(i)
    integer :: i
    i = i + 1
  end subroutine advance
  real(8) function counting(x)
    real(8) :: x
    x = x + 1
    counting = x
  end function counting
  real(8) function mean(v)
    real(8), intent(in) :: v(5)
    mean = sum(v)/5
  end function mean
end module planes
subroutine nest(nx, ny, nz, ng, n, a, b, c, q, s, ind, flag, z, zz)
  use planes, only: slope, maybe, pair, advance, counting, mean
  implicit none
  integer, intent(in) :: nx, ny, nz, ng, n
  real(8), intent(inout) :: a(nx, ny, nz), b(nx, ny, nz), c(ny, nx), q(5, nx, ny, nz), s
  integer, intent(in) :: ind(nx)
  logical, intent(inout) :: flag
  real(8), intent(in) :: z(*), zz(nx, ny, nz, *)
  integer :: i, j, k, m, ip, im, jj
  real(8) :: t, w(5), line(0:1000), plane(0:100, 0:100), e(3), e2(3)
  real(8) :: shared, h(ny), many(ng, nx, ny, nz)
  real(8), save :: kept
  integer :: where_most, places(3), kk(nx)
  real(8) :: e3(3)
  type cell
    real(8) :: rho
  end type cell
  type(cell) :: cells(nx, ny, nz)
  type holder
    real(8), pointer :: p(:, :), one
    real(8), allocatable :: v(:)
    type(cell) :: cells(3)
    integer :: n
    character(4) :: text
  end type holder
  type(holder) :: ha, hb, hs(3)
  class(absent), pointer :: hc
  real(8), pointer :: ptr(:, :), row(:)
  real(8), allocatable :: grown(:)
  common /scratch/ shared
  integer :: once, twin
  equivalence (e, e2), (once, twin)
"""

TAIL = "end subroutine nest\n"

#: name -> (statements, words of the refusal).
BODIES = SUBSCRIPTS | VALUES | STATEMENTS
assert len(BODIES) == len(SUBSCRIPTS) + len(VALUES) + len(STATEMENTS), "two of one name"
