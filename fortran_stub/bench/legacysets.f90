! The two sets of properties that benchmarks time, from the legacy building blocks at one grid
! point: what the composites of preosModule run, without the outputs that no set asks for.
module pointSetsModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use statusModule
  use preosModule, only: mixtureState, prEOSMixtureState
  use preosKernelModule, only: prEOSMixD2aDT2
  use preosDerivedModule
  use chungTransModule, only: chungCalcTransProp
  implicit none
  private
  public :: prepareSets, thermalSet, fullSet, nThermal

  integer, parameter :: nThermal = 9   ! rho, h, cp, cv, rho_p, rho_T, h_p, h_T, c

contains

  ! Nothing to prepare: the tables of speciesModule are all that the legacy physics reads.
  subroutine prepareSets
  end subroutine prepareSets

  pure subroutine thermalSet(T, P, Y, thermal, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: thermal(nThermal)
    integer, intent(out) :: status
    type(mixtureState) :: m
    real(dp) :: X(ns), h0i(ns), ui(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns)

    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    thermal = quietNaN()
    if (.not. isFatal(status)) call derive(T, P, m, X, uiT, uiTT, Gi, GiT, thermal, status)
  end subroutine thermalSet

  pure subroutine fullSet(T, P, Y, thermal, eta, lambda, Dim, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: thermal(nThermal), eta, lambda, Dim(ns)
    integer, intent(out) :: status
    type(mixtureState) :: m
    real(dp) :: X(ns), h0i(ns), ui(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns)
    real(dp) :: Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr

    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    if (isFatal(status)) then
      thermal = quietNaN()
      eta = quietNaN()
      lambda = eta
      Dim = eta
      return
    end if
    call derive(T, P, m, X, uiT, uiTT, Gi, GiT, thermal, status)
    call prEOSCriticalState(X, T, P, Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr)
    call chungCalcTransProp(T, P, X, m%W, m%v, m%cv0, Tr, Pr, eta, lambda, Dim, status)
  end subroutine fullSet

  pure subroutine derive(T, P, m, X, uiT, uiTT, Gi, GiT, thermal, status)
    real(dp), intent(in) :: T, P, X(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns)
    type(mixtureState), intent(in) :: m
    real(dp), intent(out) :: thermal(nThermal)
    integer, intent(inout) :: status
    real(dp) :: aTT, h, cp, cv, rhop, rhoT, hp, hT, c

    call prEOSMixD2aDT2(X, uiT, uiTT, Gi, GiT, aTT)
    call prEOSEnthalpy(m%h0, P, m%v, T, m%a, m%aT, m%Kvol, m%W, h)
    call prEOSCv(m%cv0, T, aTT, m%Kvol, m%W, cv, status)
    call prEOSCp(cv, T, m%Pv, m%PT, m%W, cp)
    call prEOSCalcRhoPRhoT(m%Pv, m%PT, m%v, m%W, rhop, rhoT)
    call prEOSCalcHpHT(m%Pv, m%PT, m%v, T, cp, m%W, hp, hT)
    call prEOSCalcSoundSpeed(m%rho, rhop, rhoT, hp, hT, c, status)
    thermal = [m%rho, h, cp, cv, rhop, rhoT, hp, hT, c]
  end subroutine derive

end module pointSetsModule
