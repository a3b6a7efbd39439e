! Interfaces by include: integers by value without %VAL, ierr left out where nobody asks.
program with_include
  implicit none
  include 'bridge_f77.inc'
  double precision, target :: q(5, 4, 3, 7), rho(5, 4, 3), pbar(5, 4, 3), bound(5, 4, 3)
  integer :: ierr, whole(12)
  q = 0
  q(:, :, :, 1) = 1.0d7
  q(:, :, :, 5) = 300
  q(:, :, :, 6) = 0.25d0
  q(:, :, :, 7) = 0.75d0
  call frame_set('backend' // char(0), 'cpu' // char(0))
  call frame_set('species' // char(0), 'O2 CH4' // char(0), ierr)
  call frame_initialize(0, 60, 2, 7, 0)
  call frame_castles_populateinputstripe('Q' // char(0), q, 5, 4, 3, 1, 5, 1, 4, 1, 3, 1, 7, &
      1, 60)
  call frame_tvproperties_eosthermalproperties(60)
  call frame_castles_populateoutputstripe('rho' // char(0), rho, 5, 4, 3, 1, 5, 1, 4, 1, 3, &
      1, 1, 1, 60)
  print '(a,1x,i0,1x,i0)', 'status', ierr, frame_status()
  print '(a,1x,es25.17)', 'rho', rho(5, 4, 3)
  pbar = 100
  bound = 0
  whole = [5, 4, 3, 1, 5, 1, 4, 1, 3, 1, 1, 1]
  call frame_bind('set' // char(0), 'P' // char(0), 'in' // char(0), pbar, whole, 1.0d5)
  call frame_bind('set' // char(0), 'rho' // char(0), 'out' // char(0), bound, whole, 1.0d0, ierr)
  whole(10:) = [5, 5, 7]
  call frame_bind('set' // char(0), 'T' // char(0), 'in' // char(0), q, whole, 1.0d0, ierr)
  whole(10:) = [6, 7, 7]
  call frame_bind('set' // char(0), 'Y' // char(0), 'in' // char(0), q, whole, 1.0d0, ierr)
  call frame_run('set' // char(0), 'eosThermalProperties' // char(0), ierr)
  print '(a,1x,es25.17)', 'bound', bound(5, 4, 3)
  call frame_finalize()
end program with_include
