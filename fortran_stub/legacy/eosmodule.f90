! The names the flow solver knows; each goes to the equation of state of the run.
! Peng-Robinson is the only one so far.
module eosModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use preosModule
  use preosDensityModule, only: prEOSThermalFromRhoE
  use preosSpeciesModule, only: prEOSReduceLastSpecies
  use preosDerivedModule, only: prEOSTotalEnthalpy, prEOSPreconditionedRhoP
  implicit none
  private
  public :: eosThermalProperties, eosRhohFromTPprop, eosCalcRhoh0FromTP
  public :: eosGammaJacobianProperties, eosThermalAndViscousProperties, eosThermalFromRhoE

contains

  pure subroutine eosThermalProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, &
                                       rhop, rhoT, hp, hT, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT
    integer, intent(out) :: status

    call prEOSThermalProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT, &
                                status)
  end subroutine eosThermalProperties

  pure subroutine eosRhohFromTPprop(T, P, Y, rho, h, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: rho, h
    integer, intent(out) :: status

    call prEOSRhohFromTPprop(T, P, Y, rho, h, status)
  end subroutine eosRhohFromTPprop

  pure subroutine eosCalcRhoh0FromTP(T, P, Y, velocity, rho, h, hTotal, rhoh0, status)
    real(dp), intent(in) :: T, P, Y(ns), velocity(3)
    real(dp), intent(out) :: rho, h, hTotal, rhoh0
    integer, intent(out) :: status

    call eosRhohFromTPprop(T, P, Y, rho, h, status)
    call prEOSTotalEnthalpy(h, rho, velocity, hTotal, rhoh0)
  end subroutine eosCalcRhoh0FromTP

  ! Ingredients of the preconditioned Jacobian, species derivatives reduced by the last species.
  pure subroutine eosGammaJacobianProperties(T, P, Y, velocity, Vref, rho, W, Z, h, cp, cv, &
                                             gamma, c, rhop, rhoT, hp, hT, rhoYi, hYi, &
                                             rhoYiReduced, hYiReduced, hTotal, rhoh0, rp, status)
    real(dp), intent(in) :: T, P, Y(ns), velocity(3), Vref
    real(dp), intent(out) :: rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT
    real(dp), intent(out) :: rhoYi(ns), hYi(ns), rhoYiReduced(ns - 1), hYiReduced(ns - 1)
    real(dp), intent(out) :: hTotal, rhoh0, rp
    integer, intent(out) :: status

    call prEOSGammaJacobianProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, &
                                      rhop, rhoT, hp, hT, rhoYi, hYi, status)
    call prEOSReduceLastSpecies(rhoYi, hYi, rhoYiReduced, hYiReduced)
    call prEOSTotalEnthalpy(h, rho, velocity, hTotal, rhoh0)
    call prEOSPreconditionedRhoP(rho, rhoT, hp, hT, c, velocity, Vref, rp)
  end subroutine eosGammaJacobianProperties

  pure subroutine eosThermalAndViscousProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, &
                                                 rhop, rhoT, hp, hT, eta, lambda, Dim, hYi, &
                                                 Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr, &
                                                 status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT
    real(dp), intent(out) :: eta, lambda, Dim(ns), hYi(ns)
    real(dp), intent(out) :: Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr
    integer, intent(out) :: status

    call prEOSThermalAndViscousProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, &
                                          rhop, rhoT, hp, hT, eta, lambda, Dim, hYi, &
                                          Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr, status)
  end subroutine eosThermalAndViscousProperties

  ! The state of a conservative flow solver: rho kg/m3, e J/kg with the heats of formation.
  pure subroutine eosThermalFromRhoE(rho, e, Y, T0, T, P, h, cp, cv, c, pRhoe, pRhoi, &
                                     iterations, status)
    real(dp), intent(in) :: rho, e, Y(ns), T0
    real(dp), intent(out) :: T, P, h, cp, cv, c, pRhoe, pRhoi(ns)
    integer, intent(out) :: iterations, status

    call prEOSThermalFromRhoE(rho, e, Y, T0, T, P, h, cp, cv, c, pRhoe, pRhoi, iterations, status)
  end subroutine eosThermalFromRhoE

end module eosModule
