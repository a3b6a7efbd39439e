! The time step of a block by one call, beside the loop that it replaces.
program solver
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: n = 20, fringe = 2, first = 1 - fringe, last = n + fringe
  integer, parameter :: lo = 1 + fringe, hi = n + fringe       ! interior, counted from 1
  real(c_double), parameter :: dx = 2.0e-3_c_double, dy = 1.0e-3_c_double, dz = 4.0e-3_c_double
  real(c_double), parameter :: cfl = 0.8_c_double
  real(c_double), target :: q(first:last, first:last, first:last, 7)      ! P u v w T Y1 Y2
  real(c_double), target :: c(first:last, first:last, first:last)
  real(c_double) :: rate, wanted, dt, mass(2), norm, norms(2)
  integer :: place(3), where(6), wrong, bits(32), i, j, k
  logical :: bad

  call random_init(.true., .false.)   ! the same values in each run
  call random_number(q)
  q(:, :, :, 1) = 1.0e7_c_double
  q(:, :, :, 2:4) = 100*q(:, :, :, 2:4) - 50
  q(:, :, :, 5) = 300 + 500*q(:, :, :, 5)
  q(:, :, :, 7) = 1 - q(:, :, :, 6)

  call frame_set('species', 'O2 CH4')
  call frame_set('constants', 'cfl_dx=2e-3, cfl_dy=1e-3, cfl_dz=4e-3')
  call frame_initialize(device_id=0, ngridpoints=3000, ns=2, nq=7, iturb=0)
  call frame_bind('cells', 'Q', 'in', q, lo, hi, lo, hi, lo, hi)

  call frame_reduce('cells', 'cfl_rate', 'maxloc', rate, place)
  ! with several ranks: frame_allreduce in its place
  dt = cfl/rate
  print '(a, es12.5, a, 3(1x, i0))', 'dt ', dt, ' s, set by cell', place - fringe

  call frame_reduce('cells', 'status', 'any', bad)                 ! did any cell go wrong?
  call frame_reduce('cells', 'Y', 'sum', mass)                     ! one value per component
  print '(a, l2, a, 2f10.3)', 'bad ', bad, '  sums of Y', mass

  ! Over all ranks, the same on each.
  call frame_allreduce('cells', 'cfl_rate', 'maxloc', rate, where)  ! i, j, k, component, block, rank
  call frame_allreduce('cells', 'status', 'count', wrong)           ! an integer
  call frame_allreduce('cells', 'T', 'l2', norm)
  print '(a, i0, a, es12.5)', 'wrong ', wrong, ', norm of T ', norm

  ! A norm for each component, and what went wrong where.
  call frame_allreduce('cells', 'Y', 'l2', norms)                  ! one value per component
  norms = norms/sqrt(real(n**3, c_double))                         ! cells: of all ranks

  call frame_allreduce('cells', 'status', 'bits', bits)            ! points with each bit
  if (bits(1) > 0) print '(i0, a)', bits(1), ' points have a bad temperature'   ! BAD_T: bit 0
  if (bits(12) > 0) print '(i0, a)', bits(12), ' searches did not converge'     ! NO_CONV: bit 11
  print '(a, 2es12.5)', 'norms of Y ', norms

  ! The loop over cells, with the speed of sound in an array.
  call frame_bind('cells', 'c', 'out', c, lo, hi, lo, hi, lo, hi)
  call frame_run('cells', 'eosThermalProperties')
  wanted = 0
  do k = 1, n
    do j = 1, n
      do i = 1, n
        wanted = max(wanted, (abs(q(i, j, k, 2)) + c(i, j, k))/dx + &
            (abs(q(i, j, k, 3)) + c(i, j, k))/dy + (abs(q(i, j, k, 4)) + c(i, j, k))/dz)
      end do
    end do
  end do
  print '(a, es10.2)', 'difference ', abs(rate/wanted - 1)
  call frame_finalize()
end program solver
