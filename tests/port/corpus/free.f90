! Free form: continuation, strings, constructs with names, forms of end.
module shapes
  use, intrinsic :: iso_fortran_env, only: dp => real64, int32
  implicit none
  private
  public :: area, count_up, point
  integer, parameter, public :: wp = selected_real_kind(p=15)
  real(wp), parameter :: ta&
    &ble(2, 3) = reshape([ 1.0_wp, & ! a comment
       2.0_wp,   &

       ! a comment of its own
       3.0_wp, 4.0_wp, 5.0_wp, 6.0_wp ], [2, 3])
  real(dp), save :: state = 1.5e0_dp
  type :: point
    real(wp) :: x = 0, y = 0
    integer(int32) :: cell(3)
  end type point
  interface area
    module procedure area_of_point
    procedure area_of_two
  end interface
  interface
    pure function outside(x) result(y)
      double precision, intent(in) :: x
      double precision :: y
    end function
  end interface
contains
  elemental real(wp) function area_of_point(p)
    type(point), intent(in) :: p
    area_of_point = p%x * p%y
  end function

  pure recursive function area_of_two(a, b) result(sum_of_two)
    type(point), intent(in) :: a, b
    real(kind=wp) :: sum_of_two
    sum_of_two = area_of_point(a) + area_of_point(b)
  endfunction area_of_two

  subroutine count_up(n, values, name)
    integer, intent(in) :: n
    real(wp), dimension(:), intent(in out) :: values
    character(len=*), intent(in), optional :: name
    integer :: i, j
    outer: do i = 1, n
      inner: do
        if (values(i) > 3) exit outer
        if (values(i) < 0) cycle outer
        values(i) = values(i) + 1
        if (mod(i, 2) == 0) then; exit inner; endif
      end do inner
    enddo outer
    do while (j < 3)
      j = j + 1
    end do
    do concurrent (i = 1:n, j = 1:2, i /= j)
      values(i) = values(i) * j
    end do
    choice: select case (n)
    case (:0)
      values = 0
    case (1, 3:5) choice
      values = 1
    case default
      values = 2
    end select choice
    where (values > 1)
      values = 1
    elsewhere (values < 0)
      values = 0
    else where
      values = 0.5_wp
    end where
    where (values > 2) values = 2
    ! the last comment
  end subroutine
end module shapes

submodule (shapes) more
contains
  subroutine hidden
  end subroutine hidden
end submodule more

  real :: x
  x = 1 ; print *, 'a ; b ! c', "it's", x
end
