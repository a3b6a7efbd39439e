! The program as it was.
program legacy
  use gasLoops
  implicit none
  double precision :: q(1-f:nx+f, 1-f:ny+f, 1-f:nz+f, 5), flux(nx+1, ny, nz, 5)
  integer :: step

  call random_init(.true., .false.)   ! the same values in each run
  call random_number(q)
  q(:, :, :, 1) = 1.0d0 + 0.1d0*q(:, :, :, 1)                          ! kg/m3
  q(:, :, :, 2:4) = 20.0d0*q(:, :, :, 2:4)                             ! kg/(m2 s)
  q(:, :, :, 5) = 2.5d5 + 1.0d4*q(:, :, :, 5)                          ! J/m3
  do step = 1, 10
    call fillFringes(q)
    call faceFlux(q, flux)
    call advance(q, flux)
  end do
  print '(a, es24.16)', 'energy ', sum(q(1:nx, 1:ny, 1:nz, 5))
end program legacy
