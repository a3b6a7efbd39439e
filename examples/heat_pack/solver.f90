! Time steps of a solid by the pack, beside the loop that they replace: the time step is set before
! every run, the material and the bounds once between two of them, the table when it is known.
program solver
  use, intrinsic :: iso_c_binding, only: c_double
  use bridge
  implicit none
  integer, parameter :: n = 9, steps = 4
  real(c_double), target :: T(n, n, n), q(n, n, n)
  real(c_double) :: wanted(n, n, n), dt, bounds(2)
  real(c_double), allocatable :: cp(:, :)
  integer :: step, material, i, j, k
  logical :: limited

  call random_init(.true., .false.)   ! the same values in each run
  call random_number(T)
  call random_number(q)
  T = 300.0_c_double + 900.0_c_double*T
  q = 1.0e9_c_double*(q - 0.5_c_double)
  wanted = T

  call frame_set('species', 'N2')                     ! the pack reads no species
  call frame_initialize(device_id=0, ngridpoints=200, ns=1, nq=0, iturb=0)
  call frame_bind('solid', 'heat_T', 'inout', T)
  call frame_bind('solid', 'heat_source', 'in', q)

  allocate (cp(4, 3))
  cp(:, 1) = [250.0_c_double, 500.0_c_double, 800.0_c_double, 1400.0_c_double]
  cp(:, 2) = [3.4e6_c_double, 3.6e6_c_double, 4.1e6_c_double, 4.9e6_c_double]
  cp(:, 3) = 0.5_c_double*cp(:, 2)
  call frame_table('heat_cp', cp)                     ! copied

  material = 1
  limited = .false.
  bounds = [350.0_c_double, 1100.0_c_double]
  do step = 1, steps
    dt = 0.1_c_double/step
    call frame_constant('heat_dt', dt)
    if (step == 3) then
      material = 2
      limited = .true.
      call frame_constant('heat_material', material)
      call frame_constant('heat_limited', limited)
      call frame_constant('heat_bounds', bounds)
    end if
    call frame_run('solid', 'advanceSolid')
    do k = 1, n
      do j = 1, n
        do i = 1, n
          call advance(wanted(i, j, k), q(i, j, k))
        end do
      end do
    end do
    print '(a, i0, es10.2)', 'step', step, maxval(abs(T/wanted - 1.0_c_double))
  end do
  call frame_finalize()

contains

  subroutine advance(T, q)
    real(c_double), intent(inout) :: T
    real(c_double), intent(in) :: q
    real(c_double) :: heat
    integer :: below
    below = 1
    do while (below < size(cp, 1) - 1)
      if (T < cp(below + 1, 1)) exit
      below = below + 1
    end do
    heat = cp(below, 1 + material) + (cp(below + 1, 1 + material) - cp(below, 1 + material)) &
        *(T - cp(below, 1))/(cp(below + 1, 1) - cp(below, 1))
    T = T + dt*q/heat
    if (limited) T = min(max(T, bounds(1)), bounds(2))
  end subroutine advance

end program solver
