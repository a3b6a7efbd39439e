! Loops that may have no rounds: their ends come before their starts by any number.
module norounds
  implicit none
contains

  subroutine tail(n, m, a, b)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: b(n)
    integer :: i
    !$bridge begin tail
    do i = 1, m
      a(i) = a(i) + 1
    end do
    do i = m + 1, n
      a(i) = -b(i)
    end do
    !$bridge end
  end subroutine tail

  ! Neighbours, an array that has the same values along y, every second point.
  subroutine plane(i1, i2, j1, j2, n, a, b, c)
    integer, intent(in) :: i1, i2, j1, j2, n
    real(8), intent(inout) :: a(n, n)
    real(8), intent(in) :: b(n, n), c(n)
    integer :: i, j
    !$bridge begin plane
    do j = j1, j2
      do i = i1, i2, 2
        a(i, j) = b(i - 1, j) + b(i + 1, j) + c(i - 1)*c(i + 1)
      end do
    end do
    !$bridge end
  end subroutine plane

  subroutine numbers(i1, i2, n, b, k, s, low, high, least, most, found)
    integer, intent(in) :: i1, i2, n, k(n)
    real(8), intent(in) :: b(n)
    real(8), intent(inout) :: s, low, high
    integer, intent(inout) :: least, most
    logical, intent(inout) :: found
    integer :: i
    !$bridge begin numbers
    low = huge(low)
    most = -huge(most)
    do i = i1, i2
      s = s + b(i)
      low = min(low, b(i))
      high = max(high, b(i))
      least = min(least, k(i))
      most = max(most, k(i))
      if (b(i) > 2) found = .true.
    end do
    !$bridge end
  end subroutine numbers

  subroutine wholes(i1, i2, n, a, b, s, low)
    integer, intent(in) :: i1, i2, n
    real(8), intent(inout) :: a(n), s, low
    real(8), intent(in) :: b(n)
    !$bridge begin wholes
    a(i1:i2) = 2*b(i1:i2)
    s = sum(b(i1:i2))
    low = minval(b(i1:i2))
    !$bridge end
  end subroutine wholes

  ! Elements at places that a list says.
  subroutine listed(i1, i2, j1, j2, n, list, a, b)
    integer, intent(in) :: i1, i2, j1, j2, n, list(n)
    real(8), intent(inout) :: a(n, n)
    real(8), intent(in) :: b(n, n)
    integer :: i, j
    !$bridge begin listed
    do j = j1, j2
      do i = i1, i2
        a(list(i), j) = b(i, j) + 1
      end do
    end do
    !$bridge end
  end subroutine listed

  ! An array without a declared end, which the second loop may have beyond it.
  subroutine endless(n, i1, i2, a, b)
    integer, intent(in) :: n, i1, i2
    real(8), intent(inout) :: a(*)
    real(8), intent(in) :: b(n)
    integer :: i
    !$bridge begin endless
    do i = 1, n
      a(i) = a(i) + b(i)
    end do
    do i = i1, i2
      a(i) = 2*a(i)
    end do
    !$bridge end
  end subroutine endless

  ! A recurrence, backwards.
  subroutine back(i1, i2, n, a, b)
    integer, intent(in) :: i1, i2, n
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: b(n)
    integer :: i
    !$bridge begin back
    do i = i2, i1, -1
      a(i) = b(i) - 0.5d0*a(i + 1)
    end do
    !$bridge end
  end subroutine back
end module norounds
