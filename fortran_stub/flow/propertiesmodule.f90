! Which way the properties come: the Fortran subroutines or the bridge.
module propertiesModule
  use caseModule, only: Offload
  use blocksModule
  use legacyPropertiesModule
  use bridgePropertiesModule
  implicit none
  private
  public :: propertiesThermal, propertiesViscous, propertiesFromPressure

contains

  subroutine propertiesThermal(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)

    if (Offload == 'none') then
      call legacyThermal(b, boxes)
    else
      call bridgeThermal(b, boxes)
    end if
  end subroutine propertiesThermal

  subroutine propertiesViscous(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)

    if (Offload == 'none') then
      call legacyViscous(b, boxes)
    else
      call bridgeViscous(b, boxes)
    end if
  end subroutine propertiesViscous

  subroutine propertiesFromPressure(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)

    if (Offload == 'none') then
      call legacyFromPressure(b, boxes)
    else
      call bridgeFromPressure(b, boxes)
    end if
  end subroutine propertiesFromPressure

end module propertiesModule
