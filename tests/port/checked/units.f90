! Units of nests: arguments that are procedures, pure ones, names of intrinsic functions, kinds.
module units
  implicit none
  integer, parameter :: ik = kind(1), rk = kind(1d0)
  integer, pointer :: levels
  real(8) :: table(9)
  abstract interface
    function slope(x) result(y)
      import rk
      real(rk), intent(in) :: x(:)
      real(rk) :: y(size(x))
    end function slope
  end interface
contains
  subroutine solved(n, f, jacobian, norm, other, a, x)
    procedure(slope) :: f
    interface
      subroutine jacobian(n, x, j)
        integer, intent(in) :: n
        real(8), intent(in) :: x(n)
        real(8), intent(out) :: j(n, n)
      end subroutine jacobian
    end interface
    real(rk), external :: norm
    procedure(slope), optional :: other
    integer, intent(in) :: n
    real(rk), intent(in) :: a(n)
    real(rk), intent(inout) :: x(n)
    real(rk) :: j(n, n)
    integer :: i
    x = f(x)
    if (present(other)) x = other(x)
    call jacobian(n, x, j)
    !$bridge begin solved
    do i = 1, n
      x(i) = x(i) - a(i)*x(i)**2
    end do
    !$bridge end
    x = x/norm(n, x)
  end subroutine solved

  pure subroutine counted(n, a, sum, max)
    integer(ik), intent(in) :: n
    real(rk), intent(in) :: a(n)
    real(rk), intent(inout) :: sum, max
    integer(ik) :: i
    !$bridge begin counted
    do i = 2_ik, n - 1_ik
      sum = sum + 2.0_rk*a(i)
      if (a(i) > max) max = a(i)
    end do
    !$bridge end
  end subroutine counted

  pure real(8) function spread_of(n, a) result(d)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8) :: most
    d = 0
    most = 0
    call counted(n, a, d, most)
    d = most - d
  end function spread_of

  elemental real(8) function doubled(x)
    real(8), intent(in) :: x
    doubled = spread_of(2, [x, x])
  end function doubled

  subroutine layered(a, b)
    real(8), intent(in) :: a(levels)
    real(8), intent(inout) :: b(levels)
    integer :: k
    !$bridge begin layered
    do k = 2, levels
      b(k) = b(k)*a(k)
    end do
    !$bridge end
  end subroutine layered

  subroutine looked_up(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i, k
    !$bridge begin looked_up
    do i = 1, n
      k = 1 + int(4*a(i))
      b(i) = b(i) + table(k)
    end do
    !$bridge end
  end subroutine looked_up

  subroutine cleared(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    !$bridge begin cleared
    where (a(:) < 0) a(:) = 0
    !$bridge end
  end subroutine cleared

  subroutine named(n, a, x)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: x(n)
    integer :: i
    found: block
      do i = 1, n
        if (a(i) < 0) exit found
        x(i) = sqrt(a(i))
      end do
    end block found
  end subroutine named
end module units
