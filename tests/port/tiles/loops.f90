! Fields in an array of tiles, and procedures with the loops over the points of one of them.
module tile_types
  implicit none
  type field_type
    real(8), allocatable :: u(:, :), v(:, :), x(:)
  end type field_type
  type tile_type
    integer :: first, last, low, high
    real(8) :: weight
    type(field_type) :: field
  end type tile_type
  type box_type
    integer :: depth
    real(8), allocatable :: buffer(:, :)
    type(tile_type), allocatable :: tiles(:)
  end type box_type
  type(box_type), target :: box
  integer :: count_of_tiles
end module tile_types

module tile_loops
  use tile_types
  implicit none
  real(8) :: strength = 0.5d0
contains
  ! Bounds that are not 1, a value of this module, an array with other bounds.
  subroutine smoothed(first, last, low, high, u, v, factor, backwards)
    integer, intent(in) :: first, last, low, high
    real(8), intent(in) :: u(first - 2:last + 2, low - 1:high + 1)
    real(8), intent(inout) :: v(first - 2:last + 2, low - 1:high + 1)
    real(8), intent(in) :: factor
    logical, intent(in) :: backwards
    integer :: i, j
    if (backwards) then
      do j = low, high
        do i = first, last
          v(i, j) = v(i, j) - factor*(u(i + 1, j) - u(i, j))
        end do
      end do
    else
      do j = low, high
        do i = first, last
          v(i, j) = v(i, j) + strength*factor*(u(i, j + 1) - u(i - 2, j))
        end do
      end do
    end if
  end subroutine smoothed

  ! A number that the points add to, and one that the caller has as a component.
  subroutine summed(first, last, low, high, u, weight, total)
    integer, intent(in) :: first, last, low, high
    real(8), intent(in) :: u(first - 2:last + 2, low - 1:high + 1), weight
    real(8), intent(inout) :: total
    integer :: i, j
    do j = low, high
      do i = first, last
        total = total + weight*u(i, j)
      end do
    end do
  end subroutine summed

  ! Components of a dummy of a derived type.
  subroutine moved(field, first, last, by)
    type(field_type), intent(inout) :: field
    integer, intent(in) :: first, last
    real(8), intent(in) :: by
    integer :: i
    do i = first, last
      field%x(i) = field%x(i) + by*field%u(i, 3)
    end do
  end subroutine moved

  ! Assumed shape: the first subscripts are those of the dummy.
  subroutine copied(field, buffer, first, last, depth)
    real(8), intent(in) :: field(-1:, -1:)
    real(8), intent(inout) :: buffer(:, :)
    integer, intent(in) :: first, last, depth
    integer :: i, k
    do k = first, last
      do i = 1, depth
        buffer(i, k) = 2*field(i, k)
      end do
    end do
  end subroutine copied

  ! Nothing but numbers: no loops.
  subroutine halved(x)
    real(8), intent(inout) :: x
    x = 0.5d0*x
  end subroutine halved
end module tile_loops
