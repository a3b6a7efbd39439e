! A step of the flow: stages of a Runge-Kutta scheme of two arrays, dU = a dU + dt R(U), then
! U = U + b dU (Williamson 1980; Carpenter and Kennedy 1994).
module steppingModule
  use useGENKindDefs, only: dp
  use caseModule, only: Offload, Recorded, Scheme, Energy, Update, Viscous, Dissipation, Dt, Cfl
  use blocksModule
  use boundaryModule, only: sideFault
  use exchangeModule, only: exchangeFringes, fillSides
  use bridgeFlowModule
  use propertiesModule
  use fluxModule
  use pressureModule
  use primitiveModule
  use timersModule
  implicit none
  private
  public :: mainTimeStep, mainTimeExplicit, rhsTimeStates, timeStep, loopsOffloaded, fieldsToHost, fieldsToDevice, backToLast

  real(dp), parameter :: a3(3) = [0.0_dp, -5.0_dp/9.0_dp, -153.0_dp/128.0_dp]
  real(dp), parameter :: b3(3) = [1.0_dp/3.0_dp, 15.0_dp/16.0_dp, 8.0_dp/15.0_dp]
  real(dp), parameter :: a4(5) = [0.0_dp, -567301805773.0_dp/1357537059087.0_dp, &
    -2404267990393.0_dp/2016746695238.0_dp, -3550918686646.0_dp/2091501179385.0_dp, &
    -1275806237668.0_dp/842570457699.0_dp]
  real(dp), parameter :: b4(5) = [1432997174477.0_dp/9575080441755.0_dp, &
    5161836677717.0_dp/13612068292357.0_dp, 1720146321549.0_dp/2090206949498.0_dp, &
    3134564353537.0_dp/4481467310338.0_dp, 2277821191437.0_dp/14882151754819.0_dp]

contains

  ! A step of dt seconds, and the states of the next one. With 'step' the calls of the first one are
  ! recorded, and one call does all of them from then on. message: see mainTimeExplicit.
  subroutine mainTimeStep(dt, message)
    real(dp), intent(in) :: dt
    character(len=*), intent(out) :: message
    logical :: recording, done

    message = ' '
    done = .false.
    recording = Offload == 'step' .and. Recorded
    call timerStart(timerStep)
    if (recording) call bridgeStepAgain(done)
    if (done) call timerStop(timerStep)
    if (.not. done) call mainTimeExplicit(dt, .false., message)
    if (.not. done .and. len_trim(message) == 0) call rhsTimeStates(.not. recording, message)
    if (recording .and. .not. done) call bridgeStepRecorded
    if (recording) call checkStates(message)
  end subroutine mainTimeStep

  ! One step of dt seconds. message is blank, or says where a stage met a state that is none; the
  ! blocks keep the fields with which the step began. With 'step' nobody looks at the stages, unless
  ! `looks`: a cell whose state is none has no numbers then, and the states of the next step tell.
  subroutine mainTimeExplicit(dt, looks, message)
    real(dp), intent(in) :: dt
    logical, intent(in) :: looks
    character(len=*), intent(out) :: message
    integer :: stage, nStages, b

    message = ' '
    nStages = merge(3, 5, Scheme == 'RK3')
    do b = 1, size(own)
      associate (me => own(b))
        if (Offload == 'step') then
          call bridgeKeep(me)
        else
          call stepSys3dKeep(me%n(1), me%n(2), me%n(3), f(1), f(2), f(3), me%U, me%last)
        end if
      end associate
    end do
    do stage = 1, nStages
      ! The states with which a step begins are those of the time step.
      if (stage > 1) call rhsTimeStates(looks .or. Offload /= 'step', message)
      if (len_trim(message) > 0) return
      call rhsTimeSp34(merge(a3(min(stage, 3)), a4(stage), Scheme == 'RK3'), &
                       merge(b3(min(stage, 3)), b4(stage), Scheme == 'RK3'), dt)
    end do
  end subroutine mainTimeExplicit

  ! T, P and properties of all cells and fringes from U. message: see mainTimeExplicit.
  subroutine rhsTimeStates(looks, message)
    logical, intent(in) :: looks
    character(len=*), intent(out) :: message
    integer :: b, d

    message = ' '
    do b = 1, size(own)
      if (Offload == 'fluxes') call bridgeStateToDevice(own(b), fringes=.false.)
      call states(own(b), boxesOf(own(b), cellsAlone))
    end do
    do d = 1, 3
      if (.not. active(d)) cycle
      call timerStart(timerExchange)
      call exchangeFringes(d)
      call timerStop(timerExchange)
      call timerStart(timerBoundary)
      call fillSides(d)
      call timerStop(timerBoundary)
    end do
    do b = 1, size(own)
      if (Offload == 'fluxes') call bridgeStateToDevice(own(b), fringes=.true.)
      call states(own(b), boxesOf(own(b), wholeFringe))
    end do
    if (Viscous) then
      call timerStart(timerProperties)
      do b = 1, size(own)
        call propertiesViscous(own(b), boxesOf(own(b), cellsAlone))
        call propertiesViscous(own(b), boxesOf(own(b), nearFringe))
      end do
      call timerStop(timerProperties)
    end if
    if (looks) call checkStates(message)
  end subroutine rhsTimeStates

  ! The fields with which the step began, and their states.
  subroutine backToLast
    character(len=512) :: message
    integer :: b

    do b = 1, size(own)
      if (Offload == 'step') call bridgeLastToHost(own(b))
      own(b)%U(1:own(b)%n(1), 1:own(b)%n(2), 1:own(b)%n(3), :) = own(b)%last
      ! A first stage takes dU times zero, which is none where dU is none.
      own(b)%dU = 0.0_dp
      if (loopsOffloaded()) call bridgeToDevice(own(b), 'cells', 'flow_du', reshape(boxesOf(own(b), cellsAlone), [6]))
    end do
    call fieldsToDevice
    call rhsTimeStates(.false., message)
  end subroutine backToLast

  subroutine states(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)
    integer :: i

    call timerStart(timerFlow)
    if (loopsOffloaded()) call bridgePrimitives(b, boxes)
    do i = 1, size(boxes, 2)
      if (loopsOffloaded()) exit
      if (Energy == 'total') then
        call rhsTimePrimitives(boxes(1, i), boxes(2, i), boxes(3, i), boxes(4, i), boxes(5, i), &
          boxes(6, i), b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), b%U, b%Q)
      else
        call rhsTimePrimitivesP(boxes(1, i), boxes(2, i), boxes(3, i), boxes(4, i), boxes(5, i), &
          boxes(6, i), b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), b%U, b%Q)
      end if
    end do
    call timerStop(timerFlow)
    call timerStart(timerProperties)
    if (Energy == 'pressure') call propertiesFromPressure(b, boxes)
    call propertiesThermal(b, boxes)
    call timerStop(timerProperties)
  end subroutine states

  ! Whether the loops of the flow are the kernels of the bridge.
  logical function loopsOffloaded()
    loopsOffloaded = Offload == 'fluxes' .or. Offload == 'step'
  end function loopsOffloaded

  ! What files, sums and comparisons need, where the arrays are the bridge's.
  subroutine fieldsToHost
    integer :: b

    if (.not. loopsOffloaded()) return
    do b = 1, size(own)
      call bridgeFieldsToHost(own(b))
      if (Offload == 'step') call bridgeSidesToHost(own(b))
    end do
  end subroutine fieldsToHost

  ! U of the cells to where the loops work.
  subroutine fieldsToDevice
    integer :: b

    if (.not. loopsOffloaded()) return
    do b = 1, size(own)
      call bridgeStateToDevice(own(b), fringes=.false.)
    end do
  end subroutine fieldsToDevice

  ! The first side or cell whose state is none, if any rank has one: the same answer on every rank,
  ! and the one that has the cell says more.
  subroutine checkStates(message)
    character(len=*), intent(inout) :: message
    real(dp) :: wrong
    integer :: b

    wrong = 0.0_dp
    do b = 1, size(own)
      if (loopsOffloaded()) then
        call bridgeWrong(own(b), wrong)
      else
        call statesWrong(own(b)%n(1), own(b)%n(2), own(b)%n(3), f(1), f(2), f(3), &
                         own(b)%status(:, :, :, 1), wrong)
      end if
    end do
    if (globalMax(wrong) < 1.0_dp) return
    call fieldsToHost
    do b = 1, size(own)
      call sideFault(own(b), message)
    end do
    do b = 1, size(own)
      call cellFault(own(b), message)
    end do
    if (len_trim(message) == 0) message = 'another rank'
  end subroutine checkStates

  subroutine cellFault(b, message)
    type(block), intent(in) :: b
    character(len=*), intent(inout) :: message
    integer :: i, j, k

    do k = 1, b%n(3)
      do j = 1, b%n(2)
        do i = 1, b%n(1)
          if (len_trim(message) > 0 .or. iand(b%status(i, j, k, 1), statusWrong) == 0) cycle
          write(message, '(a,i0,a,3(1x,i0),3(a,es12.5))') 'status ', b%status(i, j, k, 1), ' in cell', &
            b%offset + [i, j, k], ': rho ', b%Q(i, j, k, iRho), ' kg/m3, e ', b%Q(i, j, k, iE), &
            ' J/kg, P ', b%prop(i, j, k, iP)
        end do
      end do
    end do
  end subroutine cellFault

  ! A stage: what the fluxes add to dU, and dU to U.
  subroutine rhsTimeSp34(keep, part, dt)
    real(dp), intent(in) :: keep, part, dt
    integer :: b

    call timerStart(timerFlow)
    do b = 1, size(own)
      if (loopsOffloaded()) then
        call bridgeFluxes(own(b), keep)
      else if (Update == 'primitive') then
        call rhsGeomResCalc(own(b), 0.0_dp, dt)
        call updatePrimitive(own(b), keep, part)
        cycle
      else if (Energy == 'total') then
        call rhsGeomResCalc(own(b), keep, dt)
      else
        call rhsGeomResCalcP(own(b), keep, dt)
      end if
      if (Offload == 'step') then
        call bridgeUpdate(own(b), part)
        cycle
      end if
      if (Offload == 'fluxes') call bridgeChangeToHost(own(b))
      associate (me => own(b))
        call stepSys3dUpdate(me%n(1), me%n(2), me%n(3), f(1), f(2), f(3), part, me%status, &
                             me%prop, me%dU, me%U)
      end associate
    end do
    call timerStop(timerFlow)
  end subroutine rhsTimeSp34

  ! What a stage adds is turned into changes of W, and U is made of the new W.
  subroutine updatePrimitive(b, keep, part)
    type(block), intent(inout) :: b
    real(dp), intent(in) :: keep, part

    call propertiesJacobian(b)
    call rhsSysGammaInverse(b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), keep, b%Q, b%jacobian, b%dU, &
                            b%dW)
    call stepSys3dUpdatePrimitive(b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), part, b%Q, b%prop, &
                                  b%dW, b%W)
    call propertiesOfPrimitive(b)
    call stepSys3dConserved(b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), b%W, b%U)
  end subroutine updatePrimitive

  ! dU = keep dU - dt div(all fluxes), direction after direction.
  subroutine rhsGeomResCalc(b, keep, dt)
    type(block), intent(inout) :: b
    real(dp), intent(in) :: keep, dt
    integer :: d, e(3), o(2)
    logical :: started

    if (Viscous) call gradients(b)
    started = .false.
    do d = 1, 3
      if (.not. active(d)) cycle
      e = merge(1, 0, [1, 2, 3] == d)
      o = others(:, d)
      call rhsSysAdFlux(d, e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), &
                        Dissipation, b%U, b%Q, b%prop, b%face(d)%flux)
      if (Viscous) call rhsSysViscFlux(d, o(1), o(2), e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), f(1), f(2), &
        f(3), 1.0_dp/h(d), b%Q, b%prop, b%along(o(1))%gradient, &
        b%along(o(2))%gradient, b%face(d)%flux)
      call stepSys3dCalcGadd(e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), &
                             merge(1.0_dp, keep, started), dt, 1.0_dp/h(d), b%face(d)%flux, b%dU)
      started = .true.
    end do
  end subroutine rhsGeomResCalc

  ! The same where the pressure has an equation of its own: what viscosity, heat and diffusion
  ! change is known as energy, and turned into pressure.
  subroutine rhsGeomResCalcP(b, keep, dt)
    type(block), intent(inout) :: b
    real(dp), intent(in) :: keep, dt
    integer :: d, e(3), o(2)

    b%change = 0.0_dp
    if (Viscous) then
      call gradients(b)
      do d = 1, 3
        if (.not. active(d)) cycle
        e = merge(1, 0, [1, 2, 3] == d)
        o = others(:, d)
        b%face(d)%flux = 0.0_dp
        call rhsSysViscFlux(d, o(1), o(2), e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), &
          1.0_dp/h(d), b%Q, b%prop, b%along(o(1))%gradient, &
        b%along(o(2))%gradient, b%face(d)%flux)
        call stepSys3dCalcGadd(e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), 1.0_dp, dt, &
                               1.0_dp/h(d), b%face(d)%flux, b%change)
      end do
    end if
    call rhsSysPressureChange(b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), keep, b%Q, b%prop, &
                              b%change, b%dU)
    do d = 1, 3
      if (.not. active(d)) cycle
      e = merge(1, 0, [1, 2, 3] == d)
      call rhsSysAdFlux(d, e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), &
                        Dissipation, b%U, b%Q, b%prop, b%face(d)%flux)
      call rhsSysPressureFlux(d, e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), &
                              Dissipation, b%Q, b%prop, b%face(d)%flux)
      call stepSys3dCalcGadd(e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), 1.0_dp, dt, &
                             1.0_dp/h(d), b%face(d)%flux, b%dU)
      call rhsSysPressureCarried(d, e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), &
                                 dt/h(d), b%Q, b%prop, b%dU)
    end do
  end subroutine rhsGeomResCalcP

  subroutine gradients(b)
    type(block), intent(inout) :: b
    integer :: d, e(3), l(3)

    do d = 1, 3
      if (.not. active(d)) cycle
      e = merge(1, 0, [1, 2, 3] == d)
      l = merge(1, 0, active .and. [1, 2, 3] /= d)
      call rhsSysGradient(e(1), e(2), e(3), b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), l(1), &
                          l(2), l(3), 1.0_dp/h(d), b%Q, b%along(d)%gradient)
    end do
  end subroutine gradients

  ! Fixed, or from the fastest of all cells.
  real(dp) function timeStep()
    real(dp) :: perWidth(3)
    integer :: b

    timeStep = Dt
    if (Dt > 0.0_dp) return
    timeStep = huge(timeStep)
    if (loopsOffloaded()) then
      call bridgeTimeStepLeast(timeStep)
      return
    end if
    perWidth = merge(1.0_dp/h, 0.0_dp, active)
    do b = 1, size(own)
      call timeStepLeast(own(b)%n(1), own(b)%n(2), own(b)%n(3), f(1), f(2), f(3), Cfl, perWidth(1), &
                         perWidth(2), perWidth(3), own(b)%Q, own(b)%prop, timeStep)
    end do
    timeStep = globalMin(timeStep)
  end function timeStep

end module steppingModule
