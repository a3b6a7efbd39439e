! Sides of the domain: U in the fringe of a block, from the cells beside it. Each side is loops of
! sidesModule, or with Offload = 'step' the kernels that they became.
module boundaryModule
  use useGENKindDefs, only: dp
  use caseModule, only: Offload, Pressure, Relaxation, Lengths, Energy
  use fluxModule, only: statusWrong
  use sidesModule
  use blocksModule
  use legacyPropertiesModule, only: legacyInlet, legacyOutlet
  use bridgePropertiesModule, only: bridgeInlet, bridgeOutlet
  use bridgeFlowModule, only: bridgeWall, bridgeThrough
  implicit none
  private
  public :: bcGeomResCalc, sideFault

  type :: plane
    real(dp), pointer :: U(:, :, :, :) => null()
  end type plane

contains

  ! Fill the fringe of a block at a side of the domain.
  subroutine bcGeomResCalc(b, d, side)
    type(block), intent(inout), target :: b
    integer, intent(in) :: d, side

    select case (sideOf(side, d))
    case ('inflow')
      call inflow(b)
    case ('outflow')
      call outflow(b)
    case ('slip', 'wall')
      call wall(b, d, side)
    end select
  end subroutine bcGeomResCalc

  ! At a wall the normal velocity is turned round, or all of it where nothing slips.
  subroutine wall(b, d, side)
    type(block), intent(inout), target :: b
    integer, intent(in) :: d, side
    type(plane) :: p(1-fringe:fringe)
    real(dp) :: turn(3)
    integer :: n(4), l

    turn = merge(1.0_dp, -1.0_dp, [1, 2, 3] /= d .and. sideOf(side, d) == 'slip')
    if (Offload == 'step') then
      call bridgeWall(b, d, side, turn)
      return
    end if
    do l = 1 - fringe, fringe
      p(l)%U => atPlane(b, planeOf(b, d, side, l, whole=.true.))
    end do
    n = shape(p(1)%U)
    call bcGeomWall(n(1), n(2), n(3), turn(1), turn(2), turn(3), p(1)%U, p(2)%U, p(3)%U, p(0)%U, &
                    p(-1)%U, p(-2)%U)
  end subroutine wall

  subroutine inflow(b)
    type(block), intent(inout), target :: b

    if (Offload == 'step') then
      call bridgeThrough(b, 1, 'flow_subin')
      call bridgeInlet(b)
      call bridgeThrough(b, 1, 'flow_fringe')
    else
      call bcGeomSubin(b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), b%prop(:, :, :, iP), &
                       b%through(1)%state)
      call legacyInlet(b)
      call fillFringe(b, 1, b%through(1)%state, b%through(1)%status)
    end if
  end subroutine inflow

  subroutine outflow(b)
    type(block), intent(inout), target :: b

    if (Offload == 'step') then
      call bridgeThrough(b, 2, 'flow_subout')
      call bridgeOutlet(b)
      call bridgeThrough(b, 2, 'flow_fringe')
      return
    end if
    associate (s => b%through(2)%state)
      call bcGeomSubout(b%n(1), b%n(1), b%n(1), b%n(2), b%n(3), f(1), f(2), f(3), h(1), Lengths(1), &
                        Relaxation, Pressure, b%U, b%Q, b%prop(:, :, :, iP), b%prop(:, :, :, iC), &
                        s(1:1, :, :, :), s(2:2, :, :, :), s(3:3, :, :, :))
      if (Energy == 'total') call legacyOutlet(b)
      call fillFringe(b, 2, s, b%through(2)%status)
    end associate
  end subroutine outflow

  ! U of the fringe from its states: an inflow has one plane of them for all of its layers.
  subroutine fillFringe(b, side, state, status)
    type(block), intent(inout), target :: b
    integer, intent(in) :: side
    real(dp), intent(in) :: state(:, :, :, :)
    integer, intent(in) :: status(:, :, :, :)
    type(plane) :: out(fringe)
    integer :: p(fringe), l, i

    do l = 1, fringe
      p(l) = min(l, size(state, 1))
      out(l)%U => atPlane(b, planeOf(b, 1, side, 1 - l, whole=.false.))
    end do
    i = merge(1, b%n(1), side == 1)
    call bcGeomFringe(1, b%n(2), b%n(3), state(p(1):p(1), :, :, :), state(p(2):p(2), :, :, :), &
      state(p(3):p(3), :, :, :), status(p(1):p(1), :, :, 1), status(p(2):p(2), :, :, 1), &
      status(p(3):p(3), :, :, 1), out(1)%U, out(2)%U, out(3)%U, &
      b%status(i:i, 1:b%n(2), 1:b%n(3), 1))
    if (Energy == 'total') return
    do l = 1, fringe
      out(l)%U(1, :, :, iEn) = state(p(l), :, :, jP)
    end do
  end subroutine fillFringe

  function atPlane(b, box) result(U)
    type(block), intent(in), target :: b
    integer, intent(in) :: box(6)
    real(dp), pointer :: U(:, :, :, :)
    U => b%U(box(1):box(2), box(3):box(4), box(5):box(6), :)
  end function atPlane

  ! The first state that the inflow or outflow of a block could not be given, for a message that is
  ! blank.
  subroutine sideFault(b, message)
    type(block), intent(in) :: b
    character(len=*), intent(inout) :: message
    integer :: side, j, k, l

    do side = 1, 2
      if (.not. associated(b%through(side)%state)) cycle
      do k = 1, b%n(3)
        do j = 1, b%n(2)
          do l = 1, size(b%through(side)%state, 1)
            associate (status => b%through(side)%status(l, j, k, 1), state => b%through(side)%state(l, j, k, :))
              if (len_trim(message) > 0 .or. iand(status, statusWrong) == 0) cycle
              write(message, '(a,i0,3a,3(1x,i0),2(a,es12.5))') 'status ', status, ' of the ', &
                trim(sideOf(side, 1)), ' beside cell', b%offset + [merge(1, b%n(1), side == 1), j, k], &
                ': rho ', state(jRho), ' kg/m3, P ', state(jP)
            end associate
          end do
        end do
      end do
    end do
  end subroutine sideFault

end module boundaryModule
