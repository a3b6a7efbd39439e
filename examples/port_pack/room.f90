! Heat in a room: a legacy module with a procedure of one point and a loop nest.
module room
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp) :: gasConstant = 287.05_dp                  ! J/(kg K)
  real(dp) :: cpFit(4)                                 ! J/(kg K), set by readFit

contains

  subroutine readFit
    cpFit = [1022.5_dp, -0.1766_dp, 4.0200e-4_dp, -4.8726e-8_dp]
  end subroutine readFit

  ! Temperature from the enthalpy by Newton's steps, then density and conductivity of air.
  subroutine airProperties(h, p, T, rho, lambda, steps)
    real(dp), intent(in) :: h, p                       ! J/kg, Pa
    real(dp), intent(inout) :: T                       ! K; the last one is the first guess
    real(dp), intent(out) :: rho, lambda               ! kg/m3, W/(m K)
    integer, intent(out) :: steps
    real(dp) :: cp, dT
    integer :: n

    if (T < 100.0_dp .or. T > 2000.0_dp) T = 300.0_dp
    steps = 0
    do n = 1, 20
      cp = cpFit(1) + T*(cpFit(2) + T*(cpFit(3) + T*cpFit(4)))
      dT = (h - T*(cpFit(1) + T*(cpFit(2)/2 + T*(cpFit(3)/3 + T*cpFit(4)/4))))/cp
      T = T + dT
      steps = n
      if (abs(dT) < 1.0e-9_dp*T) exit
    end do
    rho = p/(gasConstant*T)
    lambda = 2.64638e-3_dp*T**1.5_dp/(T + 245.4_dp*10.0_dp**(-12.0_dp/T))   ! Kadoya's form
  end subroutine airProperties

  ! Heat that flows into each cell, and the fastest change of a temperature.
  subroutine conduction(nx, ny, nz, dx, T, lambda, q, fastest)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: dx
    real(dp), intent(in) :: T(0:nx+1, 0:ny+1, nz), lambda(0:nx+1, 0:ny+1, nz)
    real(dp), intent(inout) :: q(nx, ny, nz)
    real(dp), intent(out) :: fastest
    real(dp) :: west, east, south, north
    integer :: i, j, k

    fastest = 0
    !$bridge begin conduction
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          ! Conductivity of a face: the mean of its cells.
          west = 0.5_dp*(lambda(i-1, j, k) + lambda(i, j, k))*(T(i, j, k) - T(i-1, j, k))
          east = 0.5_dp*(lambda(i, j, k) + lambda(i+1, j, k))*(T(i+1, j, k) - T(i, j, k))
          south = 0.5_dp*(lambda(i, j-1, k) + lambda(i, j, k))*(T(i, j, k) - T(i, j-1, k))
          north = 0.5_dp*(lambda(i, j, k) + lambda(i, j+1, k))*(T(i, j+1, k) - T(i, j, k))
          q(i, j, k) = (east - west + north - south)/dx**2
          fastest = max(fastest, abs(q(i, j, k)))
        end do
      end do
    end do
    !$bridge end
  end subroutine conduction

end module room
