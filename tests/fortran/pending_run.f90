! frame_run in two calls. Between them the fringes are the solver's and a second set is run; after
! frame_wait the compiler has to read the results anew, -O3 or not.
module steps
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge, only: frame_run, frame_run_begin, frame_wait, frame_unchanged
  implicit none
  integer, parameter :: n = 6, fringe = 1
contains

  subroutine step(t, rho, seen)
    real(c_double), intent(inout), target :: t(n, n, n)
    real(c_double), intent(in), target :: rho(n, n, n)
    real(c_double), intent(out) :: seen(4)
    integer :: turn
    seen(1) = rho(3, 3, 3)
    do turn = 1, 3
      t(2:n - 1, 2:n - 1, 2:n - 1) = 200.0_c_double + 100.0_c_double*turn
      call frame_run_begin('cells', 'eosThermalProperties')
      t(1, :, :) = -1.0_c_double        ! what an exchange of fringes writes
      t(n, :, :) = -1.0_c_double
      call frame_run('plane', 'eosThermalProperties')
      call frame_wait('cells')
      seen(turn + 1) = rho(3, 3, 3)
    end do
  end subroutine step

end module steps

program pending_run
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  use steps, only: step, n
  implicit none
  real(c_double), target :: t(n, n, n), p(n, n, n), y(n, n, n, 2), rho(n, n, n)
  real(c_double), target :: t2(n, 1, 1), p2(n, 1, 1), y2(n, 1, 1, 2), rho2(n, 1, 1)
  real(c_double) :: seen(4)
  integer :: ierr(7)
  p = 1.0e7_c_double
  p2 = 1.0e7_c_double
  t2 = 300.0_c_double
  y(:, :, :, 1) = 0.25_c_double
  y(:, :, :, 2) = 0.75_c_double
  y2(:, :, :, 1) = 0.25_c_double
  y2(:, :, :, 2) = 0.75_c_double
  rho = -1.0_c_double
  rho2 = -1.0_c_double
  call frame_set('backend', 'cpu')
  call frame_set('species', 'O2 CH4')
  call frame_initialize(0, 20, 2, 7, 0)
  call bind_inside('T', 'in', t)
  call bind_inside('P', 'in', p)
  call bind_inside('rho', 'out', rho)
  call frame_bind('cells', 'Y', 'in', y, sptx=2, eptx=n - 1, spty=2, epty=n - 1, sptz=2, &
      eptz=n - 1)
  call frame_bind('plane', 'T', 'in', t2)
  call frame_bind('plane', 'P', 'in', p2)
  call frame_bind('plane', 'Y', 'in', y2)
  call frame_bind('plane', 'rho', 'out', rho2)
  call step(t, rho, seen)
  print '(a,4(1x,es25.17))', 'seen', seen
  print '(a,1x,es25.17)', 'plane', rho2(1, 1, 1)
  print '(a,1x,i0)', 'fringe', count(rho == -1)

  call frame_error_policy('return')
  call frame_wait('cells', ierr(1))
  call frame_run_begin('cells', 'eosThermalProperties', ierr(2))
  call frame_run('cells', 'eosThermalProperties', ierr(3))
  call frame_unbind('cells', 'T', ierr(4))
  call frame_wait('cells', ierr(5))
  call frame_unchanged('cells', 'T', ierr(6))
  call frame_unchanged('cells', 'rho', ierr(7))
  print '(a,7(1x,i0))', 'status', ierr
  call frame_run_begin('cells', 'eosThermalProperties')
  call frame_finalize()
  print '(a,1x,i0)', 'end', frame_status()

contains

  subroutine bind_inside(name, intent, data)
    character(len=*), intent(in) :: name, intent
    real(c_double), pointer, intent(in) :: data(:, :, :)
    call frame_bind('cells', name, intent, data, sptx=2, eptx=n - 1, spty=2, epty=n - 1, &
        sptz=2, eptz=n - 1)
  end subroutine bind_inside

end program pending_run
