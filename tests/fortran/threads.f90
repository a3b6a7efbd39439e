! What OpenMP threads may do with one Frame, and arrays that outputs share: threads CASE.
program threads
  use, intrinsic :: iso_c_binding, only: c_double
  use omp_lib
  use bridge
  implicit none
  integer, parameter :: team = 4, n = 24, turns = 600, large = 60000, small = 1000
  character(len=20) :: case
  character(len=400) :: message
  real(c_double), allocatable, target :: p(:), y(:, :), temperature(:, :), right(:, :), rho(:, :)
  real(c_double), allocatable, target :: data(:, :, :, :)
  integer :: ierr, first, before, between

  call get_command_argument(1, case)
  call frame_error_policy('return')
  call frame_set('backend', 'cpu')
  call frame_set('species', 'O2 CH4')
  if (case == 'alone') call frame_set('threads', 1)
  call frame_initialize(device_id=0, ngridpoints=large, ns=2, nq=7, iturb=0, ierr=ierr)
  call check('initialize', ierr)
  select case (case)
  case ('overlap')
    call overlap()
  case ('fed', 'alone')
    call fed()
  case default
    allocate (p(n), y(n, 2), temperature(n, 0:team - 1), right(n, 0:team - 1), rho(n, 0:team - 1))
    call states()
    select case (case)
    case ('race')
      call race()
    case ('first-calls')
      call first_calls()
    case ('sets')
      call sets()
    case ('handover')
      call handover()
    case ('interleaved')
      call interleaved()
    case default
      error stop 'unknown case'
    end select
  end select
  call frame_finalize(ierr)
  call check('finalize', ierr)

contains

  subroutine check(what, status)
    character(len=*), intent(in) :: what
    integer, intent(in) :: status
    if (status == 0) return
    call frame_last_error(message)
    print '(a, 1x, i0, 1x, a)', what, status, trim(message)
    error stop
  end subroutine check

  ! Each thread has states of its own; right: what they give, from one thread.
  subroutine states()
    integer :: t, i
    p = 10.0e6_c_double
    y(:, 1) = 0.25_c_double
    y(:, 2) = 0.75_c_double
    do t = 0, team - 1
      temperature(:, t) = [(250.0_c_double + 100*t + i, i=1, n)]
      call in_turn(t, right(:, t), ierr)
      call check('states', ierr)
    end do
  end subroutine states

  subroutine populate(t, status)
    integer, intent(in) :: t
    integer, intent(out) :: status
    call frame_castles_populateinputstripe('T', temperature(:, t), ierr=status)
    if (status == 0) call frame_castles_populateinputstripe('P', p, ierr=status)
    if (status == 0) call frame_castles_populateinputstripe('Y', y, ierr=status)
  end subroutine populate

  subroutine in_turn(t, answer, status)
    integer, intent(in) :: t
    real(c_double), intent(inout) :: answer(:)
    integer, intent(out) :: status
    call populate(t, status)
    if (status == 0) call frame_tvproperties_eosrhohfromtpprop(n, status)
    if (status == 0) call frame_castles_populateoutputstripe('rho', answer, ierr=status)
  end subroutine in_turn

  ! All threads use the views at the same time, as fast as they can.
  subroutine race()
    integer :: t, turn, status, wrong, refused, other, mine
    wrong = 0
    refused = 0
    other = 0
    mine = 0
    !$omp parallel num_threads(team) private(t, turn, status) reduction(+: wrong, refused, other, mine)
    t = omp_get_thread_num()
    do turn = 1, turns
      rho(:, t) = -1
      call in_turn(t, rho(:, t), status)
      if (status == 0 .and. any(rho(:, t) /= right(:, t))) wrong = wrong + 1
      if (status == bridge_state) refused = refused + 1
      if (status /= 0 .and. status /= bridge_state) other = other + 1
      if (status /= frame_status()) mine = mine + 1
      if (status /= 0) call look_up(t)
    end do
    !$omp end parallel
    print '(a, 4(1x, i0))', 'race', wrong, refused, other, mine
  end subroutine race

  ! Views are made by the first call that names them, here by several threads at the same time:
  ! then, one thread after the other, all have to get through, each with its own values.
  subroutine first_calls()
    integer :: t, turn, status, wrong, failed
    wrong = 0
    failed = 0
    do turn = 1, turns/4
      call frame_finalize(ierr)
      call frame_initialize(device_id=0, ngridpoints=large, ns=2, nq=7, iturb=0, ierr=ierr)
      call check('initialize', ierr)
      !$omp parallel num_threads(team) private(t, status) reduction(+: wrong, failed)
      t = omp_get_thread_num()
      !$omp barrier
      call in_turn(t, rho(:, t), status)
      if (status == 0 .and. any(rho(:, t) /= right(:, t))) wrong = wrong + 1
      !$omp barrier
      !$omp critical
      call in_turn(t, rho(:, t), status)
      if (status == 0 .and. any(rho(:, t) /= right(:, t))) wrong = wrong + 1
      failed = failed + abs(status)
      !$omp end critical
      !$omp end parallel
    end do
    print '(a, 2(1x, i0))', 'first-calls', wrong, failed
  end subroutine first_calls

  subroutine look_up(t)
    integer, intent(in) :: t
    character(len=400) :: text
    call frame_last_error(text)
    if (len_trim(text) == 0) then
      print '(a, 1x, i0)', 'no message in thread', t
    else
      !$omp critical
      print '(a, 1x, a)', 'refused', trim(text)
      !$omp end critical
    end if
  end subroutine look_up

  ! A set for each thread: runs at the same time.
  subroutine sets()
    integer :: t, turn, status, failed
    character(len=8) :: name
    failed = 0
    !$omp parallel num_threads(team) private(t, turn, status, name) reduction(+: failed)
    t = omp_get_thread_num()
    write (name, '(a, i0)') 'set', t
    call frame_bind(name, 'T', 'in', temperature(:, t), ierr=status)
    failed = failed + abs(status)
    call frame_bind(name, 'P', 'in', p, ierr=status)
    failed = failed + abs(status)
    call frame_bind(name, 'Y', 'in', y, ierr=status)
    failed = failed + abs(status)
    call frame_bind(name, 'rho', 'out', rho(:, t), ierr=status)
    failed = failed + abs(status)
    do turn = 1, turns
      rho(:, t) = -1
      call frame_run(name, 'eosRhohFromTPprop', status)
      failed = failed + abs(status)
      if (any(rho(:, t) /= right(:, t))) failed = failed + 1
    end do
    !$omp end parallel
    print '(a, 1x, i0)', 'sets', failed
  end subroutine sets

  ! One thread after the other, with what another one has put there.
  subroutine handover()
    integer :: step, t, status, failed
    failed = 0
    do step = 0, 11
      t = mod(step, team)
      call populate(t, status)
      failed = failed + abs(status)
      !$omp parallel num_threads(team) private(status) reduction(+: failed)
      if (omp_get_thread_num() == 1 + mod(step, team - 1)) then
        call frame_tvproperties_eosrhohfromtpprop(n, status)
        failed = failed + abs(status)
        rho(:, t) = -1
        call frame_castles_populateoutputstripe('rho', rho(:, t), ierr=status)
        failed = failed + abs(status)
      end if
      !$omp end parallel
      if (any(rho(:, t) /= right(:, t))) failed = failed + 1
    end do
    do step = 0, 11                      ! each step by another thread, from populate to extract
      t = mod(step, team)
      !$omp parallel num_threads(team) private(status) reduction(+: failed)
      if (omp_get_thread_num() == t) then
        rho(:, t) = -1
        call in_turn(t, rho(:, t), status)
        failed = failed + abs(status)
        if (any(rho(:, t) /= right(:, t))) failed = failed + 1
      end if
      !$omp end parallel
    end do
    print '(a, 1x, i0)', 'handover', failed
  end subroutine handover

  ! Two sequences, call by call in turns: no two calls at the same time.
  subroutine interleaved()
    integer :: t, call_number, status(0:1, 4)
    status = 0
    !$omp parallel num_threads(2) private(t, call_number)
    t = omp_get_thread_num()
    do call_number = 1, 8
      if (mod(call_number, 2) == 1 - t) then
        associate (of_this_call => status(t, (call_number + 1)/2))
          select case ((call_number + 1)/2)
          case (1)
            call populate(t, of_this_call)
          case (2)
            call frame_tvproperties_eosrhohfromtpprop(n, of_this_call)
          case (3)
            call frame_tvproperties_eosthermalproperties(n, of_this_call)
          case (4)
            rho(:, t) = -1
            call frame_castles_populateoutputstripe('rho', rho(:, t), ierr=of_this_call)
          end select
          if (of_this_call /= 0) call look_up(t)
        end associate
      end if
      !$omp barrier
    end do
    !$omp end parallel
    print '(a, 8(1x, i0))', 'interleaved', status(0, :), status(1, :)
    print '(a, 1x, l1)', 'second-is-right', all(rho(:, 1) == right(:, 1))
    print '(a, 1x, i0)', 'status-of-first', frame_status()
  end subroutine interleaved

  integer function tasks()
    character(len=80) :: line
    integer :: unit
    tasks = 0
    open (newunit=unit, file='/proc/self/status', status='old')
    do while (tasks == 0)
      read (unit, '(a)') line
      if (line(1:8) == 'Threads:') read (line(9:), *) tasks
    end do
    close (unit)
  end function tasks

  ! A small block starts no threads, a large one does; a point's bits do not tell.
  subroutine fed()
    real(c_double), allocatable, target :: y_flat(:)
    real(c_double), pointer :: fractions(:, :)
    integer :: i
    allocate (p(large), y_flat(2*large), temperature(large, 1), rho(large, 2))
    p = 10.0e6_c_double
    y_flat = 0.5_c_double
    temperature(:, 1) = [(250.0_c_double + 0.01_c_double*i, i=1, large)]
    do first = 1, 2
      i = merge(small, large, first == 1)
      call frame_bind('cells', 'T', 'in', temperature(:i, 1), ierr=ierr)
      call check('bind', ierr)
      call frame_bind('cells', 'P', 'in', p(:i), ierr=ierr)
      fractions(1:i, 1:2) => y_flat(:2*i)
      call frame_bind('cells', 'Y', 'in', fractions, ierr=ierr)
      call check('bind', ierr)
      call frame_bind('cells', 'rho', 'out', rho(:i, first), ierr=ierr)
      call check('bind', ierr)
      before = tasks()
      call frame_run('cells', 'eosRhohFromTPprop', ierr)
      call check('run', ierr)
      between = tasks()
      print '(a, 1x, i0)', merge('small', 'large', first == 1), between - before
    end do
    print '(a, 1x, l1)', 'same', all(rho(:small, 1) == rho(:small, 2))
    print '(a, 2(1x, z16.16))', 'bits', sum(rho(:small, 1)), sum(rho(:, 2))
  end subroutine fed

  ! Outputs in one place, and components of one array between each other.
  subroutine overlap()
    allocate (data(7, 5, 4, 3))
    data(1, :, :, :) = 10.0e6_c_double
    data(2, :, :, :) = 300.0_c_double
    data(3:4, :, :, :) = 0.5_c_double
    data(5:, :, :, :) = -1
    call component('P', 'in', 1, 1)
    call component('T', 'in', 2, 2)
    call component('Y', 'in', 3, 4)
    call component('rho', 'out', 5, 5)
    call component('h', 'out', 5, 5)
    call attempt('one-place')
    call component('h', 'out', 4, 4)
    call attempt('over-input')
    call component('h', 'out', 7, 7)
    call attempt('between')
    print '(a, 1x, l1)', 'untouched', all(data(6, :, :, :) == -1) .and. all(data(4, :, :, :) == 0.5)
    call component('h', 'out', 2, 2)
    call attempt('in-place')
    print '(a, 1x, l1)', 'same', all(data(2, :, :, :) == data(7, :, :, :))
  end subroutine overlap

  subroutine component(name, intent, from, to)
    character(len=*), intent(in) :: name, intent
    integer, intent(in) :: from, to
    call frame_bind('cells', name, intent, data, sptdata=from, eptdata=to, component_first=.true., &
        ierr=ierr)
    call check('bind ' // name, ierr)
  end subroutine component

  subroutine attempt(label)
    character(len=*), intent(in) :: label
    call frame_run('cells', 'eosRhohFromTPprop', ierr)
    message = ''
    if (ierr /= 0) call frame_last_error(message)
    print '(a, 1x, i0, 1x, l1, 1x, a)', label, ierr, all(data(5, :, :, :) == -1), trim(message)
  end subroutine attempt

end program threads
