! Derived types of one point: extension, type-bound procedures, components and arrays of types,
! data of modules, arguments that nothing names.
module fluids
  implicit none
  private
  integer, parameter :: dp = kind(1.0d0)

  type, abstract, public :: fluid
    real(dp) :: gasConstant = 2.0_dp
  contains
    procedure(fluid_density), deferred :: density
    procedure :: volume => fluid_volume
    procedure :: heat => fluid_heat
    procedure :: scaled
    generic :: both => heat, scaled
  end type fluid

  abstract interface
    real(kind(1.0d0)) elemental function fluid_density(this, t, p)
      import :: fluid
      class(fluid), intent(in) :: this
      real(kind(1.0d0)), intent(in) :: t, p
    end function fluid_density
  end interface

  type, extends(fluid), public :: gas
    private
    real(dp) :: factor = 1.5_dp
    integer :: order = 2
  contains
    procedure :: density => gas_density
    procedure, pass(self) :: shift => gas_shift
    procedure, nopass :: squared
    procedure :: profile
  end type gas

  type, extends(gas), public :: realGas
    real(dp) :: b(3) = [0.1_dp, 0.2_dp, 0.3_dp]
    logical :: cubic = .true.
  contains
    procedure :: density => real_density
    procedure :: heat => real_heat
    procedure :: total => real_total
  end type realGas

  type :: limits
    real(dp) :: low = 0.0_dp, high(2) = 3.0_dp
    integer :: count = 0
  end type limits

  type :: layer
    real(dp) :: t(0:2)
    real(dp) :: mass = 1.0_dp
    type(limits) :: bounds
  end type layer

  type :: column
    type(layer) :: layers(4)
    type(limits) :: all
    real(dp), pointer :: field(:) => null()
    character(8) :: title = 'none'
    procedure(real_total), pointer, nopass :: hook => null()
  end type column

  type :: settings
    real(dp) :: gravity = 9.81_dp
    integer :: levels = 3
    logical :: moist = .true.
    real(dp) :: weights(3) = [0.5_dp, 0.25_dp, 0.25_dp]
    type(limits) :: bounds
    real(dp), allocatable :: list(:)
    character(8) :: name = 'a'
  end type settings

  type :: worn
    real :: tenth = 0.1
    real(dp) :: x = 2.0_dp
  end type worn

  type(settings), public, save :: options

contains

  subroutine setOptions()
    options%gravity = 1.25_dp
    options%bounds%low = 0.75_dp
    options%list = [1.0_dp, 0.5_dp, 0.25_dp, 2.0_dp]
  end subroutine setOptions

  real(dp) elemental function gas_density(this, t, p) result(rho)
    class(gas), intent(in) :: this
    real(dp), intent(in) :: t, p
    rho = this%factor*p/(this%gasConstant*t)
    if (this%order > 3) rho = rho*t
  end function gas_density

  real(dp) elemental function real_density(this, t, p) result(rho)
    class(realGas), intent(in) :: this
    real(dp), intent(in) :: t, p
    rho = gas_density(this, t, p) + this%b(2)*p
    if (this%cubic) rho = rho + this%gas%fluid%gasConstant*p*p*p
  end function real_density

  ! Whatever the density is.
  real(dp) function fluid_volume(this, t, p)
    class(fluid), intent(in) :: this
    real(dp), intent(in) :: t, p
    fluid_volume = 1.0_dp/this%density(t, p)
  end function fluid_volume

  real(dp) function fluid_heat(this, t) result(h)
    class(fluid), intent(in) :: this
    real(dp), intent(in) :: t
    h = this%gasConstant*t
  end function fluid_heat

  real(dp) function real_heat(this, t) result(h)
    class(realGas), intent(in) :: this
    real(dp), intent(in) :: t
    h = this%gas%heat(t) + sum(this%b)*t
  end function real_heat

  real(dp) function scaled(this, t, n)
    class(fluid), intent(in) :: this
    real(dp), intent(in) :: t
    integer, intent(in) :: n
    scaled = this%gasConstant*t**n
  end function scaled

  ! Of the child's class: a procedure that only the child has, and inherited ones.
  real(dp) function real_total(this, t, p) result(total)
    class(realGas), intent(in) :: this
    real(dp), intent(in) :: t, p
    total = this%density(t, p) + this%volume(t, p) + this%heat(t) + this%squared(t)
    total = total + this%both(t) + this%both(t, 3)
  end function real_total

  real(dp) pure function squared(x)
    real(dp), intent(in) :: x
    squared = x*x
  end function squared

  subroutine gas_shift(by, self, t)
    real(dp), intent(in) :: by
    class(gas), intent(inout) :: self
    real(dp), intent(inout) :: t
    if (t > 1.0_dp) then
      self%factor = self%factor + by
      self%order = self%order + 1
      t = t - by
    end if
  end subroutine gas_shift

  subroutine moved(self, other, t, by)
    class(realGas), intent(inout) :: self
    type(gas), intent(inout) :: other
    real(dp), intent(inout) :: t
    real(dp), intent(in) :: by
    call other%shift(t=t, by=by)
    call self%shift(by, t)
    if (by > 1.2_dp) call other%shift(t=t, by=2*by)
  end subroutine moved

  ! Elemental procedures for arrays, and one that has an array result.
  subroutine lines(this, t, p, rho, total)
    type(realGas), intent(in) :: this
    real(dp), intent(in) :: t(5), p(5)
    real(dp), intent(out) :: rho(5), total
    rho(2:4) = this%density(t(2:4), p(2:4))
    rho(1) = this%density(t(1), p(1))
    rho(5) = sum(this%profile(t(2:3)))
    total = sum(this%density(t, 2*p)) + maxval(rho)
  end subroutine lines

  function profile(this, t) result(f)
    class(gas), intent(in) :: this
    real(dp), intent(in) :: t(2)
    real(dp) :: f(2)
    f = this%factor*t
    f(2) = f(2) + f(1)
  end function profile

  ! Objects that are made here: exact types.
  real(dp) function local(t, p)
    real(dp), intent(in) :: t, p
    type(realGas) :: one
    type(gas) :: two
    one%factor = t
    two%gasConstant = p
    if (t > p) two%order = 7
    local = one%total(t, p) - two%volume(t, p) + two%both(p) + one%b(3)
  end function local

  ! Names objects only to pass them on, or not at all.
  real(dp) function passes(this, that, what, text, p, q, func, x) result(y)
    class(gas), intent(in) :: this
    class(fluid), intent(in) :: that
    class(*), intent(in) :: what
    character(*), intent(in) :: text
    real(dp), pointer, intent(in) :: p(:)
    real(dp), allocatable, intent(in) :: q
    external :: func
    real(dp), intent(in) :: x
    y = ignores(this, x) + ignores(this, 2*x) + this%squared(x)
  end function passes

  real(dp) function ignores(this, x)
    class(fluid), intent(in) :: this
    real(dp), intent(in) :: x
    ignores = x + 1
  end function ignores

  ! Arrays of types, components of components, whole objects.
  subroutine layers(c, few, k, x, y)
    type(column), intent(inout) :: c
    type(layer), intent(inout) :: few(0:2)
    integer, intent(in) :: k
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    type(layer) :: one, some(2)
    integer :: i
    y = 0
    do i = 1, 4
      c%layers(i)%mass = c%layers(i)%mass + x*i
      y = y + c%layers(i)%t(1)*c%layers(i)%bounds%high(2)
    end do
    c%layers(2)%t(0:1) = [x, 2*x]
    c%layers(3)%t = c%layers(4)%t + few(1)%t
    y = y + sum(c%layers(:)%mass) + sum(few%mass) + c%all%high(1)
    y = y + lbound(few%mass, 1) + 10*ubound(few%mass, 1) + 100*lbound(few, 1)
    if (k > 0 .and. k < 4) then
      c%layers(k)%bounds%count = k
      c%layers(k)%t(k - 1) = x
      few(k - 1)%mass = few(k - 1)%mass + c%layers(k + 1)%mass
    end if
    one = c%layers(1)
    one%bounds = c%all
    some(1) = one
    some(2) = few(2)
    some(2)%mass = x
    call bump(some(1), x)
    call bump(c%layers(2), y)
    call limit(few(0)%bounds, x)
    call limit(c%all, y)
    if (x > 1) then
      few(2) = some(1)
      call limit(some(2)%bounds, x)
    end if
    y = y + some(1)%mass + some(2)%t(2) + some(2)%bounds%low + widest(some) + widest(c%layers)
  end subroutine layers

  subroutine bump(l, by)
    type(layer), intent(inout) :: l
    real(dp), intent(in) :: by
    l%mass = l%mass + by
    if (by > 1.3_dp) l%t(2) = l%t(0)
    l%bounds%count = l%bounds%count + 1
  end subroutine bump

  subroutine limit(b, x)
    type(limits), intent(inout) :: b
    real(dp), intent(in) :: x
    b%low = max(b%low, x)
    b%high(1) = b%high(2)
  end subroutine limit

  real(dp) function widest(l)
    type(layer), intent(in) :: l(:)
    integer :: i
    widest = 0
    do i = 1, size(l)
      widest = max(widest, l(i)%bounds%high(1) + l(i)%mass)
    end do
  end function widest

  ! Initial values come back in what is intent(out).
  subroutine reset(l, x)
    type(layer), intent(out) :: l
    real(dp), intent(in) :: x
    l%t = x
    if (x > 1) l%bounds%high(2) = x
  end subroutine reset

  ! Nothing names what is intent(out); initial values of single precision.
  subroutine untouched(l, x, y)
    type(limits), intent(out) :: l
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    type(worn) :: w
    y = x*w%tenth + w%x
  end subroutine untouched

  real(dp) function touched(x, l) result(y)
    real(dp), intent(in) :: x
    type(limits), intent(inout) :: l
    if (x > 1) call untouched(l, x, y)
    y = l%low + l%high(2)
  end function touched

  ! Data of a module, one of them passed on.
  real(dp) function ofModule(x, k) result(y)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    y = options%gravity*x + options%weights(2) + options%bounds%low
    if (options%moist .and. k > 0 .and. k < 4) y = y + options%list(k) + options%weights(k)
    y = y + spread_(options, options%bounds) + options%levels
  end function ofModule

  real(dp) function spread_(s, b)
    type(settings), intent(in) :: s
    type(limits), intent(in) :: b
    spread_ = s%gravity - s%bounds%low + b%high(2)
  end function spread_

  ! The type decides, where it is known.
  real(dp) function kind_of(this, x) result(y)
    class(fluid), intent(in) :: this
    real(dp), intent(in) :: x
    y = x
    select type (this)
    class default
      y = 7
    type is (gas)
      ! of the type itself
      y = y + this%factor
      if (x > 1) y = y + this%order
    class is (fluid)
      y = 9
    class is (realGas)
      y = y*this%b(3)
      if (x > 1.5_dp) return
      y = y + this%density(x, x)
    end select
    y = y + 1
  end function kind_of

  real(dp) function kinds(x)
    real(dp), intent(in) :: x
    type(gas) :: one
    type(realGas) :: two
    two%b(3) = x
    kinds = kind_of(one, x) - kind_of(two, x)
  end function kinds

  ! Arrays of types in arrays of types, with lower bounds, sections and subscripts of the point.
  subroutine deep(o, k, x, y)
    type(column), intent(inout) :: o(-1:0)
    integer, intent(in) :: k
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y(2)
    type(layer) :: a(0:3), b(0:3)
    integer :: i, j
    y = 0
    do i = 1, 4
      a(i - 1) = o(-1)%layers(i)
    end do
    b = a
    do j = -1, 0
      do i = 1, 4
        if (x > 1 .and. i == k) cycle
        o(j)%layers(i)%t(1) = o(j)%layers(i)%t(0) + i*x
        o(j)%layers(i)%bounds%high = o(j)%layers(i)%bounds%high(2:1:-1)
        y(j + 2) = y(j + 2) + norm(o(j)%layers(i)%t(0:1)) + norm(o(j)%all%high)
      end do
    end do
    if (k >= 1 .and. k <= 4) then
      b(k - 1)%mass = x
      o(0)%layers(k) = b(k - 1)
      call bump(o(-1)%layers(k), x)
      if (x < 1) return
      call bump(b(k - 1), x)
      o(0)%layers(k)%bounds = b(k - 1)%bounds
    end if
    where (b%mass > 1) b%mass = b%mass - a%mass
    y = y + sum(b%mass) + maxval(b(1:2)%bounds%low) + o(-1)%all%low
  end subroutine deep

  ! A pointer that points to one of two, as the arguments are given.
  subroutine points(x, y, user)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    type(gas), intent(inout), optional, target :: user
    type(gas), target :: own
    type(gas), pointer :: p
    p => own
    if (present(user)) p => user
    y = p%density(x, x)
    p%factor = p%factor + x
    y = y + p%factor
  end subroutine points

  subroutine pointsTwice(x, y, one)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    type(gas), intent(inout) :: one
    real(dp) :: z
    call points(x, y)
    call points(2*x, z, one)
    y = y + z
  end subroutine pointsTwice

  real(dp) function norm(v)
    real(dp), intent(in) :: v(2)
    norm = sqrt(v(1)*v(1) + v(2)*v(2))
  end function norm

end module fluids

! Components of a derived type with initial values: constants, constructors.
module beginnings
  implicit none
  type :: base
    integer :: id = 7
  end type
  type, extends(base) :: body
    character(len=20) :: name = 'none'
    real(8) :: mu = 1
    real(8) :: j(3) = [1d0, 2d0, 3d0]
  end type
  type(body), parameter :: sun = body(10, 'Sun', 1.32d2)
  type(body), parameter :: earth = body(399, 'Earth', mu=3.9d1, j=[0.5d0, 0.25d0, 4d0])
  type :: pair
    type(body) :: one = sun
    type(body) :: two = body(id=3, name='x', j=7d0)
  end type
  type :: frame
    type(body) :: primary = earth
    type(pair) :: both = pair(two=earth)
    type(body) :: many(2) = earth
    type(body) :: plain
    real(8) :: scale = 2
  end type
contains
  pure function made_frame(x) result(f)
    real(8), intent(in) :: x
    type(frame) :: f
    f%scale = x
  end function
  pure function frame_total(f) result(t)
    type(frame), intent(in) :: f
    real(8) :: t
    t = f%scale + f%primary%mu + 2*f%primary%id + sum(f%primary%j) + f%both%one%mu*3 + f%both%one%id &
      + f%both%two%id*5 + sum(f%both%two%j)*7 + f%both%two%mu*11 + f%many(2)%mu*13 + f%many(1)%j(2)*17 &
      + f%plain%id*19 + f%plain%j(3)*23 + f%many(1)%id*29
  end function
  function frame_used(x) result(t)
    real(8), intent(in) :: x
    real(8) :: t
    type(frame) :: w
    w%both%one%mu = x
    t = frame_total(w)
  end function
  subroutine frame_again(f, x)
    type(frame), intent(out) :: f
    real(8), intent(in) :: x
    f%primary%mu = f%primary%mu*x
    f%both%two%j = f%both%two%j*x
  end subroutine
  subroutine pair_in_loop(n, x, t)
    integer, intent(in) :: n
    real(8), intent(in) :: x
    real(8), intent(out) :: t
    integer :: i
    type(pair) :: p
    t = 0
    do i = 1, 3
      call change_pair(p, x)
      t = t + p%one%mu + p%two%id + p%two%j(2)
    end do
  end subroutine
  subroutine change_pair(p, x)
    type(pair), intent(out) :: p
    real(8), intent(in) :: x
    p%one%mu = p%one%mu + x
    p%two%j(2) = p%two%j(2)*x
  end subroutine
end module
