! Runs on resident arrays that come again, with new constants each time; then what Python has to see:
! values of the host, a copy that others read, an array that leaves the device.
program again
  use, intrinsic :: iso_c_binding, only: c_double, c_ptr
  use bridge
  implicit none (type, external)
  integer, parameter :: n = 1000, turns = 100
  real(c_double), target :: T(n), q(n)
  real(c_double) :: cp(2, 3), dt, sum
  type(c_ptr) :: address
  integer :: turn, material

  cp(:, 1) = [0.0_c_double, 1000.0_c_double]
  cp(:, 2) = 1.0_c_double
  cp(:, 3) = 2.0_c_double
  call frame_set('species', 'N2')
  call frame_initialize(0, n, 1, 0, 0)
  call frame_table('heat_cp', cp)
  call frame_constant('heat_limited', .false.)
  call frame_constant('heat_bounds', [0.0_c_double, 1.0e6_c_double])
  q = 1.0_c_double
  T = 100.0_c_double
  call frame_bind('solid', 'heat_T', 'inout', T)
  call frame_bind('solid', 'heat_source', 'in', q)
  call frame_enter_data('solid', 'heat_T', 'copyin')
  call frame_enter_data('solid', 'heat_source', 'copyin')
  sum = 100.0_c_double
  call step(1)
  call waited(2)
  call frame_report()
  do turn = 3, turns
    if (mod(turn, 2) == 0) call step(turn)
    if (mod(turn, 2) == 1) call waited(turn)
  end do
  call frame_report()
  call told('resident')

  ! the host's values, which the device is given; then runs follow that Python has to see once
  T = 200.0_c_double
  sum = 200.0_c_double
  call frame_update_device('solid', 'heat_T')
  call step(3)
  call step(4)
  call frame_report()
  call told('updated')
  call frame_unchanged('solid', 'heat_source')
  call step(5)
  call told('unchanged')

  call frame_report()
  call frame_device_address('solid', 'heat_T', address)
  call step(6)
  call step(7)
  call frame_report()
  call told('address')
  call frame_exit_data('solid', 'heat_T', 'copyout')
  call step(8)
  if (all(T == sum)) print *, 'left ', T(1), sum
  call frame_report()
  call frame_finalize()

contains

  subroutine constants(turn)
    integer, intent(in) :: turn
    dt = real(turn, c_double)
    material = 1 + mod(turn, 2)
    call frame_constants('heat_dt heat_material', [dt, real(material, c_double)])
    call frame_constant('heat_dt', dt)
    sum = sum + dt / material
  end subroutine

  subroutine step(turn)
    integer, intent(in) :: turn
    call constants(turn)
    call frame_run('solid', 'advanceSolid')
  end subroutine

  subroutine waited(turn)
    integer, intent(in) :: turn
    call constants(turn)
    call frame_run_begin('solid', 'advanceSolid')
    call frame_wait('solid')
  end subroutine

  subroutine told(what)
    character(*), intent(in) :: what
    call frame_update_host('solid', 'heat_T')
    if (any(T /= T(1))) print *, 'points differ'
    print *, what, T(1), sum
  end subroutine

end program
