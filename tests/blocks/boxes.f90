! Runs on boxes by every form of the entries, on a kernel that reads neighbours.
program boxes
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: nx = 14, ny = 7, nz = 6
  real(c_double), target :: p(nx, ny, nz), lap(nx, ny, nz)
  real(c_double) :: wanted(nx, ny, nz)
  character(len=400) :: message
  integer :: shell(6, 6), ierr, i, j, k

  call random_init(.true., .false.)   ! the same values in each run
  call random_number(p)
  wanted = 0
  do k = 2, nz - 1
    do j = 2, ny - 1
      do i = 3, nx - 1
        wanted(i, j, k) = p(i+1, j, k) + p(i-1, j, k) + p(i, j+1, k) + p(i, j-1, k) &
            + p(i, j, k+1) + p(i, j, k-1) - 6 * p(i, j, k)
      end do
    end do
  end do

  call frame_error_policy('return')
  call frame_initialize(0, 100, 0, 0, 0)
  call frame_bind('cells', 'st_p', 'in', p, sptx=3, eptx=nx-1, spty=2, epty=ny-1, sptz=2, eptz=nz-1)
  call frame_bind('cells', 'st_lap', 'out', lap, sptx=3, eptx=nx-1, spty=2, epty=ny-1, &
      sptz=2, eptz=nz-1)

  lap = 0
  call frame_run('cells', 'stLaplacian')
  call told('whole')
  lap = 0
  call frame_run_begin('cells', 'stLaplacian', box=[2, 10, 2, 4, 2, 3])
  call frame_wait('cells')
  shell(:, 1) = [1, 1, 1, 5, 1, 4]
  shell(:, 2) = [11, 11, 1, 5, 1, 4]
  shell(:, 3) = [2, 10, 1, 1, 1, 4]
  shell(:, 4) = [2, 10, 5, 5, 1, 4]
  shell(:, 5) = [2, 10, 2, 4, 1, 1]
  shell(:, 6) = [2, 10, 2, 4, 4, 4]
  call frame_run('cells', 'stLaplacian', shell, ierr)
  call told('parts')
  lap = 0
  call frame_run('cells', 'stLaplacian', box=[1, 11, 1, 5, 1, 4])
  call told('one')
  lap = 0
  call frame_run_begin('cells', 'stLaplacian', box=shell(:, 3:3))
  call frame_wait('cells')
  lap(4:12, 2, 2:5) = lap(4:12, 2, 2:5) - wanted(4:12, 2, 2:5)
  print '(a, es12.4)', 'row', maxval(abs(lap))

  call frame_run('cells', 'stLaplacian', box=[1, 11, 1, 5], ierr=ierr)
  call refused('four')
  call frame_run('cells', 'stLaplacian', box=shell(1:5, :), ierr=ierr)
  call refused('five')
  call frame_run('cells', 'stLaplacian', box=[1, 13, 1, 5, 1, 4], ierr=ierr)
  call refused('beyond')
  call frame_run_begin('cells', 'stLaplacian', box=shell(:, 1:0), ierr=ierr)
  call refused('none')
  call frame_finalize()

contains

  subroutine told(label)
    character(len=*), intent(in) :: label
    print '(a, es12.4)', label, maxval(abs(lap - wanted))
  end subroutine told

  subroutine refused(label)
    character(len=*), intent(in) :: label
    call frame_last_error(message)
    print '(a, i4, 1x, a)', label, ierr, trim(message)
  end subroutine refused

end program boxes
