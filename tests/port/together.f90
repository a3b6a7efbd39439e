! Nests whose kernels run together, and nests whose kernels have to run one after the other.

! Stages of one box: a guard, a local of two stages, a work line, components, two reductions.
subroutine together(nx, ny, nz, u, f, rhs, w, dt, mode, most, total)
  implicit none
  integer, intent(in) :: nx, ny, nz, mode
  real(8), intent(in) :: u(3, 0:nx + 1, 0:ny + 1, nz), f(3, nx, ny, nz), dt
  real(8), intent(inout) :: rhs(3, nx, ny, nz), w(nx, ny, nz), most, total
  real(8) :: s, line(nx)
  integer :: i, j, k, m
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        do m = 1, 3
          rhs(m, i, j, k) = f(m, i, j, k)
        end do
        total = total + f(1, i, j, k)
      end do
    end do
  end do
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        s = dt*w(i, j, k)
        line(i) = s*s
        do m = 1, 3
          rhs(m, i, j, k) = rhs(m, i, j, k) + s*(u(m, i + 1, j, k) - 2*u(m, i, j, k) + u(m, i - 1, j, k))
        end do
      end do
      do i = 1, nx
        w(i, j, k) = line(i)*dt + w(i, j, k)
      end do
    end do
    if (mode > 0) then
      do j = 1, ny
        do i = 1, nx
          s = 1/(1 + w(i, j, k)**2)
          do m = 1, 3
            rhs(m, i, j, k) = rhs(m, i, j, k) - s*(u(m, i, j + 1, k) - u(m, i, j - 1, k))
          end do
        end do
      end do
    end if
  end do
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        if (w(i, j, k) < 0) rhs(2, i, j, k) = 0
        most = max(most, abs(rhs(3, i, j, k)*dt))
      end do
    end do
  end do
end subroutine together

! The second loop has another box, the third one reads neighbours of what it makes, the fourth one
! makes what the third one reads at neighbours, the fifth one is a sweep.
subroutine apart(nx, ny, a, b, c)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(0:nx + 1, ny), b(0:nx + 1, ny), c(0:nx + 1, ny)
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      a(i, j) = 2*b(i, j)
    end do
  end do
  do j = 1, ny
    do i = 2, nx - 1
      b(i, j) = a(i, j) + c(i, j)
    end do
  end do
  do j = 1, ny
    do i = 2, nx - 1
      c(i, j) = c(i, j) + b(i - 1, j) - b(i, j)
    end do
  end do
  do j = 1, ny
    do i = 2, nx - 1
      b(i, j) = c(i, j)*0.5d0
    end do
  end do
  do j = 1, ny
    do i = 2, nx - 1
      c(i, j) = b(i, j) + 0.5d0*c(i - 1, j)
    end do
  end do
end subroutine apart

! Both loops spread the line over the box, the second one under another index.
subroutine lines(nx, ny, p, a, b)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: p(0:ny + 1)
  real(8), intent(inout) :: a(nx, ny), b(nx, ny)
  integer :: i, j
  do j = 1, ny
    do i = 1, nx
      a(i, j) = a(i, j)*p(j)
    end do
  end do
  do j = 1, ny
    do i = 1, nx
      b(i, j) = a(i, j) + p(j - 1)
    end do
  end do
end subroutine lines
