! Properties of the flow through the bridge: the arrays of each block are bound once, a run takes
! them where they are. Every call passes ierr; what fails ends the job in words.
module bridgePropertiesModule
  use mpi, only: MPI_COMM_WORLD
  use bridge, only: bridge_ok, bridge_absent, frame_error_policy, frame_set, frame_initialize, &
    frame_castles_populatepreosshareddata, frame_castles_populatechungshareddata, &
    frame_bind, frame_run, frame_reduce, frame_python, frame_report, frame_finalize, frame_last_error
  use useGENKindDefs, only: dp
  use caseModule, only: Offload, NumDevices, MaxBlock, Species, SpeciesData, Options, Report, Energy, Update, Cells, &
    Lengths, PictureEvery, PictureFile
  use speciesModule, only: ns, Wi, Tci, Pci, Vci, omegai, dipolei, kappai, nasa7, kij
  use blocksModule
  implicit none
  private
  public :: bridgeBegin, bridgeBind, bridgeThermal, bridgeViscous, bridgeFromPressure, bridgePicture
  public :: bridgeJacobian, bridgeOfPrimitive, bridgeInlet, bridgeOutlet, bridgePhases, bridgeEnd
  public :: setOf, must

contains

  subroutine bridgeBegin
    integer :: device, ierr

    call frame_error_policy('return', ierr)
    call must('frame_error_policy', ierr)
    if (SpeciesData == 'bridge') then
      call frame_set('species', trim(Species), ierr)
      call must('frame_set species', ierr)
    end if
    call setOptions
    call frame_set('massFraction', 'MOLE_FORM', ierr)  ! of D_im: the fluxes have gradients of Y
    call must('frame_set massFraction', ierr)
    device = 0
    if (NumDevices > 0) device = mod(rank, NumDevices)
    call frame_initialize(device, MaxBlock, ns, nQ, 0, comm=MPI_COMM_WORLD, ierr=ierr)
    call must('frame_initialize', ierr)
    if (SpeciesData == 'host') then
      call frame_castles_populatepreosshareddata(Wi, Tci, Pci, omegai, nasa7, kij, ierr)
      call must('frame_castles_populatepreosshareddata', ierr)
      call frame_castles_populatechungshareddata(Vci, dipolei, kappai, ierr)
      call must('frame_castles_populatechungshareddata', ierr)
    end if
    call bridgeBind
  end subroutine bridgeBegin

  ! The arrays of all blocks as they are now; after a regrid again.
  subroutine bridgeBind
    integer :: b

    do b = 1, size(own)
      call bindThermal(own(b))
      call bindViscous(own(b))
      if (Energy == 'pressure') call bindFromPressure(own(b))
      if (Update == 'primitive') call bindPrimitive(own(b))
      if (PictureEvery > 0) call bindPicture(own(b))
      if (Offload == 'step') call bindSides(own(b))
    end do
  end subroutine bridgeBind

  ! Options of the physics as the case has them: 'prCross=ABS; override=dipole=0.0 kappa=0,0.1'.
  subroutine setOptions
    character(len=len(Options)) :: rest, setting
    integer :: semicolon, equals, ierr

    rest = adjustl(Options)
    do while (len_trim(rest) > 0)
      semicolon = index(trim(rest)//';', ';')
      setting = rest(:semicolon - 1)
      rest = adjustl(rest(semicolon + 1:))
      equals = index(setting, '=')
      if (equals == 0) call stopAll('Options: expected key=value, got '//trim(setting))
      call frame_set(setting(:equals - 1), adjustl(setting(equals + 1:)), ierr)
      call must('frame_set '//setting(:equals - 1), ierr)
    end do
  end subroutine setOptions

  subroutine bindThermal(b)
    type(block), intent(inout), target :: b

    call bind(b, 'thermal', 'rho_target', 'in', b%Q, iRho, iRho)
    call bind(b, 'thermal', 'e_target', 'in', b%Q, iE, iE)
    call bind(b, 'thermal', 'Y', 'in', b%Q, iY, nQ)
    call bind(b, 'thermal', 'T0', 'in', b%U, iT0, iT0)
    call bind(b, 'thermal', 'T', 'out', b%prop, iT, iT)
    call bind(b, 'thermal', 'P', 'out', b%prop, iP, iP)
    call bind(b, 'thermal', 'c', 'out', b%prop, iC, iC)
    call bind(b, 'thermal', 'cv', 'out', b%prop, iCv, iCv)
    call bind(b, 'thermal', 'p_rhoe', 'out', b%prop, iPRhoE, iPRhoE)
    call bind(b, 'thermal', 'p_rhoi', 'out', b%prop, iPRhoI, iPRhoI + ns - 1)
    call bindStatus(b, 'thermal', 'out')
  end subroutine bindThermal

  subroutine bindViscous(b)
    type(block), intent(inout), target :: b

    call bind(b, 'viscous', 'T', 'in', b%prop, iT, iT)
    call bind(b, 'viscous', 'P', 'in', b%prop, iP, iP)
    call bind(b, 'viscous', 'Y', 'in', b%Q, iY, nQ)
    call bind(b, 'viscous', 'eta', 'out', b%prop, iEta, iEta)
    call bind(b, 'viscous', 'lambda', 'out', b%prop, iLambda, iLambda)
    call bind(b, 'viscous', 'D_im', 'out', b%prop, iDim, iDim + ns - 1)
    call bind(b, 'viscous', 'h_Yi', 'out', b%prop, iHi, iHi + ns - 1)
  end subroutine bindViscous

  ! The enthalpy comes to the place of the energy.
  subroutine bindFromPressure(b)
    type(block), intent(inout), target :: b

    call bind(b, 'pressure', 'rho_target', 'in', b%Q, iRho, iRho)
    call bind(b, 'pressure', 'P', 'in', b%U, iEn, iEn)
    call bind(b, 'pressure', 'Y', 'in', b%Q, iY, nQ)
    call bind(b, 'pressure', 'T', 'out', b%U, iT0, iT0)
    call bind(b, 'pressure', 'h', 'out', b%Q, iE, iE)
  end subroutine bindFromPressure

  ! What a picture shows, all of it only read.
  subroutine bindPicture(b)
    type(block), intent(inout), target :: b

    call bind(b, 'picture', 'rho_target', 'in', b%Q, iRho, iRho)
    call bind(b, 'picture', 'velocity', 'in', b%Q, iU, iU + 2)
    call bind(b, 'picture', 'Y', 'in', b%Q, iY, nQ)
    call bind(b, 'picture', 'T', 'in', b%prop, iT, iT)
    call bind(b, 'picture', 'P', 'in', b%prop, iP, iP)
    call bind(b, 'picture', 'c', 'in', b%prop, iC, iC)
    call bind(b, 'picture', 'eta', 'in', b%prop, iEta, iEta)
    call bindStatus(b, 'picture', 'in')
  end subroutine bindPicture

  subroutine bindStatus(b, set, direction)
    type(block), intent(inout), target :: b
    character(len=*), intent(in) :: set, direction
    integer :: ierr

    call frame_bind(setOf(set, b), 'status', direction, b%status, f(1) + 1, f(1) + b%n(1), &
                    f(2) + 1, f(2) + b%n(2), f(3) + 1, f(3) + b%n(3), ierr=ierr)
    call must('frame_bind status', ierr)
  end subroutine bindStatus

  ! Arrays of cells alone lie beside those with fringes.
  subroutine bindPrimitive(b)
    type(block), intent(inout), target :: b
    integer, parameter :: none(3) = 0

    call bind(b, 'jacobian', 'T', 'in', b%prop, iT, iT)
    call bind(b, 'jacobian', 'P', 'in', b%prop, iP, iP)
    call bind(b, 'jacobian', 'Y', 'in', b%Q, iY, nQ)
    call bind(b, 'jacobian', 'velocity', 'in', b%Q, iU, iU + 2)
    call bind(b, 'jacobian', 'Vref', 'in', b%jacobian, 2*ns + 6, 2*ns + 6, none)
    call bind(b, 'jacobian', 'rho_p', 'out', b%jacobian, 1, 1, none)
    call bind(b, 'jacobian', 'rho_T', 'out', b%jacobian, 2, 2, none)
    call bind(b, 'jacobian', 'h_p', 'out', b%jacobian, 3, 3, none)
    call bind(b, 'jacobian', 'h_T', 'out', b%jacobian, 4, 4, none)
    call bind(b, 'jacobian', 'h0', 'out', b%jacobian, 5, 5, none)
    call bind(b, 'jacobian', 'rho_Yi', 'out', b%jacobian, 6, 5 + ns, none)
    call bind(b, 'jacobian', 'h_Yi', 'out', b%jacobian, 6 + ns, 5 + 2*ns, none)
    call bind(b, 'primitive', 'Y', 'in', b%W, 1, ns, none)
    call bind(b, 'primitive', 'P', 'in', b%W, ns + 4, ns + 4, none)
    call bind(b, 'primitive', 'T', 'in', b%W, ns + 5, ns + 5, none)
    call bind(b, 'primitive', 'rho', 'out', b%W, ns + 6, ns + 6, none)
    call bind(b, 'primitive', 'h', 'out', b%W, ns + 7, ns + 7, none)
  end subroutine bindPrimitive

  ! The states of an inflow and of an outflow. The guess of a temperature is that of the first cell.
  subroutine bindSides(b)
    type(block), intent(inout), target :: b
    integer, parameter :: none(3) = 0

    if (associated(b%through(1)%state)) then
      call bind(b, 'inlet', 'h_target', 'in', b%through(1)%state, jH, jH, none, 1)
      call bind(b, 'inlet', 'P', 'in', b%through(1)%state, jP, jP, none, 1)
      call bind(b, 'inlet', 'Y', 'in', b%through(1)%state, iY, nQ, none, 1)
      call bind(b, 'inlet', 'T0', 'in', b%U, iT0, iT0, planes=1)
      call bind(b, 'inlet', 'T', 'out', b%through(1)%state, jT, jT, none, 1)
      call bind(b, 'inlet', 'rho', 'out', b%through(1)%state, jRho, jRho, none, 1)
      call bindStatusOf(b, 'inlet', 1)
    end if
    if (associated(b%through(2)%state)) then
      call bind(b, 'outlet', 'rho_target', 'in', b%through(2)%state, jRho, jRho, none, fringe)
      call bind(b, 'outlet', 'P', 'in', b%through(2)%state, jP, jP, none, fringe)
      call bind(b, 'outlet', 'Y', 'in', b%through(2)%state, iY, nQ, none, fringe)
      call bind(b, 'outlet', 'h', 'out', b%through(2)%state, jH, jH, none, fringe)
      call bindStatusOf(b, 'outlet', 2)
    end if
  end subroutine bindSides

  subroutine bindStatusOf(b, set, side)
    type(block), intent(inout), target :: b
    character(len=*), intent(in) :: set
    integer, intent(in) :: side
    integer :: ierr

    call frame_bind(setOf(set, b), 'status', 'out', b%through(side)%status, ierr=ierr)
    call must('frame_bind status', ierr)
  end subroutine bindStatusOf

  ! layers: of the array around its cells; the fringe unless it is given. planes: cells along x; those
  ! of the block unless they are given.
  subroutine bind(b, set, name, direction, array, first, last, layers, planes)
    type(block), intent(in) :: b
    character(len=*), intent(in) :: set, name, direction
    real(dp), intent(inout), target :: array(:, :, :, :)
    integer, intent(in) :: first, last
    integer, intent(in), optional :: layers(3), planes
    integer :: l(3), n(3), ierr

    l = f
    n = b%n
    if (present(layers)) l = layers
    if (present(planes)) n(1) = planes
    call frame_bind(setOf(set, b), name, direction, array, l(1) + 1, l(1) + n(1), l(2) + 1, &
                    l(2) + n(2), l(3) + 1, l(3) + n(3), first, last, ierr=ierr)
    call must('frame_bind '//name, ierr)
  end subroutine bind

  ! Name of a set of a block.
  function setOf(set, b) result(name)
    character(len=*), intent(in) :: set
    type(block), intent(in) :: b
    character(len=:), allocatable :: name
    character(len=12) :: number

    write(number, '(i0)') b%id
    name = set//'_'//trim(number)
  end function setOf

  subroutine bridgeThermal(b, boxes)
    type(block), intent(in) :: b
    integer, intent(in) :: boxes(:, :)
    call run(b, 'thermal', 'eosThermalFromRhoE', boxes)
  end subroutine bridgeThermal

  subroutine bridgeViscous(b, boxes)
    type(block), intent(in) :: b
    integer, intent(in) :: boxes(:, :)
    call run(b, 'viscous', 'prEOSViscousFluxProperties', boxes)
  end subroutine bridgeViscous

  subroutine bridgeFromPressure(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)
    integer :: n, i, j, k

    call run(b, 'pressure', 'prEOSCalcTFromRhoP', boxes)
    do n = 1, size(boxes, 2)
      do k = boxes(5, n), boxes(6, n)
        do j = boxes(3, n), boxes(4, n)
          do i = boxes(1, n), boxes(2, n)
            b%Q(i, j, k, iE) = b%Q(i, j, k, iE) - b%U(i, j, k, iEn)/b%Q(i, j, k, iRho)
          end do
        end do
      end do
    end do
  end subroutine bridgeFromPressure

  subroutine bridgeJacobian(b)
    type(block), intent(in) :: b
    call run(b, 'jacobian', 'eosGammaJacobianProperties', boxesOf(b, cellsAlone))
  end subroutine bridgeJacobian

  subroutine bridgeOfPrimitive(b)
    type(block), intent(in) :: b
    call run(b, 'primitive', 'eosRhohFromTPprop', boxesOf(b, cellsAlone))
  end subroutine bridgeOfPrimitive

  subroutine bridgeInlet(b)
    type(block), intent(in) :: b
    call run(b, 'inlet', 'prEOSCalcTFromHP', reshape([1, 1, 1, b%n(2), 1, b%n(3)], [6, 1]))
  end subroutine bridgeInlet

  subroutine bridgeOutlet(b)
    type(block), intent(in) :: b
    call run(b, 'outlet', 'prEOSCalcTFromRhoP', reshape([1, fringe, 1, b%n(2), 1, b%n(3)], [6, 1]))
  end subroutine bridgeOutlet

  ! Cells of this rank that would split into two phases, and those of which the test of stability
  ! cannot tell. It takes the place of the status of the thermal state.
  function bridgePhases() result(counts)
    integer, parameter :: twoPhase = 15, stabilityOpen = 16   ! bits of status: docs/physics.md
    integer :: counts(2), bits(32), b, ierr

    counts = 0
    do b = 1, size(own)
      call bind(own(b), 'phases', 'T', 'in', own(b)%prop, iT, iT)
      call bind(own(b), 'phases', 'P', 'in', own(b)%prop, iP, iP)
      call bind(own(b), 'phases', 'Y', 'in', own(b)%Q, iY, nQ)
      allocate(own(b)%tpd, source=0.0_dp*own(b)%prop(:, :, :, iT:iT))
      call bind(own(b), 'phases', 'tpd', 'out', own(b)%tpd, 1, 1)
      call bindStatus(own(b), 'phases', 'out')
      call run(own(b), 'phases', 'prEOSPhaseStability', boxesOf(own(b), cellsAlone))
      call frame_reduce(setOf('phases', own(b)), 'status', 'bits', bits, ierr=ierr)
      call must('frame_reduce status', ierr)
      counts = counts + [bits(twoPhase + 1), bits(stabilityOpen + 1)]
    end do
  end function bridgePhases

  subroutine run(b, set, composite, boxes)
    type(block), intent(in) :: b
    character(len=*), intent(in) :: set, composite
    integer, intent(in) :: boxes(:, :)
    integer :: ierr

    call frame_run(setOf(set, b), composite, box=boxes, ierr=ierr)
    call must('frame_run '//composite, ierr)
  end subroutine run

  ! The fields of a step as a VTKHDF file, by Python on the arrays where they are (fields.py).
  subroutine bridgePicture(step, time)
    integer, intent(in) :: step
    real(dp), intent(in) :: time
    integer :: b, ierr

    if (PictureEvery < 1) return
    if (mod(step, PictureEvery) /= 0) return
    do b = 1, size(own)
      call frame_python(setOf('picture', own(b)), 'fields:write', [real(dp) :: step, time, Lengths, &
        Cells, own(b)%offset, nRanks, merge(1, 0, b == size(own))], trim(PictureFile), ierr)
      call must('frame_python fields:write', ierr)
    end do
  end subroutine bridgePicture

  subroutine bridgeEnd
    integer :: ierr

    if (Report == 'yes') then
      call frame_report(ierr)
      call must('frame_report', ierr)
    end if
    call frame_finalize(ierr)
    call must('frame_finalize', ierr)
  end subroutine bridgeEnd

  subroutine must(what, ierr)
    character(len=*), intent(in) :: what
    integer, intent(in) :: ierr
    character(len=512) :: reason
    character(len=640) :: text

    if (ierr == bridge_ok) return
    reason = ' '
    call frame_last_error(reason)
    write(text, '(2a,i0,2a)') what, ' failed with status ', ierr, ': ', trim(reason)
    if (ierr == bridge_absent) text = trim(what)//': this program was built without the bridge'
    call stopAll(text)
  end subroutine must

end module bridgePropertiesModule
