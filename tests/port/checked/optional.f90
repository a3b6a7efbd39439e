! Optional arguments: of nests, and of procedures of one point.
module optionals
  implicit none
contains
  subroutine press(n, m, a, r, x, dt, total)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n, m)
    real(8), intent(out), optional :: r(n, m)
    real(8), intent(in), optional :: x(:, :), dt
    real(8), intent(out), optional :: total
    logical :: use_x
    integer :: i, j
    real(8) :: t
    use_x = present(x)
    if (present(total)) total = 0
    do j = 1, m
      do i = 1, n
        t = 2*a(i, j)
        if (use_x .and. a(i, j) > 0.5d0) t = t + x(i, j)
        a(i, j) = weighed(t, dt, x=x(i, j))
        if (present(r)) r(i, j) = t
        if (present(total)) total = total + t
      end do
    end do
  end subroutine press

  subroutine plain(n, a, dt)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8), intent(in), optional :: dt
    integer :: i
    do i = 1, n
      a(i) = weighed(a(i), dt)
    end do
  end subroutine plain

  real(8) function weighed(t, dt, x)
    real(8), intent(in) :: t
    real(8), intent(in), optional :: dt
    real(8), intent(in), optional :: x
    weighed = t
    if (present(dt)) weighed = t*dt
    if (present(x)) weighed = weighed + x
  end function weighed

  subroutine around(n, a, x, y, z)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8), intent(in), optional :: x(n), y(n), z(n)
    integer :: i
    if (.not. present(z)) return
    if (present(x) .or. n > 100) then
      a = 1
    else if (present(y)) then
      do i = 1, n
        if (present(x)) a(i) = a(i) + x(i)
        if (present(y) .and. present(z)) a(i) = a(i)*y(i) + z(i)
      end do
    end if
  end subroutine around

  subroutine within(n, a, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8), intent(in), optional :: x
    integer :: i
    do i = 1, n
      a(i) = shifted(a(i))
    end do
  contains
    real(8) function shifted(b)
      real(8), intent(in) :: b
      shifted = b
      if (present(x)) shifted = b + 1
    end function shifted
  end subroutine within

  subroutine only_with(n, a, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8), intent(in), optional :: x(n)
    integer :: i
    do i = 1, n
      if (present(x)) then
        a(i) = a(i) + x(i)
      else
        write (*, *) a(i)
      end if
    end do
  end subroutine only_with

  subroutine point(x, dt, y, z)
    real(8), intent(in) :: x
    real(8), intent(in), optional :: dt
    real(8), intent(out) :: y
    real(8), intent(out), optional :: z
    y = scaled(weighed(x, dt))
    if (present(z)) z = y + 1
  contains
    real(8) function scaled(b)
      real(8), intent(in) :: b
      scaled = b
      if (present(dt)) scaled = b/(1 + dt*dt)
    end function scaled
  end subroutine point
end module optionals
