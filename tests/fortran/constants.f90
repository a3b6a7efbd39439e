! Species constants from the host, read from a file as a legacy code has them: first without any
! species, then with Peng-Robinson's alone, then with Chung's, with and without kij.
program constants
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: ns = 3
  real(c_double) :: w(ns), tc(ns), pc(ns), omega(ns), nasa7(17, ns), kij(ns, ns)
  real(c_double) :: vc(ns), dipole(ns), kappa(ns)
  real(c_double) :: t(1), p(1), y(1, ns), rho(1), eta(1)
  character(len=300) :: message
  integer :: unit, ierr

  open (newunit=unit, file='constants.txt', status='old')
  read (unit, *) w, tc, pc, omega, nasa7, kij, vc, dipole, kappa
  close (unit)
  t = 200.0_c_double
  p = 8.0e6_c_double
  y(1, :) = [0.5_c_double, 0.3_c_double, 0.2_c_double]

  call frame_error_policy('return')
  call frame_set('backend', 'cpu')
  call frame_initialize(0, 1, ns, 5 + ns, 0, ierr=ierr)
  call frame_castles_populateinputstripe('T', t)
  call frame_castles_populateinputstripe('P', p)
  call frame_castles_populateinputstripe('Y', y)
  call frame_tvproperties_eosthermalproperties(1, ierr)
  call tell('none')
  call frame_castles_populatechungshareddata(vc, dipole, kappa, ierr)
  call tell('chung-first')
  call frame_castles_populatepreosshareddata(w, tc, pc, omega, nasa7, ierr=ierr)
  call tell('preos')
  call frame_tvproperties_eosthermalandviscousproperties(1, ierr)
  call tell('no-transport')
  call frame_castles_populatechungshareddata(vc, dipole, kappa, ierr)
  call tell('chung')
  call answer('plain')
  call frame_castles_populatepreosshareddata(w, tc, pc, omega, nasa7, kij, ierr)
  call answer('kij')
  call frame_finalize()

contains

  subroutine tell(label)
    character(len=*), intent(in) :: label
    call frame_last_error(message)
    print '(a,1x,i0,1x,a)', label, ierr, trim(message)
  end subroutine tell

  subroutine answer(label)
    character(len=*), intent(in) :: label
    call frame_tvproperties_eosthermalandviscousproperties(1, ierr)
    call frame_castles_populateoutputstripe('rho', rho)
    call frame_castles_populateoutputstripe('eta', eta)
    print '(a,1x,i0,2(1x,es25.17))', label, ierr, rho, eta
  end subroutine answer

end program constants
