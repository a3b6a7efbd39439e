! Points that stop, and output that a kernel does without.
module stops
  implicit none
contains
  subroutine fatal_error(text, code)
    character(*), intent(in) :: text
    integer, intent(in) :: code
    write(*,*) 'fatal: ', trim(text), code
    stop 1
  end subroutine fatal_error

  real(8) function root(x)
    real(8), intent(in) :: x
    if (x < -0.8d0) call fatal_error('negative argument', 3)
    root = sqrt(x + 1.0d0)
  end function root

  real(8) function positive(x)
    real(8), intent(in) :: x
    positive = -2
    if (x < -0.95d0) error stop 'small'
    positive = x
  end function positive

  subroutine state(a, b, n, c, flag, d)
    real(8), intent(in) :: a, b
    integer, intent(inout) :: n
    real(8), intent(out) :: c
    logical, intent(out) :: flag
    real(8), intent(inout) :: d(2)
    character(20) :: text
    integer :: i
    real(8) :: x
    flag = a > 0
    d(1) = d(1) + a
    if (b > 0.9d0) then
      write(text, '(f8.3)') b
      print *, 'b is too large', trim(text)
      n = 7
      error stop 'b'
    end if
    x = root(positive(a))
    c = 0
    do i = 1, 4
      x = x*1.2d0
      if (x > 2.6d0) stop 2
      if (root(d(2)*x/4) > 1.2d0) cycle
      c = c + x
    end do
    if (c > 5.5d0) then
      c = 5.5d0
      if (b > 0.5d0) return
      n = n + 1
      call library_error('c', n)
    end if
    n = n + 1
    d(2) = c
  end subroutine state

  subroutine warned(x, errmsg, y, ierr)
    real(8), intent(in) :: x
    character(*), intent(out) :: errmsg
    real(8), intent(out) :: y
    integer, intent(out) :: ierr
    character(12) :: number
    ierr = 0
    errmsg = ''
    y = x*x
    if (x < 0.3d0) then
      write(number, 10) x
      errmsg = 'small: ' // number
      call warn('warned', errmsg)
      write(*, '(2a)') 'warned: ', trim(errmsg)
      ierr = 2
      return
    end if
10  format (f12.4)
    y = y + 1
  end subroutine warned

  subroutine warn(name, text)
    character(*), intent(in) :: name, text
    print *, name, text
  end subroutine warn

  subroutine looked_at(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    character(12) :: number
    write(number, '(f12.4)') x
    y = 0
    if (number(1:1) == '*') y = 1
  end subroutine looked_at

  subroutine asks(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    integer :: bad
    write(*, *, iostat=bad) x
    y = bad
  end subroutine asks

  subroutine calls(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = x
    print *, root(x)
  end subroutine calls

  subroutine left_out(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = 0
    if (x > 0 .and. root(x) > 1) y = 1
  end subroutine left_out

  subroutine turns(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = x
    do while (root(y) < 1)
      y = y + 0.1d0
    end do
  end subroutine turns
end module stops

! Arrays of one element, which a kernel gets as numbers.
subroutine of_one(n, a, k, on, b, c)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  integer, intent(in) :: k(n)
  logical, intent(in) :: on(n)
  real(8), intent(inout) :: b(n)
  real(8), intent(out) :: c(n, n)
  integer :: i
  do i = 1, n
    if (on(i)) b(i) = b(i) + a(i)*k(i)
    c(i, i) = 2*b(i)
  end do
end subroutine of_one
