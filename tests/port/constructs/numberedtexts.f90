! Texts that come back: constants alone, so that each has a number.
module numberedtexts
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(*), parameter :: bad = 'radius: it has to be positive'
contains
  character(12) function cut(x)
    real(dp), intent(in) :: x
    cut = 'it is a longer text'
    if (x > 0.5_dp) cut = 'it is a long text'
    if (x > 1.5_dp) cut = 'small'
  end function cut

  function area(r, a) result(error)
    real(dp), intent(in) :: r
    real(dp), intent(out) :: a
    character(len=128) :: error
    error = ''
    a = 0
    if (r <= 0) then
      error = bad
      return
    end if
    a = 3*r**2
  end function area

  subroutine left(x, msg, y)   ! at some points it stays as it was
    real(dp) :: x, y
    character(20), intent(inout) :: msg
    y = 2*x
    if (x > 0.5_dp) msg = 'hot'
    if (x < 0.1_dp) msg = ''
  end subroutine left

  subroutine both(r, a, msg)   ! its own text gets what a function gives
    real(dp), intent(in) :: r
    real(dp), intent(inout) :: a
    character(len=64) :: msg
    character(len=128) :: err
    err = area(r, a)
    if (len_trim(err) > 0) return
    msg = "done, 'it' // " // 'ok'
    if (len_trim(err) == 0 .and. 1 > len_trim(err) .and. bad /= err) a = a + 1
  end subroutine both

  subroutine inward(r, s, a)   ! no text comes back
    real(dp), intent(in) :: r, s
    real(dp), intent(inout) :: a
    character(len=128) :: err
    err = area(r, a)
    if (trim(err) == bad) err = area(s, a)
    if (0 < len_trim(err) .or. 'never' == err) a = -1
    if (area(r - 0.5_dp, a) == bad) a = a - 4
  end subroutine inward

  subroutine steps(x, n, msg)
    real(dp), intent(inout) :: x
    integer, intent(out) :: n
    character(20), intent(out) :: msg
    integer :: i
    msg = 'not converged'
    n = 0
    do i = 1, 20
      n = i
      x = 0.25_dp*x
      if (abs(x) < 1.0e-3_dp) then
        msg = 'converged'
        exit
      end if
      if (abs(x) > 0.3_dp) msg = 'large'
    end do
    if (msg == 'large') n = -n
    if (msg /= 'large' .and. msg /= '') x = x + 1
  end subroutine steps

  subroutine judge(x, msg)   ! through an optional one, by its name, and by a constant
    real(dp), intent(in) :: x
    character(9), intent(out) :: msg
    call say(x, msg=msg)
    call say(x)
    if (msg == 'fine') call hand('warm', x, msg)
  end subroutine judge

  subroutine say(x, level, msg)
    real(dp), intent(in) :: x
    integer, intent(in), optional :: level
    character(*), intent(out), optional :: msg
    if (present(msg)) then
      msg = 'fine'
      if (x > 1.5_dp) msg = 'hot "x'
    end if
  end subroutine say

  subroutine hand(text, x, msg)
    character(*), intent(in) :: text
    real(dp), intent(in) :: x
    character(*), intent(inout) :: msg
    if (x > 0.9_dp) msg = text
  end subroutine hand
end module numberedtexts
character(12) function outside(x)
  real(8), intent(in) :: x
  outside = 'external'
  if (x > 0.7d0) outside = 'external, and long'
end function outside
