! The loops of a legacy code: an explicit step of a gas along x, in two loops over whole blocks.
module gasLoops
  implicit none
  integer, parameter :: nx = 24, ny = 16, nz = 12, f = 2               ! f: width of the fringe
  double precision, parameter :: gamma = 1.4d0, dtdx = 2.0d-4          ! s/m

contains

  ! Flux through the faces between cells i-1 and i: central, with scalar dissipation.
  subroutine faceFlux(q, flux)
    double precision, intent(in) :: q(1-f:nx+f, 1-f:ny+f, 1-f:nz+f, 5)
    double precision, intent(out) :: flux(nx+1, ny, nz, 5)
    double precision :: l(5), r(5), ul, ur, pl, pr, a
    integer :: i, j, k

    do k = 1, nz
      do j = 1, ny
        do i = 1, nx + 1
          l = q(i-1, j, k, :)
          r = q(i, j, k, :)
          ul = l(2)/l(1)
          ur = r(2)/r(1)
          pl = (gamma - 1.0d0)*(l(5) - 0.5d0*(l(2)**2 + l(3)**2 + l(4)**2)/l(1))
          pr = (gamma - 1.0d0)*(r(5) - 0.5d0*(r(2)**2 + r(3)**2 + r(4)**2)/r(1))
          a = max(abs(ul) + sqrt(gamma*pl/l(1)), abs(ur) + sqrt(gamma*pr/r(1)))
          flux(i, j, k, :) = 0.5d0*(ul*l + ur*r - a*(r - l))
          flux(i, j, k, 2) = flux(i, j, k, 2) + 0.5d0*(pl + pr)
          flux(i, j, k, 5) = flux(i, j, k, 5) + 0.5d0*(ul*pl + ur*pr)
        end do
      end do
    end do
  end subroutine faceFlux

  ! A time step of the cells, in place.
  subroutine advance(q, flux)
    double precision, intent(inout) :: q(1-f:nx+f, 1-f:ny+f, 1-f:nz+f, 5)
    double precision, intent(in) :: flux(nx+1, ny, nz, 5)
    integer :: i, j, k, m

    do m = 1, 5
      do k = 1, nz
        do j = 1, ny
          do i = 1, nx
            q(i, j, k, m) = q(i, j, k, m) - dtdx*(flux(i+1, j, k, m) - flux(i, j, k, m))
          end do
        end do
      end do
    end do
  end subroutine advance

  ! A periodic block.
  subroutine fillFringes(q)
    double precision, intent(inout) :: q(1-f:nx+f, 1-f:ny+f, 1-f:nz+f, 5)
    q(1-f:0, :, :, :) = q(nx+1-f:nx, :, :, :)
    q(nx+1:nx+f, :, :, :) = q(1:f, :, :, :)
  end subroutine fillFringes

end module gasLoops
