! Stable fluids in a square box, moved to the bridge stage by stage.   ./fluids [fluids.nml]
!
! version = 'fortran'      as it was
!           'reactburst'   the step by the bridge; react on the host, with copies there and back
!           'threacburst'  react by the bridge as well, the copies still there
!           'stepburst'    all arrays stay where the kernels are; the fields come back at the end
program fluids
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use bridge
  use settingsmodule, only: readSettings, n, steps, version
  use fieldsmodule, only: allocateFields, clearFields
  use reactmodule, only: react
  use stepmodule, only: step
  use outputmodule, only: openFrames, writeFrame, closeFrames, writeResults, wantsFrame
  use arraysmodule, only: beginBridge, endBridge, toDevice, toHost
  use bridgestepmodule, only: bridgeStep, bridgeReact
  implicit none
  integer(int64) :: began, ended, rate
  integer :: number
  logical :: moved

  call readSettings
  moved = version /= 'fortran'
  call allocateFields
  call openFrames
  if (moved) call beginBridge
  if (moved) call warmUp
  call system_clock(began, rate)
  do number = 1, steps
    select case (version)
    case ('fortran')
      call react
      call step
    case ('reactburst')
      call react
      call toDevice
      call bridgeStep
      call toHost
    case ('threacburst')
      call toDevice
      call bridgeReact
      call toHost
      call toDevice
      call bridgeStep
      call toHost
    case ('stepburst')
      call bridgeReact
      call bridgeStep
    case default
      error stop 'version: wanted fortran, reactburst, threacburst or stepburst'
    end select
    if (wantsFrame(number)) then
      if (moved) call frame_update_host('sources of d', 'fluids_x')
      call writeFrame
    end if
  end do
  if (moved) call endBridge
  call system_clock(ended)
  call closeFrames
  call writeResults
  print '(a, f12.4)', 'ns per cell and step', &
    (ended - began)*1.0e9_real64/rate/(real(n, real64)**2*steps)
  if (moved) then
    call frame_report
    call frame_finalize
  end if

contains

  ! A step in which runs are prepared and a GPU's kernels compiled, and which is undone.
  subroutine warmUp
    call bridgeReact
    call bridgeStep
    call clearFields
    call toDevice
    call frame_update_device('sources of u', 'fluids_x')
    call frame_update_device('sources of v', 'fluids_x')
    call frame_update_device('sources of d', 'fluids_x')
  end subroutine warmUp

end program fluids
