! Stable fluids (J. Stam, 1999): the parts of a step.
module solvemodule
  use settingsmodule, only: sp, sweeps, none, vertical, horizontal
  implicit none
  private
  public :: addSource, diffuse, project, advect

contains

  subroutine addSource(n, x, s, dt)
    integer, intent(in) :: n
    real(sp), intent(inout) :: x(0:n+1, 0:n+1)
    real(sp), intent(in) :: s(0:n+1, 0:n+1), dt
    integer :: i, j
    !$bridge begin addsource
    do j = 0, n + 1
      do i = 0, n + 1
        x(i, j) = x(i, j) + dt*s(i, j)
      end do
    end do
    !$bridge end
  end subroutine addSource

  ! The layer around the cells: no flow through walls.
  subroutine setBoundary(n, b, x)
    integer, intent(in) :: n, b
    real(sp), intent(inout) :: x(0:n+1, 0:n+1)
    real(sp) :: across, along
    integer :: i
    across = merge(-1.0_sp, 1.0_sp, b == vertical)
    along = merge(-1.0_sp, 1.0_sp, b == horizontal)
    do i = 1, n
      x(0, i) = across*x(1, i)
      x(n+1, i) = across*x(n, i)
      x(i, 0) = along*x(i, 1)
      x(i, n+1) = along*x(i, n)
    end do
    x(0, 0) = 0.5_sp*(x(1, 0) + x(0, 1))
    x(0, n+1) = 0.5_sp*(x(1, n+1) + x(0, n))
    x(n+1, 0) = 0.5_sp*(x(n, 0) + x(n+1, 1))
    x(n+1, n+1) = 0.5_sp*(x(n, n+1) + x(n+1, n))
  end subroutine setBoundary

  ! Gauss-Seidel: red cells, whose i + j is even, then black ones.
  subroutine linearSolve(n, b, x, rhs, a, c)
    integer, intent(in) :: n, b
    real(sp), intent(inout) :: x(0:n+1, 0:n+1)
    real(sp), intent(in) :: rhs(0:n+1, 0:n+1), a, c
    integer :: sweep, colour, i, j
    do sweep = 1, sweeps
      do colour = 0, 1
        do j = 1, n
          do i = 1 + mod(j + 1 + colour, 2), n, 2
            x(i, j) = (rhs(i, j) + a*(x(i-1, j) + x(i+1, j) + x(i, j-1) + x(i, j+1)))/c
          end do
        end do
      end do
      call setBoundary(n, b, x)
    end do
  end subroutine linearSolve

  subroutine diffuse(n, b, x, rhs, coefficient, dt)
    integer, intent(in) :: n, b
    real(sp), intent(inout) :: x(0:n+1, 0:n+1)
    real(sp), intent(in) :: rhs(0:n+1, 0:n+1), coefficient, dt
    real(sp) :: a
    a = dt*coefficient*n*n
    call linearSolve(n, b, x, rhs, a, 1 + 4*a)
  end subroutine diffuse

  ! The part of a velocity without divergence; p and div: arrays to work in.
  subroutine project(n, u, v, p, div)
    integer, intent(in) :: n
    real(sp), intent(inout) :: u(0:n+1, 0:n+1), v(0:n+1, 0:n+1)
    real(sp), intent(inout) :: p(0:n+1, 0:n+1), div(0:n+1, 0:n+1)
    integer :: i, j
    !$bridge begin divergence
    do j = 1, n
      do i = 1, n
        div(i, j) = -0.5_sp*(u(i+1, j) - u(i-1, j) + v(i, j+1) - v(i, j-1))/n
        p(i, j) = 0.0_sp
      end do
    end do
    !$bridge end
    call setBoundary(n, none, div)
    call setBoundary(n, none, p)
    call linearSolve(n, none, p, div, 1.0_sp, 4.0_sp)
    !$bridge begin gradient
    do j = 1, n
      do i = 1, n
        u(i, j) = u(i, j) - 0.5_sp*n*(p(i+1, j) - p(i-1, j))
        v(i, j) = v(i, j) - 0.5_sp*n*(p(i, j+1) - p(i, j-1))
      end do
    end do
    !$bridge end
    call setBoundary(n, vertical, u)
    call setBoundary(n, horizontal, v)
  end subroutine project

  ! What the flow (u, v) brings to each cell, from where its path began.
  subroutine advect(n, b, q, q0, u, v, dt)
    integer, intent(in) :: n, b
    real(sp), intent(inout) :: q(0:n+1, 0:n+1)
    real(sp), intent(in) :: q0(0:n+1, 0:n+1), u(0:n+1, 0:n+1), v(0:n+1, 0:n+1), dt
    real(sp) :: x, y, right, upper
    integer :: i, j, i0, j0
    do j = 1, n
      do i = 1, n
        x = min(max(i - dt*n*u(i, j), 0.5_sp), n + 0.5_sp)
        y = min(max(j - dt*n*v(i, j), 0.5_sp), n + 0.5_sp)
        i0 = int(x)
        j0 = int(y)
        right = x - i0
        upper = y - j0
        q(i, j) = (1 - right)*((1 - upper)*q0(i0, j0) + upper*q0(i0, j0+1)) &
          + right*((1 - upper)*q0(i0+1, j0) + upper*q0(i0+1, j0+1))
      end do
    end do
    call setBoundary(n, b, q)
  end subroutine advect

end module solvemodule
