! Nests that are array statements, and loops with array statements inside or beside them.

! Whole arrays, a spread vector, a section along each axis; the first one in fixed components.
subroutine updated(nx, ny, u, du, v, w, line, f)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: u(0:nx + 1, ny), v(nx, ny), w(ny, nx), f(3, nx, ny)
  real(8), intent(in) :: du(nx, 2:ny + 1), line(nx)
  real(8), parameter :: dt = 0.25d0
  v = 0.5d0*v + dt*du - spread(line, 2, ny)
  u(1:nx, :) = u(1:nx, :) + dt*sqrt(v*v + 1)
  u(0, :) = u(1, :)
  u(nx + 1, 2:ny - 1) = 2*u(nx, 2:ny - 1) - v(nx, 2:ny - 1)
  f(:, :, :) = 2*f
  f(2, :, :) = f(1, :, :) + max(v, u(1:nx, :), 0.75d0)
  w = transpose(v)*2
end subroutine updated

! Elements that are written are read at other places: the right side comes first.
subroutine moved(nx, ny, a, b, c, d)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx), b(nx, ny), c(nx, ny), d(nx, ny)
  a(2:nx) = a(1:nx - 1) + 1
  b(1:nx - 1, :) = b(2:nx, :)*2
  c(2:nx, 2:ny) = c(1:nx - 1, 1:ny - 1) + c(1:nx - 1, 2:ny)
  d(2:nx, :ny - 1) = d(1:nx - 1, 2:ny) - d(2:nx, 2:ny)
end subroutine moved

! Masks, several arms, an own element that changes; a condition of integers.
subroutine chosen(nx, ny, mark, a, b, c)
  implicit none
  integer, intent(in) :: nx, ny
  integer, intent(in) :: mark(nx)
  real(8), intent(inout) :: a(nx, ny), b(nx, ny), c(nx)
  where (a > 1.0d0)
    a = a - 1.0d0
    b = a*2
  elsewhere (b > 0.9d0)
    b = b + a
  elsewhere
    a = -a
    b(:, :) = 1/b
  end where
  where (mod(mark, 2) == 0) c = c + b(:, 2)
  where (c > 1.0d0)
    where (c > 1.25d0)
      c = c - 1.25d0
    elsewhere
      c = c - 1.0d0
    end where
  end where
end subroutine chosen

! Sums, extremes and counts of whole arrays.
subroutine totals(nx, ny, a, b, s, largest, least, n, dot, above, inside)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: a(nx, ny), b(nx, ny)
  real(8), intent(inout) :: s, largest, least, dot, above
  integer, intent(inout) :: n
  logical, intent(inout) :: inside
  s = s + sum(a*b)
  largest = maxval(abs(a - b))
  least = min(least, minval(a(2:nx - 1, :)))
  n = count(a > b)
  dot = dot_product(a(:, 1), b(:, ny))
  above = sum(a, mask=a > 1.0d0)
  inside = all(a > 0.4d0)
end subroutine totals

! Loops with array statements along other axes, and below a condition.
subroutine mixed(nx, ny, nz, mode, a, b, h)
  implicit none
  integer, intent(in) :: nx, ny, nz, mode
  real(8), intent(inout) :: a(nx, ny, nz), b(nx, ny, nz), h(nx, ny)
  real(8) :: t
  integer :: i, j
  do i = 2, nz
    t = 0.5d0*i
    a(:, :, i) = a(:, :, i - 1)*t + h
    do j = 1, ny
      b(2:nx, j, i) = a(1:nx - 1, j, i) - h(2:nx, j)
    end do
  end do
  if (mode == 1) then
    h(:, :) = 0
  else
    h(:, 2:) = b(:, 2:, nz)
  end if
end subroutine mixed

! Every second point, with a first one that differs from line to line, and from the last one on.
subroutine coloured(nx, ny, colour, a, b, c, largest)
  implicit none
  integer, intent(in) :: nx, ny, colour
  real(8), intent(inout) :: a(nx, ny), c(nx)
  real(8), intent(in) :: b(0:nx + 1, ny)
  real(8), intent(inout) :: largest
  integer :: i, j, shift
  largest = 0
  do j = 1, ny
    if (mod(j, 2) == colour) then
      shift = 1
    else
      shift = 0
    end if
    do i = 1 + shift, nx, 2
      a(i, j) = a(i, j) + 0.25d0*(b(i - 1, j) + b(i + 1, j)) - b(i, j)
      if (abs(b(i, j)) > largest) largest = abs(b(i, j))
    end do
  end do
  do i = nx, 2, -3
    c(i) = c(i)*b(i, 2)
  end do
  do j = 1, ny
    do i = 1 + modulo(j + colour, 2), nx, 2
      a(i, j) = 2*a(i, j)
    end do
    do i = 2 - mod(j, 2), nx - 1, 2
      a(i, j) = a(i, j) + b(i + 1, j)
    end do
  end do
end subroutine coloured

! Points of a triangle, and of a band; from the end, which a recurrence follows.
subroutine triangle(nx, ny, a, b)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, nx), b(nx, nx)
  integer :: i, j
  do j = 1, nx
    do i = j, nx
      a(i, j) = 2*a(i, j) + b(i, j)
    end do
    do i = 1, j - 1
      b(i, j) = 0
    end do
  end do
  do j = nx, 1, -1
    do i = j, nx
      b(i, j) = b(i, j) + 0.5d0
    end do
    do i = 1, nx - 3 + iand(j, 3)
      a(i, j) = a(i, j) + 0.25d0
    end do
  end do
  do j = 1, nx
    do i = nx - 1 - modulo(j, 2), 2, -1
      a(i, j) = b(i, j) - 0.5d0*a(i + 1, j)
    end do
  end do
end subroutine triangle

! A stencil whose points are a loop.
subroutine stencil(nx, ny, q, f, g)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: q(-1:nx + 2, 0:ny + 1, 2)
  real(8), intent(inout) :: f(nx + 1, ny, 2), g(nx, ny)
  real(8), parameter :: w(4) = [-0.5d0, 0.75d0, 1.0d0, -0.25d0]
  real(8) :: line(4)
  integer :: i, j, l, s, m, last
  do j = 1, ny
    do i = 1, nx + 1
      do l = 1, 2
        do s = 1, 4
          line(s) = q(i - 3 + s, j, l)
        end do
        last = l + nint(q(i, j, l))/9
        line(1:last) = 0.5d0*q(i, j, l)
        f(i, j, l) = w(1)*line(1) + w(2)*line(2) + w(3)*line(3) + w(4)*line(4)
      end do
    end do
  end do
  do j = 1, ny
    do i = 1, nx
      g(i, j) = 0
      do m = -1, 1
        do l = -1, 1
          g(i, j) = g(i, j) + q(i + l, j + m, 1)*(2 - abs(l))
        end do
      end do
    end do
  end do
end subroutine stencil

! What a statement under a condition says of extents is said of nothing else; sums of other kinds.
subroutine sometimes(nx, ny, m, a, b, c, s, t, n)
  implicit none
  integer, intent(in) :: nx, ny, m
  real(8), intent(inout) :: a(nx), b(nx), c(nx, ny), s, t
  integer, intent(inout) :: n
  real(8) :: half, x
  half(x) = 0.5d0*x
  if (m > nx) then
    a(1:m) = b
  end if
  b(:) = 2*b + half(2.0d0)
  n = sum(nint(4*c))
  s = maxval(c, mask=c > 0.75d0 .and. c < 1.25d0)
  t = t + sum(c(2:nx, :) - c(1:nx - 1, :), mask=c(2:nx, :) > 1.0d0)
end subroutine sometimes

! Sections of a negative stride: of what is read along points, and of components of a point.
subroutine turned(nx, a, b, c, q)
  implicit none
  integer, intent(in) :: nx
  real(8), intent(inout) :: a(nx), q(nx, 5)
  real(8), intent(in) :: b(nx), c(0:nx)
  real(8) :: g(3)
  integer :: i
  a(2:nx) = 0.5d0*b(nx:2:-1) + c(nx - 1:1:-1)
  do i = 1, nx
    g(3:1:-1) = q(i, 2:4)
    q(i, 1:3) = 0.5d0*q(i, 1:3) + g(3:1:-1)
    q(i, 4:5) = q(i, 4:5) - g(3:1:-2)
  end do
end subroutine turned
