! Calls that are made plain: generic names, operators, procedures as arguments, procedures inside
! others with the variables of those.
module duals
  implicit none
  private
  integer, parameter, public :: dp = kind(1.0d0)

  type, public :: dual
    real(dp) :: f = 0.0_dp
    real(dp) :: g = 0.0_dp
  end type dual

  type, public :: vector
    real(dp) :: v(2) = [1.0_dp, 2.0_dp]
    integer :: n = 3
  contains
    procedure, private :: plus_vector
    procedure, private, pass(b) :: times_vector
    generic :: operator(+) => plus_vector
    generic :: operator(*) => times_vector
  end type vector

  interface operator(+)
    module procedure add, add_real
  end interface
  interface operator(*)
    module procedure multiply, scaled
  end interface
  interface operator(-)
    module procedure negative
  end interface
  interface operator(.eq.)
    module procedure same
  end interface
  interface operator(.dot.)
    module procedure inner
  end interface
  interface exp
    module procedure exp_dual
  end interface
  interface assignment(=)
    module procedure from_real
  end interface
  interface cube
    module procedure cube_single, cube_real, cube_integer, cube_dual, cube_array
  end interface
  public :: operator(+), operator(*), operator(-), operator(.eq.), operator(.dot.), exp, cube
  public :: assignment(=), made
contains
  elemental type(dual) function add(a, b)
    type(dual), intent(in) :: a, b
    add%f = a%f + b%f
    add%g = a%g + b%g
  end function add

  function add_real(a, b) result(c)
    type(dual), intent(in) :: a
    real(dp), intent(in) :: b
    type(dual) :: c
    c%f = a%f + b
    c%g = a%g
  end function add_real

  function multiply(a, b) result(c)
    type(dual), intent(in) :: a, b
    type(dual) :: c
    c = dual(a%f*b%f, a%f*b%g + a%g*b%f)
  end function multiply

  function scaled(a, b) result(c)
    real(dp), intent(in) :: a
    type(dual), intent(in) :: b
    type(dual) :: c
    c%f = a*b%f
    c%g = a*b%g
  end function scaled

  function negative(a) result(c)
    type(dual), intent(in) :: a
    type(dual) :: c
    c = dual(g=-a%g, f=-a%f)
  end function negative

  logical function same(a, b)
    type(dual), intent(in) :: a, b
    same = a%f == b%f
  end function same

  real(dp) function inner(a, b)
    type(vector), intent(in) :: a, b
    inner = dot_product(a%v, b%v)
  end function inner

  function exp_dual(a) result(c)
    type(dual), intent(in) :: a
    type(dual) :: c
    c%f = exp(a%f)
    c%g = c%f*a%g
  end function exp_dual

  subroutine from_real(a, b)
    type(dual), intent(out) :: a
    real(dp), intent(in) :: b
    a%f = b
  end subroutine from_real

  real(dp) function cube_single(x)
    real, intent(in) :: x
    cube_single = x**3 + 2
  end function cube_single

  real(dp) function cube_real(x)
    real(dp), intent(in) :: x
    cube_real = x**3
  end function cube_real

  integer function cube_integer(x)
    integer, intent(in) :: x
    cube_integer = x**3 + 1
  end function cube_integer

  function cube_dual(x) result(c)
    type(dual), intent(in) :: x
    type(dual) :: c
    c = x*x*x
  end function cube_dual

  real(dp) function cube_array(x)
    real(dp), intent(in) :: x(:)
    cube_array = sum(x)**3
  end function cube_array

  function plus_vector(a, b) result(c)
    class(vector), intent(in) :: a
    type(vector), intent(in) :: b
    type(vector) :: c
    c%v = a%v + b%v
    if (a%v(1) > 0.5_dp) c%n = 7  ! else 3 again, whatever it was in the last turn of a loop
  end function plus_vector

  function times_vector(a, b) result(c)
    real(dp), intent(in) :: a
    class(vector), intent(in) :: b
    type(vector) :: c
    c%v = a*b%v
    c%n = b%n + 1
  end function times_vector

  function made(x, y) result(c)
    real(dp), intent(in) :: x, y
    type(vector) :: c
    c = vector([x, y])
  end function made
end module duals

module solvers
  use duals, only: dp
  implicit none
  abstract interface
    real(dp) function func(x)
      import :: dp
      real(dp), intent(in) :: x
    end function func
    subroutine frame(mu, r, c, cdot)
      import :: dp
      real(dp), intent(in) :: mu, r(2)
      real(dp), intent(out), optional :: c(2), cdot(2)
    end subroutine frame
  end interface
contains
  ! Names of interfaces: the procedures that are passed have these names for other arguments.
  real(dp) function mixed(f, turn, x)
    interface
      real(dp) function f(over, under, shift)
        import :: dp
        real(dp), intent(in) :: over, under
        real(dp), intent(in), optional :: shift
      end function f
    end interface
    procedure(frame) :: turn
    real(dp), intent(in) :: x
    real(dp) :: c(2), cdot(2)
    call turn(x, cdot=cdot, c=c, r=[x, 2.0_dp])
    mixed = f(under=x + 3.0_dp, over=x) + inside(x) + c(1) + 10.0_dp*cdot(2)
    call turn(r=[1.0_dp, x], mu=2.0_dp, cdot=cdot)
    mixed = mixed + f(2.0_dp, shift=f(shift=x, over=1.0_dp, under=4.0_dp), under=3.0_dp)
    mixed = mixed + 100.0_dp*cdot(1)
  contains
    real(dp) function inside(y)
      real(dp), intent(in) :: y
      inside = f(under=2.0_dp, over=f(shift=y, under=5.0_dp, over=y))
    end function inside
  end function mixed

  real(dp) function ratio(under, shift, over)
    real(dp), intent(in) :: under, shift
    real(dp), intent(in), optional :: over
    ratio = under/(shift*shift + 1.0_dp)
    if (present(over)) ratio = ratio + 0.25_dp*over
  end function ratio

  subroutine turned(cdot, mu, r, c)
    real(dp), intent(in) :: cdot, mu(2)
    real(dp), intent(out), optional :: r(2), c(2)
    if (present(r)) r = cdot*mu
    if (present(c)) c = cdot - mu
  end subroutine turned

  subroutine bisect(f, a, b, x, n)
    procedure(func) :: f
    real(dp), intent(in) :: a, b
    real(dp), intent(out) :: x
    integer, intent(out) :: n
    real(dp) :: low, high
    low = a
    high = b
    do n = 1, 40
      x = 0.5_dp*(low + high)
      if (f(x) > 0.0_dp) then
        high = x
      else
        low = x
      end if
      if (width(low, high, f=f) < 1e-9_dp) exit
    end do
  end subroutine bisect

  real(dp) function width(low, high, weight, f, g)
    real(dp), intent(in) :: low, high
    real(dp), intent(in), optional :: weight
    procedure(func), optional :: g
    interface
      real(dp) function f(x)
        import :: dp
        real(dp), intent(in) :: x
      end function f
    end interface
    width = high - low + 0.0_dp*f(low)
    if (present(weight)) width = width*weight
    if (present(g)) width = width + g(high)
  end function width

  real(dp) function secant(derivative, x, f_offset)
    external :: derivative
    real(dp), intent(in) :: x, f_offset
    real(dp) :: value, slope
    integer :: i
    secant = x
    do i = 1, 3
      call derivative(secant, value, slope)
      secant = secant - (value + f_offset)/slope
    end do
  contains
    subroutine unused
      call derivative(value, value, slope)
    end subroutine unused
  end function secant

  subroutine square(x, value, slope)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: value, slope
    value = x*x - 2.0_dp
    slope = 2.0_dp*x
  end subroutine square

  real(dp) function sum_of(f, x)
    procedure(func) :: f
    real(dp), intent(in) :: x
    sum_of = g(x) + g(2.0_dp*x)
  contains
    real(dp) function g(y)  ! of the name of the function that is passed
      real(dp), intent(in) :: y
      g = f(y)*x
    end function g
  end function sum_of

  real(dp) function halved(x)
    real(dp), intent(in) :: x
    halved = 0.5_dp*x - 0.7_dp
  end function halved
end module solvers

module entries
  use duals
  use solvers
  implicit none
  type :: block
    real(dp) :: a(0:3, 2) = 0.0_dp
    real(dp) :: b(4)
  end type block
  interface mean
    module procedure mean_of_list, mean_of_table
  end interface mean
contains
  subroutine named(x, y, z)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y, z
    y = mixed(ratio, turned, x)
    z = mixed(turn=turned, x=0.5_dp*x, f=own)
  contains
    real(dp) function own(b, a, c)
      real(dp), intent(in) :: b, a
      real(dp), intent(in), optional :: c
      own = b - 2.0_dp*a*x
      if (present(c)) own = own + c*x
    end function own
  end subroutine named

  subroutine derivative(x, n, f, g, k)
    real(dp), intent(in) :: x
    integer, intent(in) :: n
    real(dp), intent(out) :: f, g
    integer, intent(out) :: k
    type(dual) :: a, b
    integer :: i
    a = dual(x, 1.0_dp)
    b = 0.5_dp
    do i = 1, 3
      b = b + 0.25_dp*a*a + exp(-a) + exp(-x)
    end do
    k = cube(n)
    if (b == a) then
      f = 1.0_dp
    else if (cube(a) == b .or. x > 1.5_dp) then
      f = 2.0_dp
    else
      f = b%f + cube(x) + cube([x, 1.0_dp])
    end if
    b = cube(a) + b
    g = b%g
  end subroutine derivative

  subroutine jumps(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    type(dual) :: a
    a = dual(x, 1.0_dp)
    if (x > 1.0_dp) goto 10
    a = a*a
10  a = a + cube(a)
    y = a%f + a%g
  end subroutine jumps

  subroutine vectors(x, y, d, n)
    real(dp), intent(in) :: x, y
    real(dp), intent(out) :: d
    integer, intent(out) :: n
    type(vector) :: a
    a = made(x, y)
    if (x < y) a = 2.0_dp*(a + made(y, 1.0_dp))
    do n = 1, 3
      a = a + made(-x - y, y)
    end do
    d = a .dot. made(1.0_dp, x)
    n = a%n
  end subroutine vectors

  subroutine root(c, w, x, n, calls)
    real(dp), intent(in) :: c, w(3)
    real(dp), intent(out) :: x
    integer, intent(out) :: n, calls
    real(dp) :: scale(0:2)
    calls = 0
    scale = abs(w)
    scale(0) = scale(0) + 1.0_dp
    call bisect(polynomial, 0.0_dp, 4.0_dp, x, n)
    call count(2)
    call twice()
    x = x + secant(square, 1.0_dp + abs(c), 0.1_dp) + width(0.0_dp, 1.0_dp, c, halved, halved)
  contains
    real(dp) function polynomial(t)
      real(dp), intent(in) :: t
      polynomial = scale(0)*t**3 + scale(1)*t - c*c - size(scale) + lbound(scale, 1)
    end function polynomial

    subroutine count(by)
      integer, intent(in) :: by
      calls = calls + by
    end subroutine count

    subroutine twice
      integer :: c
      c = 5
      call count(c)
      if (x > 0.5_dp) x = x + polynomial(x)
    end subroutine twice
  end subroutine root

  subroutine associated(c, x, y)
    type(block), intent(inout) :: c
    real(dp), intent(in) :: x(-1:2)
    real(dp), intent(out) :: y(4)
    integer :: i
    associate (col => c%a(:, 2), xs => x(:), part => c%a(1:3, :), other => c%b(:))
      do i = 1, 4
        y(i) = col(i) + xs(i)
      end do
      y(2:3) = y(2:3) + col(2:3) + xs(:2) + part(2:, 1) + xs(4:3:-1)
      part(2, :) = 7.0_dp
      part(1, 1:2) = [1.0_dp, x(0)]
      other(2:3) = xs(3:)
      y(4) = y(4) + sum(other(:))
    end associate
  end subroutine associated

  ! What an argument that is intent(in) stands in stays, whatever a call gets.
  subroutine kept_index(k, x, y)
    integer, intent(in) :: k
    real(dp), intent(inout) :: x(4)
    real(dp), intent(out) :: y
    y = 0
    if (k < 1 .or. k > 4) return
    associate (one => x(k), two => 2.0_dp*k)
      call counted_up(k, one)
      y = one*two
    end associate
  contains
    subroutine counted_up(n, a)
      integer, intent(in) :: n
      real(dp), intent(inout) :: a
      a = a + n
    end subroutine counted_up
  end subroutine kept_index

  subroutine namesake(c, x)
    real(dp), intent(in) :: c
    real(dp), intent(out) :: x
    x = sum_of(g, 1.0_dp)
  contains
    real(dp) function g(y)
      real(dp), intent(in) :: y
      g = y*y + c
    end function g
  end subroutine namesake

  subroutine areas(x, y, z)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y(3), z(3)
    y = [asinh(x), acosh(1.0_dp + abs(x)), atanh(x/(1.0_dp + abs(x)))]
    z = [asinh(1e-9_dp*x), acosh(1.0_dp + 1e-9_dp*abs(x)), atanh(1e-9_dp*x)]
    z = z*1e9_dp + asinh(1e9_dp*x) + asinh(2.0_dp)
  end subroutine areas

  subroutine mayBe(x, y, z)
    real(dp), intent(in) :: x
    real(dp), intent(inout) :: y
    real(dp), intent(out) :: z
    real(dp) :: t
    z = 0.0_dp
    call inside(x, t)
    z = z + t
    call inside(x, t, 2.0_dp)
    z = z + t
  contains
    subroutine inside(a, b, c)
      real(dp), intent(in) :: a
      real(dp), intent(inout) :: b
      real(dp), intent(in), optional :: c
      b = a
      call further
      if (a > 0.0_dp) y = y + a
      if (present(c)) b = b + c
    end subroutine inside
    subroutine further
      z = z + 1.0_dp
    end subroutine further
  end subroutine mayBe

  real(dp) function mean_of_list(x) result(m)
    real(dp), intent(in) :: x(:)
    m = sum(x)/size(x)
  end function mean_of_list

  real(dp) function mean_of_table(x) result(m)
    real(dp), intent(in) :: x(:, :)
    m = 2*mean_of_list(x(:, ubound(x, 2))) + lbound(x, 1)
  end function mean_of_table

  subroutine means(x, y)
    real(dp), intent(in) :: x(4)
    real(dp), intent(out) :: y(6)
    real(dp) :: t(2, 2)
    t = mean(reshape(x, [1, 4])) + reshape(x, [2, 2])
    y(1) = mean(reshape(x, shape=[2, 2], order=[2, 1]))
    y(2) = mean(reshape(t, [4]))
    y(3) = mean(spread(x(:2), 1, 3))
    y(4) = mean(merge(x, 2*x, x > 1))
    y(5) = mean(merge(t, 2*t, t > 1)) + sum(t, t > 1)
    y(6) = mean(sum(spread(t, 3, 2), spread(t, 3, 2) > 1) + x)
  end subroutine means
end module entries
