! Sequences of calls on resident arrays: what they leave is what the same calls leave one by one.
program sequences
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none (type, external)
  integer, parameter :: n = 1000
  real(c_double), target :: T(n), q(n)
  real(c_double) :: cp(2, 3), wanted(n), buffer(100), material, least, found
  integer :: turn, ierr
  character(len=400) :: message

  cp(:, 1) = [0.0_c_double, 1000.0_c_double]
  cp(:, 2) = 1.0_c_double
  cp(:, 3) = 2.0_c_double
  call frame_set('species', 'N2')
  call frame_initialize(0, n, 1, 0, 0)
  call frame_table('heat_cp', cp)
  call frame_constant('heat_limited', .false.)
  call frame_constant('heat_bounds', [0.0_c_double, 1.0e6_c_double])
  call frame_constant('heat_material', 1)
  q = 1.0_c_double
  T = [(real(turn, c_double), turn = 1, n)]
  wanted = T
  material = 1.0_c_double
  call bound()
  call frame_enter_data('solid', 'heat_T', 'copyin')
  call frame_enter_data('solid', 'heat_source', 'copyin')
  call frame_exchange_plan('ends', 'solid', 'heat_T', [0], [1], [1], &
    reshape([1, 5, 1, 1, 1, 1], [6, 1]), [1], reshape([n - 4, n, 1, 1, 1, 1], [6, 1]))

  call frame_sequence_begin('stage')
  call stage()
  call frame_sequence_end()
  call expected()
  call frame_report()
  do turn = 1, 30
    call frame_sequence_run('stage')
    call expected()
  end do
  call frame_report()
  call told('repeated')

  ! constants that the sequence does not set have the values of now, others those that it sets
  call frame_constant('heat_material', 2)
  material = 2.0_c_double
  call frame_sequence_run('stage')       ! behind an update of the host, which Python has to see
  call expected()
  call frame_constant('heat_dt', 70.0_c_double)
  call frame_sequence_run('stage')
  call expected()
  call frame_run('solid', 'advanceSolid')
  wanted = wanted + 3.0_c_double / material
  call told('material')
  call frame_sequence_run('stage')
  call expected()
  call frame_constant('heat_dt', 70.0_c_double)
  call frame_sequence_run('stage')
  call expected()
  call frame_constant('heat_dt', 70.0_c_double)
  call frame_run('solid', 'advanceSolid')
  wanted = wanted + 70.0_c_double / material
  call told('after')
  call frame_constant('heat_dt', 2.0_c_double)
  call frame_sequence_run('stage')
  call expected()
  call told('before')

  ! a bind: its calls are looked up anew, and then repeat
  call bound()
  do turn = 1, 3
    call frame_sequence_run('stage')
    call expected()
  end do
  call frame_report()
  do turn = 1, 5
    call frame_sequence_run('stage')
    call expected()
  end do
  call frame_report()
  call told('anew')
  call frame_exchange_plan('ends', 'solid', 'heat_T', [0], [1], [1], &
    reshape([1, 5, 1, 1, 1, 1], [6, 1]), [1], reshape([n - 4, n, 1, 1, 1, 1], [6, 1]))
  call frame_sequence_run('stage')
  call expected()
  call told('planned')

  ! moves of boxes, which no graph holds
  call frame_sequence_begin('moves')
  call moves()
  call frame_sequence_end()
  call frame_report()
  do turn = 1, 4
    wanted(1:100) = wanted(1:100) + 3.0_c_double / material
    wanted(101:200) = wanted(1:100)
    call frame_sequence_run('moves')
  end do
  call frame_report()
  if (any(buffer /= wanted(1:100))) print *, 'wrong: buffer'
  call told('moves')

  ! an update of what a run has written: which copy is the newer one changes, so that Python sees it
  call frame_sequence_begin('updates')
  call frame_run('solid', 'advanceSolid')
  call frame_update_host('solid', 'heat_T')
  call frame_sequence_end()
  call frame_sequence_run('updates')
  wanted = wanted + 3.0_c_double / material
  wanted = wanted + 3.0_c_double / material
  if (any(T /= wanted)) print *, 'wrong: updates'

  ! a reduction whose value is the constant of the run behind it
  call frame_sequence_begin('reduced')
  call reduced()
  call frame_sequence_end()
  call frame_constant_value('heat_dt', least)
  if (least /= minval(wanted)) print *, 'wrong: least', least, minval(wanted)
  wanted = wanted + minval(wanted) / material
  call frame_report()
  do turn = 1, 4
    call frame_sequence_run('reduced')
    least = minval(wanted)
    wanted = wanted + least / material
  end do
  call frame_report()
  call frame_constant_value('heat_dt', found)
  if (found /= least) print *, 'wrong: found', found, least
  call told('reduced')
  call frame_constant('heat_dt', 3.0_c_double)
  call frame_run('solid', 'advanceSolid')
  wanted = wanted + 3.0_c_double / material
  call told('given')

  ! the same constant by both: the later one is its value
  call frame_sequence_begin('both')
  call both()
  call frame_sequence_end()
  do turn = 1, 3
    call frame_sequence_run('both')
  end do
  wanted = wanted + 4 * 3.0_c_double / material
  call frame_constant_value('heat_dt', found)
  if (found /= 3) print *, 'wrong: both', found
  call told('both')

  call frame_error_policy('return')
  call frame_sequence_run('none', ierr)
  call said('unknown')
  call frame_sequence_end(ierr)
  call said('end')
  call frame_sequence_begin('refusing')
  call frame_sequence_begin('other', ierr)
  call said('begin')
  call frame_bind('solid', 'heat_source', 'in', q, ierr=ierr)
  call said('bind')
  call frame_table('heat_cp', cp, ierr)
  call said('table')
  call frame_sequence_run('stage', ierr)
  call said('run')
  call frame_run('solid', 'advanceSolid')
  call frame_sequence_end(ierr)
  call frame_sequence_run('refusing', ierr)
  wanted = wanted + 3.0_c_double / material
  wanted = wanted + 3.0_c_double / material
  call told('last')
  call frame_finalize()
  if (all(T == wanted)) print *, 'left alone'

contains

  subroutine bound()
    call frame_bind('solid', 'heat_T', 'inout', T)
    call frame_bind('solid', 'heat_source', 'in', q)
  end subroutine

  subroutine stage()
    call frame_constant('heat_dt', 2.0_c_double)
    call frame_run('solid', 'advanceSolid')
    call frame_constants('heat_dt', [3.0_c_double])
    call frame_run_begin('solid', 'advanceSolid')
    call frame_wait('solid')
    call frame_run('solid', 'advanceSolid', box=reshape([1, 100, 1, 1, 1, 1], [6, 1]))
    call frame_exchange('ends')
  end subroutine

  subroutine expected()
    wanted = wanted + 2.0_c_double / material
    wanted = wanted + 3.0_c_double / material
    wanted(1:100) = wanted(1:100) + 3.0_c_double / material
    wanted(n - 4:) = wanted(1:5)
  end subroutine

  subroutine moves()
    call frame_run('solid', 'advanceSolid', box=reshape([1, 100, 1, 1, 1, 1], [6, 1]))
    wanted(1:100) = wanted(1:100) + 3.0_c_double / material
    wanted(101:200) = wanted(1:100)
    call frame_pack('solid', 'heat_T', reshape([1, 100, 1, 1, 1, 1], [6, 1]), buffer)
    call frame_unpack('solid', 'heat_T', reshape([101, 200, 1, 1, 1, 1], [6, 1]), buffer)
  end subroutine

  subroutine reduced()
    call frame_allreduce_constant('solid', 'heat_T', 'min', 'heat_dt')
    call frame_run('solid', 'advanceSolid')
  end subroutine

  subroutine both()
    call frame_allreduce_constant('solid', 'heat_T', 'min', 'heat_dt')
    call frame_constant('heat_dt', 3.0_c_double)
    call frame_run('solid', 'advanceSolid')
  end subroutine

  subroutine told(what)
    character(*), intent(in) :: what
    integer :: at

    call frame_update_host('solid', 'heat_T')
    at = findloc(T /= wanted, .true., 1)
    if (at > 0) print *, 'wrong: ', what, at, T(at), wanted(at)
    print *, what, ' ', count(T == wanted)
  end subroutine

  subroutine said(what)
    character(*), intent(in) :: what
    call frame_last_error(message)
    print '(3a,i0,2a)', 'refused ', what, ' ', ierr, ' ', trim(message)
  end subroutine

end program
