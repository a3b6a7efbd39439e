! Arrays as codes have them: real(4) states, integer counts, blocks of a matrix with six dimensions.
!
! lhs(5, 5, i, j, k, c) holds a matrix of each cell for three time levels c. A section of one level
! is bound; its leading dimensions together are 25 components, counted as the array lies in memory:
! lhs(m, n, ...) is component m + 5*(n - 1).
program typed_bind
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int
  use bridge
  implicit none
  integer, parameter :: ns = 2, nx = 6, ny = 4, nz = 3, f = 1
  integer, parameter :: lo = 1 + f, hix = nx + f, hiy = ny + f, hiz = nz + f
  real(c_float), target, dimension(nx + 2*f, ny + 2*f, nz + 2*f) :: pressure, density
  integer(c_int), target, dimension(nx + 2*f, ny + 2*f, nz + 2*f) :: kelvin, status
  real(c_double), target :: y(ns, nx + 2*f, ny + 2*f, nz + 2*f)
  real(c_double), target :: lhs(5, 5, nx + 2*f, ny + 2*f, nz + 2*f, 3)

  pressure = 10.0_c_float               ! MPa: scaled on the way in
  kelvin = 300                          ! an integer array may stand for a real quantity that is read
  y(1, :, :, :) = 0.25_c_double
  y(2, :, :, :) = 0.75_c_double
  density = -1.0_c_float
  status = -1
  lhs = 0.0_c_double

  call frame_set('species', 'O2 CH4')
  call frame_initialize(device_id=0, ngridpoints=16, ns=ns, nq=5 + ns, iturb=0)
  call frame_bind('cells', 'P', 'in', pressure, lo, hix, lo, hiy, lo, hiz, scale=1.0e6_c_double)
  call frame_bind('cells', 'T', 'in', kelvin, lo, hix, lo, hiy, lo, hiz)
  call frame_bind('cells', 'Y', 'in', y, lo, hix, lo, hiy, lo, hiz, component_first=.true.)
  call frame_bind('cells', 'rho', 'out', density, lo, hix, lo, hiy, lo, hiz)
  call frame_bind('cells', 'status', 'out', status, lo, hix, lo, hiy, lo, hiz)
  call bind_entry('rho_p', 1, 1)
  call bind_entry('h_p', 5, 1)
  call bind_entry('rho_T', 1, 5)
  call bind_entry('h_T', 5, 5)
  call frame_run('cells', 'eosThermalProperties')

  print '(a,f11.5,1x,i0,1x,f5.1)', 'density ', density(2, 3, 2), status(2, 3, 2), density(1, 1, 1)
  print '(a,2es24.16)', 'first ', lhs(1, 1, 2, 3, 2, 2), lhs(5, 1, 2, 3, 2, 2)
  print '(a,2es24.16)', 'last ', lhs(1, 5, 2, 3, 2, 2), lhs(5, 5, 2, 3, 2, 2)
  print '(a,i0)', 'entries ', count(lhs /= 0.0_c_double)
  call frame_finalize()

contains

  ! Entry (m, n) of every cell's matrix, at time level 2.
  subroutine bind_entry(name, m, n)
    character(len=*), intent(in) :: name
    integer, intent(in) :: m, n
    integer :: component
    component = m + 5*(n - 1)
    call frame_bind('cells', name, 'out', lhs(:, :, :, :, :, 2), lo, hix, lo, hiy, lo, hiz, &
        component, component, component_first=.true.)
  end subroutine bind_entry

end program typed_bind
