! Loops of a host compared with their kernels, and their inputs recorded, by the module's entries;
! beside_f77.f has the entries of Fortran 77.
program beside
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use bridge
  implicit none
  integer, parameter :: nx = 13, ny = 20, nz = 5
  real(c_double), parameter :: dt = 0.25_c_double
  real(c_double), target :: u(-1:nx+1, 0:ny, nz, 2), q(nx, ny, nz), r(nx, ny, nz, 2)
  integer(c_int), target :: flag(nx, ny, nz)
  real(c_double), target :: line(0:nx, ny, nz)
  real(c_double) :: worst, other
  character(len=400) :: message
  integer :: ierr, step
  external :: fixed

  call random_init(.true., .false.)   ! the same values in each run
  call random_number(u)
  call random_number(q)
  call random_number(line)
  call frame_error_policy('return')
  call frame_initialize(0, 100, 0, 0, 0)
  call frame_bind('cells', 'bs_u', 'inout', u, sptx=3, eptx=nx+2, spty=1, epty=ny)
  call frame_bind('cells', 'bs_q', 'inout', q)
  call frame_bind('cells', 'bs_r', 'out', r)
  call frame_bind('cells', 'bs_flag', 'out', flag)
  call frame_bind('lines', 'bs_line', 'inout', line, sptx=2, eptx=nx+1)

  worst = -1
  do step = 1, 3
    call frame_record('cells', 'bsStep', 'states')
    call frame_compare_begin('cells', 'bsStep')
    call nest
    call frame_compare('cells', 'bsStep', other)
    worst = max(worst, other)
  end do
  print '(a, es12.4)', 'whole', worst
  worst = -1
  do step = 1, 20
    call frame_compare_begin('cells', 'bsStep', share=0.25_c_double)
    call nest
    call frame_compare('cells', 'bsStep', worst, ierr)
    if (ierr /= 0 .or. worst > 1e-14_c_double) print '(a)', 'share'
  end do
  call frame_compare_begin('lines', 'bsSweep', ierr=ierr)
  print '(a, i0)', 'begun ', ierr
  call sweep
  call frame_compare('lines', 'bsSweep')
  call frame_record_write(ierr)
  print '(a, i0)', 'written ', ierr

  call frame_compare_begin('cells', 'bsStep')
  call nest
  r(4, 3, 2, 1) = r(4, 3, 2, 1) + 1
  worst = -1
  call frame_compare('cells', 'bsStep', worst)
  print '(a, f8.4)', 'wrong', worst*maxval(abs(r(:, :, :, 1)))

  call fixed(worst)
  print '(a, es12.4)', 'fixed', worst

  worst = -7
  call frame_compare('cells', 'bsStep', worst, ierr)
  call refused('early')
  print '(a, f4.0)', 'kept', worst
  call frame_compare_begin('cells', 'bsStep', 1.5_c_double, ierr)
  call refused('share')
  call frame_compare_begin('lines', 'bsSweep', 0.5_c_double, ierr)
  call refused('order')
  call frame_compare_begin('cells', 'bsNothing', ierr=ierr)
  call refused('name')
  call frame_record('cells', 'bsStep', 'no/such/folder/states', ierr)
  call refused('folder')
  call frame_report()
  call frame_finalize()
  call frame_compare('cells', 'bsStep', worst, ierr)
  call refused('late')

contains

  subroutine nest
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          r(i, j, k, :) = dt*(u(i+1, j-1, k, :) - u(i-1, j-1, k, :)) + q(i, j, k)*u(i, j, k, :)
          q(i, j, k) = q(i, j, k) + dt*r(i, j, k, 1)
          flag(i, j, k) = merge(1, 0, r(i, j, k, 2) > 0)
        end do
      end do
    end do
  end subroutine nest

  subroutine sweep
    integer :: i
    do i = 1, nx
      line(i, :, :) = line(i, :, :) + 0.5_c_double*line(i-1, :, :)
    end do
  end subroutine sweep

  subroutine refused(label)
    character(len=*), intent(in) :: label
    call frame_last_error(message)
    print '(a, 1x, i0, 1x, a)', label, ierr, trim(message)
  end subroutine refused
end program beside
