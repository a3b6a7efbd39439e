! Which way the properties of a step come: the Fortran subroutines, the bridge, or both.
module propertiesModule
  use caseModule, only: Properties, Style, VerifyTolerance
  use statusModule
  use fieldsModule
  use decompositionModule, only: Spt, Ept, offset, stopAll
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

  ! The one-phase assumption of the case, and valid states: stop in words if either is lost.
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
          if (iand(status, statusMultiRoot) /= 0) text = trim(text)//': two phases'
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
    if (Properties /= 'fortran') call bridgeEnd
  end function propertiesEnd

end module propertiesModule
