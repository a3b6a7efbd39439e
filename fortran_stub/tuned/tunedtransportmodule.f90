! Chung transport and mixture-averaged diffusion at one grid point, tuned by hand: mixing rules as
! single sums, one cube root, pairs visited once, no power inside the pair loop. Equations:
! docs/physics.md, sections 10 to 12.
module tunedTransportModule
  use useGENKindDefs, only: dp, expm1, cbrt
  use chungTablesModule, only: chungE, chungB, chungQ0
  use statusModule
  use tunedTablesModule
  implicit none
  private
  public :: tunedTransport

contains

  pure subroutine tunedTransport(T, P, X, W, v, cv0, eta, lambda, Dim, status)
    real(dp), intent(in) :: T, P, X(maxSpecies), W, v, cv0
    real(dp), intent(out) :: eta, lambda, Dim(ns)   ! Pa s, W/(m K), m2/s
    integer, intent(inout) :: status
    real(dp) :: size3, energy, omega, dipole, kappa, Tc, Pc, form, factor, RT
    integer :: i

    size3 = 0.0_dp
    energy = 0.0_dp
    omega = 0.0_dp
    dipole = 0.0_dp
    kappa = 0.0_dp
    Tc = 0.0_dp
    Pc = 0.0_dp
    do i = 1, ns
      size3 = size3 + X(i)*s15(i)
      energy = energy + X(i)*s15e(i)
      omega = omega + X(i)*s15w(i)
      dipole = dipole + X(i)*dipoleFactor(i)
      kappa = kappa + X(i)*kappaFactor(i)
      Tc = Tc + X(i)*Tci(i)
      Pc = Pc + X(i)*Pci(i)
    end do
    form = 0.0_dp
    do i = 1, ns
      form = form + X(i)*dot_product(massPair(1:i, i), X(1:i))
    end do
    call viscosityAndConductivity(T, v, cv0, size3, energy/size3, omega/size3, dipole, &
                                  kappa*kappa, form, eta, lambda, status)
    factor = takahashiFactor(T/Tc, P/Pc)
    RT = Rgas*T
    if ((T < Tc .or. P > 5.0_dp*Pc) .and. 0.30740130869870386_dp*Rgas*Tc > Pc*v) &
      status = ior(status, statusDiffRange)
    if (factor*RT > 1.5_dp*P*v) status = ior(status, statusDiffRange)
    if (ns == 1) then
      Dim(1) = factor*T*sqrt(T)/P*diffusionPair(1, 1) &
               *invOmega(T, T**(-omegaB), 1, 1)
    else
      call mixtureDiffusion(T, P, X, W, factor, Dim)
    end if
  end subroutine tunedTransport

  pure subroutine viscosityAndConductivity(T, v, cv0, size3, rootEps, omega, dipole, kappa, form, &
                                           eta, lambda, status)
    real(dp), intent(in) :: T, v, cv0, size3, rootEps, omega, dipole, kappa, form
    real(dp), intent(out) :: eta, lambda
    integer, intent(inout) :: status
    real(dp) :: sigma, eps, edge2, Vcm, Tcm, mr4, rootM, Tstar, invT, omega22, Fc, y, G1, open
    real(dp) :: w, eta0, G2, H2, alpha, beta, Zt, psi, E(10), B(7), VT

    sigma = cbrt(size3*size3)
    eps = rootEps*rootEps
    edge2 = (sigma/0.809_dp)**2
    Vcm = edge2*(sigma/0.809_dp)
    Tcm = 1.2593_dp*eps
    VT = Vcm*Tcm
    mr4 = 131.3_dp**4*size3*size3*dipole*dipole/(VT*VT)
    rootM = form/(eps*sigma*sigma)            ! of the pseudo molar mass
    Tstar = T/eps
    if (Tstar < tStarMin) then
      Tstar = tStarMin
      status = ior(status, statusTransportClamp)
    end if
    omega22 = 1.16145_dp*exp(-0.14874_dp*log(Tstar)) + 0.52487_dp*exp(-0.77320_dp*Tstar) &
              + 2.16178_dp*exp(-2.43787_dp*Tstar)
    Fc = 1.0_dp - 0.2756_dp*omega + 0.059035_dp*mr4 + kappa
    y = 1.0e-6_dp*Vcm/(6.0_dp*v)
    if (y > 0.95_dp) then
      y = 0.95_dp
      status = ior(status, statusTransportClamp)
    end if
    open = 1.0_dp/(1.0_dp - y)
    G1 = (1.0_dp - 0.5_dp*y)*open*open*open
    eta0 = 40.785e-7_dp*Fc*rootM*sqrt(T)/(edge2*omega22)

    w = min(max(omega, 0.0_dp), 1.0_dp)
    E = chungE(1, :) + chungE(2, :)*w
    w = min(max(omega, -0.25_dp), 1.0_dp)
    B = chungB(1, :) + chungB(2, :)*w
    G2 = dense(E(1), E(2), E(3), E(4), E(5), y, G1)
    H2 = dense(B(1), B(2), B(3), B(4), B(5), y, G1)
    invT = 1.0_dp/Tstar
    eta = eta0*(1.0_dp/G2 + E(6)*y) + 36.344e-7_dp*rootM*sqrt(Tcm)/edge2*E(7)*y*y*G2 &
          *exp(E(8) + (E(9) + E(10)*invT)*invT)

    alpha = cv0/Rgas - 1.5_dp
    beta = 0.7862_dp - (0.7109_dp - 1.3168_dp*omega)*omega
    Zt = 2.0_dp + 10.5_dp*(T/Tcm)**2
    psi = 1.0_dp + alpha*(0.215_dp + 0.28288_dp*alpha - 1.061_dp*beta + 0.26665_dp*Zt) &
          /(0.6366_dp + beta*Zt + 1.061_dp*alpha*beta)
    lambda = 31.2e3_dp*eta0*psi/(rootM*rootM)*(1.0_dp/H2 + B(6)*y) &
             + chungQ0*sqrt(1.0e3_dp*T)/(rootM*edge2)*B(7)*y*y*H2
    if (eta <= 0.0_dp .or. lambda <= 0.0_dp) status = ior(status, statusChungSingular)
  end subroutine viscosityAndConductivity

  pure real(dp) function dense(c1, c2, c3, c4, c5, y, G1)
    real(dp), intent(in) :: c1, c2, c3, c4, c5, y, G1
    real(dp) :: ratio

    ratio = c4
    if (y > 0.0_dp) ratio = -expm1(-c4*y)/y
    dense = (c1*ratio + (c2*exp(c5*y) + c3)*G1)/(c1*c4 + c2 + c3)
  end function dense

  ! 1/Omega11 of a pair; power is T**(-omegaB).
  pure real(dp) function invOmega(T, power, i, j)
    real(dp), intent(in) :: T, power
    integer, intent(in) :: i, j
    real(dp) :: Tstar

    Tstar = T*invEps(i, j)
    if (Tstar < tStarMin) then
      invOmega = tStarMin**(-omegaB)
      Tstar = tStarMin
    else
      invOmega = power*epsPower(i, j)
    end if
    invOmega = 1.0_dp/(omegaA*invOmega + omegaC*exp(-omegaD*Tstar) + omegaE*exp(-omegaF*Tstar) &
                       + omegaG*exp(-omegaH*Tstar))
  end function invOmega

  ! The resistance of a pair goes to both of its species; row sums of masses are one sum.
  pure subroutine mixtureDiffusion(T, P, X, W, factor, Dim)
    real(dp), intent(in) :: T, P, X(maxSpecies), W, factor
    real(dp), intent(out) :: Dim(ns)
    real(dp) :: resistance(maxSpecies), xt(maxSpecies), row(maxSpecies)
    real(dp) :: power, floorPower, Tstar, head, total, xj, scale, sum_
    integer :: i, j, k

    power = exp(-omegaB*log(T))
    floorPower = exp(-omegaB*log(tStarMin))
    total = 0.0_dp
    do i = 1, ns
      xt(i) = X(i) + trace
      total = total + xt(i)*Wi(i)
      resistance(i) = 0.0_dp
    end do
    do j = 2, ns
      do i = 1, j - 1
        Tstar = max(T*invEps(i, j), tStarMin)
        head = min(power*epsPower(i, j), floorPower)
        row(i) = (omegaA*head + omegaC*exp(-omegaD*Tstar) + omegaE*exp(-omegaF*Tstar) &
                  + omegaG*exp(-omegaH*Tstar))/diffusionPair(i, j)
      end do
      xj = xt(j)
      sum_ = 0.0_dp
      do i = 1, j - 1
        resistance(i) = resistance(i) + xj*row(i)
        sum_ = sum_ + xt(i)*row(i)
      end do
      resistance(j) = sum_
    end do
    scale = factor*T*sqrt(T)/(P*W)
    do i = 1, ns
      Dim(i) = total - xt(i)*Wi(i)
      if (Dim(i) < 1.0e-3_dp*total) then      ! nearly pure: the difference would cancel
        Dim(i) = 0.0_dp
        do k = 1, ns
          if (k /= i) Dim(i) = Dim(i) + xt(k)*Wi(k)
        end do
      end if
      Dim(i) = scale*Dim(i)/resistance(i)
    end do
  end subroutine mixtureDiffusion

end module tunedTransportModule
