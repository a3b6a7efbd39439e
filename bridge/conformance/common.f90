! common.f90: what the parts of conformance.f90 share: states of a block with one fringe on each side,
! the checks and what they print.
module conformance_common
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use bridge
  implicit none
  ! The interior is 2..nx-1 by 2..ny-1 by 2..nz-1.
  integer, parameter :: ns = 2, nq = 5 + ns, nx = 6, ny = 5, nz = 4, n = (nx - 2)*(ny - 2)*(nz - 2)
  real(c_double), parameter :: close = 1.0e-12_c_double
  real(c_double), target :: q(nx, ny, nz, nq), rho(nx, ny, nz), wanted(nx, ny, nz)
  integer(c_int), target :: word(nx, ny, nz)
  character(len=400) :: message = ' '
  real(c_double) :: expected
  integer :: ierr
  logical :: well = .true.

contains

  ! A call's status: the first that failed is told with the check that it belongs to.
  subroutine call_(status)
    integer, intent(in) :: status
    if (status == bridge_ok .or. .not. well) return
    well = .false.
    call frame_last_error(message)
  end subroutine call_

  subroutine check(label, right)
    character(len=*), intent(in) :: label
    logical, intent(in) :: right
    if (well .and. right) then
      print '(2a)', 'T ', label
    else
      print '(4a)', 'F ', label, ' | ', trim(merge('another value than wanted' // repeat(' ', &
          len(message) - 25), message, well))
    end if
    flush (6)
    well = .true.
  end subroutine check

  ! Whether a call was refused, and its message has a word.
  logical function refused(status, code, text)
    integer, intent(in) :: status, code
    character(len=*), intent(in) :: text
    call frame_last_error(message)
    refused = status == code .and. frame_status() == code .and. index(message, text) > 0
  end function refused

  subroutine states()
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          q(i, j, k, :) = [1.0e7_c_double, 0.0_c_double, 0.0_c_double, 0.0_c_double, &
              real(300 + 10*(i - 2) + 5*(j - 2) + (k - 2), c_double), 0.25_c_double, 0.75_c_double]
        end do
      end do
    end do
  end subroutine states

  logical function same(a, b)
    real(c_double), intent(in) :: a(:, :, :), b(:, :, :)
    same = all(shape(a) == shape(b))
    if (same) same = all(abs(a/b - 1) <= close)
  end function same

  ! The values wanted inside, -1 in the fringe.
  logical function inside_alone(a)
    real(c_double), intent(in) :: a(:, :, :)
    inside_alone = same(a(2:nx - 1, 2:ny - 1, 2:nz - 1), wanted(2:nx - 1, 2:ny - 1, 2:nz - 1)) &
        .and. count(a /= -1) == n
  end function inside_alone

  subroutine bind_all()
    call frame_bind('cells', 'Q', 'in', q, 2, nx - 1, 2, ny - 1, 2, nz - 1, ierr=ierr)
    call call_(ierr)
    call frame_bind('cells', 'rho', 'out', rho, sptx=2, eptx=nx - 1, spty=2, epty=ny - 1, sptz=2, &
        eptz=nz - 1, ierr=ierr)
    call call_(ierr)
  end subroutine bind_all

end module conformance_common
