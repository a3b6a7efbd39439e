! Control flow of one point: every way in which points part and meet again.
module flow
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains

  subroutine chain(x, k, y, n)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    integer, intent(out) :: n
    if (x > 1.5_dp) then
      y = x*x
      n = 1
    else if (x > 1.0_dp .and. k > 0) then   ! the second arm
      y = sqrt(x)
      n = 2
    else if (k < 0) then
      y = -x
      n = k
    else
      y = exp(-x)
      n = 4
    end if
    if (n == 4) y = y + 1
    if (n == k) then
      if (x < 1.2_dp) then
        n = n + 100
      else
        n = n - 100
      end if
    end if
  end subroutine chain

  subroutine early(x, k, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(inout) :: y
    integer :: i
    y = y + x
    if (k == 0) return
    y = y/k
    do i = 1, 4
      y = y + x*i
      if (y > 6) return
      if (k < 0) then
        y = y - 0.5_dp
        if (i == 2) return
      end if
    end do
    y = -y
  end subroutine early

  subroutine leaving(x, k, turns, skipped, total)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer, intent(out) :: turns, skipped
    real(dp), intent(out) :: total
    integer :: i
    turns = 0
    skipped = 0
    total = 0
    do i = 1, 12
      if (mod(i + k, 3) == 0) then
        skipped = skipped + 1
        cycle
      end if
      total = total + x**2/i
      if (total > 2.0_dp + 0.1_dp*k) exit
      turns = turns + 1
    end do
    if (turns > 3) total = total + i
  end subroutine leaving

  subroutine named(x, k, hits, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer, intent(out) :: hits
    real(dp), intent(out) :: y
    integer :: i, j
    hits = 0
    y = x
    outer: do i = 1, 5
      inner: do j = 1, 6
        if (i*j > 8 + k) exit outer
        if (mod(i + j, 4) == mod(abs(k), 4)) cycle outer
        if (j > i + 2) exit inner
        hits = hits + 1
        y = y + x/(i + j)
      end do inner
      y = y*1.01_dp
      hits = hits + 10
    end do outer
    hits = hits*1000 + i*10 + j
  end subroutine named

  ! A root by Newton's method; each point takes its own number of steps.
  subroutine root(a, x, steps)
    real(dp), intent(in) :: a
    real(dp), intent(out) :: x
    integer, intent(out) :: steps
    real(dp) :: change
    x = a
    steps = 0
    change = 1
    do while (abs(change) > 1.0e-9_dp*x)
      change = (x*x - a)/(2*x)
      x = x - change
      steps = steps + 1
      if (steps > 40) exit
    end do
  end subroutine root

  subroutine forever(x, y, n)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer, intent(out) :: n
    n = 0
    y = x
    do
      n = n + 1
      if (n > 30) return
      y = y*1.3_dp
      if (y > 9) exit
      if (n == 3) cycle
      y = y + 0.01_dp
    end do
    y = y - n
  end subroutine forever

  subroutine jumps(x, k, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    integer :: i
    y = x
    if (k > 5) goto 30
    if (k < 0) goto 20
    y = y + 1
    if (x > 1.0_dp) goto 30
    y = y + 2
20  y = y*3
    do i = 1, 5
      if (y > 8) goto 40
      y = y + x
    end do
30  continue
    y = y - 10
40  y = y*y
  end subroutine jumps

  subroutine chosen(k, x, y)
    integer, intent(in) :: k
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    select case (k)
    case (:-2)
      y = 1
    case (0, 2, 4:5)
      y = x
    case default
      y = 2*x
    case (7:)
      y = 3*x
    end select
  end subroutine chosen

  subroutine ownbounds(k, m, s, last)
    integer, intent(in) :: k, m
    integer, intent(out) :: s, last
    integer :: i
    s = 0
    do i = k, m
      s = s + i
    end do
    last = i
    do i = 8, k, -2
      s = s*2 + i
      if (s > 500) exit
    end do
    last = last*100 + i
    do i = 1, m
      s = s - 1
    end do
  end subroutine ownbounds

  ! The bounds of a loop are those that it began with.
  subroutine bounds_kept(x, n, y)
    real(dp), intent(in) :: x
    integer, intent(out) :: n
    real(dp), intent(out) :: y
    integer :: i, last
    last = 6
    n = 0
    y = x
    do i = 1, last
      last = last - 1
      n = n + i
      if (x > 1.1_dp) n = n + last
    end do
    do i = n, n + 3
      n = n - 2
      y = y*1.1_dp
    end do
  end subroutine bounds_kept

  subroutine uniform(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer :: i, j
    integer, parameter :: limit = 4
    logical :: odd
    y = 0
    odd = .true.
    j = 0
    do while (j < limit)
      j = j + 1
      odd = .not. odd
      if (odd) cycle
      y = y + x/j
    end do
    do i = 1, 10
      if (i > limit) exit
      y = y*x + i
    end do
    y = y + i
    if (limit > 3) then
      y = y + 1
      return
    end if
    y = -1
  end subroutine uniform

  ! What points that are off compute must not trap or read beyond an array.
  subroutine guarded(k, m, x, y, n)
    integer, intent(in) :: k, m
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer, intent(out) :: n
    real(dp) :: table(4)
    integer, parameter :: places(3) = [5, 7, 9]
    integer :: i
    do i = 1, 4
      table(i) = i*x
    end do
    y = 0
    n = 0
    if (k > 0 .and. k <= 4) y = table(k)
    if (m /= 0) n = k/m + mod(k, m) + modulo(k, m)
    if (k >= 1 .and. k <= 4) table(k) = -1
    y = y + table(1) + 10*table(4)
    do i = -1, 7
      if (x > 0.7_dp .and. i >= 1 .and. i <= 4) y = y + table(i)
      if (x > 0.9_dp .and. i /= 0) n = n + mod(12, i)
      if (i /= 0 .and. m/i > 1) n = n + 1
    end do
    if (k >= 1 .and. k <= 3) y = y + places(k)*x
    if (m == 2 .and. k > 1 .and. k < 3) y = y/places(k - 1)
    do i = -3, 3
      if (i == 0) cycle
      n = n + 12/i
    end do
  end subroutine guarded

  ! Locals of a procedure keep what they have where a point has left a loop.
  subroutine kept(x, y, found)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    logical, intent(out) :: found
    real(dp) :: trial, best
    integer :: i
    best = 10
    found = .false.
    do i = 1, 8
      trial = abs(x - 0.25_dp*i)
      if (trial < best) then
        best = trial
      else
        found = .true.
        exit
      end if
    end do
    y = best + trial*0.001_dp
  end subroutine kept

  subroutine nested_return(x, k, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    integer :: i, j
    real(dp) :: part
    y = 0
    do i = 1, 3
      part = 0
      do j = 1, 3
        part = part + x
        if (k == i*j) then
          y = -part
          return
        end if
      end do
      y = y + part
      if (k > 6) exit
    end do
    y = y + 100
  end subroutine nested_return

  ! An array that a loop fills under a condition, and a counter that differs between points.
  subroutine packed(a, x, n, b)
    real(dp), intent(in) :: a(5), x
    integer, intent(out) :: n
    real(dp), intent(out) :: b(5)
    integer :: i
    b = 0
    n = 0
    do i = 1, 5
      if (a(i) > x) then
        n = n + 1
        b(n) = a(i)
      end if
    end do
    if (n > 1) b(n) = b(n) + b(1)
  end subroutine packed

  subroutine strides(by, x, n, a, last)
    integer, intent(in) :: by, n
    real(dp), intent(in) :: x
    real(dp), intent(out) :: a(9)
    integer, intent(out) :: last(4)
    integer :: i, j, step
    a = 0
    step = 2
    do j = 1, 3
      do i = j, 9, step
        step = 1
        if (x > i) cycle
        a(i) = a(i) + x*j
      end do
      last(j) = i
      step = j + 1
    end do
    do j = 1, 2
      step = j - 3
      do i = 9, 3, step
        if (x < i - 8) exit
        a(i) = a(i) - j
      end do
      do i = 3, 5, step
        a(i) = 100
      end do
      if (n > 2) last(j) = i + n
    end do
    do j = 1, 2
      step = 2*j - 3
      do i = 5, n, step
        a(max(i, 1)) = a(max(i, 1)) + 7*j
        if (a(max(i, 1)) > 20) exit
      end do
      last(j + 1) = i
    end do
    do i = 9, 1, by
      a(i) = a(i) + 0.5_dp
    end do
    last(4) = i
  end subroutine strides
end module flow
