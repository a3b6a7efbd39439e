! Which way the properties come: the Fortran subroutines or the bridge.
module propertiesModule
  use useGENKindDefs, only: dp
  use caseModule, only: Offload, Phases, Cells
  use statusModule, only: statusYClipped, statusTExtrap, statusMultiRoot, statusNearCritical
  use blocksModule
  use legacyPropertiesModule
  use bridgePropertiesModule
  implicit none
  private
  public :: propertiesThermal, propertiesViscous, propertiesFromPressure
  public :: propertiesJacobian, propertiesOfPrimitive, phasesCount, statusCount

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

  subroutine propertiesJacobian(b)
    type(block), intent(inout) :: b

    if (Offload == 'none') then
      call legacyJacobian(b)
    else
      call bridgeJacobian(b)
    end if
  end subroutine propertiesJacobian

  subroutine propertiesOfPrimitive(b)
    type(block), intent(inout) :: b

    if (Offload == 'none') then
      call legacyOfPrimitive(b)
    else
      call bridgeOfPrimitive(b)
    end if
  end subroutine propertiesOfPrimitive

  ! How many cells of the last state would split into two phases: rank 0 says it. Where the case
  ! wants one phase, any such cell ends the run. Fortran has no such test.
  subroutine phasesCount
    integer :: ours(2), split, unsure
    character(len=160) :: text

    if (Offload == 'none' .or. Phases == 'off') return
    ours = bridgePhases()
    split = nint(globalSum(real(ours(1), dp)))
    unsure = nint(globalSum(real(ours(2), dp)))
    if (split > 0) then
      write(text, '(2(a,i0),a)') 'two phases: ', split, ' of ', product(Cells), ' cells would split'
    else
      write(text, '(a,i0,a)') 'one phase: all ', product(Cells) - unsure, ' cells are stable'
    end if
    if (unsure > 0) write(text, '(a,i0,a)') trim(text)//', of ', unsure, ' nothing is known'
    if (rank == 0) write(*, '(a)') trim(text)
    if (Phases == 'one' .and. split + unsure > 0) call stopAll('the case is not one phase: '//trim(text))
  end subroutine phasesCount

  ! How many cells of the last state have a bit that says what its numbers are worth.
  subroutine statusCount
    integer, parameter :: n = 4
    integer, parameter :: bits(n) = [statusYClipped, statusTExtrap, statusMultiRoot, statusNearCritical]
    character(len=13), parameter :: names(n) = [character(len=13) :: 'Y_CLIPPED', 'T_EXTRAP', &
      'MULTI_ROOT', 'NEAR_CRITICAL']
    integer :: m, b, found

    do m = 1, n
      found = 0
      do b = 1, size(own)
        found = found + count(iand(own(b)%status(1:own(b)%n(1), 1:own(b)%n(2), 1:own(b)%n(3), 1), &
                                   bits(m)) /= 0)
      end do
      found = nint(globalSum(real(found, dp)))
      if (rank == 0 .and. found > 0) write(*, '(3a,2(i0,a))') 'status: ', trim(names(m)), ' in ', &
        found, ' of ', product(Cells), ' cells'
    end do
  end subroutine statusCount

end module propertiesModule
