! Nests over the elements of arrays of derived types. Types have members of several sizes, texts and
! allocatable arrays between the numbers, so that no component has a stride of its own size.
module element_types
  implicit none
  integer, parameter :: dp = kind(1d0)
  type inner_type
    real(dp) :: rate, limits(-1:1)
  end type inner_type
  type kind_type
    integer :: number
    real(dp) :: mort
    logical :: eats
    type(inner_type) :: inner
    real(4) :: share(2, 2)
    character(5) :: label
    integer :: next
    real(dp), allocatable :: depths(:)
    real(dp), pointer :: link(:) => null()
  end type kind_type
  type, extends(kind_type) :: special_type
    real(dp) :: more
  end type special_type
  type holder_type
    type(kind_type), allocatable :: its(:)
    type(kind_type) :: grid(3, 4:6)
  end type holder_type
  type state_type
    real(dp), allocatable :: u(:, :), v(:, :)
    real(dp), pointer :: w(:) => null()
  end type state_type
  type rule_type
    integer, private :: last = 3
    real(dp), private :: weight = 0.25_dp
  contains
    procedure :: count => rule_count
    procedure :: scaled => rule_scaled
    procedure :: changing => rule_changing
    procedure :: outer => rule_outer
  end type rule_type
  type, extends(rule_type) :: strict_type
  end type strict_type
  type(rule_type) :: rules
  type(strict_type) :: strict
  real(dp) :: outside = 1
  type(kind_type), allocatable :: kinds(:)
  type(special_type) :: few(4)
  type(kind_type), target :: aims(20)
contains
  integer function rule_count(this)
    class(rule_type), intent(in) :: this
    rule_count = this%last
  end function rule_count

  real(dp) function rule_scaled(this, n) result(scaled)
    class(rule_type), intent(in) :: this
    integer, intent(in) :: n
    if (n > this%last) then
      scaled = this%weight*n
    else
      scaled = -abs(this%weight)
    end if
  end function rule_scaled

  integer function rule_changing(this)
    class(rule_type), intent(inout) :: this
    this%last = this%last + 1
    rule_changing = this%last
  end function rule_changing

  real(dp) function rule_outer(this)
    class(rule_type), intent(in) :: this
    rule_outer = this%weight*outside
  end function rule_outer
end module element_types

module elements
  use element_types
  implicit none
contains
  subroutine reading(n, nz, ind, h, c)
    integer, intent(in) :: n, nz, ind(n)
    type(holder_type), intent(in) :: h
    real(dp), intent(inout) :: c(n, nz)
    integer :: i, k, m
    !$bridge begin reading
    do k = 1, nz
      do i = 1, n
        if (kinds(i)%eats) then
          c(i, k) = c(i, k)*kinds(i)%mort + kinds(i)%inner%rate*kinds(i)%inner%limits(-1)
        else
          c(i, k) = kinds(i)%share(2, 1) - kinds(ind(i))%inner%limits(1) + h%its(i)%number
        end if
        do m = 1, 4
          c(i, k) = c(i, k) + few(m)%mort*few(m)%more*m + few(m)%inner%limits(0)
        end do
      end do
    end do
    !$bridge end
  end subroutine reading

  subroutine writing(n, dt, h)
    integer, intent(in) :: n
    real(dp), intent(in) :: dt
    type(holder_type), intent(inout) :: h
    integer :: i
    !$bridge begin writing
    do i = 2, n
      h%its(i)%mort = h%its(i)%mort + dt*(h%its(i)%inner%rate - h%its(1)%inner%rate)
      if (h%its(i)%eats) h%its(i)%inner%limits(0) = h%its(i)%inner%limits(1)*dt
      h%its(i)%number = i
      h%its(i)%eats = h%its(i)%mort > 0
      h%its(i)%share(1, 2) = real(h%its(i)%next, 4)
    end do
    !$bridge end
  end subroutine writing

  subroutine following(n, a, s)
    integer, intent(in) :: n
    type(kind_type), intent(inout) :: a(0:n)
    real(dp), intent(inout) :: s
    integer :: i
    !$bridge begin following
    do i = 1, ubound(a, 1)
      a(i)%mort = a(i)%mort + 0.5_dp*a(i-1)%mort
      s = s + a(i)%mort
    end do
    !$bridge end
  end subroutine following

  subroutine wholes(a, c)
    type(kind_type), intent(inout) :: a(:)
    real(dp), intent(inout) :: c(:)
    !$bridge begin wholes
    a%mort = 2*a%mort + a(:)%inner%limits(1)
    c(:) = c(:) + a(:)%mort
    a(2:)%number = 3
    !$bridge end
  end subroutine wholes

  subroutine calling(n, m, c)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: c(n)
    integer :: i
    !$bridge begin calling
    do i = rules%count(), n
      if (i /= strict%count() + 2) c(i) = c(i) + rules%scaled(m)*rules%scaled(n) + strict%scaled(n)
    end do
    !$bridge end
  end subroutine calling

  subroutine counting(n, s, t)
    integer, intent(in) :: n
    type(state_type), intent(in) :: s
    type(state_type), intent(inout) :: t
    integer :: i
    associate (a => s%u(:, :), b => t%v(:, :), w => s%w(:), later => s%u(lbound(s%u, 1) + 1:, :))
      !$bridge begin counting
      do i = 1, n
        if (w(i) > 0) then
          b(i, :) = 2*a(i, :) + later(i, :)*kinds(i)%mort
        else
          b(i, :) = b(i, :) - w(i)
        end if
      end do
      !$bridge end
    end associate
  end subroutine counting
end module elements
