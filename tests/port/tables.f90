! Tables of few elements along each dimension.

! Three loops of few rounds around one another; their numbers are known when the kernel is built.
subroutine grouped(ng, fine, coarse)
  implicit none
  integer, intent(in) :: ng
  real(8), intent(in) :: fine(4, 5, 6, 8)
  real(8), intent(inout) :: coarse(4, 0:4, 6, 3)
  integer :: a, b, c, g, n, m
  real(8) :: s
  do a = 1, 4
    do b = 1, 5
      do c = 1, 6
        m = 0
        do g = 1, ng
          s = 0
          do n = 1, g
            m = m + 1
            s = s + fine(a, b, c, m)/m
          end do
          coarse(a, b - 1, c, g) = s
        end do
      end do
    end do
  end do
end subroutine grouped

! What is written lies along the outer loop alone; a loop of few rounds has the name of an index.
subroutine summed(ng, fine, rows, last)
  implicit none
  integer, intent(in) :: ng
  real(8), intent(in) :: fine(4, 5, 6)
  real(8), intent(inout) :: rows(3, 6), last(6)
  integer :: b, c, g
  do c = 1, 6
    do g = 1, ng
      rows(g, c) = 0
      do b = 1, 5
        rows(g, c) = rows(g, c) + g*fine(1, b, c)
      end do
    end do
  end do
  do b = 1, 6
    last(b) = rows(3, b) + 0.5d0*last(b)
  end do
end subroutine summed

! Along two of three loops.
subroutine thinned(na, fine, planes)
  implicit none
  integer, intent(in) :: na
  real(8), intent(in) :: fine(4, 5, 6)
  real(8), intent(inout) :: planes(4, 5)
  integer :: a, b, c
  do a = 1, na
    do b = 1, 5
      do c = 1, 6
        planes(a, b) = planes(a, b) + fine(a, b, c)
      end do
    end do
  end do
end subroutine thinned

! What is written lies along the inner loop alone.
subroutine damped(na, fine, column)
  implicit none
  integer, intent(in) :: na
  real(8), intent(in) :: fine(4, 5, 6)
  real(8), intent(inout) :: column(5)
  integer :: a, b
  do a = 1, na
    do b = 1, 5
      column(b) = 0.5d0*column(b) + fine(a, b, 1)
    end do
  end do
end subroutine damped

! Elements of tables that arrays of the points name, which get their values in the nest; places of a
! line that each point has for itself; components between the points.
subroutine looked_up(nx, nz, p, class, weight, share, tau)
  implicit none
  integer, intent(in) :: nx, nz
  real(8), intent(in) :: p(nx, nz), weight(7, 3), share(5)
  integer, intent(inout) :: class(nx, nz)
  real(8), intent(inout) :: tau(nx, 20, nz)
  integer :: place(nz), i, k, g
  do k = 1, nz
    do i = 1, nx
      class(i, k) = 1 + int(3*p(i, k))
      if (p(i, k) > 1d0) then
        place(k) = class(i, k) - 1
        do g = 1, 3
          tau(i, g + 5, k) = weight(place(k), g) + 0.5d0*weight(place(k) + 1, g)
        end do
      else
        place(k) = class(i, k)
        do g = 1, 3
          tau(i, g + 5, k) = tau(i, g + 5, k)*weight(place(k) + 2, g)
        end do
      end if
      if (share(class(i, k)) > 1d0) class(i, k) = -class(i, k)
    end do
  end do
end subroutine looked_up
