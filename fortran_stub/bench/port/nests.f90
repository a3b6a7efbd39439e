! Loop nests in the style of old codes: what `bridge bench port` times.
module loopNests
  implicit none
  integer, parameter :: dp = kind(1d0)
contains

  subroutine laplacian(nx, ny, nz, a, b)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: a(0:nx + 1, 0:ny + 1, 0:nz + 1)
    real(dp), intent(inout) :: b(nx, ny, nz)
    integer :: i, j, k
    !$bridge begin laplacian
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          b(i, j, k) = a(i - 1, j, k) + a(i + 1, j, k) + a(i, j - 1, k) + a(i, j + 1, k) &
            + a(i, j, k - 1) + a(i, j, k + 1) - 6*a(i, j, k)
        end do
      end do
    end do
    !$bridge end
  end subroutine laplacian

  ! Conserved to primitive, component last.
  subroutine primitives(nx, ny, nz, q, w)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: q(nx, ny, nz, 5)
    real(dp), intent(inout) :: w(nx, ny, nz, 6)
    real(dp) :: inverse
    integer :: i, j, k
    !$bridge begin primitives
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          inverse = 1/q(i, j, k, 1)
          w(i, j, k, 1) = q(i, j, k, 1)
          w(i, j, k, 2) = q(i, j, k, 2)*inverse
          w(i, j, k, 3) = q(i, j, k, 3)*inverse
          w(i, j, k, 4) = q(i, j, k, 4)*inverse
          w(i, j, k, 5) = 0.4_dp*(q(i, j, k, 5) + 10 - 0.5_dp*q(i, j, k, 1) &
            *(w(i, j, k, 2)**2 + w(i, j, k, 3)**2 + w(i, j, k, 4)**2))
          w(i, j, k, 6) = sqrt(1.4_dp*w(i, j, k, 5)*inverse)
        end do
      end do
    end do
    !$bridge end
  end subroutine primitives

  ! Rusanov's flux along x, component last.
  subroutine rusanov(nx, ny, nz, w, flux)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: w(0:nx + 1, ny, nz, 5)
    real(dp), intent(inout) :: flux(nx + 1, ny, nz, 5)
    real(dp) :: el, er, cl, cr, s, ql(5), qr(5)
    integer :: i, j, k
    !$bridge begin rusanov
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx + 1
          el = w(i - 1, j, k, 5)/0.4_dp + 0.5_dp*w(i - 1, j, k, 1)*(w(i - 1, j, k, 2)**2 &
            + w(i - 1, j, k, 3)**2 + w(i - 1, j, k, 4)**2)
          er = w(i, j, k, 5)/0.4_dp + 0.5_dp*w(i, j, k, 1)*(w(i, j, k, 2)**2 &
            + w(i, j, k, 3)**2 + w(i, j, k, 4)**2)
          cl = sqrt(1.4_dp*w(i - 1, j, k, 5)/w(i - 1, j, k, 1))
          cr = sqrt(1.4_dp*w(i, j, k, 5)/w(i, j, k, 1))
          s = max(abs(w(i - 1, j, k, 2)) + cl, abs(w(i, j, k, 2)) + cr)
          ql(1) = w(i - 1, j, k, 1)
          qr(1) = w(i, j, k, 1)
          ql(2) = w(i - 1, j, k, 1)*w(i - 1, j, k, 2)
          qr(2) = w(i, j, k, 1)*w(i, j, k, 2)
          ql(3) = w(i - 1, j, k, 1)*w(i - 1, j, k, 3)
          qr(3) = w(i, j, k, 1)*w(i, j, k, 3)
          ql(4) = w(i - 1, j, k, 1)*w(i - 1, j, k, 4)
          qr(4) = w(i, j, k, 1)*w(i, j, k, 4)
          ql(5) = el
          qr(5) = er
          flux(i, j, k, 1) = 0.5_dp*(ql(2) + qr(2) - s*(qr(1) - ql(1)))
          flux(i, j, k, 2) = 0.5_dp*(ql(2)*w(i - 1, j, k, 2) + w(i - 1, j, k, 5) &
            + qr(2)*w(i, j, k, 2) + w(i, j, k, 5) - s*(qr(2) - ql(2)))
          flux(i, j, k, 3) = 0.5_dp*(ql(3)*w(i - 1, j, k, 2) + qr(3)*w(i, j, k, 2) - s*(qr(3) - ql(3)))
          flux(i, j, k, 4) = 0.5_dp*(ql(4)*w(i - 1, j, k, 2) + qr(4)*w(i, j, k, 2) - s*(qr(4) - ql(4)))
          flux(i, j, k, 5) = 0.5_dp*((el + w(i - 1, j, k, 5))*w(i - 1, j, k, 2) &
            + (er + w(i, j, k, 5))*w(i, j, k, 2) - s*(er - el))
        end do
      end do
    end do
    !$bridge end
  end subroutine rusanov

  ! Weights of three stencils of five points.
  subroutine weno(nx, ny, nz, v, face)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: v(-2:nx + 2, ny, nz)
    real(dp), intent(inout) :: face(nx, ny, nz)
    real(dp) :: b0, b1, b2, a0, a1, a2, p0, p1, p2
    integer :: i, j, k
    !$bridge begin weno
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          b0 = 13.0_dp/12*(v(i - 2, j, k) - 2*v(i - 1, j, k) + v(i, j, k))**2 &
            + 0.25_dp*(v(i - 2, j, k) - 4*v(i - 1, j, k) + 3*v(i, j, k))**2
          b1 = 13.0_dp/12*(v(i - 1, j, k) - 2*v(i, j, k) + v(i + 1, j, k))**2 &
            + 0.25_dp*(v(i - 1, j, k) - v(i + 1, j, k))**2
          b2 = 13.0_dp/12*(v(i, j, k) - 2*v(i + 1, j, k) + v(i + 2, j, k))**2 &
            + 0.25_dp*(3*v(i, j, k) - 4*v(i + 1, j, k) + v(i + 2, j, k))**2
          a0 = 0.1_dp/(1e-6_dp + b0)**2
          a1 = 0.6_dp/(1e-6_dp + b1)**2
          a2 = 0.3_dp/(1e-6_dp + b2)**2
          p0 = (2*v(i - 2, j, k) - 7*v(i - 1, j, k) + 11*v(i, j, k))/6
          p1 = (-v(i - 1, j, k) + 5*v(i, j, k) + 2*v(i + 1, j, k))/6
          p2 = (2*v(i, j, k) + 5*v(i + 1, j, k) - v(i + 2, j, k))/6
          face(i, j, k) = (a0*p0 + a1*p1 + a2*p2)/(a0 + a1 + a2)
        end do
      end do
    end do
    !$bridge end
  end subroutine weno

  ! The largest step of time.
  subroutine timeStep(nx, ny, nz, w, dx, most)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: w(nx, ny, nz, 5), dx
    real(dp), intent(inout) :: most
    real(dp) :: c
    integer :: i, j, k
    !$bridge begin timestep
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          c = sqrt(1.4_dp*w(i, j, k, 5)/w(i, j, k, 1))
          most = max(most, (abs(w(i, j, k, 2)) + abs(w(i, j, k, 3)) + abs(w(i, j, k, 4)) + 3*c)/dx)
        end do
      end do
    end do
    !$bridge end
  end subroutine timeStep

  ! Tridiagonal systems along z: forward and backward.
  subroutine implicitZ(nx, ny, nz, beta, f, work)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: beta
    real(dp), intent(inout) :: f(nx, ny, nz), work(nx, ny, nz)
    real(dp) :: d
    integer :: i, j, k
    !$bridge begin forward
    do k = 2, nz
      do j = 1, ny
        do i = 1, nx
          d = 1/(1 + 2*beta - beta*work(i, j, k - 1))
          work(i, j, k) = beta*d
          f(i, j, k) = (f(i, j, k) + beta*f(i, j, k - 1))*d
        end do
      end do
    end do
    !$bridge end
    !$bridge begin backward
    do k = nz - 1, 1, -1
      do j = 1, ny
        do i = 1, nx
          f(i, j, k) = f(i, j, k) + work(i, j, k)*f(i, j, k + 1)
        end do
      end do
    end do
    !$bridge end
  end subroutine implicitZ

  ! Sources of a cloud, most points dry.
  subroutine cloud(nx, ny, nz, t, p, qv, qc, qr)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(inout) :: t(nx, ny, nz), qv(nx, ny, nz), qc(nx, ny, nz), qr(nx, ny, nz)
    real(dp), intent(in) :: p(nx, ny, nz)
    real(dp) :: es, qs, cond, auto, accr, evap
    integer :: i, j, k
    !$bridge begin cloud
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          es = 611.2_dp*exp(17.67_dp*(t(i, j, k) - 0.9_dp)/(t(i, j, k) + 2.4_dp))*1e-3_dp
          qs = 0.622_dp*es/(p(i, j, k) + es)
          cond = (qv(i, j, k) - qs)/(1 + 2.5_dp*qs)
          if (cond > 0 .or. qc(i, j, k) > 0) then
            cond = max(cond, -qc(i, j, k))
            qv(i, j, k) = qv(i, j, k) - cond
            qc(i, j, k) = qc(i, j, k) + cond
            t(i, j, k) = t(i, j, k) + 2.5_dp*cond
          end if
          auto = 0
          accr = 0
          if (qc(i, j, k) > 1) auto = 1e-3_dp*(qc(i, j, k) - 1)
          if (qr(i, j, k) > 1e-3_dp) then
            accr = 2.2_dp*qc(i, j, k)*qr(i, j, k)**0.875_dp
            if (qv(i, j, k) < qs) then
              evap = (1 - qv(i, j, k)/qs)*(1.6_dp + 124.9_dp*qr(i, j, k)**0.2046_dp)*qr(i, j, k)**0.525_dp
              evap = min(evap*1e-3_dp, qr(i, j, k))
              qr(i, j, k) = qr(i, j, k) - evap
              qv(i, j, k) = qv(i, j, k) + evap
              t(i, j, k) = t(i, j, k) - 2.5_dp*evap
            end if
          end if
          auto = min(auto + accr, qc(i, j, k))
          qc(i, j, k) = qc(i, j, k) - auto
          qr(i, j, k) = qr(i, j, k) + auto
        end do
      end do
    end do
    !$bridge end
  end subroutine cloud

end module loopNests
