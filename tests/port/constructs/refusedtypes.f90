! Objects whose type or components no kernel can know: each procedure is refused where !! stands.
module refusedtypes
  implicit none
  integer, parameter :: dp = kind(1.0d0)

  type :: cell
    real(dp) :: a = 1.0_dp
    real(dp), pointer :: p(:) => null()
    class(cell), allocatable :: next
  contains
    procedure :: size1 => cell_size
    procedure :: double
    procedure :: half
    generic :: times => double, half
    procedure :: lost => elsewhere
    procedure :: draw => drawn
  end type cell

  type, extends(cell) :: tile
    real(dp) :: b
  contains
    procedure :: size1 => tile_size
  end type tile

  type :: linked
    real(dp) :: a = 1.0_dp
    real(dp), pointer :: one => null()
    real(dp), allocatable :: held
  end type linked

  type :: listed
    real(dp) :: a = 1.0_dp
    real(dp), allocatable :: list(:)
  end type listed

  type, abstract :: shape
  contains
    procedure(area), deferred :: area1
  end type shape

  type :: closed
    private
    real(dp) :: hidden = 1.0_dp
    real(dp) :: other = 2.0_dp
    procedure(cell_size), pointer, nopass :: hook => null()
  contains
    final :: done
  end type closed

  type :: pair
    real(dp) :: both(2)
  end type pair

  type :: holder
    type(pair) :: pairs(3)
  end type holder

  type :: around
    type(closed) :: inner
    real(dp) :: a
  end type around

  type, extends(elsewheres) :: partial
    real(dp) :: c
  end type partial

  abstract interface
    real(kind(1.0d0)) function area(this)
      import :: shape
      class(shape), intent(in) :: this
    end function area
  end interface

  type(cell), save :: ofModule
  type(closed), save :: sealed
  type(holder), save :: held, holders(2)

contains

  real(dp) function cell_size(this)
    class(cell), intent(in) :: this
    cell_size = this%a
  end function cell_size

  real(dp) function tile_size(this)
    class(tile), intent(in) :: this
    tile_size = this%b
  end function tile_size

  real(dp) function double(this, x)
    class(cell), intent(in) :: this
    real(dp), intent(in) :: x
    double = this%a*x
  end function double

  real(dp) function half(this, x)
    class(cell), intent(in) :: this
    real(dp), intent(in) :: x(2)
    half = this%a*x(1)
  end function half

  subroutine done(this)
    type(closed), intent(inout) :: this
    this%hidden = 0
  end subroutine done

  subroutine endsOnEntry(this, x)
    type(around), intent(out) :: this !! type(closed) has final procedures, which would be called
    real(dp), intent(in) :: x
    this%a = x
  end subroutine endsOnEntry

  subroutine endsByAssignment(this, other)
    type(closed), intent(inout) :: this
    type(closed), intent(in) :: other
    this = other !! type(closed) has final procedures, which would be called
  end subroutine endsByAssignment

  subroutine endsAComponent(this, other)
    type(around), intent(inout) :: this
    type(around), intent(in) :: other
    this = other !! type(closed) has final procedures, which would be called
  end subroutine endsAComponent

  subroutine unknownParent(this, other)
    type(partial), intent(inout) :: this
    type(partial), intent(in) :: other
    this = other !! type(partial) has type extension of partial
  end subroutine unknownParent

  subroutine arrayInArray(x)
    real(dp), intent(out) :: x
    x = holders(2)%pairs(1)%both(1) !! an array of a type within an array of a type
  end subroutine arrayInArray

  subroutine overridden(this, x)
    class(cell), intent(in) :: this
    real(dp), intent(out) :: x
    x = this%size1() !! it depends on the type of this, which may be cell, tile
  end subroutine overridden

  subroutine deferred(this, x)
    class(shape), intent(in) :: this
    real(dp), intent(out) :: x
    x = this%area1() !! it is deferred in type(shape), and no extension of it is given
  end subroutine deferred

  subroutine passedOn(this, x)
    class(cell), intent(in) :: this
    real(dp), intent(out) :: x
    call overridden_inside(this, x)
  end subroutine passedOn

  subroutine overridden_inside(this, x)
    class(cell), intent(in) :: this
    real(dp), intent(out) :: x
    x = this%size1() !! it depends on the type of this, which may be cell, tile
  end subroutine overridden_inside

  subroutine noSource(this, x)
    type(cell), intent(in) :: this
    real(dp), intent(out) :: x
    call this%lost(x) !! the source of elsewhere is not given
  end subroutine noSource

  subroutine noBinding(this, x)
    type(cell), intent(in) :: this
    real(dp), intent(out) :: x
    call this%none(x) !! type(cell) binds no procedure of this name
  end subroutine noBinding

  subroutine noneFits(this, x)
    type(cell), intent(in) :: this
    real(dp), intent(out) :: x
    x = this%times(.true.) !! none of them fits
  end subroutine noneFits

  subroutine pointed(this, x)
    type(cell), intent(in) :: this
    real(dp), intent(out) :: x
    x = this%p(1) !! component this%p: it is a pointer
  end subroutine pointed

  subroutine polymorphic(this, x)
    type(cell), intent(in) :: this
    real(dp), intent(out) :: x
    x = this%next%a !! component next: of a class, a pointer or allocatable
  end subroutine polymorphic

  subroutine hooked(this, x)
    type(closed), intent(in) :: this
    real(dp), intent(out) :: x
    x = this%hook(ofModule) !! call of this%hook: a procedure component: what it points to is known at run time alone
  end subroutine hooked

  subroutine unlimited(this, x)
    class(*), intent(in) :: this
    real(dp), intent(out) :: x
    x = 0
    if (same_type_as(this, this)) x = 1 !! type this: kernels have numbers
  end subroutine unlimited

  subroutine finalised(x)
    real(dp), intent(out) :: x
    type(closed) :: one
    one%other = 1 !! type one: its final procedure would be called
    x = one%other
  end subroutine finalised

  subroutine wholeClass(this, x)
    class(cell), intent(inout) :: this
    real(dp), intent(out) :: x
    type(cell) :: one
    x = 1
    one = this !! of different types, or of a class
  end subroutine wholeClass

  subroutine writesModule(x)
    real(dp), intent(in) :: x
    ofModule%a = x !! an assignment to ofmodule%a: it belongs to module refusedtypes
  end subroutine writesModule

  subroutine passesModule(x)
    real(dp), intent(in) :: x
    call changes(ofModule, x) !! it is written, and ofmodule is data of module refusedtypes
  end subroutine passesModule

  subroutine changes(this, x)
    class(cell), intent(inout) :: this
    real(dp), intent(in) :: x
    this%a = x
  end subroutine changes

  subroutine privateData(x)
    real(dp), intent(out) :: x
    x = sealed%hidden !! the component is private: nothing outside can give its value
  end subroutine privateData

  subroutine arrayOfModule(x)
    real(dp), intent(out) :: x
    x = held%pairs(2)%both(1) !! an array in the elements of an array of a type
  end subroutine arrayOfModule

  subroutine twice(this, x)
    type(cell), intent(inout) :: this
    real(dp), intent(in) :: x
    call both(this, this%a, x) !! this%a is passed twice, and written
  end subroutine twice

  subroutine both(this, a, x)
    class(cell), intent(inout) :: this
    real(dp), intent(in) :: a, x
    this%a = a + x
  end subroutine both

  subroutine selects(this, x)
    class(cell), intent(in) :: this
    real(dp), intent(out) :: x
    x = 0
    select type (this) !! the type of this is known at run time alone
    type is (tile)
      x = this%b
    end select
  end subroutine selects

  subroutine selectsOther(this, x)
    class(cell), intent(in) :: this
    real(dp), intent(out) :: x
    x = 0
    select type (that => this) !! selecttype
    type is (tile)
      x = that%b
    end select
  end subroutine selectsOther

  subroutine chosenPointer(one, two, x)
    type(tile), intent(in), target :: one, two
    real(dp), intent(inout) :: x
    type(tile), pointer :: p
    p => one
    if (x > 0) p => two !! a pointer assignment
    x = p%b
  end subroutine chosenPointer

  subroutine openShape(list, x)
    type(tile), intent(in) :: list(:)
    real(dp), intent(out) :: x
    x = list(1)%b !! its shape is not known when the kernel is built
  end subroutine openShape

  subroutine cleared(this, x)
    type(linked), intent(out) :: this
    real(dp), intent(in) :: x
    this%one = x !! component this%one: it is a pointer, and this is intent(out)
  end subroutine cleared

  subroutine unset(x)
    real(dp), intent(inout) :: x
    type(linked) :: mine
    mine%a = x
    x = mine%a + mine%held !! component mine%held: it is allocatable of a variable
  end subroutine unset

  subroutine unsetBelow(x)
    real(dp), intent(inout) :: x
    type(linked) :: mine
    call tripled(mine, x) !! component mine%one: it is a pointer of a variable of the procedure
  end subroutine unsetBelow

  subroutine tripled(this, x)
    type(linked), intent(inout) :: this
    real(dp), intent(inout) :: x
    x = 3.0_dp*this%one
  end subroutine tripled

  subroutine asked(this, x)
    type(linked), intent(inout) :: this
    real(dp), intent(in) :: x
    this%a = x
    if (associated(this%one)) this%a = 1.0_dp !! associated(this%one): whether it is there is known
  end subroutine asked

  subroutine together(this, other, x)
    type(linked), intent(inout) :: this
    type(linked), intent(in) :: other
    real(dp), intent(in) :: x
    this = other !! this = other: component one is a pointer, which would point to the same memory
    this%one = x
  end subroutine together

  subroutine besideItself(this, x)
    type(tile), intent(inout) :: this
    real(dp), intent(out) :: x
    x = this%cell%a + drawn(this, 2.0_dp) !! function drawn: it changes this, which stands elsewhere
  end subroutine besideItself

  subroutine grown(this, other)
    type(listed), intent(inout) :: this
    type(listed), intent(in) :: other
    this = other !! this = other: type(listed) has component list: it is a pointer or allocatable
  end subroutine grown

  real(dp) function drawn(this, x)
    class(cell), intent(inout) :: this
    real(dp), intent(in) :: x
    this%a = this%a + x
    drawn = this%a
  end function drawn

  subroutine drawsBeside(this, x)
    type(cell), intent(inout) :: this
    real(dp), intent(inout) :: x
    x = this%draw(x) + this%a !! function drawn: it changes this, which stands elsewhere
  end subroutine drawsBeside

  subroutine drawsPerhaps(this, x)
    type(cell), intent(inout) :: this
    real(dp), intent(inout) :: x
    if (x > 1 .and. this%draw(x) > 1) x = 0 !! function drawn: it changes its argument, and .and.
  end subroutine drawsPerhaps

end module refusedtypes

module refused_beginnings
  implicit none
  type :: origin
    integer :: id = 1
  end type
  type, extends(origin) :: planet
    real(8) :: mu = 1
  end type
  type(planet), parameter :: several(2) = [planet(1, 2d0), planet(2, 3d0)]
  type :: of_parent
    type(planet) :: p = planet(origin=origin(3), mu=2d0)
  end type
  type :: of_two
    real(8) :: x(3) = [1d0, 2d0] ! which no compiler takes
  end type
  type :: of_several
    type(planet) :: p(2) = several
  end type
contains
  subroutine begins_with_parent(x)
    real(8), intent(inout) :: x
    type(of_parent) :: w
    x = w%p%mu !! an initial value of type(planet): a value for a parent of the type
  end subroutine
  subroutine begins_with_array(x)
    real(8), intent(inout) :: x
    type(of_several) :: w
    x = w%p(1)%mu !! an initial value of type(planet): it is no constant that is known
  end subroutine
  subroutine begins_with_two(x)
    real(8), intent(inout) :: x
    type(of_two) :: w
    x = w%x(1) !! component x: its initial value is not a number
  end subroutine
end module
