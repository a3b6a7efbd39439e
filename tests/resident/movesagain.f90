! Boxes of arrays that are packed, unpacked and updated again and again, between runs; then what Python
! has to see of such calls.
program movesagain
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use bridge
  implicit none (type, external)
  integer, parameter :: n = 6, turns = 40, long = 300000
  save   ! no two arrays share other pages in another run: page locks are counted
  real(c_double), target :: t(0:n+1, n, n), p(n, n, n), y(n, n, n, 2), rho(n, n, n)
  real(c_double), target :: wide(long), flat(0:101, 10, 10), deep(0:101, 0:11, 10), first(2, n, n, n)
  integer(c_int), target :: ids(n, n, n)
  real(c_double) :: sent(2*n*n), given(2*n*n), column(n), all_of_it(long), other(2*n*n)
  integer(c_int) :: sides(6, 2), ghosts(6, 2), row(6), numbers(n), ierr(12)
  integer :: turn
  character(len=8) :: backend
  logical :: apart   ! whether kernels have memory of their own

  call get_environment_variable('BRIDGE_BACKEND', backend)
  apart = backend /= 'cpu'
  sides(:, 1) = [1, 1, 1, n, 1, n]
  sides(:, 2) = [n, n, 1, n, 1, n]
  ghosts = sides
  ghosts(1:2, 1) = 0
  ghosts(1:2, 2) = n + 1
  row = [1, n, 2, 2, 3, 3]
  t = 300.0_c_double
  p = 1.0e7_c_double
  y = 0.5_c_double
  rho = 0.0_c_double
  wide = 0.0_c_double
  ids = 0
  call frame_set('species', 'O2 CH4')
  call frame_set('stability', 'off')
  call frame_initialize(0, 1000, 2, 7, 0)
  call frame_bind('cells', 'T', 'inout', t, 2, n + 1)
  call frame_bind('cells', 'P', 'in', p)
  call frame_bind('cells', 'Y', 'in', y)
  call frame_bind('cells', 'rho', 'out', rho)
  call frame_bind('cells', 'status', 'out', ids)
  call frame_bind('long', 'T', 'inout', wide)
  call frame_bind('flat', 'T', 'inout', flat, 2, 101)
  call frame_bind('deep', 'T', 'inout', deep, 2, 101, 2, 11)
  call frame_bind('first', 'Y', 'in', first, component_first=.true.)
  call frame_enter_data('cells', 'T', 'copyin')
  call frame_enter_data('cells', 'P', 'copyin')
  call frame_enter_data('cells', 'Y', 'copyin')
  call frame_enter_data('cells', 'rho', 'create')
  call frame_enter_data('cells', 'status', 'create')
  call frame_enter_data('long', 'T', 'copyin')
  call frame_enter_data('flat', 'T', 'create')
  call frame_enter_data('deep', 'T', 'create')
  call frame_enter_data('first', 'Y', 'create', 'device')
  call step(1)
  call step(2)
  call frame_report()
  do turn = 3, turns
    call step(turn)
  end do
  call frame_report()

  call updates(1)
  call frame_report()
  do turn = 2, 10
    call updates(turn)
  end do
  call frame_report()

  ! a run is pending: boxes move all the same
  call frame_run('cells', 'eosThermalProperties')
  call frame_report()
  call frame_run_begin('cells', 'eosThermalProperties')
  call frame_pack('cells', 'T', sides, sent)
  call frame_wait('cells')
  call frame_report()
  if (any(sent /= 300.0_c_double)) print *, 'wrong: pending'

  ! what is refused stays so, and what has changed is seen
  call frame_error_policy('return')
  call frame_pack('cells', 'T', sides, sent(:n), ierr=ierr(1))            ! no room
  call frame_pack('cells', 'status', row, column, ierr=ierr(2))           ! another type
  call frame_pack('cells', 'P', row, p(:, 2, 3), ierr=ierr(3))            ! its own memory on a CPU
  call frame_unpack('cells', 'T', ghosts, given(:n), ierr=ierr(4))
  call frame_unpack('cells', 'T', reshape([sides(:, 1), sides(:, 1)], [6, 2]), given, ierr=ierr(5))
  call frame_pack('cells', 'T', sides + n, sent, ierr=ierr(6))            ! outside
  call frame_pack('nowhere', 'T', sides, sent, ierr=ierr(7))
  call frame_run_colour('cells', 'rho', -huge(0) + 4, ierr=ierr(11))      ! C's number of an update
  call frame_exit_data('cells', 'P', 'delete')
  call frame_bind('cells', 'P', 'in', rho)
  call frame_exit_data('cells', 'rho', 'delete')
  call frame_enter_data('cells', 'P', 'copyin')
  do turn = 11, 13                                                        ! another array now
    call there_and_back('cells', 'P', rho, size(rho), sides, 2*n*n)
  end do
  if (apart .and. any(p([1, n], :, :) >= 11.0_c_double .and. &
      mod(p([1, n], :, :), 100.0_c_double) /= 10.0_c_double)) print *, 'wrong: the array of before'
  call frame_exit_data('cells', 'T', 'copyout')
  t(1, :, :) = 7.0_c_double
  t(n, :, :) = 8.0_c_double
  call frame_pack('cells', 'T', sides, sent, ierr=ierr(8))                ! of the host now
  print *, 'host', all(sent(:n*n) == 7.0_c_double), all(sent(n*n+1:) == 8.0_c_double)
  call frame_update_host('cells', 'T', sides, ierr=ierr(9))               ! not resident
  call frame_unbind('cells', '*')
  call frame_pack('cells', 'T', sides, sent, ierr=ierr(10))
  print *, 'status', ierr(:2), ierr(4:10)
  print *, 'own', ierr(3)
  print *, 'colour', ierr(11)
  call frame_finalize()

contains

  ! Boxes that are packed; whole arrays, planes, slices that are copied; records.
  subroutine updates(turn)
    integer, intent(in) :: turn
    call frame_update_host('cells', 'rho')
    call there_and_back('cells', 'P', p, size(p), sides, 2*n*n)
    call there_and_back('long', 'T', wide, size(wide), reshape([integer ::], [6, 0]), size(wide))
    call there_and_back('flat', 'T', flat, size(flat), reshape([1, 100, 1, 10, 1, 10], [6, 1]), 10000)
    call there_and_back('deep', 'T', deep, size(deep), reshape([1, 100, 1, 10, 1, 10], [6, 1]), 10000)
    call there_and_back('first', 'Y', first, size(first), reshape([integer ::], [6, 0]), size(first))
    if (apart .and. (any(flat([0, 101], :, :) /= -1.0_c_double) .or. &
        any(deep(:, [0, 11], :) /= -1.0_c_double))) print *, 'wrong: fringes'
  end subroutine

  ! Values that differ go to the copy and come back: those of the boxes, and no others.
  subroutine there_and_back(set, name, values, n_values, boxes, n_points)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: n_values, n_points
    real(c_double), intent(inout) :: values(n_values)
    integer(c_int), intent(in) :: boxes(:, :)
    integer :: at
    values = [(real(turn + 100*at, c_double), at = 1, n_values)]
    if (size(boxes) > 0) call frame_update_device(set, name, boxes)
    if (size(boxes) == 0) call frame_update_device(set, name)
    values = -1.0_c_double
    if (size(boxes) > 0) call frame_update_host(set, name, boxes)
    if (size(boxes) == 0) call frame_update_host(set, name)
    if (.not. apart) return
    if (count(values /= -1.0_c_double) /= n_points) print *, 'wrong: points of ', set, name
    if (any(values /= -1.0_c_double .and. values /= [(real(turn + 100*at, c_double), at = 1, n_values)])) &
        print *, 'wrong: values of ', set, name
  end subroutine

  ! Sides go out, others come in beside them, and all of it is as the host says.
  subroutine step(turn)
    integer, intent(in) :: turn
    given = real(turn, c_double)
    given(n*n+1:) = -given(n*n+1:)
    call frame_unpack('cells', 'T', ghosts, given)
    given = 0.0_c_double                                   ! it may be changed now
    call frame_run('cells', 'eosThermalProperties')
    call frame_pack('cells', 'T', sides, sent)
    call frame_pack('cells', 'T', ghosts, other)
    call frame_pack('cells', 'rho', row, column)
    call frame_pack('cells', 'status', row, numbers)
    if (any(sent /= 300.0_c_double)) print *, 'wrong: sides'
    if (any(other(:n*n) /= turn) .or. any(other(n*n+1:) /= -turn)) print *, 'wrong: ghosts'
    if (any(column /= column(1)) .or. column(1) < 50.0_c_double) print *, 'wrong: rho'
    if (any(numbers /= 0)) print *, 'wrong: status'
    ! more than a kernel writes into the host's memory
    all_of_it = real(turn, c_double)
    all_of_it(long) = -1.0_c_double
    call frame_unpack('long', 'T', [1, long, 1, 1, 1, 1], all_of_it)
    all_of_it = 0.0_c_double
    call frame_pack('long', 'T', [1, long, 1, 1, 1, 1], all_of_it)
    if (any(all_of_it(:long-1) /= turn) .or. all_of_it(long) /= -1.0_c_double) print *, 'wrong: long'
    if (turn == turns) print *, 'end', sent(1), other(1), other(2*n*n)
  end subroutine

end program
