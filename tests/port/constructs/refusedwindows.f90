! Windows on arrays that no kernel may have; the line says what the refusal names.
module refusedwindows
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  pure subroutine doubled(n, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp), intent(inout) :: y(*)
    integer :: i
    do i = 1, n
      y(i) = 2*x(i)
    end do
  end subroutine doubled

  pure subroutine raised(x, n)
    real(dp), intent(inout) :: x(*)
    integer, intent(inout) :: n
    n = n + 1
    x(1) = x(1) + n
  end subroutine raised

  pure subroutine set_one(x, t)
    real(dp), intent(inout) :: x(*), t
    x(2) = 3*x(1)
    if (x(1) > 0) t = x(2)
  end subroutine set_one

  pure subroutine exchanged(x, y)
    real(dp), intent(inout) :: x(*), y(*)
    x(1) = y(2)
    y(1) = x(2)
  end subroutine exchanged

  subroutine same_without_end(w)
    real(dp), intent(inout) :: w(10)
    call exchanged(w(3), w(3))                !! w is passed twice, and written
  end subroutine same_without_end

  subroutine overlaps(w)
    real(dp), intent(inout) :: w(10)
    call doubled(5, w(2), w(6))               !! w is passed twice, and written
  end subroutine overlaps

  subroutine same_begin(w)
    real(dp), intent(inout) :: w(10)
    call doubled(3, w, w(1))                  !! w is passed twice, and written
  end subroutine same_begin

  subroutine too_small(w, v)
    real(dp), intent(in) :: w(10)
    real(dp), intent(inout) :: v(10)
    call doubled(5, w(7), v)                  !! x of doubled: it has 5 elements, and from there on w has 4
  end subroutine too_small

  subroutine two_of_each(w, k)
    real(dp), intent(inout) :: w(10)
    integer, intent(in) :: k
    call doubled(2, w(k), w(k + 4))           !! w is passed twice, and written
  end subroutine two_of_each

  subroutine one_of_each(w, k)
    real(dp), intent(inout) :: w(10)
    integer, intent(in) :: k
    call doubled(2, w(1), w(k + 4))           !! w is passed twice, and written
  end subroutine one_of_each

  subroutine number_beside(w)
    real(dp), intent(inout) :: w(10)
    call set_one(w(1), w(2))                  !! w is passed twice, and written
  end subroutine number_beside

  subroutine moves_its_own(w, k)
    real(dp), intent(inout) :: w(10)
    integer, intent(inout) :: k
    call raised(w(k), k)                      !! it changes k, which is in a subscript of w
  end subroutine moves_its_own

  subroutine open_one(w, s)
    real(dp), intent(in) :: w(*)              !! argument w: its shape is known neither here nor
    real(dp), intent(out) :: s
    s = w(1) + w(2)
  end subroutine open_one

  subroutine open_passed(w, v)
    real(dp), intent(in) :: w(*)
    real(dp), intent(inout) :: v(4)
    call doubled(2, w(3), v)                  !! array w: its shape is not known here
  end subroutine open_passed

  subroutine steps(n, w)
    integer, intent(in) :: n
    real(dp), intent(inout) :: w(10)
    integer :: i
    do i = 1, 10, n                           !! do i with a step that is not constant
      w(i) = 0
    end do
  end subroutine steps

  subroutine out_of_it(w, s)
    real(dp), intent(in) :: w(3)
    real(dp), intent(out) :: s
    s = w(1)
    call doubled(2, w(4), s)                  !! w with a subscript out of its bounds
  end subroutine out_of_it
end module refusedwindows
