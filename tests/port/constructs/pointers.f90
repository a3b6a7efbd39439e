! Pointers of a procedure to numbers and to whole arrays, whose targets are known.
module pointed
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  type layer
    real(dp) :: low, w(0:2)
    integer :: n
  end type layer
contains

  ! A target is changed by its name and by the pointer; a pointer gets another target.
  subroutine names(x, t, y, z)
    real(dp), intent(in) :: x
    real(dp), intent(inout), target :: t(0:4)
    real(dp), intent(out), target :: y, z
    real(dp), pointer :: p, v(:)
    p => y
    v => t
    p = x + v(0)
    y = 2*y + v(ubound(v, 1))
    v = v*p + lbound(v, 1)
    t(4) = v(3) - size(v)
    p => z
    p = t(4) + y
    if (x > 0) then
      p = p*v(1)
      if (z > 10) return
    end if
    z = z + 1
  end subroutine names

  ! Of components of a variable; passed to a procedure that changes it.
  real(dp) function parts(x, k)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    type(layer), target :: a, b
    real(dp), pointer :: low, w(:)
    integer, pointer :: n
    a%low = x
    a%w = [1.0_dp, x, 3.0_dp]
    a%n = k
    b = a
    low => a%low
    w => b%w
    n => a%n
    n = n + 2
    call changed(low, w, n)
    a%low = a%low - w(0)
    low => b%low
    low = low + a%low + b%w(2)
    parts = b%low*x + sum(w) + a%n
  end function parts

  subroutine changed(low, w, n)
    real(dp), intent(inout) :: low, w(3)
    integer, intent(in) :: n
    low = low + w(3)
    w(1) = low*n
    w(2:3) = w(1:2)
  end subroutine changed

  ! A jump around other statements.
  real(dp) function jumped(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(in), target :: y
    real(dp), pointer :: p
    p => y
    jumped = p
    if (x > 0) goto 10
    jumped = p*x
10  jumped = jumped + p
  end function jumped
end module pointed
