! Constants and a table of the heat pack by every form of the entries, and what these refuse.
program given
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int32_t, c_int64_t
  use bridge
  implicit none
  external :: by_include
  real(c_double), target :: T(2), q(2)
  real(c_double) :: cp(2, 3), many(5), cube(2, 2, 2), none(0), pair(2, 2)
  character(len=400) :: message
  integer :: ierr, n

  n = 0
  call frame_error_policy('return')
  call frame_boot()
  call frame_constant('heat_dt', 1.0_c_double, ierr)
  call told('early')
  call frame_set('species', 'N2')
  call frame_initialize(0, 2, 1, 0, 0)
  cp(:, 1) = [0.0_c_double, 1000.0_c_double]
  cp(:, 2) = 1.0_c_double
  cp(:, 3) = 2.0_c_double
  q = 1.0_c_double
  call frame_bind('solid', 'heat_T', 'inout', T)
  call frame_bind('solid', 'heat_source', 'in', q)

  call step('value')
  call frame_constant('heat_dt', 8.0_c_float, ierr)
  call step('table')
  call frame_table('heat_cp', cp)
  call step('real4')                                    ! 100 + 8
  call frame_constant('heat_dt', [16], ierr)
  call step('integer')
  call frame_constant('heat_material', 2_c_int64_t)
  call step('integer8')                                 ! 100 + 16/2
  call frame_constant('heat_bounds', [1.0_c_float, 104.0_c_float])
  call frame_constant('heat_limited', .true.)
  call step('logical')                                  ! held at 104
  call frame_constant('heat_limited', [.false.])
  call frame_constant('heat_bounds', [0, 1])
  call frame_constant('heat_material', [1_c_int32_t])
  call frame_constant('heat_dt', [32.0_c_double])
  call step('arrays')
  call frame_constants('heat_dt heat_material  heat_limited', &
      [8.0_c_double, 2.0_c_double, 0.0_c_double])
  call step('several')                                  ! 100 + 8/2
  call frame_constants('heat_material', [1.0_c_double])
  call by_include()
  call step('include')                                  ! 64 seconds, cp 4

  call frame_constant('heat_dt', .true., ierr)
  call told('type')
  call frame_constant('heat_material', 1.0_c_double, ierr)
  call told('real')
  call frame_constant('heat_material', 2147483648_c_int64_t, ierr)
  call told('large')
  call frame_constant('heat_dt', none, ierr)
  call told('empty')
  call frame_constant('heat_bounds', many, ierr)
  call told('length')
  call frame_constant('heat_step', 1.0_c_double, ierr)
  call told('name')
  call frame_constants('heat_dt heat_material', [1.0_c_double, 1.5_c_double], ierr)
  call told('whole')
  call frame_constants('heat_dt heat_limited', [1.0_c_double, 2.0_c_double], ierr)
  call told('flag')
  call frame_constants('heat_dt', [1.0_c_double, 2.0_c_double], ierr)
  call told('count')
  call frame_constants('heat_dt heat_bounds', [1.0_c_double, 2.0_c_double], ierr)
  call told('columns')
  call step('none')
  call frame_table('heat_cp', many, ierr)
  call told('rank1')
  call frame_table('heat_cp', cube, ierr)
  call told('rank3')
  call frame_table('heat_cp', cp(::2, :), ierr)
  call told('strided')
  call frame_table('heat_cp', reshape(none, [0, 3]), ierr)
  call told('nothing')
  call frame_run_begin('solid', 'advanceSolid')
  call frame_constant('heat_dt', 1.0_c_double, ierr)
  call told('pending')
  call frame_constants('heat_material heat_dt', [1.0_c_double, 1.0_c_double], ierr)
  call told('waiting')
  call frame_table('heat_cp', cp, ierr)
  call told('filling')
  call frame_wait('solid')
  call step('after')
  pair(:, 1) = [0.0_c_double, 1000.0_c_double]
  call frame_report()
  do n = 1, 50
    pair(:, 2) = merge(2.0_c_double, 8.0_c_double, mod(n, 2) == 1)
    call frame_table('heat_cp', pair)
    call frame_constants('heat_dt heat_material  heat_limited', [16.0_c_double, 1.0_c_double, 0.0_c_double])
    call frame_constant('heat_dt', [8.0_c_double*mod(n, 5)], ierr)
    T = 100.0_c_double
    call frame_run('solid', 'advanceSolid')
  end do
  call frame_report()
  call step('again')                                    ! of dt 0
  call frame_constant('heat_dt', [64.0_c_double])
  call step('copied')                                   ! cp 8
  call frame_run_begin('solid', 'advanceSolid')
  call frame_table('heat_cp', pair, ierr)
  call told('refilling')
  call frame_wait('solid')
  call frame_table('heat_cp', cp)
  call step('wider')                                    ! cp 1
  call frame_table('heat_cp', pair)
  call frame_constant('heat_dt', [0.0_c_double])
  call frame_constants('heat_dt heat_material  heat_limited', [8.0_c_double, 1.5_c_double, 0.0_c_double], ierr)
  call told('repeated')
  call step('refused')                                  ! as before
  call frame_constants('heat_bounds', [0.0_c_double, 1.0_c_double], ierr)
  call told('both')
  call frame_finalize()

contains

  subroutine step(label)
    character(*), intent(in) :: label
    T = 100.0_c_double
    call frame_run('solid', 'advanceSolid', ierr)
    if (ierr == 0) print '(a, f8.2)', label, T(2)
    if (ierr /= 0) call told(label)
  end subroutine step

  subroutine told(label)
    character(*), intent(in) :: label
    call frame_last_error(message)
    print '(a, i4, 1x, a)', label, ierr, trim(message)
  end subroutine told

end program given

! As a code without modules calls them: a type's code, a length, sizes.
subroutine by_include()
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  include 'bridge_f77.inc'
  real(c_double) :: cp(2, 2)
  integer :: ierr
  cp(:, 1) = [0.0_c_double, 1000.0_c_double]
  cp(:, 2) = 4
  call frame_table('heat_cp' // char(0), cp, [2, 2], 2, ierr)
  print '(a, i4)', 'filled', ierr
  call frame_constant('heat_dt' // char(0), [64.0_c_double], 1, 1, ierr)
  print '(a, i4)', 'set', ierr
  call frame_constants('heat_dt' // char(0), [64.0_c_double], 1, ierr)
  print '(a, i4)', 'plain', ierr
  call frame_constant('heat_dt' // char(0), [64.0_c_double], 9, 1, ierr)
  print '(a, i4)', 'code', ierr
  call frame_table('heat_cp' // char(0), cp, [2, 2], 4, ierr)
  print '(a, i4)', 'rank', ierr
end subroutine by_include
