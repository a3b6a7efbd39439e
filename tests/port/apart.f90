! Nests of two kernels that only one thing keeps from running together.

subroutine swept(nx, ny, a, b, c)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, ny), b(nx, ny), c(nx, ny)
  integer :: i, j
  do j = 1, ny
    do i = 2, nx
      a(i, j) = 2*b(i, j)
    end do
  end do
  do j = 1, ny
    do i = 2, nx
      c(i, j) = a(i, j) + 0.5d0*c(i - 1, j)
    end do
  end do
end subroutine swept

subroutine picked(nx, ny, ind, a, b, c, d)
  implicit none
  integer, intent(in) :: nx, ny, ind(nx)
  real(8), intent(inout) :: a(nx, ny), b(nx, ny), c(nx, ny), d(nx, ny)
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      a(i, j) = 2*b(i, j)
    end do
  end do
  do j = 1, ny
    do i = 1, nx
      c(i, j) = a(i, j) + d(ind(i), j)
    end do
  end do
end subroutine picked

! The second loop has the array one point further.
subroutine further(nx, ny, a, b, c)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, ny), b(0:nx, ny), c(nx, ny)
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      a(i, j) = 2*b(i, j)
    end do
  end do
  do j = 1, ny
    do i = 1, nx
      c(i, j) = b(i - 1, j)
    end do
  end do
end subroutine further

! The third loop needs neighbours of what the first one makes; the second one has nothing of both.
subroutine later(nx, ny, a, b, c, d, e)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(0:nx, ny), b(nx, ny), c(nx, ny), d(nx, ny), e(nx, ny)
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      a(i, j) = 2*b(i, j)
    end do
  end do
  do j = 1, ny
    do i = 1, nx
      c(i, j) = d(i, j)
    end do
  end do
  do j = 1, ny
    do i = 1, nx
      e(i, j) = a(i, j) + a(i - 1, j)
    end do
  end do
end subroutine later

! A plane is made of the plane behind it.
subroutine planes(nx, ny, a, c)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx, ny), c(nx, ny)
  integer :: j
  do j = 1, ny
    a(1, j) = 2*a(2, j)
  end do
  do j = 1, ny
    c(1, j) = a(1, j)
  end do
end subroutine planes
