! Components that are pointers or allocatable, with shapes that a user says; integers of objects with
! one value; functions that change one component of an object.
module held
  implicit none
  integer, parameter :: dp = kind(1.0d0)

  type :: curve
    real(dp), allocatable :: x(:), y(:)
    character(len=:), allocatable :: name
    class(*), allocatable :: anything
  end type curve

  type :: tile
    real(dp), pointer :: u(:, :) => null()
    integer :: n = 0
  end type tile

  type :: state
    real(dp), pointer :: t(:) => null()
    real(dp), allocatable :: q(:), faces(:)
    type(curve) :: law
    type(tile), allocatable :: tiles(:)
    type(state), pointer :: next => null()
    procedure(interpolated), pointer, nopass :: hook => null()
    real(dp), pointer :: one => null()
    integer, allocatable :: list(:)
    logical, allocatable :: wet(:)
    integer :: levels = 4
    logical :: on = .true.
  contains
    procedure :: total => state_total
    procedure :: start
  end type state

  type :: memory
    real(dp) :: last = 0.0_dp, before = 0.0_dp
  end type memory

  type, extends(memory) :: longMemory
    real(dp) :: factor = 1.0_dp
    real(dp), allocatable :: history(:)
  end type longMemory

  type :: signals
    real(dp) :: speed, filtered = 0.0_dp
    type(memory) :: first, second
    type(longMemory) :: third
  end type signals

contains

  ! Nothing but its first subscripts is read of it: the kernel takes them as they are here.
  subroutine start(this)
    class(state), intent(inout) :: this
    allocate (this%faces(0:this%levels), this%t(-1:this%levels - 2))
    allocate (this%q(this%levels))
  end subroutine start

  real(dp) function interpolated(c, x) result(y)
    type(curve), intent(in) :: c
    real(dp), intent(in) :: x
    integer :: i
    y = c%y(lbound(c%y, 1))
    do i = 1, size(c%x) - 1
      if (x >= c%x(i)) y = c%y(i) + (c%y(i + 1) - c%y(i))*(x - c%x(i))/(0.1_dp + abs(c%x(i + 1)))
    end do
  end function interpolated

  ! Two objects of one type with other shapes.
  real(dp) function both(c, d, x)
    type(curve), intent(in) :: c, d
    real(dp), intent(in) :: x
    both = interpolated(c, x) + 2.0_dp*interpolated(d, x)
  end function both

  ! Written through the parent alone.
  subroutine aged(m, x)
    type(longMemory), intent(inout) :: m
    real(dp), intent(in) :: x
    m%memory%before = m%last + x
  end subroutine aged

  real(dp) function state_total(this, first) result(total)
    class(state), intent(in) :: this
    integer, intent(in) :: first
    integer :: k
    total = 0.0_dp
    do k = max(first, lbound(this%faces, 1)), ubound(this%faces, 1)
      total = total + this%faces(k)*real(k + 1, dp)
    end do
  end function state_total

  subroutine heated(s, x, r)
    type(state), intent(inout) :: s
    real(dp), intent(in) :: x
    real(dp), intent(out) :: r
    integer :: k
    r = interpolated(s%law, x) + s%total(1)
    do k = lbound(s%t, 1), ubound(s%t, 1)
      s%t(k) = s%t(k) + s%q(k + 2)*r
      if (s%t(k) > 2.0_dp) s%wet(k + 2) = .not. s%wet(k + 2)
    end do
    if (s%on .and. associated(s%t)) s%tiles(2)%u(1, 2) = s%one*sum(s%tiles(1)%u) + s%tiles(2)%n
    if (allocated(s%q)) s%q = s%q*2.0_dp
    s%list(2) = s%list(1) + size(s%t) + ubound(s%t, 1)
    ! Of an element: a whole component keeps its first subscripts, a section begins at 1.
    s%list(3) = lbound(s%tiles(2)%u, 1) + 10*ubound(s%tiles(1)%u, dim=2) &
                + 100*sum(lbound(s%tiles(2)%u)) + 1000*lbound(s%tiles(2)%u(:, 1), 1)
  end subroutine heated

  ! An array whose shape is an integer of the object.
  subroutine smoothed(s, r)
    type(state), intent(in) :: s
    real(dp), intent(out) :: r
    real(dp) :: mean(s%levels)
    integer :: k
    do k = 1, s%levels
      mean(k) = 0.5_dp*(s%faces(k - 1) + s%faces(k))
    end do
    r = weighted(s, mean)
  end subroutine smoothed

  real(dp) function weighted(s, a)
    type(state), intent(in) :: s
    real(dp), intent(in) :: a(s%levels)
    weighted = sum(a*s%q)
  end function weighted

  real(dp) function lowPass(x, m) result(y)
    real(dp), intent(in) :: x
    class(memory), intent(inout) :: m
    y = 0.25_dp*x + 0.5_dp*m%last + 0.25_dp*m%before
    m%before = m%last
    m%last = y
  end function lowPass

  ! Components of one object, each changed by a function beside others.
  subroutine filtered(s, r)
    type(signals), intent(inout) :: s
    real(dp), intent(out) :: r
    s%filtered = lowPass(s%speed, s%first)*s%third%factor + s%speed
    r = s%filtered + lowPass(s%filtered, s%second) + s%first%last
    r = r + lowPass(r, s%third)
    s%third%memory%before = s%third%before + 1.0_dp
  end subroutine filtered

  ! What no kernel knows of a type does not matter where nothing names it.
  subroutine renewed(law, m, other, x)
    type(curve), intent(out) :: law
    type(longMemory), intent(out) :: m
    type(longMemory), intent(in) :: other
    real(dp), intent(in) :: x
    type(longMemory) :: mine
    mine = other
    m%last = mine%last + x
    m%factor = 2.0_dp*x
  end subroutine renewed

  ! The components of what it gives are outputs.
  type(signals) function joined(a, b) result(c)
    type(signals), intent(in) :: a, b
    c%speed = a%speed + b%speed
    c%first = a%first
    if (c%speed > 2.0_dp) c%second%last = raised(a%second, b%speed)
    c%third%factor = b%third%factor*2.0_dp
  end function joined

  real(dp) function raised(m, x)
    type(memory), intent(in) :: m
    real(dp), intent(in) :: x
    raised = m%last*x
  end function raised

  ! Allocatable components of two objects: each value is copied.
  subroutine copied(a, b, x)
    type(longMemory), intent(in) :: a
    type(longMemory), intent(inout) :: b
    real(dp), intent(in) :: x
    b = a
    b%history(2) = b%history(2) + x*a%history(3)
  end subroutine copied

end module held
