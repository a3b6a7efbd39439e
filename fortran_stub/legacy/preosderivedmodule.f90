! Peng-Robinson building blocks that follow from (T, v, X): caloric properties, the derivatives
! of flow solvers and the pseudo-critical state (docs/physics.md, sections 7, 8 and 10).
! Per kilogram unless a comment says otherwise.
module preosDerivedModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns, Tci, Pci, Vci, omegai, Rgas
  use statusModule
  implicit none
  private
  public :: prEOSEnthalpy, prEOSInternalEnergy, prEOSEntropy, prEOSGibbs
  public :: prEOSCv, prEOSCp, prEOSGamma, prEOSCompressibility
  public :: prEOSCalcRhoPRhoT, prEOSCalcHpHT, prEOSCalcSoundSpeed
  public :: prEOSTotalEnthalpy, prEOSPreconditionedRhoP, prEOSCriticalState

contains

  pure subroutine prEOSEnthalpy(h0, P, v, T, amix, aT, Kvol, W, h)
    real(dp), intent(in) :: h0, P, v, T, amix, aT, Kvol, W   ! h0 J/mol
    real(dp), intent(out) :: h

    h = (h0 + P*v - Rgas*T + Kvol*(T*aT - amix))/W
  end subroutine prEOSEnthalpy

  pure subroutine prEOSInternalEnergy(h, P, rho, u)
    real(dp), intent(in) :: h, P, rho
    real(dp), intent(out) :: u

    u = h - P/rho
  end subroutine prEOSInternalEnergy

  pure subroutine prEOSEntropy(s0, Z, Bred, aT, Kvol, W, s)
    real(dp), intent(in) :: s0, Z, Bred, aT, Kvol, W         ! s0 J/(mol K)
    real(dp), intent(out) :: s

    s = (s0 + Rgas*log(Z - Bred) + aT*Kvol)/W
  end subroutine prEOSEntropy

  pure subroutine prEOSGibbs(h, s, T, g)
    real(dp), intent(in) :: h, s, T
    real(dp), intent(out) :: g

    g = h - T*s
  end subroutine prEOSGibbs

  pure subroutine prEOSCv(cv0, T, aTT, Kvol, W, cv, status)
    real(dp), intent(in) :: cv0, T, aTT, Kvol, W             ! cv0 J/(mol K)
    real(dp), intent(out) :: cv
    integer, intent(inout) :: status

    cv = (cv0 + T*aTT*Kvol)/W
    if (cv <= 0.0_dp) status = ior(status, statusUnstable)
  end subroutine prEOSCv

  pure subroutine prEOSCp(cv, T, Pv, PT, W, cp)
    real(dp), intent(in) :: cv, T, Pv, PT, W
    real(dp), intent(out) :: cp

    cp = cv - T*PT**2/(Pv*W)
  end subroutine prEOSCp

  pure subroutine prEOSGamma(cp, cv, gamma)
    real(dp), intent(in) :: cp, cv
    real(dp), intent(out) :: gamma

    gamma = cp/cv
  end subroutine prEOSGamma

  ! kappaT 1/Pa, alphaV 1/K; Pkappa is the conditioning of the density.
  pure subroutine prEOSCompressibility(P, v, Pv, PT, kappaT, alphaV, Pkappa)
    real(dp), intent(in) :: P, v, Pv, PT
    real(dp), intent(out) :: kappaT, alphaV, Pkappa

    kappaT = -1.0_dp/(v*Pv)
    alphaV = -PT/(v*Pv)
    Pkappa = P*kappaT
  end subroutine prEOSCompressibility

  pure subroutine prEOSCalcRhoPRhoT(Pv, PT, v, W, rhop, rhoT)
    real(dp), intent(in) :: Pv, PT, v, W
    real(dp), intent(out) :: rhop, rhoT

    rhop = -(W/v**2)/Pv
    rhoT = (W/v**2)*PT/Pv
  end subroutine prEOSCalcRhoPRhoT

  pure subroutine prEOSCalcHpHT(Pv, PT, v, T, cp, W, hp, hT)
    real(dp), intent(in) :: Pv, PT, v, T, cp, W
    real(dp), intent(out) :: hp, hT

    hp = (v + T*PT/Pv)/W
    hT = cp
  end subroutine prEOSCalcHpHT

  pure subroutine prEOSCalcSoundSpeed(rho, rhop, rhoT, hp, hT, c, status)
    real(dp), intent(in) :: rho, rhop, rhoT, hp, hT
    real(dp), intent(out) :: c
    integer, intent(inout) :: status
    real(dp) :: cSquared

    cSquared = rho*hT/(rho*rhop*hT + rhoT*(1.0_dp - rho*hp))
    if (cSquared <= 0.0_dp) then
      status = ior(status, statusUnstable)
      c = quietNaN()
    else
      c = sqrt(cSquared)
    end if
  end subroutine prEOSCalcSoundSpeed

  pure subroutine prEOSTotalEnthalpy(h, rho, velocity, hTotal, rhoh0)
    real(dp), intent(in) :: h, rho, velocity(3)
    real(dp), intent(out) :: hTotal, rhoh0

    hTotal = h + 0.5_dp*(velocity(1)**2 + velocity(2)**2 + velocity(3)**2)
    rhoh0 = rho*hTotal
  end subroutine prEOSTotalEnthalpy

  pure subroutine prEOSPreconditionedRhoP(rho, rhoT, hp, hT, c, velocity, Vref, rp)
    real(dp), intent(in) :: rho, rhoT, hp, hT, c, velocity(3), Vref
    real(dp), intent(out) :: rp
    real(dp) :: speed, Vp

    speed = sqrt(velocity(1)**2 + velocity(2)**2 + velocity(3)**2)
    Vp = min(c, max(speed, Vref))
    rp = 1.0_dp/Vp**2 - rhoT*(1.0_dp - rho*hp)/(rho*hT)
  end subroutine prEOSPreconditionedRhoP

  ! Pseudo-critical constants, SI: Pcm of Prausnitz and Gunn, PcKay for the Takahashi factor.
  pure subroutine prEOSCriticalState(X, T, P, Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr)
    real(dp), intent(in) :: X(ns), T, P
    real(dp), intent(out) :: Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr
    integer :: i

    Tcm = 0.0_dp
    PcKay = 0.0_dp
    Vcm = 0.0_dp
    Zcm = 0.0_dp
    omegam = 0.0_dp
    do i = 1, ns
      Tcm = Tcm + X(i)*Tci(i)
      PcKay = PcKay + X(i)*Pci(i)
      Vcm = Vcm + X(i)*Vci(i)
      Zcm = Zcm + X(i)*Pci(i)*Vci(i)/(Rgas*Tci(i))
      omegam = omegam + X(i)*omegai(i)
    end do
    Pcm = Rgas*Zcm*Tcm/Vcm
    Tr = T/Tcm
    Pr = P/PcKay
  end subroutine prEOSCriticalState

end module preosDerivedModule
