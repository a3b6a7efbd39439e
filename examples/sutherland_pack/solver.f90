! The port beside the original: the same points through the pack's composite, through one of its
! kernels by name, and through subroutine gas.
program solver
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: n = 1000, ns = 2, chunk = 300
  real(c_double), target :: T(n), P(n), Y(n, ns)               ! read by frame_run
  real(c_double), target :: W(n), rho(n), mu(n)                ! written by it
  real(c_double) :: mu_launched(n), rho_fortran, mu_fortran, worst(3)
  integer :: i, first, last

  do i = 1, n
    T(i) = 200 + 2*i
    P(i) = 1.0e5_c_double + 50*i
    Y(i, 1) = 0.767_c_double - 0.0005_c_double*i
    Y(i, 2) = 1 - Y(i, 1)
  end do

  call frame_set('species', 'N2 O2')
  call frame_initialize(device_id=0, ngridpoints=chunk, ns=ns, nq=5 + ns, iturb=0)

  ! Bound arrays: the composite of the pack by its name.
  call frame_bind('gas', 'T', 'in', T)
  call frame_bind('gas', 'P', 'in', P)
  call frame_bind('gas', 'Y', 'in', Y)
  call frame_bind('gas', 'W', 'out', W)
  call frame_bind('gas', 'rho_gas', 'out', rho)
  call frame_bind('gas', 'mu_gas', 'out', mu)
  call frame_run('gas', 'sutherlandGas')

  ! Stripes: one kernel by its name.
  do first = 1, n, chunk
    last = min(first + chunk - 1, n)
    call frame_castles_populateinputstripe('T', T, stripestart=first, stripeend=last)
    call frame_launch('sutherlandViscosity', last - first + 1)
    call frame_castles_populateoutputstripe('mu_gas', mu_launched, stripestart=first, &
        stripeend=last)
  end do
  call frame_finalize()

  worst = 0
  do i = 1, n
    call gas(T(i), P(i), W(i), rho_fortran, mu_fortran)
    worst(1) = max(worst(1), abs(rho(i)/rho_fortran - 1))
    worst(2) = max(worst(2), abs(mu(i)/mu_fortran - 1))
    worst(3) = max(worst(3), abs(mu_launched(i)/mu_fortran - 1))
  end do
  print '(a, 2es25.17)', 'first ', rho(1), mu(1)
  print '(a, es10.2)', 'rho_gas  differs by', worst(1), 'mu_gas   differs by', worst(2), &
      'launched differs by', worst(3)
end program solver
