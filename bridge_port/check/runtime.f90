! Beside a nest under test: fills its variables, and writes them before and behind it.
! zz_in: number of runs; of each its sizes, seed, seed of changed bits, share of extreme values.
! A seed of changed bits below 0 is a direction of rounding for the nest.
! Ranges are of variables, or of each of their components, which stand first or last.
module zz_state
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: zz_most = 200
  integer :: zz_stage = 0, zz_run = 0, zz_runs = 0, zz_count = 0, zz_in = 0, zz_out = 0
  integer :: zz_of(zz_most) = 1
  integer(int64) :: zz_seed = 1, zz_bits = 0
  real(8) :: zz_low = 0.5d0, zz_high = 2d0, zz_odd = 0d0
  integer :: zz_ranges = 0
  integer :: zz_range_id(zz_most), zz_columns(zz_most), zz_at(zz_most)
  logical :: zz_first(zz_most)
  real(8), allocatable :: zz_range(:, :)
contains
  subroutine zz_next_random(x, u)
    integer(int64), intent(inout) :: x
    real(8), intent(out) :: u
    x = ieor(x, ishft(x, 13))
    x = ieor(x, ishft(x, -7))
    x = ieor(x, ishft(x, 17))
    u = real(iand(ishft(x, -11), 9007199254740991_int64), 8) / 9007199254740992d0
  end subroutine
  subroutine zz_begin_random(id, seed, x)
    integer, intent(in) :: id
    integer(int64), intent(in) :: seed
    integer(int64), intent(out) :: x
    integer :: n
    real(8) :: u
    x = 88172645463325252_int64 + 7919_int64 * id + 104729_int64 * seed
    do n = 1, 12
      call zz_next_random(x, u)
    end do
  end subroutine
  ! Of element k of n.
  subroutine zz_limits(id, k, n, low, high)
    integer, intent(in) :: id, k, n
    real(8), intent(out) :: low, high
    integer :: m, c
    low = zz_low
    high = zz_high
    do m = 1, zz_ranges
      if (zz_range_id(m) /= id) cycle
      c = 0
      if (mod(n, zz_columns(m)) == 0) then
        c = mod(k - 1, zz_columns(m))
        if (.not. zz_first(m)) c = (k - 1) / (n / zz_columns(m))
      end if
      low = zz_range(1, zz_at(m) + c)
      high = zz_range(2, zz_at(m) + c)
    end do
  end subroutine
end module

subroutine zz_open()
  use zz_state
  implicit none
  integer :: n, m, columns
  if (zz_in /= 0) return
  open (newunit=zz_in, file='zz_in', status='old', action='read')
  open (newunit=zz_out, file='zz_out', status='replace', access='stream', form='unformatted')
  read (zz_in, *) zz_runs, zz_count, zz_ranges, columns
  allocate (zz_range(2, columns))
  m = 1
  do n = 1, zz_ranges
    read (zz_in, *) zz_range_id(n), zz_columns(n), zz_first(n), zz_range(:, m:m + zz_columns(n) - 1)
    zz_at(n) = m
    m = m + zz_columns(n)
  end do
end subroutine

! Whether there is one more run.
logical function zz_more()
  use zz_state
  implicit none
  integer :: progress
  call zz_open()
  zz_more = zz_run < zz_runs
  if (.not. zz_more) return
  zz_run = zz_run + 1
  read (zz_in, *) zz_of(:zz_count), zz_seed, zz_bits, zz_low, zz_high, zz_odd
  open (newunit=progress, file='progress', status='replace')
  write (progress, '(i0)') zz_run
  close (progress)
  zz_stage = 0
end function

integer function zz_size(k)
  use zz_state
  implicit none
  integer, intent(in) :: k
  zz_size = zz_of(k)
end function

subroutine zz_set(k, n, x)
  use zz_state
  implicit none
  integer, intent(in) :: k, n
  integer :: x(n), j
  x = [(max(1, zz_of(k) - mod(j - 1, 3)), j = 1, n)]
end subroutine

! A list of points: different numbers, not in their order.
subroutine zz_list(k, step, extent, n, x)
  use zz_state
  implicit none
  integer, intent(in) :: k, step, extent, n
  integer :: x(n), j, place
  do j = 1, n
    place = 1 + mod((j - 1) / step, extent)
    if (mod(place, 2) == 0) then
      place = place - 1
    else if (place < extent) then
      place = place + 1
    end if
    x(j) = mod(zz_of(k), 4) + place
  end do
end subroutine

! 1: what follows is filled and written, 2: what follows is written.
subroutine zz_to(stage)
  use zz_state
  implicit none
  integer, intent(in) :: stage
  logical, external :: zz_more
  logical :: more
  integer :: made
  call zz_invalid(made)
  if (zz_in == 0) more = zz_more()
  call zz_round(0)
  zz_stage = stage
  write (zz_out) -stage, zz_run, made
  flush (zz_out)
end subroutine

! Behind what is filled, before the nest.
subroutine zz_go()
  use zz_state
  implicit none
  integer :: made
  if (zz_bits < 0) call zz_round(int(-zz_bits))
  call zz_invalid(made)
end subroutine

! made: 1 if an operation has given NaN since the last call of this, which clears it.
subroutine zz_invalid(made)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(out) :: made
  integer(c_int), parameter :: invalid = 1
  integer(c_int) :: status
  interface
    integer(c_int) function zz_fetestexcept(flags) bind(c, name='fetestexcept')
      import
      integer(c_int), value :: flags
    end function
    integer(c_int) function zz_feclearexcept(flags) bind(c, name='feclearexcept')
      import
      integer(c_int), value :: flags
    end function
  end interface
  made = merge(1, 0, zz_fetestexcept(invalid) /= 0)
  status = zz_feclearexcept(invalid)
end subroutine

! Not by ieee_set_rounding_mode, which ends with the procedure that calls it.
subroutine zz_round(direction)
  use, intrinsic :: iso_c_binding, only: c_int
  use zz_mathematics, only: zz_set_nudge
  implicit none
  integer, intent(in) :: direction
  integer(c_int) :: status
  interface
    integer(c_int) function zz_fesetround(mode) bind(c, name='fesetround')
      import
      integer(c_int), value :: mode
    end function
  end interface
  status = zz_fesetround(int(direction, c_int))
  call zz_set_nudge(int(direction, c_int))
end subroutine

subroutine zz_r8(id, n, x)
  use zz_state
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan, ieee_positive_inf
  implicit none
  integer, intent(in) :: id, n
  real(8) :: x(n), u, low, high
  integer(int64) :: s, b
  integer :: k
  if (zz_stage == 1) then
    call zz_begin_random(id, zz_seed, s)
    call zz_begin_random(id, zz_bits, b)
    do k = 1, n
      call zz_limits(id, k, n, low, high)
      call zz_next_random(s, u)
      x(k) = low + (high - low) * u
      call zz_next_random(s, u)
      if (n > 1 .and. u < zz_odd) then
        x(k) = ieee_value(1d0, ieee_quiet_nan)
        if (u < zz_odd / 4) x(k) = ieee_value(1d0, ieee_positive_inf)
        if (u > zz_odd * 0.8d0) x(k) = -1d300
      end if
      call zz_next_random(b, u)
      if (zz_bits > 0) x(k) = x(k) * (1d0 + (floor(u * 5d0) - 2) * 2.2d-16)
    end do
  end if
  write (zz_out) id, 8, n, x
end subroutine

subroutine zz_r4(id, n, x)
  use zz_state
  implicit none
  integer, intent(in) :: id, n
  real(4) :: x(n)
  real(8) :: u, low, high
  integer(int64) :: s, b
  integer :: k
  if (zz_stage == 1) then
    call zz_begin_random(id, zz_seed, s)
    call zz_begin_random(id, zz_bits, b)
    do k = 1, n
      call zz_limits(id, k, n, low, high)
      call zz_next_random(s, u)
      x(k) = real(low + (high - low) * u, 4)
      call zz_next_random(s, u)
      call zz_next_random(b, u)
      if (zz_bits > 0) x(k) = x(k) * (1.0 + (floor(u * 5d0) - 2) * 6e-8)
    end do
  end if
  write (zz_out) id, kind(x), n, x ! 8 where real(4) is promoted
end subroutine

subroutine zz_i4(id, n, x)
  use zz_state
  implicit none
  integer, intent(in) :: id, n
  integer :: x(n)
  real(8) :: u, low, high
  integer(int64) :: s
  integer :: k
  if (zz_stage == 1) then
    call zz_begin_random(id, zz_seed, s)
    do k = 1, n
      call zz_limits(id, k, n, low, high)
      if (low == zz_low .and. high == zz_high) then
        low = 0
        high = 3
      end if
      call zz_next_random(s, u)
      x(k) = floor(low + (high - low + 1) * u)
    end do
  end if
  write (zz_out) id, 1, n, x
end subroutine

subroutine zz_l4(id, n, x)
  use zz_state
  implicit none
  integer, intent(in) :: id, n
  logical :: x(n)
  real(8) :: u
  integer(int64) :: s
  integer :: k
  if (zz_stage == 1) then
    call zz_begin_random(id, zz_seed, s)
    do k = 1, n
      call zz_next_random(s, u)
      x(k) = u < 0.5d0
    end do
  end if
  write (zz_out) id, 1, n, merge(1, 0, x)
end subroutine
