! Functions of the user's own Python, called from a solver: arguments, what they change, failures.
program userpython
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use bridge
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 2
  real(c_double), target :: T(0:nx + 1, 0:ny + 1, 0:nz + 1), rho(2, nx, ny, nz)
  character(len=300) :: message
  integer :: step, ierr

  T = -1
  T(1:nx, 1:ny, 1:nz) = 300
  rho = 0
  call frame_error_policy('return')
  call frame_initialize(0, 100, 2, 7, 0)
  call frame_bind('cells', 'T', 'in', T, 2, nx + 1, 2, ny + 1, 2, nz + 1)
  call frame_bind('cells', 'Y', 'inout', rho, component_first=.true.)

  call frame_python('cells', 'closures:fill')
  call check('plain', all(rho(1, :, :, :) == 300) .and. all(rho(2, :, :, :) == 0))
  call frame_python('cells', 'closures:fill', [2.0_c_double, 7.0_c_double], 'both')
  call check('values', all(rho(1, :, :, :) == 600) .and. all(rho(2, :, :, :) == 7))
  call frame_python('cells', 'closures:fill', text='both', values=[1.0_c_double, 8.0_c_double], &
      ierr=ierr)
  call check('keywords', ierr == 0 .and. all(rho(2, :, :, :) == 8))
  do step = 1, 1000
    call frame_python('cells', 'closures:count')
  end do
  call frame_python('cells', 'closures:print_count')
  print '(a)', 'after'

  rho = 5
  call refused('raises', 'cells', 'closures:fails')
  call refused('none', 'cells', 'closures:nothing')
  call refused('module', 'cells', 'nosuch:nothing')
  call refused('form', 'cells', 'closures')
  call refused('set', 'points', 'closures:fill')
  call refused('import', 'cells', 'broken:fill')
  call refused('exit', 'cells', 'closures:leaves')
  call check('kept', all(rho == 5))
  call frame_python('cells', 'closures:fill')
  call check('again', all(rho(1, :, :, :) == 300))
  call frame_finalize()

contains

  subroutine refused(label, set, function)
    character(len=*), intent(in) :: label, set, function
    integer :: status
    call frame_python(set, function, ierr=status)
    call frame_last_error(message)
    print '(3a,i0,2a)', 'refused-', label, ' ', status, ' ', trim(message)
  end subroutine refused

  subroutine check(label, right)
    character(len=*), intent(in) :: label
    logical, intent(in) :: right
    print '(a,l2)', label, right
  end subroutine check
end program userpython
