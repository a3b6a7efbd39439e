! Nests over lists of points: each element of a list names another point. Points lie from 0 on.

! A column in its order, with conditions, neighbours, and what only some points have.
subroutine soil(n, nc, nl, filter, cell, snow, t, dz, f, forc, top, deep)
  implicit none
  integer, intent(in) :: n, nc, nl, filter(n), cell(nc), snow(nc)
  real(8), intent(inout) :: t(0:nc, 0:nl), top(0:nc), deep(0:nc)
  real(8), intent(in) :: dz(0:nc, -1:nl), f(0:nc), forc(nc)
  integer :: p, c, g, j
  real(8) :: share
  do j = 1, nl
    do p = 1, n
      c = filter(p)
      g = cell(c)
      share = 0.5d0*f(c)
      if (j > mod(snow(c), nl)) then
        t(c, j) = 0.5d0*t(c, j - 1)*dz(c, j - 1) + share*forc(g)
      else if (t(c, j) > 1d0) then
        t(c, j) = t(c, j) - 0.25d0*dz(c, j)
      end if
    end do
  end do
  do p = n, 1, -1
    c = filter(p)
    if (f(c) > 1d0) then
      top(c) = max(top(c), t(c, nl))
      deep(c) = t(c, mod(snow(c), nl))
    end if
  end do
end subroutine soil

! Places of two lists, of a list of lists, of one that stands last; numbers and marks.
subroutine places(n, m, ix, iy, both, a, x, y, k, mark, w)
  implicit none
  integer, intent(in) :: n, m, ix(n), iy(n), both(n)
  real(8), intent(in) :: a(n)
  real(8), intent(inout) :: x(m, 0:m), y(3, 0:m), w(m)
  integer, intent(inout) :: k(m)
  logical, intent(inout) :: mark(m)
  integer :: i, c
  do i = 1, n
    x(ix(i), iy(i)) = 2*a(i)
  end do
  do i = 1, n
    do c = 1, 3
      y(c, ix(i)) = y(c, ix(i)) + c*w(ix(i))
    end do
    if (y(1, ix(i)) > 2d0) y(2, ix(i)) = -y(3, ix(i))
  end do
  do i = 1, n
    c = iy(both(i))
    k(c) = k(c) + 3
    mark(c) = k(c) > 5 .or. w(c) > 1d0
    if (w(c) > 1d0) w(c) = -w(c)
  end do
end subroutine places

! Two lists of one array, one loop after the other and both within a loop over layers; a layer
! above and below the one that is written; a list that is longer than the loop.
subroutine in_turn(n, m, nl, one, other, x, y, z)
  implicit none
  integer, intent(in) :: n, m, nl, one(n), other(n)
  real(8), intent(inout) :: x(m), y(m, 0:nl + 1), z(m, nl)
  integer :: i, j, c
  do i = 1, n - 2
    c = one(i)
    x(c) = 2*x(c) + y(c, 1)
  end do
  do i = 1, n
    c = other(i)
    x(c) = x(c) - y(c, nl)
  end do
  do j = 1, nl
    do i = 1, n - 2
      c = one(i)
      z(c, j) = z(c, j) + y(c, j + 1)*y(c, j - 1)
    end do
    do i = 2, n
      c = other(i)
      y(c, j - 1) = z(c, j) - 0.5d0*y(c, j - 1)
    end do
  end do
  do i = 1, n
    c = one(i)
    z(c, 1) = z(c, 2) + z(c, 3)
  end do
end subroutine in_turn

! Places that are none, where a condition leaves them alone.
subroutine none_there(n, m, list, x, a)
  implicit none
  integer, intent(in) :: n, m, list(n)
  real(8), intent(inout) :: x(m)
  real(8), intent(in) :: a(m)
  integer :: i, c
  do i = 1, n
    c = list(i) - 2
    if (c > 0) then
      x(c) = x(c) + 2*a(c)
    end if
  end do
end subroutine none_there

! No points at all: what a reduction has stays as it is, also where it has the name of a function.
subroutine nobody(n, m, list, x, huge, most, total, lowest, count, all, counts)
  implicit none
  integer, intent(in) :: n, m, list(n)
  real(8), intent(inout) :: x(m), total, lowest
  integer, intent(inout) :: huge, most, count, counts(2)
  logical, intent(inout) :: all
  integer :: i
  do i = 1, n
    huge = min(huge, list(i))
    if (list(i) < -5) most = max(most, i)
    counts(1) = max(counts(1), list(i))
    counts(2) = max(counts(2), -list(i))
    count = count + 1
    total = total + list(i)
    lowest = min(lowest, 0.5d0*list(i))
    all = all .and. list(i) > 7
  end do
end subroutine nobody

! With ten elements the check finds twins.
subroutine twins(n, list, x, a)
  implicit none
  integer, intent(in) :: n, list(n)
  real(8), intent(inout) :: x(n)
  real(8), intent(in) :: a(n)
  integer :: i, c
  do i = 1, n
    c = list(i)
    x(c) = x(c) + 2*a(c)
  end do
end subroutine twins
