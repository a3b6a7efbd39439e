! All quantities of one grid point in one row of numbers, under the bridge's names: the building
! blocks are called one by one, so that a comparison sees each of them.
module pointModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use statusModule
  use idealGasModule
  use preosKernelModule
  use preosDerivedModule
  use preosSpeciesModule
  use preosModule, only: mixtureState, prEOSMixtureState
  use preosDensityModule, only: prEOSCalcPRhoE, prEOSCalcPRhoI
  use chungTransModule
  use chungDiffusionModule
  implicit none
  private
  public :: pointColumns, pointValues, writePointNames

  ! Names in the order of the row; the width of a name is 1, or as given by its suffix:
  ! ":s" one per species, ":r" species but the last, ":p" pairs i <= j row by row, ":10", ":7".
  character(len=*), parameter :: names = 'status nRoots X:s W cp0_i:s h0_i:s s0_i:s &
    &cp_ideal cv_ideal h_ideal s_ideal u_i:s u_i_T:s u_i_TT:s G_i:s G_i_T:s a a_T a_TT b &
    &S_i:s S_i_T:s A B Zmax Zmin Z v rho D K P_v P_T kappaT alphaV Pkappa h u s g cv cp gamma &
    &rho_p rho_T h_p h_T c P_i:s vbar_i:s hbar_i:s lnphi_i:s mu_i:s rho_Yi:s h_Yi:s &
    &rho_Yi_reduced:r h_Yi_reduced:r h0 rhoh0 r_p p_rhoe p_rhoi:s Tcm Pcm PcKay Vcm Zcm omegam Tr Pr &
    &sigma_m eps_m omega_m mr4 kappa_m Tcm_chung Vcm_chung M_m Tstar Omega22 E:10 B_chung:7 Fc &
    &y G1 eta0 eta psi lambda D0_ij:p takahashi D_im:s'

contains

  ! Next name of the list and its width; start moves on, zero at the end.
  pure subroutine nextName(start, name, width)
    integer, intent(inout) :: start
    character(len=24), intent(out) :: name
    integer, intent(out) :: width
    integer :: stop, colon

    name = ' '
    width = 0
    if (start > len(names)) then
      start = 0
      return
    end if
    stop = start + index(names(start:)//' ', ' ') - 2
    name = names(start:stop)
    start = stop + 2
    width = 1
    colon = index(name, ':')
    if (colon == 0) return
    select case (trim(name(colon + 1:)))
    case ('s')
      width = ns
    case ('r')
      width = ns - 1
    case ('p')
      width = ns*(ns + 1)/2
    case ('10')
      width = 10
    case ('7')
      width = 7
    end select
    name = name(1:colon - 1)
  end subroutine nextName

  pure integer function pointColumns()
    character(len=24) :: name
    integer :: start, width

    pointColumns = 0
    start = 1
    do
      call nextName(start, name, width)
      if (start == 0) exit
      pointColumns = pointColumns + width
    end do
  end function pointColumns

  subroutine writePointNames(unit)
    integer, intent(in) :: unit
    character(len=24) :: name
    integer :: start, width

    write(unit, '(a)', advance='no') 'columns'
    start = 1
    do
      call nextName(start, name, width)
      if (start == 0) exit
      write(unit, '(1x,a,1x,i0)', advance='no') trim(name), width
    end do
    write(unit, '(a)') ' '
  end subroutine writePointNames

  subroutine pointValues(T, P, Y, velocity, Vref, values)
    real(dp), intent(in) :: T, P, Y(ns), velocity(3), Vref
    real(dp), intent(out) :: values(:)
    type(mixtureState) :: m
    real(dp), dimension(ns) :: X, cp0i, h0i, s0i, ui, uiT, uiTT, Gi, GiT, Si, SiT
    real(dp), dimension(ns) :: Pi, vbari, hbari, lnphii, mui, rhoYi, hYi, pRhoi, Dim
    real(dp), dimension(ns - 1) :: rhoYr, hYr
    real(dp) :: s0, aTT, kappaT, alphaV, Pkappa, h, u, s, g, cv, cp, gamma
    real(dp) :: rhop, rhoT, hp, hT, c, hTotal, rhoh0, rp, pRhoe
    real(dp) :: Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr
    real(dp) :: sigmac, epsc, omegac, mr4, kappac, Tcc, Vcc, Mm, Tstar, Omega22, E(10), B(7), Fc
    real(dp) :: yred, G1, eta0, eta, psi, lambda, D0ij(ns, ns), factor, pairs(ns*(ns + 1)/2)
    integer :: status, i, j, n

    call prEOSMixtureState(T, P, Y, m, X, h0i, ui, uiT, uiTT, Gi, GiT)
    status = m%status
    if (isFatal(status)) then
      values = quietNaN()
      values(1) = real(status, dp)
      values(2) = 0.0_dp
      return
    end if

    call prEOSIdealSpeciesCp(T, cp0i)
    call prEOSIdealSpeciesEntropy(T, s0i)
    call prEOSIdealMixtureEntropy(X, P, s0i, s0)
    call prEOSMixD2aDT2(X, uiT, uiTT, Gi, GiT, aTT)
    call prEOSSpeciesASums(ui, uiT, Gi, GiT, Si, SiT)
    call prEOSCompressibility(P, m%v, m%Pv, m%PT, kappaT, alphaV, Pkappa)
    call prEOSEnthalpy(m%h0, P, m%v, T, m%a, m%aT, m%Kvol, m%W, h)
    call prEOSInternalEnergy(h, P, m%rho, u)
    call prEOSEntropy(s0, m%Z, m%Bred, m%aT, m%Kvol, m%W, s)
    call prEOSGibbs(h, s, T, g)
    call prEOSCv(m%cv0, T, aTT, m%Kvol, m%W, cv, status)
    call prEOSCp(cv, T, m%Pv, m%PT, m%W, cp)
    call prEOSGamma(cp, cv, gamma)
    call prEOSCalcRhoPRhoT(m%Pv, m%PT, m%v, m%W, rhop, rhoT)
    call prEOSCalcHpHT(m%Pv, m%PT, m%v, T, cp, m%W, hp, hT)
    call prEOSCalcSoundSpeed(m%rho, rhop, rhoT, hp, hT, c, status)

    call prEOSPressureSpeciesDerivatives(T, m%v, m%a, m%b, m%Dvol, Si, Pi)
    call prEOSPartialMolarVolume(Pi, m%Pv, vbari)
    call prEOSPartialMolarEnthalpy(T, h0i, m%PT, vbari, Si, SiT, m%a, m%aT, m%b, m%v, &
                                   m%Dvol, m%Kvol, hbari)
    call prEOSFugacityCoefficients(m%Z, m%Bred, T, m%a, m%b, Si, m%Kvol, lnphii)
    call prEOSChemicalPotentials(T, P, X, h0i, s0i, lnphii, mui)
    call prEOSCalcRhoYHY(m%rho, vbari, hbari, rhoYi, hYi)
    call prEOSReduceLastSpecies(rhoYi, hYi, rhoYr, hYr)
    call prEOSTotalEnthalpy(h, m%rho, velocity, hTotal, rhoh0)
    call prEOSPreconditionedRhoP(m%rho, rhoT, hp, hT, c, velocity, Vref, rp)
    call prEOSCalcPRhoE(m%PT, m%rho, cv, pRhoe)
    call prEOSCalcPRhoI(T, m%v, Pi, h0i, Si, SiT, m%a, m%aT, m%b, m%Dvol, m%Kvol, pRhoe, pRhoi)

    call prEOSCriticalState(X, T, P, Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr)
    call chungMixParameters(X, sigmac, epsc, omegac, mr4, kappac, Tcc, Vcc)
    call chungMixMolarMass(X, epsc, sigmac, Mm)
    call chungCollisionIntegral(T, epsc, Tstar, Omega22, status)
    call chungDenseCoefficients(omegac, mr4, kappac, E, B, Fc)
    call chungReducedDensity(m%v, Vcc, yred, G1, status)
    call chungDiluteViscosity(T, Mm, Vcc, Omega22, Fc, eta0)
    call chungViscosity(eta0, E, yred, G1, Tstar, Mm, Tcc, Vcc, eta, status)
    call chungPsi(T, Tcc, omegac, m%cv0, psi)
    call chungThermalConductivity(eta0, psi, B, yred, G1, Mm, Tcc, Vcc, T, lambda, status)
    call chungBinaryDiffusion(T, P, D0ij)
    call chungTakahashiFactor(Tr, Pr, T, P, m%v, factor, status)
    call chungMixtureDiffusion(X, m%W, D0ij, factor, Dim)
    n = 0
    do i = 1, ns
      do j = i, ns
        n = n + 1
        pairs(n) = D0ij(i, j)
      end do
    end do

    values = [real(status, dp), real(m%nRoots, dp), X, m%W, cp0i, h0i, s0i, &
              m%cp0, m%cv0, m%h0, s0, ui, uiT, uiTT, Gi, GiT, m%a, m%aT, aTT, m%b, &
              Si, SiT, m%Ared, m%Bred, m%Zmax, m%Zmin, m%Z, m%v, m%rho, m%Dvol, m%Kvol, &
              m%Pv, m%PT, kappaT, alphaV, Pkappa, h, u, s, g, cv, cp, gamma, &
              rhop, rhoT, hp, hT, c, Pi, vbari, hbari, lnphii, mui, rhoYi, hYi, &
              rhoYr, hYr, hTotal, rhoh0, rp, pRhoe, pRhoi, Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr, &
              sigmac, epsc, omegac, mr4, kappac, Tcc, Vcc, Mm, Tstar, Omega22, E, B, Fc, &
              yred, G1, eta0, eta, psi, lambda, pairs, factor, Dim]
  end subroutine pointValues

end module pointModule
