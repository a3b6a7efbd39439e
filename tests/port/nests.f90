! Loop nests in the likeness of flow, ocean and atmosphere codes, each a subroutine of its own.

! Work scalars, a work array of components, loops in another order than the dimensions.
subroutine flux_x(nx, ny, nz, q, dq, dt)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real(8), intent(in) :: q(5, 0:nx + 1, 0:ny + 1, 0:nz + 1), dt
  real(8), intent(inout) :: dq(5, nx, ny, nz)
  real(8) :: f(5), g(5), p, half
  integer :: i, j, k, m
  half = 0.5d0*dt
  do j = 1, ny
    do k = 1, nz
      do i = 1, nx
        p = 0.4d0*(q(5, i, j, k) - 0.5d0*q(2, i, j, k)**2/q(1, i, j, k))
        do m = 1, 5
          f(m) = q(m, i - 1, j, k)*p
          g(m) = q(m, 1 + i, j, k) - 2d0*q(m, i, j, k)
        end do
        dq(:, i, j, k) = dq(:, i, j, k) + half*(f - g)
        if (p > 0.3d0) dq(1, i, j, k) = 0d0
      end do
    end do
  end do
end subroutine flux_x

! A line of fluxes, filled and read in loops of its own: split.
subroutine line_flux(nx, ny, u, v, w, r)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: u(0:nx + 1, ny), v(0:nx + 1, ny), w(ny)
  real(8), intent(out) :: r(nx, ny)
  real(8) :: f(0:100), scale
  integer :: i, j
  do j = 1, ny
    scale = 2d0*w(j)
    f(0) = u(0, j)
    do i = 1, nx
      f(i) = 0.5d0*(u(i, j) + u(i + 1, j))*v(i, j)
    end do
    do i = 1, nx
      r(i, j) = (f(i) - f(i - 1))*scale
    end do
  end do
end subroutine line_flux

! Thomas' elimination and substitution of columns, work arrays of a column.
subroutine columns(nx, ny, nz, a, b, c, d)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real(8), intent(in) :: a(nx, ny, nz), b(nx, ny, nz), c(nx, ny, nz)
  real(8), intent(inout) :: d(nx, ny, nz)
  real(8) :: gam(nz), bet
  real(8) :: w(nx, ny, nz)
  integer :: i, j, k
  do j = 1, ny
    do i = 1, nx
      w(i, j, 1) = c(i, j, 1)/(3d0*b(i, j, 1))
      d(i, j, 1) = d(i, j, 1)/(3d0*b(i, j, 1))
      do k = 2, nz
        bet = 3d0*b(i, j, k) - a(i, j, k)*w(i, j, k - 1)
        w(i, j, k) = c(i, j, k)/bet
        d(i, j, k) = (d(i, j, k) - a(i, j, k)*d(i, j, k - 1))/bet
      end do
      do k = nz - 1, 1, -1
        d(i, j, k) = d(i, j, k) - w(i, j, k)*d(i, j, k + 1)
      end do
    end do
  end do
end subroutine columns

! The same with a work array of one column.
subroutine column_line(nx, ny, nz, a, d)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real(8), intent(in) :: a(nx, ny, nz)
  real(8), intent(inout) :: d(nx, ny, nz)
  real(8) :: gam(nz)
  integer :: i, j, k
  do j = 1, ny
    do i = 1, nx
      gam(1) = a(i, j, 1)
      d(i, j, 1) = d(i, j, 1)*gam(1)
      do k = 2, nz
        gam(k) = a(i, j, k)/(1d0 + gam(k - 1))
        d(i, j, k) = d(i, j, k) - gam(k)*d(i, j, k - 1)
      end do
      do k = nz - 1, 1, -1
        d(i, j, k) = d(i, j, k) - gam(k + 1)*d(i, j, k + 1)
      end do
    end do
  end do
end subroutine column_line

! Planes at the boundary, mirrored.
subroutine walls(nx, ny, nz, q, wall)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: q(5, 0:nx + 1, 0:ny + 1, 0:nz + 1)
  real(8), intent(in) :: wall(0:ny + 1, 0:nz + 1)
  integer :: j, k, i
  do k = 1, nz
    do j = 1, ny
      q(:, 0, j, k) = q(:, 1, j, k)
      q(2, 0, j, k) = -q(2, 1, j, k) + wall(j, k)
    end do
  end do
  do k = 1, nz
    do j = 1, ny
      q(1, nx + 1, j, k) = 2d0*q(1, nx, j, k) - q(1, nx - 1, j, k)
    end do
  end do
  do k = 1, nz
    do i = 0, nx + 1
      q(5, i, ny + 1, k) = q(5, i, ny, k)
    end do
  end do
end subroutine walls

! Reductions of all kinds.
subroutine norms(nx, ny, u, v, total, most, least, rms, bad, good, count)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: u(nx, ny), v(3, nx, ny)
  real(8), intent(inout) :: total, most, least, rms(3)
  logical, intent(inout) :: bad, good
  integer, intent(inout) :: count
  real(8) :: add
  integer :: i, j, m
  do m = 1, 3
    rms(m) = 0d0
  end do
  most = -huge(most)
  good = .true.
  do j = 1, ny
    do i = 1, nx
      total = total + u(i, j)*2d0 - v(1, i, j)
      most = max(most, u(i, j), abs(v(2, i, j)))
      if (v(3, i, j) > 0.7d0) most = max(most, 2d0*v(3, i, j))
      if (u(i, j) < least) least = u(i, j)
      if (v(3, i, j) < 0.7d0) least = min(0.9d0*v(3, i, j), least)
      do m = 1, 3
        add = v(m, i, j) - u(i, j)
        rms(m) = rms(m) + add*add
      end do
      if (u(i, j) > 1.45d0) bad = .true.
      good = good .and. u(i, j) < 1.49d0
      if (u(i, j) > 1d0) count = count + 1
    end do
  end do
end subroutine norms

! Contributions that are infinite, and the smallest integer.
subroutine endless(nx, u, low, high, least, total)
  implicit none
  integer, intent(in) :: nx
  real(8), intent(in) :: u(nx)
  real(8), intent(inout) :: low, high, total
  integer, intent(inout) :: least
  integer :: i
  do i = 1, nx
    total = total + u(i)
    if (u(i) > 0.7d0) low = min(low, u(i)*1d308*1d1)
    if (u(i) > 0.7d0) high = max(high, -u(i)*1d308*1d1)
    if (u(i) > 0.7d0) least = max(least, -int(max(u(i), 1d0)) - 2147483647)
  end do
end subroutine endless

! Reductions of which a neighbouring form gives another number: signs, several terms, several
! statements, flags that stay as they are, elements of an array.
subroutine tallies(nx, ny, u, v, less, both, most, top, parts, calm, steady, odd)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: u(nx, ny), v(nx, ny)
  real(8), intent(inout) :: less, both, most, top, parts(3)
  logical, intent(inout) :: calm, steady, odd
  integer :: i, j
  calm = .true.
  steady = .true.
  do j = 1, ny
    do i = 1, nx
      less = less - u(i, j)
      both = both + u(i, j)
      both = both - (v(i, j) - 2*u(i, j))
      most = max(most, u(i, j), 3*v(i, j))
      if (top < v(i, j)) top = v(i, j)
      parts(2) = parts(2) + u(i, j)*v(i, j)
      if (u(i, j) > 1.4d0) calm = .false.
      steady = steady .and. u(i, j) < 2
      if (u(i, j) > 2) odd = .true.
      if (v(i, j) < 0) odd = .true.
    end do
  end do
end subroutine tallies

! Indices as numbers, index scalars, cycle.
subroutine positions(nx, ny, u, x, dx)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: u(nx, ny)
  real(8), intent(in) :: x(0:nx + 1, 0:ny + 1), dx
  integer :: i, j, ip1, jm
  do j = 1, ny
    jm = j - 1
    do i = 1, nx
      ip1 = i + 1
      if (i == 1) cycle
      u(i, j) = x(ip1, jm) + dx*dble(i) + dble(2*j)
      if (u(i, j) > 1d0) then
        u(i, j) = u(i, j)*x(ip1, j)
      else
        u(i, j) = 0d0
      end if
    end do
  end do
end subroutine positions

! A line of metrics beside fields, written at i + 1, a do concurrent-like order of loops.
subroutine shifted(nx, ny, nz, a, b, dz)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real(8), intent(in) :: b(nx, ny, nz), dz(nz)
  real(8), intent(inout) :: a(nx + 1, ny, nz)
  integer :: i, j, k
  do i = 1, nx
    do j = 1, ny
      do k = 1, nz
        a(i + 1, j, k) = b(i, j, k)*dz(k) + a(i + 1, j, k)
      end do
    end do
  end do
end subroutine shifted

! Calls with components of a point.
subroutine called(nx, ny, q, f)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: q(4, nx, ny)
  real(8), intent(inout) :: f(nx, ny, 4)
  real(8) :: w(4), s
  integer :: i, j, m
  real(8), external :: weight
  do j = 1, ny
    do i = 2, nx
      call both(q(1, i - 1, j), q(1, i, j), w, s)
      f(i, j, :) = w
      call scaled(f(i, j, :), s*weight(q(2, i, j)))
    end do
  end do
end subroutine called

subroutine both(a, b, w, s)
  implicit none
  real(8), intent(in) :: a(4), b(4)
  real(8), intent(out) :: w(4), s
  w = a - b
  s = sum(a)
end subroutine both

subroutine scaled(f, s)
  implicit none
  real(8), intent(inout) :: f(4)
  real(8), intent(in) :: s
  f = f*s
end subroutine scaled

real(8) function weight(x)
  implicit none
  real(8), intent(in) :: x
  weight = 1d0/(1d0 + x)
end function weight

! Components outside, an if around the loops, statements of the middle loop, a scalar that is set
! again behind one that is set from it.
subroutine layers(nx, ny, nz, n, u, s, h, on)
  implicit none
  integer, intent(in) :: nx, ny, nz, n
  real(8), intent(inout) :: u(nx, ny, nz, 3), s(nx, ny)
  real(8), intent(in) :: h(ny)
  logical, intent(in) :: on
  real(8) :: fac, low, far, add, twice
  integer :: i, j, k, m
  if (on) then
    do j = 1, ny
      do i = 1, nx
        s(i, j) = h(j)
      end do
    end do
  else
    do m = 1, 3
      do k = 1, nz
        fac = 2d0
        do j = 1, ny
          add = h(j) + fac
          far = add*fac
          twice = 2d0*h(j)
          low = 0.5d0*twice*fac
          if (low > 2d0) low = low/2d0
          add = far - 3d0
          do i = 1, nx
            u(i, j, k, m) = u(i, j, k, m)*low + far*add
          end do
        end do
      end do
    end do
  end if
  do k = 2, nz
    do j = 1, ny
      do i = 1, nx
        u(i, j, k, 1) = u(i, j, k, 1) + 0.5d0*u(i, j, k - 1, 1)
        u(i, j, k, 2) = u(i, j, k, 2) + u(i, j, k - 2 + 1, 1)
      end do
    end do
  end do
end subroutine layers

! Lines between directives.
subroutine marked(nx, ny, u, v)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: u(nx, ny)
  real(8), intent(in) :: v(nx, ny)
  integer :: i, j
  !$bridge begin marked
  do j = 1, ny
    do i = 1, nx
      u(i, j) = u(i, j) + v(i, j)
    end do
  end do
  !$bridge end
end subroutine marked

! Fourth-order dissipation with its boundary points, as in NAS BT and SP; i is set between loops.
subroutine dissipation(nx, ny, nz, u, rhs, dssp)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real(8), intent(in) :: u(5, 0:nx + 1, 0:ny + 1, 0:nz + 1), dssp
  real(8), intent(inout) :: rhs(5, 0:nx + 1, 0:ny + 1, 0:nz + 1)
  integer :: i, j, k, m
  do k = 1, nz
    do j = 1, ny
      i = 1
      do m = 1, 5
        rhs(m, i, j, k) = rhs(m, i, j, k) - dssp*(5d0*u(m, i, j, k) - 4d0*u(m, i + 1, j, k) &
          + u(m, i + 2, j, k))
      end do
      i = 2
      do m = 1, 5
        rhs(m, i, j, k) = rhs(m, i, j, k) - dssp*(-4d0*u(m, i - 1, j, k) + 6d0*u(m, i, j, k) &
          - 4d0*u(m, i + 1, j, k) + u(m, i + 2, j, k))
      end do
      do i = 3, nx - 2
        do m = 1, 5
          rhs(m, i, j, k) = rhs(m, i, j, k) - dssp*(u(m, i - 2, j, k) - 4d0*u(m, i - 1, j, k) &
            + 6d0*u(m, i, j, k) - 4d0*u(m, i + 1, j, k) + u(m, i + 2, j, k))
        end do
      end do
      i = nx - 1
      do m = 1, 5
        rhs(m, i, j, k) = rhs(m, i, j, k) - dssp*(u(m, i - 2, j, k) - 4d0*u(m, i - 1, j, k) &
          + 6d0*u(m, i, j, k) - 4d0*u(m, i + 1, j, k))
      end do
      i = nx
      do m = 1, 5
        rhs(m, i, j, k) = rhs(m, i, j, k) - dssp*(u(m, i - 2, j, k) - 4d0*u(m, i - 1, j, k) &
          + 5d0*u(m, i, j, k))
      end do
    end do
  end do
end subroutine dissipation

! Two layers of a fringe in one loop, a scalar of both.
subroutine fringe(nx, ny, q, p)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: q(-1:nx + 2, -1:ny + 2), p(-1:nx + 2, -1:ny + 2)
  real(8) :: t
  integer :: i, j
  do j = 1, ny
    t = 0.25d0*p(3, j)
    q(0, j) = q(1, j) + t
    q(-1, j) = q(2, j)*t
    p(0, j) = p(1, j)
  end do
  do i = -1, nx + 2
    q(i, 0) = q(i, 1)
    q(i, -1) = q(i, 2)
  end do
end subroutine fringe

! Blocks of a line, filled by calls, then eliminated along x: the shape of a block solver.
subroutine blocks(nx, ny, lhs, rhs)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: lhs(2, 2, 3, 0:nx, ny), rhs(2, 0:nx, ny)
  real(8) :: low
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      call lower(lhs(1, 1, 2, i, j), low)
      call matvec(lhs(1, 1, 1, i, j), rhs(1, i - 1, j), rhs(1, i, j), low)
    end do
    do i = nx - 1, 0, -1
      rhs(1, i, j) = rhs(1, i, j) - 0.1d0*lhs(1, 2, 3, i, j)*rhs(2, i + 1, j)
    end do
  end do
end subroutine blocks

subroutine lower(a, low)
  implicit none
  real(8), intent(inout) :: a(2, 2)
  real(8), intent(out) :: low
  low = 0.5d0*(a(1, 1) + a(2, 2))
  a(1, 2) = a(1, 2)/low
end subroutine lower

subroutine matvec(a, x, y, low)
  implicit none
  real(8) :: a(2, 2), x(2), y(2), low
  integer :: m
  do m = 1, 2
    y(m) = y(m) - 0.1d0*low*(a(m, 1)*x(1) + a(m, 2)*x(2))
  end do
end subroutine matvec

! Bounds and coefficients set on the way.
subroutine limits(nx, ny, n, u, v)
  implicit none
  integer, intent(in) :: nx, ny, n
  real(8), intent(inout) :: u(nx, ny), v(nx, ny)
  real(8) :: c(3), d
  integer :: i, j, first, last
  first = 2
  last = nx - n
  call coefficients(c, n)
  do j = 1, ny
    call coefficient(d, v(1, j))
    do i = first, last
      u(i, j) = c(1)*v(i, j) + c(3)*v(i - 1, j)
    end do
  end do
end subroutine limits

subroutine coefficients(c, n)
  implicit none
  real(8), intent(out) :: c(3)
  integer, intent(in) :: n
  c = n
  c(3) = 0.5d0
end subroutine coefficients

subroutine coefficient(d, x)
  implicit none
  real(8), intent(out) :: d
  real(8), intent(in) :: x
  d = 2*x
end subroutine coefficient

! Subscripts with a minus in front, elements that both arms of a where fill, lines of which each
! part is filled by a loop of its own; a real that is a subscript, too.
subroutine signs(nx, ny, a, b, q, c)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, ny), c(nx, ny)
  real(8), intent(in) :: b(0:nx + 1, 0:ny + 1), q(3, nx, ny)
  real(8) :: w(3), line(0:100), back(0:100), t, many(40)
  integer :: i, j, k, m
  t = ny
  do j = 1, ny - 1
    do i = 1, nx
      where (q(:, i, j) > 1)
        w = q(:, i, j)
      elsewhere
        w = -q(:, i, j)
      end where
      a(i, j) = b(-(1 - i), j) - 2*b(i, -(-1) + j) + sum(w) + b(2*i - i, j) &
        + t/4*q(int(t) - ny + 1, i, j)
      do m = 1, 3
        many(m) = q(m, i, j)*m
        a(i, j) = a(i, j) + many(m)
      end do
      k = t + 1.6d0 - ny
      a(i, j) = a(i, j) + q(k, i, j)*k
    end do
  end do
  do j = ny - 1, 1, -1
    do i = nx, 4, -1
      line(i - 1) = a(i, j + 1)
    end do
    line(1) = b(1, j)
    line(2) = b(2, j)
    do i = 1, nx - 1
      back(i - 1) = q(2, i, j)
    end do
    do i = 1, nx - 1
      c(i, j) = line(i)*b(i, j) - back(i - 1)
    end do
  end do
end subroutine signs

! A loop around two that may be split, because a loop around it keeps the order.
subroutine settled(nx, ny, nz, a, b, q)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: a(nx, ny, nz), q(nx, ny, nz)
  real(8), intent(in) :: b(nx, ny, nz)
  integer :: i, j, k
  do k = 2, nz
    do j = 1, ny - 1
      do i = 1, nx
        a(i, j, k) = b(i, j, k)*2
      end do
      do i = 1, nx
        q(i, j, k) = a(i, j + 1, k - 1) + a(i, j, k)
      end do
    end do
  end do
end subroutine settled

! Comparisons leave a NaN out, where max and min of a reduction take it: the root is NaN where u < 1.
subroutine outliers(nx, ny, u, v, top, low, peak)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: u(nx, ny), v(nx, ny)
  real(8), intent(inout) :: top, low, peak(3)
  real(8) :: root
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      root = 3*sqrt(u(i, j) - 1d0)
      if (low >= root*v(i, j)) low = root*v(i, j)
      if (v(i, j) > 0.8d0) then
        if (root > top) top = root
      end if
      if (root >= peak(2)) then
        peak(2) = root
      end if
    end do
  end do
end subroutine outliers

! Loops that only set a flag, from values of a point and from one of the run, beside others.
subroutine flagged(nx, ny, mode, dry, on, u, v)
  implicit none
  integer, intent(in) :: nx, ny, mode
  logical, intent(inout) :: dry, on
  real(8), intent(in) :: u(nx, ny)
  real(8), intent(inout) :: v(nx, ny)
  real(8) :: least
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      v(i, j) = 2*u(i, j)
    end do
    do i = 1, nx
      least = 0.99d0*u(i, j)
      if (least > 1.4d0) dry = .true.
    end do
  end do
  do j = 1, ny
    do i = 1, nx
      least = v(i, j)
      if (mode > 1) on = .true.
    end do
  end do
end subroutine flagged

! Optional arguments: all of them are there.
subroutine all_given(nx, ny, a, r, x, w, dt, s, late)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, ny)
  real(8), intent(inout), optional :: r(nx, ny), late(nx, ny)
  real(8), intent(in), optional :: x(nx, ny), w(nx, ny), dt
  real(8), intent(inout), optional :: s
  logical :: use_x, use_w, both
  integer :: i, j
  real(8) :: step, t
  use_x = present(x)
  use_w = .false.
  if (present(w)) use_w = .true.
  both = .not. (use_x .or. .not. present(r))
  step = 2d0
  if (present(dt)) step = dt
  if (present(late) .and. .not. present(dt)) then
    late = late*3
  else if (.not. present(late) .and. .not. use_w) then
    step = step + 1
  end if
  do j = 1, ny
    do i = 1, nx
      t = step
      if (use_x .and. a(i, j) > 1d0) t = t + x(i, j)
      if (a(i, j) > 0.8d0 .or. present(r)) t = t + 0.125d0
      if (use_w) then
        t = t*w(i, j)
      else if (a(i, j) > 1.2d0) then
        t = t + 5
      else if (present(r)) then
        t = t + 1
      else if (present(late)) then
        t = t - 2*late(i, j)
      else
        t = t - 1
      end if
      if (both) t = t*1.5d0
      a(i, j) = a(i, j) + t
      if (present(r)) r(i, j) = t - r(i, j)
      if (present(s)) s = s + t
    end do
  end do
end subroutine all_given

! Optional arguments: none of them is there.
subroutine none_given(nx, ny, a, r, x, w, dt, s, late)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, ny)
  real(8), intent(inout), optional :: r(nx, ny), late(nx, ny)
  real(8), intent(in), optional :: x(nx, ny), w(nx, ny), dt
  real(8), intent(inout), optional :: s
  logical :: use_x, use_w, both
  integer :: i, j
  real(8) :: step, t
  use_x = present(x)
  use_w = .false.
  if (present(w)) use_w = .true.
  both = .not. (use_x .or. .not. present(r))
  step = 2d0
  if (present(dt)) step = dt
  if (present(late) .and. .not. present(dt)) then
    late = late*3
  else if (.not. present(late) .and. .not. use_w) then
    step = step + 1
  end if
  do j = 1, ny
    do i = 1, nx
      t = step
      if (use_x .and. a(i, j) > 1d0) t = t + x(i, j)
      if (a(i, j) > 0.8d0 .or. present(r)) t = t + 0.125d0
      if (use_w) then
        t = t*w(i, j)
      else if (a(i, j) > 1.2d0) then
        t = t + 5
      else if (present(r)) then
        t = t + 1
      else if (present(late)) then
        t = t - 2*late(i, j)
      else
        t = t - 1
      end if
      if (both) t = t*1.5d0
      a(i, j) = a(i, j) + t
      if (present(r)) r(i, j) = t - r(i, j)
      if (present(s)) s = s + t
    end do
  end do
end subroutine none_given

! Optional arguments: some are there.
subroutine some_given(nx, ny, a, r, x, w, dt, s, late)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, ny)
  real(8), intent(inout), optional :: r(nx, ny), late(nx, ny)
  real(8), intent(in), optional :: x(nx, ny), w(nx, ny), dt
  real(8), intent(inout), optional :: s
  logical :: use_x, use_w, both
  integer :: i, j
  real(8) :: step, t
  use_x = present(x)
  use_w = .false.
  if (present(w)) use_w = .true.
  both = .not. (use_x .or. .not. present(r))
  step = 2d0
  if (present(dt)) step = dt
  if (present(late) .and. .not. present(dt)) then
    late = late*3
  else if (.not. present(late) .and. .not. use_w) then
    step = step + 1
  end if
  do j = 1, ny
    do i = 1, nx
      t = step
      if (use_x .and. a(i, j) > 1d0) t = t + x(i, j)
      if (a(i, j) > 0.8d0 .or. present(r)) t = t + 0.125d0
      if (use_w) then
        t = t*w(i, j)
      else if (a(i, j) > 1.2d0) then
        t = t + 5
      else if (present(r)) then
        t = t + 1
      else if (present(late)) then
        t = t - 2*late(i, j)
      else
        t = t - 1
      end if
      if (both) t = t*1.5d0
      a(i, j) = a(i, j) + t
      if (present(r)) r(i, j) = t - r(i, j)
      if (present(s)) s = s + t
    end do
  end do
end subroutine some_given

! Optional arguments: the others are there.
subroutine others_given(nx, ny, a, r, x, w, dt, s, late)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, ny)
  real(8), intent(inout), optional :: r(nx, ny), late(nx, ny)
  real(8), intent(in), optional :: x(nx, ny), w(nx, ny), dt
  real(8), intent(inout), optional :: s
  logical :: use_x, use_w, both
  integer :: i, j
  real(8) :: step, t
  use_x = present(x)
  use_w = .false.
  if (present(w)) use_w = .true.
  both = .not. (use_x .or. .not. present(r))
  step = 2d0
  if (present(dt)) step = dt
  if (present(late) .and. .not. present(dt)) then
    late = late*3
  else if (.not. present(late) .and. .not. use_w) then
    step = step + 1
  end if
  do j = 1, ny
    do i = 1, nx
      t = step
      if (use_x .and. a(i, j) > 1d0) t = t + x(i, j)
      if (a(i, j) > 0.8d0 .or. present(r)) t = t + 0.125d0
      if (use_w) then
        t = t*w(i, j)
      else if (a(i, j) > 1.2d0) then
        t = t + 5
      else if (present(r)) then
        t = t + 1
      else if (present(late)) then
        t = t - 2*late(i, j)
      else
        t = t - 1
      end if
      if (both) t = t*1.5d0
      a(i, j) = a(i, j) + t
      if (present(r)) r(i, j) = t - r(i, j)
      if (present(s)) s = s + t
    end do
  end do
end subroutine others_given

! What is set where a condition holds is read where the same one holds.
subroutine agreed(nx, ny, a, b, c)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: a(nx, ny)
  real(8), intent(inout) :: b(nx, ny), c(nx, ny)
  real(8) :: low, high, middle
  integer :: i, j, m
  do j = 1, ny
    do i = 1, nx
      if (a(i, j) < 0.8d0) then
        low = 2*a(i, j)
      else if (a(i, j) > 1.2d0) then
        high = a(i, j)**2
      else
        middle = 1 - a(i, j)
      end if
      do m = 1, 3
        if (a(i, j) < 0.8d0) then
          b(i, j) = b(i, j) + m*low
        else if (a(i, j) > 1.2d0) then
          b(i, j) = b(i, j) - m*high
        else
          b(i, j) = b(i, j) + middle
        end if
      end do
      if (a(i, j) < 0.8d0) c(i, j) = low
    end do
  end do
end subroutine agreed
