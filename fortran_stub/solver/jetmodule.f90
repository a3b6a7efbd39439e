! The flow: a cold LOX jet between two CH4 streams, with hot products in the shear layers,
! carried by a prescribed velocity.
!
! The face velocities are differences of stream functions, so their discrete divergence is zero
! to rounding and transport creates no new extremes.
module jetModule
  use useGENKindDefs, only: dp
  use caseModule
  use speciesModule, only: ns
  use statusModule, only: statusMultiRoot, isFatal
  use preosModule, only: prEOSRhohFromTPprop
  use decompositionModule, only: offset, extent, Spt, Ept
  use fieldsModule
  implicit none
  private
  public :: jetInitial, jetInflow, jetVelocity, jetCheckStreams, cellSize

  real(dp), parameter :: pi = 3.14159265358979323846_dp

contains

  pure function cellSize() result(h)
    real(dp) :: h(3)
    h = Lengths/Cells
  end function cellSize

  ! Position of storage index i in direction d: centre of the cell, or its low face.
  pure real(dp) function centre(d, i)
    integer, intent(in) :: d, i
    centre = (offset(d) + i - Spt(d) + 0.5_dp)*(Lengths(d)/Cells(d))
  end function centre

  pure real(dp) function face(d, i)
    integer, intent(in) :: d, i
    face = (offset(d) + i - Spt(d))*(Lengths(d)/Cells(d))
  end function face

  ! Geometry of the jet: lower and upper shear layer, and their thickness.
  pure subroutine layers(low, high, thickness)
    real(dp), intent(out) :: low, high, thickness
    low = 0.375_dp*Lengths(2)
    high = 0.625_dp*Lengths(2)
    thickness = 0.03_dp*Lengths(2)
  end subroutine layers

  ! Temperature and mass fractions of the undisturbed jet at height y.
  pure subroutine streamState(y, T, fractions)
    real(dp), intent(in) :: y
    real(dp), intent(out) :: T, fractions(ns)
    real(dp) :: low, high, thickness, jet, products

    call layers(low, high, thickness)
    jet = 0.5_dp*(tanh((y - low)/thickness) - tanh((y - high)/thickness))
    products = ProductPeak*(exp(-((y - low)/thickness)**2) + exp(-((y - high)/thickness)**2))
    products = min(products, 1.0_dp)
    call mix(jet*(1.0_dp - products), (1.0_dp - jet)*(1.0_dp - products), products, T, fractions)
  end subroutine streamState

  pure subroutine mix(jet, coflow, products, T, fractions)
    real(dp), intent(in) :: jet, coflow, products
    real(dp), intent(out) :: T, fractions(ns)

    T = jet*JetT + coflow*CoflowT + products*ProductT
    fractions = jet*JetY(1:ns) + coflow*CoflowY(1:ns) + products*ProductY(1:ns)
    fractions = fractions/sum(fractions)
  end subroutine mix

  ! Every mixture of the streams must be a valid state with one root of the cubic, so that the
  ! density has no jump. Whether it is one phase is another question: phasesEnd asks it.
  subroutine jetCheckStreams(message)
    character(len=*), intent(out) :: message
    integer, parameter :: n = 24
    real(dp) :: T, fractions(ns), rho, h
    integer :: i, j, status

    message = ' '
    do i = 0, n
      do j = 0, n - i
        call mix(real(i, dp)/n, real(j, dp)/n, real(n - i - j, dp)/n, T, fractions)
        call prEOSRhohFromTPprop(T, Pressure, fractions, rho, h, status)
        if (isFatal(status)) message = 'a mixture of the streams is no valid state'
        if (iand(status, statusMultiRoot) /= 0) write(message, '(a,f8.2,a)') &
          'a mixture of the streams has two densities (MULTI_ROOT) at ', T, &
          ' K: choose other streams or a higher pressure'
      end do
    end do
  end subroutine jetCheckStreams

  subroutine jetInitial
    real(dp) :: T, fractions(ns)
    integer :: i, j, k

    do k = 1, extent(3)
      do j = 1, extent(2)
        call streamState(centre(2, j), T, fractions)
        do i = 1, extent(1)
          Q(i, j, k, iP) = Pressure
          Q(i, j, k, iT) = T
          Q(i, j, k, iY:iY + ns - 1) = fractions
        end do
      end do
    end do
  end subroutine jetInitial

  ! Undisturbed jet in the fringes of an inflow at x = 0.
  subroutine jetInflow
    real(dp) :: T, fractions(ns)
    integer :: i, j, k

    if (BoundaryX /= 'inflow' .or. offset(1) /= 0) return
    do k = 1, extent(3)
      do j = 1, extent(2)
        call streamState(centre(2, j), T, fractions)
        do i = 1, Spt(1) - 1
          Q(i, j, k, iT) = T
          Q(i, j, k, iY:iY + ns - 1) = fractions
        end do
      end do
    end do
  end subroutine jetInflow

  ! Logarithm of cosh without overflow.
  pure real(dp) function logCosh(s)
    real(dp), intent(in) :: s
    logCosh = abs(s) + log(0.5_dp*(1.0_dp + exp(-2.0_dp*abs(s))))
  end function logCosh

  ! Stream function in the x-y plane, psi = profile(y) + shape(y) mode(x, time): a tanh velocity
  ! profile plus a mode that moves with the mean speed.
  pure subroutine shearProfile(y, profile, shape)
    real(dp), intent(in) :: y
    real(dp), intent(out) :: profile, shape
    real(dp) :: low, high, thickness

    call layers(low, high, thickness)
    profile = CoflowU*y + 0.5_dp*(JetU - CoflowU)*thickness &
              *(logCosh((y - low)/thickness) - logCosh((y - high)/thickness))
    shape = exp(-((y - low)/(4.0_dp*thickness))**2) + exp(-((y - high)/(4.0_dp*thickness))**2)
  end subroutine shearProfile

  pure real(dp) function travellingMode(x, time)
    real(dp), intent(in) :: x, time
    real(dp) :: wave, envelope

    wave = 2.0_dp*pi*Waves/Lengths(1)
    envelope = 1.0_dp
    if (BoundaryX == 'inflow') envelope = 1.0_dp - exp(-(3.0_dp*x/Lengths(1))**2)
    travellingMode = Perturbation*(CoflowU - JetU)/wave*envelope &
                     *sin(wave*(x - 0.5_dp*(JetU + CoflowU)*time))
  end function travellingMode

  ! Stream function in the y-z plane, shape(y) roll(z): only in three dimensions.
  pure real(dp) function roll(z)
    real(dp), intent(in) :: z
    real(dp) :: wave

    wave = 2.0_dp*pi/Lengths(3)
    roll = 0.5_dp*Perturbation*(CoflowU - JetU)/wave*sin(wave*z)
  end function roll

  ! Velocity on the low faces of all cells but the outermost fringe, and in the cell centres.
  subroutine jetVelocity(time)
    real(dp), intent(in) :: time
    real(dp) :: h(3), psi(extent(1) + 1, extent(2) + 1), chi(extent(2) + 1, extent(3) + 1)
    real(dp) :: mode(extent(1) + 1), profile, shape
    integer :: i, j, k

    h = cellSize()
    chi = 0.0_dp
    do i = 1, extent(1) + 1
      mode(i) = travellingMode(face(1, i), time)
    end do
    do j = 1, extent(2) + 1
      call shearProfile(face(2, j), profile, shape)
      do i = 1, extent(1) + 1
        psi(i, j) = profile + shape*mode(i)
      end do
      if (Cells(3) == 1) cycle
      do k = 1, extent(3) + 1
        chi(j, k) = shape*roll(face(3, k))
      end do
    end do
    do k = 1, extent(3)
      do j = 1, extent(2)
        do i = 1, extent(1)
          faceVelocity(i, j, k, 1) = (psi(i, j + 1) - psi(i, j))/h(2)
          faceVelocity(i, j, k, 2) = -(psi(i + 1, j) - psi(i, j))/h(1) &
                                     + (chi(j, k + 1) - chi(j, k))/h(3)
          faceVelocity(i, j, k, 3) = -(chi(j + 1, k) - chi(j, k))/h(2)
        end do
      end do
    end do
    do k = Spt(3), Ept(3)
      do j = Spt(2), Ept(2)
        do i = Spt(1), Ept(1)
          Q(i, j, k, iU) = 0.5_dp*(faceVelocity(i, j, k, 1) + (psi(i + 1, j + 1) - psi(i + 1, j))/h(2))
          Q(i, j, k, iV) = faceVelocity(i, j, k, 2)
          Q(i, j, k, iW) = faceVelocity(i, j, k, 3)
          if (Cells(2) > 1) Q(i, j, k, iV) = 0.5_dp*(Q(i, j, k, iV) + faceVelocity(i, j + 1, k, 2))
          if (Cells(3) > 1) Q(i, j, k, iW) = 0.5_dp*(Q(i, j, k, iW) + faceVelocity(i, j, k + 1, 3))
        end do
      end do
    end do
  end subroutine jetVelocity

end module jetModule
