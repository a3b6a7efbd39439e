! The loops of `bridge bench loops` as a legacy code writes them, callable from C: over the interior
! of blocks with fringes of width f, component last and component first.
module hostLoopsModule
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int
  implicit none
  private

  ! Factor of the scaling, so near to 1 that millions of runs leave numbers; fluxes and differences.
  real(c_double), bind(c, name='loop_dt') :: dt = 1.000000001d0
  real(c_double), parameter :: t2 = 0.25d0, d = 0.75d0, con2 = 0.1d0, con43 = 4.0d0 / 3.0d0
  real(c_double), parameter :: con3 = -0.06d0, con4 = 0.02d0, con5 = 0.2d0, c1 = 1.4d0, c2 = 0.4d0
  real(c_float), parameter :: omega = 0.8

contains

  subroutine pointwiseLast(nx, ny, nz, f, q, a) bind(c, name='loop_pointwise_last')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: q(nx, ny, nz, 5)
    real(c_double), intent(inout) :: a(nx, ny, nz, 6)
    integer :: i, j, k
    real(c_double) :: r, u, v, w, p

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          r = 1.0d0 / q(i, j, k, 1)
          u = q(i, j, k, 2) * r
          v = q(i, j, k, 3) * r
          w = q(i, j, k, 4) * r
          p = 0.4d0 * (q(i, j, k, 5) - 0.5d0 * q(i, j, k, 1) * (u * u + v * v + w * w))
          a(i, j, k, 1) = r
          a(i, j, k, 2) = u
          a(i, j, k, 3) = v
          a(i, j, k, 4) = w
          a(i, j, k, 5) = p
          a(i, j, k, 6) = sqrt(1.4d0 * p * r)
        end do
      end do
    end do
  end subroutine pointwiseLast

  subroutine pointwiseFirst(nx, ny, nz, f, q, a) bind(c, name='loop_pointwise_first')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: q(5, nx, ny, nz)
    real(c_double), intent(inout) :: a(6, nx, ny, nz)
    integer :: i, j, k
    real(c_double) :: r, u, v, w, p

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          r = 1.0d0 / q(1, i, j, k)
          u = q(2, i, j, k) * r
          v = q(3, i, j, k) * r
          w = q(4, i, j, k) * r
          p = 0.4d0 * (q(5, i, j, k) - 0.5d0 * q(1, i, j, k) * (u * u + v * v + w * w))
          a(1, i, j, k) = r
          a(2, i, j, k) = u
          a(3, i, j, k) = v
          a(4, i, j, k) = w
          a(5, i, j, k) = p
          a(6, i, j, k) = sqrt(1.4d0 * p * r)
        end do
      end do
    end do
  end subroutine pointwiseFirst

  subroutine updateLast(nx, ny, nz, f, q, r, s) bind(c, name='loop_update_last')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(inout) :: q(nx, ny, nz, 5)
    real(c_double), intent(in) :: r(nx, ny, nz, 5), s(nx, ny, nz)
    integer :: i, j, k, m

    do m = 1, 5
      do k = f + 1, nz - f
        do j = f + 1, ny - f
          do i = f + 1, nx - f
            q(i, j, k, m) = q(i, j, k, m) + s(i, j, k) * r(i, j, k, m)
          end do
        end do
      end do
    end do
  end subroutine updateLast

  subroutine updateFirst(nx, ny, nz, f, q, r, s) bind(c, name='loop_update_first')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(inout) :: q(5, nx, ny, nz)
    real(c_double), intent(in) :: r(5, nx, ny, nz), s(nx, ny, nz)
    integer :: i, j, k, m

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          do m = 1, 5
            q(m, i, j, k) = q(m, i, j, k) + s(i, j, k) * r(m, i, j, k)
          end do
        end do
      end do
    end do
  end subroutine updateFirst

  subroutine fluxLast(nx, ny, nz, f, l, r, n, ls, rs, sensor, flux) bind(c, name='loop_flux_last')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: l(nx, ny, nz, 5), r(nx, ny, nz, 5), n(nx, ny, nz, 3)
    real(c_double), intent(in) :: ls(nx, ny, nz, 4), rs(nx, ny, nz, 4), sensor(nx, ny, nz)
    real(c_double), intent(inout) :: flux(nx, ny, nz, 5)
    integer :: i, j, k, m
    real(c_double) :: area, vl, vr, d, p

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          area = sqrt(n(i, j, k, 1)**2 + n(i, j, k, 2)**2 + n(i, j, k, 3)**2)
          vl = (l(i, j, k, 2) * n(i, j, k, 1) + l(i, j, k, 3) * n(i, j, k, 2) &
            + l(i, j, k, 4) * n(i, j, k, 3)) / l(i, j, k, 1)
          vr = (r(i, j, k, 2) * n(i, j, k, 1) + r(i, j, k, 3) * n(i, j, k, 2) &
            + r(i, j, k, 4) * n(i, j, k, 3)) / r(i, j, k, 1)
          d = 0.5d0 * sensor(i, j, k) * 0.5d0 * (ls(i, j, k, 4) + rs(i, j, k, 4)) &
            * max(abs(vl) + ls(i, j, k, 3) * area, abs(vr) + rs(i, j, k, 3) * area)
          p = 0.5d0 * (ls(i, j, k, 1) + rs(i, j, k, 1))
          flux(i, j, k, 1) = 0.5d0 * (l(i, j, k, 1) * vl + r(i, j, k, 1) * vr) &
            - d * (r(i, j, k, 1) - l(i, j, k, 1))
          do m = 2, 4
            flux(i, j, k, m) = 0.5d0 * (l(i, j, k, m) * vl + r(i, j, k, m) * vr) &
              + p * n(i, j, k, m - 1) - d * (r(i, j, k, m) - l(i, j, k, m))
          end do
          flux(i, j, k, 5) = 0.5d0 * (l(i, j, k, 1) * ls(i, j, k, 2) * vl &
            + r(i, j, k, 1) * rs(i, j, k, 2) * vr) - d * (r(i, j, k, 5) - l(i, j, k, 5))
        end do
      end do
    end do
  end subroutine fluxLast

  subroutine fluxFirst(nx, ny, nz, f, l, r, n, ls, rs, sensor, flux) bind(c, name='loop_flux_first')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: l(5, nx, ny, nz), r(5, nx, ny, nz), n(3, nx, ny, nz)
    real(c_double), intent(in) :: ls(4, nx, ny, nz), rs(4, nx, ny, nz), sensor(nx, ny, nz)
    real(c_double), intent(inout) :: flux(5, nx, ny, nz)
    integer :: i, j, k, m
    real(c_double) :: area, vl, vr, d, p

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          area = sqrt(n(1, i, j, k)**2 + n(2, i, j, k)**2 + n(3, i, j, k)**2)
          vl = (l(2, i, j, k) * n(1, i, j, k) + l(3, i, j, k) * n(2, i, j, k) &
            + l(4, i, j, k) * n(3, i, j, k)) / l(1, i, j, k)
          vr = (r(2, i, j, k) * n(1, i, j, k) + r(3, i, j, k) * n(2, i, j, k) &
            + r(4, i, j, k) * n(3, i, j, k)) / r(1, i, j, k)
          d = 0.5d0 * sensor(i, j, k) * 0.5d0 * (ls(4, i, j, k) + rs(4, i, j, k)) &
            * max(abs(vl) + ls(3, i, j, k) * area, abs(vr) + rs(3, i, j, k) * area)
          p = 0.5d0 * (ls(1, i, j, k) + rs(1, i, j, k))
          flux(1, i, j, k) = 0.5d0 * (l(1, i, j, k) * vl + r(1, i, j, k) * vr) &
            - d * (r(1, i, j, k) - l(1, i, j, k))
          do m = 2, 4
            flux(m, i, j, k) = 0.5d0 * (l(m, i, j, k) * vl + r(m, i, j, k) * vr) &
              + p * n(m - 1, i, j, k) - d * (r(m, i, j, k) - l(m, i, j, k))
          end do
          flux(5, i, j, k) = 0.5d0 * (l(1, i, j, k) * ls(2, i, j, k) * vl &
            + r(1, i, j, k) * rs(2, i, j, k) * vr) - d * (r(5, i, j, k) - l(5, i, j, k))
        end do
      end do
    end do
  end subroutine fluxFirst

  subroutine jacobiansLast(nx, ny, nz, f, q, x, y, z) bind(c, name='loop_jacobians_last')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: q(nx, ny, nz, 5)
    real(c_double), intent(inout) :: x(nx, ny, nz, 5, 5), y(nx, ny, nz, 5, 5), z(nx, ny, nz, 5, 5)
    real(c_double) :: r, u(3), e, h
    integer :: i, j, k

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          r = 1.0d0 / q(i, j, k, 1)
          u = q(i, j, k, 2:4) * r
          e = 0.5d0 * (u(1)**2 + u(2)**2 + u(3)**2)
          h = 1.4d0 * q(i, j, k, 5) * r - 0.4d0 * e
          x(i, j, k, 1, :) = [0.0d0, 1.0d0, 0.0d0, 0.0d0, 0.0d0]
          x(i, j, k, 2, :) = [0.4d0 * e - u(1)**2, 1.6d0 * u(1), -0.4d0 * u(2), -0.4d0 * u(3), 0.4d0]
          x(i, j, k, 3, :) = [-u(1) * u(2), u(2), u(1), 0.0d0, 0.0d0]
          x(i, j, k, 4, :) = [-u(1) * u(3), u(3), 0.0d0, u(1), 0.0d0]
          x(i, j, k, 5, :) = [u(1) * (0.4d0 * e - h), h - 0.4d0 * u(1)**2, -0.4d0 * u(1) * u(2), &
            -0.4d0 * u(1) * u(3), 1.4d0 * u(1)]
          y(i, j, k, 1, :) = [0.0d0, 0.0d0, 1.0d0, 0.0d0, 0.0d0]
          y(i, j, k, 2, :) = [-u(1) * u(2), u(2), u(1), 0.0d0, 0.0d0]
          y(i, j, k, 3, :) = [0.4d0 * e - u(2)**2, -0.4d0 * u(1), 1.6d0 * u(2), -0.4d0 * u(3), 0.4d0]
          y(i, j, k, 4, :) = [-u(2) * u(3), 0.0d0, u(3), u(2), 0.0d0]
          y(i, j, k, 5, :) = [u(2) * (0.4d0 * e - h), -0.4d0 * u(1) * u(2), h - 0.4d0 * u(2)**2, &
            -0.4d0 * u(2) * u(3), 1.4d0 * u(2)]
          z(i, j, k, 1, :) = [0.0d0, 0.0d0, 0.0d0, 1.0d0, 0.0d0]
          z(i, j, k, 2, :) = [-u(1) * u(3), u(3), 0.0d0, u(1), 0.0d0]
          z(i, j, k, 3, :) = [-u(2) * u(3), 0.0d0, u(3), u(2), 0.0d0]
          z(i, j, k, 4, :) = [0.4d0 * e - u(3)**2, -0.4d0 * u(1), -0.4d0 * u(2), 1.6d0 * u(3), 0.4d0]
          z(i, j, k, 5, :) = [u(3) * (0.4d0 * e - h), -0.4d0 * u(1) * u(3), -0.4d0 * u(2) * u(3), &
            h - 0.4d0 * u(3)**2, 1.4d0 * u(3)]
        end do
      end do
    end do
  end subroutine jacobiansLast

  subroutine jacobiansFirst(nx, ny, nz, f, q, x, y, z) bind(c, name='loop_jacobians_first')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: q(5, nx, ny, nz)
    real(c_double), intent(inout) :: x(5, 5, nx, ny, nz), y(5, 5, nx, ny, nz), z(5, 5, nx, ny, nz)
    real(c_double) :: r, u(3), e, h
    integer :: i, j, k

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          r = 1.0d0 / q(1, i, j, k)
          u = q(2:4, i, j, k) * r
          e = 0.5d0 * (u(1)**2 + u(2)**2 + u(3)**2)
          h = 1.4d0 * q(5, i, j, k) * r - 0.4d0 * e
          x(1, :, i, j, k) = [0.0d0, 1.0d0, 0.0d0, 0.0d0, 0.0d0]
          x(2, :, i, j, k) = [0.4d0 * e - u(1)**2, 1.6d0 * u(1), -0.4d0 * u(2), -0.4d0 * u(3), 0.4d0]
          x(3, :, i, j, k) = [-u(1) * u(2), u(2), u(1), 0.0d0, 0.0d0]
          x(4, :, i, j, k) = [-u(1) * u(3), u(3), 0.0d0, u(1), 0.0d0]
          x(5, :, i, j, k) = [u(1) * (0.4d0 * e - h), h - 0.4d0 * u(1)**2, -0.4d0 * u(1) * u(2), &
            -0.4d0 * u(1) * u(3), 1.4d0 * u(1)]
          y(1, :, i, j, k) = [0.0d0, 0.0d0, 1.0d0, 0.0d0, 0.0d0]
          y(2, :, i, j, k) = [-u(1) * u(2), u(2), u(1), 0.0d0, 0.0d0]
          y(3, :, i, j, k) = [0.4d0 * e - u(2)**2, -0.4d0 * u(1), 1.6d0 * u(2), -0.4d0 * u(3), 0.4d0]
          y(4, :, i, j, k) = [-u(2) * u(3), 0.0d0, u(3), u(2), 0.0d0]
          y(5, :, i, j, k) = [u(2) * (0.4d0 * e - h), -0.4d0 * u(1) * u(2), h - 0.4d0 * u(2)**2, &
            -0.4d0 * u(2) * u(3), 1.4d0 * u(2)]
          z(1, :, i, j, k) = [0.0d0, 0.0d0, 0.0d0, 1.0d0, 0.0d0]
          z(2, :, i, j, k) = [-u(1) * u(3), u(3), 0.0d0, u(1), 0.0d0]
          z(3, :, i, j, k) = [-u(2) * u(3), 0.0d0, u(3), u(2), 0.0d0]
          z(4, :, i, j, k) = [0.4d0 * e - u(3)**2, -0.4d0 * u(1), -0.4d0 * u(2), 1.6d0 * u(3), 0.4d0]
          z(5, :, i, j, k) = [u(3) * (0.4d0 * e - h), -0.4d0 * u(1) * u(3), -0.4d0 * u(2) * u(3), &
            h - 0.4d0 * u(3)**2, 1.4d0 * u(3)]
        end do
      end do
    end do
  end subroutine jacobiansFirst

  subroutine scalingLast(nx, ny, nz, f, r) bind(c, name='loop_scaling_last')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(inout) :: r(nx, ny, nz, 5)
    integer :: i, j, k, m

    do m = 1, 5
      do k = f + 1, nz - f
        do j = f + 1, ny - f
          do i = f + 1, nx - f
            r(i, j, k, m) = r(i, j, k, m) * dt
          end do
        end do
      end do
    end do
  end subroutine scalingLast

  subroutine scalingFirst(nx, ny, nz, f, r) bind(c, name='loop_scaling_first')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(inout) :: r(5, nx, ny, nz)
    integer :: i, j, k, m

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          do m = 1, 5
            r(m, i, j, k) = r(m, i, j, k) * dt
          end do
        end do
      end do
    end do
  end subroutine scalingFirst

  subroutine rhsXLast(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs) &
      bind(c, name='loop_neighbours_last')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: u(nx, ny, nz, 5), us(nx, ny, nz), vs(nx, ny, nz), ws(nx, ny, nz)
    real(c_double), intent(in) :: qs(nx, ny, nz), square(nx, ny, nz), rho(nx, ny, nz)
    real(c_double), intent(inout) :: rhs(nx, ny, nz, 5)
    integer :: i, j, k
    real(c_double) :: here, up, um

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          here = us(i, j, k)
          up = us(i + 1, j, k)
          um = us(i - 1, j, k)
          rhs(i, j, k, 1) = rhs(i, j, k, 1) &
            + d * (u(i + 1, j, k, 1) - 2.0d0 * u(i, j, k, 1) + u(i - 1, j, k, 1)) &
            - t2 * (u(i + 1, j, k, 2) - u(i - 1, j, k, 2))
          rhs(i, j, k, 2) = rhs(i, j, k, 2) &
            + d * (u(i + 1, j, k, 2) - 2.0d0 * u(i, j, k, 2) + u(i - 1, j, k, 2)) &
            + con2 * con43 * (up - 2.0d0 * here + um) &
            - t2 * (u(i + 1, j, k, 2) * up - u(i - 1, j, k, 2) * um &
            + (u(i + 1, j, k, 5) - square(i + 1, j, k) &
            - u(i - 1, j, k, 5) + square(i - 1, j, k)) * c2)
          rhs(i, j, k, 3) = rhs(i, j, k, 3) &
            + d * (u(i + 1, j, k, 3) - 2.0d0 * u(i, j, k, 3) + u(i - 1, j, k, 3)) &
            + con2 * (vs(i + 1, j, k) - 2.0d0 * vs(i, j, k) + vs(i - 1, j, k)) &
            - t2 * (u(i + 1, j, k, 3) * up - u(i - 1, j, k, 3) * um)
          rhs(i, j, k, 4) = rhs(i, j, k, 4) &
            + d * (u(i + 1, j, k, 4) - 2.0d0 * u(i, j, k, 4) + u(i - 1, j, k, 4)) &
            + con2 * (ws(i + 1, j, k) - 2.0d0 * ws(i, j, k) + ws(i - 1, j, k)) &
            - t2 * (u(i + 1, j, k, 4) * up - u(i - 1, j, k, 4) * um)
          rhs(i, j, k, 5) = rhs(i, j, k, 5) &
            + d * (u(i + 1, j, k, 5) - 2.0d0 * u(i, j, k, 5) + u(i - 1, j, k, 5)) &
            + con3 * (qs(i + 1, j, k) - 2.0d0 * qs(i, j, k) + qs(i - 1, j, k)) &
            + con4 * (up * up - 2.0d0 * here * here + um * um) &
            + con5 * (u(i + 1, j, k, 5) * rho(i + 1, j, k) &
            - 2.0d0 * u(i, j, k, 5) * rho(i, j, k) + u(i - 1, j, k, 5) * rho(i - 1, j, k)) &
            - t2 * ((c1 * u(i + 1, j, k, 5) - c2 * square(i + 1, j, k)) * up &
            - (c1 * u(i - 1, j, k, 5) - c2 * square(i - 1, j, k)) * um)
        end do
      end do
    end do
  end subroutine rhsXLast

  subroutine rhsYLast(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: u(nx, ny, nz, 5), us(nx, ny, nz), vs(nx, ny, nz), ws(nx, ny, nz)
    real(c_double), intent(in) :: qs(nx, ny, nz), square(nx, ny, nz), rho(nx, ny, nz)
    real(c_double), intent(inout) :: rhs(nx, ny, nz, 5)
    integer :: i, j, k
    real(c_double) :: here, up, um

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          here = vs(i, j, k)
          up = vs(i, j + 1, k)
          um = vs(i, j - 1, k)
          rhs(i, j, k, 1) = rhs(i, j, k, 1) &
            + d * (u(i, j + 1, k, 1) - 2.0d0 * u(i, j, k, 1) + u(i, j - 1, k, 1)) &
            - t2 * (u(i, j + 1, k, 3) - u(i, j - 1, k, 3))
          rhs(i, j, k, 2) = rhs(i, j, k, 2) &
            + d * (u(i, j + 1, k, 2) - 2.0d0 * u(i, j, k, 2) + u(i, j - 1, k, 2)) &
            + con2 * (us(i, j + 1, k) - 2.0d0 * us(i, j, k) + us(i, j - 1, k)) &
            - t2 * (u(i, j + 1, k, 2) * up - u(i, j - 1, k, 2) * um)
          rhs(i, j, k, 3) = rhs(i, j, k, 3) &
            + d * (u(i, j + 1, k, 3) - 2.0d0 * u(i, j, k, 3) + u(i, j - 1, k, 3)) &
            + con2 * con43 * (up - 2.0d0 * here + um) &
            - t2 * (u(i, j + 1, k, 3) * up - u(i, j - 1, k, 3) * um &
            + (u(i, j + 1, k, 5) - square(i, j + 1, k) &
            - u(i, j - 1, k, 5) + square(i, j - 1, k)) * c2)
          rhs(i, j, k, 4) = rhs(i, j, k, 4) &
            + d * (u(i, j + 1, k, 4) - 2.0d0 * u(i, j, k, 4) + u(i, j - 1, k, 4)) &
            + con2 * (ws(i, j + 1, k) - 2.0d0 * ws(i, j, k) + ws(i, j - 1, k)) &
            - t2 * (u(i, j + 1, k, 4) * up - u(i, j - 1, k, 4) * um)
          rhs(i, j, k, 5) = rhs(i, j, k, 5) &
            + d * (u(i, j + 1, k, 5) - 2.0d0 * u(i, j, k, 5) + u(i, j - 1, k, 5)) &
            + con3 * (qs(i, j + 1, k) - 2.0d0 * qs(i, j, k) + qs(i, j - 1, k)) &
            + con4 * (up * up - 2.0d0 * here * here + um * um) &
            + con5 * (u(i, j + 1, k, 5) * rho(i, j + 1, k) &
            - 2.0d0 * u(i, j, k, 5) * rho(i, j, k) + u(i, j - 1, k, 5) * rho(i, j - 1, k)) &
            - t2 * ((c1 * u(i, j + 1, k, 5) - c2 * square(i, j + 1, k)) * up &
            - (c1 * u(i, j - 1, k, 5) - c2 * square(i, j - 1, k)) * um)
        end do
      end do
    end do
  end subroutine rhsYLast

  subroutine rhsZLast(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: u(nx, ny, nz, 5), us(nx, ny, nz), vs(nx, ny, nz), ws(nx, ny, nz)
    real(c_double), intent(in) :: qs(nx, ny, nz), square(nx, ny, nz), rho(nx, ny, nz)
    real(c_double), intent(inout) :: rhs(nx, ny, nz, 5)
    integer :: i, j, k
    real(c_double) :: here, up, um

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          here = ws(i, j, k)
          up = ws(i, j, k + 1)
          um = ws(i, j, k - 1)
          rhs(i, j, k, 1) = rhs(i, j, k, 1) &
            + d * (u(i, j, k + 1, 1) - 2.0d0 * u(i, j, k, 1) + u(i, j, k - 1, 1)) &
            - t2 * (u(i, j, k + 1, 4) - u(i, j, k - 1, 4))
          rhs(i, j, k, 2) = rhs(i, j, k, 2) &
            + d * (u(i, j, k + 1, 2) - 2.0d0 * u(i, j, k, 2) + u(i, j, k - 1, 2)) &
            + con2 * (us(i, j, k + 1) - 2.0d0 * us(i, j, k) + us(i, j, k - 1)) &
            - t2 * (u(i, j, k + 1, 2) * up - u(i, j, k - 1, 2) * um)
          rhs(i, j, k, 3) = rhs(i, j, k, 3) &
            + d * (u(i, j, k + 1, 3) - 2.0d0 * u(i, j, k, 3) + u(i, j, k - 1, 3)) &
            + con2 * (vs(i, j, k + 1) - 2.0d0 * vs(i, j, k) + vs(i, j, k - 1)) &
            - t2 * (u(i, j, k + 1, 3) * up - u(i, j, k - 1, 3) * um)
          rhs(i, j, k, 4) = rhs(i, j, k, 4) &
            + d * (u(i, j, k + 1, 4) - 2.0d0 * u(i, j, k, 4) + u(i, j, k - 1, 4)) &
            + con2 * con43 * (up - 2.0d0 * here + um) &
            - t2 * (u(i, j, k + 1, 4) * up - u(i, j, k - 1, 4) * um &
            + (u(i, j, k + 1, 5) - square(i, j, k + 1) &
            - u(i, j, k - 1, 5) + square(i, j, k - 1)) * c2)
          rhs(i, j, k, 5) = rhs(i, j, k, 5) &
            + d * (u(i, j, k + 1, 5) - 2.0d0 * u(i, j, k, 5) + u(i, j, k - 1, 5)) &
            + con3 * (qs(i, j, k + 1) - 2.0d0 * qs(i, j, k) + qs(i, j, k - 1)) &
            + con4 * (up * up - 2.0d0 * here * here + um * um) &
            + con5 * (u(i, j, k + 1, 5) * rho(i, j, k + 1) &
            - 2.0d0 * u(i, j, k, 5) * rho(i, j, k) + u(i, j, k - 1, 5) * rho(i, j, k - 1)) &
            - t2 * ((c1 * u(i, j, k + 1, 5) - c2 * square(i, j, k + 1)) * up &
            - (c1 * u(i, j, k - 1, 5) - c2 * square(i, j, k - 1)) * um)
        end do
      end do
    end do
  end subroutine rhsZLast

  subroutine fusedLast(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs) &
      bind(c, name='loop_fused_last')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: u(nx, ny, nz, 5), us(nx, ny, nz), vs(nx, ny, nz), ws(nx, ny, nz)
    real(c_double), intent(in) :: qs(nx, ny, nz), square(nx, ny, nz), rho(nx, ny, nz)
    real(c_double), intent(inout) :: rhs(nx, ny, nz, 5)

    call rhsXLast(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
    call rhsYLast(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
    call rhsZLast(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
  end subroutine fusedLast

  subroutine rhsXFirst(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs) &
      bind(c, name='loop_neighbours_first')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: u(5, nx, ny, nz), us(nx, ny, nz), vs(nx, ny, nz), ws(nx, ny, nz)
    real(c_double), intent(in) :: qs(nx, ny, nz), square(nx, ny, nz), rho(nx, ny, nz)
    real(c_double), intent(inout) :: rhs(5, nx, ny, nz)
    integer :: i, j, k
    real(c_double) :: here, up, um

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          here = us(i, j, k)
          up = us(i + 1, j, k)
          um = us(i - 1, j, k)
          rhs(1, i, j, k) = rhs(1, i, j, k) &
            + d * (u(1, i + 1, j, k) - 2.0d0 * u(1, i, j, k) + u(1, i - 1, j, k)) &
            - t2 * (u(2, i + 1, j, k) - u(2, i - 1, j, k))
          rhs(2, i, j, k) = rhs(2, i, j, k) &
            + d * (u(2, i + 1, j, k) - 2.0d0 * u(2, i, j, k) + u(2, i - 1, j, k)) &
            + con2 * con43 * (up - 2.0d0 * here + um) &
            - t2 * (u(2, i + 1, j, k) * up - u(2, i - 1, j, k) * um &
            + (u(5, i + 1, j, k) - square(i + 1, j, k) &
            - u(5, i - 1, j, k) + square(i - 1, j, k)) * c2)
          rhs(3, i, j, k) = rhs(3, i, j, k) &
            + d * (u(3, i + 1, j, k) - 2.0d0 * u(3, i, j, k) + u(3, i - 1, j, k)) &
            + con2 * (vs(i + 1, j, k) - 2.0d0 * vs(i, j, k) + vs(i - 1, j, k)) &
            - t2 * (u(3, i + 1, j, k) * up - u(3, i - 1, j, k) * um)
          rhs(4, i, j, k) = rhs(4, i, j, k) &
            + d * (u(4, i + 1, j, k) - 2.0d0 * u(4, i, j, k) + u(4, i - 1, j, k)) &
            + con2 * (ws(i + 1, j, k) - 2.0d0 * ws(i, j, k) + ws(i - 1, j, k)) &
            - t2 * (u(4, i + 1, j, k) * up - u(4, i - 1, j, k) * um)
          rhs(5, i, j, k) = rhs(5, i, j, k) &
            + d * (u(5, i + 1, j, k) - 2.0d0 * u(5, i, j, k) + u(5, i - 1, j, k)) &
            + con3 * (qs(i + 1, j, k) - 2.0d0 * qs(i, j, k) + qs(i - 1, j, k)) &
            + con4 * (up * up - 2.0d0 * here * here + um * um) &
            + con5 * (u(5, i + 1, j, k) * rho(i + 1, j, k) &
            - 2.0d0 * u(5, i, j, k) * rho(i, j, k) + u(5, i - 1, j, k) * rho(i - 1, j, k)) &
            - t2 * ((c1 * u(5, i + 1, j, k) - c2 * square(i + 1, j, k)) * up &
            - (c1 * u(5, i - 1, j, k) - c2 * square(i - 1, j, k)) * um)
        end do
      end do
    end do
  end subroutine rhsXFirst

  subroutine rhsYFirst(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: u(5, nx, ny, nz), us(nx, ny, nz), vs(nx, ny, nz), ws(nx, ny, nz)
    real(c_double), intent(in) :: qs(nx, ny, nz), square(nx, ny, nz), rho(nx, ny, nz)
    real(c_double), intent(inout) :: rhs(5, nx, ny, nz)
    integer :: i, j, k
    real(c_double) :: here, up, um

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          here = vs(i, j, k)
          up = vs(i, j + 1, k)
          um = vs(i, j - 1, k)
          rhs(1, i, j, k) = rhs(1, i, j, k) &
            + d * (u(1, i, j + 1, k) - 2.0d0 * u(1, i, j, k) + u(1, i, j - 1, k)) &
            - t2 * (u(3, i, j + 1, k) - u(3, i, j - 1, k))
          rhs(2, i, j, k) = rhs(2, i, j, k) &
            + d * (u(2, i, j + 1, k) - 2.0d0 * u(2, i, j, k) + u(2, i, j - 1, k)) &
            + con2 * (us(i, j + 1, k) - 2.0d0 * us(i, j, k) + us(i, j - 1, k)) &
            - t2 * (u(2, i, j + 1, k) * up - u(2, i, j - 1, k) * um)
          rhs(3, i, j, k) = rhs(3, i, j, k) &
            + d * (u(3, i, j + 1, k) - 2.0d0 * u(3, i, j, k) + u(3, i, j - 1, k)) &
            + con2 * con43 * (up - 2.0d0 * here + um) &
            - t2 * (u(3, i, j + 1, k) * up - u(3, i, j - 1, k) * um &
            + (u(5, i, j + 1, k) - square(i, j + 1, k) &
            - u(5, i, j - 1, k) + square(i, j - 1, k)) * c2)
          rhs(4, i, j, k) = rhs(4, i, j, k) &
            + d * (u(4, i, j + 1, k) - 2.0d0 * u(4, i, j, k) + u(4, i, j - 1, k)) &
            + con2 * (ws(i, j + 1, k) - 2.0d0 * ws(i, j, k) + ws(i, j - 1, k)) &
            - t2 * (u(4, i, j + 1, k) * up - u(4, i, j - 1, k) * um)
          rhs(5, i, j, k) = rhs(5, i, j, k) &
            + d * (u(5, i, j + 1, k) - 2.0d0 * u(5, i, j, k) + u(5, i, j - 1, k)) &
            + con3 * (qs(i, j + 1, k) - 2.0d0 * qs(i, j, k) + qs(i, j - 1, k)) &
            + con4 * (up * up - 2.0d0 * here * here + um * um) &
            + con5 * (u(5, i, j + 1, k) * rho(i, j + 1, k) &
            - 2.0d0 * u(5, i, j, k) * rho(i, j, k) + u(5, i, j - 1, k) * rho(i, j - 1, k)) &
            - t2 * ((c1 * u(5, i, j + 1, k) - c2 * square(i, j + 1, k)) * up &
            - (c1 * u(5, i, j - 1, k) - c2 * square(i, j - 1, k)) * um)
        end do
      end do
    end do
  end subroutine rhsYFirst

  subroutine rhsZFirst(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: u(5, nx, ny, nz), us(nx, ny, nz), vs(nx, ny, nz), ws(nx, ny, nz)
    real(c_double), intent(in) :: qs(nx, ny, nz), square(nx, ny, nz), rho(nx, ny, nz)
    real(c_double), intent(inout) :: rhs(5, nx, ny, nz)
    integer :: i, j, k
    real(c_double) :: here, up, um

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          here = ws(i, j, k)
          up = ws(i, j, k + 1)
          um = ws(i, j, k - 1)
          rhs(1, i, j, k) = rhs(1, i, j, k) &
            + d * (u(1, i, j, k + 1) - 2.0d0 * u(1, i, j, k) + u(1, i, j, k - 1)) &
            - t2 * (u(4, i, j, k + 1) - u(4, i, j, k - 1))
          rhs(2, i, j, k) = rhs(2, i, j, k) &
            + d * (u(2, i, j, k + 1) - 2.0d0 * u(2, i, j, k) + u(2, i, j, k - 1)) &
            + con2 * (us(i, j, k + 1) - 2.0d0 * us(i, j, k) + us(i, j, k - 1)) &
            - t2 * (u(2, i, j, k + 1) * up - u(2, i, j, k - 1) * um)
          rhs(3, i, j, k) = rhs(3, i, j, k) &
            + d * (u(3, i, j, k + 1) - 2.0d0 * u(3, i, j, k) + u(3, i, j, k - 1)) &
            + con2 * (vs(i, j, k + 1) - 2.0d0 * vs(i, j, k) + vs(i, j, k - 1)) &
            - t2 * (u(3, i, j, k + 1) * up - u(3, i, j, k - 1) * um)
          rhs(4, i, j, k) = rhs(4, i, j, k) &
            + d * (u(4, i, j, k + 1) - 2.0d0 * u(4, i, j, k) + u(4, i, j, k - 1)) &
            + con2 * con43 * (up - 2.0d0 * here + um) &
            - t2 * (u(4, i, j, k + 1) * up - u(4, i, j, k - 1) * um &
            + (u(5, i, j, k + 1) - square(i, j, k + 1) &
            - u(5, i, j, k - 1) + square(i, j, k - 1)) * c2)
          rhs(5, i, j, k) = rhs(5, i, j, k) &
            + d * (u(5, i, j, k + 1) - 2.0d0 * u(5, i, j, k) + u(5, i, j, k - 1)) &
            + con3 * (qs(i, j, k + 1) - 2.0d0 * qs(i, j, k) + qs(i, j, k - 1)) &
            + con4 * (up * up - 2.0d0 * here * here + um * um) &
            + con5 * (u(5, i, j, k + 1) * rho(i, j, k + 1) &
            - 2.0d0 * u(5, i, j, k) * rho(i, j, k) + u(5, i, j, k - 1) * rho(i, j, k - 1)) &
            - t2 * ((c1 * u(5, i, j, k + 1) - c2 * square(i, j, k + 1)) * up &
            - (c1 * u(5, i, j, k - 1) - c2 * square(i, j, k - 1)) * um)
        end do
      end do
    end do
  end subroutine rhsZFirst

  subroutine fusedFirst(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs) &
      bind(c, name='loop_fused_first')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: u(5, nx, ny, nz), us(nx, ny, nz), vs(nx, ny, nz), ws(nx, ny, nz)
    real(c_double), intent(in) :: qs(nx, ny, nz), square(nx, ny, nz), rho(nx, ny, nz)
    real(c_double), intent(inout) :: rhs(5, nx, ny, nz)

    call rhsXFirst(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
    call rhsYFirst(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
    call rhsZFirst(nx, ny, nz, f, u, us, vs, ws, qs, square, rho, rhs)
  end subroutine fusedFirst

  subroutine sumLast(nx, ny, nz, f, q, total, least) bind(c, name='loop_sum_last')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: q(nx, ny, nz, 5)
    real(c_double), intent(out) :: total, least
    integer :: i, j, k
    real(c_double) :: r, u, v, w, p, s

    total = 0.0d0
    least = huge(least)
    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          r = 1.0d0 / q(i, j, k, 1)
          u = q(i, j, k, 2) * r
          v = q(i, j, k, 3) * r
          w = q(i, j, k, 4) * r
          p = 0.4d0 * (q(i, j, k, 5) - 0.5d0 * q(i, j, k, 1) * (u * u + v * v + w * w))
          s = 1.0d0 / (max(abs(u), abs(v), abs(w)) + sqrt(1.4d0 * p * r))
          total = total + s
          least = min(least, s)
        end do
      end do
    end do
  end subroutine sumLast

  subroutine sumFirst(nx, ny, nz, f, q, total, least) bind(c, name='loop_sum_first')
    integer(c_int), value :: nx, ny, nz, f
    real(c_double), intent(in) :: q(5, nx, ny, nz)
    real(c_double), intent(out) :: total, least
    integer :: i, j, k
    real(c_double) :: r, u, v, w, p, s

    total = 0.0d0
    least = huge(least)
    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          r = 1.0d0 / q(1, i, j, k)
          u = q(2, i, j, k) * r
          v = q(3, i, j, k) * r
          w = q(4, i, j, k) * r
          p = 0.4d0 * (q(5, i, j, k) - 0.5d0 * q(1, i, j, k) * (u * u + v * v + w * w))
          s = 1.0d0 / (max(abs(u), abs(v), abs(w)) + sqrt(1.4d0 * p * r))
          total = total + s
          least = min(least, s)
        end do
      end do
    end do
  end subroutine sumFirst

  subroutine jacobi4Last(nx, ny, nz, f, p, a, b, c, bnd, wrk1, wrk2) &
      bind(c, name='loop_jacobi4_last')
    integer(c_int), value :: nx, ny, nz, f
    real(c_float), intent(in) :: p(nx, ny, nz), a(nx, ny, nz, 4), b(nx, ny, nz, 3)
    real(c_float), intent(in) :: c(nx, ny, nz, 3), bnd(nx, ny, nz), wrk1(nx, ny, nz)
    real(c_float), intent(inout) :: wrk2(nx, ny, nz)
    integer :: i, j, k
    real(c_float) :: s0, ss

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          s0 = a(i, j, k, 1) * p(i + 1, j, k) + a(i, j, k, 2) * p(i, j + 1, k) &
            + a(i, j, k, 3) * p(i, j, k + 1) &
            + b(i, j, k, 1) * (p(i + 1, j + 1, k) - p(i + 1, j - 1, k) &
            - p(i - 1, j + 1, k) + p(i - 1, j - 1, k)) &
            + b(i, j, k, 2) * (p(i, j + 1, k + 1) - p(i, j - 1, k + 1) &
            - p(i, j + 1, k - 1) + p(i, j - 1, k - 1)) &
            + b(i, j, k, 3) * (p(i + 1, j, k + 1) - p(i - 1, j, k + 1) &
            - p(i + 1, j, k - 1) + p(i - 1, j, k - 1)) &
            + c(i, j, k, 1) * p(i - 1, j, k) + c(i, j, k, 2) * p(i, j - 1, k) &
            + c(i, j, k, 3) * p(i, j, k - 1) + wrk1(i, j, k)
          ss = (s0 * a(i, j, k, 4) - p(i, j, k)) * bnd(i, j, k)
          wrk2(i, j, k) = p(i, j, k) + omega * ss
        end do
      end do
    end do
  end subroutine jacobi4Last

  subroutine jacobi4First(nx, ny, nz, f, p, a, b, c, bnd, wrk1, wrk2) &
      bind(c, name='loop_jacobi4_first')
    integer(c_int), value :: nx, ny, nz, f
    real(c_float), intent(in) :: p(nx, ny, nz), a(4, nx, ny, nz), b(3, nx, ny, nz)
    real(c_float), intent(in) :: c(3, nx, ny, nz), bnd(nx, ny, nz), wrk1(nx, ny, nz)
    real(c_float), intent(inout) :: wrk2(nx, ny, nz)
    integer :: i, j, k
    real(c_float) :: s0, ss

    do k = f + 1, nz - f
      do j = f + 1, ny - f
        do i = f + 1, nx - f
          s0 = a(1, i, j, k) * p(i + 1, j, k) + a(2, i, j, k) * p(i, j + 1, k) &
            + a(3, i, j, k) * p(i, j, k + 1) &
            + b(1, i, j, k) * (p(i + 1, j + 1, k) - p(i + 1, j - 1, k) &
            - p(i - 1, j + 1, k) + p(i - 1, j - 1, k)) &
            + b(2, i, j, k) * (p(i, j + 1, k + 1) - p(i, j - 1, k + 1) &
            - p(i, j + 1, k - 1) + p(i, j - 1, k - 1)) &
            + b(3, i, j, k) * (p(i + 1, j, k + 1) - p(i - 1, j, k + 1) &
            - p(i + 1, j, k - 1) + p(i - 1, j, k - 1)) &
            + c(1, i, j, k) * p(i - 1, j, k) + c(2, i, j, k) * p(i, j - 1, k) &
            + c(3, i, j, k) * p(i, j, k - 1) + wrk1(i, j, k)
          ss = (s0 * a(4, i, j, k) - p(i, j, k)) * bnd(i, j, k)
          wrk2(i, j, k) = p(i, j, k) + omega * ss
        end do
      end do
    end do
  end subroutine jacobi4First

end module hostLoopsModule
