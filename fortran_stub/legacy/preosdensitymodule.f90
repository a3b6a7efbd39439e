! Peng-Robinson states by other quantities than T and P, at one grid point (docs/physics.md,
! sections 8 and 9): by a density, as a conservative flow solver has it, and by an entropy. Where
! the density is known the volume is known too, so no cubic is solved.
! A point whose input is fatal returns quiet NaNs.
module preosDensityModule
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  use useGENKindDefs, only: dp
  use speciesModule, only: ns, Wi, bi, Rgas
  use statusModule
  use idealGasModule
  use preosKernelModule
  use preosSpeciesModule, only: prEOSSpeciesASums, prEOSPressureSpeciesDerivatives
  use preosDerivedModule, only: prEOSEnthalpy, prEOSEntropy, prEOSCv, prEOSCp
  use preosModule, only: mixtureState, prEOSMixtureState, collapsedBracket, leverDensity, &
                         TloH, ThiH, maxIterations
  implicit none
  private
  public :: prEOSThermalFromRhoE, prEOSCalcTFromRhoP, prEOSCalcTFromSP
  public :: prEOSCalcPRhoE, prEOSCalcPRhoI

  ! A mixture at a volume: what does not depend on T, then what the last T gave.
  type volumeState
    real(dp) :: W = 0.0_dp, b = 0.0_dp, v = 0.0_dp, Dvol = 0.0_dp, Kvol = 0.0_dp
    real(dp) :: a = 0.0_dp, aT = 0.0_dp, aTT = 0.0_dp, h0 = 0.0_dp, cv0 = 0.0_dp, P = 0.0_dp
    integer :: status = 0
  end type volumeState

contains

  ! Temperature and pressure of rho (kg/m3), e (J/kg, heats of formation included) and Y, from the
  ! guess T0; pRhoe = dP/d(rho e), pRhoi = dP/d(rho_i) at constant rho e.
  pure subroutine prEOSThermalFromRhoE(rho, e, Y, T0, T, P, h, cp, cv, c, pRhoe, pRhoi, &
                                       iterations, status)
    real(dp), intent(in) :: rho, e, Y(ns), T0
    real(dp), intent(out) :: T, P, h, cp, cv, c, pRhoe, pRhoi(ns)
    integer, intent(out) :: iterations, status
    type(volumeState) :: m
    real(dp), dimension(ns) :: X, h0i, ui, uiT, uiTT, Gi, GiT, Si, SiT, Pi
    real(dp) :: lo, hi, step, stepOld, residual, slope, cSquared, Pv, PT, doubt
    integer :: searchStatus

    call checkDensity(rho, Y, X, m)
    if (.not. ieee_is_finite(e)) m%status = ior(m%status, statusBadT)
    iterations = 0
    T = quietNaN(); P = T; h = T; cp = T; cv = T; c = T; pRhoe = T; pRhoi = T
    status = iand(m%status, statusFatal)
    if (status /= 0) return

    searchStatus = statusNoConv
    lo = TloH
    hi = ThiH
    step = hi - lo
    stepOld = step
    T = 300.0_dp
    if (ieee_is_finite(T0)) T = min(max(T0, lo), hi)
    do while (iterations < maxIterations)
      call atTemperature(T, X, m, h0i, ui, uiT, uiTT, Gi, GiT)
      iterations = iterations + 1
      residual = m%h0 - Rgas*T + m%Kvol*(T*m%aT - m%a) - e*m%W
      slope = m%cv0 + T*m%aTT*m%Kvol
      if (abs(residual) <= 1.0e-11_dp*slope*T) then
        T = T - residual/slope     ! it doubles the digits that are right
        searchStatus = statusOK
        exit
      end if
      if (residual > 0.0_dp) then
        hi = T
      else
        lo = T
      end if
      if (hi - lo <= 1.0e-12_dp*T) then
        call collapsedBracket(lo, hi, T, searchStatus)
        exit
      end if
      call nextTemperature(residual, slope, lo, hi, step, stepOld, T)
    end do

    call atTemperature(T, X, m, h0i, ui, uiT, uiTT, Gi, GiT)
    P = m%P
    status = ior(m%status, searchStatus)
    call prEOSIdealDoubt(T, Y, doubt)
    if (doubt > mostDoubt) status = ior(status, statusTExtrap)
    call prEOSPressureDerivatives(T, P, m%v, m%a, m%aT, m%b, m%Dvol, Pv, PT, status)
    if (Pv >= 0.0_dp .or. P <= 0.0_dp) status = ior(status, statusUnstable)
    call prEOSEnthalpy(m%h0, P, m%v, T, m%a, m%aT, m%Kvol, m%W, h)
    call prEOSCv(m%cv0, T, m%aTT, m%Kvol, m%W, cv, status)
    call prEOSCp(cv, T, Pv, PT, m%W, cp)

    ! Finite where Pv passes through zero.
    cSquared = m%v**2*(T*PT**2/(cv*m%W) - Pv)/m%W
    if (cSquared > 0.0_dp) then
      c = sqrt(cSquared)
    else
      status = ior(status, statusUnstable)
    end if
    call prEOSCalcPRhoE(PT, rho, cv, pRhoe)
    call prEOSSpeciesASums(ui, uiT, Gi, GiT, Si, SiT)
    call prEOSPressureSpeciesDerivatives(T, m%v, m%a, m%b, m%Dvol, Si, Pi)
    call prEOSCalcPRhoI(T, m%v, Pi, h0i, Si, SiT, m%a, m%aT, m%b, m%Dvol, m%Kvol, pRhoe, pRhoi)
  end subroutine prEOSThermalFromRhoE

  ! Temperature of rho (kg/m3), P and Y: P is a quadratic in sqrt(T).
  pure subroutine prEOSCalcTFromRhoP(rho, P, Y, T, h, status)
    real(dp), intent(in) :: rho, P, Y(ns)
    real(dp), intent(out) :: T, h
    integer, intent(out) :: status
    type(volumeState) :: m
    real(dp), dimension(ns) :: X, h0i, ui, uiT, uiTT, Gi, GiT
    real(dp) :: Scc, Scd, Sdd, square, linear, constant, inside, root, Pv, PT, doubt

    call checkDensity(rho, Y, X, m)
    if (.not. (P >= leastP .and. P <= mostP)) m%status = ior(m%status, statusBadP)
    T = quietNaN(); h = T
    status = iand(m%status, statusFatal)
    if (status /= 0) return
    status = m%status

    ! a = Scc - 2 Scd sqrt(T) + Sdd T: by its value and two derivatives at one kelvin.
    call atTemperature(1.0_dp, X, m, h0i, ui, uiT, uiTT, Gi, GiT)
    Scd = 2.0_dp*m%aTT
    Sdd = m%aT + Scd
    Scc = m%a + 2.0_dp*Scd - Sdd
    square = Rgas/(m%v - m%b) - Sdd/m%Dvol
    linear = Scd/m%Dvol
    constant = P + Scc/m%Dvol
    inside = linear**2 + square*constant
    T = ThiH
    if (inside < 0.0_dp .or. .not. linear + sqrt(max(inside, 0.0_dp)) > 0.0_dp) then
      status = ior(status, statusHAbove)    ! P has its largest value below the target
    else
      root = max(constant/(linear + sqrt(inside)), 0.0_dp)
      T = min(max(root**2, TloH), ThiH)
      if (root**2 < TloH) status = ior(status, statusHBelow)
      if (root**2 > ThiH) status = ior(status, statusHAbove)
    end if

    call atTemperature(T, X, m, h0i, ui, uiT, uiTT, Gi, GiT)
    call prEOSIdealDoubt(T, Y, doubt)
    if (doubt > mostDoubt) status = ior(status, statusTExtrap)
    call prEOSPressureDerivatives(T, P, m%v, m%a, m%aT, m%b, m%Dvol, Pv, PT, status)
    if (Pv >= 0.0_dp) status = ior(status, statusUnstable)
    call prEOSEnthalpy(m%h0, P, m%v, T, m%a, m%aT, m%Kvol, m%W, h)
  end subroutine prEOSCalcTFromRhoP

  ! Temperature of the entropy sTarget, J/(kg K), at constant P and Y, from the guess T0.
  pure subroutine prEOSCalcTFromSP(sTarget, P, Y, T0, T, rho, h, iterations, status)
    real(dp), intent(in) :: sTarget, P, Y(ns), T0
    real(dp), intent(out) :: T, rho, h
    integer, intent(out) :: iterations, status
    real(dp) :: lo, hi, step, stepOld, s, cp, residual
    real(dp) :: residualLo, residualHi, rhoLo, rhoHi, hLo, hHi
    integer :: searchStatus

    searchStatus = statusNoConv
    iterations = 0
    lo = TloH
    hi = ThiH
    step = hi - lo
    stepOld = step
    residualLo = 0.0_dp; rhoLo = 0.0_dp; hLo = 0.0_dp
    residualHi = 0.0_dp; rhoHi = 0.0_dp; hHi = 0.0_dp
    T = 300.0_dp
    if (ieee_is_finite(T0)) T = min(max(T0, lo), hi)
    if (.not. ieee_is_finite(sTarget)) T = quietNaN()

    do while (iterations < maxIterations)
      call entropyState(T, P, Y, s, cp, rho, h, status)
      if (isFatal(status)) then
        iterations = 0
        T = quietNaN()
        return
      end if
      iterations = iterations + 1
      residual = T*(s - sTarget)     ! as heat, whose slope is cp
      if (abs(residual) <= 1.0e-11_dp*cp*T) then
        searchStatus = statusOK
        exit
      end if
      if (residual > 0.0_dp) then
        hi = T
        residualHi = residual; rhoHi = rho; hHi = h
      else
        lo = T
        residualLo = residual; rhoLo = rho; hLo = h
      end if
      if (hi - lo <= 1.0e-12_dp*T) then
        call collapsedBracket(lo, hi, T, searchStatus)
        exit
      end if
      call nextTemperature(residual, cp, lo, hi, step, stepOld, T)
    end do

    call entropyState(T, P, Y, s, cp, rho, h, status)
    if (searchStatus == statusHGap) then
      rho = leverDensity(residualLo, residualHi, rhoLo, rhoHi)
      ! at constant Gibbs energy from the nearer end, dh = T ds
      if (residualLo/(residualLo - residualHi) < 0.5_dp) then
        h = hLo - residualLo
      else
        h = hHi - residualHi
      end if
    end if
    status = ior(status, searchStatus)
  end subroutine prEOSCalcTFromSP

  ! Entropy and what its search and its caller need, per kilogram.
  pure subroutine entropyState(T, P, Y, s, cp, rho, h, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: s, cp, rho, h
    integer, intent(out) :: status
    type(mixtureState) :: m
    real(dp), dimension(ns) :: X, h0i, s0i, ui, uiT, uiTT, Gi, GiT
    real(dp) :: s0, aTT, cv

    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    s = quietNaN(); cp = s; rho = s; h = s
    if (isFatal(status)) return
    rho = m%rho
    call prEOSIdealSpeciesEntropy(T, s0i)
    call prEOSIdealMixtureEntropy(X, P, s0i, s0)
    call prEOSEntropy(s0, m%Z, m%Bred, m%aT, m%Kvol, m%W, s)
    call prEOSMixD2aDT2(X, uiT, uiTT, Gi, GiT, aTT)
    call prEOSCv(m%cv0, T, aTT, m%Kvol, m%W, cv, status)
    call prEOSCp(cv, T, m%Pv, m%PT, m%W, cp)
    call prEOSEnthalpy(m%h0, P, m%v, T, m%a, m%aT, m%Kvol, m%W, h)
  end subroutine entropyState

  pure subroutine prEOSCalcPRhoE(PT, rho, cv, pRhoe)
    real(dp), intent(in) :: PT, rho, cv
    real(dp), intent(out) :: pRhoe

    pRhoe = PT/(rho*cv)
  end subroutine prEOSCalcPRhoE

  pure subroutine prEOSCalcPRhoI(T, v, Pi, h0i, Si, SiT, amix, aT, bmix, Dvol, Kvol, pRhoe, pRhoi)
    real(dp), intent(in) :: T, v, Pi(ns), h0i(ns), Si(ns), SiT(ns)
    real(dp), intent(in) :: amix, aT, bmix, Dvol, Kvol, pRhoe
    real(dp), intent(out) :: pRhoi(ns)       ! Pa m3/kg
    real(dp) :: ubar                         ! J/mol, energy of the volume by a mole of species i
    integer :: i

    do i = 1, ns
      ubar = h0i(i) - Rgas*T + 2.0_dp*Kvol*(T*SiT(i) - Si(i)) &
             + (bi(i)/bmix)*(T*aT - amix)*(v/Dvol - Kvol)
      pRhoi(i) = (v*Pi(i) - pRhoe*ubar)/Wi(i)
    end do
  end subroutine prEOSCalcPRhoI

  ! Bits of the input, mole fractions, and what follows from them and the density alone.
  pure subroutine checkDensity(rho, Y, X, m)
    real(dp), intent(in) :: rho, Y(ns)
    real(dp), intent(out) :: X(ns)
    type(volumeState), intent(out) :: m
    real(dp) :: Yc(ns)

    X = quietNaN()
    call prEOSCheckMassFractions(Y, m%status)
    if (.not. (ieee_is_finite(rho) .and. rho >= leastRho)) m%status = ior(m%status, statusBadRho)
    if (isFatal(m%status)) return
    call prEOSCleanMassFractions(Y, Yc, m%status)
    call prEOSMoleFractions(Yc, X, m%W)
    call prEOSMixB(X, m%b)
    m%v = m%W/rho
    if (.not. m%v > m%b) m%status = ior(m%status, statusBadRho)
    call prEOSLogTerm(m%v, m%b, m%Dvol, m%Kvol)
  end subroutine checkDensity

  ! The mixture of m at a temperature.
  pure subroutine atTemperature(T, X, m, h0i, ui, uiT, uiTT, Gi, GiT)
    real(dp), intent(in) :: T, X(ns)
    type(volumeState), intent(inout) :: m
    real(dp), intent(out), dimension(ns) :: h0i, ui, uiT, uiTT, Gi, GiT
    real(dp) :: cp0i(ns), cp0

    call prEOSIdealSpeciesCp(T, cp0i)
    call prEOSIdealSpeciesEnthalpy(T, h0i)
    call prEOSIdealMixture(X, cp0i, h0i, cp0, m%cv0, m%h0)
    call prEOSAlphaFunction(T, ui, uiT, uiTT)
    call prEOSCrossSums(X, ui, uiT, Gi, GiT)
    call prEOSMixA(X, ui, Gi, m%a)
    call prEOSMixDaDT(X, uiT, Gi, m%aT)
    call prEOSMixD2aDT2(X, uiT, uiTT, Gi, GiT, m%aTT)
    m%P = Rgas*T/(m%v - m%b) - m%a/m%Dvol
  end subroutine atTemperature

  ! Newton's step; half of the bracket where it leaves the bracket or does not get smaller.
  pure subroutine nextTemperature(residual, slope, lo, hi, step, stepOld, T)
    real(dp), intent(in) :: residual, slope, lo, hi
    real(dp), intent(inout) :: step, stepOld, T
    real(dp) :: Tnew
    logical :: newton

    newton = slope > 0.0_dp
    Tnew = T
    if (newton) then
      Tnew = T - residual/slope
      newton = Tnew > lo .and. Tnew < hi .and. abs(2.0_dp*residual) <= abs(stepOld)*slope
    end if
    stepOld = step
    if (newton) then
      step = residual/slope
      T = Tnew
    else
      step = 0.5_dp*(hi - lo)
      T = lo + step
    end if
  end subroutine nextTemperature

end module preosDensityModule
