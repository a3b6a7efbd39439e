! A solver that is ready for a machine without the bridge.
program without_bridge
  use, intrinsic :: iso_c_binding, only: c_double, c_float
  use bridge
  implicit none
  real(c_double), target :: q(4, 4, 4, 7), rho(4, 4, 4), w(2)
  real(c_float), target :: single(4, 4, 4)
  character(len=80) :: message
  integer :: ierr(23)
  q = 1
  rho = -1
  w = 1
  single = 300
  ierr = 99
  call frame_boot(ierr(1))
  call frame_set('species', 'O2 CH4', ierr(2))
  call frame_initialize(0, 64, 2, 7, 0, ierr=ierr(3))
  call frame_initialize(0, 64, 2, 7, 0, comm=0, ierr=ierr(4))
  call frame_castles_populateinputstripe('Q', q, ierr=ierr(5))
  call frame_castles_populateoutputstripe('rho', rho, ierr=ierr(6))
  call frame_tvproperties_eosthermalandviscousproperties(64, ierr(7))
  call frame_launch('prEOSDensity', 64, ierr(8))
  call frame_bind('cells', 'Q', 'in', q, ierr=ierr(9))
  call frame_unbind('cells', 'Q', ierr(10))
  call frame_run('cells', 'eosThermalProperties', ierr(11))
  call frame_castles_populatechungshareddata(w, w, w, ierr(12))
  call frame_error_policy('return', ierr(13))
  call frame_report(ierr(14))
  call frame_finalize(ierr(15))
  call frame_castles_populateinputstripe('Q', q(::2, :, :, :), ierr=ierr(16))
  ierr(17) = frame_status()
  call frame_run_begin('cells', 'eosThermalProperties', ierr(18))
  call frame_wait('cells', ierr(19))
  call frame_unchanged('cells', 'Q', ierr(20))
  call frame_constant('dt', 1.0_c_double, ierr(21))
  call frame_table('cp', w, ierr(22))
  call frame_bind('cells', 'T', 'in', single(::2, :, :), ierr=ierr(23))
  call frame_last_error(message)
  print '(a,23(1x,i0))', 'status', ierr
  print '(a,1x,l1)', 'untouched', all(rho == -1)
  print '(a,1x,a)', 'message', trim(message)
end program without_bridge
