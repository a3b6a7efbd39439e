! As refused.f90, of names that share memory.
module refusedmemory
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine equivalent_inside(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a, b
    equivalence (b, a)                        !! equivalence of a: two names for one memory
    call doubled_of(y)
  contains
    subroutine doubled_of(z)
      real(dp), intent(out) :: z
      a = x
      z = 2*a
    end subroutine doubled_of
  end subroutine equivalent_inside

  subroutine equivalent_function(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a, b, f, t
    equivalence (a, b)                        !! equivalence of b: two names for one memory
    f(t) = t + b
    y = f(x)
  end subroutine equivalent_function

  subroutine equivalent_counter(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer :: i, k
    equivalence (i, k)                        !! equivalence of i: two names for one memory
    y = 0
    do i = 1, 3
      y = y + x
    end do
  end subroutine equivalent_counter

  subroutine equivalent_shape(x, y)
    integer :: many, most
    common /sizes/ many
    equivalence (many, most)                  !! equivalence of most: two names for one memory
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y(most)
    y = x
  end subroutine equivalent_shape

  subroutine equivalent_value(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a, b, c(2), d(2)
    common /valued/ a, b
    equivalence (a, c), (c, d)                !! equivalence of d: it shares memory with COMMON
    data d /1, 2/
    y = x*b
  end subroutine equivalent_value
end module refusedmemory
