! Properties of the flow by the Fortran subroutines, point by point: what the bridge replaces.
module legacyPropertiesModule
  use useGENKindDefs, only: dp
  use speciesModule, only: ns, Wi
  use eosModule, only: eosThermalFromRhoE, eosGammaJacobianProperties
  use preosModule, only: prEOSViscousFluxProperties, prEOSRhohFromTPprop, prEOSCalcTFromHP
  use preosDensityModule, only: prEOSCalcTFromRhoP
  use blocksModule
  implicit none
  private
  public :: legacyThermal, legacyViscous, legacyFromPressure
  public :: legacyJacobian, legacyOfPrimitive, legacyInlet, legacyOutlet

contains

  ! T, P and the thermal part of prop from rho, e and Y of Q in these boxes.
  subroutine legacyThermal(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)
    real(dp) :: T, P, h, cp, cv, c, pRhoe, pRhoi(ns), Y(ns)
    integer :: iterations, status, n, i, j, k

    do n = 1, size(boxes, 2)
      do k = boxes(5, n), boxes(6, n)
        do j = boxes(3, n), boxes(4, n)
          do i = boxes(1, n), boxes(2, n)
            Y = b%Q(i, j, k, iY:nQ)
            call eosThermalFromRhoE(b%Q(i, j, k, iRho), b%Q(i, j, k, iE), Y, b%U(i, j, k, iT0), &
                                    T, P, h, cp, cv, c, pRhoe, pRhoi, iterations, status)
            b%prop(i, j, k, iT) = T
            b%prop(i, j, k, iP) = P
            b%prop(i, j, k, iC) = c
            b%prop(i, j, k, iCv) = cv
            b%prop(i, j, k, iPRhoE) = pRhoe
            b%prop(i, j, k, iPRhoI:iPRhoI + ns - 1) = pRhoi
            b%status(i, j, k, 1) = status
          end do
        end do
      end do
    end do
  end subroutine legacyThermal

  ! Viscosity, conductivity, diffusion coefficients and enthalpies of species from T, P and Y.
  subroutine legacyViscous(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)
    real(dp) :: rho, eta, lambda, Dim(ns), hi(ns), Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr, Y(ns)
    integer :: status, n, i, j, k

    do n = 1, size(boxes, 2)
      do k = boxes(5, n), boxes(6, n)
        do j = boxes(3, n), boxes(4, n)
          do i = boxes(1, n), boxes(2, n)
            Y = b%Q(i, j, k, iY:nQ)
            call prEOSViscousFluxProperties(b%prop(i, j, k, iT), b%prop(i, j, k, iP), Y, rho, eta, &
              lambda, Dim, hi, Tcm, Pcm, PcKay, Vcm, Zcm, omegam, Tr, Pr, status)
            b%prop(i, j, k, iEta) = eta
            b%prop(i, j, k, iLambda) = lambda
            b%prop(i, j, k, iDim:iDim + ns - 1) = moleForm(Dim, Y)
            b%prop(i, j, k, iHi:iHi + ns - 1) = hi
          end do
        end do
      end do
    end do
  end subroutine legacyViscous

  ! Coefficients of the gradients of X as those of the gradients of Y, which the fluxes have:
  ! (1 - X_i) in place of (1 - Y_i), exact for two species (docs/physics/diffusion.md).
  pure function moleForm(Dim, Y) result(D)
    real(dp), intent(in) :: Dim(ns), Y(ns)
    real(dp) :: D(ns), X(ns), W
    real(dp), parameter :: trace = 1.0e-20_dp
    integer :: i

    D = Dim
    if (ns == 1) return
    W = 1.0_dp/sum(Y/Wi(1:ns))
    X = W*Y/Wi(1:ns) + trace
    do i = 1, ns      ! sums without i: it may be alone
      D(i) = W*Dim(i)*(sum(X(:i-1)) + sum(X(i+1:))) &
             /(sum(X(:i-1)*Wi(:i-1)) + sum(X(i+1:)*Wi(i+1:ns)))
    end do
  end function moleForm

  ! The guess of T and e of Q from rho, Y and the P of U.
  subroutine legacyFromPressure(b, boxes)
    type(block), intent(inout) :: b
    integer, intent(in) :: boxes(:, :)
    real(dp) :: T, h, Y(ns)
    integer :: status, n, i, j, k

    do n = 1, size(boxes, 2)
      do k = boxes(5, n), boxes(6, n)
        do j = boxes(3, n), boxes(4, n)
          do i = boxes(1, n), boxes(2, n)
            Y = b%Q(i, j, k, iY:nQ)
            call prEOSCalcTFromRhoP(b%Q(i, j, k, iRho), b%U(i, j, k, iEn), Y, T, h, status)
            b%U(i, j, k, iT0) = T
            b%Q(i, j, k, iE) = h - b%U(i, j, k, iEn)/b%Q(i, j, k, iRho)
          end do
        end do
      end do
    end do
  end subroutine legacyFromPressure

  ! What Gamma is made of, in the cells.
  subroutine legacyJacobian(b)
    type(block), intent(inout) :: b
    real(dp) :: rho, W, Z, h, cp, cv, gamma, c, rhop, rhoT, hp, hT, rhoYi(ns), hYi(ns)
    real(dp) :: rhoYiReduced(ns - 1), hYiReduced(ns - 1), hTotal, rhoh0, rp
    integer :: status, i, j, k

    do k = 1, b%n(3)
      do j = 1, b%n(2)
        do i = 1, b%n(1)
          call eosGammaJacobianProperties(b%prop(i, j, k, iT), b%prop(i, j, k, iP), &
            b%Q(i, j, k, iY:nQ), b%Q(i, j, k, iU:iU + 2), b%jacobian(i, j, k, 2*ns + 6), rho, W, Z, h, cp, cv, gamma, c, &
            rhop, rhoT, hp, hT, rhoYi, hYi, rhoYiReduced, hYiReduced, hTotal, rhoh0, rp, status)
          b%jacobian(i, j, k, :2*ns + 5) = [rhop, rhoT, hp, hT, hTotal, rhoYi, hYi]
        end do
      end do
    end do
  end subroutine legacyJacobian

  ! Density and enthalpy of W.
  subroutine legacyOfPrimitive(b)
    type(block), intent(inout) :: b
    integer :: status, i, j, k

    do k = 1, b%n(3)
      do j = 1, b%n(2)
        do i = 1, b%n(1)
          call prEOSRhohFromTPprop(b%W(i, j, k, ns + 5), b%W(i, j, k, ns + 4), b%W(i, j, k, :ns), &
                                   b%W(i, j, k, ns + 6), b%W(i, j, k, ns + 7), status)
        end do
      end do
    end do
  end subroutine legacyOfPrimitive

  ! Temperature and density of what comes in: its enthalpy at the pressure of the first cell.
  subroutine legacyInlet(b)
    type(block), intent(inout) :: b
    real(dp) :: T, rho
    integer :: iterations, j, k

    associate (s => b%through(1)%state)
      do k = 1, b%n(3)
        do j = 1, b%n(2)
          call prEOSCalcTFromHP(s(1, j, k, jH), s(1, j, k, jP), s(1, j, k, iY:nQ), b%U(1, j, k, iT0), &
                                T, rho, iterations, b%through(1)%status(1, j, k, 1))
          s(1, j, k, jT) = T
          s(1, j, k, jRho) = rho
        end do
      end do
    end associate
  end subroutine legacyInlet

  ! Enthalpy of what goes out, from density and pressure.
  subroutine legacyOutlet(b)
    type(block), intent(inout) :: b
    real(dp) :: T, hOut
    integer :: i, j, k

    associate (s => b%through(2)%state)
      do k = 1, b%n(3)
        do j = 1, b%n(2)
          do i = 1, fringe
            call prEOSCalcTFromRhoP(s(i, j, k, jRho), s(i, j, k, jP), s(i, j, k, iY:nQ), T, hOut, &
                                    b%through(2)%status(i, j, k, 1))
            s(i, j, k, jH) = hOut
          end do
        end do
      end do
    end associate
  end subroutine legacyOutlet

end module legacyPropertiesModule
