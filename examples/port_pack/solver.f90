! Heat in a room, by the old loops, by the bridge, or by both:
!   ./solver               the old procedure and loops
!   ./solver bridge        their kernels in their place
!   ./solver verify        the old ones, compared with the kernels at every step
!   ./solver verify 0.01   the same at 1 % of the points, as in production
program solver
  use bridge
  use room
  use room_conduction_bridge
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, parameter :: nx = 96, ny = 64, nz = 8
  real(dp), parameter :: dx = 0.02_dp, pressure = 101325.0_dp       ! m, Pa
  real(dp), target :: T(0:nx+1, 0:ny+1, nz), lambda(0:nx+1, 0:ny+1, nz)
  real(dp), target :: h(0:nx+1, 0:ny+1, nz), rho(0:nx+1, 0:ny+1, nz)
  real(dp), target :: p(0:nx+1, 0:ny+1, nz), q(nx, ny, nz)
  integer(c_int), target :: steps(0:nx+1, 0:ny+1, nz)
  real(dp) :: fastest, share, worst
  character(len=16) :: mode, word
  integer :: step

  call get_command_argument(1, mode)
  call get_command_argument(2, word)
  share = 1
  if (word /= '') read (word, *) share
  worst = 0

  call readFit
  call start
  if (mode /= '') call begin_bridge
  do step = 1, 20
    call properties
    call heat
    h(1:nx, 1:ny, :) = h(1:nx, 1:ny, :) + q/rho(1:nx, 1:ny, :)*min(1.0_dp, 2.0e4_dp/fastest)
  end do
  print '(a, 3es23.15)', 'result ', sum(T(1:nx, 1:ny, :)), sum(q), fastest
  if (mode == 'verify') print '(a, es10.2)', 'largest difference ', worst
  if (mode /= '') then
    call unbind_room_conduction
    call frame_report
    call frame_finalize
  end if
  if (.not. worst < 1.0e-10_dp) error stop 'the kernels differ from the loops'

contains

  subroutine start
    integer :: i, j
    do j = 0, ny + 1
      do i = 0, nx + 1
        h(i, j, :) = 3.0e5_dp + 4.0e5_dp*exp(-((i - 30)**2 + (j - 40)**2)/200.0_dp)
      end do
    end do
    p = pressure
    T = 300
  end subroutine start

  ! Once, when the arrays are there and the module's data have their values.
  subroutine begin_bridge
    call frame_initialize(device_id=0, ngridpoints=8192, ns=0, nq=0, iturb=0)
    call frame_constant('room_gasconstant', gasConstant)
    call frame_table('room_cpfit', cpFit)
    call frame_bind('cells', 'room_h', 'in', h)
    call frame_bind('cells', 'room_p', 'in', p)
    call frame_bind('cells', 'room_t', 'inout', T)
    call frame_bind('cells', 'room_rho', 'out', rho)
    call frame_bind('cells', 'room_lambda', 'out', lambda)
    call frame_bind('cells', 'room_steps', 'out', steps)
    call bind_room_conduction(nx, ny, nz, T, lambda, q)
  end subroutine begin_bridge

  subroutine properties
    integer :: i, j, k
    real(dp) :: difference
    if (mode == 'bridge') then
      call frame_run('cells', 'room_airproperties')
      return
    end if
    if (mode == 'verify') call frame_compare_begin('cells', 'room_airproperties', share)
    do k = 1, nz
      do j = 0, ny + 1
        do i = 0, nx + 1
          call airProperties(h(i, j, k), p(i, j, k), T(i, j, k), rho(i, j, k), lambda(i, j, k), &
            steps(i, j, k))
        end do
      end do
    end do
    if (mode == 'verify') then
      call frame_compare('cells', 'room_airproperties', difference)
      worst = max(worst, difference)
    end if
  end subroutine properties

  subroutine heat
    real(dp) :: difference
    if (mode == 'bridge') then
      fastest = 0
      call run_room_conduction(dx, fastest)
      return
    end if
    if (mode == 'verify') then
      call record_room_conduction(dx, 'heat')
      fastest = 0
      call compare_begin_room_conduction(dx, fastest, share)
    end if
    call conduction(nx, ny, nz, dx, T, lambda, q, fastest)
    if (mode == 'verify') then
      call compare_room_conduction(fastest, difference)
      worst = max(worst, difference)
    end if
  end subroutine heat

end program solver
