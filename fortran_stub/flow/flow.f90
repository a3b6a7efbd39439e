! A small CASTLES: the compressible flow of a real-gas mixture, Navier-Stokes on Cartesian blocks
! with fringes, fourth order, explicit in time.
!
!   mpirun -n 2 flow jet.nml Offload=properties
program flowSolver
  use mpi
  use useGENKindDefs, only: dp
  use caseModule
  use blocksModule
  use flowsModule, only: flowBegin, flowCheck
  use propertiesModule, only: phasesCount, statusCount
  use bridgePropertiesModule, only: bridgeBegin, bridgePicture, bridgeEnd
  use steppingModule, only: mainTimeStep, mainTimeExplicit, rhsTimeStates, timeStep, loopsOffloaded, fieldsToHost, backToLast
  use verifyModule, only: verifyStep, verifyTable
  use exchangeModule, only: exchangeBegin, exchangePlan
  use regridModule, only: regrid
  use bridgeFlowModule, only: flowBridgeBegin, flowBridgeEnd, bridgeTimeStep
  use outputModule, only: checkOutput, writeFields, readFields, totalEnergy
  use timersModule
  implicit none

  character(len=512) :: message, header
  real(dp) :: time, stepSize, began
  integer :: step, firstStep, ierror
  logical :: agreed

  call MPI_Init(ierror)
  call caseRead(message)
  if (len_trim(message) == 0) call blocksBegin(message)
  if (len_trim(message) == 0) call flowCheck(message)
  if (len_trim(message) == 0) call checkOutput(OutputFile, message)
  if (len_trim(message) > 0) call stopAll(message)
  if (rank == 0) call printCase
  call flowBegin
  firstStep = 0
  time = 0.0_dp
  if (len_trim(RestartFile) > 0) call readFields(RestartFile, firstStep, time, message)
  if (len_trim(message) > 0) call stopAll(message)
  call exchangeBegin
  if (Offload /= 'none') call bridgeBegin
  if (loopsOffloaded()) call flowBridgeBegin
  if (Offload == 'step') call exchangePlan

  call rhsTimeStates(.true., message)
  if (len_trim(message) > 0) call stopAll('the first field is none: '//message)
  call fieldsToHost
  began = totalEnergy()
  call bridgePicture(firstStep, time)
  call timersForget                  ! the first states are no step
  call timerStart(timerLoop)
  step = firstStep
  do while (step < Steps)
    if (EndTime > 0.0_dp .and. time >= EndTime) exit
    if (step > firstStep) call regrid(step)
    step = step + 1
    if (Warmup > 0 .and. step == firstStep + Warmup + 1) then
      call timersForget
      call timerStart(timerLoop)
    end if
    stepSize = timeStep()
    if (EndTime > 0.0_dp) stepSize = min(stepSize, EndTime - time)
    if (loopsOffloaded()) call bridgeTimeStep(stepSize)
    if (Properties == 'verify') then
      call verifyStep(stepSize, message)
      if (len_trim(message) == 0) call rhsTimeStates(.true., message)
    else
      call mainTimeStep(stepSize, message)
    end if
    if (len_trim(message) > 0) call stopWithLast
    time = time + stepSize
    if (EndTime > 0.0_dp .and. EndTime - time < 1.0e-9_dp*stepSize) time = EndTime
    if (rank == 0 .and. mod(step, max(PrintEvery, 1)) == 0) &
      write(*, '(a,i7,a,es13.6,a,es12.5,a)') 'step', step, '  time ', time, ' s  dt ', stepSize, ' s'
    call timerStart(timerOutput)
    call bridgePicture(step, time)
    call timerStop(timerOutput)
  end do
  call timerStop(timerLoop)

  call timerStart(timerOutput)
  call fieldsToHost
  call writeFields(OutputFile, step, time)
  call timerStop(timerOutput)
  stepSize = totalEnergy()
  if (rank == 0) write(*, '(a,es24.16,a,es10.2,a)') 'energy ', stepSize, ' J, changed by ', &
    (stepSize - began)/abs(began), ' of it'

  call statusCount
  call phasesCount
  agreed = .true.
  if (Properties == 'verify') agreed = verifyTable()
  if (loopsOffloaded()) call flowBridgeEnd
  if (Offload /= 'none') call bridgeEnd
  write(header, '(3a,2(i0,a),3(i0,a),i0)') '"offload": "', trim(Offload), '", "ranks": ', &
    nRanks, ', "blocks": ', nBlocks, ', "cells": [', Cells(1), ', ', Cells(2), ', ', &
    Cells(3), '], "steps": ', step - firstStep - Warmup
  call timerTable(TimerFile, trim(header))
  if (.not. agreed) call stopAll('bridge and fortran do not agree')
  call MPI_Finalize(ierror)

contains

  subroutine printCase
    write(*, '(2a,3(i0,a),i0,a,3(1x,i0),a,i0,a)') trim(Flow), ': ', Cells(1), ' x ', Cells(2), &
      ' x ', Cells(3), ' cells, ', nBlocks, ' blocks as', blocksPer, ' on ', nRanks, ' ranks'
    write(*, '(5a,f6.2,a)') 'species ', trim(Species), ', offload ', trim(Offload), ', ', &
      1.0e-6_dp*Pressure, ' MPa'
  end subroutine printCase

  ! A step failed: the fields with which it began go to the file, and the job ends. A step whose
  ! stages nobody looked at is made again, for the first state that is none.
  subroutine stopWithLast
    character(len=512) :: reason

    reason = message
    call backToLast
    if (Offload == 'step') then
      call mainTimeExplicit(stepSize, .true., message)
      if (len_trim(message) == 0) call rhsTimeStates(.true., message)
      if (len_trim(message) > 0) reason = message
      call backToLast
    end if
    call fieldsToHost
    call writeFields(OutputFile, step - 1, time)
    ! The rank that has the cell speaks and ends the job; the others wait for that.
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    if (reason == 'another rank') call MPI_Barrier(MPI_COMM_WORLD, ierror)
    write(message, '(a,i0,2a)') 'step ', step, ' failed: ', trim(reason)
    if (len_trim(OutputFile) > 0) &
      message = trim(message)//'; the file has the fields before it: '//trim(OutputFile)
    call stopAll(message)
  end subroutine stopWithLast

end program flowSolver
