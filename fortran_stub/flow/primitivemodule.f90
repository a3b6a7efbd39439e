! Loops over a block for Update = 'primitive': a stage changes mass fractions, velocity, pressure and
! temperature in place of the conserved variables,
!
!   dW = Gamma^-1 dU,  Gamma = dU/dW,  W = Y, u, v, w, P, T
!
! as implicit and preconditioned solvers do. Gamma is made of rho_p, rho_T, rho_Yi, h_p, h_T, h_Yi
! (eosGammaJacobianProperties). What is conserved is so to the order of the scheme alone.
module primitiveModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  implicit none
  private
  public :: rhsSysGammaInverse, stepSys3dUpdatePrimitive, stepSys3dConserved

contains

  ! dW = keep dW + Gamma^-1 dU. jacobian: rho_p, rho_T, h_p, h_T, total enthalpy, rho_Yi, h_Yi.
  subroutine rhsSysGammaInverse(nx, ny, nz, fx, fy, fz, keep, Q, jacobian, dU, dW)
    integer, intent(in) :: nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: keep
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: jacobian(nx, ny, nz, 2*ns+6)
    real(dp), intent(in) :: dU(nx, ny, nz, ns+4)
    real(dp), intent(inout) :: dW(nx, ny, nz, ns+5)
    real(dp) :: rho, dRho, mass, energy, change, rhoHp, rhoHT, determinant
    integer :: i, j, k, m, s

    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          rho = Q(i, j, k, 1)
          dRho = 0.0_dp
          do s = 1, ns
            dRho = dRho + dU(i, j, k, s)
          end do
          ! What is left of both for dP and dT.
          mass = dRho
          energy = dU(i, j, k, ns+4) - jacobian(i, j, k, 5)*dRho
          do s = 1, ns
            change = (dU(i, j, k, s) - Q(i, j, k, s+5)*dRho)/rho
            mass = mass - jacobian(i, j, k, s+5)*change
            energy = energy - rho*jacobian(i, j, k, ns+5+s)*change
            dW(i, j, k, s) = keep*dW(i, j, k, s) + change
          end do
          do m = 1, 3
            change = (dU(i, j, k, ns+m) - Q(i, j, k, m+2)*dRho)/rho
            energy = energy - rho*Q(i, j, k, m+2)*change
            dW(i, j, k, ns+m) = keep*dW(i, j, k, ns+m) + change
          end do
          rhoHp = rho*jacobian(i, j, k, 3) - 1.0_dp
          rhoHT = rho*jacobian(i, j, k, 4)
          determinant = jacobian(i, j, k, 1)*rhoHT - jacobian(i, j, k, 2)*rhoHp
          dW(i, j, k, ns+4) = keep*dW(i, j, k, ns+4) &
            + (mass*rhoHT - jacobian(i, j, k, 2)*energy)/determinant
          dW(i, j, k, ns+5) = keep*dW(i, j, k, ns+5) &
            + (jacobian(i, j, k, 1)*energy - rhoHp*mass)/determinant
        end do
      end do
    end do
  end subroutine rhsSysGammaInverse

  ! W = the state of the cells + part dW.
  subroutine stepSys3dUpdatePrimitive(nx, ny, nz, fx, fy, fz, part, Q, prop, dW, W)
    integer, intent(in) :: nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: part
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: prop(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, 3*ns+7)
    real(dp), intent(in) :: dW(nx, ny, nz, ns+5)
    real(dp), intent(inout) :: W(nx, ny, nz, ns+7)
    integer :: i, j, k, m, s

    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          do s = 1, ns
            W(i, j, k, s) = Q(i, j, k, s+5) + part*dW(i, j, k, s)
          end do
          do m = 1, 3
            W(i, j, k, ns+m) = Q(i, j, k, m+2) + part*dW(i, j, k, ns+m)
          end do
          W(i, j, k, ns+4) = prop(i, j, k, 2) + part*dW(i, j, k, ns+4)
          W(i, j, k, ns+5) = prop(i, j, k, 1) + part*dW(i, j, k, ns+5)
        end do
      end do
    end do
  end subroutine stepSys3dUpdatePrimitive

  ! U of W, whose last two components are its density and enthalpy.
  subroutine stepSys3dConserved(nx, ny, nz, fx, fy, fz, W, U)
    integer, intent(in) :: nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: W(nx, ny, nz, ns+7)
    real(dp), intent(inout) :: U(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp) :: rho, kinetic
    integer :: i, j, k, m, s

    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          rho = W(i, j, k, ns+6)
          kinetic = 0.0_dp
          do s = 1, ns
            U(i, j, k, s) = rho*W(i, j, k, s)
          end do
          do m = 1, 3
            U(i, j, k, ns+m) = rho*W(i, j, k, ns+m)
            kinetic = kinetic + 0.5_dp*W(i, j, k, ns+m)**2
          end do
          U(i, j, k, ns+4) = rho*(W(i, j, k, ns+7) + kinetic) - W(i, j, k, ns+4)
          U(i, j, k, ns+5) = W(i, j, k, ns+5)
        end do
      end do
    end do
  end subroutine stepSys3dConserved

end module primitiveModule
