! A smoother with colours and a line solver from Fortran, against the same loops here.
program colours
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: nx = 15, ny = 8, nz = 7
  real(c_double), target :: p(nx, ny, nz), f(nx, ny, nz)
  real(c_double), target :: a(nx, ny, nz), b(nx, ny, nz), c(nx, ny, nz), x(nx, ny, nz)
  real(c_double) :: wanted(nx, ny, nz), factor(nx, ny, nz), pivot
  character(len=400) :: message
  integer :: colour, ierr, i, j, k

  call random_init(.true., .false.)   ! the same values in each run
  call random_number(p)
  call random_number(f)
  wanted = p
  call frame_error_policy('return')
  call frame_initialize(0, 100, 0, 0, 0)
  call bound('od_p', 'inout', p)
  call bound('od_f', 'in', f)
  call frame_position('cells', 10, 4, 5)
  do colour = 1, 2
    call frame_run_colour('cells', 'odRedBlack', colour, ierr)
    if (ierr /= 0) stop 'a colour failed'
    do k = 2, nz - 1
      do j = 2, ny - 1
        do i = 2, nx - 1
          ! (2, 2, 2) has position (10, 4, 5): the first colour is of even sums
          if (mod(i + j + k + 13 + colour, 2) /= 1) cycle
          wanted(i, j, k) = wanted(i, j, k) + 1.25d0 * ((wanted(i+1, j, k) + wanted(i-1, j, k) &
              + wanted(i, j+1, k) + wanted(i, j-1, k) + wanted(i, j, k+1) + wanted(i, j, k-1) &
              - f(i, j, k)) / 6 - wanted(i, j, k))
        end do
      end do
    end do
    print '(a, i0, es12.4)', 'colour', colour, maxval(abs(p - wanted))
  end do

  call random_number(a)
  call random_number(b)
  call random_number(c)
  call random_number(x)
  b = b + 3
  wanted = x
  do k = 2, nz - 1
    do i = 2, nx - 1
      factor(i, 2, k) = c(i, 2, k) / b(i, 2, k)
      wanted(i, 2, k) = wanted(i, 2, k) / b(i, 2, k)
      do j = 3, ny - 1
        pivot = 1 / (b(i, j, k) - a(i, j, k) * factor(i, j-1, k))
        factor(i, j, k) = c(i, j, k) * pivot
        wanted(i, j, k) = (wanted(i, j, k) - a(i, j, k) * wanted(i, j-1, k)) * pivot
      end do
      do j = ny - 2, 2, -1
        wanted(i, j, k) = wanted(i, j, k) - factor(i, j, k) * wanted(i, j+1, k)
      end do
    end do
  end do
  call bound('od_a', 'in', a)
  call bound('od_b', 'in', b)
  call bound('od_c', 'in', c)
  call bound('od_x', 'inout', x)
  call frame_run('cells', 'odThomasYUp')
  print '(a, es12.4)', 'lines', maxval(abs(x - wanted))

  call frame_run_colour('cells', 'odRedBlack', 3, ierr)
  call refused('third')
  call frame_run_colour('cells', 'odThomasYUp', 1, ierr)
  call refused('uncoloured')
  call frame_finalize()

contains

  subroutine bound(name, intent, array)
    character(len=*), intent(in) :: name, intent
    real(c_double), target, intent(in) :: array(nx, ny, nz)
    call frame_bind('cells', name, intent, array, sptx=2, eptx=nx-1, spty=2, epty=ny-1, &
        sptz=2, eptz=nz-1)
  end subroutine bound

  subroutine refused(label)
    character(len=*), intent(in) :: label
    call frame_last_error(message)
    print '(a, i4, 1x, a)', label, ierr, trim(message)
  end subroutine refused
end program colours
