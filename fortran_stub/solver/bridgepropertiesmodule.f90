! Properties through the bridge, in its two styles. Every call passes ierr: with the policy
! "abort" the bridge has ended the job before it returns, with "return" this module does.
module bridgePropertiesModule
  use bridge, only: bridge_ok, bridge_absent, frame_error_policy, frame_set, frame_initialize, &
    frame_castles_populatepreosshareddata, frame_castles_populatechungshareddata, &
    frame_castles_populateinputstripe, frame_castles_populateoutputstripe, &
    frame_tvproperties_eosthermalandviscousproperties, frame_bind, frame_run, frame_report, &
    frame_finalize, frame_last_error
  use useGENKindDefs, only: dp
  use caseModule, only: NumDevices, MaxBlock, OnError, Style, SpeciesData, Species, Report, Options
  use speciesModule, only: ns, Wi, Tci, Pci, Vci, omegai, dipolei, kappai, nasa7, kij
  use decompositionModule, only: comm, rank, Spt, Ept, local, extent, stopAll
  use fieldsModule
  implicit none
  private
  public :: bridgeBegin, bridgeBind, stripeProperties, boundProperties, boundPhases, bridgeEnd

  ! Answers of boundPhases: the bridge may use a bound array until it ends.
  real(dp), allocatable, target :: stability(:, :, :, :)   ! tpd, status

contains

  subroutine bridgeBegin
    integer :: ierr, deviceID

    call frame_error_policy(trim(OnError), ierr)
    call must('frame_error_policy', ierr)
    if (SpeciesData == 'bridge') then
      call frame_set('species', trim(Species), ierr)
      call must('frame_set species', ierr)
    end if
    call setOptions
    deviceID = 0
    if (NumDevices > 0) deviceID = mod(rank, NumDevices)
    call frame_initialize(deviceID, MaxBlock, ns, nq, 0, comm=comm, ierr=ierr)
    call must('frame_initialize', ierr)
    if (SpeciesData == 'host') then
      call frame_castles_populatepreosshareddata(Wi, Tci, Pci, omegai, nasa7, kij, ierr)
      call must('frame_castles_populatepreosshareddata', ierr)
      call frame_castles_populatechungshareddata(Vci, dipolei, kappai, ierr)
      call must('frame_castles_populatechungshareddata', ierr)
    end if
  end subroutine bridgeBegin

  ! Options of the physics as the case has them: 'prCross=ABS; override=dipole=0.0 kappa=0,0,0.1'.
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

  ! Name the columns of Q and of a property array once; they stay where they are.
  subroutine bridgeBind(array)
    real(dp), intent(inout), target :: array(:, :, :, :)
    integer :: i

    if (Style /= 'bind') return
    call bindState('cells')
    do i = 1, nOutputs
      call bindColumns('cells', trim(outputName(i)), 'out', array, firstColumn(i), lastColumn(i))
    end do
  end subroutine bridgeBind

  subroutine bindState(set)
    character(len=*), intent(in) :: set

    call bindColumns(set, 'P', 'in', Q, iP, iP)
    call bindColumns(set, 'T', 'in', Q, iT, iT)
    call bindColumns(set, 'Y', 'in', Q, iY, iY + ns - 1)
  end subroutine bindState

  subroutine bindColumns(set, name, direction, array, first, last)
    character(len=*), intent(in) :: set, name, direction
    real(dp), intent(inout), target :: array(:, :, :, :)
    integer, intent(in) :: first, last
    integer :: ierr

    call frame_bind(set, name, direction, array, Spt(1), Ept(1), Spt(2), Ept(2), &
                    Spt(3), Ept(3), first, last, ierr=ierr)
    call must('frame_bind '//name, ierr)
  end subroutine bindColumns

  ! The whole loop over the block in one call: bind style.
  subroutine boundProperties
    integer :: ierr

    call frame_run('cells', 'eosThermalAndViscousProperties', ierr)
    call must('frame_run', ierr)
  end subroutine boundProperties

  ! Cells of this rank, those that would split into two phases, and those of which the test of
  ! stability could not tell. With both styles by bound arrays: it is asked once.
  function boundPhases() result(counts)
    integer, parameter :: twoPhase = 15, stabilityOpen = 16   ! bits of status: docs/physics.md
    integer :: counts(3), i, j, k, status, ierr

    allocate(stability(extent(1), extent(2), extent(3), 2), source=0.0_dp)
    call bindState('phases')
    call bindColumns('phases', 'tpd', 'out', stability, 1, 1)
    call bindColumns('phases', 'status', 'out', stability, 2, 2)
    call frame_run('phases', 'prEOSPhaseStability', ierr)
    call must('frame_run prEOSPhaseStability', ierr)
    counts = [product(local), 0, 0]
    do k = Spt(3), Ept(3)
      do j = Spt(2), Ept(2)
        do i = Spt(1), Ept(1)
          status = nint(stability(i, j, k, 2))
          if (btest(status, twoPhase)) then
            counts(2) = counts(2) + 1
          else if (btest(status, stabilityOpen)) then
            counts(3) = counts(3) + 1
          end if
        end do
      end do
    end do
  end function boundPhases

  ! The loop of the talk written out: stripes of at most MaxBlock interior points.
  subroutine stripeProperties(array)
    real(dp), intent(inout) :: array(:, :, :, :)
    integer :: SptStripe, EptStripe, NumThisStripe, numPoints, i, ierr

    numPoints = product(local)
    do SptStripe = 1, numPoints, MaxBlock
      EptStripe = min(SptStripe + MaxBlock - 1, numPoints)
      NumThisStripe = EptStripe - SptStripe + 1

      call frame_castles_populateinputstripe('Q', Q, Spt(1), Ept(1), Spt(2), Ept(2), &
                                             Spt(3), Ept(3), 1, nq, SptStripe, EptStripe, ierr)
      call must('frame_castles_populateinputstripe Q', ierr)
      call frame_tvproperties_eosthermalandviscousproperties(NumThisStripe, ierr)
      call must('frame_tvproperties_eosthermalandviscousproperties', ierr)
      do i = 1, nOutputs
        call frame_castles_populateoutputstripe(trim(outputName(i)), array, &
          Spt(1), Ept(1), Spt(2), Ept(2), Spt(3), Ept(3), firstColumn(i), lastColumn(i), &
          SptStripe, EptStripe, ierr)
        call must('frame_castles_populateoutputstripe '//trim(outputName(i)), ierr)
      end do
    end do
  end subroutine stripeProperties

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
