! The loops at the sides of the domain, over a plane of cells: as those of fluxModule a compiler and
! `bridge port` take them as they stand. in1, in2, in3 are planes of U inside, the one beside the
! side first, and out1, out2, out3 those of its fringe; state1, state2, state3 are states of the
! fringe: rho, P, u, v, w, Y, h, T.
module sidesModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns
  use fluxModule, only: statusWrong
  implicit none
  private
  public :: bcGeomWall, bcGeomSubin, bcGeomSubout, bcGeomFringe

contains

  ! A wall without heat: the cells behind it are those before it with a velocity turned round; the
  ! factors of its components are 1 or -1.
  subroutine bcGeomWall(nx, ny, nz, turnX, turnY, turnZ, in1, in2, in3, out1, out2, out3)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: turnX, turnY, turnZ
    real(dp), dimension(nx, ny, nz, ns+5), intent(in) :: in1, in2, in3
    real(dp), dimension(nx, ny, nz, ns+5), intent(inout) :: out1, out2, out3
    real(dp) :: turn
    integer :: i, j, k, m

    !$bridge begin bcGeomWall
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          do m = 1, ns + 5
            turn = 1.0_dp
            if (m == ns + 1) turn = turnX
            if (m == ns + 2) turn = turnY
            if (m == ns + 3) turn = turnZ
            out1(i, j, k, m) = turn*in1(i, j, k, m)
            out2(i, j, k, m) = turn*in2(i, j, k, m)
            out3(i, j, k, m) = turn*in3(i, j, k, m)
          end do
        end do
      end do
    end do
    !$bridge end bcGeomWall
  end subroutine bcGeomWall

  ! Subsonic inflow at low x: velocity, enthalpy and mass fractions of the state are given; the
  ! pressure is that of the first cell.
  subroutine bcGeomSubin(nx, ny, nz, fx, fy, fz, P, state1)
    integer, intent(in) :: nx, ny, nz, fx, fy, fz
    real(dp), intent(in) :: P(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz)
    real(dp), intent(inout) :: state1(1, ny, nz, ns+7)
    integer :: i, j, k

    !$bridge begin bcGeomSubin
    do k = 1, nz
      do j = 1, ny
        do i = 1, 1
          state1(i, j, k, 2) = P(i, j, k)
        end do
      end do
    end do
    !$bridge end bcGeomSubin
  end subroutine bcGeomSubin

  ! Subsonic outflow at high x, by characteristics (Poinsot and Lele 1992; the fringe continues
  ! their gradients, Motheau, Almgren and Bell 2017). Waves that leave have the gradients of the
  ! last cells; the one that comes in brings the pressure slowly to `ambient`.
  subroutine bcGeomSubout(i1, i2, nx, ny, nz, fx, fy, fz, width, length, relaxation, ambient, U, Q, P, c, &
                          state1, state2, state3)
    integer, intent(in) :: i1, i2, nx, ny, nz, fx, fy, fz       ! i1 = i2 = nx: the last cell
    real(dp), intent(in) :: width, length, relaxation, ambient     ! m of a cell, of the domain; 1; Pa
    real(dp), intent(in) :: U(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), intent(in) :: Q(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz, ns+5)
    real(dp), dimension(1-fx:nx+fx, 1-fy:ny+fy, 1-fz:nz+fz), intent(in) :: P, c
    real(dp), dimension(i1:i2, ny, nz, ns+7), intent(inout) :: state1, state2, state3
    real(dp) :: last(5), slope(5), dp1, dY, slopeP, slopeU, slopeRho, speed, sound, rho
    real(dp) :: leaving, coming, part, part1, part2, part3
    integer :: i, j, k, m, s

    !$bridge begin bcGeomSubout
    do k = 1, nz
      do j = 1, ny
        do i = i1, i2
          do m = 1, 5
            last(m) = Q(i, j, k, m)
            slope(m) = (1.5_dp*Q(i, j, k, m) - 2.0_dp*Q(i-1, j, k, m) + 0.5_dp*Q(i-2, j, k, m))/width
          end do
          rho = last(1)
          speed = last(3)
          sound = c(i, j, k)
          dp1 = (1.5_dp*P(i, j, k) - 2.0_dp*P(i-1, j, k) + 0.5_dp*P(i-2, j, k))/width
          leaving = dp1 + rho*sound*slope(3)
          coming = relaxation*(1.0_dp - min((speed/sound)*(speed/sound), 1.0_dp)) &
            *sound/length*(P(i, j, k) - ambient)/(speed - sound)
          slopeP = 0.5_dp*(leaving + coming)
          slopeU = 0.5_dp*(leaving - coming)/(rho*sound)
          slopeRho = slope(1) + (slopeP - dp1)/(sound*sound)
          ! Where the stream comes back, or a front passes, the fringe has the last cell's matter.
          part = merge(0.0_dp, 1.0_dp, speed < 0.0_dp .or. abs(slopeRho)*3.0_dp*width > 0.2_dp*rho)
          part1 = part
          part2 = part
          part3 = part
          do s = 1, ns
            dY = Q(i, j, k, s+5) - Q(i-1, j, k, s+5)
            part1 = merge(0.0_dp, part1, Q(i, j, k, s+5) + part*dY < 0.0_dp)
            part2 = merge(0.0_dp, part2, Q(i, j, k, s+5) + 2.0_dp*part*dY < 0.0_dp)
            part3 = merge(0.0_dp, part3, Q(i, j, k, s+5) + 3.0_dp*part*dY < 0.0_dp)
          end do
          do s = 1, ns
            dY = Q(i, j, k, s+5) - Q(i-1, j, k, s+5)
            state1(i, j, k, s+5) = Q(i, j, k, s+5) + part1*dY
            state2(i, j, k, s+5) = Q(i, j, k, s+5) + 2.0_dp*part2*dY
            state3(i, j, k, s+5) = Q(i, j, k, s+5) + 3.0_dp*part3*dY
          end do
          last(2) = P(i, j, k)
          slope(1) = part*slopeRho
          slope(2) = slopeP
          slope(3) = slopeU
          slope(4) = part*slope(4)
          slope(5) = part*slope(5)
          do m = 1, 5
            state1(i, j, k, m) = last(m) + width*slope(m)
            state2(i, j, k, m) = last(m) + 2.0_dp*width*slope(m)
            state3(i, j, k, m) = last(m) + 3.0_dp*width*slope(m)
          end do
          ! The enthalpy comes from the equation of state.
          state1(i, j, k, ns+6) = 0.0_dp
          state2(i, j, k, ns+6) = 0.0_dp
          state3(i, j, k, ns+6) = 0.0_dp
          state1(i, j, k, ns+7) = U(i, j, k, ns+5)
          state2(i, j, k, ns+7) = U(i, j, k, ns+5)
          state3(i, j, k, ns+7) = U(i, j, k, ns+5)
        end do
      end do
    end do
    !$bridge end bcGeomSubout
  end subroutine bcGeomSubout

  ! U of the fringe from its states. found1, found2, found3: what their status was; a state that is
  ! none counts for the cell beside it.
  subroutine bcGeomFringe(nx, ny, nz, state1, state2, state3, found1, found2, found3, out1, out2, &
                          out3, status)
    integer, intent(in) :: nx, ny, nz
    real(dp), dimension(nx, ny, nz, ns+7), intent(in) :: state1, state2, state3
    integer, dimension(nx, ny, nz), intent(in) :: found1, found2, found3
    real(dp), dimension(nx, ny, nz, ns+5), intent(inout) :: out1, out2, out3
    integer, intent(inout) :: status(nx, ny, nz)
    integer :: i, j, k, m

    !$bridge begin bcGeomFringe
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          do m = 1, ns
            out1(i, j, k, m) = state1(i, j, k, 1)*state1(i, j, k, m+5)
            out2(i, j, k, m) = state2(i, j, k, 1)*state2(i, j, k, m+5)
            out3(i, j, k, m) = state3(i, j, k, 1)*state3(i, j, k, m+5)
          end do
          do m = 1, 3
            out1(i, j, k, m+ns) = state1(i, j, k, 1)*state1(i, j, k, m+2)
            out2(i, j, k, m+ns) = state2(i, j, k, 1)*state2(i, j, k, m+2)
            out3(i, j, k, m+ns) = state3(i, j, k, 1)*state3(i, j, k, m+2)
          end do
          out1(i, j, k, ns+4) = state1(i, j, k, 1)*(state1(i, j, k, ns+6) &
            + 0.5_dp*(state1(i, j, k, 3)*state1(i, j, k, 3) + state1(i, j, k, 4)*state1(i, j, k, 4) &
                      + state1(i, j, k, 5)*state1(i, j, k, 5))) - state1(i, j, k, 2)
          out2(i, j, k, ns+4) = state2(i, j, k, 1)*(state2(i, j, k, ns+6) &
            + 0.5_dp*(state2(i, j, k, 3)*state2(i, j, k, 3) + state2(i, j, k, 4)*state2(i, j, k, 4) &
                      + state2(i, j, k, 5)*state2(i, j, k, 5))) - state2(i, j, k, 2)
          out3(i, j, k, ns+4) = state3(i, j, k, 1)*(state3(i, j, k, ns+6) &
            + 0.5_dp*(state3(i, j, k, 3)*state3(i, j, k, 3) + state3(i, j, k, 4)*state3(i, j, k, 4) &
                      + state3(i, j, k, 5)*state3(i, j, k, 5))) - state3(i, j, k, 2)
          out1(i, j, k, ns+5) = state1(i, j, k, ns+7)
          out2(i, j, k, ns+5) = state2(i, j, k, ns+7)
          out3(i, j, k, ns+5) = state3(i, j, k, ns+7)
          status(i, j, k) = ior(status(i, j, k), iand(statusWrong, &
            ior(found1(i, j, k), ior(found2(i, j, k), found3(i, j, k)))))
        end do
      end do
    end do
    !$bridge end bcGeomFringe
  end subroutine bcGeomFringe

end module sidesModule
