! Sources of a step: forces where the fluid has come to rest, density where it has thinned out.
module reactmodule
  use settingsmodule, only: sp, n, force, source
  use fieldsmodule, only: u0, v0, d0
  implicit none
  private
  public :: react

contains

  subroutine react
    real(sp) :: maxVelocity2, maxDensity
    integer :: x, y, half
    maxVelocity2 = maxval(u0*u0 + v0*v0)
    maxDensity = maxval(d0)
    u0 = 0
    v0 = 0
    d0 = 0
    half = n/2
    if (maxVelocity2 < 0.0000005_sp) then
      u0(half, half) = force*10.0_sp
      v0(half, half) = force*10.0_sp
      do y = 64, n - 1, 64
        do x = 64, n - 1, 64
          u0(x, y) = force*1000.0_sp*(half - y)/half
          v0(x, y) = force*1000.0_sp*(half - x)/half
        end do
      end do
    end if
    if (maxDensity < 1.0_sp) then
      d0(half, half) = source*10.0_sp
      do y = 64, n - 1, 64
        do x = 64, n - 1, 64
          d0(x, y) = source*1000.0_sp
        end do
      end do
    end if
  end subroutine react

end module reactmodule
