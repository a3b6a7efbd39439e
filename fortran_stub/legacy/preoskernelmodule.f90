! Peng-Robinson building blocks for the mixture as a whole, one grid point at a time.
!
! Molar quantities unless a comment says per kilogram; the sections are those of
! docs/physics.md. The per-species blocks are in preosspeciesmodule.f90, the composites that
! call all of them in preosmodule.f90.
module preosKernelModule
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  use useGENKindDefs, only: dp, log1p, cbrt
  use speciesModule, only: ns, Wi, Tci, qi, mi, bi, kij, Rgas
  use idealGasModule, only: prEOSIdealDoubt
  use statusModule
  implicit none
  private
  public :: prEOSCheckInput, prEOSCheckMassFractions
  public :: prEOSCleanMassFractions, prEOSMoleFractions
  public :: prEOSAlphaFunction, prEOSCrossSums, prEOSMixA, prEOSMixDaDT, prEOSMixD2aDT2
  public :: prEOSMixB, prEOSReducedAB, prEOSSolveCubic, prEOSSelectRoot
  public :: prEOSDensity, prEOSLogTerm, prEOSPressureDerivatives

  real(dp), parameter, public :: root2 = 1.4142135623730950488_dp

contains

  ! Section 3. Bits of the input; the caller's numbers are not changed.
  pure subroutine prEOSCheckInput(T, P, Y, status)
    real(dp), intent(in) :: T, P, Y(ns)
    integer, intent(out) :: status
    real(dp) :: doubt

    call prEOSCheckMassFractions(Y, status)
    if (.not. (T >= leastT .and. T <= mostT)) status = ior(status, statusBadT)
    if (.not. (P >= leastP .and. P <= mostP)) status = ior(status, statusBadP)
    if (isFatal(status)) return

    call prEOSIdealDoubt(T, Y, doubt)
    if (doubt > mostDoubt) status = ior(status, statusTExtrap)
  end subroutine prEOSCheckInput

  pure subroutine prEOSCheckMassFractions(Y, status)
    real(dp), intent(in) :: Y(ns)
    integer, intent(out) :: status
    real(dp) :: total, positive
    logical :: finite
    integer :: i

    status = statusOK
    total = 0.0_dp
    positive = 0.0_dp
    finite = .true.
    do i = 1, ns
      if (.not. ieee_is_finite(Y(i))) finite = .false.
      total = total + Y(i)
      positive = positive + max(Y(i), 0.0_dp)
    end do
    if (.not. finite .or. .not. positive >= 1.0e-8_dp) then
      status = ior(status, statusBadY)
    else if (abs(total - 1.0_dp) > 1.0e-6_dp) then
      status = ior(status, statusYRenorm)
    end if
  end subroutine prEOSCheckMassFractions

  pure subroutine prEOSCleanMassFractions(Y, Yc, status)
    real(dp), intent(in) :: Y(ns)
    real(dp), intent(out) :: Yc(ns)
    integer, intent(inout) :: status
    real(dp) :: total
    integer :: i

    total = 0.0_dp
    do i = 1, ns
      total = total + max(Y(i), 0.0_dp)
      if (Y(i) < -1.0e-6_dp) status = ior(status, statusYClipped)
    end do
    do i = 1, ns
      Yc(i) = max(Y(i), 0.0_dp)/total
    end do
  end subroutine prEOSCleanMassFractions

  pure subroutine prEOSMoleFractions(Yc, X, W)
    real(dp), intent(in) :: Yc(ns)
    real(dp), intent(out) :: X(ns), W        ! -, kg/mol
    real(dp) :: total
    integer :: i

    total = 0.0_dp
    do i = 1, ns
      X(i) = Yc(i)/Wi(i)
      total = total + X(i)
    end do
    do i = 1, ns
      X(i) = X(i)/total
    end do
    W = 1.0_dp/total
  end subroutine prEOSMoleFractions

  ! Section 5: u_i = sqrt(a_i) with its sign, and two derivatives in T.
  pure subroutine prEOSAlphaFunction(T, ui, uiT, uiTT)
    real(dp), intent(in) :: T
    real(dp), intent(out) :: ui(ns), uiT(ns), uiTT(ns)
    integer :: i

    do i = 1, ns
      ui(i) = qi(i)*(1.0_dp + mi(i)*(1.0_dp - sqrt(T/Tci(i))))
      uiT(i) = -qi(i)*mi(i)/(2.0_dp*sqrt(T*Tci(i)))
      uiTT(i) = -uiT(i)/(2.0_dp*T)
    end do
  end subroutine prEOSAlphaFunction

  ! G_i = sum_j (1 - kij) X_j u_j, so that sum_j X_j a_ij = u_i G_i.
  pure subroutine prEOSCrossSums(X, ui, uiT, Gi, GiT)
    real(dp), intent(in) :: X(ns), ui(ns), uiT(ns)
    real(dp), intent(out) :: Gi(ns), GiT(ns)
    integer :: i, j

    do i = 1, ns
      Gi(i) = 0.0_dp
      GiT(i) = 0.0_dp
      do j = 1, ns
        Gi(i) = Gi(i) + (1.0_dp - kij(j, i))*X(j)*ui(j)
        GiT(i) = GiT(i) + (1.0_dp - kij(j, i))*X(j)*uiT(j)
      end do
    end do
  end subroutine prEOSCrossSums

  pure subroutine prEOSMixA(X, ui, Gi, amix)
    real(dp), intent(in) :: X(ns), ui(ns), Gi(ns)
    real(dp), intent(out) :: amix
    integer :: i

    amix = 0.0_dp
    do i = 1, ns
      amix = amix + X(i)*ui(i)*Gi(i)
    end do
  end subroutine prEOSMixA

  pure subroutine prEOSMixDaDT(X, uiT, Gi, aT)
    real(dp), intent(in) :: X(ns), uiT(ns), Gi(ns)
    real(dp), intent(out) :: aT
    integer :: i

    aT = 0.0_dp
    do i = 1, ns
      aT = aT + 2.0_dp*X(i)*uiT(i)*Gi(i)
    end do
  end subroutine prEOSMixDaDT

  pure subroutine prEOSMixD2aDT2(X, uiT, uiTT, Gi, GiT, aTT)
    real(dp), intent(in) :: X(ns), uiT(ns), uiTT(ns), Gi(ns), GiT(ns)
    real(dp), intent(out) :: aTT
    integer :: i

    aTT = 0.0_dp
    do i = 1, ns
      aTT = aTT + 2.0_dp*X(i)*(uiTT(i)*Gi(i) + uiT(i)*GiT(i))
    end do
  end subroutine prEOSMixD2aDT2

  pure subroutine prEOSMixB(X, bmix)
    real(dp), intent(in) :: X(ns)
    real(dp), intent(out) :: bmix
    integer :: i

    bmix = 0.0_dp
    do i = 1, ns
      bmix = bmix + X(i)*bi(i)
    end do
  end subroutine prEOSMixB

  pure subroutine prEOSReducedAB(amix, bmix, T, P, Ared, Bred)
    real(dp), intent(in) :: amix, bmix, T, P
    real(dp), intent(out) :: Ared, Bred

    Ared = amix*P/(Rgas*T)**2
    Bred = bmix*P/(Rgas*T)
  end subroutine prEOSReducedAB

  ! Section 6: outer roots of the cubic. The largest in closed form and then by Newton steps; the
  ! smallest from the quadratic that is left when the largest is divided out. The third cosine
  ! loses all digits in a thin gas and would count roots that are not there.
  pure subroutine prEOSSolveCubic(Ared, Bred, Zmax, Zmin, nRoots)
    real(dp), intent(in) :: Ared, Bred
    real(dp), intent(out) :: Zmax, Zmin
    integer, intent(out) :: nRoots
    real(dp) :: c2, c1, c0, p, q, disc, r, theta, argument, cubeRoot, product, mean, square

    c2 = Bred - 1.0_dp
    c1 = Ared - 3.0_dp*Bred**2 - 2.0_dp*Bred
    c0 = -(Ared*Bred - Bred**2 - Bred**3)
    p = c1 - c2**2/3.0_dp
    q = c2*(2.0_dp*c2**2/27.0_dp - c1/3.0_dp) + c0
    disc = q**2/4.0_dp + p**3/27.0_dp

    if (disc > 0.0_dp) then
      cubeRoot = -cbrt(q/2.0_dp + sign(sqrt(disc), q))
      Zmax = -c2/3.0_dp
      if (abs(cubeRoot) > 0.0_dp) Zmax = cubeRoot - p/(3.0_dp*cubeRoot) - c2/3.0_dp
    else
      r = 2.0_dp*sqrt(max(-p/3.0_dp, 0.0_dp))
      theta = 0.0_dp
      if (r > 0.0_dp) then
        argument = min(max(3.0_dp*q/(p*r), -1.0_dp), 1.0_dp)
        theta = acos(argument)/3.0_dp
      end if
      Zmax = r*cos(theta) - c2/3.0_dp
    end if
    call polishRoot(c2, c1, c0, Bred, Zmax)

    nRoots = 1
    Zmin = Zmax
    product = -c0/Zmax
    mean = 0.5_dp*(c1 - product)/Zmax
    square = mean**2 - product
    if (.not. (square >= 0.0_dp .and. mean > Bred)) return
    Zmin = product/(mean + sqrt(square))
    call polishRoot(c2, c1, c0, Bred, Zmin)
    if (Zmin > Bred*(1.0_dp + 1.0e-9_dp) .and. Zmin < Zmax) then
      nRoots = 3
    else
      Zmin = Zmax
    end if
  end subroutine prEOSSolveCubic

  ! At most four Newton steps; each must stay above B and lower the residual.
  pure subroutine polishRoot(c2, c1, c0, Bred, Z)
    real(dp), intent(in) :: c2, c1, c0, Bred
    real(dp), intent(inout) :: Z
    real(dp) :: f, slope, Znew, fNew
    integer :: step

    Z = max(Z, Bred*(1.0_dp + 1.0e-10_dp))
    f = ((Z + c2)*Z + c1)*Z + c0
    do step = 1, 4
      slope = (3.0_dp*Z + 2.0_dp*c2)*Z + c1
      if (.not. abs(slope) > 0.0_dp) return
      Znew = Z - f/slope
      if (.not. Znew > Bred) return
      fNew = ((Znew + c2)*Znew + c1)*Znew + c0
      if (.not. abs(fNew) < abs(f)) return
      Z = Znew
      f = fNew
    end do
  end subroutine polishRoot

  ! The root of lower Gibbs energy; two physical roots are reported.
  pure subroutine prEOSSelectRoot(Zmax, Zmin, nRoots, Ared, Bred, Z, status)
    real(dp), intent(in) :: Zmax, Zmin, Ared, Bred
    integer, intent(in) :: nRoots
    real(dp), intent(out) :: Z
    integer, intent(inout) :: status

    Z = Zmax
    if (nRoots == 3) then
      status = ior(status, statusMultiRoot)
      if (reducedGibbs(Zmin, Ared, Bred) < reducedGibbs(Zmax, Ared, Bred)) Z = Zmin
    end if
  end subroutine prEOSSelectRoot

  pure real(dp) function reducedGibbs(Z, Ared, Bred)
    real(dp), intent(in) :: Z, Ared, Bred
    real(dp) :: logTerm

    logTerm = log1p(2.0_dp*root2*Bred/(Z + (1.0_dp - root2)*Bred))
    reducedGibbs = Z - 1.0_dp - log(Z - Bred) - Ared/(2.0_dp*root2*Bred)*logTerm
  end function reducedGibbs

  pure subroutine prEOSDensity(Z, T, P, W, v, rho)
    real(dp), intent(in) :: Z, T, P, W
    real(dp), intent(out) :: v, rho          ! m3/mol, kg/m3

    v = Z*Rgas*T/P
    rho = W/v
  end subroutine prEOSDensity

  ! Section 7: the two functions of volume that every property shares.
  pure subroutine prEOSLogTerm(v, bmix, Dvol, Kvol)
    real(dp), intent(in) :: v, bmix
    real(dp), intent(out) :: Dvol, Kvol

    Dvol = v**2 + 2.0_dp*bmix*v - bmix**2
    Kvol = log1p(2.0_dp*root2*bmix/(v + (1.0_dp - root2)*bmix))/(2.0_dp*root2*bmix)
  end subroutine prEOSLogTerm

  pure subroutine prEOSPressureDerivatives(T, P, v, amix, aT, bmix, Dvol, Pv, PT, status)
    real(dp), intent(in) :: T, P, v, amix, aT, bmix, Dvol
    real(dp), intent(out) :: Pv, PT
    integer, intent(inout) :: status

    Pv = -Rgas*T/(v - bmix)**2 + 2.0_dp*amix*(v + bmix)/Dvol**2
    PT = Rgas/(v - bmix) - aT/Dvol
    if (-P/(v*Pv) > 1.0e4_dp .or. .not. ieee_is_finite(Pv)) then
      status = ior(status, statusNearCritical)
    end if
  end subroutine prEOSPressureDerivatives

end module preosKernelModule
