! The case: two namelists and the overrides of the command line.
!
!   flow jet.nml Offload=properties Steps=20 Cells=64,48,1
module caseModule
  use useGENKindDefs, only: dp
  use speciesModule, only: speciesRead, ns
  implicit none
  private
  public :: caseRead, setOffload

  integer, parameter :: maxSpecies = 64

  ! &BridgeInputs
  character(len=16), protected, public :: Offload = 'none'     ! none, properties, fluxes or step
  logical, protected, public :: Recorded = .true.              ! step: its calls are one, but for timers
  character(len=16), protected, public :: Properties = 'run'   ! run, or verify: both, compared
  integer, protected, public :: NumDevices = 1                 ! device = mod(rank, NumDevices)
  integer, protected, public :: MaxBlock = 131072              ! points per launch
  character(len=16), protected, public :: Report = 'no'        ! yes: the bridge's own report
  character(len=16), protected, public :: SpeciesData = 'bridge'  ! whose constants: bridge or host
  character(len=512), protected, public :: Options = ' '       ! of its physics: key=value; key=value
  character(len=16), protected, public :: Phases = 'count'     ! of the last state: off, count or one
  real(dp), protected, public :: VerifyTolerance = 1.0e-10_dp
  integer, protected, public :: PictureEvery = 0               ! steps; 0: no pictures
  character(len=512), protected, public :: PictureFile = ' '   ! jet.vtkhdf: jet_000040.vtkhdf ...

  ! &Case: the flow
  character(len=16), protected, public :: Flow = 'jet'  ! uniform wave pulse layer tube vortex jet
  character(len=512), protected, public :: Species = 'O2 CH4'
  character(len=512), protected, public :: SpeciesFile = 'data/species.dat'
  real(dp), protected, public :: Pressure = 1.0e7_dp    ! Pa, of the undisturbed flow
  real(dp), protected, public :: Temperature = 300.0_dp ! K
  real(dp), protected, public :: Velocity(3) = 0.0_dp   ! m/s
  real(dp), protected, public :: Y(maxSpecies) = 0.0_dp ! mass fractions; the first species if none
  ! What disturbs it: the other side of a layer, a tube or a jet, or a wave, pulse or vortex.
  real(dp), protected, public :: OtherPressure = 1.0e7_dp, OtherTemperature = 300.0_dp
  real(dp), protected, public :: OtherVelocity(3) = 0.0_dp
  real(dp), protected, public :: OtherY(maxSpecies) = 0.0_dp
  ! Hot products in the layers of a jet: their largest share there.
  real(dp), protected, public :: ProductShare = 0.0_dp, ProductTemperature = 1800.0_dp
  real(dp), protected, public :: ProductY(maxSpecies) = 0.0_dp
  real(dp), protected, public :: Width = 1.0e-5_dp      ! m, of a layer, pulse or vortex
  real(dp), protected, public :: Amplitude = 0.0_dp     ! of a wave (kg/m3), pulse (Pa), vortex (m/s)
  integer, protected, public :: Waves = 1               ! wavelengths in x

  ! &Case: the grid and its sides
  integer, protected, public :: Cells(3) = [64, 48, 1]
  integer, protected, public :: Blocks(3) = 0           ! blocks per direction; 0: one for each rank
  integer, protected, public :: RegridEvery = 0         ! steps; the cuts between blocks move; 0: never
  real(dp), protected, public :: Lengths(3) = [3.2e-4_dp, 2.4e-4_dp, 1.2e-4_dp]   ! m
  ! Low and high side: periodic, inflow, outflow, slip or wall (no slip, no heat).
  character(len=16), protected, public :: BoundaryX(2) = 'periodic'
  character(len=16), protected, public :: BoundaryY(2) = 'periodic'
  character(len=16), protected, public :: BoundaryZ(2) = 'periodic'

  ! &Case: the scheme
  character(len=16), protected, public :: Scheme = 'RK3'      ! RK3 or RK4
  character(len=16), protected, public :: Energy = 'total'    ! total or pressure
  character(len=16), protected, public :: Update = 'conserved' ! conserved or primitive variables
  logical, protected, public :: Viscous = .true.
  real(dp), protected, public :: Dissipation = 1.0_dp/60.0_dp ! of sixth differences
  real(dp), protected, public :: Relaxation = 0.28_dp         ! of the pressure at an outflow
  integer, protected, public :: Steps = 20
  real(dp), protected, public :: EndTime = 0.0_dp       ! s; the last step ends there, 0: not asked
  real(dp), protected, public :: Dt = 0.0_dp            ! s; zero: from Cfl
  real(dp), protected, public :: Cfl = 0.5_dp

  character(len=512), protected, public :: OutputFile = ' '
  character(len=512), protected, public :: RestartFile = ' '  ! an earlier OutputFile to go on from
  character(len=512), protected, public :: TimerFile = ' '
  integer, protected, public :: Warmup = 0              ! first steps, which the timers leave out
  integer, protected, public :: PrintEvery = 10

contains

  ! For a comparison of two stages in one run.
  subroutine setOffload(stage)
    character(len=*), intent(in) :: stage
    Offload = stage
  end subroutine setOffload

  ! message is blank, or says what is wrong with the case.
  subroutine caseRead(message)
    character(len=*), intent(out) :: message
    character(len=512) :: fileName, argument
    integer :: i, unit, ios
    logical :: ended(2)

    message = ' '
    call get_command_argument(1, fileName)
    if (len_trim(fileName) == 0) then
      message = 'usage: flow case.nml [Name=value ...]'
      return
    end if
    open(newunit=unit, file=fileName, status='old', action='read', iostat=ios)
    if (ios /= 0) then
      message = 'cannot open the case '//trim(fileName)
      return
    end if
    call readNamelists(unit, message, ended)
    if (len_trim(message) == 0) call checkGroups(unit, ended, message)
    close(unit)
    do i = 2, command_argument_count()
      if (len_trim(message) > 0) return
      call get_command_argument(i, argument)
      call override(argument, message)
    end do
    if (len_trim(message) > 0) return
    call speciesRead(SpeciesFile, Species, message)
    if (len_trim(message) == 0) call check(message)
  end subroutine caseRead

  ! Both namelists of a unit, in any order; text of the runtime library in case of an error.
  ! ended: false where there is none, or one without an end.
  subroutine readNamelists(unit, message, ended)
    integer, intent(in) :: unit
    character(len=*), intent(out) :: message
    logical, intent(out) :: ended(2)
    character(len=256) :: text
    integer :: ios
    namelist /BridgeInputs/ Offload, Recorded, Properties, NumDevices, MaxBlock, Report, SpeciesData, &
      Options, Phases, VerifyTolerance, PictureEvery, PictureFile
    namelist /Case/ Flow, Species, SpeciesFile, Pressure, Temperature, Velocity, Y, &
      OtherPressure, OtherTemperature, OtherVelocity, OtherY, ProductShare, ProductTemperature, ProductY, &
      Width, Amplitude, Waves, Cells, Blocks, RegridEvery, Lengths, BoundaryX, BoundaryY, BoundaryZ, Scheme, &
      Energy, Update, Viscous, Dissipation, Relaxation, Steps, EndTime, Dt, Cfl, OutputFile, RestartFile, TimerFile, &
      Warmup, PrintEvery

    message = ' '
    rewind(unit)
    read(unit, nml=BridgeInputs, iostat=ios, iomsg=text)
    if (ios > 0) message = '&BridgeInputs: '//trim(text)
    ended(1) = ios == 0
    rewind(unit)
    read(unit, nml=Case, iostat=ios, iomsg=text)
    if (ios > 0) message = '&Case: '//trim(text)
    ended(2) = ios == 0
  end subroutine readNamelists

  ! What would be passed over: a namelist of another name, or without an end.
  subroutine checkGroups(unit, ended, message)
    integer, intent(in) :: unit
    logical, intent(in) :: ended(2)
    character(len=*), intent(out) :: message
    character(len=512) :: line
    character(len=16) :: unended
    integer :: i, ios
    logical :: closed      ! a last line without a line feed ends a namelist too

    message = ' '
    closed = .false.
    unended = ' '
    rewind(unit)
    do
      read(unit, '(a)', iostat=ios) line
      if (ios /= 0) exit
      line = adjustl(line)
      i = len_trim(line)
      if (i > 0) closed = line(i:i) == '/'
      if (line(1:1) /= '&') cycle
      line = line(:scan(line//' ', ' /,!'//char(9)) - 1)
      do i = 1, len_trim(line)
        if (line(i:i) >= 'A' .and. line(i:i) <= 'Z') line(i:i) = char(ichar(line(i:i)) + 32)
      end do
      if (line /= '&bridgeinputs' .and. line /= '&case') &
        message = 'a namelist must be &BridgeInputs or &Case, got '//trim(line)
      if (line == '&bridgeinputs' .and. .not. ended(1)) unended = '&BridgeInputs'
      if (line == '&case' .and. .not. ended(2)) unended = '&Case'
    end do
    if (len_trim(unended) > 0 .and. .not. closed) message = trim(unended)//' has no / at its end'
  end subroutine checkGroups

  ! Name=value as a namelist of one line; words get their quotes here.
  subroutine override(argument, message)
    character(len=*), intent(in) :: argument
    character(len=*), intent(out) :: message
    character(len=256) :: unknown(2)
    logical :: ended(2)
    character(len=3*len(argument)) :: value
    integer :: equals, group, unit

    equals = index(argument, '=')
    message = 'expected Name=value, got '//trim(argument)
    if (equals < 2) return
    value = argument(equals + 1:)
    if (scan(value(1:1), '0123456789+-.''"') == 0 .or. index(value, '/') > 0) value = quoted(value)
    do group = 1, 2
      open(newunit=unit, status='scratch')
      if (group == 1) write(unit, '(5a)') '&BridgeInputs ', argument(1:equals), trim(value), ' /'
      if (group == 2) write(unit, '(5a)') '&Case ', argument(1:equals), trim(value), ' /'
      call readNamelists(unit, unknown(group), ended)
      close(unit)
      if (len_trim(unknown(group)) == 0) then
        message = ' '
        return
      end if
    end do
    message = trim(argument)//': '//trim(unknown(1))//'; '//trim(unknown(2))
  end subroutine override

  ! Words with commas between them are a list, anything else is one text: Species=O2 CH4, and what
  ! has an = in it: Options=prCross=ABS.
  pure recursive function quoted(text) result(value)
    character(len=*), intent(in) :: text
    character(len=len(text)) :: value
    integer :: comma

    comma = index(text, ',')
    if (comma == 0 .or. index(text, '=') > 0) then
      value = "'"//trim(text)//"'"
    else
      value = "'"//text(:comma - 1)//"',"//quoted(text(comma + 1:))
    end if
  end function quoted

  subroutine check(message)
    character(len=*), intent(out) :: message

    message = ' '
    if (.not. any(Offload == ['none      ', 'properties', 'fluxes    ', 'step      '])) &
      message = 'Offload must be none, properties, fluxes or step, got '//trim(Offload)
    if (any(Offload == ['fluxes', 'step  ']) .and. Energy == 'pressure') &
      message = 'Energy = pressure runs with Offload none or properties, got '//trim(Offload)
    if (.not. any(Properties == ['run   ', 'verify'])) &
      message = 'Properties must be run or verify, got '//trim(Properties)
    if (Properties == 'verify' .and. Offload == 'none') &
      message = 'Properties = verify compares with Offload properties, fluxes or step, got none'
    if (.not. any(Report == ['yes', 'no '])) message = 'Report must be yes or no, got '//trim(Report)
    if (PictureEvery < 0) &
      write(message, '(a,i0)') 'PictureEvery must not be negative, got ', PictureEvery
    if (PictureEvery > 0 .and. len_trim(PictureFile) == 0) &
      message = 'PictureFile must be the name of the pictures, as jet.vtkhdf, got none'
    if (PictureEvery > 0 .and. Offload == 'none') message = 'PictureEvery draws arrays of the bridge: '// &
      'Offload must be properties, fluxes or step, got none; flow/fields.py makes a picture of an OutputFile'
    if (.not. any(SpeciesData == ['bridge', 'host  '])) &
      message = 'SpeciesData must be bridge or host, got '//trim(SpeciesData)
    if (.not. any(Phases == ['off  ', 'count', 'one  '])) &
      message = 'Phases must be off, count or one, got '//trim(Phases)
    if (.not. any(Flow == ['uniform', 'wave   ', 'pulse  ', 'layer  ', 'tube   ', 'vortex ', &
                           'jet    '])) &
      message = 'Flow must be uniform, wave, pulse, layer, tube, vortex or jet, got '//trim(Flow)
    if (.not. any(Scheme == ['RK3', 'RK4'])) message = 'Scheme must be RK3 or RK4, got '//trim(Scheme)
    if (.not. any(Energy == ['total   ', 'pressure'])) &
      message = 'Energy must be total or pressure, got '//trim(Energy)
    if (.not. any(Update == ['conserved', 'primitive'])) &
      message = 'Update must be conserved or primitive, got '//trim(Update)
    if (Update == 'primitive' .and. (Energy == 'pressure' .or. any(Offload == ['fluxes', 'step  ']))) &
      message = 'Update = primitive runs with Energy total and Offload none or properties, got '// &
        trim(Energy)//' and '//trim(Offload)
    call checkSides('BoundaryX', BoundaryX, message)
    call checkSides('BoundaryY', BoundaryY, message)
    call checkSides('BoundaryZ', BoundaryZ, message)
    if (any(Cells < 1)) write(message, '(a,3(1x,i0))') 'Cells must be positive, got', Cells
    if (.not. all(Lengths > 0.0_dp)) &
      write(message, '(a,3es12.4)') 'Lengths must be positive, got', Lengths
    if (any(Blocks < 0)) write(message, '(a,3(1x,i0))') 'Blocks must not be negative, got', Blocks
    if (RegridEvery < 0) write(message, '(a,i0)') 'RegridEvery must not be negative, got ', RegridEvery
    if (.not. Width > 0.0_dp) write(message, '(a,es12.4)') 'Width must be positive, got', Width
    if (.not. (ProductShare >= 0.0_dp .and. ProductShare <= 1.0_dp)) &
      write(message, '(a,es12.4)') 'ProductShare must lie between 0 and 1, got ', ProductShare
    if (ProductShare > 0.0_dp .and. Flow /= 'jet') &
      message = 'ProductShare is for Flow = jet, got '//trim(Flow)
    if (MaxBlock < 1) write(message, '(a,i0)') 'MaxBlock must be positive, got ', MaxBlock
    if (Warmup < 0 .or. (Warmup > 0 .and. Warmup >= Steps)) &
      write(message, '(2(a,i0))') 'Warmup must be less than Steps, got ', Warmup, ' of ', Steps
    if (.not. (Dt > 0.0_dp .or. Cfl > 0.0_dp)) message = 'Dt or Cfl must be positive'
    if (ns > maxSpecies) &
      write(message, '(2(a,i0))') 'Species must be at most ', maxSpecies, ', got ', ns
    if (len_trim(message) > 0) return
    if (all(abs(Y) <= 0.0_dp)) Y(1) = 1.0_dp
    if (all(abs(OtherY) <= 0.0_dp)) OtherY(:ns) = Y(:ns)
    call checkFractions('Y', Y, message)
    if (all(abs(ProductY) <= 0.0_dp)) ProductY(:ns) = Y(:ns)
    call checkFractions('OtherY', OtherY, message)
    call checkFractions('ProductY', ProductY, message)
  end subroutine check

  subroutine checkSides(name, sides, message)
    character(len=*), intent(in) :: name, sides(2)
    character(len=*), intent(inout) :: message
    character(len=8), parameter :: known(5) = &
      [character(len=8) :: 'periodic', 'inflow', 'outflow', 'slip', 'wall']

    if (.not. (any(known == sides(1)) .and. any(known == sides(2)))) &
      message = name//' must be two of periodic, inflow, outflow, slip, wall; got '// &
        trim(sides(1))//', '//trim(sides(2))
    if ((sides(1) == 'periodic') .neqv. (sides(2) == 'periodic')) &
      message = name//': both sides are periodic, or none'
    if (name /= 'BoundaryX' .and. any(sides == 'inflow')) &
      message = name//': an inflow lies at the low side of x'
    if (sides(2) == 'inflow') message = name//': an inflow lies at the low side of x'
    if (name == 'BoundaryX' .and. sides(1) /= 'outflow') return
    if (name /= 'BoundaryX' .and. all(sides /= 'outflow')) return
    if (sides(1) == 'outflow' .or. name /= 'BoundaryX') &
      message = name//': an outflow lies at the high side of x'
  end subroutine checkSides

  subroutine checkFractions(name, fractions, message)
    character(len=*), intent(in) :: name
    real(dp), intent(in) :: fractions(maxSpecies)
    character(len=*), intent(inout) :: message

    if (len_trim(message) > 0) return
    if (any(fractions < 0.0_dp) .or. any(fractions(ns+1:) > 0.0_dp) &
        .or. .not. abs(sum(fractions(1:ns)) - 1.0_dp) <= 1.0e-12_dp) &
      message = name//' must hold one mass fraction per species, adding up to one'
  end subroutine checkFractions

end module caseModule
