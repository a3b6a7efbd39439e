! Procedures of one point in the style of old codes: what `bridge bench port` times.
module pointProcedures
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer, parameter :: nTable = 24, nLayers = 10
  real(dp), parameter :: heatTable(nTable) = [ &
    1.00_dp, 1.01_dp, 1.03_dp, 1.06_dp, 1.10_dp, 1.13_dp, 1.16_dp, 1.18_dp, 1.21_dp, 1.22_dp, &
    1.24_dp, 1.25_dp, 1.26_dp, 1.27_dp, 1.28_dp, 1.285_dp, 1.29_dp, 1.295_dp, 1.30_dp, 1.303_dp, &
    1.306_dp, 1.309_dp, 1.311_dp, 1.313_dp]
contains

  ! Density of sea water: salinity, temperature and their powers, secant bulk modulus.
  subroutine seaDensity(salt, tc, depth, rho)
    real(dp), intent(in) :: salt, tc, depth
    real(dp), intent(out) :: rho
    real(dp) :: t2, t3, t4, t5, s15, s2, pbar, rho0, bulk, a, b
    t2 = tc*tc
    t3 = t2*tc
    t4 = t3*tc
    t5 = t4*tc
    s15 = salt**1.5_dp
    s2 = salt**2
    rho0 = 999.842594_dp + 6.793952e-2_dp*tc - 9.095290e-3_dp*t2 + 1.001685e-4_dp*t3 &
      - 1.120083e-6_dp*t4 + 6.536332e-9_dp*t5 &
      + (8.24493e-1_dp - 4.0899e-3_dp*tc + 7.6438e-5_dp*t2 - 8.2467e-7_dp*t3 + 5.3875e-9_dp*t4)*salt &
      + (-5.72466e-3_dp + 1.0227e-4_dp*tc - 1.6546e-6_dp*t2)*s15 + 4.8314e-4_dp*s2
    pbar = 0.1_dp*depth
    a = 3.239908_dp + 1.43713e-3_dp*tc + 1.16092e-4_dp*t2 - 5.77905e-7_dp*t3 &
      + (2.2838e-3_dp - 1.0981e-5_dp*tc - 1.6078e-6_dp*t2)*salt + 1.91075e-4_dp*s15
    b = 8.50935e-5_dp - 6.12293e-6_dp*tc + 5.2787e-8_dp*t2 &
      + (-9.9348e-7_dp + 2.0816e-8_dp*tc + 9.1697e-10_dp*t2)*salt
    bulk = 19652.21_dp + 148.4206_dp*tc - 2.327105_dp*t2 + 1.360477e-2_dp*t3 - 5.155288e-5_dp*t4 &
      + (54.6746_dp - 0.603459_dp*tc + 1.09987e-2_dp*t2 - 6.1670e-5_dp*t3)*salt &
      + (7.944e-2_dp + 1.6483e-2_dp*tc - 5.3009e-4_dp*t2)*s15 + a*pbar + b*pbar**2
    rho = rho0/(1 - pbar/bulk)
  end subroutine seaDensity

  ! Saturation over water, over ice, and both between.
  subroutine saturation(tk, p, qs, dqs)
    real(dp), intent(in) :: tk, p
    real(dp), intent(out) :: qs, dqs
    real(dp) :: ew, ei, w, es
    if (tk >= 273.16_dp) then
      es = 611.21_dp*exp(17.502_dp*(tk - 273.16_dp)/(tk - 32.19_dp))
    else if (tk <= 250.16_dp) then
      es = 611.21_dp*exp(22.587_dp*(tk - 273.16_dp)/(tk + 0.7_dp))
    else
      w = ((tk - 250.16_dp)/23.0_dp)**2
      ew = 611.21_dp*exp(17.502_dp*(tk - 273.16_dp)/(tk - 32.19_dp))
      ei = 611.21_dp*exp(22.587_dp*(tk - 273.16_dp)/(tk + 0.7_dp))
      es = w*ew + (1 - w)*ei
    end if
    es = min(es, 0.5_dp*p)
    qs = 0.622_dp*es/(p - 0.378_dp*es)
    dqs = qs*4098.0_dp/(tk - 35.86_dp)**2
  end subroutine saturation

  ! Condensation until the air is saturated: Newton's method, as many turns as a point needs.
  subroutine condensation(tair, p, qv, ql, steps)
    real(dp), intent(inout) :: tair, qv, ql
    real(dp), intent(in) :: p
    integer, intent(out) :: steps
    real(dp) :: qs, dqs, change, tnew
    integer :: n
    steps = 0
    call saturation(tair, p, qs, dqs)
    if (qv <= qs .and. ql <= 0) return
    do n = 1, 20
      call saturation(tair, p, qs, dqs)
      change = (qv - qs)/(1 + 2490.0_dp*dqs)
      change = max(change, -ql)
      tnew = tair + 2490.0_dp*change
      qv = qv - change
      ql = ql + change
      steps = n
      if (abs(tnew - tair) < 1e-6_dp) exit
      tair = tnew
    end do
  end subroutine condensation

  ! Rates of five reactions: Arrhenius, fall-off, backwards from equilibrium.
  subroutine reactionRates(tg, conc, rate)
    real(dp), intent(in) :: tg, conc(4)
    real(dp), intent(out) :: rate(4)
    real(dp), parameter :: a(5) = [1.2e5_dp, 3.4e4_dp, 8.1e3_dp, 2.2e6_dp, 5.0e2_dp]
    real(dp), parameter :: beta(5) = [0.5_dp, -0.3_dp, 1.1_dp, 0.0_dp, 2.0_dp]
    real(dp), parameter :: activation(5) = [4200.0_dp, 2500.0_dp, 7800.0_dp, 9000.0_dp, 1200.0_dp]
    real(dp) :: forward(5), low, pr, q
    integer :: n
    do n = 1, 5
      forward(n) = a(n)*(tg/300.0_dp)**beta(n)*exp(-activation(n)/tg)
    end do
    low = forward(3)*10.0_dp**(-0.4_dp + 300.0_dp/tg)
    pr = low*sum(conc)/forward(3)
    forward(3) = forward(3)*pr/(1 + pr)*0.6_dp**(1/(1 + log10(pr)**2))
    q = forward(1)*conc(1)*conc(2) - forward(2)*conc(3)**2
    rate(1) = -q
    rate(2) = -q - forward(4)*conc(2)*sqrt(conc(4))
    rate(3) = 2*q - forward(3)*conc(3)
    rate(4) = forward(3)*conc(3) - forward(5)*conc(4)**1.5_dp
  end subroutine reactionRates

  ! Roe's flux of a perfect gas with an entropy fix.
  subroutine roeFlux(gam, ul, ur, flux)
    real(dp), intent(in) :: gam, ul(3), ur(3)
    real(dp), intent(out) :: flux(3)
    real(dp) :: rl, rr, vl, vr, pl, pr, hl, hr, w, v, h, c, lam(3), dv(3), fl(3), fr(3), eps, dp1
    integer :: k
    rl = ul(1)
    rr = ur(1)
    vl = ul(2)/rl
    vr = ur(2)/rr
    pl = (gam - 1)*(ul(3) - 0.5_dp*rl*vl**2)
    pr = (gam - 1)*(ur(3) - 0.5_dp*rr*vr**2)
    hl = (ul(3) + pl)/rl
    hr = (ur(3) + pr)/rr
    w = sqrt(rr/rl)
    v = (vl + w*vr)/(1 + w)
    h = (hl + w*hr)/(1 + w)
    c = sqrt(max((gam - 1)*(h - 0.5_dp*v**2), 1e-6_dp))
    lam = [abs(v - c), abs(v), abs(v + c)]
    eps = 0.1_dp*c
    do k = 1, 3
      if (lam(k) < eps) lam(k) = 0.5_dp*(lam(k)**2/eps + eps)
    end do
    dp1 = pr - pl
    dv(1) = (dp1 - rl*w*c*(vr - vl))/(2*c**2)
    dv(2) = rr - rl - dp1/c**2
    dv(3) = (dp1 + rl*w*c*(vr - vl))/(2*c**2)
    fl = [rl*vl, rl*vl**2 + pl, rl*vl*hl]
    fr = [rr*vr, rr*vr**2 + pr, rr*vr*hr]
    flux = 0.5_dp*(fl + fr)
    flux(1) = flux(1) - 0.5_dp*(lam(1)*dv(1) + lam(2)*dv(2) + lam(3)*dv(3))
    flux(2) = flux(2) - 0.5_dp*(lam(1)*dv(1)*(v - c) + lam(2)*dv(2)*v + lam(3)*dv(3)*(v + c))
    flux(3) = flux(3) - 0.5_dp*(lam(1)*dv(1)*(h - v*c) + lam(2)*dv(2)*0.5_dp*v**2 &
      + lam(3)*dv(3)*(h + v*c))
  end subroutine roeFlux

  ! A column with an implicit diffusion: a tridiagonal system of its layers.
  subroutine diffusionColumn(dt, dz, kdiff, field)
    real(dp), intent(in) :: dt, dz(nLayers), kdiff(nLayers)
    real(dp), intent(inout) :: field(nLayers)
    real(dp) :: lower(nLayers), diag(nLayers), upper(nLayers), factor
    integer :: k
    do k = 1, nLayers
      lower(k) = 0
      upper(k) = 0
      if (k > 1) lower(k) = -dt*kdiff(k)/(dz(k)*0.5_dp*(dz(k) + dz(k - 1)))
      if (k < nLayers) upper(k) = -dt*kdiff(k + 1)/(dz(k)*0.5_dp*(dz(k) + dz(k + 1)))
      diag(k) = 1 - lower(k) - upper(k)
    end do
    do k = 2, nLayers
      factor = lower(k)/diag(k - 1)
      diag(k) = diag(k) - factor*upper(k - 1)
      field(k) = field(k) - factor*field(k - 1)
    end do
    field(nLayers) = field(nLayers)/diag(nLayers)
    do k = nLayers - 1, 1, -1
      field(k) = (field(k) - upper(k)*field(k + 1))/diag(k)
    end do
  end subroutine diffusionColumn

  ! Friction velocity of a wall law, by Newton's method.
  subroutine wallShear(uPar, y, nu, uTau)
    real(dp), intent(in) :: uPar, y, nu
    real(dp), intent(out) :: uTau
    real(dp) :: f, df, yplus
    integer :: n
    uTau = sqrt(nu*uPar/y)
    if (y*uTau/nu < 11.06_dp) return
    do n = 1, 30
      yplus = y*uTau/nu
      f = uPar/uTau - log(9.8_dp*yplus)/0.41_dp
      df = -uPar/uTau**2 - 1/(0.41_dp*uTau)
      uTau = max(uTau - f/df, 1e-8_dp)
      if (abs(f) < 1e-8_dp) exit
    end do
  end subroutine wallShear

  ! Interpolation in a table of steps of equal width.
  subroutine heatCapacity(t, cp, dcp)
    real(dp), intent(in) :: t
    real(dp), intent(out) :: cp, dcp
    integer :: n
    real(dp) :: x
    x = (t - 200.0_dp)/100.0_dp
    n = min(max(int(x) + 1, 1), nTable - 1)
    dcp = (heatTable(n + 1) - heatTable(n))/100.0_dp
    cp = heatTable(n) + (x - (n - 1))*100.0_dp*dcp
  end subroutine heatCapacity

  ! The temperature of an enthalpy, by a search in sums of the table.
  subroutine temperatureOf(h, t)
    real(dp), intent(in) :: h
    real(dp), intent(out) :: t
    real(dp) :: below, step
    integer :: n
    below = 0
    t = 200
    do n = 1, nTable - 1
      step = 0.5_dp*(heatTable(n) + heatTable(n + 1))*100.0_dp
      if (below + step > h) then
        t = 200 + 100*(n - 1) + 100*(h - below)/step
        return
      end if
      below = below + step
    end do
    t = 200 + 100*(nTable - 1) + (h - below)/heatTable(nTable)
  end subroutine temperatureOf

  ! Turbulent fluxes near the ground: stable and unstable air.
  subroutine surfaceFlux(wind, theta, thetas, z, z0, stress, heat)
    real(dp), intent(in) :: wind, theta, thetas, z, z0
    real(dp), intent(out) :: stress, heat
    real(dp) :: rib, cdn, x, fm, fh, zeta, psim, psih
    rib = 9.81_dp*z*(theta - thetas)/(0.5_dp*(theta + thetas)*max(wind, 0.1_dp)**2)
    cdn = (0.4_dp/log(z/z0))**2
    if (rib < 0) then
      x = (1 - 16*max(rib, -10.0_dp))**0.25_dp
      psim = 2*log(0.5_dp*(1 + x)) + log(0.5_dp*(1 + x**2)) - 2*atan(x) + 1.5707963_dp
      psih = 2*log(0.5_dp*(1 + x**2))
      fm = (1 + 0.1_dp*psim)**2
      fh = 1 + 0.2_dp*psih
    else
      zeta = min(rib, 0.2_dp)
      fm = 1/(1 + 10*zeta*sqrt(1 + 8*zeta))
      fh = exp(-5*zeta)*fm
    end if
    stress = cdn*fm*wind**2
    heat = cdn*fh*wind*(thetas - theta)
  end subroutine surfaceFlux

  ! Faces of a cell from means of its neighbours, limited.
  subroutine parabolicFaces(am2, am1, a0, ap1, ap2, left, right)
    real(dp), intent(in) :: am2, am1, a0, ap1, ap2
    real(dp), intent(out) :: left, right
    real(dp) :: d, curve
    left = (7*(am1 + a0) - (am2 + ap1))/12
    right = (7*(a0 + ap1) - (am1 + ap2))/12
    left = max(min(am1, a0), min(left, max(am1, a0)))
    right = max(min(a0, ap1), min(right, max(a0, ap1)))
    if ((right - a0)*(a0 - left) <= 0) then
      left = a0
      right = a0
    else
      d = right - left
      curve = 6*(a0 - 0.5_dp*(left + right))
      if (d*curve > d*d) then
        left = 3*a0 - 2*right
      else if (-d*d > d*curve) then
        right = 3*a0 - 2*left
      end if
    end if
  end subroutine parabolicFaces

  ! Production and destruction of a turbulence model of one equation.
  subroutine turbulenceSource(nuTilde, nu, dist, vort, source)
    real(dp), intent(in) :: nuTilde, nu, dist, vort
    real(dp), intent(out) :: source
    real(dp), parameter :: kappa = 0.41_dp, cw2 = 0.3_dp, cw3 = 2.0_dp, cv1 = 7.1_dp
    real(dp) :: chi, fv1, fv2, s, r, g, fw, cw1
    chi = nuTilde/nu
    fv1 = chi**3/(chi**3 + cv1**3)
    fv2 = 1 - chi/(1 + chi*fv1)
    s = max(vort + nuTilde/(kappa*dist)**2*fv2, 0.3_dp*vort)
    r = min(nuTilde/(s*(kappa*dist)**2), 10.0_dp)
    g = r + cw2*(r**6 - r)
    fw = g*((1 + cw3**6)/(g**6 + cw3**6))**(1.0_dp/6.0_dp)
    cw1 = 0.1355_dp/kappa**2 + (1 + 0.622_dp)/(2.0_dp/3.0_dp)
    source = 0.1355_dp*s*nuTilde - cw1*fw*(nuTilde/dist)**2
  end subroutine turbulenceSource

  ! A system of four equations, rows exchanged.
  subroutine solveFour(matrix, x)
    real(dp), intent(in) :: matrix(4, 4)
    real(dp), intent(inout) :: x(4)
    real(dp) :: a(4, 4), most, keep, factor
    integer :: i, j, k, row
    a = matrix
    do k = 1, 4
      row = k
      most = abs(a(k, k))
      do i = k + 1, 4
        if (abs(a(i, k)) > most) then
          most = abs(a(i, k))
          row = i
        end if
      end do
      do j = k, 4
        keep = a(k, j)
        a(k, j) = a(row, j)
        a(row, j) = keep
      end do
      keep = x(k)
      x(k) = x(row)
      x(row) = keep
      do i = k + 1, 4
        factor = a(i, k)/a(k, k)
        do j = k + 1, 4
          a(i, j) = a(i, j) - factor*a(k, j)
        end do
        x(i) = x(i) - factor*x(k)
      end do
    end do
    do k = 4, 1, -1
      do j = k + 1, 4
        x(k) = x(k) - a(k, j)*x(j)
      end do
      x(k) = x(k)/a(k, k)
    end do
  end subroutine solveFour

  ! Next to no work: pressure and speed of sound of a stiffened gas.
  subroutine stiffenedGas(rho, e, pres, sound)
    real(dp), intent(in) :: rho, e
    real(dp), intent(out) :: pres, sound
    pres = 3.4_dp*rho*e - 4.4_dp*6e2_dp
    sound = sqrt(4.4_dp*abs(pres + 6e2_dp)/rho)
  end subroutine stiffenedGas

end module pointProcedures
