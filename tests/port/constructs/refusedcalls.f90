! Calls that cannot be made plain: each procedure is refused where !! stands.
module refusedcalls
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  type :: pair
    real(dp) :: a, b
  end type pair
  interface operator(+)
    module procedure add
  end interface
  interface assignment(=)
    module procedure from_text
  end interface
  interface exp
    module procedure exp_pair
  end interface
  interface larger
    module procedure larger_real
  end interface
contains
  elemental function add(x, y) result(z)
    type(pair), intent(in) :: x, y
    type(pair) :: z
    z%a = x%a + y%a
    z%b = x%b + y%b
  end function add

  function exp_pair(x) result(z)
    type(pair), intent(in) :: x
    type(pair) :: z
    z%a = exp(x%a)
    z%b = z%a*x%b
  end function exp_pair

  elemental subroutine from_text(x, text)
    type(pair), intent(out) :: x
    character(*), intent(in) :: text
    x%a = ichar(text(1:1))
    x%b = 0
  end subroutine from_text

  real(dp) function larger_real(x)
    real(dp), intent(in) :: x
    larger_real = 2*x
  end function larger_real

  real(dp) function twice(f, x)
    interface
      real(dp) function f(x)
        import :: dp
        real(dp), intent(in) :: x
      end function f
    end interface
    real(dp), intent(in) :: x
    twice = f(f(x))
  end function twice

  subroutine whichever(f, x) !! argument f, a procedure: what is called is known at run time
    interface
      real(dp) function f(x)
        import :: dp
        real(dp), intent(in) :: x
      end function f
    end interface
    real(dp), intent(inout) :: x
    x = f(x)
  end subroutine whichever

  subroutine throughPointer(x)
    real(dp), intent(inout) :: x
    procedure(larger_real), pointer :: p !! procedure
    x = twice(p, x)
  end subroutine throughPointer

  subroutine inEveryTurn(x)
    type(pair), intent(inout) :: x
    do while (first(x + x) < 1) !! argument y of first: no variable of its derived type
      x%a = x%a + 1
    end do
  contains
    real(dp) function first(y)
      type(pair), intent(in) :: y
      first = y%a
    end function first
  end subroutine inEveryTurn

  subroutine manyPairs(x)
    type(pair), intent(inout) :: x(3)
    x = x + x !! value of a derived type
  end subroutine manyPairs

  subroutine sameVariable(x)
    real(dp), intent(inout) :: x
    real(dp) :: z
    z = x
    call inside(z) !! z is passed twice, and written
    x = z
  contains
    subroutine raise(y)
      real(dp), intent(inout) :: y
      z = z + y
      y = 2*z
    end subroutine raise
    subroutine nothing_of(y)
      real(dp), intent(inout) :: y
      call raise(y)
    end subroutine nothing_of
    subroutine inside(y)
      real(dp), intent(inout) :: y
      call nothing_of(y)
    end subroutine inside
  end subroutine sameVariable

  subroutine notGiven(x)
    real(dp), intent(inout) :: x
    real(dp), external :: elsewhere
    x = twice(elsewhere, x) !! argument f of twice: a procedure that is not known here
  end subroutine notGiven

  subroutine noneFits(x)
    real(dp), intent(inout) :: x
    x = larger(1) !! function larger
  end subroutine noneFits

  subroutine namedArguments(x)
    real(dp), intent(inout) :: x
    x = named(ratio, x)
  end subroutine namedArguments

  function named(f, x)
    interface
      function f(a, b, c)
        import :: dp
        real(dp), intent(in) :: a, b
        real(dp), intent(in), optional :: c
        real(dp) :: f
      end function f
    end interface
    real(dp), intent(in) :: x
    real(dp) :: named
    named = f(b=x, a=3.0_dp) !! call of f: ratio has not the arguments of its interface
  end function named

  subroutine namedInside(x)
    real(dp), intent(inout) :: x
    x = around(ratio, x)
  end subroutine namedInside

  function around(f, x)
    real(dp), external :: f
    real(dp), intent(in) :: x
    real(dp) :: around
    around = f(x, 1.0_dp) + inner(ratio)
  contains
    function inner(f) !! function inner: its f is another procedure than that of around
      interface
        function f(b, a)
          import :: dp
          real(dp), intent(in) :: a, b
          real(dp) :: f
        end function f
      end interface
      real(dp) :: inner
      inner = f(b=3.0_dp, a=1.0_dp)
    end function inner
  end function around

  subroutine namedWithout(x)
    real(dp), intent(inout) :: x
    x = unnamed(ratio, x)
  end subroutine namedWithout

  function unnamed(f, x)
    real(dp), external :: f
    real(dp), intent(in) :: x
    real(dp) :: unnamed
    unnamed = f(b=x, a=3.0_dp) !! call of f: it names arguments as the interface
  end function unnamed

  function ratio(b, a)
    real(dp), intent(in) :: a, b
    real(dp) :: ratio
    ratio = b/(a + 3)
  end function ratio
end module refusedcalls
