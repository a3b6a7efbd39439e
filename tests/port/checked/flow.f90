! Nests that a check compares with their kernels.
module flow
  implicit none
contains
  subroutine smooth(nx, ny, u, r, weight)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: u(0:nx+1, 0:ny+1), weight
    real(8), intent(inout) :: r(nx, ny)
    integer :: i, j
    !$bridge begin smooth
    do j = 1, ny
      do i = 2, nx - 1
        r(i, j) = r(i, j) + weight * (u(i+1, j) - 2 * u(i, j) + u(i-1, j)) &
          + u(i, j+1) * u(i, j-1)
      end do
    end do
    !$bridge end
  end subroutine smooth

  subroutine largest(nx, ny, u, total, most)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: u(nx, ny)
    real(8), intent(out) :: total, most
    integer :: i, j
    total = 0
    most = 0
    !$bridge begin largest
    do j = 1, ny
      do i = 1, nx
        total = total + u(i, j)**2
        most = max(most, abs(u(i, j)))
      end do
    end do
    !$bridge end
  end subroutine largest

  subroutine recur(nx, ny, a, x)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(nx, ny)
    real(8), intent(inout) :: x(nx, ny)
    integer :: i, j
    !$bridge begin recur
    do j = 1, ny
      do i = 2, nx
        x(i, j) = x(i, j) - 0.25d0 * a(i, j) * x(i-1, j)
      end do
    end do
    !$bridge end
  end subroutine recur

  subroutine remains(nx, u, r)
    integer, intent(in) :: nx
    real(8), intent(in) :: u(nx)
    real(8), intent(inout) :: r(nx)
    integer :: i
    !$bridge begin remains
    do i = 1, nx
      r(i) = cos(u(i)) - 1 + u(i) * u(i) / 2
    end do
    !$bridge end
  end subroutine remains

  subroutine waves(nx, u, r)
    integer, intent(in) :: nx
    real(8), intent(in) :: u(2, nx)
    real(8), intent(inout) :: r(nx)
    integer :: i
    !$bridge begin waves
    do i = 1, nx
      r(i) = sqrt(u(1, i) - 6d0) + sqrt(300d0 - u(2, i)) * r(i)
    end do
    !$bridge end
  end subroutine waves
end module flow
