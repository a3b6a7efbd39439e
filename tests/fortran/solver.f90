! The module style, every procedure of it: stripes in a loop, bound arrays on several point sets.
! Prints facts for the tests; stops with an error where two ways to a number differ.
program solver
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge, only: frame_boot, frame_initialize, frame_finalize, frame_set, frame_bind, &
      frame_unbind, frame_run, frame_launch, frame_report, frame_status, frame_last_error, &
      frame_error_policy, frame_castles_populateinputstripe, &
      frame_castles_populateoutputstripe, frame_tvproperties_eosthermalproperties, &
      bridge_ok, bridge_argument
  implicit none

  ! Fringes: 2 and 1 in x, 1 and 3 in y, none in z.
  integer, parameter :: nx = 10, ny = 9, nz = 4, ns = 2, nq = 5 + ns, block = 37
  integer, parameter :: spx = 3, epx = nx - 1, spy = 2, epy = ny - 3, spz = 1, epz = nz
  integer, parameter :: points = (epx - spx + 1) * (epy - spy + 1) * (epz - spz + 1)
  real(c_double), parameter :: untouched = -7.0_c_double
  real(c_double), target :: q(nx, ny, nz, nq), rho(nx, ny, nz), sound(nx, ny, nz)
  real(c_double), target :: bound_rho(nx, ny, nz), bound_sound(nx, ny, nz)
  integer :: first, last, ierr

  call fill(q)
  call frame_boot(ierr)
  call check(ierr == bridge_ok, 'boot')
  call frame_set('backend', 'cpu')
  call frame_set(key='species', value='O2 CH4')
  call settings_of_every_type()
  call frame_initialize(device_id=0, ngridpoints=block, ns=ns, nq=nq, iturb=0, ierr=ierr)
  call check(ierr == bridge_ok, 'initialize')

  ! The talk's way: a chunk at a time.
  rho = untouched
  sound = untouched
  do first = 1, points, block
    last = min(first + block - 1, points)
    call frame_castles_populateinputstripe('Q', q, spx, epx, spy, epy, spz, epz, 1, nq, &
        first, last)
    call frame_tvproperties_eosthermalproperties(last - first + 1)
    call frame_castles_populateoutputstripe('rho', rho, spx, epx, spy, epy, spz, epz, &
        stripestart=first, stripeend=last)
    call frame_castles_populateoutputstripe('c', sound, spx, epx, spy, epy, spz, epz, &
        stripestart=first, stripeend=last, ierr=ierr)
    call check(ierr == bridge_ok, 'stripe')
  end do
  ! An empty stripe is legal and moves nothing.
  call frame_castles_populateoutputstripe('rho', q(:, :, :, 1), spx, epx, spy, epy, spz, epz, &
      stripestart=5, stripeend=4)

  ! The bridge's way: bind once, run.
  bound_rho = untouched
  bound_sound = untouched
  call frame_bind('cells', 'Q', 'in', q, spx, epx, spy, epy, spz, epz)
  call frame_bind('cells', 'rho', 'out', bound_rho, spx, epx, spy, epy, spz, epz, ierr=ierr)
  call frame_bind('cells', 'c', 'out', bound_sound, spx, epx, spy, epy, spz, epz, &
      scale=0.5_c_double)
  call frame_run('cells', 'eosThermalProperties', ierr)
  call check(ierr == bridge_ok, 'run')
  call check(all(rho == bound_rho), 'stripes and run differ')
  call check(all(2 * sound(spx:epx, spy:epy, :) == bound_sound(spx:epx, spy:epy, :)), 'scale')
  call check(count(rho /= untouched) == points, 'fringes were touched')
  call check(count(bound_rho /= untouched) == points, 'fringes were touched by run')
  print '(a,1x,es25.17)', 'rho', rho(spx, spy, spz)
  print '(a,1x,es25.17)', 'c', sound(epx, epy, epz)

  call other_shapes()
  call frame_unbind('cells', 'c', ierr)
  call check(ierr == bridge_ok, 'unbind')
  call outcome()
  call frame_report()
  call frame_finalize(ierr)
  call check(ierr == bridge_ok, 'finalize')
  print '(a)', 'done'

contains

  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    print '(a,1x,a)', 'wrong:', what
    error stop 1
  end subroutine check

  subroutine fill(array)
    real(c_double), intent(out) :: array(:, :, :, :)
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          array(i, j, k, 1) = 1.0e7_c_double + 1000 * i
          array(i, j, k, 2:4) = 0
          array(i, j, k, 5) = 250.0_c_double + 3 * i + 5 * j + 7 * k
          array(i, j, k, 6) = 0.25_c_double
          array(i, j, k, 7) = 0.75_c_double
        end do
      end do
    end do
  end subroutine fill

  subroutine settings_of_every_type()
    call frame_set('threads', 2)
    call frame_set('omega22G', -6.435e-4_c_double)
    call frame_set('omega22G', 0.0_c_double)
    call frame_error_policy('return')
    call frame_set('prCross', .true., ierr)
    call check(ierr == bridge_argument, 'a logical where a name is wanted')
    call frame_set('threads', 0, ierr)
    call check(ierr == bridge_argument, 'no threads')
    call frame_error_policy('abort')
  end subroutine settings_of_every_type

  ! Flat points, component first, faces with one plane more, a patch of one plane.
  subroutine other_shapes()
    real(c_double), target :: t(points), p(points), y(points, ns), flat(points)
    real(c_double), target :: yfirst(ns, points), second(points), face(nx + 1, ny, nz, nq)
    real(c_double), target :: face_rho(nx + 1, ny, nz), plane(nx, 1, nz)
    t = reshape(q(spx:epx, spy:epy, :, 5), [points])
    p = reshape(q(spx:epx, spy:epy, :, 1), [points])
    y = reshape(q(spx:epx, spy:epy, :, 6:7), [points, ns])
    yfirst = transpose(y)
    call frame_bind('flat', 'T', 'in', t)
    call frame_bind('flat', 'P', 'in', p)
    call frame_bind('flat', 'Y', 'in', y)
    call frame_bind('flat', 'rho', 'out', flat)
    call frame_run('flat', 'eosThermalProperties')
    call check(all(flat == reshape(rho(spx:epx, spy:epy, :), [points])), 'rank 1 and 2')
    call frame_bind('first', 'T', 'in', t)
    call frame_bind('first', 'P', 'in', p)
    call frame_bind('first', 'Y', 'in', yfirst, component_first=.true.)
    call frame_bind('first', 'rho', 'out', second)
    call frame_run('first', 'eosThermalProperties')
    call check(all(flat == second), 'component first')
    face(:nx, :, :, :) = q
    face(nx + 1, :, :, :) = q(nx, :, :, :)
    call frame_bind('faces', 'Q', 'in', face)
    call frame_bind('faces', 'rho', 'out', face_rho)
    call frame_run('faces', 'eosThermalProperties')
    call check(all(face_rho(spx:epx, spy:epy, :) == rho(spx:epx, spy:epy, :)), 'faces')
    call frame_error_policy('return')
    call frame_bind('inlet', 'Q', 'in', q(::2, spy:spy, spz:spz, :), ierr=ierr)
    call check(ierr == bridge_argument, 'a section with holes')
    call frame_error_policy('abort')
    call frame_bind('patch', 'Q', 'in', q, spx, epx, spy, spy, spz, epz)
    plane = untouched
    call frame_bind('patch', 'rho', 'out', plane, sptx=spx, eptx=epx)
    call frame_run('patch', 'eosThermalProperties')
    call check(all(plane(spx:epx, 1, :) == rho(spx:epx, spy, :)), 'patch')
    call check(count(plane == untouched) == (nx - (epx - spx + 1)) * nz, 'patch fringes')
    call frame_unbind('flat', '*')
  end subroutine other_shapes

  subroutine outcome()
    character(len=30) :: short
    call frame_error_policy('return')
    call frame_launch('prEOSDensities', 3, ierr)
    call check(ierr == bridge_argument .and. frame_status() == bridge_argument, 'status')
    call frame_last_error(short)
    print '(a,1x,a,a)', 'short', short, '|'
    call frame_error_policy('abort')
  end subroutine outcome

end program solver
