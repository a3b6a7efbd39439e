! Jumps backwards that are no loops.
module refusedjumps
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine leaves_around(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer :: i
    y = x
    do i = 1, 3
10    y = y*2
      if (y > 100) exit
      if (y < 10) goto 10                     !! goto backwards to 10
    end do
  end subroutine leaves_around

  subroutine begins_anew(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer :: i
    y = x
    do i = 1, 3
10    y = y*2
      if (y > 100) then
        cycle
      end if
      if (y < 10) goto 10                     !! goto backwards to 10
    end do
  end subroutine begins_anew

  subroutine second_way_in(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (x > 1) goto 30
10  y = y*2
    if (y > 50) then
      y = y - 1
30  end if
    if (y < 10) goto 10                       !! goto backwards to 10
  end subroutine second_way_in

  subroutine to_an_end(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (y > 5) then
      y = y/2
10  end if
    y = y + 1
    if (y < 10) goto 10                       !! goto backwards to 10
  end subroutine to_an_end

  subroutine by_a_status(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
10  y = y*2
    write(*, *, err=10) y
    if (y < 10) goto 10                       !! goto backwards to 10
  end subroutine by_a_status

  ! Two statements of one label are no Fortran: which of them is meant is not known.
  subroutine two_of_one(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
10  y = y*2
    if (y > 5) then
20    y = y + 1
    end if
20  if (y < 10) goto 10                       !! goto backwards to 10
  end subroutine two_of_one

  subroutine into_a_block(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (y > 5) then
10    y = y/2
    end if
    y = y + 1
    if (y < 10) goto 10                       !! goto 10: the label stands before, or in a block
  end subroutine into_a_block
end module refusedjumps
