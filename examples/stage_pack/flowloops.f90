! The legacy code: a viscous gas on a line of blocks, in loops over fringe arrays.
module flowLoops
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: f = 2                        ! layers of fringe that the code keeps
  real(dp), parameter :: gam = 1.4_dp, rgas = 287.0_dp, prandtl = 0.72_dp
  real(dp), parameter :: cp = gam*rgas/(gam - 1.0_dp)
  real(dp), parameter :: stages(4) = [0.25_dp, 1.0_dp/3.0_dp, 0.5_dp, 1.0_dp]
  integer :: nx = 24, ny = 20, nz = 16               ! cells of a block
  real(dp) :: spacing(3), dt

  ! Component last, with fringes; faces are one more than cells across their direction.
  type block
    real(dp), allocatable :: Q(:, :, :, :), Qstart(:, :, :, :), prop(:, :, :, :)
    real(dp), allocatable :: fx(:, :, :, :), fy(:, :, :, :), fz(:, :, :, :), change(:, :, :, :)
    logical :: first = .false., last = .false.       ! of the line: has the inlet, the outlet
  end type block

contains

  subroutine allocateBlock(b)
    type(block), intent(inout) :: b
    allocate (b%Q(1-f:nx+f, 1-f:ny+f, 1-f:nz+f, 5), source=0.0_dp)
    allocate (b%Qstart, b%change, source=b%Q)
    allocate (b%prop(1-f:nx+f, 1-f:ny+f, 1-f:nz+f, 6), source=0.0_dp)
    allocate (b%fx(nx+1, ny, nz, 5), b%fy(nx, ny+1, nz, 5), b%fz(nx, ny, nz+1, 5), source=0.0_dp)
  end subroutine allocateBlock

  ! A warm bubble in a stream; offset: of the block along x, in cells.
  subroutine startValues(b, offset)
    type(block), intent(inout) :: b
    integer, intent(in) :: offset
    real(dp) :: bubble, rho
    integer :: i, j, k
    do k = 1 - f, nz + f
      do j = 1 - f, ny + f
        do i = 1 - f, nx + f
          bubble = exp(-((i + offset - 0.5_dp*nx)**2 + (j - 0.4_dp*ny)**2 + (k - 0.6_dp*nz)**2)/30)
          rho = 1.0e5_dp/(rgas*(300.0_dp + 40.0_dp*bubble))
          b%Q(i, j, k, :) = [rho, rho*50.0_dp, rho*5.0_dp*bubble, 0.0_dp, &
              1.0e5_dp/(gam - 1.0_dp) + 0.5_dp*rho*(2500.0_dp + 25.0_dp*bubble**2)]
        end do
      end do
    end do
  end subroutine startValues

  subroutine properties(b, i1, i2, j1, j2, k1, k2)
    type(block), intent(inout) :: b
    integer, intent(in) :: i1, i2, j1, j2, k1, k2
    real(dp) :: perDensity, u, v, w, p, T
    integer :: i, j, k
    do k = k1, k2
      do j = j1, j2
        do i = i1, i2
          perDensity = 1.0_dp/b%Q(i, j, k, 1)
          u = b%Q(i, j, k, 2)*perDensity
          v = b%Q(i, j, k, 3)*perDensity
          w = b%Q(i, j, k, 4)*perDensity
          p = (gam - 1.0_dp)*(b%Q(i, j, k, 5) - 0.5_dp*b%Q(i, j, k, 1)*(u*u + v*v + w*w))
          T = p*perDensity/rgas
          b%prop(i, j, k, 1) = u
          b%prop(i, j, k, 2) = v
          b%prop(i, j, k, 3) = w
          b%prop(i, j, k, 4) = p
          b%prop(i, j, k, 5) = T
          b%prop(i, j, k, 6) = 1.458e-6_dp*T*sqrt(T)/(T + 110.4_dp)
        end do
      end do
    end do
  end subroutine properties

  ! Cells beside a face along one direction; n: 1 x, 2 y, 3 z.
  subroutine faceFlux(Q, prop, flux, n, step)
    real(dp), intent(in) :: Q(1-f:, 1-f:, 1-f:, :), prop(1-f:, 1-f:, 1-f:, :)
    real(dp), intent(inout) :: flux(:, :, :, :)
    integer, intent(in) :: n, step(3)
    real(dp) :: fastest, mu, work, stress, carried, perSpacing
    integer :: i, j, k, il, jl, kl, m
    perSpacing = 1.0_dp/spacing(n)
    do k = 1, nz + step(3)
      kl = k - step(3)
      do j = 1, ny + step(2)
        jl = j - step(2)
        do i = 1, nx + step(1)
          il = i - step(1)
          fastest = max(abs(prop(il, jl, kl, n)) + sqrt(gam*prop(il, jl, kl, 4)/Q(il, jl, kl, 1)), &
              abs(prop(i, j, k, n)) + sqrt(gam*prop(i, j, k, 4)/Q(i, j, k, 1)))
          mu = 0.5_dp*(prop(il, jl, kl, 6) + prop(i, j, k, 6))
          work = mu*(cp/prandtl)*(prop(i, j, k, 5) - prop(il, jl, kl, 5))*perSpacing
          flux(i, j, k, 1) = 0.5_dp*(Q(il, jl, kl, 1)*prop(il, jl, kl, n) &
              + Q(i, j, k, 1)*prop(i, j, k, n) - fastest*(Q(i, j, k, 1) - Q(il, jl, kl, 1)))
          do m = 1, 3
            stress = mu*(prop(i, j, k, m) - prop(il, jl, kl, m))*perSpacing
            if (m == n) stress = 4.0_dp/3.0_dp*stress
            work = work + 0.5_dp*(prop(il, jl, kl, m) + prop(i, j, k, m))*stress
            carried = Q(il, jl, kl, m+1)*prop(il, jl, kl, n) + Q(i, j, k, m+1)*prop(i, j, k, n)
            if (m == n) carried = carried + prop(il, jl, kl, 4) + prop(i, j, k, 4)
            flux(i, j, k, m+1) = 0.5_dp*(carried &
                - fastest*(Q(i, j, k, m+1) - Q(il, jl, kl, m+1))) - stress
          end do
          flux(i, j, k, 5) = 0.5_dp*((Q(il, jl, kl, 5) + prop(il, jl, kl, 4))*prop(il, jl, kl, n) &
              + (Q(i, j, k, 5) + prop(i, j, k, 4))*prop(i, j, k, n) &
              - fastest*(Q(i, j, k, 5) - Q(il, jl, kl, 5))) - work
        end do
      end do
    end do
  end subroutine faceFlux

  subroutine divergence(b)
    type(block), intent(inout) :: b
    real(dp) :: per(3)
    integer :: i, j, k, m
    per = 1.0_dp/spacing
    do m = 1, 5
      do k = 1, nz
        do j = 1, ny
          do i = 1, nx
            b%change(i, j, k, m) = per(1)*(b%fx(i, j, k, m) - b%fx(i+1, j, k, m)) &
                + per(2)*(b%fy(i, j, k, m) - b%fy(i, j+1, k, m)) &
                + per(3)*(b%fz(i, j, k, m) - b%fz(i, j, k+1, m))
          end do
        end do
      end do
    end do
  end subroutine divergence

  subroutine rkUpdate(b, a)
    type(block), intent(inout) :: b
    real(dp), intent(in) :: a
    b%Q(1:nx, 1:ny, 1:nz, :) = b%Qstart(1:nx, 1:ny, 1:nz, :) + a*dt*b%change(1:nx, 1:ny, 1:nz, :)
  end subroutine rkUpdate

  real(dp) function signalRate(b)
    type(block), intent(in) :: b
    real(dp) :: sound, spread, rate
    integer :: i, j, k
    signalRate = 0.0_dp
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          sound = sqrt(gam*b%prop(i, j, k, 4)/b%Q(i, j, k, 1))
          spread = 2.0_dp*b%prop(i, j, k, 6)/b%Q(i, j, k, 1)
          rate = sum((abs(b%prop(i, j, k, 1:3)) + sound)/spacing + spread/spacing**2)
          signalRate = max(signalRate, rate)
        end do
      end do
    end do
  end function signalRate

  real(dp) function pressure(Q)
    real(dp), intent(in) :: Q(5)
    pressure = (gam - 1.0_dp)*(Q(5) - 0.5_dp*(Q(2)*Q(2) + Q(3)*Q(3) + Q(4)*Q(4))/Q(1))
  end function pressure

  subroutine boundaries(b)
    type(block), intent(inout) :: b
    real(dp), parameter :: uIn = 60.0_dp, TIn = 310.0_dp, pOut = 1.0e5_dp
    real(dp) :: p, rho
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        if (b%first) then
          p = pressure(b%Q(1, j, k, :))
          rho = p/(rgas*TIn)
          b%Q(0, j, k, :) = [rho, rho*uIn, 0.0_dp, 0.0_dp, p/(gam - 1.0_dp) + 0.5_dp*rho*(uIn*uIn)]
        end if
        if (b%last) then
          b%Q(nx+1, j, k, :) = b%Q(nx, j, k, :)
          b%Q(nx+1, j, k, 5) = b%Q(nx, j, k, 5) + (pOut - pressure(b%Q(nx, j, k, :)))/(gam - 1.0_dp)
        end if
      end do
    end do
    do k = 1, nz
      do i = 1, nx
        b%Q(i, 0, k, :) = b%Q(i, 1, k, :)
        b%Q(i, 0, k, 3) = -b%Q(i, 1, k, 3)
        b%Q(i, ny+1, k, :) = b%Q(i, ny, k, :)
        b%Q(i, ny+1, k, 3) = -b%Q(i, ny, k, 3)
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        b%Q(i, j, 0, :) = b%Q(i, j, 1, :)
        b%Q(i, j, 0, 4) = -b%Q(i, j, 1, 4)
        b%Q(i, j, nz+1, :) = b%Q(i, j, nz, :)
        b%Q(i, j, nz+1, 4) = -b%Q(i, j, nz, 4)
      end do
    end do
  end subroutine boundaries

end module flowLoops
