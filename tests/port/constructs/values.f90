! Texts that are known when the kernel is built, complex numbers, functions that change an argument.
module texts
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, private :: listed = 4
  character(len=8), private :: list(6)
  data list /"alpha", "beta", "gamma", "delta", "", "beta2"/
  character(len=5) :: mode = 'fast '
contains
  ! A name is looked up in a list; the list is longer than what counts of it.
  elemental function number(name)
    character(*), intent(in) :: name
    integer :: number, i
    character(len=8) :: padded
    padded = name
    do i = 1, listed
      if (padded == list(i)) goto 100
    end do
    number = 99
    return
100 number = i
  end function number

  elemental function code(n, name, before)
    integer, intent(in) :: n
    character(*), intent(in) :: name
    real(dp), intent(in), optional :: before
    real(dp) :: code, factor
    integer :: k
    if (present(before)) then
      k = int(before)
      code = before + 1000.0_dp
      factor = 10.0_dp**(3 - k)
    else
      code = 9.1e3_dp
      factor = 1.0e2_dp
    end if
    code = code + (100*n + number(name))*factor
  end function code

  ! Results and variables of type character: run while the kernel is built.
  elemental function lower(s) result(o)
    character(*), intent(in) :: s
    character(len(s)) :: o
    integer :: i, k
    o = s
    do i = 1, len(s)
      k = iachar(s(i:i))
      if (k >= iachar('A') .and. k <= iachar('Z')) o(i:i) = achar(k + 32)
    end do
  end function lower

  subroutine split(s, a, n)
    character(*), intent(in) :: s
    character(len=4), intent(out) :: a
    integer, intent(out) :: n
    n = index(s, '_')
    a = s(1:n - 1)
  end subroutine split

  subroutine counted(s, n, vowels)
    character(*), intent(in) :: s
    integer, intent(out) :: n, vowels(2)
    character :: c
    integer :: i
    n = 0
    vowels = 0
    i = 0
    do while (i < len_trim(s))
      i = i + 1
      c = s(i:i)
      select case (c)
      case ('a', 'e', 'i', 'o', 'u')
        vowels(1) = vowels(1) + 1
        cycle
      case ('x':'z')
        exit
      end select
      vowels(2) = vowels(2) + 1
    end do
    n = 10*vowels(1) + vowels(2)
  end subroutine counted

  integer function of_word(s)
    character(*), intent(in) :: s
    character(len=3) :: c
    integer :: parts(2)
    c = s
    call counted(s, of_word, parts)
    if (c == s .or. len(c) /= 3) of_word = -1
    of_word = of_word + 100*parts(2)
  end function of_word

  pure function kind_of(word, x) result(r)
    character(len=*), intent(in) :: word
    real(dp), intent(in) :: x
    real(dp) :: r
    select case (trim(word))
    case ('linear')
      r = x
    case ('square')
      r = x*x
    case ('cube')
      r = x**3
    case default
      r = -1
    end select
  end function kind_of

  function chosen(x, method) result(r)
    real(dp), intent(in) :: x
    character(len=*), intent(in), optional :: method
    real(dp) :: r
    character(len=4) :: m
    m = 'none'
    if (present(method)) m = method
    r = kind_of(m//'', x)
    if (present(method)) r = r + 2*kind_of(method, x)
  end function chosen

  ! Texts in order: an assignment under a condition that differs, and one that all points run
  ! behind it.
  subroutine several(x, y, o)
    real(dp), intent(in) :: x, y
    real(dp), intent(out) :: o(14)
    character(*), parameter :: me = "gamma"
    character(len=4) :: a
    character(len=6) :: b, unused
    integer :: n
    o(1) = code(1, me)
    o(2) = code(2, 'beta2')
    o(3) = x
    if (x > y) o(3) = code(3, me)
    o(4) = code(4, "beta", x)
    o(5) = kind_of('linear', x)
    o(6) = kind_of(lower('SQUARe '), x)
    call split('ab_cde', a, n)
    o(7) = n
    if (a == 'ab' .and. len_trim(a) == 2) o(7) = o(7) + x
    b = 'x'//trim(a)//'y'
    select case (b)
    case ('a':'w')
      o(8) = 1
    case ('xaby')
      o(8) = 2*y
    case default
      o(8) = 3
    end select
    o(9) = merge(1, 2, b(2:3) == 'ab') + len(b)*x + index(b, 'y') + ichar(b(1:1))
    o(10) = merge(x, y, mode == 'fast')
    o(11) = chosen(x, method='cube') + chosen(y, 'square')
    if (x > 1) then
      b = 'large'
      unused = 'text'
    end if
    o(12) = chosen(y)
    b = adjustl('  z')
    if (y > x) return
    b = b(1:1)//'long text'
    o(13) = len_trim(b) + y
    o(14) = of_word('facade') + scan(b, 'to') + verify('aab', 'a') + index(b, 'n', back=.true.)
  end subroutine several

  subroutine said(scheme, x, o)
    character(len=*), intent(in) :: scheme
    real(dp), intent(in) :: x
    real(dp), intent(out) :: o
    o = kind_of(scheme, x)
    if (scheme(1:1) == 'c') o = o + 1
  end subroutine said
end module texts

module complexes
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  complex(dp), parameter :: c0 = (0.3_dp, -0.7_dp), ci = (0, 1), &
                            c2 = 2*c0 + cmplx(1, 0.5_dp, dp)/ci - ci*ci
  type wave
    complex(dp) :: amplitude
    real(dp) :: phase
  end type wave
contains
  ! In the manner of a free energy of ice.
  elemental function ice(n, t, p) result(g)
    integer, intent(in) :: n
    real(dp), intent(in) :: t, p
    real(dp) :: g
    complex(dp) :: tau, a, h
    tau = cmplx(t*0.01_dp, 0, dp)
    if (n == 0) then
      a = tau/c0
      h = c0*(tau*log((1.0_dp + a)/(1.0_dp - a)) + ci*(log(1.0_dp - a*a) - a*a))
      g = real(p - 3.0_dp*(2.0_dp*tau - h), dp)
    else if (n == 1) then
      h = c2*(1/(ci - tau) + 1.0_dp/(ci + tau) - 2.0_dp/c0)
      g = 1.0_dp + aimag(h)
    else
      g = -1
    end if
  end function ice

  subroutine functions(x, y, n, o, flag)
    real(dp), intent(in) :: x, y
    integer, intent(in) :: n
    real(dp), intent(out) :: o(24)
    logical, intent(out) :: flag
    complex(dp) :: z, w, s(3), u
    complex*16 :: old
    double complex v
    type(wave) :: one
    integer :: i
    z = cmplx(x, y, kind=dp)
    w = dcmplx(y, x)
    v = conjg(z)*w
    o(1) = abs(z)
    o(2) = real(sqrt(z) + exp(z))
    o(3) = aimag(sqrt(v) - exp(-z))
    o(4) = real(log(z)*sin(w), dp)
    o(5) = dimag(log(z) + cos(v))
    u = z**3 + z**(-2)*z**2
    o(6) = real(u)
    u = z**w + z**x + 2**w
    o(7) = aimag(u)
    do i = 1, 3
      s(i) = z*i + (0.5_dp, 1.0_dp)
    end do
    s = s*2 - conjg(s)
    u = sum(s)*product(s)
    o(8) = u%re
    o(9) = u%im
    o(10) = s(2)
    flag = z == w .or. z /= (1.0_dp, 2.0_dp)
    if (x > y) then
      u = z/w
      if (n > 2) u%im = 3
    else
      u = n
    end if
    o(11) = real(u)
    o(12) = aimag(u)
    u = twice(z, c0)
    o(13) = dble(u)
    call swap(z, w)
    o(14) = real(z) + 2*aimag(w)
    old = x - merge(z, w, x > 1)
    o(15) = aimag(old)
    s(max(1, min(3, n))) = (1.0_dp, 2.0_dp)
    o(16) = real(s(max(1, min(3, n - 1))))
    one%amplitude = z*ci
    one%phase = abs(one%amplitude)
    o(17) = real(one%amplitude) + one%phase
    w = 0
    if (y > 1) w = z
    o(18) = aimag(w)
    ! Squares that overflow; the branch cut, from above and from below.
    u = z*1e200_dp
    v = w*1e190_dp + 1e190_dp
    o(19) = abs(u)/1e200_dp + hypot(x*1e300_dp, y*1e300_dp)/1e300_dp
    o(20) = real(u/v)/1e10_dp
    o(21) = aimag(sqrt(cmplx(-x, -0.0_dp, dp))) + 3*aimag(sqrt(-cmplx(x, 0.0_dp, dp)))
    o(22) = aimag(sqrt(cmplx(-x, 0, dp))) + 3*aimag(sqrt(y*cmplx(-x, -0.0_dp, dp)))
    o(23) = aimag(log(cmplx(-x, -0.0_dp, dp))) + 3*aimag(log(cmplx(-x, 0, dp)*y))
    o(24) = real(sqrt(z*1e300_dp*1e-300_dp*1e307_dp))/1e150_dp + real(sqrt(z*1e-310_dp))*1e155_dp
  end subroutine functions

  pure function twice(a, k) result(c)
    complex(dp), intent(in) :: a, k
    complex(dp) :: c
    c = 2*a + k
    if (real(a) > 1.0_dp) return
    c = -c
  end function twice

  subroutine swap(a, b)
    complex(dp), intent(inout) :: a, b
    complex(dp) :: t
    t = a
    a = b
    b = t
  end subroutine swap
end module complexes

module bits
  implicit none
contains
  subroutine of_integers(i, j, o, x)
    integer, intent(in) :: i, j
    integer, intent(out) :: o(14)
    real(8), intent(inout) :: x
    integer :: k
    k = i*123456789 + j
    o(1) = ibits(len=5, pos=3, i=k)
    o(2) = ibits(k, 20, 12)
    o(3) = ishftc(shift=7, i=k)
    o(4) = ishftc(k, -9)
    o(5) = shiftr(k, 4)
    o(6) = shifta(shift=4, i=k)
    o(7) = shiftl(k, 4)
    o(8) = popcnt(k)
    o(9) = leadz(k)
    o(10) = trailz(k)
    o(11) = trailz(j) + 100*leadz(j) + 10000*popcnt(j)
    o(12) = popcnt(7) + leadz(-1)
    o(13) = ibits(k, 0, 31)
    o(14) = ieor(not(k), ior(k, 5))
    x = scale(x, 3) + scale(x, -2)
  end subroutine of_integers
end module bits

module streams
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  type stream
    real(dp) :: seed = 1
    complex(dp) :: turn, turns(2)
  contains
    procedure :: next => of_stream
  end type stream
contains
  function next(seed, a) result(r)
    real(dp), intent(inout) :: seed
    real(dp), intent(in) :: a
    real(dp) :: r
    seed = mod(seed*a + 1.0_dp, 7.0_dp)
    r = seed/7
  end function next

  ! The points that do not call it keep their seed.
  subroutine draws(s, t, x, y)
    real(dp), intent(inout) :: s, t
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a(3)
    integer :: i
    namelist /never/ y
    y = x
    if (x > 1) y = next(s, x)
    y = 3*next(s, y)**2 + x*y
    if (next(t, x) > 0.4_dp) y = y + 1
    a = x
    do i = 1, 3
      y = y + next(a(i), x + i)
      if (y > 3) exit
    end do
    y = y + sum(a)
    if (s > t) call keep(next(s, 2.0_dp), t)
  end subroutine draws

  ! The same of an object, which has a complex component.
  subroutine of_object(s, x, y)
    real(dp), intent(inout) :: s
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    type(stream) :: one, both(2)
    one%seed = s
    one%turns = cmplx(x, s, dp)
    one%turns(2) = 2*one%turns(1) + one%turn
    y = one%turns(2)%re
    if (x > 1) y = y + one%next(x)
    both(1) = one
    both(2) = one
    both(2)%turn = both(1)%turns(1)
    if (x > s) both(1)%turn = conjg(both(2)%turn)
    if (one%next(y) > 3) y = y + 2*one%next(x)
    y = y + aimag(both(2)%turn) + 3*aimag(both(1)%turn)
    s = one%seed
  end subroutine of_object

  function of_stream(this, a) result(r)
    class(stream), intent(inout) :: this
    real(dp), intent(in) :: a
    real(dp) :: r
    this%seed = modulo(this%seed*a + 1.0_dp, 7.0_dp)
    this%turn = this%turn + cmplx(0, 1, dp)
    r = this%seed
  end function of_stream

  subroutine keep(v, t)
    real(dp), intent(in) :: v
    real(dp), intent(inout) :: t
    t = t + v
  end subroutine keep
end module streams
