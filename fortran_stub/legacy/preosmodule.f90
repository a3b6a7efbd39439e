! Peng-Robinson composites: what the flow solver calls, at one grid point
! (docs/physics.md, sections 9 and 14). A point whose input is fatal returns quiet NaNs.
module preosModule
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use statusModule
  use idealGasModule
  use preosKernelModule
  use preosSpeciesModule
  use preosDerivedModule
  use chungTransModule, only: chungCalcTransProp
  implicit none
  private
  public :: mixtureState, prEOSMixtureState
  public :: prEOSThermalProperties, prEOSRhohFromTPprop, prEOSGammaJacobianProperties
  public :: prEOSViscousFluxProperties, prEOSThermalAndViscousProperties, prEOSCalcTFromHP
  public :: collapsedBracket, leverDensity

  ! Of the searches for a temperature, K and evaluations.
  real(dp), parameter, public :: TloH = 20.0_dp, ThiH = 6000.0_dp
  integer, parameter, public :: maxIterations = 80

  ! What every composite computes first: the mixture at (T, P, Y) up to the chosen root.
  type mixtureState
    real(dp) :: W = 0.0_dp, h0 = 0.0_dp, cp0 = 0.0_dp, cv0 = 0.0_dp
    real(dp) :: a = 0.0_dp, aT = 0.0_dp, b = 0.0_dp, Ared = 0.0_dp, Bred = 0.0_dp
    real(dp) :: Zmax = 0.0_dp, Zmin = 0.0_dp, Z = 0.0_dp, v = 0.0_dp, rho = 0.0_dp
    real(dp) :: Dvol = 0.0_dp, Kvol = 0.0_dp, Pv = 0.0_dp, PT = 0.0_dp
    integer :: nRoots = 0, status = 0
  end type mixtureState

contains

  ! The arrays are those later steps need; with fatal input only m%status is defined.
  pure subroutine prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    real(dp), intent(in) :: T, P, Y(ns)
    type(mixtureState), intent(out) :: m
    real(dp), intent(out) :: X(ns), h0i(ns), ui(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns)
    real(dp) :: Yc(ns), cp0i(ns)

    call prEOSCheckInput(T, P, Y, m%status)
    if (isFatal(m%status)) return
    call prEOSCleanMassFractions(Y, Yc, m%status)
    call prEOSMoleFractions(Yc, X, m%W)
    call prEOSIdealSpeciesCp(T, cp0i)
    call prEOSIdealSpeciesEnthalpy(T, h0i)
    call prEOSIdealMixture(X, cp0i, h0i, m%cp0, m%cv0, m%h0)
    call prEOSAlphaFunction(T, ui, uiT, uiTT)
    call prEOSCrossSums(X, ui, uiT, Gi, GiT)
    call prEOSMixA(X, ui, Gi, m%a)
    call prEOSMixDaDT(X, uiT, Gi, m%aT)
    call prEOSMixB(X, m%b)
    call prEOSReducedAB(m%a, m%b, T, P, m%Ared, m%Bred)
    call prEOSSolveCubic(m%Ared, m%Bred, m%Zmax, m%Zmin, m%nRoots)
    call prEOSSelectRoot(m%Zmax, m%Zmin, m%nRoots, m%Ared, m%Bred, m%Z, m%status)
    call prEOSDensity(m%Z, T, P, m%W, m%v, m%rho)
    call prEOSLogTerm(m%v, m%b, m%Dvol, m%Kvol)
    call prEOSPressureDerivatives(T, P, m%v, m%a, m%aT, m%b, m%Dvol, m%Pv, m%PT, m%status)
  end subroutine prEOSMixtureState

  ! Caloric properties and derivatives from a mixture state.
  pure subroutine thermalFromState(T, P, m, X, uiT, uiTT, Gi, GiT, h, cp, cv, gamma, c, &
                                   rhop, rhoT, hp, hT, status)
    real(dp), intent(in) :: T, P, X(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns)
    type(mixtureState), intent(in) :: m
    real(dp), intent(out) :: h, cp, cv, gamma, c, rhop, rhoT, hp, hT
    integer, intent(inout) :: status
    real(dp) :: aTT

    call prEOSMixD2aDT2(X, uiT, uiTT, Gi, GiT, aTT)
    call prEOSEnthalpy(m%h0, P, m%v, T, m%a, m%aT, m%Kvol, m%W, h)
    call prEOSCv(m%cv0, T, aTT, m%Kvol, m%W, cv, status)
    call prEOSCp(cv, T, m%Pv, m%PT, m%W, cp)
    call prEOSGamma(cp, cv, gamma)
    call prEOSCalcRhoPRhoT(m%Pv, m%PT, m%v, m%W, rhop, rhoT)
    call prEOSCalcHpHT(m%Pv, m%PT, m%v, T, cp, m%W, hp, hT)
    call prEOSCalcSoundSpeed(m%rho, rhop, rhoT, hp, hT, c, status)
  end subroutine thermalFromState

  ! Species derivatives of density and enthalpy from a mixture state.
  pure subroutine speciesFromState(T, m, h0i, ui, uiT, Gi, GiT, rhoYi, hYi)
    real(dp), intent(in) :: T, h0i(ns), ui(ns), uiT(ns), Gi(ns), GiT(ns)
    type(mixtureState), intent(in) :: m
    real(dp), intent(out) :: rhoYi(ns), hYi(ns)
    real(dp) :: Si(ns), SiT(ns), Pi(ns), vbari(ns), hbari(ns)

    call prEOSSpeciesASums(ui, uiT, Gi, GiT, Si, SiT)
    call prEOSPressureSpeciesDerivatives(T, m%v, m%a, m%b, m%Dvol, Si, Pi)
    call prEOSPartialMolarVolume(Pi, m%Pv, vbari)
    call prEOSPartialMolarEnthalpy(T, h0i, m%PT, vbari, Si, SiT, m%a, m%aT, m%b, m%v, &
                                   m%Dvol, m%Kvol, hbari)
    call prEOSCalcRhoYHY(m%rho, vbari, hbari, rhoYi, hYi)
  end subroutine speciesFromState

  pure subroutine prEOSThermalProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, &
                                         rhop, rhoT, hp, hT, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT
    integer, intent(out) :: status
    type(mixtureState) :: m
    real(dp) :: X(ns), h0i(ns), ui(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns), nan

    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    if (isFatal(status)) then
      nan = quietNaN()
      rho = nan; W = nan; Z = nan; h = nan; cp = nan; cv = nan; gamma = nan; c = nan
      rhop = nan; rhoT = nan; hp = nan; hT = nan
      return
    end if
    rho = m%rho
    W = m%W
    Z = m%Z
    call thermalFromState(T, P, m, X, uiT, uiTT, Gi, GiT, h, cp, cv, gamma, c, &
                          rhop, rhoT, hp, hT, status)
  end subroutine prEOSThermalProperties

  pure subroutine prEOSRhohFromTPprop(T, P, Y, rho, h, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: rho, h
    integer, intent(out) :: status
    type(mixtureState) :: m
    real(dp) :: X(ns), h0i(ns), ui(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns)

    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    rho = quietNaN()
    h = rho
    if (isFatal(status)) return
    rho = m%rho
    call prEOSEnthalpy(m%h0, P, m%v, T, m%a, m%aT, m%Kvol, m%W, h)
  end subroutine prEOSRhohFromTPprop

  pure subroutine prEOSGammaJacobianProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, &
                                               rhop, rhoT, hp, hT, rhoYi, hYi, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT
    real(dp), intent(out) :: rhoYi(ns), hYi(ns)
    integer, intent(out) :: status
    type(mixtureState) :: m
    real(dp) :: X(ns), h0i(ns), ui(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns), nan

    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    if (isFatal(status)) then
      nan = quietNaN()
      rho = nan; W = nan; Z = nan; h = nan; cp = nan; cv = nan; gamma = nan; c = nan
      rhop = nan; rhoT = nan; hp = nan; hT = nan; rhoYi = nan; hYi = nan
      return
    end if
    rho = m%rho
    W = m%W
    Z = m%Z
    call thermalFromState(T, P, m, X, uiT, uiTT, Gi, GiT, h, cp, cv, gamma, c, &
                          rhop, rhoT, hp, hT, status)
    call speciesFromState(T, m, h0i, ui, uiT, Gi, GiT, rhoYi, hYi)
  end subroutine prEOSGammaJacobianProperties

  ! Also called prEOSViscousProperties: what the viscous fluxes need.
  pure subroutine prEOSViscousFluxProperties(T, P, Y, rho, eta, lambda, Dim, hYi, &
                                             Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: rho, eta, lambda, Dim(ns), hYi(ns)
    real(dp), intent(out) :: Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr
    integer, intent(out) :: status
    type(mixtureState) :: m
    real(dp) :: X(ns), h0i(ns), ui(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns), rhoYi(ns), nan

    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    if (isFatal(status)) then
      nan = quietNaN()
      rho = nan; eta = nan; lambda = nan; Dim = nan; hYi = nan
      Tcm = nan; Pcm = nan; PcKay = nan; Vcm = nan; Zcm = nan; omegam = nan; Tr = nan; Pr = nan
      return
    end if
    rho = m%rho
    call speciesFromState(T, m, h0i, ui, uiT, Gi, GiT, rhoYi, hYi)
    call prEOSCriticalState(X, T, P, Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr)
    call chungCalcTransProp(T, P, X, m%W, m%v, m%cv0, Tr, Pr, eta, lambda, Dim, status)
  end subroutine prEOSViscousFluxProperties

  ! Thermal and viscous properties together, shared steps once.
  pure subroutine prEOSThermalAndViscousProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, &
                                                   rhop, rhoT, hp, hT, eta, lambda, Dim, hYi, &
                                                   Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr, &
                                                   status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT
    real(dp), intent(out) :: eta, lambda, Dim(ns), hYi(ns)
    real(dp), intent(out) :: Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr
    integer, intent(out) :: status
    type(mixtureState) :: m
    real(dp) :: X(ns), h0i(ns), ui(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns), rhoYi(ns), nan

    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    if (isFatal(status)) then
      nan = quietNaN()
      rho = nan; W = nan; Z = nan; h = nan; cp = nan; cv = nan; gamma = nan; c = nan
      rhop = nan; rhoT = nan; hp = nan; hT = nan; eta = nan; lambda = nan; Dim = nan; hYi = nan
      Tcm = nan; Pcm = nan; PcKay = nan; Vcm = nan; Zcm = nan; omegam = nan; Tr = nan; Pr = nan
      return
    end if
    rho = m%rho
    W = m%W
    Z = m%Z
    call thermalFromState(T, P, m, X, uiT, uiTT, Gi, GiT, h, cp, cv, gamma, c, &
                          rhop, rhoT, hp, hT, status)
    call speciesFromState(T, m, h0i, ui, uiT, Gi, GiT, rhoYi, hYi)
    call prEOSCriticalState(X, T, P, Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr)
    call chungCalcTransProp(T, P, X, m%W, m%v, m%cv0, Tr, Pr, eta, lambda, Dim, status)
  end subroutine prEOSThermalAndViscousProperties

  ! Section 9: safeguarded Newton on h(T) = hTarget at constant P and Y.
  pure subroutine prEOSCalcTFromHP(hTarget, P, Y, T0, T, rho, iterations, status)
    real(dp), intent(in) :: hTarget, P, Y(ns), T0
    real(dp), intent(out) :: T, rho
    integer, intent(out) :: iterations, status
    real(dp) :: lo, hi, step, stepOld, Tnew, residual
    real(dp) :: residualLo, residualHi, rhoLo, rhoHi
    real(dp) :: W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT
    integer :: newtonStatus

    newtonStatus = statusNoConv
    iterations = 0
    lo = TloH
    hi = ThiH
    step = hi - lo
    stepOld = step
    residualLo = 0.0_dp
    residualHi = 0.0_dp
    rhoLo = 0.0_dp
    rhoHi = 0.0_dp
    T = 300.0_dp
    if (ieee_is_finite(T0)) T = min(max(T0, lo), hi)
    if (.not. ieee_is_finite(hTarget)) T = quietNaN()

    do while (iterations < maxIterations)
      call prEOSThermalProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, &
                                  hp, hT, status)
      if (isFatal(status)) then
        iterations = 0
        T = quietNaN()
        return
      end if
      iterations = iterations + 1
      residual = h - hTarget
      if (abs(residual) <= 1.0e-11_dp*cp*T) then
        newtonStatus = statusOK
        exit
      end if
      if (residual > 0.0_dp) then
        hi = T
        residualHi = residual
        rhoHi = rho
      else
        lo = T
        residualLo = residual
        rhoLo = rho
      end if
      if (hi - lo <= 1.0e-12_dp*T) then
        call collapsedBracket(lo, hi, T, newtonStatus)
        exit
      end if
      Tnew = T - residual/cp
      if (.not. (Tnew > lo .and. Tnew < hi) .or. abs(2.0_dp*residual) > abs(stepOld)*cp) then
        stepOld = step
        step = 0.5_dp*(hi - lo)
        T = lo + step
      else
        stepOld = step
        step = residual/cp
        T = Tnew
      end if
    end do

    ! Density and bits belong to the temperature that is returned.
    call prEOSThermalProperties(T, P, Y, rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT, &
                                status)
    if (newtonStatus == statusHGap) rho = leverDensity(residualLo, residualHi, rhoLo, rhoHi)
    status = ior(status, newtonStatus)
  end subroutine prEOSCalcTFromHP

  ! Inside a jump: the specific volume by the lever rule between the two ends.
  pure real(dp) function leverDensity(residualLo, residualHi, rhoLo, rhoHi)
    real(dp), intent(in) :: residualLo, residualHi, rhoLo, rhoHi
    real(dp) :: upper

    upper = residualLo/(residualLo - residualHi)
    leverDensity = 1.0_dp/(1.0_dp/rhoLo + upper*(1.0_dp/rhoHi - 1.0_dp/rhoLo))
  end function leverDensity

  ! A bracket of width zero without a root: beyond an end, or inside a jump of h(T).
  pure subroutine collapsedBracket(lo, hi, T, status)
    real(dp), intent(in) :: lo, hi
    real(dp), intent(out) :: T
    integer, intent(out) :: status

    if (lo <= TloH*(1.0_dp + 1.0e-9_dp)) then
      T = TloH
      status = statusHBelow
    else if (hi >= ThiH*(1.0_dp - 1.0e-9_dp)) then
      T = ThiH
      status = statusHAbove
    else
      T = 0.5_dp*(lo + hi)
      status = statusHGap
    end if
  end subroutine collapsedBracket

end module preosModule
