! Each procedure has one thing that no kernel may do; its line says what the refusal names.
module refused
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp) :: total = 0
  integer, allocatable :: numbers(:)
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
    allocate(a(3))                            !! allocate
    a = x
    y = sum(a)
  end subroutine allocates

  subroutine backwards(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = x
10  y = y*2
    if (y < 10) goto 10                       !! goto backwards to 10
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

  subroutine characters(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    character(8) :: name
    name = 'air'                              !! character name
    y = x
    if (name == 'air') y = 2*x
  end subroutine characters

  subroutine complex_values(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    complex(dp) :: z
    z = cmplx(x, 1.0_dp, dp)                  !! complex z
    y = abs(z)
  end subroutine complex_values

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
    equivalence (a, b)                        !! equivalence
    a = x
    y = b
  end subroutine equivalent

  subroutine pointers(x, y)
    real(dp), intent(in), target :: x
    real(dp), intent(out) :: y
    real(dp), pointer :: p
    p => x                                    !! pointer assignment
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

  subroutine unknown_function(x, y)
    real(dp), intent(in) :: x
    real(dp), intent(out) :: y
    y = bessel_j0(x)                          !! function bessel_j0
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
    y = y + c%mesh(1)                         !! component mesh
  end subroutine of_a_mesh

  subroutine all_of_a_cell(c, y)
    type(cell), intent(in) :: c
    real(dp), intent(out) :: y
    type(cell) :: other
    other = c                                 !! other = c
    y = other%mass
  end subroutine all_of_a_cell

  subroutine new_cell(x, c)
    real(dp), intent(in) :: x
    type(cell), intent(out) :: c              !! intent(out) argument c
    c%mass = x
  end subroutine new_cell
  subroutine advance(i, a)
    integer, intent(inout) :: i
    real(dp), intent(inout) :: a
    i = i + 1
    a = a*2
  end subroutine advance

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
    k = maxloc(x, dim=1, back=.true.)         !! maxloc with back
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
end module refused
