! Sides of the domain: U in the fringe of a block, from the cells beside it.
module boundaryModule
  use useGENKindDefs, only: dp
  use caseModule, only: Pressure, Relaxation, Lengths, Energy
  use speciesModule, only: ns
  use preosModule, only: prEOSCalcTFromHP
  use preosDensityModule, only: prEOSCalcTFromRhoP
  use fluxModule, only: statusWrong
  use blocksModule
  implicit none
  private
  public :: bcGeomResCalc

  ! The first state that an inflow or outflow could not be given, for who checks the states next.
  character(len=200), public :: sideFault = ' '

contains

  ! Fill the fringe of a block at a side of the domain.
  subroutine bcGeomResCalc(b, d, side)
    type(block), intent(inout) :: b
    integer, intent(in) :: d, side

    select case (sideOf(side, d))
    case ('inflow')
      call bcGeomSubin(b)
    case ('outflow')
      call bcGeomSubout(b)
    case ('slip')
      call bcGeomWall(b, d, side, slips=.true.)
    case ('wall')
      call bcGeomWall(b, d, side, slips=.false.)
    end select
  end subroutine bcGeomResCalc

  ! A wall without heat: the cells behind it are those before it with the normal velocity turned
  ! round, or the whole velocity where nothing slips.
  subroutine bcGeomWall(b, d, side, slips)
    type(block), intent(inout) :: b
    integer, intent(in) :: d, side
    logical, intent(in) :: slips
    real(dp) :: turn(nU)
    integer :: i, j, k, layer, from(3), to(3), first(3), last(3)

    turn = 1.0_dp
    if (.not. slips) turn(iMx:iMx + 2) = -1.0_dp
    turn(iMx + d - 1) = -1.0_dp
    first = 1 - f
    last = b%n + f
    do layer = 1, f(d)
      first(d) = merge(1 - layer, b%n(d) + layer, side == 1)
      last(d) = first(d)
      do k = first(3), last(3)
        do j = first(2), last(2)
          do i = first(1), last(1)
            to = [i, j, k]
            from = to
            from(d) = merge(layer, b%n(d) + 1 - layer, side == 1)
            b%U(to(1), to(2), to(3), :) = turn*b%U(from(1), from(2), from(3), :)
          end do
        end do
      end do
    end do
  end subroutine bcGeomWall

  ! Subsonic inflow at low x: velocity, enthalpy and mass fractions given, the pressure that of
  ! the first cell.
  subroutine bcGeomSubin(b)
    type(block), intent(inout) :: b
    real(dp) :: hIn, T, P, rho, U(nU)
    integer :: i, j, k, iterations, status

    do k = 1, b%n(3)
      do j = 1, b%n(2)
        hIn = b%inlet(j, k, 1)
        P = b%prop(1, j, k, iP)
        call prEOSCalcTFromHP(hIn, P, b%inlet(j, k, 5:), b%U(1, j, k, iT0), T, rho, iterations, status)
        call noteFault('inflow', b, [1, j, k], status, P, rho)
        U(:ns) = rho*b%inlet(j, k, 5:)
        U(iMx:iMx + 2) = rho*b%inlet(j, k, 2:4)
        U(iEn) = rho*(hIn + 0.5_dp*sum(b%inlet(j, k, 2:4)**2)) - P
        if (Energy == 'pressure') U(iEn) = P
        U(iT0) = T
        do i = 1 - f(1), 0
          b%U(i, j, k, :) = U
        end do
      end do
    end do
  end subroutine bcGeomSubin

  ! Subsonic outflow at high x, by characteristics (Poinsot and Lele 1992; the fringe continues
  ! their gradients, Motheau, Almgren and Bell 2017). Waves that leave have the gradients of the
  ! last cells; the one that comes in brings the pressure slowly to that of the case.
  subroutine bcGeomSubout(b)
    type(block), intent(inout) :: b
    real(dp) :: dp1, du(3), drho, dY(ns), slopeP, slopeU, slopeRho, u, c, rho, leaving, coming
    real(dp) :: P, rhoOut, velocity(3), fractions(ns), T, hOut, part
    integer :: n, j, k, layer, status

    n = b%n(1)
    do k = 1, b%n(3)
      do j = 1, b%n(2)
        u = b%Q(n, j, k, iU)
        c = b%prop(n, j, k, iC)
        rho = b%Q(n, j, k, iRho)
        dp1 = oneSided(b%prop(n-2:n, j, k, iP))
        drho = oneSided(b%Q(n-2:n, j, k, iRho))
        du = [oneSided(b%Q(n-2:n, j, k, iU)), oneSided(b%Q(n-2:n, j, k, iU + 1)), &
              oneSided(b%Q(n-2:n, j, k, iU + 2))]
        leaving = dp1 + rho*c*du(1)
        coming = Relaxation*(1.0_dp - min((u/c)**2, 1.0_dp))*c/Lengths(1) &
                 *(b%prop(n, j, k, iP) - Pressure)/(u - c)
        slopeP = 0.5_dp*(leaving + coming)
        slopeU = 0.5_dp*(leaving - coming)/(rho*c)
        slopeRho = drho + (slopeP - dp1)/c**2
        dY = b%Q(n, j, k, iY:nQ) - b%Q(n-1, j, k, iY:nQ)
        ! Where the stream comes back, or a front passes, the fringe has the last cell's matter.
        part = 1.0_dp
        if (u < 0.0_dp .or. abs(slopeRho)*f(1)*h(1) > 0.2_dp*rho) part = 0.0_dp
        do layer = 1, f(1)
          P = b%prop(n, j, k, iP) + layer*h(1)*slopeP
          rhoOut = rho + part*layer*h(1)*slopeRho
          velocity = b%Q(n, j, k, iU:iU + 2) + part*layer*h(1)*du
          velocity(1) = u + layer*h(1)*slopeU
          fractions = b%Q(n, j, k, iY:nQ) + part*layer*dY
          if (any(fractions < 0.0_dp)) fractions = b%Q(n, j, k, iY:nQ)
          b%U(n + layer, j, k, :ns) = rhoOut*fractions
          b%U(n + layer, j, k, iMx:iMx + 2) = rhoOut*velocity
          b%U(n + layer, j, k, iEn) = P
          b%U(n + layer, j, k, iT0) = b%U(n, j, k, iT0)
          if (Energy == 'pressure') cycle
          call prEOSCalcTFromRhoP(rhoOut, P, fractions, T, hOut, status)
          call noteFault('outflow', b, [n, j, k], status, P, rhoOut)
          b%U(n + layer, j, k, iEn) = rhoOut*(hOut + 0.5_dp*sum(velocity**2)) - P
        end do
      end do
    end do
  end subroutine bcGeomSubout

  subroutine noteFault(kind, b, cell, status, P, rho)
    character(len=*), intent(in) :: kind
    type(block), intent(in) :: b
    integer, intent(in) :: cell(3), status
    real(dp), intent(in) :: P, rho

    if (iand(status, statusWrong) == 0 .or. len_trim(sideFault) > 0) return
    write(sideFault, '(a,i0,3a,3(1x,i0),2(a,es12.5))') 'status ', status, ' of the ', kind, &
      ' beside cell', b%offset + cell, ': rho ', rho, ' kg/m3, P ', P
  end subroutine noteFault

  ! Derivative at the last of three cells, second order.
  pure real(dp) function oneSided(q)
    real(dp), intent(in) :: q(3)
    oneSided = (1.5_dp*q(3) - 2.0_dp*q(2) + 0.5_dp*q(1))/h(1)
  end function oneSided

end module boundaryModule
