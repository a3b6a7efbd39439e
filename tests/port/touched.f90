! Arrays whose declaration does not say how many components they have: the subscripts do.
module touched
  implicit none
  integer, parameter :: density = 2, energy = 5
contains

  ! Some of the components of an array that begins elsewhere; single ones and those of a loop.
  subroutine last_ones(nx, ny, w, p, total)
    integer, intent(in) :: nx, ny
    real(8), allocatable, intent(inout) :: w(:, :, :), p(:, :)
    real(8), intent(inout) :: total
    integer :: i, j, m
    do j = 1, ny
      do i = 1, nx
        p(i, j) = 0.4d0*(w(i, j, energy) - 0.5d0*w(i, j, density + 1)**2)
        do m = 1, 5
          w(i, j, 7 - m) = w(i, j, 7 - m) + m*p(i, j)
        end do
        do m = 9, 8
          w(i, j, m) = 0
        end do
        total = total + w(i, j, density + 1)
      end do
    end do
  end subroutine last_ones

  ! Components in front of the points: all of them.
  subroutine first_ones(nx, ny, q, r)
    integer, intent(in) :: nx, ny
    real(8), allocatable, intent(inout) :: q(:, :, :), r(:, :)
    real(8) :: s
    integer :: i, j, m
    do j = 1, ny
      do i = 1, nx
        s = 0
        do m = -1, 2
          s = s + m*q(m, i, j)
        end do
        q(0, i, j) = s
        r(i, j) = sum(q(-1:1, i, j))
      end do
    end do
  end subroutine first_ones

  ! Neighbours; each point writes all components that it touches.
  subroutine all_written(nx, w, flux)
    integer, intent(in) :: nx
    real(8), allocatable, intent(inout) :: w(:, :), flux(:, :)
    integer :: i, m
    do i = 2, nx - 1
      do m = 0, 2
        flux(i, m) = w(i + 1, m) - w(i - 1, m)
      end do
    end do
  end subroutine all_written

  ! Elements that are gathered and scattered, with their components.
  subroutine mirror(ny, ghosts, w)
    integer, intent(in) :: ny, ghosts
    real(8), allocatable, intent(inout) :: w(:, :, :)
    integer :: j, l, m
    do j = 1, ny
      do l = 1, ghosts
        do m = 1, 4
          w(1 - l, j, m) = 0.5d0*w(l, j, m)
        end do
      end do
    end do
  end subroutine mirror
end module touched
