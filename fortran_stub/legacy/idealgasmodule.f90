! Ideal-gas properties from NASA-7 polynomials, heat capacity held constant outside the range
! of the fit (docs/physics.md, section 4). Molar units.
module idealGasModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns, nasa7, Wi, Rgas, Pref
  implicit none
  private
  public :: prEOSIdealSpeciesCp, prEOSIdealSpeciesEnthalpy, prEOSIdealSpeciesEntropy
  public :: prEOSIdealMixture, prEOSIdealMixtureEntropy, prEOSIdealDoubt

contains

  ! Clamped temperature of species i and where its coefficients begin in nasa7.
  pure subroutine selectRange(i, T, tt, first)
    integer, intent(in) :: i
    real(dp), intent(in) :: T
    real(dp), intent(out) :: tt
    integer, intent(out) :: first

    tt = min(max(T, nasa7(1, i)), nasa7(3, i))
    first = 11
    if (tt <= nasa7(2, i)) first = 4
  end subroutine selectRange

  ! Section 3: what the slopes of the fits at their ends would add to the constant heat capacity of
  ! the mixture beyond them, over that heat capacity.
  pure subroutine prEOSIdealDoubt(T, Y, doubt)
    real(dp), intent(in) :: T, Y(ns)
    real(dp), intent(out) :: doubt
    real(dp) :: tt, cp, slope, cpMixture
    logical :: cold
    integer :: i, f

    doubt = 0.0_dp
    if (all(T >= nasa7(1, 1:ns) .and. T <= nasa7(3, 1:ns))) return
    cold = any(T < nasa7(1, 1:ns))
    cpMixture = 0.0_dp
    do i = 1, ns
      if (cold) then
        call selectRange(i, nasa7(1, i), tt, f)
      else
        call selectRange(i, nasa7(3, i), tt, f)
      end if
      cp = nasa7(f, i) + nasa7(f+1, i)*tt + nasa7(f+2, i)*tt**2 + nasa7(f+3, i)*tt**3 &
           + nasa7(f+4, i)*tt**4
      cpMixture = cpMixture + max(Y(i), 0.0_dp)*cp/Wi(i)
      if (T >= nasa7(1, i) .and. T <= nasa7(3, i)) cycle
      call selectRange(i, T, tt, f)
      slope = abs(nasa7(f+1, i) + 2.0_dp*nasa7(f+2, i)*tt + 3.0_dp*nasa7(f+3, i)*tt**2 &
                  + 4.0_dp*nasa7(f+4, i)*tt**3)
      if (T > tt) slope = max(slope, 0.03_dp*cp/tt)
      doubt = doubt + max(Y(i), 0.0_dp)*slope*abs(T - tt)/Wi(i)
    end do
    doubt = doubt/cpMixture
  end subroutine prEOSIdealDoubt

  pure subroutine prEOSIdealSpeciesCp(T, cp0i)
    real(dp), intent(in) :: T                ! K
    real(dp), intent(out) :: cp0i(ns)        ! J/(mol K)
    real(dp) :: tt
    integer :: i, f

    do i = 1, ns
      call selectRange(i, T, tt, f)
      cp0i(i) = Rgas*(nasa7(f, i) + nasa7(f+1, i)*tt + nasa7(f+2, i)*tt**2 &
                      + nasa7(f+3, i)*tt**3 + nasa7(f+4, i)*tt**4)
    end do
  end subroutine prEOSIdealSpeciesCp

  pure subroutine prEOSIdealSpeciesEnthalpy(T, h0i)
    real(dp), intent(in) :: T                ! K
    real(dp), intent(out) :: h0i(ns)         ! J/mol, heat of formation included
    real(dp) :: tt, cpR, hR
    integer :: i, f

    do i = 1, ns
      call selectRange(i, T, tt, f)
      cpR = nasa7(f, i) + nasa7(f+1, i)*tt + nasa7(f+2, i)*tt**2 &
            + nasa7(f+3, i)*tt**3 + nasa7(f+4, i)*tt**4
      hR = nasa7(f, i)*tt + nasa7(f+1, i)*tt**2/2.0_dp + nasa7(f+2, i)*tt**3/3.0_dp &
           + nasa7(f+3, i)*tt**4/4.0_dp + nasa7(f+4, i)*tt**5/5.0_dp + nasa7(f+5, i)
      h0i(i) = Rgas*(hR + cpR*(T - tt))
    end do
  end subroutine prEOSIdealSpeciesEnthalpy

  pure subroutine prEOSIdealSpeciesEntropy(T, s0i)
    real(dp), intent(in) :: T                ! K
    real(dp), intent(out) :: s0i(ns)         ! J/(mol K) at Pref
    real(dp) :: tt, cpR, sR
    integer :: i, f

    do i = 1, ns
      call selectRange(i, T, tt, f)
      cpR = nasa7(f, i) + nasa7(f+1, i)*tt + nasa7(f+2, i)*tt**2 &
            + nasa7(f+3, i)*tt**3 + nasa7(f+4, i)*tt**4
      sR = nasa7(f, i)*log(tt) + nasa7(f+1, i)*tt + nasa7(f+2, i)*tt**2/2.0_dp &
           + nasa7(f+3, i)*tt**3/3.0_dp + nasa7(f+4, i)*tt**4/4.0_dp + nasa7(f+6, i)
      s0i(i) = Rgas*(sR + cpR*log(T/tt))
    end do
  end subroutine prEOSIdealSpeciesEntropy

  pure subroutine prEOSIdealMixture(X, cp0i, h0i, cp0, cv0, h0)
    real(dp), intent(in) :: X(ns), cp0i(ns), h0i(ns)
    real(dp), intent(out) :: cp0, cv0, h0    ! J/(mol K), J/(mol K), J/mol
    integer :: i

    cp0 = 0.0_dp
    h0 = 0.0_dp
    do i = 1, ns
      cp0 = cp0 + X(i)*cp0i(i)
      h0 = h0 + X(i)*h0i(i)
    end do
    cv0 = cp0 - Rgas
  end subroutine prEOSIdealMixture

  pure subroutine prEOSIdealMixtureEntropy(X, P, s0i, s0)
    real(dp), intent(in) :: X(ns), P, s0i(ns)
    real(dp), intent(out) :: s0              ! J/(mol K) at P
    integer :: i

    s0 = -Rgas*log(P/Pref)
    do i = 1, ns
      s0 = s0 + X(i)*s0i(i)
      if (X(i) > 0.0_dp) s0 = s0 - Rgas*X(i)*log(X(i))
    end do
  end subroutine prEOSIdealMixtureEntropy

end module idealGasModule
