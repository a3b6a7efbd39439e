! Peng-Robinson at one grid point, tuned by hand: one square root of T for all species, double
! sums over half the pairs (none where every kij is zero), logarithms of the Gibbs energies only
! where there are two roots, reciprocals shared. Equations: docs/physics.md, sections 3 to 8.
module tunedEosModule
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  use useGENKindDefs, only: dp, log1p, cbrt
  use statusModule
  use tunedTablesModule
  implicit none
  private
  public :: tunedState, mixturePoint

  real(dp), parameter :: root8 = 2.8284271247461903_dp, root2m1 = 0.41421356237309503_dp

  type mixturePoint
    real(dp) :: W = 0.0_dp, v = 0.0_dp, cv0 = 0.0_dp
    integer :: status = 0
  end type mixturePoint

contains

  ! rho, h, cp, cv, rho_p, rho_T, h_p, h_T, c, and what the transport properties go on from.
  pure subroutine tunedState(T, P, Y, m, X, thermal)
    real(dp), intent(in) :: T, P, Y(ns)
    type(mixturePoint), intent(out) :: m
    real(dp), intent(out) :: X(maxSpecies), thermal(9)
    real(dp) :: cp0, h0, b, a, aT, aTT, Z
    real(dp) :: RT, invW_, invFree, D, invD, K, Pv, PT, v, cp, cv, rho, rhop, rhoT, hp, slope, c2

    call composition(T, P, Y, X, m%W, b, m%status)
    if (isFatal(m%status)) return
    call idealGas(T, X, cp0, h0)
    call attractions(T, X, a, aT, aTT)
    RT = Rgas*T
    call root(a*P/(RT*RT), b*P/RT, Z, m%status)

    v = Z*RT/P
    rho = m%W/v
    D = (v + 2.0_dp*b)*v - b*b
    K = log1p(root8*b/(v - root2m1*b))/(root8*b)
    invFree = 1.0_dp/(v - b)
    invD = 1.0_dp/D
    Pv = 2.0_dp*a*(v + b)*invD*invD - RT*invFree*invFree
    PT = Rgas*invFree - aT*invD
    if (P > 1.0e4_dp*v*abs(Pv) .or. .not. ieee_is_finite(Pv)) then
      m%status = ior(m%status, statusNearCritical)
    end if

    invW_ = 1.0_dp/m%W
    m%v = v
    m%cv0 = cp0 - Rgas
    cv = (m%cv0 + T*aTT*K)*invW_
    slope = PT/Pv
    cp = cv - T*PT*slope*invW_
    rhop = -rho/(v*Pv)
    rhoT = -rhop*PT
    hp = (v + T*slope)*invW_
    thermal(1) = rho
    thermal(2) = (h0 + (P*v - RT) + K*(T*aT - a))*invW_
    thermal(3) = cp
    thermal(4) = cv
    thermal(5) = rhop
    thermal(6) = rhoT
    thermal(7) = hp
    thermal(8) = cp
    c2 = rho*cp/(rho*rhop*cp + rhoT*(1.0_dp - rho*hp))
    if (c2 <= 0.0_dp .or. cv <= 0.0_dp) then
      m%status = ior(m%status, statusUnstable)
      thermal(9) = quietNaN()
    else
      thermal(9) = sqrt(c2)
    end if
  end subroutine tunedState

  ! Checks, cleaning, mole fractions, covolume: two passes over the species.
  pure subroutine composition(T, P, Y, X, W, b, status)
    real(dp), intent(in) :: T, P, Y(ns)
    real(dp), intent(out) :: X(maxSpecies), W, b
    integer, intent(out) :: status
    real(dp) :: total, positive, least, moles, covolume, doubt, cp
    integer :: i

    total = 0.0_dp
    positive = 0.0_dp
    least = 0.0_dp
    moles = 0.0_dp
    covolume = 0.0_dp
    do i = 1, ns
      total = total + Y(i)
      least = min(least, Y(i))
      X(i) = max(Y(i), 0.0_dp)
      positive = positive + X(i)
      X(i) = X(i)*invW(i)
      moles = moles + X(i)
      covolume = covolume + X(i)*bi(i)
    end do
    status = statusOK
    if (.not. (T >= leastT .and. T <= mostT)) status = statusBadT
    if (.not. (P >= leastP .and. P <= mostP)) status = ior(status, statusBadP)
    if (.not. (ieee_is_finite(total) .and. positive >= 1.0e-8_dp)) status = ior(status, statusBadY)
    if (isFatal(status)) return
    if (least < -1.0e-6_dp) status = ior(status, statusYClipped)
    if (abs(total - 1.0_dp) > 1.0e-6_dp) status = ior(status, statusYRenorm)
    if (T < fitLow .or. T > fitHigh) then
      doubt = 0.0_dp
      cp = 0.0_dp
      do i = 1, ns
        doubt = doubt + X(i)*(max(tLow(i) - T, 0.0_dp)*slopeLow(i) &
                              + max(T - tHigh(i), 0.0_dp)*slopeHigh(i))
        cp = cp + X(i)*merge(cpLow(i), cpHigh(i), T < fitLow)
      end do
      if (doubt > 0.03_dp*cp) status = ior(status, statusTExtrap)
    end if
    W = positive/moles
    moles = 1.0_dp/moles
    b = covolume*moles
    do i = 1, ns
      X(i) = X(i)*moles
    end do
  end subroutine composition

  ! Mixture sums only: no array of species properties is stored.
  pure subroutine idealGas(T, X, cp0, h0)
    real(dp), intent(in) :: T, X(maxSpecies)
    real(dp), intent(out) :: cp0, h0
    real(dp) :: tt, a1, a2, a3, a4, a5, a6, cp, h
    logical :: low
    integer :: i

    cp0 = 0.0_dp
    h0 = 0.0_dp
    do i = 1, ns
      tt = min(max(T, tLow(i)), tHigh(i))
      low = tt <= tMid(i)
      a1 = merge(nasaLow(i, 1), nasaHigh(i, 1), low)
      a2 = merge(nasaLow(i, 2), nasaHigh(i, 2), low)
      a3 = merge(nasaLow(i, 3), nasaHigh(i, 3), low)
      a4 = merge(nasaLow(i, 4), nasaHigh(i, 4), low)
      a5 = merge(nasaLow(i, 5), nasaHigh(i, 5), low)
      a6 = merge(nasaLow(i, 6), nasaHigh(i, 6), low)
      cp = a1 + tt*(a2 + tt*(a3 + tt*(a4 + tt*a5)))
      h = a6 + tt*(a1 + tt*(0.5_dp*a2 + tt*((1.0_dp/3.0_dp)*a3 + tt*(0.25_dp*a4 + tt*(0.2_dp*a5)))))
      cp0 = cp0 + X(i)*cp
      h0 = h0 + X(i)*(h + cp*(T - tt))
    end do
  end subroutine idealGas

  ! a, a' and a'' from three quadratic forms in X uRoot0 and X uRoot1, over half the pairs.
  pure subroutine attractions(T, X, a, aT, aTT)
    real(dp), intent(in) :: T, X(maxSpecies)
    real(dp), intent(out) :: a, aT, aTT
    real(dp) :: x0(maxSpecies), x1(maxSpecies), f00, f01, f11, s0, s1, rootT
    integer :: i, j

    rootT = sqrt(T)
    if (anyKij) then
      do i = 1, ns
        x0(i) = X(i)*uRoot0(i)
        x1(i) = X(i)*uRoot1(i)
      end do
      f00 = 0.0_dp
      f01 = 0.0_dp
      f11 = 0.0_dp
      do i = 1, ns
        s0 = 0.0_dp
        s1 = 0.0_dp
        do j = 1, i - 1
          s0 = s0 + attraction(j, i)*x0(j)
          s1 = s1 + attraction(j, i)*x1(j)
        end do
        f00 = f00 + x0(i)*(2.0_dp*s0 + x0(i))
        f01 = f01 + x0(i)*(s1 + x1(i)) + x1(i)*s0
        f11 = f11 + x1(i)*(2.0_dp*s1 + x1(i))
      end do
    else
      s0 = 0.0_dp
      s1 = 0.0_dp
      do i = 1, ns
        s0 = s0 + X(i)*uRoot0(i)
        s1 = s1 + X(i)*uRoot1(i)
      end do
      f00 = s0*s0
      f01 = s0*s1
      f11 = s1*s1
    end if
    a = f00 - rootT*(2.0_dp*f01 - rootT*f11)
    aT = f11 - f01/rootT
    aTT = 0.5_dp*f01/(T*rootT)
  end subroutine attractions

  pure subroutine root(Ared, Bred, Z, status)
    real(dp), intent(in) :: Ared, Bred
    real(dp), intent(out) :: Z
    integer, intent(inout) :: status
    real(dp), parameter :: third = 1.0_dp/3.0_dp
    real(dp) :: c2, c1, c0, p, q, disc, r, theta, w, Zmin, product, mean, square

    c2 = Bred - 1.0_dp
    c1 = Ared - (3.0_dp*Bred + 2.0_dp)*Bred
    c0 = ((1.0_dp + Bred)*Bred - Ared)*Bred
    p = c1 - c2*c2*third
    q = c2*(2.0_dp*c2*c2*(third/9.0_dp) - c1*third) + c0
    disc = 0.25_dp*q*q + p*p*p*(1.0_dp/27.0_dp)
    if (disc > 0.0_dp) then
      w = -cbrt(0.5_dp*q + sign(sqrt(disc), q))
      Z = -c2*third
      if (abs(w) > 0.0_dp) Z = w - p/(3.0_dp*w) - c2*third
    else
      r = 2.0_dp*sqrt(max(-p*third, 0.0_dp))
      theta = 0.0_dp
      if (r > 0.0_dp) theta = third*acos(min(max(3.0_dp*q/(p*r), -1.0_dp), 1.0_dp))
      Z = r*cos(theta) - c2*third
    end if
    call polish(c2, c1, c0, Bred, Z)

    ! The smallest root from the quadratic that is left when the largest is divided out.
    product = -c0/Z
    mean = 0.5_dp*(c1 - product)/Z
    square = mean*mean - product
    if (.not. (square >= 0.0_dp .and. mean > Bred)) return
    Zmin = product/(mean + sqrt(square))
    call polish(c2, c1, c0, Bred, Zmin)
    if (.not. (Zmin > Bred*(1.0_dp + 1.0e-9_dp) .and. Zmin < Z)) return
    status = ior(status, statusMultiRoot)
    if (gibbs(Zmin, Ared, Bred) < gibbs(Z, Ared, Bred)) Z = Zmin
  end subroutine root

  ! At most four Newton steps; each must stay above B and lower the residual.
  pure subroutine polish(c2, c1, c0, Bred, Z)
    real(dp), intent(in) :: c2, c1, c0, Bred
    real(dp), intent(inout) :: Z
    real(dp) :: f, Znew, fNew
    integer :: step

    Z = max(Z, Bred*(1.0_dp + 1.0e-10_dp))
    f = ((Z + c2)*Z + c1)*Z + c0
    do step = 1, 4
      Znew = Z - f/((3.0_dp*Z + 2.0_dp*c2)*Z + c1)
      if (.not. Znew > Bred) return
      fNew = ((Znew + c2)*Znew + c1)*Znew + c0
      if (.not. abs(fNew) < abs(f)) return
      Z = Znew
      f = fNew
    end do
  end subroutine polish

  pure real(dp) function gibbs(Z, Ared, Bred)
    real(dp), intent(in) :: Z, Ared, Bred
    gibbs = Z - log(Z - Bred) - Ared/(root8*Bred)*log1p(root8*Bred/(Z - root2m1*Bred))
  end function gibbs

end module tunedEosModule
