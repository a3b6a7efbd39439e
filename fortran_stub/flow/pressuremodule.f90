! Loops over a block for the flow whose pressure has an equation of its own (Energy = 'pressure'):
!
!   dP/dt = -u . grad P - rho c^2 div u + p_rhoe (what adds internal energy) + sum p_rhoi (div j_i)
!
! Pressure then stays in balance through layers too thin for the conservation of energy, whose
! drift is printed (Terashima and Koshi 2012). As fluxModule, made of nests over points.
module pressureModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  implicit none
  private
  public :: rhsTimePrimitivesP, rhsSysPressureChange, rhsSysPressureFlux, rhsSysPressureCarried

contains

  ! Q = rho, u, v, w, Y from U = rho_i, rho u, rho v, rho w, P, T0, in a box of points.
  subroutine rhsTimePrimitivesP(i1, i2, j1, j2, k1, k2, nx, ny, nz, fx, fy, fz, U, Q)
    integer, intent(in) :: i1, i2, j1, j2, k1, k2, nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: U(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(inout) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp) :: rho
    integer :: i, j, k, s

    do k = k1, k2
      do j = j1, j2
        do i = i1, i2
          rho = 0.0_dp
          do s = 1, ns
            rho = rho + U(i, j, k, s)
          end do
          Q(i, j, k, 1) = rho
          Q(i, j, k, 3) = U(i, j, k, ns+1)/rho
          Q(i, j, k, 4) = U(i, j, k, ns+2)/rho
          Q(i, j, k, 5) = U(i, j, k, ns+3)/rho
          do s = 1, ns
            Q(i, j, k, s+5) = U(i, j, k, s)/rho
          end do
        end do
      end do
    end do
  end subroutine rhsTimePrimitivesP

  ! dU = keep dU + change, the change of total energy turned into one of pressure.
  subroutine rhsSysPressureChange(nx, ny, nz, fx, fy, fz, keep, Q, prop, change, dU)
    integer, intent(in) :: nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: keep
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: prop(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3*ns+7)
    real(dp), intent(in) :: change(nx, ny, nz, ns+4)
    real(dp), intent(inout) :: dU(nx, ny, nz, ns+4)
    real(dp) :: energy, pressure
    integer :: i, j, k, m, s

    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          energy = change(i, j, k, ns+4)
          do m = 1, 3
            energy = energy - Q(i, j, k, m+2)*change(i, j, k, ns+m)
            dU(i, j, k, ns+m) = keep*dU(i, j, k, ns+m) + change(i, j, k, ns+m)
          end do
          pressure = prop(i, j, k, 5)*energy
          do s = 1, ns
            pressure = pressure + prop(i, j, k, s+7)*change(i, j, k, s)
            dU(i, j, k, s) = keep*dU(i, j, k, s) + change(i, j, k, s)
          end do
          dU(i, j, k, ns+4) = keep*dU(i, j, k, ns+4) + pressure
        end do
      end do
    end do
  end subroutine rhsSysPressureChange

  ! The last flux through the low faces of direction d: the dissipation of the pressure alone.
  subroutine rhsSysPressureFlux(d, di, dj, dk, nx, ny, nz, fx, fy, fz, kappa, Q, prop, flux)
    integer, intent(in) :: d, di, dj, dk, nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: kappa
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: prop(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3*ns+7)
    real(dp), intent(inout) :: flux(nx+di, ny+dj, nz+dk, ns+4)
    real(dp) :: speed
    integer :: i, j, k

    do k = 1, nz + dk
      do j = 1, ny + dj
        do i = 1, nx + di
          speed = kappa*max(abs(Q(i-di, j-dj, k-dk, d+2)) + prop(i-di, j-dj, k-dk, 3), &
                            abs(Q(i, j, k, d+2)) + prop(i, j, k, 3))
          flux(i, j, k, ns+4) = -speed*(prop(i+2*di, j+2*dj, k+2*dk, 2) - prop(i-3*di, j-3*dj, k-3*dk, 2) &
            - 5.0_dp*(prop(i+di, j+dj, k+dk, 2) - prop(i-2*di, j-2*dj, k-2*dk, 2)) &
            + 10.0_dp*(prop(i, j, k, 2) - prop(i-di, j-dj, k-dk, 2)))
        end do
      end do
    end do
  end subroutine rhsSysPressureFlux

  ! -dt (u dP/dx + rho c^2 du/dx) along d, fourth order.
  subroutine rhsSysPressureCarried(d, di, dj, dk, nx, ny, nz, fx, fy, fz, dtPerWidth, Q, prop, dU)
    integer, intent(in) :: d, di, dj, dk, nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: dtPerWidth
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: prop(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3*ns+7)
    real(dp), intent(inout) :: dU(nx, ny, nz, ns+4)
    real(dp) :: changeP, changeU
    integer :: i, j, k

    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          changeP = 2.0_dp/3.0_dp*(prop(i+di, j+dj, k+dk, 2) - prop(i-di, j-dj, k-dk, 2)) &
            - 1.0_dp/12.0_dp*(prop(i+2*di, j+2*dj, k+2*dk, 2) - prop(i-2*di, j-2*dj, k-2*dk, 2))
          changeU = 2.0_dp/3.0_dp*(Q(i+di, j+dj, k+dk, d+2) - Q(i-di, j-dj, k-dk, d+2)) &
            - 1.0_dp/12.0_dp*(Q(i+2*di, j+2*dj, k+2*dk, d+2) - Q(i-2*di, j-2*dj, k-2*dk, d+2))
          dU(i, j, k, ns+4) = dU(i, j, k, ns+4) - dtPerWidth &
            *(Q(i, j, k, d+2)*changeP + Q(i, j, k, 1)*prop(i, j, k, 3)*prop(i, j, k, 3)*changeU)
        end do
      end do
    end do
  end subroutine rhsSysPressureCarried

end module pressureModule
