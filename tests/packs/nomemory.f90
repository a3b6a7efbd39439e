! The same run again and again on arrays of real(4), of which a loop nest copies rows.
program nomemory
  use, intrinsic :: iso_c_binding, only: c_float
  use bridge
  implicit none
  integer, parameter :: n = 40
  real(c_float), target :: u(n, n, n, 5), rhs(n, n, n, 5)
  integer :: again

  u = 1
  rhs = 1
  call frame_initialize(device_id=0, ngridpoints=500, ns=0, nq=0, iturb=0)
  call frame_bind('cells', 'rhs', 'in', rhs, 1, n, 1, n, 1, n)
  call frame_bind('cells', 'conserved', 'inout', u, 1, n, 1, n, 1, n)
  do again = 1, 20
    call frame_run('cells', 'advanceInPlace')
  end do
end program nomemory
