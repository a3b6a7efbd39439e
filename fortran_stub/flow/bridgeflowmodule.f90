! The loops of the flow as kernels that `bridge port` made of fluxModule, on arrays that stay
! where the bridge works: with Offload = 'fluxes' those of the states and the fluxes, with 'step'
! all of a step, so that layers for other ranks alone cross.
module bridgeFlowModule
  use bridge
  use useGENKindDefs, only: dp
  use caseModule, only: Offload, Dissipation, Viscous, RegridEvery, Relaxation, Pressure, Lengths, Cfl
  use blocksModule
  use bridgePropertiesModule, only: setOf, must
  implicit none
  private
  public :: flowBridgeBegin, flowBridgeBind, flowBridgeEnd
  public :: bridgeKeep, bridgeLastToHost, bridgePrimitives, bridgeFluxes, bridgeUpdate
  public :: bridgeTimeStep, bridgeStepAgain, bridgeStepRecorded
  public :: bridgeTimeStepLeast, bridgeWrong, bridgePlanExchange, bridgeExchange, bridgeFieldsToHost
  public :: bridgeWall, bridgeThrough, bridgeSidesToHost
  public :: bridgeLayersToHost, bridgeChangeToHost, bridgeToDevice, bridgeStateToDevice

  character(len=1), parameter :: axes(3) = ['x', 'y', 'z'], digits(3) = ['1', '2', '3']
  logical :: entered = .false.
  logical :: stepRecorded = .false.   ! for the boxes that blocks have now

contains

  ! Arrays enter with room for the most cells of a block, and stay.
  subroutine flowBridgeBegin
    integer :: b, d, n(3)

    do b = 1, size(own)
      n = own(b)%n
      call layArrays(own(b), own(b)%most)
      call bindBlock(own(b))
      call layArrays(own(b), n)
    end do
    entered = .true.
    if (RegridEvery > 0) call flowBridgeBind
    call constant('flow_kappa', Dissipation)
    call constant('flow_courant', Cfl)
    do d = 1, 3
      call constant('flow_per'//axes(d), merge(1.0_dp/h(d), 0.0_dp, active(d)))
    end do
    call constant('flow_width', h(1))
    call constant('flow_length', Lengths(1))
    call constant('flow_relaxation', Relaxation)
    call constant('flow_ambient', Pressure)
  end subroutine flowBridgeBegin

  ! The arrays of all blocks as they are now; after a regrid again.
  subroutine flowBridgeBind
    integer :: b

    stepRecorded = .false.
    do b = 1, size(own)
      call bindBlock(own(b))
    end do
  end subroutine flowBridgeBind

  ! The cells of a block are one set; for each direction there are three more: its derivatives, its
  ! faces, and the cells beside these.
  subroutine bindBlock(b)
    type(block), intent(inout), target :: b
    integer :: d, ierr, faces(3)
    character(len=:), allocatable :: cells, sides, sums

    cells = setOf('cells', b)
    call bindCells(cells, 'flow_u', b, b%U, f)
    call bindCells(cells, 'flow_q', b, b%Q, f)
    call bindCells(cells, 'flow_prop', b, b%prop, f)
    do d = 1, 3
      call bindCells(setOf('along'//axes(d), b), 'flow_gradient', b, b%along(d)%gradient, f)
      call from(setOf('along'//axes(d), b), 'flow_q', cells)
      call enter(setOf('along'//axes(d), b), 'flow_gradient', 'copyin')
    end do
    call bindCells(cells, 'flow_du', b, b%dU, [0, 0, 0])
    call bindCells(cells, 'flow_last', b, b%last, [0, 0, 0])
    call frame_bind(cells, 'flow_status', 'in', b%status, f(1) + 1, f(1) + b%n(1), f(2) + 1, &
                    f(2) + b%n(2), f(3) + 1, f(3) + b%n(3), ierr=ierr)
    call must('frame_bind flow_status', ierr)
    call enter(cells, 'flow_u', 'copyin')
    call enter(cells, 'flow_q', 'copyin')
    call enter(cells, 'flow_prop', 'copyin')
    call enter(cells, 'flow_status', 'copyin')
    call enter(cells, 'flow_du', 'copyin')
    call enter(cells, 'flow_last', 'create')
    do d = 1, 3
      if (.not. active(d)) cycle
      faces = b%n + merge(1, 0, [1, 2, 3] == d)
      sides = setOf('faces'//axes(d), b)
      sums = setOf('sums'//axes(d), b)
      call frame_bind(sides, 'flow_flux', 'inout', b%face(d)%flux, 1, faces(1), 1, faces(2), 1, &
                      faces(3), ierr=ierr)
      call must('frame_bind flow_flux', ierr)
      call from(sides, 'flow_u', cells)
      call from(sides, 'flow_q', cells)
      call from(sides, 'flow_prop', cells)
      call bindFaces(sides, 'flow_ga', b, d, b%along(others(1, d))%gradient)
      call bindFaces(sides, 'flow_gb', b, d, b%along(others(2, d))%gradient)
      call bindCells(sums, 'flow_du', b, b%dU, [0, 0, 0])
      call from(sums, 'flow_flux', sides)
      call enter(sides, 'flow_flux', 'create')
    end do
    if (Offload == 'step') call bindSides(b)
  end subroutine bindBlock

  ! A side of the domain is a set of planes of points: those of U, and where something goes through
  ! it the states of its fringe and the cells beside it.
  subroutine bindSides(b)
    type(block), intent(inout), target :: b
    integer :: d, side, l
    character(len=:), allocatable :: set

    do d = 1, 3
      if (.not. active(d)) cycle
      do side = 1, 2
        if (b%neighbour(side, d) >= 0) cycle
        set = setOf('side'//axes(d)//digits(side), b)
        do l = 1, fringe
          call bindPlane(set, 'flow_out'//digits(l), b%U, planeOf(b, d, side, 1 - l, isWall(side, d)))
          if (isWall(side, d)) call bindPlane(set, 'flow_in'//digits(l), b%U, planeOf(b, d, side, l, .true.))
        end do
        if (isWall(side, d)) cycle
        call bindStates(b, set, side)
      end do
    end do
  end subroutine bindSides

  ! component: the one that is bound, all of them unless it is given.
  subroutine bindPlane(set, name, array, box, component)
    character(len=*), intent(in) :: set, name
    real(dp), intent(inout), target :: array(:, :, :, :)
    integer, intent(in) :: box(6)
    integer, intent(in), optional :: component
    integer :: part(2), ierr

    part = [1, size(array, 4)]
    if (present(component)) part = component
    call frame_bind(set, name, 'inout', array, f(1) + box(1), f(1) + box(2), f(2) + box(3), &
                    f(2) + box(4), f(3) + box(5), f(3) + box(6), part(1), part(2), ierr=ierr)
    call must('frame_bind '//name, ierr)
  end subroutine bindPlane

  ! An inflow has one plane of states for all planes of its fringe.
  subroutine bindStates(b, set, side)
    type(block), intent(inout), target :: b
    character(len=*), intent(in) :: set
    integer, intent(in) :: side
    integer :: box(6), l, p, ierr

    box = planeOf(b, 1, side, 1, .false.)
    call from(set, 'flow_u', setOf('cells', b), box(1) - 1)
    call from(set, 'flow_q', setOf('cells', b), box(1) - 1)
    call bindPlane(set, 'flow_p', b%prop, box, iP)
    call bindPlane(set, 'flow_c', b%prop, box, iC)
    call frame_bind(set, 'flow_status', 'inout', b%status, f(1) + box(1), f(1) + box(2), f(2) + box(3), &
                    f(2) + box(4), f(3) + box(5), f(3) + box(6), ierr=ierr)
    call must('frame_bind flow_status', ierr)
    do l = 1, fringe
      p = min(l, size(b%through(side)%state, 1))
      call frame_bind(set, 'flow_state'//digits(l), 'inout', b%through(side)%state, p, p, ierr=ierr)
      call must('frame_bind flow_state', ierr)
      call frame_bind(set, 'flow_found'//digits(l), 'in', b%through(side)%status, p, p, ierr=ierr)
      call must('frame_bind flow_found', ierr)
    end do
    call enter(set, 'flow_state1', 'copyin')
    call enter(set, 'flow_found1', 'copyin')
  end subroutine bindStates

  subroutine bindCells(set, name, b, array, layers)
    character(len=*), intent(in) :: set, name
    type(block), intent(in) :: b
    real(dp), intent(inout), target :: array(:, :, :, :)
    integer, intent(in) :: layers(3)
    integer :: ierr

    call frame_bind(set, name, 'inout', array, layers(1) + 1, layers(1) + b%n(1), layers(2) + 1, &
                    layers(2) + b%n(2), layers(3) + 1, layers(3) + b%n(3), ierr=ierr)
    call must('frame_bind '//name, ierr)
  end subroutine bindCells

  ! A cell's array at the faces of direction d: one point more.
  subroutine bindFaces(set, name, b, d, array)
    character(len=*), intent(in) :: set, name
    type(block), intent(in) :: b
    integer, intent(in) :: d
    real(dp), intent(inout), target :: array(:, :, :, :)
    integer :: last(3), ierr

    last = f + b%n + merge(1, 0, [1, 2, 3] == d)
    call frame_bind(set, name, 'in', array, f(1) + 1, last(1), f(2) + 1, last(2), f(3) + 1, last(3), &
                    ierr=ierr)
    call must('frame_bind '//name, ierr)
  end subroutine bindFaces

  ! shift: points along x to the first one of the set, 0 unless it is given.
  subroutine from(set, name, other, shift)
    character(len=*), intent(in) :: set, name, other
    integer, intent(in), optional :: shift
    integer :: ierr, by(3)

    by = 0
    if (present(shift)) by(1) = shift
    call frame_bind_from(set, name, other, by, ierr)
    call must('frame_bind_from '//name, ierr)
  end subroutine from

  subroutine enter(set, name, clause)
    character(len=*), intent(in) :: set, name, clause
    integer :: ierr

    if (entered) return
    call frame_enter_data(set, name, clause, ierr=ierr)
    call must('frame_enter_data '//name, ierr)
  end subroutine enter

  ! The arrays are the host's again.
  subroutine flowBridgeEnd
    integer :: b, d
    character(len=:), allocatable :: cells

    do b = 1, size(own)
      cells = setOf('cells', own(b))
      call leave(cells, 'flow_u')
      call leave(cells, 'flow_q')
      call leave(cells, 'flow_prop')
      call leave(cells, 'flow_status')
      call leave(cells, 'flow_du')
      call leave(cells, 'flow_last')
      do d = 1, 3
        call leave(setOf('along'//axes(d), own(b)), 'flow_gradient')
        if (active(d)) call leave(setOf('faces'//axes(d), own(b)), 'flow_flux')
      end do
      if (Offload /= 'step') cycle
      do d = 1, 2
        if (.not. associated(own(b)%through(d)%state)) cycle
        call leave(setOf('sidex'//digits(d), own(b)), 'flow_state1')
        call leave(setOf('sidex'//digits(d), own(b)), 'flow_found1')
      end do
    end do
  end subroutine flowBridgeEnd

  subroutine leave(set, name)
    character(len=*), intent(in) :: set, name
    integer :: ierr

    call frame_exit_data(set, name, 'delete', ierr)
    call must('frame_exit_data '//name, ierr)
  end subroutine leave

  subroutine run(set, kernel, boxes)
    character(len=*), intent(in) :: set, kernel
    integer, intent(in), optional :: boxes(:, :)
    integer :: ierr

    if (present(boxes)) then
      call frame_run(set, kernel, box=boxes, ierr=ierr)
    else
      call frame_run(set, kernel, ierr)
    end if
    call must('frame_run '//kernel, ierr)
  end subroutine run

  subroutine constant(name, value)
    character(len=*), intent(in) :: name
    real(dp), intent(in) :: value
    integer :: ierr

    call frame_constant(name, value, ierr)
    call must('frame_constant '//name, ierr)
  end subroutine constant

  subroutine bridgePrimitives(b, boxes)
    type(block), intent(in) :: b
    integer, intent(in) :: boxes(:, :)
    call run(setOf('cells', b), 'flow_primitives', boxes)
  end subroutine bridgePrimitives

  ! dU = keep dU - dt div(all fluxes), direction after direction.
  subroutine bridgeFluxes(b, keep)
    type(block), intent(in) :: b
    real(dp), intent(in) :: keep
    integer :: d, l(3)
    logical :: started

    if (Viscous) then
      do d = 1, 3
        if (.not. active(d)) cycle
        l = merge(1, 0, active .and. [1, 2, 3] /= d)
        call constant('flow_perwidth', 1.0_dp/h(d))
        call run(setOf('along'//axes(d), b), 'flow_gradient'//axes(d), &
          reshape([1 - l(1), b%n(1) + l(1), 1 - l(2), b%n(2) + l(2), 1 - l(3), b%n(3) + l(3)], [6, 1]))
      end do
    end if
    started = .false.
    do d = 1, 3
      if (.not. active(d)) cycle
      call constant('flow_perwidth', 1.0_dp/h(d))
      call run(setOf('faces'//axes(d), b), 'flow_ad'//axes(d))
      if (Viscous) call run(setOf('faces'//axes(d), b), 'flow_visc'//axes(d))
      call constant('flow_keep', merge(1.0_dp, keep, started))
      call run(setOf('sums'//axes(d), b), 'flow_add'//axes(d))
      started = .true.
    end do
  end subroutine bridgeFluxes

  ! The time step of what follows, s.
  subroutine bridgeTimeStep(dt)
    real(dp), intent(in) :: dt
    call constant('flow_dt', dt)
  end subroutine bridgeTimeStep

  ! Do the calls of a step that were recorded; or else record those that come, until
  ! bridgeStepRecorded.
  subroutine bridgeStepAgain(done)
    logical, intent(out) :: done
    integer :: ierr

    done = stepRecorded
    if (done) call frame_sequence_run('step', ierr)
    if (.not. done) call frame_sequence_begin('step', ierr)
    call must('frame_sequence step', ierr)
  end subroutine bridgeStepAgain

  subroutine bridgeStepRecorded
    integer :: ierr

    call frame_sequence_end(ierr)
    call must('frame_sequence_end', ierr)
    stepRecorded = .true.
  end subroutine bridgeStepRecorded

  subroutine bridgeKeep(b)
    type(block), intent(in) :: b
    call run(setOf('cells', b), 'flow_keep')
  end subroutine bridgeKeep

  ! The fields with which the step began, to their array of the host.
  subroutine bridgeLastToHost(b)
    type(block), intent(in) :: b
    call toHost(setOf('cells', b), 'flow_last', [1, b%n(1), 1, b%n(2), 1, b%n(3)])
  end subroutine bridgeLastToHost

  subroutine bridgeUpdate(b, part)
    type(block), intent(in) :: b
    real(dp), intent(in) :: part

    call constant('flow_part', part)
    call run(setOf('cells', b), 'flow_update')
  end subroutine bridgeUpdate

  ! The least of all cells and ranks, s, of what follows.
  subroutine bridgeTimeStepLeast(dt)
    real(dp), intent(out) :: dt
    integer :: ierr

    call frame_allreduce_constant(cellsOfAll(), 'flow_step:flow_step_min', 'min', 'flow_dt', ierr)
    call must('frame_allreduce_constant flow_dt', ierr)
    call frame_constant_value('flow_dt', dt, ierr)
    call must('frame_constant_value flow_dt', ierr)
  end subroutine bridgeTimeStepLeast

  ! wrong becomes 1 if the state of a cell is none.
  subroutine bridgeWrong(b, wrong)
    type(block), intent(in) :: b
    real(dp), intent(inout) :: wrong
    real(dp) :: found
    integer :: ierr

    call frame_reduce(setOf('cells', b), 'flow_wrong:flow_wrong_max', 'max', found, ierr=ierr)
    call must('frame_reduce flow_wrong', ierr)
    wrong = max(wrong, found)
  end subroutine bridgeWrong

  ! The sets of the cells of all blocks.
  function cellsOfAll() result(sets)
    character(len=:), allocatable :: sets
    integer :: b

    sets = ''
    do b = 1, size(own)
      sets = sets//' '//setOf('cells', own(b))
    end do
  end function cellsOfAll

  ! Layers of U of direction d that blocks send to neighbours and receive from them: a line for
  ! each side of each block; see frame_exchange_plan.
  subroutine bridgePlanExchange(d, neighbours, faces, blocks, sends, receives)
    integer, intent(in) :: d, neighbours(:), faces(:), blocks(:), sends(:, :), receives(:, :)
    integer :: ierr

    call frame_exchange_plan('fringes of '//axes(d), cellsOfAll(), 'flow_u', neighbours, faces, blocks, sends, &
                             blocks, receives, ierr)
    call must('frame_exchange_plan '//axes(d), ierr)
  end subroutine bridgePlanExchange

  subroutine bridgeExchange(d)
    integer, intent(in) :: d
    integer :: ierr

    call frame_exchange('fringes of '//axes(d), ierr)
    call must('frame_exchange '//axes(d), ierr)
  end subroutine bridgeExchange

  ! factors: of the components of the velocity.
  subroutine bridgeWall(b, d, side, factors)
    type(block), intent(in) :: b
    integer, intent(in) :: d, side
    real(dp), intent(in) :: factors(3)

    call constant('flow_turnx', factors(1))
    call constant('flow_turny', factors(2))
    call constant('flow_turnz', factors(3))
    call run(setOf('side'//axes(d)//digits(side), b), 'flow_wall')
  end subroutine bridgeWall

  ! A loop of an inflow or outflow.
  subroutine bridgeThrough(b, side, kernel)
    type(block), intent(in) :: b
    integer, intent(in) :: side
    character(len=*), intent(in) :: kernel
    call run(setOf('sidex'//digits(side), b), kernel)
  end subroutine bridgeThrough

  ! The states of an inflow and of an outflow.
  subroutine bridgeSidesToHost(b)
    type(block), intent(in) :: b
    integer :: side, l

    do side = 1, 2
      if (.not. associated(b%through(side)%state)) cycle
      do l = 1, fringe
        call toHost(setOf('sidex'//digits(side), b), 'flow_state'//digits(l), [1, 1, 1, b%n(2), 1, b%n(3)])
        call toHost(setOf('sidex'//digits(side), b), 'flow_found'//digits(l), [1, 1, 1, b%n(2), 1, b%n(3)])
      end do
    end do
  end subroutine bridgeSidesToHost

  ! For a boundary that Fortran fills, a file or a look: U, Q and prop of a box. With Offload =
  ! 'fluxes' the host's U is the newer one.
  subroutine bridgeLayersToHost(b, box)
    type(block), intent(in) :: b
    integer, intent(in) :: box(6)

    if (Offload == 'step') call toHost(setOf('cells', b), 'flow_u', box)
    call toHost(setOf('cells', b), 'flow_q', box)
    call toHost(setOf('cells', b), 'flow_prop', box)
    call toHost(setOf('thermal', b), 'status', box)
  end subroutine bridgeLayersToHost

  subroutine bridgeFieldsToHost(b)
    type(block), intent(in) :: b
    call bridgeLayersToHost(b, [1, b%n(1), 1, b%n(2), 1, b%n(3)])
  end subroutine bridgeFieldsToHost

  ! Offload = 'fluxes': dU, and the temperatures that are the next guesses, come before the host
  ! updates U, and U goes after it.
  subroutine bridgeChangeToHost(b)
    type(block), intent(in) :: b

    call toHost(setOf('cells', b), 'flow_du', [1, b%n(1), 1, b%n(2), 1, b%n(3)])
    call toHost(setOf('thermal', b), 'T', [1, b%n(1), 1, b%n(2), 1, b%n(3)])
  end subroutine bridgeChangeToHost

  ! What Fortran has changed.
  subroutine bridgeToDevice(b, set, name, box)
    type(block), intent(in) :: b
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(6)
    call toDevice(setOf(set, b), name, box)
  end subroutine bridgeToDevice

  ! U of the cells, with the states of an inflow, or of the fringes alone.
  subroutine bridgeStateToDevice(b, fringes)
    type(block), intent(in) :: b
    logical, intent(in) :: fringes
    integer :: n
    integer, allocatable :: boxes(:, :)

    allocate(boxes, source=boxesOf(b, merge(wholeFringe, cellsAlone, fringes)))
    do n = 1, size(boxes, 2)
      call toDevice(setOf('cells', b), 'flow_u', boxes(:, n))
    end do
    if (Offload == 'step' .and. associated(b%through(1)%state)) &
      call toDevice(setOf('sidex1', b), 'flow_state1', [1, 1, 1, b%n(2), 1, b%n(3)])
  end subroutine bridgeStateToDevice

  subroutine toHost(set, name, box)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(6)
    integer :: ierr

    call frame_update_host(set, name, box, ierr)
    call must('frame_update_host '//name, ierr)
  end subroutine toHost

  subroutine toDevice(set, name, box)
    character(len=*), intent(in) :: set, name
    integer, intent(in) :: box(6)
    integer :: ierr

    call frame_update_device(set, name, box, ierr)
    call must('frame_update_device '//name, ierr)
  end subroutine toDevice

end module bridgeFlowModule
