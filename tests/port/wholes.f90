! Nests that assign to whole allocatable arrays, which keep their shape.
module wholes
  implicit none
contains

  ! One axis, from elsewhere than 1; values that the array has itself; a section that is one
  ! element shorter than its array.
  subroutine kept(nx, a, b, c, old, half, own)
    integer, intent(in) :: nx
    real(8), allocatable, intent(inout) :: a(:), old(:), half(:), own(:)
    real(8), intent(inout) :: b(0:nx), c(nx)
    integer :: i
    old = a
    half = 0.5d0*(b(1:) - b(:nx - 1))
    own = own + max(own, 1.0d0) + half*c
    a = sqrt(old + own)
    do i = 1, nx
      b(i) = b(i) + c(i)
      c(i) = 2*b(i)
    end do
  end subroutine kept

  ! Two axes; under a condition, in a loop of few rounds; a scalar gives no shape.
  subroutine kept_planes(nx, ny, mode, a, b, plane, turned)
    integer, intent(in) :: nx, ny, mode
    real(8), intent(inout) :: a(nx, ny), b(ny, nx)
    real(8), allocatable, intent(inout) :: plane(:, :), turned(:, :)
    integer :: k
    plane = 0
    do k = 1, 3
      plane = plane + k*a
    end do
    if (mode == 2) then
      turned = 0.25d0*transpose(b) + a
    else
      turned = plane(:, :)
    end if
    a = plane*turned
  end subroutine kept_planes

  ! Arrays that have subscripts of their own begin at the same one, which is no other's first one:
  ! c begins where they do. The ones of e and f are known.
  subroutine beside(n, low, a, b, c, e, f, g)
    integer, intent(in) :: n, low
    real(8), allocatable, intent(inout) :: a(:), b(:), c(:), f(:), g(:)
    real(8), intent(inout) :: e(0:n)
    integer :: i
    c = a - b
    where (b > c) a = b
    do i = low, low + n
      a(i) = 2*b(i) + a(i)
      b(i) = 0.5d0*a(i)
    end do
    f = e + f
    g = 3*f
    do i = 0, n
      e(i) = f(i) + 1
      f(i) = e(i)*f(i)
    end do
  end subroutine beside

  ! Names of associate count from the first element, wherever the array begins.
  subroutine counted(n, a, b, plane)
    integer, intent(in) :: n
    real(8), allocatable, intent(inout) :: a(:), plane(:, :)
    real(8), intent(inout) :: b(n)
    integer :: i
    associate (first => a(:), line => plane(:, 3), inner => b(2:))
      do i = 1, n
        first(i) = first(i) + b(i)
        b(i) = line(i) + 2
      end do
      do i = 1, n - 1
        line(i) = line(i) + inner(i)
      end do
    end associate
  end subroutine counted

end module wholes
