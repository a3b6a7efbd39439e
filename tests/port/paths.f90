! Nests whose fields live in derived types, pointers and allocatable data of modules.
module path_types
  implicit none
  type field_type
    real(8), pointer :: u(:, :), v(:, :) => null()
    real(8), allocatable :: w(:, :, :)
    real(8) :: scale(0:3)
  end type field_type
  type tile_type
    type(field_type) :: field
    integer :: xmin, xmax, ymin, ymax
    real(8) :: dx, total
  end type tile_type
  type chunk_type
    type(tile_type), allocatable :: tiles(:)
    real(8) :: dt
  end type chunk_type
  type(chunk_type) :: chunk
  real(8), allocatable, target :: aim(:, :)
end module path_types

module paths
  use path_types
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), allocatable :: heat(:, :), flux(:, :), rates(:)
  real(dp) :: share
contains
  subroutine diffuse(number)
    integer, intent(in) :: number
    integer :: j, k, jv, kv, tile
    real(dp) :: mean
    tile = number
    !$bridge begin diffuse
    do k = chunk%tiles(tile)%ymin, chunk%tiles(tile)%ymax
      do j = chunk%tiles(tile)%xmin, chunk%tiles(tile)%xmax
        mean = 0
        do kv = k, k + 1
          do jv = j - 1, j
            mean = mean + chunk%tiles(tile)%field%v(jv, kv)
          end do
        end do
        chunk%tiles(tile)%field%u(j, k) = chunk%tiles(tile)%field%u(j, k) + chunk%dt &
            * (mean - chunk%tiles(tile)%field%v(j+1, k)) / chunk%tiles(tile)%dx
        chunk%tiles(tile)%total = max(chunk%tiles(tile)%total, &
            chunk%tiles(tile)%field%v(j, k)*chunk%tiles(tile)%field%scale(0))
      end do
    end do
    !$bridge end
  end subroutine diffuse

  pure integer function twice(n)
    integer, intent(in) :: n
    twice = 2*n
  end function twice

  subroutine heating(s, n, m)
    type(field_type), intent(inout) :: s
    integer, intent(in) :: n, m
    real(dp), pointer :: p(:, :), q(:, :)
    integer :: i, j
    p => s%u
    share = 1
    associate (w => s%w, plane => aim(-1:, 0:), r => share*s%scale(3))
      !$bridge begin heating
      q => s%v
      do j = 1, n
        do i = 1, m
          heat(i, j) = heat(i, j) + p(i, j)*r + plane(i+2, j+1) + rates(2)
          flux(i, j) = p(i+1, j) - p(i-1, j)
          w(i, j, 1) = 2*q(i, j) + w(i, j, 1)
        end do
      end do
      !$bridge end
    end associate
  end subroutine heating

  real(dp) function hottest(n)
    integer, intent(in) :: n
    integer :: i, j
    hottest = 0
    !$bridge begin hottest
    do j = 1, n
      do i = 1, n
        hottest = max(hottest, heat(i, j))
      end do
    end do
    !$bridge end
  end function hottest

  subroutine cooled()
    !$bridge begin cooled
    heat(:, :) = 0.5_dp*heat
    heat(:, 2) = heat(:, 2) + 1
    !$bridge end
  end subroutine cooled
end module paths

program ramp
  use path_types
  implicit none
  real(8), allocatable :: q(:)
  integer :: i, n
  read (*, *) n
  allocate (q(0:n))
  !$bridge begin ramp
  do i = 1, n
    block
      integer :: n
      real(8) :: aims(3)
      aims = 0
      do n = 1, 3
        block
          real(8) :: n
          n = 0.5d0
          aims = aims + n
        end block
        associate (rest => aims(2:))
          rest(1) = rest(1) + n*aim(i, 1)
        end associate
      end do
      q(i) = q(i-1+1) + sum(aims)
    end block
  end do
  !$bridge end
  print *, q
end program ramp
