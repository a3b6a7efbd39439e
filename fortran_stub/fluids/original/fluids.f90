! Stable fluids in a square box.   ./fluids [fluids.nml]
program fluids
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use settingsmodule, only: readSettings, n, steps
  use fieldsmodule, only: allocateFields
  use reactmodule, only: react
  use stepmodule, only: step
  use outputmodule, only: openFrames, writeFrame, closeFrames, writeResults, wantsFrame
  implicit none
  integer(int64) :: began, ended, rate
  integer :: number

  call readSettings
  call allocateFields
  call openFrames
  call system_clock(began, rate)
  do number = 1, steps
    call react
    call step
    if (wantsFrame(number)) call writeFrame
  end do
  call system_clock(ended)
  call closeFrames
  call writeResults
  print '(a, f12.4)', 'ns per cell and step', &
    (ended - began)*1.0e9_real64/rate/(real(n, real64)**2*steps)
end program fluids
