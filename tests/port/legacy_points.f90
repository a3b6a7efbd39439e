! The legacy physics, the shipped kernels and the ported ones on the same points: what the legacy
! modules hold is given to the pack by the generated calls.
!
!   legacy_points species.dat 'O2 CH4' points outputs ported|shipped
program legacy_points
  use bridge
  use useGENKindDefs, only: dp
  use speciesModule, only: ns, speciesRead, speciesSetKij, Wi, Tci, Pci, Vci, omegai, dipolei, &
    kappai, nasa7, kij
  use eosModule, only: eosThermalAndViscousProperties, eosGammaJacobianProperties
  use preosModule, only: prEOSCalcTFromHP
  use legacy_eosthermalandviscousproperties_bridge
  use legacy_eosgammajacobianproperties_bridge
  use legacy_preoscalctfromhp_bridge
  implicit none
  character(len=*), parameter :: scalars(20) = [character(len=6) :: 'rho', 'W', 'Z', 'h', 'cp', &
    'cv', 'gamma', 'c', 'rho_p', 'rho_T', 'h_p', 'h_T', 'eta', 'lambda', 'Tcm', 'Pcm', 'PcKay', &
    'Vcm', 'Tr', 'Pr']
  character(len=*), parameter :: more(3) = [character(len=5) :: 'h0', 'rhoh0', 'r_p']
  character(len=1024) :: file, list, points, results, which
  character(len=256) :: message
  real(dp), allocatable, target :: T(:, :, :), P(:, :, :), Y(:, :, :, :), flow(:, :, :, :)
  real(dp), allocatable, target :: Vref(:, :, :), T0(:, :, :), first(:, :, :, :)
  real(dp), allocatable, target :: second(:, :, :, :), third(:, :, :, :)
  real(dp), allocatable, target :: hTarget(:, :, :)
  real(dp) :: Zcm, omegam, rest(12)
  integer :: unit, n, i, status, iterations

  call get_command_argument(1, file)
  call get_command_argument(2, list)
  call get_command_argument(3, points)
  call get_command_argument(4, results)
  call get_command_argument(5, which)
  call speciesRead(trim(file), trim(list), message)
  if (len_trim(message) > 0) error stop 'species'
  if (ns > 1) call speciesSetKij('O2', 'CH4', 0.0289_dp, message)
  open(newunit=unit, file=trim(points), access='stream', form='unformatted', action='read')
  read(unit) n
  allocate(T(n, 1, 1), P(n, 1, 1), Y(n, 1, 1, ns), hTarget(n, 1, 1))
  read(unit) T, P, Y, hTarget
  close(unit)
  allocate(flow(n, 1, 1, 3), Vref(n, 1, 1), T0(n, 1, 1))
  flow(:, :, :, 1) = 30
  flow(:, :, :, 2) = -4
  flow(:, :, :, 3) = 12
  Vref = 20
  T0 = 400
  allocate(first(n, 1, 1, 21 + 2*ns), second(n, 1, 1, 4 + 2*ns), third(n, 1, 1, 4))

  call frame_initialize(0, 100, ns, 5 + ns, 0)
  call frame_castles_populatepreosshareddata(Wi, Tci, Pci, omegai, nasa7, kij)
  call frame_castles_populatechungshareddata(Vci, dipolei, kappai)
  if (which == 'ported') then
    call give_legacy_eosthermalandviscousproperties()
    call give_legacy_eosgammajacobianproperties()
    call give_legacy_preoscalctfromhp()
  end if
  call frame_bind('all', 'T', 'in', T)
  call frame_bind('all', 'P', 'in', P)
  call frame_bind('all', 'Y', 'in', Y)
  do i = 1, size(scalars)
    call frame_bind('all', trim(scalars(i)), 'out', first, sptdata=i, eptdata=i)
  end do
  call frame_bind('all', 'D_im', 'out', first, sptdata=21, eptdata=20 + ns)
  call frame_bind('all', 'h_Yi', 'out', first, sptdata=21 + ns, eptdata=20 + 2*ns)
  call frame_bind('all', 'status', 'out', first, sptdata=21 + 2*ns, eptdata=21 + 2*ns)
  call frame_run('all', 'eosThermalAndViscousProperties')
  call frame_bind('jacobian', 'T', 'in', T)
  call frame_bind('jacobian', 'P', 'in', P)
  call frame_bind('jacobian', 'Y', 'in', Y)
  call frame_bind('jacobian', 'velocity', 'in', flow)
  call frame_bind('jacobian', 'Vref', 'in', Vref)
  do i = 1, size(more)
    call frame_bind('jacobian', trim(more(i)), 'out', second, sptdata=i, eptdata=i)
  end do
  call frame_bind('jacobian', 'rho_Yi', 'out', second, sptdata=4, eptdata=3 + ns)
  call frame_bind('jacobian', 'h_Yi', 'out', second, sptdata=4 + ns, eptdata=3 + 2*ns)
  call frame_bind('jacobian', 'status', 'out', second, sptdata=4 + 2*ns, eptdata=4 + 2*ns)
  call frame_run('jacobian', 'eosGammaJacobianProperties')
  call frame_bind('search', 'h_target', 'in', hTarget)
  call frame_bind('search', 'P', 'in', P)
  call frame_bind('search', 'Y', 'in', Y)
  call frame_bind('search', 'T0', 'in', T0)
  call frame_bind('search', 'T', 'out', third, sptdata=1, eptdata=1)
  call frame_bind('search', 'rho', 'out', third, sptdata=2, eptdata=2)
  call frame_bind('search', 'iterations', 'out', third, sptdata=3, eptdata=3)
  call frame_bind('search', 'status', 'out', third, sptdata=4, eptdata=4)
  call frame_run('search', 'prEOSCalcTFromHP')
  call frame_report()

  open(newunit=unit, file=trim(results), access='stream', form='unformatted', status='replace')
  write(unit) first, second, third
  do i = 1, n
    call eosThermalAndViscousProperties(T(i, 1, 1), P(i, 1, 1), Y(i, 1, 1, :), &
      first(i, 1, 1, 1), first(i, 1, 1, 2), first(i, 1, 1, 3), first(i, 1, 1, 4), &
      first(i, 1, 1, 5), first(i, 1, 1, 6), first(i, 1, 1, 7), first(i, 1, 1, 8), &
      first(i, 1, 1, 9), first(i, 1, 1, 10), first(i, 1, 1, 11), first(i, 1, 1, 12), &
      first(i, 1, 1, 13), first(i, 1, 1, 14), first(i, 1, 1, 21:20 + ns), &
      first(i, 1, 1, 21 + ns:20 + 2*ns), first(i, 1, 1, 15), first(i, 1, 1, 16), &
      first(i, 1, 1, 17), first(i, 1, 1, 18), Zcm, omegam, first(i, 1, 1, 19), &
      first(i, 1, 1, 20), status)
    first(i, 1, 1, 21 + 2*ns) = status
    call jacobian(i)
    call prEOSCalcTFromHP(hTarget(i, 1, 1), P(i, 1, 1), Y(i, 1, 1, :), T0(i, 1, 1), &
      third(i, 1, 1, 1), third(i, 1, 1, 2), iterations, status)
    third(i, 1, 1, 3) = iterations
    third(i, 1, 1, 4) = status
  end do
  write(unit) first, second, third
  close(unit)
  call frame_finalize()

contains

  subroutine jacobian(i)
    integer, intent(in) :: i
    real(dp) :: reduced(ns - 1), others(ns - 1)

    call eosGammaJacobianProperties(T(i, 1, 1), P(i, 1, 1), Y(i, 1, 1, :), flow(i, 1, 1, :), &
      Vref(i, 1, 1), rest(1), rest(2), rest(3), rest(4), rest(5), rest(6), rest(7), rest(8), &
      rest(9), rest(10), rest(11), rest(12), second(i, 1, 1, 4:3 + ns), &
      second(i, 1, 1, 4 + ns:3 + 2*ns), reduced, others, second(i, 1, 1, 1), &
      second(i, 1, 1, 2), second(i, 1, 1, 3), status)
    second(i, 1, 1, 4 + 2*ns) = status
  end subroutine jacobian

end program legacy_points
