! The program with its loops run by the bridge, and the old loops beside them as the check.
program solver
  use bridge
  use gasLoops
  implicit none
  integer, parameter :: lo = f + 1                   ! first cell, as a place in the storage
  double precision, target :: q(1-f:nx+f, 1-f:ny+f, 1-f:nz+f, 5), flux(nx+1, ny, nz, 5)
  double precision :: qOld(1-f:nx+f, 1-f:ny+f, 1-f:nz+f, 5), fluxOld(nx+1, ny, nz, 5)
  double precision :: worst
  integer :: step

  call random_init(.true., .false.)   ! the same values in each run
  call random_number(q)
  q(:, :, :, 1) = 1.0d0 + 0.1d0*q(:, :, :, 1)                          ! kg/m3
  q(:, :, :, 2:4) = 20.0d0*q(:, :, :, 2:4)                             ! kg/(m2 s)
  q(:, :, :, 5) = 2.5d5 + 1.0d4*q(:, :, :, 5)                          ! J/m3
  qOld = q
  worst = 0.0d0

  call frame_set('species', 'N2')                    ! the pack reads no species
  call frame_initialize(device_id=0, ngridpoints=8192, ns=1, nq=0, iturb=0)
  call bindArrays

  do step = 1, 10
    call fillFringes(q)
    call frame_run('faces', 'gasFlux')
    call frame_run('cells', 'gasAdvance')

    call fillFringes(qOld)
    call faceFlux(qOld, fluxOld)
    call advance(qOld, fluxOld)
    worst = max(worst, differs(flux, fluxOld), differs(q(1:nx, 1:ny, 1:nz, :), &
      qOld(1:nx, 1:ny, 1:nz, :)))
  end do
  print '(a, es10.2)', 'largest difference ', worst
  call frame_report()
  call frame_finalize()
  if (.not. worst < 1.0d-12) error stop 'the ported loops differ'

contains

  ! A neighbour is the same array, bound a second time with bounds that are moved by one.
  subroutine bindArrays
    call frame_bind('faces', 'gas_left', 'in', q, lo - 1, lo + nx - 1, lo, lo + ny - 1, &
      lo, lo + nz - 1)
    call frame_bind('faces', 'gas_right', 'in', q, lo, lo + nx, lo, lo + ny - 1, lo, lo + nz - 1)
    call frame_bind('faces', 'gas_flux', 'out', flux)

    call frame_bind('cells', 'gas_conserved', 'inout', q, lo, lo + nx - 1, lo, lo + ny - 1, &
      lo, lo + nz - 1)
    call frame_bind('cells', 'gas_flux_low', 'in', flux, 1, nx, 1, ny, 1, nz)
    call frame_bind('cells', 'gas_flux_high', 'in', flux, 2, nx + 1, 1, ny, 1, nz)
  end subroutine bindArrays

  ! Largest difference of a component, relative to its largest value.
  double precision function differs(new, old)
    double precision, intent(in) :: new(:, :, :, :), old(:, :, :, :)
    integer :: m
    differs = 0.0d0
    do m = 1, 5
      differs = max(differs, maxval(abs(new(:, :, :, m) - old(:, :, :, m))) &
        /maxval(abs(old(:, :, :, m))))
    end do
  end function differs

end program solver
