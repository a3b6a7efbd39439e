! What the pack is ported from: density of an ideal gas and Sutherland's viscosity of air.
subroutine gas(T, P, W, rho, mu)
  implicit none
  double precision, intent(in) :: T, P, W      ! K, Pa, kg/mol
  double precision, intent(out) :: rho, mu     ! kg/m3, Pa s
  double precision, parameter :: R = 8.31446261815324d0, mu0 = 1.716d-5, T0 = 273.15d0, S = 110.4d0
  rho = P*W/(R*T)
  mu = mu0*(T/T0)**1.5d0*(T0 + S)/(T + S)
end subroutine gas
