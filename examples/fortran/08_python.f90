! A solver that calls Python of its user: a mixing layer of cold O2 below warm CH4 at 8 MPa.
!
!   export BRIDGE_PYTHON_PATH=examples/functions
!   08_python picture:draw diagnostics:average          # functions to call, in this order
!
! Enthalpy and mass fractions move with the rows of vortices of Stuart (1967) and diffuse. Every
! 40 steps the bridge computes temperature, density and viscosity from them, and frame_python
! gives all arrays to the functions, which are in examples/functions.
program mixing_layer
  use bridge
  implicit none
  integer, parameter :: ns = 2, nx = 160, ny = 88, f = 2        ! f: fringe
  integer, parameter :: steps = 200, every = 40
  real(8), parameter :: pi = acos(-1d0)
  real(8), parameter :: length = 1d-3, dx = length/nx, speed = 10, strength = 0.4d0
  real(8), parameter :: diffusivity = 2d-6, dt = 0.4d0*dx/speed  ! m2/s, s
  real(8), target, dimension(1 - f:nx + f, 1 - f:ny + f, 1) :: h, T, P, rho, eta
  real(8), target :: Y(1 - f:nx + f, 1 - f:ny + f, 1, ns)
  real(8) :: u(0:nx, ny), v(nx, 0:ny), height                    ! velocities on faces
  character(len=60) :: name
  integer :: step, i, j, n

  do j = 1 - f, ny + f
    do i = 1 - f, nx + f                                         ! a layer with a wave, 8 cells high
      height = j - 0.5d0*(ny + 1) - 4*sin(2*pi*(i - 0.5d0)/nx)
      Y(i, j, 1, 2) = 0.5d0*(1 + tanh(height/3))                 ! CH4
    end do
  end do
  T = 120 + 180*Y(:, :, :, 2)                                    ! K
  Y(:, :, :, 1) = 1 - Y(:, :, :, 2)                              ! O2
  P = 8d6                                                        ! Pa
  ! Velocities are differences of a stream function at the corners: their divergence is zero.
  do j = 1, ny
    u(:, j) = [((psi(i, j) - psi(i, j - 1))/dx, i=0, nx)]
  end do
  do i = 1, nx
    v(i, :) = [((psi(i - 1, j) - psi(i, j))/dx, j=0, ny)]
  end do

  call frame_set('species', 'O2 CH4')
  call frame_initialize(device_id=0, ngridpoints=4096, ns=ns, nq=5 + ns, iturb=0)
  call bind('P', 'in', P)
  call bind('T', 'inout', T)
  call bind('rho', 'out', rho)
  call bind('eta', 'out', eta)
  call frame_bind('cells', 'Y', 'in', Y, f + 1, f + nx, f + 1, f + ny)
  call bind('h', 'out', h)
  call frame_run('cells', 'eosThermalProperties')                ! h from T, once
  call frame_unbind('cells', 'h')
  call bind('h_target', 'in', h)                                 ! from now on T from h

  do step = 1, steps
    call transport(h)
    call transport(Y(:, :, :, 2))
    Y(:, :, :, 1) = 1 - Y(:, :, :, 2)
    if (mod(step, every) == 0) then
      call frame_run('cells', 'prEOSCalcTFromHP')
      call frame_run('cells', 'eosThermalAndViscousProperties')
      do n = 1, command_argument_count()
        call get_command_argument(n, name)
        call frame_python('cells', trim(name), [dble(step), step*dt, dx])
      end do
    end if
  end do
  print '(a,f7.2,a,f7.2,a)', 'temperatures from ', minval(T(1:nx, 1:ny, 1)), ' K to ', &
    maxval(T(1:nx, 1:ny, 1)), ' K'
  call frame_finalize()

contains

  ! Two vortices in the length, at half the height.
  real(8) function psi(i, j)
    integer, intent(in) :: i, j
    real(8), parameter :: k = 4*pi/length
    psi = speed/k*log(cosh(k*(j - 0.5d0*ny)*dx) + strength*cos(k*i*dx))
  end function psi

  subroutine bind(name, intent, array)
    character(len=*), intent(in) :: name, intent
    real(8), intent(in), target :: array(:, :, :)
    call frame_bind('cells', name, intent, array, f + 1, f + nx, f + 1, f + ny)
  end subroutine bind

  ! One step: first along x, then along y, so that no direction is unstable by the other.
  subroutine transport(q)
    real(8), intent(inout) :: q(1 - f:nx + f, 1 - f:ny + f, 1)
    real(8) :: g(0:max(nx, ny))
    integer :: i, j
    q(1 - f:0, :, 1) = q(nx + 1 - f:nx, :, 1)                    ! periodic
    q(nx + 1:nx + f, :, 1) = q(1:f, :, 1)
    do j = 1, ny
      do i = 0, nx
        g(i) = flux(u(i, j), q(i - 1:i + 2, j, 1))
      end do
      do i = 1, nx
        q(i, j, 1) = q(i, j, 1) - dt/dx*(g(i) - g(i - 1) - q(i, j, 1)*(u(i, j) - u(i - 1, j)))
      end do
    end do
    do j = 1, f                                                  ! no gradient
      q(:, 1 - j, 1) = q(:, 1, 1)
      q(:, ny + j, 1) = q(:, ny, 1)
    end do
    do i = 1, nx
      do j = 0, ny
        g(j) = flux(v(i, j), q(i, j - 1:j + 2, 1))
      end do
      do j = 1, ny
        q(i, j, 1) = q(i, j, 1) - dt/dx*(g(j) - g(j - 1) - q(i, j, 1)*(v(i, j) - v(i, j - 1)))
      end do
    end do
  end subroutine transport

  ! Flux through the face between q(2) and q(3): upwind with van Leer's limiter, and diffusion.
  real(8) function flux(w, q)
    real(8), intent(in) :: w, q(4)
    real(8) :: d, up, a
    d = q(3) - q(2)
    up = merge(q(2) - q(1), q(4) - q(3), w > 0)
    a = 0
    if (d*up > 0) a = sign(1d0, w)*(1 - abs(w)*dt/dx)*d*up/(d + up)
    flux = w*(merge(q(2), q(3), w > 0) + a) - diffusivity*d/dx
  end function flux

end program mixing_layer
