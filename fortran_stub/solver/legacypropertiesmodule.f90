! Properties by the Fortran subroutines, point by point: what the bridge replaces.
module legacyPropertiesModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use eosModule, only: eosThermalAndViscousProperties
  use decompositionModule, only: Spt, Ept
  use fieldsModule
  implicit none
  private
  public :: legacyProperties

contains

  subroutine legacyProperties(array)
    real(dp), intent(inout) :: array(:, :, :, :)   ! columns as fieldsModule lists them
    real(dp) :: rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT, eta, lambda
    real(dp) :: Y(ns), Dim(ns), hYi(ns), Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr
    integer :: status, i, j, k

    do k = Spt(3), Ept(3)
      do j = Spt(2), Ept(2)
        do i = Spt(1), Ept(1)
          Y = Q(i, j, k, iY:iY + ns - 1)
          call eosThermalAndViscousProperties(Q(i, j, k, iT), Q(i, j, k, iP), Y, &
            rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT, eta, lambda, Dim, hYi, &
            Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr, status)
          array(i, j, k, :) = [rho, lambda, Dim, hYi, W, Z, h, cp, cv, gamma, c, rhop, rhoT, &
                               hp, hT, eta, Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr, &
                               real(status, dp)]
        end do
      end do
    end do
  end subroutine legacyProperties

end module legacyPropertiesModule
