! Which way the properties of a step come: the Fortran subroutines, the bridge, or both.
module propertiesModule
  use useGENKindDefs, only: dp
  use caseModule, only: Properties, Style, VerifyTolerance, Phases
  use statusModule
  use fieldsModule
  use decompositionModule, only: rank, Spt, Ept, offset, globalSum, stopAll
  use legacyPropertiesModule, only: legacyProperties
  use bridgePropertiesModule
  use verifyModule, only: verifyCompare, verifyTable
  use timersModule
  implicit none
  private
  public :: propertiesBegin, propertiesEvaluate, propertiesEnd

contains

  subroutine propertiesBegin
    if (Properties == 'fortran') return
    call bridgeBegin
    if (Properties == 'bridge') call bridgeBind(prop)
    if (Properties == 'verify') call bridgeBind(checked)
  end subroutine propertiesBegin

  ! Fill the property array of every interior cell from Q, as it is after `step` steps. With
  ! 'verify' the Fortran answer is the one that is used.
  subroutine propertiesEvaluate(step)
    integer, intent(in) :: step

    if (Properties /= 'bridge') then
      call timerStart(timerFortran)
      call legacyProperties(prop)
      call timerStop(timerFortran)
    end if
    if (Properties /= 'fortran') then
      call timerStart(timerBridge)
      if (Style == 'bind') call boundProperties
      if (Style == 'stripe' .and. Properties == 'bridge') call stripeProperties(prop)
      if (Style == 'stripe' .and. Properties == 'verify') call stripeProperties(checked)
      call timerStop(timerBridge)
    end if
    if (Properties == 'verify') call verifyCompare(prop, checked, step)
    call checkStatus(step)
  end subroutine propertiesEvaluate

  ! Valid states with one root of the cubic: stop in words if either is lost.
  subroutine checkStatus(step)
    integer, intent(in) :: step
    character(len=160) :: text
    integer :: i, j, k, status, column

    column = propertyIndex('status')
    do k = Spt(3), Ept(3)
      do j = Spt(2), Ept(2)
        do i = Spt(1), Ept(1)
          status = nint(prop(i, j, k, column))
          if (iand(status, statusFatal + statusMultiRoot + statusUnstable) == 0) cycle
          write(text, '(a,i0,a,3(1x,i0),a,i0)') 'status ', status, ' in cell', &
            [i, j, k] - Spt + 1 + offset, ' after step ', step
          if (iand(status, statusMultiRoot) /= 0) text = trim(text)//': two densities'
          if (isFatal(status)) text = trim(text)//': not a valid state'
          call stopAll(text)
        end do
      end do
    end do
  end subroutine checkStatus

  ! False if the two answers differ by more than the case allows.
  logical function propertiesEnd()
    propertiesEnd = .true.
    if (Properties == 'verify') propertiesEnd = verifyTable(VerifyTolerance)
    if (Properties == 'fortran') return
    if (Phases /= 'off') call phasesEnd
    call bridgeEnd
  end function propertiesEnd

  ! How many cells of the last state would split into two phases: rank 0 says it. Where the case
  ! wants one phase, any such cell ends the run.
  subroutine phasesEnd
    integer :: ours(3), cells, split, unsure
    character(len=160) :: text

    ours = boundPhases()
    cells = nint(globalSum(real(ours(1), dp)))
    split = nint(globalSum(real(ours(2), dp)))
    unsure = nint(globalSum(real(ours(3), dp)))
    if (split > 0) then
      write(text, '(2(a,i0),a)') 'two phases: ', split, ' of ', cells, ' cells would split'
    else
      write(text, '(a,i0,a)') 'one phase: all ', cells - unsure, ' cells are stable'
    end if
    if (unsure > 0) write(text, '(a,i0,a)') trim(text)//', of ', unsure, ' nothing is known'
    if (rank == 0) write(*, '(/,a)') trim(text)
    if (Phases == 'one' .and. split + unsure > 0) call stopAll('the case is not one phase: '//trim(text))
  end subroutine phasesEnd

end module propertiesModule
