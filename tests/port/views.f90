! Nests whose elements lie at no fixed distance from the point. Names of arguments are also those
! that a module might take for its own indices.

! Indirect, mirrored and turned; under a condition that keeps an index inside.
subroutine gathered(nx, ny, nt, ind, parts, t, a, b, c)
  implicit none
  integer, intent(in) :: nx, ny, nt, ind(nx), parts(ny)
  real(8), intent(in) :: t(nt), b(nx, ny), c(ny, nx)
  real(8), intent(inout) :: a(nx, ny)
  integer :: i, j, m
  do j = 1, ny
    do i = 1, nx
      a(i, j) = t(ind(i)) + b(nx + 1 - i, j) - c(j, i)
      if (ind(i) > 2) a(i, j) = a(i, j)*t(ind(i) - 2)
      if (i > 1) a(i, j) = a(i, j) + t(ind(i - 1)) - b(mod(i + 2, nx) + 1, 1)
      m = ind(ind(i))
      a(i, j) = a(i, j) + t(m) - t(i)*t(j)
      if (parts(j) > 1) a(i, j) = a(i, j) - t(mod(i, parts(j) - 1) + 1)
    end do
  end do
end subroutine gathered

! A line that is mirrored at a boundary, and planes whose distance only a run knows.
subroutine mirrored(nx, ny, depth, q, p)
  implicit none
  integer, intent(in) :: nx, ny, depth
  real(8), intent(inout) :: q(1 - depth:nx + depth, 1 - depth:ny + depth), p(0:nx, 0:ny)
  integer :: j, k
  do j = 1 - depth, ny + depth
    do k = 1, depth
      q(1 - k, j) = q(k, j)
    end do
    do k = 1, depth
      q(nx + k, j) = 2*q(nx + 1 - k, j)
    end do
  end do
  do j = 0, ny
    p(0, j) = p(nx - depth, j)
    p(nx, j) = p(1, j)
  end do
end subroutine mirrored

! Periodic in three directions, each by the planes that the one before has filled.
subroutine periodic(n1, n2, n3, u)
  implicit none
  integer, intent(in) :: n1, n2, n3
  real(8), intent(inout) :: u(n1, n2, n3)
  integer :: i1, i2, i3
  do i3 = 2, n3 - 1
    do i2 = 2, n2 - 1
      u(1, i2, i3) = u(n1 - 1, i2, i3)
      u(n1, i2, i3) = u(2, i2, i3)
    end do
    do i1 = 1, n1
      u(i1, 1, i3) = u(i1, n2 - 1, i3)
      u(i1, n2, i3) = u(i1, 2, i3)
    end do
  end do
  do i2 = 1, n2
    do i1 = 1, n1
      u(i1, i2, 1) = u(i1, i2, n3 - 1)
      u(i1, i2, n3) = u(i1, i2, 2)
    end do
  end do
end subroutine periodic

! From a coarse field to a fine one: every second point, some under a condition.
subroutine refined(n, m, u, z)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: u(2, m)
  real(8), intent(in) :: z(2, n)
  integer :: i, c
  do i = 1, n - 1
    do c = 1, 2
      u(c, 2*i - 1) = u(c, 2*i - 1) + z(c, i)
      if (z(c, i) > z(3 - c, i)) u(c, 2*i) = u(c, 2*i) + 0.5d0*(z(c, i) + z(c, i + 1))
    end do
  end do
end subroutine refined

! Old values ahead, of this line and of the next one; backwards as well.
subroutine ahead(nx, ny, a, b, d)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(0:nx + 1, 0:ny + 1), b(nx, ny), d(0:nx)
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      b(i, j) = a(i + 1, j) - a(i, j + 1)
      a(i, j) = 0.5d0*a(i + 1, j) + 0.25d0*(a(i, j + 1) - a(i - 1, j + 1)) + b(i, j)
    end do
  end do
  do i = nx, 1, -1
    d(i) = d(i - 1) + b(i, 1)
  end do
end subroutine ahead

! Components between and around the dimensions of points, and a band that points look up.
subroutine between(nx, ny, nz, s, t, w, bands, e)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: s(3, nx, 2, ny, nz), t(nx, ny, nz)
  real(8), intent(in) :: w(nz, nx), bands(nx, 3), e(2, nx, ny, nz, 3)
  integer :: i, j, k, m
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        do m = 1, 3
          s(m, i, 1, j, k) = s(m, i, 2, j, k)*w(k, i)
          if (k >= m) t(i, j, k) = t(i, j, k) + bands(i, m) - e(2, i, j, k, m)
        end do
      end do
    end do
  end do
end subroutine between

! Neighbours that the outermost points do not have, and leave alone.
subroutine edges(nx, ny, a, b, c)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: a(nx, ny), c(2, 0:nx)
  real(8), intent(inout) :: b(nx, ny)
  integer :: i, j
  real(8) :: west, north
  do j = ny, 1, -1
    do i = 1, nx
      west = 0
      if (i > 1) west = a(i - 1, j)
      north = a(i, j)
      if (j < ny .and. i > 1) north = a(i, j + 1) + c(2, i - 2)
      b(i, j) = west - north
    end do
  end do
end subroutine edges

! Buffers: subscripts that count two or three loops at once.
subroutine packed(nx, ny, nz, depth, offset, a, left, front, back)
  implicit none
  integer, intent(in) :: nx, ny, nz, depth, offset
  real(8), intent(in) :: a(nx, ny, nz)
  real(8), intent(inout) :: left(offset + depth*ny + 3), front(depth*ny*nz)
  real(8), intent(inout) :: back(offset + 2*depth*ny)
  integer :: j, k, l, index
  do k = 1, ny
    do j = 1, depth
      index = offset + j + (k - 1)*depth
      left(index) = 2*a(nx - depth + j, k, 1)
    end do
  end do
  do l = 1, nz
    do k = ny, 1, -1
      do j = 1, depth
        index = j + depth*((l - 1)*ny + k - 1)
        if (a(j, k, l) > 0.5d0) front(index) = front(index) + a(j, k, l)
      end do
    end do
  end do
  do k = 1, ny
    do j = 0, depth - 1
      back(offset + (ny - k)*2*depth - j + depth) = a(j + 1, k, 2) + a(nx - offset - j, k, 1)
    end do
  end do
end subroutine packed
