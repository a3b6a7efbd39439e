! Dummy arrays that begin at an element of what is passed, and dummies without an end.
module windowed
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine spread_out(n, x, a, b)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(*)
    real(dp) :: a(n), b(*)
    integer :: i
    do i = 1, n
      a(i) = 2*x(i)
      b(i) = a(i) + x(n + 1 - i)
      b(n + i) = 3*b(i) - a(n + 1 - i)
    end do
  end subroutine spread_out

  function length(n, x)
    integer :: n, i
    real(dp) :: x(n), length
    length = 0
    do i = 1, n
      length = length + x(i)*x(i)
    end do
    length = sqrt(length)
  end function length

  subroutine scaled(n, factor, x)
    integer :: n, i
    real(dp) :: factor, x(*)
    do i = 1, n
      x(i) = factor*x(i)
    end do
  end subroutine scaled

  subroutine swapped(n, x, y)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(*), y(*)
    real(dp) :: t
    integer :: i
    do i = 1, n
      t = x(i)
      x(i) = y(i)
      y(i) = t
    end do
  end subroutine swapped

  subroutine as_rows(m, n, b, s)
    integer, intent(in) :: m, n
    real(dp), intent(inout) :: b(m, *)
    real(dp), intent(out) :: s
    integer :: i, j
    s = 0
    do j = 1, n
      do i = 1, m
        b(i, j) = b(i, j) + 10*i + j
      end do
      s = s + b(m, j) - b(1, j)
    end do
  end subroutine as_rows

  subroutine from_zero(n, x)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(0:*)
    integer :: i
    do i = n, 1, -1
      x(i) = x(i) - x(i - 1)
    end do
  end subroutine from_zero

  subroutine deeper(n, k, x)
    integer, intent(in) :: n, k
    real(dp), intent(inout) :: x(*)
    call from_zero(n - 1, x(k + 1))
    call scaled(n, x(1), x(k + 2))
  end subroutine deeper

  subroutine counted_up(n, k, on)
    integer, intent(in) :: n
    integer, intent(inout) :: k(*)
    logical, intent(inout) :: on(*)
    integer :: i
    do i = 1, n
      if (on(i)) k(i) = k(i) + i
      on(i) = k(i) > 2
    end do
  end subroutine counted_up

  subroutine ragged(b, s)
    real(dp), intent(inout) :: b(4, *)
    real(dp), intent(out) :: s
    integer :: i, j
    s = 0
    do j = 1, 3
      do i = 1, 4
        if (i + 4*j > 14) cycle
        b(i, j) = b(i, j) + i*j
        s = s + b(i, j)
      end do
    end do
  end subroutine ragged

  subroutine first_alone(x, s)
    real(dp), intent(inout) :: x(1)
    real(dp), intent(out) :: s
    integer :: k
    k = 1
    s = sum(x) + x(k)
    x = s + 1
  end subroutine first_alone

  subroutine old_sum(n, x, s)
    integer :: n, i
    real(dp) :: x(1), s
    s = 0
    do i = 1, n
      s = s + i*x(i)
    end do
  end subroutine old_sum

  subroutine maybe_sum(n, s, x)
    integer, intent(in) :: n
    real(dp), intent(inout) :: s
    real(dp), intent(in), optional :: x(*)
    integer :: i
    if (present(x)) then
      do i = 1, n
        s = s + x(i)
      end do
    end if
  end subroutine maybe_sum
end module windowed

module windows
  use windowed
  implicit none
  type box
    real(dp) :: v(6), w
  end type box
contains
  subroutine work_array(n, x, w)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp), intent(inout) :: w(*)
    call spread_out(n, x, w, w(n + 1))
    call scaled(n, w(2), w(2*n + 1))
  end subroutine work_array

  subroutine matrix_said(n, m, a, s)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: a(n, *)
    real(dp), intent(out) :: s
    integer :: i, j
    s = 0
    do j = 1, m
      do i = 1, n
        if (a(i, j) > s) s = s + a(i, j)
        a(i, j) = a(i, j) - s
      end do
    end do
  end subroutine matrix_said

  subroutine columns(a, d)
    real(dp), intent(inout) :: a(4, 4)
    real(dp), intent(out) :: d(4)
    integer :: j
    do j = 1, 4
      d(j) = length(5 - j, a(j, j)) + 2*length(4, a(1, j))
      if (a(j, j) < 0) d(j) = -d(j)
      call scaled(5 - j, 1/(1 + abs(d(j))), a(j, j))
      if (j < 4) call swapped(4, a(1, j), a(1, j + 1))
    end do
  end subroutine columns

  subroutine each_point(k, a, s)
    integer, intent(in) :: k
    real(dp), intent(inout) :: a(3, 0:3)
    real(dp), intent(out) :: s
    integer :: l, i
    l = modulo(k, 4)
    s = length(3, a(1, l))
    call scaled(3, s, a(1, modulo(k + 1, 4)))
    do i = 1, 5
      if (a(1, l) > 3*i) exit
      if (modulo(k + i, 3) == 0) cycle
      call scaled(12 - 3*l, 0.5_dp, a(1, l))
      if (a(2, l) < 0) call from_zero(2, a(1, l))
    end do
  end subroutine each_point

  subroutine other_shapes(w, s)
    real(dp), intent(inout) :: w(-2:8)
    real(dp), intent(out) :: s(4)
    call as_rows(3, 3, w(-1), s(1))
    call as_rows(2, 4, w, s(2))
    call as_rows(4, 1, w(5), s(3))
    call as_rows(5, 0, w(8), s(4))
    call ragged(w(-1), s(4))
    call scaled(3, 2.0_dp, w(1:3))
    call scaled(3, 3.0_dp, w(-2:8:4))
  end subroutine other_shapes

  subroutine deep(x, n)
    real(dp), intent(inout) :: x(12)
    integer, intent(in) :: n
    integer :: i
    call deeper(4, 3, x)
    do i = 1, 3
      call deeper(i, 2, x(2*i))
    end do
    if (n > 2) call deeper(2, 5, x(3))
  end subroutine deep

  subroutine others(k, on, n)
    integer, intent(inout) :: k(6)
    logical, intent(inout) :: on(7)
    integer, intent(in) :: n
    integer :: i
    call counted_up(3, k(2), on(4))
    do i = 1, 4
      call counted_up(2, k(i), on(i + 1))
    end do
    call counted_up(2, k(1 + modulo(n, 5)), on(1 + modulo(n, 3)))
  end subroutine others

  subroutine of_component(b, k)
    type(box), intent(inout) :: b
    integer, intent(in) :: k
    call from_zero(3, b%v(2))
    call scaled(2, b%w, b%v(1 + modulo(k, 5)))
  end subroutine of_component

  subroutine far_apart(w, s)
    real(dp), intent(inout) :: w(12)
    real(dp), intent(out) :: s
    integer :: one, two, i
    one = 2
    two = one + 5
    do i = 1, 2
      call swapped(4, w(one), w(two))
      one = one + 1
    end do
    call swapped(3, w, w(4))
    s = w(1) - w(12)
  end subroutine far_apart

  subroutine one_element(x, s)
    real(dp), intent(inout) :: x(5)
    real(dp), intent(out) :: s
    real(dp) :: t
    call first_alone(x(2), s)
    call first_alone(x, t)
    s = s + t
    call old_sum(4, x(2), t)
    s = s*t
  end subroutine one_element

  subroutine maybe(x, s)
    real(dp), intent(in) :: x(5)
    real(dp), intent(out) :: s
    s = 1
    call maybe_sum(3, s, x(3))
    call maybe_sum(3, s)
  end subroutine maybe

  subroutine without_elements(n, x)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(5)
    integer :: i
    do i = 1, 3
      call scaled(merge(i, 0, n > i), 1.5_dp, x(i))
    end do
    call scaled(0, 2.0_dp, x(4))
  end subroutine without_elements

  subroutine copies(k, x, s)
    integer, intent(in) :: k
    real(dp), intent(inout) :: x(6)
    real(dp), intent(out) :: s
    real(dp), parameter :: weights(4) = [1.0_dp, 0.5_dp, 2.0_dp, -1.0_dp]
    s = length(3, x*2) + length(4, weights)
    call maybe_sum(3, s, weights)
    call maybe_sum(2, s, [x(1), x(k - 2*(k/2) + 2)])
    call maybe_sum(3, s, x([1, 5, 3]))
    call scaled(2, s, x(5:2:-3))
  end subroutine copies

  subroutine parts_of_work(n, x, w, info)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp), intent(inout) :: w(*)
    integer, intent(out) :: info
    integer :: lr, begin, k, m, early
    info = 0
    m = 1
    if (x(1) > 0) then
      lr = n*(n + 1)/2
      begin = 2*n + lr
      call scaled(lr, 2.0_dp, w(begin + 1))
      call spread_out(n, x, w(begin + 1), w(2*n + 1 - n))
      info = lr + begin
    else
      m = 2
    end if
    call scaled(m, 3.0_dp, w(m))
    do k = 1, 3
      if (k > 1) call scaled(early, x(2), w(2*n + 1))
      early = n - 1
    end do
  end subroutine parts_of_work

  real(dp) function longest(x)
    real(dp), intent(in) :: x(3, 3)
    integer :: j
    longest = 0
    do j = 3, 1, -1
      longest = max(longest, length(3, x(1, j))/(1 + length(j, x(1, 4 - j))))
    end do
  end function longest
end module windows
