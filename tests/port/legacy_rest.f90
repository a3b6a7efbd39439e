! What the composites of the legacy physics do not call, at one point.
module legacyRestModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use statusModule
  use idealGasModule
  use preosDerivedModule
  use preosSpeciesModule
  use preosModule, only: mixtureState, prEOSMixtureState, prEOSViscousFluxProperties
  implicit none
  private
  public :: legacyRest

contains

  pure subroutine legacyRest(T, P, Y, s0i, s, u, g, kappaT, alphaV, Pkappa, lnphii, mui, &
                             eta, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: s0i(ns), s, u, g, kappaT, alphaV, Pkappa, lnphii(ns), mui(ns)
    real(dp), intent(out) :: eta
    integer, intent(out) :: status
    type(mixtureState) :: m
    real(dp) :: X(ns), h0i(ns), ui(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns), Si(ns), SiT(ns)
    real(dp) :: s0, h, rho, lambda, Dim(ns), hYi(ns), Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr
    integer :: viscous

    s = quietNaN()
    s0i = s; u = s; g = s; kappaT = s; alphaV = s; Pkappa = s; lnphii = s; mui = s
    eta = s
    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    if (isFatal(status)) return
    call prEOSIdealSpeciesEntropy(T, s0i)
    call prEOSIdealMixtureEntropy(X, P, s0i, s0)
    call prEOSSpeciesASums(ui, uiT, Gi, GiT, Si, SiT)
    call prEOSCompressibility(P, m%v, m%Pv, m%PT, kappaT, alphaV, Pkappa)
    call prEOSEnthalpy(m%h0, P, m%v, T, m%a, m%aT, m%Kvol, m%W, h)
    call prEOSInternalEnergy(h, P, m%rho, u)
    call prEOSEntropy(s0, m%Z, m%Bred, m%aT, m%Kvol, m%W, s)
    call prEOSGibbs(h, s, T, g)
    call prEOSFugacityCoefficients(m%Z, m%Bred, T, m%a, m%b, Si, m%Kvol, lnphii)
    call prEOSChemicalPotentials(T, P, X, h0i, s0i, lnphii, mui)
    call prEOSViscousFluxProperties(T, P, Y, rho, eta, lambda, Dim, hYi, Tcm, Pcm, PcKay, Vcm, &
                                    Zcm, omegam, Tr, Pr, viscous)
    status = ior(status, viscous)
  end subroutine legacyRest

end module legacyRestModule
