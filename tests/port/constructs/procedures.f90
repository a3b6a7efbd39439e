! Procedures that are arguments or components: which ones they are is said beside the source.
module solvers
  implicit none
  private
  public :: solver, tuned, search, poly

  type, abstract :: solver
    private
    procedure(residual), pointer :: f => null()
    real(8) :: tolerance = 1d-3
    integer :: most = 30
  end type

  type, extends(solver) :: tuned
    real(8) :: a = 2, b = 3
  end type

  abstract interface
    function residual(me, x) result(f)
      import :: solver
      class(solver), intent(inout) :: me
      real(8), intent(in) :: x
      real(8) :: f
    end function
  end interface

contains

  function poly(this, at) result(y)
    class(solver), intent(inout) :: this
    real(8), intent(in) :: at
    real(8) :: y
    y = at**2 - 2
    select type (this)
    type is (tuned)
      y = this%a*at**2 - this%b
    end select
  end function

  subroutine search(me, a, b, x, n)
    class(solver), intent(inout) :: me
    real(8), intent(in) :: a, b
    real(8), intent(out) :: x
    integer, intent(out) :: n
    real(8) :: low, high, flow, fx
    low = a - 1; high = b + 3; n = 0
    flow = me%f(low)
    do while (high - low > 1d-3 .and. n < 30)
      x = 0.5d0*(low + high)
      fx = value_of(me, x)
      if (flow*fx <= 0) then
        high = x
      else
        low = x
        flow = fx
      end if
      n = n + 1
    end do
    x = 0.5d0*(low + high)
  end subroutine

  ! The object that has the component is another argument here.
  function value_of(self, x) result(y)
    class(solver), intent(inout) :: self
    real(8), intent(in) :: x
    real(8) :: y
    y = self%f(x)
  end function

end module

module pointed
  implicit none

  type :: rule
    procedure(number), pointer, nopass :: f => null()
    procedure(action), pointer, pass(me) :: g => null()
    real(8) :: c = 1
  end type
  type :: box
    type(rule) :: one, two
    integer :: n
  end type
  type :: begun
    procedure(number), pointer, nopass :: f => square
  end type

  abstract interface
    pure real(8) function number(x)
      real(8), intent(in) :: x
    end function
    subroutine action(x, me)
      import :: rule
      real(8), intent(inout) :: x
      class(rule), intent(in) :: me
    end subroutine
    subroutine frame(mu, c, d)
      real(8), intent(in) :: mu
      real(8), intent(out) :: c
      real(8), intent(out), optional :: d
    end subroutine
  end interface

contains

  pure real(8) function square(z)
    real(8), intent(in) :: z
    square = z*z
  end function

  pure real(8) function cube(z)
    real(8), intent(in) :: z
    cube = z**3
  end function

  real(8) function not_pure(z)
    real(8), intent(in) :: z
    not_pure = z
  end function

  elemental real(8) function of_each(z)
    real(8), intent(in) :: z
    of_each = z
  end function

  pure real(4) function short(z)
    real(8), intent(in) :: z
    short = real(z, 4)
  end function

  pure real(8) function whole(z)
    integer, intent(in) :: z
    whole = z
  end function

  pure real(8) function of_array(z)
    real(8), intent(in) :: z(3)
    of_array = z(1)
  end function

  pure real(8) function maybe(z)
    real(8), intent(in), optional :: z
    maybe = 0
    if (present(z)) maybe = z
  end function

  pure real(8) function two(z, y)
    real(8), intent(in) :: z, y
    two = z*y
  end function

  subroutine changes(z)
    real(8), intent(inout) :: z
    z = 2*z
  end subroutine

  subroutine scaled(y, this)
    real(8), intent(inout) :: y
    class(rule), intent(in) :: this
    y = y*this%c
  end subroutine

  subroutine added(y, this)
    real(8), intent(inout) :: y
    class(rule), intent(in) :: this
    y = y + this%c
  end subroutine

  subroutine of_box(y, this)
    real(8), intent(inout) :: y
    class(box), intent(in) :: this
    y = y + this%n
  end subroutine

  subroutine same(mu, c, d)
    real(8), intent(in) :: mu
    real(8), intent(out) :: c
    real(8), intent(out), optional :: d
    c = mu
    if (present(d)) d = 3*mu
  end subroutine

  subroutine swapped(mu, d, c)
    real(8), intent(in) :: mu
    real(8), intent(out) :: d
    real(8), intent(out), optional :: c
    d = mu
    if (present(c)) c = 3*mu
  end subroutine

  ! Two objects of one type, each with procedures of its own.
  subroutine both(a, b, x)
    type(rule), intent(in) :: a, b
    real(8), intent(inout) :: x
    x = a%f(x) - b%f(x)
    call a%g(x)
    call b%g(x)
  end subroutine

  subroutine within(b, x)
    type(box), intent(in) :: b
    real(8), intent(inout) :: x
    integer :: i
    do i = 1, 3
      x = step(b%one, x) + step(b%two, x)
    end do
  end subroutine

  real(8) function step(o, x)
    type(rule), intent(in) :: o
    real(8), intent(in) :: x
    step = 0.5d0*o%f(x)/(1 + abs(o%c + x**3))
  end function

  subroutine copies(a, b, x)
    type(rule), intent(inout) :: a
    type(rule), intent(in) :: b
    real(8), intent(inout) :: x
    a = b
    x = a%f(x) + a%c
  end subroutine

  subroutine newton(f, x)
    procedure(number) :: f
    real(8), intent(inout) :: x
    integer :: i
    do i = 1, 3
      x = x - f(x)*2d-3/(f(x + 1d-3) - f(x - 1d-3) + 1)
    end do
  end subroutine

  pure function maybe_given(x, f, y) result(r)
    real(8), intent(in) :: x
    procedure(number), optional :: f
    real(8), intent(in) :: y
    real(8) :: r
    if (present(f)) then
      r = f(x) + y
    else
      r = x + 1 + y
    end if
  end function

  pure function handed_on(x, f) result(r)
    real(8), intent(in) :: x
    procedure(number), optional :: f
    real(8) :: r
    r = 2*maybe_given(x, f, 1d0)
  end function

  subroutine by_names(f, x, y, z)
    procedure(frame) :: f
    real(8), intent(in) :: x
    real(8), intent(out) :: y, z
    call f(x, d=y, c=z)
    z = 2*z
  end subroutine

  ! A call by the names of the interface: those of the procedure, and other ones.
  subroutine passes_same(x, y, z)
    real(8), intent(in) :: x
    real(8), intent(out) :: y, z
    call by_names(same, x, y, z)
  end subroutine

  subroutine passes_swapped(x, y, z)
    real(8), intent(in) :: x
    real(8), intent(out) :: y, z
    call by_names(swapped, x, y, z)
  end subroutine

  subroutine sets(a, x)
    type(rule), intent(inout) :: a
    real(8), intent(inout) :: x
    a%f => cube
    x = a%f(x)
  end subroutine

  subroutine fresh(a, x)
    type(rule), intent(out) :: a
    real(8), intent(inout) :: x
    x = a%f(x)
  end subroutine

  subroutine begins(a, x)
    type(begun), intent(inout) :: a
    real(8), intent(inout) :: x
    x = a%f(x)
  end subroutine

  subroutine has_inside(x)
    real(8), intent(inout) :: x
    call newton(inside, x)
  contains
    pure real(8) function inside(z)
      real(8), intent(in) :: z
      inside = z
    end function
  end subroutine

end module

subroutine outside(f, g, x)
  implicit none
  interface
    real(8) function f(y)
      real(8), intent(in) :: y
    end function
    subroutine g(a, n)
      integer, intent(in) :: n
      real(8), intent(inout) :: a(n)
    end subroutine
  end interface
  real(8), intent(inout) :: x
  real(8) :: v(2)
  v = [x, f(x)]
  call g(v, 2)
  x = sum(v)
end subroutine

real(8) function plus(z)
  implicit none
  real(8), intent(in) :: z
  plus = z + 3
end function

subroutine times(b, m)
  implicit none
  integer, intent(in) :: m
  real(8), intent(inout) :: b(m)
  b = b*m
end subroutine

subroutine times_open(b, m)
  implicit none
  integer, intent(in) :: m
  real(8), intent(inout) :: b(:)
  b = b*m
end subroutine

! Nothing says what the argument is but its calls.
subroutine old(f, x, n)
  external f
  double precision f, x
  x = f(x, n) + f(x, n + 1)
  call old_too(f, x, n)
end subroutine

subroutine old_too(h, x, n)
  external h
  double precision h, x
  x = x + h(x, n)
end subroutine

double precision function product_of(y, k)
  double precision y
  integer k
  product_of = y*k
end function

double precision function real_second(y, k)
  double precision y
  real k
  real_second = y*k
end function

real function short_result(y, k)
  double precision y
  integer k
  short_result = y*k
end function
