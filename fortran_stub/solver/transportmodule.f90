! One explicit step of temperature and mass fractions: limited upwind advection by the
! prescribed velocity, and diffusion with the properties of the step.
!
!   rho DY_i/Dt   = - div j_i,                    j_i = -rho D_im grad Y_i + Y_i sum_k rho D_km grad Y_k
!   rho cp DT/Dt  =   div(lambda grad T) - sum_i j_i . grad h_i
!
! Everything is local to a cell and its neighbours in a fixed order, so the bits do not depend
! on the decomposition. A Navier-Stokes right-hand side would take the place of faceFluxes.
module transportModule
  use useGENKindDefs, only: dp
  use caseModule, only: Cells, Dt, Cfl
  use speciesModule, only: ns
  use decompositionModule
  use fieldsModule
  use jetModule, only: jetInflow, cellSize
  implicit none
  private
  public :: fillFringes, timeStep, advance

  real(dp), allocatable :: advective(:, :, :, :)   ! u T, u Y_i on the low face
  real(dp), allocatable :: diffusive(:, :, :, :)   ! -lambda grad T, j_i
  real(dp), allocatable :: carried(:, :, :)        ! sum_i j_i . grad h_i
  real(dp), allocatable :: change(:, :, :, :)      ! of T, Y_i
  integer :: jRho, jLambda, jCp, jD, jH, jC

contains

  ! Neighbours first, then the sides of the domain.
  subroutine fillFringes
    integer :: d, side

    call exchangeFringes(Q, iT, nq)
    call exchangeFringes(prop, 1, lastExchanged)
    do d = 1, 3
      do side = 1, 2
        call fillZeroGradient(Q, iT, nq, d, side)
        call fillZeroGradient(prop, 1, lastExchanged, d, side)
      end do
    end do
    call jetInflow
  end subroutine fillFringes

  ! Fixed, or the acoustic and diffusive limit over all cells.
  real(dp) function timeStep()
    real(dp) :: h(3), rate, diffusion
    integer :: i, j, k, d

    timeStep = Dt
    if (Dt > 0.0_dp) return
    call findColumns
    h = cellSize()
    rate = 0.0_dp
    do k = Spt(3), Ept(3)
      do j = Spt(2), Ept(2)
        do i = Spt(1), Ept(1)
          diffusion = max(prop(i, j, k, jLambda)/(prop(i, j, k, jRho)*prop(i, j, k, jCp)), &
                          maxval(prop(i, j, k, jD:jD + ns - 1)))
          do d = 1, 3
            if (Cells(d) == 1) cycle
            rate = max(rate, (abs(Q(i, j, k, iU + d - 1)) + prop(i, j, k, jC))/h(d), &
                       4.0_dp*diffusion/h(d)**2)
          end do
        end do
      end do
    end do
    timeStep = Cfl/globalMax(rate)
  end function timeStep

  subroutine advance(step)
    real(dp), intent(in) :: step              ! s
    real(dp) :: h(3), rho, total
    integer :: d, i, j, k, n, di, dj, dk

    if (.not. allocated(change)) call allocateWork
    h = cellSize()
    change = 0.0_dp
    do d = 1, 3
      if (Cells(d) == 1) cycle
      di = merge(1, 0, d == 1)
      dj = merge(1, 0, d == 2)
      dk = merge(1, 0, d == 3)
      call faceFluxes(d, di, dj, dk, h(d))
      do k = Spt(3), Ept(3)
        do j = Spt(2), Ept(2)
          do i = Spt(1), Ept(1)
            rho = prop(i, j, k, jRho)
            change(i, j, k, 0) = change(i, j, k, 0) &
              - (advective(i + di, j + dj, k + dk, 0) - advective(i, j, k, 0))/h(d) &
              - ((diffusive(i + di, j + dj, k + dk, 0) - diffusive(i, j, k, 0))/h(d) &
                 + 0.5_dp*(carried(i + di, j + dj, k + dk) + carried(i, j, k))) &
                /(rho*prop(i, j, k, jCp))
            do n = 1, ns
              change(i, j, k, n) = change(i, j, k, n) &
                - (advective(i + di, j + dj, k + dk, n) - advective(i, j, k, n))/h(d) &
                - (diffusive(i + di, j + dj, k + dk, n) - diffusive(i, j, k, n))/(h(d)*rho)
            end do
          end do
        end do
      end do
    end do

    ! Limiting each species alone leaves a small error in the sum: normalise.
    do k = Spt(3), Ept(3)
      do j = Spt(2), Ept(2)
        do i = Spt(1), Ept(1)
          Q(i, j, k, iT) = Q(i, j, k, iT) + step*change(i, j, k, 0)
          total = 0.0_dp
          do n = 1, ns
            Q(i, j, k, iY + n - 1) = max(Q(i, j, k, iY + n - 1) + step*change(i, j, k, n), 0.0_dp)
            total = total + Q(i, j, k, iY + n - 1)
          end do
          do n = 1, ns
            Q(i, j, k, iY + n - 1) = Q(i, j, k, iY + n - 1)/total
          end do
        end do
      end do
    end do
  end subroutine advance

  ! Fluxes through the low face of every interior cell and of the one behind the last.
  subroutine faceFluxes(d, di, dj, dk, h)
    integer, intent(in) :: d, di, dj, dk
    real(dp), intent(in) :: h
    real(dp) :: normal, gradient(ns), flux, sumFlux, rhoLeft, rhoRight, rhoD, mean
    integer :: i, j, k, n, li, lj, lk, c

    do k = Spt(3), Ept(3) + dk
      do j = Spt(2), Ept(2) + dj
        do i = Spt(1), Ept(1) + di
          li = i - di
          lj = j - dj
          lk = k - dk
          normal = faceVelocity(i, j, k, d)
          do n = 0, ns
            c = iT + n
            advective(i, j, k, n) = normal*upwind(normal, &
              Q(li - di, lj - dj, lk - dk, c), Q(li, lj, lk, c), &
              Q(i, j, k, c), Q(i + di, j + dj, k + dk, c))
          end do

          diffusive(i, j, k, 0) = -0.5_dp*(prop(li, lj, lk, jLambda) + prop(i, j, k, jLambda)) &
                                  *(Q(i, j, k, iT) - Q(li, lj, lk, iT))/h
          rhoLeft = prop(li, lj, lk, jRho)
          rhoRight = prop(i, j, k, jRho)
          sumFlux = 0.0_dp
          do n = 1, ns
            c = iY + n - 1
            rhoD = 0.5_dp*(rhoLeft*prop(li, lj, lk, jD + n - 1) + rhoRight*prop(i, j, k, jD + n - 1))
            gradient(n) = -rhoD*(Q(i, j, k, c) - Q(li, lj, lk, c))/h
            sumFlux = sumFlux + gradient(n)
          end do
          carried(i, j, k) = 0.0_dp
          do n = 1, ns
            c = iY + n - 1
            mean = 0.5_dp*(Q(li, lj, lk, c) + Q(i, j, k, c))
            flux = gradient(n) - mean*sumFlux
            diffusive(i, j, k, n) = flux
            carried(i, j, k) = carried(i, j, k) &
              + flux*(prop(i, j, k, jH + n - 1) - prop(li, lj, lk, jH + n - 1))/h
          end do
        end do
      end do
    end do
  end subroutine faceFluxes

  ! Value on the face between cells b and c, upwind with a minmod slope.
  pure real(dp) function upwind(normal, a, b, c, d)
    real(dp), intent(in) :: normal, a, b, c, d
    if (normal >= 0.0_dp) then
      upwind = b + 0.5_dp*minmod(b - a, c - b)
    else
      upwind = c - 0.5_dp*minmod(c - b, d - c)
    end if
  end function upwind

  pure real(dp) function minmod(a, b)
    real(dp), intent(in) :: a, b
    minmod = 0.0_dp
    if (a*b > 0.0_dp) minmod = sign(min(abs(a), abs(b)), a)
  end function minmod

  subroutine allocateWork
    allocate(advective(extent(1), extent(2), extent(3), 0:ns), source=0.0_dp)
    allocate(diffusive(extent(1), extent(2), extent(3), 0:ns), source=0.0_dp)
    allocate(change(extent(1), extent(2), extent(3), 0:ns), source=0.0_dp)
    allocate(carried(extent(1), extent(2), extent(3)), source=0.0_dp)
    call findColumns
  end subroutine allocateWork

  subroutine findColumns
    jRho = propertyIndex('rho')
    jLambda = propertyIndex('lambda')
    jCp = propertyIndex('cp')
    jD = propertyIndex('D_im')
    jH = propertyIndex('h_Yi')
    jC = propertyIndex('c')
  end subroutine findColumns

end module transportModule
