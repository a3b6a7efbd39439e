! Allocatable variables of a procedure: shapes that allocate and assignments give.
module allocated_locals
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains

  ! Sizes by an integer that has one value; two arrays of one allocate, a first subscript of 0.
  subroutine gradients(t, z, flux, top)
    real(dp), intent(in) :: t(6), z(6)
    real(dp), intent(out) :: flux(5), top
    real(dp), allocatable :: dz(:), faces(:)
    integer :: n, i, ierr
    n = size(t)
    allocate (dz(n - 1), faces(0:n), stat=ierr)
    if (ierr /= 0) then
      flux = -1
      top = -1
      return
    end if
    dz = z(2:n) - z(1:n - 1)
    faces = 0.5_dp
    do i = 1, n - 1
      faces(i) = faces(i - 1)*0.25_dp + t(i + 1) - t(i)
    end do
    faces(n) = sum(dz)
    flux = faces(1:n - 1)*dz
    top = faces(0) + faces(n) + lbound(faces, 1) + 10*size(faces)
    if (allocated(dz)) deallocate (dz)
    deallocate (faces)
  end subroutine gradients

  ! Bounds by names of associate; the array whose memory it is has another name inside.
  subroutine named(t, x, top)
    real(dp), intent(in) :: t(6), x
    real(dp), intent(out) :: top(2)
    real(dp), allocatable :: w(:), v(:)
    integer :: i, ierr
    associate (n => size(t), low => size(t) - 5, above => t(2:), code => ierr)
      if (.not. allocated(w)) allocate (w(low - 1:n))
      allocate (v(size(above)), stat=code)
      w = x
      do i = 1, size(v)
        v(i) = above(i)*w(i - 1) - i
      end do
      w(0) = w(n) + v(1)
      top(1) = sum(v) + size(w) + code
      top(2) = w(0)*w(1)
      deallocate (v)
    end associate
  end subroutine named

  ! Memory by an assignment alone, in the arms of a condition that differs between points.
  real(dp) function either(x, y)
    real(dp), intent(in) :: x(4), y
    real(dp), allocatable :: w(:), p(:, :)
    if (y > 0) then
      w = x*y
    else
      w = [x(4), x(3), x(2), y]
    end if
    w(2) = w(1) + w(4)
    p = reshape(w, [2, 2])
    p(:, 1) = p(:, 2) - y
    w = w(4:1:-1)
    either = sum(p*p) + maxval(w) + w(1)
    if (y > 2) then
      deallocate (w)
      allocate (w(4))
      w = y
      either = either + sum(w)
    end if
  end function either

  ! Whether there is memory, where that is known; memory again.
  subroutine questions(x, a, n)
    real(dp), intent(in) :: x(3)
    real(dp), intent(out) :: a(3)
    integer, intent(out) :: n
    real(dp), allocatable :: w(:)
    logical, allocatable :: on(:)
    integer, allocatable :: k(:)
    n = 0
    if (allocated(w)) n = 1
    if (.not. allocated(w)) allocate (w(3))
    w = x
    on = x > 0
    if (allocated(on)) n = n + 2
    allocate (k(3))
    if (allocated(k)) n = n + 4
    where (on)
      w = w + 1
      k = int(w)
    elsewhere
      k = -1
    end where
    n = n + 8*sum(k)
    a = w
  end subroutine questions

  ! A loop gives and takes; masks that points leave.
  subroutine rounds(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp), allocatable :: w(:)
    integer :: i
    y = x
    do i = 1, 4
      allocate (w(0:2))
      w = y
      w(0) = w(2)*0.5_dp + i
      y = w(0) + w(1)*0.1_dp
      deallocate (w)
      if (y > 3) exit
    end do
  end subroutine rounds

  ! Passed on, of assumed shape and as an optional argument; first subscripts do not go along.
  real(dp) function passed(x)
    real(dp), intent(in) :: x(5)
    real(dp), allocatable :: w(:), more(:)
    integer :: nz, last
    nz = size(x) - 1
    last = nz + 1
    allocate (w(-1:nz - 2))
    w = x(1:nz)
    more = x(2:last)
    call doubled_in_place(w)
    passed = along(1, reshape(x, [1, 5])) + 10*along(2, spread(w, 2, 3)) + squares(w, more) + squares(more) + w(-1) + w(nz - 2)
  end function passed

  ! Which dimension is asked for is known in the call.
  integer function along(dimension, v)
    integer, intent(in) :: dimension
    real(dp), intent(in) :: v(:, :)
    along = size(v, dimension) + 100*ubound(v, dim=dimension)
  end function along

  subroutine doubled_in_place(v)
    real(dp), intent(inout) :: v(:)
    v(1) = v(size(v))
    v = v*2 + lbound(v, 1)
  end subroutine doubled_in_place

  real(dp) function squares(a, b)
    real(dp), intent(in) :: a(:)
    real(dp), intent(in), optional :: b(:)
    real(dp), allocatable :: w(:)
    squares = sum(a*a)
    if (squares > 2) w = a*0.5_dp
    if (squares > 2) squares = sum(w)
    if (present(b)) squares = squares + dot_product(a, b)
  end function squares

  ! A column: its sizes are those of arguments.
  function stability(t, z) result(n2)
    real(dp), intent(in) :: t(:), z(:)
    real(dp) :: n2(size(t) - 1)
    real(dp), allocatable :: dz(:), mid(:)
    integer :: nz
    nz = size(t)
    allocate (dz(nz - 1), mid(nz - 1))
    dz = z(2:nz) - z(1:nz - 1)
    mid = 0.5_dp*(t(1:nz - 1) + t(2:nz))
    n2 = (t(2:nz) - t(1:nz - 1))/(1 + dz*dz)*mid
  end function stability
end module allocated_locals
