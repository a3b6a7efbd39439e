! The two shared-data entries with constants from a file, case after case: label, whether kij
! comes along, the constants. Prints status and message of both calls, then the answers.
program shareddata
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: ns = 3
  real(c_double) :: w(ns), tc(ns), pc(ns), omega(ns), nasa7(17, ns), kij(ns, ns)
  real(c_double) :: vc(ns), dipole(ns), kappa(ns)
  character(len=40) :: label
  logical :: with_kij
  integer :: unit, ierr

  call frame_error_policy('return')
  call frame_castles_populatepreosshareddata(tc, tc, tc, tc, nasa7, ierr=ierr)
  call tell('before-boot')
  call frame_boot(ierr)
  call frame_castles_populatepreosshareddata(tc, tc, tc, tc, nasa7, ierr=ierr)
  call tell('preos-before-initialize')
  call frame_castles_populatechungshareddata(tc, tc, tc, ierr)
  call tell('chung-before-initialize')

  call frame_set('backend', 'cpu')
  call frame_initialize(0, 1, ns, 5 + ns, 0, ierr=ierr)
  call frame_castles_populateinputstripe('T', [250.0_c_double])
  call frame_castles_populateinputstripe('P', [8.0e6_c_double])
  call frame_castles_populateinputstripe('Y', reshape([0.5_c_double, 0.3_c_double, &
      0.2_c_double], [1, ns]))
  open (newunit=unit, file='cases.txt', status='old')
  do
    read (unit, *) label
    if (label == 'end') exit
    read (unit, *) with_kij, w, tc, pc, omega, nasa7, kij, vc, dipole, kappa
    call hand_over()
  end do
  close (unit)
  call wrong_shapes()
  call frame_finalize()

contains

  subroutine hand_over()
    if (with_kij) then
      call frame_castles_populatepreosshareddata(w, tc, pc, omega, nasa7, kij, ierr)
    else
      call frame_castles_populatepreosshareddata(w, tc, pc, omega, nasa7, ierr=ierr)
    end if
    call tell(trim(label) // '-preos')
    call frame_castles_populatechungshareddata(vc, dipole, kappa, ierr)
    call tell(trim(label) // '-chung')
    call answers()
  end subroutine hand_over

  subroutine answers()
    real(c_double) :: rho(1), h(1), eta(1), lambda(1), diffusion(1, ns)
    call frame_tvproperties_eosthermalandviscousproperties(1, ierr)
    call frame_castles_populateoutputstripe('rho', rho)
    call frame_castles_populateoutputstripe('h', h)
    call frame_castles_populateoutputstripe('eta', eta)
    call frame_castles_populateoutputstripe('lambda', lambda)
    call frame_castles_populateoutputstripe('D_im', diffusion)
    print '(a,a,1x,i0,7(1x,es25.17))', trim(label), '-answer', ierr, rho, h, eta, lambda, diffusion
  end subroutine answers

  ! Arrays of another number of species, and nasa7 the wrong way round.
  subroutine wrong_shapes()
    real(c_double) :: turned(ns, 17)
    turned = transpose(nasa7)
    call frame_castles_populatepreosshareddata(w(:2), tc, pc, omega, nasa7, ierr=ierr)
    call tell('shape-W')
    call frame_castles_populatepreosshareddata(w, tc(:2), pc, omega, nasa7, ierr=ierr)
    call tell('shape-Tc')
    call frame_castles_populatepreosshareddata(w, tc, [pc, pc], omega, nasa7, ierr=ierr)
    call tell('shape-Pc')
    call frame_castles_populatepreosshareddata(w, tc, pc, omega(:1), nasa7, ierr=ierr)
    call tell('shape-omega')
    call frame_castles_populatepreosshareddata(w, tc, pc, omega, turned, ierr=ierr)
    call tell('shape-nasa7')
    call frame_castles_populatepreosshareddata(w, tc, pc, omega, nasa7, kij(:2, :2), ierr)
    call tell('shape-kij')
    call frame_castles_populatechungshareddata(vc(2:), dipole, kappa, ierr)
    call tell('shape-Vc')
    call frame_castles_populatechungshareddata(vc, dipole(2:), kappa, ierr)
    call tell('shape-dipole')
    call frame_castles_populatechungshareddata(vc, dipole, [kappa, kappa], ierr)
    call tell('shape-kappa')
    label = 'shapes'
    call answers()
  end subroutine wrong_shapes

  subroutine tell(what)
    character(len=*), intent(in) :: what
    character(len=2000) :: message
    message = ' '
    if (ierr /= bridge_ok) call frame_last_error(message)
    print '(a,1x,i0,1x,a)', what, ierr, trim(message)
  end subroutine tell

end program shareddata
