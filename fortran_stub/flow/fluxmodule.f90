! The loops of the flow over one block: every routine is a nest over points with arrays of
! explicit shape, so that a compiler, and `bridge port`, can take it as it stands (make_pack.py).
!
! d is the direction of a nest, (di, dj, dk) its unit step: 1 for the direction, else 0.
module fluxModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use statusModule, only: statusFatal, statusNoConv, statusHBelow, statusHAbove, statusUnstable, quietNaN
  implicit none
  private
  public :: rhsTimePrimitives, rhsSysAdFlux, rhsSysGradient, rhsSysViscFlux
  public :: stepSys3dKeep, stepSys3dCalcGadd, stepSys3dUpdate, timeStepLeast, statesWrong

  ! Bits of the status of a cell whose state is none.
  integer, parameter, public :: statusWrong = statusFatal + statusNoConv + statusHBelow + &
    statusHAbove + statusUnstable

contains

  ! Q = rho, e, u, v, w, Y from U = rho_i, rho u, rho v, rho w, rho E, T0, in a box of points.
  subroutine rhsTimePrimitives(i1, i2, j1, j2, k1, k2, nx, ny, nz, fx, fy, fz, U, Q)
    integer, intent(in) :: i1, i2, j1, j2, k1, k2, nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: U(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(inout) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp) :: rho, ux, uy, uz
    integer :: i, j, k, s

    !$bridge begin rhsTimePrimitives
    do k = k1, k2
      do j = j1, j2
        do i = i1, i2
          rho = 0.0_dp
          do s = 1, ns
            rho = rho + U(i, j, k, s)
          end do
          ux = U(i, j, k, ns+1)/rho
          uy = U(i, j, k, ns+2)/rho
          uz = U(i, j, k, ns+3)/rho
          Q(i, j, k, 1) = rho
          Q(i, j, k, 2) = U(i, j, k, ns+4)/rho - 0.5_dp*(ux*ux + uy*uy + uz*uz)
          Q(i, j, k, 3) = ux
          Q(i, j, k, 4) = uy
          Q(i, j, k, 5) = uz
          do s = 1, ns
            Q(i, j, k, s+5) = U(i, j, k, s)/rho
          end do
        end do
      end do
    end do
    !$bridge end rhsTimePrimitives
  end subroutine rhsTimePrimitives

  ! Fluxes of mass, momentum and energy through the low faces of direction d, fourth order: 4/3
  ! of the two-point flux of the cells b, c beside the face, -1/6 of those of a, c and b, e, where
  ! the cells are z, a, b | c, e, g. A two-point flux keeps kinetic energy and the balance of
  ! pressures: its species go with mean densities and the mean velocity; internal energy is the
  ! mean of rho e less a quarter of the sum of dg_i drho_i, g_i = d(rho e)/d(rho_i) at constant
  ! pressure = -p_rhoi/p_rhoe (Terashima, Ly and Ihme 2025, for mixtures). The dissipation is one
  ! of sixth differences of pressure, velocity and densities.
  subroutine rhsSysAdFlux(d, di, dj, dk, nx, ny, nz, fx, fy, fz, kappa, U, Q, prop, flux)
    integer, intent(in) :: d, di, dj, dk, nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: kappa
    real(dp), intent(in) :: U(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: prop(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3*ns+7)
    real(dp), intent(inout) :: flux(nx+di, ny+dj, nz+dk, ns+4)
    real(dp) :: ubc, uac, ube, massbc, massac, massbe, ebc, eac, ebe, pa, pb, pc, pe
    real(dp) :: ga, gb, gc, ge, rhoa, rhob, rhoc, rhoe, sixth, speed, away, gAway, momentum
    real(dp) :: rhoFace, uFace, total
    integer :: i, j, k, m, s

    !$bridge begin rhsSysAdFlux
    do k = 1, nz + dk
      do j = 1, ny + dj
        do i = 1, nx + di
          ubc = 0.5_dp*(Q(i-di, j-dj, k-dk, d+2) + Q(i, j, k, d+2))
          uac = 0.5_dp*(Q(i-2*di, j-2*dj, k-2*dk, d+2) + Q(i, j, k, d+2))
          ube = 0.5_dp*(Q(i-di, j-dj, k-dk, d+2) + Q(i+di, j+dj, k+dk, d+2))
          speed = kappa*max(abs(Q(i-di, j-dj, k-dk, d+2)) + prop(i-di, j-dj, k-dk, 3), &
                            abs(Q(i, j, k, d+2)) + prop(i, j, k, 3))
          ga = -1.0_dp/prop(i-2*di, j-2*dj, k-2*dk, 5)
          gb = -1.0_dp/prop(i-di, j-dj, k-dk, 5)
          gc = -1.0_dp/prop(i, j, k, 5)
          ge = -1.0_dp/prop(i+di, j+dj, k+dk, 5)
          massbc = 0.0_dp
          massac = 0.0_dp
          massbe = 0.0_dp
          ebc = 0.0_dp
          eac = 0.0_dp
          ebe = 0.0_dp
          away = 0.0_dp
          gAway = 0.0_dp
          do s = 1, ns
            rhoa = U(i-2*di, j-2*dj, k-2*dk, s)
            rhob = U(i-di, j-dj, k-dk, s)
            rhoc = U(i, j, k, s)
            rhoe = U(i+di, j+dj, k+dk, s)
            pa = ga*prop(i-2*di, j-2*dj, k-2*dk, s+7)
            pb = gb*prop(i-di, j-dj, k-dk, s+7)
            pc = gc*prop(i, j, k, s+7)
            pe = ge*prop(i+di, j+dj, k+dk, s+7)
            ebc = ebc + (pc - pb)*(rhoc - rhob)
            eac = eac + (pc - pa)*(rhoc - rhoa)
            ebe = ebe + (pe - pb)*(rhoe - rhob)
            massbc = massbc + 0.5_dp*(rhob + rhoc)
            massac = massac + 0.5_dp*(rhoa + rhoc)
            massbe = massbe + 0.5_dp*(rhob + rhoe)
            sixth = speed*(U(i+2*di, j+2*dj, k+2*dk, s) - U(i-3*di, j-3*dj, k-3*dk, s) &
                           - 5.0_dp*(rhoe - rhoa) + 10.0_dp*(rhoc - rhob))
            away = away + sixth
            gAway = gAway + 0.5_dp*(pb + pc)*sixth
            flux(i, j, k, s) = 4.0_dp/3.0_dp*(0.5_dp*(rhob + rhoc)*ubc) &
              - 1.0_dp/6.0_dp*(0.5_dp*(rhoa + rhoc)*uac + 0.5_dp*(rhob + rhoe)*ube) - sixth
          end do
          rhoFace = massbc
          massbc = massbc*ubc
          massac = massac*uac
          massbe = massbe*ube
          pa = prop(i-2*di, j-2*dj, k-2*dk, 2)
          pb = prop(i-di, j-dj, k-dk, 2)
          pc = prop(i, j, k, 2)
          pe = prop(i+di, j+dj, k+dk, 2)
          do m = 1, 3
            flux(i, j, k, ns+m) = &
              4.0_dp/3.0_dp*(massbc*(0.5_dp*(Q(i-di, j-dj, k-dk, m+2) + Q(i, j, k, m+2)))) &
              - 1.0_dp/6.0_dp*(massac*(0.5_dp*(Q(i-2*di, j-2*dj, k-2*dk, m+2) + Q(i, j, k, m+2))) &
                + massbe*(0.5_dp*(Q(i-di, j-dj, k-dk, m+2) + Q(i+di, j+dj, k+dk, m+2))))
          end do
          flux(i, j, k, ns+d) = flux(i, j, k, ns+d) + 4.0_dp/3.0_dp*(0.5_dp*(pb + pc)) &
            - 1.0_dp/6.0_dp*(0.5_dp*(pa + pc) + 0.5_dp*(pb + pe))

          rhoa = Q(i-2*di, j-2*dj, k-2*dk, 1)*Q(i-2*di, j-2*dj, k-2*dk, 2)
          rhob = Q(i-di, j-dj, k-dk, 1)*Q(i-di, j-dj, k-dk, 2)
          rhoc = Q(i, j, k, 1)*Q(i, j, k, 2)
          rhoe = Q(i+di, j+dj, k+dk, 1)*Q(i+di, j+dj, k+dk, 2)
          ebc = (0.5_dp*(rhob + rhoc) - 0.25_dp*ebc)*ubc &
            + 0.5_dp*(Q(i-di, j-dj, k-dk, d+2)*pc + Q(i, j, k, d+2)*pb)
          eac = (0.5_dp*(rhoa + rhoc) - 0.25_dp*eac)*uac &
            + 0.5_dp*(Q(i-2*di, j-2*dj, k-2*dk, d+2)*pc + Q(i, j, k, d+2)*pa)
          ebe = (0.5_dp*(rhob + rhoe) - 0.25_dp*ebe)*ube &
            + 0.5_dp*(Q(i-di, j-dj, k-dk, d+2)*pe + Q(i+di, j+dj, k+dk, d+2)*pb)
          total = 0.0_dp
          do m = 1, 3
            ebc = ebc + massbc*(0.5_dp*Q(i-di, j-dj, k-dk, m+2)*Q(i, j, k, m+2))
            eac = eac + massac*(0.5_dp*Q(i-2*di, j-2*dj, k-2*dk, m+2)*Q(i, j, k, m+2))
            ebe = ebe + massbe*(0.5_dp*Q(i-di, j-dj, k-dk, m+2)*Q(i+di, j+dj, k+dk, m+2))
            uFace = 0.5_dp*(Q(i-di, j-dj, k-dk, m+2) + Q(i, j, k, m+2))
            sixth = speed*(Q(i+2*di, j+2*dj, k+2*dk, m+2) - Q(i-3*di, j-3*dj, k-3*dk, m+2) &
                           - 5.0_dp*(Q(i+di, j+dj, k+dk, m+2) - Q(i-2*di, j-2*dj, k-2*dk, m+2)) &
                           + 10.0_dp*(Q(i, j, k, m+2) - Q(i-di, j-dj, k-dk, m+2)))
            momentum = uFace*away + rhoFace*sixth
            flux(i, j, k, ns+m) = flux(i, j, k, ns+m) - momentum
            total = total + uFace*(momentum - 0.5_dp*uFace*away)
          end do
          sixth = speed*(prop(i+2*di, j+2*dj, k+2*dk, 2) - prop(i-3*di, j-3*dj, k-3*dk, 2) &
                         - 5.0_dp*(pe - pa) + 10.0_dp*(pc - pb))
          total = total + gAway - 0.5_dp*(gb + gc)*sixth
          flux(i, j, k, ns+4) = 4.0_dp/3.0_dp*ebc - 1.0_dp/6.0_dp*(eac + ebe) - total
        end do
      end do
    end do
    !$bridge end rhsSysAdFlux
  end subroutine rhsSysAdFlux

  ! Derivatives of the velocity along a direction in the cells, and in the layers (lx, ly, lz)
  ! around them.
  subroutine rhsSysGradient(di, dj, dk, nx, ny, nz, fx, fy, fz, lx, ly, lz, perWidth, Q, gradient)
    integer, intent(in) :: di, dj, dk, nx, ny, nz, fx, fy, fz, lx, ly, lz
    real(dp), intent(in) :: perWidth                                         ! 1/m
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(inout) :: gradient(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3)
    integer :: i, j, k, m

    !$bridge begin rhsSysGradient
    do k = 1 - lz, nz + lz
      do j = 1 - ly, ny + ly
        do i = 1 - lx, nx + lx
          do m = 1, 3
            gradient(i, j, k, m) = 0.5_dp*perWidth &
              *(Q(i+di, j+dj, k+dk, m+2) - Q(i-di, j-dj, k-dk, m+2))
          end do
        end do
      end do
    end do
    !$bridge end rhsSysGradient
  end subroutine rhsSysGradient

  ! Take viscous stress, heat and diffusion off the fluxes through the low faces of direction d,
  ! second order. ga and gb are the derivatives along the other two directions, a and b.
  ! j_i = -rho D_im dY_i/dn + Y_i sum_k rho D_km dY_k/dn.
  subroutine rhsSysViscFlux(d, a, b, di, dj, dk, nx, ny, nz, fx, fy, fz, perWidth, Q, prop, &
                            ga, gb, flux)
    integer, intent(in) :: d, a, b, di, dj, dk, nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: perWidth                                         ! 1/m
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: prop(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3*ns+7)
    real(dp), intent(in) :: ga(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3)
    real(dp), intent(in) :: gb(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3)
    real(dp), intent(inout) :: flux(nx+di, ny+dj, nz+dk, ns+4)
    real(dp) :: eta, divergence, normal, stress, work, heat, rhoD, drift, carried
    integer :: i, j, k, s

    !$bridge begin rhsSysViscFlux
    do k = 1, nz + dk
      do j = 1, ny + dj
        do i = 1, nx + di
          eta = 0.5_dp*(prop(i-di, j-dj, k-dk, 6) + prop(i, j, k, 6))
          normal = perWidth*(Q(i, j, k, d+2) - Q(i-di, j-dj, k-dk, d+2))
          divergence = normal + 0.5_dp*(ga(i-di, j-dj, k-dk, a) + ga(i, j, k, a)) &
            + 0.5_dp*(gb(i-di, j-dj, k-dk, b) + gb(i, j, k, b))
          stress = eta*(2.0_dp*normal - 2.0_dp/3.0_dp*divergence)
          flux(i, j, k, ns+d) = flux(i, j, k, ns+d) - stress
          work = 0.5_dp*(Q(i-di, j-dj, k-dk, d+2) + Q(i, j, k, d+2))*stress
          stress = eta*(perWidth*(Q(i, j, k, a+2) - Q(i-di, j-dj, k-dk, a+2)) &
            + 0.5_dp*(ga(i-di, j-dj, k-dk, d) + ga(i, j, k, d)))
          flux(i, j, k, ns+a) = flux(i, j, k, ns+a) - stress
          work = work + 0.5_dp*(Q(i-di, j-dj, k-dk, a+2) + Q(i, j, k, a+2))*stress
          stress = eta*(perWidth*(Q(i, j, k, b+2) - Q(i-di, j-dj, k-dk, b+2)) &
            + 0.5_dp*(gb(i-di, j-dj, k-dk, d) + gb(i, j, k, d)))
          flux(i, j, k, ns+b) = flux(i, j, k, ns+b) - stress
          work = work + 0.5_dp*(Q(i-di, j-dj, k-dk, b+2) + Q(i, j, k, b+2))*stress
          heat = 0.5_dp*(prop(i-di, j-dj, k-dk, 7) + prop(i, j, k, 7)) &
            *(perWidth*(prop(i, j, k, 1) - prop(i-di, j-dj, k-dk, 1)))
          drift = 0.0_dp
          do s = 1, ns
            rhoD = 0.5_dp*(Q(i-di, j-dj, k-dk, 1)*prop(i-di, j-dj, k-dk, ns+7+s) &
                           + Q(i, j, k, 1)*prop(i, j, k, ns+7+s))
            drift = drift + rhoD*(perWidth*(Q(i, j, k, s+5) - Q(i-di, j-dj, k-dk, s+5)))
          end do
          do s = 1, ns
            rhoD = 0.5_dp*(Q(i-di, j-dj, k-dk, 1)*prop(i-di, j-dj, k-dk, ns+7+s) &
                           + Q(i, j, k, 1)*prop(i, j, k, ns+7+s))
            carried = 0.5_dp*(Q(i-di, j-dj, k-dk, s+5) + Q(i, j, k, s+5))*drift &
              - rhoD*(perWidth*(Q(i, j, k, s+5) - Q(i-di, j-dj, k-dk, s+5)))
            flux(i, j, k, s) = flux(i, j, k, s) + carried
            heat = heat - carried &
              *(0.5_dp*(prop(i-di, j-dj, k-dk, 2*ns+7+s) + prop(i, j, k, 2*ns+7+s)))
          end do
          flux(i, j, k, ns+4) = flux(i, j, k, ns+4) - (work + heat)
        end do
      end do
    end do
    !$bridge end rhsSysViscFlux
  end subroutine rhsSysViscFlux

  ! The fields of the cells as a step begins.
  subroutine stepSys3dKeep(nx, ny, nz, fx, fy, fz, U, last)
    integer, intent(in) :: nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: U(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(inout) :: last(nx, ny, nz, ns+5)
    integer :: i, j, k, m

    !$bridge begin stepSys3dKeep
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          do m = 1, ns + 5
            last(i, j, k, m) = U(i, j, k, m)
          end do
        end do
      end do
    end do
    !$bridge end stepSys3dKeep
  end subroutine stepSys3dKeep

  ! dU = keep dU - dt div(flux) along d: what a stage adds, by its fluxes in one direction.
  subroutine stepSys3dCalcGadd(di, dj, dk, nx, ny, nz, keep, dt, perWidth, flux, dU)
    integer, intent(in) :: di, dj, dk, nx, ny, nz
    real(dp), intent(in) :: keep, dt, perWidth
    real(dp), intent(in) :: flux(nx+di, ny+dj, nz+dk, ns+4)
    real(dp), intent(inout) :: dU(nx, ny, nz, ns+4)
    integer :: i, j, k, m

    !$bridge begin stepSys3dCalcGadd
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          do m = 1, ns + 4
            dU(i, j, k, m) = keep*dU(i, j, k, m) &
              - dt*perWidth*(flux(i+di, j+dj, k+dk, m) - flux(i, j, k, m))
          end do
        end do
      end do
    end do
    !$bridge end stepSys3dCalcGadd
  end subroutine stepSys3dCalcGadd

  ! U = U + part dU, and its temperature, the first guess of the next one. A cell whose state is
  ! none has no numbers from here on, so that a look at the end of a step finds it.
  subroutine stepSys3dUpdate(nx, ny, nz, fx, fy, fz, part, status, prop, dU, U)
    integer, intent(in) :: nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: part
    integer, intent(in) :: status(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz)
    real(dp), intent(in) :: prop(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3*ns+7)
    real(dp), intent(in) :: dU(nx, ny, nz, ns+4)
    real(dp), intent(inout) :: U(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp) :: taken
    integer :: i, j, k, m

    !$bridge begin stepSys3dUpdate
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          taken = merge(quietNaN(), part, iand(status(i, j, k), statusWrong) /= 0)
          do m = 1, ns + 4
            U(i, j, k, m) = U(i, j, k, m) + taken*dU(i, j, k, m)
          end do
          U(i, j, k, ns+5) = prop(i, j, k, 1)
        end do
      end do
    end do
    !$bridge end stepSys3dUpdate
  end subroutine stepSys3dUpdate

  ! The least time, s, in which sound crosses a part `courant` of a cell, and momentum, heat and
  ! species spread in it; perWidth is zero in a direction of one cell.
  subroutine timeStepLeast(nx, ny, nz, fx, fy, fz, courant, perX, perY, perZ, Q, prop, step)
    integer, intent(in) :: nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: courant, perX, perY, perZ
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: prop(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3*ns+7)
    real(dp), intent(inout) :: step
    real(dp) :: spread
    integer :: i, j, k, s

    !$bridge begin timeStepLeast
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          spread = max(4.0_dp/3.0_dp*prop(i, j, k, 6), prop(i, j, k, 7)/prop(i, j, k, 4))/Q(i, j, k, 1)
          do s = 1, ns
            spread = max(spread, prop(i, j, k, ns+7+s))
          end do
          step = min(step, courant/((abs(Q(i, j, k, 3)) + prop(i, j, k, 3))*perX &
            + (abs(Q(i, j, k, 4)) + prop(i, j, k, 3))*perY &
            + (abs(Q(i, j, k, 5)) + prop(i, j, k, 3))*perZ &
            + 2.0_dp*spread*(perX*perX + perY*perY + perZ*perZ)))
        end do
      end do
    end do
    !$bridge end timeStepLeast
  end subroutine timeStepLeast

  ! wrong becomes 1 if the state of a cell is none.
  subroutine statesWrong(nx, ny, nz, fx, fy, fz, status, wrong)
    integer, intent(in) :: nx, ny, nz, fx, fy, fz
    integer, intent(in) :: status(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz)
    real(dp), intent(inout) :: wrong
    integer :: i, j, k

    !$bridge begin statesWrong
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          wrong = max(wrong, merge(1.0_dp, 0.0_dp, iand(status(i, j, k), statusWrong) /= 0))
        end do
      end do
    end do
    !$bridge end statesWrong
  end subroutine statesWrong

end module fluxModule
