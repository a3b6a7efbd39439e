! The flows of the cases: the state at a place as the run begins, and at an inflow for ever.
module flowsModule
  use useGENKindDefs, only: dp
  use caseModule, streamVelocity => Velocity, streamY => Y
  use speciesModule, only: ns
  use statusModule, only: statusMultiRoot, isFatal
  use preosModule, only: prEOSRhohFromTPprop
  use preosDensityModule, only: prEOSCalcTFromRhoP
  use eosModule, only: eosThermalProperties
  use blocksModule
  implicit none
  private
  public :: flowBegin, flowInlet, flowCheck, conserved

  real(dp), parameter :: pi = 3.14159265358979323846_dp

  ! Temperature and pressure of a vortex in balance, at equal steps of its radius.
  integer, parameter :: nRadii = 4000
  real(dp) :: radiusStep = 0.0_dp, vortexT(0:nRadii) = 0.0_dp, vortexP(0:nRadii) = 0.0_dp

contains

  ! The stream, and where the flow has two sides or products every mixture of them, must be a
  ! valid state with one root of the cubic, so that the density has no jump.
  subroutine flowCheck(message)
    character(len=*), intent(out) :: message
    integer, parameter :: n = 24
    real(dp) :: T, P, velocity(3), fractions(ns), rho, enthalpy
    integer :: i, j, status

    message = ' '
    do j = 0, merge(n, 0, ProductShare > 0.0_dp)
      do i = 0, merge(n, 0, any(Flow == ['layer', 'tube ', 'jet  ']))
        call mixSides(real(i, dp)/n, ProductShare*j/n, T, P, velocity, fractions)
        call prEOSRhohFromTPprop(T, P, fractions, rho, enthalpy, status)
        if (isFatal(status)) message = 'a mixture of both sides is no valid state'
        if (iand(status, statusMultiRoot) /= 0) write(message, '(a,f8.2,a)') &
          'a mixture of both sides has two densities (MULTI_ROOT) at ', T, &
          ' K: choose other sides or a higher pressure'
      end do
    end do
  end subroutine flowCheck

  subroutine flowBegin
    integer :: b, i, j, k
    real(dp) :: T, P, velocity(3), fractions(ns)

    if (Flow == 'vortex') call balanceVortex
    do b = 1, size(own)
      associate (me => own(b))
        do k = 1, me%n(3)
          do j = 1, me%n(2)
            do i = 1, me%n(1)
              call stateAt(centre(me, 1, i), centre(me, 2, j), centre(me, 3, k), T, P, velocity, &
                           fractions)
              me%U(i, j, k, :) = [conserved(T, P, velocity, fractions), T]
            end do
          end do
        end do
      end associate
      call flowInlet(own(b))
    end do
  end subroutine flowBegin

  ! What comes in beside the cells that a block has now.
  subroutine flowInlet(b)
    type(block), intent(inout) :: b
    real(dp) :: T, P, velocity(3), fractions(ns), rho, hIn
    integer :: j, k, status

    if (.not. associated(b%through(1)%state)) return
    do k = 1, b%n(3)
      do j = 1, b%n(2)
        call stateAt(0.0_dp, centre(b, 2, j), centre(b, 3, k), T, P, velocity, fractions)
        call prEOSRhohFromTPprop(T, P, fractions, rho, hIn, status)
        b%through(1)%state(1, j, k, jU:jU + 2) = velocity
        b%through(1)%state(1, j, k, iY:nQ) = fractions
        b%through(1)%state(1, j, k, jH) = hIn
      end do
    end do
  end subroutine flowInlet

  pure real(dp) function centre(b, d, i)
    type(block), intent(in) :: b
    integer, intent(in) :: d, i
    centre = (b%offset(d) + i - 0.5_dp)*h(d)
  end function centre

  ! U of a state. With Energy = 'pressure' its last component is the pressure.
  pure function conserved(T, P, velocity, fractions) result(U)
    real(dp), intent(in) :: T, P, velocity(3), fractions(ns)
    real(dp) :: U(ns + 4), rho, enthalpy
    integer :: status

    call prEOSRhohFromTPprop(T, P, fractions, rho, enthalpy, status)
    U = [rho*fractions, rho*velocity, rho*(enthalpy + 0.5_dp*sum(velocity**2)) - P]
    if (Energy == 'pressure') U(ns + 4) = P
  end function conserved

  ! Temperature, pressure, velocity and mass fractions at a place.
  subroutine stateAt(x, y, z, T, P, velocity, fractions)
    real(dp), intent(in) :: x, y, z
    real(dp), intent(out) :: T, P, velocity(3), fractions(ns)
    real(dp) :: rho, enthalpy, other, r, swirl, mode, low, high
    integer :: status

    T = Temperature
    P = Pressure
    velocity = streamVelocity
    fractions = streamY(1:ns)
    select case (Flow)
    case ('wave')      ! of density, at constant pressure and velocity
      call prEOSRhohFromTPprop(T, P, fractions, rho, enthalpy, status)
      rho = rho + Amplitude*sin(2.0_dp*pi*Waves*x/Lengths(1))
      call prEOSCalcTFromRhoP(rho, P, fractions, T, enthalpy, status)
    case ('pulse')     ! of sound, to the right
      call soundWave(Amplitude*exp(-((x - 0.5_dp*Lengths(1))/Width)**2), T, P, velocity(1))
    case ('layer')     ! one side inside, the other one outside
      other = 0.5_dp*(tanh((x - 0.25_dp*Lengths(1))/Width) - tanh((x - 0.75_dp*Lengths(1))/Width))
      call mixSides(other, 0.0_dp, T, P, velocity, fractions)
    case ('tube')
      if (x >= 0.5_dp*Lengths(1)) call mixSides(1.0_dp, 0.0_dp, T, P, velocity, fractions)
    case ('vortex')
      r = sqrt((x - 0.5_dp*Lengths(1))**2 + (y - 0.5_dp*Lengths(2))**2)
      call balanceAt(r, T, P)
      swirl = vortexSpeed(r)/max(r, tiny(r))
      velocity(1) = velocity(1) - swirl*(y - 0.5_dp*Lengths(2))
      velocity(2) = velocity(2) + swirl*(x - 0.5_dp*Lengths(1))
    case ('jet')       ! of the other side between two streams, products in the layers
      low = (y - 0.375_dp*Lengths(2))/Width
      high = (y - 0.625_dp*Lengths(2))/Width
      call mixSides(0.5_dp*(tanh(low) - tanh(high)), ProductShare*min(1.0_dp, &
                    exp(-(0.5_dp*low)**2) + exp(-(0.5_dp*high)**2)), T, P, velocity, fractions)
      ! The layers are shaken as they roll up, not the density in them.
      mode = exp(-(0.25_dp*low)**2) + exp(-(0.25_dp*high)**2)
      velocity(2) = velocity(2) + Amplitude*mode*sin(2.0_dp*pi*Waves*x/Lengths(1))
      if (Cells(3) > 1) velocity(3) = velocity(3) + 0.5_dp*Amplitude*mode*sin(2.0_dp*pi*z/Lengths(3))
    end select
  end subroutine stateAt

  ! other: share of the other side in what is not products.
  pure subroutine mixSides(other, products, T, P, velocity, fractions)
    real(dp), intent(in) :: other, products
    real(dp), intent(out) :: T, P, velocity(3), fractions(ns)

    T = (1.0_dp - products)*((1.0_dp - other)*Temperature + other*OtherTemperature) &
        + products*ProductTemperature
    P = (1.0_dp - other)*Pressure + other*OtherPressure
    velocity = (1.0_dp - other)*streamVelocity + other*OtherVelocity
    fractions = (1.0_dp - products)*((1.0_dp - other)*streamY(1:ns) + other*OtherY(1:ns)) &
                + products*ProductY(1:ns)
    fractions = fractions/sum(fractions)
  end subroutine mixSides

  ! Density, dT/dP at constant entropy, and speed of sound.
  subroutine isentrope(T, P, rho, slope, c)
    real(dp), intent(in) :: T, P
    real(dp), intent(out) :: rho, slope, c
    real(dp) :: W, Z, enthalpy, cp, cv, gamma, rhop, rhoT, hp, hT
    integer :: status

    call eosThermalProperties(T, P, streamY(1:ns), rho, W, Z, enthalpy, cp, cv, gamma, c, rhop, &
                              rhoT, hp, hT, status)
    slope = -T*rhoT/(rho**2*cp)
  end subroutine isentrope

  ! A simple wave to the right: from the state of the stream by this much pressure, du = dP/(rho c)
  ! at constant entropy.
  subroutine soundWave(rise, T, P, u)
    real(dp), intent(in) :: rise
    real(dp), intent(inout) :: T, P, u
    integer, parameter :: n = 8
    real(dp) :: rho, slope, c, half
    integer :: i

    half = 0.5_dp*rise/n
    do i = 1, n
      call isentrope(T, P, rho, slope, c)
      call isentrope(T + half*slope, P + half, rho, slope, c)
      T = T + 2.0_dp*half*slope
      u = u + 2.0_dp*half/(rho*c)
      P = P + 2.0_dp*half
    end do
  end subroutine soundWave

  pure real(dp) function vortexSpeed(r)
    real(dp), intent(in) :: r
    vortexSpeed = Amplitude*(r/Width)*exp(0.5_dp*(1.0_dp - (r/Width)**2))
  end function vortexSpeed

  ! dP/dr = rho u^2/r at constant entropy, inwards from a radius without speed.
  subroutine balanceVortex
    real(dp) :: r, T, P, kT, kP
    integer :: n

    radiusStep = 10.0_dp*Width/nRadii
    T = Temperature
    P = Pressure
    vortexT(nRadii) = T
    vortexP(nRadii) = P
    do n = nRadii, 1, -1
      r = n*radiusStep
      call inwards(r, T, P, kT, kP)
      call inwards(r - 0.5_dp*radiusStep, T + 0.5_dp*kT, P + 0.5_dp*kP, kT, kP)
      T = T + kT
      P = P + kP
      vortexT(n - 1) = T
      vortexP(n - 1) = P
    end do
  end subroutine balanceVortex

  ! What a step inwards changes.
  subroutine inwards(r, T, P, changeT, changeP)
    real(dp), intent(in) :: r, T, P
    real(dp), intent(out) :: changeT, changeP
    real(dp) :: rho, slope, c

    call isentrope(T, P, rho, slope, c)
    changeP = -radiusStep*rho*vortexSpeed(r)**2/r
    changeT = slope*changeP
  end subroutine inwards

  ! The balance at a radius, by a parabola through three of its steps.
  subroutine balanceAt(r, T, P)
    real(dp), intent(in) :: r
    real(dp), intent(inout) :: T, P
    real(dp) :: s
    integer :: n

    n = nint(r/radiusStep)
    if (n > nRadii - 1) return
    n = max(n, 1)
    s = r/radiusStep - n
    T = vortexT(n) + 0.5_dp*s*(vortexT(n + 1) - vortexT(n - 1)) &
        + 0.5_dp*s**2*(vortexT(n + 1) - 2.0_dp*vortexT(n) + vortexT(n - 1))
    P = vortexP(n) + 0.5_dp*s*(vortexP(n + 1) - vortexP(n - 1)) &
        + 0.5_dp*s**2*(vortexP(n + 1) - 2.0_dp*vortexP(n) + vortexP(n - 1))
  end subroutine balanceAt

end module flowsModule
