! Procedures of a point that a check compares with their kernels.
module gas
  implicit none
  integer, parameter :: dp = selected_real_kind(15)
  real(dp) :: gamma_of_gas = 1.4_dp
  real(dp) :: fits(4)
  integer :: model
contains
  subroutine sound_speed(p, rho, n, c, level, ideal)
    real(dp), intent(in) :: p, rho
    integer, intent(in) :: n
    real(dp), intent(out) :: c
    integer, intent(out) :: level
    logical, intent(out) :: ideal
    integer :: k
    c = sqrt(gamma_of_gas * p / rho)
    do k = 1, 4
      c = c + fits(k) * 1e-3_dp * p
    end do
    level = n * 2 + model
    ideal = p < rho
    if (ideal) level = level + 1
  end subroutine sound_speed

  ! Newton's steps: NaN never comes below the limit, and the loop has no other end.
  subroutine cube_root(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(inout) :: y
    real(dp) :: step
    step = 1
    do while (.not. abs(step) <= 1e-14_dp * abs(y))
      step = (y * y * y - x) / (3 * y * y)
      y = y - step
    end do
  end subroutine cube_root

  subroutine pick(n, y)
    integer, intent(in) :: n
    real(dp), intent(out) :: y
    real(dp), parameter :: steps(4) = [1.0_dp, 2.5_dp, 4.0_dp, 8.0_dp]
    y = steps(n)
  end subroutine pick

  ! Without a value where x is small.
  function sometimes(x)
    real(dp), intent(in) :: x
    real(dp) :: sometimes
    if (x > 1) sometimes = 2 * x
  end function sometimes

  ! What is left of the functions is small: their own rounding is seen, whatever x does.
  subroutine remainder(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = cos(x) - 1 + x * x / 2 + ((1 + x)**0.3_dp - 1 - 0.3_dp * x)**2
  end subroutine remainder
end module gas
