! The smallest use: a serial code, three points, four kinds of calls.
!
!   gfortran $(bridge-config --fsource) 01_serial.f90 $(bridge-config --fflags --libs)
program serial
  use bridge
  implicit none
  integer, parameter :: n = 3, ns = 3
  double precision :: T(n), P(n), Y(n, ns), rho(n), c(n), eta(n)
  integer :: i

  T = [250d0, 300d0, 600d0]                     ! K
  P = 8d6                                       ! Pa
  Y = spread([0.70d0, 0.25d0, 0.05d0], 1, n)    ! mass fractions

  call frame_set('species', 'O2 CH4 H2O')
  call frame_initialize(device_id=0, ngridpoints=n, ns=ns, nq=5 + ns, iturb=0)
  call frame_castles_populateinputstripe('T', T)
  call frame_castles_populateinputstripe('P', P)
  call frame_castles_populateinputstripe('Y', Y)
  call frame_tvproperties_eosthermalandviscousproperties(n)
  call frame_castles_populateoutputstripe('rho', rho)
  call frame_castles_populateoutputstripe('c', c)
  call frame_castles_populateoutputstripe('eta', eta)
  call frame_finalize()

  print '(a)', '     T / K  rho / (kg/m3)    c / (m/s)   eta / (Pa s)'
  do i = 1, n
    print '(f10.2,2f14.6,es15.6)', T(i), rho(i), c(i), eta(i)
  end do
end program serial
