! The status word of a grid point: one integer, bits combined by ior (docs/physics.md, section 3).
module statusModule
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  use useGENKindDefs, only: dp
  implicit none
  private :: dp, ieee_value, ieee_quiet_nan
  public

  integer, parameter :: statusOK = 0
  integer, parameter :: statusBadT = 1
  integer, parameter :: statusBadP = 2
  integer, parameter :: statusBadY = 4
  integer, parameter :: statusYClipped = 8
  integer, parameter :: statusYRenorm = 16
  integer, parameter :: statusTExtrap = 32
  integer, parameter :: statusMultiRoot = 64
  integer, parameter :: statusNearCritical = 128
  integer, parameter :: statusHGap = 256
  integer, parameter :: statusHBelow = 512
  integer, parameter :: statusHAbove = 1024
  integer, parameter :: statusNoConv = 2048
  integer, parameter :: statusChungSingular = 4096
  integer, parameter :: statusTransportClamp = 8192
  integer, parameter :: statusUnstable = 16384
  integer, parameter :: statusTwoPhase = 32768
  integer, parameter :: statusStabilityOpen = 65536
  integer, parameter :: statusDiffRange = 131072
  integer, parameter :: statusBadRho = 262144

  ! A point with one of these bits has no result: every real output is a quiet NaN.
  integer, parameter :: statusFatal = statusBadT + statusBadP + statusBadY + statusBadRho

  ! Outside these the formulas leave the range of a double: bad T, bad P, bad density.
  real(dp), parameter :: leastT = 1.0e-10_dp, mostT = 1.0e60_dp
  real(dp), parameter :: leastP = 1.0e-100_dp, mostP = 1.0e15_dp
  real(dp), parameter :: leastRho = 1.0e-60_dp

  ! The largest doubt about a constant heat capacity outside the fits.
  real(dp), parameter :: mostDoubt = 0.03_dp

contains

  pure logical function isFatal(status)
    integer, intent(in) :: status
    isFatal = iand(status, statusFatal) /= 0
  end function isFatal

  pure real(dp) function quietNaN()
    quietNaN = ieee_value(1.0_dp, ieee_quiet_nan)
  end function quietNaN

end module statusModule
