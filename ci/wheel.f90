! Tried by ci/wheel: density of a box through the bridge, or by this program's own Fortran where
! there is no Python. The argument says which of the two is expected.
program host
  use, intrinsic :: iso_fortran_env, only: error_unit
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: n = 4
  real(c_double), target :: T(n, n, n), P(n, n, n), Y(n, n, n, 2), rho(n, n, n)
  character(len=16) :: expected
  character(len=2048) :: message
  integer :: ierr

  call get_command_argument(1, expected)
  T = 300.0_c_double
  P = 1.0e7_c_double
  Y = 0.5_c_double
  call frame_error_policy('return')
  call frame_boot(ierr)
  if ((ierr == bridge_ok) .neqv. (expected == 'started')) then
    call frame_last_error(message)
    write (error_unit, '(a, i0, 2a)') 'boot gave ', ierr, ': ', trim(message)
    error stop 1
  end if
  if (ierr == bridge_ok) then
    call frame_error_policy('abort')
    call frame_set('species', 'O2 CH4')
    call frame_set('backend', 'cpu')
    call frame_initialize(device_id=0, ngridpoints=n**3, ns=2, nq=7, iturb=0)
    call frame_bind('cells', 'T', 'in', T)
    call frame_bind('cells', 'P', 'in', P)
    call frame_bind('cells', 'Y', 'in', Y)
    call frame_bind('cells', 'rho', 'out', rho)
    call frame_run('cells', 'eosThermalProperties')
    call frame_finalize()
    print '(a, f9.4)', 'fortran: rho through the bridge ', rho(1, 1, 1)
    if (abs(rho(n, n, n) - 98.0449_c_double) > 1.0e-3_c_double) error stop 2
  else
    call frame_last_error(message)
    rho = P/(8.314462618_c_double*T)*0.0214_c_double
    print '(a, f9.4)', 'fortran: rho by its own ideal gas ', rho(1, 1, 1)
    print '(2a)', 'fortran: ', trim(message)
  end if
end program host
