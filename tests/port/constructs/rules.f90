! What single rules of the translator decide and no other file here shows: tests/port/mutations.
module rules
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: across(2, 3) = reshape([1, 2, 3, 4, 5, 6]*1.0_dp, [2, 3])
  logical :: switches(3) = [.true., .false., .true.]
  integer :: steps(-1:1) = [3, 5, 8]
  real(dp) :: shares(3)
  integer :: at
  real, parameter :: weights(3) = [0.1, 0.2, 0.3]
  type started
    real :: weight = 0.1_dp
    real(dp) :: ends(2) = [1.0_dp, 4.0_dp], nothing(5:2) = 1
  end type started
  type counter
    integer :: n
  end type counter
contains

  ! Products and quotients of what stands for products, powers of sums.
  subroutine precedence(x, y, i, j, r, k)
    real(dp), intent(in) :: x, y
    integer, intent(in) :: i, j
    real(dp), intent(out) :: r(8)
    integer, intent(out) :: k(6)
    complex(dp) :: z, w
    logical :: p, q
    z = cmplx(x, y, dp)
    w = cmplx(y, 1.5_dp, dp)
    r(1) = y/x**2 - dim(x, y)
    r(2) = (x + y)**2 + (x + 1)**1.5_dp
    r(3) = 3.0_dp**i + y/scale(x, 3)
    r(4) = real(z/w**2)
    r(5) = aimag(z*x - w)
    r(6) = (i/4)*1.5_dp + i*x
    k(1) = 2**(-2) + 3**3 + 100*max(abs(i), 1)**(-2)
    k(2) = i*(j/3) + (-1)**3 - idim(i, j)
    k(3) = i - (j - 4) + 10*idim(j, 2)
    k(4) = xor(i, 5) + shiftl(abs(j), 2)
    p = (x > y .or. i > 2) .and. j > 0
    q = x > y .and. (i > 2 .or. j > 0) .and. .not. (x > 1)
    k(5) = merge(1, 0, p) + merge(10, 0, q)
    k(6) = digits(x) + 100*precision(1.0) + 10000*range(x)
    if (btest(i + 8, max(j, 0))) k(6) = -k(6)
    r(7) = epsilon(1.0)*x + tiny(1.0_dp) + 1/huge(1.0)
    r(8) = (huge(x)/1e300_dp)*y
  end subroutine precedence

  ! Shapes that are no squares, along each dimension, with masks; bounds that begin elsewhere.
  subroutine shapes(a, v, x, i, b, s, n)
    real(dp), intent(in) :: a(2, 3), v(3), x
    integer, intent(in) :: i
    real(dp), intent(out) :: b(2, 3), s(10)
    integer, intent(out) :: n(8)
    real(dp) :: c(0:1, -1:1, 2), d(3, 2), line(-2:5), few(4)
    integer :: places(2), last, low, k
    logical :: here(3)
    n = 0
    s = 0
    b = spread(v, 1, 2) + spread(a(:, 2), dim=2, ncopies=3)
    c(:, :, 1) = a
    c(:, :, 2) = 2*a + x
    d = sum(c, dim=1) + maxval(c, 1)
    s(1) = sum(d(:, 1)) + 10*sum(d(:, 2))
    d = sum(a*x) + transpose(a)
    s(2) = sum(matmul(a, d)) + norm2(v) + sum(sum(c, dim=3)) &
      + norm2(v*1e200_dp)*1e-200_dp
    b = b + sum(c, dim=3)
    s(3:4) = sum(a, dim=2, mask=a > 1.2_dp)
    s(5) = maxval(-v) + minval(v) + sum(minval(c, dim=2))
    here = v > 1
    n(1) = lbound(c, 2) + 10*ubound(c, 2) + 100*size(c, 3) + 1000*ubound(c, 1) + 10000*size(c, 2)
    n(2) = merge(1, 0, dot_product(here, [.true., .false., .true.]))
    n(3) = count(here .and. v < 1.5_dp) + 10*merge(1, 0, all(here)) + 100*merge(1, 0, any(here))
    places = [2, 1]
    line = [(k*x, k=4, -3, -1)]
    low = 4
    s(6) = sum(line(:low:2)) + 10*sum(line(3:)) + 7*sum(line(low:-1:-2))
    s(7) = sum(a(places, 3)) + sum(a(places, [3, 1]) - a(:, 2:3))
    last = min(max(i, 1), 3)
    s(8) = sum(v(1:last), mask=v(1:last) > 1) + min(9.0_dp, minval(v(last:), mask=v(last:) > 1.1_dp))
    if (x > 1) line(0:last) = line(0:last) + 1
    s(9) = sum(line) + line(last)
    where (line > 0)
      line = line/line(1) + line(5:-2:-1)
    elsewhere
      line = line(-1)
    end where
    s(10) = sum(line*[1, 2, 3, 4, 5, 6, 7, 8])
    do k = 3, 0, -1
      if (k > 0) then
        n(4) = n(4) + nint(v(k))
      else
        n(5) = k + 5
      end if
      do last = k - 1, k + 1
        if (last >= 1 .and. last <= 3) n(6) = n(6) + nint(10*v(last))
      end do
    end do
    n(7:8) = places(2:1:-1)
    few = [1, 2, 3, 4]*x
    do k = 1, 4
      if (x > 0.7_dp .and. k > 1) s(3) = s(3) + few(k - 1)
      if (x > 0.7_dp .and. k > 2) s(4) = s(4) + few(k - 2)
    end do
    do k = -2, 5
      if (x > 0.7_dp .and. k < 5) s(1) = s(1) + line(k + 1)
      if (x > 0.7_dp .and. k > -2) s(2) = s(2) + line(k - 1)
    end do
  end subroutine shapes

  ! Copies along a dimension in the middle, the first of equal elements, a bound that is a sum;
  ! signs that follow each other; what a condition of a loop computes, one that all points share.
  subroutine turns(x, i, j, v, s, n)
    real(dp), intent(in) :: x, v(3)
    integer, intent(in) :: i, j
    real(dp), intent(out) :: s(4)
    integer, intent(out) :: n(3)
    real(dp) :: a(2, 2), c(2, 3, 2), w(3)
    integer :: l, m, low, by
    n(1) = maxloc(nint(v), 1) + 10*minloc(nint(v), dim=1)
    a = reshape([x, v], [2, 2])
    c = spread(a, 2, 3)
    s(1) = c(1, 1, 2) + 10*c(2, 3, 1)
    low = min(max(i, 1), 2)
    by = min(max(j, 0), 1)
    s(2) = sum(v(low + by:3))
    n(2) = idim(i, j + low) - (-by)
    m = 3
    do l = 1, 3
      n(2) = n(2) - (-l) + (-(-l)) - (-(-m))
    end do
    s(3) = -(-x)
    w = v
    n(3) = 0
    do while (sum(w) < 9 .and. n(3) < 30)
      w = w*1.25_dp
      n(3) = n(3) + 1
    end do
    s(4) = x
    do while (switches(2))
      s(4) = s(4) + x
      if (s(4) > 9) exit
    end do
  end subroutine turns

  ! Variables of loops that their own bounds and a subscript on the left read, and nothing else;
  ! integers that some points set, elements that points choose; a component of single precision.
  subroutine variables(x, k, s, n)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: s
    integer, intent(out) :: n(3)
    type(started) :: first, several(3)
    real(dp) :: few(4)
    integer :: l, m, p, row, code, picks(3)
    character(len=4) :: word
    data word /'ab'/
    n = 0
    do l = 1, 3
      n(1) = n(1) + l
    end do
    do l = l, l + 2
      n(1) = n(1)*2 + l
    end do
    outer: do row = 1, 3
      do m = 1, 3
        if (row*m == 4) exit outer
        n(1) = n(1) + m
      end do
    end do outer
    few = [1, 2, 3, 4]*x
    do p = 1, 3
      n(2) = n(2) + p
    end do
    if (x > 1.5_dp) few = few + 2
    few(p) = -x
    s = few(4) + (first%weight - 0.1_dp)*1e8_dp
    do l = 4, 1, -1
      if (x > 0.7_dp .and. l > 1) s = s + few(l - 1)
    end do
    s = s + several(1)%ends(2) + 10*several(3)%ends(1)
    s = s + size(first%nothing) + sum(first%nothing) + sum(several(2)%ends)
    code = 0
    if (x > 1) code = 2
    n(2) = n(2) + 10*(code + len_trim(word // 'c'))
    picks = 1
    picks(min(max(k, 1), 3)) = 4
    n(3) = picks(1) + 10*picks(2) + 100*picks(3)
  end subroutine variables

  ! Loops that all points leave together, out of several at once; variables of loops that are
  ! dummies, that stand in their own bounds, that points under a condition count on.
  subroutine loops(x, k, i, j, n, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer, intent(inout) :: i, n(6)
    integer, intent(out) :: j
    real(dp), intent(inout) :: y(3)
    integer :: l, m, last, p
    real(dp) :: t
    outer: do l = 1, 5
      do m = 1, 5
        if (l + m == 4) cycle outer
        if (l*m == 12) exit outer
        n(1) = n(1) + 10*l + m
      end do
      n(1) = n(1) + 1000
    end do outer
    n(1) = n(1)*10 + l + m
    do i = 1, 3
      n(2) = n(2) + i*k
    end do
    m = 2
    do m = m, m + 2
      n(2) = n(2)*2 + m
    end do
    p = 7
    if (x > 1) then
      do p = 1, 4
        y(1) = y(1) + p*x
      end do
    end if
    n(3) = p
    j = 5
    last = k
    if (x > 1.2_dp) then
      do j = k, last + 2
        last = last + 1
        n(4) = n(4) + j
      end do
    end if
    n(5) = last
    t = x
    l = 0
    do while (t < 4 .and. l < 6)
      l = l + 1
      t = t*1.5_dp
      if (t > 3 .and. k > 2) exit
      do while (mod(l, 3) == 1)
        l = l + 1
        t = t + 0.1_dp
      end do
    end do
    n(6) = l
    y(2) = t
    do l = 1, 3
      do m = 1, 3
        if (y(2) > 2 + m) exit
        y(3) = y(3) + 1
      end do
      y(3) = y(3)*2
      if (k == l) exit
    end do
  end subroutine loops

  ! A result, an object's component and elements of a dummy behind a return of some points.
  subroutine returned(x, k, a, n, l)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(inout) :: a(3)
    integer, intent(inout) :: n(3)
    logical, intent(inout) :: l(2)
    a(1) = a(1) + 1
    if (x > 1.5_dp) return
    a(2) = x
    n(1) = 5
    a(min(max(k, 1), 3)) = -x
    n(min(max(k, 1), 3)) = k
    l(1) = k > 2
    if (k > 6) then
      a(3) = 0
      return
    end if
    if (counts(x, k) > 2) n(2) = 7
    l(2) = .not. l(1)
    n(3) = counts(2*x, k) - counts(x, 2)
  end subroutine returned

  integer function counts(x, k)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer :: i
    counts = 1
    if (x > 1.2_dp) return
    counts = 2
    do i = 1, 3
      if (x*i > 2 .and. k > i) return
      counts = counts + sqrt(x*i)
    end do
    if (k < 0) counts = -counts
  end function counts

  ! Labels at end if, in loops, with points that left a region around; else-if chains of leaves.
  subroutine labels(x, k, y, n)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    integer, intent(inout) :: n
    integer :: i
    y = x
    if (k > 1) then
      if (x > 1) goto 10
      y = y + 1
10  end if
    y = y*2
    do i = 1, 3
      if (k == i) goto 30
      if (x > 0.4_dp*i + 1) then
        if (k > 4) cycle
        if (y > 9 .or. k < 0) return
        goto 20
      else if (k == 0 .and. i == 2) then
        exit
      else
        n = n + i
      end if
      y = y + exp(0.1_dp*i)
20    y = y + 0.5_dp
      n = n*2
    end do
    n = n + 100
30  y = -y
    if (.not. (x > 1) .and. k > 3) return
    if (k > 7 .or. x < 0.6_dp) return
    n = n + 1000
  end subroutine labels

  ! Cases: default first, ranges of both ends, values in a list; conditions that are known.
  subroutine cases(x, k, n)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer, intent(out) :: n(3)
    integer, parameter :: three = 3
    select case (k)
    case default
      n(1) = 1
    case (1:3, 5)
      n(1) = 2
    case (-3, -1)
      n(1) = 3
    end select
    n(2:3) = 0
    if (three < 3) then
      n(2) = 1
    else if (x > 1 .and. three == 3) then
      n(2) = 2
    else if (three > 2 .or. k > 1) then
      n(2) = 3
    end if
    if (.not. three == 3) n(2) = 7
    select case (three)
    case (4)
      n(3) = 4
    case default
      n(3) = k
    end select
    if (k > 2) n(2:3) = n(2:3) + k
    n(1) = n(1) + 10*merge(k, 1, three > 2)
    if (switches(min(max(k, 1), 3))) n(2) = n(2) + 100
    if (switches(2) .or. x > 1.5_dp) n(3) = n(3) + steps(0)*steps(min(max(k, -1), 1))
  end subroutine cases

  ! Parts of arrays that are passed: rows, columns, planes that are not whole, with strides;
  ! integers and logicals that come back.
  subroutine passed(a, x, k, y, n)
    real(dp), intent(inout) :: a(3, 4)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y(5)
    integer, intent(inout) :: n(3)
    integer :: m(2), c, u(2)
    logical :: l
    y(1) = weighed(a(1:2, 2:3)) + 10*weighed(a(2:3, 1:3:2)) + 100*weighed(a(:2, 3:4))
    y(1) = y(1) + 1000*weighed(a(:, 1:3:2))
    y(2) = lined(a(2, 1:3)) + lined(a(:, 3)) + lined(a(3, 4:2:-1))
    y(3) = next(c, k, flag=l)
    y(3) = y(3) + next(number=k, flag=l, i=n(1))
    if (l) y(3) = -y(3)
    m = k
    call raised(m, by=3)
    call raised(n(2:3), k)
    if (x > 1) call raised(by=m(1), of=n(1:2))
    u = 3
    call raised(u, 4)
    y(4) = m(1) + 10*m(2) + c + u(1)*u(2)
    call doubled(a(2, 1:3))
    call doubled(a(:, min(max(k, 1), 4)))
    y(5) = part(x) + part(x, k)
  end subroutine passed

  real(dp) function weighed(b)
    real(dp), intent(in) :: b(:, :)
    weighed = b(1, 1) + 2*b(2, 1) + 3*b(1, 2) + 4*b(2, 2)
  end function weighed

  real(dp) function lined(v)
    real(dp), intent(in) :: v(3)
    lined = v(1) + 2*v(2) + 5*v(3)
  end function lined

  integer function next(i, number, flag)
    integer, intent(out) :: i
    integer, intent(in) :: number
    logical, intent(out) :: flag
    i = number + 1
    flag = number > 3
    next = i*i
    if (number > 5) next = 0
  end function next

  subroutine raised(of, by)
    integer, intent(inout) :: of(2)
    integer, intent(in) :: by
    of(1) = of(1) + by
    if (by > 2) of(2) = of(2) - by
  end subroutine raised

  subroutine doubled(v)
    real(dp), intent(inout) :: v(3)
    v = 2*v + v(3)
  end subroutine doubled

  real(dp) function part(x, k)
    real(dp), intent(in) :: x
    integer, intent(in), optional :: k
    part = x
    if (present(k)) part = part + k
  end function part

  ! Values that are known when the kernel is built: types and kinds, arrays, functions, DATA.
  subroutine constants(x, i, r, k)
    real(dp), intent(in) :: x
    integer, intent(in) :: i
    real(dp), intent(out) :: r(18)
    integer, intent(out) :: k(16)
    integer :: m
    real(dp), parameter :: double = 2*0.1_dp, mixed = 0.1*0.1_dp, power = 0.1**2, tenth = 0.1, &
      root = sqrt(2.0), third = 1/3.0_dp, rest = modulo(-7.3_dp, 2.0_dp), cut = mod(-7.3_dp, 2.0_dp)
    real(dp), parameter :: less = sign(2.5_dp, -1.0_dp), none = dim(1.5_dp, 2.5_dp), &
      small = epsilon(1.0_dp)*1e15_dp, least = min(2.5_dp, 1.5_dp), most = max(2.5_dp, 1.5_dp)
    integer, parameter :: down = floor(-2.5_dp), up = ceiling(-2.5_dp), off = dim(2, 5), &
      one = merge(1, 2, third < 0.5_dp), large = huge(1), inverse = (-1)**(-3), left = ishft(3, 4)
    integer, parameter :: list(-1:3) = [4, 9, 2, 7, 5], back(3) = [(4*m, m=3, 1, -1)], &
      lowest = minval(list), all = sum(list) + 100*product(back)
    real(dp), parameter :: table(2, 3) = reshape([1, 2, 3, 4, 5, 6]*0.5_dp, [2, 3]), &
      flat(3) = 2.5_dp, corner = table(2, 1) + 10*table(1, 3), zero = list(0)
    integer, parameter :: rows = size(table, 2), columns = size(table, 1), some = size(table)
    real(dp) :: filled(5), whole(2)
    integer :: near(2)
    data filled(1:5:2) /1.5d0, 2.5d0, 3.5d0/, filled(2), filled(4) /2*-1.0d0/
    data whole /0.1, 7/, near /2.7, -2.7/
    r(1:8) = x*[double, mixed, power, tenth, root, third, rest, cut]
    r(9:16) = x + [less, none, small, least, most, corner, zero, flat(2)]
    r(17) = sum(filled*[1, 2, 3, 4, 5]) + flat(min(max(i, 1), 3))
    r(18) = whole(1)*x + whole(2)
    k(1:8) = i + [down, up, off, one, large/1000, inverse, left, lowest]
    k(9:14) = i*[all, rows, columns, some, back(1), back(3)]
    k(15) = list(3) + 10*list(-1) + near(1) + 100*near(2)
    k(16) = list(min(max(i, -1), 3))
  end subroutine constants

  ! Constants of single precision have its digits.
  subroutine singles(x, i, r)
    real(dp), intent(in) :: x
    integer, intent(in) :: i
    real(dp), intent(out) :: r
    r = x*weights(min(max(i, 1), 3))
  end subroutine singles

  ! Choices that all points share as operands; subscripts that are arrays, along two dimensions; a
  ! power that overflows before it is turned over.
  subroutine choices(a, x, k, r, n)
    real(dp), intent(in) :: a(2, 3), x
    integer, intent(in) :: k
    real(dp), intent(out) :: r(4)
    integer, intent(out) :: n(2)
    real(dp) :: b(2, 2)
    integer :: places(2)
    places = [2, 1]
    b = a(places, [3, 1])
    r(1) = x*(-merge(1.5_dp, 2.5_dp, switches(1)))
    r(2) = merge(1.5_dp, 2.5_dp, switches(1))**2 + x
    r(3) = merge(1.5_dp, 2.5_dp, switches(1))**1.5_dp + x
    r(4) = b(1, 2) + 10*b(2, 1)
    n = 0
    if (merge(switches(2), switches(1), switches(3)) .or. switches(1)) n(1) = k
    n(2) = (65536*max(abs(k), 1))**(-2)
  end subroutine choices

  ! Integers that are the same at all points until some points pass them, one by one and as an array.
  subroutine handed(x, k, n)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer, intent(out) :: n(2)
    integer :: c, u(2)
    n = 0
    c = 1
    if (x > 1) call seven(c)
    n(1) = c
    u = 3
    call raised(u, k)
    if (u(1) > 5) n(2) = u(2)
  end subroutine handed

  subroutine seven(i)
    integer, intent(inout) :: i
    i = 7
  end subroutine seven

  ! Points leave a loop behind a label where others had gone on with its next round, and by a
  ! function that counts its calls.
  subroutine waits(x, k, n)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer, intent(inout) :: n
    integer :: c, i
    do i = 1, 4
      if (x > 0.4_dp*i) then
        if (k == i) goto 20
        n = n + 1
        cycle
      end if
      n = n + 10
20    n = n + 100
      exit
    end do
    c = 0
    do i = 1, 6
      if (x > 0.4_dp*i) cycle
      if (tally(c) > k) exit
      n = n*2
    end do
    n = n + 1000*c
  end subroutine waits

  integer function tally(c)
    integer, intent(inout) :: c
    c = c + 1
    tally = c
  end function tally

  ! A statement function rounds its value to single precision.
  subroutine coarse(x, r)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: r
    real(dp) :: z
    real :: near
    near(z) = z*1.1_dp
    r = near(x)
  end subroutine coarse

  ! Integers at the ends of their 32 bits; each step stays within them.
  subroutine ends(x, i, k, l, m)
    real(dp), intent(in) :: x
    integer, intent(in) :: i
    integer, intent(out) :: k, l, m
    k = i
    if (x > 1) k = -2147483647 - 1
    l = -huge(i) - 1
    if (x > 1.2_dp) l = l + 2147483647 + min(i, 0)
    m = i
    if (i < 0) m = i + 2147483647 + 1
    if (i > 1) m = i - 2147483647 - 1
  end subroutine ends

  ! An elemental subroutine gets what is read of the array before its elements change.
  subroutine beforehand(x, y, k)
    real(dp), intent(in) :: x(4)
    real(dp), intent(out) :: y(4)
    integer, intent(out) :: k(4)
    y = x
    k = [2, 1, 4, 3]
    call half_of(x(1) + y(2), y)
    call half_of(2*y(4:1:-1), y)
    call half_of(b=y(4:1:-1), a=cshift(y, 1))
    call half_of((y(3)), y)
    call other_of(x(k(1)), k)
    k(1) = 1
    call other_of(x(1:2), k(k(1):k(1) + 1))
  end subroutine beforehand

  elemental subroutine half_of(a, b)
    real(dp), intent(in) :: a
    real(dp), intent(inout) :: b
    b = 0.5_dp*b + a
  end subroutine half_of

  elemental subroutine other_of(a, k)
    real(dp), intent(in) :: a
    integer, intent(inout) :: k
    k = modulo(k, 3) + 1
    if (a > 1) k = 2
  end subroutine other_of

  ! Bounds of a section that are elements of the array that is assigned.
  subroutine own_bounds(k, l, m)
    integer, intent(in) :: k(4)
    integer, intent(out) :: l(4), m(4)
    l = 1 + modulo(k, 3)
    m = l
    l(l(1):l(1) + 1) = [3, 1]
    l(l(2):l(2) + 1) = 1 + modulo(l(3:4), 3)
    where (k(1:2) > 1) m(m(1):m(1) + 1) = 4
  end subroutine own_bounds

  ! The bounds of a section are elements that the assignment changes.
  subroutine own_ends(k, l)
    integer, intent(in) :: k(5)
    integer, intent(out) :: l(5)
    integer :: n(5), i
    l = 1 + modulo(k, 5)
    l(l(1):l(2)) = 2
    do i = 1, 5
      n(i) = i
    end do
    n(n(1):n(3)) = 5
    l = l + 10*n
  end subroutine own_ends

  ! Where an argument is, is settled before the call changes its subscript.
  subroutine own_subscripts(x, k, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    real(dp), intent(out) :: y(6)
    type(counter) :: c
    y = x
    c%n = 1
    call moves(y(c%n), c%n)
    call moves(a=y(c%n), n=c%n)
    c%n = 1 + modulo(k, 4)
    call moves(y(c%n), c%n)
    call moves_both(y(c%n:c%n + 1), c%n)
    at = 1 + modulo(k, 4)
    call moves_on(y(at))
    call moves_on(y(at))
  end subroutine own_subscripts

  subroutine moves(a, n)
    real(dp), intent(inout) :: a
    integer, intent(inout) :: n
    n = 1 + modulo(n, 4)
    a = a + n
  end subroutine moves

  subroutine moves_on(a)
    real(dp), intent(inout) :: a
    at = 1 + modulo(at, 4)
    a = a + at
  end subroutine moves_on

  subroutine moves_both(a, n)
    real(dp), intent(inout) :: a(2)
    integer, intent(inout) :: n
    n = 1 + modulo(n, 4)
    a = a + n*[1, 10]
  end subroutine moves_both

  ! Functions that read the array that is assigned, without an argument for it.
  subroutine own_shares(x, y, z)
    real(dp), intent(in) :: x(3)
    real(dp), intent(out) :: y(3), z(3)
    y = x
    y = part_of(y)
    shares = x
    shares = share_of(shares)
    y = y + shares
    z = shares
    shares = [all_shares(), all_shares(), x(1)]
    z = z + shares
  contains
    elemental function part_of(v)
      real(dp), intent(in) :: v
      real(dp) :: part_of
      part_of = v/(1 + sum(y**2))
    end function part_of
  end subroutine own_shares

  elemental function share_of(v)
    real(dp), intent(in) :: v
    real(dp) :: share_of
    share_of = v/(1 + sum(shares**2))
  end function share_of

  function all_shares()
    real(dp) :: all_shares
    all_shares = sum(shares)
  end function all_shares

  ! A mask without a name may be a scalar.
  subroutine scalar_masks(x, y)
    real(dp), intent(in) :: x(3)
    real(dp), intent(out) :: y(4)
    y(1) = maxval(x, .false.)
    y(2) = sum(x, .false.)
    y(3) = sum(x, x(1) > 0)
    y(4) = product(x, .true.)
  end subroutine scalar_masks

  ! A loop that all points leave together, around one that they leave one by one.
  subroutine leaves_together(x, y, k)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer, intent(out) :: k
    integer :: t
    y = x
    k = 0
    t = 0
    do while (t < 3)
      t = t + 1
      do while (y < t)
        y = y + 0.7_dp
        k = k + 1
      end do
    end do
    k = k + 100*t
  end subroutine leaves_together

  subroutine exits_together(x, y, k)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer, intent(out) :: k
    integer :: t
    y = x
    k = 0
    t = 0
    do
      t = t + 1
      if (t > 3) exit
      do while (y < t)
        y = y + 0.7_dp
        k = k + 1
      end do
    end do
    k = k + 100*t
  end subroutine exits_together
  ! A name that headers of C++ make a macro of.
  subroutine alloca(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(inout) :: y
    if (x > 1) y = y*x + 1
  end subroutine alloca

  subroutine calls_a_macro(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = 2
    call alloca(x, y)
    call alloca(2*x, y)
  end subroutine calls_a_macro
end module rules

module constants_of_one
  implicit none
  real(8), parameter :: c = 2
  integer, parameter :: k = 2, among(2) = [1, 2]
  logical, parameter :: yes = .true.
  complex(8), parameter :: z = (1, 2)
end module constants_of_one

module constants_of_another
  implicit none
  real(8), parameter :: c = 3
  integer, parameter :: k = 3, among(2) = [3, 4]
  logical, parameter :: yes = .false.
  complex(8), parameter :: z = (3, 4)
end module constants_of_another

! Constants of one name in two modules, and variables that have it here.
module renamed_constants
  implicit none
contains
  subroutine both_renamed(x, y)
    use constants_of_one, only: c1 => c, k1 => k, among1 => among, yes1 => yes, z1 => z
    use constants_of_another, only: c2 => c, k2 => k, among2 => among, yes2 => yes, z2 => z
    real(8), intent(in) :: x
    real(8), intent(out) :: y(4)
    real(8) :: c
    integer :: k
    c = 100*x
    k = 1000
    y(1) = c1 + 10*c2 + c
    y(2) = real(k1 + 10*k2 + k, 8)/k1 + among1(2) + 10*among2(2)
    y(3) = 0
    if (yes1 .and. x > 0) y(3) = 1
    if (yes2) y(3) = 2
    y(4) = real(z1*z2*x)
  end subroutine both_renamed

  subroutine one_renamed(x, y)
    use constants_of_one, only: other => c
    use constants_of_another
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = c*x + other
  end subroutine one_renamed
end module renamed_constants
