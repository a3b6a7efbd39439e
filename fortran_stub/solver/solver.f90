! A small CASTLES: uniform Cartesian blocks with fringes, real-gas properties in every cell of
! every step, transport of temperature and mass fractions by a prescribed shear flow.
!
!   mpirun -n 2 solver jet.nml Properties=bridge
program solver
  use mpi
  use useGENKindDefs, only: dp
  use caseModule
  use decompositionModule
  use fieldsModule
  use jetModule, only: jetInitial, jetVelocity, jetCheckStreams
  use propertiesModule
  use transportModule, only: fillFringes, timeStep, advance
  use outputModule, only: writeFields
  use timersModule
  implicit none

  character(len=512) :: message, header
  real(dp) :: time, stepSize
  integer :: step, ierror
  logical :: agreed

  call MPI_Init(ierror)
  call caseRead(message)
  if (len_trim(message) == 0) call decompose(message)
  if (len_trim(message) == 0) call jetCheckStreams(message)
  if (len_trim(message) > 0) call stopAll(message)
  if (rank == 0) call printCase

  call allocateFields(withCheck=Properties == 'verify')
  call jetInitial
  call propertiesBegin

  time = 0.0_dp
  call timerStart(timerLoop)
  do step = 1, Steps
    if (Warmup > 0 .and. step == Warmup + 1) then
      call timersForget
      call timerStart(timerLoop)
    end if
    call jetVelocity(time)
    call propertiesEvaluate(step - 1)
    call timerStart(timerExchange)
    call fillFringes
    call timerStop(timerExchange)
    stepSize = timeStep()
    call timerStart(timerAdvance)
    call advance(stepSize)
    call timerStop(timerAdvance)
    time = time + stepSize
    if (rank == 0 .and. mod(step, max(PrintEvery, 1)) == 0) &
      write(*, '(a,i7,a,es13.6,a,es12.5,a)') 'step', step, '  time ', time, ' s  dt ', stepSize, ' s'
  end do
  ! The fields of the file belong together: properties of the final state.
  call propertiesEvaluate(Steps)
  call timerStop(timerLoop)

  call timerStart(timerOutput)
  call writeFields(Steps, time)
  call timerStop(timerOutput)

  agreed = propertiesEnd()
  write(header, '(3a,i0,3a,3(i0,a),i0)') '"properties": "', trim(Properties), '", "ranks": ', &
    nRanks, ', "style": "', trim(Style), '", "cells": [', Cells(1), ', ', Cells(2), ', ', &
    Cells(3), '], "steps": ', Steps - Warmup
  call timerTable(TimerFile, trim(header))
  if (.not. agreed) call stopAll('bridge and fortran do not agree')
  call MPI_Finalize(ierror)

contains

  subroutine printCase
    character(len=64) :: way

    way = Properties
    if (Properties /= 'fortran') way = trim(Properties)//', '//trim(Style)//' style'
    write(*, '(a,3(i0,a),i0,a,3(1x,i0))') 'LOX/CH4 jet: ', Cells(1), ' x ', Cells(2), ' x ', &
      Cells(3), ' cells, ', nRanks, ' ranks as', ranksPer
    write(*, '(5a,f6.2,a)') 'species ', trim(Species), ', properties ', trim(way), ', ', &
      1.0e-6_dp*Pressure, ' MPa'
  end subroutine printCase

end program solver
