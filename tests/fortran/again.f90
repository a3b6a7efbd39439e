! Runs that come again: on the whole set, on boxes, of colours and stages' kernels, after changes of
! what they are made of, and from several threads at the same time.
program again
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use omp_lib
  use bridge
  implicit none (type, external)
  integer, parameter :: n = 6, turns = 200, most = 4
  real(c_double), target :: t(n, n, n), p(n, n, n), y(n, n, n, 2), rho(n, n, n)
  real(c_double), target :: other(n, n, n)
  real(c_double), target :: tt(n, most), pt(n, most), yt(n, 2, most), rhot(n, most)
  integer(c_int) :: box(6), ierr(10)
  integer :: turn, me, wrong
  character(len=8) :: mine

  p = 1.0e7_c_double
  y = 0.5_c_double
  rho = 0.0_c_double
  other = 450.0_c_double
  box = [1, 2, 1, n, 1, n]
  call frame_set('species', 'O2 CH4')
  call frame_set('stability', 'off')
  call frame_initialize(0, 1000, 2, 7, 0)
  call frame_bind('cells', 'T', 'in', t)
  call frame_bind('cells', 'P', 'in', p)
  call frame_bind('cells', 'Y', 'in', y)
  call frame_bind('cells', 'rho', 'out', rho)
  t = 300.0_c_double
  call frame_run('cells', 'eosThermalProperties')
  call frame_run('cells', 'eosThermalProperties', box)
  print *, 'first', rho(3, 3, 3)
  call frame_report()
  do turn = 1, turns
    t = 300.0_c_double + turn
    call frame_run('cells', 'eosThermalProperties')
    t(1:2, :, :) = 500.0_c_double
    call frame_run('cells', 'eosThermalProperties', box)
    call frame_run_begin('cells', 'eosThermalProperties')
    call frame_wait('cells')
  end do
  call frame_report()
  print *, 'later', rho(3, 3, 3), rho(2, 3, 3)

  ! another array, a run that is pending, no array, and no set
  call frame_error_policy('return')
  call frame_bind('cells', 'T', 'in', other)
  call frame_run('cells', 'eosThermalProperties')
  print *, 'other', rho(3, 3, 3)
  call frame_run('cells', 'eosThermalProperties')
  call frame_run_begin('cells', 'eosThermalProperties')           ! in C, and Python is to know
  call frame_run('cells', 'eosThermalProperties', ierr=ierr(1))   ! one is pending
  call frame_bind('cells', 'T', 'in', t, ierr=ierr(8))
  call frame_wait('cells')
  call frame_wait('cells', ierr=ierr(9))                          ! none is
  call frame_run('cells', 'eosThermalProperties', ierr=ierr(2))
  call frame_unbind('cells', 'P')
  call frame_run('cells', 'eosThermalProperties', ierr=ierr(3))
  call frame_bind('cells', 'P', 'in', p)
  call frame_run('cells', 'eosThermalProperties', ierr=ierr(4))
  call frame_run('cells', 'eosThermalProperties', ierr=ierr(5))
  call frame_run_colour('cells', 'eosThermalProperties', 0, ierr=ierr(6))
  call frame_unbind('cells', '*')
  call frame_run('cells', 'eosThermalProperties', ierr=ierr(7))
  print *, 'status', ierr(1:9)

  ! sets of several threads, one of which binds its arrays anew all the time
  pt = 1.0e7_c_double
  yt = 0.5_c_double
  wrong = 0
  !$omp parallel num_threads(most) private(me, mine, turn) reduction(+:wrong)
  me = omp_get_thread_num() + 1
  write (mine, '(a, i0)') 'cells', me
  call frame_bind(mine, 'T', 'in', tt(:, me))
  call frame_bind(mine, 'P', 'in', pt(:, me))
  call frame_bind(mine, 'Y', 'in', yt(:, :, me))
  call frame_bind(mine, 'rho', 'out', rhot(:, me))
  do turn = 1, turns
    tt(:, me) = 300.0_c_double
    rhot(:, me) = 0.0_c_double
    if (me == 1 .and. mod(turn, 5) == 0) call frame_bind(mine, 'T', 'in', tt(:, me))
    call frame_run(mine, 'eosThermalProperties')
    if (any(rhot(:, me) /= rhot(1, me)) .or. rhot(1, me) <= 0.0_c_double) wrong = wrong + 1
    if (rhot(1, me) < 0.0_c_double) wrong = wrong + 1
  end do
  !$omp end parallel
  print *, 'threads', wrong, rhot(1, :) == rhot(1, 1)

  call frame_finalize()
  call frame_run('cells1', 'eosThermalProperties', ierr=ierr(10))
  print *, 'end', ierr(10)
  call frame_initialize(0, 1000, 2, 7, 0)
  call frame_bind('cells1', 'T', 'in', other)
  call frame_bind('cells1', 'P', 'in', p)
  call frame_bind('cells1', 'Y', 'in', y)
  call frame_bind('cells1', 'rho', 'out', rho)
  rho = 0.0_c_double
  do turn = 1, 10
    call frame_run('cells1', 'eosThermalProperties')
  end do
  print *, 'anew', rho(3, 3, 3)
  call frame_report()
  call frame_run_begin('cells1', 'eosThermalProperties')
  call frame_finalize()
end program again
