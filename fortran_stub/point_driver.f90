! Every property of the legacy physics at points read from a file, in full precision.
!
!   point_driver species.dat input output
!
! The input is a list of records, keyword first:
!   species O2 CH4 H2O        names, before all else
!   kij CH4 O2 0.0289         interaction parameter of a pair (none: zero)
!   flow ux uy uz Vref        m/s, for total enthalpy and the preconditioned derivative
!   states n                  then n lines: T P Y_1..Y_ns
!   enthalpies n              or, then n lines: h T0 P Y_1..Y_ns (temperature from enthalpy)
!   energies n                or, then n lines: e T0 rho Y_1..Y_ns (state from density and energy)
!   pressures n               or, then n lines: P rho Y_1..Y_ns (temperature from both)
!   entropies n               or, then n lines: s T0 P Y_1..Y_ns (temperature from entropy)
! The output has a line "columns" with the name and width of each quantity, in the order of the
! values on the n lines that follow.
program point_driver
  use useGENKindDefs, only: dp
  use speciesModule, only: ns, speciesRead, speciesSetKij, nameLength
  use pointModule, only: pointColumns, pointValues, writePointNames
  use preosModule, only: prEOSCalcTFromHP
  use preosDensityModule, only: prEOSThermalFromRhoE, prEOSCalcTFromRhoP, prEOSCalcTFromSP
  implicit none

  character(len=1024) :: speciesFile, inputFile, outputFile
  character(len=4096) :: line
  character(len=256) :: message
  character(len=nameLength) :: keyword, first, second
  character(len=*), parameter :: valueFormat = '(*(1x,es25.17e3))'
  real(dp), allocatable :: Y(:), values(:), pRhoi(:)
  real(dp) :: T, P, T0, h, e, s, rho, cp, cv, c, pRhoe, value, velocity(3), Vref
  integer :: input, output, ios, n, i, iterations, status

  call get_command_argument(1, speciesFile)
  call get_command_argument(2, inputFile)
  call get_command_argument(3, outputFile)
  if (len_trim(outputFile) == 0) error stop 'usage: point_driver species.dat input output'
  velocity = [30.0_dp, -4.0_dp, 12.0_dp]
  Vref = 20.0_dp

  open(newunit=input, file=inputFile, status='old', action='read')
  open(newunit=output, file=outputFile, status='replace', action='write')
  do
    read(input, '(a)', iostat=ios) line
    if (ios /= 0) exit
    if (len_trim(line) == 0) cycle
    read(line, *) keyword
    select case (keyword)
    case ('species')
      call speciesRead(speciesFile, line(len('species') + 1:), message)
      if (len_trim(message) > 0) call quit(message)
      allocate(Y(ns), values(pointColumns()), pRhoi(ns))
    case ('kij')
      read(line, *) keyword, first, second, value
      call speciesSetKij(first, second, value, message)
      if (len_trim(message) > 0) call quit(message)
    case ('flow')
      read(line, *) keyword, velocity, Vref
    case ('states')
      read(line, *) keyword, n
      call writePointNames(output)
      do i = 1, n
        read(input, *) T, P, Y
        call pointValues(T, P, Y, velocity, Vref, values)
        write(output, valueFormat) values
      end do
    case ('enthalpies')
      read(line, *) keyword, n
      write(output, '(a)') 'columns T 1 rho 1 iterations 1 status 1'
      do i = 1, n
        read(input, *) h, T0, P, Y
        call prEOSCalcTFromHP(h, P, Y, T0, T, rho, iterations, status)
        write(output, valueFormat) T, rho, real(iterations, dp), real(status, dp)
      end do
    case ('energies')
      read(line, *) keyword, n
      write(output, '(a,i0,a)') 'columns T 1 P 1 h 1 cp 1 cv 1 c 1 p_rhoe 1 p_rhoi ', ns, &
        ' iterations 1 status 1'
      do i = 1, n
        read(input, *) e, T0, rho, Y
        call prEOSThermalFromRhoE(rho, e, Y, T0, T, P, h, cp, cv, c, pRhoe, pRhoi, iterations, &
                                  status)
        write(output, valueFormat) T, P, h, cp, cv, c, pRhoe, pRhoi, real(iterations, dp), &
          real(status, dp)
      end do
    case ('pressures')
      read(line, *) keyword, n
      write(output, '(a)') 'columns T 1 h 1 status 1'
      do i = 1, n
        read(input, *) P, rho, Y
        call prEOSCalcTFromRhoP(rho, P, Y, T, h, status)
        write(output, valueFormat) T, h, real(status, dp)
      end do
    case ('entropies')
      read(line, *) keyword, n
      write(output, '(a)') 'columns T 1 rho 1 h 1 iterations 1 status 1'
      do i = 1, n
        read(input, *) s, T0, P, Y
        call prEOSCalcTFromSP(s, P, Y, T0, T, rho, h, iterations, status)
        write(output, valueFormat) T, rho, h, real(iterations, dp), real(status, dp)
      end do
    case default
      call quit('unknown keyword '//trim(keyword))
    end select
  end do
  close(input)
  close(output)

contains

  subroutine quit(text)
    character(len=*), intent(in) :: text
    write(*, '(a)') 'point_driver: '//trim(text)
    error stop 1
  end subroutine quit

end program point_driver
