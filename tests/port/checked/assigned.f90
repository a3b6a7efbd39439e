! Procedures of a point that give variables of a module a value on some ways alone, or read them
! first: what each call does to them. Variables are public: none is scratch memory.
module assigned_too
  implicit none
  real(8) :: v
contains
  subroutine other_v(x)
    real(8), intent(in) :: x
    v = x
  end subroutine other_v
end module assigned_too

module assigning
  use assigned_too, only: other_v
  implicit none
  type pair_t
    real(8) :: a = 0d0, b = 0d0
  end type pair_t
  type, abstract :: law_t
  contains
    procedure(applied), deferred :: apply
    procedure(touched), deferred :: touch
  end type law_t
  type, extends(law_t) :: near_t
  contains
    procedure :: apply => apply_near
    procedure :: touch => touch_near
  end type near_t
  type, extends(law_t) :: far_t
  contains
    procedure :: apply => apply_far
    procedure :: touch => touch_far
  end type far_t
  abstract interface
    subroutine applied(self, x)
      import law_t
      class(law_t), intent(in) :: self
      real(8), intent(in) :: x
    end subroutine applied
    subroutine touched(self, x)
      import law_t
      class(law_t), intent(in) :: self
      real(8) :: x
    end subroutine touched
  end interface
  real(8) :: v, w, list(3)
  integer :: at
  type(pair_t) :: pair
  real(8), private, target :: hidden
  real(8), private :: own
  real(8), target :: mark
  real(8), pointer :: curve(:)
contains
  ! Scratch memory but for a target, which a pointer may be set to.
  subroutine scratch(x)
    real(8), intent(in) :: x
    own = x
    hidden = 2 * x
    w = own + hidden
  end subroutine scratch

  subroutine remembers(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    real(8), save :: before
    y = before
    before = x
  end subroutine remembers

  subroutine marks(x)
    real(8), intent(in) :: x
    mark = x * curve(2)
  end subroutine marks

  subroutine two_of_a_name(x)
    real(8), intent(in) :: x
    v = x
    call other_v(x)
  end subroutine two_of_a_name

  subroutine name_is_taken(v)
    real(8), intent(inout) :: v
    v = 2 * v
    call with_else(v)
  end subroutine name_is_taken

  subroutine without_else(x)
    real(8), intent(in) :: x
    if (x > 0) v = x
  end subroutine without_else

  subroutine with_else(x)
    real(8), intent(in) :: x
    if (x > 0) then
      v = x
    else
      v = 1
    end if
  end subroutine with_else

  subroutine without_default(x, n)
    real(8), intent(in) :: x
    integer, intent(in) :: n
    select case (n)
    case (1)
      v = x
    case (2)
      v = 2 * x
    end select
  end subroutine without_default

  subroutine with_default(x, n)
    real(8), intent(in) :: x
    integer, intent(in) :: n
    select case (n)
    case (1)
      v = x
    case default
      v = 2 * x
    end select
  end subroutine with_default

  subroutine most_elements(x)
    real(8), intent(in) :: x
    integer :: k
    do k = 1, 2
      list(k) = x
    end do
  end subroutine most_elements

  subroutine all_elements(x)
    real(8), intent(in) :: x
    integer :: k
    do k = 1, 3
      list(k) = x
    end do
  end subroutine all_elements

  subroutine every_second(x)
    real(8), intent(in) :: x
    integer :: k
    do k = 1, 3, 2
      list(k) = x
    end do
  end subroutine every_second

  subroutine one_element(x)
    real(8), intent(in) :: x
    list(2) = x
  end subroutine one_element

  subroutine left_by_exit(x, y)
    real(8), intent(in) :: x
    real(8), intent(inout) :: y
    if (x < 0) then
      v = x
      return
    end if
    do
      if (.not. y < x) exit
      y = 2 * abs(y) + 1
    end do
    if (y > 100) v = y
  end subroutine left_by_exit

  subroutine read_by_a_call(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    call reader(y)
    v = x
  end subroutine read_by_a_call

  subroutine reader(y)
    real(8), intent(out) :: y
    y = v
  end subroutine reader

  subroutine passed_to_be_read(x)
    real(8), intent(in) :: x
    call added(v, x)
  end subroutine passed_to_be_read

  subroutine added(a, x)
    real(8), intent(inout) :: a
    real(8), intent(in) :: x
    a = a + x
  end subroutine added

  subroutine passed_to_be_written(x)
    real(8), intent(in) :: x
    call put(v, x)
  end subroutine passed_to_be_written

  subroutine put(a, x)
    real(8), intent(out) :: a
    real(8), intent(in) :: x
    a = x
  end subroutine put

  subroutine subscript(x)
    real(8), intent(in) :: x
    list = x
    list(max(1, min(at, 3))) = 2 * x
    at = 1
  end subroutine subscript

  subroutine in_a_statement_function(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    real(8) :: more, t
    more(t) = t + v
    y = more(x)
    v = x
  end subroutine in_a_statement_function

  subroutine whole_object(x)
    real(8), intent(in) :: x
    real(8) :: y
    pair%a = x
    call second_of(pair, y)
    pair%b = x + y
  end subroutine whole_object

  subroutine second_of(one, y)
    type(pair_t), intent(in) :: one
    real(8), intent(out) :: y
    y = one%b
  end subroutine second_of

  subroutine either_law(law, x, y)
    class(law_t), intent(in) :: law
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    call law%apply(x)
    y = w
    w = x
  end subroutine either_law

  subroutine apply_near(self, x)
    class(near_t), intent(in) :: self
    real(8), intent(in) :: x
    v = x
    w = x
  end subroutine apply_near

  subroutine apply_far(self, x)
    class(far_t), intent(in) :: self
    real(8), intent(in) :: x
    v = 2 * x
  end subroutine apply_far

  ! Another type of law would change what it gets.
  subroutine touching(law, one)
    class(law_t), intent(in) :: law
    type(pair_t), intent(in) :: one
    call law%touch(one%a)
  end subroutine touching

  subroutine touch_near(self, x)
    class(near_t), intent(in) :: self
    real(8) :: x
    w = x
  end subroutine touch_near

  subroutine touch_far(self, x)
    class(far_t), intent(in) :: self
    real(8) :: x
    x = 2 * x
  end subroutine touch_far

  ! What a function does by a call inside, beside the variable.
  subroutine below(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = outer(x) + v
  end subroutine below

  function outer(x)
    real(8), intent(in) :: x
    real(8) :: outer
    call with_else(x)
    outer = x
  end function outer

  subroutine below_as_argument(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = putting(x) + v
  end subroutine below_as_argument

  function putting(x)
    real(8), intent(in) :: x
    real(8) :: putting
    call put(v, x)
    putting = x
  end function putting

  subroutine counting(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = counted(x) + at
  end subroutine counting

  function counted(x)
    real(8), intent(in) :: x
    real(8) :: counted
    counted = x
    do at = 1, 3
      counted = counted * x
    end do
  end function counted
end module assigning
