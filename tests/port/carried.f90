! Scalars that one round leaves for the next one.

! Set before the loop of a column, or by the caller; read and set where a condition holds; backwards.
subroutine carries(nx, nz, a, b, c, start)
  implicit none
  integer, intent(in) :: nx, nz
  real(8), intent(in) :: a(nx, nz), start
  real(8), intent(inout) :: b(nx, nz), c(nx, nz)
  real(8) :: path, last
  integer :: i, k
  do i = 1, nx
    path = start*a(i, 1)
    do k = 1, nz
      path = 0.5d0*path + a(i, k)
      b(i, k) = exp(-path)
    end do
  end do
  do i = 1, nx
    last = -1
    do k = nz, 2, -1
      c(i, k) = last
      if (a(i, k) > 1d0) last = k*a(i, k - 1)
    end do
  end do
end subroutine carries

! Along the only loop, from what the caller gives on; whole numbers and marks.
subroutine follows(n, m, first, a, b, k)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(m:n), first
  real(8), intent(inout) :: b(m:n)
  integer, intent(inout) :: k(m:n)
  real(8) :: old, now
  integer :: i, count
  logical :: above
  old = first
  do i = m, n
    now = 0.5d0*old + a(i)
    b(i) = now - old
    old = now
  end do
  count = 0
  above = .false.
  do i = m, n
    if (a(i) > 1d0) then
      count = count + 1
      above = .not. above
    end if
    if (above) k(i) = count
  end do
end subroutine follows

! Rounds of few numbers, of which the first one is where the last loop ended.
subroutine groups(ng, coarse)
  implicit none
  integer, intent(in) :: ng
  real(8), intent(inout) :: coarse(3)
  integer :: g, n, m
  m = 0
  do g = 1, ng
    coarse(g) = 0
    do n = 1, g
      m = m + 1
      coarse(g) = coarse(g) + 1d0/m
    end do
  end do
end subroutine groups

! What is set before the loop stands under a condition with it.
subroutine under(n, m, a, b)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(20)
  real(8), intent(inout) :: b(20)
  real(8) :: t
  integer :: i
  if (n > 2) then
    t = 0
    do i = m, n
      if (a(i) > 1d0) t = a(i)
      b(i) = t
    end do
  end if
end subroutine under

! Sums of rows whose length a run decides: read behind their loop, without a round too.
subroutine rows(n, m, none, a, x, y, z, b)
  implicit none
  integer, intent(in) :: n, m, none
  real(8), intent(in) :: a(n, m), x(m)
  real(8), intent(inout) :: y(n), z(n), b(m, n)
  integer :: i, j, above
  real(8) :: s, most
  do i = 1, n
    s = x(1)
    most = -1d30
    above = 0
    do j = m, 1, -1
      if (a(i, j) > 0.5d0) above = above + 1
      most = max(most, a(i, j))
      s = s + a(i, j)*x(j)
    end do
    s = s/m
    y(i) = s + above
    if (most > 0.6d0) z(i) = most*s
  end do
  do j = 1, m
    do i = 2, n
      s = a(i, j)
      if (j > 2) s = -s
      b(j, i) = s
    end do
  end do
  do i = 1, n
    s = 0.25d0
    do j = 3, none
      s = s + a(i, j)
    end do
    z(i) = z(i) + s
  end do
end subroutine rows
