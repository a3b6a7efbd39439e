! Nests whose arrays have shapes that only a run knows: allocatable ones with bounds of their own,
! assumed shape and size, logicals; as array statements and loops.
module shapes
  implicit none
  real(8), allocatable :: ux(:, :), w(:, :)
  type tile
    real(8), allocatable :: p(:, :)
  end type tile
contains
  subroutine advance(n, dt, t, f, thick, cloudy, any_cloud)
    integer, intent(in) :: n
    real(8), intent(in) :: dt, f(:, :)
    type(tile), intent(inout) :: t
    logical, intent(inout) :: thick(:, :), cloudy(:)
    logical, intent(inout) :: any_cloud
    integer :: i
    ux(:, :) = ux + dt*f
    where (t%p > 1.0d0 .and. .not. thick)
      t%p = 1.0d0
      thick = ux > 1.4d0
    end where
    w(2:n, :) = 3*w(2:n, :) - f(2:n, :)
    do i = 1, n
      cloudy(i) = f(i, 1) > 0.9d0 .and. (cloudy(i) .or. thick(i, 2))
    end do
    any_cloud = any(thick)
  end subroutine advance
  subroutine renewed(f)
    real(8), intent(in) :: f(:, :)
    !$bridge begin renewed
    ux = 2*f
    !$bridge end
  end subroutine renewed
  subroutine lines(n, a, x, y, s, many)
    integer, intent(in) :: n
    real(8), intent(in) :: a, x(*)
    real(8), intent(inout) :: y(0:*), s
    integer, intent(inout) :: many
    integer :: i
    !$bridge begin lines
    s = 0
    do i = 1, n
      y(i) = y(i) + a*(x(i + 1) - x(i))
      if (y(i) > 0.7d0) then
        s = s + x(i)
        many = many + 1
      end if
    end do
    !$bridge end
  end subroutine lines
  ! A result of two values, which may be what it was; texts beside the nest.
  subroutine enough(n, names, thick, good)
    integer, intent(in) :: n
    character(len=8), intent(in) :: names(n)
    logical, intent(in) :: thick(n)
    logical, intent(inout) :: good
    !$bridge begin enough
    good = all(thick)
    !$bridge end
    if (names(1) == 'none') good = .false.
  end subroutine enough
  subroutine beyond(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(*)
    real(8), intent(inout) :: y(n)
    integer :: i
    !$bridge begin beyond
    do i = 1, n
      if (i < n) y(i) = x(i + 1)
    end do
    !$bridge end
  end subroutine beyond
  ! The check fills t%p; the caller, which only reads t as well, has to compile still.
  subroutine weighted(n, t, y)
    integer, intent(in) :: n
    type(tile), intent(in) :: t
    real(8), intent(inout) :: y(n)
    integer :: i
    !$bridge begin weighted
    do i = 1, n
      y(i) = y(i) + 2*t%p(i, 1)
    end do
    !$bridge end
  end subroutine weighted
  subroutine twice(n, t, y)
    integer, intent(in) :: n
    type(tile), intent(in) :: t
    real(8), intent(inout) :: y(n)
    call weighted(n, t, y)
    call weighted(n, t, y)
  end subroutine twice
end module shapes
