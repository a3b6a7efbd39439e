! Failure under the policy "return": nothing ends the job, every call says how it went. Without
! the first line each of these mistakes would end the program with one block of words on stderr.
program errors
  use bridge
  implicit none
  integer, parameter :: n = 4, ns = 2
  double precision :: T(n), P(n), Y(n, ns)
  integer :: ierr

  T = 300d0
  P = 1d6
  Y = 0.5d0

  call frame_error_policy('return', ierr)
  call tell('the policy', ierr)
  call frame_castles_populateinputstripe('T', T, ierr=ierr)
  call tell('a stripe before initialize', ierr)
  call frame_set('species', 'O2 CH4', ierr)
  call tell('species', ierr)
  call frame_initialize(device_id=0, ngridpoints=n, ns=ns, nq=5 + ns, iturb=0, ierr=ierr)
  call tell('initialize', ierr)
  call frame_castles_populateinputstripe('temperature', T, ierr=ierr)
  call tell('a view that does not exist', ierr)
  call frame_castles_populateinputstripe('T', T, stripestart=3, stripeend=n + 1, ierr=ierr)
  call tell('a stripe beyond the block', ierr)
  call frame_castles_populateinputstripe('T', T, ierr=ierr)
  call frame_castles_populateinputstripe('P', P, ierr=ierr)
  call frame_castles_populateinputstripe('Y', Y, ierr=ierr)
  call frame_tvproperties_eosthermalproperties(n + 1, ierr)
  call tell('more points than nGridPoints', ierr)
  call frame_tvproperties_eosthermalproperties(n, ierr)
  call tell('the right call', ierr)
  call frame_castles_populateoutputstripe('rho', T, ierr=ierr)
  call tell('density', ierr)
  print '(a,f10.5,a)', 'rho = ', T(1), ' kg/m3'
  call frame_finalize(ierr)
  call tell('finalize', ierr)

contains

  subroutine tell(what, status)
    character(len=*), intent(in) :: what
    integer, intent(in) :: status
    character(len=200) :: reason

    if (status == bridge_ok) then
      print '(2a)', what, ': done'
    else
      call frame_last_error(reason)
      print '(2a,i0,2a)', what, ': status ', status, ', ', trim(reason)
    end if
  end subroutine tell

end program errors
