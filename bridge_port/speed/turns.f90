! Inside a program with a nest and its port: fills variables, puts them back before each turn, and
! takes the time of both in turns. zz_race: seconds, whether wall time counts, least turns,
! whether the arrays are kept on a GPU.
module zz_race
  use, intrinsic :: iso_fortran_env, only: int64
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  type :: zz_copy
    real(8), allocatable :: r8(:)
    real(4), allocatable :: r4(:)
    integer, allocatable :: i4(:)
    logical, allocatable :: l4(:)
  end type
  type, bind(c) :: zz_timespec
    integer(c_long) :: seconds, nanoseconds
  end type
  type(zz_copy), save :: zz_copies(200)
  real(8) :: zz_seconds = 0d0, zz_total = 0d0, zz_from = 0d0
  integer :: zz_turns = -1, zz_least = 5, zz_wall = 0, zz_on_gpu = 0, zz_file = 0
  interface
    integer(c_int) function clock_gettime(which, at) bind(c)
      import :: c_int, zz_timespec
      integer(c_int), value :: which
      type(zz_timespec), intent(out) :: at
    end function
  end interface
contains
  real(8) function zz_clock()
    type(zz_timespec) :: at
    integer(c_int) :: status
    ! CLOCK_MONOTONIC, or the processor time of this thread.
    status = clock_gettime(merge(1_c_int, 3_c_int, zz_wall /= 0), at)
    zz_clock = real(at%seconds, 8) + 1d-9 * real(at%nanoseconds, 8)
  end function

  subroutine zz_read_race()
    integer :: n
    if (zz_file /= 0) return
    open (newunit=n, file='zz_race', status='old', action='read')
    read (n, *) zz_seconds, zz_wall, zz_least, zz_on_gpu
    close (n)
    open (newunit=zz_file, file='zz_times', status='replace')
  end subroutine

  logical function zz_kept()
    call zz_read_race()
    zz_kept = zz_on_gpu /= 0
  end function

  ! Whether there is one more turn: the original has the even ones. The first of each is not written.
  logical function zz_turn()
    call zz_read_race()
    zz_turns = zz_turns + 1
    zz_turn = zz_turns < 2 * (zz_least + 1) .or. zz_total < zz_seconds .or. mod(zz_turns, 2) == 1
    zz_turn = zz_turn .and. zz_turns < 20000
    if (.not. zz_turn) close (zz_file)
  end function

  logical function zz_kernel()
    zz_kernel = mod(zz_turns, 2) == 1
    zz_from = zz_clock()
  end function

  subroutine zz_ended()
    real(8) :: taken
    integer :: progress
    taken = zz_clock() - zz_from
    zz_total = zz_total + taken
    if (zz_turns > 1) write (zz_file, '(i0, 1x, es22.15)') mod(zz_turns, 2), taken
    if (mod(zz_turns, 50) < 2) then
      open (newunit=progress, file='progress', status='replace')
      write (progress, '(i0)') zz_turns
      close (progress)
    end if
  end subroutine
end module

! Random numbers between 0 and 1, the same in each run.
subroutine zz_draw(id, n, u)
  use zz_state
  implicit none
  integer, intent(in) :: id, n
  real(8), intent(out) :: u(n)
  integer(int64) :: s
  integer :: k
  call zz_begin_random(id, zz_seed, s)
  do k = 1, n
    call zz_next_random(s, u(k))
  end do
end subroutine

! The same within the limits of a variable; whole: for integers, 0 to 3 where no limits are given.
subroutine zz_draw_within(id, n, whole, x)
  use zz_state
  implicit none
  integer, intent(in) :: id, n
  logical, intent(in) :: whole
  real(8), intent(out) :: x(n)
  real(8) :: low, high
  integer :: k
  call zz_draw(id, n, x)
  do k = 1, n
    call zz_limits(id, k, n, low, high)
    if (whole .and. low == zz_low .and. high == zz_high) then
      low = 0
      high = 3
    end if
    if (whole) then
      x(k) = floor(low + (high - low + 1) * x(k))
    else
      x(k) = low + (high - low) * x(k)
    end if
  end do
end subroutine

subroutine zz_put_r8(id, n, x)
  use zz_race
  implicit none
  integer, intent(in) :: id, n
  real(8) :: x(n)
  real(8), allocatable :: drawn(:)
  if (.not. allocated(zz_copies(id)%r8)) then
    allocate (drawn(n))
    call zz_draw_within(id, n, .false., drawn)
    zz_copies(id)%r8 = drawn
  end if
  x = zz_copies(id)%r8
end subroutine

subroutine zz_put_r4(id, n, x)
  use zz_race
  implicit none
  integer, intent(in) :: id, n
  real(4) :: x(n)
  real(8), allocatable :: drawn(:)
  if (.not. allocated(zz_copies(id)%r4)) then
    allocate (drawn(n))
    call zz_draw_within(id, n, .false., drawn)
    zz_copies(id)%r4 = real(drawn, 4)
  end if
  x = zz_copies(id)%r4
end subroutine

subroutine zz_put_i4(id, n, x)
  use zz_race
  implicit none
  integer, intent(in) :: id, n
  integer :: x(n)
  real(8), allocatable :: drawn(:)
  if (.not. allocated(zz_copies(id)%i4)) then
    allocate (drawn(n))
    call zz_draw_within(id, n, .true., drawn)
    zz_copies(id)%i4 = nint(drawn)
  end if
  x = zz_copies(id)%i4
end subroutine

subroutine zz_put_l4(id, n, x)
  use zz_race
  implicit none
  integer, intent(in) :: id, n
  logical :: x(n)
  real(8), allocatable :: drawn(:)
  if (.not. allocated(zz_copies(id)%l4)) then
    allocate (drawn(n))
    call zz_draw(id, n, drawn)
    zz_copies(id)%l4 = drawn < 0.5d0
  end if
  x = zz_copies(id)%l4
end subroutine
