! Chung viscosity and thermal conductivity of dense mixtures, and the call that gives all
! transport properties, at one grid point (docs/physics.md, section 11). The dense coefficients
! take the bounded arguments, which keep their denominators away from zero.
module chungTransModule
  use useGENKindDefs, only: dp, expm1, cbrt
  use speciesModule, only: ns, sigmaij, epsij, omegaij, rootMij, kappaij, dipolei, Rgas
  use chungTablesModule, only: chungE, chungB, chungQ0
  use chungDiffusionModule
  use statusModule
  implicit none
  private
  public :: chungCalcTransProp, chungMixParameters, chungMixMolarMass, chungCollisionIntegral
  public :: chungDenseCoefficients, chungReducedDensity, chungDiluteViscosity, chungViscosity
  public :: chungPsi, chungThermalConductivity

contains

  pure subroutine chungCalcTransProp(T, P, X, W, v, cv0, Tr, Pr, eta, lambda, Dim, status)
    real(dp), intent(in) :: T, P, X(ns), W, v, cv0, Tr, Pr
    real(dp), intent(out) :: eta, lambda, Dim(ns)   ! Pa s, W/(m K), m2/s
    integer, intent(inout) :: status
    real(dp) :: sigmam, epsm, omegam, mr4, kappam, Tcm, Vcm, Mm, Tstar, Omega22
    real(dp) :: E(10), B(7), Fc, yred, G1, eta0, psi, D0ij(ns, ns), factor

    call chungMixParameters(X, sigmam, epsm, omegam, mr4, kappam, Tcm, Vcm)
    call chungMixMolarMass(X, epsm, sigmam, Mm)
    call chungCollisionIntegral(T, epsm, Tstar, Omega22, status)
    call chungDenseCoefficients(omegam, mr4, kappam, E, B, Fc)
    call chungReducedDensity(v, Vcm, yred, G1, status)
    call chungDiluteViscosity(T, Mm, Vcm, Omega22, Fc, eta0)
    call chungViscosity(eta0, E, yred, G1, Tstar, Mm, Tcm, Vcm, eta, status)
    call chungPsi(T, Tcm, omegam, cv0, psi)
    call chungThermalConductivity(eta0, psi, B, yred, G1, Mm, Tcm, Vcm, T, lambda, status)
    call chungBinaryDiffusion(T, P, D0ij)
    call chungTakahashiFactor(Tr, Pr, T, P, v, factor, status)
    call chungMixtureDiffusion(X, W, D0ij, factor, Dim)
  end subroutine chungCalcTransProp

  ! Double sums over pairs; sigma angstrom, eps K, Vcm cm3/mol.
  pure subroutine chungMixParameters(X, sigmam, epsm, omegam, mr4, kappam, Tcm, Vcm)
    real(dp), intent(in) :: X(ns)
    real(dp), intent(out) :: sigmam, epsm, omegam, mr4, kappam, Tcm, Vcm
    real(dp) :: sigma3, sigma3m, XX, mu4
    integer :: i, j

    sigma3m = 0.0_dp
    epsm = 0.0_dp
    omegam = 0.0_dp
    mu4 = 0.0_dp
    kappam = 0.0_dp
    do i = 1, ns
      do j = 1, ns
        XX = X(i)*X(j)
        sigma3 = sigmaij(j, i)**3
        sigma3m = sigma3m + XX*sigma3
        epsm = epsm + XX*epsij(j, i)*sigma3
        omegam = omegam + XX*omegaij(j, i)*sigma3
        mu4 = mu4 + XX*dipolei(i)**2*dipolei(j)**2/sigma3
        kappam = kappam + XX*kappaij(j, i)
      end do
    end do
    sigmam = cbrt(sigma3m)
    epsm = epsm/sigma3m
    omegam = omegam/sigma3m
    mu4 = mu4*sigma3m
    Tcm = 1.2593_dp*epsm
    Vcm = (sigmam/0.809_dp)**3
    mr4 = 131.3_dp**4*mu4/(Vcm*Tcm)**2
  end subroutine chungMixParameters

  pure subroutine chungMixMolarMass(X, epsm, sigmam, Mm)
    real(dp), intent(in) :: X(ns), epsm, sigmam
    real(dp), intent(out) :: Mm              ! g/mol, a fit parameter
    real(dp) :: total
    integer :: i, j

    total = 0.0_dp
    do i = 1, ns
      do j = 1, ns
        total = total + X(i)*X(j)*epsij(j, i)*sigmaij(j, i)**2*rootMij(j, i)
      end do
    end do
    Mm = (total/(epsm*sigmam**2))**2
  end subroutine chungMixMolarMass

  ! Neufeld's Omega22 without the sine term.
  pure subroutine chungCollisionIntegral(T, epsm, Tstar, Omega22, status)
    real(dp), intent(in) :: T, epsm
    real(dp), intent(out) :: Tstar, Omega22
    integer, intent(inout) :: status

    Tstar = T/epsm
    if (Tstar < 0.3_dp) then
      Tstar = 0.3_dp
      status = ior(status, statusTransportClamp)
    end if
    Omega22 = 1.16145_dp*Tstar**(-0.14874_dp) + 0.52487_dp*exp(-0.77320_dp*Tstar) &
              + 2.16178_dp*exp(-2.43787_dp*Tstar)
  end subroutine chungCollisionIntegral

  pure subroutine chungDenseCoefficients(omegam, mr4, kappam, E, B, Fc)
    real(dp), intent(in) :: omegam, mr4, kappam
    real(dp), intent(out) :: E(10), B(7), Fc
    real(dp) :: omegaE, omegaB
    integer :: i

    omegaE = min(max(omegam, 0.0_dp), 1.0_dp)
    omegaB = min(max(omegam, -0.25_dp), 1.0_dp)
    do i = 1, 10
      E(i) = chungE(1, i) + chungE(2, i)*omegaE
    end do
    do i = 1, 7
      B(i) = chungB(1, i) + chungB(2, i)*omegaB
    end do
    Fc = 1.0_dp - 0.2756_dp*omegam + 0.059035_dp*mr4 + kappam
  end subroutine chungDenseCoefficients

  ! y from the true molar density 1/v, not from rho/Mm.
  pure subroutine chungReducedDensity(v, Vcm, yred, G1, status)
    real(dp), intent(in) :: v, Vcm
    real(dp), intent(out) :: yred, G1
    integer, intent(inout) :: status

    yred = 1.0e-6_dp*Vcm/(6.0_dp*v)
    if (yred > 0.95_dp) then
      yred = 0.95_dp
      status = ior(status, statusTransportClamp)
    end if
    G1 = (1.0_dp - 0.5_dp*yred)/(1.0_dp - yred)**3
  end subroutine chungReducedDensity

  pure subroutine chungDiluteViscosity(T, Mm, Vcm, Omega22, Fc, eta0)
    real(dp), intent(in) :: T, Mm, Vcm, Omega22, Fc
    real(dp), intent(out) :: eta0

    eta0 = 40.785e-7_dp*Fc*sqrt(Mm*T)/(Vcm**(2.0_dp/3.0_dp)*Omega22)
  end subroutine chungDiluteViscosity

  ! The common form of G2 and H2; one as y goes to zero.
  pure real(dp) function densePhi(c1, c2, c3, c4, c5, yred, G1)
    real(dp), intent(in) :: c1, c2, c3, c4, c5, yred, G1
    real(dp) :: ratio

    ratio = c4
    if (yred > 0.0_dp) ratio = -expm1(-c4*yred)/yred
    densePhi = (c1*ratio + c2*G1*exp(c5*yred) + c3*G1)/(c1*c4 + c2 + c3)
  end function densePhi

  pure subroutine chungViscosity(eta0, E, yred, G1, Tstar, Mm, Tcm, Vcm, eta, status)
    real(dp), intent(in) :: eta0, E(10), yred, G1, Tstar, Mm, Tcm, Vcm
    real(dp), intent(out) :: eta
    integer, intent(inout) :: status
    real(dp) :: G2, etak, etap

    G2 = densePhi(E(1), E(2), E(3), E(4), E(5), yred, G1)
    etak = eta0*(1.0_dp/G2 + E(6)*yred)
    etap = 36.344e-7_dp*sqrt(Mm*Tcm)/Vcm**(2.0_dp/3.0_dp)*E(7)*yred**2*G2 &
           *exp(E(8) + E(9)/Tstar + E(10)/Tstar**2)
    eta = etak + etap
    if (eta <= 0.0_dp) status = ior(status, statusChungSingular)
  end subroutine chungViscosity

  pure subroutine chungPsi(T, Tcm, omegam, cv0, psi)
    real(dp), intent(in) :: T, Tcm, omegam, cv0   ! cv0: ideal gas, J/(mol K)
    real(dp), intent(out) :: psi
    real(dp) :: alpha, beta, Zt

    alpha = cv0/Rgas - 1.5_dp
    beta = 0.7862_dp - 0.7109_dp*omegam + 1.3168_dp*omegam**2
    Zt = 2.0_dp + 10.5_dp*(T/Tcm)**2
    psi = 1.0_dp + alpha*(0.215_dp + 0.28288_dp*alpha - 1.061_dp*beta + 0.26665_dp*Zt) &
          /(0.6366_dp + beta*Zt + 1.061_dp*alpha*beta)
  end subroutine chungPsi

  pure subroutine chungThermalConductivity(eta0, psi, B, yred, G1, Mm, Tcm, Vcm, T, lambda, status)
    real(dp), intent(in) :: eta0, psi, B(7), yred, G1, Mm, Tcm, Vcm, T
    real(dp), intent(out) :: lambda
    integer, intent(inout) :: status
    real(dp) :: H2, Mp

    Mp = Mm/1000.0_dp
    H2 = densePhi(B(1), B(2), B(3), B(4), B(5), yred, G1)
    lambda = 31.2_dp*eta0*psi/Mp*(1.0_dp/H2 + B(6)*yred) &
             + chungQ0*sqrt(Tcm/Mp)/Vcm**(2.0_dp/3.0_dp)*B(7)*yred**2*sqrt(T/Tcm)*H2
    if (lambda <= 0.0_dp) status = ior(status, statusChungSingular)
  end subroutine chungThermalConductivity

end module chungTransModule
