! The loops of `bridge bench loops` as a legacy code writes them, callable from C: over the interior
! of blocks with fringes of width f, component last and component first.
module hostLoopsModule
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  private

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

end module hostLoopsModule
