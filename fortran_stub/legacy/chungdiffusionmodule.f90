! Mass diffusivity: Chapman-Enskog pairs, the high-pressure factor of Takahashi and the
! mixture average, at one grid point (docs/physics.md, section 12).
module chungDiffusionModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns, Wi, epsij, sigmaDij2, rootWij, Rgas
  use chungTablesModule, only: takahashi
  use statusModule
  implicit none
  private
  public :: chungBinaryDiffusion, chungTakahashiFactor, chungMixtureDiffusion

contains

  ! D0_ij m2/s; symmetric, each pair computed once.
  pure subroutine chungBinaryDiffusion(T, P, D0ij)
    real(dp), intent(in) :: T, P
    real(dp), intent(out) :: D0ij(ns, ns)
    real(dp) :: Tstar, Omega11
    integer :: i, j

    do i = 1, ns
      do j = i, ns
        Tstar = max(T/epsij(j, i), 0.3_dp)
        Omega11 = 1.06036_dp*Tstar**(-0.15610_dp) + 0.19300_dp*exp(-0.47635_dp*Tstar) &
                  + 1.03587_dp*exp(-1.52996_dp*Tstar) + 1.76474_dp*exp(-3.89411_dp*Tstar)
        D0ij(j, i) = 5.955821987975543e-4_dp*T*sqrt(T)*rootWij(j, i) &
                     /(P*sigmaDij2(j, i)*Omega11)
        D0ij(i, j) = D0ij(j, i)
      end do
    end do
  end subroutine chungBinaryDiffusion

  ! One factor per point, from Kay's reduced state; Tr is held at one or above. In a liquid outside
  ! the table, and where it would spread faster than the dilute gas, it is not to be relied on.
  pure subroutine chungTakahashiFactor(Tr, Pr, T, P, v, factor, status)
    real(dp), intent(in) :: Tr, Pr, T, P, v
    real(dp), intent(out) :: factor
    integer, intent(inout) :: status
    integer, parameter :: last = size(takahashi, 2)
    real(dp), parameter :: Zcritical = 0.30740130869870386_dp, mostGain = 1.5_dp
    real(dp) :: Trc, lower, upper, Z
    integer :: k

    Trc = max(Tr, 1.0_dp)
    if (Pr <= takahashi(1, 1)) then
      factor = 1.0_dp + (Pr/takahashi(1, 1))*(takahashiRow(1, Trc) - 1.0_dp)
    else if (Pr >= takahashi(1, last)) then
      factor = takahashiRow(last, Trc)
    else
      k = 1
      do while (Pr > takahashi(1, k + 1))
        k = k + 1
      end do
      lower = takahashiRow(k, Trc)
      upper = takahashiRow(k + 1, Trc)
      factor = lower + (Pr - takahashi(1, k))/(takahashi(1, k + 1) - takahashi(1, k)) &
                       *(upper - lower)
    end if
    Z = P*v/(Rgas*T)
    if ((Tr < 1.0_dp .or. Pr > takahashi(1, last)) .and. Pr/(Tr*Z) > 1.0_dp/Zcritical) &
      status = ior(status, statusDiffRange)
    if (factor > mostGain*Z) status = ior(status, statusDiffRange)
  end subroutine chungTakahashiFactor

  pure real(dp) function takahashiRow(k, Tr)
    integer, intent(in) :: k
    real(dp), intent(in) :: Tr

    takahashiRow = takahashi(2, k)*(1.0_dp - takahashi(3, k)*Tr**(-takahashi(4, k))) &
                   *(1.0_dp - takahashi(5, k)*Tr**(-takahashi(6, k)))
  end function takahashiRow

  ! Finite also where one species is alone.
  pure subroutine chungMixtureDiffusion(X, W, D0ij, factor, Dim)
    real(dp), intent(in) :: X(ns), W, D0ij(ns, ns), factor
    real(dp), intent(out) :: Dim(ns)         ! m2/s
    real(dp), parameter :: trace = 1.0e-20_dp
    real(dp) :: mass, resistance
    integer :: i, j

    if (ns == 1) then
      Dim(1) = factor*D0ij(1, 1)
      return
    end if
    do i = 1, ns
      mass = 0.0_dp
      resistance = 0.0_dp
      do j = 1, ns
        if (j == i) cycle
        mass = mass + (X(j) + trace)*Wi(j)/W
        resistance = resistance + (X(j) + trace)/(factor*D0ij(j, i))
      end do
      Dim(i) = mass/resistance
    end do
  end subroutine chungMixtureDiffusion

end module chungDiffusionModule
