! Each procedure has one thing that no kernel may do; its line says what the refusal names.
module refused
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp) :: total = 0
  integer, allocatable :: numbers(:)
  character(len=3) :: label = 'old', unset
  complex(dp) :: turned = (0, 1)
  real(dp), pointer :: aimed(:)
  type cell
    real(dp) :: mass
    real(dp), pointer :: mesh(:)
  end type cell
contains
  subroutine prints(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (x > 1) print *, x                     !! print
  end subroutine prints

  subroutine lists(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = sum([1, x])                           !! its elements are of several types
  end subroutine lists

  subroutine localizes(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp), target :: t
    integer :: i
    y = x
    do concurrent (i = 1:3) local(t)
      t = i*x
    end do                                    !! it is no plain variable that is declared here
  end subroutine localizes

  subroutine aims(x, y)
    real(dp), intent(in) :: x
    real(dp), target, intent(out) :: y        !! y is a target and is written
    y = aimed(2)*x
  end subroutine aims

  subroutine stops(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (x < 0) stop 'negative'                !! stop
  end subroutine stops

  subroutine allocates(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp), allocatable :: a(:)
    allocate(a(3), source=x)                  !! allocate
    a = x
    y = sum(a)
  end subroutine allocates

  subroutine backwards(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x; if (x > 1) goto 20
10  y = y*2
20  if (y < 10) goto 10                       !! goto backwards to 10
  end subroutine backwards

  subroutine into_block(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (x > 1) goto 20                        !! goto 20
    if (x < 0.5_dp) then
20    y = 1
    end if
  end subroutine into_block

  subroutine saves(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp), save :: old = 0
    y = x + old                               !! saved variable old
    old = x
  end subroutine saves

  subroutine saves_inside(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: old = 2
    y = x + old                               !! saved variable old
    call raise_old()
  contains
    subroutine raise_old()
      old = old + 1
    end subroutine raise_old
  end subroutine saves_inside

  subroutine gives(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    call takes(2*x, y)
  end subroutine gives

  subroutine takes(a, b)
    real(dp), intent(in) :: a
    real(dp), intent(out) :: b
    b = 1
    call either(a, b)                         !! assignment to a: it is intent(in)
  end subroutine takes

  subroutine either(a, b)
    real(dp) :: a, b
    if (b > 2) a = b
    b = 2*a
  end subroutine either

  subroutine writes_module(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    total = total + x                         !! assignment to total
  end subroutine writes_module

  recursive subroutine calls_itself(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (x > 1) call calls_itself(x - 1, y)    !! calls itself
  end subroutine calls_itself

  subroutine no_source(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    external :: elsewhere
    call elsewhere(x, y)                      !! call of elsewhere
  end subroutine no_source

  subroutine assumed(a, y)
    real(dp), intent(in) :: a(:)
    real(dp), intent(out) :: y
    y = sum(a)                                !! array a
  end subroutine assumed

  subroutine adjustable(n, a, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n)              !! array a
    real(dp), intent(out) :: y
    y = sum(a)
  end subroutine adjustable

  subroutine equivalent(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a, b
    equivalence (a, b)                        !! equivalence of a: two names for one memory
    a = x
    y = b
  end subroutine equivalent

  subroutine pointers(x, y)
    real(dp), intent(in), target :: x(2)
    real(dp), intent(out) :: y
    real(dp), pointer :: p
    p => x(2)                                 !! pointer assignment
    y = p
  end subroutine pointers

  subroutine add(a, b)
    real(dp), intent(in) :: a
    real(dp), intent(inout) :: b
    b = b + a
    b = b + a
  end subroutine add

  subroutine aliased(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    call add(y, y)                            !! call of add
  end subroutine aliased

  subroutine wide(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer(8) :: seed
    seed = int(x*1000)
    seed = seed*seed + seed*13                !! integer(8)
    y = seed
  end subroutine wide

  subroutine real_loop(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real :: t
    y = x
    do t = 0.0, 1.0, 0.25                     !! do t
      y = y + t
    end do
  end subroutine real_loop

  subroutine quadruple(x, y)
    real(16), intent(in) :: x                 !! real(16)
    real(dp), intent(out) :: y
    y = x
  end subroutine quadruple

  subroutine quadruple_inside(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(16) :: q
    q = x                                     !! real(16)
    y = q
  end subroutine quadruple_inside

  subroutine unknown_function(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = transfer(x, y)                        !! function transfer
  end subroutine unknown_function

  subroutine outside(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a(3)
    a = x
    y = a(4)                                  !! subscript out of its bounds
  end subroutine outside

  subroutine resized(n, x, y)
    integer, intent(inout) :: n
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a(2, n)
    n = n + 1                                 !! assignment to n
    a(1, 1) = x
    y = a(1, 1)
  end subroutine resized

  subroutine writes_input(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a(2)
    a = [x, x]
    call add(x, a(1))
    call add(a(1), x)                         !! assignment to x
    y = a(1)
  end subroutine writes_input

  subroutine of_a_mesh(c, y)
    type(cell), intent(in) :: c
    real(dp), intent(out) :: y
    y = c%mass
    y = y + c%mesh(1)                         !! component c%mesh: it is a pointer
  end subroutine of_a_mesh

  subroutine advance(i, a)
    integer, intent(inout) :: i
    real(dp), intent(inout) :: a
    i = i + 1
    a = a*2
  end subroutine advance

  subroutine same_element(a, i, j)
    real(dp), intent(inout) :: a(5)
    integer, intent(in) :: i, j
    call add(a(i), a(j))                      !! a is passed twice
  end subroutine same_element

  subroutine shorter(a, b)
    real(dp), intent(in) :: a(4)
    real(dp), intent(out) :: b(3)
    b = a                                     !! of 4 elements to 3
  end subroutine shorter

  subroutine unlike(a, b, y)
    real(dp), intent(in) :: a(4), b(3)
    real(dp), intent(out) :: y
    y = dot_product(a, b)                     !! of arrays of different shapes
  end subroutine unlike

  subroutine unlike_sum(a, b, c)
    real(dp), intent(in) :: a(4), b(3)
    real(dp), intent(out) :: c(4)
    c = a + b                                 !! of arrays of different shapes
  end subroutine unlike_sum

  subroutine before_it(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: a(3)
    a = x
    y = a(0)                                  !! subscript out of its bounds
  end subroutine before_it

  subroutine by_zero(i, k)
    integer, intent(in) :: i
    integer, intent(out) :: k
    k = i/0                                   !! a division by 0
  end subroutine by_zero

  subroutine rest_of_zero(i, k)
    integer, intent(in) :: i
    integer, intent(out) :: k
    k = mod(i, 0)                             !! mod by 0
  end subroutine rest_of_zero

  subroutine by_a_real(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    goto (10, 20), x                          !! a computed goto by a real
10  y = 1
20  y = 2*y
  end subroutine by_a_real

  subroutine wide_number(i, k)
    integer, intent(in) :: i
    integer, intent(out) :: k
    integer(8) :: big
    big = i
    big = big + 100000                        !! integer(8)
    k = int(big)
  end subroutine wide_number

  subroutine wide_int(x, k)
    real(dp), intent(in) :: x
    integer, intent(out) :: k
    k = int(int(x, 8))                        !! int to integer(8)
  end subroutine wide_int

  subroutine some_rows(a, k, y)
    real(dp), intent(in) :: a(6)
    integer, intent(in) :: k
    real(dp), intent(out) :: y
    y = sum(a(1:k:2))                         !! its bounds differ between points
  end subroutine some_rows

  subroutine masked_place(a, k)
    real(dp), intent(in) :: a(4)
    integer, intent(out) :: k
    k = maxloc(a, 1, kind=8)                  !! maxloc of another kind
  end subroutine masked_place

  subroutine of_two_types(x, i, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: i
    real(dp), intent(out) :: y
    y = merge(x, i, x > 1)                    !! merge of values of different types
  end subroutine of_two_types

  subroutine of_no_order(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    complex(dp) :: z
    z = x
    y = merge(1, 2, z < (1, 2))               !! < of complex numbers
  end subroutine of_no_order

  subroutine another_type(i, y)
    integer, intent(in) :: i
    real(dp), intent(out) :: y
    y = 0
    call add(i, y)                            !! a integer value is passed for a real
  end subroutine another_type

  subroutine halved(a)
    real(dp), intent(inout) :: a(2)
    a = a/2
  end subroutine halved

  subroutine another_array(n, y)
    integer, intent(inout) :: n(2)
    real(dp), intent(out) :: y
    y = 0
    call halved(n)                            !! an array of type integer
  end subroutine another_array

  subroutine read_only(a, y)
    real(dp), intent(in) :: a(2)
    real(dp), intent(out) :: y
    y = 0
    call halved(a)                            !! it is written, and a is intent(in)
  end subroutine read_only

  subroutine two_of_them(x, i, j, y)
    real(dp), intent(in) :: x
    integer, intent(inout) :: i, j
    real(dp), intent(out) :: y
    y = changing(x, i) - changing(x, j)       !! two functions that change
  end subroutine two_of_them

  subroutine left_out(x, i, y)
    real(dp), intent(in) :: x
    integer, intent(inout) :: i
    real(dp), intent(out) :: y
    y = 0
    if (x > 1 .and. changing(x, i) > 2) y = 1 !! .and., .or. or a statement function may leave
  end subroutine left_out

  subroutine where_to(x, i, y)
    real(dp), intent(in) :: x
    integer, intent(inout) :: i
    real(dp), intent(out) :: y(4)
    y = 0
    y(min(max(int(changing(x, i)), 1), 4)) = 1 !! in a subscript of what is assigned
  end subroutine where_to

  subroutine of_each(x, i, y)
    real(dp), intent(in) :: x(3)
    integer, intent(inout) :: i
    real(dp), intent(out) :: y(3)
    y = x*changing(x(1), i)                   !! would be called several times
  end subroutine of_each

  subroutine beside_it(x, i, y)
    real(dp), intent(in) :: x
    integer, intent(inout) :: i
    real(dp), intent(out) :: y
    y = changing(x, i) + i                    !! it changes i, which stands elsewhere
  end subroutine beside_it

  subroutine of_an_else(x, i, y)
    real(dp), intent(in) :: x
    integer, intent(inout) :: i
    real(dp), intent(out) :: y
    y = 0
    if (x > 1) then                           !! in an else if
      y = 1
    else if (changing(x, i) > 2) then
      y = 2
    end if
  end subroutine of_an_else

  subroutine moved_subscript(a, i)
    real(dp), intent(inout) :: a(5)
    integer, intent(inout) :: i
    call advance(i, a(i))                     !! it changes i, which is in a subscript of a
  end subroutine moved_subscript

  subroutine by_value(n, y)
    integer, value :: n                       !! attribute value and is written
    real(dp), intent(out) :: y
    n = n + 1
    y = n
  end subroutine by_value

  subroutine wide_sum(i, k)
    integer, intent(in) :: i
    integer, intent(out) :: k
    integer(8) :: big
    big = i
    big = big + 2147483647                    !! integer(8)
    k = int(big/1000)
  end subroutine wide_sum

  subroutine wide_limit(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x*huge(1_8)                           !! huge of integer(8)
  end subroutine wide_limit

  subroutine from_behind(x, k)
    real(dp), intent(in) :: x(4)
    integer, intent(out) :: k
    k = maxloc(x, dim=1, back=x(1) > 1)       !! maxloc with back: it is no constant
  end subroutine from_behind

  subroutine hidden(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: line, a
    integer :: n
    line(a) = a*x + n
    do n = 1, 4
      if (n*x > 4) exit
    end do
    y = line(x)                               !! statement function line: it reads n
  end subroutine hidden

  subroutine twice_evaluated(x, i)
    real(dp), intent(inout) :: x
    integer, intent(inout) :: i
    real(dp) :: square, a
    square(a) = a*a
    x = square(changing(x, i))                !! an argument of it is a function that changes
  end subroutine twice_evaluated

  real(dp) function changing(x, i)
    real(dp), intent(in) :: x
    integer, intent(inout) :: i
    i = i + 1
    changing = x*i
  end function changing

  subroutine unknown_text(s, x, y)
    character(*), intent(in) :: s
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (s == 'square') y = x*x                !! character s: its text is not known when the
  end subroutine unknown_text

  subroutine gives_text(x, y, s)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    character(4), intent(out) :: s
    y = x
    s = 'ok'                                  !! an assignment to character s: a kernel gives
    s(3:3) = '!'
  end subroutine gives_text

  subroutine text_of_some(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    character(4) :: s
    s = 'no'
    y = x
    if (x > 1) s = 'yes'
    if (s == 'yes') y = 2                     !! character s: its text is not known
  end subroutine text_of_some

  subroutine text_of_a_loop(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    character(4) :: s
    integer :: i
    s = 'no'
    y = x
    do i = 1, 3
      if (s == 'yes') y = 2*y                 !! character s: its text is not known: a loop
      s = 'yes'
    end do
  end subroutine text_of_a_loop

  subroutine text_of_a_jump(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    character(4) :: s
    s = 'no'
    y = x
    if (x > 1) goto 40
    s = 'yes'
40  continue
    if (s == 'yes') y = 2                     !! character s: its text is not known
  end subroutine text_of_a_jump

  subroutine relabels(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    label = 'new'                             !! an assignment to character label
  end subroutine relabels

  subroutine assigned_text(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (label == 'old') y = 2                 !! character label: relabels
  end subroutine assigned_text

  subroutine text_without_value(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (unset == 'old') y = 2                 !! character unset: its value is not known
  end subroutine text_without_value

  subroutine runs_outside(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x + third('ab')
  contains
    integer function third(s)
      character(*), intent(in) :: s
      character(8) :: t
      t = s
      third = iachar(t(9:9))                  !! iachar(t(9:9))
    end function third
  end subroutine runs_outside

  subroutine runs_forever(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x + endless('ab')
  contains
    integer function endless(s)               !! endless: it does not end
      character(*), intent(in) :: s
      character(8) :: t
      t = s
      endless = 0
      do while (t /= 'b')
        endless = 1 - endless
      end do
    end function endless
  end subroutine runs_forever

  subroutine runs_io(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x + told('ab')
  contains
    integer function told(s)
      character(*), intent(in) :: s
      character(8) :: t
      told = 1
      write (t, '(a)') s                      !! write
    end function told
  end subroutine runs_io

  subroutine complex_argument(z, y)
    complex(dp), intent(in) :: z(2)           !! complex array z
    real(dp), intent(out) :: y
    y = abs(z(1))
  end subroutine complex_argument

  subroutine complex_tangent(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = real(atan(cmplx(x, 1, dp)))           !! atan of a complex number
  end subroutine complex_tangent

  subroutine order_of_points(x, n, y)
    real(dp), intent(in) :: x
    integer, intent(in) :: n
    real(dp), intent(out) :: y
    y = bessel_jn(n, x)                       !! of an order that differs between points
  end subroutine order_of_points

  subroutine next_single(x, y)
    real, intent(in) :: x
    real, intent(out) :: y
    y = nearest(x, 1.0)                       !! nearest of a real(4)
  end subroutine next_single

  subroutine pack_some(x, y)
    real(dp), intent(in) :: x(4)
    real(dp), intent(out) :: y(2)
    y = pack(x, x > 1)                        !! pack: how many elements it has
  end subroutine pack_some

  subroutine shifts(x, k, y)
    real(dp), intent(in) :: x(3, 2)
    integer, intent(in) :: k(2)
    real(dp), intent(out) :: y(3, 2)
    y = cshift(x, k)                          !! cshift by an array
  end subroutine shifts

  subroutine too_few(x, y)
    real(dp), intent(in) :: x(3)
    real(dp), intent(out) :: y(2, 2)
    y = reshape(x, [2, 2], order=[2, 1])      !! its source has not so many elements
  end subroutine too_few

  subroutine far_shift(i, k)
    integer, intent(in) :: i
    integer, intent(out) :: k
    k = ishft(i, 40)                          !! a shift by more than 32 bits
  end subroutine far_shift

  subroutine moved_along(x, y)
    real(dp), intent(in) :: x(4)
    real(dp), intent(out) :: y(4)
    integer :: i
    y = x
    forall (i = 2:4) y(i) = y(i - 1)          !! forall: it reads other elements of y
  end subroutine moved_along

  subroutine one_element(x, k, y)
    real(dp), intent(in) :: x(4)
    integer, intent(in) :: k(4)
    real(dp), intent(out) :: y(4)
    integer :: i
    y = x
    forall (i = 1:4) y(k(i)) = x(i)           !! two assignments may be to one element of y
  end subroutine one_element

  subroutine mask_of_it(x, y)
    real(dp), intent(in) :: x(4)
    real(dp), intent(out) :: y(4)
    integer :: i
    y = x
    forall (i = 1:4, y(i) > 1) y(i) = 2*y(i)  !! its bounds or its mask may change
  end subroutine mask_of_it

  subroutine part_of_both(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp) :: t
    t = x
    associate (a => t, twice => 2*t)          !! associate name twice: t may change
      a = 5
      y = twice
    end associate
  end subroutine part_of_both

  subroutine part_inside(x, y)
    real(dp), intent(in) :: x(3)
    real(dp), intent(out) :: y
    real(dp) :: t(3)
    t = x
    associate (a => t(2:3))                   !! associate name more: t may change
      associate (more => a(1) + 1)
        t(2) = 5
        y = more
      end associate
    end associate
  end subroutine part_inside

  subroutine named_in_allocate(n, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp), allocatable :: t(:)
    associate (m => n)
      allocate (t(m))                         !! allocatable t: its shape is not known when the kernel is built
      t = x
      y = t(1)
    end associate
  end subroutine named_in_allocate

  subroutine typed_in_allocate(n, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    real(dp), allocatable :: t(:)
    associate (m => n)                        !! associate: allocate in line 728 is not understood; write there what m
      allocate (real(dp) :: t(m))
      t = x
      y = t(1)
    end associate
  end subroutine typed_in_allocate

  subroutine index_by_pointer(k, x, y)
    integer, intent(in), target :: k
    real(dp), intent(in) :: x(3)
    real(dp), intent(out) :: y
    associate (e => x(k))                     !! associate name e: k may change
      call halved(k, y)
      y = e
    end associate
  end subroutine index_by_pointer

  subroutine complex_common(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x*real(turned)                        !! complex turned
  end subroutine complex_common

  real(dp) function drawn(seed)
    real(dp), intent(inout) :: seed
    seed = mod(3*seed + 1, 7.0_dp)
    drawn = seed
  end function drawn

  subroutine draws_twice(s, t, y)
    real(dp), intent(inout) :: s, t
    real(dp), intent(out) :: y
    y = drawn(s) - drawn(t)                   !! function drawn: two functions that change
  end subroutine draws_twice

  subroutine draws_beside(s, y)
    real(dp), intent(inout) :: s
    real(dp), intent(out) :: y
    y = drawn(s) + s                          !! function drawn: it changes s, which stands
  end subroutine draws_beside

  subroutine draws_perhaps(s, x, y)
    real(dp), intent(inout) :: s
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = 1
    if (x > 1 .and. drawn(s) > 1) y = 2       !! function drawn: it changes its argument, and
  end subroutine draws_perhaps

  subroutine draws_in_else(s, x, y)
    real(dp), intent(inout) :: s
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = 1
    if (x > 1) then                           !! function drawn: it changes its argument, in an
      y = 2
    else if (drawn(s) > 1) then
      y = 3
    end if
  end subroutine draws_in_else

  subroutine draws_arrays(s, y)
    real(dp), intent(inout) :: s
    real(dp), intent(out) :: y(2)
    y = drawn(s)                              !! function drawn: it changes its argument, and would
  end subroutine draws_arrays

  subroutine draws_place(s, y)
    real(dp), intent(inout) :: s
    real(dp), intent(out) :: y(2)
    y = 1
    y(1 + int(drawn(s)/7)) = 2                !! function drawn: it changes its argument, in a sub
  end subroutine draws_place

  subroutine draws_while(s, y)
    real(dp), intent(inout) :: s
    real(dp), intent(out) :: y
    y = 1
    do while (drawn(s) > 2)                   !! function drawn: it changes its argument, and would
      y = y + 1
    end do
  end subroutine draws_while

  subroutine unread_text(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    character(4), external :: spoken
    character(4) :: word
    y = x
    word = spoken(y)                          !! function spoken
  end subroutine unread_text

  subroutine draws_each(x, s, y)
    real(dp), intent(in) :: x(3)
    real(dp), intent(inout) :: s
    real(dp), intent(out) :: y
    y = sum(x*drawn(s))                       !! function drawn: it changes its argument, and would
  end subroutine draws_each

  subroutine draws_argument(a, s)
    real(dp), intent(inout) :: a(7), s
    integer :: i
    i = 1
    call advance(i, a(1 + int(drawn(s)/2)))   !! function drawn: it changes its argument, and would
  end subroutine draws_argument

  subroutine draws_elemental(a, s)
    real(dp), intent(inout) :: a(7), s
    call raise(a, drawn(s))                   !! call of raise: an argument of it is a function that
  end subroutine draws_elemental

  elemental subroutine raise(a, b)
    real(dp), intent(inout) :: a
    real(dp), intent(in) :: b
    a = a + b
  end subroutine raise

  complex(dp) function turned_by(s)
    real(dp), intent(inout) :: s
    s = s + 1
    turned_by = s
  end function turned_by

  subroutine nothing_of(z, y)
    complex(dp), intent(in) :: z
    real(dp), intent(out) :: y
    y = 1
  end subroutine nothing_of

  subroutine draws_for_nothing(s, y)
    real(dp), intent(inout) :: s
    real(dp), intent(out) :: y
    call nothing_of(turned_by(s), y)          !! argument z of nothing_of: a function that changes
  end subroutine draws_for_nothing

  subroutine counts(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    integer, pointer :: n
    integer, target :: m
    n => m                                    !! pointers are not followed
    y = 0
    do n = 1, 3
      y = y + x
    end do
    y = y + m
  end subroutine counts

  subroutine lists_of_texts(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
    if (any(['a', 'b'] == ['b', 'a'])) y = 2  !! kernels have arrays of numbers and logicals
  end subroutine lists_of_texts

  subroutine shares_where(x, y)
    real(dp), intent(in) :: x(3)
    real(dp), intent(out) :: y(3)
    y = x
    where (y > 0) y = share(y)                !! a function reads all of y, which it assigns
  contains
    elemental function share(v)
      real(dp), intent(in) :: v
      real(dp) :: share
      share = v/(1 + sum(y**2))
    end function share
  end subroutine shares_where

  subroutine printed_index(x, y)
    real(dp), intent(in) :: x(4)
    real(dp), intent(out) :: y(5)
    integer :: i
    i = 2
    do concurrent (i = 1:4)                   !! and i is seen outside of the loop
      y(i) = x(i)
      print *, i
    end do
    y(5) = i
  end subroutine printed_index

  subroutine two_of_one_name(x, y)
    use first_coefficients, only: one => coefficient
    use second_coefficients, only: two => coefficient
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = one*x
    y = y + two                               !! that of first_coefficients has the same name
  end subroutine two_of_one_name
end module refused

module first_coefficients
  real(8) :: coefficient = 1
end module first_coefficients

module second_coefficients
  real(8) :: coefficient = 2
end module second_coefficients
