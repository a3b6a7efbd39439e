! frame_run changes arrays behind the compiler's back. A subroutine reads an element, lets the
! bridge change it and reads it again: with -O3 the second read comes from a register unless the
! dummy is TARGET.
module steps
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge, only: frame_bind, frame_run
  implicit none
contains

  subroutine bind_all(t, p, y, rho)
    real(c_double), intent(in), target :: t(:), p(:), y(:, :)
    real(c_double), intent(inout), target :: rho(:)
    call frame_bind('points', 'T', 'in', t)
    call frame_bind('points', 'P', 'in', p)
    call frame_bind('points', 'Y', 'in', y)
    call frame_bind('points', 'rho', 'out', rho)
  end subroutine bind_all

  subroutine as_target(n, t, rho, seen)
    integer, intent(in) :: n
    real(c_double), intent(inout), target :: t(n)
    real(c_double), intent(in), target :: rho(n)
    real(c_double), intent(out) :: seen(3)
    seen(1) = rho(1)
    t = 300.0_c_double
    call frame_run('points', 'eosThermalProperties')
    seen(2) = rho(1)
    t = 400.0_c_double
    call frame_run('points', 'eosThermalProperties')
    seen(3) = rho(1)
  end subroutine as_target

end module steps

program stale
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge, only: frame_initialize, frame_finalize, frame_set
  use steps
  implicit none
  real(c_double), target :: t(8), p(8), y(8, 2), rho(8)
  real(c_double) :: seen(3)
  p = 1.0e7_c_double
  t = 300.0_c_double
  y(:, 1) = 0.25_c_double
  y(:, 2) = 0.75_c_double
  rho = -1.0_c_double
  call frame_set('backend', 'cpu')
  call frame_set('species', 'O2 CH4')
  call frame_initialize(0, 8, 2, 7, 0)
  call bind_all(t, p, y, rho)
  call as_target(8, t, rho, seen)
  print '(a,3(1x,es25.17))', 'target', seen
  call frame_finalize()
end program stale
