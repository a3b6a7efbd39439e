! Peng-Robinson building blocks per species: partial molar properties, fugacities and the
! species derivatives of density and enthalpy (docs/physics.md, sections 7 and 8).
module preosSpeciesModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns, Wi, bi, Rgas, Pref
  implicit none
  private
  public :: prEOSSpeciesASums, prEOSPressureSpeciesDerivatives
  public :: prEOSPartialMolarVolume, prEOSPartialMolarEnthalpy
  public :: prEOSFugacityCoefficients, prEOSChemicalPotentials
  public :: prEOSCalcRhoYHY, prEOSReduceLastSpecies

contains

  ! S_i = sum_j X_j a_ij and its derivative in T.
  pure subroutine prEOSSpeciesASums(ui, uiT, Gi, GiT, Si, SiT)
    real(dp), intent(in) :: ui(ns), uiT(ns), Gi(ns), GiT(ns)
    real(dp), intent(out) :: Si(ns), SiT(ns)
    integer :: i

    do i = 1, ns
      Si(i) = ui(i)*Gi(i)
      SiT(i) = uiT(i)*Gi(i) + ui(i)*GiT(i)
    end do
  end subroutine prEOSSpeciesASums

  pure subroutine prEOSPressureSpeciesDerivatives(T, v, amix, bmix, Dvol, Si, Pi)
    real(dp), intent(in) :: T, v, amix, bmix, Dvol, Si(ns)
    real(dp), intent(out) :: Pi(ns)          ! Pa, n (dP/dn_i) at constant T, V
    integer :: i

    do i = 1, ns
      Pi(i) = Rgas*T/(v - bmix) + Rgas*T*bi(i)/(v - bmix)**2 - 2.0_dp*Si(i)/Dvol &
              + 2.0_dp*amix*bi(i)*(v - bmix)/Dvol**2
    end do
  end subroutine prEOSPressureSpeciesDerivatives

  pure subroutine prEOSPartialMolarVolume(Pi, Pv, vbari)
    real(dp), intent(in) :: Pi(ns), Pv
    real(dp), intent(out) :: vbari(ns)       ! m3/mol
    integer :: i

    do i = 1, ns
      vbari(i) = -Pi(i)/Pv
    end do
  end subroutine prEOSPartialMolarVolume

  pure subroutine prEOSPartialMolarEnthalpy(T, h0i, PT, vbari, Si, SiT, amix, aT, bmix, v, &
                                            Dvol, Kvol, hbari)
    real(dp), intent(in) :: T, h0i(ns), PT, vbari(ns), Si(ns), SiT(ns)
    real(dp), intent(in) :: amix, aT, bmix, v, Dvol, Kvol
    real(dp), intent(out) :: hbari(ns)       ! J/mol
    integer :: i

    do i = 1, ns
      hbari(i) = h0i(i) + T*PT*vbari(i) - Rgas*T + 2.0_dp*Kvol*(T*SiT(i) - Si(i)) &
                 + (bi(i)/bmix)*(T*aT - amix)*(v/Dvol - Kvol)
    end do
  end subroutine prEOSPartialMolarEnthalpy

  pure subroutine prEOSFugacityCoefficients(Z, Bred, T, amix, bmix, Si, Kvol, lnphii)
    real(dp), intent(in) :: Z, Bred, T, amix, bmix, Si(ns), Kvol
    real(dp), intent(out) :: lnphii(ns)
    integer :: i

    do i = 1, ns
      lnphii(i) = (bi(i)/bmix)*(Z - 1.0_dp) - log(Z - Bred) &
                  - Kvol/(Rgas*T)*(2.0_dp*Si(i) - amix*bi(i)/bmix)
    end do
  end subroutine prEOSFugacityCoefficients

  pure subroutine prEOSChemicalPotentials(T, P, X, h0i, s0i, lnphii, mui)
    real(dp), intent(in) :: T, P, X(ns), h0i(ns), s0i(ns), lnphii(ns)
    real(dp), intent(out) :: mui(ns)         ! J/mol
    integer :: i

    do i = 1, ns
      mui(i) = h0i(i) - T*s0i(i) &
               + Rgas*T*(log(max(X(i), 1.0e-300_dp)) + log(P/Pref) + lnphii(i))
    end do
  end subroutine prEOSChemicalPotentials

  pure subroutine prEOSCalcRhoYHY(rho, vbari, hbari, rhoYi, hYi)
    real(dp), intent(in) :: rho, vbari(ns), hbari(ns)
    real(dp), intent(out) :: rhoYi(ns), hYi(ns)   ! kg/m3, J/kg
    integer :: i

    do i = 1, ns
      rhoYi(i) = -rho**2*vbari(i)/Wi(i)
      hYi(i) = hbari(i)/Wi(i)
    end do
  end subroutine prEOSCalcRhoYHY

  ! For solvers that eliminate the last species.
  pure subroutine prEOSReduceLastSpecies(rhoYi, hYi, rhoYiReduced, hYiReduced)
    real(dp), intent(in) :: rhoYi(ns), hYi(ns)
    real(dp), intent(out) :: rhoYiReduced(ns - 1), hYiReduced(ns - 1)
    integer :: i

    do i = 1, ns - 1
      rhoYiReduced(i) = rhoYi(i) - rhoYi(ns)
      hYiReduced(i) = hYi(i) - hYi(ns)
    end do
  end subroutine prEOSReduceLastSpecies

end module preosSpeciesModule
