! Runs of several sets that come again: halves of two blocks, of which the second half follows the
! first one. Each step is done in one call, and run by run on other arrays.
program severalagain
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use bridge
  implicit none (type, external)
  integer, parameter :: n = 24
  real(c_double), target :: u(n, n, n, 5), rhs(n, n, n, 5), v(n, n, n, 5)
  integer(c_int) :: ierr(4)
  logical :: resident
  character(len=8) :: word
  integer :: turn, ns

  call random_seed(put=[(17 * turn, turn=1, 64)])
  call random_number(u)
  call random_number(rhs)
  v = u
  call get_environment_variable('TEST_RESIDENT', word)
  resident = word == '1'
  call get_environment_variable('BRIDGE_SPECIES', word)
  ns = merge(0, 2, word == ' ')
  call frame_initialize(device_id=0, ngridpoints=5000, ns=ns, nq=5 + ns, iturb=0)
  call bind('low', u, 1, n / 2)
  call bind('high', u, n / 2, n)
  call bind('low_alone', v, 1, n / 2)
  call bind('high_alone', v, n / 2, n)
  if (resident) then
    call enter('low')
    call enter('low_alone')
  end if
  call several(2)
  call frame_report()
  call several(300)
  call frame_report()
  call alone(302)
  call show('both')

  call frame_error_policy('return')
  ! What Python has to see: a run that is pending, a new array.
  call frame_run_begin('high', 'advanceInPlace')
  call frame_run_several('low high', 'advanceInPlace advanceInPlace', ierr(1))
  call frame_wait('high')
  call frame_run('high_alone', 'advanceInPlace')
  call frame_run_several('low  high', 'advanceInPlace', ierr(2))
  call frame_run_several('low nobody', 'advanceInPlace advanceInPlace', ierr(3))
  call show('refused')
  if (.not. resident) call bind('high', u, n / 2 + 1, n)
  if (.not. resident) call bind('high_alone', v, n / 2 + 1, n)
  call several(3)
  call alone(3)
  call frame_unchanged('high', '*', ierr(4))
  call several(2)
  call alone(2)
  call show('anew')
  print '(a, *(1x, i0))', 'status', ierr
  call frame_finalize()
contains
  subroutine bind(set, field, first, last)
    character(len=*), intent(in) :: set
    real(c_double), target, intent(inout) :: field(:, :, :, :)
    integer, intent(in) :: first, last
    call frame_bind(set, 'conserved', 'inout', field, 1, n, 1, n, first, last)
    call frame_bind(set, 'rhs', 'in', rhs, 1, n, 1, n, first, last)
  end subroutine bind

  subroutine enter(set)
    character(len=*), intent(in) :: set
    call frame_enter_data(set, 'conserved', 'copyin')
    call frame_enter_data(set, 'rhs', 'copyin')
  end subroutine enter

  subroutine several(times)
    integer, intent(in) :: times
    integer :: again
    do again = 1, times
      call frame_run_several('low high', 'advanceInPlace advanceInPlace')
    end do
  end subroutine several

  subroutine alone(times)
    integer, intent(in) :: times
    integer :: again
    do again = 1, times
      call frame_run('low_alone', 'advanceInPlace')
      call frame_run('high_alone', 'advanceInPlace')
    end do
  end subroutine alone

  subroutine show(what)
    character(len=*), intent(in) :: what
    if (resident) call frame_update_host('low', 'conserved')
    if (resident) call frame_update_host('high', 'conserved')
    if (resident) call frame_update_host('low_alone', 'conserved')
    if (resident) call frame_update_host('high_alone', 'conserved')
    print '(a, 1x, l1, 1x, es12.5)', what, all(u == v), sum(u)
  end subroutine show
end program severalagain
