! Time steps whose constant is a reduction over sets and ranks, done again without Python: bits of each
! value against frame_allreduce, and of a run that reads it. A rank has rows of a field, in two sets; with
! `others` one rank gives them other points between steps, which the other ranks do not see.
program reducedconstants
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use mpi
  use bridge
  implicit none
  integer, parameter :: nx = 9, ny = 12, nz = 5, steps = 6
  character(len=5), parameter :: operations(9) = [character(len=5) :: &
      'sum', 'min', 'max', 'any', 'count', 'nan', 'l1', 'l2', 'linf']
  character(len=11), parameter :: quantities(2) = [character(len=11) :: 'heat_source', 'rho']
  real(c_double), target :: whole(nx, ny, nz)
  real(c_double) :: random(nx, ny, nz)
  real(c_double), allocatable, target :: mine(:, :, :), low(:, :, :), high(:, :, :), twin(:, :, :), solid(:, :, :)
  real(c_double), allocatable, target :: hot(:, :, :), press(:, :, :), mass(:, :, :, :)
  real(c_double) :: cp(2, 3), value, wanted(size(operations), size(quantities))
  character(len=300) :: message
  character(len=9) :: how
  integer :: rank, ranks, error, first, last, half, step, i, j, wrong, ierr, status

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, how)
  first = 1 + ny*rank/ranks
  last = ny*(rank + 1)/ranks
  half = (first + last)/2
  call random_seed(put=[(17*i, i=1, 64)])
  call random_number(whole)
  call random_number(random)
  whole = (whole - 0.5_c_double)*10.0_c_double**int(12*random - 6)
  mine = whole(:, first:last, :)
  low = mine(:, :half - first, :)
  high = mine(:, half - first + 1:, :)
  allocate (mass(nx, last - first + 1, nz, 1), source=1.0_c_double)
  allocate (press(nx, last - first + 1, nz), source=5.0e6_c_double)
  hot = 400.0_c_double + 300.0_c_double*random(:, first:last, :)
  allocate (solid(nx, ny, nz), source=400.0_c_double)
  twin = solid
  cp(:, 1) = [250.0_c_double, 1400.0_c_double]
  cp(:, 2:) = 3.4e6_c_double
  call frame_set('species', 'N2')
  call frame_set('stability', 'off')
  if (how == 'alone') then
    call frame_initialize(0, 2000, 1, 0, 0)
  else
    call frame_initialize(0, 2000, 1, 0, 0, comm=MPI_COMM_WORLD)
  end if
  call frame_table('heat_cp', cp)
  call bind_all(1)
  call frame_bind('solid', 'heat_T', 'inout', solid)
  call frame_bind('solid', 'heat_source', 'in', whole)
  call frame_bind('twin', 'heat_T', 'inout', twin)
  call frame_bind('twin', 'heat_source', 'in', whole)
  wrong = 0
  do step = 1, steps
    if (how == 'others' .and. step == 4 .and. rank == ranks - 1) then
      call bind_all(2)
    end if
    mine(1, 1, 1) = step
    low(1, 1, 1) = step
    call frame_update_device('all', 'heat_source')
    call frame_update_device('low', 'heat_source')
    do j = 1, size(quantities)
      do i = 1, size(operations)
        call frame_allreduce('all', quantities(j), operations(i), wanted(i, j))
      end do
    end do
    call frame_report()
    do i = 1, size(operations)
      call frame_allreduce_constant('all', 'rho', operations(i), 'heat_dt')
      call frame_constant_value('heat_dt', value)
      call compare(value, wanted(i, 2))
      call frame_allreduce_constant('high low', 'heat_source', operations(i), 'heat_dt')
      call frame_constant_value('heat_dt', value)
      call compare(value, wanted(i, 1))
    end do
    ! all constants that have changed go to the device
    call frame_constants('heat_material', [1.0_c_double + modulo(step, 2)])
    call frame_run('solid', 'advanceSolid')
    call frame_constant('heat_dt', value)
    call frame_run('twin', 'advanceSolid')
    call frame_report()
    if (any(transfer(solid, [0_c_int64_t]) /= transfer(twin, [0_c_int64_t]))) wrong = wrong + 1
  end do
  print '(a, 1x, i0, 1x, es23.16)', 'wrong', wrong, solid(2, 2, 2)
  call frame_error_policy('return')
  ! what fails on one rank fails on all, and does no harm
  if (rank == 0) call frame_unbind('high', '*')
  call frame_allreduce_constant('high low', 'heat_source', 'l2', 'heat_dt', ierr)
  call frame_last_error(message)
  if (rank == 0) call bind('high', high, 1)
  call frame_allreduce_constant('high low', 'heat_source', 'l2', 'heat_dt', status)
  call frame_constant_value('heat_dt', value)
  call compare(value, wanted(8, 1))
  print '(a, 3(1x, i0), 1x, a)', 'failed', ierr, status, wrong, trim(message)
  call frame_finalize()
  call MPI_Finalize(error)

contains

  ! Points from this one on along x; once more where the sets have others.
  subroutine bind_all(from)
    integer, intent(in) :: from
    if (from > 1) then
      call leave('all', 'heat_source')
      call leave('all', 'T')
      call leave('all', 'P')
      call leave('all', 'Y')
      call leave('low', 'heat_source')
      call leave('high', 'heat_source')
      call frame_unbind('all', '*')
    end if
    call bind('all', mine, from)
    call frame_bind('all', 'T', 'in', hot, sptx=from)
    call frame_bind('all', 'P', 'in', press, sptx=from)
    call frame_bind('all', 'Y', 'in', mass, sptx=from)
    call frame_enter_data('all', 'T', 'copyin')
    call frame_enter_data('all', 'P', 'copyin')
    call frame_enter_data('all', 'Y', 'copyin')
    call bind('low', low, from)
    call bind('high', high, from)
  end subroutine bind_all

  subroutine leave(set, name)
    character(len=*), intent(in) :: set, name
    call frame_exit_data(set, name, 'delete')
  end subroutine leave

  subroutine bind(set, array, from)
    character(len=*), intent(in) :: set
    real(c_double), intent(in), target :: array(:, :, :)
    integer, intent(in) :: from
    call frame_bind(set, 'heat_source', 'in', array, sptx=from)
    call frame_enter_data(set, 'heat_source', 'copyin')
  end subroutine bind

  subroutine compare(found, expected)
    real(c_double), intent(in) :: found, expected
    if (transfer(found, 0_c_int64_t) == transfer(expected, 0_c_int64_t)) return
    wrong = wrong + 1
    print '(a, 1x, a, i0, 2(1x, es23.16))', 'other', trim(operations(min(i, 9))), step, found, expected
  end subroutine compare

end program reducedconstants
