! absent.f90: a program of bridge_absent.f90 links no library, and its calls say that there is none.
program without
  use bridge
  implicit none
  integer :: ierr
  character(len=200) :: message
  call frame_boot(ierr)
  call frame_last_error(message)
  print '(a, 1x, a)', merge('T', 'F', ierr == bridge_absent .and. frame_status() == bridge_absent &
      .and. index(message, 'bridge_absent.f90') > 0), 'the module for machines without the bridge'
  print '(a)', 'end'
end program without
