module tmod
implicit none
integer, parameter :: r8 = selected_real_kind(14)
integer, private :: nf = 4
character(len=8), private :: list(6)
data list /"alpha", "beta", "gamma", "delta", "", ""/
character(len=5) :: mode = 'fast'
contains
elemental function code(n, name, err) 
integer, intent(in) :: n
character(*), intent(in) :: name
real(r8), intent(in), optional :: err
real(r8) :: code, mult
integer :: k
if (present(err)) then
  k = int(err/10.0_r8)
  code = err + 1000.0_r8
  mult = 10.0_r8**(3-k)
else
  code = 9.1e3_r8
  mult = 1.0e2_r8
end if
code = code + (100*n + number(name))*mult
end function
elemental function number(name)
character(*), intent(in) :: name
integer :: number, i
character(len=8) :: fname
fname = name
do i = 1, nf
  if (fname == list(i)) goto 100
end do
number = 99
return
100 number = i
return
end function
elemental function lower(s) result(o)
character(*), intent(in) :: s
character(len(s)) :: o
integer :: i, k
o = s
do i = 1, len(s)
  k = iachar(s(i:i))
  if (k >= iachar('A') .and. k <= iachar('Z')) o(i:i) = achar(k + 32)
end do
end function
subroutine split(s, a, n)
character(*), intent(in) :: s
character(len=4), intent(out) :: a
integer, intent(out) :: n
n = index(s, '_')
a = s(1:n-1)
end subroutine
subroutine use(x, y, o)
real(r8), intent(in) :: x, y
real(r8), intent(out) :: o(12)
character(*), parameter :: me = "gamma"
character(len=4) :: a
character(len=6) :: b
integer :: n
o(1) = code(1, me)
o(2) = code(2, 'no such')
o(3) = x
if (x > y) o(3) = code(3, me)
o(4) = code(4, "beta", x*5)
o(5) = kind_of('linear', x)
o(6) = kind_of(lower('Square '), x)
call split('ab_cde', a, n)
o(7) = n
if (a == 'ab' .and. len_trim(a) == 2) o(7) = o(7) + x
b = 'x'//trim(a)//'y'
select case (b)
case ('a':'w')
  o(8) = 1.0_r8
case ('xaby')
  o(8) = 2*y
case default
  o(8) = 3.0_r8
end select
o(9) = merge(1, 2, b(2:3) == 'ab') + len(b)*x + index(b, 'y') + ichar(b(1:1))
if (mode == 'fast') then
  o(10) = x
else
  o(10) = y
end if
if (x > 1.0_r8) b = 'large'
o(11) = apply(x, method='cube')
o(12) = apply(y)
end subroutine
function apply(x, method) result(r)
real(r8), intent(in) :: x
character(len=*), intent(in), optional :: method
real(r8) :: r
character(len=10) :: m
m = 'none'
if (present(method)) m = method
r = kind_of(m, x)
end function
pure function kind_of(kind, x) result(r)
character(len=*), intent(in) :: kind
real(r8), intent(in) :: x
real(r8) :: r
select case (trim(kind))
case ('linear')
  r = x
case ('square')
  r = x*x
case ('cube')
  r = x**3
case default
  r = -1.0_r8
end select
end function
subroutine top(scheme, x, o)
character(len=*), intent(in) :: scheme
real(r8), intent(in) :: x
real(r8), intent(out) :: o
o = kind_of(scheme, x)
end subroutine
end module
