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
