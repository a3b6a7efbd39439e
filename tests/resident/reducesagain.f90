! Reductions that come again, between changes of what they read: each value and place is written with
! all its bits.
program reducesagain
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
  use bridge
  implicit none (type, external)
  integer, parameter :: n = 11, nz = 9, turns = 3
  character(len=3), parameter :: operations(10) = [character(len=3) :: &
      'sum', 'min', 'max', 'any', 'l1', 'l2', 'nan', 'c', 'inf', 'loc']
  real(c_double), target :: t(0:n+1, n, nz), p(n, n, nz), y(n, n, nz, 2), rho(n, n, nz), other(n, n, nz)
  integer(c_int), target :: counts(n, n, nz), blank(n, n, nz)
  real(c_double) :: value
  integer(c_int) :: ierr(5)
  integer :: turn, i, place(5)
  logical :: quiet

  call random_seed(put=[(17 * i, i=1, 64)])
  call random_number(t)
  call random_number(y)
  t = 400.0_c_double + 100.0_c_double * t
  y = y / spread(sum(y, 4), 4, 2)
  p = 1.0e7_c_double
  rho = -0.0_c_double
  rho(3, 4, 5) = -1.0_c_double
  counts = 0
  counts(7, 8, 9) = 2
  counts(8, 8, 9) = -1
  blank = 1
  blank(:, :, 1) = 0
  blank(5, 5, 5) = 0
  other = 450.0_c_double
  call frame_set('species', 'O2 CH4')
  call frame_set('stability', 'off')
  call frame_initialize(0, 2000, 2, 7, 0)
  call bind('cells')
  call frame_bind('cells', 'rho', 'out', rho)
  call bind('masked')
  call frame_bind('masked', 'iblank', 'in', blank)
  call enter('cells')
  call frame_enter_data('cells', 'rho', 'copyin')
  call frame_enter_data('masked', 'iblank', 'copyin')

  quiet = .true.
  call all_of_it()                                      ! memory of the bridge has its size now
  do turn = 1, turns
    quiet = .false.
    if (turn == 3) t(4, 4, 4) = ieee_value(value, ieee_quiet_nan)
    t(:, :, 2) = t(:, :, 2) + turn
    call frame_update_device('cells', 'T')
    call all_of_it()
    call frame_report()
  end do

  blank = 0                                             ! no point counts
  call frame_update_device('masked', 'iblank')
  call on('masked')

  ! what is seen by Python, once
  t(4, 4, 4) = 500.0_c_double
  call frame_update_device('cells', 'T')
  call frame_report()
  call frame_bind('cells', 'T', 'in', other)
  do turn = 1, 3
    call one('cells', 'T', 'max', 0)
    call one('cells', 'c', 'min', 0)
  end do
  call frame_report()
  call frame_exit_data('cells', 'P', 'copyout')
  do turn = 1, 3
    call one('cells', 'P', 'min', 0)
  end do
  call frame_enter_data('cells', 'P', 'copyin')
  call one('cells', 'P', 'min', 0)

  ! memory of the bridge grows
  call bind('grown')
  call enter('grown')
  call one('grown', 'c', 'min', 0)
  call frame_report()
  call one('grown', 'c', 'min', 0)
  call frame_report()
  call one('grown', 'X', 'min', 2)
  call frame_report()
  call one('grown', 'c', 'min', 0)
  call frame_report()

  call blocks()

  ! what is refused stays so
  call frame_error_policy('return')
  call frame_run('cells', 'eosThermalProperties')
  call one('cells', 'rho', 'max', 0)
  call frame_run_begin('cells', 'eosThermalProperties')
  call frame_reduce('cells', 'rho', 'max', value, ierr=ierr(1))
  call frame_reduce('masked', 'T', 'max', value, ierr=ierr(2))
  call frame_wait('cells')
  call frame_reduce('cells', 'rho', 'max', value, ierr=ierr(3))
  call frame_reduce('cells', 'Y', 'max', value, component=3, ierr=ierr(4))
  call frame_unbind('cells', '*')
  call frame_reduce('cells', 'rho', 'max', value, ierr=ierr(5))
  print *, 'status', ierr
  call frame_finalize()

contains

  subroutine bind(set)
    character(len=*), intent(in) :: set
    call frame_bind(set, 'T', 'in', t, 2, n + 1)
    call frame_bind(set, 'P', 'in', p)
    call frame_bind(set, 'Y', 'in', y)
    call frame_bind(set, 'status', 'out', counts)
  end subroutine

  subroutine enter(set)
    character(len=*), intent(in) :: set
    call frame_enter_data(set, 'T', 'copyin')
    call frame_enter_data(set, 'P', 'copyin')
    call frame_enter_data(set, 'Y', 'copyin')
    call frame_enter_data(set, 'status', 'copyin')
  end subroutine

  ! Two blocks of the host, whose values have no place.
  subroutine blocks()
    integer :: bounds(12, 2)
    integer(c_int64_t) :: at(2)
    real(c_double), target :: bt(17), bp(17), by(34)
    bounds(:, 1) = [3, 2, 2, 1, 3, 1, 2, 1, 2, 1, 1, 1]
    bounds(:, 2) = [5, 1, 1, 1, 5, 1, 1, 1, 1, 1, 1, 1]
    at = [0, 12]
    bt = [(400.0_c_double + i, i=1, 17)]
    bp = 1.0e7_c_double
    by = 0.5_c_double
    call frame_bind_blocks('blocks', 'T', 'in', bt, 2, bounds, at)
    call frame_bind_blocks('blocks', 'P', 'in', bp, 2, bounds, at)
    bounds(11:, :) = 2
    call frame_bind_blocks('blocks', 'Y', 'in', by, 2, bounds, 2 * at)
    do turn = 1, 3
      bt(14) = 500.0_c_double + turn
      call frame_reduce('blocks', 'T', 'max', value)
      call print_block('T')
      call frame_reduce('blocks', 'c', 'l2', value)
      call print_block('c')
      call frame_report()
    end do
    call frame_reduce('blocks', 'T', 'max', value, place)
    call print_block('T')
    print *, 'block', place
    call frame_unbind('blocks', '*')
  end subroutine

  subroutine print_block(quantity)
    character(len=*), intent(in) :: quantity
    print '(a, 1x, z16.16)', 'reduced blocks ' // quantity, transfer(value, 0_c_int64_t)
  end subroutine

  subroutine all_of_it()
    call on('cells')
    call on('masked')
  end subroutine

  subroutine on(set)
    character(len=*), intent(in) :: set
    character(len=6) :: operation
    integer :: which
    do which = 1, size(operations)
      operation = operations(which)
      if (operation == 'c') operation = 'count'
      if (operation == 'inf') operation = 'linf'
      if (operation == 'loc') operation = 'minloc'
      call one(set, 'T', operation, 0)                  ! bound, with a fringe
      if (set == 'cells') call one(set, 'rho', operation, 0)
      call one(set, 'Y', operation, 0)                  ! of several components
      call one(set, 'Y', operation, 2)
      call each(set, 'Y', operation)
      call one(set, 'status', operation, 0)
      call one(set, 'X', operation, 0)                  ! made, of several components
      call each(set, 'X', operation)
      call one(set, 'c', operation, 0)                  ! made
    end do
    call several(set)
  end subroutine

  ! Made in one pass, and bound; with places and without.
  subroutine several(set)
    character(len=*), intent(in) :: set
    real(c_double) :: found(7), alone(7)
    integer :: places(5, 7)
    call frame_reduce_several(set, 'c X T c status X', 'min sum max maxloc any l2', alone, &
        components=[0, -1, 0, 0, 0, 2])
    call frame_reduce_several(set, 'c X T c status X', 'min sum max maxloc any l2', found, places, &
        components=[0, -1, 0, 0, 0, 2])
    if (quiet) return
    print '(2(a, 1x), 14(1x, z16.16), 35(1x, i0))', 'reduced several', set, &
        transfer([alone, found], 0_c_int64_t, 14), places
  end subroutine

  ! With a place, without one, and with the block.
  subroutine one(set, quantity, operation, component)
    character(len=*), intent(in) :: set, quantity, operation
    integer, intent(in) :: component
    real(c_double) :: found(3)
    integer :: short(4)
    if (component == 0) then
      call frame_reduce(set, quantity, trim(operation), found(1))
      call frame_reduce(set, quantity, trim(operation), found(2), short)
      call frame_reduce(set, quantity, trim(operation), found(3), place)
    else
      call frame_reduce(set, quantity, trim(operation), found(1), component=component)
      call frame_reduce(set, quantity, trim(operation), found(2), short, component)
      call frame_reduce(set, quantity, trim(operation), found(3), place, component)
    end if
    if (quiet) return
    print '(3(a, 1x), a, 1x, i0, 3(1x, z16.16), 9(1x, i0))', 'reduced', set, quantity, operation, component, &
        transfer(found, 0_c_int64_t, 3), short, place
  end subroutine

  subroutine each(set, quantity, operation)
    character(len=*), intent(in) :: set, quantity, operation
    real(c_double) :: found(2), alone(2)
    integer :: places(5, 2)
    call frame_reduce(set, quantity, trim(operation), alone)
    call frame_reduce(set, quantity, trim(operation), found, places)
    if (quiet) return
    print '(4(a, 1x), 4(1x, z16.16), 10(1x, i0))', 'reduced', set, quantity, operation, &
        transfer([alone, found], 0_c_int64_t, 4), places
  end subroutine

end program
