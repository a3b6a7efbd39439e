! A rank that owns nothing makes the calls that all ranks make, on arrays with an extent of 0 and
! with the positions that its block size gives. Another set beside them is run as ever.
program empty
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: ns = 2, nq = 5 + ns, fringe = 2
  real(c_double), allocatable, target :: q(:, :, :, :), rho(:, :, :), y(:, :, :, :), t(:), p(:)
  real(c_double), allocatable, target :: flat(:), records(:, :)
  real(c_double), target :: full(6, 5, 4, nq), full_rho(6, 5, 4)
  integer :: axis

  full(:, :, :, 1) = 1.0e7_c_double
  full(:, :, :, 2:4) = 0.0_c_double
  full(:, :, :, 5) = 300.0_c_double
  full(:, :, :, 6) = 0.25_c_double
  full(:, :, :, 7) = 0.75_c_double
  full_rho = -1.0_c_double
  call frame_set('backend', 'cpu')
  call frame_set('species', 'O2 CH4')
  call frame_initialize(0, 20, ns, nq, 0)
  call frame_bind('full', 'Q', 'in', full)
  call frame_bind('full', 'rho', 'out', full_rho)
  do axis = 1, 3
    call blocks(merge(0, 6, axis == 1), merge(0, 5, axis == 2), merge(0, 7, axis == 3))
  end do
  call flat_points(0)
  call sections()
  call reversed(8, -3)
  call frame_run('full', 'eosThermalProperties')
  print '(a,1x,es25.17)', 'rho', full_rho(6, 5, 4)
  call frame_finalize()
  print '(a,1x,i0)', 'end', frame_status()

contains

  ! What any block does, and this one has no points: positions as the fringes say.
  subroutine blocks(nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    integer :: first(3), last(3)
    allocate (q(nx, ny, nz, nq), rho(nx, ny, nz), y(ns, nx, ny, nz))
    first = fringe + 1
    last = [nx, ny, nz] - fringe
    call frame_bind('cells', 'Q', 'in', q, first(1), last(1), first(2), last(2), first(3), last(3))
    call frame_bind('cells', 'Y', 'in', y, first(1), last(1), first(2), last(2), first(3), &
        last(3), component_first=.true.)
    call frame_bind('cells', 'rho', 'out', rho, first(1), last(1), first(2), last(2), first(3), &
        last(3))
    call frame_run('cells', 'eosThermalProperties')
    call frame_run_begin('cells', 'eosThermalProperties')
    call frame_run('full', 'eosThermalProperties')
    call frame_wait('cells')
    call frame_unchanged('cells', '*')
    call frame_run('cells', 'eosThermalProperties')
    call frame_unbind('cells', '*')
    call frame_castles_populateinputstripe('Q', q, first(1), last(1), first(2), last(2), &
        first(3), last(3))
    call frame_tvproperties_eosthermalproperties(0)
    call frame_castles_populateoutputstripe('rho', rho)
    deallocate (q, rho, y)
  end subroutine blocks

  ! Ranks 1 and 2, whole arrays.
  subroutine flat_points(n)
    integer, intent(in) :: n
    allocate (t(n), p(n), records(ns, n), flat(n))
    call frame_bind('points', 'T', 'in', t)
    call frame_bind('points', 'P', 'in', p)
    call frame_bind('points', 'Y', 'in', records, component_first=.true.)
    call frame_bind('points', 'rho', 'out', flat)
    call frame_run('points', 'eosThermalProperties')
    call frame_unbind('points', 'T')
  end subroutine flat_points

  ! Sections without elements have no holes, whatever their strides.
  subroutine sections()
    integer :: none
    none = 0
    call frame_bind('section', 'Q', 'in', full(1:none, 2:3, ::2, :))
    call frame_bind('section', 'rho', 'out', full_rho(1:none, 2:3, ::2))
    call frame_run('section', 'eosThermalProperties')
    call frame_castles_populateinputstripe('Q', full(2:3, 1:none, ::2, :))
    call frame_bind('section', 'Q', 'in', full(2:4, 2:3, ::2, :), sptx=9, eptx=5)
    call frame_bind('section', 'rho', 'out', full_rho(2:4, 2:3, ::2), sptx=9, eptx=5)
    call frame_run('section', 'eosThermalProperties')
  end subroutine sections

  ! A loop of no rounds: the interior would begin behind the array and end before it.
  subroutine reversed(first, last)
    integer, intent(in) :: first, last
    real(c_double) :: value
    call frame_bind('reversed', 'Q', 'in', full, spty=first, epty=last)
    call frame_bind('reversed', 'rho', 'out', full_rho, spty=first, epty=last)
    call frame_run('reversed', 'eosThermalProperties', box=[3, 1, 40, 50, 1, 1])
    call frame_run('reversed', 'eosThermalProperties')
    value = 7
    call frame_reduce('reversed', 'T', 'sum', value)
    print '(a,1x,f3.1)', 'sum', value
    call frame_castles_populateinputstripe('Q', full, spty=first, epty=last)
    call frame_castles_populateoutputstripe('rho', full_rho, spty=first, epty=last)
  end subroutine reversed

end program empty
