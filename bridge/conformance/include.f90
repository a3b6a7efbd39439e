! include.f90: the interfaces of bridge_f77.inc, no module. conformance.f90 has the rest.
program with_include
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  include 'bridge_f77.inc'
  integer(c_int), parameter :: zero = 0, one = 1, two = 2, seven = 7, nx = 5, ny = 4, nz = 3
  real(c_double), target :: q(nx, ny, nz, 7), rho(nx, ny, nz), stripe(nx, ny, nz)
  real(c_double) :: expected
  character(len=40) :: argument
  integer(c_int) :: ierr, whole(12)
  call get_command_argument(1, argument)
  read (argument, *) expected
  q = 0
  q(:, :, :, 1) = 100                       ! bar
  q(:, :, :, 5) = 300
  q(:, :, :, 6) = 0.25d0
  q(:, :, :, 7) = 0.75d0
  rho = -1
  whole = [integer(c_int) :: nx, ny, nz, 1, nx, 1, ny, 1, nz, 1, 1, 7]
  call frame_error_policy('return' // char(0), ierr)
  call frame_set('backend' // char(0), 'cpu' // char(0))
  call frame_set('species' // char(0), 'O2 CH4' // char(0), ierr)
  call frame_initialize(zero, nx*ny*nz, two, seven, zero)
  call frame_bind('set' // char(0), 'P' // char(0), 'in' // char(0), q, whole, 1.0e5_c_double, ierr)
  whole(10:11) = 5
  call frame_bind('set' // char(0), 'T' // char(0), 'in' // char(0), q, whole, 1.0_c_double)
  whole(10:11) = [6, 7]
  call frame_bind('set' // char(0), 'Y' // char(0), 'in' // char(0), q, whole, 1.0_c_double)
  whole(10:12) = 1
  call frame_bind('set' // char(0), 'rho' // char(0), 'out' // char(0), rho, whole, 1.0_c_double)
  call frame_run('set' // char(0), 'eosThermalProperties' // char(0), ierr)
  call check('interfaces by include: bound arrays', ierr == 0 .and. &
      all(abs(rho/expected - 1) < 1.0d-12))
  q(:, :, :, 1) = 1.0d7
  call frame_castles_populateinputstripe('Q' // char(0), q, nx, ny, nz, one, nx, one, ny, one, &
      nz, one, seven, one, nx*ny*nz)
  call frame_tvproperties_eosthermalproperties(nx*ny*nz)
  call frame_castles_populateoutputstripe('rho' // char(0), stripe, nx, ny, nz, one, nx, one, ny, &
      one, nz, one, one, one, nx*ny*nz)
  call check('interfaces by include: stripes', frame_status() == 0 .and. &
      all(abs(stripe/expected - 1) < 1.0d-12))
  call frame_finalize()
  print '(a)', 'end'
contains
  subroutine check(label, right)
    character(len=*), intent(in) :: label
    logical, intent(in) :: right
    print '(a, 1x, a)', merge('T', 'F', right), label
  end subroutine check
end program with_include
