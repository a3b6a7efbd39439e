! Lists of points as a solver has them: gather, scatter, scan, split, sort, transposition, of arrays
! of a set and of views; what is refused.
program lists
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use bridge
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 2, n = nx*ny*nz, ns = 2
  real(c_double), target :: q(0:nx + 1, 0:ny + 1, 0:nz + 1, 5 + ns), rho(0:nx + 1, 0:ny + 1, 0:nz + 1)
  integer(c_int), target :: mask(0:nx + 1, 0:ny + 1, 0:nz + 1)
  real(c_double) :: T(n), some(3), two(3, ns), sums(n), across(ns, n), keys(n), Y(n, ns), whole(n)
  integer :: points(n), on, i, numbers(n), few(3), flags(n), ierr
  logical :: active(n)

  call random_init(.true., .false.)   ! the same values in each run
  call random_number(q)
  q(:, :, :, 1) = 1.0e7_c_double
  q(:, :, :, 2:4) = 0
  q(:, :, :, 5) = 300 + 100*q(:, :, :, 5)
  rho = -1
  mask = 7
  flags = merge(2, 0, mod([(i, i=1, n)], 3) == 2)
  mask(1:nx, 1:ny, 1:nz) = int(reshape(flags, [nx, ny, nz]), c_int)
  T = reshape(q(1:nx, 1:ny, 1:nz, 5), [n])
  Y = reshape(q(1:nx, 1:ny, 1:nz, 6:7), [n, ns])
  active = reshape(mask(1:nx, 1:ny, 1:nz), [n]) /= 0

  call frame_set('species', 'O2 CH4')
  call frame_initialize(0, n, ns, 5 + ns, 0)
  call frame_bind('cells', 'Q', 'in', q, 2, nx + 1, 2, ny + 1, 2, nz + 1)
  call frame_bind('cells', 'rho', 'out', rho, 2, nx + 1, 2, ny + 1, 2, nz + 1)

  few = [7, 24, 1]
  call frame_gather('cells', 'T', few, some)
  call check('gather', all(some == T(few)))
  call frame_gather('cells', 'Y', few, two)
  call check('gather-components', all(two == Y(few, :)))

  call frame_scatter('cells', 'rho', few, [7.0_c_double, 24.0_c_double, 1.0_c_double])
  whole = reshape(rho(1:nx, 1:ny, 1:nz), [n])
  call check('scatter', all(whole(few) == few) .and. count(whole == -1) == n - 3)
  call check('scatter-fringe', count(rho /= -1) == 3)

  call frame_bind('marks', 'status', 'out', mask, 2, nx + 1, 2, ny + 1, 2, nz + 1)
  call frame_split('marks', 'status', points, on)
  numbers = [(i, i=1, n)]
  call check('split', on == count(active) .and. all(points(:on) == pack(numbers, active)) .and. &
      all(points(on + 1:) == pack(numbers, .not. active)))
  call frame_scan('marks', 'status', flags)
  call check('scan-integer', all(flags == [(2*count(active(:i)), i=1, n)]))
  call frame_scan('marks', 'status', flags, exclusive=.true.)
  call check('scan-exclusive', all(flags == [(2*count(active(:i - 1)), i=1, n)]))
  call frame_scan('cells', 'T', sums)
  call check('scan', abs(sums(n) - sum(T)) < n*epsilon(T)*sum(abs(T)) .and. sums(1) == T(1))
  call frame_gather('marks', 'status', points(:on), flags(:on))
  call check('gather-integer', all(flags(:on) == 2))
  call frame_scatter('marks', 'status', few, [-4, 5, 6])
  call frame_gather('marks', 'status', few, flags(:3))
  call check('scatter-integer', all(flags(:3) == [-4, 5, 6]) .and. mask(0, 0, 0) == 7)

  call frame_sort_by_key('cells', 'T', points)
  keys = T(points)
  call check('sort', all(keys(2:) >= keys(:n - 1)) .and. sum(points) == n*(n + 1)/2)
  call frame_transpose('cells', 'Y', across)
  call check('transpose', all(across == transpose(Y)))

  ! active points: packed into views, worked on, brought back
  call frame_split('marks', 'status', points, on)
  do i = 1, 3
    call through(trim(merge('T', merge('P', 'Y', i == 2), i == 1)), merge(ns, 1, i == 3))
  end do
  call frame_tvproperties_eosthermalproperties(on)
  call frame_gather(' ', 'rho', [(i, i=1, on)], sums(:on))
  call frame_scatter('cells', 'rho', points(:on), sums(:on))
  whole = reshape(rho(1:nx, 1:ny, 1:nz), [n])
  call frame_run('cells', 'eosThermalProperties')
  T = reshape(rho(1:nx, 1:ny, 1:nz), [n])
  call check('active', on > 3 .and. all(near(whole(points(:on)), T(points(:on)))))

  ! where the array is: on a GPU its copy there
  call frame_enter_data('cells', 'rho', 'copyin')
  call frame_scatter('cells', 'rho', few, [1.5_c_double, 2.5_c_double, 3.5_c_double])
  call frame_gather('cells', 'rho', [24, 7, 1, 2], sums(:4))
  call check('resident', all(sums(:3) == [2.5_c_double, 1.5_c_double, 3.5_c_double]) .and. &
      near(sums(4), T(2)))
  call frame_exit_data('cells', 'rho', 'copyout')
  call check('resident-host', all([rho(3, 2, 1), rho(nx, ny, nz)] == [1.5_c_double, 2.5_c_double]))

  call frame_error_policy('return')
  some = 5
  call frame_gather('cells', 'T', [1, 25, 2], some, ierr=ierr)
  call refused('above', all(some == 5))
  call frame_gather('cells', 'T', [1, 0, 2], some, ierr=ierr)
  call refused('below', all(some == 5))
  call frame_gather('cells', 'T', [1, 2], some, ierr=ierr)
  call refused('size', all(some == 5))
  two = 5
  call frame_gather('cells', 'Y', [1, 2], two, ierr=ierr)
  call refused('shape', all(two == 5))
  rho = 5
  call frame_scatter('cells', 'rho', [1, 2, 1], some, ierr=ierr)
  call refused('twice', all(rho == 5))
  call frame_scatter('cells', 'T', few, some, ierr=ierr)
  call refused('intent', .true.)
  mask = 5
  call frame_scatter('marks', 'status', few, [1.0_c_double, 2.0_c_double, 2.5_c_double], ierr=ierr)
  call refused('whole', all(mask == 5))
  on = 5
  points = 5
  call frame_split('marks', 'status', points(:5), on, ierr=ierr)
  call refused('points', on == 5 .and. all(points == 5))
  call frame_sort_by_key('cells', 'Y', points, ierr=ierr)
  call refused('keys', all(points == 5))
  across = 5
  call frame_transpose('cells', 'T', across, ierr=ierr)
  call refused('values', all(across == 5))
  call frame_finalize()

contains

  ! To the rounding of a sum of n values.
  elemental logical function near(value, wanted)
    real(c_double), intent(in) :: value, wanted
    near = abs(value - wanted) <= n*epsilon(wanted)*abs(wanted)
  end function near

  ! Active points of an array into the view of its name.
  subroutine through(name, components)
    character(len=*), intent(in) :: name
    integer, intent(in) :: components
    real(c_double) :: values(on, components)
    integer :: p
    call frame_gather('cells', name, points(:on), values)
    call frame_scatter(' ', name, [(p, p=1, on)], values)
  end subroutine through

  subroutine check(label, right)
    character(len=*), intent(in) :: label
    logical, intent(in) :: right
    print '(a, 1x, l1)', label, right
  end subroutine check

  subroutine refused(label, untouched)
    character(len=*), intent(in) :: label
    logical, intent(in) :: untouched
    character(len=300) :: text
    call frame_last_error(text)
    print '(a, 1x, i0, 1x, l1, 1x, a)', 'refused-' // label, ierr, untouched, trim(text)
  end subroutine refused
end program lists
