! A time step of a block with fringes by the pack, seven ways, beside the loop that it replaces.
program solver
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: n = 12, fringe = 2, first = 1 - fringe, last = n + fringe
  integer, parameter :: lo = 1 + fringe, hi = n + fringe       ! interior, counted from 1
  real(c_double), parameter :: dt = 1.0e-6_c_double
  real(c_double), target :: start(first:last, first:last, first:last, 5)
  real(c_double), target, dimension(first:last, first:last, first:last, 5) :: u, rhs, new, wanted
  real(c_double), target :: iblank(first:last, first:last, first:last)
  integer :: i, j, k, m, from, to

  call random_init(.true., .false.)   ! the same values in each run
  call random_number(start)
  call random_number(rhs)
  rhs = 1.0e6_c_double*(rhs - 0.5_c_double)
  wanted = start
  do m = 1, 5
    do k = 1, n
      do j = 1, n
        do i = 1, n
          wanted(i, j, k, m) = start(i, j, k, m) + dt*rhs(i, j, k, m)
        end do
      end do
    end do
  end do

  call frame_initialize(device_id=0, ngridpoints=500, ns=0, nq=0, iturb=0)   ! no species

  ! In place: one name, bound in and out.
  u = start
  call frame_bind('inplace', 'rhs', 'in', rhs, lo, hi, lo, hi, lo, hi)
  call frame_bind('inplace', 'conserved', 'inout', u, lo, hi, lo, hi, lo, hi)
  call frame_run('inplace', 'advanceInPlace')
  call compare('inplace', u)

  ! A second name for the new value, on an array of its own: the old value stays.
  u = start
  new = start
  call frame_bind('second', 'rhs', 'in', rhs, lo, hi, lo, hi, lo, hi)
  call frame_bind('second', 'conserved', 'in', u, lo, hi, lo, hi, lo, hi)
  call frame_bind('second', 'conserved_new', 'out', new, lo, hi, lo, hi, lo, hi)
  call frame_run('second', 'advanceToNew')
  call compare('second', new)
  print '(a, l2)', 'old ', all(u == start)

  ! The second name on the same array, at the same bounds: in place again.
  u = start
  call frame_bind('second', 'conserved_new', 'out', u, lo, hi, lo, hi, lo, hi)
  call frame_run('second', 'advanceToNew')
  call compare('same', u)

  ! The kernel by its name, on the arrays that are bound already.
  u = start
  call frame_run('inplace', 'updateInPlace')
  call compare('kernel', u)

  ! Under a mask: a point where it is 0 keeps its value.
  u = start
  iblank = 1.0_c_double
  iblank(1:n/2, :, :) = 0.0_c_double
  call frame_bind('inplace', 'iblank', 'in', iblank, lo, hi, lo, hi, lo, hi)
  call frame_position('inplace', 1, 1, 1)   ! of the first interior point, for kernels that read it
  call frame_run('inplace', 'advanceInPlace')
  print '(a, l2)', 'kept ', all(u(1:n/2, :, :, :) == start(1:n/2, :, :, :))
  u(1:n/2, :, :, :) = wanted(1:n/2, :, :, :)
  call compare('masked', u)

  ! A kernel of one component, on all of them.
  u = start
  call frame_bind('each', 'field', 'inout', u, lo, hi, lo, hi, lo, hi)
  call frame_bind('each', 'field_rate', 'in', rhs, lo, hi, lo, hi, lo, hi)
  call frame_run('each', 'updateEach')
  call compare('each', u)

  ! The kernel by its name, on views that stripes fill and empty.
  u = start
  do from = 1, n**3, 500
    to = min(from + 499, n**3)
    call frame_castles_populateinputstripe('conserved', u, lo, hi, lo, hi, lo, hi, &
        stripestart=from, stripeend=to)
    call frame_castles_populateinputstripe('rhs', rhs, lo, hi, lo, hi, lo, hi, &
        stripestart=from, stripeend=to)
    call frame_launch('updateInPlace', to - from + 1)
    call frame_castles_populateoutputstripe('conserved', u, lo, hi, lo, hi, lo, hi, &
        stripestart=from, stripeend=to)
  end do
  call compare('launched', u)
  call frame_finalize()

contains

  ! Interior by value, fringes unchanged: wanted holds both.
  subroutine compare(label, field)
    character(*), intent(in) :: label
    real(c_double), intent(in) :: field(first:, first:, first:, :)
    print '(a, es10.2)', label, maxval(abs(field - wanted))
  end subroutine compare

end program solver
