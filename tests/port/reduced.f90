! Loops that leave numbers: alone, from a line of work, or beside an array.
module reduced
  implicit none
contains

  subroutine summary(nx, ny, v, d, u, k, vol, mass, ke, most, few, found)
    integer, intent(in) :: nx, ny, k(nx, ny)
    real(8), intent(in) :: v(nx, ny), d(nx, ny), u(nx + 1, ny + 1)
    real(8), intent(inout) :: vol, mass, ke, most
    integer, intent(inout) :: few
    logical, intent(inout) :: found
    integer :: i, j
    real(8) :: square
    !$bridge begin summary
    do j = 1, ny
      do i = 1, nx
        square = 0.25d0*(u(i, j)**2 + u(i + 1, j)**2 + u(i, j + 1)**2 + u(i + 1, j + 1)**2)
        vol = vol + v(i, j)
        mass = mass + v(i, j)*d(i, j)
        ke = ke + 0.5d0*v(i, j)*d(i, j)*square
        most = max(most, square/d(i, j))
        few = min(few, k(i, j))
        if (k(i, j) > 900) found = .true.
      end do
    end do
    !$bridge end
  end subroutine summary

  ! Two kernels that run together: the line stays between them.
  subroutine chain(nx, ny, v, s, parts)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: v(nx, ny)
    real(8), intent(inout) :: s, parts(3)
    real(8) :: line(nx)
    integer :: i, j, m
    !$bridge begin chain
    do j = 1, ny
      do i = 1, nx
        line(i) = 3*v(i, j) - 1
      end do
      do i = 1, nx
        s = s + line(i)*line(i)
        do m = 1, 3
          parts(m) = parts(m) + m*line(i)
        end do
      end do
    end do
    !$bridge end
  end subroutine chain

  subroutine singly(nx, ny, v, s)
    integer, intent(in) :: nx, ny
    real(4), intent(in) :: v(nx, ny)
    real(4), intent(inout) :: s
    integer :: i, j
    !$bridge begin singly
    do j = 1, ny
      do i = 1, nx
        s = max(s, v(i, j)*v(i, j))
      end do
    end do
    !$bridge end
  end subroutine singly

  ! Its array is stored, and the number is reduced of an array too.
  subroutine beside(nx, ny, v, w, s)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: v(nx, ny)
    real(8), intent(inout) :: w(nx, ny), s
    integer :: i, j
    !$bridge begin beside
    do j = 1, ny
      do i = 1, nx
        w(i, j) = 0.5d0*v(i, j)
        s = s + w(i, j)*v(i, j)
      end do
    end do
    !$bridge end
  end subroutine beside

end module reduced
