! Tables of the hand-tuned physics: everything that depends on the species alone is worked out
! once, so that a point multiplies and adds. Species lie along the first index of every table,
! where the compiler's own vectors run.
module tunedTablesModule
  use useGENKindDefs, only: dp
  use speciesModule
  use chungTablesModule, only: takahashi
  implicit none
  private :: dp, takahashi, tableRow, heatCapacity, heatSlope
  public

  integer, parameter :: maxSpecies = 128   ! work arrays of a point have a fixed size
  real(dp), parameter :: tStarMin = 0.3_dp, trace = 1.0e-20_dp

  ! Collision integral of diffusion, Neufeld et al. 1972.
  real(dp), parameter :: omegaA = 1.06036_dp, omegaB = 0.15610_dp, omegaC = 0.19300_dp, &
    omegaD = 0.47635_dp, omegaE = 1.03587_dp, omegaF = 1.52996_dp, omegaG = 1.76474_dp, &
    omegaH = 3.89411_dp

  logical :: anyKij = .false.

  ! u_i = uRoot0 - uRoot1 sqrt(T); invW mol/kg; Zci critical compressibility.
  real(dp), allocatable :: uRoot0(:), uRoot1(:), invW(:), Zci(:)
  real(dp), allocatable :: attraction(:, :)          ! 1 - kij

  ! NASA-7 by coefficient: low and high range, h*/R integrated, times R.
  real(dp), allocatable :: tLow(:), tMid(:), tHigh(:), nasaLow(:, :), nasaHigh(:, :)

  ! Between fitLow and fitHigh all fits hold; heat capacities at the ends, and their slopes there.
  real(dp) :: fitLow, fitHigh
  real(dp), allocatable :: cpLow(:), cpHigh(:), slopeLow(:), slopeHigh(:)

  ! Chung's factors of the single sums, and the matrix of the one double sum.
  real(dp), allocatable :: s15(:), s15e(:), s15w(:), dipoleFactor(:), kappaFactor(:), massPair(:, :)

  ! Diffusion: factor of T**1.5/(P Omega11), 1/eps, eps**omegaB.
  real(dp), allocatable :: diffusionPair(:, :), invEps(:, :), epsPower(:, :)

contains

  subroutine tunedTables
    integer :: i, j

    if (ns > maxSpecies) error stop 'tunedTables: more species than maxSpecies'
    anyKij = any(abs(kij) > 0.0_dp)
    uRoot0 = qi*(1.0_dp + mi)
    uRoot1 = qi*mi/sqrt(Tci)
    invW = 1.0_dp/Wi
    Zci = Pci*Vci/(Rgas*Tci)
    attraction = 1.0_dp - kij
    tLow = nasa7(1, :)
    tMid = nasa7(2, :)
    tHigh = nasa7(3, :)
    nasaLow = Rgas*transpose(nasa7(4:9, :))
    nasaHigh = Rgas*transpose(nasa7(11:16, :))
    fitLow = maxval(tLow)
    fitHigh = minval(tHigh)
    cpLow = [(heatCapacity(tLow(i), i), i = 1, ns)]
    cpHigh = [(heatCapacity(tHigh(i), i), i = 1, ns)]
    slopeLow = [(abs(heatSlope(tLow(i), i)), i = 1, ns)]
    slopeHigh = [(abs(heatSlope(tHigh(i), i)), i = 1, ns)]
    slopeHigh = max(slopeHigh, 0.03_dp*cpHigh/tHigh)
    s15 = sigmai*sqrt(sigmai)
    s15e = s15*sqrt(epsi)
    s15w = s15*omegai
    dipoleFactor = dipolei**2/s15
    kappaFactor = sqrt(kappai)
    massPair = epsij*sigmaij**2*rootMij
    diffusionPair = 5.955821987975543e-4_dp*rootWij/sigmaDij2
    invEps = 1.0_dp/epsij
    epsPower = epsij**omegaB
    do j = 1, ns            ! the half sums count a pair once
      do i = 1, j - 1
        massPair(i, j) = 2.0_dp*massPair(i, j)
      end do
    end do
  end subroutine tunedTables

  ! Linear interpolation between two rows; Tr is at least one.
  ! Of species i at an end of its fit, and its derivative: J/(mol K).
  pure real(dp) function heatCapacity(T, i)
    real(dp), intent(in) :: T
    integer, intent(in) :: i
    real(dp) :: a(5)

    a = merge(nasaLow(i, 1:5), nasaHigh(i, 1:5), T <= tMid(i))
    heatCapacity = a(1) + T*(a(2) + T*(a(3) + T*(a(4) + T*a(5))))
  end function heatCapacity

  pure real(dp) function heatSlope(T, i)
    real(dp), intent(in) :: T
    integer, intent(in) :: i
    real(dp) :: a(5)

    a = merge(nasaLow(i, 1:5), nasaHigh(i, 1:5), T <= tMid(i))
    heatSlope = a(2) + T*(2.0_dp*a(3) + T*(3.0_dp*a(4) + T*4.0_dp*a(5)))
  end function heatSlope

  pure real(dp) function takahashiFactor(Tr, Pr) result(factor)
    real(dp), intent(in) :: Tr, Pr
    integer, parameter :: last = size(takahashi, 2)
    real(dp) :: lnTr, lower
    integer :: k

    lnTr = log(max(Tr, 1.0_dp))
    if (Pr <= takahashi(1, 1)) then
      factor = 1.0_dp + (Pr/takahashi(1, 1))*(tableRow(1, lnTr) - 1.0_dp)
    else if (Pr >= takahashi(1, last)) then
      factor = tableRow(last, lnTr)
    else
      k = 1
      do while (Pr > takahashi(1, k + 1))
        k = k + 1
      end do
      lower = tableRow(k, lnTr)
      factor = lower + (Pr - takahashi(1, k))/(takahashi(1, k + 1) - takahashi(1, k)) &
                       *(tableRow(k + 1, lnTr) - lower)
    end if
  end function takahashiFactor

  ! Many rows have C = 0: their second power is not taken.
  pure real(dp) function tableRow(k, lnTr)
    integer, intent(in) :: k
    real(dp), intent(in) :: lnTr

    tableRow = takahashi(2, k)*(1.0_dp - takahashi(3, k)*exp(-takahashi(4, k)*lnTr))
    if (takahashi(5, k) > 0.0_dp) &
      tableRow = tableRow*(1.0_dp - takahashi(5, k)*exp(-takahashi(6, k)*lnTr))
  end function tableRow

end module tunedTablesModule
