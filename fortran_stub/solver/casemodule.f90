! The case: two namelists and the overrides of the command line.
!
!   solver jet.nml Properties=bridge Steps=20 Cells=64,48,1
module caseModule
  use useGENKindDefs, only: dp
  use speciesModule, only: speciesRead, ns
  implicit none
  private
  public :: caseRead

  integer, parameter :: maxSpecies = 64

  ! &BridgeInputs
  integer, protected, public :: NumDevices = 1          ! device = mod(rank, NumDevices)
  integer, protected, public :: MaxBlock = 131072       ! points per launch
  character(len=16), protected, public :: Properties = 'fortran'   ! fortran, bridge or verify
  character(len=16), protected, public :: Style = 'bind'           ! stripe or bind
  character(len=16), protected, public :: OnError = 'abort'        ! abort or return
  character(len=16), protected, public :: SpeciesData = 'bridge'   ! whose constants: bridge or host
  character(len=16), protected, public :: Report = 'no'            ! yes: the bridge's own report
  character(len=16), protected, public :: Phases = 'count'         ! of the last state: off, count or one
  character(len=512), protected, public :: Options = ' '           ! key=value; key=value ...

  ! &Case
  integer, protected, public :: Cells(3) = [64, 48, 1]
  integer, protected, public :: Decomposition(3) = 0    ! ranks per direction, 0: chosen
  integer, protected, public :: Fringe = 2              ! layers on each side of a block
  integer, protected, public :: Steps = 20
  integer, protected, public :: Warmup = 0              ! first steps, which the timers leave out
  real(dp), protected, public :: Lengths(3) = [3.2e-4_dp, 2.4e-4_dp, 1.2e-4_dp]   ! m
  real(dp), protected, public :: Dt = 2.5e-8_dp         ! s; zero: from Cfl and the sound speed
  real(dp), protected, public :: Cfl = 0.5_dp
  character(len=16), protected, public :: BoundaryX = 'inflow'     ! inflow or periodic
  character(len=16), protected, public :: BoundaryY = 'outflow'    ! outflow or periodic
  real(dp), protected, public :: Pressure = 1.0e7_dp    ! Pa
  character(len=512), protected, public :: Species = 'O2 CH4 CO2 H2O CO N2'
  character(len=512), protected, public :: SpeciesFile = 'data/species.dat'
  character(len=512), protected, public :: OutputFile = ' '
  character(len=512), protected, public :: TimerFile = ' '
  real(dp), protected, public :: VerifyTolerance = 1.0e-10_dp
  integer, protected, public :: PrintEvery = 10

  ! The three streams: temperature K, mass fractions in the order of Species, speed m/s.
  real(dp), protected, public :: JetT = 120.0_dp, CoflowT = 290.0_dp, ProductT = 1800.0_dp
  real(dp), protected, public :: JetU = 15.0_dp, CoflowU = 45.0_dp
  real(dp), protected, public :: JetY(maxSpecies) = 0.0_dp
  real(dp), protected, public :: CoflowY(maxSpecies) = 0.0_dp
  real(dp), protected, public :: ProductY(maxSpecies) = 0.0_dp
  real(dp), protected, public :: ProductPeak = 0.6_dp   ! largest share of products in a layer
  real(dp), protected, public :: Perturbation = 0.25_dp ! strength of the shear mode
  integer, protected, public :: Waves = 3               ! wavelengths of the mode in x

contains

  ! message is blank, or says what is wrong with the case.
  subroutine caseRead(message)
    character(len=*), intent(out) :: message
    character(len=512) :: fileName, argument
    integer :: i, unit, ios

    message = ' '
    JetY(1) = 1.0_dp
    CoflowY(2) = 1.0_dp
    ! Without water: it would condense where the products meet the cold oxygen.
    ProductY(1:6) = [0.05_dp, 0.05_dp, 0.45_dp, 0.0_dp, 0.35_dp, 0.1_dp]

    call get_command_argument(1, fileName)
    if (len_trim(fileName) == 0) then
      message = 'usage: solver case.nml [Name=value ...]'
      return
    end if
    open(newunit=unit, file=fileName, status='old', action='read', iostat=ios)
    if (ios /= 0) then
      message = 'cannot open the case '//trim(fileName)
      return
    end if
    call readNamelists(unit, message)
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
  subroutine readNamelists(unit, message)
    integer, intent(in) :: unit
    character(len=*), intent(out) :: message
    character(len=256) :: text
    integer :: ios
    namelist /BridgeInputs/ NumDevices, MaxBlock, Properties, Style, OnError, SpeciesData, Report, &
      Phases, Options
    namelist /Case/ Cells, Decomposition, Fringe, Steps, Warmup, Lengths, Dt, Cfl, BoundaryX, BoundaryY, &
      Pressure, Species, SpeciesFile, OutputFile, TimerFile, VerifyTolerance, PrintEvery, &
      JetT, CoflowT, ProductT, JetU, CoflowU, JetY, CoflowY, ProductY, ProductPeak, &
      Perturbation, Waves

    message = ' '
    rewind(unit)
    read(unit, nml=BridgeInputs, iostat=ios, iomsg=text)
    if (ios > 0) message = '&BridgeInputs: '//trim(text)
    rewind(unit)
    read(unit, nml=Case, iostat=ios, iomsg=text)
    if (ios > 0) message = '&Case: '//trim(text)
  end subroutine readNamelists

  ! Name=value as a namelist of one line; a value that is a word gets its quotes here.
  subroutine override(argument, message)
    character(len=*), intent(in) :: argument
    character(len=*), intent(out) :: message
    character(len=256) :: unknown
    character(len=len(argument) + 2) :: value
    integer :: equals, group, unit

    equals = index(argument, '=')
    message = 'expected Name=value, got '//trim(argument)
    if (equals < 2) return
    value = argument(equals + 1:)
    if (scan(value(1:1), '0123456789+-.''"') == 0 .or. index(value, '/') > 0) &
      value = "'"//trim(value)//"'"
    do group = 1, 2
      open(newunit=unit, status='scratch')
      if (group == 1) write(unit, '(5a)') '&BridgeInputs ', argument(1:equals), trim(value), ' /'
      if (group == 2) write(unit, '(5a)') '&Case ', argument(1:equals), trim(value), ' /'
      call readNamelists(unit, unknown)
      close(unit)
      if (len_trim(unknown) == 0) then
        message = ' '
        return
      end if
    end do
    message = trim(argument)//': '//trim(unknown)
  end subroutine override

  subroutine check(message)
    character(len=*), intent(out) :: message

    message = ' '
    if (.not. any(Properties == ['fortran', 'bridge ', 'verify '])) &
      message = 'Properties must be fortran, bridge or verify, got '//trim(Properties)
    if (.not. any(Style == ['stripe', 'bind  '])) &
      message = 'Style must be stripe or bind, got '//trim(Style)
    if (.not. any(OnError == ['abort ', 'return'])) &
      message = 'OnError must be abort or return, got '//trim(OnError)
    if (.not. any(SpeciesData == ['bridge', 'host  '])) &
      message = 'SpeciesData must be bridge or host, got '//trim(SpeciesData)
    if (.not. any(Phases == ['off  ', 'count', 'one  '])) &
      message = 'Phases must be off, count or one, got '//trim(Phases)
    if (.not. any(BoundaryX == ['inflow  ', 'periodic'])) &
      message = 'BoundaryX must be inflow or periodic, got '//trim(BoundaryX)
    if (.not. any(BoundaryY == ['outflow ', 'periodic'])) &
      message = 'BoundaryY must be outflow or periodic, got '//trim(BoundaryY)
    if (any(Cells < 1)) message = 'Cells must be positive'
    if (MaxBlock < 1) message = 'MaxBlock must be positive'
    if (Fringe < 2) message = 'Fringe must be at least 2: the transport step reads two layers'
    if (Warmup < 0 .or. (Warmup > 0 .and. Warmup >= Steps)) &
      message = 'Warmup must be less than Steps'
    if (Dt <= 0.0_dp .and. Cfl <= 0.0_dp) message = 'give Dt or Cfl'
    if (ns > maxSpecies) message = 'too many species'
    if (len_trim(message) > 0) return
    call checkStream('JetY', JetY, message)
    call checkStream('CoflowY', CoflowY, message)
    call checkStream('ProductY', ProductY, message)
  end subroutine check

  subroutine checkStream(name, Y, message)
    character(len=*), intent(in) :: name
    real(dp), intent(in) :: Y(maxSpecies)
    character(len=*), intent(inout) :: message

    if (any(Y < 0.0_dp) .or. abs(sum(Y(1:ns)) - 1.0_dp) > 1.0e-12_dp) &
      message = name//' must hold one mass fraction per species, adding up to one'
  end subroutine checkStream

end module caseModule
